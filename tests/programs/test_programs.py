"""Models of other tools: every format read, what is refused, the command line, and groupings."""

import bz2
import gzip
import io
import itertools
import json
import lzma
import pickle
import random
import subprocess
import sys
import types
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import dimod
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

import highs
import lp_texts
from kept import Kept
from qubopuzzle import (
    InputError,
    Program,
    export,
    from_cqm,
    from_mip,
    from_ommx,
    judge,
    load,
    load_model,
    solve,
    to_bqm,
)
from qubopuzzle.cli import main
from qubopuzzle.compile.rows import whole_rows
from qubopuzzle.errors import SolverUnavailable, TooLarge
from qubopuzzle.files.models import FORMATS, READERS, lp_mps, reading
from qubopuzzle.model import violation
from qubopuzzle.programs.grouping import grouped_model, n_groupings, structure_of
from qubopuzzle.programs.summary import summary
from qubopuzzle.solvers import all_solvers
from qubopuzzle.solvers.base import installed_version
from strategies import meaning, programs

NEEDS_CPSAT = pytest.mark.skipif(
    not installed_version("ortools"), reason="OR-Tools is not installed"
)

LP = r"""\ two jobs, two slots
Maximize
 value: 3 x_a_1 + 2 x_a_2 + 5 x_b_1 + 4 x_b_2 + z + [ 2 x_a_2 * x_b_1 ] / 2 + 10
Subject To
 job_a: x_a_1 + x_a_2 = 1
 job_b: x_b_1 + x_b_2 = 1
 slot_1: x_a_1 + x_b_1 <= 1
 2 x_a_1 + 3 x_b_2 - z <= 4
Bounds
 0 <= z <= 3
Binaries
 x_a_1 x_a_2 x_b_1 x_b_2
Generals
 z
End
"""
MPS = """NAME  tiny
OBJSENSE
    MAX
ROWS
 N obj
 G c1
 L c2
COLUMNS
    MARKER    'MARKER'  'INTORG'
    x  obj  1.0  c1  1.0
    y  obj  2.0  c1  1.0
    y  c2  -2.5
    MARKER    'MARKER'  'INTEND'
RHS
    rhs  c1  1.0  obj  -5
RANGES
    rng  c1  1
BOUNDS
 BV bnd x
 LI bnd y -1
 UI bnd y 2
QUADOBJ
    x  x  2
    x  y  3
ENDATA
"""
OPB = """* #variable= 4 #constraint= 3
min: +2 x1 -3 ~x2 + 1 y_3 ;
+1 x1 +1 x2 +1 y_3 = 1 ;
 1 x1 -2 ~x4
   >= - 1;
x1 3 x4 <= 3;
"""
QPLIB = """! an example
tiny # name
QIL # type
Minimize
3 # variables
1 # constraints
2 # terms of Q
1 1 2.0   words behind are comments
2 1 -1.0
-0.5 # default of b
1
2 0.5
7 # constant
2
1 1 1
1 3 2
1e20
1 # lower sides
0
1e20 # upper sides
0
0 # lower bounds
0
1 # upper bounds
1
3 4
0
0
0
0
0
0
1 # names
2 b
0
"""


@pytest.fixture(scope="module")
def readers():
    """Processes that read files, by their bound on memory."""
    made = {}
    yield made
    for process in made.values():
        process.close()


@pytest.fixture
def kept(readers, monkeypatch):
    """Files are read in a process that is there already."""

    def process(memory):
        if memory not in readers or not readers[memory].is_ready():
            readers[memory] = Kept(memory=memory)
        return readers[memory]

    all_solvers()  # a solver that is imported later would keep what stands there now
    monkeypatch.setattr("qubopuzzle.base.processes.Worker", process)


def put(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def same(first: Program, second: Program) -> None:
    """Equal but for the order of variables and rows, and rows' scale."""
    assert set(first.variables) == set(second.variables)
    at = [second.variables.index(name) for name in first.variables]
    assert (first.lower == second.lower[at]).all()
    assert (first.upper == second.upper[at]).all()
    sign = -1 if first.maximize != second.maximize else 1
    rng = np.random.default_rng(0)
    for _ in range(40):
        v = rng.integers(first.lower, first.upper + 1)
        w = np.empty_like(v)
        w[at] = v
        assert first.objective_of(v) == pytest.approx(sign * second.objective_of(w), abs=1e-6)
        assert {b.rule for b in first.broken(v)} == {b.rule for b in second.broken(w)}


# --- what is read ------------------------------------------------------------------------


def test_lp(tmp_path):
    found = load_model(put(tmp_path, "jobs.lp", LP))
    expected = Program.of(
        [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 0, 1, 0, 0], [2, 0, 0, 3, -1]],
        [1, 1, -np.inf, -np.inf],
        [1, 1, 1, 4],
        upper=[1, 1, 1, 1, 3],
        cost=[3, 2, 5, 4, 1],
        quadratic=[[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], *[[0] * 5] * 3],
        offset=10,
        maximize=True,
        variables=["x_a_1", "x_a_2", "x_b_1", "x_b_2", "z"],
        rows=["job_a", "job_b", "slot_1", "row3"],
    )
    same(found, expected)
    assert (found.maximize, found.id) == (True, "jobs")


@pytest.mark.usefixtures("kept")
def test_mps_free_and_fixed(tmp_path):
    found = load_model(put(tmp_path, "tiny.mps", MPS))
    expected = Program.of(
        [[1, 1], [0, -2.5]],
        [1, -np.inf],
        [2, 0],
        lower=[0, -1],
        upper=[1, 2],
        cost=[1, 2],
        quadratic=[[1, 3], [0, 0]],
        offset=5,
        maximize=True,
        variables=["x", "y"],
        rows=["c1", "c2"],
    )
    same(found, expected)
    row = "    {:<10}{:<10}{:>12}   {:<10}{:>12}".format
    marker = "    MARKER    'MARKER'                 '{}'".format
    fixed = [
        "NAME          tiny\nROWS\n N  obj\n G  c 1\nCOLUMNS",
        marker("INTORG"),
        row("x 1", "obj", "1.0", "c 1", "2.0"),
        marker("INTEND"),
        "RHS\nBOUNDS\n UP bnd       x 1              3.0\nENDATA\n",
    ]
    same(
        load_model(put(tmp_path, "fixed.mps", "\n".join(fixed))),
        Program.of([[2]], 0, upper=3, cost=1, variables=["x 1"], rows=["c 1"]),
    )


def test_opb(tmp_path):
    expected = Program.of(
        [[1, 1, 1, 0], [1, 0, 0, 2], [1, 0, 0, 3]],
        [1, 1, -np.inf],
        [1, np.inf, 3],
        cost=[2, 3, 1, 0],
        offset=-3,
        variables=["x1", "x2", "y_3", "x4"],
        rows=["row1", "row2", "row3"],
    )
    same(load_model(put(tmp_path, "a.opb", OPB)), expected)


def value_of(terms, values):
    """Of coefficients and literals, the literals being names, with ~ for 1 - it."""
    literal = dict(values)
    literal |= {f"~{name}": 1 - value for name, value in values.items()}
    return sum(a * min(literal[name] for name in names) for a, names in terms)


