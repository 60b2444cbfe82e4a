"""How near are the annealer's portfolios to published ones in the same seconds? QOBLIB's class 06.

FOLDER is ``06-portfolio`` of github.com/ZIB-AOPT/QOBLIB, of which nothing is shipped: the 128
programs in ``models/binary_quadratic_programming/lp_files``, 10 or 50 shares, 10 or 15 days, and
what ABS2 on four A40s had of the QUBO after so many seconds, which its authors published in
``submissions``. The best known are of Gurobi after an hour. The annealer runs with its defaults on
one thread, and building its model counts. Table: portfolio.
"""

from __future__ import annotations

import gzip
import json
import time
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from data.instances import warm_up
from harness import Args, Benchmark, Cases, Row, Rows, grouped, markdown, resumed
from qubopuzzle import load_model, solve
from qubopuzzle.files.sets import sets

ANNEALER, ABS2 = "annealer", "20250822_Abs2_Schicker"
AT = (1.0, 10.0)
"""Seconds at which values are compared, as far as a run goes."""


def _cases(args: Args) -> Cases:
    warm_up(ANNEALER)
    for name, entry in sets()["qoblib"].entries.items():
        if name.startswith("06/bqp_a0") and entry.best is not None:
            stem = name.removeprefix("06/")
            paths = [*args.FOLDER.glob(f"models/*/lp_files/*/{stem}.lp.xz")]
            yield stem, *((_rows, paths[0], entry.best, args) if paths else (None,))


def _rows(path: Path, best: float, args: Args) -> list[Row]:
    """A row a run, and one for what is published."""
    name = path.name.removesuffix(".lp.xz")
    shares, days, history, _, risk = name.removeprefix("bqp_").split("_")
    about = {"id": name, "best": best, "shares": int(shares[1:]), "days": int(days[1:])}
    about |= {"history": history, "risk": float(risk[1:])}

    def portfolio(*run: Any) -> Row:
        return _run(path, *run[1:])

    runs = (resumed(portfolio, name, ANNEALER, k, args.seconds) for k in range(args.seeds))
    published = _published(args.FOLDER, about)
    return [about | row for row in [*runs, *([published] if published else [])]]


def _run(path: Path, solver: str, seed: int, limit: float) -> Row:
    """The best value after so many seconds, building included; None without one."""
    program = load_model(path)
    started = time.perf_counter()
    result = solve(program, solver, seed=seed, time_limit=limit, options={"threads": 1})
    behind = (
        time.perf_counter() - started - result.incumbents[-1].seconds if result.incumbents else 0.0
    )
    found = [
        (each.seconds + max(0.0, behind), each.value) for each in result.incumbents if each.feasible
    ]
    return {"by": solver, "seed": seed, "limit_s": limit} | _values(found)


def _published(folder: Path, about: Row) -> Row | None:
    """The same of ABS2, if it has a series for this program."""
    for path in folder.glob(f"submissions/{ABS2}/*/*/*_objective_time_series.json.gz"):
        name, _, risk = path.parent.name.rpartition("_l")
        if about["id"].startswith(f"bqp_{name}_l") and float(risk) == about["risk"]:
            (run, *_) = json.loads(gzip.decompress(path.read_bytes()))
            return {"by": "abs2"} | _values([(each["Time"], each["Incumbent"]) for each in run])
    return None


def _values(found: list[tuple[float, float]]) -> Row:
    values = ([value for seconds, value in found if seconds <= at] for at in AT)
    return {f"at_{at:g}": min(each, default=None) for at, each in zip(AT, values, strict=True)}


# --- tables ----------------------------------------------------------------------------


def _gap(row: Row, at: float) -> float:
    """How much worse than the best known, in percent of it; inf without a value."""
    value = row[f"at_{at:g}"]
    return inf if value is None else 100 * (value - row["best"]) / abs(row["best"])


def _median(gaps: list[float]) -> str:
    """``none`` where fewer than half of the runs have a value."""
    middle = median(gaps) if gaps else inf
    return "none" if middle == inf else f"{middle:,.2f}"


def _summary(rows: Rows) -> str:
    lines = []
    for (shares, risk), own in sorted(grouped(rows, "shares", "risk").items()):
        by = {key: [row for row in own if row["by"] == key] for key in (ANNEALER, "abs2")}
        runs = by[ANNEALER]
        met = sum(_gap(row, AT[-1]) <= 0 for row in runs)
        gaps = [_median([_gap(row, at) for row in each]) for each in by.values() for at in AT]
        lines.append([str(shares), f"{risk:g}", f"{met} of {len(runs)}", *gaps])
    each = [f"{key}, {at:g} s" for key in (ANNEALER, "ABS2") for at in AT]
    return markdown(["shares", "weight of risk", "runs at the best known", *each], lines)


BENCHMARKS = (Benchmark("portfolio", _cases, {"portfolio": _summary}, packages=("numba",)),)
SETTINGS = {
    "FOLDER": (Path("06-portfolio"), "of QOBLIB"),
    "seeds": (3, "of the annealer"),
    "seconds": (10.0, "a run"),
}
