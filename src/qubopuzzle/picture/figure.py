"""A picture with matplotlib, the way magazines print it."""

from io import BytesIO
from itertools import chain
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from numpy.typing import NDArray

from qubopuzzle.errors import printable
from qubopuzzle.picture.description import (
    DISCS,
    DOWN,
    INK,
    LEFT,
    NOTES,
    PALETTE,
    PAPER,
    RIGHT,
    TWICE,
    UP,
    PictureData,
    places,
)
from qubopuzzle.picture.shapes import marks

_PENCIL, _GRID = "#666666", "#999999"
_BROKEN = "#f4b6b6", "#c0392b"
_NOTED = {"decided": (0.35, "-"), "because": (0.22, ":"), "near": (0.12, "")}
"""How strong the colour of a note is, and the line around its cell."""


def label(text: str) -> str:
    r"""A name as matplotlib shows it: nothing in it is mathematics, and a legend has it.

    >>> label("_$x$")
    ' _\\$x\\$'
    """
    shown = printable(text).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def image(figure: Figure, file_format: str) -> bytes:
    """A figure as the bytes of a file: svg, png, pdf or what matplotlib writes."""
    file = BytesIO()
    figure.savefig(file, format=file_format, dpi=150)
    return file.getvalue()


def draw(picture: PictureData, ax: Axes) -> None:
    """Draw into ``ax``: cells one unit wide, row 0 on top, clues outside the grid."""
    rows, columns = picture.rows, picture.columns
    faces, shade = _faces(picture)
    colormap, last = ListedColormap(faces), len(faces) - 1
    ax.imshow(shade, cmap=colormap, vmin=0, vmax=last, extent=(0, columns, rows, 0))
    left, right, top, bottom = picture.outside()
    ax.set_xlim(-left, columns + right)
    ax.set_ylim(rows + bottom, -top)
    ax.set_aspect("equal")
    ax.set_axis_off()

    width, height = left + columns + right, top + rows + bottom
    pixels = min(ax.bbox.width / width, ax.bbox.height / height)
    unit = float(pixels * 72 / ax.figure.dpi)  # a cell's width in points, as ax is by now
    _grid(picture, ax)
    if picture.paths is not None:
        _paths(picture.paths, picture.colors, ax, 0.14 * unit)
        double = picture.paths >> TWICE
        for width, color in ((0.36, INK), (0.14, PAPER)) if double.any() else ():
            _paths(double, None, ax, width * unit, color)
    _shapes(picture, ax, unit)
    face = np.array(faces)[shade]
    _discs(picture, face, ax)
    _words(picture, face, ax, unit)
    _notes(picture, ax, unit)
    _outside(picture, ax, 0.48 * unit)


def _faces(picture: PictureData) -> tuple[list[str], NDArray[np.int64]]:
    """Colours of cells, and which one each cell has: paper or ink, then both where it is broken."""
    inks = [*picture.palette.values()] or [INK]
    shade = np.zeros((picture.rows, picture.columns), dtype=np.int64)
    if picture.black is not None:
        ink = 0 if picture.colors is None or not picture.palette else picture.colors
        shade += np.where(picture.black, 1 + ink, 0)
    for cell in picture.broken:
        shade[cell] += 1 + len(inks)
    pale, dark = _BROKEN
    broken = [mixed(ink, dark) for ink in inks] if picture.palette else [dark]
    return [picture.paper, *inks, pale, *broken], shade


