"""Reading grids: what users write, checked, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.grid import shading_from_rows
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import brief

SIDE_LIMIT = 1_000
"""Most rows or columns of a grid."""


def need(data: Mapping[str, Any], *keys: str) -> list[Any]:
    """The values of these keys; PuzzleError for one that is missing."""
    for key in keys:
        if key not in data:
            raise PuzzleError(f"{key}: missing")
    return [data[key] for key in keys]


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
    rows: list[list[int]] = []
    for r, row in enumerate(data):
        if not is_list(row) or not 1 <= len(row) <= SIDE_LIMIT:
            raise PuzzleError(f"{key}[{r}]: expected 1 to {SIDE_LIMIT} cells, got {brief(row)}")
        if len(row) != len(data[0]):
            raise PuzzleError(f"{key}[{r}] has {len(row)} cells, {key}[0] has {len(data[0])}")
        rows.append(_read_row(f"{key}[{r}]", row, low, high, empty))
    return _frozen(np.array(rows, dtype=np.int64))


def _read_row(place: str, row: Any, low: int, high: int, empty: int) -> list[int]:
    """Whole numbers of a list, ``empty`` for None; PuzzleError naming the place of another."""
    if not isinstance(row, np.ndarray) and set(map(type, row)) <= {int, type(None)}:
        # Plain numbers, as all files have them, are judged by the least and the largest.
        known = [value for value in row if value is not None]
        if not known or (low <= min(known) and max(known) <= high):
            return [empty if value is None else value for value in row]
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
