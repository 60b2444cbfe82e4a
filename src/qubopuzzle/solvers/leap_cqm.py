"""``leap-cqm``: Leap's hybrid sampler, which takes constraints as they are.

The model goes there as a CQM of bits, a discrete constraint for each choice; the time limit is the
service's, its own least one without. The samples come back as literals of the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import isfinite
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import Compiled, Mip
from qubopuzzle.errors import ProtocolError, TooLarge
from qubopuzzle.programs.dimod_models import cqm_of
from qubopuzzle.programs.of_model import compile_program
from qubopuzzle.solvers.base import Option, Task
from qubopuzzle.solvers.dwave.call import Question, number, read
from qubopuzzle.solvers.dwave.sapi import OPTIONS, SapiSolver
from qubopuzzle.solvers.services.call import Reply, Terms
from qubopuzzle.solvers.services.credentials import quoted

if TYPE_CHECKING:
    import dimod

_DAY_S = 86_400.0
_LEAST_S = 5
"""Leap's least time limit; more for large models."""


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
    reserved = ("time_limit",)

    @property
    def takes_weights(self) -> bool:
        """Constraints are sent as they are."""
        return False

    def asked(self, task: Task) -> Mip:
        """A program of bits; the task's own variables are literals."""
        return compile_program(task.compiled.source)

    def question(self, task: Task, asked: Compiled) -> OnHybrid:
        """The model as a CQM, its bits by number."""
        options, cqm = task.options, cqm_of(cast("Mip", asked).program)
        cqm.relabel_variables({label: number for number, label in enumerate(cqm.variables)})
        left = task.seconds_left()
        seconds = max(_least_seconds(cqm), left if isfinite(left) else 0.0)
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

    def rehearse(
        self, question: OnHybrid, options: Mapping[str, Any]
    ) -> tuple[bytes, dict[str, Any]]:
        """The CQM in dimod's format, as it would be sent."""
        cqm = question.cqm
        figures = (
            f"{question.n:,} bits, {len(cqm.constraints):,} constraints, {len(cqm.discrete):,} of "
            f"them discrete, {question.terms.seconds:g} s of Leap's time"
        )
        return question.model, {"request": figures}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OnHybrid(Question):
    """Samples of a CQM of bits 0 .. n - 1, ``model``, which is dimod's file of it."""

    model: bytes
    n: int

    @property
    def cqm(self) -> dimod.ConstrainedQuadraticModel:
        """The model itself."""
        from dimod import ConstrainedQuadraticModel

        return ConstrainedQuadraticModel.from_file(BytesIO(self.model))

    def ask(self, url: str, token: str) -> bytes:
        """What D-Wave's client makes of Leap's samples, as JSON of dimod's sample set."""
        from dwave.system import LeapHybridCQMSampler

        sampler, cqm = LeapHybridCQMSampler(**self.client_settings(url, token)), self.cqm
        self.check_parameters(sampler)
        sizes = {
            "variables": len(cqm.variables),
            "constraints": len(cqm.constraints),
            "biases": cqm.num_biases(),
        }
        for what, count in sizes.items():
            most = sampler.properties[f"maximum_number_of_{what}"]
            if count > most:
                size = f"{sampler.solver.name} takes {most:,} {what}, the model has {count:,}"
                raise TooLarge(f"{self.terms.where}: {size}; try another formulation or --presolve")
        asked, least = self.terms.seconds or 0, sampler.min_time_limit(cqm)
        limit = asked if asked > least else None
        answer = sampler.sample_cqm(cqm, time_limit=limit, **self.parameters)
        answer.resolve()
        sample_set = self._of_bits(answer)
        sample_set.info.update(
            solver=sampler.solver.name,
            problem_ids=[str(answer.info.get("problem_id", ""))],
            feasible=int(np.sum(sample_set.record.is_feasible)),
            time_limit=limit or least,
            timing={name: answer.info.get(name, 0) for name in ("run_time", "qpu_access_time")},
        )
        return json.dumps(sample_set.to_serializable()).encode()  # type: ignore[no-untyped-call]

    def read(self, body: bytes) -> Reply:
        """The reply that ``ask`` has written; ProtocolError if that is none."""
        return read(body, self.n, self.terms.where, _reply)

    def _of_bits(self, answer: Any) -> dimod.SampleSet:
        """The answer over bits; Leap's are numbers. ProtocolError for what is no such answer."""
        from dimod import SampleSet

        record: Any = answer.record
        if not np.isin(record.sample, (0, 1)).all() or not np.isfinite(record.energy).all():
            raise ProtocolError(f"{self.terms.where}: the answer has values that are not 0 or 1")
        sample_set: dimod.SampleSet = SampleSet.from_samples(  # type: ignore[no-untyped-call]
            (record.sample.astype(np.int8), answer.variables),
            "BINARY",
            energy=record.energy,
            num_occurrences=record.num_occurrences,
            is_feasible=record.is_feasible,
        )
        return sample_set


def _reply(samples: NDArray[np.int8], occurrences: Sequence[int], info: Mapping[str, Any]) -> Reply:
    """``execution`` is the service's own time, in which it may ask QPUs."""
    settings = {
        "hybrid_solver": quoted(info["solver"]),
        "problem_ids": [quoted(each) for each in info["problem_ids"]],
        "feasible_samples": int(number(info["feasible"])),
        "time_limit_s": number(info["time_limit"]),
    }
    names = {"execution": "run_time", "qpu_access": "qpu_access_time"}
    seconds = {part: number(info["timing"].get(name, 0)) / 1e6 for part, name in names.items()}
    return Reply(samples, occurrences, 1, seconds, settings)


def _least_seconds(cqm: dimod.ConstrainedQuadraticModel) -> float:
    """Leap's least time limit for a model, by D-Wave's formula."""
    from dwave.system import LeapHybridCQMSampler

    leap = SimpleNamespace(properties={"minimum_time_limit_s": _LEAST_S})
    return float(LeapHybridCQMSampler.min_time_limit(leap, cqm))


SOLVER = LeapCqmSolver()