@pytest.mark.parametrize("seed", range(30))
def test_products_of_opb_by_enumeration(seed, tmp_path):
    rng = random.Random(seed)  # noqa: S311
    names = [f"x{i}" for i in range(1, 5)]

    def terms(most):
        literals = [*names, *(f"~{name}" for name in names)]
        count = rng.randint(1, 4)
        return [
            (rng.randint(-9, 9), rng.choices(literals, k=rng.randint(1, most)))
            for _ in range(count)
        ]

    goal, rows = (
        terms(rng.choice([2, 4])),
        [(terms(3), rng.choice([">=", "="]), 0) for _ in range(2)],
    )
    hidden = dict.fromkeys(names, 1) | {rng.choice(names): 0}
    rows = [(parts, sense, value_of(parts, hidden)) for parts, sense, _ in rows]
    texts = [
        [f"{a:+d} {' '.join(literals)}" for a, literals in part]
        for part in [goal, *(r[0] for r in rows)]
    ]
    lines = [f"min: {' '.join(texts[0])} ;"]
    lines += [
        f"{' '.join(text)} {sense} {side} ;"
        for text, (_, sense, side) in zip(texts[1:], rows, strict=True)
    ]
    program = load_model(put(tmp_path, "products.opb", "\n".join(lines)))
    used = [name for name in program.variables if name in names]
    bits = [name for name in program.variables if name not in names]
    assert all(name[0] == "(" for name in bits)
    worth = {}
    for values in itertools.product((0, 1), repeat=len(used)):
        given = dict.fromkeys(names, 0) | dict(zip(used, values, strict=True))
        sums = [(value_of(parts, given), sense, side) for parts, sense, side in rows]
        valid = all(s == side if sense == "=" else s >= side for s, sense, side in sums)
        answer, violations = program.check({name: given[name] for name in used})
        assert (violations == []) == valid
        assert program.objective_of(answer) == value_of(goal, given)
        if valid:
            worth[values] = value_of(goal, given)
    best = solve(program, "sat", seed=1)
    assert best.objective in (min(worth.values()), None)
    for name in bits:  # a product is what its literals are
        parts = name[1:-1].split()
        assert best.values[name] == value_of([(1, parts)], best.values)
    assert program.to_dict() == Program.from_dict(program.to_dict()).to_dict()


def test_qplib(tmp_path):
    expected = Program.of(
        [[1, 0, 2]],
        1,
        upper=[1, 1, 4],
        cost=[-0.5, 0.5, -0.5],
        quadratic=[[1, -0.5, 0], [0, 0, 0], [0, 0, 0]],
        offset=7,
        variables=["x1", "b", "x3"],
        rows=["row1"],
    )
    same(load_model(put(tmp_path, "a.qplib", QPLIB)), expected)


def random_cqm(rng: np.random.Generator) -> dimod.ConstrainedQuadraticModel:
    cqm = dimod.ConstrainedQuadraticModel()
    x = [dimod.Binary(f"x{i}") for i in range(4)] + [
        dimod.Integer("n", lower_bound=-1, upper_bound=3)
    ]
    q = rng.integers(-3, 4, (5, 5))
    cqm.set_objective(sum(int(q[i, j]) * x[i] * x[j] for i in range(5) for j in range(i + 1)) + 0.5)
    for row in range(12):
        a, side = rng.integers(-3, 4, 5), int(rng.integers(-2, 5))
        left = sum(int(v) * each for v, each in zip(a, x, strict=True))
        cqm.add_constraint([left == side, left <= side, left >= side][row % 3], label=f"r{row}")
    return cqm


def test_cqm_in_the_order_of_the_file(tmp_path):
    cqm = random_cqm(np.random.default_rng(3))
    with cqm.to_file() as file:
        found = load_model(put(tmp_path, "a.cqm", file.read()))
    assert found.rows == tuple(f"r{i}" for i in range(12))
    rng = np.random.default_rng(0)
    for _ in range(40):
        v = rng.integers(found.lower, found.upper + 1)
        sample = found.values_of(v)
        assert found.objective_of(v) == pytest.approx(cqm.objective.energy(sample))
        assert bool(found.broken(v)) != cqm.check_feasible(sample)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    "name",
    ["a.bqm", "a.coo", "a.qubo", "a.mqlib", "a.qplib", "a.qubo.lp", "a.mps", "a.lp.bz2"],
)
def test_exports_are_read_back(tmp_path, name):
    """Our own files: QUBOs of the same energies, programs of the same solutions."""
    program = Program.of([[1, 1, 1], [1, -1, 2]], [1, -np.inf], [1, 1], cost=[2, -1, 3])
    to = "qubo-lp" if ".qubo." in name else name.split(".")[1]
    made = export(program, to, formulation="bits")
    data = bz2.compress(made.data) if name.endswith(".bz2") else made.data
    found = load_model(put(tmp_path, name, data))
    if to in ("lp", "mps"):
        assert solve(found, "mip").valid
        return
    bqm = to_bqm(program, formulation="bits")
    order = [i for i, _ in sorted(enumerate(made.labels), key=lambda pair: pair[1])]
    numbered = {"coo": 0, "qubo": 0, "mqlib": 1}
    names = [str(i + numbered[to]) if to in numbered else made.labels[i] for i in order]
    for bits in itertools.product((0, 1), repeat=len(names)):
        values = dict(zip(names, bits, strict=True))
        energy = bqm.energy({bqm.variables[i]: b for i, b in zip(order, bits, strict=True)})
        worth = found.objective_of([values[v] for v in found.variables])
        assert (-worth if found.maximize else worth) == pytest.approx(energy)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.coo", "# vartype=SPIN\n2 2 1\n2 5 3\n# offset 7\n", [9, 3, 5, 11]),
        ("a.qubo", "c a\np  qubo unconstrained 9 2 1\n5 5 -2\n2 2 1.5\n2 5 3\n", [0, -2, 1.5, 2.5]),
        ("a.mqlib", "2 3\n1 1 4\n2 1 -1.5\n2 2 -1\n", [0, -1, 4, 0]),
        ("b.mqlib", "2 1\n1 2 -1\n", [0, 0, 0, -2]),
    ],
)
def test_files_of_coefficients(tmp_path, name, text, expected):
    found = load_model(put(tmp_path, name, text))
    pairs = itertools.product((0, 1), repeat=2)
    assert [found.objective_of(pair) for pair in pairs] == expected
    assert found.maximize == name.endswith("mqlib")
    assert len(found.variables) == 2


def test_packed_and_standard_input(tmp_path, monkeypatch):
    plain = load_model(put(tmp_path, "a.opb", OPB))
    for suffix, pack in ("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress):
        found = load_model(put(tmp_path, f"b.OPB.{suffix}", pack(OPB.encode())))
        assert found.id == "b"
        same(plain, found)
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(OPB.encode())))
    same(plain, load("-", format="opb")[0])


