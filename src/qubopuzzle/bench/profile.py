"""The pictures of a comparison: runs solved by when, time against size, gaps, and more.

With an objective, a run is "solved" when it reaches the best one that is known.

Lines differ in dash, marker and shade, so that they can be told apart in black and white:
exact solvers have solid lines, heuristics dashed ones.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
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

from qubopuzzle.bench.objectives import CLOSE
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.results import ComparisonData
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
Panel = Callable[[ComparisonData, Axes, Styles], None]
"""Draws one of the pictures."""


def plot(comparison: ComparisonData, figure: Figure, panels: Sequence[Panel] = ()) -> list[Axes]:
    """Draw panels, three in a row; without, ``usual_panels``."""
    panels = panels or usual_panels(comparison)
    styles = _styles(comparison)
    with mpl.rc_context({"font.size": 9}):
        n_rows, n_columns = -(-len(panels) // 3), min(3, len(panels))
        axes: list[Axes] = [*figure.subplots(n_rows, n_columns, squeeze=False).flat]
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        for panel, ax in zip(panels, axes, strict=False):
            panel(comparison, ax, styles)
        _legend(figure, axes[0])
    return axes[: len(panels)]


def usual_panels(comparison: ComparisonData) -> list[Panel]:
    """What there is: solved by when, time against size or, with objectives, gaps."""
    with_objective = len(comparison.targets)
    panels: list[Panel] = [survival]
    panels += [growth] if with_objective < max(1, len(comparison.instances)) else []
    return panels + ([gaps] if with_objective else [])


def inches(comparison: ComparisonData, n_panels: int = 1) -> tuple[float, float]:
    """Of a figure with so many panels, and its legend below."""
    labels = [style["label"] for style in _styles(comparison).values()]
    height = 3.6 if n_panels <= 3 else 0.2 + 2.6 * -(-n_panels // 3)
    return _WIDTH, height + _LINE * -(-len(labels) // _columns(labels, _WIDTH))


def draw(comparison: ComparisonData, file_format: str, panels: Sequence[Panel] = ()) -> bytes:
    """The figure as the bytes of a file; the same comparison gives the same SVG."""
    # Glyph ids in an SVG are drawn at random without a salt.
    with mpl.rc_context({"svg.hashsalt": "qubopuzzle", "font.size": 9}):
        figure = Figure(figsize=inches(comparison, len(panels)), layout="constrained")
        plot(comparison, figure, panels)
        buffer = io.BytesIO()
        metadata = {"Date": None} if file_format == "svg" else None
        figure.savefig(buffer, format=file_format, dpi=150, metadata=metadata)
    return buffer.getvalue()


def svgs(comparison: ComparisonData) -> list[bytes]:
    """All pictures of a report; none without a row."""
    if not comparison.rows:
        return []
    slowest: list[Panel] = [partial(_survival_on, each) for each in _slowest(comparison)]
    figures: list[list[Panel]] = [usual_panels(comparison), [ratios], slowest]
    return [draw(comparison, "svg", panels) for panels in figures if panels]


def _legend(figure: Figure, ax: Axes) -> None:
    handles, labels = ax.get_legend_handles_labels()
    columns = _columns([*map(str, labels)], figure.get_figwidth())
    style: dict[str, Any] = {"ncols": columns, "frameon": False, "handlelength": 4}
    figure.legend(handles, labels, loc="outside lower center", **style)


def _columns(labels: Sequence[str], width: float) -> int:
    """How many names of a legend fit side by side into so many inches; 3 at most."""
    longest = max(map(len, labels), default=0)
    return max(1, min(3, len(labels), int(width / (_HANDLE + _LETTER * longest))))


def survival(comparison: ComparisonData, ax: Axes, styles: Styles) -> None:
    """Share of a solver's runs that are solved within t seconds, building included."""
    limit = _limit(comparison)
    times = {
        total.configuration: [max(s, _LEAST_S) for s, reached in total.ends if reached]
        for total in comparison.totals()
    }
    ends = [t for seconds in times.values() for t in seconds]
    start = min([limit / 2, *ends]) / 1.5
    last = max([limit, *ends])  # with an objective, answers may come late
    for total in comparison.totals():
        name = total.configuration
        _steps(ax, times[name], total.runs, (start, last), styles[name])
    ax.axvline(limit, color="0.6", linewidth=0.8, zorder=0)
    ylabel = "runs at the best known" if comparison.targets else "runs solved"
    if 0 < len(comparison.targets) < len(comparison.instances):
        ylabel = "runs solved, or at the best known"
    ax.set(xlabel="seconds, building included", ylabel=ylabel, title="Solved by when")
    _shares(ax)
    ax.set_xlim(start, last * 1.15)
    _log_ticks(ax.xaxis, start, last)


