"""Connectivity and cycles for solvers that know none: sample, cut, and go on from there.

The model is solved without those constraints. What comes back, breaks nothing else and breaks
them gives clauses that it does not meet and every solution does (``model.cuts``); they join the
model as linear rows, and the next round starts from that sample where the solver can. The
rounds are bounded, and the result says how many there were and how many cuts.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError, SolverFailed
from qubopuzzle.model import Cut, Model, cuts, violation, with_cuts
from qubopuzzle.solvers.base import Outcome, Solver, Task

ROUND_LIMIT = 1_000
"""Most rounds of one solve."""
_CUT_SAMPLES = 10
"""Samples of a round that are cut off, at most."""


def solve_lazily(
    solver: Solver, model: Model, task: Task, compiling: Callable[[Model], Compiled]
) -> tuple[Compiled, Outcome]:
    """Solve round by round; returns what the last round solved, and its outcome.

    Args:
        task: of the model without connectivity and cycles, for the first round. The reads of
            its budget are those of a round, its time limit holds for all of them.
        compiling: from a model to what the solver takes. Cuts add rows, so that variables of
            all rounds are the same but for slack behind them.

    Raises:
        InputError, TooLarge: see ``compile_model``; InputError for options that keep or replay
            one answer.
        SolverFailed: if a cut does not exclude the sample that it was made for.
    """
    for name in ("record", "replay"):
        if task.options.get(name):
            raise InputError(f"option {name} is for one answer; a formulation with cuts asks often")
    all_cuts: list[Cut] = []
    seed, reads = task.budget.seed, 0
    service_s: dict[str, float] = {}
    for rounds in range(ROUND_LIMIT):
        budget = replace(task.budget, seed=(seed + rounds) % 2**63)
        outcome = solver.solve(replace(task, budget=budget))
        reads += outcome.reads
        service_s |= {part: service_s.get(part, 0.0) + s for part, s in outcome.service_s.items()}
        met = _valid_samples(task.compiled, outcome)
        assignments = [task.compiled.decode(sample) for sample in met]
        new = [(x, cut) for x in assignments for cut in cuts(model, x)]
        if any(cut.meets(x) for x, cut in new):
            raise SolverFailed("a cut does not exclude the sample that it was made for")
        if not new or any(task.accepts(sample) for sample in met):
            break
        if outcome.interrupted or rounds + 1 == ROUND_LIMIT or task.seconds_left() <= 0:
            break
        all_cuts += [cut for _, cut in new]
        compiled = compiling(with_cuts(model, all_cuts))
        starts = compiled.encode(assignments[0])[None]
        task = replace(task, compiled=compiled, starts=starts, probing=outcome.probing)
    settings = {**outcome.settings, "rounds": rounds + 1, "cuts": len(all_cuts)}
    # What was better on the way may break what no cut has excluded yet.
    joined = replace(outcome, reads=reads, settings=settings, service_s=service_s, incumbents=())
    return task.compiled, joined


def _valid_samples(compiled: Compiled, outcome: Outcome) -> list[NDArray[np.int8]]:
    """The first samples that break no constraint of the compiled model."""
    if not compiled.has_objective:
        return [*outcome.samples[outcome.energies == 0][:_CUT_SAMPLES]]
    valid = (x for x in outcome.samples if not violation(compiled.source, compiled.decode(x)))
    return [*islice(valid, _CUT_SAMPLES)]
