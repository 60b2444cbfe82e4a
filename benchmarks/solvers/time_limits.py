"""How far each solver goes beyond its time limit.

Boards on which most solvers do not end by themselves. Seconds (wall clock) go from the compiled
model to the judged answer, which is what a time limit covers. One table: time_limits, with the
seconds at each limit, the greatest overrun, and whether a warning came before the search.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from data.instances import GENERATED, noise_picture
from harness import Args, Benchmark, Cases, Row, Rows, grouped, markdown, refusals
from qubopuzzle import ModelBuilder, QubopuzzleError, amplify_client, load, solve
from qubopuzzle.errors import TimeLimitWarning
from qubopuzzle.model import Model
from qubopuzzle.problem import Problem

LIMITS = (0.1, 1.0, 2.0, 5.0)
OPENJIJ = "dimod:openjij:SASampler"
SAMPLERS = ("annealer", "tempering", "neal", "tabu", "random", "steepest-descent")
PROVERS = ("sat", "cpsat", "mip")


def hard(name: str) -> Problem:
    """Of those that are hard for annealing."""
    return next(each for each in load(GENERATED / "frontier.jsonl") if each.id.startswith(name))


def bits(n: int) -> Model:
    """Bits whose weighted sum is odd on one side only: an enumeration goes to its end."""
    b = ModelBuilder()
    for i in range(n):
        b.bit(f"bit[{i}]")
    b.linear(
        "never", [0] * n, range(1, 2 * n, 2), np.full(n, 2), lower=n + 1, upper=n + 1, shape=(1,)
    )
    return b.build()


BOARDS: dict[str, Callable[[], Any]] = {
    "nonogram, noise 30x30": partial(noise_picture, 30, 30),
    "nonogram, noise 45x60": partial(noise_picture, 45, 60),
    "sudoku 25x25": partial(hard, "sudoku-25x25"),
    "kurodoko 17x17": partial(hard, "kurodoko-17x17"),
    "numberlink 15x15": partial(hard, "numberlink-15x15"),
}


def cases(_: Args) -> Cases:
    for board, make in BOARDS.items():
        for solver in (*SAMPLERS, *PROVERS, "amplify_client()"):
            yield f"{board}, {solver}", measure, solver, board, make
    board, make = next(iter(BOARDS.items()))
    openjij = OPENJIJ if find_spec("openjij") is not None else None
    yield f"{board}, {OPENJIJ}", measure, openjij, board, make
    yield "20 bits, exact", measure, "exact", "20 bits", partial(bits, 20)


def measure(name: str, board: str, make: Callable[[], Any]) -> list[Row]:
    solver = amplify_client() if name.endswith(")") else name
    problem = make()
    solve(bits(2), solver, reads=1, seed=0)  # imported and compiled
    return [
        {"solver": name, "board": board, "limit_s": s, **run(problem, solver, s)} for s in LIMITS
    ]


def run(problem: Problem, solver: Any, limit: float) -> dict[str, Any]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = solve(problem, solver, seed=1, time_limit=limit)
        except QubopuzzleError as error:
            return {"refused": str(error)}
    return {
        "seconds": round(result.timings_s["solve"] + result.timings_s["decode"], 3),
        "status": result.status,
        "load": os.getloadavg()[0] / (os.cpu_count() or 1),
        "warned": any(issubclass(each.category, TimeLimitWarning) for each in said),
        "refused": "",
    }


def show(rows: Rows) -> str:
    """A line a solver and board; refusals below."""
    lines, whole = [], [row for row in rows if not row["refused"]]
    for (solver, board), own in grouped(whole, "solver", "board").items():
        seconds = {row["limit_s"]: row["seconds"] for row in own}
        over = max(s - limit for limit, s in seconds.items())
        shown = [f"{seconds[limit]:.2f}" if limit in seconds else "-" for limit in LIMITS]
        warned = "yes" if own[0]["warned"] else ""
        lines.append([solver, board, *shown, f"{max(0.0, over):.2f}", warned])
    heads = ["solver", "board", *(f"limit {s:g} s" for s in LIMITS), "overrun s", "warned"]
    named = [{"id": f"{row['solver']}, {row['board']}", **row} for row in rows if row["refused"]]
    first = [own[0] for own in grouped(named, "id", "refused").values()]
    load = max(row["load"] for row in whole)
    busy = f"\n\nProcesses that wanted each core meanwhile: {load:.1f} at most."
    return markdown(heads, lines) + busy + refusals(first)


BENCHMARKS = (Benchmark("time_limits", cases, {"time_limits": show}, packages=("ortools",)),)
