"""Puzzles as plain lines of cells: what people type, and the files of solvers."""

import numpy as np
import pytest

from qubopuzzle import Heyawake, Hitori, InputError, Kurodoko, Numberlink, load
from qubopuzzle.files.puzzles import get_format, lines, read_text, write_text

text, puzzlink = map(get_format, ("text", "puzzlink"))
FLOW = Numberlink([[12, 0, 0, 0, 11], [10, 0, 11, 10, 0], [0, 0, 0, 12, 0], [0] * 5])
ROWS = "C...B\nA.BA.\n...C.\n.....\n"
WORDS = "red . . . blue\n1 . blue 1 .\n. . . red .\n. . . . ."
ROOMS = Heyawake([[0, 0, 1, 1], [0, 0, 1, 1]], [2, None])
HITORI = Hitori([[1, 3, 1], [1, 2, 2], [3, 3, 1]])
KURODOKO = Kurodoko([[5, 0, 4], [0, 0, 0], [0, 3, 3]])


@pytest.mark.parametrize(
    ("source", "puzzle"),
    [
        ("5 4\n" + ROWS, FLOW),
        ("4 5\n\n" + ROWS, FLOW),
        ("# by nobody\n\nW 5\nH 4\n" + ROWS, FLOW),
        ("W=5 H=4\n" + ROWS.replace(".", "-"), FLOW),
        ("5x4\r\n" + ROWS.replace("\n", "\r\n"), FLOW),
        (ROWS, FLOW),
        (" ".join(ROWS).replace(" \n ", "\n"), FLOW),
        (ROWS.replace(".", "0"), FLOW),
        (
            "5 4\n" + WORDS,
            Numberlink([[62, 0, 0, 0, 63], [1, 0, 63, 1, 0], [0] * 3 + [62, 0], [0] * 5]),
        ),
        (
            "2\n4\n4\n- - 2 -\n- - - -\n1 - - 2\n1 - - -",
            Numberlink([[0, 0, 2, 0], [0] * 4, [1, 0, 0, 2], [1, 0, 0, 0]]),
        ),
        ("a.A\na.A", Numberlink([[36, 0, 10]] * 2)),
        ("a.b\na.b", Numberlink([[10, 0, 11]] * 2)),
        ("3 3\n1 3 1\n1 2 2\n3 3 1", HITORI),
        ("131\n122\n331", HITORI),
        ("1,3,1\n1,2,2\n3,3,1", HITORI),
        ("2 4\n- - - -\n- 2 - -\na a b b\na a b b", ROOMS),
        ("aabb\naabb\n\n2...\n....", ROOMS),
        ("....\n.2..\naabb\naabb", ROOMS),
        ("aabb\naabb\na=2", ROOMS),
        ("a2 a b b\na a b b", ROOMS),
        ("1 1 2 2\n1 1 2 2\n\n2 - - -\n- - - -", None),
        ("5?.\n...\n..3", Kurodoko([[5, -1, 0], [0] * 3, [0, 0, 3]])),
    ],
)
def test_forms_that_tell_the_puzzle(source, puzzle):
    if puzzle is None:  # rooms by numbers need sizes, or the name of the puzzle
        assert read_text(source, "heyawake", "text") == [ROOMS]
        assert read_text("4 2\n" + source.replace("\n\n", "\n"), None) == [ROOMS]
        return
    assert load(source) == [puzzle]


@pytest.mark.parametrize(
    ("source", "kind", "puzzle"),
    [
        ("3 3\n5 - 4\n- - -\n- 3 3", "kuromasu", KURODOKO),
        ("5.4\n...\n.33", "kurodoko", KURODOKO),
        ("5.5\n...\n3.3", "kurodoko", Kurodoko([[5, 0, 5], [0] * 3, [3, 0, 3]])),
        ("5.5\n...\n3.3", "arukone", Numberlink([[5, 0, 5], [0] * 3, [3, 0, 3]])),
        (
            "1214\n2143\n3421\n4312",
            "hitori",
            Hitori([[1, 2, 1, 4], [2, 1, 4, 3], [3, 4, 2, 1], [4, 3, 1, 2]]),
        ),
        ("1..2\n....\n1..2\n....", "numberlink", Numberlink([[1, 0, 0, 2], [0] * 4] * 2)),
    ],
)
def test_the_name_says_what_the_text_does_not(source, kind, puzzle):
    assert load(source, kind) == [puzzle]


