"""Fields of a puzzle that hold its clues: how they are read, and shown in JSON.

Each of these functions makes a field of a dataclass, which ``kind.Kind`` reads, as in::

    grid: IntArray = clues.numbers(0, 4, {"#": BLACK})
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from typing import Any

import numpy as np

from qubopuzzle.base.checks import bounds, brief, whole
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.vocabulary.grids import (
    BLANK,
    NUMBER_LIMIT,
    SIDE_LIMIT,
    Cell,
    listed,
    read_grid,
    read_numbers,
    regions,
)

LIST_LIMIT = 10_000
"""Most clues of a list."""
_SHOWN = 8
"""Signs that an error names."""
BLANK_VALUE = -1
"""Stands for a cell or a line without a clue, where 0 is one; None in JSON."""


@dataclass(frozen=True, slots=True)
class Clues:
    """``read`` takes the key and what a user gives, ``show`` is its inverse for JSON.

    ``blank`` stands for an empty cell, ``dropped`` for a clue that is left out, and ``signs`` are
    those of cells in JSON besides numbers; ``words`` are drawn in place of these, by number.
    ``cells``: those that are named, and where.
    """

    read: Callable[[str, Any], Any]
    show: Callable[[Any], Any]
    blank: int | None = None
    dropped: int | None = None
    signs: Mapping[str | None, int] = field(default_factory=lambda: BLANK)
    words: Mapping[int, str] = field(default_factory=dict)
    cells: Callable[[Any], Iterator[tuple[int, Cell]]] = lambda _: iter(())

    def without(self, clues: Any, places: Sequence[int]) -> Any:
        """Clues but for some, by their places in a list or as in a row-major array."""
        if isinstance(clues, tuple):
            return tuple(clue for place, clue in enumerate(clues) if place not in places)
        kept = np.array(clues)
        kept.flat[places] = self.dropped
        return kept

    def sign(self, number: int) -> int | str | None:
        """A number as it stands in JSON."""
        return {value: sign for sign, value in self.signs.items()}.get(number, number)

    def drawn(self, number: int) -> str:
        """A number as it is drawn."""
        return self.words.get(number, str(self.sign(number)))


def numbers(
    least: int = 0,
    most: int = NUMBER_LIMIT,
    signs: Mapping[Any, int] | None = None,
    *,
    dropped: int | None = None,
    words: Mapping[int, str] | None = None,
    side: int = SIDE_LIMIT,
    cased: bool = False,
) -> Any:
    """A number a cell, (rows, columns), or nothing, or one of some signs.

    An array has what the signs stand for in their place, as the field has.

    Args:
        least, most: of the numbers.
        signs: what else there may be, and what it stands for; a blank is ``None``, 0 without.
        dropped: what a number becomes that is left out; a blank without.
        words: what is drawn for numbers that are not drawn as they stand in JSON, such as discs.
        side: the most rows or columns.
        cased: whether small letters are no capitals, as in ``read_grid``.
    """
    known = {**BLANK, **(signs or {})}
    least = min(least, known[None]) if known[None] == 0 else least  # which is a blank
    names = [sign for sign, value in known.items() if sign and not least <= value <= most]
    plain = f"a whole number{bounds(least, most)}"
    shown = " ".join(names[:_SHOWN]) + " ..." * (len(names) > _SHOWN)
    several = [plain] * (least < most or least == most != known[None])
    expected = " or ".join([*several, *["one of " * (len(names) > 1) + shown] * bool(names)])
    low, high = (choose((end, *known.values())) for choose, end in ((min, least), (max, most)))

    def read(key: str, given: Any) -> IntArray:
        if isinstance(given, np.ndarray):
            return read_grid(key, given, low, high, known, side=side)
        try:
            return read_grid(key, given, least, most, known, side=side, cased=cased)
        except PuzzleError as error:
            raise PuzzleError(str(error).replace(plain, expected)) from None

    def show(grid: IntArray) -> Any:
        names = {number: made.sign(number) for number in np.unique(grid).tolist()}
        return [[names[number] for number in row] for row in grid.tolist()]

    left_out = known[None] if dropped is None else dropped
    made = Clues(read, show, known[None], left_out, known, words or {})
    return field(metadata={"clues": made})


def rooms(*, numbered: bool = False, optional: bool = False) -> Any:
    """A number a cell, (rows, columns), by which it belongs to a room; each in one piece.

    Rooms are numbered by their first cells; letters in lines of text are their names. ``numbered``:
    they have the numbers from 0 on already, by which ``per_room`` has its clues. ``optional``:
    there may be none.
    """

    def read(key: str, given: Any) -> IntArray | None:
        if given is None and optional:
            return None
        names = read_grid(key, given, 0, NUMBER_LIMIT, cased=not numbered)
        room = regions(names)
        _, first = np.unique(room, return_index=True)
        name, count = np.unique(names.ravel()[first], return_counts=True)
        if numbered and len(name) <= name[-1]:
            missing = int(np.argmax(np.append(name, -1) != np.arange(len(name) + 1)))
            raise PuzzleError(f"{key}: no cell belongs to room {missing}")
        for several in name[count > 1].tolist():
            raise PuzzleError(f"{key}: room {several} is in several pieces")
        room.setflags(write=False)
        return names if numbered else room

    made = Clues(read, lambda rooms: None if rooms is None else rooms.tolist())
    return field(default=None if optional else MISSING, metadata={"clues": made})


def number(least: int, most: int, default: Any = MISSING) -> Any:
    """A whole number."""

    def read(key: str, given: Any) -> int:
        return whole(key, given, least, most, PuzzleError)

    return field(default=default, metadata={"clues": Clues(read, int)})


def line(*, optional: bool = False) -> Any:
    """A number for each row or column, or None; shape (lines,). ``optional``: it may be missing."""
    known: Mapping[str | None, int] = {None: BLANK_VALUE}

    def read(key: str, given: Any) -> IntArray | None:
        if given is None and optional:
            return None
        values = given.split() if isinstance(given, str) else given
        if isinstance(given, str):
            values = [int(v) if v.isdecimal() and len(v) < 10 else v for v in values]
            values = [None if v in (".", "-") else v for v in values]
        line = np.array(read_numbers(key, values, BLANK_VALUE, NUMBER_LIMIT, known), dtype=np.int64)
        line.setflags(write=False)
        return line

    def show(line: IntArray) -> list[int | None]:
        return [None if value == BLANK_VALUE else value for value in line.tolist()]

    made = Clues(read, show, BLANK_VALUE, BLANK_VALUE, known)
    return field(default=None if optional else MISSING, metadata={"clues": made})


def letters(names: str, *, is_line: bool = False, side: int = SIDE_LIMIT) -> Any:
    """Letters that stand for 1, 2, ..., ``.`` or None for none; or these numbers, as in JSON.

    A grid, (rows, columns), which JSON leaves out if there are none; or, with ``is_line``, one for
    each row or column, (lines,). It may be missing. ``side``: the most rows or columns.
    """
    words = {None: 0} | {name: number for number, name in enumerate(f".{names}")}

    def read(key: str, given: Any) -> IntArray | None:
        if given is None:
            return None
        if not is_line:
            return read_grid(key, given, 0, len(names), words, side=side)
        marks = [*given] if isinstance(given, str) else listed(given)
        line = np.array(read_numbers(key, marks, 0, len(names), words), dtype=np.int64)
        line.setflags(write=False)
        return line

    def show(numbers: IntArray) -> Any:
        return numbers.tolist() if is_line or numbers.any() else None

    return field(default=None, metadata={"clues": Clues(read, show, 0, 0, words)})


def per_room() -> Any:
    """A number a room, or None; a tuple."""

    def read(key: str, given: Any) -> tuple[int | None, ...]:
        numbers = read_numbers(key, given, 0, NUMBER_LIMIT, {None: BLANK_VALUE})
        return tuple(None if number == BLANK_VALUE else number for number in numbers)

    return field(metadata={"clues": Clues(read, list)})


def flag(*, default: bool, shown: bool = False) -> Any:
    """True or false; ``shown``: also where it is the default."""

    def read(key: str, given: Any) -> bool:
        if not isinstance(given, bool | np.bool_):
            raise PuzzleError(f"{key}: expected true or false, got {brief(given)}")
        return bool(given)

    made = Clues(read, lambda value: None if value == default and not shown else value)
    return field(default=default, metadata={"clues": made})


@dataclass(frozen=True, slots=True)
class Part:
    """Of a clue in a list: how it is read, its default, ``...`` for none, and its cells."""

    read: Callable[[str, Any], Any]
    default: Any = ...
    cells: Callable[[Any], Sequence[Cell]] = lambda _: ()


def _cell(key: str, given: Any) -> Cell:
    cell = read_numbers(key, given, 0, SIDE_LIMIT, {})
    if len(cell) != 2:
        raise PuzzleError(f"{key}: expected [row, column], got {brief(given)}")
    return tuple(cell)


CELL = Part(_cell, cells=lambda cell: (cell,))
"""A cell, [row, column]."""


def cells(least: int = 1, most: int = LIST_LIMIT) -> Part:
    """So many cells, each once."""

    def read(key: str, given: Any) -> tuple[Cell, ...]:
        listed_cells = listed(given)
        if not isinstance(listed_cells, list | tuple) or not least <= len(listed_cells) <= most:
            expected = f"{least}" if least == most else f"at least {least}"
            raise PuzzleError(f"{key}: expected {expected} cells, got {brief(given)}")
        read = tuple(_cell(f"{key}[{i}]", cell) for i, cell in enumerate(listed_cells))
        for cell, count in Counter(read).items():
            if count > 1:
                raise PuzzleError(f"{key}: ({cell[0]},{cell[1]}) stands there twice")
        return read

    return Part(read, cells=lambda cells: cells)


NUMBERS = Part(lambda key, given: tuple(read_numbers(key, given, 1, NUMBER_LIMIT, {})))
"""Numbers from 1 on."""


def whole_number(default: Any = ...) -> Part:
    """A whole number, and what it is if it is not there."""

    def read(key: str, given: Any) -> int | None:
        if given is None and default is None:
            return None
        return whole(key, given, 0, NUMBER_LIMIT, PuzzleError)

    return Part(read, default)


def several(**parts: Part) -> Any:
    """A list of clues: each an object with these parts, or what the only part is.

    The field is a tuple of tuples of the parts, or of what the only one is.
    """
    made = _Several(parts)
    return field(default=(), metadata={"clues": Clues(made.read, made.show, cells=made.cells)})


@dataclass(frozen=True, slots=True)
class _Several:
    """Clues in a list, by their parts."""

    parts: Mapping[str, Part]

    def named(self, clue: Any) -> dict[str, Any]:
        """The parts of a clue of the field."""
        return dict(zip(self.parts, clue if len(self.parts) > 1 else (clue,), strict=True))

    def read(self, key: str, given: Any) -> tuple[Any, ...]:
        clues = listed(given)
        if not isinstance(clues, list | tuple) or len(clues) > LIST_LIMIT:
            raise PuzzleError(f"{key}: expected a list of clues, got {brief(given)}")
        return tuple(self.read_one(f"{key}[{i}]", clue) for i, clue in enumerate(clues))

    def read_one(self, key: str, given: Any) -> Any:
        parts = self.parts
        if len(parts) == 1:
            return next(iter(parts.values())).read(key, given)
        if isinstance(given, tuple) and len(given) == len(parts):
            given = self.named(given)  # as the field has it
        if not isinstance(given, Mapping):
            raise PuzzleError(f"{key}: expected {', '.join(parts)}, got {brief(given)}")
        for name in given:
            if name not in parts:
                raise PuzzleError(f"{key}: unknown key {brief(name)}; it has {', '.join(parts)}")
        values = {name: given.get(name, part.default) for name, part in parts.items()}
        for name, value in values.items():
            if value is ...:
                raise PuzzleError(f"{key}.{name}: missing")
        return tuple(parts[name].read(f"{key}.{name}", values[name]) for name in parts)

    def show(self, clues: tuple[Any, ...]) -> Any:
        """What is blank is left out; None for no clues."""
        if len(self.parts) == 1:
            return _listed(clues) or None
        shown = [self.named(clue).items() for clue in clues]
        return [{name: _listed(v) for name, v in each if v is not None} for each in shown] or None

    def cells(self, clues: tuple[Any, ...]) -> Iterator[tuple[int, Cell]]:
        """The cells of each clue, with its place."""
        for i, clue in enumerate(clues):
            for name, value in self.named(clue).items():
                yield from ((i, cell) for cell in self.parts[name].cells(value))


def _listed(value: Any) -> Any:
    """Tuples as lists, for JSON."""
    return [*map(_listed, value)] if isinstance(value, tuple) else value


def between(signs: Mapping[str, int], words: Mapping[int, str] | None = None) -> Any:
    """A sign between two cells side by side, or one below the other, or none; None for no sign.

    Lines of text or rows; their shape is one column, or one row, less than that of the grid.
    ``words``: what signs are called where that is not the sign.
    """
    known: dict[str | None, int] = dict(BLANK)
    known.update(signs)

    def read(key: str, given: Any) -> IntArray | None:
        return None if given is None else read_grid(key, given, 0, max(known.values()), known)

    def show(grid: IntArray | None) -> Any:
        names = {value: sign or "." for sign, value in known.items()}
        lines = [] if grid is None else grid.tolist()
        return None if grid is None else ["".join([names[n] for n in line]) for line in lines]

    return field(default=None, metadata={"clues": Clues(read, show, 0, 0, known, words or {})})


def check_between(shape: tuple[int, int], right: IntArray | None, down: IntArray | None) -> None:
    """Raise PuzzleError for fields ``right`` and ``down`` of ``between`` that do not fit a grid."""
    rows, columns = shape
    for name, signs, high, wide in (
        ("right", right, rows, columns - 1),
        ("down", down, rows - 1, columns),
    ):
        if signs is not None and signs.shape != (high, wide):
            size = " x ".join(map(str, signs.shape))
            raise PuzzleError(f"{name}: {size} signs, not {high} x {wide}")
