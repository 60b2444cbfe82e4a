"""CP-SAT and MIP have exactly the model's solutions, and their solvers keep their word."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import highs
import toys
from qubopuzzle import InputError, Nonogram, Program, solve
from qubopuzzle.compile import asp as asp_module
from qubopuzzle.compile import compile_model, encode_choices
from qubopuzzle.compile import cpsat as cpsat_module
from qubopuzzle.compile import mip as mip_module
from qubopuzzle.compile.mip import compile_mip, safe_names
from qubopuzzle.errors import SolverFailed, SolverUnavailable, TooLarge
from qubopuzzle.model import ModelBuilder, violation
from qubopuzzle.solvers import get_solver
from qubopuzzle.solvers import mip as mip_solver
from qubopuzzle.solvers.base import Budget, Task, installed_version
from qubopuzzle.testing import right_grids
from strategies import assignments, meaning, models, nonograms, programs

SMALL = 16
"""Examples of tests that start a process for each."""
ALL = 10**6


def needs(package):
    return pytest.mark.skipif(not installed_version(package), reason=f"{package} is not installed")


CPSAT = pytest.param("cpsat", {}, marks=needs("ortools"), id="cpsat")
CLINGO = pytest.param("clingo", {}, marks=needs("clingo"), id="clingo")
CPSAT_ROWS = pytest.param("cpsat", marks=needs("ortools"))
MIP_ROWS = "mip"
EVERY = [CPSAT, pytest.param("mip", {}, id="mip"), CLINGO]
LOCAL = [
    pytest.param("cpsat-ls", {}, marks=needs("ortools"), id="cpsat-ls"),
    pytest.param("localmip", {}, marks=needs("localmip"), id="localmip"),
]
FEW = {"cpsat-ls": {"effort": 0.01}, "localmip": {"steps": 10_000}}
"""Work of a read that small models need, and no more."""


def run(name, model, *, seed=1, reads=None, time_limit=None, solutions=1, **options):
    """What a solver finds, as literal values; answers are told apart by these."""
    solver = get_solver(name)
    compiled = compile_model(model, solver.target, None)
    judge = toys.Judging(
        lambda sample: violation(model, compiled.decode(sample)) == 0,
        lambda sample: compiled.decode(sample).tobytes(),
    )
    budget = Budget(reads, time_limit, seed, solutions)
    outcome = solver.solve(Task(compiled, budget, solver.parse_options(options), judge))
    return [compiled.decode(sample) for sample in outcome.samples], outcome


def met(model):
    return sorted(x.tobytes() for x in assignments(model) if violation(model, x) == 0)


def check_all_answers(name, model, **options):
    found, outcome = run(name, model, solutions=ALL, **options)
    assert sorted(x.tobytes() for x in found) == met(model)
    assert outcome.complete
    assert outcome.infeasible == (not found)


@pytest.mark.parametrize(("name", "options"), [CPSAT, CLINGO])
@given(model=models(graphs=True))
def test_all_solutions_of_a_model_are_found(name, options, model):
    check_all_answers(name, model)


@pytest.mark.parametrize(("name", "options"), [CPSAT, CLINGO])
@given(puzzle=nonograms(), formulation=st.sampled_from(sorted(Nonogram.formulations)))
def test_all_pictures_of_a_nonogram_are_found(name, options, puzzle, formulation):
    result = solve(puzzle, name, formulation=formulation, solutions=None, seed=1)
    assert sorted(picture.tobytes() for picture in result.solutions) == right_grids(puzzle)
    assert result.complete
    assert result.status == ("optimal" if result.solutions else "infeasible")


@pytest.mark.parametrize(("name", "options"), LOCAL)
@given(model=models(graphs=True))
@settings(max_examples=SMALL)
def test_local_search_finds_a_solution_and_proves_nothing(name, options, model):
    found, outcome = run(name, model, reads=2, **FEW[name])
    expected = met(model)
    assert [x.tobytes() in expected for x in found] == [True] * bool(expected)
    if (model.sizes > 1).any():  # else there is nothing to search
        assert (outcome.complete, outcome.infeasible) == (False, False)


@given(model=models(), flips=st.integers(0, 2**16))
def test_the_rows_of_a_mip_hold_for_the_solutions_of_the_model(model, flips):
    for bits in (None, encode_choices(model, "one-hot")):
        mip = compile_mip(model, bits)
        for x in assignments(model):
            assert (len(mip.broken(mip.bits.encode(x))) == 0) == (violation(model, x) == 0)
        # Bits that no choice has break a row, too.
        anything = flips >> np.arange(mip.n_variables) & 1
        x = mip.bits.decode(anything)
        valid = (x >= 0).all() and (np.add.reduceat(x, model.first_literal[:-1]) == 1).all()
        met = bool(valid) and violation(model, x) == 0
        assert (len(mip.broken(anything)) == 0) == met


@pytest.mark.parametrize("name", [CPSAT_ROWS, MIP_ROWS])
@given(program=programs())
def test_a_program_is_solved_as_the_rows_that_it_is(name, program):
    result, values = solve(program, name, seed=1), meaning(program)
    assert result.valid == bool(values)
    if not values:
        assert result.status == "infeasible"
    elif program.has_objective:
        best = (max if program.maximize else min)(values.values())
        assert (result.objective, result.status) == (pytest.approx(best), "optimal")
    if not program.quadratic.nnz:
        assert result.sizes["variables"] == len(program.variables)
        if values:
            sample = result.sampled.sampleset.first.sample
            assert tuple(sample[name] for name in program.variables) in values


@pytest.mark.parametrize("name", [CPSAT_ROWS, MIP_ROWS])
def test_whole_numbers_of_a_program_stay_whole_numbers(name):
    wide = Program.of([[3, 5, -2]], 7, 7, lower=[-500, 0, 3], upper=[500, 900, 900], cost=[1, 2, 3])
    result = solve(replace(wide, maximize=True), name, seed=1)
    assert (result.objective, result.status, result.sizes["variables"]) == (3522, "optimal", 3)
    assert solve(wide, name, seed=1).objective == 14
    assert solve(wide, name, seed=1, presolve="propagate").objective == 14


@pytest.mark.parametrize("name", [CPSAT_ROWS, MIP_ROWS])
def test_rows_of_terms_beyond_ten_digits_are_exact(name):
    most = 1_100_000_000
    program = Program.of([[most, 1]], -np.inf, most, cost=[2, 1], maximize=True)
    assert program.broken(np.array([1, 1]))
    assert solve(program, name, seed=1).values == {"x0": 1, "x1": 0}


@given(model=models(), seed=st.integers(0, 2**16))
def test_an_answer_excluded_is_one_row(model, seed):
    mip = compile_mip(model)
    every = assignments(model)
    answer = every[seed % len(every)]
    other = mip.with_clause(mip.bits.blocking_clause(mip.bits.encode(answer), answer=True))
    assert other.n_rows == mip.n_rows + 1
    for x in every:
        same = (x == answer).all()
        bits = mip.bits.encode(x)
        assert (mip.n_rows in other.broken(bits)) == same
        assert other.contradiction or len(other.broken(bits)) == len(mip.broken(bits)) + same


@given(model=models(max_choices=3, max_values=3, graphs=True))
def test_mip_finds_all_solutions_of_a_model(model):
    check_all_answers("mip", model)


@given(model=models(max_choices=3, max_values=3, graphs=True))
@settings(max_examples=SMALL)
def test_mip_finds_all_solutions_of_a_model_in_a_process(model):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mip_solver, "_SMALL_TERMS", -1)
        check_all_answers("mip", model)


@given(puzzle=nonograms(), formulation=st.sampled_from(sorted(Nonogram.formulations)))
def test_mip_finds_all_pictures_of_a_nonogram(puzzle, formulation):
    result = solve(puzzle, "mip", formulation=formulation, solutions=None, seed=1)
    assert sorted(picture.tobytes() for picture in result.solutions) == right_grids(puzzle)
    assert result.complete


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_a_picture_of_some_size(name, options):
    picture = np.random.default_rng(1).integers(0, 2, (12, 15))
    result = solve(Nonogram.from_picture(picture), name, seed=1, options=options)
    assert result.valid
    assert all(result.sizes.values())


def latin(rows, n):
    """Choices under no precedence: each value once in every row, at most once in a column."""
    b = ModelBuilder()
    cells = [[b.choice(f"cell[{i},{j}]", range(n)) for j in range(n)] for i in range(rows)]
    b.exactly_one("row", [[c[v] for c in row] for row in cells for v in range(n)])
    columns = [list(column) for column in zip(*cells, strict=True)]
    b.at_most_one("column", [[c[v] for c in line] for line in columns for v in range(n)])
    return b.build()


def large_coefficients():
    """Numbers up to 2**20, which floating point must not blur."""
    b = ModelBuilder()
    bits = [b.bit(f"bit[{i}]")[1] for i in range(6)]
    weights = [2**18 - 1, 2**18, 2**18 + 1, 2**17, 2**17 - 1, 1]
    b.linear("sum", [0] * 6, bits, weights, lower=2**19, upper=2**19, shape=(1,))
    return b.build()


def negative_gaps():
    b = ModelBuilder()
    first, second = b.choice("first", [-5, 0, 7]), b.choice("second", range(-9, 3, 3))
    b.precedence("order", [first, second], [second, first], [-4, -3])
    b.choice("single", [3])
    return b.build()


MODELS = [latin(2, 3), large_coefficients(), negative_gaps()]


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
        literals = [] if lower == 1 else [one[2], other[2]]
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

    budget, judge = Budget(None, None, 1, solutions=2), toys.Judging(accepts)
    outcome = solver.solve(Task(compiled, budget, solver.parse_options(options), judge))
    assert len(outcome.samples) == 1
    assert accepts(outcome.samples[0])
    assert outcome.complete


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_a_compiled_model_can_be_solved_again(name, options):
    solver = get_solver(name)
    compiled = compile_model(latin(2, 2), solver.target, None)
    for _ in range(2):
        budget = Budget(None, None, 1, solutions=9)
        outcome = solver.solve(Task(compiled, budget, solver.parse_options(options)))
        assert len(outcome.samples) == 2


# --- files -----------------------------------------------------------------------------

CBC = """
import pulp
kind = getattr(pulp, "PULP_CBC_CMD", pulp.COIN_CMD)
print(kind(msg=False).available() or "")
"""
"""Asked in another process: PuLP imports highspy, which keeps OR-Tools out of this one."""


def read_by_cbc(paths):
    done = subprocess.run([sys.executable, "-c", CBC], capture_output=True, text=True, check=True)
    cbc, found = done.stdout.strip(), []
    if not cbc:
        pytest.skip("no CBC: PuLP brings it before version 4, or the system as `cbc`")
    for path in paths:
        solution = path.with_suffix(".solution")
        command = [cbc, str(path), "-solve", "-solution", str(solution)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert "error" not in done.stdout.replace("0 errors", "")
        status, *lines = solution.read_text().splitlines()
        pairs = [line.replace("**", " ").split()[1:3] for line in lines]
        found.append({n: float(v) for n, v in pairs} if status.startswith("Optimal") else None)
    return found


def ring(size, true, false=()):
    """Cells in a ring of which some are given; the true ones hang together."""
    b = ModelBuilder()
    cells = [b.bit(f"cell[{i}]") for i in range(size)]
    ones = [cell[1] for cell in cells]
    b.connected("together", ones, [(i, (i + 1) % size) for i in range(size)])
    b.exactly_one("given", [[ones[i]] for i in true] + [[cells[i][0]] for i in false])
    return b.build()


def exported():
    """Models, awkward names among them, and whether they have solutions."""
    b = ModelBuilder()
    names = ["end", "e5", "free", "x y", "x,y", "x_y", "Größe", "st", "a" * 300, "a" * 300 + "b"]
    choices = [b.choice(name, range(4)) for name in names]
    literals = [choice[2] for choice in choices]
    b.linear("two", [0] * 10 + [1, 1], literals + literals[:2], lower=1, upper=3, shape=(2,))
    b.precedence("order", choices[:3], choices[1:4], [1, 1, -2])
    loose = ModelBuilder()
    loose.bit("in no row")
    impossible = Nonogram(rows=[[2], [], [1]], cols=[[2], [1]])
    together, apart = ring(5, [0, 2]), ring(4, [0, 2], [1, 3])
    return [
        (together, True),
        (apart, False),
        (b.build(), True),
        (loose.build(), True),
        *((model, bool(met(model))) for model in MODELS),
        (impossible.model(), False),
        (Nonogram.examples()[0].model("numbering"), True),
        (ModelBuilder().build(), True),
    ]


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(highs.solutions, marks=needs("highspy"), id="highs"),
        pytest.param(read_by_cbc, marks=needs("pulp"), id="cbc"),
    ],
)
@pytest.mark.parametrize("form", ["lp", "mps"])
def test_files_say_what_the_rows_say(form, read, tmp_path):
    built, solvable = zip(*exported(), strict=True)
    programs = [compile_mip(model) for model in built]
    paths = [tmp_path / f"{i}.{form}" for i in range(len(programs))]
    for path, mip in zip(paths, programs, strict=True):
        path.write_text(mip.to_lp() if form == "lp" else mip.to_mps())
    answers = read(paths)
    assert tuple(values is not None for values in answers) == solvable
    for model, mip, values in zip(built, programs, answers, strict=True):
        if values is not None:
            sample = np.array([round(values.get(name, 0)) for name in mip.variable_names()])
            assert not len(mip.broken(sample))
            assert ((sample >= 0) & (sample <= mip.program.upper)).all()
            assert violation(model, mip.bits.decode(sample)) == 0


@pytest.mark.parametrize("name", ["cpsat", "mip", "clingo"])
def test_connectivity_over_many_nodes(name):
    if not get_solver(name).available().ok:
        pytest.skip(f"{name} is not installed")
    size = 200
    found, _ = run(name, ring(size, [0, size - 1], [1]))
    assert violation(ring(size, [0, size - 1], [1]), found[0]) == 0
    # Open at two places, the true cells must go the long way round.
    long_way, _ = run(name, ring(size, [0, size - 2], [size - 1]))
    assert long_way[0][1::2].sum() == size - 1
    assert run(name, ring(size, [0, size - 2], [size - 1, 1]))[1].infeasible


@given(model=models(max_choices=3, max_values=2, graphs=True))
@settings(max_examples=SMALL)
def test_the_rows_of_a_file_stand_for_graphs(model):
    """An assignment has serial numbers exactly if its graphs are right."""
    tree = compile_mip(model)
    plain = compile_mip(model, tree=False)
    assert tree.n_variables >= plain.n_variables
    for x in assignments(model):
        holds = violation(model, x) == 0
        bits = tree.bits.encode(x)
        assert bool(len(plain.broken(bits))) or holds == has_serial_numbers(model, tree, x)


def has_serial_numbers(model, tree, x):
    """Whether the rows can be met by depths in a breadth-first tree, for each constraint."""
    values, names = tree.bits.encode(x).tolist(), iter(tree.program.variables[tree.n_bits :])
    for graph in model.connected:
        true = [j for j, literal in enumerate(graph.literals.tolist()) if x[literal]]
        depth = {true[0]: 0} if true else {}
        own = {f"{graph.family}.root[{true[0]}]": 1} if true else {}
        around = list(depth)
        edges = [*graph.edges.tolist(), *graph.edges[:, ::-1].tolist()]
        for i in around:
            for j in true:
                if j not in depth and [i, j] in edges:
                    depth[j] = depth[i] + 1
                    own[f"{graph.family}.parent[{j}]={i}"] = 1
                    around.append(j)
        own |= {f"{graph.family}.serial[{j}]": d for j, d in depth.items()}
        last = f"{graph.family}.serial[{len(graph.literals) - 1}]"
        for name in names:
            values.append(own.get(name, 0))
            if name == last:
                break
    for graph in model.acyclic:
        if len(graph.literals):
            values += hung_up(graph, x)
    return not len(tree.broken(np.array(values)))


def hung_up(graph, x):
    """Arcs and serial numbers of a graph's pieces, each hung up by its first node."""
    n = graph.edges.max() + 1
    around = {(a, b): e for e, (a, b) in enumerate(graph.edges.tolist()) if x[graph.literals[e]]}
    around |= {(b, a): e for (a, b), e in around.items()}
    depth, arcs = {}, set()
    for root in range(n):
        reached = [] if root in depth else [root]
        depth.setdefault(root, 0)
        for i in reached:
            for j in range(n):
                if j not in depth and (i, j) in around:
                    depth[j] = depth[i] + 1
                    arcs.add((around[i, j], i))
                    reached.append(j)
    arc_of = [(e, pair) for e, pair in enumerate(graph.edges.tolist()) if pair[0] != pair[1]]
    joined = [(e, pair[way]) in arcs for way in (0, 1) for e, pair in arc_of]
    return [*map(int, joined), *(depth[j] for j in range(n))]


