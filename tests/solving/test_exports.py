"""Models as files of other tools, and their assignments back."""

import hashlib
import io
import json
import re
from importlib.util import find_spec
from pathlib import Path

import dimod
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.formula import CNF

import highs
from qubopuzzle import Heyawake, InputError, Nonogram, Numberlink, Sudoku, cli, to_bqm
from qubopuzzle.compile import compile_qubo
from qubopuzzle.compile.lp_mps import number
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.files.models import WRITTEN, read_sample
from qubopuzzle.files.puzzles import get_format
from qubopuzzle.model import ModelBuilder
from qubopuzzle.solving.form import decode_file, export, problem_hash
from qubopuzzle.testing import all_bits

native = get_format("json")

A = Nonogram.examples()[0]
HERE = [name for name in WRITTEN if name != "ommx" or find_spec("ommx")]
QUBOS = [name for name, form in WRITTEN.items() if form.target == "qubo"]


def terms(lines):
    """Lines ``i j value`` as three columns."""
    table = np.array([line.split() for line in lines], dtype=float).reshape(-1, 3)
    return table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2]


def by_bqm(data, samples, labels):
    model = dimod.BinaryQuadraticModel.from_file(io.BytesIO(data))
    assert list(model.variables) == labels
    return model.energies((samples, labels))


def by_coo(data, samples, labels):
    from dimod.serialization import coo

    model = coo.loads(data.decode())
    assert sorted(model.variables) == list(range(len(labels)))
    return model.energies((samples, range(len(labels))))


def by_qbsolv(data, samples, labels):
    lines = [line for line in data.decode().splitlines() if not line.startswith("c")]
    word, name, topology, *counts = lines[0].split()
    assert (word, name, topology) == ("p", "qubo", "0")
    i, j, value = terms(lines[1:])
    assert (i <= j).all()
    assert list(map(int, counts)) == [len(labels), (i == j).sum(), (i < j).sum()]
    return (samples[:, i] * samples[:, j]) @ value


def by_mqlib(data, samples, labels):
    lines = [line for line in data.decode().splitlines() if not line.startswith("#")]
    i, j, value = terms(lines[1:])
    assert lines[0] == f"{len(labels)} {len(i)}"
    matrix = np.zeros((len(labels), len(labels)))
    matrix[i - 1, j - 1] = matrix[j - 1, i - 1] = value
    return ((samples @ matrix) * samples).sum(axis=1)


def by_amplify(data, samples, labels, tmp_path):
    import amplify

    (tmp_path / "a.qplib").write_bytes(data)
    model, _ = amplify.load_qplib(tmp_path / "a.qplib")
    place = {variable.id: labels.index(variable.name) for variable in model.variables}
    total = np.zeros(len(samples))
    for ids, value in model.objective.as_dict().items():
        total += value * np.prod([samples[:, place[i]] for i in ids], axis=0)
    return total


def by_highs(data, samples, labels, tmp_path):
    """With dimod and with HiGHS."""
    program = dimod.lp.loads(data.decode())
    assert set(program.variables) == set(labels)
    assert not program.constraints
    assert all(program.vartype(name) is dimod.BINARY for name in labels)
    energies = program.objective.energies((samples, labels))
    if find_spec("highspy"):
        path = tmp_path / "a.lp"
        path.write_bytes(data)
        (read,) = highs.programs([path])
        values = samples[:, [labels.index(name) for name in read["variables"]]]
        quadratic = np.zeros((len(labels), len(labels)))
        for i, j, value in read["hessian"]:
            quadratic[i, j] = quadratic[j, i] = value
        found = read["offset"] + values @ read["cost"]
        found = found + ((values @ quadratic) * values).sum(axis=1) / 2
        np.testing.assert_allclose(found, energies, atol=1e-9)
    return energies


