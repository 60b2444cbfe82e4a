"""Easy as ABC in the players: letters around a square grid, and in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles.links import (
    WHOLE,
    AddressText,
    Data,
    FileText,
    Link,
    Numbers,
    Shape,
    Text,
    Value,
    check_numbers,
    in_rows,
    value_of,
)

_SIDES = ("top", "bottom", "left", "right")
_GRID = Numbers("grid")


class _Letters:
    """How many letters there are."""

    def read(self, text: Text, shape: Shape, data: Data) -> None:
        letters = text.read_word()
        if not WHOLE.fullmatch(letters):
            raise InputError(f"{letters[:20]!r} is no number of letters")
        data |= {"size": shape[0], "letters": int(letters)}

    def write(self, text: Text, puzzle: Any) -> None:
        text.write_word(str(puzzle.letters))


class _Border:
    """The letters of each side, then the grid if there are any in it."""

    def read(self, text: AddressText, shape: Shape, data: Data) -> None:
        border = in_rows(text.read_numbers((len(_SIDES), shape[0])), shape[0])
        for side, marks in zip(_SIDES, border, strict=True):
            data[side] = _marks(side, marks)
        if text.at < len(text.text):
            _GRID.read(text, shape, data)

    def write(self, text: AddressText, puzzle: Any) -> None:
        border = [mark or None for side in _SIDES for mark in getattr(puzzle, side)]
        text.write_numbers(border, (len(_SIDES), puzzle.size))
        if any(map(any, puzzle.grid)):
            _GRID.write(text, puzzle)


class _Table:
    """The grid with the letters around it; in it letters of an answer, or given after a ``q``."""

    def read(self, text: FileText, shape: Shape, data: Data) -> None:
        size = shape[0]
        table = text.read_table((size + 2, size + 2))
        edges = (table[0], table[-1], table[:, 0], table[:, -1])
        for side, line in zip(_SIDES, edges, strict=True):
            data[side] = _marks(side, [value_of(word) for word in line[1:-1]])
        words = table[1:-1, 1:-1].ravel().tolist()
        given = [value_of(word[1:]) if word[0] == "q" else None for word in words]
        check_numbers(given, lambda i: f"row {i // size + 1} column {i % size + 1}")
        data["grid"] = in_rows([number or 0 for number in given], size)
        cells = [word.removeprefix("q").partition("[")[0] for word in words]
        answer = [int(cell) if WHOLE.fullmatch(cell) else 0 for cell in cells]
        if any(answer):
            data["solution"] = np.reshape(answer, shape)

    def write(self, text: FileText, puzzle: Any) -> None:
        answer = puzzle.grid if puzzle.solution is None else puzzle.solution.tolist()
        table = np.full((puzzle.size + 2, puzzle.size + 2), ".", dtype=object)
        table[0, 1:-1], table[-1, 1:-1], table[1:-1, 0], table[1:-1, -1] = (
            [str(mark or ".") for mark in getattr(puzzle, side)] for side in _SIDES
        )
        table[1:-1, 1:-1] = [
            [f"q{g}" if g else str(f or ".") for g, f in zip(given, found, strict=True)]
            for given, found in zip(puzzle.grid, answer, strict=True)
        ]
        text.write_table(table.tolist())


def _marks(side: str, marks: list[Value]) -> list[int]:
    check_numbers(marks, lambda i: f"{side} {i + 1}", what="letter")
    return [mark or 0 for mark in marks]


LINKS = (
    Link(
        "easyasabc",
        body=[_Letters(), _Border()],
        file=[_Letters(), _Table()],
        square=True,
        givens="grid",
    ),
)
