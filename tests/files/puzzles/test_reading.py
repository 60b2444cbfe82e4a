"""Reading: every form that a file can have, and hostile ones."""

import io
import json
import pickle
import re
import tracemalloc
from types import SimpleNamespace

import dimod
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boards import NAMES
from qubopuzzle import InputError, Nonogram, Numberlink, Sudoku, judge, load
from qubopuzzle.files import puzzles as reading_module
from qubopuzzle.files.puzzles import formats_for, get_format, lines, read_text
from qubopuzzle.files.puzzles.answers import GivenAnswer, load_answers, match
from qubopuzzle.puzzles import get_puzzle
from strategies import nonograms

native, non, pzprv3 = map(get_format, ("json", "non", "pzprv3"))
A = Nonogram.examples()[0]
OBJECT = json.dumps(A.to_dict())
NON = """catalogue "made for this test"
title "A"
by "nobody"
copyright "none"
width 5
height 5

rows
1
1,1
1,1
5
1,1

columns
2
3
1,1
3
2

goal "0010001010010101111110001"
"""


@pytest.mark.parametrize(
    "text",
    [
        OBJECT,
        json.dumps({"source": "x", "instances": [A.to_dict()]}),
        json.dumps([A.to_dict()]),
        OBJECT + "\n",
        json.dumps(A.to_dict(), indent=2),
        "\n" + NON,
        NON.replace("\n", "\r\n"),
        NON.replace('title "A"', ""),
    ],
)
def test_forms_of_one_puzzle(text):
    (puzzle,) = read_text(text)
    assert puzzle == A
    assert (puzzle.solution == A.solution).all()


@given(st.lists(nonograms(), min_size=1, max_size=4))
def test_json_lines_round_trip(puzzles):
    assert read_text(native.write(puzzles)) == puzzles


def test_non_keeps_what_is_said_about_the_puzzle():
    (puzzle,) = read_text(NON)
    assert (puzzle.title, puzzle.author, puzzle.source) == ("A", "nobody", "made for this test")


def test_non_bundles_and_empty_lines():
    text = "width 2\nheight 2\nrows\n\n2\ncolumns\n1\n1\n====\nrows\n0\n1\ncolumns\n1\n"
    first, second = read_text(text)
    assert first.rows == ((), (2,))
    assert second.rows == ((), (1,))


