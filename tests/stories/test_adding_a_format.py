"""The formats of docs/adding-a-format.md, in a copy of the package: every line of the page runs."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import command
import qubopuzzle
from qubopuzzle import Nonogram, Numberlink, export, to_bqm

DOCUMENT = Path(__file__).parents[2] / "docs/adding-a-format.md"
PACKAGE = Path(qubopuzzle.__file__).parent
FILES = ["src/qubopuzzle/files/puzzles/ahle.py", "src/qubopuzzle/files/models/matrix.py"]
TEXT = "5 4\nC...B\nA.BA.\n...C.\n.....\n"
GRID = [[12, 0, 0, 0, 11], [10, 0, 11, 10, 0], [0, 0, 0, 12, 0], [0] * 5]
A = Nonogram(rows="1;1 1;1 1;5;1 1", cols="2;3;1 1;3;2")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a copy of the package that has the code of the page, where it says so."""
    root = tmp_path_factory.mktemp("formats")
    copy = root / "src" / "qubopuzzle"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    page = DOCUMENT.read_text("utf-8")
    blocks = re.findall(r"^`(src/[\w/.]+)`(, [^\n]*)?\n\n```python\n(.*?)^```", page, re.M | re.S)
    assert [where for _, where, _ in blocks] == [
        "",
        "",
        ", a line in `FORMATS`",
    ]
    for name, where, code in blocks:
        path = root / name
        assert path.parent.is_dir()
        assert path.exists() == bool(where)
        path.write_text(put(path.read_text("utf-8"), code) if where else code, "utf-8")
    return root


def put(text, code):
    """The text of a module with a line more in its table."""
    table = re.search(r"^FORMATS = \{\n.*\n +for each in \(\n", text, re.M)
    return f"{text[: table.end()]}        {code.rstrip()},\n{text[table.end() :]}"


def run(place, *arguments):
    """Exit status, standard output and standard error of a command with the copy."""
    return command.run_apart(*arguments, cwd=place, env={"PYTHONPATH": str(place / "src")})


def test_they_are_listed_and_not_in_the_package_itself(place):
    status, out, _ = run(place, "formats")
    assert status == 0
    assert "numberlink solver of Thomas Ahle" in out
    assert re.search(r"^matrix +\.matrix +yes +qubo +the matrix", out, re.M)
    assert "ahle" not in command.run("formats")[1]


