"""Sudoku as models: one family of sums as choices, the others as constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.sudoku.rules import Sudoku, units_of


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Rules of one family: the literals i with ``of[i] = k`` come to ``amount[k]``.

    ``of`` has shape (literals,), ``amount`` (sums,), with the givens taken off.
    """

    family: str
    of: IntArray
    amount: IntArray
    label: Callable[[int], str]

    def constrain(self, builder: ModelBuilder, *, chosen: bool) -> None:
        """Add them as constraints, if ``chosen`` only those without literals; never 0 = 0."""
        literals = np.bincount(self.of, minlength=len(self.amount))
        kept = (literals == 0) & (self.amount != 0)
        if not chosen:
            kept |= literals > 0
        rows = np.flatnonzero(kept)
        (literal,) = np.nonzero(kept[self.of])
        builder.linear(
            self.family,
            np.searchsorted(rows, self.of[literal]),
            literal,
            lower=self.amount[rows],
            upper=self.amount[rows],
            shape=(len(rows),),
            labels=lambda row: self.label(int(rows[row])),
        )


def _model(puzzle: Sudoku, *, by: str, every_digit: bool = False) -> Model:
    """The rules of family ``by`` are the choices, the others constraints."""
    n = len(puzzle.grid)
    given = np.array(puzzle.grid).ravel()
    units = units_of(puzzle)
    if 1 in puzzle.box:
        del units["box"]
        by = "row" if by == "box" else by
    taken = {family: np.zeros((n, n), dtype=np.int64) for family in units}
    allowed = np.repeat(given[:, None] == 0, n, axis=1)
    for family, unit in units.items():
        np.add.at(taken[family], (unit[given > 0], given[given > 0] - 1), 1)
        allowed &= (taken[family][unit] == 0) | every_digit
    cell, digit = np.nonzero(allowed)
    order = np.lexsort([cell, cell if by == "cell" else units[by][cell] * n + digit])
    cell, digit = cell[order], digit[order]
    rules = [_Sums("cell", cell, (given == 0).astype(np.int64), partial(_cell_label, n))]
    for family, unit in units.items():
        amount, label = 1 - taken[family].ravel(), partial(_unit_label, family, n)
        rules.append(_Sums(family, unit[cell] * n + digit, amount, label))
    return _build(puzzle.shape, given, rules, by, cell, digit)


def _build(
    shape: tuple[int, int],
    given: IntArray,
    rules: list[_Sums],
    by: str,
    cell: IntArray,
    digit: IntArray,
) -> Model:
    """The model over literals "this cell holds this digit", in the order of their choices."""
    builder = ModelBuilder()
    (chosen,) = (rule for rule in rules if rule.family == by)
    if by == "cell":
        values: list[Any] = (digit + 1).tolist()
    else:
        values = [divmod(c, shape[1]) for c in cell.tolist()]
    own, first = np.unique(chosen.of, return_index=True)
    ends = np.append(first, len(values))[1:]
    for number, start, stop in zip(own, first, ends, strict=True):
        builder.choice(chosen.label(int(number)), values[start:stop], family=by)
    for rule in rules:
        rule.constrain(builder, chosen=rule is chosen)
    reading = builder.reading(
        "cells", cell, np.arange(len(cell)), digit + 1, base=given, n_cells=len(given)
    )

    def write(answer: IntArray) -> list[Any]:
        """Of each choice the one value that the answer makes true."""
        digits = np.asarray(answer).ravel()
        true = np.flatnonzero(digits[cell] == digit + 1)
        kept = (digits == given) | (given == 0)
        if not (kept.all() and np.array_equal(chosen.of[true], own)):
            raise InputError("the answer breaks a rule or a given, so it is no assignment")
        return [values[i] for i in true]

    return builder.build(Field(shape, 1, shape[0], (reading,), write))


def _cell_label(n: int, number: int) -> str:
    return f"cell[{number // n},{number % n}]"


def _unit_label(family: str, n: int, number: int) -> str:
    return f"{family}[{number // n}] digit {number % n + 1}"


FORMULATIONS = {
    "places": partial(_model, by="box"),
    "candidates": partial(_model, by="cell"),
    "full": partial(_model, by="cell", every_digit=True),
}