def by_spins(data, samples, labels):
    read = json.loads(data)
    assert read["variables"] == labels
    spins = 2 * samples - 1
    couplings = np.zeros((len(labels), len(labels)))
    for i, j, value in read["J"]:
        assert i < j
        couplings[i, j] = value
    return read["offset"] + spins @ read["h"] + ((spins @ couplings) * spins).sum(axis=1)


READERS = {
    "bqm": by_bqm,
    "coo": by_coo,
    "qubo": by_qbsolv,
    "mqlib": by_mqlib,
    "qplib": by_amplify,
    "qubo-lp": by_highs,
    "ising": by_spins,
}


@pytest.mark.parametrize("name", QUBOS)
@pytest.mark.parametrize("encoding", ["one-hot", "domain-wall"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_qubo_has_the_same_energies_when_its_reader_has_read_it(
    name, encoding, weighted, tmp_path
):
    families = A.model().families
    weights = dict(zip(families, [1 / 3, 1e-3, 7], strict=False)) if weighted else None
    made = export(A, name, encoding=encoding, weights=weights)
    about = made.description
    bqm = to_bqm(A, encoding=encoding, weights=weights)
    labels = about["variables"]
    assert len(set(labels)) == len(labels) == bqm.num_variables
    samples = np.random.default_rng(1).integers(0, 2, (100, len(labels)))
    more = [tmp_path] if name in ("qplib", "qubo-lp") else []
    objective = READERS[name](made.data, samples, labels, *more)
    energy = about["energy"]
    found = energy["offset"] + energy["sign"] * objective
    np.testing.assert_allclose(found, bqm.energies((samples, list(bqm.variables))), atol=1e-9)
    if name != "qubo-lp":
        assert labels == list(bqm.variables)
    if name in ("bqm", "qplib", "qubo-lp", "ising"):
        assert energy["offset"] == 0


def test_variables_in_no_term_keep_their_places():
    builder = ModelBuilder()
    for name in ("first", "lonely", "last"):
        builder.bit(name)
    model = builder.build()
    empty = compile_qubo(model)
    for name in QUBOS:
        data = WRITTEN[name].write(empty)
        samples = np.ones((1, 3), dtype=int)
        if name in ("coo", "qubo", "mqlib", "ising"):
            assert READERS[name](data, samples, ["first", "lonely", "last"]).tolist() == [0]
    assert b"3 # variables" in WRITTEN["qplib"].write(empty)


def test_an_ising_model_is_exactly_that_of_dimod_and_says_its_convention():
    puzzle = Nonogram(rows=[[1], [2]], cols=[[2], [1]])
    for encoding in ("one-hot", "domain-wall"):
        made = export(puzzle, "ising", encoding=encoding)
        read = json.loads(made.data)
        assert "minimised" in read["convention"]
        fields, couplings, offset = to_bqm(puzzle, encoding=encoding).to_ising()
        names = read["variables"]
        assert dict(zip(names, read["h"], strict=True)) == fields
        found = {frozenset((names[i], names[j])): value for i, j, value in read["J"]}
        assert found == {frozenset(pair): value for pair, value in couplings.items()}
        assert read["offset"] == offset
        every = all_bits(len(names))
        assert (by_spins(made.data, every, names) == made.compiled.energies(every)).all()


def test_spins_come_back_from_an_ising_model():
    puzzle = Nonogram(rows=[[1], [2]], cols=[[2], [1]])
    built = export(puzzle, "ising")
    bits = next(x for x in all_bits(len(built.labels)) if built.decode(x.tolist()).valid)
    spins = (2 * bits - 1).tolist()
    by_name = dict(zip(built.labels, spins, strict=True))
    texts = [json.dumps(spins), " ".join(map(str, spins)), json.dumps(by_name)]
    texts += [" ".join(f"{spin:+d}.0" for spin in spins)]
    for text in (*texts, json.dumps(bits.tolist())):
        found = built.decode(read_sample(text))
        assert (found.valid, found.energy) == (True, 0)
    assert built.decode([1] * len(spins)).energy == built.compiled.energies(np.ones((1, len(bits))))
    for bad, message in {0: "expected -1 or 1, as others are spins, got 0", 2: "got 2"}.items():
        with pytest.raises(InputError, match=message):
            built.decode([-1, *spins[1:-1], bad])
    with pytest.raises(InputError, match="expected 0 or 1, got 2"):
        built.decode([0, *[2] * (len(spins) - 1)])
    with pytest.raises(InputError, match="expected 0 or 1, got -1"):
        export(puzzle, "coo").decode(spins)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_whole_and_without_exponents(value):
    assert float(number(value)) == value
    assert "e" not in number(value)


def test_dimacs_is_read_by_pysat_and_its_answer_comes_back():
    from pysat.solvers import Solver

    made = export(A, "dimacs")
    formula = CNF(from_string=made.data.decode())
    about = made.description
    assert formula.nv <= len(about["variables"]) + about["auxiliary"]
    with Solver("cadical195", bootstrap_with=formula) as solver:
        assert solver.solve()
        literals = solver.get_model()
    lines = f"c comment\ns SATISFIABLE\nv {' '.join(map(str, literals[:9]))}\n"
    lines += f"v {' '.join(map(str, literals[9:]))} 0\n"
    for text in (lines, f"o -3\n{lines}", f"SAT\n{' '.join(map(str, literals))} 0\n"):
        found = export(A, "dimacs").decode(read_sample(text))
        assert (found.violations, found.energy) == ((), None)
        assert (found.grid == A.solution).all()


@pytest.mark.parametrize("name", ["lp", "mps"])
@pytest.mark.parametrize("presolve", ["none", "propagate"])
@pytest.mark.parametrize("kind", [Nonogram, Numberlink, Heyawake])
def test_programs_are_solved_by_highs_and_come_back(name, kind, presolve, tmp_path):
    puzzle = kind.examples()[0]
    built = export(puzzle, name, presolve=presolve)
    path = tmp_path / f"a.{name}"
    path.write_bytes(built.data)
    (solution,) = highs.solutions([path])
    text = json.dumps(solution)
    about = built.description
    assert len(solution) == max(1, len(about["variables"]) + about["auxiliary"])
    found = built.decode(read_sample(text))
    assert found.violations == ()


def rows_by_highs(path):
    """Terms (row, variable, coefficient) and bounds of a file, as HiGHS reads it."""
    (read,) = highs.programs([path])
    assert read["offset"] == 0
    assert not any(read["cost"])
    terms = [(row, read["variables"][column], value) for row, column, value in read["terms"]]
    bounds = zip(read["row_lower"], read["row_upper"], strict=True)
    return terms, [(max(low, -1e9), min(high, 1e9)) for low, high in bounds]


def rows_by_pulp(path):
    """The same, as PuLP reads it."""
    pulp = pytest.importorskip("pulp")
    _, program = pulp.LpProblem.fromMPS(str(path))
    assert not any(program.objective.values())
    assert program.objective.constant == 0
    terms, rows = [], []
    # A dictionary before PuLP 4.
    constraints = program.constraints
    found = constraints() if callable(constraints) else constraints.values()
    for at, row in enumerate(found):
        bound = -row.constant
        low, high = (-1e9 if row.sense < 0 else bound, 1e9 if row.sense > 0 else bound)
        rows.append((low, high))
        terms += [(at, variable.name, value) for variable, value in row.items()]
    return terms, rows


@pytest.mark.parametrize(
    ("name", "reader"), [("lp", rows_by_highs), ("mps", rows_by_highs), ("mps", rows_by_pulp)]
)
@pytest.mark.parametrize("kind", [Nonogram, Numberlink])
def test_a_program_has_the_same_broken_rows_when_its_reader_has_read_it(
    name, reader, kind, tmp_path
):
    """A program has no energy but the rows that an assignment breaks."""
    built = export(kind.examples()[0], name)
    path = tmp_path / f"a.{name}"
    path.write_bytes(built.data)
    terms, rows = reader(path)
    place = {variable: i for i, variable in enumerate(built.compiled.variable_names())}
    matrix = np.zeros((len(rows), len(place)))
    for row, variable, value in terms:
        matrix[row, place[variable]] += value
    low, high = np.array(rows).T
    rng = np.random.default_rng(1)
    counts = set()
    for share in np.linspace(0, 1, 100):
        values = (rng.random(len(place)) < share).astype(np.int64)
        found = matrix @ values
        expected = len(built.compiled.broken(values))
        assert ((found < low) | (found > high)).sum() == expected
        counts.add(expected)
    assert len(counts) > 10


def test_a_formula_has_the_same_false_clauses_when_its_reader_has_read_it():
    built = export(A, "dimacs")
    formula = CNF(from_string=built.data.decode())
    rng = np.random.default_rng(1)
    counts = set()
    for _ in range(100):
        sign = rng.choice([-1, 1], built.compiled.n_variables + 1)
        false = [
            sum(all(sign[abs(v)] * v < 0 for v in clause) for clause in clauses)
            for clauses in (formula.clauses, built.compiled.clauses())
        ]
        assert false[0] == false[1]
        counts.add(false[0])
    assert len(counts) > 5


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text(native.write([A]))
    (tmp_path / "two.jsonl").write_text(native.write(Nonogram.examples()[:2]))
    return tmp_path


def run(capsys, *arguments):
    """Exit status, standard output and standard error."""
    status = cli.main(list(map(str, arguments)))
    return status, *capsys.readouterr()


def refused(capsys, *arguments):
    """The one line of an error."""
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("qubopuzzle: error: ")
    assert err.count("\n") == 1
    return err.removeprefix("qubopuzzle: error: ").strip()


def ground_state(puzzle):
    """A sample of the exported QUBO with energy 0, as dimod gives it."""
    from dwave.samplers import SimulatedAnnealingSampler

    bqm = to_bqm(puzzle)
    found = SimulatedAnnealingSampler().sample(bqm, num_reads=50, num_sweeps=500, seed=1)
    assert found.first.energy == 0
    return found


def test_a_dimod_sample_of_the_exported_model_comes_back_solved(folder, capsys):
    assert run(capsys, "export", "a.json", "-o", "a.bqm") == (0, "", "")
    with (folder / "a.bqm").open("rb") as file:
        bqm = dimod.BinaryQuadraticModel.from_file(file)
    assert bqm == to_bqm(A)
    found = ground_state(A)
    order = json.loads((folder / "a.bqm.json").read_text())["variables"]
    best = {label: int(value) for label, value in found.first.sample.items()}
    bits = [best[label] for label in order]
    texts = {
        "labels": json.dumps(best),
        "numbers": json.dumps(dict(enumerate(bits))),
        "list": json.dumps([bool(bit) for bit in bits]),
        "samples": json.dumps(found.to_serializable()),
        "spins": json.dumps(found.change_vartype("SPIN", inplace=False).to_serializable()),
        "digits": "".join(map(str, bits)) + "\n",
        "words": " ".join(f"{bit:.1f}" for bit in bits),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
        status, out, err = run(capsys, "decode", "a.bqm.json", name)
        assert (status, err) == (0, ""), name
        assert A.picture(A.solution).text() in out
        assert out.endswith("picross-a: valid, energy 0\n")
    status, out, _ = run(capsys, "decode", "a.json", "labels", "--model", "a.bqm.json", "--json")
    answer = json.loads(out)
    assert (status, answer["valid"], answer["energy"]) == (0, True, 0)
    assert answer["solution"] == A.format_answer(A.solution)
    (folder / "zeros").write_text("0" * len(bits))
    status, out, _ = run(capsys, "decode", "a.bqm.json", "zeros", "--json")
    answer = json.loads(out)
    assert (status, answer["valid"]) == (1, False)
    assert answer["energy"] == to_bqm(A).offset


@pytest.mark.parametrize("name", HERE)
def test_every_format_has_a_suffix_and_a_description(name, folder, capsys):
    suffix = WRITTEN[name].suffix
    assert run(capsys, "export", "two.jsonl", "-o", f"{{id}}{suffix}") == (0, "", "")
    for puzzle in Nonogram.examples()[:2]:
        about = json.loads((folder / f"{puzzle.id}{suffix}.json").read_text())
        assert (about["to"], about["file"]) == (name, f"{puzzle.id}{suffix}")
        assert about["puzzle_sha256"] == problem_hash(puzzle)
        assert (folder / about["file"]).read_bytes() == export(puzzle, name).data
    assert run(capsys, "export", "a.json", "--presolve", "none", f"b{suffix}") == (0, "", "")
    assert (folder / f"b{suffix}").exists()
    assert not (folder / f"b{suffix}.json").exists()
    if WRITTEN[name].text:
        status, out, _ = run(capsys, "export", "a.json", "--to", name)
        assert (status, out.encode()) == (0, (folder / f"b{suffix}").read_bytes())


def test_how_it_was_compiled_is_taken_from_the_description(folder, capsys):
    options = ["--presolve", "propagate", "--encoding", "domain-wall", "--formulation", "pattern"]
    puzzle = Nonogram(rows=[[1], [1]], cols=[[1], [1]], id="open")
    (folder / "open.json").write_text(native.write([puzzle]))
    assert run(capsys, "export", "open.json", "-o", "m.coo", *options)[0] == 0
    about = json.loads((folder / "m.coo.json").read_text())
    assert [about[key] for key in ("presolve", "encoding", "formulation")] == options[1::2]
    for sample in np.ndindex(*[2] * len(about["variables"])):
        (folder / "s").write_text(json.dumps(sample))
        status, out, _ = run(capsys, "decode", "m.coo.json", "s", "--json")
        answer = json.loads(out)
        assert status == (0 if answer["valid"] else 1)
        assert answer["valid"] >= (answer["energy"] == 0)


def test_the_hash_is_of_what_defines_the_puzzle():
    data = A.to_dict()
    other = Nonogram.from_dict({**data, "title": "other", "id": "b", "n_solutions": None})
    assert problem_hash(other) == problem_hash(A)
    changed = {"puzzle": "nonogram", "rows": data["rows"][::-1], "cols": data["cols"]}
    assert problem_hash(Nonogram.from_dict(changed)) != problem_hash(A)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "xyz"], "no format 'xyz' to export to; choose from bqm, coo, qubo, mqlib,"),
        (["--to", "bqm"], "bqm is no text; write it to a file with -o FILE.bqm"),
        (["a.xyz"], "a.xyz: a model's name ends in one of .bqm, .coo, .qubo, .mqlib,"),
        ([], "say where to, or --to FORMAT for standard output"),
        (["a.lp", "-o", "b.lp"], "give a.lp or -o b.lp, not both"),
        (["--to", "lp", "--weight", "field=2"], "picross-a: lp keeps every constraint"),
        (["--to", "lp", "--encoding", "one-hot"], "picross-a: lp has an encoding of its own"),
        (
            ["--to", "coo", "--weight", "field=x"],
            "--weight: field must be a number, got 'x'",
        ),
        (["--to", "coo", "--presolve", "magic"], "unknown presolve 'magic'"),
        (["--to", "coo", "-o", "a"], "a: a.json is the puzzle; take another name"),
        (["-o", "nowhere/a.coo"], "nowhere/a.coo: there is no folder nowhere"),
    ],
)
def test_exports_are_refused_in_one_line(folder, capsys, arguments, message):
    assert refused(capsys, "export", "a.json", *arguments).startswith(message)


