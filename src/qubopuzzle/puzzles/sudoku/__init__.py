"""Sudoku: every row, column and box of an n x n grid holds the digits 1 to n once each.

Boxes have ``b_r`` rows and ``b_c`` columns, ``b_r b_c = n``. With ``x_{c,v}`` for "empty cell
c holds digit v", there are four families of sums:

    [cell]                  sum over v of x_{c,v}                       =  1
    [row] [column] [box]    sum over the empty cells c of a unit U of x_{c,v}
                                                          =  1 - (givens v in U)

One family are the choices, exact in every encoding; the others are constraints.

- ``places`` (default): [box], where in its box does a digit stand, ``x_{c,v}`` only where no
  given in the units of c excludes v. An annealer's moves keep every box complete.
- ``candidates``: [cell], which of its candidates does a cell hold, with the same ``x_{c,v}``.
- ``full``: [cell] over all n digits, the form of the textbooks of integer programming; sums
  of a digit that is given are 0.

Givens are substituted in all, never penalised. Where they contradict each other, a sum of no
literals would have to be 1, or a sum -1: the puzzle has a model, but no solution.

Boxes of a single row or column say what [row] or [column] says; there is no [box] then, and
``places`` asks where in its row a digit stands.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from functools import partial
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import FALSE, TRUE, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.sudoku.links import LINKS
from qubopuzzle.puzzles.sudoku.rules import Sudoku, units_of

__all__ = ["Sudoku"]


def _model(puzzle: Sudoku, *, by: str, every_digit: bool = False) -> Model:
    """The sums of family ``by`` are the choices, the others constraints.

    Place ``c n + d`` says that cell c holds digit d + 1.
    """
    n = len(puzzle.grid)
    given = np.array(puzzle.grid).ravel()
    sums = _sums(puzzle)
    by = by if by in sums else "row"
    true = np.arange(n**3) % n + 1 == np.repeat(given, n)
    possible = np.repeat(given == 0, n)
    for places in () if every_digit else sums.values():
        possible[places[true[places].any(axis=1)]] = False
    builder = ModelBuilder()
    literal = np.where(true, TRUE, FALSE)
    for k, places in enumerate(sums[by]):
        open_places = places[possible[places]]
        if len(open_places):
            choice = builder.choice(_label(by, n, k), _values(by, n, open_places), family=by)
            literal[open_places] = choice.literals
    for family, places in sums.items():
        groups, numbers = literal[places], np.arange(n * n)
        if family == by:  # but for what is left without a literal, the choices say it
            numbers = np.flatnonzero((groups < 0).all(axis=1))
        labels = [_label(family, n, k) for k in numbers.tolist()]
        builder.exactly_one(family, groups[numbers], labels)
    cell, digit = np.divmod(np.arange(n**3), n)
    view = builder.view("cells", cell, literal, digit + 1, n_cells=n * n)
    write = partial(_write, by, literal, sums[by])
    return builder.build(Field(puzzle.shape, 1, n, (view,), write))


def _sums(puzzle: Sudoku) -> dict[str, IntArray]:
    """By family, the places of which exactly one is true, shape (n * n, n)."""
    n = len(puzzle.grid)
    sums = {"cell": np.arange(n**3).reshape(n * n, n)}
    for family, unit in units_of(puzzle).items():
        if family != "box" or 1 not in puzzle.box:
            cells = np.argsort(unit, kind="stable").reshape(n, 1, n)
            sums[family] = (cells * n + np.arange(n)[:, None]).reshape(n * n, n)
    return sums


def _values(by: str, n: int, places: IntArray) -> list[Any]:
    """A digit for a cell, or the row and column for a digit."""
    if by == "cell":
        return (places % n + 1).tolist()  # type: ignore[no-any-return]
    return [divmod(cell, n) for cell in (places // n).tolist()]


def _label(family: str, n: int, k: int) -> str:
    first, second = divmod(k, n)
    if family == "cell":
        return f"cell[{first},{second}]"
    return f"{family}[{first}] digit {second + 1}"


def _write(by: str, literal: IntArray, sums: IntArray, answer: IntArray) -> list[Any]:
    """Of each choice the one value that the answer makes true."""
    digits = np.asarray(answer).ravel()
    n = sums.shape[1]
    places = np.arange(n * n) * n + digits - 1
    if (literal[places] == FALSE).any() or (np.isin(sums, places).sum(axis=1) != 1).any():
        raise InputError("the answer breaks a rule or a given, so it is no assignment")
    free = places[literal[places] >= 0]
    return _values(by, n, free[np.argsort(literal[free])])


Sudoku.formulations = {
    "places": partial(_model, by="box"),
    "candidates": partial(_model, by="cell"),
    "full": partial(_model, by="cell", every_digit=True),
}
Sudoku.links = LINKS
Sudoku.generator = "qubopuzzle.puzzles.sudoku.generator:SudokuGenerator"
