"""``qubopuzzle compare``: nothing that a solver does ends a comparison, and nothing is lost."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from dataclasses import replace
from math import inf, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import command
import qubopuzzle
from qubopuzzle import InputError, Nonogram, cli
from qubopuzzle.bench import profile
from qubopuzzle.bench.comparison import Comparison, run
from qubopuzzle.bench.contradictions import THE_FILE, contradictions
from qubopuzzle.bench.journal import Journal
from qubopuzzle.bench.plan import Instance, make_plan
from qubopuzzle.bench.statistics import par2, tts
from qubopuzzle.bench.tables import instance_table
from qubopuzzle.cli.reporting import failure_notes, outputs
from qubopuzzle.files.puzzles import get_format

native = get_format("json")

TESTS = Path(__file__).parents[1] / "helpers"
DOT = Nonogram(rows=[[1], []], cols=[[1], []], id="dot")
DIAGONAL = Nonogram(rows=[[1], [1]], cols=[[1], [1]], id="diagonal")
BAR = Nonogram(rows=[[2], []], cols=[[1], [1]], id="bar")
NONE = Nonogram(rows=[[], [], [2]], cols=[[1], [], [1]], id="none")
QUICK = {"time_limit": 5, "repeat": 1}
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}


@pytest.fixture
def puzzles(tmp_path):
    path = tmp_path / "puzzles.jsonl"
    path.write_text(native.write([DOT, BAR, NONE]))
    return path


# Statistics


def test_tts_where_every_run_solves():
    found = tts([1.0, 2.0, 3.0], [1, 1, 1])
    assert found.seconds == pytest.approx(log(100) * 6 / 3)
    assert found.low == pytest.approx(log(100) * 1)  # all draws are the shortest run
    assert found.high == pytest.approx(log(100) * 3)
    assert found.low <= found.seconds <= found.high
    assert not found.at_least


def test_tts_where_no_run_solves():
    found = tts([10.0, 10.0], [0, 0])
    assert found.at_least
    assert found.seconds == pytest.approx(log(100) * 20 / 3)
    assert found.high == inf
    assert str(found) == "> 30.7"


def test_tts_where_some_do():
    found = tts([1.0, 10.0], [1, 0])
    assert found.seconds == pytest.approx(log(100) * 11)
    assert found.low == pytest.approx(log(100))  # both draws are the run that solved
    assert found.high == inf  # both are the other


def test_tts_of_one_run_has_no_interval():
    assert str(tts([2.0], [1])) == "9.21"
    assert tts([2.0], [1]).low is None


def test_tts_of_runs_of_one_length_is_near_the_usual_formula():
    p, length = 0.01, 2.0
    solved = [1] * 10 + [0] * 990
    assert tts([length] * 1000, solved).seconds == pytest.approx(
        length * log(0.01) / log(1 - p), rel=0.01
    )


def test_the_interval_is_that_of_scipy():
    from scipy.stats import bootstrap  # takes a second

    rng = np.random.default_rng(5)
    seconds, solved = rng.exponential(size=40), rng.random(40) < 0.7
    theirs = bootstrap(
        (seconds, solved),
        lambda t, s, axis: log(100) * t.sum(axis=axis) / s.sum(axis=axis),
        paired=True,
        method="percentile",
    ).confidence_interval
    ours = tts(seconds, solved)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=0.03)


@given(
    st.lists(st.tuples(st.floats(1e-6, 1e3), st.booleans()), min_size=1, max_size=12),
    st.floats(1e-3, 1e3),
)
def test_statistics_have_the_units_of_time(runs, factor):
    seconds, solved = map(np.array, zip(*runs, strict=True))
    assert par2(seconds * factor, solved, 10 * factor) == pytest.approx(
        factor * par2(seconds, solved, 10)
    )
    found, scaled = tts(seconds, solved), tts(seconds * factor, solved)
    assert scaled.seconds == pytest.approx(factor * found.seconds)
    if found.low is not None:
        assert found.low <= found.seconds * (1 + 1e-9)
        assert found.high >= found.seconds * (1 - 1e-9)


def test_par2_counts_failures_twice():
    assert par2([1.0, 4.0, 0.2], [1, 0, 1], limit=4) == pytest.approx((1 + 8 + 0.2) / 3)


def test_statistics_of_nothing_are_refused():
    for function in (tts, lambda *runs: par2(*runs, 10)):
        with pytest.raises(ValueError, match="expected"):
            function([], [])


# The library


@pytest.mark.usefixtures("kept_runs")
def test_compare_gives_plain_rows():
    found = qubopuzzle.compare([DOT, NONE], ["exact", "neal"], time_limit=0.6, repeat=2, seed=7)
    assert json.loads(json.dumps(found.rows)) == found.rows
    assert [(r["instance"], r["solver"], r["seed"], r["status"]) for r in found.rows] == [
        ("dot", "exact", 7, "valid"),
        ("dot", "neal", 7, "valid"),
        ("dot", "neal", 8, "valid"),
        ("none", "exact", 7, "proved none"),
        ("none", "neal", 7, "not solved"),
        ("none", "neal", 8, "not solved"),
    ]
    assert found.complete
    assert found.contradictions == []
    row = found.rows[0]
    assert row["solution"] == ["#.", ".."]
    assert row["seconds"] == pytest.approx(row["build_s"] + row["solve_s"])
    assert set(row["sizes"]) == {"variables", "couplings"}
    by_name = {total.configuration: total for total in found.totals()}
    assert by_name["exact"].success == 1
    assert by_name["neal"].solved == 2
    assert 0.6 <= by_name["neal"].par2_s <= 0.7
    cells = instance_table(found).brief().rows
    assert [row[3:5] for row in cells] == [
        ["1/1", "valid"],
        ["2/2", "valid"],
        ["1/1", "proved none"],
        ["0/2", "> 0.6 s"],
    ]
    assert cells[3][7] == "> 0.6"
    assert cells[3][8].startswith("> ")


@pytest.fixture(scope="module")
def misbehaved():
    """Samplers that hang, vanish, die, eat and complain, and one that works, after them."""
    names = [f"dimod:toys:{n}" for n in ("Vanishing", "Dying", "Hungry", "Broken", "Recording")]
    bounds = {"repeat": 1, "time_limit": 1}
    hanging = qubopuzzle.compare(BAR, ["dimod:toys:Hanging"], hard_limit=4, **bounds)
    others = qubopuzzle.compare(BAR, names, memory_limit_gib=2, **bounds)
    return replace(
        others,
        configurations=[*hanging.configurations, *others.configurations],
        rows=hanging.rows + others.rows,
        planned={**hanging.planned, **others.planned},
    )


def test_runs_at_once_are_the_same_runs():
    done = [
        qubopuzzle.compare(DOT, ["sat", "exact"], repeat_exact=2, jobs=jobs).rows for jobs in (1, 2)
    ]
    assert [row["key"] for row in done[0]] == [row["key"] for row in done[1]]
    assert all(row["status"] == "valid" for rows in done for row in rows)
    with pytest.raises(InputError, match="jobs: expected a whole number"):
        qubopuzzle.compare(DOT, ["sat"], jobs=0)


@pytest.mark.skipif(sys.platform != "linux", reason="bounds on memory do not hold elsewhere")
def test_a_solver_that_misbehaves_loses_its_run_and_no_more(misbehaved):
    assert [row["status"] for row in misbehaved.rows] == [
        "killed",
        "crashed",
        "crashed",
        "out of memory",
        "refused",
        "valid",
    ]
    why = [row["why"] for row in misbehaved.rows]
    assert why[0] == "still running after 4 s"
    assert why[1].startswith("ended with status 0 and no answer")
    assert "SIGKILL" in why[2]
    assert why[4] == "dimod:toys:Broken: ValueError: first line"
    assert misbehaved.complete


@pytest.mark.skipif(sys.platform != "linux", reason="bounds on memory do not hold elsewhere")
def test_failures_are_in_every_output(misbehaved):
    notes = failure_notes(misbehaved)
    assert len(notes) == 5
    assert "dimod:toys:Hanging, killed (1 run): still running after 4 s (bar)" in notes
    rows = list(csv.DictReader(io.StringIO(misbehaved.to_csv())))
    assert [row["solve_s"] for row in rows[:5]] == ["> 1"] * 5
    assert [row["status"] for row in rows][-1] == "valid"
    for total in misbehaved.totals()[:5]:
        assert total.par2_s == 2
    image = profile.draw(misbehaved, "svg")
    assert image.startswith(b"<?xml")
    assert image == profile.draw(misbehaved, "svg")


def test_an_answer_after_the_limit_is_late_and_still_looked_at():
    found = qubopuzzle.compare(BAR, ["dimod:toys:Slow"], time_limit=0.2, repeat=1)
    assert found.rows[0]["status"] == "late"
    assert not found.rows[0]["solved"]
    assert found.rows[0]["solution"] is not None


@pytest.mark.usefixtures("kept_runs")
def test_options_reach_one_solver_and_the_rows():
    options = {"annealer": {"sweeps": "5"}}
    found = qubopuzzle.compare(DOT, ["annealer", "neal"], options=options, **QUICK)
    assert found.rows[0]["options"]["sweeps"] == 5
    with pytest.raises(InputError, match="not compared"):
        make_plan(DOT, ["neal"], options=options)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"solvers": ["nosuch"]}, "unknown solver"),
        ({"solvers": ["dimod:nosuchmodule:X", "nosuch"]}, "unknown solver"),
        ({"solvers": ["dimod:nosuchmodule:X"]}, "no solver to compare .*pip install"),
        ({"solvers": []}, "no solver to compare"),
        ({"solvers": [object()]}, "expected names"),
        ({"repeat": 0}, "repeat: expected a whole number of at least 1, got 0"),
        ({"repeat_exact": 1.5}, "repeat exact: expected a whole number of at least 1, got 1.5"),
        ({"time_limit": -1}, "time limit"),
        ({"time_limit": 10, "hard_limit": 1}, "below the time limit"),
        ({"memory_limit_gib": inf}, "memory limit"),
        ({"formulation": "nosuch"}, "dot: nonogram has no formulation"),
        ({"presolve": "nosuch"}, "unknown presolve"),
    ],
)
def test_what_cannot_be_used_is_refused_before_any_run(wrong, message):
    with pytest.raises(InputError, match=message):
        make_plan(DOT, **wrong)


def test_no_puzzle_is_refused():
    with pytest.raises(InputError, match="no puzzle"):
        make_plan([], ["neal"])


def test_names_differ_and_the_same_puzzle_runs_once():
    other = replace(BAR, id="dot")
    nameless = replace(DIAGONAL, id="")
    plan = make_plan([DOT, other, DOT, nameless], ["neal"])
    assert [i.label for i in plan.instances] == ["dot", "dot (2)", "instance 4"]
    assert plan.repeated == ("dot",)


def test_a_puzzle_of_a_class_that_no_process_can_import():
    class Own(Nonogram):
        pass

    with pytest.raises(InputError, match="move it to a module"):
        run(make_plan(Own(rows=[[1]], cols=[[1]]), ["neal"]))


# Agreement


def claims(puzzle, *said):
    instance = Instance(puzzle.id, puzzle)
    rows = [
        {
            "digest": instance.digest,
            "configuration": who,
            "proved_by": None,
            "solution": None,
            **what,
        }
        for who, what in said
    ]
    return contradictions([instance], rows)


def test_an_answer_against_a_proof():
    (found,) = claims(
        DOT,
        ("a", {"solution": ["#.", ".."]}),
        ("b", {"solution": ["#.", ".."]}),
        ("c", {"proved_by": "c"}),
    )
    assert found.first.who == ("a", "b")
    assert found.second.who == ("c",)
    assert "(a, b) against (c): " in found.summary()


def test_two_answers_to_a_puzzle_of_one():
    both = [("a", {"solution": ["#.", ".#"]}), ("b", {"solution": [".#", "#."]})]
    assert claims(DIAGONAL, *both) == []
    (found,) = claims(replace(DIAGONAL, n_solutions=1), *both)
    assert "these are two" in found.why


def test_the_file_has_a_word_too():
    known = replace(DIAGONAL, n_solutions=1, solution=np.eye(2, dtype=int))
    (found,) = claims(known, ("a", {"solution": [".#", "#."]}))
    assert found.first.who == (THE_FILE,)
    assert claims(replace(known, n_solutions=2), ("a", {"solution": [".#", "#."]})) == []
    assert len(claims(replace(DOT, n_solutions=1), ("a", {"proved_by": "a"}))) == 1
    assert len(claims(replace(DOT, n_solutions=0), ("a", {"solution": ["#.", ".."]}))) == 1
    assert claims(DOT, ("a", {"status": "not solved"})) == []


@pytest.mark.usefixtures("kept_runs")
def test_a_contradiction_is_an_error_with_both_answers(tmp_path):
    """The puzzle has two solutions and its file says one: seeds find both."""
    path = tmp_path / "liar.json"
    known = replace(DIAGONAL, n_solutions=1, solution=np.eye(2, dtype=int))
    path.write_text(native.write([known]))
    how = ["--solvers", "neal", "--repeat", 4, "--seed", 1]
    status, out, err = command.run("compare", path, *how)
    assert status == 4
    assert "4/4" in out
    assert "DISAGREEMENT on diagonal: (the file itself" in err
    assert err.count("██") == 4


# The journal


def some_row(key, **more):
    return {"key": key, "status": "not solved", "why": "", "solved": False, "seconds": None} | more


def test_the_journal_drops_a_half_written_row(tmp_path):
    path = tmp_path / "runs.jsonl"
    book = Journal(path, resume=False)
    book.add(some_row("1"))
    book.close()
    whole = path.read_bytes()
    for half in (b'{"key": "2", "sta', whole.rstrip()):
        path.write_bytes(whole + half)
        book = Journal(path, resume=True)
        assert list(book.content.rows) == ["1"]
        book.add(some_row("3"))
        book.close()
        assert keys_of(path) == ["1", "3"]


@pytest.mark.skipif(os.name == "nt", reason="no limits on files")
def test_a_row_that_has_no_room_is_not_there(tmp_path):
    import resource

    path, row = tmp_path / "rows.jsonl", {"key": "a", "why": "x" * 1000}
    journal = Journal(path, resume=False)
    journal.add(row)
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 500, limits[1]))
    try:
        with pytest.raises(InputError, match=r"rows\.jsonl: File too large"):
            journal.add(row)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    journal.add(row)
    journal.close()
    assert path.read_bytes() == before * 2


def test_a_journal_is_not_overwritten(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text("{}\n")
    with pytest.raises(InputError, match=r"runs\.jsonl: it has rows already; add --resume"):
        Journal(path, resume=False)
    assert path.read_text() == "{}\n"


@pytest.mark.parametrize(
    "text",
    ["{}\n", "hello\nworld\n", "hello", "[1]\n", '{"key": 1}\n', '{"puzzle": "nonogram"}', "{"],
)
def test_another_file_is_no_journal_and_stays_as_it_is(tmp_path, text):
    path = tmp_path / "runs.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="not a row of a comparison"):
        Journal(path, resume=True)
    assert path.read_text() == text


SOLVED = {"status": "valid", "solved": True, "seconds": 1.0, "build_s": 0.5, "solve_s": 0.5}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (SOLVED | {"seconds": None}, "seconds: expected a number, got None"),
        ({"solved": True, "seconds": 1.0}, "build_s: expected a number, got None"),
        ({"sec": 0}, "seconds: missing; delete the line"),
        ({"seconds": "1"}, "seconds: expected a number, got '1'"),
        ({"seconds": -1}, "seconds: expected seconds, got -1; delete the line"),
        ({"build_s": 1e999}, "build_s: expected seconds, got inf; delete the line"),
        ({"solve_s": 10**400}, "solve_s: expected a number, got a number of over 30 digits"),
        ({"status": "valid\x1b[2J"}, "'valid.x1b.2J' has control characters; delete the line"),
        ({"sizes": {"\ud800": 1}}, ".* has control characters"),
        ({"sizes": [1]}, "sizes: expected an object, got list of 1; delete the line"),
        ({"sizes": {"bits": True}}, "sizes: bits: expected a whole number from 0 to .*, got True"),
    ],
)
def test_rows_with_something_that_cannot_be_are_refused(tmp_path, more, message):
    path = tmp_path / "runs.jsonl"
    row = some_row("1", **more)
    if "sec" in row:
        del row["seconds"]
    path.write_text("\n" + json.dumps(row) + "\n")
    with pytest.raises(InputError, match=rf"runs\.jsonl: line 2: {message}"):
        Journal(path, resume=True)


def test_rows_of_a_journal_say_nothing_but_how_runs_ended(tmp_path):
    plan = make_plan(DOT, ["exact"], **QUICK)
    (job,) = plan.jobs()
    path = tmp_path / "runs.jsonl"
    lies = {"solver": "\x1b[2J", "cells": "many", "instance": None, "exact": 1, "solution": None}
    path.write_text(json.dumps(some_row(job.key, **SOLVED, **lies)) + "\n")
    done = run(plan, journal=path, resume=True)
    (summary,), (total,) = done.summaries(), done.totals()
    assert (done.resumed, summary.instance, summary.cells, total.solved) == (1, "dot", 4, 1)
    lies["solution"] = [".#", ".."]
    path.write_text(json.dumps(some_row(job.key, **SOLVED, **lies)) + "\n")
    what = "the solution of dot by exact: it breaks the rules; delete the line"
    with pytest.raises(InputError, match=rf"runs\.jsonl: {what}"):
        run(plan, journal=path, resume=True)


def test_outputs_are_refused_before_any_run(tmp_path):
    source = tmp_path / "a.json"
    source.write_text("{}")
    folders, submission = ("minto", "stochastic_benchmark", "qoblib"), ("submitter", "affiliation")
    nothing = dict.fromkeys((*folders, *submission, "reference"))
    with pytest.raises(InputError, match=r"--csv .*a\.json: that is a source"):
        outputs(Namespace(csv=str(source), **nothing), [str(source)])
    if sys.platform == "linux":
        with pytest.raises(InputError, match=r"/proc/x\.csv: "):
            outputs(Namespace(csv="/proc/x.csv", **nothing), [])
        with pytest.raises(InputError, match=r"/proc/x: "):
            outputs(Namespace(**{**nothing, "minto": "/proc/x/y"}), [])
    with pytest.raises(InputError, match="--submitter is of a submission: add --qoblib DIR"):
        outputs(Namespace(**{**nothing, "submitter": "Jane Doe"}), [])
    with pytest.raises(InputError, match=r"a\.json: --qoblib writes to a new or empty"):
        outputs(Namespace(**{**nothing, "qoblib": str(source)}), [])
    with pytest.raises(InputError, match="that is no file to keep rows in"):
        Journal(Path("/dev/null"), resume=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no locks of this kind")
def test_two_comparisons_do_not_share_a_journal(tmp_path):
    book = Journal(tmp_path / "runs.jsonl", resume=False)
    with pytest.raises(InputError, match="another comparison"):
        Journal(tmp_path / "runs.jsonl", resume=True)
    book.close()


@pytest.mark.usefixtures("kept_runs")
def test_resume_takes_only_what_is_the_same(tmp_path):
    journal = tmp_path / "runs.jsonl"
    settings = {"journal": journal, "time_limit": 3, "repeat": 1}
    qubopuzzle.compare(DOT, ["exact"], **settings)
    again = qubopuzzle.compare([DOT, BAR], ["exact"], resume=True, **settings)
    assert again.resumed == 1
    assert len(keys_of(journal)) == 2
    other = qubopuzzle.compare(DOT, ["exact"], resume=True, presolve="propagate", **settings)
    assert other.resumed == 0
    assert len(other.rows) == 1


def alive(process):
    """Whether a process runs; one that ended and nobody asked for does not."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def runners(path):
    """The processes that a toy was called in, a number each call."""
    return [int(line) for line in path.read_text().splitlines()] if path.exists() else []


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def keys_of(path):
    """Of the rows that a journal holds, which follow what they are of."""
    lines = map(json.loads, path.read_text().splitlines()) if path.exists() else ()
    return [line["key"] for line in lines if "key" in line]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_comparison_that_is_broken_off_goes_on(puzzles, tmp_path, number):
    journal, who = tmp_path / "runs.jsonl", tmp_path / "pid"
    puzzles.write_text(native.write([DOT, NONE]))
    words = ["compare", puzzles, "--solvers", "exact,dimod:toys:Slow", "--repeat", 2]
    words += ["--json", journal, "--time-limit", 0.4]
    process = subprocess.Popen(
        [*command.PROGRAM, *map(str, words)],
        env={**ENVIRONMENT, "TOYS_PID_FILE": str(who)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Two rows are there, and the third run, a slow one, is under way.
    wait_until(lambda: len(keys_of(journal)) == 2)
    wait_until(lambda: len(runners(who)) == 3)  # the solver was warmed up, too
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    wait_until(lambda: not alive(runners(who)[-1]))
    before = journal.read_bytes()
    assert len(keys_of(journal)) == 2
    if number == signal.SIGINT:
        assert process.returncode == 1
        assert "1 of 4" in out
        assert err == "qubopuzzle: interrupted; --resume goes on\n"
    else:
        with journal.open("ab") as file:  # as if it had been killed while writing
            file.write(b'{"key": "12')

    status, out, err = command.run(*words, "--resume")
    assert (status, err) == (0, "")
    after = journal.read_bytes()
    assert after.startswith(before)
    keys = keys_of(journal)
    assert len(keys) == len(set(keys)) == 6  # 2 puzzles, exact once, slow twice
    shown = [line.split()[:2] for line in out.splitlines()[1:5]]
    assert shown == [
        [name, solver] for name in ("dot", "none") for solver in ("exact", "dimod:toys:Slow")
    ]
    status, again, _ = command.run(*words, "--resume")
    assert (status, again) == (0, out)
    assert journal.read_bytes() == after


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_run_outlives_its_comparison(puzzles, tmp_path, number):
    who = tmp_path / "pid"
    words = ["compare", puzzles, "--solvers", "dimod:toys:Hanging", "--hard-limit", "600"]
    process = subprocess.Popen(
        [*command.PROGRAM, *words],
        env={**ENVIRONMENT, "TOYS_PID_FILE": str(who)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: runners(who))
    process.send_signal(number)
    process.wait(60)
    wait_until(lambda: not alive(runners(who)[-1]))


# The command


@pytest.mark.usefixtures("kept_runs")
def test_the_command_writes_everything(puzzles, tmp_path):
    names = ["runs.jsonl", "table.csv", "plot.svg"]
    journal, table, plot = (tmp_path / name for name in names)
    status, out, err = command.run(
        "compare",
        puzzles,
        "--solvers",
        "exact,dimod:nosuchmodule:Sampler",
        "--json",
        journal,
        "--csv",
        table,
        "--plot",
        plot,
    )
    assert status == 0
    assert err == ("qubopuzzle: dimod:nosuchmodule:Sampler is left out: pip install nosuchmodule\n")
    assert "proved none" in out
    assert "mean PAR-2 s" in out
    assert len(keys_of(journal)) == 3
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [row["instance"] for row in rows] == ["dot", "bar", "none"]
    assert float(rows[0]["solve_s"]) > 0
    assert plot.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--solvers", "nosuch"], "unknown solver"),
        (["--solvers", "neal,"], "unknown solver ''"),
        (["--resume"], "add --json FILE"),
        (["--plot", "plot.txt"], "ends in one of"),
        (["--json", "-"], "--json: expected the name of a file"),
        (["--csv", "nowhere/table.csv"], "no folder nowhere"),
        (["--json", "nowhere/runs.jsonl"], "no folder nowhere"),
        (["--json", "same", "--csv", "same"], "need different files"),
        (["--option", "sweeps=1"], "say whose, as in SOLVER:sweeps=1"),
        (["--option", "neal:nosuch=1", "--solvers", "neal"], "no option 'nosuch'"),
        (["--formulation", "nosuch"], "dot: nonogram has no formulation"),
        (["--puzzle", "nosuch"], "nosuch"),
    ],
)
def test_errors_of_the_command_are_one_line(puzzles, capsys, monkeypatch, words, message):
    monkeypatch.chdir(puzzles.parent)
    assert cli.main(["compare", str(puzzles), *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("qubopuzzle: error: ")
    assert err.count("\n") == 1
    assert message in err


def test_a_picture_of_nothing_solved_and_of_one_size():
    plan = make_plan(DOT, ["neal", "exact"], repeat=1)
    failed = {"status": "not solved", "solved": False, "why": ""}
    jobs, seconds = plan.jobs(), {"neal": 1.0, "exact": None}
    rows = [job.columns() | failed | {"seconds": seconds[job.configuration.name]} for job in jobs]
    for own in (rows, []):
        found = Comparison(plan.instances, plan.configurations, own, plan.planned())
        assert profile.draw(found, "png").startswith(b"\x89PNG")
