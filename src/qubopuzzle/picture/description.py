"""What a puzzle looks like, without saying how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Cell = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A grid with clues around it.

    ``black`` is a 0/1 array of shape (rows, columns), or None for an unsolved puzzle.
    ``left`` holds each row's clue as words, ``top`` each column's; they stand against
    the grid. ``broken`` cells are marked in red. Every ``thick_every``-th grid line is thick.
    """

    rows: int
    columns: int
    black: NDArray[np.int64] | None = None
    left: tuple[tuple[str, ...], ...] = ()
    top: tuple[tuple[str, ...], ...] = ()
    broken: frozenset[Cell] = frozenset()
    thick_every: int = 5

    def text(self, *, color: bool = False, ascii_only: bool = False) -> str:
        """The picture as lines of text; ``color`` marks broken cells with ANSI red."""
        from qubopuzzle.picture.text import draw

        return draw(self, color=color, ascii_only=ascii_only)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw into a matplotlib Axes (a new pyplot figure without one) and return it."""
        from qubopuzzle.picture.figure import draw

        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.figure(figsize=self.size_in()).add_subplot()
        draw(self, ax)
        return ax

    def image(self, file_format: str) -> bytes:
        """The drawing as the bytes of a file: svg, png, pdf or what matplotlib writes."""
        from qubopuzzle.picture.figure import image

        return image(self, file_format)

    def size_in(self) -> tuple[float, float]:
        """A comfortable figure size, (width, height) in inches."""
        cell = min(0.4, 16 / max(self.rows, self.columns))
        left = max((len(clue) for clue in self.left), default=0)
        top = max((len(clue) for clue in self.top), default=0)
        return (
            max(1.5, cell * (self.columns + 0.7 * left + 1)),
            max(1.5, cell * (self.rows + 0.7 * top + 1)),
        )
