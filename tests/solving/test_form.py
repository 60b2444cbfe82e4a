"""``problem.form``: an engine's payload, the way there and back, and files that read themselves."""

import json

import dimod
import numpy as np
import pytest

import qubopuzzle
from qubopuzzle import Form, ModelBuilder, Nonogram, Program, Settings, solve
from qubopuzzle.errors import InputError, ModelError

A = Nonogram.examples()[0]
DOT = Nonogram(rows=[[1], []], cols=[[], [1]])
TARGETS = ["qubo", "cqm", "cnf", "mip", "cpsat", "asp", "model"]


@pytest.mark.parametrize("presolve", ["none", "propagate"])
@pytest.mark.parametrize("to", TARGETS)
def test_an_answer_goes_there_and_comes_back(to: str, presolve: str) -> None:
    if to == "cpsat":
        pytest.importorskip("ortools")
    form = DOT.form(to, formulation="window", presolve=presolve)
    solved = solve(DOT, "sat", formulation="window", presolve=presolve)
    bits = form.encode(solved)
    assert bits.shape == (len(form.labels),)
    back = form.decode(bits)
    assert back.valid
    assert (back.grid == solved.grid).all()
    named = dict(zip(form.labels, bits.tolist(), strict=True))
    assert form.decode(named).valid


def test_a_formula_takes_what_sat_solvers_say() -> None:
    """Literals, as PySAT has them, auxiliary ones among them; by number, too."""
    cadical = pytest.importorskip("pysat.solvers").Cadical195
    form = A.form("cnf", formulation="window")
    with cadical(bootstrap_with=form.payload.clauses()) as solver:
        assert solver.solve()
        literals = solver.get_model()
    assert len(literals) == form.payload.n_variables > len(form.labels)
    assert form.decode(literals).valid
    assert form.decode(np.array(literals)).valid
    assert form.decode({abs(literal): literal > 0 for literal in literals}).valid


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (5, "expected values by label, or in their order, got 5"),
        ("0101", "expected values by label, or in their order, got '0101'"),
        ([0], r"expected \d+ values, got 1"),
        ({}, "there is no value for"),
        ([2] * 4, "expected 0 or 1, got 2"),
        ([None] * 4, "expected numbers, got list of 4"),
        ([[0]] * 4, "expected numbers, got list of 4"),
    ],
)
def test_what_is_no_sample_is_one_line(sample, message: str) -> None:
    b = ModelBuilder()
    for name in "abcd":
        b.bit(name)
    form = b.build().form("qubo")
    with pytest.raises(InputError, match=message):
        form.decode(sample)
    with pytest.raises(InputError, match=r"dimacs is a format of files: qubopuzzle\.export\("):
        b.build().form("dimacs")


@pytest.mark.parametrize("to", ["cnf", "cpsat", "asp"])
def test_what_solvers_add_as_cuts_is_no_part_of_a_form(to: str) -> None:
    b = ModelBuilder()
    b.connected("whole", [b.bit(name) for name in "abc"], [(0, 1), (1, 2)])
    message = f"a form for {to} has no form for connectivity .whole.: .* solver sat, cpsat"
    with pytest.raises(ModelError, match=message):
        b.build().form(to)
    assert b.build().form("mip").labels


def test_the_empty_clause_is_a_clause() -> None:
    b = ModelBuilder()
    x, y = b.bit("x"), b.bit("y")
    b.add("too many", x + y >= 3)
    formula = b.build().form("cnf").payload
    assert [*formula.clauses()][-1] == []
    assert formula.to_dimacs().endswith("\n0\n")
    assert len([*formula.clauses()]) == formula.n_clauses


def test_a_program_is_rows_for_mip(tmp_path) -> None:
    text = (
        "Maximize\n 3 x + 2 y\nSubject To\n c: x + 2 y <= 4\nBounds\n y <= 3\nGeneral\n x y\nEnd\n"
    )
    text = text.replace("y <= 3", "0 <= x <= 3\n 0 <= y <= 3")
    (tmp_path / "p.lp").write_text(text)
    program = qubopuzzle.load_model(tmp_path / "p.lp")
    form = program.form("mip")
    assert form.payload.arrays.upper.tolist() == [3, 3]
    assert form.decode({"x": 3, "y": 0}).objective == 9
    assert form.encode(solve(program, "mip")).tolist() == [3, 0]
    form.write(tmp_path / "q.lp")
    assert "c: +1 x +2 y <= 4" in (tmp_path / "q.lp").read_text()
    assert Form.read(tmp_path / "q.lp").decode([3, 0]).valid
    assert len(program.form("cqm").payload.constraints) == 1


def test_values_of_solvers_are_nearly_whole() -> None:
    form = A.form("qubo", formulation="window")
    bits = form.encode(solve(A, "sat", formulation="window"))
    for off in (1e-7, -1e-7):
        assert form.decode((bits + off).tolist()).valid
        assert form.energies(bits[None] + off).tolist() == [0]
    for wrong in (0.5, 0.99, 2, np.nan):
        for use in (form.decode, lambda values: form.energies([values])):
            with pytest.raises(InputError, match=r"expected 0 or 1, got (0\.5|0\.99|2|nan)"):
                use([wrong] * len(bits))


def test_spins_are_bits_where_they_are_said_to_be() -> None:
    form = DOT.form("qubo", formulation="window")
    spins = dimod.RandomSampler().sample(form.bqm.change_vartype("SPIN", inplace=False), seed=1)
    bits = spins.change_vartype("BINARY", inplace=False)
    assert np.allclose(form.energies(spins), bits.record.energy)
    assert form.decode(spins).energy == bits.record.energy.min()
    assert form.decode(bits.first).energy == bits.record.energy.min()
    with pytest.raises(InputError, match="expected 0 or 1, got -1; of spins give the sample set"):
        form.decode(dict.fromkeys(form.labels, -1))


