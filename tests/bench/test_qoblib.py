"""Submissions to QOBLIB: the format, what is refused, and the library's own checker."""

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import command
from qubopuzzle.bench.merge import load_comparison
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.qoblib import Submission, portfolio, timetable, write_submission
from qubopuzzle.errors import InputError
from qubopuzzle.programs import Program

COLUMNS = (
    "Problem,Submitter,Affiliation,Date,Reference,Best Objective Value,Optimality Bound,"
    "Modeling Approach,# Decision Variables,# Binary Variables,# Integer Variables,"
    "# Continuous Variables,# Non-Zero Coefficients,Coefficients Type,Coefficients Range,Workflow,"
    "Algorithm Type,Paradigm,# Runs,# Feasible Runs,# Successful Runs,Success Threshold,"
    "Hardware Specifications,Total Runtime,Time to Solution,CPU Runtime,GPU Runtime,QPU Runtime,"
    "Other HW Runtime,Remarks"
)
LATER = ("Affiliation", "Paradigm", "Time to Solution")
"""Columns that checkers of before June 2026 do not have."""
EDGES = [(1, 2), (2, 3), (3, 4), (4, 5), (5, 1), (1, 3), (5, 6)]
ROOT = Path(__file__).parents[2]
QOBLIB = Path(os.environ.get("QUBOPUZZLE_QOBLIB", "none"))


def graph(edges=EDGES, n=6):
    return f"p edge {n} {len(edges)}\n" + "".join(f"e {i} {j}\n" for i, j in edges)


@pytest.fixture(scope="module")
def submitted(tmp_path_factory):
    """A folder with a submission, ``sent``, and the journal that it is of."""
    folder = tmp_path_factory.mktemp("qoblib")
    (folder / "six.gph").write_text(graph())
    (folder / "path.gph").write_text(graph([(1, 2), (2, 3)], 3))
    words = ["--solvers", "annealer", "--time-limit", "1", "--json", "runs.jsonl"]
    who = ["--submitter", "A. Author, B. Author", "--affiliation", "X, Y", "--reference", "a, b"]
    words += ["--qoblib", "sent", *who]
    status, _, err = command.run("compare", "six.gph", "path.gph", *words, cwd=folder)
    assert (status, err) == (0, "")
    return folder


def test_a_folder_has_what_the_guide_asks_for(submitted):
    sent = submitted / "sent"
    assert {path.name for path in sent.iterdir()} == {"six", "path"}
    for name, size in (("six", 3), ("path", 2)):
        solutions = [f"solutions/{name}_solution_{number}.sol" for number in range(5)]
        series = f"{name}_objective_time_series.json"
        files = {path.relative_to(sent / name).as_posix() for path in sent.glob(f"{name}/**/*.*")}
        assert files == {"README.md", f"{name}_summary.csv", series, *solutions}
        text = (sent / name / f"{name}_summary.csv").read_text()
        assert text.splitlines()[0] == COLUMNS
        (row,) = csv.DictReader(text.splitlines())
        assert (row["Problem"], row["Best Objective Value"]) == (name, str(size))
        assert row["Submitter"] == "A. Author, B. Author"
        assert (row["Affiliation"], row["Reference"]) == ("X, Y", "a, b")
        assert (row["Algorithm Type"], row["Paradigm"]) == ("Stochastic", "Classical")
        assert len(row["Date"]) == len("2026-11-27")
        assert (row["# Runs"], row["# Feasible Runs"], row["# Successful Runs"]) == ("5",) * 3
        assert 0 < float(row["Time to Solution"]) <= float(row["Total Runtime"])
        assert (row["GPU Runtime"], row["QPU Runtime"]) == ("N/A", "N/A")
        for each in solutions:
            assert len((sent / name / each).read_text().split()) == size
        assert f"| Problem | {name} |" in (sent / name / "README.md").read_text()
    # The model's own numbers: six bits, seven rows of two, an objective of six terms.
    numbers = ("# Decision Variables", "# Binary Variables", "# Integer Variables")
    (row,) = csv.DictReader((sent / "six" / "six_summary.csv").read_text().splitlines())
    assert [row[column] for column in numbers] == ["6", "6", "0"]
    assert row["# Continuous Variables"] == "0"
    assert (row["# Non-Zero Coefficients"], row["Coefficients Type"]) == ("20", "Integer")
    assert row["Coefficients Range"] == "[1, 1]"


def test_solutions_are_independent_sets(submitted):
    for path in submitted.glob("sent/six/solutions/*"):
        vertices = set(map(int, path.read_text().split()))
        assert vertices <= set(range(1, 7))
        assert not any({i, j} <= vertices for i, j in EDGES)


