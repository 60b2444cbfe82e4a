"""A picture in the terminal: one line a row, and lines between rooms.

A cell is a few characters wide, its word at the right end. Where rooms meet somewhere in a
column of lines, a space and a character for the line follow the cells on its left. A path
runs through the right end of its cells; one more character joins it to the next. A grid
with rooms, or with clues on its right or below it, has a frame; others do without. Shapes
stand below in words.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from qubopuzzle.picture.description import DOWN, LEFT, RIGHT, UP, BoolArray, Cell, PictureData

_LEVEL, _UPRIGHT = RIGHT | LEFT, DOWN | UP
_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


class _Signs(NamedTuple):
    """What to draw with."""

    black: str  # stands in a black cell
    shade: str  # fills it up
    white: str
    mark: str  # for a broken white cell
    lines: str  # by the sum of the ways in which lines leave


_BOXES = _Signs("█", "█", "·", "▒", " ╶╷┌╴─┐┬╵└│├┘┴┤┼")
_ASCII = _Signs("#", " ", ".", "!", " -|+--++|+|+++++")


def draw(picture: PictureData, *, color: bool = False, ascii_only: bool = False) -> str:
    """Clues around the grid, one line a row; cells as wide as the longest word needs."""
    signs = _ASCII if ascii_only else _BOXES
    cells, width = _cells(picture, signs, color=color)
    sheet = _Sheet(picture, signs, width)
    left = [" ".join(clue) for clue in picture.left] or [""] * picture.rows
    right = [" ".join(clue) for clue in picture.right] or [""] * picture.rows
    widest = max(map(len, left))
    margin = " " * (widest + 1 if widest else 0)

    top = [*zip_longest(*(clue[::-1] for clue in picture.top), fillvalue="")][::-1]
    lines = [margin + sheet.clues(words) for words in top]
    for r, row in enumerate(cells):
        lines += [margin + line for line in sheet.above(r)]
        lines.append((left[r].rjust(widest) + " ")[: len(margin)] + sheet.row(r, row))
        lines[-1] += " " + right[r]
    lines += [margin + line for line in sheet.above(picture.rows)]
    bottom = zip_longest(*picture.bottom, fillvalue="")
    lines += [margin + sheet.clues(words) for words in bottom]
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
    if color:
        for r, c in picture.broken:
            lines[r][c] = f"{_RED}{lines[r][c]}{_PLAIN}"
    return lines, width


def _parts(picture: PictureData, cell: Cell, signs: _Signs, *, color: bool) -> tuple[str, str]:
    """What stands at the right end of a cell, and what fills up the rest."""
    word = picture.words.get(cell) or picture.corners.get(cell, "")
    path = 0 if picture.paths is None else int(picture.paths[cell])
    black = picture.black is not None and bool(picture.black[cell])
    marked = cell in picture.broken and not color
    if black:
        # With clues on the left whole lines are broken, and their white cells show it.
        return signs.black + "!" * (marked and bool(word or not picture.left)) + word, signs.shade
    word = word or (signs.lines[path] if path else "")
    if not word:
        return signs.mark if marked else signs.white, " "
    return "!" * marked + word, signs.lines[_LEVEL] if path & LEFT else " "


class _Sheet:
    """Lines of the text: cells and what stands between them."""

    def __init__(self, picture: PictureData, signs: _Signs, width: int):
        beside, above = picture.borders()
        framed = picture.right or picture.bottom or picture.loop is not None
        if picture.rooms is None and not framed:
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
        joins = _LEVEL * np.pad((paths & RIGHT) != 0, ((0, 0), (1, 0)))
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