@pytest.mark.skipif(shutil.which("ruff") is None, reason="ruff is not installed")
def test_the_page_has_nothing_that_is_not_used(place):
    words = ["ruff", "check", "--isolated", "--select", "F", "--no-cache"]
    done = subprocess.run(
        [*words, *(place / name for name in FILES)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_puzzle_is_read_and_written_as_it_was(place):
    assert f"```text\n{TEXT}```" in DOCUMENT.read_text("utf-8")
    (place / "flow.txt").write_text(f"# by hand\n\n{TEXT}0 0\nnothing more\n")
    status, out, err = run(place, "convert", "flow.txt", "--to", "json")
    assert (status, err) == (0, "")
    puzzle = Numberlink.from_dict(json.loads(out))
    assert puzzle == Numberlink(grid=GRID)
    (place / "flow.json").write_text(out)
    assert run(place, "convert", "flow.json", "--to", "ahle") == (0, TEXT, "")
    status, out, _ = run(place, "solve", "flow.txt", "--solver", "sat", "--unique", "--json")
    assert (status, json.loads(out)["valid"]) == (0, True)


def test_examples_go_through_it_and_keep_their_boards(place):
    examples = [puzzle for puzzle in Numberlink.examples() if puzzle.cover]
    examples += [Numberlink(grid=[[62, 0, 62]]), Numberlink(grid=[[1, 10], [0, 0], [1, 10]])]
    lines = "".join(json.dumps(puzzle.to_dict()) + "\n" for puzzle in examples)
    (place / "examples.json").write_text(lines)
    status, text, err = run(place, "convert", "examples.json", "--to", "ahle")
    assert (status, err) == (0, "")
    (place / "examples.txt").write_text(text)
    status, out, err = run(place, "convert", "examples.txt", "--to", "json")
    assert (status, err) == (0, "")
    assert [Numberlink.from_dict(json.loads(line)) for line in out.splitlines()] == examples


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 2\n11\n", "the board at line 1: 2 rows are due, there are 1"),
        ("2 2\n11\n223\n", "the board at line 1: line 3: 2 cells are due, got 3 in '223'"),
        ("2 1\n11\n\nnothing\n", "line 4: width and height are due, got 'nothing'"),
        ("3 1\n1.!\n", "the board at line 1: line 2: '!' is no cell; letters, digits and . are"),
        ("99999 1\n11\n", "line 1: '99999 1', a side has 10,000 cells at most"),
        ("9999 9999\n11\n", "the board at line 1: over 250,000 cells in all, "),
        ("5 0\n", "the board at line 1: grid: "),
        ("0 0\n", "it holds no puzzle"),
        ("hello", "line 1: width and height are due, got 'hello'"),
    ],
)
def test_a_malformed_text_is_one_line(place, text, message):
    (place / "bad.txt").write_text(text)
    how = ("--to", "json", "--format", "ahle")
    status, out, err = run(place, "convert", "bad.txt", *how)
    assert (status, out) == (2, "")
    assert err.startswith(f"qubopuzzle: error: bad.txt: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("puzzle", "message"),
    [
        (Numberlink(grid=[[1, 1]], cover=False, id="free"), "free: cells may stay unused"),
        (Numberlink(grid=[[63, 63]]), "instance 1: the number 63; ahle has 62 signs"),
    ],
)
def test_what_it_cannot_hold_is_said(place, puzzle, message):
    (place / "no.json").write_text(json.dumps(puzzle.to_dict()))
    status, out, err = run(place, "convert", "no.json", "--to", "ahle")
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_model_is_written_read_and_its_answer_comes_back(place):
    (place / "a.json").write_text(json.dumps(A.to_dict()))
    assert run(place, "export", "a.json", "-o", "a.matrix")[0] == 0
    matrix = np.loadtxt(place / "a.matrix")
    about = json.loads((place / "a.matrix.json").read_text())
    bqm = to_bqm(A)
    assert about["variables"] == list(bqm.variables)
    samples = np.random.default_rng(1).integers(0, 2, (50, len(matrix)))
    values = ((samples @ matrix) * samples).sum(axis=1)
    energies = about["energy"]["sign"] * values + about["energy"]["offset"]
    np.testing.assert_allclose(energies, bqm.energies((samples, list(bqm.variables))))

    status, out, err = run(place, "solve", "a.matrix", "--solver", "neal", "--seed", "1", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["objective"] == 0
    sample = [found["solution"][f"x{i}"] for i in range(len(matrix))]
    (place / "sample.json").write_text(json.dumps(sample))
    status, out, _ = run(place, "decode", "a.matrix.json", "sample.json")
    assert (status, out.splitlines()[-1]) == (0, "instance 1: valid, energy 0")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2\n3\n", "line 2: 2 numbers are due, got 1"),
        ("1 2\n", "expected a square matrix, got 1 lines of 2 numbers"),
        ("1 2\n3 x\n", "line 2: expected a number, got x"),
        ("# offset a\n1\n", "line 1: expected a number, got a"),
        ("# nothing\n", "there are no variables in it"),
    ],
)
def test_a_malformed_model_is_one_line(place, text, message):
    (place / "bad.matrix").write_text(text)
    status, out, err = run(place, "solve", "bad.matrix")
    assert (status, out, err) == (2, "", f"qubopuzzle: error: bad.matrix: {message}\n")


def test_a_dense_matrix_is_refused_before_it_is_made(place):
    puzzle = Nonogram(rows=[[1, 1]] * 60, cols=[[1, 1]] * 60)
    assert export(puzzle, "coo").description["variables"][5_000:]
    (place / "large.json").write_text(json.dumps(puzzle.to_dict()))
    status, out, err = run(place, "export", "large.json", "-o", "large.matrix")
    assert (status, out) == (2, "")
    assert "5,000 at most; write coo" in err
    assert not (place / "large.matrix").exists()
