"""``annealer``: simulated annealing on the constraint model, with weights that learn.

A sequence of QUBOs with adapting penalty weights, see docs/annealer.md. Reported energies
are those of the unweighted model, recomputed from the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qubopuzzle.compile import Compiled
from qubopuzzle.model import violation
from qubopuzzle.solvers.base import Budget, Option, Outcome, Progress, ProgressCallback, Solver

if TYPE_CHECKING:
    from qubopuzzle.annealing import AnnealingParameters


class _Annealer(Solver):
    name = "annealer"
    target: ClassVar[str] = "model"
    default_encoding = None
    default_reads = 127
    package = "numba"
    about = "annealing of the model itself, with penalty weights that learn"
    options = (
        Option("sweeps", int, 1000, "sweeps of a read; later ones may have more", 1, 10**9),
        Option("beta", float, None, "inverse temperature, in penalty units (portfolio)", 0),
        Option(
            "increment", float, None, "added to broken weights, a half sweep (portfolio)", 0, 1e6
        ),
        Option("decay", float, None, "what is left of that, a half sweep (portfolio)", 0, 0.9999),
        Option("focus", float, None, "share of undisturbed units left out (portfolio)", 0, 1),
        Option("chains", int, 1, "1 redraws chains of precedences at once, 0 does not", 0, 1),
        Option("threads", int, 1, "reads at the same time; the result is the same", 1, 256),
    )

    def prepare(self) -> None:
        """Compile the kernels, or load them from numba's cache."""
        from qubopuzzle.annealing import compile_kernels

        compile_kernels()

    def solve(
        self,
        compiled: Compiled,
        budget: Budget,
        options: Mapping[str, Any],
        progress: ProgressCallback | None = None,
    ) -> Outcome:
        """Restart until the reads or the time are spent or a solution is found."""
        from qubopuzzle.annealing import anneal, annealing_form

        model, weights = compiled.source, compiled.payload.weights
        if not model.choices:
            nothing = np.zeros((1, 0), dtype=np.int8)
            energy = violation(model, nothing[0])
            return Outcome(nothing, np.array([float(energy)]), 0, infeasible=energy > 0)
        form = annealing_form(model, weights, chains=bool(options["chains"]))
        found = anneal(
            form,
            seed=budget.seed,
            reads=budget.reads,
            time_limit=None if budget.time_limit is None else budget.seconds_left(),
            only_accepted=bool(compiled.omitted),
            accepts=lambda x: budget.judge.accepts(x.astype(np.int8)),
            portfolio=_portfolio(options),
            sweeps=options["sweeps"],
            initial_states=None if budget.start is None else form.state(budget.start),
            threads=options["threads"],
            progress=lambda reads, energy: progress and progress(Progress(reads, energy)),
        )
        samples = np.zeros((len(found.reads), model.n_literals), dtype=np.int8)
        for i, read in enumerate(found.reads):
            samples[i] = form.literals(read.value)
        energies = np.array([form.energy(read.value) for read in found.reads], dtype=float)
        return Outcome(samples, energies, found.n_reads, interrupted=found.interrupted)


def _portfolio(options: Mapping[str, Any]) -> Sequence[AnnealingParameters]:
    """The portfolio with what the options fix."""
    from qubopuzzle.annealing import PORTFOLIO

    names = ("beta", "increment", "decay", "focus")
    fixed = {name: options[name] for name in names if options[name] is not None}
    return tuple(dict.fromkeys(replace(parameters, **fixed) for parameters in PORTFOLIO))


SOLVER = _Annealer()
