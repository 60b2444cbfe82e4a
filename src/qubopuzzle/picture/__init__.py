"""A puzzle's picture: one description, drawn as text or with matplotlib."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.picture.description import BoolArray, PictureData
from qubopuzzle.picture.shapes import Shape as Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def check_canvas(given: object, method: str) -> None:
    """Raise InputError for what cannot be drawn into, such as a file's name.

    Args:
        method: one of matplotlib's that it needs.
    """
    if not hasattr(given, method):
        what = "a Figure" if method == "subplots" else "Axes"
        save = "[0].figure.savefig" if method == "subplots" else ".figure.savefig"
        raise InputError(
            f"plot: expected {what} of matplotlib, got {brief(given)}; plot(){save}(name) "
            "writes a file"
        )


class Picture(PictureData):
    """A picture that draws itself; see ``PictureData`` for what it is made of."""

    __slots__ = ()

    def only(self, known: BoolArray, bare: Self) -> Self:
        """What a picture of an answer shows in cells that are known, (rows, columns).

        Args:
            known: cells of the answer; of those without anything to show there are crosses.
            bare: the same board without an answer, for all others.
        """
        if not known.any():
            return bare
        filled = self.black if self.loop is None else self.loop
        black = np.zeros_like(known) if filled is None else known & (filled != 0)
        drawn = black if self.paths is None else black | (self.paths != 0)
        parts: dict[str, Any] = {"paths": self.paths, "loop": self.loop, "rooms": self.rooms}
        if self.paths is not None:
            parts["paths"] = np.where(known, self.paths, 0)
        if self.loop is not None:
            parts["loop"] = np.where(known, self.loop, -1)
        if self.rooms is not None and bare.rooms is None:
            parts["rooms"], drawn = np.where(known, self.rooms, -1), known
        if bare.black is not None:
            black = black | (~known & (bare.black != 0))
        words = {cell: word for cell, word in self.words.items() if known[cell]}
        is_worded = filled is None and self.paths is None
        written = words if is_worded else words.keys() - bare.words.keys()
        empty = map(tuple, np.argwhere(known & ~drawn).tolist())
        return replace(
            self,
            words=words | {**bare.words},
            given=bare.given,
            black=black.astype(np.int64) if black.any() else None,
            crossed=frozenset(empty).difference(written),
            **parts,
        )

    def text(self, *, color: bool = False, ascii_only: bool = False) -> str:
        """The picture as lines of text.

        Args:
            color: mark broken cells with ANSI red; without it ``!`` or a shade marks them.
            ascii_only: draw with what every terminal has.
        """
        from qubopuzzle.picture.text import draw

        return draw(self, color=color, ascii_only=ascii_only)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw into a matplotlib Axes (a new pyplot figure without one) and return it."""
        from qubopuzzle.picture.figure import draw

        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.figure(figsize=self.size_in()).add_subplot()
        check_canvas(ax, "imshow")
        draw(self, ax)
        return ax

    def image(self, file_format: str) -> bytes:
        """The drawing as the bytes of a file: svg, png, pdf or what matplotlib writes."""
        from matplotlib.figure import Figure

        from qubopuzzle.picture.figure import image

        figure = Figure(figsize=self.size_in())
        self.plot(figure.add_axes((0, 0, 1, 1)))
        return image(figure, file_format)
