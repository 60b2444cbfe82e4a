"""Several pictures on pages to print."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

from qubopuzzle.errors import printable
from qubopuzzle.picture.description import PictureData
from qubopuzzle.picture.figure import draw

PAPERS = {"a4": (8.27, 11.69), "letter": (8.5, 11.0)}
"""Width and height in inches."""
_MARGIN, _GAP, _TITLE, _HEAD = 0.55, 0.35, 0.28, 0.4
"""Around a page, between pictures, and for the lines of text above them, in inches."""
_WRITTEN, _READ = (0.26, 0.36), (0.13, 0.18)
"""Least and largest width of a cell that one writes into, and of one to read, in inches."""
_LETTER = 0.075
"""The width of a letter of a title, in inches, of most letters."""
_LARGEST = 0.6
"""The widest cell where there are so many ``across``, in inches."""


@dataclass(frozen=True, slots=True)
class Part:
    """Pages of a sheet that belong together.

    Attributes:
        heading: what stands above its pages.
        pictures: each with its title.
        links: an address for each title, or "".
        across: how many stand beside each other; 0 for as many as there is room for.
        is_read: whether nothing is written into them, so that they may be small.
    """

    heading: str
    pictures: Sequence[tuple[str, PictureData]]
    links: Sequence[str] = field(default=())
    across: int = 0
    is_read: bool = False


def sheet(parts: Sequence[Part], paper: str = "a4") -> bytes:
    """The bytes of a PDF with these parts, each from a page of its own on.

    Args:
        parts: what stands on it.
        paper: a key of ``PAPERS``.
    """
    size, file = PAPERS[paper], BytesIO()
    pages = [page for part in parts for page in _pages(part, size)]
    with PdfPages(file, metadata={"CreationDate": None, "Creator": "qubopuzzle"}) as pdf:
        for number, page in enumerate(pages, start=1):
            foot = f"{number} of {len(pages)}" if len(pages) > 1 else ""
            _text(page, 0.5, 0.35 / size[1], foot, 8, ha="center")
            pdf.savefig(page)
    return file.getvalue()


class _Box(NamedTuple):
    """A picture on a page, its width, height and the room that it takes, in inches."""

    title: str
    picture: PictureData
    width: float
    height: float
    room: float


def _pages(part: Part, size: tuple[float, float]) -> Iterator[Figure]:
    """The pages of a part: as few as will do, with cells as wide as they can be then."""
    wide, high = size[0] - 2 * _MARGIN, size[1] - 2 * _MARGIN - _HEAD
    least, most = _READ if part.is_read else _WRITTEN
    cells = [_LARGEST] if part.across else np.linspace(most, least, 11).tolist()
    sizes = [_cells(picture) for _, picture in part.pictures]
    every = (_paged(_rows(part, sizes, cell, wide, high - _TITLE), high) for cell in cells)
    links = iter([*part.links, *[""] * len(part.pictures)])
    for rows in min(every, key=len):
        page, top = Figure(figsize=size), _MARGIN + high
        _text(page, _MARGIN / size[0], 1 - _MARGIN / size[1], part.heading, 13, va="top")
        for row in rows:
            x = _MARGIN
            for box in row:
                at = x / size[0], top / size[1]
                _text(page, *at, box.title, 9, va="top", url=next(links) or None)
                extent = at[0], at[1] - (_TITLE + box.height) / size[1]
                draw(
                    box.picture, page.add_axes((*extent, box.width / size[0], box.height / size[1]))
                )
                x += box.room + _GAP
            top -= _tall(row)
        yield page


def _paged(rows: Sequence[list[_Box]], high: float) -> list[list[list[_Box]]]:
    """Rows on pages, as many as one holds."""
    pages, left = list[list[list[_Box]]](), 0.0
    for row in rows:
        if not pages or _tall(row) - _GAP > left:
            pages.append([])
            left = high
        pages[-1].append(row)
        left -= _tall(row)
    return pages


def _tall(row: Sequence[_Box]) -> float:
    """The height of a row, with titles and what is below it."""
    return _TITLE + max(box.height for box in row) + _GAP


def _rows(
    part: Part, sizes: Sequence[tuple[float, float]], cell: float, wide: float, high: float
) -> list[list[_Box]]:
    """The pictures that stand beside each other, with cells of this width, or less without room.

    ``sizes`` are width and height of each picture, in cells.
    """
    each_has = (wide - (part.across - 1) * _GAP) / part.across if part.across else 0.0
    rows, left = list[list[_Box]](), 0.0
    for (title, picture), (width, height) in zip(part.pictures, sizes, strict=True):
        size = min(cell, (each_has or wide) / width, high / height)
        room = each_has or max(size * width, min(_LETTER * len(title), wide))
        if not rows or room > left + 1e-9:
            rows.append([])
            left = wide
        rows[-1].append(_Box(title, picture, size * width, size * height, room))
        left -= room + _GAP
    return rows


def _cells(picture: PictureData) -> tuple[float, float]:
    """Width and height with what stands outside the grid, in cells."""
    left, right, top, bottom = picture.outside()
    return left + picture.columns + right, top + picture.rows + bottom


def _text(page: Figure, x: float, y: float, text: str, size: float, **style: Any) -> None:
    """A line of text; nothing in it is mathematics."""
    page.text(x, y, printable(text), fontsize=size, parse_math=False, **style)
