"""The cells of an answer in a model: the literals of their values, and rows over them."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress
from typing import Any, TypeAlias

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import FALSE, TRUE, UNBOUNDED, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.vocabulary.grids import BoolArray

CELL_LIMIT = 250_000
"""Most cells of a model."""
_SEVERAL = -3
"""Stands for a literal where there is no single one; no row takes it."""

_STATEMENT = re.compile(r"(?:(\d+):)*")
"""What labels of rows begin with: the numbers of statements, of which the last one counts."""

Part: TypeAlias = tuple[IntArray, IntArray, Any]
"""Terms of rows: keys of their rows, literals, and coefficients, or one for all."""
Write: TypeAlias = Callable[[IntArray], Sequence[Hashable]]
"""The values of the choices that a rule adds, for an answer."""
Tags: TypeAlias = Sequence[tuple[str, int]]
"""Which clue each row says: the field, and the place in it as in a row-major array."""
At: TypeAlias = tuple[str, int] | str | int | None
"""A place of a rule: a clue as in ``Tags``, what else it counts over, or None for the whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """In how many ways a cell may have the last of two values: its choice is over them.

    ``names`` are those of the values of the choice, of which the first stands for the first value;
    ``has``: which of them a cell may have, (cells, names). ``write``: the name of each cell, for an
    answer.
    """

    names: Sequence[Hashable]
    has: BoolArray
    write: Write


