"""OMMX, 2 and 3: files, and adapters, theirs and ours.

Skipped without the package: OMMX 2 and OR-Tools cannot be installed together. How to run these is
in docs/models.md.
"""

import doctest
import gzip
import json
import re
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from dimod import ExactCQMSolver

ommx = pytest.importorskip("ommx")

from qubopuzzle import (  # noqa: E402
    EasyAsABC,
    Heyawake,
    Hitori,
    InputError,
    Kurodoko,
    Nonogram,
    Numberlink,
    Program,
    Sudoku,
    cli,
    export,
    from_ommx,
    load,
    load_model,
    ommx_adapter,
    solve,
)
from qubopuzzle.files.models.ommx import to_ommx, write_ommx  # noqa: E402
from qubopuzzle.files.models.ommx_archive import pack, unpack  # noqa: E402
from qubopuzzle.ommx_adapter import OMMXQubopuzzleAdapter  # noqa: E402
from qubopuzzle.programs.ommx_models import instance_of, ommx_module  # noqa: E402

SEVEN = [EasyAsABC, Heyawake, Hitori, Kurodoko, Nonogram, Numberlink, Sudoku]
EXAMPLES = Path(__file__).parents[2] / "examples"
ommx = ommx_module()
IS_3 = ommx.__name__ == "ommx"
MIXED = Program.of(
    [[1, 2, 0], [0, -0.5, 1], [1, 1, 1]],
    [-np.inf, 0, 1],
    [4, 1, 1],
    lower=[0, -1, 0],
    upper=[1, 3, 5],
    cost=[1, 0, -2.5],
    quadratic=[[0, 3, 0], [0, 2, -1], [0, 0, 0]],
    offset=0.25,
    maximize=True,
    variables=["a", "b c", "ü[0,1]"],
    rows=["most", "range", "one"],
    title="Several things",
)


def instance(variables, objective, constraints=(), *, maximize=False, **more):
    """Of the OMMX that is installed: 2 has lists of constraints, 3 dictionaries."""
    listed = list(constraints)
    return ommx.Instance.from_components(
        decision_variables=variables,
        objective=objective,
        constraints=dict(enumerate(listed))
        if IS_3
        else [c.set_id(i) for i, c in enumerate(listed)],
        sense=ommx.Instance.MAXIMIZE if maximize else ommx.Instance.MINIMIZE,
        **more,
    )


def knapsack():
    """The one of the documentation of OMMX and its adapters; the best packing is worth 42."""
    profit, weight = [10, 13, 18, 32, 7, 15], [11, 15, 20, 35, 10, 33]
    x = [ommx.DecisionVariable.binary(i, name="x", subscripts=[i]) for i in range(6)]
    most = sum(weight[i] * x[i] for i in range(6)) <= 47
    return instance(x, sum(profit[i] * x[i] for i in range(6)), [most], maximize=True)


def own_bytes(given):
    return given.to_v1_bytes() if IS_3 else given.to_bytes()


@pytest.fixture(scope="module", autouse=True)
def registry(tmp_path_factory):
    """A folder of ours for OMMX 3, once a process: all artifacts go through one."""
    if IS_3:
        from ommx.artifact import set_local_registry_root

        set_local_registry_root(tmp_path_factory.mktemp("registry"))


@pytest.fixture
def saved(tmp_path):
    """A function from layers, by the builder's methods, to an archive that OMMX makes."""
    path = tmp_path / "theirs.ommx"

    def save(**layers):
        if IS_3:
            from ommx.artifact import ArtifactDraft

            builder = ArtifactDraft.new_anonymous()
        else:
            from ommx.artifact import ArtifactBuilder

            builder = ArtifactBuilder.new_archive_unnamed(path)
        for method, layer in layers.items():
            getattr(builder, method)(layer)
        if IS_3:
            builder.commit().save(path)
        else:
            builder.build()
        return path

    return save


def opened(path):
    """The instance of an archive as OMMX reads it."""
    from ommx.artifact import Artifact

    return (Artifact.import_archive(path) if IS_3 else Artifact.load_archive(path)).instance


def points(program):
    """Objective and whether the rows hold, of all values."""
    ranges = [range(low, high + 1) for low, high in zip(program.lower, program.upper, strict=True)]
    grid = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, len(ranges))
    return [(not program.broken(v), program.objective_of(v)) for v in grid]


