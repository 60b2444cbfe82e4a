"""``clingo``: answer set programming by clingo of Potassco."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from qubopuzzle.errors import OutOfTime
from qubopuzzle.model import Model
from qubopuzzle.solvers.base import Option, Task
from qubopuzzle.solvers.complete import CompleteSolver, Sample, Search

_SEEDS = 1 << 31
_POLL_S = 0.1
"""Python listens for Ctrl-C so often, and the clock is looked at."""
_SETTINGS = {
    "handy": "for large problems",
    "tweety": "for typical logic programs, clingo's own default",
    "frumpy": "like early versions",
    "jumpy": "aggressive, with many restarts",
    "crafty": "for crafted problems",
    "trendy": "for industrial problems",
}


class _ClingoSearch(Search):
    """A program that grows; clingo keeps what it has learnt."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        from clingo import Control

        seed = task.budget.seed % _SEEDS
        words = [f"--seed={seed}", f"--configuration={task.options['configuration']}"]
        self._control = Control([*words, "--models=0"], logger=lambda *_: None)
        payload = self.payload
        with self._control.backend() as program:
            for _ in range(payload.n_atoms):
                program.add_atom()
            program.add_rule([*range(1, payload.n_variables + 1)], choice=True)
            for head, body in payload.rules:
                program.add_rule(head, body)
            for bound, terms in payload.sums:
                program.add_weight_rule([], bound, terms)
            if payload.cost is not None:
                literals, weights = payload.cost.literals.tolist(), payload.cost.weights.tolist()
                program.add_minimize(0, list(zip(literals, weights, strict=True)))

    def next_solution(self) -> Sample | None:
        if self.task.seconds_left() <= 0:
            raise OutOfTime
        settings: Any = self._control.configuration.solve
        settings.opt_mode = "ignore" if self.cost is None else "opt"
        with self._control.solve(self.assumed, yield_=True, async_=True) as handle:
            sample: Sample | None = None
            for sample in self._models(handle):
                if self.cost is None:
                    return sample
                self.passed = [sample]
                self.note(self.worth(sample))
        if sample is not None:
            self.is_best(sample)
        return sample

    def _models(self, handle: Any) -> Iterator[Sample]:
        """The models of one search, each better than the last."""
        while True:
            handle.resume()
            while not handle.wait(min(_POLL_S, max(self.task.seconds_left(), 0))):
                if self.task.seconds_left() <= 0:
                    raise OutOfTime
            model = handle.model()
            if model is None:
                return
            atoms = range(1, self.payload.bits.n_bits + 1)
            yield np.array([model.is_true(atom) for atom in atoms], dtype=np.int8)

    def add_clause(self, clause: list[int]) -> None:
        with self._control.backend() as program:
            program.add_rule([], [-literal for literal in clause])


class _Clingo(CompleteSolver):
    name = package = extra = "clingo"
    target = "asp"
    search = _ClingoSearch
    about = "answer set programming (clingo): clauses, sums, what is reached; proves"
    options = (
        Option("configuration", str, "handy", "clingo's settings of its search", choices=_SETTINGS),
    )

    def prepare(self, _: Model) -> None:
        """Import clingo."""
        import clingo  # noqa: F401


SOLVER = _Clingo()
