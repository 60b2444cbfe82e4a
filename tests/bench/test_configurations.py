"""What is compared: named configurations, grids, TOML, and what tells runs apart."""

import json
from pathlib import Path

import pytest

import qubopuzzle
from qubopuzzle import InputError, Nonogram, Settings
from qubopuzzle.bench.configurations import grid, make_configuration, read_configurations
from qubopuzzle.bench.plan import make_plan
from qubopuzzle.cli.parser import Parser

DOT = Nonogram(rows=[[1], []], cols=[[1], []], id="dot")


def names(configurations):
    return [each["name"] for each in configurations]


def test_a_grid_is_every_combination_and_its_names_say_what_varies():
    found = list(
        grid(
            ["neal", "annealer", "sat"],
            {"neal": {"sweeps": [10, 20]}},
            encoding=["one-hot", "domain-wall"],
            weights={"field": [1, 2], "order": 3},
            presolve="none",
        )
    )
    assert names(found) == [
        *(
            f"neal, {encoding}, field={weight}, sweeps={sweeps}"
            for encoding in ("one-hot", "domain-wall")
            for weight in (1, 2)
            for sweeps in (10, 20)
        ),
        "annealer, field=1",
        "annealer, field=2",
        "sat",
    ]
    assert found[0] == {
        "name": "neal, one-hot, field=1, sweeps=10",
        "solver": "neal",
        "encoding": "one-hot",
        "weights": {"field": 1, "order": 3},
        "presolve": "none",
        "options": {"sweeps": 10},
    }
    # What a solver does not take is left out for it: no run is made twice.
    assert found[-1] == {"name": "sat", "solver": "sat", "presolve": "none"}


TOML = """
[[configuration]]
name = "annealer, probed"
solver = "annealer"
presolve = "probe"
options = {sweeps = 50}
reads = 3
time_limit = 5

[[grid]]
solver = ["neal", "tabu"]
encoding = ["one-hot", "domain-wall"]
weights = {field = [1, 2]}
"""