def test_a_kind_of_puzzle_filters_before_anything_else_is_read():
    other = {"puzzle": "unheard-of", "rows": 7}
    text = json.dumps({"instances": [other, A.to_dict()]})
    assert read_text(text, "nonogram") == [A]
    assert read_text(NON, "nonogram") == [A]
    with pytest.raises(InputError, match="it holds no sudoku"):
        read_text(NON, "sudoku")
    bare = {key: value for key, value in A.to_dict().items() if key != "puzzle"}
    assert read_text(json.dumps(bare), "nonogram") == [A]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "it holds no puzzle"),
        ("{", "line 1 column 2: not JSON"),
        ("[1]", "instances[0]: expected an object, got 1"),
        ('{"instances": 3}', "instances: expected a list, got 3"),
        ('{"rows": []}', 'no "puzzle" key says what it is'),
        ('{"puzzle": 3}', "puzzle: expected a text, got 3"),
        ('{"puzzle": "sokoban"}', "unknown puzzle 'sokoban'; this package knows"),
        ('{"puzzle": "nonogram"}', "rows: missing"),
        ('{"puzzle": "nonogram", "rows": [[1]]}', "cols: missing"),
        (
            '{"puzzle": "nonogram", "rows": [[1]], "columns": [[1]]}',
            "columns: unknown key; did you mean cols?",
        ),
        ('{"puzzle": "nonogram", "rows": [[1]], "cols": [[NaN]]}', "cols[0][0]: expected"),
        ('{"puzzle": "nonogram", "rows": [[1]], "cols": [[1e999]]}', "cols[0][0]: expected"),
        (f"{OBJECT}\n{{", "line 2: not JSON"),
        (f'{OBJECT}\n{{"puzzle": "nonogram", "rows": 1, "cols": 1}}', "line 2: rows: expected"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("9" * 5000, "no format of puzzles that this package reads"),
        ("[" + "9" * 5000 + "]", "a number in the JSON is too long"),
        ("hitori grid=1 " + "9" * 5000, "grid[0]: a number of 5,000 digits"),
        ("rows=" + "9" * 5000 + " cols=1", "rows[0][0]: expected a whole number from 0"),
        ('{"puzzle": "nonogram", "rows": [[1]], "cols": [[1]], "id": 4}', "id: expected a text"),
        ('{"puzzle": "nonogram", "rows": [[1]], "cols": [[1]], "n_solutions": "1"}', "n_solutions"),
        (
            '{"puzzle": "nonogram", "rows": [[1]], "cols": [[1]], "solution": ["#."]}',
            "the answer has 1 x 2 cells, the puzzle 1 x 1",
        ),
        (
            '{"puzzle": "nonogram", "rows": [[1]], "cols": [[1]], "solution": ["X"]}',
            "row[0] column[0] is 'X', expected '#' or '.'",
        ),
        ('{"instances": [{"id": "x", "puzzle": "nonogram"}]}', "instances[0] (x): rows: missing"),
        ("hello", "no format of puzzles that this package reads"),
        ("rows\n1-2\ncolumns\n1", "line 2: '1-2' is no number; a clue is whole numbers"),
        ("rows\n1\nrows\n1\ncolumns\n1", "line 3: rows for the second time"),
        ("height 3\nrows\n1\ncolumns\n1", "the puzzle at line 1: height is 3 but there are 1 rows"),
        ("rows\ncolumns\n", "the puzzle at line 1: rows: 0 lines"),
    ],
)
def test_hostile_texts_are_one_clear_line(text, message):
    with pytest.raises(InputError) as caught:
        read_text(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@given(
    st.text(max_size=200) | st.text(alphabet='{}[]",:01 \nrowscolumnspuzzlenonogram', max_size=200)
)
@example("rows\ncolumns")
def test_any_text_is_a_puzzle_or_an_error(text):
    try:
        assert read_text(text)
    except InputError as error:
        assert str(error)


@given(st.binary(max_size=200))
@example(b"\xff\xfe")
@example(b"\xff\xfe{")
@example(b"\xef\xbb\xbf")
def test_any_bytes_are_a_puzzle_or_an_error(data):
    stdin = reading_module.sys.stdin
    reading_module.sys.stdin = SimpleNamespace(buffer=io.BytesIO(data))
    try:
        assert load("-")
    except InputError as error:
        assert str(error).startswith("standard input: ")
    finally:
        reading_module.sys.stdin = stdin


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_say_what_they_are(tmp_path, encoding):
    file = tmp_path / "a.json"
    file.write_bytes(
        json.dumps(A.to_dict() | {"title": "Bär"}, ensure_ascii=False).encode(encoding)
    )
    assert load(file)[0].title == "Bär"


def test_other_encodings_are_named(tmp_path):
    file = tmp_path / "a.non"
    file.write_bytes(NON.replace("nobody", "Bär").encode("latin-1"))
    with pytest.raises(InputError, match=r"a\.non: byte \d+ is no UTF-8; save the file as UTF-8"):
        load(file)


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"none\.json: No such file"):
        load(tmp_path / "none.json")
    with pytest.raises(InputError, match="Is a directory"):
        load(tmp_path)
    with pytest.raises(InputError, match="null"):
        load("a\0b")
    for address, remedy in {
        "https://example.org/puzzle": "paste the puzzle's text",
        "https://example.org/puzzle.html?id=3.non": "paste the puzzle's text",
        "https://example.org": "paste the puzzle's text",
        "https://example.org/a/3.non?raw=true": "save the file",
    }.items():
        with pytest.raises(InputError, match=rf"example.org.*: no address of a .*; {remedy}"):
            load(address)
    empty = tmp_path / "empty.json"
    empty.write_text(" \n")
    with pytest.raises(InputError, match=r"empty\.json: it is empty"):
        load(empty)
    monkeypatch.setattr(reading_module, "SIZE_LIMIT", 2**20)
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (2**20 + 1))
    with pytest.raises(InputError, match="larger than 1 MiB"):
        load(large)