def test_names_are_safe_and_different():
    labels = ["a[1]", "a(1)", "a 1", "a_1_2", "", "", "-1", "1", "ä"]
    names = safe_names("x_", labels)
    assert len(set(names)) == len(labels)
    assert all(name.isascii() and name.replace("_", "a").isalnum() for name in names)
    assert names[:2] == ["x_a_1", "x_a_1_2"]


def test_lines_of_an_lp_file_are_short():
    text = compile_mip(Nonogram.from_picture(np.ones((30, 30), dtype=int)).model()).to_lp()
    assert max(map(len, text.splitlines())) < 560


def test_rows_that_would_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr(mip_module, "TERM_LIMIT", 100)
    with pytest.raises(TooLarge, match="at most 100 fit"):
        compile_mip(Nonogram.examples()[1].model())


# --- backends that are late or wrong ----------------------------------------------------


def pretend(monkeypatch, status, message, values=None, seconds=0.0):
    """HiGHS with an answer that is known beforehand."""

    def solve_rows(rows, limit):
        time.sleep(seconds)
        if values is None:
            return status, message, None
        return status, message, np.pad(values, (0, len(rows.upper) - len(values)))

    monkeypatch.setattr(mip_solver, "solve_rows", solve_rows)


def in_a_process(monkeypatch, function):
    """HiGHS as a function in a process of its own."""
    monkeypatch.setattr(mip_solver, "_SMALL_TERMS", -1)
    monkeypatch.setattr(mip_solver, "solve_rows", function)


