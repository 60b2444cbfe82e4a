"""Reports and what they say: statistics over instances, journals merged, commands that repeat."""

import csv
import io
import json
import re
import shlex
from dataclasses import replace
from math import inf, log

import pytest
from matplotlib.figure import Figure

import command
import qubopuzzle
from qubopuzzle import InputError, Nonogram, Program
from qubopuzzle.base.incumbents import Incumbent
from qubopuzzle.bench.comparison import Comparison
from qubopuzzle.bench.journal import Journal
from qubopuzzle.bench.machine import machines, shared_cores
from qubopuzzle.bench.merge import load_comparison
from qubopuzzle.bench.objectives import Target, read_best_known
from qubopuzzle.bench.pairs import pairs
from qubopuzzle.bench.plan import make_plan
from qubopuzzle.bench.profile import inches, plot
from qubopuzzle.bench.report import (
    html_report,
    latex_report,
    markdown_report,
    writer,
)
from qubopuzzle.bench.report.content import solve_command, warnings
from qubopuzzle.bench.report.sheets import csv_text
from qubopuzzle.bench.tables import objective_table, total_table

MACHINE = {"host": "a", "cpu": "EPYC", "cores": 2, "system": "Linux x86_64"}
STARTED = "2026-01-01T00:00:00.000000+00:00"


def comparison(times, sizes=None, limit=10.0, repeat=1):
    """Of configurations by name, whose runs on each instance took so long; inf for failures."""
    counts = sizes or range(1, 1 + len(next(iter(times.values()))))
    boards = [Nonogram(rows=[[1]] + [[]] * (n - 1), cols=[[1]], id=f"board-{n}") for n in counts]
    named = [{"name": name, "solver": "neal", "reads": i + 1} for i, name in enumerate(times)]
    plan = make_plan(boards, configurations=named, repeat=repeat, time_limit=limit)
    rows = []
    for job in plan.jobs():
        took = times[job.configuration.name][plan.instances.index(job.instance)]
        solved = took < inf
        spent = {"seconds": min(took, limit), "build_s": 0.0, "solve_s": min(took, limit)}
        how = {"status": "valid" if solved else "not solved", "solved": solved, "why": ""}
        where = {"machine": MACHINE, "started": STARTED, "wall_s": 1.0, "versions": {"numpy": "2"}}
        rows.append({**job.columns(), **how, **spent, **where, "objective": None, "bound": None})
    return Comparison(plan.instances, plan.configurations, rows, plan.planned())


def test_pairs_say_how_much_faster_and_how_sure():
    found = pairs(comparison({"a": [1.0, 2.0, 3.0], "b": [2.0, 4.0, 6.0], "c": [1.0, 8.0, inf]}))
    assert [(p.first, p.second, p.instances) for p in found] == [
        ("a", "b", 3),
        ("a", "c", 3),
        ("b", "c", 3),
    ]
    ab, ac, _ = found
    assert ab.ratio == pytest.approx(0.5)
    assert ab.ratio_interval == pytest.approx((0.5, 0.5))
    assert ab.faster == 1
    # A failure counts twice the limit: 20 s.
    assert ac.ratio == pytest.approx((1 * 2 / 8 * 3 / 20) ** (1 / 3))
    assert ac.faster == pytest.approx((0.5 + 1 + 1) / 3)
    low, high = ac.ratio_interval
    assert 3 / 20 <= low < ac.ratio < high <= 1


def test_many_configurations_are_paired_with_the_best():
    times = {name: [float(i + 1)] * 2 for i, name in enumerate("abcdefgh")}
    assert [p.first for p in pairs(comparison(times))] == ["a"] * 7


def run_at(host, began, wall, cores=2):
    started = f"2026-01-01T00:00:{began:09.6f}+00:00"
    return {
        "started": started,
        "wall_s": wall,
        "machine": {**MACHINE, "host": host, "cores": cores},
    }


