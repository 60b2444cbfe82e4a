"""``Settings``: how a problem is solved or compiled, and how it becomes a model by that."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from typing import Any, Self, TypedDict

from qubopuzzle.base.checks import brief, check_names, positive, whole
from qubopuzzle.compile import ENCODINGS, Compiled, compile_model
from qubopuzzle.errors import (
    InputError,
    QubopuzzleError,
    SolverUnavailable,
    Unsatisfiable,
    did_you_mean,
)
from qubopuzzle.model import Model, Propagation, probe, propagate
from qubopuzzle.model.propagation import prepare
from qubopuzzle.problem import Problem
from qubopuzzle.solvers import all_solvers, get_solver
from qubopuzzle.solvers.base import Budget, Solver

DEFAULT_SOLVER = "annealer"
DEFAULT_EXACT_SOLVER = "sat"
SOLUTION_LIMIT = 100_000
"""Most solutions of one problem that are kept: they all stay in memory."""
MOST_SEED = 2**63 - 1
INTERLEAVE = "interleave"
PRESOLVES: Mapping[str, Callable[[Model], Propagation]] = {
    "none": Propagation.none,
    "propagate": propagate,
    "probe": probe,
    INTERLEAVE: propagate,
}


class ModelFields(TypedDict, total=False):
    """Fields of ``Settings`` that say how a problem becomes a model, as keywords."""

    formulation: str | None
    encoding: str | None
    presolve: str | None
    weights: Mapping[str, float] | None


class Fields(ModelFields, total=False):
    """All fields of ``Settings`` as keywords."""

    solver: Any
    reads: int | None
    seed: int | None
    time_limit: float | None
    options: Mapping[str, Any] | None
    solutions: int | None


@dataclass(frozen=True)
class Settings:
    """How a problem is solved or compiled; None is what problem and solver usually do.

    >>> chosen = Settings("sat", presolve="probe", seed=1)
    >>> print(chosen)
    qubopuzzle solve PUZZLE --solver sat --presolve probe --seed 1
    >>> Settings.from_dict(chosen.to_dict()) == chosen
    True

    Attributes:
        solver: a name that ``qubopuzzle solvers`` lists, ``dimod:module:Class``,
            ``dwave:module:Class``, a dimod sampler (models are embedded on the graph of one that
            has its own), or a client of the Amplify SDK.
        formulation: one of the problem's, such as ``blocks:rows=3``; without, its default
            for this solver.
        encoding: ``one-hot`` or ``domain-wall``, for targets of bits; without, the solver's
            default, and one-hot where a model is made for other tools.
        presolve: ``none`` (the formulation is solved as it is), ``propagate``, ``probe``, which
            takes up to a second or two and finds more, or ``interleave``, which probes for some
            milliseconds and then in turns with searching, pairs of values, too; only the annealer
            can, and a model for other tools is that of ``propagate``. The solver's default without:
            ``interleave`` for the annealer, ``probe`` for localmip, ``none`` for the others, and
            for other tools.
        weights: penalty weight by family, such as ``{"field": 2}``; 1 where not given.
        reads: attempts; without it as many as fit into ``time_limit``, or the solver's
            ``default_reads``: 127 of the annealer, 10 or 1 of others.
        seed: for everything random; drawn and recorded without.
        time_limit: seconds (wall clock) from the compiled model to the judged answer; building
            is not counted. Kept to within a second, else a ``TimeLimitWarning`` says before the
            search that it may not be, see docs/reliability.md.
        options: the solver's own, see ``qubopuzzle solvers``.
        solutions: how many different answers to look for, None for all, up to
            ``SOLUTION_LIMIT``; more than 1 only with exact solvers, and without an objective.
            ``result.complete`` says whether there are no others.

    Raises:
        InputError: for anything that does not exist or cannot be used.
    """

    solver: Any = DEFAULT_SOLVER
    formulation: str | None = None
    encoding: str | None = None
    presolve: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    reads: int | None = None
    seed: int | None = None
    time_limit: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    solutions: int = 1

    def __post_init__(self) -> None:
        code, how = self.encoding, self.presolve
        if not isinstance(self.formulation, str | None):
            raise InputError(f"formulation: expected a name, got {brief(self.formulation)}")
        if code is not None and not (isinstance(code, str) and code in ENCODINGS):
            raise InputError(f"unknown encoding {brief(code)}; {did_you_mean(code, ENCODINGS)}")
        if how is not None and not (isinstance(how, str) and how in PRESOLVES):
            raise InputError(f"unknown presolve {brief(how)}; {did_you_mean(how, PRESOLVES)}")
        if not isinstance(self.weights, Mapping | None):
            given = brief(self.weights)
            raise InputError(f"weights: expected numbers by family, as {{'field': 2}}, got {given}")
        if not isinstance(self.options, Mapping | None):
            raise InputError(f"options: expected values by name, got {brief(self.options)}")
        for pairs in ("weights", "options"):
            self._set(pairs, dict(getattr(self, pairs) or {}))
        if self.reads is not None:
            self._set("reads", whole("reads", self.reads, 1, 10**9))
        if self.seed is not None:
            self._set("seed", whole("seed", self.seed, 0, MOST_SEED))
        if self.time_limit is not None:
            self._set("time_limit", positive("time limit", self.time_limit, "seconds"))
        wanted: Any = SOLUTION_LIMIT if self.solutions is None else self.solutions
        self._set("solutions", whole("solutions", wanted, 1, SOLUTION_LIMIT))
        self._check_solver()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_solver(self) -> None:
        """Whether there is this solver, and takes what is asked of it."""
        if self.solver == DEFAULT_SOLVER and not self.options and self.solutions == 1:
            return  # its import takes half a second, which models for other tools do without
        solver = self.backend
        if not solver.remote:  # a service looks for its token, too, and that is for later
            parsed = solver.parse_options(self.options)
            self._set("options", {name: parsed[name] for name in self.options})
        if self.presolve == INTERLEAVE and not solver.interleaves:
            raise InputError(
                f"presolve {INTERLEAVE}: solver {solver.name} cannot; use propagate or probe"
            )
        if self.weights and solver.weighs:
            raise InputError(f"solver {solver.name} chooses penalty weights itself and takes none")
        if self.solutions != 1 and not solver.exact:
            exact = ", ".join(name for name, each in sorted(all_solvers().items()) if each.exact)
            raise InputError(
                f"solver {solver.name} cannot say that there is no other solution; use {exact}"
            )

    @classmethod
    def of(cls, given: Any = None, more: Mapping[str, Any] | None = None) -> Self:
        """A record or a solver, and fields that take precedence over it.

        >>> Settings.of("sat", {"seed": 1}) == Settings.of(Settings("sat"), {"seed": 1})
        True

        Raises:
            InputError: for values that cannot be used, and a field that there is not.
        """
        more = more or {}
        if isinstance(given, cls):
            _check_fields(more, more.get("solver", given.solver))
            return replace(given, **more)
        _check_fields(more, more.get("solver", DEFAULT_SOLVER) if given is None else given)
        if given is None:
            return cls(**more)
        if "solver" in more:
            raise InputError("the solver is given twice")
        return cls(given, **more)

    @classmethod
    def of_model(cls, given: Self | None, more: Mapping[str, Any]) -> Self:
        """The same of functions that solve nothing, and take ``ModelFields`` only."""
        check_names(more, ModelFields.__annotations__)
        if not isinstance(given, cls | None):
            raise InputError(f"expected Settings, or its fields by name, got {brief(given)}")
        return cls.of(given, more)

    @property
    def backend(self) -> Solver:
        """The solver itself."""
        return get_solver(self.solver)

    def resolved(self) -> tuple[Solver, Self]:
        """The solver, and settings with its defaults, and with a seed, drawn if there is none.

        Raises:
            SolverUnavailable: for a solver that cannot run here.
        """
        solver = self.backend
        here = solver.available()
        if not here.ok and solver.name in all_solvers():
            raise SolverUnavailable(f"solver {solver.name} cannot run here: {here.why}")
        unbounded = self.reads is None and self.time_limit is None
        return solver, replace(
            self,
            encoding=solver.default_encoding if self.encoding is None else self.encoding,
            presolve=solver.default_presolve if self.presolve is None else self.presolve,
            reads=solver.default_reads if unbounded else self.reads,
            seed=secrets.randbits(31) if self.seed is None else self.seed,
            options=solver.parse_options(self.options),
        )

    @property
    def budget(self) -> Budget:
        """How long the solver may go on; of settings that are resolved."""
        return Budget(self.reads, self.time_limit, self.seed or 0, solutions=self.solutions)

    # --- as text ------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what is not usual, by name; a sampler or client by the name of its solver."""
        usual = Settings()
        changed = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if getattr(self, each.name) != getattr(usual, each.name)
        }
        if "solver" in changed:
            changed["solver"] = self.backend.name
        return {name: dict(v) if isinstance(v, Mapping) else v for name, v in changed.items()}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """What ``to_dict`` gives; InputError for anything else."""
        if not isinstance(data, Mapping):
            raise InputError(f"settings: expected values by name, got {brief(data)}")
        return cls.of(None, data)

    def command(self, source: str = "PUZZLE") -> str:
        """The command that solves ``source`` by these settings."""
        return command(source, self.to_dict())

    def __str__(self) -> str:
        return self.command()

    # --- from problem to model ----------------------------------------------------------------

    @property
    def keeps_rows(self) -> bool:
        """Whether a program without choices of its own stays the rows that it is."""
        return self.formulation is None and self.presolve in (None, "none")

    @property
    def _presolve(self) -> Callable[[Model], Propagation]:
        return PRESOLVES[self.presolve or "none"]

    def prepare(self, model: Model) -> None:
        """Import and compile what presolving a model needs, once a process."""
        prepare(self._presolve, model)

    def presolved(self, problem: Problem) -> Propagation:
        """The problem's model, for tools of one's own, after presolving.

        Raises:
            InputError: for a formulation that there is not.
            TooLarge: if the formulation refuses this size.
            Unsatisfiable: if presolving proves that there is no solution.
        """
        presolved = self.presolve_model(problem.model(self.formulation))
        if (why := presolved.contradiction) is not None:
            raise Unsatisfiable(f"no solution in this model ({why})")
        return presolved

    def presolve_model(self, model: Model) -> Propagation:
        """A model as it is, or without values that presolving finds impossible."""
        return self._presolve(model)

    def compile(self, model: Model, target: str) -> Compiled:
        """Compile for a target; raises as ``compile_model``."""
        return compile_model(model, target, self.encoding, self.weights)


