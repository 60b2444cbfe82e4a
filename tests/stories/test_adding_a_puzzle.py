"""A puzzle from outside, that of docs/adding-a-puzzle.md: one entry point, every command."""

import importlib
import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import command
from page_package import install, snippet
from qubopuzzle import puzzles
from qubopuzzle.compile import compile_qubo
from qubopuzzle.model import violation
from qubopuzzle.puzzles import puzzle_names

DOCUMENT = Path(__file__).parents[2] / "docs/adding-a-puzzle.md"
GRID = [[1, 0, 4, 0], [4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]]  # one solution


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with a package that is none of ours, a puzzle that does not load, and files."""
    folder = tmp_path_factory.mktemp("outside")
    with install(DOCUMENT, folder).joinpath("entry_points.txt").open("a") as entries:
        entries.write("lost = their_latin:Gone\n")
    instance = {"puzzle": "latin", "id": "square", "grid": GRID}
    (folder / "square.json").write_text(json.dumps(instance))
    (folder / "bad.json").write_text(json.dumps({"puzzle": "latin", "grid": [[1, 2]]}))
    (folder / "misspelt.json").write_text(json.dumps({"puzzle": "latin", "gird": [[1]]}))
    (folder / "lost.json").write_text(json.dumps({"puzzle": "lost"}))
    (folder / "wrong.txt").write_text("1243\n4321\n2314\n3412\n")
    return folder


def path_to(*folders):
    """For PYTHONPATH: these folders before what is there."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def run(folder, *arguments, there=True):
    """Exit status and what was printed; ``there``: their package is installed."""
    forget_puzzles()
    try:
        return command.run(*arguments, cwd=folder.parent, path=[folder] * there)
    finally:
        forget_puzzles()


def forget_puzzles():
    """Look for entry points again."""
    for found in (puzzles._names, puzzles.get_puzzle):
        found.cache_clear()


def files(folder, *names):
    return [str(folder / name) for name in names]


@pytest.mark.skipif("latin" in puzzle_names(), reason="the package is installed")
def test_it_is_not_there_before_it_is_installed(world):
    status, _, err = run(world, "show", *files(world, "square.json"), there=False)
    assert status == 2
    assert "unknown puzzle 'latin'; this package knows " in err


def test_it_is_known_and_drawn(world):
    words = ["show", *files(world, "square.json")]
    status, out, err = run(world, *words)
    assert (status, err) == (0, "")
    assert command.run_apart(*words, env={"PYTHONPATH": path_to(world)}) == (0, out, "")
    assert out == "square\n 1 · 4 ·\n 4 · · ·\n · · · ·\n · · · 2\n"


@pytest.mark.parametrize(
    "how",
    [
        [],
        ["--solver", "neal"],
        ["--solver", "tempering"],
        ["--solver", "sat", "--unique"],
        ["--formulation", "lines"],
        ["--formulation", "lines:columns=1"],
        ["--presolve", "propagate"],
    ],
    ids=" ".join,
)
def test_it_is_solved_by_what_there_is(world, how):
    source = files(world, "square.json")
    status, out, err = run(world, "solve", *source, "--seed", "1", "--json", *how)
    assert (status, err) == (0, "")
    result = json.loads(out)
    assert result["puzzle"] == "latin"
    assert result["valid"]
    rows = result["solution"]
    for line in [*rows, *zip(*rows, strict=True)]:
        assert sorted(line) == [1, 2, 3, 4]
    for row, givens in zip(rows, GRID, strict=True):
        assert all(given in (0, digit) for digit, given in zip(row, givens, strict=True))
    if "--unique" in how:
        assert result["unique"]


def test_a_wrong_answer_is_told_by_its_own_rules(world):
    status, out, err = run(world, "check", *files(world, "square.json", "wrong.txt"))
    assert (status, err) == (1, "")
    assert out.splitlines()[4] == "square: not valid"
    assert "  column: column[1] has 3 2 times" in out.splitlines()
    assert "!3" in out
    status, out, _ = run(world, "check", *files(world, "square.json", "wrong.txt"), "--json")
    assert status == 1
    assert {v["rule"] for v in json.loads(out)["violations"]} == {"column"}


def test_its_errors_are_one_line(world):
    status, out, err = run(world, "solve", *files(world, "bad.json"))
    assert (status, out) == (2, "")
    assert err.startswith("qubopuzzle: error: ")
    assert err.endswith("bad.json: grid: expected a square\n")


@pytest.mark.usefixtures("kept_runs")
def test_solvers_are_compared_on_it_each_in_a_process_of_its_own(world):
    source = files(world, "square.json")
    how = ["--solvers", "annealer,sat", "--repeat", "2", "--json", str(world / "runs.jsonl")]
    status, out, err = run(world, "compare", *source, *how)
    assert (status, err) == (0, "")
    assert "2/2" in out
    assert "1/1" in out
    journal = [json.loads(line) for line in (world / "runs.jsonl").read_text().splitlines()]
    solved = [row["solver"] for row in journal if row.get("status") == "valid"]
    assert sorted(solved) == ["annealer", "annealer", "sat"]


def test_its_sizes_and_its_model_are_printed(world):
    source = files(world, "square.json")
    status, out, _ = run(world, "info", *source)
    assert status == 0
    assert "cells" in out
    assert run(world, "export", *source, str(world / "square.lp"))[0] == 0
    assert "x_cell_0_0_is_1" in (world / "square.lp").read_text()