def test_an_lp_file_of_dimod(tmp_path):
    cqm = random_cqm(np.random.default_rng(1))
    found = load_model(put(tmp_path, "a.lp", dimod.lp.dumps(cqm)))
    for *bits, n in itertools.product(*[(0, 1)] * 4, range(-1, 4)):
        sample = {**{f"x{i}": b for i, b in enumerate(bits)}, "n": n}
        v = np.array([sample[name] for name in found.variables])
        assert found.objective_of(v) == pytest.approx(cqm.objective.energy(sample))
        assert bool(found.broken(v)) != cqm.check_feasible(sample)


@NEEDS_CPSAT
def test_cpsat_in_the_same_process_as_reading_lp(tmp_path):
    path = put(tmp_path, "a.lp", LP)
    script = f"""
from qubopuzzle import load_model, solve
program = load_model({str(path)!r})
first = solve(program, "cpsat", seed=1)
again = load_model({str(path)!r})
print(first.valid, solve(again, "mip").valid)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stdout.split() == ["True", "True"], run.stderr


# --- arrays and OMMX ---------------------------------------------------------------------


def test_from_mip_takes_what_milp_takes():
    rows = LinearConstraint(np.array([[1, 1, 0], [0, 1, 2]]), -np.inf, [1, 3])
    found = from_mip(
        [1, -2, 0], integrality=[1, 1, 0], bounds=Bounds([0, 0, 2], [1, 4, 2]), constraints=rows
    )
    same(
        found,
        Program.of(rows.A, rows.lb, rows.ub, lower=[0, 0, 2], upper=[1, 4, 2], cost=[1, -2, 0]),
    )
    for triple in ([[1, 1]], 1, 1), ([[1, 1]], [1], [1]), ([1, 1], [1], [1]):
        one = from_mip([1, 1], constraints=triple)
        assert (one.row_lower.tolist(), one.row_upper.tolist()) == ([1], [1])
    for three in [rows_of([1, 1])] * 3, [([[1, 0]], 0, 0), ([[1, 1]], [1], [1]), ([1, 0], 0, 1)]:
        assert len(from_mip([1, 1], constraints=three).rows) == 3
    both = from_mip([1, 1], constraints=[rows_of([1, 1]), ([[1, 0]], 0, 0)], rows=["a", "b"])
    assert both.rows == ("a", "b")
    for wrong, name in (
        ({"integrality": 0, "constraints": rows_of([1, 1])}, "variable x0, and 1 more: cont"),
        ({"integrality": [1, 2]}, "variable x1: semi-continuous"),
        ({"constraints": [[1, 1]]}, "constraints 0: expected"),
        ({"constraints": ([[1, 1, 1]], 0, 1)}, "constraints 0: expected 2 columns, got 3"),
        ({"constraints": 3}, "constraints: expected"),
        ({"bounds": 3}, "bounds: expected"),
        ({"integrality": [1, 1, 1]}, "integrality: expected one number, or 2, got list of 3"),
        ({"c": "cheap"}, "c: expected a number a variable, got 'cheap'"),
        ({"c": [[1, 1]]}, "c: expected a number a variable, got list of 1"),
    ):
        with pytest.raises(InputError, match=name):
            from_mip(**{"c": [1, 1], **wrong})


@pytest.mark.parametrize("offset", [np.nan, -np.inf, "a", None])
def test_a_constant_is_a_number(offset):
    with pytest.raises(InputError, match=r"^offset: expected a .*number, got"):
        Program.of([[1, 1]], offset=offset)


def rows_of(row: list[int]) -> LinearConstraint:
    return LinearConstraint(np.array([row]), 0, 1)


class Stub:
    """What a part of an OMMX instance has that is read."""

    def __init__(self, **parts):
        self.__dict__.update({"name": "", "subscripts": [], "parameters": {}, **parts})


class Equality:
    EqualToZero = None


Equality.EqualToZero, ZERO_OR_LESS = Equality(), Equality()


class Instance(Stub):
    MAXIMIZE = 2


def stub_instance(**changes) -> Instance:
    """As OMMX 3 shows it; 2 has lists in place of dictionaries."""
    bit, numbers = Stub(lower=0.0, upper=1.0), Stub(lower=0.0, upper=3.0)
    function = Stub(linear_terms={0: 1.0, 4: 2.0}, constant_term=-3.0, degree=lambda: 1)
    parts = {
        "decision_variables": {
            0: Stub(kind="Binary", bound=bit, name="x", subscripts=[0, 1]),
            3: Stub(kind="Binary", bound=bit),
            4: Stub(kind="Integer", bound=numbers, name="n"),
        },
        "constraints": {7: Stub(function=function, equality=ZERO_OR_LESS, name="cap")},
        "one_hot_constraints": {1: Stub(variables=[0, 3])},
        "sos1_constraints": {2: Stub(variables=[0, 3])},
        "objective": Stub(terms={(0,): 1.0, (3, 4): 2.0, (): 5.0}),
        "sense": 2,
        "dependent_decision_variable_ids": set,
        "irrelevant_decision_variable_ids": set,
    }
    return Instance(**{**parts, **changes})


def test_from_ommx():
    found = from_ommx(stub_instance())
    expected = Program.of(
        [[1, 0, 2], [1, 1, 0], [1, 1, 0]],
        [-np.inf, 1, -np.inf],
        [3, 1, 1],
        upper=[1, 1, 3],
        cost=[1, 0, 0],
        quadratic=[[0, 0, 0], [0, 0, 2], [0, 0, 0]],
        offset=5,
        maximize=True,
        variables=["x[0, 1]", "x3", "n"],
        rows=["cap", "one_hot_1", "sos1_2"],
    )
    same(found, expected)
    w = Stub(kind="Continuous", bound=Stub(lower=0.0, upper=1.0), name="w")
    real = stub_instance().decision_variables | {4: w}
    for changes, why in (
        ({"decision_variables": real}, "variable w: continuous"),
        ({"indicator_constraints": {5: Stub()}}, "constraint 5: an indicator"),
        ({"objective": Stub(terms={(0, 3, 4): 1.0})}, "a product of 3"),
        ({"sos1_constraints": {2: Stub(variables=[0, 4])}}, "sos1 of what are no bits"),
    ):
        with pytest.raises(InputError, match=why):
            from_ommx(stub_instance(**changes))
    with pytest.raises(InputError, match="expected an OMMX instance"):
        from_ommx({})


def test_ommx_that_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("qubopuzzle.files.models.reading.find_spec", lambda name: None)
    with pytest.raises(SolverUnavailable, match="pip install ommx"):
        load_model(put(tmp_path, "a.ommx", b"\n\0"))


@pytest.mark.usefixtures("kept")
def test_an_empty_section_as_highs_writes_it(tmp_path):
    found = load_model(put(tmp_path, "a.lp", LP.replace("End", "semi\nEnd")))
    same(found, load_model(put(tmp_path, "a.lp", LP)))


ROW = "min\n obj: x + y\nst\n c1: {}\nbin\n x y\nend\n"
UNTIDY = {
    "strict": (ROW.format("x + y < 1"), ROW.format("x + y <= 1")),
    "turned": (ROW.format("x + y => 1"), ROW.format("x + y >= 1")),
    "no objective": ("st\n c: x + y >= 1\nbin\n x y\nend\n", None),
    "no terms": ("minimize\n obj:\nst\n c: x + y >= 1\nbin x y\nend\n", None),
    "in British": (ROW.replace("min", "minimise").format("x >= 1"), ROW.format("x >= 1")),
    "twice": (ROW.replace("x + y", "x + y - 3 x", 1).format("x >= 1"), None),
    "signs": (ROW.format("x + - 3 y >= -2"), ROW.format("x - 3 y >= -2")),
    "products": (ROW.replace("x + y", "[ x * y ]", 1).format("x >= 1"), None),
    "a semicolon": (ROW.replace("x", "x;y").format("x;y >= 1"), None),
    "a mark": ("\ufeff" + ROW.format("x >= 1"), ROW.format("x >= 1")),
    "sections": (ROW.replace("x y", "x\nbin\n y").format("x >= 1"), ROW.format("x >= 1")),
    "general": (ROW.replace("bin", "gen\n x\nbin").format("x >= 1"), ROW.format("x >= 1")),
}
"""Texts that are legal or clear; and the tidy one that says the same."""


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("name", UNTIDY)
def test_lp_files_of_others_are_read(tmp_path, name):
    text, tidy = UNTIDY[name]
    found = load_model(put(tmp_path, "a.lp", text))
    values = list(itertools.product((0, 1), repeat=2))
    worth = [found.objective_of(v) for v in values]
    assert worth == {"products": [0, 0, 0, 1], "twice": [0, 1, -2, -1]}.get(name, worth)
    if tidy:
        same(found, load_model(put(tmp_path, "b.lp", tidy)))
    if name.startswith("no "):
        assert [not found.broken(np.array(v)) for v in values] == [False, True, True, True]
        assert not found.has_objective


@pytest.mark.usefixtures("kept")
def test_several_bounds_on_a_line_of_an_lp_file(tmp_path):
    bounds = r"""
     0 <= a <= 3  1 <= b <= 4 \ c >= 9
     c <= 7 -2 <= c d = 5
     e >= - 1 e <= +2.0 f free -9 <= f
     f <= 1e1"""
    text = f"min\n a\nst\n r: a + b + c + d + e + f >= 0\nbounds{bounds}\ngen\n a b c d e f\nend\n"
    found = load_model(put(tmp_path, "a.lp", text))
    bounds = zip(found.lower.tolist(), found.upper.tolist(), strict=True)
    expected = {"a": (0, 3), "b": (1, 4), "c": (-2, 7), "d": (5, 5), "e": (-1, 2), "f": (-9, 10)}
    assert dict(zip(found.variables, bounds, strict=True)) == expected


def test_the_lp_file_that_dimod_writes_of_a_model_without_objective(tmp_path):
    cqm = dimod.ConstrainedQuadraticModel()
    cqm.add_constraint(dimod.Binary("x") + dimod.Binary("y") == 1, label="one")
    found = load_model(put(tmp_path, "a.lp", dimod.lp.dumps(cqm)))
    assert found.rows == ("one",)
    assert not found.has_objective


def test_large_coefficients_of_lp_files_are_read_and_refused_by_their_row(tmp_path):
    text = "min\n obj: x + y\nst\n a: {} x + 3 y >= 2\nbinary\n x y\nend\n"
    taken = load_model(put(tmp_path, "taken.lp", text.format(2 * 10**15)))
    assert taken.matrix.max() == 2e15
    refused = load_model(put(tmp_path, "refused.lp", text.format(2**53 + 1)))
    with pytest.raises(InputError, match=r"row a: its terms add up to .* larger units"):
        refused.model()


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("seed", range(3))
def test_lp_texts_are_read_as_what_they_say_or_refused(seed, tmp_path):
    """Of texts with a wrong character, those that our reader takes, a plain one takes alike."""
    rng = random.Random(seed)  # noqa: S311
    known = [lp_texts.text_and_model(rng) for _ in range(20)]
    wrong = [lp_texts.mutated(rng, text) for text, _ in known for _ in range(20)]
    paths = []
    for i, text in enumerate([text for text, _ in known] + wrong):
        paths.append(put(tmp_path, f"{i}.lp", text))
    found = highs.readings(paths)
    for (text, model), own in zip(known, found, strict=False):
        assert model == lp_texts.plain_model(text)
        assert model == lp_texts.model_of(lp_mps.program(own)), text
    taken = 0
    for text, own in zip(wrong, found[len(known) :], strict=True):
        with suppress(InputError, ValueError, KeyError, IndexError):  # one of them does not read it
            program = lp_mps.program({} if isinstance(own, str) else own)
            plain, model = lp_texts.plain_model(text), lp_texts.model_of(program)
            for name, ends in plain["bounds"].items():
                if np.isinf(ends).any():  # the rows say more
                    model["bounds"][name] = ends
            assert model == plain, text
            taken += 1
    assert 50 < taken < 350


# --- what is refused ---------------------------------------------------------------------

HEAD = "NAME t\nROWS\n N obj\n G c1\nCOLUMNS\n    M  'MARKER'  'INTORG'\n"
HOSTILE = {
    "continuous.lp": (
        ROW.replace("bin\n x y\n", "").format("x + y >= 1"),
        "variable x, and 1 more",
    ),
    "unbounded.lp": (ROW.replace("bin", "gen").format("x + y >= 1"), "variable x: at least 0"),
    "product.lp": (ROW.format("x + [ x * y ] >= 1"), "line 4: quadratic constraints are not supp"),
    "indicator.lp": (ROW.format("x = 1 -> x + y >= 1"), "line 4: indicator constraints are not s"),
    "constant.lp": (
        ROW.format("x + 3 + y >= 1"),
        "line 4: a constant on the left-hand side .* is ignored; move the constant to the right",
    ),
    "nan.lp": (ROW.format("nan x + y >= 1"), "line 4: expected `[+]` or `-`, found `x`; terms in "),
    "huge.lp": (ROW.format("1e400 x + y >= 1"), "inf"),
    "twice.lp": (ROW.format("x + y >= 1\n c1: x - y >= 0"), "two rows are named c1"),
    "cut.lp": (ROW.format("x + "), "line 5: expected a term, found `bin`"),
    "objective.lp": (ROW.replace("min\n obj", "max").format("x >= 1"), "line 1: .* found `max`"),
    "second.lp": (
        ROW.replace("st", "max\n o: x\nst").format("x >= 1"),
        "line 3: the objective is defined more than once; the first objective section is on line 1",
    ),
    "numbers.lp": (ROW.format("2 3 x + y >= 1"), "line 4: expected `[+]` or `-`, found `3`"),
    "factor.lp": (
        ROW.replace("x + y", "x + 2 [ x * y ] / 2", 1).format("x >= 1"),
        r"line 2: .* a coefficient cannot multiply `\[ \]`; move it inside",
    ),
    "constant2.lp": (
        ROW.replace("x + y", "x + 1e400", 1).format("x >= 1"),
        "offset: expected a finite",
    ),
    "range.lp": (ROW.format("1 <= x + y <= 2"), "line 4: expected a number, found `x`"),
    "right.lp": (ROW.format("x >= 1 - y"), "line 4: expected a new line, found `-`"),
    "name.lp": (ROW.format("x + inf + y >= 1"), "variable inf: at least 0, but a choice"),
    "binary.lp": (
        ROW.replace("bin", "bounds\n x <= 5\nbin").format("x >= 1"),
        "variable x is declared binary and has the bounds 0 to 5; declare it in General",
    ),
    "several.lp": (
        ROW.replace("bin", "bounds\n x <= 1 y <= 1\n 0 <= y 3\nbin").format("x >= 1"),
        "line 7: expected a new line, found `3`; each bound must be on its own line",
    ),
    "int.lp": (ROW.replace("bin", "int").format("x >= 1"), "line 6: expected `[+]` or `-`"),
    "semi.lp": (ROW.replace("end", "semi\n y\nend").format("x >= 1"), "variable y: semi-integer"),
    "comment.lp": ("\\ x\n\n", "there are no variables"),
    "endless.lp": (ROW.replace("end\n", "").format("x >= 1"), "line 6: expected `end`"),
    "behind.lp": (ROW.format("x >= 1") + "x", "line 8: expected end of file, found `x`"),
    "latin.lp": (ROW.format("x + \xe9 >= 1").encode("latin-1"), "byte 28 is no UTF-8"),
    "lazy.mps": (HEAD.replace("COLUMNS", "LAZYCONS\nCOLUMNS"), "line 5: LAZYCONS is no section"),
    "words.lp": ("hello world\n", "line 1: expected a section keyword, found `hello`"),
    "unknown.mps": (HEAD + "    x  obj  1  c9  1\n    M  'MARKER'  'INTEND'\nENDATA\n", "c9"),
    "cut.mps": (HEAD + "    x  obj", "No coefficient|HiGHS"),
    "product.opb": ("+1 x1 2 >= 1;", "line 1: the number 2 has no variable behind it"),
    "cut.opb": ("* c\n+1 x1 +1 x2 >= 1", "line 2: it breaks off"),
    "signs.opb": ("- +1 x1 >= 1;", "line 1: expected a whole number, got -\\+1"),
    "huge.opb": ("+99999999999999999999999 x1 >= 1;", "line 1: the number"),
    "soft.opb": ("+1 x1 >= 1;\n[2] +1 x1 >= 1;", r"line 2: \[ is neither"),
    "sense.opb": ("+1 x1 > 1;", "line 1: expected a sum"),
    "number.opb": ("+1 x1 +2 3 >= 1;", "line 1"),
    "cut.qplib": (QPLIB[:120], "breaks off|line"),
    "rows.qplib": ("a\nQBQ\nminimize\n1\n1\n", "constraints are quadratic"),
    "nan.qplib": (QPLIB.replace("-1.0", "nan"), "line 9: expected a number"),
    "index.qplib": (QPLIB.replace("2 1 -1.0", "2 9 -1.0"), "line 9: expected a whole number"),
    "many.qplib": (QPLIB.replace("3 # variables", "3000000000 # v"), "line 5: expected a whole"),
    "real.qplib": (QPLIB.replace("QIL", "QCL"), "variable x1, and 2 more: continuous"),
    "words.coo": ("# vartype=BINARY\n0 0 1\n0 1\n", "line 3: expected i j coefficient"),
    "nan.coo": ("0 0 nan\n", "line 1: expected a number"),
    "kind.coo": ("# vartype=INTEGER\n0 1 1\n", "line 1: INTEGER is neither BINARY nor SPIN"),
    "head.qubo": (
        "c\nMAXIMIZE\n",
        "line 2: expected p qubo 0 maxNodes nNodes nCouplers, got MAXIMIZE",
    ),
    "none.qubo": ("c nothing\n", "expected p qubo 0 maxNodes"),
    "chimera.qubo": ("p qubo chimera128 1 1 0\n0 0 1\n", "line 1: expected p qubo 0"),
    "beyond.qubo": ("p qubo 0 2 2 0\n0 0 1\n2 2 1\n", "line 3: .* from 0 to 1, got 2"),
    "cut.qubo": ("p qubo 0 2 2 1\n0 0 1\n", "1 more nodes and 1 more couplers due"),
    "twice.qubo": ("p qubo 0 2 1 2\n0 0 1\n0 1 1\n1 0 1\n", "line 4: 1 0 comes for the second"),
    "none.mqlib": ("# nothing\n", "expected n m"),
    "head.mqlib": ("3\n1 1 1\n", "line 1: expected n m, got 3"),
    "zero.mqlib": ("2 1\n0 1 1\n", "line 2: expected a whole number from 1 to 2, got 0"),
    "cut.mqlib": ("2 2\n1 1 1\n", "line 3: 1 lines too few"),
    "long.mqlib": ("2 1\n1 1 1\n1 2 3\n", "1 lines too many"),
    "large.mqlib": ("99999999 0\n", "from 1 to 1,000,000"),
    "magic.bqm": (b"DIMODCQM" + bytes(50), "no bqm file"),
    "cut.bqm": (b"DIMODBQM\x02\x00\x00", "it cannot be read"),
    "pickle.cqm": (pickle.dumps({"a": 1}), "no cqm file"),
    "cut.cqm": (b"DIMODCQM" + bytes(50), "damaged"),
    "text.opb": (b"\xff\xfe\0\0", "no text"),
    "empty.lp": ("\n", "it is empty"),
    "cut.opb.gz": (gzip.compress(OPB.encode() * 50)[:-20], "cannot be unpacked"),
    "cut.opb.xz": (lzma.compress(OPB.encode())[:-20], "cannot be unpacked"),
    "wrong.opb.gz": (b"\x1f\x8bhello", "cannot be unpacked"),
}


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_taken_is_one_line(tmp_path, name):
    data, why = HOSTILE[name]
    with pytest.raises(InputError, match=why) as caught:
        load_model(put(tmp_path, name, data))
    message = str(caught.value)
    assert message.startswith(str(tmp_path / name))
    assert "\n" not in message
    assert len(message) < 400


def test_nothing_in_a_cqm_is_unpickled(tmp_path):
    """Not even an array of objects, which NumPy can save as a pickle."""
    with random_cqm(np.random.default_rng(0)).to_file() as file:
        data = file.read()
    path = put(tmp_path, "a.cqm", data)
    boom = io.BytesIO()
    np.save(boom, np.array([Boom(tmp_path / "boom")], dtype=object), allow_pickle=True)
    start = data.index(b"PK\x03\x04")
    with ZipFile(io.BytesIO(data)) as old, path.open("wb") as out:
        out.write(data[:start])
        with ZipFile(out, "a") as new:
            for name in old.namelist():
                new.writestr(name, boom.getvalue() if name == "objective" else old.read(name))
    with pytest.raises(InputError, match="cannot be read"):
        load_model(path)
    assert not (tmp_path / "boom").exists()


class Boom:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "SIZE_LIMIT", 1000)
    for name, data in ("a.opb", b"x" * 1001), ("a.opb.gz", gzip.compress(b" " * 10**6)):
        with pytest.raises(TooLarge, match=r"a\.opb.*larger than"):
            load_model(put(tmp_path, name, data))
    monkeypatch.setattr(reading, "SIZE_LIMIT", 10**6)
    monkeypatch.setattr(reading, "TIME_LIMIT_S", 0.01)
    with pytest.raises(TooLarge, match="takes more than"):
        load_model(put(tmp_path, "a.lp", LP))
    with pytest.raises(InputError, match="No such file"):
        load("there_is_none.lp")
    with pytest.raises(InputError, match="no format of models: 'txt'"):
        load_model("a.txt")


@pytest.mark.parametrize("source", [None, b"a.lp", 3, ["a.lp"]])
@pytest.mark.parametrize("read", [load_model, load])
def test_a_source_is_the_name_of_a_file(read, source):
    with pytest.raises(InputError, match="expected the name of a file, got"):
        read(source)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LP, "a model needs its suffix or --format, such as --format lp"),
        ("c one clause\np cnf 2 1\n1 2 0\n", "a formula in CNF; such files are written, but not"),
    ],
)
def test_models_without_a_suffix_are_told_from_no_puzzle(tmp_path, text, why):
    path = put(tmp_path, "model", text)
    with pytest.raises(InputError, match=f"{path}: .*{why}"):
        load(path)
    if text is LP:
        same(load_model(path, "LP"), load_model(put(tmp_path, "jobs.lp", LP)))


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="+-~x12 ;:>=<min*[\n", max_size=60))
def test_any_text_as_opb_is_read_or_refused(text):
    _read_or_refused("opb", text)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from("\0 9-x\n"))
def test_any_change_of_a_qplib_is_read_or_refused(place, letter):
    at = place % len(QPLIB)
    _read_or_refused("qplib", QPLIB[:at] + letter + QPLIB[at + 1 :])


def _read_or_refused(name, text):
    try:
        program = FORMATS[name].read(text.encode())
    except InputError as error:
        assert "\n" not in str(error)
    else:
        program.broken(program.lower)


# --- the command line --------------------------------------------------------------------


def test_solve_prints_values_by_name(tmp_path, capsys):
    path = put(tmp_path, "jobs.lp.gz", gzip.compress(LP.encode()))
    assert main(["solve", str(path), "--solver", "mip", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["valid"]
    assert found["id"] == "jobs"
    assert set(found["values"]) == {"x_a_1", "x_a_2", "x_b_1", "x_b_2", "z"}
    program = load_model(path)
    values = np.array([found["values"][name] for name in program.variables])
    assert found["objective"] == pytest.approx(program.objective_of(values))
    answer = put(tmp_path, "answer.json", json.dumps(found))
    assert main(["check", str(path), str(answer)]) == 0
    found["solution"]["x_a_1"] = 1 - found["solution"]["x_a_1"]
    answer.write_text(json.dumps(found))
    assert main(["check", str(path), str(answer)]) == 1
    assert "job_a: expected 1, got" in capsys.readouterr().out


def test_check_takes_values_by_name_as_solvers_leave_them(tmp_path, capsys):
    path = put(tmp_path, "jobs.opb", "min: x1 +2 x2 +3 x3; x1 +1 x2 +1 x3 = 1;")
    answer = put(tmp_path, "answer.json", '{"x1": 0, "x2": 0.9999999, "x3": 1e-9}')
    assert main(["check", str(path), str(answer)]) == 0
    assert "jobs: valid, objective 2\n" in capsys.readouterr().out
    assert main(["check", str(path), str(answer), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["objective"] == 2
    answer.write_text('{"x1": 0, "x2": 1}')
    assert main(["check", str(path), str(answer)]) == 2
    assert "there is no value for x3" in capsys.readouterr().err


def test_values_of_other_variables_and_spins_are_named():
    spins = dimod.ConstrainedQuadraticModel()
    a, b = dimod.Spin("a"), dimod.Spin("b")
    spins.add_constraint(a + b == 0, label="apart")
    assert spins.check_feasible({"a": 1, "b": -1})
    program = from_cqm(spins)
    assert judge(program, {"a": 1, "b": 0}).valid
    for values, message in (
        ({"a": 1, "b": -1}, "b: expected 0 or 1, got -1; a program has no spins: 0 stands for -1"),
        ([-1, 1], "a: expected 0 or 1, got -1; a program has no spins: 0 stands for -1"),
        ({"a": 1}, "there is no value for b"),
        ({"a": 1, "b": 0, "c": 0}, "the program has no variable 'c'"),
        ({"a": 1, 3: 0}, "the program has no variable 3; there is no value for b"),
    ):
        with pytest.raises(InputError) as refused:
            judge(program, values)
        assert str(refused.value) == message
    signed = Program.of([[1.0]], 0, 1, lower=-1, upper=1)
    assert [v.rule for v in judge(signed, [-1]).violations] == ["row0"]


@pytest.mark.parametrize("value", ["0.5", "NaN", "null", "1e300", "-Infinity", str(2**63 - 1)])
def test_what_is_no_whole_number_is_named(tmp_path, capsys, value):
    path = put(tmp_path, "a.opb", "x1 +1 x2 >= 1;")
    answer = put(tmp_path, "answer.json", f"[1, {value}]")
    assert main(["check", str(path), str(answer)]) == 2
    got = f"{float('nan' if value == 'null' else value):.12g}"
    message = f"answer.json: x2: expected a whole number, 0 to 1, got {got}\n"
    assert capsys.readouterr().err.endswith(message)


@pytest.mark.usefixtures("kept")
def test_statuses(tmp_path, capsys):
    none = put(tmp_path, "none.opb", "x1 + x2 >= 2; x1 + x2 <= 1;".replace("+", "+1"))
    assert main(["solve", str(none), "--solver", "sat"]) == 3
    assert main(["solve", str(put(tmp_path, "bad.opb", "x1 x2 > 1;"))]) == 2
    assert main(["solve", str(none), "--puzzle", "nonogram"]) == 2
    assert "a model, and no nonogram" in capsys.readouterr().err


def test_large_answers_leave_zeros_out(tmp_path, capsys):
    rows = "".join(f"x{3 * i} +1 x{3 * i + 1} +1 x{3 * i + 2} = 1;\n" for i in range(20))
    path = put(tmp_path, "many.opb", rows)
    assert main(["solve", str(path), "--solver", "mip"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert sum(line.endswith(" = 1") for line in out) == 20
    assert "40 other variables = 0" in out


def test_info(tmp_path, capsys):
    path = put(tmp_path, "jobs.lp", LP)
    assert main(["info", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["structure"]
    assert (found["variables"], found["rows"], found["objective"]) == (5, 4, "quadratic")
    assert (found["choices"], found["in_choices"]) == ({"2": 2}, 0.8)
    assert (found["bits"], found["integers"], found["rows_left"]) == (0, 1, 2)
    assert main(["info", str(path)]) == 0
    assert "2 choices for 80% of the variables" in capsys.readouterr().out
    assert summary(load_model(path), "bits").choices == {}


def test_info_of_a_model_without_a_qubo(tmp_path, capsys):
    path = put(
        tmp_path,
        "far.lp",
        "min\n 2000000000000000 x + y + z\nst\n x + y >= 1\nbin\n x y z\nend",
    )
    assert main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    assert "3 variables, 1 row, linear, minimised" in out
    assert "refused" in out
    assert "too far apart for double precision" in out


def test_formats_lists_models(capsys):
    assert main(["formats"]) == 0
    out = capsys.readouterr().out
    assert all(f"{each.suffix} " in out for each in READERS.values())


def test_export_and_decode(tmp_path, capsys):
    path = put(tmp_path, "jobs.opb", "min: x1 +2 x2 +3 x3; x1 +1 x2 +1 x3 = 1;")
    model = tmp_path / "jobs.bqm"
    assert main(["export", str(path), "-o", str(model)]) == 0
    described = json.loads(Path(f"{model}.json").read_text())
    sample = {label: int(label.endswith("x1")) for label in described["variables"]}
    found = put(tmp_path, "sample.json", json.dumps(sample))
    assert main(["decode", str(path), str(found), "--model", f"{model}.json"]) == 0
    assert ": valid, objective 1, energy 1" in capsys.readouterr().out


# --- groupings ---------------------------------------------------------------------------


def solutions(program, model):
    """States of the model's choices, literals and the program's values; rows and model agree."""
    for state in itertools.product(*(choice.values for choice in model.choices)):
        x = model.assignment(state)
        v = model.field.read(x)[0]
        assert (violation(model, x) == 0) == (not program.broken(v))
        if not violation(model, x):
            yield state, x, v


@given(programs(max_variables=6, max_rows=5))
def test_every_grouping_has_the_programs_solutions(program):
    """By enumeration: the same values, each once, with the same objective.

    Where the objective decides bits, those of the best values of these bits.
    """
    program = Program.from_dict(json.loads(json.dumps(program.to_dict())))
    expected = meaning(program)
    sign = -1 if program.maximize else 1
    for grouping in (None, *range(n_groupings(program))):
        model = grouped_model(program, grouping)
        if np.prod(model.sizes.astype(float)) > 5_000:
            continue
        found = []
        for values, x, v in solutions(program, model):
            found.append(tuple(v.tolist()))
            assert list(model.field.write(v)) == list(values)
            value = sign * model.objective.value(x) if model.objective else program.offset
            assert value == pytest.approx(expected[found[-1]])
        if model.field.decided is None:
            assert sorted(found) == sorted(expected)
        else:
            assert len(set(found)) == len(found)
            best = [
                sign * min((sign * own[v] for v in own), default=0)
                for own in (expected, {v: expected[v] for v in found})
            ]
            assert best[0] == best[1]


@given(
    st.lists(st.integers(-4, 4), min_size=3, max_size=3),
    st.sampled_from([1e6, 1e3, 1, 1 / 3, 0.1, 1e-6]),
    st.integers(-9, 9),
    st.sampled_from(["lower", "upper", "equal"]),
)
def test_factors_of_a_row_change_nothing(coefficients, factor, twice, side):
    """A row times a factor, its bound between two whole numbers or at one: judged and solved."""
    bounds = {"lower": (twice / 2, np.inf), "upper": (-np.inf, twice / 2)}
    low, high = bounds.get(side, (twice / 2, twice / 2))
    matrix = np.array([coefficients])
    plain, scaled = (
        Program.of(matrix, low, high),
        Program.of(factor * matrix, factor * low, factor * high),
    )
    model = grouped_model(scaled, None)
    for v in itertools.product((0, 1), repeat=3):
        valid = low <= matrix[0] @ v <= high
        assert [not own.broken(np.array(v)) for own in (plain, scaled)] == [valid, valid]
        assert (violation(model, model.assignment(v)) == 0) == valid


def mixed_programs(seed):
    """Arguments of ``milp``: three bits, an integer and two continuous variables, few rows."""
    rng = np.random.default_rng(seed)
    upper = [1, 1, 1, rng.choice([2, 9, np.inf]), *rng.choice([3, 2.5, np.inf], 2)]
    matrix = rng.choice([1.0, -1, 2, 0, 3, 700], (3, 6), p=[0.3, 0.2, 0.0, 0.2, 0.0, 0.3])
    matrix[:, 4:] = [[1, 0], [0, 1], rng.choice([0, 1], 2, p=[0.7, 0.3])]
    matrix[:, 4:] *= rng.choice([1, -1, 2, 0.5], (3, 2), p=[0.5, 0.3, 0.1, 0.1])
    side = matrix[:, :4] @ rng.integers(0, 2, 4) + rng.choice([0, 1, 0.5], 3, p=[0.6, 0.3, 0.1])
    low = np.where(rng.random(3) < 0.6, side, -np.inf)
    high = np.where((rng.random(3) < 0.6) | (low == -np.inf), side, np.inf)
    return {
        "c": rng.integers(-3, 6, 6),
        "integrality": [1, 1, 1, 1, 0, 0],
        "bounds": Bounds(np.zeros(6), upper),
        "constraints": LinearConstraint(matrix, low, high),
    }


def test_what_is_not_whole_or_has_no_bounds_is_taken_where_nothing_is_lost():
    """The optimum is that of HiGHS, by enumeration of the model's choices."""
    taken = wide = 0
    for seed in range(300):
        given = mixed_programs(seed)
        try:
            program = from_mip(**given)
        except InputError:
            continue
        best = milp(**given)
        assert best.status in (0, 2), best.message
        taken, wide = taken + 1, wide + bool((program.upper - program.lower >= 1024).any())
        assert Program.from_dict(json.loads(json.dumps(program.to_dict()))).upper is not None
        for grouping in None, 0:
            model = grouped_model(program, grouping)
            if np.prod(model.sizes.astype(float)) > 300:
                continue
            values = [program.objective_of(v) for *_, v in solutions(program, model)]
            assert (best.status == 0) == bool(values)
            assert not values or min(values) == pytest.approx(best.fun, abs=1e-6)
    assert taken > 60
    assert wide > 5


