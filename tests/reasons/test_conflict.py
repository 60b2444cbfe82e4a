"""Why there is no solution, or several: against enumeration, and on models with a row too many."""

import json
from itertools import combinations, product
from math import inf

import numpy as np
import pytest

import command
from qubopuzzle import ModelBuilder, Nonogram, Program, Sudoku, errors, explain, judge, solve
from qubopuzzle.compile import engines
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.model.statements import StatedModel
from qubopuzzle.puzzles import get_puzzle
from reasons.broken_models import KINDS, broken, has, only

GIVEN = [[1, 0, 0, 0], [0, 0, 3, 0], [0, 1, 0, 0], [0, 0, 0, 2]]


def random_model(rng):
    """A few choices, and small rows that hold them: none, one or several assignments are left."""
    b = ModelBuilder()
    choices = [b.choice(f"c{i}", range(int(rng.integers(2, 4)))) for i in range(4)]
    for row in range(int(rng.integers(5, 12))):
        several = rng.choice(4, int(rng.integers(2, 4)), replace=False)
        chosen = [int(rng.choice(choices[c].literals)) for c in several]
        low, high = ((0, 1), (1, 4), (1, 1), (0, 0))[rng.integers(4)]
        b.rows(f"f{row % 3}").add(chosen, 1, lower=low, upper=high)
    return b.build()


@pytest.mark.parametrize("seed", range(80))
def test_conflicts_and_what_to_leave_out_are_those_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng)
    stated = StatedModel.by_label(model)
    names = [each.name for each in stated.statements]
    every = [model.assignment(v) for v in product(*[c.values for c in model.choices])]
    broken_sets = [{names[i] for i in stated.broken(x)} for x in every]
    weights = {
        name: float(rng.choice([0.5, 1, 2.5, inf], p=[0.3, 0.3, 0.3, 0.1])) for name in names
    }
    explanation = explain(model, smallest=True, weights=weights)
    plain = explain(model, weights=weights)
    right = [x for x, each in zip(every, broken_sets, strict=True) if not each]

    def contradict(chosen):
        return all(each & {*chosen} for each in broken_sets)

    if right:
        assert plain.status == explanation.status == "feasible"
        assert plain.unique == (len(right) == 1)
        assert (
            len({str(a.values) for a in plain.answers}) == len(plain.answers) == min(2, len(right))
        )
        assert all(answer.valid for answer in plain.answers)
        if clue := plain.clue:
            left = sum(model.values(x)[clue.place] == clue.value for x in right)
            assert left == 1 if clue.settles else left >= clue.left > 1
        return
    assert plain.status == explanation.status == "infeasible"
    for each in (plain, explanation):
        conflict = [statement.name for statement in each.conflict]
        assert each.is_minimal
        assert contradict(conflict)
        assert not any(contradict({*conflict} - {name}) for name in conflict)
    sizes = (n for n in range(len(names) + 1) if any(map(contradict, combinations(names, n))))
    assert explanation.is_smallest
    assert len(explanation.conflict) == explanation.at_least == next(sizes)
    least = min(sum(weights[name] for name in each) for each in broken_sets)
    for each in (plain, explanation):
        if least == inf:
            assert each.relax is None
            continue
        assert each.is_lightest
        assert each.weight == pytest.approx(least) == sum(weights[s.name] for s in each.relax)
        left_out = {statement.name for statement in each.relax}
        assert {f"{v.message}" for v in each.relaxed.violations} <= left_out
        assert not contradict({*names} - left_out)


