"""Rules of puzzles, each stated twice: rows for a model, and what is wrong with an answer.

The two are independent of each other but for the cells that they speak of, and enumeration of
small boards holds them against each other. Energy gap: as everywhere, a rule's penalty is 0 where
it holds and at least 1 where not. Cells are row-major numbers; lines, regions, neighbours and
pairs of them come from ``grids``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np
import scipy

from qubopuzzle.base.places import listed
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import FALSE, UNBOUNDED, IntArray
from qubopuzzle.model import Violation as Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Tags, Ways, Write
from qubopuzzle.puzzles.vocabulary.grids import (
    BoolArray,
    CanArray,
    cells_of,
    lines_of,
    repeats,
    windows,
)
from qubopuzzle.puzzles.vocabulary.words import adds_up, bounds, counted, needs

BIT_LIMIT = 500_000
"""Most bits of lines that differ."""
NAMED = 6
"""Open cells of a value that are named; more are counted."""


class Rule(ABC):
    """A rule of a puzzle; ``family`` is its name in models, weights and messages."""

    family: str

    @property
    def is_clue(self) -> bool:
        """Whether ``narrow`` says a clue that may be left out."""
        return False

    @property
    def says(self) -> str:
        """What it asks for, as a whole, in a sentence without a full stop."""
        return f"the rule {self.family}"

    def name_at(self, at: At) -> str:
        """What a place is called; nothing for a clue that the puzzle names.

        Cells and lines are named as in messages, counted from 0: statements count them from 1.
        """
        return self.says if at is None else at if isinstance(at, str) else ""

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:  # noqa: ARG002 - for others
        """What it asks for at one place, in a sentence, where some of an answer is known.

        ``{}`` stands for what the place is called, and cells are named as in messages.

        Args:
            at: a clue, as in ``Tags``, or what a row has for its place; None for the whole rule.
            grid: values, (rows, columns); any where they are not ``known``.
        """
        return self.says

    def why(
        self,
        at: At,  # noqa: ARG002 - for others
        grid: IntArray,  # noqa: ARG002
        known: BoolArray,  # noqa: ARG002
        cell: int | None,  # noqa: ARG002
    ) -> str:
        """Why it gives a cell its value, in words that follow ``asks``; nothing if these will do.

        Args:
            at, grid, known: as in ``asks``.
            cell: its row-major number; ``grid`` has the value, which is not ``known``. Without one,
                what of the rule is broken, if anything is.
        """
        return ""

    def fits(
        self,
        at: At,  # noqa: ARG002 - for others
        can: CanArray,  # noqa: ARG002
        cell: int,  # noqa: ARG002
        left: Collection[int],  # noqa: ARG002
    ) -> str:
        """Why a cell loses values where others can only have some, as ``asks``; nothing without.

        Args:
            at: as there.
            can: the values that each cell can have, (rows, columns).
            cell: by row-major number; -1 for what is left, or cannot hold, as a whole.
            left: the values that it keeps.
        """
        return ""

    def about(self, at: At) -> IntArray:  # noqa: ARG002 - for others
        """The cells that it is about at a place, by row-major number; none for the whole grid."""
        return np.zeros(0, dtype=np.int64)

    def value_at(self, at: At) -> int | None:  # noqa: ARG002 - for others
        """The value that has to stand in one of the cells of a place, if that is what it says."""
        return None

    def on_board(self) -> "Rule":
        """The same for people, who see on the board that some of its clues are kept."""
        return self

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:  # noqa: B027 - not all do
        """Take out of ``allowed``, (rows, columns, values), what cannot stand there; in place."""

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """The same where rules are statements: what cannot stand there whichever is left out."""
        if not self.is_clue:
            self.narrow(allowed, values)

    def ways(self, allowed: BoolArray) -> Ways | None:  # noqa: ARG002 - for others
        """In how many ways a cell may have its value, if it is told apart in a model."""
        return None

    def constrain(self, cells: Cells) -> Write | None:  # noqa: ARG002 - for others
        """Add its rows to a model; returns how choices that it adds are written, if it does."""
        return None

    @abstractmethod
    def broken(self, answer: IntArray) -> Iterable[Violation]:
        """What is wrong with an answer, (rows, columns), without any model."""

    def require(self, answer: IntArray) -> None:
        """Raise InputError for an answer that breaks the rule, which a model cannot write."""
        for violation in self.broken(np.asarray(answer)):
            raise InputError(f"the answer breaks the rule {self.family}: {violation.message}")


@dataclass(frozen=True, eq=False)
class Given(Rule):
    """Cells whose value is known: that in ``grid``, (rows, columns), where ``known``.

    ``named`` is what they are called in messages, and ``show`` a value. ``field``: that of the
    clues, if they are some.
    """

    family: str
    grid: IntArray
    known: BoolArray
    named: str = "given"
    field: str = ""
    show: Callable[[int], str] = str

    @property
    def is_clue(self) -> bool:
        """Whether they are clues."""
        return bool(self.field)

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Nothing else may stand there."""
        allowed[self.known] &= np.asarray(values) == self.grid[self.known][:, None]

    def constrain(self, cells: Cells) -> None:
        """Nothing; where clues have switches, each is the literal that it says."""
        if cells.switched and self.field:
            (given,) = np.nonzero(self.known.ravel())
            place = np.searchsorted(cells.values, self.grid.ravel()[given])
            for cell, literal in zip(given, cells.literals[given, place], strict=True):
                cells.switch((self.field, int(cell)), int(literal))

    def about(self, at: At) -> IntArray:
        """The cell."""
        return cell_of(at)

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:  # noqa: ARG002
        """That it is given."""
        return "{} is given"

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Cells with another value."""
        for r, c in np.argwhere(self.known & (answer != self.grid)).tolist():
            known = f"{self.named} is {self.show(self.grid[r, c])}"
            message = f"row[{r}] column[{c}] is {self.show(answer[r, c])}, {known}"
            yield Violation(self.family, message, ((r, c),))


@dataclass(frozen=True, eq=False)
class Total(Rule):
    """What the values of the cells of each group are worth together: from low to high.

    By default cells with the value 1 are counted. ``names`` are the groups in messages, ``counted``
    what is counted there, and ``wanted`` stands before the right sum. ``tags``: the clue that each
    group's bounds come from; ``clues``: the same for clues that cannot be left out of a board.
    ``factors``: of each cell of each group, 1 without. ``says``: what it asks for where that is
    more to the point than a number; without clues it is one rule then, the same in all groups.
    """

    family: str
    groups: Sequence[IntArray]
    low: Any = -UNBOUNDED
    high: Any = UNBOUNDED
    names: Sequence[str] = ()
    counted: str = "black cells"
    worth: dict[int, int] = field(default_factory=lambda: {1: 1})
    tags: Tags | None = None
    factors: Sequence[Any] = ()
    wanted: str = "not"
    clues: Tags | None = None
    says: str = ""

    @property
    def is_clue(self) -> bool:
        """Whether the bounds come from clues."""
        return self.tags is not None

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """A group that is to be worth nothing has no value that is worth something."""
        if len(self.factors) or min(self.worth.values()) <= 0:
            return
        worth = np.array([self.worth.get(value, 0) for value in values])
        flat, high = allowed.reshape(-1, len(values)), np.broadcast_to(self.high, len(self.groups))
        for i in np.flatnonzero(high == 0).tolist():
            flat[self.groups[i][:, None], worth > 0] = False

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Nothing: its rows say the same."""

    def constrain(self, cells: Cells) -> None:
        """A row a group."""
        low, high = (np.broadcast_to(b, len(self.groups)) for b in (self.low, self.high))
        how: dict[str, Any] = {"low": low, "high": high, "tags": self.tags}
        if cells.stated and (self.clues or not self.says):
            how["labels"] = self.clues or range(len(self.groups))
        cells.rows(self.family, self.groups, self.worth, factors=self.factors, **how)

    def _number(self, at: At) -> int:
        """The number of a group, by its clue or by itself."""
        return at if isinstance(at, int) else place_of(self.tags or self.clues, at)

    def about(self, at: At) -> IntArray:
        """The cells of the group."""
        return super().about(at) if at is None else self.groups[self._number(at)]

    def name_at(self, at: At) -> str:
        """The group's name."""
        return name_of(self, at) if isinstance(at, int) else super().name_at(at)

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """What is counted in the group, and how much of it is still to come."""
        if self.says:
            return self.says
        i = self._number(at)
        low, high = (int(np.broadcast_to(b, len(self.groups))[i]) for b in (self.low, self.high))
        values, open_cells = known_values(grid, known, self.groups[i])
        has = sum(self.worth.get(value, 0) for value in values)
        high = UNBOUNDED if 0 < low < len(self.groups[i]) <= high else high
        if {*self.worth.values()} != {1}:
            return f"{{}} {adds_up(low, has if values else None, open_cells)}"
        if not known.any():
            return f"{{}} {bounds(low, high, self.counted)}"
        return f"{{}} {needs(low, high, self.counted, has, open_cells)}"

    def fits(self, at: At, can: CanArray, cell: int, left: Collection[int]) -> str:  # noqa: ARG002
        """How much of it is still to come in the cells that can still have it."""
        if self.says or {*self.worth.values()} != {1} or not isinstance(at, tuple | int):
            return ""
        i = self._number(at)
        low, high = (int(np.broadcast_to(b, len(self.groups))[i]) for b in (self.low, self.high))
        worth = [[value in self.worth for value in can.flat[one]] for one in self.groups[i]]
        has, may = sum(map(all, worth)), sum(map(any, worth))
        if low > has and low < may:
            return ""
        return f"{{}} {needs(low, high, self.counted, has, may - has)}"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """Of all groups as one rule, which is broken."""
        if at is not None or cell is not None:
            return ""
        cells, number, _, low, high = self._flat
        is_known = known.ravel()[cells]
        worth = self._worth_of(grid.ravel()) * known.ravel()
        has = np.bincount(number, worth[cells], len(low))
        n_open = np.bincount(number, ~is_known, len(low))
        for i in np.flatnonzero((has > high) | ((has < low) & (n_open == 0)))[:1].tolist():
            there = self.groups[i][known.ravel()[self.groups[i]]]
            if has[i] > high[i]:
                there = there[worth[there] > 0]
            return f"that is not so in {listed(cells_of(there, grid.shape[1]))}"
        return ""

    def _worth_of(self, values: IntArray) -> IntArray:
        """What each of some values counts."""
        worth = np.zeros(values.shape, dtype=np.int64)
        for value, points in self.worth.items():
            worth[values == value] = points
        return worth

    @cached_property
    def _flat(self) -> tuple[IntArray, IntArray, Any, IntArray, IntArray]:
        """The cells of all groups, the group and the factor of each, and the groups' bounds."""
        cells = np.concatenate([np.zeros(0, dtype=np.int64), *self.groups])
        group = np.repeat(np.arange(len(self.groups)), [len(group) for group in self.groups])
        low, high = (np.broadcast_to(bound, len(self.groups)) for bound in (self.low, self.high))
        return cells, group, np.concatenate([*self.factors]) if len(self.factors) else 1, low, high

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Groups whose sum is too small or too large."""
        value = self._worth_of(np.asarray(answer).ravel())
        cells, group, factors, low, high = self._flat
        sums = np.bincount(group, value[cells] * factors, len(low))
        for i in np.flatnonzero((sums < low) | (sums > high)).tolist():
            wanted = f"{self.wanted} {low[i]}" if low[i] == high[i] else ""
            wanted = wanted or (f"{low[i]} at least" if sums[i] < low[i] else f"{high[i]} at most")
            name = name_of(self, i)
            message = f"{name} has {int(sums[i])} {self.counted}, {wanted}"
            yield Violation(self.family, message, cells_of(self.groups[i], answer.shape[1]))


@dataclass(frozen=True, eq=False)
class Different(Rule):
    """No value twice in a group: each once where there are as many cells as values.

    ``values`` are those that may not be repeated, each called a ``noun``; ``names`` the groups in
    messages, and ``show`` a value. ``tags``: the clue that each group comes from. ``given``: values
    of cells that are clues, (rows, columns), 0 for none; the others of a group do not have them.
    ``every``: each value stands in each group, whatever stands in its other cells. A statement is
    each value of a group where it has to stand, and else the group.
    """

    family: str
    groups: Sequence[IntArray]
    values: Sequence[int]
    names: Sequence[str] = ()
    noun: str = "value"
    tags: Tags | None = None
    given: IntArray | None = None
    every: bool = False
    show: Callable[[int], str] = str

    @property
    def is_clue(self) -> bool:
        """Whether there are values of clues."""
        return self.given is not None

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Nothing has the value of a clue of its group, nor another where all cells are needed."""
        cells = allowed.reshape(-1, len(values))
        clues = np.zeros(len(cells), dtype=np.int64) if self.given is None else self.given.ravel()
        place = {value: k for k, value in enumerate(values)}
        others = [k for value, k in place.items() if value not in self.values]
        for group in self.groups:
            given = clues[group]
            taken = [place[value] for value in {*given.tolist()} if value and value in place]
            cells[group[given == 0][:, None], taken] = False
            if self.every and len(group) <= len(self.values):
                cells[group[:, None], others] = False

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Nothing: its rows say the same."""

    def constrain(self, cells: Cells) -> None:
        """A row a group and value."""
        n, places = len(self.values), [cells.values.index(value) for value in self.values]
        literals = np.full((len(self.groups), n, max(map(len, self.groups), default=0)), FALSE)
        for i, group in enumerate(self.groups):
            literals[i, :, : len(group)] = cells.literals[group][:, places].T
        names = [name_of(self, i) for i in range(len(self.groups))]
        full = np.array([self._is_full(i) for i in range(len(names))], dtype=np.int64)
        labels: Any = [f"{name} {self.noun} {self.show(v)}" for name in names for v in self.values]
        if cells.stated:
            labels = (
                (np.arange(len(names))[:, None] * n + np.outer(full, range(n))).ravel().tolist()
            )
        cells.literal_rows(
            self.family,
            literals.reshape(len(names) * n, literals.shape[2]),
            low=np.repeat(full, n),
            high=1,
            tags=None if self.tags is None else [tag for tag in self.tags for _ in self.values],
            labels=labels,
        )

    def _is_full(self, i: int) -> bool:
        """Whether each value stands in a group."""
        return self.every or len(self.groups[i]) == len(self.values)

    def _place(self, at: At) -> tuple[int, int]:
        """The number of a group, and of a value."""
        if isinstance(at, int):
            return divmod(at, len(self.values))
        return place_of(self.tags, at), 0

    def about(self, at: At) -> IntArray:
        """The cells of the group."""
        return self.groups[self._place(at)[0]]

    def name_at(self, at: At) -> str:
        """The value of a group, or the group."""
        if not isinstance(at, int):
            return super().name_at(at)
        i, k = self._place(at)
        name = name_of(self, i)
        return f"the {self.show(self.values[k])} of {name}" if self._is_full(i) else name

    def value_at(self, at: At) -> int | None:
        """The value of a full group."""
        if not isinstance(at, int):
            return None
        i, k = self._place(at)
        return int(self.values[k]) if self._is_full(i) else None

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """Where a value stands, or can; of a group without some, which it has."""
        i, k = self._place(at)
        group, flat, is_known = self.groups[i], grid.ravel(), known.ravel()
        values, _ = known_values(grid, known, group)
        if self.tags is not None or not self._is_full(i):
            there = [self.show(value) for value in sorted({*values} & {*self.values})]
            known_there = f", and has {listed(there)} already" if there else ""
            return f"{{}} has no {self.noun} twice{known_there}"
        where = group[is_known[group] & (flat[group] == self.values[k])]
        if len(where):
            twice = " at once" * (len(where) > 1)
            return f"{{}} is in {listed(cells_of(where, grid.shape[1]))}{twice}"
        if not known.any():
            return f"{name_of(self, i)} has {self.show(self.values[k])} once"
        left = cells_of(group[~is_known[group]], grid.shape[1])
        if not left:
            return "{} has no cell left"
        if len(left) in (len(group), *range(NAMED + 1, len(group))):
            return f"{{}} is in one of {len(left)} open cells"
        last = ", the last open cell" * (len(left) == 1)
        return f"{{}} can only be in {listed(left, 'or')}{last}"

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Values that stand twice, or nowhere."""
        flat = np.asarray(answer).ravel()
        for i, group in enumerate(self.groups):
            held = flat[group]
            for value in self.values if self.every or len({*held.tolist()}) < len(held) else ():
                cells = group[held == value]
                if len(cells) > 1 or (self.every and not len(cells)):
                    times = {0: "nowhere", 2: "twice"}.get(len(cells), f"{len(cells)} times")
                    message = f"{name_of(self, i)} has {self.show(value)} {times}"
                    where = cells if len(cells) else group
                    yield Violation(self.family, message, cells_of(where, answer.shape[1]))


