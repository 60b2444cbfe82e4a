"""What solving a problem brought: the judged answer, and everything needed to repeat it."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from qubopuzzle.answer import Answer, Energies
from qubopuzzle.base import html
from qubopuzzle.base.incumbents import Incumbent
from qubopuzzle.base.recorder import RecordedState, evenly
from qubopuzzle.base.renamed import Renamed
from qubopuzzle.errors import InputError, printable
from qubopuzzle.model import IntArray, Violation
from qubopuzzle.picture import Picture
from qubopuzzle.problem import Problem
from qubopuzzle.solvers.base import Proof
from qubopuzzle.solving.samples import Samples
from qubopuzzle.solving.trace import Trace

if TYPE_CHECKING:
    from dimod import SampleSet
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TOLD_S = 0.05
"""Seconds of imports and kernels that the summary line mentions."""
_COURSE_SHOWN = 4
"""Energies on the way to the answer's that it mentions."""
Status = Literal["optimal", "feasible", "infeasible", "unknown"]
_VALID = ("optimal", "feasible")


@dataclass(frozen=True, slots=True)
class Attempt:
    """What was tried first: a formulation that asks for more than the problem does.

    Attributes:
        formulation: its name.
        asks: what it asks for, for people: "every cell is used".
        status: as of a ``Result``; ``infeasible`` says nothing of the problem itself.
        seconds: that it took to search.
    """

    formulation: str
    asks: str
    status: Status = "unknown"
    seconds: float = 0.0

    def __str__(self) -> str:
        if self.status in _VALID:
            return f"found by first trying that {self.asks}"
        proved = self.status == "infeasible"
        came = "there is no such solution" if proved else f"none found in {self.seconds:.1f} s"
        return f"first tried that {self.asks}: {came}"


