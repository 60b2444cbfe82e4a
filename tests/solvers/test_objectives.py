"""Exact solvers and QUBOs of models with an objective, against brute force."""

import math
import os
import signal
import sys
import threading
import time
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from qubopuzzle import ModelBuilder, Program, judge, solve
from qubopuzzle.base import signals
from qubopuzzle.compile import compile_cnf, compile_model, compile_qubo
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import Model, Objective, violation
from qubopuzzle.solvers import get_solver
from strategies import assignments, meaning, models, programs

needs_ortools = pytest.mark.skipif(find_spec("ortools") is None, reason="ortools is missing")
ANY_WEIGHTS = ["sat", pytest.param("cpsat", marks=needs_ortools), "mip"]
needs_clingo = pytest.mark.skipif(find_spec("clingo") is None, reason="clingo is missing")
EXACT = [*ANY_WEIGHTS, pytest.param("clingo", marks=needs_clingo)]
HALVES = st.integers(-8, 8).map(lambda number: number / 2)


@st.composite
def with_objective(draw: st.DrawFn, model: Model, numbers: st.SearchStrategy = HALVES) -> Model:
    """The model with a random linear and quadratic objective."""
    n = model.n_literals
    linear = np.array(draw(st.lists(numbers, min_size=n, max_size=n)), dtype=float)
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = draw(st.lists(pairs.filter(lambda p: p[0] < p[1]), max_size=5, unique=True))
    values = [draw(numbers) for _ in edges]
    place = np.array(edges, dtype=int).reshape(-1, 2).T
    couplings = csr_array((np.array(values, dtype=float), tuple(place)), shape=(n, n))
    return replace(model, objective=Objective(linear, couplings, draw(numbers)))


def optimised(graphs: bool = False, **limits: int) -> st.SearchStrategy[Model]:
    return models(graphs=graphs, **limits).flatmap(with_objective)


def least(model: Model) -> float:
    """The best objective by brute force; infinite where nothing meets the model."""
    met = (x for x in assignments(model) if violation(model, x) == 0)
    return min((model.objective.value(x) for x in met), default=math.inf)


def check_best(model: Model, solver: str, **options) -> None:
    result = solve(model, solver, seed=1, **options)
    best = least(model)
    if best == math.inf:
        assert result.status == "infeasible"
        assert (result.objective, result.bound, result.status) == (None, None, "infeasible")
        return
    assert (result.valid, result.objective, result.bound) == (True, best, best)
    assert result.status == "optimal"
    assert not result.complete
    assert "optimal, proved by" in result.verdict


@pytest.mark.parametrize("solver", EXACT)
@given(model=optimised(graphs=True, max_choices=3))
@settings(max_examples=25)
def test_exact_solvers_find_the_best_of_a_model(solver, model):
    check_best(model, solver)


@pytest.mark.parametrize(
    ("solver", "few"), [("cpsat-ls", {"effort": 0.01}), ("localmip", {"steps": 1_000})]
)
@given(model=optimised(graphs=True, max_choices=3))
@settings(max_examples=12)
def test_local_search_finds_no_better_than_the_best(solver, few, model):
    if not get_solver(solver).available().ok:
        pytest.skip(f"{solver} is not installed")
    result, best = solve(model, solver, seed=1, reads=1, options=few), least(model)
    assert result.valid == (best < math.inf)
    if result.valid:
        assert best <= result.objective
        assert result.bound is None or result.bound <= best


@given(model=optimised(max_choices=3, max_values=3), encoding=st.sampled_from(["one-hot", None]))
@settings(max_examples=15)
def test_enumeration_finds_the_best(model, encoding):
    qubo = compile_qubo(model, encoding or "domain-wall")
    if qubo.n_bits <= 12:
        check_best(model, "exact", encoding=encoding)


@given(model=optimised(max_choices=3))
@settings(max_examples=15)
def test_presolved_models_have_the_same_best(model):
    check_best(model, "sat", presolve="propagate")


@given(model=optimised(max_choices=3), encoding=st.sampled_from(["one-hot", "domain-wall"]))
@settings(max_examples=20)
def test_the_least_energy_of_a_qubo_is_the_best_objective(model, encoding):
    qubo = compile_qubo(model, encoding)
    if qubo.n_bits > 14:
        return
    every = (np.arange(2**qubo.n_bits)[:, None] >> np.arange(qubo.n_bits)) & 1
    energies = qubo.energies(every)
    best, lowest = least(model), qubo.decode(every[np.argmin(energies)])
    if best == math.inf:
        assert violation(model, lowest) > 0
    else:
        assert violation(model, lowest) == 0
        assert energies.min() == pytest.approx(best)
        assert model.objective.value(lowest) == best