def mixed(one: str, other: str) -> str:
    """The colour half-way between two.

    >>> mixed("#000000", "#ff8000")
    '#7f4000'
    """
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + bytes((a + b) // 2 for a, b in pairs).hex()


def _ink_on(face: str) -> str:
    """What is read on a colour: dark on a light one."""
    red, green, blue = bytes.fromhex(face[1:])
    return INK if 299 * red + 587 * green + 114 * blue > 140_000 else PAPER


def _grid(picture: PictureData, ax: Axes) -> None:
    """Thin lines everywhere, thick ones around the grid, between rooms and every few cells.

    Those of rooms have pale edges, which are seen between black cells.
    """
    beside, above = picture.thick_lines()
    thin, thick = _segments(np.ones_like(beside), np.ones_like(above)), _segments(beside, above)
    edges = [(thick, picture.paper, 2.4)] * (picture.rooms is not None)
    each = [(thin, _GRID, 0.6), *edges, (thick, "black", 1.4)]
    for order, (segments, color, width) in enumerate(each):
        lines = LineCollection([*segments], colors=color, linewidths=width, capstyle="projecting")
        lines.set_zorder(1 + order / 10)
        ax.add_collection(lines, autolim=False)


def _segments(beside: NDArray[np.bool_], above: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Lines on the left of cells and above them, as few as will do; shape (n, 2, 2)."""
    upright, _ = _runs(beside.T)
    level, _ = _runs(above)
    return np.concatenate([upright, level[:, :, ::-1]])


def _paths(
    paths: NDArray[np.int64],
    colors: NDArray[np.int64] | None,
    ax: Axes,
    width: float,
    color: str = INK,
) -> None:
    """Lines from the centres of cells to their sides, one colour a number, or all of one."""
    number = np.zeros_like(paths) if colors is None else colors % len(PALETTE)
    lines, hues = [], []
    for transposed, back, forth in ((False, LEFT, RIGHT), (True, UP, DOWN)):
        ways, hue = (paths.T, number.T) if transposed else (paths, number)
        halves = np.stack([ways & back, ways & forth], axis=2) != 0
        runs, values = _runs((halves * (1 + hue[:, :, None])).reshape(len(ways), -1))
        runs = runs * (1, 0.5) + (0.5, 0)
        lines.append(runs if transposed else runs[:, :, ::-1])
        hues += [PALETTE[value - 1] if colors is not None else color for value in values]
    collection = LineCollection([*np.concatenate(lines)], colors=hues, linewidths=width, zorder=2)
    collection.set_capstyle("round")
    ax.add_collection(collection, autolim=False)


def _runs(values: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Runs of equal values other than 0, line by line.

    Returns:
        Where they begin and end, ((line, start), (line, end)), shape (runs, 2, 2), and the
        value of each.
    """
    padded = np.pad(values, ((0, 0), (1, 1)))
    change = padded[:, 1:] != padded[:, :-1]
    starts = np.argwhere(change & (padded[:, 1:] != 0))
    ends = np.argwhere(change & (padded[:, :-1] != 0))
    run_values = values[starts[:, 0], starts[:, 1]]
    return np.stack([starts, ends], axis=1).astype(float), run_values


def _shapes(picture: PictureData, ax: Axes, unit: float) -> None:
    """Cages, lines and dots, below the words of cells."""
    for mark in chain.from_iterable(map(marks, picture.shapes)):
        x, y = zip(*mark.points, strict=True)
        if mark.form == "line":
            style = {"linewidth": mark.size * unit} if mark.size else {"linewidth": 0.8, "ls": "--"}
            ax.plot(x, y, color=mark.color, solid_capstyle="round", zorder=1.05, **style)
        elif mark.form == "word":
            _write(ax, x[0], y[0], mark.word, mark.size * unit, color=mark.color)
        else:
            edge, face = ("none", mark.color) if mark.color else (INK, PAPER)
            corner = (x[0] - mark.size, y[0] - mark.size)
            disc, square = Circle((x[0], y[0]), mark.size), Rectangle(corner, *[2 * mark.size] * 2)
            patch: Any = disc if mark.form == "disc" else square
            patch.set(facecolor=face, edgecolor=edge, linewidth=0.8, zorder=1.3)
            ax.add_patch(patch)


def _discs(picture: PictureData, face: NDArray[np.str_], ax: Axes) -> None:
    """Circles around words, room for words on a path, and words that are discs, large if given."""
    paths, words = picture.paths, picture.words
    on_path = [cell for cell in words if paths is not None and paths[cell]]
    for cells, width, edged in ((on_path, 0.68, False), (sorted(picture.circled), 0.78, True)):
        circles = [Circle((c + 0.5, r + 0.5), width / 2) for r, c in cells]
        faces = [face[cell] for cell in cells]
        edges = [_ink_on(face[cell]) for cell in cells] if edged else "none"
        discs = PatchCollection(circles, facecolors=faces, edgecolors=edges, linewidths=0.9)
        discs.set_zorder(2.5)
        ax.add_collection(discs, autolim=False)
    pearls = {cell: DISCS[word] for cell, word in words.items() if word in DISCS}
    radius = {cell: 0.36 if cell in picture.given else 0.24 for cell in pearls}
    circles = [Circle((c + 0.5, r + 0.5), radius[r, c]) for r, c in pearls]
    discs = PatchCollection(circles, facecolors=[*pearls.values()], edgecolors=INK, linewidths=0.9)
    discs.set_zorder(2.6)
    ax.add_collection(discs, autolim=False)


def _words(picture: PictureData, face: NDArray[np.str_], ax: Axes, unit: float) -> None:
    """What stands in cells and in their corners: bold what is given, lighter what is not."""
    longest = max(map(len, picture.words.values()), default=0)
    size = (0.54 if longest < 2 else 0.46) * unit
    for cell, word in picture.words.items():
        if word in DISCS:
            continue
        given = cell in picture.given
        color = _PENCIL if not given and face[cell] == picture.paper else _ink_on(face[cell])
        weight = "bold" if given else "normal"
        scale = 0.9 if cell in picture.circled else 1.0
        _write(ax, cell[1] + 0.5, cell[0] + 0.5, word, scale * size, color=color, weight=weight)
    for cell, word in picture.corners.items():
        x, y, color = cell[1] + 0.08, cell[0] + 0.08, _ink_on(face[cell])
        _write(ax, x, y, word, 0.38 * unit, color=color, ha="left", va="top")


def _notes(picture: PictureData, ax: Axes, unit: float) -> None:
    """Crosses, and what a hint is about: by the edge, too, not by colours alone."""
    for r, c in picture.crossed:
        corner = (r, c) in picture.words
        x, y = (c + 0.84, r + 0.2) if corner else (c + 0.5, r + 0.5)
        _write(ax, x, y, "×", (0.34 if corner else 0.5) * unit, color=_PENCIL)
    for (r, c), note in picture.notes.items():
        color, (alpha, edge) = NOTES[note][1], _NOTED[note]
        ax.add_patch(Rectangle((c, r), 1, 1, facecolor=color, alpha=alpha, zorder=1.25))
        if edge:
            box = Rectangle((c + 0.08, r + 0.08), 0.84, 0.84, fill=False, edgecolor=color)
            box.set(linewidth=0.07 * unit, linestyle=edge, zorder=2.7)
            ax.add_patch(box)


def _outside(picture: PictureData, ax: Axes, size: float) -> None:
    """Clues around the grid, from the grid outwards."""
    for clues, edge, way in ((picture.left, 0, -1), (picture.right, picture.columns, 1)):
        for r, clue in enumerate(clues):
            words = clue[::way]
            for word, out in zip(words, places(words, across=True)[0], strict=True):
                _clue(picture, ax, (edge + way * out, r + 0.5), word, size)
    for clues, edge, way in ((picture.top, 0, -1), (picture.bottom, picture.rows, 1)):
        for c, clue in enumerate(clues):
            words = clue[::way]
            for word, out in zip(words, places(words, across=False)[0], strict=True):
                _clue(picture, ax, (c + 0.5, edge + way * (0.05 + out)), word, size)


def _clue(picture: PictureData, ax: Axes, at: tuple[float, float], word: str, size: float) -> None:
    """A clue around the grid; one with a sign at its end without it, on its colour."""
    face = picture.palette.get(word[-1:])
    if face is None:
        _write(ax, *at, word, size)
        return
    box = {"boxstyle": "round,pad=0.2", "facecolor": face, "edgecolor": _GRID, "linewidth": 0.4}
    _write(ax, *at, word[:-1], size, color=_ink_on(face), bbox=box)


def _write(ax: Axes, x: float, y: float, word: str, size: float, **style: Any) -> None:
    """One word, a long one smaller; nothing in it is mathematics."""
    if word:
        style = {"ha": "center", "va": "center_baseline", **style}
        style["fontsize"] = max(1.0, size * min(1.0, 2 / len(word)))
        ax.text(x, y, printable(word), parse_math=False, in_layout=False, **style)