class Cells:
    """Cells with a choice each of what may stand there, in a builder.

    >>> cells = Cells((1, 2), range(1, 4))
    >>> cells.rows("sum", [[0, 1]], {1: 1, 2: 2, 3: 3}, low=[5], high=[5])
    >>> [choice.name for choice in cells.build().choices]
    ['cell[0,0]', 'cell[0,1]']

    Attributes:
        builder: for what a rule adds besides.
        shape, values: of the answer; the values of a cell, ascending.
        literals: by which each cell has each value, (cells, values); ``TRUE`` and ``FALSE``
            where that is known, and none for the last value where there are several ways.
        ways: by which each cell has each of its ways, (cells, names); none without ``ways``.
        by_cuts: whether connectivity and loops are left to solvers that meet them by cuts.
        by_sets: whether different values that add up are a choice over their sets, see ``sums``.
        switches: with ``switched``, the literal that puts each clue in force, by its tag.
        stated: whether rows know which statement they belong to, see ``stating``; it is set before
            there are any.
        statements: the number of each, and the rules that say it, with the place of each. Clues,
            and what rules say in the same words, are one statement, whichever rules say them.
        notes: what literals of choices that rules add say of their cell, for people.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        values: Sequence[int],
        allowed: BoolArray | None = None,
        known: BoolArray | None = None,
        *,
        by_cuts: bool = False,
        by_sets: bool = True,
        switched: bool = False,
        ways: Ways | None = None,
    ) -> None:
        """The cells of a model.

        Args:
            shape, values, by_cuts: see the attributes.
            switched: whether clues can be left out: rows that have tags hold where their switch is
                on; where they are ``stated`` they need none.
            allowed: what may stand where, (rows, columns, values); anything without.
            known: cells that are no choices, (rows, columns); those with one value without.
        """
        n_cells = shape[0] * shape[1]
        if n_cells > CELL_LIMIT:
            raise TooLarge(f"a model of {n_cells:,} cells; at most {CELL_LIMIT:,} fit")
        self.builder, self.shape, self.values = ModelBuilder(), shape, tuple(values)
        self.by_cuts, self.by_sets = by_cuts, by_sets
        self.switched, self.stated = switched, False
        self.switches: dict[tuple[str, int], int] = {}
        self.statements: dict[Hashable, tuple[int, dict[Any, At]]] = {}
        self.notes: dict[int, str] = {}
        self._rule: Any = None
        self._switch_choices: list[int] = []
        self._writes: list[tuple[IntArray, Write]] = []
        self._choice_of = np.full(n_cells, -1)
        self._beside: list[tuple[int, int]] = []
        given = np.ones((*shape, len(values)), dtype=bool) if allowed is None else allowed
        may, names = given.reshape(n_cells, len(values)), tuple[Hashable, ...](self.values)
        if ways is not None:
            may = np.column_stack([may[:, 0], may[:, [1]] & ways.has[:, 1:]])
            names = (*ways.names,)
        count = may.sum(axis=1)
        alone = (count == 1) if known is None or ways is not None else known.ravel()
        chosen = (count > 0) & ~alone
        free = may & chosen[:, None]
        literals = np.where(may, TRUE, FALSE)
        literals[free] = np.arange(np.count_nonzero(free))
        self.free = np.flatnonzero(chosen)
        self._choice_of[self.free] = np.arange(len(self.free))
        for cell, row in zip(self.free.tolist(), may[self.free].tolist(), strict=True):
            held, name = (*compress(names, row),), "cell[{},{}]".format(*divmod(cell, shape[1]))
            is_bit = len(held) == 2 == len(self.values)
            self.builder.choice(name, held, "cell", is_bit=is_bit)
        self.literals, self.ways, self._ways = literals, literals, ways
        if ways is not None:
            n_ways, one = may[:, 1:].sum(axis=1), 1 + may[:, 1:].argmax(axis=1)
            last = np.where(n_ways > 1, _SEVERAL, literals[np.arange(n_cells), one])
            self.literals = np.column_stack([literals[:, 0], last])
        if not count.all():  # clues that contradict each other
            self.builder.at_least_one("cell", [[]])

    def of(self, value: int) -> IntArray:
        """The literals by which the cells have this value, (cells,)."""
        return np.asarray(self.literals[:, self.values.index(value)])

    def rows(
        self,
        family: str,
        groups: Sequence[Any],
        worth: dict[int, int],
        *,
        low: Any = -UNBOUNDED,
        high: Any = UNBOUNDED,
        tags: Tags | None = None,
        factors: Sequence[Any] = (),
        labels: Sequence[At] | None = None,
    ) -> None:
        """Bounds for the sum, over the cells of each group, of what their values are worth.

        Args:
            family: the rule.
            groups: cells by row-major number, shape (cells,) each.
            worth: by value; nothing if it is not named.
            low, high: one number, or one a group.
            tags: of the clue that each group's row states, if it does.
            factors: of each cell of each group; 1 without.
            labels: of the rows; of statements the places, where they have no tags.
        """
        size = np.array([len(group) for group in groups], dtype=np.int64)
        if self._ways is not None:  # in terms of the first value
            first, last = self.values
            rest = worth.get(last, 0)
            more = worth.get(first, 0) - rest
            low, high = (
                np.where(np.abs(bound) < UNBOUNDED, bound - rest * size, bound)
                for bound in (low, high)
            )
            if more < 0:
                low, high = -high, -low
            worth = {first: abs(more)}
        cells = np.concatenate([np.zeros(0, dtype=np.int64), *groups])
        places = [self.values.index(value) for value in worth]
        literals = self.literals[cells][:, places]
        row = np.repeat(np.arange(len(size)), size)[:, None]
        rows = np.broadcast_to(row, literals.shape).ravel()
        factor = np.concatenate([*factors])[:, None] if len(factors) else 1
        coefficients = np.broadcast_to(
            factor * np.array([*worth.values()], dtype=np.int64), literals.shape
        )
        terms = literals.ravel(), coefficients.ravel()
        self._add(family, rows, *terms, (low, high), len(size), tags, labels)

    def literal_rows(
        self,
        family: str,
        literals: IntArray,
        coefficients: Any = 1,
        *,
        low: Any = -UNBOUNDED,
        high: Any = UNBOUNDED,
        tags: Tags | None = None,
        labels: Sequence[At] | None = None,
    ) -> None:
        """The same for rows of literals, (rows, literals); see ``Rows.add``."""
        n_rows, n_terms = literals.shape
        rows = np.repeat(np.arange(n_rows), n_terms)
        terms = np.broadcast_to(coefficients, literals.shape).ravel()
        self._add(family, rows, literals.ravel(), terms, (low, high), n_rows, tags, labels)

    def _add(
        self,
        family: str,
        rows: IntArray,
        literals: IntArray,
        coefficients: IntArray,
        bounds: tuple[Any, Any],
        count: int,
        tags: Tags | None,
        labels: Sequence[Any] | None = None,
    ) -> None:
        """Rows, which hold where the switch of their clue is on: its literal makes up for the rest.

        What they add up to lies between the sums of their negative and positive coefficients.
        """
        add = self.builder.rows(family).add
        if self.stated or not self.switched or tags is None:
            low, high = bounds
            labels = self.places(labels if tags is None else tags) if self.stated else labels
            ends: dict[str, Any] = {"lower": low, "upper": high, "labels": labels}
            add(literals, coefficients, rows=rows, count=count, **ends)
            return
        switch, number = np.array([self.switch(tag) for tag in tags]), np.arange(count)
        extremes = np.minimum(coefficients, 0), np.maximum(coefficients, 0)
        for side, bound, extreme in zip(("lower", "upper"), bounds, extremes, strict=True):
            value = np.broadcast_to(np.asarray(bound, dtype=np.int64), switch.shape)
            reach = np.bincount(rows, extreme, minlength=count).astype(np.int64)
            kept = np.abs(value) < UNBOUNDED
            spare = np.where(kept, reach - value, 0)
            ends = {side: np.where(kept, reach, value)}
            terms = np.append(literals, switch), np.append(coefficients, spare)
            add(*terms, rows=np.append(rows, number), count=count, **ends)

    def choice(self, cell: int, family: str, values: Sequence[Hashable]) -> Sequence[int]:
        """The literals of a choice that a rule adds for a cell."""
        r, c = divmod(cell, self.shape[1])
        handle = self.builder.choice(f"{family}[{r},{c}]", values, family)
        self._beside.append((cell, handle.number))
        return handle.literals

    @property
    def own_choices(self) -> list[IntArray]:
        """The choices of each cell, its own and those that rules have added for it."""
        return self._by_cell([(int(c), int(self._choice_of[c])) for c in self.free] + self._beside)

    @property
    def added_choices(self) -> list[IntArray]:
        """Those that rules have added for each cell."""
        return self._by_cell(self._beside)

    @staticmethod
    def _by_cell(pairs: Iterable[tuple[int, int]]) -> list[IntArray]:
        numbers: dict[int, list[int]] = {}
        for cell, number in pairs:
            numbers.setdefault(cell, []).append(number)
        return [np.array(several) for several in numbers.values()]

    def choices_of(self, groups: Sequence[IntArray]) -> list[IntArray]:
        """The choices of the cells of each group."""
        return [choices[choices >= 0] for choices in (self._choice_of[group] for group in groups)]

    def switch(self, tag: tuple[str, int], literal: int | None = None) -> int:
        """The literal that puts a clue in force: one that there is, or a bit of its own."""
        self._statement(tag)
        if literal is not None:
            self.switches[tag] = literal
        elif tag not in self.switches:
            bit = self.builder.bit(f"clue {tag[0]}[{tag[1]}]")
            self.switches[tag] = bit.literals[1]
            self._switch_choices.append(bit.number)
        return self.switches[tag]

    @contextmanager
    def stating(self, at: At) -> Iterator[None]:
        """What is added meanwhile is stated at a place of the rule; see ``Rule.asks``."""
        before, self.builder.context = self.builder.context, self._statement(at)
        yield
        self.builder.context = before

    @contextmanager
    def always(self) -> Iterator[None]:
        """What is added meanwhile is what an answer means: no statement, it holds in any case."""
        before, self.builder.context = self.builder.context, ""
        yield
        self.builder.context = before

    def places(self, every: Sequence[At] | None) -> list[str] | None:
        """The labels of rows, each of which is stated at another place; None for the one before."""
        return [*map(self._statement, every)] if self.stated and every is not None else None

    def _statement(self, at: At) -> str:
        """What the labels of a statement begin with."""
        if not self.stated:
            return ""
        words = self._rule.says if at is None else at
        key = (self._rule, at) if isinstance(words, int) or not words else words
        number, rules = self.statements.setdefault(key, (len(self.statements), {}))
        rules.setdefault(self._rule, at)
        return f"{number}:"

    def add(self, rule: Any) -> None:
        """Let a rule add its rows and choices, see ``Rule.constrain``."""
        start, self._rule = self.builder.n_choices, rule
        with self.stating(None):
            write = rule.constrain(self)
        if write is not None:
            new = np.arange(start, self.builder.n_choices)
            self._writes.append((np.setdiff1d(new, self._switch_choices), write))

    def build(self) -> Model:
        """The model, whose field is the values of the cells."""
        (n_cells, n_values), values = self.literals.shape, np.array(self.values)
        base = 0
        if self._ways is not None:  # in terms of the first value
            n_values, base, values = 1, int(values[1]), values[:1] - values[1]
        cell, worth = np.repeat(np.arange(n_cells), n_values), np.tile(values, n_cells)
        literals = self.literals[:, :n_values].ravel()
        view = self.builder.view("cells", cell, literals, worth, base=base, n_cells=n_cells)
        write = _Written(
            self.literals,
            self.values,
            self.free,
            (*self._writes,),
            self.builder.n_choices,
            None if self._ways is None else self._ways.write,
        )
        field = Field(self.shape, self.values[0], self.values[-1], (view,), write)
        return self.builder.build(field)


def statement_of(label: str) -> int:
    """The number of the statement that a row, or a graph, belongs to; -1 for none.

    >>> statement_of("4:12:row[3]"), statement_of("row[3]")
    (12, -1)
    """
    number = _STATEMENT.match(label)
    return int(number[1]) if number and number[1] else -1


def add_by_key(
    builder: ModelBuilder, family: str, parts: Sequence[Part], low: int, high: int
) -> None:
    """A row for each key that terms have."""
    keys, literals, signs = (
        np.concatenate(each) for each in zip(*(np.broadcast_arrays(*p) for p in parts), strict=True)
    )
    unique, row = np.unique(keys, return_inverse=True)
    add = builder.rows(family).add
    add(literals, signs, rows=row, count=len(unique), lower=low, upper=high)


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """The value of each choice for an answer; InputError for one that has no place."""

    literals: IntArray
    values: tuple[int, ...]
    free: IntArray
    writes: tuple[tuple[IntArray, Write], ...]
    n_choices: int
    ways: Write | None

    def __call__(self, answer: IntArray) -> list[Hashable]:
        flat = np.asarray(answer).ravel()
        place = np.searchsorted(self.values, flat).clip(0, len(self.values) - 1)
        for cell in np.flatnonzero(self.literals[np.arange(len(flat)), place] == FALSE)[:1]:
            if self.values == (0, 1):
                what = ("a white cell", "a black cell")[place[cell]]
                raise InputError(f"the answer has {what} where none can be")
            where = "row[{}] column[{}]".format(*divmod(cell, answer.shape[1]))
            raise InputError(f"the answer breaks a rule or a given: {where} is {flat[cell]}")
        written: list[Hashable] = [0] * self.n_choices  # as switches are
        names: Any = flat if self.ways is None else np.array(self.ways(answer), dtype=object)
        written[: len(self.free)] = names[self.free].tolist()
        for numbers, write in self.writes:
            for number, value in zip(numbers.tolist(), write(np.asarray(answer)), strict=True):
                written[number] = value
        return written
