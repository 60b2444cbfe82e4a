"""A puzzle in one file: its clues and its rules; the rest follows from them."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, partial
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError, TooLarge
from qubopuzzle.model import IntArray, Model
from qubopuzzle.model.statements import StatedModel
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import (
    ComparedByFields,
    GeneratorOption,
    Puzzle,
    Violation,
    check_shape,
)
from qubopuzzle.puzzles.vocabulary.cells import Cells
from qubopuzzle.puzzles.vocabulary.clues import Clues
from qubopuzzle.puzzles.vocabulary.grids import (
    BLACK,
    Cell,
    cells_of,
    read_grid,
)
from qubopuzzle.puzzles.vocabulary.joined import joined, rechosen, substituted
from qubopuzzle.puzzles.vocabulary.rules import Different, Given, Rule
from qubopuzzle.puzzles.vocabulary.stated import name_of_clue, stated_model

Rng = np.random.Generator
VALUE_LIMIT = 20_000_000
"""Most cells of a model times their values: about 200 MB."""
Formulations: TypeAlias = Mapping[str, Callable[..., Model]]


def by_cells(puzzle: "Kind", **how: bool) -> Model:
    """A choice a cell, and the rows of all rules; ``how`` as in ``Cells``."""
    return cells_of_rules(puzzle, None, **how).build()


def by_every_value(puzzle: "Kind") -> Model:
    """The same, where each cell has all values that single clues leave it."""
    return cells_of_rules(puzzle, narrowed=False).build()


def cells_of_rules(
    puzzle: "Kind",
    rules: Sequence[Rule] | None = None,
    *,
    switched: bool = False,
    stated: bool = False,
    narrowed: bool = True,
    **how: bool,
) -> Cells:
    """The same before it is built.

    Args:
        puzzle: whose rules they are.
        rules: these in place of all.
        switched, stated: as in ``Cells``.
        narrowed: whether clues take values out of other cells, too.
        how: as in ``Cells``, ``by_cuts`` or ``by_sets``.
    """
    rules = puzzle.all_rules if rules is None else rules
    shape, values = puzzle.shape, puzzle.values
    if puzzle.cells * len(values) > VALUE_LIMIT:
        what = f"{puzzle.cells:,} cells of {len(values):,} values"
        raise TooLarge(f"a model of {what}: over {VALUE_LIMIT:,} together")
    allowed = np.ones((*shape, len(values)), dtype=bool)
    # Where clues take their values from the others of a group, only clues are no choices.
    has_units = any(isinstance(rule, Different) and rule.is_clue for rule in rules)
    late = [r for r in rules if r.is_clue and not isinstance(r, Given)] if has_units else []
    for rule in rules:
        if stated:
            rule.fix(allowed, values)
        elif rule not in late and not (switched and rule.is_clue):
            rule.narrow(allowed, values)
    known = allowed.sum(axis=2) == 1
    for rule in late if narrowed and not switched else ():
        rule.narrow(allowed, values)
    ways = (rule.ways(allowed) for rule in rules if not how.get("by_cuts"))
    several = next((one for one in ways if one is not None), None)
    cells = Cells(shape, values, allowed, known, switched=switched, ways=several, **how)
    cells.stated = stated
    for rule in rules:
        cells.add(rule)
    return cells


def by_groups(groups: Callable[[Any], Iterable[IntArray]], name: str) -> Callable[..., Model]:
    """A choice over what the cells of each group can be together, see ``joined``.

    Args:
        groups: of a puzzle, cells by row-major number, each in one of them at most.
        name: of the choices, such as ``row``.
    """
    return partial(_by_groups, groups, name)


def _by_groups(groups: Callable[[Any], Iterable[IntArray]], name: str, puzzle: "Kind") -> Model:
    cells = cells_of_rules(puzzle)
    return joined(cells.build(), cells.choices_of([*groups(puzzle)]), name)


def by_headings(puzzle: "Kind") -> Model:
    """A choice a cell over its value and the headings that rules have of it."""
    cells = cells_of_rules(puzzle)
    return joined(cells.build(), cells.own_choices, "cell")


def by_placements(puzzle: "Kind") -> Model:
    """The choices that rules add, such as rectangles, one a cell; cells follow from these."""
    cells = cells_of_rules(puzzle)
    model = substituted(cells.build(), np.arange(len(cells.free)))
    return joined(model, [several - len(cells.free) for several in cells.added_choices], "cell")


def by_rows(puzzle: "Kind", family: str) -> Model:
    """A choice for each row of a family over the cells where its value can stand."""
    cells = cells_of_rules(puzzle)
    return rechosen(cells.build(), family, cells_of(cells.free, puzzle.shape[1]))


by_cuts = partial(by_cells, by_cuts=True)
"""A choice a cell; what must be connected, or one loop, is left to solvers' cuts."""
by_digits = partial(by_cells, by_sets=False)
"""A choice a cell, and a row for the sum of a group of different values, not one over its sets."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind(ComparedByFields, Puzzle):
    """A puzzle whose answer has a value in each cell, by its clues and rules.

    A subclass is a frozen dataclass with ``eq=False`` whose fields are made by ``clues``, and says

    - ``values`` of a cell of the answer, ascending; by default 0, and 1 for black;
    - ``rules``, from which models and the check of answers follow;
    - ``formulations``, by default ``cells``: a choice a cell;
    - ``marks``, what is drawn for values, in place of black for 1; ``picture``, where that is not
      enough;
    - ``drawn``, a random board, if it is generated: see ``vocabulary.generator``; ``usual`` and
      ``options``, which ``drawn`` takes by name, as there, and ``least``, the fewest rows and
      columns that it has.
    """

    default_formulation: ClassVar[str] = "cells"
    formulations: ClassVar[Formulations] = {"cells": by_cells}
    generator: ClassVar[str] = "qubopuzzle.puzzles.vocabulary.generator:KindGenerator"
    values: ClassVar[Sequence[int]] = range(2)
    marks: ClassVar[Mapping[int, str]] = {}
    usual: ClassVar[tuple[int, int]] = (10, 10)
    options: ClassVar[tuple[GeneratorOption, ...]] = ()
    least: ClassVar[int] = 1
    is_square: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, clues in clues_of(type(self)).items():
            object.__setattr__(self, name, clues.read(name, getattr(self, name)))
        for name, clues in clues_of(type(self)).items():
            for place, (r, c) in clues.cells(getattr(self, name)):
                if r >= self.shape[0] or c >= self.shape[1]:
                    raise PuzzleError(f"{name}[{place}]: ({r},{c}) is not in {self.extent}")
        self.fit()
        self.check_solution()

    def fit(self) -> None:
        """Raise PuzzleError for clues that do not fit together, such as lines of other lengths."""

    @abstractmethod
    def rules(self) -> Iterator[Rule]:
        """All rules."""

    @cached_property
    def all_rules(self) -> tuple[Rule, ...]:
        """The same, made once."""
        return tuple(self.rules())

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:  # noqa: ARG003 - for others
        """A random board with all clues that it may have, and its solution."""
        raise InputError(f"{cls.name} has no generator")

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:  # noqa: ARG002 - for others
        """A board much like it, with its solution, which this other one does not solve, or None."""
        return None

    def with_clues(self, **fields: Any) -> Self:
        """The same board and solution with other clues in these fields: fewer, in the generator."""
        return replace(self, **fields)

    def stated(self) -> StatedModel:
        """A statement for each clue, and for each rule, at each place that it counts over."""
        return self._stated(self.all_rules)

    def stated_on_board(self) -> StatedModel:
        """The same, but clues that one sees to be kept always hold."""
        return self._stated([rule.on_board() for rule in self.all_rules])

    def _stated(self, rules: Sequence[Rule]) -> StatedModel:
        cells = cells_of_rules(self, rules, switched=True, stated=True, by_cuts=True)
        return stated_model(self, cells)

    def clue_name(self, name: str, place: int) -> str:
        """What a clue is called: its field, and its place there."""
        return name_of_clue(self, clues_of(type(self))[name], name, place)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns: those of the first field."""
        rows, columns = vars(self)[next(iter(clues_of(type(self))))].shape
        return rows, columns

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object; what is blank is null."""
        shown = {n: c.show(getattr(self, n)) for n, c in clues_of(type(self)).items()}
        data = {**super().to_dict(), **shown}
        return {key: value for key, value in data.items() if value is not None}

    def parse_answer(self, data: Any) -> IntArray:
        """Numbers from the least of the values on, where cells are not black or white."""
        if self.signs:
            return super().parse_answer(data)
        answer = read_grid("solution", data, min(0, self.values[0]), self.values[-1])
        check_shape(answer, self.shape)
        return answer

    @property
    def is_shaded(self) -> bool:
        """Whether the values are 0 and 1."""
        return [*self.values] == [0, 1]

    def violations(self, answer: IntArray) -> list[Violation]:
        """What all rules say."""
        return [*self.each_violation(answer)]

    def each_violation(self, answer: IntArray) -> Iterator[Violation]:
        """The same one by one."""
        values = self.values
        check_shape(answer, self.shape, range(min(0, values[0]), values[-1] + 1))  # 0: empty
        if strange := {*answer.ravel().tolist()} - {*values, 0}:
            known = ", ".join(map(str, values))
            r, c = np.argwhere(np.isin(answer, [*strange]))[0].tolist()
            yield Violation("value", f"({r},{c}) is {answer[r, c]}; there are {known}", ((r, c),))
            return
        empty = cells_of(np.flatnonzero(answer == 0), self.shape[1]) if 0 not in values else ()
        if empty:
            shown = " ".join(f"({r},{c})" for r, c in empty[:6]) + " ..." * (len(empty) > 6)
            what = "1 cell is" if len(empty) == 1 else f"{len(empty)} cells are"
            yield Violation("empty", f"{what} empty: {shown}", empty)
        for rule in self.all_rules:
            broken = rule.broken(np.asarray(answer))
            yield from (each for each in broken if not {*empty}.intersection(each.cells))

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Numbers and signs of the cells, rooms, and the answer: black cells, marks or numbers."""
        parts: dict[str, Any] = {"words": {}, "black": None}
        for name, clues in clues_of(type(self)).items():
            value = getattr(self, name)
            if name == "rooms":
                parts["rooms"] = value
            elif isinstance(value, np.ndarray) and value.shape == self.shape:
                parts |= _drawn_numbers(clues, value)
        given = frozenset(parts["words"])
        if answer is not None and self.is_shaded and not self.marks:
            parts["black"] = answer
        elif answer is not None:
            drawn = (answer != 0) | (0 in self.marks)
            for r, c in np.argwhere(drawn).tolist():
                value = int(answer[r, c])
                parts["words"].setdefault((r, c), self.marks.get(value, str(value)))
        return Picture(*self.shape, given=given, broken=frozenset(broken), **parts)


def _drawn_numbers(clues: Clues, grid: IntArray) -> dict[str, Any]:
    """The numbers and signs of a grid as words; those with ``#`` in them as black cells."""
    numbers = np.unique(grid).tolist()
    drawn = {number: clues.drawn(number) for number in numbers}
    words = {(r, c): drawn[grid[r, c]] for r, c in np.argwhere(grid != clues.blank).tolist()}
    black = np.zeros(grid.shape, dtype=np.int64)
    for cell in [cell for cell, word in words.items() if word == BLACK]:
        black[cell] = 1
        del words[cell]
    return {"words": words, "black": black if black.any() else None}


@cache
def clues_of(kind: type[Kind]) -> dict[str, Clues]:
    """The fields of a kind that hold clues, by name."""
    return {f.name: f.metadata["clues"] for f in fields(kind) if "clues" in f.metadata}