def test_a_million_rows_are_refused(tmp_path):
    file = tmp_path / "million.json"
    file.write_text('{"puzzle":"nonogram","rows":[' + "[1]," * 10**6 + '[1]],"cols":[[1]]}')
    with pytest.raises(InputError, match="1000001 lines; a nonogram here has 1 to 1000"):
        load(file)


@pytest.mark.parametrize("head", ["", "5 5\n", "0000\n" * 5])
def test_short_lines_are_told_to_be_no_puzzle_in_little_memory(head):
    text = head + "1\n" * 200_000
    tracemalloc.start()
    with pytest.raises(InputError):
        read_text(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * len(text)


def test_a_text_has_so_many_lines(monkeypatch):
    bundle = "rows\n1\ncolumns\n1\n====\n" * 3
    assert len(read_text(bundle)) == 3
    monkeypatch.setattr(lines, "LINES_LIMIT", 15)  # the last is the blank one behind the end
    with pytest.raises(InputError, match="over 15 lines; divide the text"):
        read_text(bundle)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(A.to_dict()["solution"]),
        json.dumps(A.to_dict()["solution"]),
        json.dumps({"solution": A.to_dict()["solution"]}),
        OBJECT,
    ],
)
def test_forms_of_an_answer(tmp_path, text):
    file = tmp_path / "answer"
    file.write_text(text)
    (answer,) = load_answers(file)
    assert (A.parse_answer(answer.solution) == A.solution).all()


def test_answers_find_their_puzzles_by_id(tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text('{"id": "b", "solution": ["."]}\n{"id": "a", "solution": ["#"]}\n')
    puzzles = [
        Nonogram(rows=[[1]], cols=[[1]], id="a"),
        Nonogram(rows=[[]], cols=[[]], id="b"),
    ]
    pairs = match(puzzles, load_answers(file))
    assert [(p.id, a.solution) for p, a in pairs] == [("a", ["#"]), ("b", ["."])]
    assert match(puzzles, load_answers(file)[:1])[0] == (puzzles[0], None)
    with pytest.raises(InputError, match="id 'b' is none of the 1 puzzles"):
        match(puzzles[:1], load_answers(file))
    with pytest.raises(InputError, match="there is no answer in it"):
        match(puzzles, [])
    file.write_text('{"id": "b", "solution": null}')
    assert [a.solution for a in load_answers(file)] == [None]
    file.write_text('{"id": "b"}')
    with pytest.raises(InputError, match="there is no key 'solution' in it"):
        load_answers(file)


def test_answers_without_telling_ids_are_taken_in_order():
    twice = [Nonogram(rows=[[1]], cols=[[1]], id="a"), Nonogram(rows=[[]], cols=[[]], id="a")]
    answers = [GivenAnswer("a", ["#"]), GivenAnswer("a", ["."])]
    assert [a.solution for _, a in match(twice, answers)] == [["#"], ["."]]
    with pytest.raises(InputError, match="must match in number"):
        match(twice, answers[:1])
    with pytest.raises(InputError, match="id 'x' is none of the 1 puzzles"):
        match(twice[:1], [GivenAnswer("x", ["#"])])


def test_goals_of_non_files_are_answers(tmp_path):
    file = tmp_path / "a.non"
    file.write_text(NON)
    (answer,) = load_answers(file)
    assert answer.solution == A.to_dict()["solution"]


def test_a_goal_may_stand_before_the_clues_below_a_heading():
    (puzzle,) = read_text('rows\n1\n1\ncolumns\ngoal "1001"\n1\n1\n')
    assert puzzle.solution.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rows\n1\n\n1\ncolumns\n1\n1", "line 3: blank; write 0 for an empty line, or give height"),
        ("rows\n-1\ncolumns\n1", "line 2: '-1' is no number"),
        ("rows\n[1,1]\ncolumns\n1", "line 2: '[1' is no number"),
        ("5\nrows\n1\ncolumns\n1", "line 1: '5' is neither a keyword nor below one"),
        ("height -3\nrows\n1\ncolumns\n1", "height: '-3' is no size"),
        ('rows\n1\ncolumns\n1\ngoal "0"', "solution: row[0] reads 0, its clue is 1"),
        ('rows\n1\ncolumns\n1\ngoal "11"', "goal: expected 1 digits 0 and 1"),
    ],
)
def test_non_reads_nothing_but_what_is_there(text, message):
    with pytest.raises(InputError) as caught:
        read_text(text)
    assert message in str(caught.value)


