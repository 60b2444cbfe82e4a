"""A picture with matplotlib, the way magazines print it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from qubopuzzle.picture.description import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PAPER, _INK, _WRONG, _WRONG_INK = "#ffffff", "#222222", "#f4b6b6", "#c0392b"


def draw(picture: Picture, ax: Axes) -> None:
    """Draw into ``ax``: cells one unit wide, row 0 on top, clues outside the grid."""
    rows, columns = picture.rows, picture.columns
    shade = np.zeros((rows, columns), dtype=int)
    if picture.black is not None:
        shade += picture.black.astype(int)
    for r, c in picture.broken:
        shade[r, c] += 2
    colors = ListedColormap([_PAPER, _INK, _WRONG, _WRONG_INK])
    ax.imshow(shade, cmap=colors, vmin=0, vmax=3, extent=(0, columns, rows, 0))

    for lines, end, draw_line in ((columns, rows, ax.vlines), (rows, columns, ax.hlines)):
        step = picture.thick_every or lines
        thin = [i for i in range(lines + 1) if i % step]
        thick = sorted({*range(0, lines + 1, step), lines})
        draw_line(thin, 0, end, colors="#999999", linewidth=0.6)
        draw_line(thick, 0, end, colors="black", linewidth=1.4)

    unit = 72 * min(0.4, 16 / max(rows, columns))
    size = max(3.0, 0.48 * unit)
    for r, clue in enumerate(picture.left):
        for i, word in enumerate(reversed(clue)):
            ax.text(-0.35 - 0.7 * i, r + 0.5, word, ha="center", va="center", fontsize=size)
    for c, clue in enumerate(picture.top):
        for i, word in enumerate(reversed(clue)):
            ax.text(c + 0.5, -0.4 - 0.7 * i, word, ha="center", va="center", fontsize=size)
    deepest = max((len(clue) for clue in picture.top), default=0)
    widest = max((len(clue) for clue in picture.left), default=0)
    ax.set_xlim(-0.7 * widest - 0.2, columns + 0.1)
    ax.set_ylim(rows + 0.1, -0.7 * deepest - 0.2)
    ax.set_aspect("equal")
    ax.set_axis_off()


def image(picture: Picture, file_format: str) -> bytes:
    """Draw into a figure of its own and return the file's bytes."""
    figure = Figure(figsize=picture.size_in(), layout="tight")
    draw(picture, figure.add_subplot())
    buffer = io.BytesIO()
    figure.savefig(buffer, format=file_format, dpi=150)
    return buffer.getvalue()
