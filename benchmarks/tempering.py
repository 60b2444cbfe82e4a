"""Replica exchange against single flips on the same one-hot BQM, for the same time.

    python benchmarks/tempering.py [--reads 100] [--sweeps 20000]

``neal`` anneals the one-hot BQM of a picture of 20x20 cells with default temperatures; then
``OneHotTemperingSampler``, told the groups, gets as much time as a read of it took, layout
included. TTS(99%) of neal, whose reads all have one length, is t ln(0.01) / ln(1 - p), of
tempering as in ``annealers.py``. Neal's sweeps are not tuned. The last row of each picture
is not the same BQM: neal with domain walls, which suits it better (docs/formulations.md).
One thread.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
from dwave.samplers import SimulatedAnnealingSampler

from instances import collected, smooth_picture
from qubopuzzle import OneHotTemperingSampler
from qubopuzzle.bench.statistics import tts
from qubopuzzle.compile import compile_model
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.tempering.kernels import FloatArray
from record import Args, Benchmark, Cases, Row, Rows, main, markdown, timed


def _cases(args: Args) -> Cases:
    for name in ("webpbn-00006", "jwilk-038-bike"):
        yield name, _row, collected(name), args.reads, args.sweeps
    for seed in (1, 2, 3):
        puzzle = smooth_picture(20, 20, seed=seed)
        yield puzzle.id, _row, puzzle, args.reads, args.sweeps


def _row(puzzle: Puzzle, reads: int, sweeps: int) -> Row:
    one_hot = compile_model(puzzle.model(), "qubo", "one-hot")
    walls = compile_model(puzzle.model(), "qubo", "domain-wall")
    neal, tempering = SimulatedAnnealingSampler(), OneHotTemperingSampler()
    tempering.sample(one_hot.payload, one_hot_groups=one_hot.groups, num_sweeps=1)  # compiled
    row: dict[str, Any] = {"id": puzzle.id, "sweeps": sweeps, "seeds": list(range(reads))}
    row["neal"] = _runs(
        one_hot,
        lambda seed: neal.sample(one_hot.payload, num_reads=1, num_sweeps=sweeps, seed=seed),
        reads,
    )
    limit = float(np.mean(row["neal"]["seconds"]))
    row["tempering"] = _runs(
        one_hot,
        lambda seed: tempering.sample(
            one_hot.payload,
            one_hot_groups=one_hot.groups,
            num_sweeps=10**9,
            time_limit=limit,
            target_energy=0,
            seed=seed,
        ),
        reads,
    )
    row["neal, domain-wall"] = _runs(
        walls,
        lambda seed: neal.sample(walls.payload, num_reads=1, num_sweeps=sweeps, seed=seed),
        reads,
    )
    return row


def _runs(compiled: Any, sample: Any, reads: int) -> dict[str, Any]:
    seconds, energies = [], []
    for seed in range(reads):
        took, found = timed(sample, seed)
        seconds.append(took)
        energies.append(float(found.first.energy))
    return {"variables": compiled.payload.num_variables, "seconds": seconds, "energies": energies}


def _cells(row: Row) -> list[list[str]]:
    lines = []
    for name in ("neal", "tempering", "neal, domain-wall"):
        runs = row[name]
        seconds, solved = np.array(runs["seconds"]), _solved(runs)
        lines.append(
            [
                row["id"],
                name,
                f"{runs['variables']:,}",
                f"{int(solved.sum())} of {len(solved)}",
                f"{seconds.mean():.3f}",
                str(tts(seconds, solved)) if name == "tempering" else _bound(runs),
                f"{min(runs['energies']):g}",
                _ratio(row["neal"], runs) if name == "tempering" else "",
            ]
        )
    return lines


def _bound(runs: dict[str, Any]) -> str:
    return f"{'' if _solved(runs).any() else '> '}{_fixed(runs):.3g}"


def _ratio(neal: dict[str, Any], ours: dict[str, Any]) -> str:
    """TTS(99%) of neal over ours, or its lower bound where neal never solved."""
    if not _solved(ours).any():
        return "none"
    ratio = _fixed(neal) / (log(100) * sum(ours["seconds"]) / _solved(ours).sum())
    return f"{'' if _solved(neal).any() else '> '}{ratio:,.0f}"


def _fixed(runs: dict[str, Any]) -> float:
    """TTS(99%) of reads of one length: t ln(0.01) / ln(1 - p), at least one read.

    Where none solved, p is the most that 95 percent confidence allows, 3 / reads.
    """
    t, p = float(np.mean(runs["seconds"])), float(_solved(runs).mean())
    p = p or min(0.999, 3 / len(runs["seconds"]))
    return t if p == 1 else max(t, t * log(0.01) / log(1 - p))


def _solved(runs: dict[str, Any]) -> FloatArray:
    return (np.array(runs["energies"]) < 0.5).astype(float)


def _table(rows: Rows) -> str:
    columns = ["picture", "sampler", "variables", "solved", "mean s", "TTS(99%) s", "best energy"]
    columns += ["neal / tempering"]
    return markdown(columns, [cells for row in rows for cells in _cells(row)])


BENCHMARKS = (Benchmark("tempering", _cases, {"tempering": _table}),)
SETTINGS = {"reads": (100, "of each sampler"), "sweeps": (20_000, "of a read of neal")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
