"""Solver leap-cqm: the real client against a stand-in for D-Wave's service."""

import io
import json

import dimod
import numpy as np
import pytest

pytest.importorskip("dwave.system", reason="needs the extra dwave")

from command import run
from qubopuzzle import InputError, Nonogram, solve
from qubopuzzle.errors import AuthenticationError, ProtocolError, SolverFailed, TooLarge
from qubopuzzle.puzzles import get_puzzle
from sapi_stand_in import HYBRID, stand_in

A = Nonogram.examples()[0]
TOKEN = "DEV/sEcReT-t0ken+of=abcdefghijklm"  # noqa: S105


@pytest.fixture(autouse=True)
def token(monkeypatch, tmp_path):
    monkeypatch.setenv("DWAVE_API_TOKEN", TOKEN)
    monkeypatch.setenv("DWAVE_CONFIG_FILE", str(tmp_path / "dwave.conf"))
    (tmp_path / "dwave.conf").write_text("[mine]\nsolver=a-qpu\n")


@pytest.fixture(scope="module")
def sapi():
    with stand_in() as service:
        yield service


def ask(url, puzzle=A, *, time_limit=None, formulation=None, **options):
    options = {"url": url, **options}
    return solve(
        puzzle, "leap-cqm", formulation=formulation, time_limit=time_limit, options=options
    )


@pytest.mark.usefixtures("kept", "quick")
@pytest.mark.parametrize("name", ["nonogram", "sudoku", "numberlink"])
def test_puzzles_are_solved_as_cqms(sapi, name):
    puzzle = get_puzzle(name).examples()[0]
    formulation = puzzle.formulation_for(cuts=False)
    result = ask(f"{sapi.url}/tag/{name}", puzzle, formulation=formulation)
    assert result.valid
    assert result.encoding is None
    told = result.settings
    assert told["hybrid_solver"] == HYBRID
    assert told["time_limit_s"] == 5
    assert told["feasible_samples"] == 1
    parts = ["queue", "execution", "qpu_access", "network", "process"]
    assert list(result.service_s) == parts
    assert result.service_s["execution"] == pytest.approx(5.1)
    sent = [(request["method"], request["path"]) for request in sapi.kept[name]]
    assert ("POST", "/problems/") in sent
    assert len({request["token"] for request in sapi.kept[name]}) == 1
    problem = sapi.problems[told["problem_ids"][0]]
    assert bool(problem.cqm.discrete) == (name != "numberlink")  # which has bits alone
    assert problem.body["params"] == {"time_limit": 5}


@pytest.mark.usefixtures("kept", "quick")
def test_a_record_is_judged_again(sapi, tmp_path):
    file = tmp_path / "answer.json"
    first = ask(sapi.url, time_limit=7, record=str(file))
    assert first.settings["time_limit_s"] == pytest.approx(7, abs=0.2)
    assert TOKEN not in file.read_text()
    again = ask(None, replay=str(file))
    assert again.valid
    assert np.array_equal(again.grid, first.grid)
    assert len(again.samples) == 2
    changed = json.loads(file.read_text())
    for edit in ({"num_variables": 10**9}, {"info": {}}, {"vectors": 3}):
        file.write_text(json.dumps(changed | edit))
        with pytest.raises(ProtocolError, match=r"^the stored answer: "):
            ask(None, replay=str(file))


@pytest.mark.usefixtures("kept", "quick")
@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("solvers-401", AuthenticationError, "refuses the token"),
        ("poll-failed", SolverFailed, "no calibration for token .token."),
        ("answer-other-id", ProtocolError, "on another problem"),
    ],
)
def test_faults_have_types(sapi, fault, kind, words):
    with pytest.raises(kind, match=words) as caught:
        ask(f"{sapi.url}/fault/{fault}")
    assert TOKEN not in str(caught.value)


@pytest.mark.usefixtures("kept", "quick")
def test_a_model_that_leap_does_not_take_is_refused(sapi, monkeypatch):
    monkeypatch.setitem(sapi.hybrid["properties"], "maximum_number_of_variables", 10)
    with pytest.raises(TooLarge, match="takes 10 variables, the model has 44"):
        ask(sapi.url)


def test_a_dry_run_writes_the_model(tmp_path, monkeypatch):
    monkeypatch.delenv("DWAVE_API_TOKEN")
    file = tmp_path / "model.cqm"
    example = tmp_path / "a.json"
    example.write_text(json.dumps({"puzzle": "nonogram", "rows": [[1], []], "cols": [[1], []]}))
    status, out, err = run("solve", example, "--solver", "leap-cqm", "--dry-run", file)
    assert status == 0, err
    assert "s of Leap's time" in out
    assert len(dimod.CQM.from_file(io.BytesIO(file.read_bytes())).constraints) > 0
    with pytest.raises(InputError, match="write time_limit=9, not options="):
        solve(A, "leap-cqm", options={"time_limit": 9})
