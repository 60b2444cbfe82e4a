"""Leap's hybrid sampler for constrained quadratic models (CQMs)."""

import json
from dataclasses import dataclass
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import dimod
import numpy as np

from qubopuzzle.errors import ProtocolError, TooLarge
from qubopuzzle.solvers.dwave.call import Question
from qubopuzzle.solvers.dwave.replies import Reply, of_hybrid, read

_LEAST_S = 5
"""Leap's least time limit; more for large models."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OnHybrid(Question):
    """Samples of a CQM of bits 0 .. n - 1, ``model``, which is dimod's file of it."""

    model: bytes
    n: int

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
        found = self._checked(answer)
        said = {name: answer.info.get(name, 0) for name in ("run_time", "qpu_access_time")}
        found.info.update(
            solver=sampler.solver.name,
            problem_ids=[str(answer.info.get("problem_id", ""))],
            feasible=int(np.sum(found.record.is_feasible)),
            time_limit=limit or least,
            timing=said,
        )
        return json.dumps(found.to_serializable()).encode()  # type: ignore[no-untyped-call]

    def read(self, body: bytes) -> Reply:
        """The reply that ``ask`` has written; ProtocolError if that is none."""
        return read(body, self.n, self.terms.where, of_hybrid)

    @property
    def cqm(self) -> dimod.ConstrainedQuadraticModel:
        """The model itself."""
        return dimod.ConstrainedQuadraticModel.from_file(BytesIO(self.model))

    def _checked(self, answer: Any) -> dimod.SampleSet:
        """The answer over bits; Leap's are numbers. ProtocolError for what is no such answer."""
        record: Any = answer.record
        if not np.isin(record.sample, (0, 1)).all() or not np.isfinite(record.energy).all():
            raise ProtocolError(f"{self.terms.where}: the answer has values that are not 0 or 1")
        found: dimod.SampleSet = dimod.SampleSet.from_samples(  # type: ignore[no-untyped-call]
            (record.sample.astype(np.int8), answer.variables),
            "BINARY",
            energy=record.energy,
            num_occurrences=record.num_occurrences,
            is_feasible=record.is_feasible,
        )
        return found


def least_seconds(cqm: dimod.ConstrainedQuadraticModel) -> float:
    """Leap's least time limit for a model, by D-Wave's formula."""
    from dwave.system import LeapHybridCQMSampler

    leap = SimpleNamespace(properties={"minimum_time_limit_s": _LEAST_S})
    return float(LeapHybridCQMSampler.min_time_limit(leap, cqm))