def test_non_with_tabs_quotes_and_blank_lines_around():
    text = 'title\t"Fred\'s "fish""\nheight\t2\nwidth 1\nrows\n\n1\n1\n\ncolumns\n2\n\n'
    (puzzle,) = read_text(text)
    assert puzzle.title == 'Fred\'s "fish"'
    assert puzzle.rows == ((1,), (1,))


def test_json_lines_may_hold_other_line_separators(tmp_path):
    title = "one\u2028two"
    lines = [json.dumps(A.to_dict() | {"title": title}, ensure_ascii=False)] * 2
    assert [p.title for p in read_text("\n".join(lines))] == [title, title]


def test_compressed_files_are_named(tmp_path):
    file = tmp_path / "a.gz"
    file.write_bytes(b"\x1f\x8bxyz")
    with pytest.raises(InputError, match="it is compressed; unpack it first"):
        load(file)


@pytest.mark.parametrize("text", ["t\ngoal ", "goal 01", 'rows\ncolumns\ngoal ""'])
def test_a_goal_without_clues_is_refused(text):
    with pytest.raises(InputError, match="rows"):
        non.read(text)


def saved(model):
    with model.to_file() as file:
        return file.read()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"\x89PNG\r\n\x1a\n\0\0",
            "it is a PNG image; `qubopuzzle generate nonogram --image FILE`",
        ),
        (b"\xff\xd8\xff\xe0", "it is a JPEG image"),
        (saved(dimod.BQM({"a": 1}, {}, 0, "BINARY")), "it is a dimod BQM file"),
        (saved(dimod.CQM()), "it is a dimod CQM file"),
        (b"\xfd7zXZ\0", "it is compressed; unpack it first"),
        (pickle.dumps({"a": 1.5}), "it is a binary file; no puzzle is"),
        (np.arange(3).tobytes(), "it is a binary file"),
    ],
)
def test_files_that_are_no_text_are_named(tmp_path, data, message):
    file = tmp_path / "file"
    file.write_bytes(data)
    with pytest.raises(InputError, match=rf"file: {re.escape(message)}"):
        load(file)


