"""Addresses of puzz.link and board files: the worked examples, round trips, hostile texts."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubopuzzle import (
    EasyAsABC,
    Heyawake,
    Hitori,
    InputError,
    Kurodoko,
    Nonogram,
    Numberlink,
    Sudoku,
    load,
)
from qubopuzzle.files.puzzles import get_format
from qubopuzzle.files.puzzles.puzzlink import link_of
from qubopuzzle.puzzles.hitori import BASE36
from qubopuzzle.puzzles.links import NUMBER16, UNKNOWN, ZERO, AddressText

HOST = "https://puzz.link/p?"
native, non = map(get_format, ("json", "non"))
FORMATS = puzzlink, pzprv3 = [*map(get_format, ("puzzlink", "pzprv3"))]
ALL = (Sudoku, Heyawake, Hitori, Kurodoko, Numberlink, EasyAsABC, Nonogram)
EXAMPLES = [puzzle for kind in ALL for puzzle in kind.examples()]
NUMLIN_5 = ["1....", "2..3.", ".....", ".1..2", "....3"]


def one(text, form=puzzlink):
    (puzzle,) = form.read(text)
    return puzzle


def digits(*rows):
    return [[int(c) if c.isdigit() else 0 for c in row] for row in rows]


def painted(puzzle, *rows):
    answer = np.array([[int(c in "#1") for c in row] for row in rows])
    assert puzzle.violations(answer) == []


# --- worked examples ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "heyawake/6/6/aa66aapv0fu0g2i3k",
        "heyawake/6/6/lll155007rs12222j",
        "heyawake/10/10/274ssohvv000000000focossvvvvvv00000012h34001101h10g-11",
        "hitori/4/4/1114142333214213",
        "hitori/6/5/111.45.2..453.3.1..2....3.3.1./",
        "hitori/5/5/1-6i5-1v-2h1n-196-lx-3f45-iu91n-co-269cy5-1v-2h",
        "kurodoko/6/5/h2j2h3r5g2j",
        "kurodoko/5/5/i7g5l2l2g4i",
        "kurodoko/4/4/g4g3.l.3g3g",
        "easyasabc/4/4/3/1m2h3g3h",
        "easyasabc/3/3/2/12h1h1i1k2g1g",
        "numlin/5/5/1j2h3m1h2j3",
        "numlin/7/7/l6g1l2l3l4l5l654321",
        "nonogram/6/7/31h12h31h111g2i5l32g22g11g1211113h",
        "nonogram/4/10/123h456h789habcn1g2g3g4g3g2g1g",
        "sudoku/4/4/g1k23k3g",
        "sudoku/6/6/g3h2g5j6h1l4h6j3g5g6h",
        "sudoku/9/9/k8g1g7i2i99o2g3h75q19h5g4o83i4i6g4g5k",
    ],
)
def test_an_address_is_written_as_it_was_read(text):
    puzzle = one(HOST + text)
    assert (puzzle.contradiction is not None) == text.startswith("nonogram/4/10")
    assert puzzlink.write([puzzle]) == HOST + text + "\n"
    assert puzzle.url == HOST + text
    assert one(pzprv3.write([puzzle]), pzprv3) == puzzle


def test_heyawake():
    puzzle = one(HOST + "heyawake/6/6/aa66aapv0fu0g2i3k")
    assert puzzle.shape == (6, 6)
    assert puzzle.clues[1] == 2
    assert puzzle.clues[5] == 3
    assert sum(clue is not None for clue in puzzle.clues) == 2
    assert puzzle.rooms[0].tolist() == [0, 0, 1, 1, 2, 2]
    assert puzzle.rooms[2].tolist() == [5, 5, 5, 6, 4, 4]
    painted(puzzle, "101001", "000100", "010010", "101000", "000101", "010000")
    assert one(HOST + "heyawake/6/6/lll155007rs12222j").clues[:4] == (2, 2, 2, 2)
    large = "heyawake/10/10/274ssohvv000000000focossvvvvvv00000012h34001101h10g-11"
    assert one(HOST + large).clues[-1] == 17


def test_hitori():
    puzzle = one(HOST + "hitori/4/4/1114142333214213")
    assert puzzle.grid.tolist() == digits("1114", "1423", "3321", "4213")
    painted(puzzle, "#.#.", "....", "#.#.", "...#")
    puzzle = one(HOST + "hitori/5/5/1-6i5-1v-2h1n-196-lx-3f45-iu91n-co-269cy5-1v-2h")
    assert puzzle.grid[0].tolist() == [1, 234, 5, 67, 89]


def test_kurodoko():
    puzzle = one(HOST + "kurodoko/6/5/h2j2h3r5g2j")
    clues = {(r, c): n for (r, c), n in np.ndenumerate(puzzle.grid) if n}
    assert clues == {(0, 2): 2, (1, 1): 2, (1, 4): 3, (3, 5): 5, (4, 1): 2}
    painted(puzzle, "010010", "001000", "010010", "000100", "101001")
    puzzle = one(HOST + "kurodoko/4/4/g4g3.l.3g3g")
    assert puzzle.to_dict()["grid"] == [
        [None, 4, None, 3],
        ["?", None, None, None],
        [None, None, None, "?"],
        [3, None, 3, None],
    ]


def test_easyasabc():
    puzzle = one(HOST + "easyasabc/4/4/3/1m2h3g3h")
    assert puzzle == EasyAsABC(size=4, letters=3, top="A...", left="B..C", right=".C..")
    assert not puzzle.violations(puzzle.parse_answer([".BCA", "A.BC", "BCA.", "CA.B"]))
    puzzle = one(HOST + "easyasabc/3/3/2/12h1h1i1k2g1g")
    assert puzzle.grid.tolist() == [[0, 0, 0], [0, 0, 2], [0, 1, 0]]


def test_numberlink():
    puzzle = one(HOST + "numlin/5/5/1j2h3m1h2j3")
    assert puzzle == Numberlink(grid=digits(*NUMLIN_5), cover=False)
    text = "5/5/1j2h3m1h2j3"
    assert one(f"{HOST}arukone/{text}") == replace(puzzle, cover=True)
    assert one(f"{HOST}arukone/e/{text}") == puzzle
    assert puzzlink.write([replace(puzzle, cover=True)]) == f"{HOST}arukone/{text}\n"


def test_nonogram():
    puzzle = one(HOST + "nonogram/6/7/31h12h31h111g2i5l32g22g11g1211113h")
    assert puzzle.cols == ((1, 3), (2, 1), (1, 3), (1, 1, 1), (2,), (5,))
    assert puzzle.rows == ((), (2, 3), (2, 2), (1, 1), (1, 2, 1), (1, 1, 1), (3,))


def test_sudoku():
    puzzle = one(HOST + "sudoku/4/4/g1k23k3g")
    assert puzzle.grid.tolist() == digits("0100", "0002", "3000", "0030")
    assert one(HOST + "sudoku/6/6/g3h2g5j6h1l4h6j3g5g6h").box == (2, 3)


# --- the grammar of addresses ------------------------------------------------------------

PLAIN = "sudoku/4/4/g1k23k3g"


@pytest.mark.parametrize(
    "text",
    [
        f"https://puzz.link/p?{PLAIN}",
        f"http://pzv.jp/p.html?{PLAIN}",
        f"puzz.link/p?{PLAIN}",
        f"HTTPS://WWW.puzz.link/p?{PLAIN}/",
        f"https://pzplus.tck.mn/p?{PLAIN}",
        f"https://pzprxs.vercel.app/p?{PLAIN}#here",
        f"http://localhost:8000/dist/p.html?type=editor&{PLAIN}",
        f"https://puzz.link/p?{PLAIN}&utm_source=mail",
        "https://puzz.link/p?sudoku_edit/4/4/g1k23k3g",
        "https://puzz.link/p?sudoku_play/4/4/g1k23k3g",
        "https://puzz.link/p?sudoku%2F4%2f4%2Fg1k23k3g",
        "https://puzz.link/p?sudoku/4/4/g%2D01k2%2D03k3g",
        "https://puzz.link/p?sudoku/4/4/g1ggggg2-03ggggg%2D03zz",
        f"\r\n  \r\n {PLAIN.join(['puzz.link/p?', ''])}  \n\n",
    ],
)
def test_forms_of_an_address(text):
    assert puzzlink.detect(text)
    puzzle = one(text)
    assert puzzle == one(HOST + PLAIN)
    assert puzzle.url == HOST + PLAIN


@pytest.mark.parametrize(
    ("text", "surplus"),
    [
        ("heyawake/6/6/aa66aapv0fu0g2i3", "zz"),
        ("hitori/2/2/1..", "..."),
        ("kurodoko/6/5/h2j2h3r5g2", "zzg"),
        ("easyasabc/3/3/2/12h1h1i1k2g1", "kz/"),
        ("numlin/5/5/1j2h3m1h2j3", "z"),
        ("nonogram/2/2/1", "l//"),
        ("sudoku/4/4/g1k23k3", "zgg"),
    ],
)
def test_blank_cells_beyond_the_last_are_passed_over(text, surplus):
    puzzle = one(HOST + text + surplus)
    assert one(puzzle.url) == puzzle
    assert len(puzzle.url.rstrip("/")) <= len(HOST + text) + 1


def test_several_puzzles():
    text = puzzlink.write(EXAMPLES)
    assert puzzlink.read("\n" + text.replace("\n", "\r\n\r\n")) == puzzlink.read(text)
    assert [p.name for p in puzzlink.read(text)] == [p.name for p in EXAMPLES]
    for form in FORMATS:
        found = form.read(form.write(EXAMPLES), "hitori")
        assert found == Hitori.examples()


def test_percent_is_a_sign_of_hitori():
    assert one(HOST + "hitori/3/2/%12.%4/").grid.tolist() == [[0, 1, 2], [0, 0, 4]]
    assert one(HOST + "hitori%2F3%2F2%2F%2512.%404").grid.tolist() == [[0, 1, 2], [0, 0, 4]]


def test_what_says_nothing_is_no_clue():
    assert one(HOST + "heyawake/2/1/0.").clues == one(HOST + "heyawake/2/1/0g").clues == (None,)
    assert one("pzprv3/hitori/1/2/- 1 /", pzprv3).grid.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("shugaku/4/4/g1", "shugaku.*no such puzzle; it reads lightup, easyasabc, hashi, heyawake"),
        ("ayeheya/6/6/aa66aapv0fu0g2i3k", "ayeheya"),
        ("sudoku/v:diagonal/4/4/g1k23k3g", "variant 'diagonal'"),
        ("sudoku/x/4/4/g1k23k3g", "flag 'x'"),
        ("numlin/e/5/5/1j2h3m1h2j3", "flag 'e'"),
        ("sudoku/4/6/g1k23k3g", "only square"),
        ("easyasabc/4/5/3/1m2h3g3h", "only square"),
        ("sudoku/12/12/zzzzl", "players draw boxes of 3 x 3 in 12 x 12; no such puzzle here"),
        ("sudoku/99999/99999/", "too large"),
        ("sudoku/0/4/", "number of columns"),
        ("sudoku/4", "before its columns and rows"),
        ("sudoku/4/4/g!", "character 2 of the board, '!'"),
        ("sudoku/4/4/g-1", "character 2"),
        ("sudoku/4/4/gA", "character 2"),
        ("sudoku/4/4/g0t", "row 1 column 2 has the number 0"),
        ("sudoku/4/4/9u", r"grid\[0\]\[0\]: expected a whole number from 0 to 4, got 9"),
        ("sudoku/4/4/g1k.3k3g", "row 2 column 4 has a number of unknown value"),
        ("arukone/4/1/-35g-35g", "letters 1 to 52"),
        ("hitori/4/4/11?", "character 3"),
        ("hitori/4/4/1-z", "character 2"),
        ("heyawake/6/6/aa-", "character 3 of the board, '-': expected walls"),
        ("heyawake/2/2/g0", "the wall between row 1 column 1 and row 1 column 2 divides no"),
        ("easyasabc/4/4/x/1", "number of letters"),
        ("easyasabc/4/4/3/g.t", "top 2 has a number of unknown value"),
        ("easyasabc/4/4/3/n0m", "left 1 has the number 0"),
        ("nonogram/2/2/0i", "column 1 has the number 0"),
        ("nonogram/2/2/1g.g", "row 1 has a number of unknown"),
        ("heyawake/6/6", "the board ends after 0 of 6 characters for walls; copy all of it"),
        ("heyawake/6/6/aa66aapv0fu0", "the board ends after 0 of 11 cells"),
        ("sudoku/9/9/zzz", "the board ends after 60 of 81 cells"),
        ("sudoku/4/4/g1k23k3", "the board ends after 15 of 16 cells"),
        ("hitori/4/4/111414233321421", "the board ends after 15 of 16 cells"),
        ("easyasabc/4/4/3/", "the board ends after 0 of 16 cells"),
        ("easyasabc/3/3/2/12h1h1i1k2g1", "the board ends after 8 of 9 cells"),
        ("nonogram/400/400/", "the board ends after 0 of 160000 cells"),
        (
            "kurodoko/4/4/g3i6g24i6g9q3l9s3j3q",
            "character 13 of the board, '3l9s3j': beyond the last",
        ),
        ("kurodoko/8/8/zzzzzzzzz3!!", "character 10 .* last cell of 8 columns and 8 rows; is this"),
        ("sudoku/4/4/g1k23k3g1", "character 9 of the board, '1': beyond"),
        ("sudoku/4/4/g1k23k3zz11", "character 10 of the board, '11': beyond"),
        ("heyawake/6/6/aa66aapv0fu0g2i3kz0", "character 19 of the board, '0': beyond"),
        ("hitori/4/4/1114142333214213..5", "character 19 of the board, '5': beyond"),
        ("numlin/5/5/1j2h3m1h2j3/4", "character 13 of the board, '4': beyond"),
        ("easyasabc/3/3/2/12h1h1i1k2g1g1", "character 16 of the board, '1': beyond"),
        ("nonogram/2/2/1k1", "character 3 of the board, '1': beyond"),
        ("", "no such puzzle"),
        ("type=editor", "no puzzle after"),
    ],
)
def test_refused_addresses(text, words):
    with pytest.raises(InputError, match=f"^line 2: .*{words}") as caught:
        puzzlink.read(f"{HOST}{PLAIN}\n{HOST}{text}")
    assert "\n" not in str(caught.value)


def test_no_address():
    with pytest.raises(InputError, match="line 2: 'hello' is no address"):
        puzzlink.read(f"{HOST}{PLAIN}\nhello")


def test_short_addresses_of_large_boards():
    with pytest.raises(InputError, match="line 2: over 250,000 cells"):
        puzzlink.read(f"{HOST}nonogram/500/500/{'z' * 12_500}\n" * 40)


class Strange(Hitori):
    name = "strange"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("puzzle", "words"),
    [
        (Strange([[1]], id="x"), "x: format .* holds no strange; these do: "),
        (Sudoku(grid=[[0] * 6] * 6, box=(3, 2), id="x"), "x: its boxes of 3 x 2"),
        (Sudoku(grid=[[0] * 5] * 5, box=(1, 5), id="x"), "x: players draw boxes of 2 x 2 in 5 x"),
        (Sudoku(grid=[[0] * 12] * 12, id="x"), "x: players draw boxes of 3 x 3 in 12 x 12"),
        (Numberlink(grid=[[60, 60]], id="x"), "x: every cell is used"),
        (Strange([[1]]), "instance 1: format .* holds no strange"),
    ],
)
def test_refused_puzzles(form, puzzle, words):
    with pytest.raises(InputError, match=words):
        form.write([puzzle])


def test_numbers_too_large_for_an_address():
    with pytest.raises(InputError, match="x: the number 1296 is too large for an address of hit"):
        puzzlink.write([Hitori([[1296]], id="x")])
    with pytest.raises(InputError, match="too large"):
        NUMBER16.write([77776 + 16**5])


# --- lists of addresses, and of boards -----------------------------------------------------


def test_comments_and_several_addresses_on_a_line():
    other = HOST + "hitori/4/4/1114142333214213"
    text = f"# mine\n{HOST}{PLAIN} # the first\n\n  # two:\n{HOST}{PLAIN} {other}{HOST}{PLAIN}/\n"
    assert puzzlink.detect(text)
    assert [p.name for p in puzzlink.read(text)] == ["sudoku", "sudoku", "hitori", "sudoku"]
    assert [p.name for p in puzzlink.read(text, "hitori")] == ["hitori"]
    with pytest.raises(InputError, match="line 2: 'by' behind an address is none; write # before"):
        puzzlink.read(f"{other}\n{other} by nobody")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("numberlink/5/5/1j2h3m1h2j3", "numberlink"),
        ("heyawacky/6/6/aa66aapv0fu0g2i3k", "heyawake"),
        ("kuromasu/6/5/h2j2h3r5g2j", "kurodoko"),
    ],
)
def test_other_names_in_addresses_and_boards(text, name):
    puzzle = one(HOST + text)
    assert puzzle.name == name
    assert puzzle == one(HOST + text.replace(text.partition("/")[0], link_of(puzzle).pid))
    board = pzprv3.write([puzzle])
    assert (
        one(board.replace(f"\n{board.split()[1]}\n", f"\n{text.split('/')[0]}\n"), pzprv3) == puzzle
    )


def test_a_kind_of_puzzle_passes_over_all_others():
    """Also those that are not known here, and variants."""
    other = "shugaku/4/4/g1", "sudoku/v:diagonal/4/4/g1k23k3g", "sudoku/9/9/z", "bonsan/1/1"
    text = "".join(f"{HOST}{each}\n" for each in (*other, "hitori/4/4/1114142333214213"))
    assert [p.name for p in puzzlink.read(text, "hitori")] == ["hitori"]
    boards = "pzprv3.9/shugaku/4/4/. .\npzprv3/bonsan/1/1/0\n" + pzprv3.write(Hitori.examples())
    assert pzprv3.read(boards, "hitori") == Hitori.examples()
    assert load(text, "hitori") == puzzlink.read(text, "hitori")


@pytest.mark.parametrize(
    ("text", "puzzle"),
    [
        ("pzprv3/sudoku/4", Sudoku([[0] * 4] * 4)),
        ("pzprv3/hitori/2/3/", Hitori([[0] * 3] * 2)),
        ("pzprv3\nkurodoko\n2\n3\n\n", Kurodoko([[0] * 3] * 2)),
        ("pzprv3.1/heyawake/2/3/", Heyawake([[0] * 3] * 2, [None])),
        ("pzprv3/heyawake/2/3/", Heyawake([[0] * 3] * 2, [None])),
        ("pzprv3/nonogram/1/2/", Nonogram([[]], [[], []])),
        ("pzprv3/numlin/2/3/", Numberlink([[0] * 3] * 2, cover=False)),
    ],
)
def test_a_board_file_without_a_body_is_an_empty_board(text, puzzle):
    assert one(text, pzprv3) == puzzle


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pzprv3/easyasabc/3/3/", "is no number of letters"),
    ],
)
def test_empty_boards_that_are_no_puzzle(text, words):
    with pytest.raises(InputError, match=words):
        pzprv3.read(text)


# --- codecs --------------------------------------------------------------------------------


def numbers(text, count, code=NUMBER16):
    return text.numbers(np.zeros(count), code).tolist()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (ZERO, "0"),
        (15, "f"),
        (16, "-10"),
        (255, "-ff"),
        (256, "+100"),
        (4095, "+fff"),
        (4096, "=000"),
        (8191, "=fff"),
        (8192, "@000"),
        (12239, "@fcf"),
        (12240, "*0000"),
        (77775, "*ffff"),
        (77776, "$00000"),
        (UNKNOWN, "."),
    ],
)
def test_number16(number, text):
    assert NUMBER16.write([number]) == text
    assert numbers(AddressText(text), 1) == [number]


def test_blanks_are_written_greedily():
    assert NUMBER16.write([0] * 47) == "zzm"
    assert NUMBER16.write([0] * 40 + [1]) == "zz1"
    assert numbers(AddressText("%001"), 1) == [8193]


cells = st.sampled_from((UNKNOWN, ZERO, 0)) | st.integers(1, 10**6)


@given(st.lists(cells), st.integers(1, 5))
def test_numbers_are_read_as_they_were_written(values, more):
    text = AddressText(NUMBER16.write(values) + "12")
    assert numbers(text, len(values)) == values
    assert numbers(text, 2) == [1, 2]
    with pytest.raises(InputError, match=f"ends after 0 of {more} cells"):
        numbers(text, more)


@given(st.lists(st.integers(ZERO, 1295)))
def test_cells_of_hitori(values):
    text = BASE36.write(values)
    assert numbers(AddressText(text), len(values), BASE36) == values
    with pytest.raises(InputError, match=f"ends after {len(values)} of {len(values) + 1} cells"):
        numbers(AddressText(text), len(values) + 1, BASE36)


@given(st.lists(st.booleans()))
def test_bits(bits):
    text, blank = AddressText(reading=False), np.zeros((1, len(bits)), dtype=bool)
    assert text.bits(np.array([bits], dtype=bool)).tolist() == [bits]
    assert len(text.body) == -(-len(bits) // 5)
    assert AddressText(text.body).bits(blank).tolist() == [bits]
    if text.body:
        with pytest.raises(InputError, match="the board ends after"):
            AddressText(text.body[:-1]).bits(blank)


# --- board files ---------------------------------------------------------------------------


def test_board_files_of_every_kind_keep_the_solution():
    for puzzle in EXAMPLES:
        text = pzprv3.write([puzzle])
        for form in (text, text.replace("\n", "\r\n"), text.replace("\n", "/")):
            assert pzprv3.detect(form)
            found = one(form, pzprv3)
            assert found == puzzle
            assert (found.solution == puzzle.solution).all()


def test_a_board_file_of_heyawake_with_a_number_a_room():
    text = "pzprv3/heyawake/2/3/2/0 0 1 /0 1 1 /1 . . /. . 2 /. # . /# . . /"
    puzzle = one(text, pzprv3)
    assert puzzle == Heyawake([[0, 0, 1], [0, 1, 1]], [1, 2])
    assert puzzle.solution is None
    with pytest.raises(InputError, match="line 1: part 9: a room has two clues, 1 and 2"):
        pzprv3.read("pzprv3/heyawake/2/3/2/0 0 1 /0 1 1 /1 2 . /. . . /")


def test_the_clue_of_a_room_stands_where_players_put_it():
    puzzle = Heyawake([[0, 1], [1, 1]], [None, 2])
    text = "pzprv3.1/heyawake/2/2/1 /0 /1 0 /. . /2 . /. . /. . /"
    assert pzprv3.write([puzzle]).replace("\n", "/") == text


@pytest.mark.parametrize(
    ("text", "solved"),
    [
        ("pzprv3/hitori/1/2/1 1 /# + /", True),
        ("pzprv3/hitori/1/2/1 1 /# . /", True),
        ("pzprv3/hitori/1/2/1 1 /+ . /", False),
        ("pzprv3/hitori/1/2/1 1 /# # /", False),
        ("pzprv3/hitori/1/2/1 1 /. . /", False),
        ("pzprv3/hitori/1/2/1 1 /", False),
        ("pzprv3/hitori/1/2/1 1 /# . /TrialData(1)/1 1 /. # /", True),
        ("pzprv3/hitori/1/2/1 1 /# . /info:{/ }", True),
        ("pzprv3/hitori/1/2/1 1 /info:{/ }", False),
        ("pzprv3/numlin/1/3/1 . 1 /1 1 /", True),
        ("pzprv3/numlin/1/3/1 . 1 /1 -1 /", False),
        ("pzprv3/numlin/2/1/1 /1 /  / /1 /", True),
        ("pzprv3/arukone/1/3/dontpassallcell/a . a /1 1 /", True),
        ("pzprv3/sudoku/1/. /1 /", True),
        ("pzprv3/sudoku/1/. /.[1,,,] /", False),
        ("pzprv3/kurodoko/1/2/. 2 /+ . /", True),
        ("pzprv3/kurodoko/1/2/. 2 /# . /", False),
        ("pzprv3/easyasabc/2/2/1/. 1 . . /. - 1 . /. q1 + . /. . . . /", True),
        ("pzprv3/easyasabc/2/2/1/. 1 . . /. - . . /. q1 - . /. . . . /", False),
        ("pzprv3/easyasabc/2/2/1/. 1 . . /. - 1 . /. q1 - . /. . . . /", True),
        ("pzprv3/nonogram/1/2/. c2 . . /2 # # /", None),
        ("pzprv3/nonogram/1/2/. 1 1 /c2 # # /", True),
        ("pzprv3/nonogram/1/2/. 1 1 /2 # + /", False),
    ],
)
def test_right_answers_become_the_solution(text, solved):
    if solved is None:
        with pytest.raises(InputError, match="line 1: part 5: 4 cells where there should be 3"):
            pzprv3.read(text)
        return
    for form in (text, text.replace("/", "\n")):
        assert (one(form, pzprv3).solution is not None) == solved


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pzprv3.7\nsudoku\n4\n", "line 1: the version 'pzprv3.7'"),
        ("pzprv3\nshugaku\n4\n4\n", "line 2: 'shugaku': this package has no such puzzle"),
        ("pzprv3\nhitori\n99999\n99999\n", "line 4: hitori .* too large"),
        ("pzprv3\nhitori\n1\n2\n1 x\n", "line 5: 'x' is no clue"),
        ("pzprv3\nhitori\n2\n2\n1 2\n", "line 6: 0 cells where there should be 2"),
        ("pzprv3\nhitori\n2\n2\n1 2", "line 6: the board ends too early"),
        ("pzprv3\nnumlin\n1\n2\n1 -\n", "line 5: row 1 column 2 has a number of unknown"),
        ("pzprv3\narukone\n1\n2\nA A\n", "line 5: expected passallcell"),
        ("pzprv3.1\nheyawake\n1\n2\n7\n", "line 5: '7' is no wall"),
        ("pzprv3\neasyasabc\n1\n1\n1\n. - .\n. . .\n. . .\n", "top 1 has a number of unknown"),
        ("x\npzprv3\nsudoku\n1\n.\n", "line 1: expected pzprv3"),
        ("pzprv3", "line 2: the board ends too early|line 1"),
    ],
)
def test_refused_board_files(text, words):
    with pytest.raises(InputError, match=words):
        pzprv3.read(text)


# --- hostile texts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "pzprv3/easyasabc/1/1/1/q q q/q q q/q q q",
        HOST + "heyawake/1/1/",
        HOST + "heyawake/500/1/",
        HOST + "kurodoko/²/²/",
    ],
)
def test_hostile_texts(text):
    for form in FORMATS:
        form.detect(text)
        try:
            form.read(text)
        except InputError as error:
            assert len(str(error)) < 300
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    "text",
    [
        HOST + "kurodoko/500/500/" + "z" * 10**6,
        HOST + "hitori/500/500/" + "-" * 10**6,
        HOST + "heyawake/500/500/" + "v" * 10**6,
        HOST + "%" * 10**6,
        HOST + "&" * 10**6,
        f"{HOST}sudoku/4/4/\n" * 30_000,
        "a" * 10**6,
        "." * 10**6,
        "pzprv3" + "/" * 10**6,
        "pzprv3\n" * 10**5,
        "pzprv3/kurodoko/400/400" + ("/" + "799 " * 400) * 400 + ("/" + ". " * 400) * 400,
        "pzprv3/numlin/400/400/1 1 " + ". " * 398 + ("/" + ". " * 400) * 1198,
    ],
    ids=range(12),
)
def test_large_texts(text):
    for form in FORMATS:
        form.detect(text)
        try:
            assert len(form.read(text)) == 1
        except InputError as error:
            assert len(str(error)) < 300


def test_the_formats_tell_each_other_apart():
    board, address = pzprv3.write(EXAMPLES), puzzlink.write(EXAMPLES)
    assert not pzprv3.detect(address)
    assert not puzzlink.detect(board)
    for text in (board, address):
        assert not native.detect(text)
        assert not non.detect(text)
    others = [
        native.write(EXAMPLES),
        "title x\nwidth 1\nheight 1\nrows\n1\ncolumns\n1\n",
        "5x5:2/1.1/2/2.2/2/2/2.2/1/3/2",
        "3x3:_1_2a3",
        "." * 81,
        "<puzzleset><puzzle type='grid'></puzzle></puzzleset>",
        "5 5\n1\n",
        "$1\n1\t2\n",
    ]
    for text in others:
        assert not any(form.detect(text) for form in FORMATS)


# --- a collection that is not part of this project -------------------------------------------

COLLECTION = Path(
    os.environ.get("QUBOPUZZLE_COLLECTION", Path(__file__).parents[4] / "shared" / "puzzles")
)


@pytest.mark.skipif(not (COLLECTION / "urls.tsv").exists(), reason="no collection at hand")
def test_addresses_of_a_collection(capsys):
    """Every address reads to the board that another player has, or both are refused.

    That player drops what stands behind the last cell; here such an address is refused.
    """
    counts = {"read": 0, "refused": [], "too long": []}
    for line in (COLLECTION / "urls.tsv").read_text(encoding="utf-8").splitlines():
        address, facts = line.split("\t")
        board = json.loads(facts)["file"]
        try:
            puzzle = one(address)
        except InputError as error:
            if "beyond the last cell" in str(error):
                counts["too long"].append(address)
                assert address.startswith(one(board, pzprv3).url)
                continue
            counts["refused"].append(f"{address}: {error}")
            with pytest.raises(InputError):
                pzprv3.read(board)
            continue
        counts["read"] += 1
        assert one(board, pzprv3) == puzzle
        assert one(puzzle.url) == puzzle
        shown = pzprv3.write([puzzle]).replace("\n", "/")
        assert shown == board.replace("-", ".")  # an unknown clue of hitori is none
    with capsys.disabled():
        print(f"\n{counts}")
    assert len(counts["refused"]) <= counts["read"] // 10
    assert len(counts["too long"]) <= 1


def test_a_line_has_no_more_addresses_than_a_text_has_boards():
    with pytest.raises(InputError, match="250,000 cells in all"):
        puzzlink.read("https://puzz.link/p?lits/5/5/0 " * 2501, "numberlink")
