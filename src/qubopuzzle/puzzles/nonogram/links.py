"""Nonograms in the players: ``nonogram`` at puzz.link, ``pattern`` in Tatham's collection."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.games import Game
from qubopuzzle.puzzles.links import (
    AddressText,
    Data,
    FileText,
    Link,
    Shape,
    Value,
    check_numbers,
    in_rows,
    shading,
    shading_words,
    value_of,
)
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT


class _Slots:
    """The clues of columns, then of rows, each from its end and filled up with blanks."""

    def read(self, text: AddressText, shape: Shape, data: Data) -> None:
        high, wide = _slots(shape)
        slots = text.read_numbers((1, shape[1] * high + shape[0] * wide))
        middle = shape[1] * high
        cols, rows = in_rows(slots[:middle], high), in_rows(slots[middle:], wide)
        data["cols"] = _clues("column", [line[::-1] for line in cols])
        data["rows"] = _clues("row", [line[::-1] for line in rows])

    def write(self, text: AddressText, puzzle: Any) -> None:
        slots: list[Value] = []
        for clues, count in zip((puzzle.cols, puzzle.rows), _slots(puzzle.shape), strict=True):
            for clue in clues:
                slots += [*clue[::-1], *[None] * (count - len(clue))]
        text.write_numbers(slots, len(puzzle.cols))


class _Table:
    """The clues above and at the left of the cells of an answer."""

    def read(self, text: FileText, shape: Shape, data: Data) -> None:
        high, wide = _slots(shape)
        table = text.read_words((high + shape[0], wide + shape[1]))
        for key, name, part in (
            ("cols", "column", table[:high, wide:].T),
            ("rows", "row", table[high:, :wide]),
        ):
            # A clue that somebody has ticked off begins with c.
            lines = [[value_of(word.removeprefix("c")) for word in line] for line in part.tolist()]
            data[key] = _clues(name, lines)
        data["solution"] = shading(table[high:, wide:])

    def write(self, text: FileText, puzzle: Any) -> None:
        high, wide = _slots(puzzle.shape)
        table = np.full((high + len(puzzle.rows), wide + len(puzzle.cols)), ".", dtype=object)
        for c, clue in enumerate(puzzle.cols):
            table[high - len(clue) : high, wide + c] = [str(number) for number in clue]
        for r, clue in enumerate(puzzle.rows):
            table[high + r, wide - len(clue) : wide] = [str(number) for number in clue]
        table[high:, wide:] = shading_words(puzzle)
        text.write_words(table.tolist())


def _slots(shape: Shape) -> Shape:
    """Most numbers of a column and of a row; as many have a place beside it."""
    return (shape[0] + 1) // 2, (shape[1] + 1) // 2


def _clues(name: str, lines: list[list[Value]]) -> list[list[int]]:
    for i, line in enumerate(lines, start=1):
        check_numbers(line, lambda _, i=i: f"{name} {i}")  # type: ignore[misc]
    return [[number for number in line if number] for line in lines]


def _read_pattern(body: str, columns: int, rows: int) -> Data:
    clues_of, comma, cells = body.partition(",")
    solution = None
    if comma:
        if len(cells) != columns * rows or cells.strip("aA"):
            raise InputError("some cells given beside the clues (,) are a variant not known here")
        solution = np.array([int(cell == "A") for cell in cells]).reshape(rows, columns)
    count = columns + rows
    lines = clues_of.split("/", count)
    if len(lines) != count:
        has = f"more than {count}" if len(lines) > count else len(lines)
        raise InputError(f"{has} lines between slashes, but {count} columns and rows")
    clues = [_runs(i, line, columns) for i, line in enumerate(lines)]
    return {"cols": clues[:columns], "rows": clues[columns:], "solution": solution}


def _runs(i: int, line: str, columns: int) -> list[int]:
    runs = line.split(".", LINE_LIMIT) if line else []
    for run in runs:
        if not re.fullmatch("0{0,9}[1-9][0-9]{0,8}", run):
            where = f"column {i + 1}" if i < columns else f"row {i + 1 - columns}"
            raise InputError(f"{where}: {brief(run[:60])} is no length of a run")
    return [int(run) for run in runs]


def _write_pattern(puzzle: Any) -> str:
    lines = [".".join(map(str, clue)) for clue in (*puzzle.cols, *puzzle.rows)]
    return f"{len(puzzle.cols)}x{len(puzzle.rows)}:" + "/".join(lines)


def _solved_pattern(puzzle: Any, answer: IntArray) -> str:
    """After a comma, all cells: a letter for no unknown ones before it, small for white."""
    cells = "".join("A" if black else "a" for black in answer.ravel().tolist())
    return f"{_write_pattern(puzzle)},{cells}"


LINKS = (
    Link("nonogram", body=[_Slots()], file=[_Table()]),
    Game("pattern", _read_pattern, _write_pattern, signs="/.,", solved=_solved_pattern),
)