def test_series_improve_until_the_end_of_the_run(submitted):
    path = submitted / "sent" / "six" / "six_objective_time_series.json"
    rows = load_comparison(submitted / "runs.jsonl").rows
    seconds = [row["seconds"] for row in rows if row["instance"] == "six"]
    runs = json.loads(path.read_text())
    assert len(runs) == 5
    for run, end in zip(runs, seconds, strict=True):
        assert all(each.keys() == {"Time", "Incumbent"} for each in run)
        times, values = ([each[key] for each in run] for key in ("Time", "Incumbent"))
        assert times == sorted(times)
        assert values == sorted(values)
        assert times[-1] == pytest.approx(end, abs=1e-5)
        assert values[-1] == 3


def test_what_is_no_submission_is_one_line(submitted, tmp_path):
    for file, name in (("small.lp", "a"), ("game.lp", "x#0#1#0")):
        text = f"min\nobj: {name}\nst\nc: {name} >= 0\nbinary\n{name}\nend\n"
        (tmp_path / file).write_text(text)
    six = submitted / "six.gph"
    for words, message in (
        ([six, "--solvers", "annealer,sat"], "one solver with its options, not of annealer, sat"),
        ([six, "--solvers", "neal", "--repeat", "4"], "5 runs of a stochastic method at least"),
        ([six, "--solvers", "qpu-sim"], "qpu-sim: a submission is written of solvers of this pack"),
        (["small.lp", "--solvers", "sat"], "small: a submission is of graphs (.gph, class 07)"),
        ([six, "game.lp", "--solvers", "sat"], "one class, not of 05 and 07"),
        ([six, "--solvers", "sat", "--qoblib", submitted], "to a new or empty folder"),
    ):
        status, _, err = command.run(
            "compare", *words[:1], "--qoblib", "x", *words[1:], cwd=tmp_path
        )
        assert status == 2
        assert message in err
        assert err.count("\n") == 1
    assert not (tmp_path / "x").exists()
    status, _, err = command.run("report", submitted / "runs.jsonl", "--submitter", "A")
    assert (status, err.count("\n")) == (2, 1)
    assert "--submitter is of a submission: add --qoblib DIR" in err


def test_what_is_not_known_is_said(submitted, tmp_path):
    words = ["report", submitted / "runs.jsonl", "--qoblib", tmp_path / "again"]
    status, _, err = command.run(*words)
    assert status == 0
    names = ("submitter", "affiliation", "reference")
    assert err.splitlines() == [
        f"qubopuzzle: {name} is N/A: say it with --{name}" for name in names
    ]
    text = (tmp_path / "again" / "six" / "six_summary.csv").read_text()
    (row,) = csv.DictReader(text.splitlines())
    assert (row["Submitter"], row["Affiliation"], row["Reference"]) == ("N/A",) * 3


def test_an_instance_without_enough_is_left_out(submitted, tmp_path):
    whole = load_comparison(submitted / "runs.jsonl")
    failed = {"status": "not solved", "solved": False, "solution": None, "objective": None}
    rows = [row | (failed if row["instance"] == "six" else {}) for row in whole.rows]
    who = Submission("A", "B", "C")
    (line,) = write_submission(replace(whole, rows=rows), tmp_path / "one", who)
    assert line == "six is left out: no run found a solution"
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["path"]
    (line,) = write_submission(replace(whole, rows=whole.rows[1:]), tmp_path / "two", who)
    assert line == "six is left out: 4 runs, of 5 at least"


def test_failed_runs_count_as_runs(submitted, tmp_path):
    whole = load_comparison(submitted / "runs.jsonl")
    failed = {"status": "not solved", "solved": False, "solution": None, "objective": None}
    rows = [whole.rows[0] | failed, *whole.rows[1:]]
    write_submission(replace(whole, rows=rows), tmp_path, Submission("A", "B", "C"))
    (row,) = csv.DictReader((tmp_path / "six" / "six_summary.csv").read_text().splitlines())
    assert (row["# Runs"], row["# Feasible Runs"], row["# Successful Runs"]) == ("5", "4", "4")
    assert len(json.loads((tmp_path / "six" / "six_objective_time_series.json").read_text())) == 4
    assert len([*(tmp_path / "six" / "solutions").iterdir()]) == 4


def units(periods, symbols=("AAPL", "GOOGL"), copies=2):
    """Names as ZIMPL makes them: those longer than 12 characters are cut, with their number."""
    names, meaning = [], []
    for symbol in symbols:
        for copy in range(1, copies + 1):
            for direction in ("1", "_1"):
                for period in range(periods):
                    name = f"x${symbol}#{copy}#{direction}#{period}"
                    number = f"@{len(names):x}"
                    names.append(name if len(name) <= 12 else name[: 13 - len(number)] + number)
                    meaning.append((period, symbol, direction == "_1"))
    return names, meaning