def test_a_variable_that_an_equality_defines_may_have_many_values():
    slack = Program.of(
        [[700, 900, 850, 1, 0]], 1700, 1700, upper=[1, 1, 1, np.inf, 1], cost=[0, 0, 0, 1, 1]
    )
    assert slack.upper.tolist() == [1, 1, 1, 1700, 1]
    for solver in "annealer", "sat", "mip":
        assert solve(slack, solver, seed=1, reads=2).values["x3"] == 100
    assert solve(slack, "mip", seed=1, formulation="bits").objective == 100
    assert not solve(replace(slack, lower=np.array([0, 0, 0, 101, 0])), "sat", seed=1).values["x1"]
    for more in {"quadratic": np.diag([0, 0, 0, 1, 0])}, {"rows": ["b"]}:
        matrix = [[700, 900, 800, 1, 0]] if "rows" not in more else [[701, 900, 800, 2, 0]]
        with pytest.raises(InputError, match=r"variable x3: .* has at most 1,024 values"):
            Program.of(matrix, 4000, 4000, upper=[1, 1, 1, np.inf, 1], **more)


def test_two_inequalities_make_an_equality():
    """Of the same terms, up to sign and scale; and so a choice."""
    matrix = [[1, 1, 1, 0], [-2, -2, -2, 0], [1, 1, 1, 1], [3, 3, 3, 3], [-1, -1, -1, -1]]
    program = Program.of(
        np.array(matrix, dtype=float), [1, -2, -np.inf, 3, -3], [np.inf, np.inf, 2, np.inf, 0]
    )
    rows = whole_rows(program).merged()
    assert rows.number.tolist() == [0, 2, 3, 4]
    assert (rows.lower[0], rows.upper[0]) == (1, 1)
    assert sorted(grouped_model(program, 0).sizes.tolist()) == [2, 3]
    assert not solve(program, "sat", formulation="choices").energy
    opposed = Program.of(np.array([[1.0, 1.0], [-1.0, -1.0]]), [2, -1], [np.inf, np.inf])
    assert len(whole_rows(opposed).merged().number) == 2
    assert solve(opposed, "sat").status == "infeasible"


