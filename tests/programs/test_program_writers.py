"""Programs written and read back, and models as programs."""

import json
import re
from importlib.util import find_spec
from io import BytesIO
from itertools import product

import dimod
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import highs
from qubopuzzle import (
    Heyawake,
    InputError,
    ModelBuilder,
    Nonogram,
    Numberlink,
    cli,
    export,
    load_model,
    solve,
)
from qubopuzzle.files.models import FORMATS, read_sample
from qubopuzzle.files.models.lp_mps import names_program_lp
from qubopuzzle.model import violation
from qubopuzzle.programs import Program, program_of
from qubopuzzle.programs.grouping import grouped_model, n_groupings
from qubopuzzle.solving.form import rebuilt
from qubopuzzle.testing import all_bits
from strategies import assignments, meaning, models, programs

TEXTS = ("program-lp", "program-mps")


# --- readers ---------------------------------------------------------------------------


def read_opb(data):
    """Names of variables, rows, and a function that values the objective."""
    lines = data.decode().splitlines()
    n, m = map(int, re.match(r"\* #variable= (\d+) #constraint= (\d+)", lines[0]).groups())
    names = dict(re.findall(r"^\* (x\d+) (.*)$", data.decode(), re.M))
    said = [line for line in lines if not line.startswith("*")]
    parts = [line.removeprefix("min:").split() for line in said]
    objective = parts.pop(0)[:-1] if said and said[0].startswith("min:") else []
    assert len(parts) == m

    def total(words, x):
        found = re.findall(r"([+-]\d+)((?: x\d+)+)", " ".join(words))
        return sum(
            int(a) * np.prod([x[int(v) - 1] for v in re.findall(r"\d+", vs)]) for a, vs in found
        )

    def holds(x):
        sums = [(total(row[:-3], x), row[-3], int(row[-2])) for row in parts]
        return all(own == bound or (sign == ">=" and own > bound) for own, sign, bound in sums)

    return [names[f"x{i}"] for i in range(1, n + 1)], holds, lambda x: total(objective, x)


def from_cqm(cqm):
    """A program of dimod's model."""
    names = list(cqm.variables)
    place = {name: i for i, name in enumerate(names)}
    rows, labels, low, high = [], [], [], []
    for label, row in cqm.constraints.items():
        own = np.zeros(len(names))
        for name, value in row.lhs.linear.items():
            own[place[name]] = value
        rows.append(own)
        labels.append(label)
        low.append(-np.inf if row.sense is dimod.sym.Sense.Le else row.rhs)
        high.append(np.inf if row.sense is dimod.sym.Sense.Ge else row.rhs)
    squares = np.zeros((len(names), len(names)))
    for one, other, value in cqm.objective.iter_quadratic():
        squares[place[one], place[other]] = value
    return Program.of(
        np.array(rows).reshape(-1, len(names)),
        low,
        high,
        lower=[cqm.lower_bound(name) for name in names],
        upper=[cqm.upper_bound(name) for name in names],
        cost=[cqm.objective.get_linear(name) for name in names],
        quadratic=squares,
        offset=cqm.objective.offset,
        variables=names,
        rows=labels,
    )


def by_highs(paths):
    """The programs of LP and MPS files."""
    for own in highs.programs(paths):
        n, m = len(own["variables"]), len(own["rows"])
        assert own.pop("whole")
        matrix, squares = np.zeros((m, n)), np.zeros((n, n))
        for row, column, value in own.pop("terms"):
            matrix[row, column] = value
        for i, j, value in own.pop("hessian"):
            squares[j, i] = value / (2 if i == j else 1)
        bounds = own.pop("row_lower"), own.pop("row_upper")
        yield Program.of(matrix, *bounds, quadratic=squares, **own)


# --- programs --------------------------------------------------------------------------


@given(programs())
@settings(max_examples=40, deadline=None)
def test_a_cqm_of_a_program_means_the_same(program):
    made = export(program, "cqm")
    read = from_cqm(dimod.ConstrainedQuadraticModel.from_file(BytesIO(made.data)))
    sign = -1 if program.maximize else 1
    assert read.variables == program.variables
    assert {x: sign * value for x, value in meaning(read).items()} == meaning(program)


@given(programs(bits=True))
@settings(max_examples=40, deadline=None)
def test_an_opb_file_of_a_program_means_the_same(program):
    names, holds, value = read_opb(export(program, "opb").data)
    assert names == list(program.variables)
    found = {x: value(x) for x in product((0, 1), repeat=len(names)) if holds(x)}
    expected = meaning(program)
    assert set(found) == set(expected)
    # Another unit, another zero, minimised: the same order.
    sign = -1 if program.maximize else 1
    order = np.array([found[x] for x in expected]), sign * np.array(list(expected.values()))
    if program.has_objective and len(expected):
        ranks = [np.unique(np.round(part, 6), return_inverse=True)[1].tolist() for part in order]
        assert ranks[0] == ranks[1]


