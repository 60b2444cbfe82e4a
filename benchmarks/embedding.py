"""Which puzzles fit on a quantum annealer, in which form, and how large.

Every formulation and encoding that has a QUBO climbs through the sizes of its puzzle, on ideal
graphs, until no seed finds an embedding within ``--seconds``. An instance a size, made from a seed
that is recorded; nothing is presolved. Two tables: ``embedding``, a row a form with the largest
size that fits, and ``embedding_sizes``, a row a form and size. Further benchmarks:
``embedding_yield``, what dead qubits and couplers cost, ``embedding_lowerings``, what it would
change to lower constraints otherwise, and ``embedding_largest``: what searches of two minutes find.

Usage: python benchmarks/embedding.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, groupby
from statistics import median
from typing import Any

import numpy as np

from instances import noise_picture, smooth_picture
from qubopuzzle import Nonogram, Puzzle, compile_qubo, generate
from qubopuzzle.compile.encoding import ENCODINGS
from qubopuzzle.compile.lowering import forbidden_pairs, one_hot_rows
from qubopuzzle.compile.qubo import qubo_bits
from qubopuzzle.embedding import (
    Hardware,
    clique_embedding,
    find_embedding,
    graph_of,
    least_qubits,
)
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.model import Model
from record import Args, Benchmark, Cases, Row, Rows, main, markdown

TOPOLOGIES = ("pegasus:16", "zephyr:12")
SIZES = {
    "easyasabc": (4, 5, 6, 7, 8),
    "heyawake": (5, 6, 7, 8, 9, 10),
    "hitori": (5, 6, 7, 8, 9, 10),
    "kurodoko": (4, 5, 6, 7, 8, 9),
    "numberlink": (4, 5, 6, 7),
    "sudoku": (4, 6, 8, 9, 10, 12),
}
"""Rows, and as many columns, of instances that are generated."""
OPTIONS = {"numberlink": {"cover": 0}}
"""Where every cell has to be used, nearly everything follows at once."""
PICTURES = (15, 20, 25, 30, 40, 50)
"""Of nonograms, beside the tutorial's and the 12x9 picture."""
SEED = 1


@cache
def _ladder(name: str) -> tuple[Puzzle, ...]:
    """An instance of each size, the smallest first."""
    if name == "nonogram":
        return (*Nonogram.examples()[:2], *(smooth_picture(n, n) for n in PICTURES))
    return tuple(_generated(name, size) for size in SIZES[name])


def _generated(name: str, size: int) -> Puzzle:
    """A square one, the first that leaves something to search for."""
    for seed in range(SEED, SEED + 100):
        (puzzle,) = generate(name, size=(size, size), seed=seed, options=OPTIONS.get(name))
        if compile_qubo(puzzle.model(), "domain-wall").form.n_couplings > size:
            return puzzle
    raise AssertionError(f"{name} of size {size}: everything follows at once")


@cache
def _hardware(name: str) -> Hardware:
    return Hardware.of(name)


def _cases(args: Args) -> Cases:
    for name in (*SIZES, "nonogram"):
        ladder = _ladder(name)
        for formulation in _with_qubo(ladder[0]):
            for encoding in ENCODINGS:
                for topology in TOPOLOGIES:
                    label = f"{name}, {formulation}, {encoding}, {topology}"
                    form = formulation, encoding, topology
                    yield label, _climb, ladder, form, args.seeds, args.seconds


def _with_qubo(puzzle: Puzzle) -> Iterator[str]:
    for formulation in puzzle.formulations:
        try:
            compile_qubo(puzzle.model(formulation), "domain-wall")
        except QubopuzzleError:  # it leaves connectivity to cuts, or is for other rules
            continue
        yield formulation


def _climb(
    ladder: Sequence[Puzzle], form: tuple[str, str, str], seeds: int, seconds: float
) -> list[Row]:
    """Size by size, up to the first without any embedding."""
    rows: list[Row] = []
    for puzzle in ladder:
        rows.append(_size(puzzle, form, seeds, seconds))
        if not any(rows[-1]["found"]):
            break
    return rows


