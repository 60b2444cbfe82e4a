"""Easy as ABC in the players: letters around a square grid, and in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles import links
from qubopuzzle.puzzles.links import WHOLE, AddressText, Data, FileText, Shape, Text, Value

_SIDES = ("top", "bottom", "left", "right")
_GRID = links.Numbers("grid")


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
        border = text.read_numbers((len(_SIDES), shape[0]))
        data |= _sides(links.in_rows(border, shape[0]))
        if text.at < len(text.text):
            _GRID.read(text, shape, data)

    def write(self, text: AddressText, puzzle: Any) -> None:
        border = [mark or None for side in _SIDES for mark in getattr(puzzle, side)]
        text.write_numbers(border, puzzle.size)
        if any(map(any, puzzle.grid)):
            _GRID.write(text, puzzle)


class _Table:
    """The grid with the letters around it; in it letters of an answer, or given after a ``q``."""

    def read(self, text: FileText, shape: Shape, data: Data) -> None:
        size = shape[0]
        table = text.read_words((size + 2, size + 2))
        edges = (table[0], table[-1], table[:, 0], table[:, -1])
        data |= _sides([links.value_of(word) for word in edge[1:-1]] for edge in edges)
        words = table[1:-1, 1:-1].ravel().tolist()
        given = [links.value_of(word[1:]) if word[0] == "q" else None for word in words]
        links.check_numbers(given, links.cell_of(size))
        data["grid"] = links.in_rows([number or 0 for number in given], size)
        cells = [word.removeprefix("q").partition("[")[0] for word in words]
        answer = [int(cell) if WHOLE.fullmatch(cell) else 0 for cell in cells]
        data["solution"] = np.reshape(answer, shape) if any(answer) else None

    def write(self, text: FileText, puzzle: Any) -> None:
        table = np.zeros((puzzle.size + 2, puzzle.size + 2), dtype=object)
        edges = (table[0], table[-1], table[:, 0], table[:, -1])
        for side, edge in zip(_SIDES, edges, strict=True):
            edge[1:-1] = getattr(puzzle, side)
        answer = puzzle.grid if puzzle.solution is None else puzzle.solution
        cells = zip(np.ravel(puzzle.grid).tolist(), np.ravel(answer).tolist(), strict=True)
        shown = [f"q{given}" if given else found for given, found in cells]
        table[1:-1, 1:-1] = links.in_rows(shown, puzzle.size)
        text.write_words([[word or "." for word in row] for row in table.tolist()])


def _sides(lines: Iterable[list[Value]]) -> Data:
    sides = dict(zip(_SIDES, lines, strict=True))
    for side, marks in sides.items():
        links.check_numbers(marks, lambda i, side=side: f"{side} {i + 1}", what="letter")  # type: ignore[misc]
    return {side: [mark or 0 for mark in marks] for side, marks in sides.items()}


LINKS = (
    links.Link(
        "easyasabc",
        body=[_Letters(), _Border()],
        file=[_Letters(), _Table()],
        square=True,
        givens="grid",
    ),
)
