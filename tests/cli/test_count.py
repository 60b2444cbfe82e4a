"""qubopuzzle count."""

import json

import pytest

from boards import TINY
from command import run
from qubopuzzle import Program

EMPTY, WRONG = "." * 16, "11" + "." * 14


@pytest.mark.parametrize(
    ("words", "status", "line"),
    [
        ([EMPTY], 0, "instance 1: 288 solutions"),
        (["1234341221434321"], 0, "instance 1: 1 solution"),
        ([WRONG], 3, "instance 1: no solution"),
        ([EMPTY, "--limit", "9", "--seed", "1"], 0, "instance 1: about 272 (within a factor of"),
        ([EMPTY, WRONG], 3, "instance 2: no solution"),
        ([EMPTY, "--time-limit", "1e-9"], 1, "instance 1: 0 or more solutions"),
    ],
)
def test_the_number_is_a_line(words, status, line):
    done, out, err = run("count", *words)
    assert (done, err) == (status, "")
    assert out.splitlines()[-1].startswith(line)


def test_candidates_and_samples_are_drawn():
    status, out, _ = run("count", "12.." + "3..." + "........", "--candidates", "--sample", "2")
    assert status == 0
    first, *rest = out.splitlines()
    assert first.endswith(" solutions")
    assert " 34 " in out
    assert [line for line in rest if "sample" in line] == ["sample 1:", "sample 2:"]
    assert out.count("┌") == 3


def test_all_of_it_is_json():
    words = [EMPTY, "--json", "--candidates", "--sample", "2", "--seed", "3"]
    status, out, _ = run("count", *words)
    data = json.loads(out)
    assert (status, data["puzzle"], data["count"]["least"]) == (0, "sudoku", 288)
    assert data["count"]["exact"]
    assert data["candidates"] == [[[1, 2, 3, 4]] * 4] * 4
    assert data["complete"]
    assert len(data["samples"]) == 2
    assert out == run("count", *words)[1]
    assert {*json.loads(run("count", EMPTY, "--json")[1])} == {"id", "puzzle", "count"}


def test_models_are_counted_by_names(tmp_path):
    file = tmp_path / "model.json"
    program = Program.of([[1, 1]], [1], [1], variables=["x", "y"])
    file.write_text(json.dumps(program.to_dict()))
    status, out, _ = run("count", file, "--candidates", "--sample", "1")
    assert status == 0
    assert "x = 0 or 1\ny = 0 or 1\nsample 1:\nx = " in out


def test_time_that_is_up_is_told():
    status, out, err = run("count", EMPTY, "--candidates", "--time-limit", "1e-9")
    assert (status, err) == (1, "")
    assert "there may be other values: time was up" in out
    status, _, err = run("count", EMPTY, "--sample", "3", "--time-limit", "1e-9")
    assert status == 1
    assert err.count("\n") == 1
    assert "instance 1: 3 solutions are not drawn within 1e-09 s" in err


def test_what_cannot_be_counted_is_one_line_and_the_rest_goes_on(tmp_path):
    file = tmp_path / "model.json"
    file.write_text(json.dumps(Program.of([[1]], [0], [1], cost=[1]).to_dict()))
    status, out, err = run("count", file, EMPTY, "--json")
    assert status == 2
    assert err.startswith("qubopuzzle: error: instance 1: an objective asks for the best solution")
    failed, counted = map(json.loads, out.splitlines())
    assert "objective" in failed["error"]
    assert counted["count"]["least"] == 288


def test_an_instance_that_says_itself_that_it_has_no_solution():
    board = next(board for board in TINY["kakuro"] if board.contradiction)
    text = json.dumps(board.to_dict())
    status, out, _ = run("count", text, "--candidates", "--sample", "1")
    assert status == 3
    assert out.startswith(f"instance 1: no solution, because {board.contradiction}")
