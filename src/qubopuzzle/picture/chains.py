"""An embedding with matplotlib: the graph's qubits in their layout, and the chains among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from qubopuzzle.picture.description import PALETTE
from qubopuzzle.picture.figure import label

if TYPE_CHECKING:
    import networkx as nx

_UNUSED, _COUPLER, _INK = "#dddddd", "#bbbbbb", "#222222"
_MARGIN = 0.08


def draw_chains(graph: nx.Graph, chains: Sequence[Sequence[int]], title: str) -> Figure:
    """The part of a graph where chains are: a colour a chain, grey lines where they are coupled."""
    place = _layout(graph)
    owner = {qubit: v for v, chain in enumerate(chains) for qubit in chain}
    within: list[tuple[Any, Any]] = []
    colors, between = [], []
    for u, v in graph.edges:
        if u not in owner or v not in owner:
            continue
        ends = place[u], place[v]
        if owner[u] == owner[v]:
            within.append(ends)
            colors.append(_color(owner[u]))
        else:
            between.append(ends)
    figure = Figure(figsize=(7, 7))
    ax = figure.add_axes((0.02, 0.02, 0.96, 0.92))
    ax.set_title(label(title), fontsize=10)
    everything = np.array([*place.values()])
    ax.scatter(everything[:, 0], everything[:, 1], s=4, color=_UNUSED, linewidths=0, zorder=0)
    ax.add_collection(LineCollection(between, colors=_COUPLER, linewidths=0.5, zorder=1))
    ax.add_collection(LineCollection(within, colors=colors, linewidths=2.5, zorder=2))
    used = np.array([place[qubit] for qubit in owner]).reshape(-1, 2)
    ax.scatter(
        used[:, 0], used[:, 1], s=16, color=[*map(_color, owner.values())], linewidths=0, zorder=3
    )
    shown = used if len(used) else everything
    low, high = shown.min(axis=0), shown.max(axis=0)
    room = _MARGIN * max(*(high - low), 1e-3)
    ax.set_xlim(low[0] - room, high[0] + room)
    ax.set_ylim(low[1] - room, high[1] + room)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return figure


def _color(variable: int) -> str:
    return PALETTE[variable % len(PALETTE)]


def _layout(graph: nx.Graph) -> Mapping[int, Any]:
    """D-Wave's layout of its topologies, else one by springs."""
    import dwave.graphs
    import networkx as nx

    layouts = {
        "chimera": dwave.graphs.drawing.chimera_layout,
        "pegasus": dwave.graphs.drawing.pegasus_layout,
        "zephyr": dwave.graphs.drawing.zephyr_layout,
    }
    layout = layouts.get(graph.graph.get("family"))
    positions = nx.spring_layout(graph, seed=0) if layout is None else layout(graph)
    return dict(positions)