def _check_fields(given: Mapping[str, Any], solver: Any) -> None:
    """Raise InputError for a field that there is not; one that is an option says how it is given.

    An option comes before settings of similar names: threads is none of the reads.
    """
    for name in [name for name in given if name not in Fields.__annotations__]:
        for each in (name, name.removeprefix("num_"), f"num_{name}"):
            if (taker := _with_option(solver, each)) is not None:
                write = f"write options={{{each!r}: {brief(given[name])}}}"
                what = f"{'it' if each == name else each} is an option of {taker.name}"
                raise InputError(f"unknown setting {brief(name)}; {what}: {write}")
    check_names(given, Fields.__annotations__)


def _with_option(solver: Any, name: str) -> Solver | None:
    """The solver if it has an option of this name."""
    try:
        chosen = get_solver(solver)
        if chosen.remote:  # its own check may look for a token
            return chosen if name in {option.name for option in chosen.options} else None
        chosen.parse_options({name: None})
    except QubopuzzleError:
        return None
    return chosen


def _checked(made: Callable[..., None]) -> Callable[..., None]:
    """``Settings(...)`` with the message of ``Settings.of`` for a field that there is not."""

    @wraps(made)
    def init(self: Settings, *given: Any, **more: Any) -> None:
        _check_fields(more, more.get("solver", given[0] if given else DEFAULT_SOLVER))
        made(self, *given, **more)

    return init


Settings.__init__ = _checked(Settings.__init__)  # type: ignore[method-assign]


def command(source: str, data: Mapping[str, Any]) -> str:
    """The command that solves ``source`` by settings as ``Settings.to_dict`` gives them."""
    words = ["qubopuzzle", "solve", source]
    for name in ("solver", "formulation", "encoding", "presolve"):
        words += [f"--{name}", data[name]] if name in data else []
    for option, pairs in (("--weight", "weights"), ("--option", "options")):
        for name, value in data.get(pairs, {}).items():
            words += [option, f"{name}={value}"]
    for name in ("reads", "seed", "time_limit"):
        words += [f"--{name.replace('_', '-')}", str(data[name])] if name in data else []
    if "solutions" in data:
        words += ["--all", "--limit", str(data["solutions"])]
    return shlex.join(words)
