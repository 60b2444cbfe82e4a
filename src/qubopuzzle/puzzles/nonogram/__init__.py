"""Nonogram (picross): paint cells so that every line's runs of each colour are its clue.

Three formulations of the same rules, from one piece of code (families in brackets):

- ``numbering``: number k of a line stands on the first cell of its k-th run, the
  formulation of Fixstars' picross tutorial. Each number is written once [once], at most
  one on a cell [cell], number k+1 at least ``h_k + 1`` further on than number k, or ``h_k``
  if it is of another colour [order], and the pictures painted from the rows and from the
  columns agree on every cell, colour by colour [field].
- ``window`` (default): the same, but number k only stands where the runs before and
  after it still fit: ``s_k <= j <= s_k + S`` with ``s_k`` the sum of these distances over
  t < k and S the cells that the line has more than it needs. [cell] follows from [order].
- ``pattern``: one choice a line over all its legal paintings [line], and [field].

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from math import comb
from typing import Any, TypeAlias

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import Field, IntArray, Model, ModelBuilder
from qubopuzzle.model.statements import StatedModel
from qubopuzzle.puzzles.nonogram.links import LINKS
from qubopuzzle.puzzles.nonogram.rules import Clue, Nonogram, clue_of, packed, slack
from qubopuzzle.puzzles.nonogram.statements import statements_of
from qubopuzzle.puzzles.vocabulary.grids import shading_to_rows

__all__ = ["Nonogram"]

TERM_LIMIT = 20_000_000
"""Most cells painted by all values of all choices together: a model of about 1 GB."""


def _model_by_numbers(puzzle: Nonogram, *, window: bool) -> Model:
    builder = ModelBuilder()
    painted = _number_all(builder, _lines(puzzle), puzzle.signs, window=window)
    return _finish(builder, puzzle, painted, partial(_write_starts, puzzle))


_Lines: TypeAlias = tuple[str, tuple[Clue, ...], IntArray]
"""Rows or columns: their name, their clues and their cells by number, (lines, length)."""


def _lines(puzzle: Nonogram) -> list[_Lines]:
    """Rows, and columns."""
    cells = np.arange(puzzle.cells).reshape(puzzle.shape)
    return [("row", puzzle.rows, cells), ("col", puzzle.cols, cells.T)]


def _number_all(
    builder: ModelBuilder, every: list[_Lines], signs: str, *, window: bool
) -> list[IntArray]:
    """What ``_number_lines`` returns of rows, and of columns; TooLarge for too many terms."""
    terms = sum(
        len(starts) * h
        for _, clues, cells in every
        for clue in clues
        for starts, _, h, _ in _numbers(clue, cells.shape[1], window)
    )
    if terms > TERM_LIMIT:
        raise TooLarge(f"the model would have {terms:,} terms, more than {TERM_LIMIT:,}")
    return [_number_lines(builder, *lines, signs, window=window) for lines in every]


def _numbers(clue: Clue, length: int, window: bool) -> Iterator[tuple[range, int, int, str]]:
    """Where each number of a line may stand, and what ``packed`` has of it."""
    runs = packed(clue)
    more = length - sum(runs[-1][:2]) if runs else 0
    for k, (least, h, sign) in enumerate(runs, start=1):
        places = range(length - h + 1 if k == len(runs) else length)
        yield range(least, least + more + 1) if window else places, least, h, sign


def _number_lines(
    builder: ModelBuilder,
    axis: str,
    clues: tuple[Clue, ...],
    cells: IntArray,
    signs: str,
    *,
    window: bool,
) -> IntArray:
    """Number all rows, or all columns: choices, [cell], [order].

    Returns literals, for each a cell that it paints, and the colour, shape (3, terms).
    """
    length = cells.shape[1]
    numbers = [
        (choice.number, choice.first, i, starts.start, len(starts), least, h, signs.index(sign))
        for i, clue in enumerate(clues)
        for k, (starts, least, h, sign) in enumerate(_numbers(clue, length, window))
        for choice in [builder.choice(f"{axis}[{i}].start[{k}]", starts)]
    ]
    table = np.array(numbers, np.int64).reshape(-1, 8).T
    choices, literals, on, first, size, least, run, colour = table
    line, height, place = np.repeat(on, size), np.repeat(run, size), _ramp(size)
    start = np.repeat(first, size) + place
    literal = np.repeat(literals, size) + place
    if not window:
        builder.linear("cell", line * length + start, literal, upper=1, shape=cells.shape)
    (before,) = np.nonzero(on[1:] == on[:-1])
    distance = least[before + 1] - least[before]
    builder.precedence("order", choices[before], choices[before + 1], distance)
    # A run that starts on cell j paints j .. j + h - 1, as far as there are cells.
    along = np.repeat(start, height) + _ramp(height)
    inside = along < length
    literal, line = np.repeat(literal, height), np.repeat(line, height)
    paint = np.repeat(np.repeat(colour, size), height)
    return np.stack([literal[inside], cells[line[inside], along[inside]], paint[inside]])


def _ramp(counts: IntArray) -> IntArray:
    """0 .. count - 1 for each count, one after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _model_by_patterns(puzzle: Nonogram) -> Model:
    terms = 0
    for axis, clues, cells in _lines(puzzle):
        length = cells.shape[1]
        for i, clue in enumerate(clues):
            count = comb(slack(clue, length) + len(clue), len(clue))
            terms += count * length
            if terms > TERM_LIMIT:
                raise TooLarge(
                    f"{axis}s[{i}] has {count:,} paintings, over {TERM_LIMIT:,} cells so far: "
                    "too many for formulation pattern; use window"
                )
    builder, painted = ModelBuilder(), []
    for axis, clues, cells in _lines(puzzle):
        parts = []
        for i, clue in enumerate(clues):
            paintings = _paintings(clue, cells.shape[1], puzzle.signs)
            values = shading_to_rows(paintings, puzzle.signs)
            first = builder.choice(f"{axis}[{i}]", values, family="line").first
            which, along = np.nonzero(paintings)
            parts.append(np.stack([first + which, cells[i, along], paintings[which, along]]))
        painted.append(np.concatenate(parts, axis=1))
    return _finish(builder, puzzle, painted, partial(_write_lines, puzzle.signs))