SAMPLES = [
    ('{"x": 1}', "the model has no variable 'x'; there is no value for row[0].start[0]=0"),
    ('{"row[0].start[0]=0": 1}', "there is no value for row[0].start[0]=1"),
    ('{"99": 1}', "no variable 99: they are 0 to 43"),
    ("[0, 1]", "expected 44 values, got 2"),
    ("[0, [1]]", "value 2: expected 0 or 1, got list of 1"),
    ("[" * 100_000, "JSON nested too deeply"),
    ("[1, 2", "line 1 column 6: not JSON (Expecting ',' delimiter)"),
    ("0 1 0.5", "value 3: expected 0 or 1, got '0.5'"),
    ('{"a\\nb": 2.5}', "'a\\nb': expected 0 or 1, got 2.5"),
    ("2 " * 44, "row[0].start[0]=0: expected 0 or 1, got 2"),
    ("s UNSATISFIABLE", "line 1: it says that there is no solution"),
    ("v 1 -2 x 0", "line 1: expected a literal, got 'x'"),
    ('{"type": "SampleSet"}', "no sample set that dimod reads (KeyError: 'version')"),
    ("", "it is empty"),
]


@pytest.mark.parametrize(("text", "message"), SAMPLES)
def test_samples_are_refused_in_one_line(folder, capsys, text, message):
    run(capsys, "export", "a.json", "-o", "a.coo")
    (folder / "s").write_text(text)
    assert refused(capsys, "decode", "a.coo.json", "s") == f"s: {message}"


