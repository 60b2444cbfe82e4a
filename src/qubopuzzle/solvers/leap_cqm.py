"""``leap-cqm``: Leap's hybrid sampler, which takes constraints as they are.

The model goes there as a CQM of bits, a discrete constraint for each choice; the time limit is the
service's, its own least one without. The samples come back as literals of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from qubopuzzle.compile import Compiled, Mip
from qubopuzzle.errors import TooLarge
from qubopuzzle.programs.dimod_models import cqm_of
from qubopuzzle.programs.of_model import compile_program
from qubopuzzle.solvers.base import Option, Task
from qubopuzzle.solvers.dwave.sapi import OPTIONS, SapiSolver
from qubopuzzle.solvers.services.call import Terms

if TYPE_CHECKING:
    from qubopuzzle.solvers.dwave.call import Question
    from qubopuzzle.solvers.dwave.hybrid import OnHybrid

_DAY_S = 86_400.0


class LeapCqmSolver(SapiSolver):
    """One call of LeapHybridCQMSampler; it says itself how many samples it returns."""

    name = "leap-cqm"
    target = "model"
    default_encoding = None
    default_reads = 1
    about = "Leap's hybrid sampler for CQMs, with a token in DWAVE_API_TOKEN (docs/quantum.md)"
    options = (
        Option("solver", str, None, "name of a hybrid solver; without, the newest"),
        *OPTIONS,
    )
    parameters = ("label",)
    reserved = {"time_limit": "the time limit of the run"}  # noqa: RUF012, of the class

    @property
    def takes_weights(self) -> bool:
        """Constraints are sent as they are."""
        return False

    def asked(self, task: Task) -> Mip:
        """A program of bits; the task's own variables are literals."""
        return compile_program(task.compiled.source)

    def question(self, task: Task, asked: Compiled) -> OnHybrid:
        """The model as a CQM, its bits by number."""
        from qubopuzzle.solvers.dwave.hybrid import OnHybrid, least_seconds

        options, cqm = task.options, cqm_of(cast("Mip", asked).program)
        cqm.relabel_variables({label: number for number, label in enumerate(cqm.variables)})
        left = task.seconds_left()
        seconds = max(least_seconds(cqm), left if isfinite(left) else 0.0)
        if seconds > _DAY_S:
            raise TooLarge(f"Leap takes models for up to a day, not for {seconds:g} s")
        with cqm.to_file() as file:
            model = file.read()
        return OnHybrid(
            model=model,
            n=len(cqm.variables),
            terms=Terms(self.where(options), seconds, seconds + options["patience"]),
            solver=options["solver"],
            parameters=self.own_parameters(options),
        )

    def rehearse(self, question: Question, options: Mapping[str, Any]) -> tuple[bytes, str]:
        """The CQM in dimod's format, as it would be sent."""
        own = cast("OnHybrid", question)
        cqm = own.cqm
        figures = (
            f"{own.n:,} bits, {len(cqm.constraints):,} constraints, {len(cqm.discrete):,} of them "
            f"discrete, {own.terms.seconds:g} s of Leap's time"
        )
        return own.model, figures


SOLVER = LeapCqmSolver()