def test_one_that_does_not_load_says_so_and_hides_no_other(world):
    status, _, err = run(world, "solve", *files(world, "lost.json"))
    assert status == 2
    assert "puzzle 'lost': their_latin:Gone does not load" in err
    assert run(world, "solve", *files(world, "square.json"))[0] == 0


def test_all_holds_that_must_hold_of_every_puzzle(world, monkeypatch):
    with monkeypatch.context() as patch:
        patch.syspath_prepend(world)
        forget_puzzles()
        exec(snippet(DOCUMENT, "check_puzzle"), {})  # noqa: S102
    forget_puzzles()


def test_it_stands_in_the_list(world):
    status, out, err = run(world, "puzzles")
    assert (status, err) == (0, "")
    assert "cells (default)" in out
    assert "Fill a square with n digits, each once a row and column." in out
    assert "sudoku" in out
    assert "their_latin:Gone does not load" in out
    status, out, err = run(world, "puzzles", "latin")
    assert (status, err) == (0, "")
    assert "formulations: cells (default), lines\n" in out  # our pages say nothing of them


def test_an_unknown_key_of_it_is_refused(world):
    status, _, err = run(world, "show", *files(world, "misspelt.json"))
    assert status == 2
    assert "gird: unknown key; did you mean grid?" in err


@pytest.mark.usefixtures("kept_runs")
def test_its_examples_are_read_from_its_folder_and_compared(world, monkeypatch):
    with monkeypatch.context() as patch:
        patch.syspath_prepend(world)
        forget_puzzles()
        assert "latin-2x2" in [each.id for each in puzzles.get_puzzle("latin").examples()]
    how = [
        *files(world, "their_latin/examples.jsonl"),
        "--solvers",
        "annealer,cpsat",
        "--repeat",
        "2",
    ]
    status, out, err = run(world, "compare", *how)
    assert (status, err) == (0, "")
    assert out.count("2/2") == out.count("1/1") == 2


def test_its_links_are_read_and_written(world):
    source = files(world, "square.json")
    texts = {
        "puzzlink": "https://puzz.link/p?latin/4/4/1g4g4p2\n",
        "pzprv3": "pzprv3\nlatin\n4\n4\n1 . 4 . \n4 . . . \n. . . . \n. . . 2 \n",
        "tatham": "4:1a4a4j2\n",
    }
    for name, text in texts.items():
        (world / name).write_text(f"squares:{text}" if name == "tatham" else text)
    *converted, solved, refused = command.run_several_apart(
        *(["convert", *source, "--to", name] for name in texts),
        *(["convert", *files(world, name), "--to", "json"] for name in texts),
        ["solve", *source, "--seed", "1", "--url"],
        ["show", "https://puzz.link/p?latin/4/4/1g4g"],
        path=[world],  # the formats of links look for puzzles when they are imported
    )
    assert converted[:3] == [(0, text, "") for text in texts.values()]
    for status, out, err in converted[3:]:
        assert (status, err) == (0, "")
        assert json.loads(out)["grid"] == GRID
    status, out, _ = solved
    assert status == 0
    assert out.splitlines()[-1] == "https://puzz.link/p?latin/4/4/1243432121343412"
    status, _, err = refused
    assert (status, err.count("\n")) == (2, 1)
    assert "latin: the board ends after 4 of 16 cells" in err


def test_it_is_generated(world):
    how = ["generate", "latin", "--size", "4x4", "--count", "3", "--seed", "2"]
    status, out, err = run(world, *how)
    assert status == 0
    assert [line.split(":")[0] for line in err.splitlines()] == [
        f"latin-4x4-2-{i}" for i in range(3)
    ]
    (world / "made.jsonl").write_text(out)
    for data in map(json.loads, out.splitlines()):
        assert data["n_solutions"] == 1
        assert 0 < np.count_nonzero(data["grid"]) < 16
    status, out, err = run(
        world, "solve", *files(world, "made.jsonl"), "--solver", "sat", "--unique"
    )
    assert (status, err) == (0, "")
    status, _, err = run(world, "generate", "latin", "--size", "4x5")
    assert status == 2
    assert err.endswith("a latin square has as many rows as columns\n")
    status, _, err = run(world, *how, "--option", "letters=1")
    assert status == 2
    assert "unknown option 'letters'" in err
    assert "lost" in run(world, "generate", "lost")[2]


def test_the_model_and_an_answer_of_a_solver_elsewhere(world):
    source = files(world, "square.json")
    assert run(world, "export", *source, str(world / "square.cnf"))[0] == 0
    assert (world / "square.cnf").read_text().startswith(("c", "p cnf"))


@pytest.mark.parametrize("formulation", ["cells", "lines", "lines:columns=1"])
def test_its_formulations_have_the_twelve_squares_of_three(world, monkeypatch, formulation):
    monkeypatch.syspath_prepend(world)
    latin = importlib.import_module("their_latin").Latin(grid=[[0] * 3] * 3)
    model = latin.model(formulation)
    assert len(pickle.loads(pickle.dumps(model)).choices) == 9  # noqa: S301
    compiled = compile_qubo(model, "domain-wall")
    bits = np.arange(2**compiled.n_bits)[:, None] >> np.arange(compiled.n_bits) & 1
    found = bits[compiled.total().energies(bits) == 0]
    answers = [model.field.read(compiled.decode(row))[0] for row in found]
    assert len({answer.tobytes() for answer in answers}) == 12
    assert not any(latin.violations(answer) for answer in answers)
    for answer in answers:
        assert violation(model, model.assignment(model.field.write(answer))) == 0
