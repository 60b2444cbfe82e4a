"""Nonograms against samplers, in one run, one thread each: time to a checked solution.

    python benchmarks/annealers.py [--seeds 10] [--limit 3]

Every run is ``solve`` with a time limit, building included, each solver with its default
encoding (OpenJij: domain-wall, as neal). TTS(99%) is the time after which a solution is 99
percent sure, ln(100) times all the time spent over the runs that solved: the estimate for
independent restarts whose runs may be cut off. It overstates where nearly every run solves
in about the same time. In brackets a 95 percent bootstrap interval over the runs. Without
a solved run, the bound that 95 percent of such samplers would keep: time / 3.
"""

from __future__ import annotations

from importlib.util import find_spec
from math import inf
from statistics import median
from typing import Any

import numpy as np

from instances import collected, noise_picture, smooth_picture
from qubopuzzle import Nonogram, QubopuzzleError, solve
from qubopuzzle.bench.statistics import tts
from record import Args, Benchmark, Cases, Row, Rows, main, markdown, refusals, timed
from sat_baseline import sat_seconds

OPENJIJ = "dimod:openjij:SASampler"
SAMPLERS: dict[str, tuple[str, dict[str, Any]]] = {
    "annealer": ("annealer", {}),
    "tempering": ("tempering", {}),
    "neal": ("neal", {}),
    "tabu": ("tabu", {}),
    "OpenJij SA": (OPENJIJ, {"encoding": "domain-wall", "options": {"num_sweeps": 2000}}),
}


def _cases(args: Args) -> Cases:
    pictures: dict[str, Nonogram | None] = {"nonogram-12x9": Nonogram.examples()[1]}
    pictures["webpbn-00006"] = collected("webpbn-00006")
    made = (smooth_picture(20, 20), noise_picture(20, 20), smooth_picture(30, 30))
    pictures |= {puzzle.id: puzzle for puzzle in (*made, smooth_picture(45, 60))}
    for label, puzzle in pictures.items():
        for name, (solver, settings) in SAMPLERS.items():
            here = solver != OPENJIJ or find_spec("openjij") is not None
            what = (name, solver, settings, args.seeds, args.limit)
            yield f"{label}, {name}", _sample, puzzle if here else None, *what
        yield f"{label}, CaDiCaL", _sat, puzzle


def _sample(
    puzzle: Nonogram, name: str, solver: str, settings: dict[str, Any], seeds: int, limit: float
) -> Row:
    solve(smooth_picture(5, 5), solver, seed=0, **settings)  # compiled and imported
    seconds, energies, solved, refused = [], [], [], ""
    for seed in range(seeds):
        try:
            took, result = timed(solve, puzzle, solver, seed=seed, time_limit=limit, **settings)
        except QubopuzzleError as error:
            refused = str(error)
            break
        seconds.append(took)
        solved.append(result.valid)
        energies.append(0.0 if result.valid else result.energy)
    return {
        "id": puzzle.id,
        "solver": name,
        "settings": settings,
        "seeds": list(range(seeds)),
        "limit_s": limit,
        "seconds": seconds,
        "solved": solved,
        "energies": energies,
        "refused": refused,
    }


def _sat(puzzle: Nonogram) -> Row:
    return {
        "id": puzzle.id,
        "solver": "CaDiCaL",
        "seeds": [],
        "seconds": [sat_seconds(puzzle)],
        "solved": [True],
        "energies": [0.0],
        "refused": "",
    }


def _cells(row: Row) -> list[str]:
    if row["refused"]:
        return [row["id"], row["solver"], "refused", "-", "-", "-", "-"]
    exact, n = row["solver"] == "CaDiCaL", len(row["solved"])
    times = [t if ok else inf for t, ok in zip(row["seconds"], row["solved"], strict=True)]
    seconds, solved = np.array(row["seconds"]), np.array(row["solved"], dtype=float)
    shown = ["none" if t == inf else f"{t:.3f}" for t in (median(times), max(times))]
    return [
        row["id"],
        row["solver"],
        "proves" if exact else f"{int(solved.sum())} of {n}",
        *shown,
        "-" if exact else str(tts(seconds, solved)),
        f"{min(inf if energy is None else energy for energy in row['energies']):g}",
    ]


def _table(rows: Rows) -> str:
    columns = ["instance", "solver", "solved", "median s", "worst s", "TTS(99%) s", "best energy"]
    return markdown(columns, [_cells(row) for row in rows]) + refusals(rows)


BENCHMARKS = (Benchmark("annealers", _cases, {"annealers": _table}),)
SETTINGS = {"seeds": (10, "runs of each"), "limit": (3.0, "seconds of solving a run")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
