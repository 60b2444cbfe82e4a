"""Easy as ABC: each of the letters A, B, ... once in every row and column, the rest blank.

A letter outside an edge is the first one seen from there. On an n x n grid with m letters a
cell is one choice over {blank, 1 .. m} [cell], ``x_{c,v}`` for "cell c holds v", and each
line holds each letter once [row] [column]: sum of ``x_{c,v}`` over the line = 1. Two
formulations of the clues; cell t of a clue's line is the t-th from its edge, k its letter:

- ``forbidden`` (default): another letter stands on cell t only if k stands before it, so
  "another at t" and "k at t or later" exclude each other [seen]:
  sum over v != blank, k of ``x_{t,v}`` + sum over s >= t of ``x_{s,k}`` <= 1.
- ``positions``: one choice a clue, p, over the cells 0 .. n - m on which the letter seen
  may stand [clue]. It stands where p says, ``x_{p,k} = 1`` [seen], and what is before it is
  blank [blank]: ``[p = t] <= x_{t,k}`` and ``[p > t] <= x_{t,blank}`` for each t.

Givens are substituted. A value that a given or a single clue excludes is no value of its
cell: a letter given in the same line, another letter than k on cell 0, k where fewer than
m - 1 cells follow, and blanks if m = n. A choice that would be left without values keeps all,
and each of them breaks a row: such a puzzle has a model without solutions.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import FALSE, TRUE, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.easyasabc.links import LINKS
from qubopuzzle.puzzles.easyasabc.rules import EasyAsABC, clues_of, letter_of
from qubopuzzle.puzzles.vocabulary.grids import BoolArray

__all__ = ["EasyAsABC"]

Places: TypeAlias = list[tuple[IntArray, list[int]]]
"""Of clues with a choice: their line, and the cells of it where their letter may stand."""


def _allowed(puzzle: EasyAsABC) -> BoolArray:
    """What a given or a single clue leaves to each cell, (cells, values); all if nothing."""
    n, m = puzzle.size, puzzle.letters
    allowed = np.ones((n * n, m + 1), dtype=bool)
    allowed[:, 0] = m < n
    for (r, c), letter in np.ndenumerate(np.array(puzzle.grid)):
        if letter:
            allowed.reshape(n, n, -1)[r, :, letter] = False
            allowed.reshape(n, n, -1)[:, c, letter] = False
    for _, letter, line in clues_of(puzzle):
        allowed[line[0], [v for v in range(1, m + 1) if v != letter]] = False
        allowed[line[n - m + 1 :], letter] = False
    allowed[~allowed.any(axis=1)] = True  # each value breaks a row: see above
    return allowed


def _board(puzzle: EasyAsABC, builder: ModelBuilder) -> IntArray:
    """The literals of the cells' values, (cells, letters + 1); each letter once in every line."""
    n, given = puzzle.size, np.array(puzzle.grid).ravel()
    x = np.where(np.arange(puzzle.letters + 1) == given[:, None], TRUE, FALSE)
    allowed = _allowed(puzzle)
    for cell in np.flatnonzero(given == 0).tolist():
        name, (values,) = f"cell[{cell // n},{cell % n}]", np.nonzero(allowed[cell])
        x[cell] = FALSE
        x[cell, values] = builder.choice(name, values, family="cell").literals
    cells, letters = np.arange(n * n).reshape(n, n), range(1, puzzle.letters + 1)
    for family, lines in (("row", cells), ("column", cells.T)):
        labels = [f"{family}[{i}] {letter_of(v)}" for i in range(n) for v in letters]
        builder.exactly_one(family, x[lines][..., 1:].swapaxes(1, 2).reshape(-1, n), labels)
    return x


def _forbid_others(puzzle: EasyAsABC, builder: ModelBuilder, x: IntArray) -> Places:
    for clue, letter, line in clues_of(puzzle):
        for t, cell in enumerate(line):
            others, later = np.delete(x[cell], [0, letter]), x[line[t:], letter]
            if (others != FALSE).any() and (later[1:] != FALSE).any():
                row = np.append(others, later)
                builder.rows("seen").add(row, lower=0, upper=1, labels=f"{clue} cell {t}")
    return []


def _choose_positions(puzzle: EasyAsABC, builder: ModelBuilder, x: IntArray) -> Places:
    places = []
    for clue, letter, line in clues_of(puzzle):
        # It is seen at the first given letter or before it, or else before too few cells are left.
        last = puzzle.size - puzzle.letters
        end = int(np.argmax([*(x[line[:last], 1:] == TRUE).any(axis=1), True]))
        place = np.flatnonzero(x[line[: end + 1], letter] != FALSE).tolist() or [end]
        first = builder.choice(clue, place, family="clue").first + np.arange(len(place))
        for t, cell in enumerate(line[: place[-1] + 1]):
            for family, value, literals in (
                ("seen", letter, first[np.equal(place, t)]),
                ("blank", 0, first[np.greater(place, t)]),
            ):
                if len(literals):
                    row, signs = np.append(x[cell, value], literals), [1, *[-1] * len(literals)]
                    label = f"{clue} cell {t}"
                    builder.rows(family).add(row, signs, lower=0, upper=1, labels=label)
        places.append((line, place))
    return places


def _model(puzzle: EasyAsABC, *, add_clues: Callable[..., Places]) -> Model:
    builder = ModelBuilder()
    x = _board(puzzle, builder)
    places = add_clues(puzzle, builder, x)
    cell, value = np.indices(x.shape).reshape(2, -1)
    view = builder.view("cells", cell, x.ravel(), value, n_cells=len(x))
    write = partial(_write, x, places)
    return builder.build(Field(puzzle.shape, 0, puzzle.letters, (view,), write))


def _write(x: IntArray, places: Places, answer: IntArray) -> list[int]:
    """The values of the cells that are not given, then what each clue sees first."""
    values = np.asarray(answer).ravel()
    literals = x[np.arange(len(x)), values]
    if (literals == FALSE).any():
        cell = int(np.argmax(literals == FALSE))
        where = "row[{}] column[{}]".format(*divmod(cell, len(answer)))
        raise InputError(f"{where} is {letter_of(values[cell])}, which a given or a clue excludes")
    seen = [int(np.argmax(values[line] > 0)) for line, _ in places]
    if any(first not in place for first, (_, place) in zip(seen, places, strict=True)):
        raise InputError("a clue sees its letter where it cannot stand")
    return [*values[literals != TRUE].tolist(), *seen]


EasyAsABC.formulations = {
    "forbidden": partial(_model, add_clues=_forbid_others),
    "positions": partial(_model, add_clues=_choose_positions),
}
EasyAsABC.links = LINKS
EasyAsABC.generator = "qubopuzzle.puzzles.easyasabc.generator:EasyAsABCGenerator"