def _size(puzzle: Puzzle, form: tuple[str, str, str], seeds: int, seconds: float) -> Row:
    formulation, encoding, topology = form
    row: dict[str, Any] = {
        "puzzle": puzzle.name,
        "instance": puzzle.id,
        "size": list(puzzle.shape),
        "formulation": formulation,
        "encoding": encoding,
        "topology": topology,
    }
    try:
        qubo = compile_qubo(puzzle.model(formulation), encoding)
    except QubopuzzleError as error:
        return {**row, "found": [], "why": str(error)}
    n, pairs = graph_of(qubo.payload)
    hardware = _hardware(topology)
    degrees = np.bincount(pairs.ravel(), minlength=n)
    clique = clique_embedding(n, hardware)
    row |= {
        **_sizes_of((n, pairs)),
        "least_qubits": least_qubits(degrees, hardware),
        "clique_qubits": None if clique is None else clique.qubits,
        "found": [],
        "why": f"none within {seconds:g} s",
    }
    for seed in range(seeds):
        search = find_embedding((n, pairs), hardware, tries=1, seed=seed, time_limit=seconds)
        if search.impossible:
            return {**row, "found": [None] * seeds, "why": search.impossible}
        best = search.best
        row["found"].append(best and {**best.sizes, "seconds": round(best.seconds, 3)})
    return row


# --- dead qubits -----------------------------------------------------------------------


def _yield_cases(args: Args) -> Cases:
    for puzzle in Nonogram.examples()[:2]:
        for topology in TOPOLOGIES:
            for working in (1.0, 0.98, 0.95, 0.9):
                label = f"{puzzle.id}, {topology}, {working:g}"
                yield label, _with_dead, puzzle, topology, working, args.seeds, 6 * args.seconds


def _with_dead(
    puzzle: Puzzle, topology: str, working: float, seeds: int, seconds: float
) -> dict[str, Any]:
    """Each seed kills others."""
    graph = graph_of(compile_qubo(puzzle.model(), "domain-wall").payload)
    found = []
    for seed in range(seeds):
        hardware = Hardware.of(topology, working, seed)
        found.append(_told(graph, hardware, seed, seconds))
    own = {"instance": puzzle.id, "formulation": puzzle.default_formulation}
    own |= {"encoding": "domain-wall", "topology": topology, "working": working}
    return {**own, **_sizes_of(graph), "found": found}


# --- long searches ---------------------------------------------------------------------


LONG_S = 120.0
LONG_SEEDS = 4
LADDERS = {
    "easyasabc": ("forbidden", "one-hot", (8, 9, 10)),
    "heyawake": ("forest", "domain-wall", (10, 11, 12, 13)),
    "hitori": ("forest", "domain-wall", (10, 11, 12, 13)),
    "kurodoko": ("forest", "domain-wall", (8, 9, 10)),
    "numberlink": ("apart", "domain-wall", (5, 6, 7)),
    "sudoku": ("places", "domain-wall", (10, 12)),
    "nonogram": ("window", "domain-wall", (15, 16, 18, 20, 22)),
}
"""The form of each puzzle that fits best by ``embedding``, and the rows that it is tried with."""


def _long_cases(_: Args) -> Cases:
    for name, (formulation, encoding, sizes) in LADDERS.items():
        drawn = name == "nonogram"
        ladder = [smooth_picture(n, n) if drawn else _generated(name, n) for n in sizes]
        form = formulation, encoding, "zephyr:12"
        yield f"{name}, {formulation}, {encoding}", _climb, ladder, form, LONG_SEEDS, LONG_S


# --- other lowerings -------------------------------------------------------------------


LONG = 5
"""Terms from which on a row is split into a chain."""


