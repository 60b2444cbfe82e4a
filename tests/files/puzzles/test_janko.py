"""Text of janko.at: every kind, its solutions, and what is refused."""

import pytest

from qubopuzzle import InputError
from qubopuzzle.files.puzzles import get_format, read_text
from qubopuzzle.puzzles import get_puzzle

janko = get_format("janko")

BOARDS = {
    "sudoku": (
        "size 4\npatternx 2\npatterny 2\nproblem\n- 2 - 4\n- - - -\n- - - -\n4 - 2 -\n"
        "solution\n1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1",
        {"puzzle": "sudoku", "grid": ".2.4;....;....;4.2.", "box": [2, 2]},
        [[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]],
    ),
    "heyawake": (
        "rows 2\ncols 3\nproblem\n- - -\n- 1 0\nareas\na a b\na a b\nsolution\n- x -\n- - -",
        {"puzzle": "heyawake", "rooms": [[0, 0, 1], [0, 0, 1]], "clues": [1, 0]},
        [[0, 1, 0], [0, 0, 0]],
    ),
    "hitori": (
        "problem\n1 1\n1 2\nsolution\nx -\n- -",
        {"puzzle": "hitori", "grid": [[1, 1], [1, 2]]},
        [[1, 0], [0, 0]],
    ),
    "kuromasu": (
        "problem\n- -\n? -\nsolution\n- -\n- x",
        {"puzzle": "kurodoko", "grid": [[None, None], ["?", None]]},
        [[0, 0], [0, 1]],
    ),
    "Arukone": (
        "problem\na - a\nb - b\nsolution\ne ew w\ne ew w",
        {"puzzle": "numberlink", "grid": [[1, 0, 1], [2, 0, 2]], "cover": False},
        [[1, 5, 4], [1, 5, 4]],
    ),
    "Abc-End-View": (
        "depth 1\nclabels\na -\n- -\nrlabels\n- -\n- -\nsolution\na -\n- a",
        {"puzzle": "easyasabc", "size": 2, "letters": 1, "top": ["A", None]},
        [[1, 0], [0, 1]],
    ),
    "nonogram": (
        "clabels\n2\n- 1\nrlabels\n2\n1\nsolution\nx x\nx -",
        {"puzzle": "nonogram", "rows": [[2], [1]], "cols": [[2], [1]]},
        [[1, 1], [1, 0]],
    ),
}


@pytest.mark.parametrize("name", BOARDS)
def test_every_kind_with_its_solution(name):
    body, data, solution = BOARDS[name]
    expected = get_puzzle(data["puzzle"]).from_dict(data)
    text = f"begin\npuzzle {name}\nauthor Somebody\n{body}\nend\n"
    page = text
    for word in ("begin", "problem", "areas", "clabels", "rlabels", "solution", "end"):
        page = page.replace(f"{word}\n", f"[{word}]\n")
    moves = page.replace("[end]", "[moves]\n1a,2b\n[end]")
    for each in (text, page, f"<script>\r\n{moves}</script>\n", text * 2):
        assert janko.detect(each)
        found = read_text(each)
        assert found == [expected] * each.lower().count("puzzle ")
        assert found[0].author == "Somebody"
        assert found[0].solution.tolist() == solution
    assert read_text(text + BOARDLESS, data["puzzle"]) == [expected]
    assert janko.read(janko.write([found[0]])) == [expected]


BOARDLESS = "begin\npuzzle akari\nsize 2\nproblem\n- -\n- -\nend\n"


def test_names_that_come_again_are_rooms_of_their_own():
    (puzzle,) = janko.read("begin\npuzzle heyawake\nareas\na b a\nend")
    assert puzzle.rooms.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOARDLESS, "line 1: puzzle 'akari' is none that is read here, such as abc-end-view, "),
        ("begin\npuzzle hitori\nproblem\n1 1\n1\nend", "line 5: 1 cells of problem, not 2"),
        ("begin\npuzzle hitori\nsize 3\nproblem\n1 1 1\nend", "problem has 1 lines, not 3"),
        ("begin\npuzzle hitori\nproblem\n1 q\nend", "row 1 column 2 is 'q', no number or '-'"),
        ("begin\npuzzle hitori\nsize 1e9\nproblem\n1\nend", "'1e9' is no size"),
        ("begin\npuzzle hitori\nproblem\n1 1", "the puzzle at line 1: it has no end"),
        ("begin\npuzzle hitori\nbegin\n", "line 3: the puzzle at line 1 has no end"),
        ("begin\npuzzle hitori\nend", "there is no block problem"),
        ("begin\npuzzle hitori\nproblem\n1 1\n2 2\nsolution\nx -\n- -\nend", "solution: "),
        ("begin\npuzzle sudoku\nareas\n1\nproblem\n1\nend", "a sudoku with areas is a variant"),
        ("begin\npuzzle heyawake\nproblem\n1 2\nareas\n1 1\nend", "a room has two clues, 1 and 2"),
        (
            "begin\npuzzle arukone\nproblem\n1 1\nsolution\nu v\nend",
            "column 1 is 'u', no sides n e s w or '-'",
        ),
        ("begin\npuzzle abc-end-view\nclabels\na -\n- -\nend", "add a line such as depth 3"),
        ("begin\npuzzle abc-end-view\nclabels\nend", "clabels has 0 lines, not any"),
        ("begin\npuzzle abc-end-view\nclabels\na a\nend", "clabels has 1 lines"),
        ("begin\npuzzle nonogram\nrlabels\n1\nend", "there is no block clabels"),
    ],
)
def test_what_is_refused_names_its_place(text, message):
    with pytest.raises(InputError) as caught:
        janko.read(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
