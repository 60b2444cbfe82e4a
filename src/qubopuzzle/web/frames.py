"""Boards and their states for the page, as small JSON.

A **board** is what does not change: clues, borders, words that are given. A **frame** is one state:
a number a cell, which says how it looks by the table ``looks``, and what is known of the state. A
frame brings those rows of the table that no frame before it needed.
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.answer import Answer
from qubopuzzle.model import Field, IntArray, Model, Violation
from qubopuzzle.model.segments import all_rows, reachable
from qubopuzzle.picture import Picture
from qubopuzzle.picture.description import PALETTE, Cell
from qubopuzzle.picture.shapes import marks
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.base import Edges
from qubopuzzle.solving.trace import Trace

STATES = 400
"""States of a course that are shown when it has ended, at most; of large boards fewer."""
HEAVIEST = 8
"""Constraints whose weights are shown by name."""
_COLORS = len(PALETTE)
_CLOSED = 16
"""Sums of sides are below it; what a cell may have besides is black."""


def board(puzzle: Puzzle) -> dict[str, Any]:
    """What does not change of a puzzle's picture.

    ``left`` to ``bottom`` are clues; ``words`` and ``corners`` are lists of (row, column, word),
    ``circled`` of (row, column), ``marks`` as in ``picture.shapes``; ``beside`` and ``above`` say
    where thick lines are, a text of 0 and 1 a row, and ``black`` where black cells; ``rooms``:
    whether these lines divide rooms. ``inks`` are the colours of shaded cells by their signs, if
    they are not black.
    """
    picture, nothing = puzzle.picture(), np.zeros(puzzle.shape, dtype=np.int64)
    loop = puzzle.picture(nothing).loop  # a frame would look like a part of it
    beside, above = (picture if loop is None else replace(picture, loop=loop)).thick_lines()
    return {
        "rows": picture.rows,
        "columns": picture.columns,
        **{side: getattr(picture, side) for side in ("left", "right", "top", "bottom")},
        "words": [[*cell, word] for cell, word in picture.words.items() if cell in picture.given],
        "corners": [[*cell, word] for cell, word in picture.corners.items()],
        "circled": sorted(picture.circled),
        "marks": [*chain.from_iterable(map(marks, picture.shapes))],
        "black": _bits((nothing if picture.black is None else np.asarray(picture.black)) != 0),
        "beside": _bits(beside),
        "above": _bits(above),
        "rooms": picture.rooms is not None,
        "palette": PALETTE,
        "inks": dict(picture.palette),
    }


def entries(puzzle: Puzzle) -> dict[str, Any]:
    """How somebody fills a board in, as pictures of answers show it: ``kind`` and ``values``.

    ``shade``: 1 is its word, or black without, or the first colour, and 0 white; ``words``: each
    value by its word; ``lines``: values are the sums of ``factors``, see ``puzzles.base.Edges``,
    whose ``most`` and ``ends``, as (row, column), are there, too, or one of ``values``, a cell
    without a line; ``regions``: each is a rectangle around one of ``seeds``, (row, column, value).
    ``shade`` has the ``names`` of 0 and 1 in a sentence, and ``loop``, whether one goes around 1.
    """
    model = puzzle.model(puzzle.formulation_for(cuts=True))
    field = cast("Field", model.field)
    bare, answered = puzzle.picture(), puzzle.picture(np.zeros(puzzle.shape, dtype=np.int64))
    if answered.paths is not None:
        return _lines(puzzle.edges, range(_CLOSED, field.high + 1))
    if answered.rooms is not None and bare.rooms is None:
        return {"kind": "regions", "values": [], "seeds": _seeds(model, field, bare.given)}
    values, is_shade = [], (field.low, field.high) == (0, 1)
    for value in range(field.low, field.high + 1):
        shown = puzzle.picture(np.full(puzzle.shape, value, dtype=np.int64))
        words = (word for cell, word in shown.words.items() if cell not in shown.given)
        values.append({"value": value, "word": next(words, "")})
        is_shade = bool(shown.palette) or (is_shade and (value > 0 or not values[0]["word"]))
    if not is_shade:
        return {"kind": "words", "values": values}
    names, loop = [*map(puzzle.value_name, (0, 1))], answered.loop is not None
    return {"kind": "shade", "values": values, "names": names, "loop": loop}


def _lines(edges: Edges, black: range) -> dict[str, Any]:
    return {
        "kind": "lines",
        "values": [{"value": value, "word": "black"} for value in black],
        "factors": edges.factors,
        "most": edges.most,
        "ends": None if edges.ends is None else np.argwhere(edges.ends).tolist(),
    }


def _seeds(model: Model, field: Field, given: Iterable[Cell]) -> list[list[int]]:
    """The clues in cells that have one value in every answer: row, column and that value."""
    least, greatest = reachable(model, field.views[0].matrix)
    known, value = ((least == greatest).reshape(field.shape), least + field.views[0].base)
    return [[*cell, int(value.reshape(field.shape)[cell])] for cell in given if known[cell]]


class Frames:
    """Makes the frames of one course, which share the table of looks."""

    def __init__(self) -> None:
        self._looks: dict[int, int] = {}
        self._words: dict[str, int] = {"": 0}
        self._cells: dict[Model, tuple[IntArray, IntArray]] = {}

    def of(self, trace: Trace, number: int) -> dict[str, Any]:
        """A state of a trace of a puzzle: where it was, what it costs, and the weights if known."""
        families = zip(trace.families, trace.energies[number].tolist(), strict=True)
        known: dict[str, Any] = {
            "read": int(trace.read[number]),
            "sweep": int(trace.sweep[number]),
            "families": dict(families),
        }
        s, beta, energy = trace.seconds[number], trace.beta[number], trace.energy[number]
        known |= numbers({"s": s, "beta": beta, "energy": energy})
        if trace.states and (weight := trace.states[number].row_weight) is not None:
            known |= self._heat(trace.states[number].judge.presolved.model, weight)
        return self.frame(trace[number], **known)

    def frame(self, answer: Answer, /, **known: Any) -> dict[str, Any]:
        """A puzzle's answer: its looks, the lines that are broken, and what is known.

        Broken are the cells that violations name, as where views of the field disagree. Of a line
        with a clue beside the grid the clue is, not all of its cells: what is right in it is seen.

        A look is black (0 or 1), broken (0 or 1), the sides that a path leaves by, its colour, a
        word, and the sides where the answer has a border.
        """
        bare = cast("Picture", answer.problem.picture())
        lines, cells = _broken(answer, bare)
        picture = cast("Picture", answer.picture(cells))
        key = self._keys(picture, bare)
        different, where = np.unique(key, return_inverse=True)
        fresh = [number for number in different.tolist() if number not in self._looks]
        self._looks.update({number: len(self._looks) + i for i, number in enumerate(fresh)})
        table = np.array([self._looks[number] for number in different.tolist()], dtype="<u2")
        frame = {"cells": base64(table[where].ravel()), **known}
        frame["lines"] = lines
        if fresh:
            words = [*self._words]
            frame["looks"] = [
                [n & 1, n >> 1 & 1, n >> 2 & 255, n >> 10 & 15, words[n >> 18], n >> 14 & 15]
                for n in fresh
            ]
        return frame

    def _keys(self, picture: Picture, bare: Picture) -> NDArray[np.int64]:
        """A number for each cell, (cells,): all of its look, but what the ``bare`` board has."""
        key = np.zeros((picture.rows, picture.columns), dtype=np.int64)
        filled = picture.black if picture.loop is None else picture.loop
        if filled is not None:
            black = np.asarray(filled) != 0
            key |= black.astype(np.int64)
            if picture.palette and picture.colors is not None:
                key |= np.where(black, picture.colors & 15, 0) << 10
        if picture.broken:
            key[tuple(np.array([*picture.broken]).T)] |= 2
        if picture.paths is not None:
            key |= np.asarray(picture.paths) << 2
            if picture.colors is not None:
                key |= np.where(picture.paths, picture.colors % _COLORS, 0) << 10
        if picture.loop is not None or (picture.rooms is not None and bare.rooms is None):
            key |= _sides(picture) << 14
        for cell, word in picture.words.items():
            if cell not in picture.given:
                key[cell] |= self._words.setdefault(word, len(self._words)) << 18
        return key.ravel()

    def _heat(self, model: Model, weight: NDArray[np.float32]) -> dict[str, Any]:
        """``heat``: a byte a cell, 0 for weight 1, 255 for the greatest; ``heaviest``: by name."""
        if model not in self._cells:
            self._cells[model] = _cells_of_rows(model)
        row, cell = self._cells[model]
        by_cell = np.ones(0 if model.field is None else model.field.views[0].matrix.shape[0])
        np.maximum.at(by_cell, cell, weight[row])
        top = max(float(weight.max(initial=1)), 1 + 1e-9)
        heat = np.clip((by_cell - 1) / (top - 1) * 255, 0, 255).astype(np.uint8)
        named = model.heaviest_rows(weight, HEAVIEST)
        return {"heat": base64(heat), "heaviest": [[name, round(w, 3)] for name, w in named]}


def _sides(picture: Picture) -> NDArray[np.int64]:
    """Where cells have borders: the sum of 1 on the right, 2 below, 4 on the left and 8 above."""
    beside, above = picture.borders()
    sides = np.stack([beside[:, 1:], above[1:], beside[:, :-1], above[:-1]], axis=-1)
    return np.asarray(sides @ np.array([1, 2, 4, 8]))


def _broken(answer: Answer, bare: Picture) -> tuple[list[list[int]], set[Cell]]:
    """Rows and columns of which a violation names all cells, and the other cells to mark."""
    clued = (_clued(bare.left, bare.right), _clued(bare.top, bare.bottom))
    lines: tuple[set[int], set[int]] = (set(), set())
    cells: set[Cell] = set()
    for violation in answer.violations:
        line = _line(violation, (bare.columns, bare.rows))
        if line is not None:
            lines[line[0]].add(line[1])
        if line is None or line[1] not in clued[line[0]]:
            cells.update(cell for cell in violation.cells if len(cell) == 2)
    return [*map(sorted, lines)], cells


def _clued(*sides: Sequence[Sequence[str]]) -> set[int]:
    """The lines with a clue on one of these sides."""
    return {number for side in sides for number, clue in enumerate(side) if clue}


def _line(violation: Violation, lengths: tuple[int, int]) -> tuple[int, int] | None:
    """The axis and number of the line that a violation is about, and about nothing else."""
    for axis, length in enumerate(lengths):
        places = {cell[axis] for cell in violation.cells if len(cell) == 2}
        if len(places) == 1 and len(violation.cells) == length > 1:
            return axis, places.pop()
    return None


def _cells_of_rows(model: Model) -> tuple[IntArray, IntArray]:
    """Pairs of a linear row and a cell that it is about: the cells most nearly its literals'."""
    rows, _, _ = all_rows(model)
    if model.field is None or not len(model.choices):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    touches, paints = rows.copy(), model.field.views[0].matrix.copy()
    touches.data, paints.data = np.ones_like(touches.data), np.ones_like(paints.data)
    shared = (touches @ paints.T).tocoo()
    in_row, in_cell = np.diff(touches.indptr)[shared.row], np.diff(paints.indptr)[shared.col]
    alike = shared.data / (in_row + in_cell - shared.data)
    most = np.zeros(rows.shape[0])
    np.maximum.at(most, shared.row, alike)
    kept = alike >= 0.99 * most[shared.row]
    return shared.row[kept], shared.col[kept]


def numbers(known: Mapping[str, float]) -> dict[str, float | None]:
    """Numbers for JSON, which has no NaN."""
    return {
        name: float(f"{value:.6g}") if np.isfinite(value) else None for name, value in known.items()
    }


def base64(array: NDArray[Any]) -> str:
    """The bytes of an array."""
    return b64encode(array.tobytes()).decode()


def _bits(rows: NDArray[np.bool_]) -> list[str]:
    return ["".join("01"[value] for value in row) for row in rows.tolist()]