@pytest.mark.parametrize("solver", EXACT)
@given(program=programs(max_variables=5), formulation=st.sampled_from(["choices", "bits"]))
@settings(max_examples=20)
def test_programs_are_minimised_and_maximised(solver, program, formulation):
    met = list(meaning(program).values())
    result = solve(program, solver, formulation=formulation, seed=1)
    if not met:
        assert result.status == "infeasible"
    elif program.has_objective:
        best = max(met) if program.maximize else min(met)
        assert (result.objective, result.bound, result.status) == (best, best, "optimal")
    else:
        assert (result.status, result.objective) == ("optimal", None)


# --- numbers that are not whole ----------------------------------------------------------

ANY = st.floats(-1e3, 1e3, allow_nan=False).map(lambda x: x if abs(x) > 1e-3 else 0.0)


@pytest.mark.parametrize("solver", ANY_WEIGHTS)
@given(data=st.data(), scale=st.sampled_from([1e-7, 1, 1e6]), offset=st.sampled_from([0, 1e9]))
@settings(max_examples=15)
def test_any_numbers_are_minimised_as_far_as_doubles_tell(solver, data, scale, offset):
    model = data.draw(with_objective(data.draw(models(max_choices=3)), ANY))
    linear, couplings = scale * model.objective.linear, scale * model.objective.couplings
    model = replace(model, objective=Objective(linear, couplings, offset))
    best = least(model)
    if best < math.inf:
        result = solve(model, solver, seed=1)
        size = np.abs(linear).sum() + np.abs(couplings).sum()
        assert result.objective == pytest.approx(best, rel=0, abs=1e-9 * size + 1e-15 * offset)
        assert result.status == "optimal"
        assert result.bound == result.objective


@pytest.mark.parametrize("solver", ANY_WEIGHTS)
@pytest.mark.parametrize(
    ("costs", "offset"), [((10, -20, -4), 1e9), ((1e-7, -2e-7, 3e-7, -7e-7), 0)]
)
def test_neither_a_large_constant_nor_small_costs_hide_what_is_best(solver, costs, offset):
    costs = np.pi * np.array(costs)
    program = Program.of([np.ones(len(costs))], 1, cost=costs, offset=offset)
    result = solve(program, solver, seed=1)
    assert result.values == {f"x{i}": int(cost < 0) for i, cost in enumerate(costs)}
    assert result.status == "optimal"


@needs_clingo
def test_costs_of_64_bits_are_refused_by_clingo_in_one_line():
    program = Program.of([[1, 1, 1, 1]], 1, cost=[math.pi, math.e, 1, 1])
    with pytest.raises(TooLarge, match=r"clingo counts weights up to .* such as sat"):
        solve(program, "clingo")


@given(model=optimised())
@settings(max_examples=20)
def test_costs_are_the_objective_of_every_assignment(model):
    cnf = compile_cnf(model)
    n = cnf.n_variables
    numbers, constant = cnf.cost.coefficients(np.zeros(n, np.int64), np.ones(n, np.int64))
    assert (cnf.cost.weights > 0).all()
    clauses = [clause for batch in cnf.cost.definitions for clause in batch.tolist()]
    for x in assignments(model):
        true = np.pad(cnf.bits.encode(x), (0, cnf.n_variables - cnf.n_bits))
        # "x and y -> z" makes z true; "z -> x" makes it false where it was true at first.
        for *ends, z in (clause for clause in clauses if len(clause) == 3):
            true[z - 1] = all(true[-end - 1] for end in ends)
        for z, _ in (clause for clause in clauses if len(clause) == 2):
            true[-z - 1] = 1
        for z, end in (clause for clause in clauses if len(clause) == 2):
            true[-z - 1] &= true[end - 1]
        assert cnf.cost.value(numbers @ true + constant) == model.objective.value(x)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_numbers_beyond_all_scales_are_refused_in_one_line(size):
    b = ModelBuilder()
    b.objective([b.bit("x")], [size])
    model = b.build()
    for target in ("cnf", "mip", "qubo"):
        with pytest.raises(InputError, match="scale them"):
            compile_model(model, target, None)


# --- what is likely, what is asked for, and time -----------------------------------------