def test_a_backend_that_is_late_is_ended(monkeypatch):
    monkeypatch.setattr(mip_solver, "GRACE_S", 0.1)
    in_a_process(monkeypatch, toys.late_rows)
    started = time.perf_counter()
    outcome = run("mip", latin(2, 2), time_limit=0.5)[1]
    assert time.perf_counter() - started < 60
    assert (outcome.complete, outcome.interrupted) == (False, False)


@pytest.mark.parametrize(
    "status",
    [
        (2, "The problem is infeasible. (HiGHS Status 8: Infeasible)"),
        (4, "The problem is unbounded or infeasible. (HiGHS Status 9: Unbounded or infeasible)"),
    ],
)
def test_what_is_said_after_the_time_is_no_proof(monkeypatch, status):
    pretend(monkeypatch, *status, seconds=1.0)
    assert not run("mip", latin(2, 2), time_limit=0.5)[1].infeasible
    assert run("mip", latin(2, 2))[1].infeasible


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((0, "Optimal", [1]), "breaks row"),
        ((0, "Optimal", [7]), "breaks"),
        ((3, "The problem is unbounded."), "stopped with status 'The problem is unbounded"),
        ((2, "(HiGHS Status 2: primal_status is Infeasible)"), "stopped with"),
    ],
)
def test_what_a_backend_says_is_checked(monkeypatch, answer, message):
    pretend(monkeypatch, *answer)
    with pytest.raises(SolverFailed, match=message):
        run("mip", latin(2, 2))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (toys.rows_out_of_luck, "mip: HiGHS ended with status 3 and no answer: out of luck"),
        (toys.rows_of_an_error, "mip: HiGHS ValueError: no such row"),
    ],
)
def test_a_process_without_an_answer_is_one_line(monkeypatch, function, message):
    in_a_process(monkeypatch, function)
    with pytest.raises(SolverFailed, match=message):
        run("mip", latin(2, 2))