def test_names_that_mean_something_in_lp_files_are_changed(tmp_path):
    names = ["s.t.", "info", "nancy", "Infinity", "semis", "sos1", "int", "such", "to", "e5", "E5"]
    program = Program.of([[1] * len(names)], [3], [3], variables=names, rows=["st"])
    path = tmp_path / "a.lp"
    path.write_bytes(export(program, "program-lp").data)
    found = load_model(path)
    assert sorted(found.variables) == sorted(names_program_lp(program))
    assert found.matrix.toarray().tolist() == [[1] * len(names)]


def test_lp_and_mps_files_of_programs_mean_the_same(tmp_path):
    known, paths = [], []

    @given(programs())
    @settings(max_examples=30, deadline=None, database=None)
    def write(program):
        for to in TEXTS:
            known.append(program)
            paths.append(tmp_path / f"{len(paths)}.{to.removeprefix('program-')}")
            paths[-1].write_bytes(export(program, to).data)

    write()
    for program, read, path in zip(known, by_highs(paths), paths, strict=True):
        built = export(program, "program-lp")
        names = list(read.variables)
        order = [names.index(name) for name in built.labels]
        found = {tuple(x[i] for i in order): value for x, value in meaning(read).items()}
        assert found == meaning(program), path.read_text()
        assert read.maximize == program.maximize


@pytest.mark.parametrize("to", [name for name, form in FORMATS.items() if form.target == "program"])
@pytest.mark.parametrize("kind", [Nonogram, Numberlink, Heyawake])
def test_samples_by_name_and_by_number_lead_back_to_a_puzzle(to, kind):
    if to == "ommx" and not find_spec("ommx"):
        pytest.skip("ommx is not installed")
    puzzle = kind.examples()[0]
    built = export(puzzle, to, presolve="propagate")
    again = rebuilt(json.dumps(built.description))
    assert again.data == built.data
    solution = solve(built.judge.presolved.model, "sat").best.assignment
    bits = built.compiled.encode(solution).tolist()
    by_label = dict(zip(built.compiled.labels(), bits, strict=True))
    literals = " ".join(f"{'' if bit else '-'}x{i}" for i, bit in enumerate(bits, start=1))
    for sample in (by_label, dict(zip(built.labels, bits, strict=True)), bits):
        assert again.decode(sample).valid
    if to == "opb":
        assert again.decode(read_sample(f"s SATISFIABLE\nv {literals}\n")).valid
    if any(bits):
        assert not again.decode([0] * len(bits)).valid


def test_a_program_is_written_with_its_own_names_and_judged_by_its_own_rows():
    program = Program.of([[2, 3, 1]], 5, 6, upper=[1, 2, 4], variables=["a.1", "b c", "k"], cost=1)
    for to, names in {"lp": ["a.1", "x_b_c", "k"], "cqm": ["a.1", "b c", "k"]}.items():
        built = rebuilt(json.dumps(export(program, to).description))
        assert built.labels == names
        judged = built.decode(dict(zip(names, (0, 1, 3), strict=True)))
        assert (judged.valid, judged.objective) == (True, 4)
        assert judged.values == {"a.1": 0, "b c": 1, "k": 3}
        assert built.decode([1, 2, 4]).violations[0].message == "expected 5 to 6, got 12"
        with pytest.raises(InputError, match="expected 0 to 4, got 5"):
            built.decode([0, 0, 5])
    with pytest.raises(InputError, match=r"variable b c: 0 to 2: OPB has 0-1 variables only"):
        export(program, "opb").data  # noqa: B018
    chosen = export(program, "opb", formulation="bits")
    assert "b c=2" in chosen.compiled.labels()


def test_without_the_package_ommx_is_one_line():
    if find_spec("ommx"):
        pytest.skip("ommx is installed")
    with pytest.raises(InputError, match="pip install ommx"):
        export(Program.of([[1]]), "ommx").data  # noqa: B018


def test_the_command_writes_programs(tmp_path, capsys):
    source = tmp_path / "p.json"
    source.write_text(json.dumps(Nonogram.examples()[0].to_dict()))
    for file in ("a.opb", "a.cqm", "a.program.lp"):
        assert cli.main(["export", str(source), "-o", str(tmp_path / file)]) == 0
        assert json.loads((tmp_path / f"{file}.json").read_text())["formulation"] == "window"
    bad = ["export", str(source), "-o", str(tmp_path / "b.opb"), "--encoding", "one-hot"]
    assert cli.main(bad) == 2
    assert "leave encoding out" in capsys.readouterr().err


def solutions(model):
    """The values of a program's variables, as bytes, that a model of it allows."""
    found = (x for x in assignments(model) if not violation(model, x))
    return {model.field.read(x)[0].tobytes() for x in found}


# --- models ----------------------------------------------------------------------------


