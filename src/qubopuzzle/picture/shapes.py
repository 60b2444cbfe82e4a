"""What is drawn over several cells of a grid, such as a cage or a line, as few kinds of marks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Cell = tuple[int, ...]
Point = tuple[float, float]
_INSET = 0.09
_GREY = "#bbbbbb"
_LINES = {
    "thermometer": (_GREY, 0.3),
    "arrow": ("#888888", 0.06),
    "palindrome": (_GREY, 0.16),
    "renban": ("#cc79a7", 0.16),
    "whisper": ("#8fcf9f", 0.16),
    "diagonal": ("#56b4e9", 0.04),
    "sum": ("#e69f00", 0.04),
}
"""The colour and width of lines through the middles of cells."""
_DOTS = {
    "difference": ("", 0.14),
    "ratio": ("#222222", 0.14),
    "quadruple": ("", 0.24),
    "odd": (_GREY, 0.38),
    "even": (_GREY, 0.36),
}
"""The colour and radius of discs between cells, and in them; of ``even`` it is a square."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A ``kind`` of clue of some cells, its word, and the cells of an arrow's circle."""

    kind: str
    cells: Sequence[Cell]
    word: str = ""
    circle: Sequence[Cell] = ()

    def text(self) -> str:
        """In words, for a terminal."""
        named = [*self.circle, *["->"] * bool(self.circle), *self.cells]
        cells = " ".join(c if isinstance(c, str) else f"({c[0]},{c[1]})" for c in named)
        return f"{self.kind}{self.word and ' '}{self.word}: {cells}"


class Mark(NamedTuple):
    """A ``line``, ``disc``, ``square`` or ``word`` at its points (x, y), in widths of a cell.

    ``size`` is the width of a line, the radius of a disc or of a square, the height of a word. An
    empty colour is the paper's, with an edge; a dashed line is one of size 0.
    """

    form: str
    points: Sequence[Point]
    color: str
    size: float
    word: str = ""


def marks(shape: Shape) -> Iterator[Mark]:
    """What a shape is drawn by, from below."""
    middles = [(c + 0.5, r + 0.5) for r, c in shape.cells]
    x, y = (sum(each) / len(middles) for each in zip(*middles, strict=True))
    if shape.kind == "cage":
        yield from (Mark("line", ends, "#444444", 0) for ends in _outline({*shape.cells}))
        r, c = min(shape.cells)
        yield Mark("word", [(c + 0.3, r + 0.2)], "#444444", 0.26, shape.word)
    elif shape.kind in _DOTS:
        color, size = _DOTS[shape.kind]
        form = "square" if shape.kind == "even" else "disc"
        yield Mark(form, [(x, y)], color, size)
        ink = "#ffffff" if shape.kind == "ratio" else "#222222"
        yield Mark("word", [(x, y)], ink, 0.22, shape.word)
    else:
        color, width = _LINES[shape.kind]
        circle = [(c + 0.5, r + 0.5) for r, c in shape.circle]
        yield Mark("line", [*circle[-1:], *middles], color, width)
        yield from (Mark("disc", [point], "", 0.4) for point in circle)
        if shape.kind == "thermometer":
            yield Mark("disc", middles[:1], color, 0.38)
        if shape.kind == "arrow":
            yield Mark("line", _head([*circle[-1:], *middles]), color, width)
        (x, y) = middles[0]
        yield Mark("word", [(x + 0.3, y - 0.3)], color, 0.26, shape.word)


def _head(points: Sequence[Point]) -> list[Point]:
    """The head at the end of a line."""
    (x, y), (end_x, end_y) = points[-2:]
    length = 4 * max(abs(end_x - x), abs(end_y - y))
    back, side = (x - end_x) / length, (y - end_y) / length
    left, right = (back - side, side + back), (back + side, side - back)
    return [
        (end_x + left[0], end_y + left[1]),
        (end_x, end_y),
        (end_x + right[0], end_y + right[1]),
    ]


def _outline(cells: set[Cell]) -> Iterator[list[Point]]:
    """The sides of cells that the others do not touch, a little inside."""
    for r, c in sorted(cells):
        for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1)):
            if (r + down, c + right) in cells:
                continue
            ends = []
            for way in (-1, 1):  # along the side
                along = (right * way, down * way)
                beside = (r + along[0], c + along[1]) in cells
                round_it = (r + along[0] + down, c + along[1] + right) in cells
                reach = 0.5 + _INSET * (1 if beside and round_it else 0 if beside else -1)
                out = 0.5 - _INSET
                y = r + 0.5 + down * out + along[0] * reach
                ends.append((c + 0.5 + right * out + along[1] * reach, y))
            yield ends
