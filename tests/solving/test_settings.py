"""``Settings``: checked where it is made, the command that repeats it, JSON both ways."""

import json
import shlex
from dataclasses import fields
from inspect import signature

import dimod
import pytest

import qubopuzzle
from qubopuzzle import ModelBuilder, Nonogram, Settings, solve, to_bqm
from qubopuzzle.base.renamed import ATTRIBUTES, PUBLIC
from qubopuzzle.cli import main
from qubopuzzle.errors import InputError, SolverUnavailable
from qubopuzzle.solving.settings import Fields

ALL = Settings(
    "neal",
    formulation="blocks:rows=2",
    encoding="domain-wall",
    presolve="probe",
    weights={"field": 2, "order": 1.5},
    reads=3,
    seed=2**62,
    time_limit=1.25,
    options={"sweeps": "100"},
)
USUAL = Settings()


@pytest.mark.parametrize("settings", [USUAL, ALL, Settings("sat", solutions=None)])
def test_json_holds_what_is_not_usual(settings: Settings) -> None:
    text = json.dumps(settings.to_dict())
    assert Settings.from_dict(json.loads(text)) == settings
    assert set(json.loads(text)) == {
        each.name
        for each in fields(Settings)
        if getattr(settings, each.name) != getattr(USUAL, each.name)
    }


def test_the_fields_are_listed_twice_and_alike() -> None:
    assert sorted(Fields.__annotations__) == sorted(each.name for each in fields(Settings))


def test_it_prints_the_command_that_repeats_it(tmp_path, capsys) -> None:
    assert str(ALL) == (
        "qubopuzzle solve PUZZLE --solver neal --formulation blocks:rows=2 --encoding domain-wall "
        "--presolve probe --weight field=2 --weight order=1.5 --option sweeps=100 --reads 3 "
        f"--seed {2**62} --time-limit 1.25"
    )
    puzzle = tmp_path / "a puzzle.json"
    puzzle.write_text(json.dumps(Nonogram.examples()[0].to_dict()))
    several = Settings("sat", formulation="window", solutions=3, seed=5)
    for settings in (several, Settings("neal", seed=1, encoding="one-hot", options={"sweeps": 50})):
        words = shlex.split(settings.command(str(puzzle)))
        main([*words[1:], "--json"])
        said = json.loads(capsys.readouterr().out)
        result = solve(str(puzzle), settings)
        same = ("solver", "formulation", "encoding", "seed", "status", "energy", "solution")
        assert {name: said[name] for name in same} == {n: result.to_dict()[n] for n in same}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"solver": "anealer"}, "did you mean annealer"),
        ({"encoding": "one_hot"}, "did you mean one-hot"),
        ({"presolve": 3}, "unknown presolve 3"),
        ({"formulation": 3}, "formulation: expected a name, got 3"),
        ({"weights": [1]}, "weights: expected numbers by family"),
        ({"options": 3}, "options: expected values by name"),
        ({"options": {"sweep": 3}}, "has no option 'sweep'"),
        ({"reads": 0}, "reads: expected a whole number from 1"),
        ({"seed": -1}, "seed: expected a whole number from 0"),
        ({"time_limit": 0}, "time limit: expected a positive number of seconds"),
        ({"solutions": 2}, "solver annealer cannot say that there is no other solution; use"),
        ({"read": 2}, "unknown setting 'read'; did you mean reads"),
        ({"num_reads": 2}, "unknown setting 'num_reads'; did you mean reads"),
        (
            {"threads": 2},
            "unknown setting 'threads'; it is an option of annealer: write options={'threads': 2}",
        ),
        (
            {"num_sweeps": 9},
            "setting 'num_sweeps'; sweeps is an option of annealer: write options={'sweeps': 9}",
        ),
        ({"chains": 0, "reads": 1}, "it is an option of annealer: write options={'chains': 0}"),
        ({"solver": "neal", "beta_hot": 1}, "it is an option of neal: write options={'beta_hot'"),
        ({"solver": "sat", "sweeps": 1}, "unknown setting 'sweeps'; choose from formulation"),
        ({"solver": "dwave", "annealing_time": 5}, "it is an option of dwave: write options="),
        ({"options": {"seed": 3}}, "solver annealer: write seed=3, not options={'seed': 3}"),
        ({"options": {"num_reads": 10}}, "write reads=10, not options={'num_reads': 10}"),
        (
            {"solver": "neal", "options": {"num_reads": "10"}},
            "solver neal: write reads=10, not options={'num_reads': 10}",
        ),
        (
            {"solver": "dimod:dimod:RandomSampler", "options": {"num_reads": 10}},
            "dimod:dimod:RandomSampler: write reads=10, not options={'num_reads': 10}",
        ),
        ({"seed": 2**63}, "from 0 to 9,223,372,036,854,775,807, got 9223372036854775808"),
    ],
)
def test_what_cannot_be_used_is_one_line(given, message) -> None:
    for call in (
        lambda: Settings.from_dict(given),
        lambda: Settings(**given),
        lambda: solve(Nonogram.examples()[0], **given),
    ):
        with pytest.raises(InputError) as error:
            call()
        assert message in str(error.value)
        assert "\n" not in str(error.value)