@pytest.mark.parametrize("number", [0, 1, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_the_planted_row_is_in_the_conflict_and_nothing_can_be_left_out(kind, number):
    problem, planted = broken(kind, number)
    stated = problem.stated()
    explanation = explain(problem)
    assert explanation.status == "infeasible"
    assert explanation.is_minimal
    assert has(explanation, planted)
    assert len(explanation.relax) == 1
    assert explanation.is_lightest
    names = {each.name for each in explanation.conflict}
    numbers = [i for i, each in enumerate(stated.statements) if each.name in names]
    assert len(numbers) == len(names)
    # By another solver, on a model that has no other rows.
    assert solve(only(stated, numbers), "mip").status == "infeasible"
    for left_out in numbers:
        assert solve(only(stated, {*numbers} - {left_out}), "mip").valid


@pytest.mark.parametrize("kind", KINDS)
def test_no_fewer_statements_contradict_each_other_than_the_smallest(kind):
    problem, planted = broken(kind, 2)
    explanation = explain(problem, smallest=True)
    assert explanation.is_smallest
    assert has(explanation, planted)
    assert len(explanation.conflict) <= len(explain(problem).conflict)
    # As PySAT's optux says of the formula in which statements are soft.
    examples = pytest.importorskip("pysat.examples.optux")
    from pysat.formula import WCNF

    with Oracle(problem.stated()) as oracle:
        formula = WCNF()
        formula.extend([*oracle.formula.clauses()])
        formula.extend(
            [[guard] for guard in oracle.formula.guards.tolist()],
            weights=[1] * len(oracle.formula.guards),
        )
    with examples.OptUx(formula) as optux:
        assert len(optux.compute()) == len(explanation.conflict)


# --- puzzles -------------------------------------------------------------------------------


def test_a_wrong_given_is_named_as_players_do():
    wrong = Sudoku(grid=[[1, 0, 0, 1], [0, 0, 3, 0], [0, 1, 0, 0], [0, 0, 0, 2]])
    explanation = explain(wrong)
    names = [each.name for each in explanation.conflict]
    assert names[:2] == ["the 1 in row 1, column 1", "the 1 in row 1, column 4"]
    assert {(0, 0), (0, 3)} <= explanation.cells
    assert explanation.picture().broken == explanation.cells
    (left_out,) = explanation.relax
    assert left_out.name in names
    assert left_out.is_clue  # rules weigh more than all clues
    (violation,) = explanation.relaxed.violations
    assert violation.rule == "given"
    text = str(explanation)
    assert "no solution (proved by sat): these 3 contradict each other" in text
    assert f"there is a solution without this (no less will do): {left_out.name}" in text
    assert "<svg" in explanation._repr_html_()
    assert json.loads(json.dumps(explanation.to_dict()))["conflict"][0]["name"] == names[0]


def test_a_clue_that_must_hold_stays():
    wrong = Sudoku(grid=[[1, 0, 0, 1], [0, 0, 3, 0], [0, 1, 0, 0], [0, 0, 0, 2]])
    names = {"the 1 in row 1, column 1", "the 1 in row 1, column 4"}
    for name in names:
        (left_out,) = explain(wrong, weights={name: inf}).relax
        assert {left_out.name} == names - {name}
        (left_out,) = explain(wrong, weights={name: 0.9}).relax
        assert left_out.name == name
    rules = explain(wrong, weights={"given": 100}).relax
    assert not any(each.is_clue for each in rules)
    every = dict.fromkeys({each.family for each in wrong.stated().statements}, inf)
    assert explain(wrong, weights=every).relax is None


@pytest.mark.parametrize("cls", [get_puzzle(n) for n in ("sudoku", "takuzu", "akari", "masyu")])
def test_one_solution_is_said_to_be_the_only_one(cls):
    for puzzle in cls.examples():
        explanation = explain(puzzle)
        assert explanation.unique
        assert explanation.differing == []
        assert (explanation.answers[0].grid == puzzle.solution).all()
        assert explanation.verdict == "exactly one solution (proved by sat)"


@pytest.mark.parametrize("seed", range(10))
def test_a_clue_that_settles_it_leaves_one_solution(seed):
    """Counted by the solver ``sat``, which is asked for all."""
    rng = np.random.default_rng(seed)
    grid = np.array(GIVEN)
    grid.flat[rng.choice(np.flatnonzero(grid))] = 0
    explanation = explain(Sudoku(grid=grid))
    solutions = solve(Sudoku(grid=grid), "sat", solutions=None).solutions
    assert explanation.unique is False
    one, two = explanation.answers
    assert one.valid
    assert two.valid
    assert explanation.differing == [*map(tuple, np.argwhere(one.grid != two.grid).tolist())]
    assert explanation.picture().broken == {*explanation.differing}
    clue = explanation.clue
    left = [each for each in solutions if each[clue.place] == clue.value]
    assert len(left) == 1 if clue.settles else len(left) >= clue.left > 1
    assert f"is {clue.value} would leave" in str(explanation)


def test_several_solutions_that_no_value_settles():
    puzzle = Nonogram(rows=[[1]] * 4, cols=[[1]] * 4)
    explanation = explain(puzzle)
    assert explanation.clue.settles is False
    assert 2 <= explanation.clue.left <= 6  # of 24 solutions 6 have a cell black
    assert "no single value that was tried leaves one" in str(explanation)


def test_clues_that_contradict_each_other_as_such_are_said_to():
    explanation = explain(Nonogram(rows=[[1], [1]], cols=[[1], []]))
    assert explanation.status == "infeasible"
    assert explanation.contradiction == "the rows add up to 2 black cells but the cols to 1"
    assert explanation.conflict == ()
    assert explanation.verdict == f"no solution, because {explanation.contradiction}"


# --- rows ----------------------------------------------------------------------------------


def test_rows_are_named_and_written_out():
    rows = {"rows": ["cover", "budget"], "variables": ["a", "b", "c"]}
    program = Program.of([[1, 1, 1], [5, 4, 3]], [2, -inf], [inf, 6], cost=[1, 1, 1], **rows)
    explanation = explain(program)
    assert [*explanation.lines()][1:3] == [
        "  cover: a + b + c >= 2",
        "  budget: 5 a + 4 b + 3 c <= 6",
    ]
    assert explanation.picture() is None


def test_objectives_are_not_looked_at():
    explanation = explain(Program.of([[1, 1]], 1, 1, cost=[1, 2]))
    assert explanation.unique is None
    assert explanation.verdict == "there is a solution; the objective was not looked at"
    assert explanation.answers[0].valid


def test_values_of_programs_tell_solutions_apart():
    explanation = explain(Program.of([[1, 1, 1]], 1, 1))
    assert explanation.unique is False
    assert {*explanation.differing} < {"x0", "x1", "x2"}
    assert explanation.clue.settles
    assert explanation.clue.value == 1


def test_rows_with_large_numbers_are_left_to_cp_sat(monkeypatch):
    numbers = np.random.default_rng(1).integers(10**5, 10**6, 30)
    bounds = [10**7, -(10**7) - 1]
    names = ["at most", "at least", "loose"]
    rows = [numbers, -numbers, [1] * 30]
    program = Program.of(rows, [-inf] * 2 + [1], [*bounds, inf], rows=names)

    def missing():
        raise errors.SolverUnavailable("OR-Tools is missing: pip install 'qubopuzzle[cpsat]'")

    with monkeypatch.context() as patch:
        patch.setattr(engines, "ortools", missing)
        remedy = r"at most: a sum has over .* partial sums.*; OR-Tools is missing: pip install"
        with pytest.raises(errors.TooLarge, match=remedy):
            explain(program)
    pytest.importorskip("ortools")
    explanation = explain(program)
    assert (explanation.status, explanation.proved_by) == ("infeasible", "cpsat")
    assert [each.name for each in explanation.conflict] == ["at most", "at least"]
    assert explanation.is_minimal
    assert explanation.relaxed.valid is False


def pigeons(n):
    """One hole too few, each of which may be left out; SAT solvers do not see it soon."""
    b = ModelBuilder()
    holes = [b.choice(f"pigeon{i}", range(n)) for i in range(n + 1)]
    b.at_most_one("hole", [[pigeon == hole for pigeon in holes] for hole in range(n)])
    return b.build()


def test_what_sat_solvers_cannot_count_is_left_to_cp_sat():
    pytest.importorskip("ortools")
    explanation = explain(pigeons(11))
    assert (explanation.status, explanation.proved_by) == ("infeasible", "cpsat")
    assert len(explanation.conflict) == 11
    assert explanation.is_minimal
    assert len(explanation.relax) == 1


# --- limits --------------------------------------------------------------------------------


def test_when_time_is_over_nothing_is_claimed(monkeypatch):
    makers = engines.EnginesInTurns.__init__

    def only_sat(self, stated, each):
        makers(self, stated, each[:1])

    monkeypatch.setattr(engines.EnginesInTurns, "__init__", only_sat)
    explanation = explain(pigeons(14), time_limit=0.3)
    assert explanation.status == "unknown"
    assert explanation.verdict == "not decided (the time is over)"
    assert (explanation.conflict, explanation.answers, explanation.is_minimal) == ((), (), False)


@pytest.mark.parametrize("asked", range(1, 60, 4))
@pytest.mark.parametrize("error", [errors.OutOfTime, KeyboardInterrupt])
def test_what_is_known_when_time_is_over_is_right(asked, error, monkeypatch):
    """Broken off after so many questions: bounds and claims hold as far as they go."""
    problem, _ = broken("sudoku", 2)
    whole = explain(problem, smallest=True)
    solved, count = Oracle._solve, iter(range(10_000))

    def break_off(self, assumed):
        if next(count) >= asked:
            raise error
        return solved(self, assumed)

    monkeypatch.setattr(Oracle, "_solve", break_off)
    explanation = explain(problem, smallest=True)
    monkeypatch.undo()
    assert explanation.interrupted == (error is KeyboardInterrupt)
    assert explanation.at_least <= len(whole.conflict)
    if explanation.is_smallest:
        assert len(explanation.conflict) == len(whole.conflict)
    if explanation.status == "infeasible" and explanation.conflict:
        stated = problem.stated()
        names = {each.name for each in explanation.conflict}
        with Oracle(stated) as oracle:
            numbers = [i for i, each in enumerate(stated.statements) if each.name in names]
            assert oracle.solve(numbers) is None
    if explanation.is_lightest:
        assert explanation.weight == whole.weight
    assert str(explanation)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"time_limit": 0}, "time_limit: expected a positive number of seconds, got 0"),
        ({"weights": {"gifen": 1}}, "weights: there is no gifen; did you mean given?"),
        ({"weights": {"given": 0}}, "weight of given: expected a positive number, got 0"),
        ({"weights": {"given": float("nan")}}, "weight of given: expected a number, got nan"),
    ],
)
def test_what_cannot_be_asked_is_one_line(more, message):
    with pytest.raises(errors.InputError) as refused:
        explain(Sudoku(grid=GIVEN), **more)
    assert str(refused.value) == message


