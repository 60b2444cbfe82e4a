"""What every puzzle is: an instance with its rules, formulations, picture and examples.

A puzzle is a folder of this one, or of another package that registers its class in the
entry-point group ``qubopuzzle.puzzles``, with one subclass of ``Puzzle``.
"""

from __future__ import annotations

import json
import re
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from importlib.resources import files
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.base.places import TOWARDS, cell_names, listed
from qubopuzzle.errors import InputError, PuzzleError, did_you_mean
from qubopuzzle.model import IntArray, Model, disagreement
from qubopuzzle.model import Violation as Violation
from qubopuzzle.picture import Picture
from qubopuzzle.problem import Problem
from qubopuzzle.puzzles.vocabulary.grids import (
    BLACK,
    NUMBER_LIMIT,
    WHITE,
    BoolArray,
    Cell,
    read_grid,
    read_shading,
    shading_to_rows,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Edges:
    """How the values of an answer say which lines join cells, where it consists of lines.

    Attributes:
        factors: what a line adds to the value of the cell that it leaves to the right, down, to
            the left or up: powers of ``most + 1``, or 0 where only the cell beside says it.
        most: lines between the same two cells.
        ends: the cells where lines may begin and end, (rows, columns), between which they go
            straight on; None for all.
    """

    factors: tuple[int, int, int, int] = (1, 2, 4, 8)
    most: int = 1
    ends: BoolArray | None = None

    def words(self, value: int) -> str:
        """What a cell with this value is, in a sentence: how many lines leave it by which sides.

        >>> Edges().words(5), Edges().words(0)
        ('joined to the right and to the left', 'without a line')
        >>> Edges((1, 3, 0, 0), most=2).words(7)
        'joined to the right and twice downwards'
        """
        sides = [(f, side) for f, side in zip(self.factors, TOWARDS, strict=True) if f]
        counts = [(value // f % (self.most + 1), side) for f, side in sides]
        joined = [f"{_TIMES.get(n, f'{n} times ')}{side}" for n, side in counts if n]
        if joined:
            return f"joined {' and '.join(joined)}"
        where = "" if len(sides) == len(TOWARDS) else " " + " or ".join(side for _, side in sides)
        return f"without a line{where}"

    def certain(self, values: Sequence[int]) -> dict[int, bool]:
        """The sides by which lines leave with all of some values, and those with none.

        >>> Edges().certain([5, 6])
        {2: True, 3: False}
        """
        counts = np.array(values)[:, None] // np.maximum(self.factors, 1) % (self.most + 1)
        every = ((counts > 0) & (np.array(self.factors) > 0)).T.tolist()
        return {side: each[0] for side, each in enumerate(every) if len({*each}) == 1}

    def changed(
        self, before: Sequence[int], after: Sequence[int], side: int | None = None
    ) -> dict[int, bool]:
        """The same of fewer values where more leave it open; of one side, if it is among them.

        Without those by which none leaves if there are others.

        >>> Edges().changed([5, 6, 10], [5]), Edges().changed([5, 6, 10], [5], side=1)
        ({0: True, 2: True}, {1: False})
        """
        old = self.certain(before)
        new = {s: leaves for s, leaves in self.certain(after).items() if s not in old}
        if side in new:
            return {side: new[side]}
        return {s: True for s, leaves in new.items() if leaves} or new

    def narrowed(
        self, before: Sequence[int], after: Sequence[int], side: int | None = None
    ) -> list[str]:
        """The same in words.

        >>> Edges().narrowed([5, 6, 10], [5]), Edges().narrowed([5, 6, 10], [5], side=1)
        (['joined to the right and to the left'], ['not joined downwards'])
        """
        changed = self.changed(before, after, side)
        sides = [TOWARDS[s] for s in changed]
        if True in changed.values():
            return [f"joined {listed(sides)}"]
        return [f"not joined {listed(sides, 'or')}"] if sides else []


@dataclass(frozen=True, kw_only=True)
class Puzzle(Problem):
    """An instance of a puzzle, validated when it is made.

    ``solution`` is a known answer (shape of the grid) or None; ``n_solutions`` is 1
    for proved unique, 2 for at least two, None for undecided.

    The class of a puzzle says, besides:

    - ``formulations``: functions from an instance to its model, by name; keyword-only
      arguments annotated as int are settings;
    - ``default_formulation``, and ``lazy_formulation`` for solvers that meet connectivity and
      cycles by cuts, where that is another;
    - ``generator``: where its ``PuzzleGenerator`` is, as ``package.module:Class``, which is
      imported when first used;
    - ``links``: how its boards are written, see ``puzzles.links``;
    - ``value_names``: of values in sentences, where they are neither black and white, nor numbers,
      signs or lines: "a star", which several cells are "stars";
    - ``aliases``: its other names, of players and books, small letters and digits, with spaces
      between;
    - ``contradiction``: why no board can have such clues, where one look at them shows it.

    It refuses what is no instance at all, a grid of another form or signs that it does not have.
    """

    name: ClassVar[str]
    default_formulation: ClassVar[str]
    lazy_formulation: ClassVar[str] = ""
    formulations: ClassVar[Mapping[str, Callable[..., Model]]]
    generator: ClassVar[str] = ""
    links: ClassVar[tuple[Any, ...]] = ()
    aliases: ClassVar[str] = ""
    value_names: ClassVar[Mapping[int, str]] = {}

    id: str = field(default="", compare=False, repr=True)
    title: str = field(default="", compare=False, repr=False)
    author: str = field(default="", compare=False, repr=False)
    licence: str = field(default="", compare=False, repr=False)
    source: str = field(default="", compare=False, repr=False)
    url: str = field(default="", compare=False, repr=False)
    solution: IntArray | None = field(default=None, compare=False, repr=False)
    n_solutions: int | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in _ABOUT:
            value = getattr(self, name)
            expected, kind = (int, "a whole number") if name == "n_solutions" else (str, "a text")
            if value is not None and (not isinstance(value, expected) or isinstance(value, bool)):
                raise PuzzleError(f"{name}: expected {kind}, got {brief(value)}")

    def check_solution(self) -> None:
        """Read ``solution``, if there is one, hold it against the rules, and freeze it.

        For the end of ``__post_init__``, once the instance itself is in order.

        Raises:
            InputError: for a solution that is none.
        """
        if self.solution is None:
            return
        given: Any = self.solution
        solution = given if isinstance(given, np.ndarray) else self.parse_answer(given)
        for broken in self.each_violation(solution):
            raise PuzzleError(f"solution: {broken.message}")
        solution = np.array(solution, dtype=np.int64)
        solution.setflags(write=False)
        object.__setattr__(self, "solution", solution)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns: those of the field ``grid`` if a puzzle does not say otherwise."""
        grid = vars(self)["grid"]
        return len(grid), len(grid[0])

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the native JSON object: the fields by their names.

        Raises:
            PuzzleError: naming the key that is missing, unknown, or cannot be used.
        """
        own_fields = [f for f in fields(cls) if f.name not in _SHARED]
        known = [f.name for f in own_fields] + _SHARED
        for key in data:
            if key not in (*known, "puzzle", *_IGNORED):
                shown = [f.name for f in own_fields[:_SHOWN]] + ["..."] * (len(own_fields) > _SHOWN)
                hint = did_you_mean(key, known, f"a {cls.name} has {', '.join([*shown, *_SHARED])}")
                raise PuzzleError(f"{key[:40]}: unknown key; {hint}")
        need(data, *(f.name for f in own_fields if f.default is f.default_factory is MISSING))
        given = [key for key in known if key in data]
        return cls(**{k: data[k] for k in given if k not in _SHARED or data[k] is not None})

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object; ``from_dict`` reads it back."""
        about = {name: getattr(self, name) for name in _ABOUT}
        if self.solution is not None:
            about["solution"] = self.format_answer(self.solution)
        about = {key: value for key, value in about.items() if value not in ("", None)}
        names = [f.name for f in fields(self) if f.name not in _SHARED]
        return {
            "puzzle": self.name,
            **about,
            **{name: _plain(getattr(self, name)) for name in names},
        }

    @property
    def is_shaded(self) -> bool:
        """Whether an answer is 1 for a black cell and 0 for a white one."""
        return False

    @property
    def edges(self) -> Edges:
        """How lines make an answer, if its picture has any, for those who draw it by hand."""
        return Edges()

    @property
    def signs(self) -> str:
        """Of 0, 1, ... in lines of an answer; none where it is rows of numbers."""
        return WHITE + BLACK if self.is_shaded else ""

    @cached_property
    def has_lines(self) -> bool:
        """Whether an answer is drawn as lines from cell to cell, which ``edges`` are about."""
        return self.picture(np.zeros(self.shape, dtype=np.int64)).paths is not None

    @classmethod
    def rules_in_words(cls) -> str:
        """The rules for people: what the class's docstring says of them, and not of data.

        >>> from qubopuzzle import Hitori
        >>> Hitori.rules_in_words()[:70]
        'Shade cells so that no number is left twice in a row or column. No two'

        These are the sentences before any list, example or section that have no code and do not
        say what an answer is.
        """
        text = re.split(r"\n\n(?:>>>|-|\w+:\n)", cleandoc(cls.__doc__ or ""))[0]
        sentences = re.split(r"(?<=\.)\s+", " ".join(text.split()))
        return " ".join(s for s in sentences if "``" not in s and not s.startswith("An answer"))

    def value_name(self, value: int, *, several: bool = False) -> str:
        """What a cell with a value of an answer is, in a sentence.

        >>> from qubopuzzle import Nonogram
        >>> Nonogram(rows="1;2", cols="1;2").value_name(1)
        'black'

        Args:
            value: of an answer.
            several: whether it is said of several cells.
        """
        if name := self.value_names.get(value):
            return name.removeprefix("a ") + "s" if several and name.startswith("a ") else name
        if self.has_lines:
            return self.edges.words(value)
        if not self.signs:
            return str(value)
        sign = self.signs[value]
        if self.is_shaded:
            return {WHITE: "white", BLACK: "black"}.get(sign, f"of colour {sign}")
        return "empty" if sign == WHITE else sign

    def describe(self, cells: Mapping[Cell, int], marks: Mapping[Cell, int] = {}) -> str:  # noqa: ARG002
        """What cells with these values of an answer are, in a sentence; those of a value together.

        Args:
            marks: what is on the board: a line that it shows is not said again.

        >>> from qubopuzzle import Nonogram
        >>> Nonogram(rows="1;2", cols="1;2").describe({(0, 0): 0, (1, 0): 1, (1, 1): 1})
        'row 1, column 1 is white, and row 2, columns 1 and 2 are black'
        """
        by_value: dict[int, list[Cell]] = {}
        for cell, value in sorted(cells.items()):
            by_value.setdefault(value, []).append(cell)
        parts = []
        for value, several in by_value.items():
            is_one = len(several) == 1
            name = self.value_name(value, several=not is_one)
            parts.append(f"{cell_names(several)} {'is' if is_one else 'are'} {name}")
        more = sum(map(len, [*by_value.values()][_NAMED:]))
        others = f"{more} more cell{'s' * (more > 1)} by the same"
        return ", and ".join([*parts[:_NAMED], *[others] * bool(more)])

    def describe_narrowed(
        self, cells: Mapping[Cell, tuple[Sequence[int], Sequence[int]]], two: Sequence[Cell] = ()
    ) -> str:
        """What cells can no longer be, of the values before and after, in a sentence.

        Where an answer consists of lines it is about sides, and about that between ``two`` cells,
        if they are why. Empty for more than can be said.

        >>> from qubopuzzle import Sudoku
        >>> Sudoku("1" + "." * 15).describe_narrowed({(0, 1): ([2, 3, 4], [2, 4])})
        'row 1, column 2 is not 3'
        """
        facts: dict[str, list[Cell]] = {}
        for cell, (before, after) in sorted(cells.items()):
            side = next((side for side, other in sides_of(cell) if {cell, other} == {*two}), None)
            if several := self._narrowed(before, after, side):
                facts.setdefault(listed(several), []).append(cell)
        if sum(map(len, facts.values())) > 2 * _NAMED:
            return ""
        parts = (
            f"{cell_names(several)} {'are' if several[1:] else 'is'} {fact}"
            for fact, several in facts.items()
        )
        return ", and ".join(parts)

    def _narrowed(self, before: Sequence[int], after: Sequence[int], side: int | None) -> list[str]:
        """What a cell is, or is not, that it could be, or need not be, before."""
        if self.has_lines:
            if len(after) == 1 and after[0] in self.value_names:
                return [self.value_name(after[0])]
            named = [v for v in before if v in self.value_names and v not in after]
            is_not = [f"not {listed(map(self.value_name, named), 'or')}"] if named else []
            return is_not or self.edges.narrowed(before, after, side)
        gone = sorted({*before} - {*after})
        few = len(after) <= min(_FEW, len(gone))
        names = map(self.value_name, sorted(after) if few else gone)
        return [f"{'' if few else 'not '}{listed(names, 'or')}"] if gone else []

    def parse_answer(self, data: Any) -> IntArray:
        """Read an answer in its native form, shape ``self.shape``; InputError if it is none.

        It is lines of ``#`` and ``.``, or of other ``signs``, else rows of whole numbers, or lines
        of text with them, if a puzzle does not say otherwise.
        """
        if self.signs:
            answer = read_shading("solution", data, self.signs)
        else:
            answer = read_grid("solution", data, 0, NUMBER_LIMIT, {})
        check_shape(answer, self.shape)
        return answer

    def parse_marks(self, data: Any) -> dict[Cell, int]:
        """Read an answer in its native form that has ``?``, or None, in cells that are open.

        >>> from qubopuzzle import Nonogram
        >>> Nonogram(rows="1;2", cols="1;2").parse_marks([".?", "?#"])
        {(0, 0): 0, (1, 1): 1}

        Raises:
            InputError: for what is none.
        """
        lines = data.split("\n") if isinstance(data, str) else data
        if not isinstance(lines, list | tuple):
            raise InputError(f"marks: expected rows, got {brief(data)}")
        rows = [_marks_of(row) for row in lines if row]
        blank = self.signs[0] if self.signs else "0"
        filled = [[blank if cell in ("?", None) else str(cell) for cell in row] for row in rows]
        answer = self.parse_answer([("" if self.signs else " ").join(row) for row in filled])
        shown = [[cell not in ("?", None) for cell in row] for row in rows]
        return {(r, c): int(answer[r, c]) for r, c in np.argwhere(shown).tolist()}

    def format_answer(self, answer: IntArray) -> Any:
        """The native form of an answer, fit for JSON."""
        return shading_to_rows(answer, self.signs) if self.signs else answer.tolist()

    @abstractmethod
    def violations(self, answer: IntArray) -> list[Violation]:
        """Every rule that the answer breaks, straight from the rules; empty if it is right.

        Raises:
            InputError: for an array of another shape or with values that are no answer.
        """

    def each_violation(self, answer: IntArray) -> Iterable[Violation]:
        """The same one by one, as far as they are asked for; all at once if not said otherwise."""
        return self.violations(answer)

    @abstractmethod
    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """What to draw: the clues, an answer, and broken cells in red."""

    def board(self, marks: Mapping[Cell, int]) -> Picture:
        """What to draw where only these cells of an answer are known.

        >>> from qubopuzzle import Nonogram
        >>> print(Nonogram(rows="1;2", cols="1;2").board({(0, 0): 0, (0, 1): 1}).text())
           1 2
        1  ×██
        2  · ·
        """
        answer, known = np.zeros(self.shape, dtype=np.int64), np.zeros(self.shape, dtype=bool)
        for cell, value in marks.items():
            answer[cell], known[cell] = value, True
        return self.picture(answer).only(known, self.picture())

    @classmethod
    def examples(cls) -> list[Self]:
        """Small instances with their solutions.

        They are the lines of a file beside the class's module: its name with ``.jsonl`` behind it,
        or ``examples.jsonl``.
        """
        package = sys.modules[cls.__module__].__package__
        for name in (f"{cls.name}.jsonl", "examples.jsonl") if package else ():
            file = files(str(package)).joinpath(name)
            if file.is_file():
                lines = file.read_text("utf-8").splitlines()
                return [cls.from_dict(json.loads(line)) for line in lines]
        return []

    @property
    def extent(self) -> str:
        """Rows and columns, for people."""
        return f"{self.shape[0]} x {self.shape[1]} cells"

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.shape[0] * self.shape[1]

    def read(self, model: Model, x: IntArray) -> tuple[IntArray | None, list[Violation]]:
        """Field reconstruction: the grid, the cells where views disagree, the broken rules."""
        if model.field is None:
            raise InputError(f"this model of {self.name} has no field to read the answer from")
        grid, cells = model.field.read(x)
        return grid, [*disagreement(cells), *self.violations(grid)]

    def check(self, given: Any) -> tuple[IntArray | None, list[Violation]]:
        """Judge an answer that somebody gives: a grid, or its native JSON form.

        Lines of text may be one, of all cells.
        """
        rows, columns = self.shape
        lines = given.split() if isinstance(given, str) else given
        if isinstance(lines, list) and len(lines) == 1 < rows and isinstance(lines[0], str):
            line = lines[0].strip()
            if len(line) == rows * columns:
                given = [line[r : r + columns] for r in range(0, len(line), columns)]
        grid = given if isinstance(given, np.ndarray) else self.parse_answer(given)
        violations = self.violations(grid)
        if self.contradiction is not None:
            violations.insert(
                0, Violation("clues", f"no answer can be right: {self.contradiction}")
            )
        return grid, violations

    def formulation_for(self, *, cuts: bool) -> str:
        """The default of a solver, which meets connectivity and cycles by ``cuts`` or does not."""
        return (cuts and self.lazy_formulation) or self.default_formulation

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the unsolved puzzle with matplotlib."""
        return self.picture().plot(ax)

    def _repr_svg_(self) -> str:
        return self.picture().image("svg").decode()


@dataclass(frozen=True, slots=True)
class GeneratorOption:
    """A whole number that a generator takes: its default (None: found out), and its bounds."""

    name: str
    default: int | None
    about: str
    least: int
    most: int


def obeys(puzzle: Puzzle, answer: IntArray) -> bool:
    """Whether an answer breaks no rule; returns at the first that it breaks."""
    return next(iter(puzzle.each_violation(answer)), None) is None


class ComparedByFields:
    """Equality and hash of a dataclass with ``eq=False`` whose fields may be arrays."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def _compared(self) -> tuple[Any, ...]:
        """The fields that make the puzzle, arrays as what can be hashed."""
        compared: Any = self
        values = [getattr(self, f.name) for f in fields(compared) if f.compare]
        return tuple((v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values)


_NAMED = 6
"""Different values of cells that are named; cells of those beyond are counted."""
_FEW = 3
"""Values that are left to a cell, and named."""
_TIMES = {1: "", 2: "twice "}
_SHARED = [f.name for f in fields(Puzzle)]
"""Keys that every puzzle's JSON may have."""
_SHOWN = 8
"""Keys of a puzzle's own that an error names."""
_ABOUT = [name for name in _SHARED if name != "solution"]
_IGNORED = ("comment", "difficulty", "grade", "n_solutions_free", "tatham")
"""Keys that collections of puzzles have besides; they say nothing of the puzzle."""


def need(data: Mapping[str, Any], *keys: str) -> list[Any]:
    """The values of these keys; PuzzleError for one that is missing."""
    for key in keys:
        if key not in data:
            raise PuzzleError(f"{key}: missing")
    return [data[key] for key in keys]


def _plain(value: Any) -> Any:
    """Arrays and tuples as lists, for JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _marks_of(row: Any) -> list[Any]:
    """The cells of a row: a list, words, or characters."""
    if isinstance(row, str):
        words = row.split()
        return words if len(words) > 1 else [*row.strip()]
    if not isinstance(row, list | tuple):
        raise InputError(f"marks: expected rows, got {brief(row)}")
    return [*row]


def sides_of(cell: Cell) -> Iterator[tuple[int, Cell]]:
    """The cells beside a cell, by their place in ``TOWARDS``."""
    r, c = cell
    yield from enumerate([(r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)])


def check_shape(answer: IntArray, shape: tuple[int, int], values: range | None = None) -> None:
    """Raise InputError unless the answer is an array of this shape and, if given, these values."""
    if np.shape(answer) != shape:
        got = " x ".join(str(n) for n in np.shape(answer)) or "a single value"
        raise InputError(f"the answer has {got} cells, the puzzle {shape[0]} x {shape[1]}")
    if values and not set(np.ravel(answer).tolist()) <= set(values):
        between = "and" if len(values) == 2 else "to"
        raise InputError(f"the answer has values other than {values[0]} {between} {values[-1]}")
