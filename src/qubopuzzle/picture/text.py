"""A picture in the terminal: one line a row, and lines between rooms.

A cell is a few characters wide, its word at the right end, behind a cross where it is known to be
white. Where rooms meet somewhere in a column of lines, a space and a character for the line follow
the cells on its left. A path runs through the right end of its cells; one more character joins it
to the next. The signs of notes stand before all of that. A grid with rooms, or with clues on its
right or below it, has a frame; others do without. Shaded cells in colours are signs, or blocks
where colours are shown. Shapes stand below in words.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from qubopuzzle.picture.description import (
    DOWN,
    LEFT,
    NOTES,
    RIGHT,
    TWICE,
    UP,
    BoolArray,
    Cell,
    PictureData,
)

_LEVEL, _UPRIGHT, _DOUBLE = RIGHT | LEFT, DOWN | UP, 16
BLACK = "#"
"""The sign of black in a palette."""
_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


class _Signs(NamedTuple):
    """What to draw with."""

    black: str  # stands in a black cell
    shade: str  # fills it up
    white: str
    mark: str  # for a broken white cell
    cross: str  # for a cell that is known to be white
    lines: str  # by the sum of the ways in which lines leave, then the same of double ones
    discs: Mapping[str, str]  # for the words that are discs


_BOXES = _Signs("█", "█", "·", "▒", "×", " ╶╷┌╴─┐┬╵└│├┘┴┤┼ ╶╷╔╴═╗╦╵╚║╠╝╩╣╬", {})
_ASCII_LINES = ' -|+--++|+|+++++ ="+==++"+"+++++'
_ASCII = _Signs("#", " ", ".", "!", "x", _ASCII_LINES, {"○": "w", "●": "b"})


def draw(picture: PictureData, *, color: bool = False, ascii_only: bool = False) -> str:
    """Clues around the grid, one line a row; cells as wide as the longest word needs."""
    signs = _ASCII if ascii_only else _BOXES
    cells, width = _cells(picture, signs, color=color)
    sheet = _Sheet(picture, signs, width)
    left = [" ".join(clue) for clue in picture.left] or [""] * picture.rows
    right = [" ".join(clue) for clue in picture.right] or [""] * picture.rows
    widest = max(map(len, left))
    margin = " " * (widest + 1 if widest else 0)
    inked = partial(_inked, picture) if color and picture.palette else str

    top = [*zip_longest(*(clue[::-1] for clue in picture.top), fillvalue="")][::-1]
    lines = [margin + inked(sheet.clues(words)) for words in top]
    for r, row in enumerate(cells):
        lines += [margin + line for line in sheet.above(r)]
        lines.append(inked((left[r].rjust(widest) + " ")[: len(margin)]) + sheet.row(r, row))
        lines[-1] += " " + inked(right[r])
    lines += [margin + line for line in sheet.above(picture.rows)]
    bottom = zip_longest(*picture.bottom, fillvalue="")
    lines += [margin + inked(sheet.clues(words)) for words in bottom]
    lines += [shape.text() for shape in picture.shapes]
    return "\n".join(line.rstrip() for line in lines)


def _cells(picture: PictureData, signs: _Signs, *, color: bool) -> tuple[list[list[str]], int]:
    """Every cell as it stands in its line, and their width."""
    cells = [[(r, c) for c in range(picture.columns)] for r in range(picture.rows)]
    parts = [[_parts(picture, cell, signs, color=color) for cell in row] for row in cells]
    outside = [word for clue in (*picture.top, *picture.bottom) for word in clue]
    written = [*outside, *picture.words.values(), *picture.corners.values()]
    inside = max(len(sign) for row in parts for sign, _ in row)
    width = max(2, inside, 1 + max(map(len, written), default=0))
    lines = [[sign.rjust(width, fill) for sign, fill in row] for row in parts]
    before = {cell: _note(note, color=color) for cell, note in picture.notes.items()}
    if color:
        for r, c in picture.broken:
            lines[r][c] = f"{_RED}{lines[r][c]}{_PLAIN}"
        painted = np.argwhere(picture.black) if picture.black is not None else ()
        for r, c in painted if picture.palette else ():
            if (r, c) not in picture.broken:
                block = signs.shade.strip() or lines[r][c][-1]
                lines[r][c] = _ink(_sign(picture, (r, c)), picture, block * width)
    if not before:
        return lines, width
    for row, shown in zip(cells, lines, strict=True):
        for cell in row:
            shown[cell[1]] = before.get(cell, parts[cell[0]][cell[1]][1]) + shown[cell[1]]
    return lines, 1 + width


def _note(note: str, *, color: bool) -> str:
    """The sign of a note, in its colour."""
    sign, ink = NOTES[note]
    return _in_color(ink, sign) if color else sign


def _sign(picture: PictureData, cell: Cell) -> str:
    """The sign of the colour of a shaded cell, of a picture with a palette."""
    return [*picture.palette][0 if picture.colors is None else int(picture.colors[cell])]


def _ink(sign: str, picture: PictureData, text: str) -> str:
    """A text in the colour of a sign."""
    return _in_color(picture.palette[sign], text)


def _in_color(color: str, text: str) -> str:
    """A text in a colour such as #ff0000."""
    red, green, blue = bytes.fromhex(color[1:])
    return f"\x1b[38;2;{red};{green};{blue}m{text}{_PLAIN}"


