"""A puzzle's picture: one description, drawn as text or with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.picture.description import PictureData
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
