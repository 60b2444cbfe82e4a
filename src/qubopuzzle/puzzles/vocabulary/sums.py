"""Different values that add up to a number: which set of values it is, and where each stands."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations
from math import comb, log

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import TRUE, IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import Cells, Write
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, cells_of
from qubopuzzle.puzzles.vocabulary.rules import Different, Rule

Rng = np.random.Generator
_NONE = np.zeros(0, dtype=np.int64)
SET_LIMIT = 20_000
"""Most sets of so many values that are looked through for a sum."""


@cache
def sets_of(values: tuple[int, ...], size: int, total: int) -> list[tuple[int, ...]]:
    """The sets of so many of some values that add up to a number.

    >>> sets_of(tuple(range(1, 10)), 2, 16)
    [(7, 9)]
    """
    if comb(len(values), size) > SET_LIMIT:
        raise TooLarge(f"{size} of {len(values)} values: over {SET_LIMIT:,} sets")
    return [one for one in combinations(values, size) if sum(one) == total]


@dataclass(frozen=True, eq=False)
class Sums(Rule):
    """Each group has different ones of some values, which add up to its total; None for any.

    ``names`` are the groups in messages. In the model a row a group and value, and one for the sum;
    with ``by_sets`` a group has a choice over its sets of values that add up instead, and a value
    stands in one of its cells if the set has it: sums without coefficients.
    """

    family: str
    groups: Sequence[IntArray]
    totals: Sequence[int | None]
    values: Sequence[int]
    names: Sequence[str]

    def sets(self, i: int) -> list[tuple[int, ...]]:
        """The sets of values that a group with a total may have."""
        return sets_of((*self.values,), len(self.groups[i]), self.totals[i] or 0)

    @property
    def _known(self) -> list[int]:
        """The groups with a total."""
        return [i for i, total in enumerate(self.totals) if total is not None]

    @property
    def contradiction(self) -> str | None:
        """Why a group by itself cannot be filled, if one cannot."""
        for i, (group, name) in enumerate(zip(self.groups, self.names, strict=True)):
            if len(group) > len(self.values):
                return f"{name} has {len(group)} cells, and there are {len(self.values)} values"
            if self.totals[i] is not None and not self.sets(i):
                return f"{name} has {len(group)} cells, which cannot add up to {self.totals[i]}"
        return None

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Only values of a set, in each cell of a group."""
        cells = allowed.reshape(-1, len(values))
        for group in self.groups:
            cells[group] &= np.isin(values, self.values)
        for i in self._known:
            cells[self.groups[i]] &= np.isin(values, [*chain(*self.sets(i))])

    def constrain(self, cells: Cells) -> Write | None:
        """Values differ, and add up; or a choice over sets, and a row a value of each."""
        if cells.by_sets:
            return self._by_sets(cells)
        Different(self.family, self.groups, self.values).constrain(cells)
        totals = np.array([self.totals[i] for i in self._known], dtype=np.int64)
        groups, worth = [self.groups[i] for i in self._known], {v: v for v in self.values}
        cells.rows(self.family, groups, worth, low=totals, high=totals)
        return None

    def _by_sets(self, cells: Cells) -> Write:
        any_sum = [g for g, total in zip(self.groups, self.totals, strict=True) if total is None]
        Different(self.family, any_sum, self.values).constrain(cells)
        places, count = [cells.values.index(value) for value in self.values], 0
        parts: list[tuple[IntArray, IntArray, IntArray]] = []
        for i in self._known:
            sets, held = self.sets(i), cells.literals[self.groups[i]][:, places]
            chosen = np.array([TRUE])
            if len(sets) > 1:
                name = f"{self.family}[{i}]"
                chosen = np.array(cells.builder.choice(name, sets, self.family).literals)
            one, place = np.nonzero([np.isin(self.values, each) for each in sets or [()]])
            sign = np.repeat([1, -1], [held.size, len(one)])
            row = np.append(np.tile(np.arange(len(places)), len(held)), place)
            parts.append((np.append(held, chosen[one]), sign, count + row))
            count += len(places)
        literals, signs, rows = map(np.concatenate, zip((_NONE, _NONE, _NONE), *parts, strict=True))
        add = cells.builder.rows(self.family).add
        add(literals, signs, rows=rows, count=count, lower=0, upper=0)
        return self._written

    def _written(self, answer: IntArray) -> list[Hashable]:
        if next(self.broken(answer), None) is not None:
            raise InputError(f"the answer breaks the rule {self.family}")
        flat = np.asarray(answer).ravel()
        several = [self.groups[i] for i in self._known if len(self.sets(i)) > 1]
        return [tuple(sorted(flat[group].tolist())) for group in several]

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Groups with a value twice, with another one, or that add up to something else."""
        flat = np.asarray(answer).ravel()
        yield from Different(self.family, self.groups, self.values, self.names).broken(answer)
        for group, total, name in zip(self.groups, self.totals, self.names, strict=True):
            held, where = flat[group].tolist(), cells_of(group, answer.shape[1])
            if others := sorted({*held}.difference(self.values)):
                yield Violation(self.family, f"{name} has {others[0]}", where)
            elif total is not None and sum(held) != total:
                yield Violation(self.family, f"{name} adds up to {sum(held)}, not {total}", where)


# --- boards that are drawn -----------------------------------------------------------------


def refilled(sums: Sequence[Sums], mine: IntArray, theirs: IntArray, rng: Rng) -> IntArray | None:
    """A solution with other values, one a group at most, where another one differs; or None.

    Values by which sums have few sets, and rather none that the other solution could follow.
    """
    flat, other = mine.ravel().copy(), np.asarray(theirs).ravel()
    every, changes = {*sums[0].values}, []
    for cell in np.flatnonzero(flat != other).tolist():
        groups = [group for rule in sums for group in rule.groups if cell in group]
        around = np.unique(np.concatenate(groups))
        taken = {*other[around].tolist()}
        for value in sorted(every.difference(flat[around].tolist())):
            step = value - int(flat[cell])
            looser = sum(
                _n_sets(sums[0], flat[g], step) - _n_sets(sums[0], flat[g], 0) for g in groups
            )
            follows = int(other[cell]) + step in every - taken
            changes.append((looser + 2 * follows + 0.5 * rng.exponential(), cell, value, around))
    changed: list[int] = []
    for cost, cell, value, around in sorted(changes, key=lambda change: change[0]):
        if not changed or (cost < 0 and not np.isin(changed, around).any()):
            changed.append(cell)
            flat[cell] = value
    return flat.reshape(mine.shape) if changed else None


def _n_sets(rule: Sums, held: IntArray, step: int) -> float:
    """The logarithm of how many sets add up to the sum of some values, and a step more."""
    return log(len(sets_of((*rule.values,), len(held), int(held.sum()) + step)))