def gaps(comparison: ComparisonData, ax: Axes, styles: Styles) -> None:
    """Share of a solver's runs whose answer is at most so much worse than the best known."""
    for total in comparison.totals():
        near = [max(gap, _LEAST_GAP) for gap in total.gaps if gap <= 1]
        _steps(ax, near, len(total.gaps), (_LEAST_GAP, 1.0), styles[total.configuration])
    for close in CLOSE:
        ax.axvline(close, color="0.8", linewidth=0.8, zorder=0)
    ax.set(xlabel="gap to the best known objective", ylabel="runs", title="Runs as close")
    _shares(ax)
    ax.set_xlim(_LEAST_GAP / 1.3, 1.3)
    ax.set_xticks([_LEAST_GAP, *CLOSE, 1.0], ["0", *(f"{100 * c:g}%" for c in CLOSE), "100%"])
    ax.xaxis.set_minor_locator(NullLocator())


def ratios(comparison: ComparisonData, ax: Axes, styles: Styles) -> None:
    """Performance profile, after Dolan and More, Math. Program. 91, 201 (2002).

    The share of instances on which a configuration's median takes at most x times that of the
    best; where it ends below 1, the rest was not solved.
    """
    best: dict[str, float] = {}
    for s in comparison.summaries():
        best[s.digest] = min(best.get(s.digest, inf), max(s.seconds, _LEAST_S))
    times: dict[str, list[float]] = {name: [] for name in styles}
    for s in comparison.summaries():
        if s.seconds < inf:
            times[s.configuration].append(max(s.seconds, _LEAST_S) / best[s.digest])
    most = 1.1 * max((max(values) for values in times.values() if values), default=10.0)
    for name, style in styles.items():
        _steps(ax, times[name], len(comparison.instances), (1.0, most), style)
    ax.set(xlabel="times the best's median", ylabel="instances", title="Performance profile")
    _shares(ax)
    _log_ticks(ax.xaxis, *ax.get_xlim())


def _slowest(comparison: ComparisonData) -> list[Instance]:
    """The instances on which heuristics take longest, of those that one solved."""
    times: dict[str, float] = {}
    for s in comparison.summaries():
        if not s.setup.exact and s.solved:
            times[s.digest] = max(times.get(s.digest, 0.0), s.par2_s)
    slowest = sorted(times, key=lambda digest: -times[digest])[:_PANELS]
    return [each for each in comparison.instances if each.digest in slowest]


def _survival_on(instance: Instance, comparison: ComparisonData, ax: Axes, styles: Styles) -> None:
    """By when runs are solved on an instance.

    Time-to-target plots of Aiex, Resende and Ribeiro, Optim. Lett. 1, 355 (2007).
    """
    rows = [row for row in comparison.rows if row["digest"] == instance.digest]
    survival(replace(comparison, rows=rows), ax, styles)
    ax.set(title=label(instance.label[:40]), ylabel="")


def _steps(
    ax: Axes, values: Sequence[float], count: int, ends: tuple[float, float], style: dict[str, Any]
) -> None:
    """Draw which share of ``count`` is at most x, from the one end to the other."""
    if not count:
        return
    xs = sorted(values)
    ys = [i / count for i in range(len(xs) + 1)]
    every = (1 if xs else 0, max(1, len(xs) // 8))
    start, last = ends
    ax.step([start, *xs, last], [*ys, ys[-1]], where="post", markevery=every, **style)


def _shares(ax: Axes) -> None:
    """Axes of shares, in percent, over a logarithmic scale."""
    ax.set_xscale("log")
    ax.set_ylim(-0.03, 1.05)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    _tidy(ax)


def growth(comparison: ComparisonData, ax: Axes, styles: Styles) -> None:
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


def _medians(comparison: ComparisonData, name: str) -> NDArray[np.float64]:
    """Cells and median seconds, shape (2, instances); infinite where the median run failed."""
    summaries = [s for s in comparison.summaries() if s.configuration == name]
    points = [(s.cells, max(s.seconds, _LEAST_S)) for s in summaries]
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


def _styles(comparison: ComparisonData) -> Styles:
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


def _limit(comparison: ComparisonData) -> float:
    return max(each.time_limit for each in comparison.configurations)


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