def one_each(spoiled):
    """Four lines take one of six places each, and the first two places one line each.

    ``spoiled`` has two more bits, of which at most one may be 1.
    """
    n = 26 if spoiled else 24
    at = [range(6 * line, 6 * line + 6) for line in range(4)] + [range(0, 24, 6), range(1, 24, 6)]
    at += [range(24, 26)] if spoiled else []
    matrix = [[float(v in own) for v in range(n)] for own in at]
    return Program.of(matrix, [1] * 6 + [-np.inf] * spoiled, 1)


def test_a_grouping_of_rows_exactly_one_alone_comes_first():
    lines, places = structure_of(one_each(spoiled=False)).groupings
    assert [(len(group.variable), group.exact) for group in lines] == [(6, True)] * 4
    assert [len(group.variable) for group in places if group.exact] == [4, 4]


def test_then_the_grouping_with_most_states_comes_first():
    program = one_each(spoiled=True)
    sizes = [grouped_model(program, number).sizes.tolist() for number in (0, 1)]
    assert [sorted(own) for own in sizes] == [[3, 4, 4, 5, 5, 5, 5], [3, 6, 6, 6, 6]]


def test_a_cqm_file_does_not_tell_when_it_was_written():
    data = export(one_each(spoiled=True), "cqm").data
    dates = {member.date_time for member in ZipFile(io.BytesIO(data)).infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}
    assert dimod.ConstrainedQuadraticModel.from_file(data).num_constraints() > 0


