"""How often is a constrained model feasible after a second? 100 CQMs that are, by construction.

Twenty kinds of ``planted.py``, some instances of each, no objective, one thread. Each CQM goes to

- ``annealer``: the choices and rows of the model, the default settings, nothing tuned; its second
  includes finding the choices, propagation and compiling;
- neal (dwave-samplers) and replica exchange (``OneHotTemperingSampler``, which keeps discrete
  constraints exactly) on the BQM of ``dimod.cqm_to_bqm`` with its default multiplier, and with
  tuned ones: of ``TUNINGS``, how heavy discrete constraints are and whether other constraints are
  scaled by their coefficients, the setting that solves most of a kind's instances on other seeds.
  Conversion is not in their second, and tuning is not in any.

Every answer is checked by ``cqm.check_feasible``. One table: cqms.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import log2
from typing import Any

import dimod
from dwave.samplers import SimulatedAnnealingSampler

from data.instances import warm_up
from data.others import ours
from data.planted import PLANTED, planted
from data.programs import cqm_of
from harness import Args, Benchmark, Cases, Row, Rows, grouped, markdown, timed
from qubopuzzle import OneHotTemperingSampler
from qubopuzzle.tempering import compile_kernels
from qubopuzzle.tempering.sampler import one_hot_groups

Cqm = dimod.ConstrainedQuadraticModel
Samples = Iterator[Mapping[Any, Any]]
Penalised = tuple[dimod.BinaryQuadraticModel, Callable[[Any], Mapping[Any, Any]]]
"""A BQM, and what makes samples of the CQM of its own."""
Setting = tuple[float, bool]
TUNINGS: tuple[Setting, ...] = tuple(product((0.5, 1.0, 4.0), (False, True)))
"""Multiplier of discrete constraints, and whether rows with coefficients are scaled."""
TUNING_SEEDS = (1000, 1001)
"""Instances that no table shows."""
ANNEALER = "annealer"
_SLACK_S = 0.1
"""Runs that end so much later than asked still count."""
_TRIAL_SWEEPS = 20


def cases(args: Args) -> Cases:
    warm_up(ANNEALER)
    compile_kernels()
    for kind in PLANTED:
        yield kind, of_kind, kind, args.instances, args.time_limit


def of_kind(kind: str, instances: int, limit: float) -> list[Row]:
    """A row an instance and sampler."""
    tuned = tuning(kind, limit)
    found = []
    for seed in range(instances):
        program = planted(kind, seed)
        cqm = cqm_of(program)
        about = {
            "kind": kind,
            "seed": seed,
            "limit_s": limit,
            "variables": len(program.variables),
            "rows": len(program.rows),
        }
        seconds, answer = timed(ours, program, limit, seed)
        values = answer.values
        valid = values is not None and cqm.check_feasible(
            dict(zip(program.variables, values, strict=True))
        )
        late = seconds > limit + _SLACK_S
        found.append(about | {"sampler": ANNEALER, "feasible": valid and not late, "s": seconds})
        for name in SAMPLERS:
            for what, setting in (("default", None), ("tuned", tuned[name])):
                bqm = penalised(cqm, *setting) if setting else dimod.cqm_to_bqm(cqm)
                valid, seconds = sampled(name, cqm, bqm, limit, seed)
                own = {"sampler": f"{name}, {what}", "tuning": setting}
                found.append(about | own | {"feasible": valid, "s": seconds})
    return found


def tuning(kind: str, limit: float) -> dict[str, Setting]:
    """Of each sampler what solves most instances of a kind, then what is soonest done."""
    cqms = [cqm_of(planted(kind, seed)) for seed in TUNING_SEEDS]
    scores: dict[str, dict[Setting, tuple[int, float]]] = {name: {} for name in SAMPLERS}
    for setting in TUNINGS:
        bqms = [penalised(cqm, *setting) for cqm in cqms]
        for name, own in scores.items():
            runs = [sampled(name, *both, limit, 0) for both in zip(cqms, bqms, strict=True)]
            own[setting] = -sum(valid for valid, _ in runs), sum(s for _, s in runs)
    return {name: min(TUNINGS, key=own.__getitem__) for name, own in scores.items()}


def sampled(name: str, cqm: Cqm, bqm: Penalised, limit: float, seed: int) -> tuple[bool, float]:
    """Whether a sampler finds a feasible sample in time, and the seconds."""
    form, invert = bqm
    started = time.perf_counter()
    for sample in SAMPLERS[name](form, one_hot_groups(cqm), limit, seed):
        if cqm.check_feasible(invert(sample)):
            return True, time.perf_counter() - started
    return False, time.perf_counter() - started


def penalised(cqm: Cqm, discrete: float, scaled: bool) -> Penalised:
    """``dimod.cqm_to_bqm``, but with a multiplier for each constraint."""
    groups: dict[float, Cqm] = {1.0: _same_variables(cqm)}
    for label, constraint in cqm.constraints.items():
        largest = max((abs(bias) for bias in constraint.lhs.linear.values()), default=1.0)
        # By powers of two, so that few BQMs have to be added up.
        size = 4.0 ** -round(log2(max(largest, 1.0))) if scaled else 1.0
        weight = discrete if label in cqm.discrete else size
        if weight not in groups:
            groups[weight] = _same_variables(cqm)
        row = constraint.lhs.linear.items()
        groups[weight].add_constraint_from_iterable(
            row, constraint.sense, rhs=constraint.rhs, label=label
        )
    bqm, invert = dimod.cqm_to_bqm(groups.pop(1.0), lagrange_multiplier=1.0)
    for weight, own in groups.items():
        bqm.update(dimod.cqm_to_bqm(own, lagrange_multiplier=weight)[0])
    return bqm, invert


def _same_variables(cqm: Cqm) -> Cqm:
    made = Cqm()
    for v in cqm.variables:
        bounds = {"lower_bound": cqm.lower_bound(v), "upper_bound": cqm.upper_bound(v)}
        made.add_variable(cqm.vartype(v), v, **bounds)
    return made


# --- samplers --------------------------------------------------------------------------


def neal(bqm: dimod.BinaryQuadraticModel, _: Any, limit: float, seed: int) -> Samples:
    """Reads of about a fifth of the time, 100 to 10,000 sweeps, until it is spent."""
    sampler, until = SimulatedAnnealingSampler(), time.perf_counter() + limit
    seconds, _ = timed(sampler.sample, bqm, num_reads=1, num_sweeps=_TRIAL_SWEEPS, seed=seed)
    sweeps = int(min(max(0.2 * limit / seconds * _TRIAL_SWEEPS, 100), 10_000))
    while time.perf_counter() < until:
        seed += 1
        yield sampler.sample(bqm, num_reads=1, num_sweeps=sweeps, seed=seed).first.sample


def tempering(bqm: dimod.BinaryQuadraticModel, groups: Any, limit: float, seed: int) -> Samples:
    """One read, as long as there is time."""
    found = OneHotTemperingSampler().sample(
        bqm,
        one_hot_groups=groups,
        num_sweeps=10**9,
        time_limit=limit,
        target_energy=1e-6,
        seed=seed,
    )
    yield found.first.sample


SAMPLERS: dict[str, Callable[..., Samples]] = {"neal": neal, "tempering": tempering}


# --- the table -------------------------------------------------------------------------


def show(rows: Rows) -> str:
    names = [name for (name,) in grouped(rows, "sampler")]
    lines = []
    for (kind,), own in grouped(rows, "kind").items():
        sizes = sorted(row["variables"] for row in own)
        size = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
        by_name = grouped(own, "sampler")
        lines.append([kind, size, *(_share(by_name[name,]) for name in names)])
    of_all = grouped(rows, "sampler")
    lines.append(["all", "", *(_share(of_all[name,]) for name in names)])
    return markdown(["kind", "variables", *names], lines)


def _share(rows: Rows) -> str:
    return f"{sum(row['feasible'] for row in rows)} of {len(rows)}"


BENCHMARKS = (Benchmark("cqms", cases, {"cqms": show}),)
SETTINGS = {
    "instances": (5, "instances of each kind"),
    "time_limit": (1.0, "seconds a run"),
}