# --- searches that failed ------------------------------------------------------------------


def test_a_search_that_failed_says_what_it_ran_into():
    problem, planted = broken("colouring", 5)
    options = {"every_read": 1, "sweeps": 200}
    result = solve(problem, reads=5, seed=1, presolve="none", options=options)
    explanation = explain(result)
    search = explanation.search
    assert explanation.status == "infeasible"
    assert has(explanation, planted)
    assert search.broken == result.energies.constraints
    assert len(search.broken) == 1  # a row too many
    labels, weights = zip(*search.heaviest, strict=True)
    assert [*weights] == sorted(weights, reverse=True)
    assert weights[0] > 1
    assert {*labels} <= {each.name for each in problem.stated().statements}
    assert search.states == len(result.sampled.outcome.samples)
    assert search.places == 30
    for text in ("the search weighed these most: ", "its best answer breaks: "):
        assert text in str(explanation)


def test_values_that_a_search_never_lets_go_are_told_from_the_others():
    """Three answers that agree on c0 and c1, which rules out every solution."""
    b = ModelBuilder()
    c = [b.choice(f"c{i}", range(3)) for i in range(4)]
    for i in range(4):
        for value in range(3):
            b.add(
                "next", (c[i] == value) + (c[(i + 1) % 4] == value) <= 1, f"{i} and {(i + 1) % 4}"
            )
    b.add("sum", (c[0] == 0) + (c[2] == 0) == 2, "ends")
    model = b.build()
    starts = [{"c0": 1, "c1": 1, "c2": k, "c3": 0} for k in range(3)]
    form = model.form("qubo")
    samples = np.array([form.encode(judge(model, start)) for start in starts])

    class Stuck:
        def sample(self, bqm, **_):
            import dimod

            return dimod.SampleSet.from_samples_bqm((samples, [*bqm.variables]), bqm)

    result = solve(model, Stuck())
    assert not result.valid
    explanation = explain(result)
    search = explanation.search
    assert explanation.status == "feasible"
    assert (search.states, search.places, search.fixed) == (3, 4, 3)
    assert [each.name for each in search.conflict] == ["0 and 1"]
    assert search.because == ("c0", "c1")
    assert search.heaviest == ()
    text = (
        "3 of 4 values were the same in all 3 answers; with c0, c1 as they were, these contradict"
    )
    assert text in str(explanation)