def name_of(rule: Any, i: int) -> str:
    """What a group of a rule is called in messages."""
    return rule.names[i] if rule.names else f"{rule.family}[{i}]"


def cell_of(at: At) -> IntArray:
    """The cell of a clue that is a cell."""
    return np.array([at[1]] if isinstance(at, tuple) else [], dtype=np.int64)


def place_of(tags: Tags | None, at: At) -> int:
    """The number of a group, by its clue."""
    return next(i for i, tag in enumerate(tags or ()) if tag == at)


def known_values(grid: IntArray, known: BoolArray, group: IntArray) -> tuple[list[int], int]:
    """The values of the cells of a group that are known, and how many are not."""
    is_known = known.ravel()[group]
    return grid.ravel()[group[is_known]].tolist(), int((~is_known).sum())


@dataclass(frozen=True, eq=False)
class Pairs(Rule):
    """Pairs of cells, (n, 2), of which only some pairs of values are allowed.

    ``allowed`` has shape (values, values), by their places in ``values``; ``message`` says what
    is wrong otherwise. ``tags``: the clue that each pair comes from; ``clues`` as in ``Total``.
    ``says``: what it asks for, of a clue or everywhere.
    """

    family: str
    pairs: IntArray
    values: Sequence[int]
    allowed: BoolArray
    message: str
    tags: Tags | None = None
    clues: Tags | None = None
    says: str = ""

    def constrain(self, cells: Cells) -> None:
        """A value and all those that it excludes: one at most is true."""
        how: dict[str, Any] = {"tags": self.tags, "labels": self.clues if cells.stated else None}
        one, two = self.pairs.reshape(-1, 2).T
        for a, allowed in enumerate(self.allowed):
            if not allowed.all():
                excluded = cells.literals[two][:, ~allowed]
                literals = np.column_stack([cells.literals[one, a], excluded])
                cells.literal_rows(self.family, literals, 1, high=1, **how)

    def about(self, at: At) -> IntArray:
        """The cells of the clue."""
        if not isinstance(at, tuple):
            return super().about(at)
        return self.pairs[[tag == at for tag in self.tags or self.clues or ()]].ravel()

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """What it asks for, and one of two cells that is known."""
        group = np.unique(self.about(at))
        values, open_cells = known_values(grid, known, group)
        if open_cells != 1 or len(values) != 1:
            return self.says
        (cell,) = cells_of(group[known.ravel()[group]], grid.shape[1])
        return f"{self.says}, and {cell} is {values[0]}"

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Pairs that are not allowed."""
        place = np.searchsorted(self.values, np.asarray(answer).ravel()[self.pairs.reshape(-1, 2)])
        for i in np.flatnonzero(~self.allowed[place[:, 0], place[:, 1]]).tolist():
            cells = cells_of(self.pairs[i], answer.shape[1])
            yield Violation(self.family, f"{cells[0]} and {cells[1]} {self.message}", cells)


@dataclass(frozen=True, eq=False)
class DifferentLines(Rule):
    """No two of these lines of equal length, (lines, cells), are the same; for cells of 0 and 1.

    In the model a bit for each two lines and place, which is true only where they differ there,
    and one of them at least.
    """

    family: str
    lines: IntArray
    name: str

    @property
    def says(self) -> str:
        """The rule."""
        return f"no two {self.name}s are the same"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:  # noqa: ARG002
        """The lines that are all known and like that of the cell as far as it is, or each other."""
        values, is_known = grid.ravel()[self.lines], known.ravel()[self.lines]
        if cell is None:
            full = combinations(np.flatnonzero(is_known.all(axis=1)).tolist(), 2)
            same = next(((i, j) for i, j in full if (values[i] == values[j]).all()), None)
            return f"{self.name}[{same[0]}] and {self.name}[{same[1]}] are the same" if same else ""
        (mine,) = np.flatnonzero((self.lines == cell).any(axis=1))
        alike = is_known.all(axis=1) & ((values == values[mine]) | ~is_known[mine]).all(axis=1)
        others = [f"{self.name}[{i}]" for i in np.flatnonzero(alike).tolist() if i != mine]
        if not others:
            return ""
        return f"{self.name}[{mine}] must not become the same as {listed(others, 'or')}"

    def _pairs(self) -> list[tuple[int, int]]:
        return [*combinations(range(len(self.lines)), 2)]

    def constrain(self, cells: Cells) -> Write:
        """Each bit is at most ``x + y``, and at most ``2 - x - y``."""
        n, length = self.lines.shape
        if n * (n - 1) // 2 * length > BIT_LIMIT:
            raise TooLarge(f"{n} lines of {length} cells that differ: over {BIT_LIMIT:,} bits")
        one = cells.of(1)
        for i, j in self._pairs():
            bits = [
                cells.builder.bit(f"{self.name}s {i},{j} at {k}", self.family).literals[1]
                for k in range(self.lines.shape[1])
            ]
            rows = np.stack([bits, one[self.lines[i]], one[self.lines[j]]], axis=1)
            cells.builder.rows(self.family).add(rows, [1, -1, -1], upper=0)
            cells.builder.rows(self.family).add(rows, [1, 1, 1], upper=2)
            cells.builder.at_least_one(self.family, [bits])
        return self._written

    def _written(self, answer: IntArray) -> list[Hashable]:
        lines = np.asarray(answer).ravel()[self.lines]
        differ = [(lines[i] != lines[j]).astype(int).tolist() for i, j in self._pairs()]
        if not all(map(any, differ)):
            raise InputError("the answer has two equal lines")
        return [bit for bits in differ for bit in bits]

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Lines that are the same."""
        lines = np.asarray(answer).ravel()[self.lines]
        for i, j in self._pairs():
            if (lines[i] == lines[j]).all():
                message = f"{self.name}[{i}] and {self.name}[{j}] are the same"
                both = np.concatenate([self.lines[i], self.lines[j]])
                yield Violation(self.family, message, cells_of(both, answer.shape[1]))


