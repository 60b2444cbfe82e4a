"""Reading grids: what users write, checked, as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import index
from typing import Any

import numpy as np

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.kinds.cells import shading_from_rows

SIDE_LIMIT = 1_000
"""Most rows or columns of a grid."""


def is_list(data: Any) -> bool:
    """Whether it has a length and parts: a list, a tuple, or an array of some dimension."""
    return isinstance(data, list | tuple) or (isinstance(data, np.ndarray) and data.ndim > 0)


def read_whole(place: str, value: Any, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``; PuzzleError naming the place otherwise."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = index(value)
    except TypeError:
        raise PuzzleError(f"{place}: expected a whole number, got {brief(value)}") from None
    if not low <= number <= high:
        raise PuzzleError(f"{place}: {brief(number)} is not in {low} .. {high}")
    return number


def read_numbers(key: str, data: Any, low: int, high: int, *, empty: int = 0) -> IntArray:
    """Whole numbers of a list, shape (n,); None becomes ``empty``.

    Raises:
        PuzzleError: naming the place of what is no such number.
    """
    if not is_list(data):
        raise PuzzleError(f"{key}: expected a list, got {brief(data)}")
    if len(data) > SIDE_LIMIT**2:
        raise PuzzleError(f"{key}: {len(data)} numbers are too many")
    numbers = _read_row(key, data, low, high, empty)
    return _frozen(np.array(numbers, dtype=np.int64))


def read_grid(key: str, data: Any, low: int, high: int, *, empty: int = 0) -> IntArray:
    """A grid of whole numbers as rows of equal length, shape (rows, columns), read-only.

    Args:
        key: what to call it in an error.
        low, high: the numbers that there may be.
        empty: stands for None.

    Raises:
        PuzzleError: naming the row and column of what is no such number.
    """
    if not is_list(data) or not 1 <= len(data) <= SIDE_LIMIT:
        raise PuzzleError(f"{key}: expected 1 to {SIDE_LIMIT} rows, got {brief(data)}")
    width = len(data[0]) if is_list(data[0]) else 0
    for r, row in enumerate(data):
        if not is_list(row) or not 1 <= len(row) <= SIDE_LIMIT:
            raise PuzzleError(f"{key}[{r}]: expected 1 to {SIDE_LIMIT} cells, got {brief(row)}")
        if len(row) != width:
            raise PuzzleError(f"{key}[{r}] has {len(row)} cells, {key}[0] has {width}")
    numbers = _read_plain(chain.from_iterable(data), low, high, empty)
    if numbers is None:
        numbers = [
            number
            for r, row in enumerate(data)
            for number in _read_each(f"{key}[{r}]", row, low, high, empty)
        ]
    return _frozen(np.array(numbers, dtype=np.int64).reshape(len(data), width))


def read_numbered(key: str, data: Any, low: int, high: int) -> IntArray:
    """A grid of whole numbers as ``read_grid`` reads it, or as lines of text.

    A line holds numbers with spaces between, or one character a cell, 1 to 9 and then A for 10.

    >>> read_numbered("solution", ["12", "2A"], 1, 10).tolist()
    [[1, 2], [2, 10]]

    Raises:
        InputError: naming the line or the cell.
    """
    if isinstance(data, list | tuple) and data and all(isinstance(row, str) for row in data):
        data = [_digits(f"{key}[{r}]", line) for r, line in enumerate(data)]
    return read_grid(key, data, low, high)


def _digits(place: str, line: str) -> list[int]:
    """The numbers of a line of text."""
    words = line.split() if len(line.split()) > 1 else list(line.strip())
    base = 36 if all(len(word) == 1 for word in words) else 10
    try:
        if not (line.isascii() and all(word.isalnum() for word in words)):
            raise ValueError
        return [int(word, base) for word in words]
    except ValueError:
        raise InputError(f"{place}: expected digits, got {brief(line)}") from None


def _read_row(place: str, row: Any, low: int, high: int, empty: int) -> list[int]:
    """Whole numbers of a list, ``empty`` for None; PuzzleError naming the place of another."""
    numbers = _read_plain(row, low, high, empty)
    return _read_each(place, row, low, high, empty) if numbers is None else numbers


def _read_plain(values: Iterable[Any], low: int, high: int, empty: int) -> list[int] | None:
    """Numbers as files have them, all at once; None if one may be wrong, or of a library."""
    known = list(values)
    kinds = set(map(type, known))
    if type(None) in kinds:
        told = [value for value in known if value is not None]
        known = [empty if value is None else value for value in known]
        kinds.remove(type(None))
    else:
        told = known
    if told and not (kinds == {int} and low <= min(told) and max(told) <= high):
        return None
    return known


def _read_each(place: str, row: Any, low: int, high: int, empty: int) -> list[int]:
    return [
        empty if value is None else read_whole(f"{place}[{i}]", value, low, high)
        for i, value in enumerate(row)
    ]


def letter_of(value: int) -> str:
    """A for 1, B for 2, ... and ``.`` for 0."""
    return chr(ord("A") + value - 1) if value else "."


def read_letters(key: str, data: Any, count: int, high: int) -> tuple[int, ...]:
    """A line of ``count`` letters: A or 1 up to ``high``; ``.``, 0 or None for none.

    Raises:
        PuzzleError: naming the place of what is no such letter.
    """
    if not (isinstance(data, str) or is_list(data)):
        raise PuzzleError(f"{key}: expected a list, got {brief(data)}")
    if len(data) != count:
        raise PuzzleError(f"{key} has {len(data)} values, expected {count}")
    known = [letter_of(v) for v in range(high + 1)]
    numbers: list[Any] = []
    for i, value in enumerate(data):
        if isinstance(value, str) and value not in known:
            raise PuzzleError(f"{key}[{i}]: {brief(value)} is not in A .. {known[-1]}")
        numbers.append(known.index(value) if isinstance(value, str) else value)
    return tuple(_read_row(key, numbers, 0, high, 0))


def read_shading(what: str, data: Any) -> IntArray:
    """A 0/1 grid from lines of ``#`` and ``.``, rows of 0 and 1, or an array.

    Raises:
        InputError: for anything else.
    """
    if isinstance(data, list | tuple) and data and all(isinstance(row, str) for row in data):
        return shading_from_rows(data)
    try:
        grid = np.asarray(data)
    except ValueError:  # rows of different lengths
        grid = np.zeros(0)
    if grid.ndim != 2 or grid.dtype.kind not in "biuf" or not np.isin(grid, (0, 1)).all():
        raise InputError(
            f"{what}: expected lines of '#' and '.' or rows of 0 and 1, got {brief(data)}"
        )
    return grid.astype(np.int64)


def check_values(answer: IntArray, low: int, high: int) -> None:
    """InputError unless all values of an answer are whole numbers from ``low`` to ``high``."""
    if not np.isin(answer, np.arange(low, high + 1)).all():
        raise InputError(f"the answer has values other than {_between(low, high)}")


def _between(low: int, high: int) -> str:
    return f"{low} and {high}" if high == low + 1 else f"{low} to {high}"


def _frozen(numbers: IntArray) -> IntArray:
    numbers.setflags(write=False)
    return numbers