def test_descriptions_that_do_not_hold_together_are_refused(folder, capsys):
    run(capsys, "export", "a.json", "-o", "a.coo")
    about = json.loads((folder / "a.coo.json").read_text())
    (folder / "s").write_text("0" * 44)
    (folder / "b.json").write_text(native.write([Nonogram.examples()[1]]))
    other = refused(capsys, "decode", "b.json", "s", "--model", "a.coo.json")
    assert other == "a.coo.json: it is of another puzzle than b.json"
    assert refused(capsys, "decode", "a.json", "s").startswith("a.json: no description of a model")
    assert refused(capsys, "decode", "-", "-").startswith("standard input (-) can be read only")
    broken = {
        "version 2: this program reads 1": {"version": 2},
        "puzzle: expected an object, got 3": {"puzzle": 3},
        "puzzle_sha256 is not that of the puzzle in it": {"puzzle_sha256": "0"},
        "to: expected a text, got 5": {"to": 5},
        "no format 'x' to export to": {"to": "x"},
        "weights: expected an object, got list of 0": {"weights": []},
        "weights: 'field': expected a number, got '2'": {"weights": {"field": "2"}},
        "weights: 'field': expected a number, got a number of": {"weights": {"field": 10**400}},
        "weight of field must be a positive number": {"weights": {"field": -1}},
        "its variables are not those of the model": {"variables": []},
        "unknown encoding 'unary'": {"encoding": "unary"},
    }
    for message, change in broken.items():
        (folder / "c.json").write_text(json.dumps({**about, **change}))
        assert refused(capsys, "decode", "c.json", "s").startswith(f"c.json: {message}")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
)