@dataclass(frozen=True, eq=False)
class Partners(Rule):
    """Cells of the value 1 are matched with others beside them, the ``owners``, one to one.

    ``beside`` are the cells that each owner may be matched with. In the model a choice for each
    owner, and each cell of the value 1 is chosen once. The owners are clues, of ``field``, in
    a grid of so many ``columns``.
    """

    family: str
    owners: IntArray
    beside: Sequence[IntArray]
    owner: str
    partner: str
    columns: int
    field: str = "grid"

    @property
    def says(self) -> str:
        """The rule, but for what the owners ask for."""
        return f"each {self.partner} belongs to a {self.owner} beside it, and to that alone"

    def name_at(self, at: At) -> str:
        """An owner by its cell."""
        if not isinstance(at, tuple):
            return super().name_at(at)
        return "the {} in ({},{})".format(self.owner, *divmod(at[1], self.columns))

    def about(self, at: At) -> IntArray:
        """An owner, and the cells beside it."""
        if not isinstance(at, tuple):
            return super().about(at)
        return np.concatenate([self._beside(at), cell_of(at)])

    def _beside(self, at: tuple[str, int]) -> IntArray:
        return self.beside[int(np.argmax(self.owners == at[1]))]

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """Where the partner of an owner can still be."""
        if not isinstance(at, tuple):
            return self.says
        values, open_cells = known_values(grid, known, self._beside(at))
        needs = f"{{}} needs a {self.partner} of its own"
        if 1 in values:
            return f"{needs}: {counted(values.count(1), self.partner + 's')} beside it"
        if not open_cells:
            return f"{needs}, and no cell beside it is left"
        cells = f"one of the {open_cells} open cells" if open_cells > 1 else "the only open cell"
        return f"{needs} in {cells} beside it"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """Of the rule, that no owner is beside the cell, or that all beside it have another."""
        if at is not None or cell is None:
            return ""
        if not any(cell in near for near in self.beside):
            return f"no {self.owner} is beside {divmod(cell, grid.shape[1])}"
        partners, owners = self._too_few(np.flatnonzero(known & (grid == 1)).tolist(), cell)
        if grid.flat[cell] or not owners:
            return ""
        first, second = (listed(cells_of(np.array(c), grid.shape[1])) for c in (partners, owners))
        trees = f"the {self.owner}{'s' * (len(owners) > 1)} in {second}"
        return f"otherwise the {self.partner}s in {first} would have {trees} alone beside them"

    def _too_few(self, partners: Sequence[int], cell: int) -> tuple[list[int], list[int]]:
        """Partners with one in a cell, for which there would be too few owners, and these.

        None where there are enough: some owner is free that a path of changes leads to.
        """
        beside = {one: [o for o, near in enumerate(self.beside) if one in near] for one in partners}
        beside[cell] = [o for o, near in enumerate(self.beside) if cell in near]
        of = dict[int, int]()

        def given(one: int, tried: set[int]) -> bool:
            """Whether a partner has an owner, where others may change theirs."""
            for owner in beside[one]:
                if owner not in tried:
                    tried.add(owner)
                    if owner not in of or given(of[owner], tried):
                        of[owner] = one
                        return True
            return False

        tried = set[int]()
        is_enough = all(given(one, set()) for one in partners) and given(cell, tried)
        if is_enough or not tried:
            return [], []
        return sorted([cell, *(of[o] for o in tried)]), sorted(int(self.owners[o]) for o in tried)

    def constrain(self, cells: Cells) -> Write:
        """Choices of the owners; ``sum of choices of a cell = it has the value 1``."""
        places: list[int] = []
        literals: list[int] = []
        columns = cells.shape[1]
        for number, near in zip(self.owners.tolist(), self.beside, strict=True):
            values = [divmod(cell, columns) for cell in near.tolist()]
            r, c = divmod(number, columns)
            name = f"{self.owner}[{r},{c}]"
            if cells.stated:
                literals += self._state(cells, name, values, near, number)
            elif values:
                literals += cells.builder.choice(name, values, self.family).literals
            else:
                cells.builder.at_least_one(self.family, [[]])
            places += near.tolist()
        ones = cells.of(1)
        rows = np.append(np.array(places, dtype=np.int64), np.arange(len(ones)))
        terms = np.append(np.array(literals, dtype=np.int64), ones)
        sign = np.repeat([1, -1], [len(places), len(ones)])
        cells.builder.rows(self.family).add(
            terms, sign, rows=rows, count=len(ones), lower=0, upper=0
        )
        return self._written

    def _state(
        self, cells: Cells, name: str, values: list[Any], near: IntArray, owner: int
    ) -> Sequence[int]:
        """An owner chooses a cell, which has the value 1; or none, where it is left out."""
        *chosen, none = cells.builder.choice(name, [*values, None], self.family).literals
        with cells.stating((self.field, owner)):
            cells.literal_rows(self.family, np.array([[none]]), high=0)
            rows = np.column_stack([np.array(chosen, dtype=np.int64), cells.of(1)[near]])
            cells.literal_rows(self.family, rows, [1, -1], high=0)
        return chosen

    def _matched(self, answer: IntArray) -> tuple[IntArray, BoolArray]:
        """The cell of each owner, -1 for none, and which cells of the value 1 have an owner."""
        flat = np.asarray(answer).ravel()
        near = [cells[flat[cells] == 1] for cells in self.beside]
        ends = np.cumsum([0, *map(len, near)])
        columns = np.concatenate([np.zeros(0, dtype=np.int64), *near])
        shape = (len(near), flat.size)
        graph = scipy.sparse.csr_array((np.ones(len(columns)), columns, ends), shape=shape)
        match = scipy.sparse.csgraph.maximum_bipartite_matching(graph, perm_type="column")
        return match, np.isin(np.arange(flat.size), match)

    def _written(self, answer: IntArray) -> list[Hashable]:
        match, owned = self._matched(answer)
        if (match < 0).any() or (owned != (np.asarray(answer).ravel() == 1)).any():
            raise InputError(f"the answer has no {self.partner} for each {self.owner}")
        return [divmod(cell, answer.shape[1]) for cell in match.tolist()]

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Owners and cells that are left, where as many as can be are matched."""
        match, owned = self._matched(answer)
        ones = np.asarray(answer).ravel() == 1
        for what, wants, left in (
            (self.owner, self.partner, self.owners[match < 0]),
            (self.partner, self.owner, np.flatnonzero(ones & ~owned)),
        ):
            for r, c in cells_of(left, answer.shape[1]):
                message = f"the {what} on ({r},{c}) has no {wants} of its own"
                yield Violation(self.family, message, ((r, c),))


def apart(family: str, shape: tuple[int, int], counted: str) -> Total:
    """No two cells of the value 1 touch, not even by a corner."""
    parts = windows(shape, min(2, shape[0]), min(2, shape[1]))
    names = [f"the square from {divmod(int(part[0]), shape[1])}" for part in parts]
    says = f"no two {counted} touch, not even by a corner"
    return Total(family, [*parts], high=1, names=names, counted=counted, says=says)


@dataclass(frozen=True, eq=False)
class Checkered(Rule):
    """In no square of four cells do two of the value 1 touch by a corner only, the others none.

    That follows where both values are connected, or one reaches the border: ``says`` is what these
    rules say together, and ``so`` is said of a square that would be such, if it is given.
    """

    family: str
    squares: IntArray
    says: str = "no two cells touch by a corner only"
    so: str = ""

    def constrain(self, cells: Cells) -> None:
        """The sums of the two diagonals differ by one at most."""
        literals = cells.of(1)[self.squares]
        cells.literal_rows(self.family, literals, [1, -1, -1, 1], low=-1, high=1)

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:  # noqa: ARG002
        """A square that would be such otherwise, or is."""
        if cell is None:
            is_one = grid.ravel()[self.squares] == 1
            crossed = known.ravel()[self.squares].all(axis=1) & self._is_crossed(is_one)
            for square in self.squares[crossed][:1]:
                two = square[[0, 3] if grid.flat[square[0]] == 1 else [1, 2]]
                both = listed(cells_of(two, grid.shape[1]))
                return f"{both} touch by a corner only{self.so}"
            return ""
        is_one, is_known = grid.ravel() == 1, known.ravel() | (np.arange(grid.size) == cell)
        for square in self.squares[(self.squares == cell).any(axis=1)]:
            (place,) = np.flatnonzero(square == cell)
            other = np.where(np.arange(4) == place, ~is_one[square], is_one[square])
            if is_known[square].all() and self._is_crossed(other):
                two = cells_of(np.sort(square[[place, 3 - place]]), grid.shape[1])
                return f"otherwise {listed(two)} would touch by a corner only{self.so}"
        return ""

    @staticmethod
    def _is_crossed(held: BoolArray) -> BoolArray:
        """Whether the two diagonals differ, of one value each, (..., 4)."""
        a, b, c, d = np.moveaxis(held, -1, 0)
        return np.asarray((a == d) & (b == c) & (a != b))

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Such squares."""
        held = np.asarray(answer).ravel()[self.squares] == 1
        for square in self.squares[self._is_crossed(held)]:
            cells = cells_of(square, answer.shape[1])
            yield Violation(self.family, f"cells touch by a corner only in {cells[0]}", cells)


