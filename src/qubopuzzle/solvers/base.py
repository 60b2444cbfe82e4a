"""What every solver is: a name, a target, typed options, and one method.

A solver is one file in this folder that defines ``SOLVER``, or an object that another
package registers in the entry-point group ``qubopuzzle.solvers``.
"""

import ast
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import inf, isfinite, nan
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.answer import Judge
from qubopuzzle.base.checks import bounds, brief
from qubopuzzle.base.incumbents import Incumbent
from qubopuzzle.base.recorder import Track
from qubopuzzle.base.signals import Interrupted, came
from qubopuzzle.compile import UNWEIGHTED_TARGETS, Compiled
from qubopuzzle.errors import (
    InputError,
    QubopuzzleError,
    SolverFailed,
    TooLarge,
    did_you_mean,
    first_line,
)
from qubopuzzle.model import IntArray, Model

ANSWER_FILES = ("dry_run", "record", "replay")
"""Options of services that name a file for one request, or its answer."""
OF_THE_RUN = {"num_reads": "reads", "reads": "reads", "seed": "seed", "time_limit": "time_limit"}
"""What users give as options though settings of the run say it, by dimod's names and ours."""


@dataclass(frozen=True, slots=True)
class Option:
    """A typed option of a solver; a number lies in ``minimum .. maximum``.

    ``type`` is int, float or str. ``default`` None means "left to the solver". A text is one of
    ``choices``, which says what each means, if there are any.
    """

    name: str
    type: type[int] | type[float] | type[str]
    default: int | float | str | None
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_switch(self) -> bool:
        """Whether it is 0 or 1, for off and on; then False and True are taken, too."""
        return self.type is int and (self.minimum, self.maximum) == (0, 1)

    def parse(self, value: Any) -> int | float | str:
        """Check a value, or read it from text; InputError with the option's name if it is off."""
        if self.type is str:
            if self.choices and value not in self.choices:
                known = " or ".join(self.choices)
                raise InputError(f"option {self.name}: expected {known}, got {str(value)[:40]!r}")
            return str(value)
        try:
            number = float(value)
            parsed = self.type(number)
        except (TypeError, ValueError, OverflowError):
            number = parsed = nan
        low, high = self.minimum, self.maximum
        within = (low is None or number >= low) and (high is None or number <= high)
        if (
            (isinstance(value, bool) and not self.is_switch)
            or not isfinite(number)
            or parsed != number
            or not within
        ):
            kind = "a whole number" if self.type is int else "a number"
            expected = kind + bounds(low, high)
            raise InputError(f"option {self.name}: expected {expected}, got {brief(value)}")
        return parsed


