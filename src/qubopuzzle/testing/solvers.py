"""What must hold of every solver."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import product
from math import inf, nan
from reprlib import repr as shorter
from typing import Any, TypeAlias

import numpy as np

from qubopuzzle.answer import Judge
from qubopuzzle.compile import ENCODINGS, TARGETS, Compiled, compile_model
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.model import IntArray, Model, ModelBuilder, Propagation, violation
from qubopuzzle.solvers.base import Budget, Option, Outcome, Solver, Task
from qubopuzzle.solving.loading import problem_of
from qubopuzzle.testing.demands import demand, demand_refusal, named, refusal

Check: TypeAlias = Callable[[Solver], None]


def check_solver(solver: Solver, without: Collection[str] = ()) -> None:
    """Run all checks of a solver; AssertionError says in one line what does not hold.

    >>> from qubopuzzle.solvers import get_solver
    >>> check_solver(get_solver("random"), without=["solves"])

    Args:
        solver: an object of a class derived from ``Solver``. It need not be registered.
        without: names of checks, keys of ``SOLVER_CHECKS``, that cannot hold of it, such as
            ``seed`` for a search that goes by the clock.
    """
    unknown = {*without} - {*SOLVER_CHECKS}
    demand(not unknown, f"no checks: {', '.join(sorted(unknown))}")
    for name, check in SOLVER_CHECKS.items():
        if name not in without:
            with named(solver.name, name):
                check(solver)


# --- small models ------------------------------------------------------------------------


def ordered() -> Model:
    """Two choices of three values each, the second above the first: three solutions."""
    b = ModelBuilder()
    first, second = b.choice("a", range(3)), b.choice("b", range(3))
    b.precedence("order", [first], [second], [1])
    return b.build()


def different(pairs: int = 6) -> Model:
    """Pairs of choices of three values, those of a pair different: 6**pairs solutions."""
    b = ModelBuilder()
    for pair in range(pairs):
        one, other = (b.choice(f"{side}[{pair}]", range(3)).literals for side in "ab")
        b.at_most_one(f"pair {pair}", np.stack([one, other], axis=1))
    return b.build()


def impossible() -> Model:
    """Two bits that are one and different: no solution, and no single constraint says so."""
    b = ModelBuilder()
    bits = [b.bit(f"bit[{i}]").literals[1] for i in range(2)]
    b.linear("sum", [0, 0], bits, lower=1, upper=1, shape=(1,))
    b.linear("same", [0, 0], bits, [1, -1], lower=0, upper=0, shape=(1,))
    return b.build()


def worth() -> Model:
    """Three choices of three values in order, of which each has its cost."""
    b = ModelBuilder()
    choices = [b.choice(f"c[{i}]", range(3)) for i in range(3)]
    b.precedence("order", choices[:-1], choices[1:], [0, 1])
    literals = np.concatenate([choice.literals for choice in choices])
    b.objective(literals, [2.0, -1.5, 0.5, 3.0, -2.0, 1.0, 0.0, -0.5, 4.0])
    return b.build()


def assignments(model: Model) -> IntArray:
    """All literal values in which every choice has one value and all constraints hold."""
    every = (model.assignment(v) for v in product(*(c.values for c in model.choices)))
    return np.array([x for x in every if violation(model, x) == 0], dtype=np.int64)


def run(solver: Solver, model: Model, **budget: Any) -> tuple[Compiled, Outcome]:
    """A model in the solver's form, and what it makes of it, held against the model."""
    limits = {"reads": 3, "time_limit": None, "seed": 5, **budget}
    options = solver.parse_options({})
    compiled = compile_model(model, solver.target_for(options), solver.default_encoding)
    judge = Judge(problem_of(model), Propagation.none(model), compiled)
    solver.prepare(model)
    outcome = solver.solve(Task(compiled, Budget(**limits), options, judge))
    _check_samples(solver, compiled, outcome)
    return compiled, outcome


