"""The pictures of a comparison: runs solved by when, time against size, gaps, and more.

With an objective, a run is "solved" when it reaches the best one that is known.

Lines differ in dash, marker and shade, so that they can be told apart in black and white:
exact solvers have solid lines, heuristics dashed ones.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import cycle
from math import ceil, floor, inf, log10, nan
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, PercentFormatter
from numpy.typing import NDArray

from qubopuzzle.bench.comparison import Comparison
from qubopuzzle.bench.objectives import CLOSE
from qubopuzzle.picture.figure import label

# Okabe and Ito's colours in an order of different greys.
_COLORS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
_MARKERS = "osD^vP*X<>"
_DASHES: tuple[Any, ...] = ((0, (5, 2)), (0, (1, 1.3)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
_WIDTH = 9.0
_LETTER = 0.068
_HANDLE = 0.85
_LINE = 0.2
"""Inches of a letter of the legend, of what stands before a name, and of a line of names."""
_LEAST_GAP = 1e-4
_MOST_TICKS = 6
_APART = 1.3
"""How far sizes are apart, as a ratio, that both are named."""
_LEAST_S = 1e-4
_LANE = 1.3
_PANELS = 6
Styles = dict[str, dict[str, Any]]
"""How each configuration's line is drawn."""


def plot(comparison: Comparison, figure: Figure) -> list[Axes]:
    """Draw what there is: solved by when, time against size or, with objectives, gaps."""
    with_objective = len(comparison.targets)
    panels = [survival]
    panels += [growth] if with_objective < max(1, len(comparison.instances)) else []
    panels += [gaps] if with_objective else []
    with mpl.rc_context({"font.size": 9}):
        axes: list[Axes] = figure.subplots(1, len(panels), squeeze=False)[0].tolist()
        styles = _styles(comparison)
        for panel, ax in zip(panels, axes, strict=True):
            panel(comparison, ax, styles)
        _legend(figure, axes[0])
    return axes


