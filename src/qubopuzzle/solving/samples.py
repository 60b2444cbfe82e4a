"""What a solver sampled, as dimod has it: states by the model's labels, each of them judged."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qubopuzzle.answer import Judge, parts
from qubopuzzle.compile import Compiled
from qubopuzzle.compile.mip import Values
from qubopuzzle.model.semantics import violations_of
from qubopuzzle.solvers.base import Outcome

if TYPE_CHECKING:
    from dimod import SampleSet


@dataclass(frozen=True, eq=False)
class Samples:
    """An outcome's samples of a compiled model, and who judges them; ``about`` is for ``info``."""

    judge: Judge
    compiled: Compiled
    outcome: Outcome
    about: Mapping[str, Any]

    @cached_property
    def sampleset(self) -> "SampleSet":
        """Different samples, the best first, with what each costs by family.

        Of each sample ``energy`` (offset included), ``num_occurrences``, ``is_valid`` (what the
        rules, or the model's own meaning, say of the decoded answer) and for each family F of
        constraints ``energy_F`` (int64, as ``Result.energies``; ``_`` for what no name of Python
        holds). Variables have the labels of ``to_bqm`` or ``export``; auxiliary ones, which have
        none, are left out.
        """
        from dimod import SampleSet  # a tenth of a second, for few answers

        states = self.outcome.samples[:, : self.compiled.n_bits]
        energies, times = self.outcome.energies, self.outcome.occurrences
        presolved, n = self.judge.presolved, len(states)
        costs = {family: np.zeros(n, dtype=np.int64) for family in presolved.whole.families}
        for part in parts(n, presolved.whole.n_literals):
            x = presolved.restore(self.judge.bits.decode(self.outcome.samples[part]))
            for family, cost in violations_of(presolved.whole, x).items():
                costs[family][part] = cost
        vectors = {re.sub(r"\W", "_", f"energy_{family}"): cost for family, cost in costs.items()}
        sampleset: SampleSet = SampleSet.from_samples(  # type: ignore[no-untyped-call]
            (states, self.compiled.labels()),
            "INTEGER" if isinstance(self.compiled.bits, Values) else "BINARY",
            energy=energies,
            num_occurrences=np.ones(len(states), dtype=np.int64) if times is None else times,
            info=dict(self.about),
            aggregate_samples=True,
            sort_labels=False,
            is_valid=np.array([self.judge.accepts(each) for each in self.outcome.samples], bool),
            **vectors,
        )
        return sampleset
