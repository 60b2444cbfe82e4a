"""CP-SAT and MIP have exactly the model's solutions, and their solvers keep their word."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubopuzzle import InputError, Nonogram, SolverUnavailable, solve, violation
from qubopuzzle.compile import compile_model
from qubopuzzle.model import ModelBuilder
from qubopuzzle.solvers import Budget, get_solver
from qubopuzzle.solvers.base import installed_version
from strategies import assignments, models, nonograms, solutions

SMALL = 16
"""Examples of tests that start a process for every answer."""
ALL = 10**6


def needs(package):
    return pytest.mark.skipif(not installed_version(package), reason=f"{package} is not installed")


CPSAT = pytest.param("cpsat", {}, marks=needs("ortools"), id="cpsat")
CBC = pytest.param("mip", {"backend": "cbc"}, marks=needs("pulp"), id="cbc")
HIGHS = pytest.param("mip", {"backend": "highs"}, marks=needs("highspy"), id="highs")
EVERY = [CPSAT, CBC, HIGHS]


def run(name, model, *, seed=1, time_limit=None, solutions=1, **options):
    """What a solver finds, as literal values; answers are told apart by these."""
    solver = get_solver(name)
    compiled = compile_model(model, solver.target, None)
    budget = Budget(
        None,
        time_limit,
        seed,
        solutions=solutions,
        accepts=lambda sample: violation(model, compiled.decode(sample)) == 0,
        key=lambda sample: compiled.decode(sample).tobytes(),
    )
    outcome = solver.solve(compiled, budget, solver.parse_options(options))
    return [compiled.decode(sample) for sample in outcome.samples], outcome


def met(model):
    return sorted(x.tobytes() for x in assignments(model) if violation(model, x) == 0)


def check_all_answers(name, model, **options):
    found, outcome = run(name, model, solutions=ALL, **options)
    assert sorted(x.tobytes() for x in found) == met(model)
    assert outcome.complete
    assert outcome.infeasible == (not found)


@needs("ortools")
@given(model=models())
def test_cpsat_finds_all_solutions_of_a_model(model):
    check_all_answers("cpsat", model)


@needs("ortools")
@given(puzzle=nonograms(), formulation=st.sampled_from(sorted(Nonogram.formulations)))
def test_cpsat_finds_all_pictures_of_a_nonogram(puzzle, formulation):
    result = solve(puzzle, "cpsat", formulation=formulation, solutions=None, seed=1)
    assert sorted(picture.tobytes() for picture in result.solutions) == sorted(solutions(puzzle))
    assert result.complete
    assert result.status == ("solved" if result.solutions else "unsatisfiable")


def latin_square(n):
    """Choices under no precedence: each value once in every row and column."""
    b = ModelBuilder()
    cells = [[b.choice(f"cell[{i},{j}]", range(n)) for j in range(n)] for i in range(n)]
    for family, lines in (("row", cells), ("column", zip(*cells, strict=True))):
        groups = [[b.literal(c, v) for c in line] for line in lines for v in range(n)]
        b.exactly_one(family, groups)
    return b.build()


def large_coefficients():
    """Numbers up to 2**20, which floating point must not blur."""
    b = ModelBuilder()
    bits = [b.literal(b.bit(f"bit[{i}]"), 1) for i in range(6)]
    weights = [2**18 - 1, 2**18, 2**18 + 1, 2**17, 2**17 - 1, 1]
    b.linear("sum", [0] * 6, bits, weights, lower=2**19, upper=2**19, shape=(1,))
    return b.build()


def negative_gaps():
    b = ModelBuilder()
    first, second = b.choice("first", [-5, 0, 7]), b.choice("second", range(-9, 3, 3))
    b.precedence("order", [first, second], [second, first], [-4, -3])
    b.choice("single", [3])
    return b.build()


MODELS = [latin_square(3), large_coefficients(), negative_gaps()]


@pytest.mark.parametrize(("name", "options"), EVERY)
@pytest.mark.parametrize("model", MODELS, ids=["latin", "large", "gaps"])
def test_models_of_all_kinds(name, options, model):
    check_all_answers(name, model, **options)


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_a_model_without_choices(name, options):
    found, outcome = run(name, ModelBuilder().build(), solutions=2, **options)
    assert (len(found), outcome.complete) == (1, True)
    b = ModelBuilder()
    b.linear("never", [], [], lower=1, upper=1, shape=(1,))
    assert run(name, b.build(), **options)[1].infeasible


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_a_row_that_nothing_can_meet(name, options):
    for lower in (1, 9):
        b = ModelBuilder()
        one, other = b.choice("one", range(3)), b.choice("other", range(3))
        literals = [] if lower == 1 else [b.literal(one, 2), b.literal(other, 2)]
        b.linear("never", [0] * len(literals), literals, lower=lower, shape=(1,))
        found, outcome = run(name, b.build(), **options)
        assert (found, outcome.infeasible) == ([], True)


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_rules_left_out_are_looked_at_one_answer_after_another(name, options):
    b = ModelBuilder()
    b.choice("one", range(4))
    solver = get_solver(name)
    model = b.build(omitted=("even",))
    compiled = compile_model(model, solver.target, None)

    def accepts(sample):
        return int(np.flatnonzero(compiled.decode(sample))[0]) == 2

    budget = Budget(None, None, 1, accepts, solutions=2)
    outcome = solver.solve(compiled, budget, solver.parse_options(options))
    assert len(outcome.samples) == 1
    assert accepts(outcome.samples[0])
    assert outcome.complete


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_a_compiled_model_can_be_solved_again(name, options):
    solver = get_solver(name)
    compiled = compile_model(latin_square(2), solver.target, None)
    for _ in range(2):
        outcome = solver.solve(
            compiled, Budget(None, None, 1, solutions=9), solver.parse_options(options)
        )
        assert len(outcome.samples) == 2


# --- time and Ctrl-C -------------------------------------------------------------------


def market_split():
    """Seven sums of sixty bits to hit at once, which takes every solver far too long."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 1000, (7, 60))
    b = ModelBuilder()
    bits = np.array([b.literal(b.bit(f"bit[{i}]"), 1) for i in range(60)])
    half = rows.sum(axis=1) // 2
    b.linear(
        "split",
        np.repeat(np.arange(7), 60),
        np.tile(bits, 7),
        rows.ravel(),
        lower=half,
        upper=half,
        shape=(7,),
    )
    return b.build()


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_the_time_limit_is_kept(name, options):
    started = time.perf_counter()
    found, outcome = run(name, market_split(), time_limit=1.0, **options)
    assert time.perf_counter() - started < 30  # against running for hours
    assert (found, outcome.complete, outcome.infeasible) == ([], False, False)


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_a_time_limit_that_is_over(name, options):
    outcome = run(name, latin_square(3), time_limit=1e-9, **options)[1]
    assert (len(outcome.samples), outcome.complete, outcome.interrupted) == (0, False, False)


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_ctrl_c_between_two_answers(name, options):
    def interrupt(progress):
        if progress.reads == 1:
            raise KeyboardInterrupt

    puzzle = Nonogram(rows=[[1], [1]], cols=[[1], [1]])
    result = solve(puzzle, name, seed=1, solutions=None, options=options, progress=interrupt)
    assert result.interrupted
    assert result.valid
    assert not result.complete


