"""Which puzzles survive which errors of the coefficients on a simulated quantum annealer.

    python benchmarks/noise.py [--programmings 10] [--reads 50]

Solver ``qpu-sim`` on an ideal Zephyr Z12, domain-wall encoded, a seed for each programming: its
embedding, its errors, its reads. Errors are normally distributed, in units of the strongest
antiferromagnetic coupling; then without errors, but in few bits. Also draws
``docs/images/noise.svg``.
"""

from __future__ import annotations

import io
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from qubopuzzle import Nonogram, Puzzle, generate, solve
from record import Args, Benchmark, Cases, Row, Rows, main

NOISE = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
BITS = (2, 4, 6)


def _puzzles() -> list[Puzzle]:
    others = (("sudoku", 4), ("kurodoko", 4), ("hitori", 5), ("sudoku", 6))
    made = (generate(name, size=(n, n), seed=1)[0] for name, n in others)
    return [*Nonogram.examples()[:2], *made]


def _cases(args: Args) -> Cases:
    for puzzle in _puzzles():
        for noise in NOISE:
            own = {"noise": noise, "bits": 0}
            yield f"{puzzle.id}, noise {noise:g}", _row, puzzle, own, args.programmings, args.reads
        for bits in BITS:
            own = {"noise": 0.0, "bits": bits}
            yield f"{puzzle.id}, {bits} bits", _row, puzzle, own, args.programmings, args.reads


def _row(puzzle: Puzzle, own: dict[str, Any], programmings: int, reads: int) -> Row:
    row: dict[str, Any] = {"id": puzzle.id, **own, "reads": reads, "right": [], "valid": []}
    row |= {"qubits": [], "longest_chain": [], "chain_break_fraction": []}
    for seed in range(programmings):
        result = solve(puzzle, "qpu-sim", seed=seed, reads=reads, options={"tries": 1, **own})
        record = result.samples.record
        row["right"].append(int(record.num_occurrences[record.energy == 0].sum()))
        row["valid"].append(result.valid)
        for name in ("qubits", "longest_chain", "chain_break_fraction"):
            row[name].append(result.settings[name])
    row["variables"] = result.sizes["variables"]
    return row


def _setting(row: Row) -> str:
    return f"{row['bits']} bits" if row["bits"] else f"noise {row['noise']:g}"


COLUMNS = {
    "puzzle": "{id}",
    "variables": "{variables}",
    "qubits": lambda row: f"{np.median(row['qubits']):.0f}",
    "longest chain": lambda row: f"{max(row['longest_chain'])}",
    "coefficients": _setting,
    "programmings with a valid read": lambda row: f"{sum(row['valid'])} of {len(row['valid'])}",
    "reads that meet all": lambda row: f"{np.mean(row['right']) / row['reads']:.1%}",
    "worst programming": lambda row: f"{min(row['right']) / row['reads']:.1%}",
    "chains broken": lambda row: f"{np.mean(row['chain_break_fraction']):.2%}",
}


def _draw(rows: Rows) -> bytes:
    """The share of reads that meet all, by noise; a band from the worst to the best programming."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for identity in dict.fromkeys(row["id"] for row in rows):
        own = [row for row in rows if row["id"] == identity and not row["bits"]]
        noise = [row["noise"] for row in own]
        share = np.array([row["right"] for row in own]) / own[0]["reads"]
        label = f"{identity}, {own[0]['variables']} variables"
        (line,) = axes.plot(noise, share.mean(axis=1), "o-", markersize=4, label=label)
        axes.fill_between(
            noise, share.min(axis=1), share.max(axis=1), color=line.get_color(), alpha=0.15, lw=0
        )
    axes.set_xscale("symlog", linthresh=0.02)
    axes.set_xticks(NOISE, [f"{noise:g}" for noise in NOISE])
    axes.minorticks_off()
    axes.set(xlabel="noise of fields and couplings (standard deviation)", ylim=(0, 1.02))
    axes.set_ylabel("reads that meet all constraints")
    axes.legend(frameon=False)
    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "qubopuzzle"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


BENCHMARKS = (
    Benchmark(
        "noise", _cases, {"noise": COLUMNS}, images={"noise": _draw}, packages=("minorminer",)
    ),
)
SETTINGS = {"programmings": (10, "of each"), "reads": (50, "of each programming")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