SUDOKU = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SUDOKU[:-1], "line 1: 80 cells; a puzzle has 16, 36, 81, 144"),
        (SUDOKU.replace(".", "0") + "0", "line 1: 82 cells; a puzzle has 16, 36, 81"),
        ("." * 255, "line 1: 255 cells; a puzzle has 16, 36, 81"),
        ("hello\nworld", "hello world: no format of puzzles that this package reads"),
        ("x" * 300, "no format of puzzles that this package reads"),
        (SUDOKU + "\n" + SUDOKU[1:], "line 2: 80 cells"),
    ],
)
def test_pasted_texts_are_no_missing_files(text, message):
    with pytest.raises(InputError, match=message) as caught:
        load(text)
    assert "\n" not in str(caught.value)
    assert "File name" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "board", "line"),
    [
        ("puzzlink", "https://puzz.link/p?sudoku/4/4/g1k23k3g\n", 2501),
        ("pzprv3", "pzprv3\nthis board is never looked at\n", 5001),
        ("tatham", "this board is never looked at\n", 2501),
        ("taai", "$1\nnor is this\n", 5001),
    ],
)
def test_one_board_too_many_is_refused_before_any_is_read(name, board, line):
    with pytest.raises(InputError, match=f"line {line}: over 2,500 boards; divide the text$"):
        read_text(board * 2501, named=name)


# --- answers that people have --------------------------------------------------------------

DIGITS = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
GRID = "\n".join(DIGITS[i : i + 9] for i in range(0, 81, 9))


def judged(tmp_path, puzzles, text):
    """The verdict on each answer of a file."""
    file = tmp_path / "answer"
    file.write_text(text)
    pairs = match(puzzles, load_answers(file, puzzles))
    return [None if answer is None else judge(p, answer.solution) for p, answer in pairs]


@pytest.mark.parametrize(
    "text",
    [
        DIGITS,
        GRID,
        "9 9\n" + GRID,
        GRID.replace("\n", "\n\n"),
        " ".join(GRID).replace(" \n ", "\n"),
        "3x3:" + "_".join(DIGITS),
        "https://puzz.link/p?sudoku/9/9/" + DIGITS,
        json.dumps([DIGITS]),
    ],
)
def test_forms_of_a_sudokus_answer(tmp_path, text):
    (puzzle,) = load(SUDOKU)
    assert judged(tmp_path, [puzzle], text)[0].valid
    wrong = judged(tmp_path, [puzzle], text.replace("1", "8"))[0]
    assert not wrong.valid
    assert "given" in {violation.rule for violation in wrong.violations}


def test_an_unfinished_sudoku_names_its_empty_cells(tmp_path):
    (puzzle,) = load(SUDOKU)
    (found,) = judged(tmp_path, [puzzle], DIGITS[:-2] + "..")
    assert [violation.to_dict() for violation in found.violations] == [
        {"rule": "empty", "message": "2 cells are empty: (8,7) (8,8)", "cells": [[8, 7], [8, 8]]}
    ]
    (found,) = judged(tmp_path, [puzzle], SUDOKU)
    assert found.violations[0].message == (
        "51 cells are empty: (0,2) (0,3) (0,5) (0,6) (0,7) (0,8) ..."
    )
    with pytest.raises(InputError, match="solution: 16 cells are empty"):
        Sudoku([[0] * 4] * 4, solution=[[0] * 4] * 4)


def test_lines_are_answers_to_several_puzzles(tmp_path):
    puzzles = load(f"{SUDOKU}\n{SUDOKU}")
    for text in (f"{DIGITS}\n{DIGITS[::-1]}", f"{GRID}\n{GRID[::-1]}"):
        assert [each.valid for each in judged(tmp_path, puzzles, text)] == [True, False]
    two = [Nonogram(rows=[[1], []], cols=[[1], []]), Nonogram(rows=[[1]], cols=[[1]])]
    assert [each.valid for each in judged(tmp_path, two, "#.\n..\n#")] == [True, True]