def _paintings(clue: Clue, length: int, signs: str) -> IntArray:
    """All legal paintings of a line, shape (paintings, length), runs leftmost first."""
    n, places = len(clue), slack(clue, length) + len(clue)
    # Shrink what each run needs to one place, and pick where the runs are. A cell then stands as
    # much further on as the runs before it need.
    picks = np.array(list(combinations(range(places), n)), dtype=np.int64)
    runs = [(least - k, h, signs.index(sign)) for k, (least, h, sign) in enumerate(packed(clue))]
    more, lengths, colours = np.array(runs, np.int64).reshape(-1, 3).T
    starts = picks.reshape(comb(places, n), n) + more
    cells = np.repeat(starts, lengths, axis=1) + _ramp(lengths)
    painted = np.zeros((len(cells), length), dtype=np.int64)
    np.put_along_axis(painted, cells, np.repeat(colours, lengths)[None], axis=1)
    return painted


def _finish(builder: ModelBuilder, puzzle: Nonogram, painted: list[IntArray], write: Any) -> Model:
    """Tie the two pictures together and say how they are read."""
    literals, cells, colours = np.concatenate(painted, axis=1)
    side = np.repeat([1, -1], [part.shape[1] for part in painted])
    k, (height, width) = len(puzzle.signs) - 1, puzzle.shape
    rows, names = (colours - 1) * puzzle.cells + cells, None
    if k > 1:
        names = [
            f"field[{r},{c}] {sign}"
            for sign in puzzle.signs[1:]
            for r in range(height)
            for c in range(width)
        ]
    shape = (k * height, width)
    builder.linear("field", rows, literals, side, lower=0, upper=0, shape=shape, labels=names)
    views = tuple(
        builder.view(name, cell, literal, colour, n_cells=puzzle.cells)
        for name, (literal, cell, colour) in zip(("rows", "columns"), painted, strict=True)
    )
    return builder.build(Field(puzzle.shape, 0, k, views, write))