@pytest.mark.parametrize("solver", EXACT)
def test_what_is_likely_does_not_hide_the_best(solver):
    b = ModelBuilder()
    x, y = b.bit("x"), b.bit("y")
    b.add("one", x + y == 1)
    b.minimize(3 * x + y)
    result = solve(b.build(likely=("x",)), solver)
    assert (result.values, result.objective, result.status) == ({"x": 0, "y": 1}, 1, "optimal")


@pytest.mark.parametrize("solver", [*EXACT, "exact"])
def test_several_solutions_are_refused_in_one_line(solver):
    b = ModelBuilder()
    b.minimize(b.bit("x") + b.bit("y"))
    with pytest.raises(InputError, match=r"several solutions are for .*; ask for one solution"):
        solve(b.build(), solver, solutions=2)


def test_a_backend_that_cannot_minimise_says_so():
    b = ModelBuilder()
    b.minimize(b.bit("x") + b.bit("y"))
    with pytest.raises(InputError, match="kissat404 takes no assumptions"):
        solve(b.build(), "sat", options={"backend": "kissat404"})


@pytest.mark.parametrize("backend", ["glucose4", "lingeling"])
@given(model=optimised(graphs=True))
@settings(max_examples=10)
def test_backends_minimise(backend, model):
    check_best(model, "sat", options={"backend": backend})


def hard(n: int = 60, seed: int = 5) -> Model:
    """A maximum cut of a dense graph with weights: nobody proves it in half a second."""
    rng = np.random.default_rng(seed)
    b = ModelBuilder()
    bits = np.array([b.bit(f"x{i}").literals[1] for i in range(n)])
    first, second = np.triu_indices(n, k=1)
    weights = rng.integers(-9, 10, len(first))
    b.objective(bits[first], -weights)
    b.objective(bits[second], -weights)
    b.objective(bits[first], 2 * weights, bits[second])
    b.linear("some", np.zeros(n, dtype=int), bits, lower=2, shape=(1,))
    return b.build()


@pytest.mark.parametrize("solver", EXACT)
def test_when_time_is_up_the_best_so_far_is_returned(solver):
    # A machine under load may need longer for a first answer; for a proof none here is enough.
    for limit in (0.5, 5.0, 20.0):
        started = time.perf_counter()
        result = solve(hard(), solver, seed=1, time_limit=limit)
        assert time.perf_counter() - started < limit + 30
        if result.valid:
            break
    assert result.valid
    assert result.status == "feasible"
    assert result.bound < result.objective
    assert "interrupted" not in result.verdict
    assert f"objective {result.objective:.12g} (bound {result.bound:.12g})" in result.verdict
    record = result.to_dict()
    assert (record["bound"], record["optimal"]) == (result.bound, False)
    assert record["energy"] == result.objective


@pytest.fixture
def no_interrupt_is_lost(monkeypatch):
    """As on the command line: Python drops what a signal raises amid a garbage collection."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
    handlers = {number: signal.getsignal(number) for number in numbers}
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(signals, "_came", False)
    signals.raise_interrupted()
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("solver", EXACT)
def test_an_interrupted_search_returns_the_best_so_far(solver, no_interrupt_is_lost):
    limit = 0.8  # until there is an answer, and imports, which Ctrl-C shall not come amid
    while not solve(hard(), solver, seed=1, time_limit=limit).valid:
        limit *= 2
    timer = threading.Timer(2 * limit, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = solve(hard(), solver, seed=1)
    timer.join()
    assert (result.status, result.interrupted) == ("feasible", True)
    assert result.bound < result.objective
    assert result.verdict.endswith(", interrupted")


def test_what_an_answer_that_is_not_valid_is_worth_has_a_name_of_its_own():
    b = ModelBuilder()
    one, two = b.bit("one"), b.bit("two")
    b.add("same", one - two == 0)
    b.objective([one.literals[1]], [5.0])
    valid, not_valid = (
        judge(b.build(), {"one": 1, "two": 1}),
        judge(b.build(), {"one": 1, "two": 0}),
    )
    assert (valid.objective, valid.invalid_objective) == (5, None)
    assert (not_valid.objective, not_valid.invalid_objective) == (None, 5)
    assert not_valid.verdict == "not valid, would be worth 5"
    assert not_valid.to_dict()["objective"] is None
    b.add("differ", one + two == 1)  # no solution
    result = solve(b.build(), "neal", seed=1)
    assert not result.valid
    assert result.objective is None
    assert result.to_dict()["objective"] is None
    assert result.to_dict()["invalid_objective"] in (0, 5)