def test_an_answer_found_before_the_time_was_up_counts(monkeypatch):
    b = ModelBuilder()
    for i in range(2):
        b.choice(f"c[{i}]", range(3))
    pretend(monkeypatch, 1, "Time limit reached.", [0.9999999, 0, 0, 1, 0, 1.0000001])
    with pytest.raises(SolverFailed):
        run("mip", b.build(), time_limit=0.4)
    pretend(monkeypatch, 1, "Time limit reached.", [0.9999999, 0, 0, 1, 0, 0])
    assert len(run("mip", b.build(), time_limit=0.4)[0]) == 1


@needs("ortools")
def test_all_backends_in_one_process():
    """Some versions of HiGHS' own package and of OR-Tools cannot be imported in one process."""
    code = """
import sys
from qubopuzzle import Nonogram, solve
puzzle = Nonogram(rows=[[1], [1]], cols=[[1], [1]])
for name in "mip", "cpsat", "mip":
    assert solve(puzzle, name, solutions=None, seed=1).complete
assert not {"pulp", "highspy"} & set(sys.modules)
"""
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env
    )
    assert done.returncode == 0, done.stderr


def test_what_keeps_ortools_out_is_named(monkeypatch):
    def broken(name):
        raise ImportError("libortools.so: undefined symbol\nmore")

    monkeypatch.setattr(cpsat_module, "import_module", broken)
    for reason in (lambda model: compile_model(model, "cpsat", None), get_solver("cpsat").prepare):
        with pytest.raises(SolverUnavailable, match=r"one process: libortools.so: .* symbol$"):
            reason(latin(2, 2))


