"""``.nin`` (Wilk): a line with width and height, then a line a clue: rows, columns; 0 is empty."""

from __future__ import annotations

from qubopuzzle.files.puzzles._clues import PlainLayout

NAME = "nin"
ABOUT = "nonogram solver of Jakub Wilk: width and height, rows, columns"
PUZZLES = ("nonogram",)

_LAYOUT = PlainLayout(NAME, head=(("width", "height"),), divider=None)
sniff, read, write = _LAYOUT.sniff, _LAYOUT.read, _LAYOUT.write