def inches(comparison: Comparison, height: float = 3.6) -> tuple[float, float]:
    """Of a figure whose axes take this height, with its legend below."""
    labels = [own["label"] for own in _styles(comparison).values()]
    return _WIDTH, height + _LINE * -(-len(labels) // _columns(labels, _WIDTH))


def draw(comparison: Comparison, file_format: str) -> bytes:
    """The figure as the bytes of a file; the same comparison gives the same SVG."""
    return _file(lambda figure: plot(comparison, figure), file_format, inches(comparison))


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
        _log_ticks(ax.xaxis, *ax.get_xlim())
        ax.set_ylim(-0.03, 1.05)
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        ax.set(xlabel="times the best's median", ylabel="instances", title="Performance profile")
        _tidy(ax)
        _legend(figure, ax)

    return _file(content, "svg", inches(comparison))


def times_to_target(comparison: Comparison) -> bytes:
    """An SVG: by when runs are solved on the instances that take longest, a panel each.

    Nothing where no heuristic solved any.

    Time-to-target plots of Aiex, Resende and Ribeiro, Optim. Lett. 1, 355 (2007).
    """
    slowest: dict[str, float] = {}
    for s in comparison.summaries():
        if not s.setup.exact and s.solved:
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
            ax.set(title=label(instance.label[:40]), ylabel="")
        for ax in axes.flat[len(panels) :]:
            ax.set_visible(False)
        _legend(figure, axes[0, 0])

    return _file(content, "svg", inches(comparison, 0.2 + 2.6 * -(-len(panels) // 3)))


def _file(
    content: Callable[[Figure], object], file_format: str, size: tuple[float, float]
) -> bytes:
    # Glyph ids in an SVG are drawn at random without a salt.
    with mpl.rc_context({"svg.hashsalt": "qubopuzzle", "font.size": 9}):
        figure = Figure(figsize=size, layout="constrained")
        content(figure)
        buffer = io.BytesIO()
        metadata = {"Date": None} if file_format == "svg" else None
        figure.savefig(buffer, format=file_format, dpi=150, metadata=metadata)
    return buffer.getvalue()


def _legend(figure: Figure, ax: Axes) -> None:
    handles, labels = ax.get_legend_handles_labels()
    columns = _columns([*map(str, labels)], figure.get_figwidth())
    style: dict[str, Any] = {"ncols": columns, "frameon": False, "handlelength": 4}
    figure.legend(handles, labels, loc="outside lower center", **style)


def _columns(labels: Sequence[str], width: float) -> int:
    """How many names of a legend fit side by side into so many inches; 3 at most."""
    longest = max(map(len, labels), default=0)
    return max(1, min(3, len(labels), int(width / (_HANDLE + _LETTER * longest))))


def survival(comparison: Comparison, ax: Axes, styles: Styles) -> None:
    """Share of a solver's runs that are solved within t seconds, building included."""
    limit = _limit(comparison)
    own = _times(comparison)
    ends = [t for times in own.values() for t in times if t < inf]
    start = min([limit / 2, *ends]) / 1.5
    last = max([limit, *ends])  # with an objective, answers may come late
    for name, style in styles.items():
        if not own[name]:
            continue
        times = sorted(t for t in own[name] if t < inf)
        n = len(own[name])
        xs = [start, *times, last]
        ys = [0.0, *((i + 1) / n for i in range(len(times))), len(times) / n]
        every = max(1, len(xs) // 8)
        ax.step(xs, ys, where="post", markevery=(0 if not times else 1, every), **style)
    ax.axvline(limit, color="0.6", linewidth=0.8, zorder=0)
    ax.set_xscale("log")
    ax.set_xlim(start, last * 1.15)
    ax.set_ylim(-0.03, 1.05)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ylabel = "runs at the best known" if comparison.targets else "runs solved"
    if 0 < len(comparison.targets) < len(comparison.instances):
        ylabel = "runs solved, or at the best known"
    ax.set(xlabel="seconds, building included", ylabel=ylabel, title="Solved by when")
    _log_ticks(ax.xaxis, start, last)
    _tidy(ax)


def gaps(comparison: Comparison, ax: Axes, styles: Styles) -> None:
    """Share of a solver's runs whose answer is at most so much worse than the best known."""
    for name, style in styles.items():
        found = [gap for s in comparison.summaries() if s.configuration == name for gap in s.gaps]
        if not found:
            continue
        near = sorted(max(gap, _LEAST_GAP) for gap in found if gap <= 1)
        ys = [(i + 1) / len(found) for i in range(len(near))]
        style = style | {"markevery": max(1, len(near) // 8)}
        ax.step([_LEAST_GAP, *near, 1.0], [0.0, *ys, len(near) / len(found)], where="post", **style)
    for close in CLOSE:
        ax.axvline(close, color="0.8", linewidth=0.8, zorder=0)
    ax.set_xscale("log")
    ax.set_xlim(_LEAST_GAP / 1.3, 1.3)
    ax.set_xticks([_LEAST_GAP, *CLOSE, 1.0], ["0", *(f"{100 * c:g}%" for c in CLOSE), "100%"])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_ylim(-0.03, 1.05)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set(xlabel="gap to the best known objective", ylabel="runs", title="Runs as close")
    _tidy(ax)


def growth(comparison: Comparison, ax: Axes, styles: Styles) -> None:
    """Median seconds of each instance against its cells, a line through the median by size.

    Instances whose median run did not solve stand above the limit, hollow, a lane a solver.
    """
    limit, latest = _limit(comparison), 0.0
    lane = limit * _LANE
    for name, style in styles.items():
        points = style | {"linestyle": "none"}
        cells, seconds = _medians(comparison, name)
        sizes, failed = np.unique(cells), np.isinf(seconds)
        middle = np.array([np.median(seconds[cells == size]) for size in sizes])
        ax.plot(sizes, np.where(np.isinf(middle), nan, middle), **style | {"marker": ""})
        ax.plot(cells[~failed], seconds[~failed], **points)
        latest = max(latest, *seconds[~failed].tolist(), 0.0)
        ax.plot(cells[failed], [lane] * failed.sum(), **points | {"markerfacecolor": "none"})
        lane *= _LANE if failed.any() else 1
    ax.axhline(limit, color="0.6", linewidth=0.8, zorder=0)
    ax.set_xscale("log")
    ax.set_yscale("log")
    low, _ = ax.get_ylim()
    low, high = low if low < limit else limit / 10, max(lane, limit * _LANE, 1.1 * latest)
    ax.set_ylim(low, high)
    _log_ticks(ax.yaxis, low, high)
    ax.set(xlabel="cells", ylabel="seconds (median)", title="Time against size")
    words: dict[str, Any] = {"ha": "right", "va": "top", "fontsize": 7, "color": "0.35"}
    words |= {"transform": ax.get_yaxis_transform(), "in_layout": False}
    ax.text(0.99, limit * 0.9, "limit; above it, hollow: not solved", **words)
    _sizes_axis(ax, sorted({row["cells"] for row in comparison.rows}))
    _tidy(ax)


def _medians(comparison: Comparison, name: str) -> NDArray[np.float64]:
    """Cells and median seconds, shape (2, instances); infinite where the median run failed."""
    own = [s for s in comparison.summaries() if s.configuration == name]
    points = [(s.cells, max(s.seconds, _LEAST_S)) for s in own]
    return np.array(points, dtype=float).reshape(-1, 2).T


def _sizes_axis(ax: Axes, sizes: list[int]) -> None:
    """A few sizes are named themselves; a single one gets room around it."""
    if not sizes:
        ax.set_xlim(1, 100)
    elif sizes[0] == sizes[-1]:
        ax.set_xlim(sizes[0] / 2, sizes[0] * 2)
    named: list[int] = []
    for size in sizes:
        if not named or size > _APART * named[-1]:
            named.append(size)
    if 0 < len(named) <= _MOST_TICKS:
        ax.set_xticks(named, [f"{n:,}" for n in named])
        ax.xaxis.set_minor_locator(NullLocator())
    else:
        _log_ticks(ax.xaxis, *ax.get_xlim())


def _styles(comparison: Comparison) -> Styles:
    styles: Styles = {}
    dashes = cycle(_DASHES)
    for i, each in enumerate(comparison.configurations):
        styles[each.name] = {
            "label": label(f"{each.name} ({each.kind})"),
            "color": _COLORS[i % len(_COLORS)],
            "marker": _MARKERS[i % len(_MARKERS)],
            "linestyle": "-" if each.exact else next(dashes),
            "linewidth": 1.4,
            "markersize": 5,
        }
    return styles


def _limit(comparison: Comparison) -> float:
    return max(each.time_limit for each in comparison.configurations)


def _times(comparison: Comparison) -> dict[str, list[float]]:
    """Seconds of each run of a configuration until its success; infinite without."""
    return {
        total.configuration: [max(s, _LEAST_S) if reached else inf for s, reached in total.ends]
        for total in comparison.totals()
    }


def _log_ticks(axis: Axis, low: float, high: float) -> None:
    """A few ticks from ``low`` to ``high``, round where there are such, in plain numbers."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for marks, step in (((1, 2, 5), 1), ((1,), 1), ((1,), 2), ((1,), 4)):
        ticks = [mark * 10.0**power for power in powers[::step] for mark in marks]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= _MOST_TICKS:
            break
    if len(ticks) < 2:
        ticks = np.linspace(low, high, 4)[1:3].tolist()
    axis.set_ticks(ticks, [f"{tick:,.3g}" if tick < 1000 else f"{tick:,.0f}" for tick in ticks])
    axis.set_minor_locator(NullLocator())


def _tidy(ax: Axes) -> None:
    ax.grid(True, which="major", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