@pytest.mark.parametrize(
    ("runs", "crowded"),
    [
        ([run_at("a", 0, 1), run_at("a", 1, 1), run_at("a", 1, 1)], 0),
        ([run_at("a", 0, 5), run_at("a", 1, 1), run_at("a", 1.5, 1), run_at("a", 4, 1)], 3),
        ([run_at("a", 0, 5), run_at("a", 0, 5), run_at("b", 0, 5)], 0),
        ([run_at("a", 0, 5, 1), run_at("a", 4, 5, 1)], 2),
        ([{"seconds": 1}], 0),
    ],
)
def test_runs_that_shared_a_core(runs, crowded):
    assert shared_cores(runs) == crowded


# Journals


@pytest.fixture(scope="module")
def journals(tmp_path_factory):
    """Two of the same comparison, the second with another configuration and puzzle."""
    folder = tmp_path_factory.mktemp("journals")
    dot = Nonogram(rows=[[1], []], cols=[[1], []], id="dot <b>|")
    none = Nonogram(rows=[[], [], [2]], cols=[[1], [], [1]], id="none")
    first, second = folder / "first.jsonl", folder / "second.jsonl"
    few = {"name": "few", "solver": "random", "reads": 300}
    both = [{"solver": "sat"}, few]
    settings = {"repeat": 2, "time_limit": 5, "jobs": 2}
    qubopuzzle.compare(dot, configurations=both, journal=first, **settings)
    changed = [{"solver": "sat"}, few | {"reads": 400}]
    qubopuzzle.compare([dot, none], configurations=changed, journal=second, **settings)
    return first, second


def test_a_journal_is_its_comparison(journals):
    found = load_comparison(journals[0])
    assert [(r["instance"], r["configuration"], r["seed"]) for r in found.rows] == [
        ("dot <b>|", "sat", 0),
        ("dot <b>|", "few", 0),
        ("dot <b>|", "few", 1),
    ]
    assert found.complete
    assert found.left_out == {}
    assert found.rows[0]["solution"] == ["#.", ".."]


def test_journals_merge_and_what_differs_is_told_apart(journals):
    found = load_comparison(*journals)
    assert [each.name for each in found.configurations] == ["sat", "few", "few (second)"]
    assert [each.label for each in found.instances] == ["dot <b>|", "none"]
    assert [(r["instance"], r["configuration"]) for r in found.rows] == [
        ("dot <b>|", "sat"),
        *[("dot <b>|", "few")] * 2,
        *[("dot <b>|", "few (second)")] * 2,
        ("none", "sat"),
        *[("none", "few (second)")] * 2,
    ]
    assert not found.complete  # "few" did not run on the second puzzle
    assert any("8 of 10 runs" in line for line in warnings(found))


def test_journals_of_one_name_in_several_folders_are_told_apart(journals, tmp_path):
    text, paths = journals[0].read_text(), []
    for reads in (300, 301, 302, 303):
        folder = tmp_path / str(reads)
        folder.mkdir()
        paths.append(folder / "runs.jsonl")
        changed = text.replace('"reads": 300', f'"reads": {reads}')
        paths[-1].write_text(changed.replace('"reads_limit": 300', f'"reads_limit": {reads}'))
    found = load_comparison(*paths)
    reads = {each.name: each.reads for each in found.configurations if each.solver == "random"}
    assert reads == {"few": 300, "few (runs)": 301, "few (runs 2)": 302, "few (runs 3)": 303}
    assert all(row["reads_limit"] == reads.get(row["configuration"]) for row in found.rows)


def test_machines_are_told_apart(journals, tmp_path):
    other = tmp_path / "other.jsonl"
    lines = [json.loads(line) for line in journals[0].read_text().splitlines()]
    for line in lines:
        if "machine" in line:
            line["machine"]["cpu"] = "Other"
    other.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = load_comparison(journals[0], other)
    assert [each.name for each in found.configurations] == ["sat @1", "sat @2", "few @1", "few @2"]
    assert list(machines(found.rows).values()) == [3, 3]
    assert any("several kinds of machines" in line for line in warnings(found))