def _check_samples(solver: Solver, compiled: Compiled, outcome: Outcome) -> None:
    """Shapes, values and energies of all samples, best first."""
    n, model = compiled.sizes["variables"], compiled.source
    samples, energies = outcome.samples, np.asarray(outcome.energies)
    demand(
        samples.shape == (len(energies), n),
        f"samples have the shape {samples.shape}, energies {energies.shape}, and there are {n} "
        "variables",
    )
    demand({*np.unique(samples).tolist()} <= {0, 1}, "samples have values other than 0 and 1")
    breaks = [violation(model, compiled.decode(x)) for x in samples]
    if solver.target == "qubo":
        exact = compiled.payload.energies((samples, range(n))) if len(samples) else energies
        demand(np.allclose(energies, exact), "energies are not those of the samples")
        demand((np.diff(energies) >= 0).all(), "the best sample is not the first")
    elif not compiled.has_objective:
        demand(np.allclose(energies, breaks), "energies are not what the samples break")
        demand((np.diff(energies) >= 0).all(), "the best sample is not the first")
    demand(
        not (outcome.infeasible and 0 in breaks),
        "it says that there is no solution, and has one",
    )


# --- checks ------------------------------------------------------------------------------


def check_description(solver: Solver) -> None:
    """Its name, target, encoding, options and versions are there and can be used."""
    demand(solver.name and solver.name == solver.name.strip(), f"no name: {solver.name!r}")
    demand(solver.target in TARGETS, f"target {solver.target!r} is none of {', '.join(TARGETS)}")
    known = (*ENCODINGS, None)
    demand(solver.default_encoding in known, f"no encoding: {solver.default_encoding!r}")
    demand(solver.default_reads >= 1, f"default_reads is {solver.default_reads}")
    names = [option.name for option in solver.options]
    demand(len(names) == len({*names}), f"two options of one name: {', '.join(names)}")
    here = solver.available()
    demand(here.ok or here.why, "available() gives no reason")
    missing = [package for package, version in solver.versions().items() if not version]
    demand(not here.ok or not missing, f"versions() has none for {', '.join(missing)}")


def check_energies(solver: Solver) -> None:
    """Samples and energies are those of the model, best first; reads are counted."""
    _, outcome = run(solver, ordered())
    demand(len(outcome.samples), "it returns no sample of a model with three solutions")
    demand(0 <= outcome.reads <= 3, f"it made {outcome.reads} reads, and 3 were asked for")
    demand(
        outcome.occurrences is None or len(outcome.occurrences) == len(outcome.energies),
        "occurrences and energies differ in length",
    )


def check_seed(solver: Solver) -> None:
    """The same seed gives the same samples; another one gives others, but for exact solvers."""
    model = ordered() if solver.exact else different()
    first, again, other = (run(solver, model, seed=s, reads=1)[1].samples for s in (1, 1, 2))
    demand(np.array_equal(first, again), "the same seed gave other samples")
    if not solver.exact:
        demand(not np.array_equal(first, other), "another seed gave the same samples")


def check_no_variables(solver: Solver) -> None:
    """A model without variables has one sample of none, or no solution."""
    _, outcome = run(solver, ModelBuilder().build())
    demand(outcome.samples.shape == (1, 0), f"its samples have the shape {outcome.samples.shape}")
    demand(np.array_equal(outcome.energies, [0]), f"their energies are {outcome.energies}")
    demand(not outcome.infeasible, "it says that a model without constraints has no solution")
    b = ModelBuilder()
    b.linear("never", [], [], lower=1, upper=1, shape=(1,))
    _, outcome = run(solver, b.build())
    demand(outcome.infeasible, "it does not see that 0 is not 1 where there are no variables")


def check_one_variable(solver: Solver) -> None:
    """A model of one free bit is solved."""
    b = ModelBuilder()
    b.bit("only")
    demand(run(solver, b.build())[1].energies[0] == 0, "a single free bit has energy 0")


def check_no_solution(solver: Solver) -> None:
    """What has no solution is proved by exact solvers, and never solved."""
    compiled, outcome = run(solver, impossible())
    solved = [x for x in outcome.samples if violation(impossible(), compiled.decode(x)) == 0]
    demand(not solved, "it solves what has no solution")
    demand(outcome.infeasible or not solver.exact, "it is exact and does not say `infeasible`")
    proved = [name for name in ("optimal", "complete") if getattr(outcome, name)]
    demand(outcome.infeasible or not proved, f"it says {proved} where there is no solution")


def check_solves(solver: Solver) -> None:
    """A model with three solutions is solved, and one with 36."""
    for model in (ordered(), different(2)):
        compiled, outcome = run(solver, model, reads=500)
        breaks = [violation(model, compiled.decode(x)) for x in outcome.samples]
        demand(0 in breaks, f"500 reads solve no model of {compiled.sizes['variables']} variables")
        demand(not outcome.infeasible, "it says that what has solutions has none")