def _lowering_cases(args: Args) -> Cases:
    picture = noise_picture(10, 10)
    for puzzle, formulation in (
        (_generated("sudoku", 6), "places"),
        (_generated("sudoku", 6), "full"),
        (_generated("easyasabc", 6), "forbidden"),
        (_generated("hitori", 7), "forest"),
    ):
        for name, graph in (("as it is", _as_it_is), ("chains of walls", _chained)):
            about = puzzle, formulation, "one-hot", "long rows", name
            yield ", ".join(map(str, about[1:])), _lowered, about, graph, args
    for name, graph in (("thresholds", _as_it_is), ("products", _products)):
        about = picture, "window", "domain-wall", "precedences", name
        yield ", ".join(map(str, about[1:])), _lowered, about, graph, args


def _lowered(about: tuple[Any, ...], graph: Any, args: Args) -> Row:
    puzzle, formulation, encoding, what, name = about
    found = graph(puzzle.model(formulation), encoding)
    tries = [_told(found, _hardware("zephyr:12"), seed, 12 * args.seconds) for seed in range(5)]
    own = {"instance": puzzle.id, "formulation": formulation, "encoding": encoding}
    own |= {"topology": "zephyr:12", "what": what, "lowering": name}
    return {**own, **_sizes_of(found), "found": tries}


Graph = tuple[int, Any]
"""The number of variables, and the pairs that are coupled, shape (couplings, 2)."""


def _as_it_is(model: Model, encoding: str) -> Graph:
    return graph_of(compile_qubo(model, encoding).payload)


def _products(model: Model, encoding: str) -> Graph:
    """Domain walls substituted into the products of one-hot precedences."""
    walls, one_hot = (compile_qubo(model, name) for name in (encoding, "one-hot"))
    matrix = walls.bits.matrix
    product = (matrix.T @ one_hot.parts["order"].couplings @ matrix).tocoo()
    rest = [part.couplings.tocoo() for name, part in walls.parts.items() if name != "order"]
    pairs = {
        (min(u, v), max(u, v))
        for part in (product, *rest)
        for u, v in zip(part.row.tolist(), part.col.tolist(), strict=True)
        if u != v
    }
    return walls.n_bits, np.array(sorted(pairs))


def _chained(model: Model, encoding: str) -> Graph:
    """Rows "exactly one" and "at most one" of ``LONG`` bits or more by walls between them.

    Bit i is ``w_i - w_(i-1)`` with a wall bit w between neighbours, which couples three bits; walls
    are slack-free, and a bit has at most two couplings a row.
    """
    bits = qubo_bits(model, encoding)
    blocks = [*one_hot_rows(bits), *(slack.narrowed(bits.n_bits) for slack in bits.slack)]
    n, pairs = bits.n_bits, set[tuple[int, int]]()
    for rows in blocks:
        ends = rows.matrix.indptr
        for row in range(len(rows.width)):
            own = rows.matrix.indices[ends[row] : ends[row + 1]].tolist()
            ones = (rows.matrix.data[ends[row] : ends[row + 1]] == 1).all()
            at_most_one = ones and (rows.width[row], rows.base[row]) in ((0, -1), (1, 0))
            if len(own) < LONG or not at_most_one:
                pairs.update(combinations(sorted(own), 2))
                continue
            walls = range(n, n + len(own) - 1)
            n += len(walls)
            for i, bit in enumerate(own):
                pairs.update(combinations(sorted([bit, *walls[max(0, i - 1) : i + 1]]), 2))
    for block in forbidden_pairs(bits):
        ends = np.sort([block.first, block.second], axis=0)
        pairs.update(map(tuple, ends.T.tolist()))
    return n, np.array(sorted(pairs))


def _told(graph: Graph, hardware: Hardware, seed: int, seconds: float) -> dict[str, Any] | None:
    """What a search finds."""
    best = find_embedding(graph, hardware, tries=1, seed=seed, time_limit=seconds).best
    return best and {**best.sizes, "seconds": round(best.seconds, 3)}


def _sizes_of(graph: Graph) -> dict[str, Any]:
    n, pairs = graph
    degree = int(np.bincount(pairs.ravel(), minlength=n).max(initial=0))
    return {"variables": n, "couplings": len(pairs), "degree": degree}