# --- rows with large numbers -------------------------------------------------------------

SHARES = Program.of([[0.3333, 0.6667]], -np.inf, 5, upper=[50, 50], cost=[1, 2], maximize=True)
GRAMS = Program.of(  # four things and two vans, which they fill to the gram
    [
        *np.kron(np.eye(4), [1, 1]),
        [250_001, 0, 400_003, 0, 699_999, 0, 549_997, 0],
        [0, 250_001, 0, 400_003, 0, 699_999, 0, 549_997],
    ],
    [1, 1, 1, 1, -np.inf, -np.inf],
    [1, 1, 1, 1, 950_000, 950_000],
    rows=["a", "b", "c", "d", "van 1", "van 2"],
)


@pytest.mark.parametrize("solver", ["mip", pytest.param("cpsat", marks=NEEDS_CPSAT), "sat"])
def test_rows_with_large_numbers_are_solved_exactly(solver):
    best = solve(SHARES, solver, seed=1)
    assert (best.objective, best.status) == (15, "optimal")
    split = solve(GRAMS, solver, seed=1)
    assert split.valid
    full = {split.values[f"x{2 * thing}"] for thing in (0, 2)}, split.values["x2"]
    assert full in (({1}, 0), ({0}, 1))  # a and c in one van
    less = np.where(GRAMS.row_upper > 1, GRAMS.row_upper - 1, GRAMS.row_upper)
    assert solve(replace(GRAMS, row_upper=less), solver, seed=1).status == "infeasible"


