"""Models of one's own go where puzzles go: solvers, comparisons, exports and back."""

import ast
import copy
import json
import pickle
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import qubopuzzle
from qubopuzzle import InputError, ModelBuilder, compare, decode, info, judge, solve
from qubopuzzle.cli import main
from qubopuzzle.errors import ModelError
from qubopuzzle.files.models import WRITTEN
from qubopuzzle.model import violations
from qubopuzzle.problem import ModelProblem
from qubopuzzle.solvers import all_solvers
from qubopuzzle.solving.form import decode_file

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.append(str(EXAMPLES))  # behind the benchmarks, where names are alike

from colouring import colouring  # noqa: E402
from queens import queens  # noqa: E402
from timetable import timetable  # noqa: E402

MODELS = {
    "queens": queens(4),
    "colouring": colouring(["red", "green", "blue"]),
    "timetable": timetable(),
}
SOLVERS = sorted(
    name
    for name, solver in all_solvers().items()
    if solver.available().ok and not solver.remote and name not in ("random", "steepest-descent")
)
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def meets(model, values):
    """All families, straight from the definitions of the three problems."""
    if model.id.startswith("queens"):
        rows = [values[f"queen[{c}]"] for c in range(len(model.choices))]
        return all(len({r + k * c for c, r in enumerate(rows)}) == len(rows) for k in (-1, 0, 1))
    if model.id.startswith("colouring"):
        from colouring import BORDERS

        return all(values[a] != values[b] for a, b in (border.split("-") for border in BORDERS))
    classes = [(lesson[-1], period) for lesson, (period, _) in values.items()]
    art = [room for lesson, (_, room) in values.items() if lesson.startswith("art")]
    return len(set(values.values())) == len(values) == len(set(classes)) and set(art) == {"hall"}


