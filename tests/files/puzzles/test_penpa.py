"""Addresses of Penpa+: what others drew, what is refused, and answers."""

import json
import re
import zlib
from base64 import b64decode, b64encode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qubopuzzle import InputError, Sudoku, load
from qubopuzzle.files.puzzles import get_format, write_text
from qubopuzzle.files.puzzles.penpa import TEXT_LIMIT
from qubopuzzle.puzzles import get_puzzle
from qubopuzzle.puzzles.hashi import Hashi
from qubopuzzle.puzzles.kakuro import Kakuro
from qubopuzzle.puzzles.masyu import Masyu
from qubopuzzle.puzzles.yajilin import Yajilin

NAMES = get_format("penpa").puzzles
BASE = "https://swaroopg92.github.io/penpa-edit/#m=edit&p="
DRAWN = """square,4,3,38,0,1,1,190,152,100,100,0,0,0,0,Title: ,Author: ,,,OFF,false
[0,0,0,0]
{z9:zA,zG:["2","2","1"],zQ:{zM:zY,zS:["",1],zY:["circle_L",1]},zA:{zM:zL,zL:["1",3]}}
{zR:{z_:[]},zU:{z_:[]},zS:{},zN:{},zY:{"19":[2,"circle_M",2],"27":[1,"circle_L",1]},zL:{},zE:{}}
{zR:{z_:[]},zU:{z_:[["note",1]]},zS:{"18":5},zN:{},zY:{},zL:{"214":98,"18,19":3,"19,27":5},zE:{}}
[18,1,1,1,5,1,1,1,5,1,1,1]
["Line Normal","Shape"]"""
"""As an older editor has it: without tags, with notes, and circles of another size."""


def text_of(address):
    packed = address.strip().partition("p=")[2]
    return zlib.decompress(b64decode(packed), -15).decode()


def address_of(text, mode="edit"):
    packer = zlib.compressobj(wbits=-15)
    packed = b64encode(packer.compress(text.encode()) + packer.flush()).decode()
    return BASE.replace("edit&", f"{mode}&") + packed


def changed(name, *changes):
    """The address of a puzzle's first example, of whose text something is changed."""
    text = text_of(write_text(get_puzzle(name).examples()[:1], "penpa"))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return address_of(text)


def test_a_board_without_a_tag_is_read_as_the_puzzle_that_is_named():
    address = address_of(DRAWN)
    with pytest.raises(InputError, match="no tag says which puzzle of this package it is"):
        load(address)
    (puzzle,) = load(address, "masyu")
    assert puzzle == Masyu(grid=[".b..", ".w..", "...."])
    assert load(address_of(DRAWN.replace("Title: ", "Title: Mashu"))) == [puzzle]
    assert load(f"{address.replace('#', '?')}&l=solvedup", "masyu") == [puzzle]
    assert load(f"{address} # {address}", "masyu") == [puzzle]
    assert load(f"{address} {address}", "masyu") == [puzzle, puzzle]
    with pytest.raises(InputError, match="it holds no akari"):
        load(changed("lits"), "akari")


def test_a_clue_may_be_a_number_with_an_arrow_beside_it():
    """As older boards of yajilin have it."""
    arrows = '"19":[[0,0,0,1,0,0,0,0],"arrow_fouredge_B",2]'
    drawn = DRAWN.replace('"19":[2,"circle_M",2],"27":[1,"circle_L",1]', arrows)
    drawn = drawn.replace("zN:{}", 'zN:{"19":["0",1,"1"]}', 1)
    assert load(address_of(drawn), "yajilin") == [
        Yajilin(grid=[[None, "0^", None, None], *[[None] * 4] * 2])
    ]


