"""The course of a solve with matplotlib: energies above, penalty weights below."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from qubopuzzle.errors import InputError
from qubopuzzle.picture.description import PALETTE
from qubopuzzle.picture.figure import label


def draw_course(
    sweeps: NDArray[np.int64],
    energies: Mapping[str, NDArray[np.float64]],
    families: Sequence[str],
    weights: NDArray[np.float32],
    figure: Figure,
) -> list[Axes]:
    """Draw ``energies`` by their names, (states,) each, and the rest as ``Trace`` has it.

    What is nowhere known is left out.
    """
    known = [k for k in range(len(families)) if np.isfinite(weights[:, k]).any()]
    axes = figure.subplots(2 if known else 1, sharex=True, squeeze=False)[:, 0].tolist()
    colors, least = ("#56b4e9", "#222222", "#d55e00"), 0.0
    for (name, energy), color in zip(energies.items(), colors, strict=True):
        if (finite := np.isfinite(energy)).any():
            axes[0].plot(sweeps, energy, color=color, linewidth=1, label=name)
            least = min(least, float(energy[finite].min()))
    axes[0].set_ylabel("energy")
    axes[0].set_ylim(bottom=least)
    for i, k in enumerate(known):
        color = PALETTE[i % len(PALETTE)]
        axes[1].plot(sweeps, weights[:, k], color=color, linewidth=1, label=label(families[k]))
    if known:
        axes[1].set_ylabel("mean penalty weight")
    axes[-1].set_xlabel("sweeps, of all reads one after the other")
    for ax in axes:
        ax.legend(loc="upper right", frameon=False)
        ax.grid(alpha=0.3)
    return list(axes)


FILMS = {"gif": "pillow", "mp4": "ffmpeg"}
"""Formats of films, and matplotlib's writer of each."""


def film(frames: Sequence[Callable[[Figure], object]], file_format: str, per_second: int) -> bytes:
    """A film of figures that functions draw, all of the first one's size; the last one stays.

    Raises:
        InputError: for a format whose writer is not installed.
    """
    from matplotlib import animation

    name = FILMS[file_format]
    if not animation.writers.is_available(name):
        raise InputError(f"a .{file_format} needs the program {name}; a .gif needs none")
    writer = animation.writers[name](fps=per_second)
    figure = Figure(figsize=(6, 7.5))
    FigureCanvasAgg(figure)
    with TemporaryDirectory(prefix="qubopuzzle-") as folder:
        path = Path(folder) / f"film.{file_format}"
        with writer.saving(figure, str(path), 100):
            for draw in frames:
                figure.clear()
                draw(figure)
                writer.grab_frame()
            for _ in range(per_second):  # the last one stays for a second
                writer.grab_frame()
        return path.read_bytes()