def test_files_of_several_boards():
    boards = ["3 2\na.b\na.b\n", "# no blank line between\n4 1\nAA.B\n".replace("AA.B", "A..A")]
    found = load("".join([*boards, "0 0\nnothing more"]))
    assert [puzzle.shape for puzzle in found] == [(2, 3), (1, 4)]
    assert [p.shape for p in load("a.b\na.b\n\nc..c\n....\n")] == [(2, 3), (2, 4)]
    rooms = load("ab\nab\n\n1.\n..\n\ncc\ncc\n\n.2\n..\n", "heyawake")
    assert [puzzle.clues for puzzle in rooms] == [(1, None), (2,)]
    # One board of no blank cells is of the kind of the others.
    assert [p.name for p in load("2 2\na.\na.\n2 2\naa\nbb\n")] == ["numberlink"] * 2


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("5 4\nC..B\nA.BA.", "the board at line 1: line 3: 5 cells in a row of 4: 'A.BA.'"),
        ("5 5\nC..B\nA.BA.", "line 2: 4 cells in a row, but the sizes are 5 and 5"),
        ("3 3\na.a\n...", "the board at line 1: 3 rows are due, there are 2"),
        ("a.A\na..", "the board at line 1: numberlink: 'A' stands there once, not twice"),
        ("9 1\nA.......A\n3 1\nA.B", "the board at line 3: numberlink: 'A' stands there once"),
        ("3 3\n5 - 4\n- - -\n- 3 3", "the board at line 1: 3 x 3 cells do not say of what"),
        ("3 1\n1.x2", "line 2: 4 cells in a row, but the sizes are 3 and 1"),
        ("a3 a b\na4 a b", "heyawake: a room has two clues, 3 and 4"),
        ("aab\naab\na=2 c=1", "no format of puzzles"),
        ("999 999\n" + "." * 999, "over 250,000 cells in all"),
        ("hello\nworld", "no format of puzzles"),
    ],
)
def test_a_malformed_text_is_one_line(source, message):
    with pytest.raises(InputError) as caught:
        load(source)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_sign_that_ends_lines_elsewhere_is_written_out():
    with pytest.raises(InputError, match=r"'a\\x1db' stands there once, not twice"):
        text.read("2 2\na\x1db,c\n.,c", "numberlink")


def test_many_blank_lines_are_as_one():
    boards = text.read("A.A" + "\n" * 10_000 + "B.B", "numberlink")
    assert [puzzle.grid.tolist() for puzzle in boards] == [[[10, 0, 10]], [[11, 0, 11]]]


def test_what_is_written_says_it_all_or_is_refused():
    many = Heyawake(np.arange(60).reshape(6, 10), [1, *[None] * 59])
    for puzzle in (
        FLOW,
        ROOMS,
        HITORI,
        KURODOKO,
        many,
        Numberlink([[40, 0, 40]]),
        Kurodoko([[-1]]),
    ):
        (found,) = read_text(write_text([puzzle], "text"), puzzle.name, "text")
        assert found == puzzle
    assert write_text([FLOW], "text") == "5 4\n" + ROWS
    with pytest.raises(InputError, match="need two columns; write json"):
        write_text([Hitori([[12], [3]], id="x")], "text")
    with pytest.raises(InputError, match="may stay unused"):
        write_text([Numberlink([[1, 1]], cover=False)], "text")


def test_large_texts_are_refused_before_they_fill_memory(monkeypatch):
    for source in ("." * 10**5, "1.\n" * 5_000, "9999 9999\n" + "1." * 4_999 + "\n"):
        with pytest.raises(InputError):
            text.read(source, "numberlink")
    monkeypatch.setattr(lines, "CELL_LIMIT", 300)
    with pytest.raises(InputError, match="the board at line 7: over 300 cells"):
        text.read("2 1\naa\n" * 10, "numberlink")


def test_sizes_and_clues_of_nonograms_are_left_to_others():
    for source in (
        "5 5\n1\n",
        "2 2\n1\n1\n1\n1\n",
        "5\n5\n1 1\n",
        "12 34",
        puzzlink.write([HITORI]),
    ):
        assert not text.detect(source)