def test_a_sample_of_another_form_says_which() -> None:
    sample = dict.fromkeys(DOT.form("qubo", encoding="one-hot", formulation="window").labels, 0)
    form = DOT.form("qubo", encoding="domain-wall", formulation="window")
    for use in (form.decode, form.energies):
        with pytest.raises(InputError, match="it is of a model made with encoding='one-hot'"):
            use(sample)
    other = solve(A, "sat", formulation="window")
    with pytest.raises(InputError, match="is of formulation window, not numbering: solve"):
        A.form("qubo", formulation="numbering").encode(other)
    with pytest.raises(InputError, match="expected values of Amplify's model"):
        DOT.form("amplify").decode({"a": 1})


@pytest.mark.parametrize("encoding", ["one-hot", "domain-wall"])
def test_energies_are_those_of_the_payload(encoding: str) -> None:
    form = DOT.form("qubo", encoding=encoding, weights={"field": 2})
    assert form.bqm == qubopuzzle.to_bqm(DOT, encoding=encoding, weights={"field": 2})
    samples = dimod.RandomSampler().sample(form.bqm, num_reads=20, seed=1)
    assert np.allclose(form.energies(samples), samples.record.energy)
    plain = samples.record.sample[:, [samples.variables.index(v) for v in form.labels]]
    assert np.allclose(form.energies(plain), samples.record.energy)
    best = form.decode(samples)
    assert best.energy == samples.record.energy.min()
    assert best.valid == (best.energy == 0)


def test_a_form_is_written_and_reads_itself_back(tmp_path) -> None:
    solved = solve(A, "sat", formulation="window")
    for file in ("a.coo", "a.bqm", "a.ising.json"):
        form = A.form("qubo", formulation="window", encoding="domain-wall")
        form.write(tmp_path / file)
        read = Form.read(tmp_path / f"{file}.json")
        assert Form.read(tmp_path / file).data == read.data
        assert json.loads((tmp_path / f"{file}.json").read_text())["file"] == file
        assert (read.labels, read.target) == (read.format.names(read.compiled), "qubo")
        assert read.data == (tmp_path / file).read_bytes()
        assert read.decode(form.encode(solved)).valid
        assert read.settings.encoding == "domain-wall"
    A.form("cnf").write(tmp_path / "b.txt", "dimacs")
    assert (tmp_path / "b.txt").read_text().startswith("c ")
    assert Form.read(tmp_path / "b.txt.json").target == "cnf"


def test_a_program_keeps_its_rows(tmp_path) -> None:
    program = Program.of([[2, 3]], 5, 9, upper=[3, 3], variables=["p", "q"])
    form = program.form("cqm")
    assert list(form.cqm.variables) == ["p", "q"]
    form.write(tmp_path / "p.cqm")
    assert form.decode({"p": 1, "q": 1}).valid
    assert not form.decode({"p": 0, "q": 0}).valid
    assert program.form("cqm", formulation="bits").labels != ["p", "q"]


def test_it_shows_its_sizes() -> None:
    form = DOT.form("qubo", formulation="numbering")
    n = form.bqm.num_variables, form.bqm.num_interactions
    assert repr(form) == f"<Form qubo of nonogram '': {n[0]} variables, {n[1]} couplings>"


def test_a_model_has_forms_too() -> None:
    b = ModelBuilder()
    b.at_most_one("one", [[b.bit("x"), b.bit("y")]])
    assert b.build().form("qubo").bqm == qubopuzzle.form(b.build(), "qubo").bqm


def test_amplify_answers_come_back() -> None:
    pytest.importorskip("amplify")
    import amplify

    form = DOT.form("amplify", formulation="window", encoding="one-hot")
    found = amplify.solve(form.payload, qubopuzzle.amplify_client())
    assert form.decode(found.best.values).valid


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: A.form("qbo"), "no form for 'qbo'; did you mean qubo"),
        (lambda: A.form("cnf", encoding="one-hot"), "cnf has an encoding of its own"),
        (lambda: A.form("mip", weights={"field": 2}), "mip keeps every constraint"),
        (lambda: A.form("qubo", seed=1), "unknown setting 'seed'"),
        (lambda: A.form("cnf").bqm, "a form for cnf has no bqm; make one for qubo"),
        (lambda: A.form("qubo").cqm, "a form for qubo has no cqm; make one for cqm"),
        (lambda: A.form("cnf").energies([[0]]), "expected "),
        (lambda: DOT.form("cnf").energies([[0, 0]]), "a form for cnf has no energies"),
        (lambda: A.form("qubo").energies({"x": 0}), "the model has no variable 'x'"),
        (lambda: A.form("qubo").encode(A.solution), "a grid does not say what the"),
        (lambda: A.form("qubo").data, "write(FILE) chooses one"),
        (lambda: A.form("qubo").write("a.lp"), "lp is made of a form for mip, not qubo"),
        (lambda: A.form("qubo").write("a.png"), "a model's name ends in one of"),
        (lambda: A.form("qubo").decode([0, 1]), "values, got 2"),
        (lambda: A.form("qubo").decode({"a": 0}), "the model has no variable 'a'"),
    ],
)
def test_what_cannot_be_is_one_line(call, message) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_settings_record_serves_forms_and_solve() -> None:
    chosen = Settings("neal", formulation="window", encoding="domain-wall", seed=1)
    assert A.form("qubo", chosen).settings.encoding == "domain-wall"
    assert solve(A, chosen).formulation == "window"