class Options(dict[str, Any]):
    """Options of a solver by name, which say so where it asks for one that it does not declare."""

    def __init__(self, solver: str, options: Mapping[str, Any]) -> None:
        super().__init__(options)
        self._solver = solver

    def __missing__(self, name: str) -> Any:
        hint = did_you_mean(name, self, f"it has: {', '.join(self) or 'none'}")
        raise SolverFailed(f"solver {self._solver} declares no option {name!r}; {hint}")


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a solver can run here, why not, and the version of its package."""

    ok: bool
    why: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a solver may go on.

    ``reads`` independent attempts, or ``time_limit`` seconds (wall clock), whichever ends
    first; None is no bound. ``seed`` drives everything random. Exact solvers stop after
    ``solutions`` different answers, by ``Task.key``.
    """

    reads: int | None
    time_limit: float | None
    seed: int
    solutions: int = 1


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a solver is: reads done (with a fraction inside one), the best energy so far."""

    reads: float
    energy: float


ProgressCallback = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What a solver is to solve, and how.

    Attributes:
        compiled: the model, compiled to the solver's target.
        budget: how long the solver may go on.
        options: its own, as ``parse_options`` returns them.
        judge: what ``accepts`` and ``key`` ask; without one a solver goes by energies alone.
        progress: called now and then, if there is one.
        alternatives: the same problem in other formulations, made when they are called; a solver
            with ``tries_alternatives`` may prefer one, see ``Outcome.alternative``.
        starts: samples, shape (starts, variables), that the first reads may begin at.
        track: keeps states on the way, if somebody wants them.
        interleaved: whether the solver is to probe the model in turns with searching.
        probing: what probed in turns with an earlier search of the same model, which this one has
            more cuts of, see ``Outcome.probing``.
        until_proof: whether a proof that there is no solution ends the search.
        started: when the time limit began to run, by ``time.perf_counter``.
    """

    compiled: Compiled
    budget: Budget
    options: Mapping[str, Any]
    judge: Judge | None = None
    progress: ProgressCallback | None = None
    alternatives: Sequence[Callable[[], "Task"]] = ()
    starts: IntArray | None = None
    track: Track | None = None
    interleaved: bool = False
    probing: Any = None
    until_proof: bool = True
    started: float = field(default_factory=time.perf_counter)

    def seconds_left(self) -> float:
        """Seconds until the time limit; infinite without one."""
        if self.budget.time_limit is None:
            return inf
        return self.started + self.budget.time_limit - time.perf_counter()

    def report(self, reads: float, energy: float) -> None:
        """Tell whoever watches how far the solver is, see ``Progress``."""
        if self.progress is not None:
            self.progress(Progress(reads, energy))

    def accepts(self, sample: NDArray[np.int8]) -> bool:
        """Whether a sample, shape (variables,), decodes to a valid answer, and a read may stop.

        Not only at energy 0: swapped runs of equal length, say, break a constraint but no rule.
        """
        return self.judge is not None and self.judge.accepts(sample)

    def key(self, sample: NDArray[np.int8]) -> bytes:
        """The same for samples that decode to the same answer."""
        return sample.tobytes() if self.judge is None else self.judge.key(sample)

    def is_answer(self, sample: NDArray[np.int8]) -> bool:
        """Whether a sample that meets the model is an answer; the model may leave rules out."""
        return not self.compiled.omitted or self.accepts(sample)


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """A proof that ``formula`` (DIMACS CNF) has no model: lines of DRAT, which is text, too."""

    formula: str
    drat: str


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The raw result of a solver, before decoding and judging.

    Attributes:
        samples: assignments, shape (samples, variables), best first: by energy, or what they break
            and then by objective.
        energies: shape (samples,), offset included, recomputed from the model.
        occurrences: how often each was found, shape (samples,); None for once.
        reads: attempts made.
        infeasible: proved that no assignment of the payload meets all its constraints.
        complete: proved that the samples are all answers.
        bound: what no assignment's objective, which is minimised, can be below; proved.
        optimal: proved that the best sample has the least objective.
        incumbents: the feasible answers that were better than all before them, where the solver
            sees them on the way: by ``time.perf_counter``, of an objective that is minimised.
        proof: of what was proved, if the solver was asked for it.
        interrupted: stopped by Ctrl-C; the samples are what there was.
        alternative: what the samples are of: 0 is the task's model, 1 the first alternative's.
        settings: what ran where that differs from the options asked for.
        service_s: seconds of solving by part, where a service did it.
        course: the lowest energies on the way, falling, where the solver tells them.
        row_weight: of a solver whose weights learn, those that the model's rows had at the end of
            the read that the best sample is from, shape (rows,).
        probing: of a solver that probed in turns, its ``annealing.probing.Probing`` of the model
            that the samples are of; with a contradiction it is ``infeasible``.
    """

    samples: NDArray[np.int8]
    energies: NDArray[np.float64]
    reads: int
    occurrences: IntArray | None = None
    infeasible: bool = False
    interrupted: bool = False
    alternative: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    complete: bool = False
    bound: float | None = None
    optimal: bool = False
    incumbents: Sequence[Incumbent] = ()
    proof: Proof | None = None
    service_s: Mapping[str, float] = field(default_factory=dict)
    course: tuple[float, ...] = ()
    row_weight: NDArray[np.float32] | None = None
    probing: Any = None


class Solver(ABC):
    """The thin adapter around a backend. It knows targets, never puzzles."""

    name: str
    target: ClassVar[str] = "qubo"
    exact: bool = False
    remote: ClassVar[bool] = False
    """Whether models leave this machine."""
    supports_cuts: ClassVar[bool] = False
    """Whether it meets connectivity and cycles by cuts; others need them spelt out."""
    tries_alternatives: ClassVar[bool] = False
    """Whether it takes the same problem in several formulations."""
    default_encoding: str | None = "one-hot"
    default_presolve: ClassVar[str] = "none"
    """``propagate`` or ``probe`` where finding what follows before pays."""
    goes_on_after_cuts: ClassVar[bool] = False
    """Whether rounds of cuts cost it little, as each begins where the last one ended."""
    weighs: ClassVar[bool] = False
    """Whether it chooses penalty weights itself, so that those of a QUBO may be of any size."""
    interleaves: ClassVar[bool] = False
    """Whether it can probe in turns with searching, see ``Task.interleaved``."""
    default_reads: int = 10
    options: Sequence[Option] = ()
    package: str = "qubopuzzle"
    extra: str = ""
    """The extra of ours that installs the package, if it is optional."""
    about: str = ""

    def formulation_of(self, problem: Any) -> str:
        """The formulation of a problem that it takes if none is named."""
        by_cuts = self.supports_cuts or (self.goes_on_after_cuts and problem.anneals_by_cuts)
        return str(problem.formulation_for(cuts=by_cuts))

    @property
    def takes_encoding(self) -> bool:
        """Whether one can choose how choices become bits."""
        return self.default_encoding is not None

    @property
    def takes_weights(self) -> bool:
        """Whether constraints are penalties that have weights."""
        return not self.weighs and self.target not in UNWEIGHTED_TARGETS

    def available(self) -> Availability:
        """Whether it can run here; never raises."""
        installed = installed_version(self.package)
        needed = f"'qubopuzzle[{self.extra}]'" if self.extra else self.package
        return Availability(
            bool(installed), "" if installed else f"pip install {needed}", installed
        )

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options and fill in defaults.

        Raises:
            InputError: for an unknown option (naming those that there are) or a bad value.
        """
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                if name in OF_THE_RUN:
                    raise InputError(f"solver {self.name}: {of_the_run(name, options[name])}")
                hint = did_you_mean(name, known, f"it has: {', '.join(known) or 'none'}")
                raise InputError(f"solver {self.name} has no option {name!r}; {hint}")
        parsed = {
            name: option.default if options.get(name) is None else option.parse(options[name])
            for name, option in known.items()
        }
        return Options(self.name, parsed)

    def takes_turns(self, budget: Budget, options: Mapping[str, Any]) -> bool:
        """Whether a part of its budget may be for a first attempt at another model.

        Not where all solutions are asked for, nor of one read, nor where a file holds an answer.
        """
        of_one = any(options.get(name) for name in ANSWER_FILES)
        parts = self.exact or budget.reads is None or budget.reads > 1
        return parts and budget.solutions == 1 and not of_one

    def target_for(self, options: Mapping[str, Any]) -> str:
        """The target that models are compiled to for these options."""
        return self.target

    def check_size(self, task: Task) -> None:  # noqa: B027
        """Hold a compiled model against limits that are known beforehand.

        Raises:
            PlanExceeded: for too many variables.
            InputError: for a budget or options beyond the limits.
        """

    def may_overrun(self, task: Task) -> bool:
        """Whether it may go on for more than a second after the time limit; users are warned."""
        return False

    def versions(self) -> dict[str, str]:
        """Versions of the packages behind it, for the record."""
        return {self.package: installed_version(self.package)}

    def prepare(self, model: Model) -> None:  # noqa: B027
        """Import and compile what solving a model needs; not part of solving time."""

    @abstractmethod
    def solve(self, task: Task) -> Outcome:
        """Run on a compiled model.

        Raises:
            TooLarge: if the solver refuses a model of this size.
            SolverUnavailable: if its package is missing.
        """


