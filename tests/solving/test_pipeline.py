"""The library as a user meets it."""

import json
import re

import amplify
import dimod
import numpy as np
import pytest

import qubopuzzle
from qubopuzzle import InputError, Nonogram, decode, judge, load, solve, to_bqm
from qubopuzzle.bench.comparison import Comparison
from qubopuzzle.bench.plan import make_plan
from qubopuzzle.compile import compile_qubo
from qubopuzzle.errors import Unsatisfiable
from qubopuzzle.solving.info import info

A = Nonogram.examples()[0]


def test_solve_and_judge():
    result = solve(A, seed=1)
    assert result.status == "optimal"
    assert result.verdict == "valid"
    assert (result.grid == A.solution).all()
    assert result.violations == ()
    assert str(result).splitlines()[-1].startswith("valid | energy 0 | 0.")
    stages = "load 0.000 model .* presolve .* compile .* prepare .* solve .* decode .* s "
    assert re.match(rf"valid \| energy 0 \| {stages}", result.summary(verbose=True))


@pytest.mark.parametrize("formulation", Nonogram.formulations)
@pytest.mark.parametrize("presolve", ["none", "propagate", "probe"])
def test_every_formulation_and_presolve(formulation, presolve):
    result = solve(A, seed=1, formulation=formulation, presolve=presolve)
    assert result.valid
    if presolve != "none":
        assert result.presolve["method"] == presolve
        assert "25 of 25 cells decided: nothing was left to solve)" in result.summary()
        assert result.presolve["cells_decided"] == result.presolve["cells"] == 25
        assert result.presolve["variables_before"] > result.presolve["variables_after"] == 0
        assert result.sizes["variables"] == 0


def test_propagation_proves_that_there_is_no_solution():
    result = solve(Nonogram(rows=[[1], [1]], cols=[[2], []]), presolve="propagate")
    solvable = solve(Nonogram(rows=[[1, 1], []], cols=[[1], [], [1]]), presolve="propagate")
    assert solvable.valid
    assert result.valid
    result = solve(Nonogram(rows=[[3], []], cols=[[], [2], [1]]), presolve="propagate")
    assert result.status == "infeasible"
    assert result.proved_by.startswith("propagation: field[")
    assert result.grid is None
    assert result.to_dict()["solution"] is None


def test_json_has_everything_that_repeats_the_run():
    data = json.loads(json.dumps(solve(A, seed=9, weights={"field": 2}).to_dict()))
    assert {
        "id",
        "puzzle",
        "solver",
        "formulation",
        "encoding",
        "status",
        "valid",
        "violations",
        "solution",
        "energy",
        "variables",
        "couplings",
        "timings_s",
        "seed",
        "relaxed",
        "versions",
    } <= set(data)
    assert list(data["timings_s"]) == [
        "load",
        "model",
        "presolve",
        "compile",
        "prepare",
        "solve",
        "decode",
    ]
    assert data["solution"] == ["..#..", ".#.#.", ".#.#.", "#####", "#...#"]
    assert data["seed"] == 9
    assert data["weights"] == {"field": 2}
    assert data["relaxed"] == []
    assert data["versions"]["dimod"] == dimod.__version__


def test_a_drawn_seed_is_recorded_and_repeats_the_run():
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (8, 8)))
    first = solve(noise, "random", reads=50)
    second = solve(noise, "random", reads=50, seed=first.seed)
    assert first.energy == second.energy
    assert (first.answer == second.answer).all()


def test_an_answer_that_is_wrong_is_shown_with_what_is_broken():
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (8, 8)))
    result = solve(noise, "random", reads=1, seed=1)
    assert result.status == "unknown"
    assert not result.valid
    assert result.violations[0].rule == "reconstruction"
    assert {v.rule for v in result.violations[1:]} <= {"row", "column"}
    assert result.to_dict()["violations"][0]["cells"]


def test_to_bqm_has_energy_zero_at_the_solution():
    bqm = to_bqm(A, encoding="domain-wall")
    sample = {}
    starts = A.model().field.write(A.solution)
    for choice, value in zip(A.model().choices, starts, strict=True):
        sample |= {f"{choice.name}>={v}": int(value >= v) for v in choice.values[1:]}
    assert bqm.energy(sample) == 0
    decided = to_bqm(A, presolve="propagate")
    assert decided.num_variables == 0
    assert decided.offset == 0