def _stated(puzzle: Nonogram) -> StatedModel:
    """A choice a cell, and a statement a line: its cells are painted as its runs stand.

    That runs stand in their order, where they fit, is said of them alone and always holds.
    """
    builder, n, k = ModelBuilder(), puzzle.cells, len(puzzle.signs) - 1
    for r, c in np.ndindex(puzzle.shape):
        builder.choice(f"cell[{r},{c}]", range(k + 1), "cell", is_bit=k == 1)
    literals = np.arange(n * (k + 1)).reshape(n, k + 1)
    every, owner, first = [*map(_that_fit, _lines(puzzle))], list[IntArray](), 0
    numbered = _number_all(builder, every, puzzle.signs, window=True)
    for (axis, clues, cells), (literal, cell, colour) in zip(every, numbered, strict=True):
        rows = np.append((colour - 1) * n + cell, np.arange(k * n))
        terms, signs = np.append(literal, literals[:, 1:].T), [len(literal), k * n]
        sign = np.repeat([1, -1], signs)
        builder.linear(axis, rows, terms, sign, lower=0, upper=0, shape=(k * n,))
        line = np.zeros(n, dtype=np.int64)
        line[cells] = first + np.arange(len(clues))[:, None]
        owner.append(np.tile(line, k))
        first += len(clues)
    given, shown = ([*lines[0][1], *lines[1][1]] for lines in (_lines(puzzle), every))
    too_long = np.flatnonzero([a != b for a, b in zip(given, shown, strict=True)])
    builder.at_least_one("length", [[]] * len(too_long))
    cell, colour = np.divmod(literals.ravel(), k + 1)
    view = builder.view("cells", cell, literals.ravel(), colour, n_cells=n)
    model = builder.build(Field(puzzle.shape, 0, k, (view,), partial(_write_cells, puzzle)))
    always = np.full(sum(len(block.first) for block in model.precedence), -1)
    owners = np.concatenate([*owner, too_long, always])
    return StatedModel(model, (*statements_of(puzzle),), owners, literals, np.arange(k + 1))


def _that_fit(lines: _Lines) -> _Lines:
    """The same with no runs in lines that are too short for theirs."""
    axis, clues, cells = lines
    fits = (slack(clue, cells.shape[1]) >= 0 for clue in clues)
    return axis, tuple(clue if fit else () for clue, fit in zip(clues, fits, strict=True)), cells


def _write_cells(puzzle: Nonogram, answer: IntArray) -> list[int]:
    return [*answer.ravel().tolist(), *_write_starts(puzzle, answer)]


def _write_starts(puzzle: Nonogram, answer: IntArray) -> list[int]:
    """The start of every run, rows first; the answer must have as many runs as the clues."""
    starts: list[int] = []
    for _, clues, cells in _lines(puzzle):
        for clue, line in zip(clues, answer.ravel()[cells], strict=True):
            if clue_of(line.tolist(), puzzle.signs) != clue:
                raise InputError("the answer breaks a clue, so it is no assignment of starts")
            starts += np.flatnonzero((np.diff(line, prepend=0) != 0) & (line != 0)).tolist()
    return starts


def _write_lines(signs: str, answer: IntArray) -> list[str]:
    return [*shading_to_rows(answer, signs), *shading_to_rows(answer.T, signs)]


Nonogram.formulations = {
    "window": partial(_model_by_numbers, window=True),
    "numbering": partial(_model_by_numbers, window=False),
    "pattern": _model_by_patterns,
}
Nonogram.stated = _stated  # type: ignore[assignment, method-assign]
Nonogram.links = LINKS
Nonogram.generator = "qubopuzzle.puzzles.nonogram.generator:NonogramGenerator"