@pytest.mark.parametrize("name", ["queens", "colouring", "timetable"])
def test_each_is_built_in_at_most_twelve_lines(name):
    tree = ast.parse((EXAMPLES / f"{name}.py").read_text())
    (build,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    first = build.body[1]  # behind the docstring
    assert build.end_lineno - first.lineno + 1 <= 12


@each_model
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_takes_a_model(model, solver):
    result = solve(model, solver, seed=1)
    assert result.valid
    assert meets(model, result.values)
    assert list(result.values) == [choice.name for choice in model.choices]
    assert result.energies == dict.fromkeys(model.families, 0)
    assert result.grid is None
    assert result.solutions == (result.values,)
    assert json.loads(json.dumps(result.to_dict()))["solution"].keys() == result.values.keys()
    assert all(name in str(result) for name in result.values)


@each_model
@pytest.mark.parametrize("presolve", ["none", "propagate"])
def test_amplify_writes_the_request_of_a_model(model, presolve, tmp_path):
    file = tmp_path / "request"
    result = solve(model, "amplify", presolve=presolve, options={"dry_run": str(file)})
    assert file.stat().st_size == result.settings["request_bytes"] > 100


@each_model
def test_exact_solvers_count_the_same_solutions(model):
    counts = {
        solver: len(solve(model, solver, solutions=None).solutions) for solver in ("sat", "exact")
    }
    assert counts["sat"] == counts["exact"] > 0


@pytest.mark.usefixtures("kept_runs")
def test_compare_takes_models():
    found = compare(MODELS.values(), ["annealer", "sat"], repeat=1, time_limit=10)
    assert [row["status"] for row in found.rows] == ["valid"] * 6
    assert [row["instance"] for row in found.rows[::2]] == [m.id for m in MODELS.values()]
    assert not found.contradictions


@each_model
@pytest.mark.parametrize("to", [to for to in WRITTEN if to != "ommx" or find_spec("ommx")])
@pytest.mark.parametrize("presolve", ["none", "propagate"])
def test_every_export_of_a_model_leads_back(model, to, presolve, tmp_path):
    built = qubopuzzle.export(ModelProblem(model), to, presolve=presolve)
    made = qubopuzzle.export(model, to, presolve=presolve)
    assert made.data == built.data
    solution = solve(built.judge.presolved.model, "sat").best.assignment
    bits = built.compiled.encode(solution)[: len(built.labels)].tolist()
    (tmp_path / "about.json").write_text(json.dumps(made.description))
    (tmp_path / "sample").write_text(json.dumps(dict(zip(built.labels, bits, strict=True))))
    judged = decode_file(tmp_path / "about.json", tmp_path / "sample")
    assert judged.valid
    assert meets(model, judged.values)
    assert judged.energy in (0, None)


@each_model
@pytest.mark.parametrize("encoding", ["one-hot", "domain-wall"])
def test_samples_of_a_models_bqm_are_judged(model, encoding):
    bqm = qubopuzzle.to_bqm(model, encoding=encoding)
    judged = decode(model, dict.fromkeys(bqm.variables, 0), encoding=encoding)
    assert not judged.valid
    assert judged.energies == violations(model, judged.assignment)
    assert (
        sum(judged.energies.values())
        == sum(each.energy for each in judged.energies.constraints)
        > 0
    )
    assert {each.rule for each in judged.violations} == {f for f, e in judged.energies.items() if e}


def test_a_broken_domain_wall_is_a_broken_choice():
    b = ModelBuilder()
    b.choice("x", range(4))
    judged = decode(b.build(), [1, 0, 1], encoding="domain-wall")
    assert judged.assignment.tolist() == [0, 1, -1, 1]
    assert judged.values == {"x": None}
    assert judged.energies == {"once": 1}
    assert judged.violations[0].message == "x takes 2 values"


def test_violations_name_family_and_row():
    model = queens(4)
    judged = judge(model, {f"queen[{c}]": 0 for c in range(4)})
    assert [(v.rule, v.message) for v in judged.violations] == [
        ("row", f"row[{r}]") for r in range(4)
    ]
    with pytest.raises(InputError, match=r"choice queen\[0\] has no value 4"):
        judge(model, {f"queen[{c}]": 4 for c in range(4)})
    with pytest.raises(InputError, match=r"^there is no value for queen\[1\]$"):
        judge(model, {"queen[0]": 0})
    with pytest.raises(InputError, match=r"^the model has no choice 'king'; there is no value for"):
        judge(model, {"king": 0})
    with pytest.raises(InputError, match="no formulation 'x'"):
        solve(model, formulation="x")
    with pytest.raises(InputError, match="no picture"):
        solve(model, "sat").plot()


def test_other_functions_take_models():
    model = MODELS["queens"]
    assert qubopuzzle.to_cnf(model).n_clauses
    assert qubopuzzle.to_mip(model).n_rows
    assert qubopuzzle.to_amplify(model).n_bits == 16
    assert {(s.formulation, s.variables) for s in info(model)} == {("model", 16), ("model", 12)}
    assert solve(colouring(["red", "green"]), "sat").proved_by == "sat"


@each_model
def test_models_go_through_json_and_pickle(model, tmp_path):
    file = tmp_path / "model.json"
    file.write_text(json.dumps(ModelProblem(model).to_dict()))
    (read,) = qubopuzzle.load(file)
    for again in (read.wrapped, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):  # noqa: S301
        assert ModelProblem(again).to_dict() == ModelProblem(model).to_dict()
    assert solve(file, seed=3).values == solve(model, seed=3).values


def test_json_of_a_model_that_cannot_be_used_is_one_line(tmp_path):
    good = ModelProblem(MODELS["queens"]).to_dict()
    for change in ({"choices": 3}, {"linear": [{}]}, {"precedence": [{"family": "x"}]}):
        file = tmp_path / "model.json"
        file.write_text(json.dumps(good | change))
        with pytest.raises(InputError, match=r"model\.json: the JSON of a model: "):
            qubopuzzle.load(file)
    builder = ModelBuilder()
    builder.choice("x", [frozenset()])
    with pytest.raises(InputError, match="choice x: JSON does not hold a value of frozenset"):
        ModelProblem(builder.build()).to_dict()


def with_likely(*names, most=3):
    """Three bits, of which so many may be 1."""
    b = ModelBuilder()
    x, y, z = (b.bit(name) for name in "xyz")
    b.add("most", x + y + z <= most)
    return b.build(likely=names)


@pytest.mark.parametrize("solver", ["sat", "cpsat", "mip", "clingo"])
def test_what_is_likely_comes_first_and_the_rest_after_it(solver):
    if not all_solvers()[solver].available().ok:
        pytest.skip(f"{solver} is not installed")
    assert solve(with_likely("x", "z"), solver).values.items() >= {"x": 1, "z": 1}.items()
    for most, count in ((3, 8), (1, 4), (0, 1), (-1, 0)):
        for presolve in ("none", "propagate"):
            model = with_likely("x", "z", most=most)
            result = solve(model, solver, solutions=None, presolve=presolve)
            assert (len(result.solutions), result.complete) == (count, True)


@pytest.mark.parametrize("backend", ["kissat404", "lingeling", "glucose4"])
def test_what_is_likely_hides_nothing_from_other_backends(backend):
    for most, count in ((3, 8), (1, 4)):
        model = with_likely("x", "z", most=most)
        result = solve(model, "sat", solutions=None, options={"backend": backend})
        assert (len(result.solutions), result.complete) == (count, True)


def test_likely_bits_have_names_that_json_keeps():
    data = ModelProblem(with_likely("y")).to_dict()
    assert ModelProblem.from_dict(data).wrapped.likely == ("y",)
    with pytest.raises(ModelError, match="likely: there is no bit named 'w'"):
        with_likely("w")
    with pytest.raises(InputError, match="the JSON of a model: likely: there is no bit named 'w'"):
        ModelProblem.from_dict({**data, "likely": ["w"]})


def test_presolved_models_are_answered_whole():
    b = ModelBuilder()
    x, y, z = (b.choice(name, range(4)) for name in "xyz")
    b.precedence("order", [x, y], [y, z], [1, 2])
    model = b.build()
    for solver in ("annealer", "sat", "neal"):
        result = solve(model, solver, presolve="propagate", seed=1)
        assert result.values == {"x": 0, "y": 1, "z": 3}
        assert result.presolve["variables_after"] == 0
    assert (solve(model, "sat").best.assignment == np.eye(4)[[0, 1, 3]].ravel()).all()


def test_an_empty_choice_is_refused_where_it_is_made():
    with pytest.raises(ModelError, match="choice x"):
        ModelBuilder().choice("x", [])


def test_values_are_judged_with_their_energies():
    model = MODELS["queens"]
    found = judge(model, {f"queen[{c}]": 0 for c in range(4)})
    assert found.values == {f"queen[{c}]": 0 for c in range(4)}
    assert found.energies["row"] == 12  # (4 - 1) squared for the full row, 1 for each empty one
    assert judge(model, solve(model, "sat")).energies == dict.fromkeys(model.families, 0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m: qubopuzzle.export(m, None), "no format 'None' to export to"),
        (lambda m: compare(m, "sat"), "solvers: expected a list of names, got 'sat'"),
        (lambda m: qubopuzzle.generate("sudoku", options=3), "options: expected values by name"),
    ],
)
def test_what_is_no_name_is_one_clear_line(wrong, message):
    with pytest.raises(InputError, match=message):
        wrong(MODELS["queens"])


def test_unknown_keys_of_a_model_are_refused():
    data = ModelProblem(MODELS["queens"]).to_dict()
    with pytest.raises(InputError, match=r"choises: unknown key; did you mean choices\?"):
        ModelProblem.from_dict({**data, "choises": []})


@pytest.mark.parametrize(
    "option", [["--url"], ["--plot", "a.svg"], ["--write", "a", "--to", "json"]]
)
def test_drawings_of_a_model_are_refused_before_it_is_solved(tmp_path, capsys, option):
    file = tmp_path / "queens.json"
    file.write_text(json.dumps(ModelProblem(MODELS["queens"]).to_dict()))
    assert main(["solve", str(file), "--solver", "sat", *option]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(
        f"queens-4: a model has no picture, no player and no board; leave out {option[0]}\n"
    )
