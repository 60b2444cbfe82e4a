"""qubopuzzle hint, and solve --explain."""

import json

import numpy as np
import pytest

from command import run
from qubopuzzle import ModelBuilder, Nonogram, Sudoku
from qubopuzzle.errors import InputError
from qubopuzzle.model.native import model_to_dict
from qubopuzzle.puzzles import get_puzzle, puzzle_names

A = Nonogram.examples()[0]


@pytest.fixture
def picross(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps(A.to_dict()))
    return str(file)


def test_the_next_step_is_one_line(picross):
    status, out, err = run("hint", picross)
    assert (status, err) == (0, "")
    assert out.splitlines()[-1].startswith("row 4, columns 1, 2, 3, 4 and 5 are black: ")


def test_all_steps_are_numbered_and_lead_to_the_end(picross):
    status, out, _ = run("hint", picross, "--all", "--json")
    (line,) = out.splitlines()
    steps = json.loads(line)["steps"]
    decided = {(r, c): value for step in steps for r, c, value in step["cells"]}
    assert status == 0
    assert decided == {cell: A.solution[cell] for cell in decided}
    assert len(decided) == A.cells
    lines = run("hint", picross, "--all")[1].splitlines()[1:]
    numbered = [line for line in lines if not line.lstrip().startswith("- ")]
    assert [line.split()[0] for line in numbered] == [str(n + 1) for n in range(len(steps))]
    first = [step["text"].splitlines()[0] for step in steps]
    assert [line.split("  ", 2)[-1] for line in numbered] == first


def test_marks_are_an_answer_with_open_cells(picross, tmp_path):
    marks = tmp_path / "marks.txt"
    lines = A.format_answer(A.solution)
    marks.write_text("\n".join([*lines[:-1], "?" * 5]))
    status, out, _ = run("hint", picross, "--marks", marks, "--json")
    (step,) = json.loads(out)["steps"]
    assert status == 0
    assert {r for r, _, _ in step["cells"]} == {4}
    marks.write_text(json.dumps(lines))
    assert "all cells are on the board" in run("hint", picross, "--marks", marks)[1]


def test_marks_that_contradict_each_other_are_no_success(picross, tmp_path):
    marks = tmp_path / "marks.txt"
    marks.write_text("\n".join([*["?????"] * 3, ".????", "?????"]))
    status, out, _ = run("hint", picross, "--marks", marks)
    assert status == 1
    assert "these contradict each other" in out


@pytest.mark.parametrize("text", ["???", "?????\n" * 4 + "????z", '{"a": 1}', "[1, 2]", "[[1]]"])
def test_marks_of_another_form_are_one_line(picross, tmp_path, text):
    marks = tmp_path / "marks.txt"
    marks.write_text(text)
    status, out, err = run("hint", picross, "--marks", marks)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert str(marks) in err


def test_numbers_as_marks():
    puzzle = Sudoku(".2.4........4.2.")
    marks = {(0, 0): 1, (0, 1): 2}
    assert puzzle.parse_marks(["12??", "????", "????", "????"]) == marks
    assert puzzle.parse_marks("1 2 ? ?\n? ? ? ?\n? ? ? ?\n? ? ? ?") == marks
    assert puzzle.parse_marks([[1, 2, None, None], *[[None] * 4] * 3]) == marks


@pytest.mark.parametrize("name", puzzle_names())
def test_the_marks_of_every_kind_are_its_answers(name):
    for puzzle in get_puzzle(name).examples():
        answer = puzzle.format_answer(puzzle.solution)
        if isinstance(answer, dict):  # of parts, each with rows of its own
            with pytest.raises(InputError, match="expected rows"):
                puzzle.parse_marks(answer)
            continue
        marks = dict(np.ndenumerate(puzzle.solution))
        assert puzzle.parse_marks(answer) == marks
        rows = [[*row] for row in answer]
        rows[0][0] = "?"
        del marks[0, 0]
        assert puzzle.parse_marks(rows) == marks


def test_what_has_no_solution_or_several_is_said(tmp_path):
    file = tmp_path / "several.json"
    file.write_text(json.dumps(Sudoku("1000000000000000").to_dict()))
    status, out, _ = run("hint", file, "--all")
    assert (status, "several solutions" in out) == (1, True)
    file.write_text(json.dumps(Sudoku("1100000000000000").to_dict()))
    status, out, _ = run("hint", file)
    assert (status, "contradict each other" in out) == (3, True)


def test_solve_explains_its_answer(picross, tmp_path):
    status, out, _ = run("solve", picross, "--explain", "--seed", "1")
    numbers = [line.split()[0] for line in out.splitlines() if line.startswith("   ")]
    assert status == 0
    assert numbers[:2] == ["1", "2"]
    status, out, _ = run("solve", picross, "--explain", "--json", "--seed", "1")
    assert json.loads(out)["steps"][0]["reasons"]
    film = tmp_path / "way.gif"
    assert run("solve", picross, "--explain", "--film", film)[0] == 0
    assert film.read_bytes()[:6] == b"GIF89a"


def test_a_film_is_of_steps(picross, tmp_path):
    status, _, err = run("solve", picross, "--film", tmp_path / "way.gif")
    assert (status, "--explain" in err) == (2, True)
    status, _, err = run("solve", picross, "--explain", "--film", tmp_path / "way.txt")
    assert (status, ".gif" in err) == (2, True)


def test_a_model_is_not_explained_step_by_step(tmp_path):
    b = ModelBuilder()
    b.bit("a")
    file = tmp_path / "model.json"
    file.write_text(json.dumps(model_to_dict(b.build())))
    status, _, err = run("solve", file, "--explain")
    assert (status, "--explain" in err) == (2, True)
    status, _, err = run("hint", file)
    assert (status, "no board" in err) == (2, True)


def test_marks_belong_to_one_puzzle(tmp_path):
    file = tmp_path / "two.jsonl"
    lines = [json.dumps(each.to_dict()) for each in get_puzzle("akari").examples()[:2]]
    file.write_text("\n".join(lines))
    assert run("hint", file, "--all")[0] == 0
    assert run("hint", file, "--marks", file)[0] == 2
