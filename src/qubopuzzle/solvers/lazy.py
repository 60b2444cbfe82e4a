"""Connectivity and cycles for solvers that know none: sample, cut, and go on from there.

The model is solved without those constraints. What comes back at energy 0 and breaks them
gives clauses that it does not meet and every solution does (``model.cuts``); they join the
model as linear rows, and the next round starts from that sample where the solver can. The
rounds are bounded, and the result says how many there were and how many cuts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError, SolverFailed
from qubopuzzle.model import Cut, IntArray, Model, cuts, with_cuts
from qubopuzzle.solvers.base import Budget, Outcome, ProgressCallback, Solver

ROUND_LIMIT = 1_000
"""Most rounds of one solve."""
_CUT_SAMPLES = 10
"""Samples of a round that are cut off, at most."""


def solve_lazily(
    solver: Solver,
    model: Model,
    compiled: Compiled,
    compiling: Callable[[Model], Compiled],
    budget: Budget,
    options: Mapping[str, Any],
    progress: ProgressCallback | None = None,
) -> tuple[Compiled, Outcome]:
    """Solve round by round; returns what the last round solved, and what came of it.

    Args:
        compiled: the model without connectivity and cycles, for the first round.
        compiling: from a model to what the solver takes. Cuts add rows, so that variables of
            all rounds are the same but for slack behind them.
        budget: its reads are those of a round, its time limit holds for all of them.

    Raises:
        InputError, TooLarge: see ``compile_model``; InputError for options that keep or replay
            one answer.
        SolverFailed: if a cut does not exclude the sample that it was made for.
    """
    for name in ("record", "replay"):
        if options.get(name):
            raise InputError(f"option {name} is for one answer; a formulation with cuts asks often")
    found: list[Cut] = []
    start: IntArray | None = None
    reads = rounds = 0
    service_s: dict[str, float] = {}
    while True:
        if found:
            compiled = compiling(with_cuts(model, found))
        own = replace(
            budget,
            seed=(budget.seed + rounds) % 2**63,
            start=None if start is None else compiled.encode(start),
        )
        outcome = solver.solve(compiled, own, options, progress)
        reads, rounds = reads + outcome.reads, rounds + 1
        for part, seconds in outcome.service_s.items():
            service_s[part] = service_s.get(part, 0.0) + seconds
        met = outcome.samples[outcome.energies == 0][:_CUT_SAMPLES]
        new = _cuts(model, [compiled.decode(sample) for sample in met])
        if not new or any(budget.judge.accepts(sample) for sample in met):
            break
        if outcome.interrupted or rounds == ROUND_LIMIT or budget.seconds_left() <= 0:
            break
        found += new
        start = compiled.decode(met[0])
    settings = {**outcome.settings, "rounds": rounds, "cuts": len(found)}
    return compiled, replace(outcome, reads=reads, settings=settings, service_s=service_s)


def _cuts(model: Model, met: Sequence[IntArray]) -> list[Cut]:
    """Cuts of some assignments, each of which excludes its own."""
    found = []
    for x in met:
        own = cuts(model, x)
        if any(cut.meets(x) for cut in own):
            raise SolverFailed("a cut does not exclude the sample that it was made for")
        found += own
    return found