@dataclass(frozen=True, eq=False)
class Result(Renamed):
    """One instance, one solver.

    Attributes:
        problem: the puzzle or model.
        status: as OR-Tools has it. ``optimal``: the judge accepts the answer, and that there is no
            better one is proved, or there is no objective. ``feasible``: it accepts the answer.
            ``infeasible``: it is proved that there is no solution. ``unknown``: none of these.
        answers: different valid ones, the best first, or the best that is not; empty if there is
            none.
        sizes: numbers of the compiled model, such as variables and couplings.
        timings_s: seconds for load (its share of the source), model, presolve, compile, prepare
            (the solver's imports and kernels, once a process), solve and decode.
        reads: attempts that the solver made; ``seed`` is the one that it used.
        relaxed: what the model left out or restricted; empty means exact.
        presolve: what presolving did, in numbers, or None where it was off.
        settings: the solver's options, defaults filled in.
        proved_by: what proved that there is no solution, and after ``clues:`` why none can be.
        complete: proved that there are no other solutions.
        wanted: how many different answers were asked for.
        interrupted: Ctrl-C cut the search short; ``answers`` has the best so far.
        bound: what no solution's objective can be better than, as far as it was proved.
        incumbents: feasible answers that were better than all before them, by seconds from the
            beginning (of building), where the solver sees them on the way; last, at the end, the
            answer that was returned. Empty where nothing was searched.
        proof: of ``complete``, if the solver was asked for it.
        sampled: what ``samples`` are made of.
        states: what ``trace`` is made of.
        attempt: what was tried first, if anything was: see ``Problem.likely_formulation``.
        service_s: seconds of solving by part, where a service did it: its queue, its own
            execution time, the network, and our process (see docs/amplify.md).
        course: the lowest energies on the way, falling, where the solver tells them.
    """

    problem: Problem
    solver: str
    formulation: str
    encoding: str | None
    weights: Mapping[str, float]
    status: Status
    sizes: Mapping[str, int]
    timings_s: Mapping[str, float]
    seed: int
    relaxed: tuple[str, ...]
    presolve: Mapping[str, Any] | None
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    answers: tuple[Answer, ...] = ()
    reads: int = 0
    wanted: int = 1
    interrupted: bool = False
    proved_by: str | None = None
    complete: bool = False
    bound: float | None = None
    incumbents: tuple[Incumbent, ...] = ()
    proof: Proof | None = None
    sampled: Samples | None = None
    states: tuple[RecordedState, ...] = ()
    service_s: Mapping[str, float] = field(default_factory=dict)
    attempt: Attempt | None = None
    course: tuple[float, ...] = ()

    @property
    def best(self) -> Answer | None:
        """The best answer with all that is known of it; None if there is none."""
        return self.answers[0] if self.answers else None

    @property
    def grid(self) -> IntArray | None:
        """The grid of the best answer, valid or not; None if there is none."""
        return self.best.grid if self.best else None

    @property
    def values(self) -> Mapping[str, Hashable]:
        """The value of each variable or choice by name; None where it has not exactly one."""
        return self.best.values if self.best else {}

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What is wrong with the answer: broken rules of a puzzle, constraints of a model."""
        return self.best.violations if self.best else ()

    @property
    def energy(self) -> float | None:
        """Of the sample behind the answer, offset included."""
        return self.best.energy if self.best else None

    @property
    def objective(self) -> float | None:
        """What the answer is worth; None without a valid one, and without an objective.

        ``result.best.invalid_objective`` is that of an answer that is not valid.
        """
        return self.best.objective if self.best else None

    @property
    def energies(self) -> Energies:
        """What the answer's broken constraints cost by family, at weights of 1.

        ``energies.constraints`` are those that are broken: family, label, energy.
        """
        return self.best.energies if self.best else Energies((), ())

    @property
    def samples(self) -> "SampleSet | None":
        """The best samples that the solver found, each with its energies and judged.

        At most 1,000, of large models as many as 64 MB hold; None where nothing was sampled. Its
        columns are ``energy``, ``is_valid`` and for each family F ``energy_F``; its variables are
        those that the solver searched: of the annealer's those of ``form("model", ...)``, with the
        presolve of the result. The first use judges them all.
        """
        return None if self.sampled is None else self.sampled.sampleset

    @cached_property
    def trace(self) -> Trace | None:
        """States on the way; None unless they were asked for, and the solver passed through some.

        The first use decodes them.
        """
        if not self.states:
            return None
        about = {
            **{name: getattr(self, name) for name in ("solver", "seed", "formulation", "encoding")},
            "presolve": self.presolve["method"] if self.presolve else "none",
            "incumbents": [each.to_dict() for each in self.incumbents],
        }
        return Trace.of(self.problem, self.states, about)

    @property
    def solutions(self) -> tuple[Any, ...]:
        """Different valid answers: grids, or values for models that paint none."""
        return tuple(each.solution for each in self.answers) if self.valid else ()

    @property
    def valid(self) -> bool:
        """Whether the checker accepts the answer."""
        return self.status in _VALID

    @property
    def verdict(self) -> str:
        """One word or two for people."""
        n = len(self.solutions)
        if self.valid:
            others = "" if n == 1 else f", {n:,} solutions or more"
            if n == 1 < self.wanted:
                others = ", others not excluded"
            if self.complete:
                how_many = "unique" if n == 1 else f"{n:,} solutions"
                others = f", {how_many} (proved by {self.solver})"
            return f"valid{others}{self._quality()}"
        if self.status == "infeasible":
            why = self.problem.contradiction
            because = f", because {why}" if why else f" (proved by {self.proved_by})"
            return f"no solution{because}"
        n = len(self.violations)
        broken = f"{n} {self.problem.rule_word}{'' if n == 1 else 's'} broken" if n else "no answer"
        return f"not solved ({'interrupted, ' if self.interrupted else ''}{broken})"

    def _quality(self) -> str:
        """How good a valid answer is, and is known to be."""
        if self.objective is None:
            return ""
        optimal = self.status == "optimal"
        known = "" if self.bound is None else f" (bound {self.bound:.12g})"
        known = f" (optimal, proved by {self.proved_by or self.solver})" if optimal else known
        cut = ", interrupted" if self.interrupted and not optimal else ""
        return f", objective {self.objective:.12g}{known}{cut}"

    @property
    def unique(self) -> bool | None:
        """Whether there is exactly one solution; None where that is not decided."""
        if len(self.solutions) == 1:
            return True if self.complete else None
        return False if self.solutions or self.complete else None

    def differing(self) -> IntArray:
        """The cells (n, axes) where the first two solutions differ; none if there are not two."""
        grids = [each.grid for each in self.answers[:2] if each.grid is not None]
        if not self.valid or len(grids) < 2:
            return np.zeros((0, 2), dtype=np.int64)
        return np.argwhere(grids[0] != grids[1]).astype(np.int64)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: plain numbers, texts, lists."""
        return {
            "id": self.problem.id,
            "puzzle": self.problem.name,
            "solver": self.solver,
            "formulation": self.formulation,
            "encoding": self.encoding,
            "weights": dict(self.weights),
            "status": self.status,
            "valid": self.valid,
            "violations": [violation.to_dict() for violation in self.violations],
            "solution": None if self.best is None else self.best.format(),
            "values": dict(self.values) if self.problem.names_values else None,
            "objective": self.objective,
            "invalid_objective": self.best.invalid_objective if self.best else None,
            "bound": self.bound,
            "optimal": self.status == "optimal",
            "incumbents": [each.to_dict() for each in self.incumbents],
            "energy": self.energy,
            "energies": dict(self.energies),
            "broken": [asdict(constraint) for constraint in self.energies.constraints],
            "variables": None,
            "couplings": None,
            **self.sizes,
            "reads": self.reads,
            "seed": self.seed,
            "settings": dict(self.settings),
            "presolve": None if self.presolve is None else dict(self.presolve),
            "relaxed": list(self.relaxed),
            "attempt": None if self.attempt is None else asdict(self.attempt),
            "proved_by": self.proved_by,
            "solutions": [each.format() for each in self.answers] if self.valid else [],
            "complete": self.complete,
            "unique": self.unique,
            "interrupted": self.interrupted,
            "service_s": {part: round(s, 6) for part, s in self.service_s.items()},
            "timings_s": {stage: round(s, 6) for stage, s in self.timings_s.items()},
            "versions": dict(self.versions),
        }

    def picture(self) -> Picture | None:
        """The puzzle with the answer; cells of broken rules are marked. None for a model."""
        return self.best.picture() if self.best else self.problem.picture()

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw with matplotlib; returns the Axes. InputError for a model, which has no picture."""
        picture = self.picture()
        if picture is None:
            raise InputError("a model has no picture; its values are in result.values")
        return picture.plot(ax)

    def plot_trace(self, figure: "Figure | None" = None) -> "list[Axes]":
        """Draw energies and weights over the sweeps, see ``Trace.plot``; InputError without one."""
        if self.trace is None:
            raise InputError(
                "there is no trace; solve(..., trace=True) keeps one, unless presolving or "
                "compilation decides everything, so that nothing is searched"
            )
        return self.trace.plot(figure)

    def text(self) -> str:
        """The picture as text; the values of a model."""
        picture = self.picture()
        if picture is not None:
            return picture.text()
        return self.best.text() if self.best else ""

    def summary(self, *, verbose: bool = False) -> str:
        """One line: verdict, energy, seconds, how it was solved, sizes and seed.

        Before the energy stand higher ones, by which the solver came down to it. The seconds are
        those of all stages but reading the file, and imports and kernels, which come once a
        process; with ``verbose`` they are listed by stage.
        """
        how = [self.solver, self.formulation, *([self.encoding] if self.encoding else [])]
        sizes = ", ".join(
            f"{n:,} {what[:-1] if n == 1 else what}" for what, n in self.sizes.items()
        )
        if self.presolve:
            p = self.presolve
            how.append("after probing" if p["probes"] else "after propagation")
            if p["contradiction"] is None:
                left = "" if self.sizes["variables"] else ": nothing was left to solve"
                how.append(
                    f"({p['variables_before']:,} -> {p['variables_after']:,} variables, "
                    f"{p['cells_decided']:,} of {p['cells']:,} cells decided{left})"
                )
        first = [str(self.attempt)] if self.attempt else []
        parts = [self.verdict, self._descent(), self._seconds(verbose), " ".join(how), sizes]
        return printable(" | ".join([*parts, f"seed {self.seed}", *first]))

    def _descent(self) -> str:
        """The energy, behind some that were higher, and what it is the sum of."""
        if self.energy is None:
            return "energy none"
        higher = [energy_before for energy_before in self.course if energy_before > self.energy]
        shown = [higher[i] for i in evenly(len(higher), _COURSE_SHOWN)]
        energy = " -> ".join(f"{energy_before:g}" for energy_before in (*shown, self.energy))
        return f"energy {energy}{self._energy_parts(self.energy) if self.energy else ''}"

    def _energy_parts(self, energy: float) -> str:
        """What the answer's broken constraints cost; said to be that where it is not all."""
        total = sum(self.energies.values())
        if not total:
            return ""
        parts = ", ".join(f"{family} {cost}" for family, cost in self.energies.items() if cost)
        if total == energy:
            return f" ({parts})"
        what = f"the answer's broken constraints cost {total} at weights of 1"
        return f" of the sample; {what}: {parts}"

    def _seconds(self, verbose: bool) -> str:
        if not verbose:
            parts = {**self.timings_s}
            before = parts.pop("prepare", 0.0)
            parts.pop("load", 0.0)
            prepared = f" after {before:.1f} s of imports and kernels" if before >= _TOLD_S else ""
            return f"{sum(parts.values()):.3f} s{prepared}"
        seconds = {stage: f"{stage} {s:.3f}" for stage, s in self.timings_s.items()}
        if self.service_s:  # what a service says of the time for solving
            parts_s = " ".join(f"{part} {s:.3f}" for part, s in self.service_s.items())
            seconds["solve"] += f" ({parts_s})"
        return f"{' '.join(seconds.values())} s"

    def __bool__(self) -> bool:
        """Whether it is solved: the checker accepts the answer."""
        return self.valid

    def __str__(self) -> str:
        return "\n".join(filter(None, [self.text(), self.summary()]))

    def __repr__(self) -> str:
        return f"<Result {self.problem.name} {self.problem.id!r} by {self.solver}: {self.verdict}>"

    def _repr_html_(self) -> str:
        verdict, *rest = self.summary().split(" | ")
        summary = html.paragraph(f" | {' | '.join(rest)}", verdict)
        if self.best:
            return self.best.drawing() + summary + self.best.faults()
        picture = self.picture()
        return (html.inline(picture.image("svg")) if picture else "") + summary
