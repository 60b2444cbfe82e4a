"""Nonogram (picross): paint cells so that every line's runs of black are its clue.

Three formulations of the same rules, from one piece of code (families in brackets):

- ``numbering``: number k of a line stands on the first cell of its k-th run, the
  formulation of Fixstars' picross tutorial. Each number is written once [once], at most
  one on a cell [cell], number k+1 at least ``h_k + 1`` further on than number k [order],
  and the pictures painted from the rows and from the columns agree on every cell [field].
- ``window`` (default): the same, but number k only stands where the runs before and
  after it still fit: ``s_k <= j <= s_k + S`` with ``s_k = sum of (h_t + 1) over t < k``
  and the line's slack ``S = length - sum(h) - (n - 1)``. [cell] follows from [order].
- ``pattern``: one choice a line over all its legal paintings [line], and [field].

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate, combinations
from math import comb
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.nonogram.links import LINKS
from qubopuzzle.puzzles.nonogram.rules import Clue, Nonogram
from qubopuzzle.puzzles.vocabulary.grids import runs, shading_to_rows

__all__ = ["Nonogram"]

TERM_LIMIT = 20_000_000
"""Most cells painted by all values of all choices together: a model of about 1 GB."""


def _model_by_numbers(puzzle: Nonogram, *, window: bool) -> Model:
    builder = ModelBuilder()
    terms = sum(
        len(starts) * h
        for _, clues, cells in _lines(puzzle)
        for clue in clues
        for starts, h in zip(_starts(clue, cells.shape[1], window), clue, strict=True)
    )
    if terms > TERM_LIMIT:
        raise TooLarge(f"the model would have {terms:,} terms, more than {TERM_LIMIT:,}")
    painted = [_number_lines(builder, *lines, window) for lines in _lines(puzzle)]
    return _finish(builder, puzzle, painted, partial(_write_starts, puzzle))


def _lines(puzzle: Nonogram) -> Iterator[tuple[str, tuple[Clue, ...], IntArray]]:
    """Rows and columns: their name, their clues and their cells by number, (lines, length)."""
    cells = np.arange(puzzle.cells).reshape(puzzle.shape)
    yield "row", puzzle.rows, cells
    yield "col", puzzle.cols, cells.T


def _starts(clue: Clue, length: int, window: bool) -> list[range]:
    """Where each number of a line may stand."""
    if window:
        slack = length - sum(clue) - (len(clue) - 1)
        before = accumulate((h + 1 for h in clue[:-1]), initial=0)
        return [range(s, s + slack + 1) for s in before if clue]
    last = len(clue) - 1
    return [range(length - h + 1 if k == last else length) for k, h in enumerate(clue)]


def _number_lines(
    builder: ModelBuilder, axis: str, clues: tuple[Clue, ...], cells: IntArray, window: bool
) -> IntArray:
    """Number all rows, or all columns: choices, [cell], [order].

    Returns literals, and for each a cell that it paints, shape (2, terms).
    """
    length = cells.shape[1]
    numbers = [
        (choice.number, choice.first, i, starts.start, len(starts), h)
        for i, clue in enumerate(clues)
        for k, (starts, h) in enumerate(zip(_starts(clue, length, window), clue, strict=True))
        for choice in [builder.choice(f"{axis}[{i}].start[{k}]", starts)]
    ]
    choices, literals, on, first, size, run = np.array(numbers, np.int64).reshape(-1, 6).T
    line, height, place = np.repeat(on, size), np.repeat(run, size), _ramp(size)
    start = np.repeat(first, size) + place
    literal = np.repeat(literals, size) + place
    if not window:
        builder.linear("cell", line * length + start, literal, upper=1, shape=cells.shape)
    (before,) = np.nonzero(on[1:] == on[:-1])
    builder.precedence("order", choices[before], choices[before + 1], run[before] + 1)
    # A run that starts on cell j paints j .. j + h - 1, as far as there are cells.
    along = np.repeat(start, height) + _ramp(height)
    inside = along < length
    literal, line = np.repeat(literal, height), np.repeat(line, height)
    return np.stack([literal[inside], cells[line[inside], along[inside]]])


def _ramp(counts: IntArray) -> IntArray:
    """0 .. count - 1 for each count, one after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _model_by_patterns(puzzle: Nonogram) -> Model:
    terms = 0
    for axis, clues, cells in _lines(puzzle):
        length = cells.shape[1]
        for i, clue in enumerate(clues):
            count = comb(length - sum(clue) + 1, len(clue))
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
            paintings = _paintings(clue, cells.shape[1])
            values = shading_to_rows(paintings)
            first = builder.choice(f"{axis}[{i}]", values, family="line").first
            which, along = np.nonzero(paintings)
            parts.append(np.stack([first + which, cells[i, along]]))
        painted.append(np.concatenate(parts, axis=1))
    return _finish(builder, puzzle, painted, _write_lines)


def _paintings(clue: Clue, length: int) -> IntArray:
    """All legal paintings of a line, shape (paintings, length), runs leftmost first."""
    n, places = len(clue), length - sum(clue) + 1
    # Shrink every run and the gap after it to one place; pick where the runs are. A black cell
    # then stands as much further on as there are black ones before it.
    picks = np.array(list(combinations(range(places), n)), dtype=np.int64)
    black = np.repeat(picks.reshape(comb(places, n), n), clue, axis=1) + np.arange(sum(clue))
    painted = np.zeros((len(black), length), dtype=np.int64)
    np.put_along_axis(painted, black, 1, axis=1)
    return painted


def _finish(builder: ModelBuilder, puzzle: Nonogram, painted: list[IntArray], write: Any) -> Model:
    """Tie the two pictures together and say how they are read."""
    literals, cells = np.concatenate(painted, axis=1)
    sign = np.repeat([1, -1], [part.shape[1] for part in painted])
    builder.linear("field", cells, literals, sign, lower=0, upper=0, shape=puzzle.shape)
    views = tuple(
        builder.view(name, cell, literal, n_cells=puzzle.cells)
        for name, (literal, cell) in zip(("rows", "columns"), painted, strict=True)
    )
    return builder.build(Field(puzzle.shape, 0, 1, views, write))


def _write_starts(puzzle: Nonogram, answer: IntArray) -> list[int]:
    """The start of every run, rows first; the answer must have as many runs as the clues."""
    starts: list[int] = []
    for _, clues, cells in _lines(puzzle):
        for clue, line in zip(clues, answer.ravel()[cells], strict=True):
            if tuple(runs(line.tolist())) != clue:
                raise InputError("the answer breaks a clue, so it is no assignment of starts")
            starts += np.flatnonzero(np.diff(np.append(0, line)) == 1).tolist()
    return starts


def _write_lines(answer: IntArray) -> list[str]:
    return [*shading_to_rows(answer), *shading_to_rows(answer.T)]


Nonogram.formulations = {
    "window": partial(_model_by_numbers, window=True),
    "numbering": partial(_model_by_numbers, window=False),
    "pattern": _model_by_patterns,
}
Nonogram.links = LINKS
Nonogram.generator = "qubopuzzle.puzzles.nonogram.generator:NonogramGenerator"
