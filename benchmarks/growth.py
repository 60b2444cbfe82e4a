"""How the time to a picture grows with its size: the annealer, its parts, and SAT.

    python benchmarks/growth.py [--pictures 5] [--seeds 3] [--limit 20]

Pictures of blobs, half of the cells black. Medians over pictures and seeds, one thread, in
seconds: building (the model and its form), annealing with chains and without, the solver
``sat`` (model included), and plain SAT (an encoding in Python lists, and CaDiCaL), once a
picture each. Answers are checked by the rules. Also draws
``docs/images/growth.svg``.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from math import inf
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from instances import smooth_picture, warm_up
from qubopuzzle import Nonogram, solve
from qubopuzzle.annealing import anneal, annealing_form, compile_kernels
from record import Args, Benchmark, Cases, Row, Rows, main, median_s, timed
from sat_baseline import sat_seconds

SIZES = [(20, 20), (30, 30), (40, 40), (45, 60), (60, 60), (70, 70), (80, 80), (100, 100)]


def _cases(args: Args) -> Cases:
    compile_kernels(smooth_picture(5, 5).model())
    warm_up("sat")
    sat_seconds(smooth_picture(5, 5))
    for rows, cols in SIZES:
        yield f"{rows}x{cols}", _row, rows, cols, args


def _row(n_rows: int, n_cols: int, args: Args) -> Row:
    row: dict[str, Any] = {"rows": n_rows, "cols": n_cols, "limit_s": args.limit}
    names = ("building_s", "annealing_s", "without_chains_s", "sat_s", "plain_sat_s")
    row |= {name: [] for name in names}
    for seed in range(1, args.pictures + 1):
        puzzle = smooth_picture(n_rows, n_cols, seed=seed)
        for run in range(args.seeds):
            building, annealing = _anneal(puzzle, run, args.limit, chains=True)
            row["building_s"].append(building)
            row["annealing_s"].append(annealing)
            row["without_chains_s"].append(_anneal(puzzle, run, args.limit, chains=False)[1])
        seconds, result = timed(solve, puzzle, "sat", seed=0)
        assert result.valid
        row["sat_s"].append(seconds)
        row["plain_sat_s"].append(sat_seconds(puzzle))
    return row


def _anneal(
    puzzle: Nonogram, seed: int, limit: float, *, chains: bool
) -> tuple[float, float | None]:
    """Seconds of building and of annealing; None if there is no answer."""
    building, model = timed(puzzle.model)
    layout, form = timed(annealing_form, model, chains=chains)
    seconds, found = timed(anneal, form, seed=seed, time_limit=limit)
    answer, torn = model.field.read(form.literals(found.reads[0].value))
    solved = not len(torn) and not puzzle.violations(answer)
    return building + layout, seconds if solved else None


def _ratio(row: Row) -> str:
    building, annealing, sat = (median_s(row[f"{n}_s"]) for n in ("building", "annealing", "sat"))
    return f"{(building + annealing) / sat:.2f}"


def _slowest(row: Row) -> str:
    return f"{max(inf if s is None else s for s in row['annealing_s']):.2f}"


def _failures(row: Row) -> str:
    return " and ".join(str(row[n].count(None)) for n in ("annealing_s", "without_chains_s"))


def _seconds(name: str) -> Callable[[Row], str]:
    return lambda row: f"{median_s(row[name]):.3f}"


COLUMNS = {
    "size": "{rows}x{cols}",
    "building s": _seconds("building_s"),
    "annealing s": _seconds("annealing_s"),
    "without chains s": _seconds("without_chains_s"),
    "sat s": _seconds("sat_s"),
    "plain SAT s": _seconds("plain_sat_s"),
    "annealer / sat": _ratio,
    "slowest annealing s": _slowest,
    "failures with and without": _failures,
}


def _draw(rows: Rows) -> bytes:
    cells = [row["rows"] * row["cols"] for row in rows]
    series = {
        "plain SAT (CaDiCaL), encoding included": (["plain_sat_s"], "o-"),
        "solver sat (CaDiCaL), model included": (["sat_s"], "D-"),
        "annealer, building included": (["building_s", "annealing_s"], "s-"),
        "building alone": (["building_s"], "x--"),
        "annealing alone, chains off": (["without_chains_s"], "^:"),
    }
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for label, (names, style) in series.items():
        seconds = [sum(median_s(row[name]) for name in names) for row in rows]
        axes.loglog(cells, seconds, style, label=label)
    axes.set_xticks(cells, [f"{row['rows']}x{row['cols']}" for row in rows], fontsize=7)
    axes.minorticks_off()
    axes.set(xlabel="picture", ylabel="seconds, one thread (median)")
    axes.legend(frameon=False)
    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "qubopuzzle"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


BENCHMARKS = (Benchmark("growth", _cases, {"growth": COLUMNS}, images={"growth": _draw}),)
SETTINGS = {
    "pictures": (5, "pictures a size"),
    "seeds": (3, "runs of the annealer on each"),
    "limit": (20.0, "seconds a run"),
}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