@cache
def installed_version(package: str) -> str:
    """The installed version, or nothing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


_TOO_BIG = ("array is too big", "Maximum allowed dimension exceeded")
"""Beginnings of numpy's messages where the number of bytes is beyond 64 bits."""


@contextmanager
def backend_errors(name: str, n_variables: int) -> Iterator[None]:
    """Whatever a solver's backend raises becomes an error of ours, in one line.

    Raises:
        TooLarge: if it does not get the memory that it asks for.
        SolverFailed: for its own errors.
        KeyboardInterrupt: for those that a signal brought about.
    """
    try:
        yield
    except QubopuzzleError:
        raise
    except Exception as error:
        if came():  # a library may make an error of an interruption
            raise Interrupted from error
        if isinstance(error, MemoryError) or str(error).startswith(_TOO_BIG):
            raise TooLarge(
                f"solver {name} needs more memory than there is for {n_variables:,} variables; "
                "try another one (the annealer and sat need little)"
            ) from error
        raise SolverFailed(f"{name}: {first_line(error)}") from error


def of_the_run(name: str, value: Any) -> str:
    """What to write in place of an option that is one of ``OF_THE_RUN``.

    >>> of_the_run("num_reads", 10)
    "write reads=10, not options={'num_reads': 10}"
    """
    value = literal(value)
    return f"write {OF_THE_RUN[name]}={brief(value)}, not options={{{name!r}: {brief(value)}}}"


def literal(value: Any) -> Any:
    """The Python literal that a text is, such as 3 or True; anything else as it is."""
    try:
        return ast.literal_eval(value) if isinstance(value, str) else value
    except (ValueError, SyntaxError):
        return value
