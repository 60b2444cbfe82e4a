"""Fields of a puzzle that hold its clues: how they are read, and shown in JSON.

Each of these functions makes a field of a dataclass, which ``kind.Kind`` reads, as in::

    grid: IntArray = clues.numbers(0, 4, {"#": BLACK})
"""

from collections.abc import Callable, Mapping
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
    read_grid,
    read_numbers,
    regions,
)

_SHOWN = 8
"""Signs that an error names."""
BLANK_VALUE = -1
"""Stands for a cell or a line without a clue, where 0 is one; None in JSON."""


@dataclass(frozen=True, slots=True)
class Clues:
    """``read`` takes the key and what a user gives, ``show`` is its inverse for JSON.

    ``blank`` stands for an empty cell, ``dropped`` for a clue that is left out, and ``signs`` are
    those of cells in JSON besides numbers.
    """

    read: Callable[[str, Any], Any]
    show: Callable[[Any], Any]
    blank: int | None = None
    dropped: int | None = None
    signs: Mapping[str | None, int] = field(default_factory=lambda: BLANK)

    def sign(self, number: int) -> int | str | None:
        """A number as it stands in JSON."""
        return {value: sign for sign, value in self.signs.items()}.get(number, number)


def numbers(
    least: int = 0,
    most: int = NUMBER_LIMIT,
    signs: Mapping[Any, int] | None = None,
    *,
    dropped: int | None = None,
    side: int = SIDE_LIMIT,
) -> Any:
    """A number a cell, (rows, columns), or nothing, or one of some signs.

    An array has what the signs stand for in their place, as the field has.

    Args:
        least, most: of the numbers.
        signs: what else there may be, and what it stands for; a blank is ``None``, 0 without.
        dropped: what a number becomes that is left out; a blank without.
        side: the most rows or columns.
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
            return read_grid(key, given, least, most, known, side=side)
        except PuzzleError as error:
            raise PuzzleError(str(error).replace(plain, expected)) from None

    def show(grid: IntArray) -> Any:
        names = {number: made.sign(number) for number in np.unique(grid).tolist()}
        return [[names[number] for number in row] for row in grid.tolist()]

    made = Clues(read, show, known[None], known[None] if dropped is None else dropped, known)
    return field(metadata={"clues": made})


def rooms(*, numbered: bool = False) -> Any:
    """A number a cell, (rows, columns), by which it belongs to a room; each in one piece.

    Rooms are numbered by their first cells; letters in lines of text are their names. ``numbered``:
    they have the numbers from 0 on already, by which ``per_room`` has its clues.
    """

    def read(key: str, given: Any) -> IntArray:
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

    return field(metadata={"clues": Clues(read, np.ndarray.tolist)})


def number(least: int, most: int, default: int) -> Any:
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


def per_room() -> Any:
    """A number a room, or None; a tuple."""

    def read(key: str, given: Any) -> tuple[int | None, ...]:
        numbers = read_numbers(key, given, 0, NUMBER_LIMIT, {None: BLANK_VALUE})
        return tuple(None if number == BLANK_VALUE else number for number in numbers)

    return field(metadata={"clues": Clues(read, list)})


def flag(*, default: bool) -> Any:
    """True or false."""

    def read(key: str, given: Any) -> bool:
        if not isinstance(given, bool | np.bool_):
            raise PuzzleError(f"{key}: expected true or false, got {brief(given)}")
        return bool(given)

    return field(default=default, metadata={"clues": Clues(read, bool)})


def between(signs: Mapping[str, int]) -> Any:
    """A sign between two cells side by side, or one below the other, or none; None for no sign.

    Lines of text or rows; their shape is one column, or one row, less than that of the grid.
    """
    known: dict[str | None, int] = dict(BLANK)
    known.update(signs)

    def read(key: str, given: Any) -> IntArray | None:
        return None if given is None else read_grid(key, given, 0, max(known.values()), known)

    def show(grid: IntArray | None) -> Any:
        names = {value: sign or "." for sign, value in known.items()}
        lines = [] if grid is None else grid.tolist()
        return None if grid is None else ["".join([names[n] for n in line]) for line in lines]

    return field(default=None, metadata={"clues": Clues(read, show, 0, 0, known)})
