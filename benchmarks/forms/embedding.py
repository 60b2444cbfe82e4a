"""Which puzzles fit on a quantum annealer, in which form, and how large.

Every formulation and encoding that has a QUBO climbs through the sizes of its puzzle, on ideal
graphs, until no seed finds an embedding within ``--seconds``. An instance a size, made from a seed
that is recorded; nothing is presolved. Two tables: ``embedding``, a row a form with the largest
size that fits, and ``embedding_sizes``, a row a form and size. Others: ``embedding_largest``, what
searches of two minutes find, and ``embedding_kinds``, the default of each puzzle in one file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from statistics import median
from typing import Any

import numpy as np

from data.instances import smooth_picture
from harness import Args, Benchmark, Cases, Row, Rows, markdown
from qubopuzzle import Nonogram, Puzzle, generate
from qubopuzzle.compile import compile_qubo
from qubopuzzle.compile.encoding import ENCODINGS
from qubopuzzle.embedding import (
    Hardware,
    clique_embedding,
    find_embedding,
    graph_of,
    least_qubits,
)
from qubopuzzle.errors import QubopuzzleError

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
    hardware = Hardware.of(topology)
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


# --- the puzzles in one file -----------------------------------------------------------


KINDS = {
    "akari": (4, 5, 6, 7, 8, 10),
    "hashi": (5, 6, 7, 8, 10),
    "kakuro": (4, 5, 6, 7, 8),
    "lits": (4, 5),
    "masyu": (4, 5, 6, 7),
    "nurikabe": (4, 5, 6, 7),
    "shikaku": (5, 6, 8, 10, 12),
    "skyscrapers": (3, 4, 5, 6),
    "slitherlink": (4, 5, 6, 7, 8),
    "starbattle": (4, 5, 6, 8, 10),
    "takuzu": (4, 6, 8, 10, 12),
    "tents": (4, 5, 6, 8, 10, 12),
    "yajilin": (4, 5, 6, 7),
    "yinyang": (4, 5, 6, 7),
    "zip": (4, 5, 6, 7),
}
"""Rows, and as many columns, of instances that are generated."""
KIND_SEEDS = 3


def _kind_cases(args: Args) -> Cases:
    """The default formulation for QUBO solvers, in both encodings, on one graph."""
    for name, sizes in KINDS.items():
        ladder = [_generated(name, size) for size in sizes]
        formulation = ladder[0].formulation_for(cuts=False)
        for encoding in ENCODINGS:
            form = formulation, encoding, "zephyr:12"
            label = f"{name}, {formulation}, {encoding}"
            yield label, _climb, ladder, form, KIND_SEEDS, args.seconds


def _sizes_of(graph: tuple[int, Any]) -> dict[str, Any]:
    n, pairs = graph
    degree = int(np.bincount(pairs.ravel(), minlength=n).max(initial=0))
    return {"variables": n, "couplings": len(pairs), "degree": degree}


# --- tables ----------------------------------------------------------------------------


def _fit(row: Row) -> list[str]:
    """The medians of a row with an embedding."""
    found = [f for f in row["found"] if f]
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
        fitting = [_size_of(fits[-1]), *_fit(fits[-1])] if fits else ["none", *[""] * len(FIT)]
        lines.append([*form, *fitting, end])
    columns = ["puzzle", "formulation", "encoding", "graph", "largest", *FIT, "the next size"]
    return markdown(columns, lines)


def _sizes(rows: Rows) -> str:
    lines = [
        [*_form(row), _size_of(row), *_fit(row)]
        for row in rows
        if any(row["found"]) and row["size"]
    ]
    columns = ["puzzle", "formulation", "encoding", "graph", "size", *FIT]
    return markdown(columns, lines)


PACKAGES = ("minorminer", "dwave-graphs")
TABLES = {"embedding": _largest, "embedding_sizes": _sizes}
BENCHMARKS = (
    Benchmark("embedding", _cases, TABLES, packages=PACKAGES),
    Benchmark("embedding_largest", _long_cases, {"embedding_largest": _largest}, packages=PACKAGES),
    Benchmark("embedding_kinds", _kind_cases, {"embedding_kinds": _largest}, packages=PACKAGES),
)
SETTINGS = {"seeds": (10, "of each"), "seconds": (5.0, "time limit of each search")}