def test_of_a_result_with_a_solution_the_problem_is_explained():
    result = solve(Sudoku(grid=GIVEN), "sat")
    explanation = explain(result)
    assert explanation.search is None
    assert explanation.unique == (len(solve(Sudoku(grid=GIVEN), "sat", solutions=2).solutions) == 1)


# --- the command ---------------------------------------------------------------------------

LP = """Minimize
 cost: 3 x + 2 y + z
Subject To
 cover: x + y + z >= 2
 budget: 5 x + 4 y + 3 z <= 6
 pair: x + y <= 1
Binary
 x y z
End
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "broken.lp").write_text(LP)
    (tmp_path / "right.lp").write_text(LP.replace("<= 6", "<= 12"))
    (tmp_path / "wrong.txt").write_text("1..1/..3./.1../...2".replace("/", ""))
    (tmp_path / "several.txt").write_text("1....." + "." * 10)
    return tmp_path


def test_the_command_names_rows_and_what_to_leave_out(files):
    status, out, err = command.run("explain", files / "broken.lp")
    assert (status, err) == (3, "")
    assert out.splitlines()[-4:] == [
        "no solution (proved by sat): these 2 contradict each other, and none can be left out",
        "  cover: x + y + z >= 2",
        "  budget: 5 x + 4 y + 3 z <= 6",
        "there is a solution without this (no less will do): budget",
    ]
    how = ("--weight", "budget=inf", "--weight", "cover=0.5", "--smallest", "--json")
    status, out, err = command.run("explain", files / "broken.lp", *how)
    shown = json.loads(out)
    assert (status, err) == (3, "")
    assert [each["name"] for each in shown["relax"]] == ["cover"]
    assert (shown["weight"], shown["is_smallest"], shown["at_least"]) == (0.5, True, 2)
    assert shown["conflict"][0]["words"] == "x + y + z >= 2"


def test_the_status_is_the_worst_and_one_bad_instance_does_not_stop_the_others(files):
    status, out, err = command.run("explain", files / "right.lp", files / "several.txt")
    assert (status, err) == (0, "")
    assert "there is a solution; the objective was not looked at" in out
    assert "several solutions\ntwo of them differ in " in out
    every = [files / name for name in ("wrong.txt", "broken.lp", "right.lp")]
    status, out, err = command.run("explain", *every, "--weight", "budget=2", "--json")
    rows = [*map(json.loads, out.splitlines())]
    assert [row["status"] for row in rows] == ["error", "infeasible", "feasible"]
    assert "there is no budget" in err
    assert status == 2


def test_the_conflict_is_drawn(files):
    status, _, err = command.run("explain", files / "wrong.txt", "--plot", files / "wrong.svg")
    assert (status, err) == (3, "")
    assert "<svg" in (files / "wrong.svg").read_text()
    status, out, err = command.run("explain", files / "broken.lp", "--plot", files / "lp.svg")
    assert (status, out) == (2, "")
    assert "a model has no picture; leave out --plot" in err


def test_a_name_may_have_an_equals_sign_and_a_weight_must_be_a_number(files):
    program = Program.of([[1, 1], [1, 1]], [2, -inf], [inf, 1], rows=["a", "b=1"])
    (files / "named.json").write_text(json.dumps(program.to_dict()))
    status, out, err = command.run("explain", files / "named.json", "--weight", "b=1=5", "--json")
    assert (status, err) == (3, "")
    assert json.loads(out)["relax"][0]["name"] == "a"
    for given, message in (("budget", "expected NAME=W"), ("=1", "expected NAME=W")):
        status, _, err = command.run("explain", files / "broken.lp", "--weight", given)
        assert status == 2
        assert message in err
