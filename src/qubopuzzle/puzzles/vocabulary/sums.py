"""Different values that add up to a number: which set of values it is, and where each stands."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import chain, combinations
from math import comb, log
from typing import Any

import numpy as np

from qubopuzzle.base.places import listed
from qubopuzzle.model import FALSE, TRUE, IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Tags, Write
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, CanArray, cells_of
from qubopuzzle.puzzles.vocabulary.rules import Different, Rule, known_values, name_of, place_of
from qubopuzzle.puzzles.vocabulary.words import adds_up

Rng = np.random.Generator
Sets = list[tuple[int, ...]]
_NONE = np.zeros(0, dtype=np.int64)
SET_LIMIT = 3_000
"""Most sets of so many values, whatever their sum, that are a choice."""
_NAMED = 4
"""Sets of values of open cells that are named, and open cells."""


@cache
def sets_of(values: tuple[int, ...], size: int, total: int) -> Sets:
    """The sets of so many of some values that add up to a number.

    >>> sets_of(tuple(range(1, 10)), 2, 16)
    [(7, 9)]
    """
    return [one for one in combinations(values, size) if sum(one) == total]


@dataclass(frozen=True, eq=False)
class DifferentSum(Rule):
    """Each group has different ones of some values, which add up to its total; None for any.

    In the model a group has a choice over its sets of values that add up, and a value stands in one
    of its cells if the set has it: sums without coefficients. Where there are too many sets, or
    with ``by_sets=False``, the rows of ``Different``, and one for the sum.
    ``names`` are the groups in messages; ``tags``: the clue that each group comes from. Without
    tags, totals are clues of groups that have different values anyway.
    """

    family: str
    groups: Sequence[IntArray]
    totals: Sequence[int | None]
    values: Sequence[int]
    names: Sequence[str] = ()
    tags: Tags | None = None

    def sets(self, i: int) -> Sets | None:
        """The sets of values that a group may have; None for any, or too many."""
        total, size = self.totals[i], len(self.groups[i])
        if total is None or comb(len(self.values), size) > SET_LIMIT:
            return None
        return sets_of((*self.values,), size, total)

    @property
    def is_clue(self) -> bool:
        """Whether they are clues."""
        return self.tags is not None

    @property
    def contradiction(self) -> str | None:
        """Why a group by itself cannot be filled, if one cannot."""
        for i, group in enumerate(self.groups):
            if len(group) > len(self.values):
                there = f"there are {len(self.values)} values"
                return f"{name_of(self, i)} has {len(group)} cells, and {there}"
            if self.sets(i) == []:
                what = f"{len(group)} cells, which cannot add up to {self.totals[i]}"
                return f"{name_of(self, i)} has {what}"
        return None

    @cached_property
    def _different(self) -> Different:
        """The rule without sums."""
        names = [name_of(self, i) for i in range(len(self.groups))]
        return Different(self.family, self.groups, self.values, names, "digit", self.tags)

    def _number(self, at: tuple[str, int]) -> int:
        """The number of a group, by its clue."""
        return at[1] if self.tags is None else place_of(self.tags, at)

    def about(self, at: At) -> IntArray:
        """The cells of the group."""
        if isinstance(at, tuple):
            return self.groups[self._number(at)]
        return self._different.about(at)

    def name_at(self, at: At) -> str:
        """The group, or its total where the puzzle has no name for it."""
        if not isinstance(at, tuple):
            return self._different.name_at(at)
        return "" if self.tags else f"the {self.totals[at[1]]} of {name_of(self, at[1])}"

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """What is still to come, or which values are there."""
        if not isinstance(at, tuple):
            return self._different.asks(at, grid, known)
        i = self._number(at)
        values, open_cells = known_values(grid, known, self.groups[i])
        total = adds_up(self.totals[i] or 0, sum(values) if values else None, open_cells)
        twice = next((value for value in values if values.count(value) > 1), None)
        total += self._left(i, values, open_cells) if twice is None else f", and has {twice} twice"
        if self.tags is None:
            return f"{name_of(self, i)} {total}"
        return f"{{}} {total}" if twice is not None else f"{{}} {total}, and has no digit twice"

    def _left(self, i: int, values: Sequence[int], open_cells: int) -> str:
        """Which values can still stand in a group, if there are few sets of them."""
        left = [{*each} - {*values} for each in self.sets(i) or () if {*values} <= {*each}]
        if open_cells < 2 or not left:
            return ""
        if open_cells > _NAMED or len(left) > _NAMED:
            return f", other than {listed(map(str, sorted(values)))}" if values else ""
        return f", by {listed(('+'.join(map(str, sorted(each))) for each in left), 'or')}"

    def fits(self, at: At, can: CanArray, cell: int, left: Collection[int]) -> str:
        """Which sets of values can still stand in the group, or where what a cell loses stands."""
        if not isinstance(at, tuple):
            return ""
        i = self._number(at)
        group, every = self.groups[i].tolist(), can.ravel().tolist()
        what = "{}" if self.tags is not None else name_of(self, i)
        stands = {every[c][0]: c for c in group if c != cell and len(every[c]) == 1}
        if cell in group:
            lost = [value for value in every[cell] if value not in left]
            if lost and all(value in stands for value in lost):
                there = cells_of(np.array([stands[value] for value in lost]), can.shape[1])
                return f"{what} has {listed(map(str, lost))} in {listed(there)}"
        those = [every[one] for one in group]
        fitting = [each for each in self.sets(i) or () if _can_stand(sorted(each), those)]
        if not 0 < len(fitting) <= _NAMED:
            return ""
        sets = listed(("+".join(map(str, sorted(each))) for each in fitting), "or")
        fit = "fit" if fitting[1:] else "fits"
        sentence = f"{what} adds up to {self.totals[i]}, and only {sets} {fit} what is left"
        lost = sorted({*every[cell]} - {*left}) if cell in group else []
        lost = [value for value in lost if any(value in each for each in fitting)]
        if not lost:
            return sentence
        if all(value in stands for value in lost):
            elsewhere = "in other cells" if lost[1:] else "in another cell"
            return f"{sentence}, with {listed(map(str, lost))} {elsewhere}"
        others = {value for c in group if c != cell for value in every[c]}
        alone = set.intersection(*map(set, fitting)) - others
        no_order = f"in no order with {listed(map(str, lost), 'or')} there"
        return f"{sentence}, {f'and {min(alone)} only there' if alone else no_order}"

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Only values of a set, in each cell of a group."""
        cells = allowed.reshape(-1, len(values))
        for i, group in enumerate(self.groups):
            sets = self.sets(i)
            cells[group] &= np.isin(values, self.values if sets is None else [*chain(*sets)])

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Only the values that there are; rows say which of them."""
        allowed.reshape(-1, len(values))[np.concatenate(self.groups)] &= np.isin(
            values, self.values
        )

    def constrain(self, cells: Cells) -> Write:
        """A choice over sets and a row a value of each; or values differ, and add up."""
        every = [self.sets(i) if cells.by_sets else None for i in range(len(self.groups))]
        plain = [i for i, sets in enumerate(every) if sets is None]
        chosen = {i: sets for i, sets in enumerate(every) if sets is not None}
        self._differ(cells, [*range(len(every))] if cells.stated else plain)
        self._add_up(cells, [i for i in plain if self.totals[i] is not None])
        if cells.switched and not cells.stated and self.tags is not None:
            for i, sets in chosen.items():
                self._choose_or_none(cells, i, sets, self.tags[i])
            return partial(self._written, [*chosen])
        self._choose(cells, chosen)
        return partial(self._written, [i for i, sets in chosen.items() if len(sets) > 1])

    def _tags_of(self, places: Sequence[int]) -> list[tuple[str, int]] | None:
        return None if self.tags is None else [self.tags[i] for i in places]

    def _differ(self, cells: Cells, places: Sequence[int]) -> None:
        """Rows for values that differ."""
        groups, names = [self.groups[i] for i in places], [name_of(self, i) for i in places]
        tags = self._tags_of(places)
        Different(self.family, groups, self.values, names, tags=tags).constrain(cells)

    def _add_up(self, cells: Cells, places: Sequence[int]) -> None:
        """Rows for sums."""
        total = np.array([self.totals[i] for i in places], dtype=np.int64)
        groups, worth = [self.groups[i] for i in places], {value: value for value in self.values}
        labels = [(self.family, i) for i in places] if cells.stated else None
        how: Any = {"tags": self._tags_of(places), "labels": labels}
        cells.rows(self.family, groups, worth, low=total, high=total, **how)

    def _choose(self, cells: Cells, chosen: Mapping[int, Sets]) -> None:
        """A choice of a set for each group that has several, and a row a group and value.

        The rows are what the totals state.
        """
        places, count = [cells.values.index(value) for value in self.values], 0
        parts = [(_NONE, _NONE, _NONE)]
        for i, sets in chosen.items():
            held, literals = cells.literals[self.groups[i]][:, places], np.array([TRUE])
            if len(sets) > 1:
                made = cells.builder.choice(name_of(self, i), sets, self.family)
                literals = np.array(made.literals)
            one, place = np.nonzero([np.isin(self.values, each) for each in sets or [()]])
            sign = np.repeat([1, -1], [held.size, len(one)])
            row = np.append(np.tile(np.arange(len(places)), len(held)), place)
            parts.append((np.append(held, literals[one]), sign, count + row))
            count += len(places)
        terms, signs, rows = map(np.concatenate, zip(*parts, strict=True))
        at = self._tags_of([*chosen]) or [(self.family, i) for i in chosen]
        labels = cells.places([tag for tag in at for _ in places])
        add = cells.builder.rows(self.family).add
        add(terms, signs, rows=rows, count=count, lower=0, upper=0, labels=labels)

    def _choose_or_none(self, cells: Cells, i: int, sets: Sets, tag: tuple[str, int]) -> None:
        """The same with a switch: a set, or none where the clue is not in force."""
        group, values = self.groups[i], [*sets, None]
        literals = np.array(cells.builder.choice(name_of(self, i), values, self.family).literals)
        having = [[value in each for each in sets] for value in cells.values]
        rows = np.hstack([cells.literals[group].T, np.where(having, literals[:-1], FALSE)])
        sign, off = [1] * len(group) + [-1] * len(sets), np.full((len(rows), 1), literals[-1])
        cells.literal_rows(self.family, rows, sign, low=0)
        cells.literal_rows(self.family, np.hstack([rows, off]), [*sign, -len(group)], high=0)
        cells.literal_rows(self.family, literals[-1:][None], high=0, tags=[tag])

    def _written(self, chosen: Sequence[int], answer: IntArray) -> list[Hashable]:
        self.require(answer)
        flat = np.asarray(answer).ravel()
        return [tuple(sorted(flat[self.groups[i]].tolist())) for i in chosen]

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Groups with a value twice, with another one, or that add up to something else."""
        flat, names = np.asarray(answer).ravel(), self._different.names
        yield from self._different.broken(answer)
        for group, total, name in zip(self.groups, self.totals, names, strict=True):
            held = flat[group].tolist()
            if others := sorted({*held}.difference(self.values)):
                message = f"{name} has {others[0]}"
            elif total is not None and sum(held) != total:
                message = f"{name} adds up to {sum(held)}, not {total}"
            else:
                continue
            yield Violation(self.family, message, cells_of(group, answer.shape[1]))


# --- boards that are drawn -----------------------------------------------------------------


def refilled(
    sums: Sequence[DifferentSum], mine: IntArray, theirs: IntArray, rng: Rng
) -> IntArray | None:
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


def _n_sets(rule: DifferentSum, held: IntArray, step: int) -> float:
    """The logarithm of how many sets add up to the sum of some values, and a step more."""
    return log(len(sets_of((*rule.values,), len(held), int(held.sum()) + step)))


def _can_stand(values: Sequence[int], cells: Sequence[Collection[int]]) -> bool:
    """Whether these can stand in some order in cells that can have some values each."""
    if not values:
        return True
    first = min(range(len(cells)), key=lambda k: len({*cells[k]} & {*values}))
    rest = [each for k, each in enumerate(cells) if k != first]
    return any(
        _can_stand([v for v in values if v != value], rest)
        for value in values
        if value in cells[first]
    )
