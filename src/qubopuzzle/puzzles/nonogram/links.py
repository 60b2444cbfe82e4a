"""Nonograms in the players: ``nonogram``, and ``pattern`` in Simon Tatham's collection."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

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
    to_value,
)


class _Slots:
    """Clues of columns, then of rows, each from its end and filled with blanks."""

    def read(self, text: AddressText, shape: Shape, data: Data) -> None:
        rows, columns = shape
        high, wide = map(_most, shape)
        slots = text.read_numbers((1, columns * high + rows * wide))
        _read_clues(in_rows(slots[: columns * high], high), "column", data)
        _read_clues(in_rows(slots[columns * high :], wide), "row", data)
        
    def write(self, text: AddressText, puzzle: Any) -> None:
        rows, columns = puzzle.shape
        slots: list[Value] = []
        for clues, length in ((puzzle.cols, rows), (puzzle.rows, columns)):
            blanks = [None] * _most(length)
            slots += chain.from_iterable([*clue[::-1], *blanks[len(clue) :]] for clue in clues)
        text.write_numbers(slots, (1, len(slots)))
