"""What a model means: the reference that compilers are tested against and answers judged by."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.data import IntArray, Linear, Model, Precedence


@dataclass(frozen=True, slots=True)
class BrokenConstraint:
    """A constraint that an assignment breaks: its family, its label, and what it costs."""

    family: str
    label: str
    energy: int


def violation(model: Model, x: NDArray[Any]) -> int:
    """How badly an assignment breaks the model; 0 exactly when everything holds.

    Args:
        x: 0/1 literal values, shape (literals,), not necessarily one value a choice.

    A choice with n values taken costs (n - 1)**2, an equality missed by d costs d**2, a range
    missed by d costs d * (d + 1) / 2, both with a d of 2**22 at most, a precedence costs 1
    for every pair of taken values that stand too close, connectivity 1 for every component
    but one, a graph without cycles 1 for every edge that closes one; any broken constraint
    costs at least 1. With valid choices a QUBO with all weights 1 is 0 for the same
    assignments; where all ranges are at most 1 wide, as in the nonogram, the one-hot QUBO has
    just this energy, for any bits.
    """
    return sum(constraint.energy for constraint in broken(model, x))


def violations(model: Model, x: NDArray[Any]) -> dict[str, int]:
    """The same by family; families that hold are listed with 0."""
    total = dict.fromkeys(model.families, 0)
    for constraint in broken(model, x):
        total[constraint.family] += constraint.energy
    return total


def violations_of(model: Model, x: NDArray[Any]) -> dict[str, IntArray]:
    """``violations`` of many assignments at once, (n, literals): by family, shape (n,) each."""
    values = np.clip(np.asarray(x, dtype=np.int64), 0, 1)
    total = {family: np.zeros(len(values), dtype=np.int64) for family in model.families}
    starts = model.first_literal[:-1]
    taken = np.add.reduceat(values, starts, axis=1) if len(starts) else values[:, :0]
    for family, choices in model.choices_by_family.items():
        total[family] += ((taken[:, choices] - 1) ** 2).sum(axis=1)
    for block in model.linear:
        total[block.family] += block.cost(values.T).sum(axis=0)
    one_each = bool((taken == 1).all())
    for precedence in model.precedence:
        if one_each:
            number = np.add.reduceat(values * model.number_of_literal, starts, axis=1)
            short = number[:, precedence.second] < number[:, precedence.first] + precedence.gap
            total[precedence.family] += short.sum(axis=1)
        else:
            costs = [
                sum(b.energy for b in _precedence(model, precedence, sample)) for sample in values
            ]
            total[precedence.family] += np.array(costs, dtype=np.int64)
    for graph in model.connected:
        n_components = [int(graph.components(sample).max(initial=-1)) + 1 for sample in values]
        total[graph.family] += np.maximum(np.array(n_components, dtype=np.int64) - 1, 0)
    for acyclic in model.acyclic:
        total[acyclic.family] += np.array(
            [len(acyclic.cycles(sample)) for sample in values], np.int64
        )
    return total


def broken(model: Model, x: NDArray[Any]) -> list[BrokenConstraint]:
    """The constraints that an assignment breaks; ``x`` as for ``violation``.

    A broken domain wall decodes to literals of -1, too; they count as 0, so that the choice
    takes several values.
    """
    values = np.clip(np.asarray(x, dtype=np.int64), 0, 1)
    result = [*_choices(model, values)]
    for linear in model.linear:
        result += _linear(linear, values)
    for precedence in model.precedence:
        result += _precedence(model, precedence, values)
    for graph in model.connected:
        n_components = int(graph.components(values).max(initial=-1)) + 1
        if n_components > 1:
            result.append(
                BrokenConstraint(graph.family, f"{n_components} components", n_components - 1)
            )
    for acyclic in model.acyclic:
        cycles = len(acyclic.cycles(values))
        if cycles:
            result.append(BrokenConstraint(acyclic.family, f"{cycles} cycles", cycles))
    return result


def _choices(model: Model, x: IntArray) -> Iterator[BrokenConstraint]:
    taken = np.bincount(model.choice_of_literal, weights=x, minlength=len(model.choices))
    for c in np.flatnonzero(taken != 1).tolist():
        n, choice = int(taken[c]), model.choices[c]
        yield BrokenConstraint(choice.family, f"{choice.name} takes {n} values", (n - 1) ** 2)


def _linear(block: Linear, x: IntArray) -> Iterator[BrokenConstraint]:
    cost = block.cost(x)
    for row in np.flatnonzero(cost).tolist():
        yield BrokenConstraint(block.family, block.labels(row), int(cost[row]))


def _precedence(model: Model, block: Precedence, x: IntArray) -> Iterator[BrokenConstraint]:
    ends = np.unique(np.concatenate([block.first, block.second])).tolist()
    taken = np.split(x > 0, model.first_literal[1:-1])
    values = {c: model.numbers(c)[taken[c]] for c in ends}
    for first, second, gap in zip(
        block.first.tolist(), block.second.tolist(), block.gap.tolist(), strict=True
    ):
        cost = int((values[second] < values[first][:, None] + gap).sum())
        if cost:
            names = model.choices[first].name, model.choices[second].name
            yield BrokenConstraint(block.family, f"{names[0]} before {names[1]}", cost)


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong with an answer.

    Attributes:
        rule: a rule of the puzzle, or the family of a model's constraint.
        message: what is wrong, in one line.
        cells: where, as (row, column); none for a model.
    """

    rule: str
    message: str
    cells: tuple[tuple[int, ...], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "cells": [list(cell) for cell in self.cells]}


def disagreement(cells: IntArray) -> list[Violation]:
    """The violation for cells (n, axes) that the views of a field paint differently, if any."""
    where = tuple(tuple(cell) for cell in cells.tolist())
    message = f"the views of the field disagree on {len(where)} cells"
    return [Violation("reconstruction", message, where)] if where else []