SCRIPT = """
import json, sys, test_integer
name, options = json.loads(sys.argv[1])
print("ready", flush=True)
found, outcome = test_integer.run(name, test_integer.market_split(), **options)
print(json.dumps([len(found), outcome.interrupted, outcome.complete]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent differently on Windows")
@pytest.mark.parametrize(("name", "options"), EVERY)
def test_ctrl_c_ends_a_search(name, options, tmp_path):
    path = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, json.dumps([name, options])],
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": path,
            "TMPDIR": str(tmp_path),
        },
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert json.loads(out) == [0, True, False]
    assert not list(tmp_path.iterdir())


# --- options ---------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_exact_targets_take_no_weights_and_no_encoding(name, options):
    puzzle = Nonogram(rows=[[1], [1]], cols=[[1], [1]])
    with pytest.raises(InputError, match="takes no weights"):
        solve(puzzle, name, weights={"field": 2})
    with pytest.raises(InputError, match="leave --encoding out"):
        solve(puzzle, name, encoding="one-hot")


@needs("ortools")
@pytest.mark.parametrize("workers", ["many", -1, 1.5, 10**6])
def test_wrong_workers_are_refused(workers):
    with pytest.raises(InputError, match="option workers: expected a whole number from 0 to 1,024"):
        get_solver("cpsat").parse_options({"workers": workers})


@needs("ortools")
def test_several_workers_find_the_same_answers():
    assert len(run("cpsat", latin_square(3), solutions=ALL, workers=2)[0]) == 12


@pytest.mark.parametrize("name", ["cpsat"])
def test_a_missing_package_is_one_line(name, monkeypatch):
    from qubopuzzle.solvers import base

    monkeypatch.setattr(base, "installed_version", lambda package: "")
    here = get_solver(name).available()
    assert (here.ok, here.why) == (False, f"pip install 'qubopuzzle[{name}]'")
    puzzle = Nonogram(rows=[[1], [1]], cols=[[1], [1]])
    with pytest.raises(SolverUnavailable, match=f"{name} cannot run here: pip install"):
        solve(puzzle, name)


def test_a_missing_package_is_one_line_for_the_compiler_too(monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools.sat.python.cp_model", None)
    with pytest.raises(SolverUnavailable, match=r"pip install 'qubopuzzle\[cpsat\]'"):
        compile_model(latin_square(2), "cpsat", None)