def _inked(picture: PictureData, line: str) -> str:
    """A line of clues, those with a sign at their end in its colour."""
    words = (
        _ink(word[-1], picture, word) if word[-1:] in picture.palette else word
        for word in re.split("( +)", line)
    )
    return "".join(words)


def _parts(picture: PictureData, cell: Cell, signs: _Signs, *, color: bool) -> tuple[str, str]:
    """What stands at the right end of a cell, and what fills up the rest."""
    word = picture.words.get(cell) or picture.corners.get(cell, "")
    word = signs.discs.get(word, word)
    path = 0 if picture.paths is None else int(picture.paths[cell])
    black = picture.black is not None and bool(picture.black[cell])
    marked, crossed = cell in picture.broken and not color, cell in picture.crossed
    if black:
        shape = signs.black, signs.shade
        if picture.palette and (sign := _sign(picture, cell)) != BLACK:
            shape = sign, " "
        # With clues on the left whole lines are broken, and their white cells show it.
        return shape[0] + "!" * (marked and bool(word or not picture.left)) + word, shape[1]
    ways, twice = path & (1 << TWICE) - 1, path >> TWICE
    word = word or (signs.lines[ways + _DOUBLE * (twice == ways)] if path else "")
    if not word:
        return signs.mark if marked else signs.cross if crossed else signs.white, " "
    return "!" * marked + signs.cross * crossed + word, signs.lines[
        _LEVEL + _DOUBLE * (twice & LEFT > 0)
    ] if path & LEFT else " "


class _Sheet:
    """Lines of the text: cells and what stands between them."""

    def __init__(self, picture: PictureData, signs: _Signs, width: int):
        beside, above = picture.borders()
        parted = picture.rooms is not None or any(walls is not None for walls in picture.walls)
        framed = picture.right or picture.bottom or picture.loop is not None
        if not (parted or framed):
            beside[:], above[:] = False, False
        joints = np.zeros((picture.rows + 1, picture.columns + 1), dtype=int)
        joints[:, :-1] += RIGHT * above
        joints[:, 1:] += LEFT * above
        joints[:-1] += DOWN * beside
        joints[1:] += UP * beside
        bordered: BoolArray = np.any(beside, axis=0)
        if 2 * bordered[1:-1].sum() >= picture.columns:
            bordered[:] = True  # borders all over: columns at even distances
        self.joined = picture.paths is not None
        paths = np.zeros_like(joints[1:, 1:]) if picture.paths is None else picture.paths
        ways = _LEVEL * ((paths & RIGHT) != 0) + _DOUBLE * ((paths & RIGHT << TWICE) != 0)
        joins = np.pad(ways, ((0, 0), (1, 0)))
        self.columns, self.joins = bordered.tolist(), joins.tolist()
        self.sides = np.where(beside, _UPRIGHT, joins).tolist()
        self.edges, self.joints = (_LEVEL * above).tolist(), joints.tolist()
        self.down = (_UPRIGHT * np.pad((paths & DOWN) != 0, ((1, 0), (0, 0)))).tolist()
        self.signs, self.width = signs.lines, width

    def clues(self, words: Sequence[str]) -> str:
        """Words above or below their columns."""
        blank = [0] * len(self.columns)
        return self._line([word.rjust(self.width) for word in words], blank, blank)

    def row(self, r: int, cells: list[str]) -> str:
        """Cells between their borders."""
        return self._line(cells, self.joins[r], self.sides[r])

    def above(self, r: int) -> list[str]:
        """The line between two rows, where there is any border."""
        edges = self.edges[r]
        if not any(edges):
            return []
        cells = [
            self.signs[edge] * self.width if edge else self.signs[way].rjust(self.width)
            for edge, way in zip(edges, self.down[r], strict=True)
        ]
        return [self._line(cells, [0, *edges], self.joints[r])]

    def _line(self, cells: list[str], joins: Sequence[int], sides: Sequence[int]) -> str:
        """What every line has: cells, what joins them to the right, and what borders them."""
        line = [self.signs[sides[0]]] if self.columns[0] else []
        for c, cell in enumerate(cells, start=1):
            line.append(cell)
            if self.joined or self.columns[c]:
                line.append(self.signs[joins[c]])
            if self.columns[c]:
                line.append(self.signs[sides[c]])
        return "".join(line)