def test_bridges_are_lines_single_or_double_whole_or_in_halves():
    """An island without a number, and lines from the middle of a cell to its side."""
    drawn = DRAWN.replace('zY:{"19":[2,"circle_M",2],"27":[1,"circle_L",1]}', "zY:{}")
    islands = '"18":[" ",6,"1"],"20":[3,6,"1"],"34":[1,6,"1"],"21":["?",6,"1"]'
    drawn = drawn.replace("zN:{}", f"zN:{{{islands}}}", 1)
    lines = '"18,19":30,"19,187":30,"20,187":30,"18,130":3,"26,130":3,"26,34":3,"20,21":3'
    drawn = drawn.replace('zL:{"214":98,"18,19":3,"19,27":5}', f"zL:{{{lines}}}")
    (read,) = load(address_of(drawn), "hashi")
    assert read == Hashi(grid=["?.3?", "....", "1..."])
    assert read.solution.tolist() == [[5, 2, 1, 0], [3, 0, 0, 0], [0, 0, 0, 0]]
    assert load(write_text([read], "penpa"))[0].solution.tolist() == read.solution.tolist()
    single = drawn.replace('"18,19":30', '"18,19":3')
    assert load(address_of(single), "hashi")[0].solution is None


def kakuro(*, symbols="", surface="", numbers="", corners=""):
    """The address of a board of the cells 18 to 21, 26 to 29, and 34 to 37."""
    drawn = DRAWN.replace('"19":[2,"circle_M",2],"27":[1,"circle_L",1]', symbols)
    for layer, there in (("zS", surface), ("zN", numbers)):
        drawn = drawn.replace(f"{layer}:{{}}", f"{layer}:{{{there}}}", 1)
    return address_of(drawn.replace("zY:{", f"z1:{{{corners}}},zY:{{", 1))


def test_sums_are_in_corners_of_black_cells():
    """Four places a cell, from 296 on at the first one, which is 18 of 56."""
    black = '"18":[2,"kakuro",2],"19":[1,"kakuro",2],"20":[3,"kakuro",2],"26":[5,"kakuro",1]'
    surface = '"34":4,"21":1,"29":3,"37":8,"35":2'  # 35 is green
    sums = '"302":["4",4],"306":["6",4],"329":["7",4],"361":[3,4],"330":["?",4],"325":["",4]'
    there = {"symbols": black, "surface": surface, "corners": f'{sums},"300":["x",4],"550":["x",4]'}
    (read,) = load(kakuro(**there), "kakuro")
    assert read == Kakuro(grid=["# 4\\ 6\\ #", "\\7 . . #", "\\3 . . #"])
    for bad, reason in (
        ({"corners": '"329":["x",4]'}, "row 2 column 1: 'x' is no clue"),
        ({"corners": '"329":["46",4]'}, "row 2 column 1: the sum 46 is over 45, the largest"),
        ({"corners": '"333":["3",4]'}, "row 2 column 2: the sum 3 is in a white cell"),
        ({"corners": '"301":["3",4]'}, r"grid\[0\]\[1\]: the number 3 is before no run"),
        ({"numbers": '"27":["3",1,"1"]'}, "row 2 column 2: a given number; no such puzzle here"),
        (
            {"symbols": f'{black},"27":[7,"kakuro",1]'},
            "row 2 column 2: the symbol kakuro 7 says nothing",
        ),
    ):
        with pytest.raises(InputError, match=reason):
            load(kakuro(**{**there, **bad}), "kakuro")


@pytest.mark.parametrize("name", NAMES)
def test_a_link_to_solve_has_the_answer_that_is_compared_with(name):
    (example,) = get_puzzle(name).examples()[:1]
    text = text_of(write_text([example], "penpa"))
    lines = text.split("\n")
    solution = _solution(lines[4])
    lines[4] = ""
    packed = address_of(json.dumps(solution)).partition("p=")[2]
    (bare,) = load(address_of("\n".join(lines), "solve"))
    assert bare == example
    assert bare.solution is None
    (read,) = load(f"{address_of(chr(10).join(lines), 'solve')}&a={packed}")
    assert np.array_equal(read.solution, example.solution)


