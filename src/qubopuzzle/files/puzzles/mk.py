"""``.mk`` (Olsak): a line with height and width, the rows, a line ``#``, the columns."""

from __future__ import annotations

from qubopuzzle.files.puzzles._clues import PlainLayout

NAME = "mk"
ABOUT = "nonogram solver of Olsak: height and width, rows, #, columns"
PUZZLES = ("nonogram",)

_LAYOUT = PlainLayout(NAME, head=(("height", "width"),), divider="#")
sniff, read, write = _LAYOUT.sniff, _LAYOUT.read, _LAYOUT.write