# --- files -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SEVEN)
def test_a_puzzle_comes_back_from_a_file(kind, tmp_path):
    built = export(kind.examples()[0], "ommx")
    path = tmp_path / "a.ommx"
    path.write_bytes(built.data)
    found = load_model(path)
    assert list(found.variables) == built.labels
    result = solve(found, "sat")
    assert built.decode([result.values[name] for name in built.labels]).valid


def test_everything_in_a_program_comes_back(tmp_path):
    path = tmp_path / "a.ommx.gz"
    path.write_bytes(gzip.compress(write_ommx(MIXED)))
    found = load_model(path)
    assert (found.variables, found.title, found.id) == (MIXED.variables, MIXED.title, "a")
    assert found.rows == ("most", "range", "range (most)", "one")
    assert (found.maximize, found.offset) == (True, 0.25)
    assert points(found) == points(MIXED)
    assert write_ommx(MIXED) == write_ommx(MIXED)


def test_our_archives_are_read_by_ommx(tmp_path):
    path = tmp_path / "ours.ommx"
    path.write_bytes(write_ommx(MIXED))
    found = opened(path)
    assert [v.name for v in found.decision_variables] == list(MIXED.variables)
    state = {0: 1, 1: 0, 2: 0}
    assert found.evaluate(state).objective == MIXED.objective_of([1, 0, 0])
    assert found.title == MIXED.title or IS_3  # 3 reads titles in its own format only


def test_archives_and_bytes_of_ommx_are_read(saved, tmp_path):
    given = knapsack()
    given.title = "A knapsack"
    archive = saved(add_json={"a": 1}, add_instance=given)
    alone = tmp_path / "alone.ommx"
    alone.write_bytes(own_bytes(given))
    for path in [archive, alone]:
        program = load_model(path)
        assert program.variables == tuple(f"x[{i}]" for i in range(6))
        assert solve(program, "mip").objective == 42
        assert solve(path, seed=1).objective == 42
    assert load_model(archive).title == "A knapsack"


def test_bad_files_are_one_line(saved, tmp_path):
    solution = knapsack().evaluate(dict.fromkeys(range(6), 0))
    whole = write_ommx(MIXED)
    for data, why in [
        (saved(add_solution=solution).read_bytes(), "no instance in the OMMX artifact"),
        (whole[:2000], "breaks off|damaged"),
        (pack(b"\xff" * 50), "no OMMX instance"),
        (b"\xff" * 50, "no OMMX instance"),
    ]:
        path = tmp_path / "bad.ommx"
        path.write_bytes(data)
        with pytest.raises(InputError, match=why) as refused:
            load_model(path)
        assert str(refused.value).startswith(f"{path}: ")
        assert "\n" not in str(refused.value)


@pytest.mark.skipif(IS_3, reason="OMMX 3 reads it")
def test_the_format_of_ommx_3_is_one_line_in_2():
    with pytest.raises(InputError, match="in the format of OMMX 3: pip install"):
        instance_of(b"", 2)


