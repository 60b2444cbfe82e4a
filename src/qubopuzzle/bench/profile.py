"""The pictures of a comparison: how many runs are solved by when, time against size, and more.

Lines differ in dash, marker and shade, so that they can be told apart in black and white:
exact solvers have solid lines, heuristics dashed ones.
"""

import io
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, groupby, pairwise
from math import inf, nan
from statistics import median
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator, PercentFormatter
from numpy.typing import NDArray

from qubopuzzle.bench.analysis import growths
from qubopuzzle.bench.comparison import Comparison, Row

# Okabe and Ito's colours in an order of different greys.
_COLORS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
_MARKERS = "osD^vP*X<>"
_DASHES: tuple[Any, ...] = ((0, (5, 2)), (0, (1, 1.3)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
INCHES = (9.0, 4.0)
_LEAST_S = 1e-4
_LANE = 1.3
_PANELS = 6
Styles = dict[str, dict[str, Any]]
"""How each configuration's line is drawn."""


def plot(comparison: Comparison, figure: Figure) -> list[Axes]:
    """Draw both parts into a figure."""
    with mpl.rc_context({"font.size": 9}):
        left, right = figure.subplots(1, 2)
        styles = _styles(comparison)
        survival(comparison, left, styles)
        growth(comparison, right, styles)
        _legend(figure, left)
    return [left, right]


def draw(comparison: Comparison, file_format: str) -> bytes:
    """The figure as the bytes of a file; the same comparison gives the same SVG."""
    return _file(lambda figure: plot(comparison, figure), file_format)


def svgs(comparison: Comparison) -> list[bytes]:
    """All pictures of a report; none without a row."""
    if not comparison.rows:
        return []
    found = (draw(comparison, "svg"), profiles(comparison), times_to_target(comparison))
    return [svg for svg in found if svg]


def profiles(comparison: Comparison) -> bytes:
    """An SVG of the performance profiles, after Dolan and More, Math. Program. 91, 201 (2002).

    The share of instances on which a configuration's median takes at most x times that of the
    best; where it ends below 1, the rest was not solved.
    """
    by_name: dict[str, dict[str, float]] = {}
    for s in comparison.summaries():
        by_name.setdefault(s.configuration, {})[s.digest] = max(s.seconds, _LEAST_S)
    best = {
        each.digest: min((own.get(each.digest, inf) for own in by_name.values()), default=inf)
        for each in comparison.instances
    }

    def content(figure: Figure) -> None:
        ax = figure.subplots()
        ratios = {
            name: sorted(t / best[digest] for digest, t in own.items() if t < inf)
            for name, own in by_name.items()
        }
        most = 1.1 * max((r[-1] for r in ratios.values() if r), default=10.0)
        for name, style in _styles(comparison).items():
            xs = ratios.get(name, [])
            share = [i / len(best) for i in range(1, len(xs) + 1)]
            ys = [0.0, *share, share[-1] if share else 0.0]
            ax.step([1.0, *xs, most], ys, where="post", markevery=(0, 3), **style)
        ax.set_xscale("log")
        ax.set_ylim(-0.03, 1.05)
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        ax.set(xlabel="times the best's median", ylabel="instances", title="Performance profile")
        _tidy(ax)
        _legend(figure, ax)

    return _file(content, "svg", (9.0, 4.2))


def times_to_target(comparison: Comparison) -> bytes:
    """An SVG: by when runs are solved on the instances that take longest, a panel each.

    Nothing where no heuristic solved any.

    Time-to-target plots of Aiex, Resende and Ribeiro, Optim. Lett. 1, 355 (2007).
    """
    slowest: dict[str, float] = {}
    for s in comparison.summaries():
        if not s.exact and s.solved:
            slowest[s.digest] = max(slowest.get(s.digest, 0.0), s.par2_s)
    hardest = sorted(slowest, key=lambda digest: -slowest[digest])[:_PANELS]
    panels = [each for each in comparison.instances if each.digest in hardest]
    styles = _styles(comparison)
    if not panels:
        return b""

    def content(figure: Figure) -> None:
        axes = figure.subplots(-(-len(panels) // 3), 3, squeeze=False, sharey=True)
        for ax, instance in zip(axes.flat, panels, strict=False):
            rows = [row for row in comparison.rows if row["digest"] == instance.digest]
            survival(replace(comparison, rows=rows), ax, styles)
            ax.set(title=instance.label[:40], ylabel="")
        for ax in axes.flat[len(panels) :]:
            ax.set_visible(False)
        _legend(figure, axes[0, 0])

    return _file(content, "svg", (9.0, 0.6 + 2.6 * -(-len(panels) // 3)))


def _file(
    content: Callable[[Figure], object], file_format: str, inches: tuple[float, float] = INCHES
) -> bytes:
    # Glyph ids in an SVG are drawn at random without a salt.
    with mpl.rc_context({"svg.hashsalt": "qubopuzzle", "font.size": 9}):
        figure = Figure(figsize=inches, layout="constrained")
        content(figure)
        buffer = io.BytesIO()
        metadata = {"Date": None} if file_format == "svg" else None
        figure.savefig(buffer, format=file_format, dpi=150, metadata=metadata)
    return buffer.getvalue()


def _legend(figure: Figure, ax: Axes) -> None:
    handles, labels = ax.get_legend_handles_labels()
    style: dict[str, Any] = {"ncols": min(3, len(labels)), "frameon": False, "handlelength": 4}
    figure.legend(handles, labels, loc="outside lower center", **style)


def survival(comparison: Comparison, ax: Axes, styles: Styles) -> None:
    """Share of a solver's runs that are solved within t seconds, building included."""
    limit = _limit(comparison)
    earliest = min((_seconds(row) for row in comparison.rows if row["solved"]), default=limit / 10)
    start = min(earliest, limit / 2) / 1.5
    for name, style in styles.items():
        rows = [row for row in comparison.rows if row["configuration"] == name]
        if not rows:
            continue
        times = sorted(_seconds(row) for row in rows if row["solved"])
        xs = [start, *times, limit]
        ys = [0.0, *((i + 1) / len(rows) for i in range(len(times))), len(times) / len(rows)]
        every = max(1, len(xs) // 8)
        ax.step(xs, ys, where="post", markevery=(0 if not times else 1, every), **style)
    ax.axvline(limit, color="0.6", linewidth=0.8, zorder=0)
    ax.set_xscale("log")
    ax.set_xlim(start, limit * 1.15)
    ax.set_ylim(-0.03, 1.05)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set(xlabel="seconds, building included", ylabel="runs solved", title="Solved by when")
    _tidy(ax)


def growth(comparison: Comparison, ax: Axes, styles: Styles) -> None:
    """Median seconds of each instance against its cells, a line through the median by size.

    A broad pale line is the fitted growth.

    Instances whose median run did not solve stand above the limit, hollow, a lane a solver.
    """
    limit = _limit(comparison)
    lane = limit * _LANE
    for name, style in styles.items():
        points = style | {"linestyle": "none"}
        cells, seconds = _medians([row for row in comparison.rows if row["configuration"] == name])
        sizes, failed = np.unique(cells), np.isinf(seconds)
        middle = np.array([np.median(seconds[cells == size]) for size in sizes])
        ax.plot(sizes, np.where(np.isinf(middle), nan, middle), **style | {"marker": ""})
        ax.plot(cells[~failed], seconds[~failed], **points)
        ax.plot(cells[failed], [lane] * failed.sum(), **points | {"markerfacecolor": "none"})
        lane *= _LANE if failed.any() else 1
    for fit in growths(comparison):
        cells = np.array(sorted({row["cells"] for row in comparison.rows}))[[0, -1]]
        color = styles[fit.configuration]["color"]
        ax.plot(cells, fit.factor * cells**fit.exponent, color=color, alpha=0.3, linewidth=3)
    ax.axhline(limit, color="0.6", linewidth=0.8, zorder=0)
    ax.set_xscale("log")
    ax.set_yscale("log")
    low, _ = ax.get_ylim()
    ax.set_ylim(low if low < limit else limit / 10, max(lane, limit * _LANE))
    ax.set(xlabel="cells", ylabel="seconds (median)", title="Time against size")
    words: dict[str, Any] = {"ha": "right", "va": "top", "fontsize": 7, "color": "0.35"}
    words |= {"transform": ax.get_yaxis_transform(), "in_layout": False}
    ax.text(0.99, limit * 0.9, "limit; above it, hollow: not solved", **words)
    _sizes_axis(ax, sorted({row["cells"] for row in comparison.rows}))
    _tidy(ax)


def _medians(rows: list[Row]) -> NDArray[np.float64]:
    """Cells and median seconds, shape (2, instances); infinite where the median run failed."""
    points = []
    for _, group in groupby(rows, key=lambda row: row["digest"]):
        runs = list(group)
        seconds = median(_seconds(row) if row["solved"] else inf for row in runs)
        points.append((runs[0]["cells"], seconds))
    return np.array(points, dtype=float).reshape(-1, 2).T


def _sizes_axis(ax: Axes, sizes: list[int]) -> None:
    """A few sizes are named themselves; a single one gets room around it."""
    if not sizes:
        ax.set_xlim(1, 100)
    elif sizes[0] == sizes[-1]:
        ax.set_xlim(sizes[0] / 2, sizes[0] * 2)
    if len(sizes) <= 6 and all(b / a > 1.3 for a, b in pairwise(sizes)):
        ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
        ax.xaxis.set_minor_locator(NullLocator())
    else:
        ax.xaxis.set_minor_formatter(NullFormatter())


def _styles(comparison: Comparison) -> Styles:
    styles: Styles = {}
    dashes = cycle(_DASHES)
    for i, each in enumerate(comparison.configurations):
        styles[each.name] = {
            "label": f"{each.name} ({each.kind})",
            "color": _COLORS[i % len(_COLORS)],
            "marker": _MARKERS[i % len(_MARKERS)],
            "linestyle": "-" if each.exact else next(dashes),
            "linewidth": 1.4,
            "markersize": 5,
        }
    return styles


def _limit(comparison: Comparison) -> float:
    return max(each.time_limit for each in comparison.configurations)


def _seconds(row: Row) -> float:
    return max(float(row["seconds"]), _LEAST_S)


def _tidy(ax: Axes) -> None:
    ax.grid(True, which="major", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