def test_options_of_samplers_as_keywords() -> None:
    sampler = Settings("dimod:dwave.samplers:SimulatedAnnealingSampler")
    with pytest.raises(InputError, match=r"; num_sweeps is an option of dimod:.*: write options="):
        Settings.of(sampler, {"sweeps": 3})
    assert list(signature(Settings).parameters) == [each.name for each in fields(Settings)]


@pytest.mark.parametrize(
    ("source", "remedy"),
    [
        (Nonogram.examples(), "got list; load gives a list: take one of it, or use solve_each"),
        ((1, 2), "got tuple; take one of it, or use solve_each"),
        (ModelBuilder(), "got ModelBuilder; make a model of it with .build()"),
        (3, "expected a puzzle, a model or a file, got int"),
    ],
)
def test_what_is_nearly_a_source_has_a_remedy(source, remedy) -> None:
    with pytest.raises(InputError) as error:
        solve(source)
    assert str(error.value).endswith(remedy)


def test_names_that_are_nearly_public() -> None:
    with pytest.raises(AttributeError, match="attribute 'from_cmq'; did you mean from_cqm"):
        _ = qubopuzzle.from_cmq
    with pytest.raises(AttributeError, match=r"attribute 'zzzzz'; see dir\(qubopuzzle\)"):
        _ = qubopuzzle.zzzzz
    assert not hasattr(qubopuzzle, "__wrapped__")


def test_fields_take_precedence_and_a_solver_is_given_once() -> None:
    assert Settings.of(ALL, {"seed": 1}).seed == 1
    assert Settings.of("sat").solver == Settings.of(None, {"solver": "sat"}).solver == "sat"
    with pytest.raises(InputError, match="given twice"):
        Settings.of("sat", {"solver": "neal"})


def test_models_take_what_says_how_they_are_made_and_nothing_else() -> None:
    puzzle = Nonogram.examples()[0]
    wall = Settings("sat", encoding="domain-wall", seed=3)
    assert to_bqm(puzzle, wall) == to_bqm(puzzle, encoding="domain-wall")
    with pytest.raises(InputError, match="unknown setting 'seed'"):
        to_bqm(puzzle, seed=3)
    with pytest.raises(InputError, match="expected Settings, or its fields by name, got 'window'"):
        to_bqm(puzzle, "window")


def test_resolved_settings_repeat_the_run() -> None:
    solver, chosen = Settings(weights={"field": 2}).resolved()
    assert (solver.name, chosen.presolve, chosen.reads) == ("annealer", "interleave", 127)
    assert chosen.seed is not None
    assert chosen.resolved()[1] == chosen
    assert Settings(time_limit=1).resolved()[1].reads is None


def test_a_sampler_is_written_by_the_name_of_its_solver() -> None:
    given = Settings(dimod.ExactSolver())
    assert Settings.from_dict(given.to_dict()).backend.name == given.backend.name


def test_a_solver_that_cannot_run_here_is_known_when_it_is_resolved(monkeypatch) -> None:
    settings = Settings("amplify")
    monkeypatch.delenv("AMPLIFY_TOKEN", raising=False)
    monkeypatch.setattr(type(settings.backend), "available", lambda _: _Missing())
    with pytest.raises(SolverUnavailable, match="solver amplify cannot run here: not today"):
        settings.resolved()


class _Missing:
    ok, why = False, "not today"


def test_old_names_work_and_say_the_new_one() -> None:
    for name, path in PUBLIC.items():
        with pytest.warns(FutureWarning, match=rf"^qubopuzzle\.{name} is now qubopuzzle\.{path};"):
            assert getattr(qubopuzzle, name).__name__ == path.rpartition(".")[2]
    with pytest.warns(FutureWarning, match=r"^qubopuzzle\.Recipe is now qubopuzzle\.Settings;"):
        assert qubopuzzle.Recipe is Settings
    result = qubopuzzle.solve(qubopuzzle.Nonogram(rows=[[1]], cols=[[1]]), seed=1)
    for value, names in ((result, "answer found judged"), (result.best, "answer")):
        for name in names.split():
            new = ATTRIBUTES[type(value).__name__][name]
            with pytest.warns(
                FutureWarning, match=rf"\.{name} is now {type(value).__name__}\.{new};"
            ):
                assert getattr(value, name) is getattr(value, new)
    with pytest.raises(AttributeError, match="'Result' object has no attribute 'nothing'"):
        _ = result.nothing