def test_the_command_solves_and_writes_such_files(saved, tmp_path, capsys):
    path = saved(add_instance=knapsack())
    assert cli.main(["solve", str(path), "--solver", "mip", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["objective"] == 42
    again = tmp_path / "again.ommx"
    assert cli.main(["export", str(path), "-o", str(again)]) == 0
    assert opened(again).evaluate({i: i in (0, 3) for i in range(6)}).objective == 42


def test_variables_that_others_give_are_left_out():
    n = ommx.DecisionVariable.integer(1, lower=0, upper=5, name="n")
    c = ommx.DecisionVariable.continuous(2, lower=0, upper=1, name="unused")
    given = instance([n, c], 2 * n, maximize=True)
    assert from_ommx(given).variables == ("n",)
    given.log_encode({1})
    assert from_ommx(given).variables == tuple(f"ommx.log_encode[1, {i}]" for i in range(3))
    found = OMMXQubopuzzleAdapter.solve(given, solver="mip")
    assert (found.objective, found.state.entries[1]) == (10, 5)


# --- their adapters on our models --------------------------------------------------------


@pytest.mark.parametrize("kind", SEVEN)
def test_highs_solves_the_annealers_model_of_a_puzzle(kind, tmp_path):
    highs = pytest.importorskip("ommx_highs_adapter").OMMXHighsAdapter
    puzzle = kind.examples()[0]
    built = export(puzzle, "ommx")
    path = tmp_path / "a.ommx"
    path.write_bytes(built.data)
    state = highs.solve(opened(path)).state.entries
    judged = built.decode([round(state[i]) for i in range(len(built.labels))])
    assert judged.valid
    assert not puzzle.check(judged.grid)[1]


@pytest.mark.parametrize("file", ["sudoku", "heyawake", "hitori", "kurodoko", "easyasabc"])
def test_highs_solves_examples(file, tmp_path):
    highs = pytest.importorskip("ommx_highs_adapter").OMMXHighsAdapter
    (puzzle,) = load(EXAMPLES / f"{file}.json")
    built = export(puzzle, "ommx", presolve="propagate")
    path = tmp_path / "a.ommx"
    path.write_bytes(built.data)
    state = highs.solve(opened(path)).state.entries
    assert built.decode([round(state[i]) for i in range(len(built.labels))]).valid


# --- our adapter -------------------------------------------------------------------------


def test_the_examples_of_the_documentation(tmp_path, monkeypatch, capsys):
    pytest.importorskip("ommx_highs_adapter")
    text = (EXAMPLES.parent / "docs/models.md").read_text().partition("## OMMX")[2]
    (tmp_path / "examples").symlink_to(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        if IS_3:
            block = block.replace("[most]", "{0: most}").replace("load_archive", "import_archive")
        exec(block, {})  # noqa: S102  ours
    assert capsys.readouterr().out == "42.0 True\n42.0\nTrue\n"


def test_the_examples_of_the_adapter():
    assert doctest.testmod(ommx_adapter).failed == 0


@pytest.mark.parametrize("settings", [{}, {"time_limit": 2}, {"solver": "mip"}, {"solver": "sat"}])
def test_the_knapsack_of_ommx(settings):
    found = OMMXQubopuzzleAdapter.solve(knapsack(), seed=1, **settings)
    assert (found.objective, found.feasible) == (42, True)
    assert found.state.entries == {0: 1, 1: 0, 2: 0, 3: 1, 4: 0, 5: 0}
    proved = found.optimality == ommx.Solution.OPTIMAL
    assert proved == ("solver" in settings)


def test_samples_of_the_knapsack():
    found = OMMXQubopuzzleAdapter.sample(knapsack(), num_reads=20, seed=1)
    assert len(found.objectives) == 20
    assert found.best_feasible.objective == 42


def test_the_same_as_highs_on_programs():
    highs = pytest.importorskip("ommx_highs_adapter").OMMXHighsAdapter
    rng = np.random.default_rng(1)
    for _ in range(10):
        program = Program.of(
            rng.integers(0, 10, (3, 8)),
            row_upper=20,
            upper=rng.integers(1, 4, 8),
            cost=rng.integers(1, 10, 8),
            maximize=True,
        )
        given = to_ommx(program)
        best = highs.solve(given).objective
        assert OMMXQubopuzzleAdapter.solve(given, solver="mip").objective == best
        assert OMMXQubopuzzleAdapter.solve(given, seed=1, reads=20).objective == best


def test_the_shortest_tour_of_ommx_tutorial():
    """The quadratic form of its travelling salesman, one-hot twice, against all tours."""
    n = 6
    place = np.random.default_rng(3).random((n, 2))
    far = np.rint(100 * np.linalg.norm(place[:, None] - place[None], axis=2))
    x = [
        [ommx.DecisionVariable.binary(t * n + i, name="x", subscripts=[t, i]) for i in range(n)]
        for t in range(n)
    ]
    length = sum(
        far[i, j] * x[t][i] * x[(t + 1) % n][j]
        for t in range(n)
        for i in range(n)
        for j in range(n)
        if i != j
    )
    once = [sum(x[t]) == 1 for t in range(n)]
    once += [sum(x[t][i] for t in range(n)) == 1 for i in range(n)]
    given = instance([v for row in x for v in row], length, once)
    tours = ((0, *rest) for rest in permutations(range(1, n)))
    best = min(sum(far[a, b] for a, b in zip(t, t[1:] + t[:1], strict=True)) for t in tours)
    found = OMMXQubopuzzleAdapter.sample(given, num_reads=10, seed=1)
    assert all(found.feasible.values())
    assert found.best_feasible.objective == best
    assert OMMXQubopuzzleAdapter.solve(given, seed=1).objective == best


@pytest.mark.parametrize("kind", [Nonogram, Heyawake])
def test_a_puzzle_by_way_of_ommx_and_our_adapter(kind):
    built = export(kind.examples()[0], "ommx")
    given = instance_of(unpack(built.data).data)
    state = OMMXQubopuzzleAdapter.solve(given, seed=1).state.entries
    assert built.decode([round(state[i]) for i in range(len(built.labels))]).valid


def test_no_solution_is_an_error_of_ommx():
    from ommx.adapter import InfeasibleDetected, NoSolutionReturned

    x = [ommx.DecisionVariable.integer(i, lower=0, upper=3) for i in range(2)]
    unsolvable = instance(x, x[0], [2 * x[0] + 2 * x[1] == 5])
    with pytest.raises(InfeasibleDetected, match="no solution"):
        OMMXQubopuzzleAdapter.solve(unsolvable, solver="sat")
    far = instance(x, x[0], [x[0] >= 4])
    for call in (OMMXQubopuzzleAdapter.solve, OMMXQubopuzzleAdapter.sample):
        with pytest.raises(InfeasibleDetected, match="no solution"):
            call(far, seed=1)
    rows = [[1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [1, 1, 0, 1, 1]]
    odd = to_ommx(Program.of(np.array(rows) * 2, 2, 2, cost=1))
    with pytest.raises(NoSolutionReturned, match="annealer: not solved"):
        OMMXQubopuzzleAdapter.solve(odd, seed=1, reads=2, presolve="none")


def test_what_is_not_taken_is_refused():
    c = ommx.DecisionVariable.continuous(0, lower=0, upper=1, name="c")
    with pytest.raises(Exception, match=r"[Cc]ontinuous"):
        OMMXQubopuzzleAdapter.solve(instance([c], c))
    free = ommx.DecisionVariable.integer(0, name="n")
    with pytest.raises(InputError, match="variable n"):
        OMMXQubopuzzleAdapter.solve(instance([free], free))
    with pytest.raises(InputError, match="unknown solver 'anealer'; did you mean annealer"):
        OMMXQubopuzzleAdapter.solve(knapsack(), solver="anealer")
    with pytest.raises(InputError, match="unknown setting 'sweeps'"):
        OMMXQubopuzzleAdapter.solve(knapsack(), sweeps=3)


def test_input_and_output_may_be_taken_apart():
    adapter = OMMXQubopuzzleAdapter(knapsack())
    assert adapter.decode(solve(adapter.solver_input, "sat")).objective == 42
    cqm = adapter.sampler_input
    assert len(cqm.constraints) == 1
    found = adapter.decode_to_sampleset(ExactCQMSolver().sample_cqm(cqm))
    assert len(found.objectives) == 2**6
    assert found.best_feasible.objective == 42


@pytest.mark.skipif(not IS_3, reason="constraints of OMMX 3")
def test_special_constraints_are_taken():
    b = [ommx.DecisionVariable.binary(i) for i in range(4)]
    n = ommx.DecisionVariable.integer(4, lower=0, upper=5)
    given = instance(
        [*b, n],
        b[0] + 2 * b[1] + 3 * b[2] + 4 * b[3] + n,
        maximize=True,
        one_hot_constraints={0: ommx.OneHotConstraint(variables=[0, 1])},
        sos1_constraints={0: ommx.Sos1Constraint(variables=[2, 4])},
        indicator_constraints={0: (b[1] <= 0).with_indicator(b[3])},
    )
    found = OMMXQubopuzzleAdapter.solve(given, solver="mip")
    assert {i: found.state.entries[i] for i in range(5)} == {0: 1, 1: 0, 2: 0, 3: 1, 4: 5}
    assert given.indicator_constraints  # the instance itself is left as it was
    from ommx.adapter import AdapterNotApplicableError

    with pytest.raises(AdapterNotApplicableError, match="indicator"):
        OMMXQubopuzzleAdapter.solve_without_preparation(given)