def test_a_portfolio_is_written_by_period_and_symbol():
    names, meaning = units(3)
    assert any("@" in name for name in names)
    assert any("@" not in name for name in names)
    slack = [f"y#0#{period}" for period in range(3)]
    program = Program.of(np.ones((1, len(names) + 3)), variables=[*names, *slack])
    instance = Instance("bqp_a002_t03_orig_b004_l0.0001", program)
    head = ["instance po_a002_t03_orig", "budget 4", "lambda 0.0001"]
    nothing = dict.fromkeys(program.variables, 0)
    assert portfolio(instance, nothing).splitlines() == head
    for name, (period, symbol, short) in zip(names, meaning, strict=True):
        held = "0 1" if short else "1 0"
        lines = portfolio(instance, nothing | {name: 1, "y#0#1": 1}).splitlines()
        assert lines == [*head, f"{period} {symbol} {held}"]
    lines = portfolio(instance, dict.fromkeys(program.variables, 1)).splitlines()
    assert lines[3:] == [f"{t} {symbol} 2 2" for t in range(3) for symbol in ("AAPL", "GOOGL")]
    with pytest.raises(InputError, match=r"^po: its name must say budget and risk"):
        portfolio(replace(instance, label="po"), nothing)


TOURNAMENT = """<Instance><Structure><Format><numberRoundRobin>2</numberRoundRobin>
<gameMode>P</gameMode></Format></Structure><Resources><Teams><team/><team/><team/><team/></Teams>
<Slots><slot/><slot/><slot/><slot/><slot/><slot/></Slots></Resources><Constraints><GameConstraints>
<GA1 max="1" min="1" meetings="0,1;" slots="0" type="HARD"/></GameConstraints></Constraints>
</Instance>"""
GAMES = ["010", "230", "201", "311", "032", "122", "103", "323", "024", "134", "305", "215"]
"""Home, away and slot of a double round robin of four teams."""


def test_the_checker_of_tournaments_goes_by_the_rules(tmp_path):
    names = [f"x#{i}#{j}#{s}" for i in range(4) for j in range(4) if i != j for s in range(6)]
    played = {f"x#{home}#{away}#{slot}": 1 for home, away, slot in GAMES}
    values = dict.fromkeys(names, 0) | played | {"ba#0#1": 1}
    instance = Instance("four", Program.of(np.ones((1, len(names))), variables=names))
    right = timetable(instance, values)
    assert set(right.split("\n")) == {f"{name} 1" for name in played} | {""}
    swapped = right.replace("x#0#1#0", "x#0#1#3").replace("x#1#0#3", "x#1#0#0")
    xml = "".join(f'<ScheduledMatch home="{h}" away="{a}" slot="{s}"/>' for h, a, s in GAMES)
    (tmp_path / "four.xml").write_text(TOURNAMENT)
    for text, status, message in (
        (right, 0, "VALID"),
        (f"<Solution><Games>{xml}</Games></Solution>", 0, "VALID"),
        (swapped, 21, "GA1: 0 games, not 1 to 1"),
        (right.replace("x#0#1#0 1\n", ""), 21, "game (0, 1): not played"),
        (right + right, 10, "a game is played twice"),
        ("nothing", 10, "it has no game"),
        ("<Solution>", 10, "no element"),
    ):
        (tmp_path / "four.sol").write_text(text)
        script = ROOT / "benchmarks" / "data" / "robinx.py"
        words = [sys.executable, script, tmp_path / "four.xml", tmp_path / "four.sol"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        assert message in done.stdout + done.stderr


# --- the library's own checker ------------------------------------------------------------


CHECKERS = [QOBLIB / "misc" / folder / "check_submission.py" for folder in ("ci", ".")]
CHECKER = next((path for path in CHECKERS if path.exists()), None)


@pytest.mark.skipif(CHECKER is None, reason="no checkout of QOBLIB; QUBOPUZZLE_QOBLIB names one")
def test_the_librarys_checker_accepts_a_submission(submitted, tmp_path):
    """A checker of before June 2026 is given the columns that it knows."""
    write_submission(load_comparison(submitted / "runs.jsonl"), tmp_path, Submission("A", "B", "C"))
    if '"Paradigm"' not in CHECKER.read_text():
        for path in tmp_path.glob("*/*_summary.csv"):
            (row,) = csv.DictReader(path.read_text().splitlines())
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(file, [name for name in row if name not in LATER])
                writer.writeheader()
                writer.writerow({name: row[name] for name in writer.fieldnames})
    words = [sys.executable, CHECKER, tmp_path, "--strict-problem-match"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2/2 instances passed, 0 failed" in done.stdout