@pytest.fixture
def sweep(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(TOML)
    return path


def test_a_file_has_both(sweep):
    plan = make_plan(DOT, configurations=sweep, time_limit=2, repeat=3)
    first, *others = plan.configurations
    assert (first.name, first.presolve, first.reads, first.time_limit) == (
        "annealer, probed",
        "probe",
        3,
        5,
    )
    assert first.options["sweeps"] == 50
    assert [each.name for each in others] == [
        f"{solver}, {encoding}, field={weight}"
        for solver in ("neal", "tabu")
        for encoding in ("one-hot", "domain-wall")
        for weight in (1, 2)
    ]
    assert {each.time_limit for each in others} == {2}
    jobs = list(plan.jobs())
    assert len({job.key for job in jobs}) == len(jobs) == 9 * 3
    assert plan.planned() == {each.name: 3 for each in plan.configurations}
    assert {job.hard_limit_s for job in jobs} == {34, 40}


def test_names_of_configurations_and_of_instances_are_no_part_of_a_key():
    one, other = (
        make_plan(
            Nonogram(rows=[[1]], cols=[[1]], id="same"),
            configurations=[{"name": name, "solver": "sat"}],
        )
        for name in ("a", "b")
    )
    assert [job.key for job in one.jobs()] == [job.key for job in other.jobs()]


def test_a_further_configuration_runs_only_what_is_new(tmp_path):
    journal = tmp_path / "runs.jsonl"
    two = [{"solver": "sat"}, {"name": "few", "solver": "random", "reads": 2}]
    settings = {"time_limit": 5, "repeat": 2, "journal": journal}
    first = qubopuzzle.compare(DOT, configurations=two, **settings)
    assert (first.resumed, len(first.rows)) == (0, 3)
    more = [*two, {"name": "more", "solver": "random", "reads": 3}]
    second = qubopuzzle.compare(DOT, configurations=more, resume=True, **settings)
    assert (second.resumed, len(second.rows)) == (3, 5)
    assert [row["configuration"] for row in second.rows] == ["sat", "few", "few", "more", "more"]
    assert [row["reads_limit"] for row in second.rows] == [None, 2, 2, 3, 3]
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [line["name"] for line in lines if "name" in line] == ["sat", "few", "more"]
    assert sum("problem" in line for line in lines) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([{"solver": "nosuch"}], "unknown solver"),
        ([{"name": "x"}], "names its solver by a text"),
        (["sat"], "names its solver by a text"),
        ([{"solver": "sat", "sweeps": 1}], "unknown setting 'sweeps'"),
        ([{"solver": "sat", "encoding": "one-hot"}], "sat: solver sat takes no encoding"),
        ([{"solver": "sat", "weights": {"a": 1}}], "sat: solver sat keeps every constraint"),
        ([{"solver": "neal", "encoding": "nosuch"}], "neal: unknown encoding"),
        ([{"solver": "neal", "options": {"nosuch": 1}}], "neal: solver neal has no option"),
        ([{"solver": "neal", "options": 5}], "neal: options: expected values by name, got 5"),
        ([{"solver": "neal", "reads": 0}], "neal: reads: expected a whole number"),
        ([{"solver": "neal", "time_limit": -1}], "neal: time limit"),
        ([{"name": "", "solver": "neal"}], "name: expected a printable text"),
        ([{"name": "a\x1b", "solver": "neal"}], "name: expected a printable text"),
        ([{"solver": "neal", "presolve": {"a": 1}}], "neal: unknown presolve dict of 1; choose"),
        ([{"solver": "neal", "encoding": ["a"]}], "neal: unknown encoding list of 1; choose"),
        ([{"solver": "neal", "formulation": {}}], "neal: formulation: expected a name, got dict"),
        ([{"solver": "neal"}, {"solver": "neal"}], "two configurations are named neal"),
        ([{"solver": "neal"}, {"name": "b", "solver": "neal"}], "neal and b are the same"),
        ([{"solver": "neal", "formulation": "nosuch"}], "dot: nonogram has no formulation"),
        ([], "no solver to compare"),
    ],
)
def test_configurations_that_cannot_be_are_one_line(given, message):
    with pytest.raises(InputError, match=message) as error:
        make_plan(DOT, configurations=given)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[grid]\n", "no TOML"),
        ("\xff", "no TOML"),
        ("", "neither"),
        ("[grid]\nsolver = 'sat'", r"grid: expected tables, as \[\[grid\]\]"),
        ("[[grid]]\nencoding = 'one-hot'", "grid 1: it names no solver"),
        ("[[grid]]\nsolver = []", "grid 1: solver: expected a value"),
        ("[[grid]]\nsolver = 'sat'\noptions = {neal = {sweeps = 1}}", "'neal', which is not"),
        ("[[grid]]\nsolver = 'sat'\nsweep = 1", "unknown setting 'sweep'"),
        ("[[configurations]]\nsolver = 'sat'", "did you mean configuration"),
        ("#" * 2**18 + "\n", "larger than 262,144 bytes"),
        ("a" + ".a" * 2000 + " = 1", "too many dots in one line"),
        ("a = " + "9" * 5000, "no TOML: Exceeds the limit"),
        ("a = " + "[" * 10**5, "no TOML: maximum recursion"),
        ("[[grid]]\nsolver = [['sat']]", "grid 1: solver: expected a name, or several"),
        (
            "[[grid]]\nsolver = 'neal'\n[grid.weights]\n"
            + "".join(f"a{i} = [1, 2, 3]\n" for i in range(99)),
            "grid 1: a number of over 30 digits configurations of neal; 10,000 are the limit",
        ),
    ],
)
def test_files_that_cannot_be_are_one_line(tmp_path, text, message):
    path = tmp_path / "sweep.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=rf"sweep\.toml: .*{message}") as error:
        read_configurations(path)
    assert "\n" not in str(error.value)


def test_no_file_and_settings_beside_one(tmp_path, sweep):
    with pytest.raises(InputError, match=r"none\.toml: No such file"):
        read_configurations(tmp_path / "none.toml")
    with pytest.raises(InputError, match="name their own solvers"):
        make_plan(DOT, ["sat"], configurations=sweep)
    if Path("/dev/zero").exists():
        with pytest.raises(InputError, match=r"/dev/zero: larger than 262,144 bytes"):
            read_configurations("/dev/zero")


def test_records_of_settings_are_configurations_that_say_what_is_not_usual():
    given = [Settings(), Settings("neal", encoding="domain-wall", weights={"field": 2}, reads=3)]
    usual, own = make_plan(DOT, configurations=given).configurations
    assert (usual.name, usual.presolve) == ("annealer", "interleave")
    assert own.name == "neal, encoding=domain-wall, field=2, reads=3"
    assert own.settings(7).reads == 3
    with pytest.raises(InputError, match="unknown setting 'seed'"):
        make_plan(DOT, configurations=[Settings(seed=1)])


def test_settings_that_differ_from_defaults():
    made = make_configuration(
        {"solver": "neal", "encoding": "domain-wall", "presolve": "none", "options": {"sweeps": 5}},
        3,
    )
    assert made.changed() == {"options": {"sweeps": 5}}


def test_several_names_on_the_command_line():
    parser = Parser("x", "")
    parser.option("--formulations F,F,...", "")
    parser.option("--weights FAMILY=W,W,...", "")
    words = ["--formulations", "blocks:rows=2,columns=3,window", "--weights", "field=1,2.5"]
    args = parser.parse([*words, "--weights", "order=3"])
    assert args.formulations == ["blocks:rows=2,columns=3", "window"]
    assert args.weights == [("field", [1, 2.5]), ("order", [3])]