def test_rows_of_settings_that_were_changed_are_left_out(journals, tmp_path):
    journal = tmp_path / "runs.jsonl"
    journal.write_bytes(journals[0].read_bytes())
    record = next(json.loads(x) for x in journal.read_text().splitlines() if '"few"' in x)
    with journal.open("a") as file:
        file.write(json.dumps(record | {"reads": 9}) + '\n{"key": "half')
    found = load_comparison(journal)
    assert [row["configuration"] for row in found.rows] == ["sat"]
    assert found.left_out == {"rows of other settings": "2 of them"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such file"),
        ("", "it has no row"),
        ("hello\n", "line 1: not a row of a comparison"),
        ('{"key": "1", "status": "x", "why": "", "solved": false, "seconds": null}\n',
         "does not say what its configurations are"),
    ],
)  # fmt: skip
def test_files_that_are_no_journal(tmp_path, text, message):
    path = tmp_path / "runs.jsonl"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=rf"runs\.jsonl: .*{message}"):
        load_comparison(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": "x"}, "seed: expected a whole number"),
        ({"machine": 5}, "machine: expected an object"),
        ({"started": "yesterday"}, "started: no time"),
        ({"objective": "best"}, "objective: expected a number"),
        ({"solution": [".#", ".."]}, "breaks the rules"),
        ({"digest": "other"}, "the instance of 1 of its rows is not in it"),
        ({"exact": 3, "cells": "many", "instance": "\x1b[2J"}, None),
        ({"why": "\ud800\x1b[2J", "status": "refused", "solved": False}, None),
        ({"configuration": ["sat"]}, "configuration: expected a text, got list of 1; delete the"),
        ({"digest": {}}, "digest: expected a text, got dict of 0"),
        ({"versions": {"sat": ["1"]}}, "versions: sat: expected a text"),
        ({"machine": {"host": "a"}}, "machine: cpu: expected a text, got None"),
        ({"machine": MACHINE | {"cores": "2"}}, "machine: cores: expected a whole number"),
        ({"started": 5}, "started: expected a text, got 5"),
        ({"started": "0001-01-01", "machine": {}}, "started: no time"),
        ({"wall_s": "1"}, "wall_s: expected a number"),
        ({"wall_s": 1e300}, "wall_s: expected seconds"),
        ({"incumbents": [[1, 2]]}, "incumbents: expected objects with bound, feasible, seconds"),
        ({"seconds": 1e300}, "seconds: expected seconds"),
        ({"proved_by": 5}, "proved_by: expected a text, got 5"),
        ({"formulation": 5}, "formulation: expected a text, got 5"),
        ({"sizes": {"bits": 2**70}}, "sizes: bits: expected a whole number"),
        ({"seed": 2**70}, "seed: expected a whole number"),
        ({"peak_mib": "much"}, "peak_mib: expected a number"),
    ],
)
def test_damaged_rows_are_one_line(journals, tmp_path, change, message):
    path = tmp_path / "runs.jsonl"
    lines = [json.loads(line) for line in journals[0].read_text().splitlines()]
    where = next(i for i, line in enumerate(lines) if "key" in line)
    lines[where] |= change
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    if message is None:
        page = html_report if "exact" in change else markdown_report
        for write in (page, csv_text):
            assert "\x1b" not in write(load_comparison(path)).encode().decode()
    else:
        with pytest.raises(InputError, match=message) as error:
            load_comparison(path)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"weights": {}', '"weights": 5', "configuration 'sat': written by another version, or"),
        ('"weights": {}', '"weights": {"a": "b"}', "configuration 'sat': weights: a: expected a"),
        ('"time_limit": 5.0', '"time_limit": -5', "configuration 'sat': time_limit: expected sec"),
        ('"time_limit": 5.0', '"time_limit": NaN', "configuration 'sat': time_limit: expected"),
        ('"reads": null', '"reads": true', "configuration 'sat': reads: expected a whole number"),
        ('"rows": [[1], []]', '"rows": [[], [1]]', "instance 'dot <b>|': it is not the one that"),
    ],
)
def test_what_was_changed_by_hand_is_one_line(journals, tmp_path, before, after, message):
    path, text = tmp_path / "runs.jsonl", journals[0].read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(InputError, match=re.escape(f"runs.jsonl: {message}")):
        load_comparison(path)


