"""``annealer``: simulated annealing on the constraint model, with weights that learn.

A sequence of QUBOs with adapting penalty weights, see docs/annealer.md. Reported energies
are those of the unweighted model, recomputed from the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qubopuzzle.compile import Compiled
from qubopuzzle.model import violation
from qubopuzzle.solvers.base import Budget, Option, Outcome, Progress, ProgressCallback, Solver

if TYPE_CHECKING:
    from qubopuzzle.annealer import Read, Setting

KEPT_READS = 100


class _Annealer(Solver):
    name = "annealer"
    target: ClassVar[str] = "model"
    default_encoding = None
    default_reads = 100
    package = "numba"
    about = "annealing of the model itself, with penalty weights that learn"
    options = (
        Option("sweeps", int, 1000, "sweeps of the first reads; later ones double", 1, 10**9),
        Option("beta", float, None, "inverse temperature (default: a portfolio)", 0),
        Option("increment", float, 0.3, "what a sweep adds to a broken constraint's weight", 0),
        Option("decay", float, 0.98, "what a sweep leaves of the added weight", 0, 0.9999),
        Option("chains", int, 1, "1 redraws chains of precedences at once, 0 does not", 0, 1),
    )

    def prepare(self) -> None:
        """Compile the kernels, or load them from numba's cache."""
        from qubopuzzle.annealer import compile_kernels

        compile_kernels()

    def solve(
        self,
        compiled: Compiled,
        budget: Budget,
        options: Mapping[str, Any],
        progress: ProgressCallback | None = None,
    ) -> Outcome:
        """Restart until the reads or the time are spent or a solution is found."""
        from qubopuzzle.annealer import anneal, annealing_form

        model, weights = compiled.payload.model, compiled.payload.weights
        if not model.choices:
            nothing = np.zeros((1, 0), dtype=np.int8)
            energy = violation(model, nothing[0])
            return Outcome(nothing, np.array([float(energy)]), 0, infeasible=energy > 0)
        form = annealing_form(model, weights, chains=bool(options["chains"]))
        kept: list[Read] = []
        started, interrupted = 0, False

        def tick(done: float, energy: int) -> bool:
            if progress is not None:
                best = min([energy, *(read.energy for read in kept)])
                progress(Progress(started + done, best))
            return budget.seconds_left() > 0

        try:
            for read in anneal(
                form,
                budget.seed,
                portfolio=_portfolio(options),
                first_sweeps=options["sweeps"],
                tick=tick,
            ):
                started += 1
                kept = sorted([*kept, read], key=lambda r: r.energy)[:KEPT_READS]
                solved = read.energy == 0 and not compiled.omitted
                interrupted = read.interrupted
                accepted = solved or budget.accepts(form.literals(read.value).astype(np.int8))
                if accepted or started == budget.reads or budget.seconds_left() <= 0:
                    break
        except KeyboardInterrupt:
            interrupted = True
        samples = np.zeros((len(kept), model.n_literals), dtype=np.int8)
        for i, read in enumerate(kept):
            samples[i] = form.literals(read.value)
        energies = np.array([form.energy(read.value) for read in kept], dtype=float)
        order = np.argsort(energies, kind="stable")
        return Outcome(samples[order], energies[order], started, interrupted=interrupted)


def _portfolio(options: Mapping[str, Any]) -> Sequence[Setting]:
    """The portfolio with what the options fix."""
    from qubopuzzle.annealer import PORTFOLIO, Setting

    betas = [s.beta for s in PORTFOLIO] if options["beta"] is None else [options["beta"]]
    return [Setting(beta, options["increment"], options["decay"]) for beta in betas]


SOLVER = _Annealer()
