"""How many proved optima are reached in ten seconds, and how far are the others? Five kinds.

Those of ``programs.py``, by seed, one thread. The optima of 20 instances a kind are in
``data/optima.json``, proved by CP-SAT, those of cuts and arrangements by complete searches of our
own (``optima.py`` at c930001); where none is known, the best that anyone found stands for it, and
the table says how many were. Contenders, all for the
same time:

- ``annealer``: rows as choices, the default settings, nothing tuned;
- neal and tempering on the QUBO of the same rows, without slack where a row needs none (pairs for
  "at most one", squares for "exactly"), tuned: of ``TUNINGS``, a formulation and a weight in units
  of the largest coefficient of the objective, what is best on other seeds in a fifth of the time;
- HiGHS and Local-MIP, with products as variables of their own where there are any.

Every answer is judged by the program's rows and objective. A gap is that to the optimum over its
absolute value; a run without a valid answer has none, and is counted. One table: objectives.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from math import inf
from statistics import mean
from typing import Any

import numpy as np

from data.instances import warm_up
from data.others import LOCAL_MIP, Answer, Solve, ask, checked, ours, peers
from data.programs import OPTIMIZED, linearised, with_optimum
from harness import HERE, Args, Benchmark, Cases, Row, Rows, grouped, markdown
from qubopuzzle.programs import Program

SAMPLERS = ("neal", "tempering")
LINEAR = ("HiGHS", LOCAL_MIP)
TUNINGS = tuple(product(("choices", "bits"), (0.03, 0.3, 1.0, 3.0)))
"""Formulation, and penalty weight."""
TUNING_SEEDS = (1000, 1001)
"""Instances that no table shows."""
OPTIMA = json.loads((HERE / "data" / "optima.json").read_text())
"""By kind and seed."""
_CLOSE = 1e-6
Settings = Mapping[str, Any]


def cases(args: Args) -> Cases:
    warm_up("annealer", *SAMPLERS)
    linear = {name: own for name, own in peers().items() if name in LINEAR}
    for kind in OPTIMIZED:
        # What is not at hand is left out by name, and the rest of the table is measured.
        for name in (name for name, solver in linear.items() if solver is None):
            yield f"{name}, {kind}", None
        here = {name: solver for name, solver in linear.items() if solver}
        yield kind, of_kind, kind, args.instances, args.time_limit, here


def of_kind(kind: str, instances: int, limit: float, linear: Mapping[str, Solve]) -> list[Row]:
    """A row an instance and solver."""
    tuned = {name: tuning(kind, name, limit / 5) for name in SAMPLERS}
    found = []
    for seed in range(instances):
        program = with_optimum(kind, seed)
        flat = linearised(program)
        about = {"kind": kind, "seed": seed, "variables": len(program.variables)}
        about |= {"optimum": OPTIMA[kind].get(str(seed)), "proved": str(seed) in OPTIMA[kind]}
        contenders: dict[str, tuple[Answer, Any]] = {"annealer": (ours(program, limit, seed), None)}
        for name in SAMPLERS:
            own = tuned[name]
            run = ours(program, limit, seed, name, **settings(program, own))
            contenders[f"{name}, tuned"] = run, own
        for name, solver in linear.items():
            contenders[name] = ask(solver, flat, limit, seed), None
        for name, (answer, own) in contenders.items():
            seconds = answer.building_s + answer.search_s
            value = {"objective": _value(program, answer), "s": seconds, "tuning": own}
            found.append({**about, "limit_s": limit, "solver": name, **value})
    return found


def tuning(kind: str, name: str, limit: float) -> tuple[str, float]:
    """What gives the best objectives in sum; one without a valid answer comes last."""
    programs = [with_optimum(kind, seed) for seed in TUNING_SEEDS]

    def score(own: tuple[str, float]) -> float:
        answers = [ours(p, limit, 0, name, **settings(p, own)) for p in programs]
        values = [_value(p, answer) for p, answer in zip(programs, answers, strict=True)]
        sign = -1.0 if programs[0].maximize else 1.0
        return sum(inf if value is None else sign * value for value in values)

    return min(TUNINGS, key=score)


def settings(program: Program, own: tuple[str, float]) -> Settings:
    """Of ``solve``; neal gets the one-hot encoding, as tempering does by itself."""
    formulation, weight = own
    largest = max(np.abs(program.cost).max(), np.abs(program.quadratic.data).max(initial=0.0))
    families = program.model(formulation).families
    weights = dict.fromkeys(families, float(weight * largest))
    return {"encoding": "one-hot", "formulation": formulation, "weights": weights}


def _value(program: Program, answer: Answer) -> float | None:
    """The objective of an answer that meets all rows; of a linearised one, its first variables."""
    if answer.values is None:
        return None
    own = Answer(answer.values[: len(program.variables)], 0.0, 0.0)
    return None if checked(program, own) else program.objective_of(own.values or ())


def show(rows: Rows) -> str:
    lines = []
    for (kind,), own in grouped(rows, "kind").items():
        best = {seed: _best(kind, group) for (seed,), group in grouped(own, "seed").items()}
        proved = sum(group[0]["proved"] for group in grouped(own, "seed").values())
        for (solver,), runs in grouped(own, "solver").items():
            values = [(row["objective"], best[row["seed"]]) for row in runs]
            gaps = [abs(v - b) / max(abs(b), 1.0) for v, b in values if v is not None]
            reached = sum(gap < _CLOSE for gap in gaps)
            far = [f"{100 * mean(gaps):.2f}", f"{100 * max(gaps):.2f}"] if gaps else ["-", "-"]
            head = f"{kind} ({proved} of {len(best)} proved)"
            lines.append(
                [head, solver, f"{reached} of {len(runs)}", *far, f"{len(runs) - len(gaps)}"]
            )
    heads = ["kind", "solver", "optima", "mean gap %", "worst %", "without an answer"]
    return markdown(heads, lines) + f"\n\nLimit: {rows[0]['limit_s']:g} s."


def _best(kind: str, rows: Rows) -> float:
    """The optimum, or the best that there is where it was not proved."""
    values = [row["objective"] for row in rows] + [row["optimum"] for row in rows]
    known = [value for value in values if value is not None]
    return max(known) if with_optimum(kind, 0).maximize else min(known)


BENCHMARKS = (
    Benchmark(
        "objectives", cases, {"objectives": show}, packages=("ortools", "highspy", "localmip")
    ),
)
SETTINGS = {
    "instances": (20, "instances of each kind"),
    "time_limit": (10.0, "seconds a run"),
}