def test_solve_takes_a_file_of_one_puzzle(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps(A.to_dict()))
    result = solve(file, seed=1)
    assert result.valid
    assert result.timings_s["load"] > 0
    file.write_text(json.dumps([A.to_dict(), A.to_dict()]))
    with pytest.raises(InputError, match="it holds 2 puzzles"):
        solve(file)
    assert len(load(file)) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"presolve": "all"}, "unknown presolve 'all'; choose from none, propagate"),
        ({"reads": 0}, "reads: expected"),
        ({"time_limit": -1}, "time limit: expected"),
        ({"time_limit": float("nan")}, "time limit: expected"),
        ({"time_limit": 10**400}, "seconds, got a number of over 30 digits"),
        ({"seed": -1}, "seed: expected"),
        ({"encoding": "unary"}, "unknown encoding 'unary'"),
        ({"formulation": "x"}, "nonogram has no formulation 'x'"),
        (
            {"weights": {"x": 1}},
            "weight for unknown family 'x'; this model has: once, field, order",
        ),
    ],
)
def test_wrong_arguments_are_one_clear_line(arguments, message):
    with pytest.raises(InputError) as caught:
        solve(A, **arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_judge_takes_arrays_and_lines():
    assert judge(A, A.solution).valid
    judged = judge(A, ["#####"] * 5)
    grid, violations = judged.grid, judged.violations
    assert grid.sum() == 25
    assert len(violations) == 9
    with pytest.raises(InputError, match="expected lines of '#' and"):
        judge(A, 7)


def test_info_counts_what_the_qubo_has():
    rows = {(s.formulation, s.encoding): s for s in info(A)}
    assert rows["numbering", "one-hot"].variables == 60
    assert rows["numbering", "one-hot"].total.terms == 272
    assert rows["window", "one-hot"].variables == 44
    for size in rows.values():
        assert size.fits_free_plan
        assert set(size.families) >= {"field"}
    assert rows["window", "domain-wall"].density == pytest.approx(65 / (30 * 29 / 2))


def test_info_says_what_is_refused():
    wide = Nonogram.from_picture(np.tile([1, 0], (2, 30)))
    refused = {s.formulation: s.refused for s in info(wide)}
    assert refused["window"] == ""
    big = Nonogram(rows=[[1] * 10] * 4, cols=[[4]] * 10 + [[]] * 30)
    assert "use window" in {s.formulation: s.refused for s in info(big)}["pattern"]


def test_results_and_puzzles_show_themselves():
    assert solve(A, seed=1)._repr_html_().startswith("<svg")
    assert "<svg" in A._repr_svg_()


def test_public_names_are_all_there():
    for name in set(qubopuzzle.__all__) - {"errors"}:
        assert getattr(qubopuzzle, name).__module__.startswith("qubopuzzle")
    assert issubclass(qubopuzzle.errors.TooLarge, qubopuzzle.QubopuzzleError)
    assert set(qubopuzzle.__all__) <= set(dir(qubopuzzle))
    with pytest.raises(AttributeError, match=r"qubopuzzle.* attribute .*solv"):
        qubopuzzle.solv  # noqa: B018


def test_an_answer_counts_by_the_rules_even_where_a_constraint_is_broken():
    """Runs of equal length that swapped numbers: the picture is right, the energy is not 0."""
    puzzle = Nonogram.from_picture(["#.#"])
    model = puzzle.model("numbering")
    swapped = model.assignment([2, 0, 0, 0])
    compiled = compile_qubo(model)
    assert compiled.total().energies(compiled.encode(swapped)[None]).tolist() == [1]
    grid, broken = model.field.read(swapped)
    assert len(broken) == 0
    assert puzzle.violations(grid) == []


@pytest.mark.parametrize("presolve", ["none", "propagate"])
@pytest.mark.parametrize("encoding", ["one-hot", "domain-wall"])
def test_samples_of_a_bqm_are_decoded_and_judged(encoding, presolve):
    puzzle = Nonogram.from_picture(["##.", "#.#"])
    how = {"encoding": encoding, "presolve": presolve}
    bqm = to_bqm(puzzle, **how)
    if bqm.num_variables:
        sampleset = dimod.ExactSolver().sample(bqm)
        for sample in (sampleset, sampleset.first.sample):
            judged = decode(puzzle, sample, **how)
            answer, violations = judged.grid, judged.violations
            assert not violations
            assert (answer == puzzle.solution).all()
        worst = max(sampleset.data(), key=lambda d: d.energy).sample
        assert decode(puzzle, worst, **how).violations
    values = [0] * bqm.num_variables
    assert decode(puzzle, values, **how).grid.shape == puzzle.shape
    with pytest.raises(InputError, match="other variables than the model"):
        decode(puzzle, {"x": 1}, **how)
    with pytest.raises(InputError, match="values of 0 or 1"):
        decode(puzzle, [*values, 1], **how)


@pytest.mark.parametrize("encoding", ["one-hot", "domain-wall"])
def test_a_sample_is_decoded_without_multiplying_a_qubo_out(monkeypatch, encoding):
    bqm = to_bqm(A, encoding=encoding)

    def refused(*_, **__):
        raise AssertionError("a QUBO is multiplied out")

    monkeypatch.setattr("qubopuzzle.compile.qubo.Qubo", refused)
    with pytest.raises(AssertionError):
        to_bqm(A, encoding=encoding)
    judged = decode(A, dict.fromkeys(bqm.variables, 0), encoding=encoding)
    assert judged.grid.shape == A.shape


def test_valid_weights_stay_valid_after_presolve():
    result = solve(A, presolve="propagate", weights={"once": 2}, seed=1)
    assert result.valid
    assert result.weights == {"once": 2}


@pytest.mark.parametrize("wrong", [{"weights": {"x": 1}}, {"encoding": "x"}])
def test_wrong_arguments_are_refused_before_propagation_proves_anything(wrong):
    impossible = Nonogram(rows=[[3], []], cols=[[], [2], [1]])
    with pytest.raises(InputError):
        solve(impossible, presolve="propagate", **wrong)


def test_no_model_of_what_has_no_solution():
    with pytest.raises(Unsatisfiable, match="no solution in this model"):
        to_bqm(Nonogram(rows=[[3], []], cols=[[], [2], [1]]), presolve="propagate")


def test_numpy_numbers_are_welcome():
    result = solve(
        A,
        "neal",
        seed=np.int64(3),
        reads=np.int32(2),
        weights={"field": np.int64(2)},
        options={"sweeps": np.int64(500)},
        time_limit=np.float64(9),
    )
    json.dumps(result.to_dict())
    assert Nonogram(rows=np.array([[1], [1]]), cols=[[1], np.array([1])]).shape == (2, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": 1.0},
        {"seed": "1"},
        {"reads": "10"},
        {"reads": 2.5},
        {"time_limit": "1"},
        {"weights": {"field": "2"}},
        {"seed": True},
    ],
)
def test_numbers_of_another_kind_are_refused(wrong):
    with pytest.raises(InputError):
        solve(A, **wrong)