def test_where_numbers_are_squared_one_line_names_the_row_the_reason_and_the_remedy():
    assert solve(SHARES, "annealer", seed=1, reads=1, time_limit=1).valid  # 3333 x + 6667 y
    assert solve(GRAMS, "annealer", seed=1, formulation="bits", presolve="none").valid
    why = (
        "^van 1: its terms add up to 1,900,000 in whole numbers, and a QUBO squares no more than "
        "1,048,576; give it in larger units, or use --solver annealer, mip or cpsat, which take "
        "more$"
    )
    with pytest.raises(InputError, match=why):
        solve(GRAMS, "neal", formulation="bits", presolve="none")
    with pytest.raises(InputError, match=why):
        to_bqm(GRAMS, formulation="bits")
    large = Program.of([[3e11, 1, 1]], 1, 4, rows=["weight"])
    assert solve(large, "annealer", seed=1).valid
    with pytest.raises(InputError, match=r"^weight: .*and mip takes no more than 68,719,476,736;"):
        solve(large, "mip")


def test_beyond_what_doubles_hold_one_line_names_the_row_and_the_remedy():
    row = Program.of([[2**52 - 2, 2**52 - 1, 1]], 2**52 - 1, 2**52 - 1, rows=["weight"])
    model = grouped_model(row, None)
    for v in itertools.product((0, 1), repeat=3):
        valid = v in ((1, 0, 1), (0, 1, 0))
        assert (row.broken(np.array(v)) == []) == valid
        assert (violation(model, model.assignment(v)) == 0) == valid
    assert solve(row, seed=1).valid
    more = replace(row, matrix=row.matrix + row.matrix)
    why = r"^row weight: its terms add up to 1.8e\+16 in whole numbers, more than 9,007,199,254,740"
    with pytest.raises(InputError, match=why):
        solve(replace(more, upper=row.upper + 1), seed=1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([10**6, 10**9, 10**13]))
