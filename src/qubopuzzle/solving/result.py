"""What solving an instance came to: the judged answer and everything needed to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import Puzzle, Violation
from qubopuzzle.solvers import Proof

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Status = Literal["solved", "unsatisfiable", "unknown"]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """One instance, one solver.

    Attributes:
        status: ``solved`` only if the checker of the rules accepts the answer;
            ``unsatisfiable`` only if that was proved; else ``unknown``.
        answer: the best answer found, valid or not; None if there is none.
        violations: the rules that the answer breaks, by the checker; empty if valid.
        energy: of the sample behind the answer, offset included.
        sizes: numbers of the compiled model, such as variables and couplings.
        timings_s: seconds for load (a puzzle's share of its source), model, presolve, compile,
            prepare (the solver's imports and kernels, once a process), solve and decode.
        reads: attempts that the solver made; ``seed`` is the one that it used.
        relaxed: what the model left out or bounded; empty means exact.
        presolve: what propagation did, in numbers, or None where it was off.
        settings: the solver's options, defaults filled in.
        proved_by: what proved that there is no solution.
        solutions: different answers that the checker accepts, ``answer`` first.
        complete: proved that there are no others.
        proof: of ``complete``, if the solver was asked for it.
        service_s: seconds of solving by part, where a service did it: its queue, its own
            execution time, the network, and our process (see docs/amplify.md).
    """

    puzzle: Puzzle
    solver: str
    formulation: str
    encoding: str | None
    weights: Mapping[str, float]
    status: Status
    answer: IntArray | None
    violations: tuple[Violation, ...]
    energy: float | None
    sizes: Mapping[str, int]
    timings_s: Mapping[str, float]
    seed: int
    reads: int
    relaxed: tuple[str, ...]
    presolve: Mapping[str, Any] | None
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    interrupted: bool = False
    proved_by: str | None = None
    solutions: tuple[IntArray, ...] = ()
    complete: bool = False
    proof: Proof | None = None
    service_s: Mapping[str, float] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        """Whether the checker accepts the answer."""
        return self.status == "solved"

    @property
    def verdict(self) -> str:
        """One word or two for people."""
        if self.status == "solved":
            return f"valid{self._others()}"
        if self.status == "unsatisfiable":
            return f"no solution (proved by {self.proved_by})"
        n = len(self.violations)
        broken = f"{n} rule{'' if n == 1 else 's'} broken" if n else "no answer"
        return f"not solved ({'interrupted, ' if self.interrupted else ''}{broken})"

    @property
    def unique(self) -> bool | None:
        """Whether there is exactly one solution; None where that is not decided."""
        if len(self.solutions) == 1:
            return True if self.complete else None
        return False if self.solutions or self.complete else None

    def differing(self) -> IntArray:
        """The cells (n, axes) where the first two solutions differ; none if there are not two."""
        if len(self.solutions) < 2:
            return np.zeros((0, len(self.puzzle.shape)), dtype=np.int64)
        return np.argwhere(self.solutions[0] != self.solutions[1]).astype(np.int64)

    def _others(self) -> str:
        n = len(self.solutions)
        if self.complete:
            return f", {'unique' if n == 1 else f'{n:,} solutions'} (proved by {self.solver})"
        return "" if n == 1 else f", {n:,} solutions or more"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: plain numbers, texts, lists."""
        answer = None if self.answer is None else self.puzzle.format_answer(self.answer)
        return {
            "id": self.puzzle.id,
            "puzzle": self.puzzle.name,
            "solver": self.solver,
            "formulation": self.formulation,
            "encoding": self.encoding,
            "weights": dict(self.weights),
            "status": self.status,
            "valid": self.valid,
            "violations": [violation.to_dict() for violation in self.violations],
            "solution": answer,
            "energy": self.energy,
            "variables": None,
            "couplings": None,
            **self.sizes,
            "reads": self.reads,
            "seed": self.seed,
            "settings": dict(self.settings),
            "presolve": None if self.presolve is None else dict(self.presolve),
            "relaxed": list(self.relaxed),
            "proved_by": self.proved_by,
            "solutions": [self.puzzle.format_answer(answer) for answer in self.solutions],
            "complete": self.complete,
            "unique": self.unique,
            "interrupted": self.interrupted,
            "service_s": {part: round(s, 6) for part, s in self.service_s.items()},
            "timings_s": {stage: round(s, 6) for stage, s in self.timings_s.items()},
            "versions": dict(self.versions),
        }

    def picture(self) -> Picture:
        """The puzzle with the answer; cells of broken rules are marked."""
        broken = {cell for violation in self.violations for cell in violation.cells}
        return self.puzzle.picture(self.answer, broken)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw with matplotlib; returns the Axes."""
        return self.picture().plot(ax)

    def summary(self) -> str:
        """One line: solver, sizes, energy, seconds by stage, verdict."""
        how = [self.solver, self.formulation, *([self.encoding] if self.encoding else [])]
        sizes = ", ".join(
            f"{n:,} {what[:-1] if n == 1 else what}" for what, n in self.sizes.items()
        )
        stages = self.timings_s.items()
        energy = "none" if self.energy is None else f"{self.energy:g}"
        seconds = " ".join(f"{stage} {s:.3f}{self._parts(stage)}" for stage, s in stages)
        if self.presolve:
            p = self.presolve
            how.append(
                f"after propagation ({p['variables_before']:,} -> {p['variables_after']:,} "
                f"variables, {p['cells_decided']:,} of {p['cells']:,} cells decided)"
                if p["contradiction"] is None
                else "after propagation"
            )
        found = f"energy {energy}, seed {self.seed}"
        return " | ".join([" ".join(how), sizes, found, f"{seconds} s", self.verdict])

    def _parts(self, stage: str) -> str:
        """What a service says of the time for solving."""
        if stage != "solve" or not self.service_s:
            return ""
        return f" ({' '.join(f'{part} {s:.3f}' for part, s in self.service_s.items())})"

    def __bool__(self) -> bool:
        """Whether it is solved: the checker accepts the answer."""
        return self.valid

    def __str__(self) -> str:
        return f"{self.picture().text()}\n{self.summary()}"

    def __repr__(self) -> str:
        return f"<Result {self.puzzle.name} {self.puzzle.id!r} by {self.solver}: {self.verdict}>"

    def _repr_svg_(self) -> str:
        return self.picture().image("svg").decode()


def disagreement(cells: IntArray) -> Violation:
    """The violation for cells that the readings of a field paint differently."""
    where = tuple(tuple(cell) for cell in cells.tolist())
    message = f"the readings of the field disagree on {len(where)} cells"
    return Violation("reconstruction", message, where)