@pytest.mark.parametrize("kind", [name for name in NAMES if "pzprv3" in formats_for(name)])
def test_board_files_with_right_wrong_and_unfinished_answers(tmp_path, kind):
    """Of every kind, as the players write them."""
    puzzle = get_puzzle(kind).examples()[0]
    right = pzprv3.write([puzzle])
    assert judged(tmp_path, [puzzle], right)[0].valid
    object.__setattr__(puzzle, "solution", None)
    empty = pzprv3.write([puzzle])
    (found,) = judged(tmp_path, [puzzle], empty)
    assert not found.valid
    assert found.grid.shape == puzzle.shape
    marks = {"tents": "A ", "kakuro": "9 "}
    mark = "# " if "# " in right and kind not in marks else marks.get(kind)
    if mark:
        wrong = right.replace(mark, "+ " if mark == "# " else ". ", 1)
    else:
        cut = len(right) * 5 // 8
        wrong = right[:cut] + right[cut:].replace("1", "2")
    assert not judged(tmp_path, [puzzle], wrong)[0].valid
    other = get_puzzle("hitori" if kind != "hitori" else "kurodoko").examples()[0]
    with pytest.raises(InputError, match="there is no answer in it"):
        judged(tmp_path, [puzzle], pzprv3.write([other]))


@pytest.mark.parametrize(
    "text",
    [
        "#.\n.#",
        "X-\n-X",
        "x -\n- x",
        "1 0\n0 1",
        "# \n #",
        "\u2588\u25a1\n\u25a1\u2588",
        "2 2\nx -\n- x",
    ],
)
def test_pictures_in_text_are_answers_of_shaded_cells(tmp_path, text):
    diagonal = Nonogram(rows=[[1], [1]], cols=[[1], [1]])
    assert judged(tmp_path, [diagonal], text)[0].grid.tolist() == [[1, 0], [0, 1]]


def test_signs_of_paths_are_an_answer_where_they_tell_it(tmp_path):
    puzzle = Numberlink([[12, 0, 0, 0, 11], [10, 0, 11, 10, 0], [0, 0, 0, 12, 0], [0] * 5])
    right = "5 4\nCCBBB\nACBAA\nACCCA\nAAAAA\n"
    assert judged(tmp_path, [puzzle], right)[0].valid
    rules = {
        v.rule for v in judged(tmp_path, [puzzle], right.replace("AAAAA", "AA.AA"))[0].violations
    }
    assert rules == {"cover", "path"}
    assert not judged(tmp_path, [puzzle], right.replace("C", "A", 1))[0].valid
    touching = Numberlink([[1, 0], [1, 0]])
    with pytest.raises(InputError, match=r"path of '1' goes at \(0,0\).*; give right and down"):
        judged(tmp_path, [touching], "11\n11")


# --- clues as one types them ---------------------------------------------------------------


def test_clues_may_be_on_lines_of_their_own():
    rows, cols = "rows=1;1 1;1 1;5;1 1", "cols=2;3;1 1;3;2"
    forms = (f"{rows}\n{cols}", f"picross {rows}\n\n{cols}\n", f"# A\n{cols}\n# B\n{rows}")
    assert [read_text(form) for form in forms] == [[A]] * 3
    assert read_text(f"{rows}\n{cols}\n{rows} {cols}\nkuromasu grid=3.;..")[:2] == [A, A]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sudoku grid=12345", "'12345': 5 cells are no square such as 16 or 81; rows are divided"),
        ("kurodoko grid=" + "9" * 5_000 + " 1", "grid[0]: a number of 5,000 digits"),
        ("picros rows=1 cols=1", "unknown puzzle 'picros'; did you mean picross?"),
        ("easyasabc grid=1", "easyasabc: typed has hitori, kurodoko, nonogram"),
        ("rows=1 cols=1\nhello", "line 2: expected a puzzle's name and clues"),
    ],
)
def test_typed_clues_that_are_none(text, message):
    with pytest.raises(InputError) as caught:
        load(text)
    assert message in str(caught.value)


def test_capitals_and_small_letters_are_two_pairs():
    assert Numberlink("a.A;a.A").grid.tolist() == [[36, 0, 10]] * 2
    assert load("numberlink grid=a.A;a.A") == [Numberlink([[36, 0, 10]] * 2)]
    assert Numberlink("a.b;a.b").grid.tolist() == [[10, 0, 11]] * 2