def check_all_solutions(solver: Solver) -> None:
    """An exact solver finds as many solutions as are asked for, and says when that is all."""
    if not solver.exact:
        return
    model, every = ordered(), {x.tobytes() for x in assignments(ordered())}
    for most in (2, 9):
        compiled, outcome = run(solver, model, solutions=most)
        solved = {compiled.decode(x).astype(np.int64).tobytes() for x in outcome.samples}
        met = solved & every
        demand(
            len(met) == min(most, 3), f"{most} of 3 solutions were asked for, {len(met)} are there"
        )
        demand(outcome.complete or most == 2, "it has all solutions and does not say `complete`")
        demand(most == 9 or not outcome.complete, "it says `complete` of 2 solutions of 3")


def check_objective(solver: Solver) -> None:
    """What it says of the best objective is true; an exact solver finds it."""
    model = worth()
    assert model.objective is not None  # noqa: S101 - for mypy
    least = min(model.objective.value(x) for x in assignments(model))
    compiled, outcome = run(solver, model, reads=5)
    decoded = [compiled.decode(x) for x in outcome.samples]
    values = [model.objective.value(x) for x in decoded if violation(model, x) == 0]
    if outcome.bound is not None:
        demand(outcome.bound <= least + 1e-9, f"the bound is {outcome.bound}, {least} can be had")
    demand(
        not outcome.optimal or (values and values[0] == least),
        f"it says `optimal` of {values[:1]}, the best is {least}",
    )
    demand(not solver.exact or outcome.optimal, "it is exact and does not say `optimal`")


def check_time_limit(solver: Solver) -> None:
    """Under a time limit that is over at once it says nothing that is not true."""
    for model in (ordered(), different(2), impossible()):
        any_solution = len(assignments(model)) > 0
        try:
            _, outcome = run(solver, model, time_limit=1e-6, solutions=9)
        except QubopuzzleError as error:  # it cannot begin
            demand("\n" not in str(error), f"more than one line: {error}")
            continue
        demand(not (outcome.infeasible and any_solution), "it says `infeasible` out of time")
        demand(not outcome.complete or len(outcome.samples) or outcome.infeasible, "complete: none")


def check_options(solver: Solver) -> None:
    """Options are read from numbers and text; unknown ones and bad values are refused by name."""
    words = [option.name for option in solver.options]
    none = "no_such_option"
    demand_refusal(none, [none, *words[:1]], solver.parse_options, {none: 1})
    plain = solver.parse_options({})
    demand({*words} <= {*plain}, "parse_options({}) does not fill in all defaults")
    for option in solver.options:
        _check_option(solver, option)


def _check_option(solver: Solver, option: Option) -> None:
    if option.default is not None:
        for value in (option.default, str(option.default)):
            demand(
                option.parse(value) == option.default, f"{option.name}: {value!r} is its default"
            )
    demand(option.help, f"{option.name}: no help")
    wrong: list[Any] = ["many", nan, inf, "nan", True, 10**400, [], {}]
    if option.type is str:
        wrong = ["no such choice"] if option.choices else []
    elif option.type is int:
        wrong.append(1.5)
    if option.is_switch:
        wrong.remove(True)
        demand(option.parse(True) == 1, f"{option.name}: True is 1")
    wrong += [] if option.minimum is None else [option.minimum - 1]
    wrong += [] if option.maximum is None else [option.maximum + 1]
    for value in wrong:
        what = f"option {option.name}={shorter(value)}"
        demand_refusal(what, [option.name], solver.parse_options, {option.name: value})


def check_size(solver: Solver) -> None:
    """A model that is too large for it is refused in one line before it begins."""
    b = ModelBuilder()
    bits = [b.bit(f"bit[{i}]").literals[1] for i in range(1000)]
    rows = np.repeat(np.arange(999), 2)
    pairs = np.stack([bits[:-1], bits[1:]], axis=1).ravel()
    b.linear("order", rows, pairs, [1, -1] * 999, upper=0, shape=(999,))
    call = partial(run, solver, b.build(), reads=1, time_limit=0.2)
    refusal("1,000 bits", call, expected=QubopuzzleError)


SOLVER_CHECKS: Mapping[str, Check] = {
    "description": check_description,
    "options": check_options,
    "energies": check_energies,
    "seed": check_seed,
    "no variables": check_no_variables,
    "one variable": check_one_variable,
    "no solution": check_no_solution,
    "solves": check_solves,
    "all solutions": check_all_solutions,
    "objective": check_objective,
    "time limit": check_time_limit,
    "size": check_size,
}
"""The checks of ``check_solver`` by name: functions of a solver."""
