"""``.cwd``: a line with the height, one with the width, the rows, a blank line, the columns."""

from __future__ import annotations

from qubopuzzle.files.puzzles._clues import PlainLayout

NAME = "cwd"
ABOUT = "nonogram clues: height, width, rows, a blank line, columns"
PUZZLES = ("nonogram",)

_LAYOUT = PlainLayout(NAME, head=(("height",), ("width",)), divider="")
sniff, read, write = _LAYOUT.sniff, _LAYOUT.read, _LAYOUT.write