def test_large_numbers_by_enumeration(seed, size):
    """The annealer is valid only where a state is, and its energy is that of the state."""
    rng = np.random.default_rng(seed)
    matrix, hidden = rng.integers(-size, size, (3, 7)), rng.integers(0, 2, 7)
    matrix[0] = abs(matrix[0])
    total, off = matrix @ hidden, rng.integers(0, 2, 3)
    lower = np.array([total[0] - off[0], total[1] + off[1], -np.inf])
    upper = np.array([total[0] - off[0], np.inf, total[2] - off[2]])
    program = Program.of(matrix, lower, upper, cost=rng.integers(-9, 9, 7))
    states = [np.array(v) for v in itertools.product((0, 1), repeat=7)]
    sums = [matrix.astype(object) @ v for v in states]
    valid = [bool(s[0] == lower[0] and s[1] >= lower[1] and s[2] <= upper[2]) for s in sums]
    assert valid == [not program.broken(v) for v in states]
    model = grouped_model(program, None)
    assert valid == [violation(model, model.assignment(v)) == 0 for v in states]
    result = solve(program, seed=seed, reads=3, presolve="none")
    assert result.valid <= any(valid)
    assert result.valid or not any(valid)
    exact = solve(program, "sat", seed=1)
    assert (exact.status == "infeasible") == (not any(valid))