@given(models(max_choices=3, max_values=3), st.data())
@settings(max_examples=60, deadline=None)
def test_the_program_of_a_model_has_its_solutions(model, data):
    program = program_of(model)
    found = {x.tobytes() for x in all_bits(len(program.variables)) if not program.broken(x)}
    bits = export(model, "cqm").compiled
    every = assignments(model)
    expected = {bits.encode(x).tobytes() for x in every if violation(model, x) == 0}
    assert found == expected
    grouping = data.draw(st.sampled_from([None, *range(n_groupings(program))]))
    again = grouped_model(program, grouping)
    values = {
        again.field.read(x)[0].tobytes() for x in assignments(again) if not violation(again, x)
    }
    assert values == expected
    for x in values:
        own = np.frombuffer(x, dtype=np.int64)
        taken = again.assignment(again.field.write(own))
        assert violation(again, taken) == 0
        assert again.field.read(taken)[0].tobytes() == x


@given(st.data())
def test_the_program_of_a_model_has_its_objective(data):
    builder = ModelBuilder()
    handles = [builder.choice("x", range(3)), builder.bit("y"), builder.choice("z", "ab")]
    n = sum(len(handle.values) for handle in handles)
    cost = st.sampled_from([-2.5, 0, 1, 3])
    pairs = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), cost)))
    one, other, value = np.array(pairs).reshape(-1, 3).T
    builder.objective(one.astype(int), value, other.astype(int), offset=1.5)
    model = builder.build()
    program, bits = program_of(model), export(model, "cqm").compiled
    for x in assignments(model):
        assert program.objective_of(bits.encode(x)) == pytest.approx(model.objective.value(x))


def test_connectivity_has_no_program():
    puzzle = Heyawake.examples()[0]
    with pytest.raises(Exception, match="no form for connectivity"):
        program_of(puzzle.model(puzzle.formulation_for(cuts=True)))


def test_choices_precedences_and_chains_come_back():
    model = Nonogram.examples()[1].model()
    again = grouped_model(program_of(model), 0)
    free = np.flatnonzero(model.sizes > 1).tolist()
    names = [model.choices[c].name for c in free]
    assert [c.name for c in again.choices if c.family == "choice"] == names

    def gaps(model):
        """Between indices of values, by the choices' names."""
        return {
            (model.choices[one].name, model.choices[other].name): gap
            + model.numbers(one)[0]
            - model.numbers(other)[0]
            for block in model.precedence
            for one, other, gap in zip(block.first, block.second, block.gap, strict=True)
        }

    assert gaps(again) == {k: gap for k, gap in gaps(model).items() if set(k) <= set(names)}
    assert sum(len(b.lower) for b in again.linear) <= sum(len(b.lower) for b in model.linear)


def test_rows_over_two_choices_that_are_no_order_stay_rows():
    one = csr_array(np.eye(2).repeat(3, axis=1))
    rows = [[0, 1, 2, 0, 1, 2], [0, -1, -2, 0, 2, 1], [-1, -2, -3, 2, 4, 7], [0, 0, -1, 0, 1, 2]]
    matrix = np.vstack([one.toarray(), rows])
    program = Program.of(matrix, [1, 1, 2, 0, 0, 0], [1, 1, *[np.inf] * 4])
    model = grouped_model(program, 0)
    # The third has other steps in one than in the other, and is an order all the same.
    assert [len(block.first) for block in model.precedence] == [1]
    assert sum(len(block.lower) for block in model.linear) == 3
    assert [choice.values for choice in model.choices] == [(0, 1, 2), (0, 2, 5)]


def test_numbers_in_order_are_precedences():
    program = Program.of([[-1, 1], [2, -2]], [2, -5], np.inf, lower=[-3, 0], upper=[4, 9])
    model = grouped_model(program, 0)
    ((order, back),) = [zip(b.first, b.second, b.gap, strict=True) for b in model.precedence]
    assert (order, back) == ((0, 1, 2), (1, 0, -2))
    assert not model.linear


def test_a_bit_that_is_a_sum_is_folded_where_rows_stay_short():
    builder = ModelBuilder()
    x, y = builder.choice("x", range(4)), builder.choice("y", range(4))
    b = builder.bit("b")
    builder.add("sum", (x == 1) + (x == 2) + (y == 3) == b)
    builder.add("use", b + (x == 0) + (y == 0) >= 1)
    model = grouped_model(program_of(builder.build()), 0)
    assert [choice.name for choice in model.choices] == ["x", "y"]
    solutions = {
        model.field.read(x)[0].tobytes() for x in assignments(model) if not violation(model, x)
    }
    own = program_of(builder.build())
    assert solutions == {p.tobytes() for p in all_bits(9) if not own.broken(p)}
    builder.add("short", b <= (x == 3))
    wide = grouped_model(program_of(builder.build()), 0)
    assert [choice.name for choice in wide.choices] == ["x", "y"]
    z = builder.bit("z")
    builder.add("short", b <= z)
    builder.add("free", z + (x == 3) <= 1)
    assert len(grouped_model(program_of(builder.build()), 0).choices) >= 3
