"""``annealer``: simulated annealing on the constraint model, with weights that learn.

A sequence of QUBOs with adapting penalty weights, see docs/annealer.md. Reported energies
are those of the unweighted model, recomputed from the answer.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from qubopuzzle.model import Model, violation
from qubopuzzle.solvers.base import Option, Outcome, Solver, Task

if TYPE_CHECKING:
    from qubopuzzle.annealing.search import Annealed


class _Annealer(Solver):
    name = "annealer"
    target = "model"
    default_encoding = None
    default_presolve = "interleave"
    interleaves = True
    goes_on_after_cuts = True
    tries_alternatives = True
    default_reads = 127
    package = "numba"
    about = "annealing of the model itself, with penalty weights that learn"
    options = (
        Option("sweeps", int, None, "of a read; later ones may have more (portfolio)", 1, 10**9),
        Option("beta", float, None, "inverse temperature, in penalty units (portfolio)", 0),
        Option(
            "increment", float, None, "added to broken weights, a half sweep (portfolio)", 0, 1e6
        ),
        Option("decay", float, None, "what is left of that, a half sweep (portfolio)", 0, 0.9999),
        Option("focus", float, None, "share of undisturbed units left out (portfolio)", 0, 1),
        Option(
            "propagation",
            float,
            None,
            "terms that sweeps propagate through for each literal redrawn, 0 for none (portfolio)",
            0,
            1e6,
        ),
        Option(
            "raised", float, None, "factor of the objective's share, a valid pass (portfolio)", 1
        ),
        Option("lowered", float, None, "the same of a pass that is not valid (portfolio)", 0, 1),
        Option("chains", int, 1, "1 redraws chains of precedences at once, 0 does not", 0, 1),
        Option("relaxation", int, 1, "1 solves a linear objective's relaxation first", 0, 1),
        Option("threads", int, 1, "reads at the same time; the result is the same", 1, 256),
        Option("every_read", int, 0, "1 makes all reads, also after one that is an answer", 0, 1),
    )

    def prepare(self, model: Model) -> None:
        """Compile the kernels, or load them from numba's cache; import what relaxes objectives."""
        from qubopuzzle.annealing import compile_kernels

        compile_kernels(model)
        if model.objective is not None:
            import scipy.optimize  # noqa: F401

    def solve(self, task: Task) -> Outcome:
        """Restart until the reads or the time are spent or a solution is found."""
        model, budget, options = task.compiled.source, task.budget, task.options
        if not model.choices:
            nothing = np.zeros((1, 0), dtype=np.int8)
            energy = violation(model, nothing[0])
            return Outcome(nothing, np.array([float(energy)]), 0, infeasible=energy > 0)
        from qubopuzzle.annealing import (
            AnnealingForm,
            AnnealingParameters,
            anneal_best,
            annealing_form,
        )

        names = [field.name for field in fields(AnnealingParameters)]
        fixed = {name: options[name] for name in names if options[name] is not None}
        tasks: list[Task] = []

        def form_of(make: Callable[[], Task]) -> AnnealingForm:
            tasks.append(attempt := make())
            model, weights = attempt.compiled.source, attempt.compiled.payload.weights
            return annealing_form(model, weights, chains=bool(options["chains"]))

        # Where to start is said of the task's own model.
        starts = values = task.starts
        if starts is not None:
            values = np.nonzero(starts)[1].reshape(len(starts), -1) - model.first_literal[:-1]
        tried = [lambda: task, *(task.alternatives if starts is None else ())]
        every = bool(options["every_read"])
        chosen, annealed = anneal_best(
            [partial(form_of, make) for make in tried],
            seed=budget.seed,
            reads=budget.reads,
            time_limit=None if budget.time_limit is None else task.seconds_left(),
            only_accepted=bool(model.omitted) or every,
            accepts=lambda number, x: not every and tasks[number].accepts(x.astype(np.int8)),
            track=lambda number: tasks[number].track,
            fixed=fixed,
            sweeps=options["sweeps"],
            initial_states=values,
            threads=options["threads"],
            # What breaks nothing may be no answer where rules are left out.
            relaxing=bool(options["relaxation"]) and not model.omitted,
            probing=task.interleaved,
            begun=task.probing,
            until_proof=task.until_proof and not every,
            progress=task.report,
        )
        outcome = _outcome(annealed)
        better = () if model.omitted else annealed.incumbents
        course = () if model.objective is not None else tuple(map(float, annealed.course))
        return replace(outcome, alternative=chosen, incumbents=better, course=course)


def _outcome(annealed: "Annealed") -> Outcome:
    """The reads of a form, and what was found about its model."""
    form = annealed.form
    samples = [form.literals(read.value).astype(np.int8) for read in annealed.reads]
    energies = [form.energy(read.value) + read.objective for read in annealed.reads]
    return Outcome(
        np.array(samples).reshape(-1, form.model.n_literals),
        np.array(energies, dtype=np.float64),
        annealed.n_reads,
        interrupted=annealed.interrupted,
        row_weight=annealed.reads[0].row_weight,
        infeasible=annealed.probing is not None and annealed.probing.broken is not None,
        probing=annealed.probing,
        bound=annealed.bound,
        optimal=annealed.optimal,
        settings={"portfolio": f"for {annealed.portfolio}"},
    )


SOLVER = _Annealer()