@given(st.text(max_size=40) | JSON.map(json.dumps))
def test_any_text_is_a_sample_or_one_line(text):
    try:
        read_sample(text)
    except InputError as error:
        assert "\n" not in str(error)


DESCRIPTION = export(A, "coo").description


@given(st.sampled_from(sorted(DESCRIPTION)), JSON)
@settings(max_examples=60)
def test_any_description_is_read_or_refused_in_one_line(tmp_path_factory, key, value):
    folder = tmp_path_factory.getbasetemp()
    (folder / "d.json").write_text(json.dumps({**DESCRIPTION, key: value}))
    (folder / "s").write_text("0" * 44)
    try:
        decode_file(folder / "d.json", folder / "s")
    except QubopuzzleError as error:
        assert "\n" not in str(error)


OPEN = Nonogram(rows=[[1], [1]], cols=[[1], [1]], id="open")
NONE = Nonogram(rows=[[3], []], cols=[[], [2], [1]], id="none")


def test_instances_have_known_ground_states(folder, capsys):
    (folder / "p.jsonl").write_text(native.write([A, OPEN, NONE]))
    how = ["--to", ",".join(HERE), "--weight", "field=2"]
    status, out, err = run(capsys, "instances", "p.jsonl", "-o", "set", *how)
    assert status == 1
    assert out.splitlines()[-1] == "set: 2 instances, 1 left out"
    assert "none is left out: no solution (proved by" in err
    manifest = json.loads((folder / "set" / "manifest.json").read_text())
    assert [each["name"] for each in manifest["left_out"]] == ["none"]
    assert [each["unique"] for each in manifest["instances"]] == [True, False]
    written = {"manifest.json"}
    for entry, puzzle in zip(manifest["instances"], [A, OPEN], strict=True):
        assert entry["ground_state_energy"] == 0
        assert entry["puzzle_sha256"] == problem_hash(puzzle)
        for name, about in entry["files"].items():
            data = (folder / "set" / name).read_bytes()
            assert (len(data), hashlib.sha256(data).hexdigest()) == (
                about["bytes"],
                about["sha256"],
            )
            written.add(name)
            if about["what"] == "description":
                target = WRITTEN[about["to"]].target
                ending = "" if target == "qubo" else f"-{target}"
                solution = f"set/{entry['name']}.solution{ending}.json"
                status, out, _ = run(capsys, "decode", f"set/{name}", solution, "--json")
                answer = json.loads(out)
                assert (status, answer["valid"]) == (0, True)
                assert answer["energy"] == (0 if target == "qubo" else None)
        with (folder / "set" / f"{entry['name']}.bqm").open("rb") as file:
            bqm = dimod.BinaryQuadraticModel.from_file(file)
        solution = json.loads((folder / "set" / f"{entry['name']}.solution.json").read_text())
        assert bqm.energy(solution) == 0
        assert (bqm.num_variables, bqm.num_interactions) == (entry["variables"], entry["couplings"])
    assert {path.name for path in (folder / "set").iterdir()} == written


