"""How the time to a picture grows with its size: the annealer, its parts, and SAT.

    python benchmarks/growth.py [--pictures 5] [--seeds 3] [--limit 60]

Pictures of blobs, half of the cells black. Medians over pictures and seeds, one thread, in
seconds: building (the model and its form), annealing with chains and without, the solver
``sat`` (model included), and plain SAT (an encoding in Python lists, and CaDiCaL), once a
picture each. Answers are checked by the rules. Also draws
``docs/images/growth.svg``.
"""

from __future__ import annotations

import argparse
import time
from math import inf
from statistics import median
from typing import Any

import matplotlib.pyplot as plt

from instances import smooth_picture
from qubopuzzle import Nonogram, solve
from qubopuzzle.annealing import anneal, annealing_form, compile_kernels
from record import ROOT, save, table
from sat_baseline import sat_seconds

SIZES = [(20, 20), (30, 30), (40, 40), (45, 60), (60, 60), (70, 70), (80, 80), (100, 100)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60, help="seconds a run")
    args = parser.parse_args()
    compile_kernels()
    annealing_form(smooth_picture(5, 5).model())
    solve(smooth_picture(5, 5), "sat")
    sat_seconds(smooth_picture(5, 5))
    rows = [_row(rows, cols, args) for rows, cols in SIZES]
    columns = ["size", "building s", "annealing s", "without chains s", "sat s", "plain SAT s"]
    columns += ["annealer / sat", "slowest annealing s", "failures with and without"]
    save("growth", rows, table(columns, [_cells(row) for row in rows]))
    _draw(rows)


def _row(n_rows: int, n_cols: int, args: argparse.Namespace) -> dict[str, Any]:
    row: dict[str, Any] = {"rows": n_rows, "cols": n_cols, "limit_s": args.limit}
    row |= {"building_s": [], "annealing_s": [], "without_chains_s": []}
    row |= {"sat_s": [], "plain_sat_s": []}
    for seed in range(1, args.pictures + 1):
        puzzle = smooth_picture(n_rows, n_cols, seed=seed)
        for run in range(args.seeds):
            building, annealing = _anneal(puzzle, run, args.limit, chains=True)
            row["building_s"].append(building)
            row["annealing_s"].append(annealing)
            row["without_chains_s"].append(_anneal(puzzle, run, args.limit, chains=False)[1])
        start = time.perf_counter()
        assert solve(puzzle, "sat", seed=0).valid
        row["sat_s"].append(time.perf_counter() - start)
        row["plain_sat_s"].append(sat_seconds(puzzle))
    print(_cells(row), flush=True)
    return row


def _anneal(puzzle: Nonogram, seed: int, limit: float, *, chains: bool) -> tuple[float, float]:
    """Seconds of building and of annealing; infinite if there is no answer."""
    start = time.perf_counter()
    model = puzzle.model()
    form = annealing_form(model, chains=chains)
    built = time.perf_counter()
    best = anneal(form, seed=seed, time_limit=limit).reads[0]
    done = time.perf_counter()
    assert model.field is not None
    answer, torn = model.field.read(form.literals(best.value))
    solved = not len(torn) and not puzzle.violations(answer)
    return built - start, done - built if solved else inf


def _cells(row: dict[str, Any]) -> list[str]:
    names = ("building_s", "annealing_s", "without_chains_s", "sat_s", "plain_sat_s")
    building, annealing, without, sat, plain = (median(row[name]) for name in names)
    failures = [sum(t == inf for t in row[n]) for n in ("annealing_s", "without_chains_s")]
    return [
        f"{row['rows']}x{row['cols']}",
        *(f"{t:.3f}" for t in (building, annealing, without, sat, plain)),
        f"{(building + annealing) / sat:.2f}",
        f"{max(row['annealing_s']):.2f}",
        f"{failures[0]} and {failures[1]}",
    ]


def _draw(rows: list[dict[str, Any]]) -> None:
    cells = [row["rows"] * row["cols"] for row in rows]
    series = {
        "plain SAT (CaDiCaL), encoding included": (["plain_sat_s"], "o-"),
        "solver sat (CaDiCaL), model included": (["sat_s"], "D-"),
        "annealer, building included": (["building_s", "annealing_s"], "s-"),
        "building alone": (["building_s"], "x--"),
        "annealing alone, chains off": (["without_chains_s"], "^:"),
    }
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for label, (names, style) in series.items():
        seconds = [sum(median(row[name]) for name in names) for row in rows]
        axes.loglog(cells, seconds, style, label=label)
    axes.set_xticks(cells, [f"{row['rows']}x{row['cols']}" for row in rows], fontsize=7)
    axes.minorticks_off()
    axes.set(xlabel="picture", ylabel="seconds, one thread (median)")
    axes.legend(frameon=False)
    figure.savefig(ROOT / "docs" / "images" / "growth.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