def test_a_resumed_comparison_that_was_interrupted_before_its_first_row(journals, tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(journals[0].read_bytes())
    [dot] = load_comparison(path).instances
    changed = [
        {"name": name, "solver": "random", "reads": n} for n, name in enumerate(("sat", "few"), 7)
    ]
    book = Journal(path, resume=True)
    book.describe(make_plan(dot.puzzle, configurations=changed))
    book.close()
    status, out, err = command.run("report", path, "-o", tmp_path / "x.html")
    assert (status, out) == (2, "")
    assert "runs.jsonl: all 3 rows are of other settings than their configurations have now" in err
    assert not (tmp_path / "x.html").exists()
    assert len(load_comparison(path, journals[0]).rows) == 3


def test_no_name_is_a_formula_in_a_spreadsheet():
    names = ["=cmd", "-2.5", "@a", "+a"]
    found = comparison({name: [1.0] for name in names})
    for row in found.rows:
        row["sizes"] = {"=size": 3}
    rows = list(csv.DictReader(io.StringIO(csv_text(found))))
    assert [row["configuration"] for row in rows] == ["'=cmd", "-2.5", "'@a", "'+a"]
    assert (rows[0]["'=size"], rows[0]["runs"]) == ("3", "1")


def test_a_solver_that_is_not_here_is_told_of(journals, tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(journals[0].read_text().replace('"solver": "sat"', '"solver": "elsewhere"'))
    text = markdown_report(load_comparison(path))
    assert "--solver elsewhere --presolve none" in text


# Reports


def test_the_command_makes_all_reports_again(journals, tmp_path):
    names = ["r.html", "r.md", "r.csv"]
    words = [word for name in names for word in ("-o", tmp_path / name)]
    status, out, err = command.run("report", *journals, *words, "--plot", tmp_path / "r.svg")
    assert (status, err) == (0, "")
    assert "few (second)" in out
    page, text, table, plot = ((tmp_path / n).read_text() for n in [*names, "r.svg"])
    assert plot.startswith("<?xml")
    assert page.count("<svg") >= 4  # three plots, and boards
    assert "td.number { text-align: right; white-space: nowrap; }" in page  # other cells wrap
    assert page.count("nowrap") == 1
    assert page.index("TTS(99%) s") < page.index("TTS(50%) s")
    assert "dot &lt;b&gt;|" in page
    assert "dot <b>" not in page
    assert "| dot &lt;b>\\| |" in text
    assert next(csv.DictReader(io.StringIO(table)))["tts50_s"] == ""
    status, out, err = command.run("report", *journals, "-o", tmp_path / "r.pdf")
    assert status == 2
    assert "a report's name ends in one of .html, .md, .tex, .csv" in err
    status, _, err = command.run("report", journals[0], "--csv", journals[0])
    assert status == 2
    assert "a source" in err


def test_compare_writes_a_report(tmp_path):
    words = ["--solvers", "sat", "--report", tmp_path / "r.md"]
    puzzle = '{"puzzle": "nonogram", "rows": [[1]], "cols": [[1]]}'
    status, _, err = command.run("compare", puzzle, *words)
    assert (status, err) == (0, "")
    assert "## Commands" in (tmp_path / "r.md").read_text()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_command_of_a_run_repeats_it(journals, number):
    found = load_comparison(journals[1])
    by_name = {each.name: each for each in found.configurations}
    row = found.rows[number]
    own = by_name[row["configuration"]]
    words = shlex.split(solve_command(found.instances[0], own, row["seed"]))
    assert words[:2] == ["qubopuzzle", "solve"]
    status, out, err = command.run(*words[1:], "--json")
    assert (status, err) == (0 if row["solved"] else 1, "")
    again = json.loads(out)
    for name in ("seed", "reads", "formulation", "energy"):
        assert again[name] == row[name]
    assert row["solution"] == (again["solution"] if row["solved"] else None)


def test_a_problem_too_long_for_a_command_is_a_file():
    large = Nonogram(rows=[[1] * 20] * 120, cols=[[120], []] * 19 + [[120]], id="a/b")
    plan = make_plan(large, ["sat"])
    assert "solve a-b.json --solver sat" in solve_command(
        plan.instances[0], plan.configurations[0], 1
    )


def test_warnings_name_what_is_lost_and_stopped():
    whole = comparison({"a": [1.0]})
    found = replace(whole, planned={"a": 3}, lost=["board, a, seed 1: gone"], left_out={"x": "no"})
    assert warnings(found) == [
        "Not complete: 1 of 3 runs are here.",
        "Lost twice with what ran it: board, a, seed 1: gone.",
        "Left out: x (no).",
    ]
    assert warnings(whole) == []


def test_reports_of_nothing():
    nothing = replace(comparison({"a": [1.0]}), rows=[])
    for write in (html_report, markdown_report, latex_report):
        assert write(nothing)
    with pytest.raises(InputError, match="ends in one of"):
        writer(__import__("pathlib").Path("report"))


def test_tts_of_half_is_that_of_one_in_a_hundred_by_the_ratio_of_logarithms():
    (summary, *_) = comparison({"a": [2.0]}, repeat=3).summaries()
    assert summary.tts99.seconds / summary.tts50.seconds == pytest.approx(log(100) / log(2))
    assert summary.success_interval == pytest.approx((0.4385, 1.0), abs=1e-4)


# Objectives


def with_objectives(runs, best_known=None, bounds=(), maximize=False, limit=10.0):
    """Of configurations by name, whose runs brought (objective or None, pairs (s, objective))."""
    program = Program.of([[1.0]], upper=[5], cost=[1.0], maximize=maximize, id="p")
    named = [{"name": name, "solver": "neal", "reads": i + 1} for i, name in enumerate(runs)]
    repeat = max(map(len, runs.values()))
    known = None if best_known is None else {"p": best_known}
    plan = make_plan(
        program, configurations=named, repeat=repeat, time_limit=limit, best_known=known
    )
    bound = dict(bounds)
    rows = []
    for job in plan.jobs():
        objective, course = runs[job.configuration.name][job.seed]
        solved = objective is not None
        how = {"status": "valid" if solved else "not solved", "solved": solved, "why": ""}
        spent = {"seconds": limit, "build_s": 0.0, "solve_s": limit, "objective": objective}
        incumbents = [Incumbent(seconds, value).to_dict() for seconds, value in course]
        about = {"bound": bound.get(job.configuration.name), "incumbents": incumbents}
        rows.append({**job.columns(), **how, **spent, **about})
    return Comparison(plan.instances, plan.configurations, rows, plan.planned())


COURSE = [[1.0, 110], [2.0, 100.4], [4.0, 100]]


def test_objectives_are_held_against_the_best_known():
    runs = {"a": [(100, COURSE), (110, [])], "b": [(104, [[3.0, 104]]), (None, [])]}
    found = with_objectives(runs, bounds={"a": 90, "b": 95})
    a, b = found.summaries()
    assert (a.target.best_known, a.target.bound) == (100, 95)
    assert (a.best, a.mean, a.gaps) == (100, 105, pytest.approx([0, 0.1]))
    assert (b.best, b.mean, b.gaps) == (104, 104, [pytest.approx(0.04), inf])
    assert a.close == {0.001: (1, inf), 0.01: (1, inf), 0.05: (1, inf)}
    assert [s.at_best_known for s in found.summaries()] == [1, 0]
    assert [s.solved for s in found.summaries()] == [2, 1]
    # The best known one came after 4 s, and not at the end of the run; failures count 20 s.
    assert [s.par2_s for s in found.summaries()] == [(4 + 20) / 2, 20]
    assert [s.tts99.at_least for s in found.summaries()] == [False, True]
    objectives = objective_table(found)
    table = dict(zip(objectives.columns, objectives.rows[0], strict=True))
    assert (table["best"], table["mean"], table["gap"], table["bound"]) == (
        "100",
        "105",
        "5%",
        "95",
    )
    totals = total_table(found)
    first, second = totals.rows
    assert totals.columns[-3:] == ["at the best known", "mean gap", "optimal"]
    assert (first[-3:], second[-3:]) == (["1/2", "5%", "0/2"], ["0/2", "4%", "0/2"])
    row = next(csv.DictReader(io.StringIO(csv_text(found))))
    assert (row["best_known"], row["gap"], row["share_1pct"]) == ("100", "0.05", "0.5000")


def test_the_time_until_a_gap_is_when_an_answer_came():
    (summary,) = with_objectives({"a": [(100, COURSE)]}).summaries()
    assert summary.close == {0.001: (1, 4.0), 0.01: (1, 2.0), 0.05: (1, 2.0)}
    (silent,) = with_objectives({"a": [(100, [])]}).summaries()
    assert silent.close[0.05] == (1, 10.0)


def test_the_primal_integral_is_that_of_the_gap_over_time():
    target = Target(maximize=False, best_known=100.0)
    assert [target.primal_gap(value) for value in (100, 125, -1, None)] == [0, 0.2, 1, 1]
    assert Target(True, 0.0).primal_gap(0.0) == 0
    assert Target(True, 100.0).primal_gap(80.0) == pytest.approx(0.2)
    # Nothing for 1 s, a gap of 1/11 for 1 s, one of 0.4/100.4 for 2 s, then none to the limit.
    runs = {"a": [(100, COURSE), (None, [])], "late": 2 * [(110, [[12.0, 110]])]}
    found = with_objectives(runs)
    a, late = found.summaries()
    area = 1 + 1 / 11 + 2 * 0.4 / 100.4
    assert a.primal_integral_s == pytest.approx((area + 10) / 2)
    assert late.primal_integral_s == 10
    for table in (objective_table(found), total_table(found)):
        assert "primal integral s" in table.columns
    row = next(csv.DictReader(io.StringIO(csv_text(found))))
    assert float(row["primal_integral_s"]) == pytest.approx(a.primal_integral_s, rel=1e-5)


@pytest.mark.parametrize(
    ("maximize", "best_known", "objective", "gap"),
    [
        (False, 100, 101, 0.01),
        (True, 100, 99, 0.01),
        (False, -100, -99, 0.01),
        (False, 0, 0, 0),
        (False, 0, 1, inf),
        (False, 100, 90, 0),  # better than was known: then that is the best known
        (False, None, 5, inf),
    ],
)
def test_gaps_are_relative_to_the_best_known(maximize, best_known, objective, gap):
    assert Target(maximize, best_known).gap(objective) == pytest.approx(gap)


@pytest.mark.parametrize("maximize", [False, True])
def test_what_is_said_beforehand_is_the_best_known_unless_a_run_is_better(maximize):
    sign = -1 if maximize else 1
    runs = {"a": [(sign * 100, [])]}
    for said, best in ((sign * 90, sign * 90), (sign * 120, sign * 100)):
        found = with_objectives(runs, said, maximize=maximize)
        assert next(iter(found.targets.values())).best_known == best
    assert "0/1" in total_table(with_objectives(runs, sign * 90, maximize=maximize)).rows[0]


def test_an_objective_better_than_a_proved_bound_is_a_contradiction():
    runs = {"a": [(100, [])], "b": [(110, [])]}
    assert with_objectives(runs, bounds={"b": 100}).contradictions == []
    (found,) = with_objectives(runs, bounds={"b": 105}).contradictions
    assert found.summary() == (
        "p: (a) against (b): one's objective is 100, the other proved that none is better than 105"
    )


def test_lists_of_best_known_objectives(tmp_path):
    path = tmp_path / "best.solu"
    path.write_text("=opt=  p0033 3089\n=best= q 1e3\n=inf= r\n=unkn= s\nt -2.5 # mine\n\n")
    assert read_best_known(path) == {"p0033": 3089, "q": 1000, "t": -2.5}
    for text, message in (
        ("p 1\nq\n", "line 2: expected a name and an objective, got 'q'"),
        ("p one\n", "line 1: expected an objective, got 'one'"),
        ("p inf\n", "line 1: best known, p: expected a finite number"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=rf"best\.solu: {message}"):
            read_best_known(path)


def test_the_command_compares_objectives(tmp_path):
    text = "min\nobj: x + 2 y\nst\nc: x + y >= 2\nbounds\nx <= 3\ny <= 3\ngeneral\nx y\nend\n"
    (tmp_path / "small.lp").write_text(text)
    words = ["compare", "small.lp", "--solvers", "sat", "--json", "r.jsonl", "--report", "r.tex"]
    status, out, err = command.run(*words, "--best-known", "small=1", cwd=tmp_path)
    assert (status, err) == (0, "")
    words = next(line for line in out.splitlines() if "0/1, > 10 s" in line).split()
    assert words[:8] == ["small", "sat", "2", "2", "1", "100%", "2", "1/1"]
    assert "\\subsection*{Objectives}" in (tmp_path / "r.tex").read_text()
    row = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[-1])
    last = row["incumbents"][-1]
    assert (last["value"], last["bound"], last["feasible"], row["optimal"]) == (2, 2, True, True)
    assert 0 < last["seconds"] < row["seconds"] + 1e-5  # a sum of rounded numbers
    # The report takes it from the journal, or is told.
    for more, gap in (([], "100%"), (["--best-known", "small=2"], "0%")):
        status, out, err = command.run("report", "r.jsonl", *more, cwd=tmp_path)
        assert (status, err) == (0, "")
        assert f" {gap} " in out
    for wrong, message in (
        ("big=2", "no instance is named 'big'"),
        ("small=x", "expected a number"),
    ):
        status, _, err = command.run("report", "r.jsonl", "--best-known", wrong, cwd=tmp_path)
        assert status == 2
        assert message in err


def test_texts_in_latex_are_no_commands():
    found = replace(comparison({"50%_a&b": [1.0]}), left_out={"x": "\\input{y} $z$ #1 ~^"})
    text = latex_report(found)
    assert r"50\%\_a\&b & heuristic" in text
    assert r"\textbackslash{}input\{y\} \$z\$ \#1 \textasciitilde{}\textasciicircum{}" in text
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") > 2


def test_legends_and_ticks_of_eight_configurations_have_room():
    """Drawn as it would be saved: no name beyond the edge, no tick's label over another."""
    names = [f"annealer, sweeps={10**i}, threads=2, presolve=probe" for i in range(8)]
    found = comparison({name: [2.0 + i / 10, 4.5] for i, name in enumerate(names)}, (20, 30))
    figure = Figure(figsize=inches(found), layout="constrained")
    axes = plot(found, figure)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1
    for axis in (each for ax in axes for each in (ax.xaxis, ax.yaxis)):
        labels = [t.get_window_extent() for t in axis.get_ticklabels() if t.get_text()]
        assert len(labels) > 1
        assert not any(a.overlaps(b) for i, a in enumerate(labels) for b in labels[:i])


def test_runs_with_objectives_are_drawn_by_their_gaps():
    found = with_objectives({"a": [(100, COURSE)], "b": [(101, [])]})
    left, right = plot(found, Figure())
    assert (left.get_ylabel(), right.get_title()) == ("runs at the best known", "Runs as close")
    (a, b) = right.get_lines()[:2]
    assert a.get_xdata()[1] == 1e-4  # drawn at 0
    assert b.get_xdata()[1] == pytest.approx(0.01)