@dataclass(frozen=True, eq=False)
class Repeats(Rule):
    """Of the cells of a row or column with the same number, not 0, at most one has the value 0.

    ``grid`` has the numbers, (rows, columns). As no two cells of the value 1 are side by side by
    another rule, those between two equal numbers have the value 0.
    """

    family: str
    grid: IntArray

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Cells between two equal numbers of a line."""
        allowed[never_black(self.grid)] &= np.asarray(values) == 0

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Nothing: its rows say the same."""

    @cached_property
    def _groups(self) -> list[tuple[str, int, IntArray]]:
        """The line, a number that it has twice, and its cells."""
        lines = [(f"{axis}[{i}]", line) for axis, i, line in lines_of(self.grid.shape)]
        return [(name, *each) for name, line in lines for each in repeats(self.grid, line)]

    def constrain(self, cells: Cells) -> None:
        """A row a line and number."""
        groups = [group for _, _, group in self._groups]
        labels = range(len(groups)) if cells.stated else None
        cells.rows(self.family, groups, {0: 1}, high=1, labels=labels)

    def about(self, at: At) -> IntArray:
        """The cells with the number."""
        return self._groups[at][2] if isinstance(at, int) else super().about(at)

    def name_at(self, at: At) -> str:
        """The number and its line."""
        return "the {1}s of {0}".format(*self._groups[at]) if isinstance(at, int) else self.says

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """How many stay white."""
        group = self.about(at)
        white = cells_of(group[known.ravel()[group] & (grid.ravel()[group] == 0)], grid.shape[1])
        there = (
            f", and {listed(white)} {'is' if len(white) == 1 else 'are'} already" if white else ""
        )
        return f"of {{}} at most one stays white{there}"

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Numbers that stand twice on white cells of a line."""
        left = np.where(answer == 0, self.grid, 0)
        for axis, i, line in lines_of(answer.shape):
            for number, cells in repeats(left, line):
                message = f"{axis}[{i}] has {number} on {len(cells)} white cells"
                yield Violation(self.family, message, cells_of(cells, answer.shape[1]))


def never_black(grid: IntArray) -> BoolArray:
    """Cells with two equal numbers of one line beside them."""
    white = np.zeros(grid.shape, dtype=bool)
    for view, numbers in ((white, grid), (white.T, grid.T)):
        view[:, 1:-1] |= (numbers[:, 2:] == numbers[:, :-2]) & (numbers[:, 2:] > 0)
    return white


@dataclass(frozen=True, eq=False)
class Placements(Rule):
    """Each of several pieces is put somewhere: it covers the cells of one of its placements.

    Cells that piece ``k`` covers have ``values[k]``, within the cells ``within[k]`` if these are
    given. A subclass says which placements there are, ``covers``, and checks an answer without
    them.
    """

    family: str
    values: Sequence[int]
    within: Sequence[IntArray] | None = None

    @property
    @abstractmethod
    def covers(self) -> Sequence[Sequence[IntArray]]:
        """Of each piece the cells of each of its placements, ascending; TooLarge for too many."""

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Cells that no piece of a value covers do not have it."""
        cells = allowed.reshape(-1, len(values))
        for value in {*self.values}:
            pieces = [p for k, p in enumerate(self.covers) if self.values[k] == value]
            covered = np.zeros(len(cells), dtype=bool)
            for placement in chain(*pieces):
                covered[placement] = True
            cells[:, values.index(value)] &= covered

    def constrain(self, cells: Cells) -> Write:
        """A choice a piece; a cell has a value where a piece of that value covers it."""
        for k, placements in enumerate(self.covers):
            places = [tuple(cells) for cells in map(np.ndarray.tolist, placements)]
            if places:
                cells.builder.choice(f"{self.family}[{k}]", places, self.family)
            else:
                cells.builder.at_least_one(self.family, [[]])
        n_values = len(cells.values)
        of_piece = [cells.values.index(value) for value in self.values]
        placed = self.placed(cells)
        piece = np.repeat(np.arange(len(self.covers)), [len(p) for p in self.covers])
        chosen = [np.full(len(cover), literal) for literal, cover in placed]
        rows = [cover * n_values + of_piece[k] for (_, cover), k in zip(placed, piece, strict=True)]
        none = np.zeros(0, dtype=np.int64)
        literals = cells.literals[:, sorted({*of_piece})]
        (keys,) = np.nonzero(np.isin(np.arange(cells.literals.size) % n_values, of_piece))
        covered = np.concatenate([none, *rows])
        # Where nothing covers a cell, and it cannot have the value, there is nothing to say.
        known = (literals.ravel() != FALSE) | np.isin(keys, covered)
        number = np.searchsorted(keys[known], covered)
        cells.builder.rows(self.family).add(
            np.concatenate([none, *chosen, literals.ravel()[known]]),
            np.repeat([1, -1], [len(number), int(known.sum())]),
            rows=np.append(number, np.arange(int(known.sum()))),
            count=int(known.sum()),
            lower=0,
            upper=0,
        )
        return self._written

    def placed(self, cells: Cells) -> list[tuple[int, IntArray]]:
        """The literal of each placement of all pieces, once they are in a model, and its cells."""
        every = [cover for placements in self.covers for cover in placements]
        first = cells.builder.n_literals - len(every)
        return [(first + i, cover) for i, cover in enumerate(every)]

    def piece(self, answer: IntArray, k: int) -> IntArray:
        """The cells with the value of a piece."""
        cells = np.flatnonzero(np.asarray(answer).ravel() == self.values[k])
        return cells if self.within is None else np.intersect1d(cells, self.within[k])

    def _written(self, answer: IntArray) -> list[Hashable]:
        self.require(answer)
        pieces = [k for k, placements in enumerate(self.covers) if placements]
        return [tuple(self.piece(answer, k).tolist()) for k in pieces]