def _solution(line):
    """As the editor makes it: cells, lines, edges, walls, numbers and symbols."""
    words = {"S": "surface", "L": "line", "E": "lineE", "N": "number", "Y": "symbol"}
    line = re.sub("z(.)", lambda match: f'"{words.get(match[1], match[1])}"', line)
    drawn = json.loads(line)
    letters = {"circle_M": "A", "star": "E", "tents": "F", "sun_moon": "H"}
    return [
        [*drawn["surface"]],
        [f"{key},{1 + (style == 30)}" for key, style in drawn["line"].items()],
        [f"{key},1" for key in drawn["lineE"]],
        [],
        [f"{key},{value[0]}" for key, value in drawn["number"].items()],
        [f"{key},{value[0]}{letters[value[1]]}" for key, value in drawn["symbol"].items()],
    ]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ([('["classic"]', '["classic","thermo"]')], "sudoku: a variant, 'thermo', that"),
        ([('["classic"]', '["tapa"]')], "tagged 'tapa', which is none of this package"),
        ([("square,", "hex,")], "a grid 'hex'; only square grids are read"),
        ([("square,", "4,")], "an old form of links"),
        ([("square,9,9", "square,9,99999999")], "the sizes '9,99999999' are none"),
        ([("[0,0,0,0]", "[0,0,0]")], "the second line of the board's text"),
        ([("[0,0,0,0]", "[0,9,0,0]")], "a board of 0 rows and 9 columns"),
        ([("[0,0,0,0]", "[0,0,0,0")], "a part of the board's text is no JSON"),
        ([("zT:[]", "zT:[[28,29]]")], "the board has thermo, which no puzzle of this package has"),
        ([("zY:{}", 'zY:{"28":[3,"star",1]}')], "row 1 column 1: the symbol star 3 says nothing"),
        ([("zY:{}", 'zY:{"199":[1,"kropki",1]}')], "the board has symbols between cells"),
        ([("zE:{", 'zE:{"196,197":2,')], "the wall between "),
    ],
)  # fmt: skip
def test_what_is_no_board_of_this_package_is_said(changes, reason):
    with pytest.raises(InputError, match=reason):
        load(changed("sudoku", *changes))


def test_a_broken_address_is_said():
    good = changed("lits")
    for address in (
        good[:-40],
        good[:80],
        BASE,
        BASE + "%",
        BASE + "\x80\ud800",
        good.replace("p=", "q="),
    ):
        with pytest.raises(InputError, match=r"copy all of it|no puzzle, which follows on p="):
            load(address)
    with pytest.raises(InputError, match="the board's text is over 4 MiB"):
        load(address_of("x" * (TEXT_LIMIT + 1)))
    with pytest.raises(InputError, match="how many stars there are"):
        load(changed("starbattle", ('["1",1,"1"]', "null")))


def test_givens_are_part_of_an_answer():
    (example,) = get_puzzle("takuzu").examples()[:1]
    lines = text_of(write_text([example], "penpa")).split("\n")
    for place in re.findall('"[0-9]+"', lines[3]):
        lines[4] = re.sub(f"{place}:[^]]*],?", "", lines[4]).replace(",}", "}")
    (read,) = load(address_of("\n".join(lines)))
    assert np.array_equal(read.solution, example.solution)


def test_boxes_are_regions():
    grid = [[0] * 6] * 6
    for box in ((2, 3), (3, 2), (1, 6)):
        assert load(write_text([Sudoku(grid, box=box)], "penpa"))[0].box == box
    text = text_of(write_text([Sudoku(grid)], "penpa"))
    undrawn = (
        "".join(text.partition("zE:{")[:2]) + "}" + text.partition("zE:{")[2].partition("}")[2]
    )
    assert load(address_of(undrawn))[0].box == (2, 3)


WORDS = """
    0 1 -1 99999999 null [] {} "" "x" [[]] {"28":[]} {"28":null} {"28":[null,1]} "1,2" , : 1e9 z zZ
"""
PIECES = st.sampled_from(WORDS.split())


@settings(max_examples=300)
@given(data=st.data())
def test_a_text_that_is_changed_is_a_board_or_one_line(data):
    text = text_of(changed(data.draw(st.sampled_from(NAMES))))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = start + data.draw(st.sampled_from([0, 1, 2, 5, 20, 200]))
        text = text[:start] + data.draw(PIECES) + text[stop:]
    try:
        load(address_of(text))
    except InputError as error:
        assert len(str(error).splitlines()) == 1