def test_instances_are_the_same_again_and_spare_what_is_there(folder, capsys):
    for name in ("one", "two"):
        assert run(capsys, "instances", "a.json", "-o", name)[0] == 0
    one, two = ({p.name: p.read_bytes() for p in (folder / n).iterdir()} for n in ("one", "two"))
    assert one == two
    assert len(one) == 6
    full = refused(capsys, "instances", "a.json", "-o", "one")
    assert full == "one: it is not empty; --force writes into it"
    (folder / "one" / "mine").write_text("")
    assert run(capsys, "instances", "a.json", "-o", "one", "--force", "--to", "coo")[0] == 0
    assert (folder / "one" / "mine").exists()
    assert refused(capsys, "instances", "a.json", "-o", "a.json") == "a.json: that is no folder"
    assert refused(capsys, "instances", "a.json", "a.json", "-o", "new").startswith("two problems")
    assert refused(capsys, "instances", "-o", "new", "--to", "xyz").startswith("no format 'xyz'")
    assert "chess" in refused(capsys, "instances", "-o", "new", "--puzzle", "chess")
    assert not (folder / "new").exists()


def test_without_sources_there_are_the_examples(folder, capsys):
    arguments = ["--puzzle", "sudoku", "--to", "qubo", "--encoding", "domain-wall"]
    assert run(capsys, "instances", "-o", "set", *arguments)[0] == 0
    manifest = json.loads((folder / "set" / "manifest.json").read_text())
    assert [each["id"] for each in manifest["instances"]] == [p.id for p in Sudoku.examples()]


def test_the_page_on_exporting_names_every_format():
    page = (Path(__file__).parents[2] / "docs" / "exporting.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \| `(\.[\w.]+)` \|", page, re.M)
    assert dict(rows) == {name: form.suffix for name, form in WRITTEN.items()}