def test_results_are_true_if_solved_and_their_answers_cannot_be_changed():
    result = solve(A, seed=1)
    assert result
    assert judge(A, result).valid
    with pytest.raises(ValueError, match="read-only"):
        result.grid[0, 0] = 1
    assert not solve(Nonogram(rows=[[3], []], cols=[[], [2], [1]]), presolve="propagate")


def test_paths_are_taken_wherever_puzzles_are(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps(A.to_dict()))
    assert to_bqm(file).num_variables == 44
    assert judge(file, A.solution).valid
    with pytest.raises(InputError, match="expected a puzzle, a model or a file, got dict"):
        solve(A.to_dict())


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (dimod.ConstrainedQuadraticModel(), "qubopuzzle.from_cqm"),
        (dimod.Float32BQM("BINARY"), "qubopuzzle.from_bqm"),
        (amplify.Model(), r"amplify.solve\(model, qubopuzzle.amplify_client\(\)\)"),
    ],
)
def test_models_of_other_packages_are_refused_with_a_remedy(model, remedy):
    with pytest.raises(InputError, match=rf"got {type(model).__name__}; .*{remedy}$"):
        solve(model)


@pytest.mark.parametrize(
    "solution", [["#"], [[7] * 5] * 5, [[0.5] * 5] * 5, "#", ["#####"] * 5, [[1], [1, 0]]]
)
def test_known_solutions_must_be_solutions(solution):
    with pytest.raises(InputError):
        Nonogram(A.rows, A.cols, solution=solution)
    assert Nonogram(A.rows, A.cols, solution=A.solution.tolist()) == A


@pytest.mark.parametrize("about", [{"id": 5}, {"title": ["x"]}, {"n_solutions": "x"}])
def test_what_is_said_about_a_puzzle_is_checked(about):
    with pytest.raises(InputError):
        Nonogram([[1]], [[1]], **about)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({"formulation": "numbering"}, "made with formulation='numbering'$"),
        ({"encoding": "domain-wall"}, "made with encoding='domain-wall'$"),
        (None, "decode takes the formulation, encoding and presolve"),
    ],
)
def test_a_sample_of_another_formulation_is_named(made, said):
    puzzle = qubopuzzle.Nonogram.examples()[0]
    names = ["x"] if made is None else qubopuzzle.to_bqm(puzzle, **made).variables
    with pytest.raises(InputError, match=said):
        qubopuzzle.decode(puzzle, dict.fromkeys(names, 0))
    with pytest.raises(InputError, match="decode takes the formulation"):
        qubopuzzle.decode(puzzle, [0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: qubopuzzle.solve(p, "neal", weights=3), "weights: expected numbers by family"),
        (lambda p: qubopuzzle.to_bqm(p, weights=["a"]), "weights: expected numbers by family"),
        (lambda p: qubopuzzle.solve(p, options=3), "options: expected values by name, got 3"),
        (lambda p: qubopuzzle.solve(p, Sampler), r"got the class Sampler; write Sampler\(\)"),
        (lambda p: p.plot("x.png"), "expected Axes of matplotlib, got 'x.png'"),
        (lambda p: qubopuzzle.solve(p).plot("x.png"), "expected Axes of matplotlib, got 'x.png'"),
        (lambda p: compared(p).plot("x.png"), "expected a Figure of matplotlib, got 'x.png'"),
    ],
)
def test_what_is_of_a_wrong_kind_is_one_line(call, message):
    with pytest.raises(InputError, match=message) as error:
        call(qubopuzzle.Nonogram.examples()[0])
    assert "\n" not in str(error.value)


class Sampler:
    def sample(self, bqm):
        """As of dimod."""


def compared(puzzle):
    plan = make_plan(puzzle, ["sat"])
    return Comparison(plan.instances, plan.configurations, [], plan.planned())