# --- time and Ctrl-C -------------------------------------------------------------------


def market_split():
    """Seven sums of sixty bits to hit at once, which takes every solver far too long."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 1000, (7, 60))
    b = ModelBuilder()
    bits = np.array([b.bit(f"bit[{i}]")[1] for i in range(60)])
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


@pytest.mark.parametrize(("name", "options"), EVERY + LOCAL)
def test_the_time_limit_is_kept(name, options):
    started = time.perf_counter()
    found, outcome = run(name, market_split(), time_limit=1.0, **options)
    assert time.perf_counter() - started < 30  # against running for hours
    assert (found, outcome.complete, outcome.infeasible) == ([], False, False)


@pytest.mark.parametrize(("name", "options"), EVERY + LOCAL)
def test_a_time_limit_that_is_over(name, options):
    outcome = run(name, latin(3, 3), time_limit=1e-9, **options)[1]
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
test_integer.get_solver(name).prepare(test_integer.market_split())
print("ready", flush=True)
found, outcome = test_integer.run(name, test_integer.market_split(), **options)
print(json.dumps([len(found), outcome.interrupted, outcome.complete]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent differently on Windows")
@pytest.mark.parametrize(("name", "options"), EVERY + LOCAL[1:])  # the first is as cpsat
def test_ctrl_c_ends_a_search(name, options, tmp_path):
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
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


@pytest.mark.parametrize(("name", "options"), EVERY + LOCAL)
def test_exact_targets_take_no_weights_and_no_encoding(name, options):
    puzzle = Nonogram(rows=[[1], [1]], cols=[[1], [1]])
    with pytest.raises(InputError, match="takes no weights"):
        solve(puzzle, name, weights={"field": 2})
    with pytest.raises(InputError, match="leave encoding out"):
        solve(puzzle, name, encoding="one-hot")


@needs("ortools")
@pytest.mark.parametrize("workers", ["many", -1, 1.5, 10**6])
def test_wrong_workers_are_refused(workers):
    with pytest.raises(InputError, match="option workers: expected a whole number from 0 to 1,024"):
        get_solver("cpsat").parse_options({"workers": workers})


@needs("ortools")
def test_several_workers_find_the_same_answers():
    assert len(run("cpsat", latin(3, 3), solutions=ALL, workers=2)[0]) == 12


@needs("clingo")
def test_wrong_options_of_clingo_are_refused():
    with pytest.raises(InputError, match="option configuration: expected handy or tweety or"):
        get_solver("clingo").parse_options({"configuration": "fast"})


@needs("clingo")
def test_weights_that_clingo_cannot_count_are_refused(monkeypatch):
    b = ModelBuilder()
    x = [b.bit(f"x{i}") for i in range(3)]
    b.add("sum", 7 * x[0] - 7 * x[1] + 3 * x[2] <= 2)
    monkeypatch.setattr(asp_module, "WEIGHT_LIMIT", 17)
    check_all_answers("clingo", b.build())
    monkeypatch.setattr(asp_module, "WEIGHT_LIMIT", 16)
    with pytest.raises(TooLarge, match="clingo counts weights up to 16, and here are 17"):
        run("clingo", b.build())


def test_wrong_options_of_mip_are_refused():
    with pytest.raises(InputError, match="solver mip has no option 'workers'; it has: none"):
        get_solver("mip").parse_options({"workers": 2})


@pytest.mark.parametrize(
    ("name", "extra"),
    [("cpsat", "cpsat"), ("cpsat-ls", "cpsat"), ("localmip", "localmip"), ("clingo", "clingo")],
)
def test_a_missing_package_is_one_line(monkeypatch, name, extra):
    from qubopuzzle.solvers import base

    monkeypatch.setattr(base, "installed_version", lambda package: "")
    here = get_solver(name).available()
    assert (here.ok, here.why) == (False, f"pip install 'qubopuzzle[{extra}]'")
    puzzle = Nonogram(rows=[[1], [1]], cols=[[1], [1]])
    with pytest.raises(SolverUnavailable, match=f"{name} cannot run here: pip install"):
        solve(puzzle, name)


def test_a_missing_package_is_one_line_for_the_compiler_too(monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools.sat.python.cp_model", None)
    with pytest.raises(SolverUnavailable, match=r"pip install 'qubopuzzle\[cpsat\]'"):
        compile_model(latin(2, 2), "cpsat", None)