# --- tables ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Fit:
    """The medians of a row with an embedding."""

    row: Row

    @property
    def cells(self) -> list[str]:
        row, found = self.row, [f for f in self.row["found"] if f]
        qubits, longest, seconds = (
            sorted(f[key] for f in found) for key in ("qubits", "longest", "seconds")
        )
        clique = row["clique_qubits"]
        return [
            f"{row['variables']:,}",
            f"{row['couplings']:,}",
            f"{row['degree']}",
            f"{row['least_qubits']:,}",
            f"{median(qubits):,.0f} ({qubits[0]:,} to {qubits[-1]:,})",
            "-" if clique is None else f"{clique:,}",
            f"{median(longest):g} ({longest[0]} to {longest[-1]})",
            f"{len(found)} of {len(row['found'])}",
            f"{median(seconds):.2g}",
        ]


FIT = ["variables", "couplings", "degree", "qubits at least", "qubits", "as a clique"]
FIT += ["longest chain", "seeds that fit", "s"]


def _form(row: Row) -> tuple[str, ...]:
    return tuple(row[key] for key in ("puzzle", "formulation", "encoding", "topology"))


def _size_of(row: Row) -> str:
    rows, columns = row["size"]
    return f"{rows}x{columns}"


def _largest(rows: Rows) -> str:
    """A row a form: the largest size that fits, and why the next one does not."""
    lines = []
    for form, group in groupby(rows, _form):
        own = list(group)
        fits = [row for row in own if any(row["found"])]
        end = "all sizes fit" if len(fits) == len(own) else f"{_size_of(own[-1])} {own[-1]['why']}"
        fitting = (
            [_size_of(fits[-1]), *_Fit(fits[-1]).cells] if fits else ["none", *[""] * len(FIT)]
        )
        lines.append([*form, *fitting, end])
    columns = ["puzzle", "formulation", "encoding", "graph", "largest", *FIT, "the next size"]
    return markdown(columns, lines)


def _sizes(rows: Rows) -> str:
    lines = [
        [*_form(row), _size_of(row), *_Fit(row).cells]
        for row in rows
        if any(row["found"]) and row["size"]
    ]
    columns = ["puzzle", "formulation", "encoding", "graph", "size", *FIT]
    return markdown(columns, lines)


def _median(name: str) -> Callable[[Row], str]:
    """Median and range over the seeds that found an embedding."""

    def shown(row: Row) -> str:
        found = sorted(each[name] for each in row["found"] if each)
        return f"{median(found):,g} ({found[0]:,g} to {found[-1]:,g})" if found else "none"

    return shown


def _fitting(row: Row) -> str:
    return f"{sum(map(bool, row['found']))} of {len(row['found'])}"


FOUND = {
    "variables": "{variables:,}",
    "couplings": "{couplings:,}",
    "degree": "{degree}",
    "qubits": _median("qubits"),
    "longest chain": _median("longest"),
    "seeds that fit": _fitting,
}
YIELD = {
    "instance": "{instance}",
    "graph": "{topology}",
    "work": "{working:.0%}",
    **FOUND,
}
LOWERINGS = {
    "instance": "{instance}",
    "formulation": "{formulation}",
    "encoding": "{encoding}",
    "what": "{what}",
    "lowered as": "{lowering}",
    **FOUND,
}
PACKAGES = ("minorminer", "dwave-graphs")
TABLES = {"embedding": _largest, "embedding_sizes": _sizes}
BENCHMARKS = (
    Benchmark("embedding", _cases, TABLES, packages=PACKAGES),
    Benchmark("embedding_yield", _yield_cases, {"embedding_yield": YIELD}, packages=PACKAGES),
    Benchmark("embedding_largest", _long_cases, {"embedding_largest": _largest}, packages=PACKAGES),
    Benchmark(
        "embedding_lowerings",
        _lowering_cases,
        {"embedding_lowerings": LOWERINGS},
        packages=PACKAGES,
    ),
)
SETTINGS = {"seeds": (10, "of each"), "seconds": (5.0, "time limit of each search")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
