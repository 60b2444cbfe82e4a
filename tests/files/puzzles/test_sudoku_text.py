"""Sudoku as text: lines, grids, sizes, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubopuzzle import InputError, load
from qubopuzzle.files.puzzles import formats_for, get_format, read_text, write_text
from qubopuzzle.puzzles.hitori import Hitori
from qubopuzzle.puzzles.sudoku import Sudoku

native, non, tatham = map(get_format, ("json", "non", "tatham"))
sudoku_text, opensudoku = map(get_format, ("sudoku", "opensudoku"))
NINE, FOUR, SIX = Sudoku.examples()
LINE = "..9..8...1.6.9........1.3.2...57....43......9.98..3.....2....746.....8..54......3"
ROWS = [LINE[i : i + 9] for i in range(0, 81, 9)]
SIXTEEN = Sudoku(
    grid=[[(r * 4 + r // 4 + c) % 16 * (r != c) for c in range(16)] for r in range(16)]
)
FORUM = [f"{row[:3]} | {row[3:6]} | {row[6:]}" for row in ROWS]
RULE = "----+-----+----"
SOLUTION = "".join(str(digit) for digit in NINE.solution.ravel())


def _candidates(row):
    """As HoDoKu writes them: a cell that is not known has several."""
    return " ".join("1357" if cell == "." else cell for cell in row)


BOXED = "\n".join(["+---+---+---+", *(f"|{r[:3]}|{r[3:6]}|{r[6:]}|" for r in ROWS), "*---*"])


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        LINE + "\n",
        LINE.replace(".", "0"),
        LINE.replace(".", "_") + "  # hard",
        LINE.replace(".", "*"),
        "# of the seed\n\n" + LINE,
        "\n".join(ROWS),
        "\r\n".join(ROWS),
        "\n".join(" ".join(row) for row in ROWS),
        "\n".join([*FORUM[:3], RULE, *FORUM[3:6], RULE, *FORUM[6:]]),
        "\n".join([*ROWS[:3], "", *ROWS[3:6], "", *ROWS[6:]]),
        BOXED,
        BOXED.replace("-", "="),
        LINE.replace(".", "-"),
        "\n".join(ROWS).replace(".", "-"),
        "\n".join([*FORUM[:3], RULE, *FORUM[3:6], RULE, *FORUM[6:]]).replace(".", "-"),
        f"{LINE};9.1;Golden Nugget;x",
        f"{LINE}\t9.1",
        f"0000183b305c {LINE.replace('.', '0')}  1.2",
        f"7,{LINE},23",
        f"https://sudokuexchange.com/play/?s={LINE}",
        f"https://www.sudokuwiki.org/sudoku.htm?bd={LINE.replace('.', '0')}&x=1",
        f"https://sudoku.coach/en/play/{LINE}",
        f":0000:x:{LINE[:3]}+8{LINE[4:]}:123 456::",
        f":0705:9:{LINE}:123 456:789:",
        "\n".join(["*--*--*--*", *(f"| {_candidates(row)} |" for row in ROWS), "'--'--'--'"]),
        "\n".join(",".join(row).replace(".", "") for row in ROWS),
        "\n".join(",".join(row).replace(".", "0") + "," for row in ROWS),
        ",".join(LINE.replace(".", "0")),
        "[" + ",\n ".join(f"[{', '.join(row.replace('.', '0'))}]" for row in ROWS) + "]",
        "Grid 01\n" + "\n".join(ROWS),
        "comment line to ignore\n" + LINE + " // of a paper",
        "#ASomebody\n#DA puzzle\n[Puzzle]\n" + "\n".join(ROWS) + "\n[State]\n" + "1" * 81,
    ],
)
def test_forms_of_one_puzzle(text):
    assert sudoku_text.detect(text)
    assert sudoku_text.read(text) == [NINE]
    assert sudoku_text.read(text, "sudoku") == [NINE]
    with pytest.raises(InputError, match="it holds no hitori"):
        read_text(text, "hitori", "sudoku")
    assert sudoku_text.write([NINE]) == LINE + "\n"


@pytest.mark.parametrize(
    "text",
    [
        f"quizzes,solutions\n{LINE.replace('.', '0')},{SOLUTION}\n",
        f"puzzle,solution\r\n{LINE},{SOLUTION}\r\n",
        f"id,puzzle,solution,clues,difficulty\n1,{LINE},{SOLUTION},23,2.2\n",
        f'"puzzle","solution"\n"{LINE}","{SOLUTION}"\n',
        f"{LINE}:1:{SOLUTION}\n",
        f"{LINE} {SOLUTION}\n",
    ],
)
def test_a_solution_beside_a_puzzle_is_kept(text):
    assert sudoku_text.detect(text)
    (puzzle,) = read_text(text)
    assert puzzle == NINE
    assert (puzzle.solution == NINE.solution).all()
    wrong = SOLUTION[:80] + str(9 - int(SOLUTION[80]))
    with pytest.raises(InputError, match=r"line \d: solution: row\[8\] column\[8\] is"):
        sudoku_text.read(text.replace(SOLUTION, wrong))


def test_titles_are_ids_and_addresses_are_kept():
    rows = "\n".join(ROWS)
    assert [p.id for p in sudoku_text.read(f"Grid 01\n{rows}\nGrid 02\n{rows}")] == [
        "Grid 01",
        "Grid 02",
    ]
    address = f"https://sudokuexchange.com/play/?s={LINE}"
    assert sudoku_text.read(address)[0].url == address


def test_placed_digits_are_not_given():
    (puzzle,) = sudoku_text.read(f":0000:x:{'+4'}{LINE[1:]}:::")
    assert puzzle == NINE


def test_what_carries_cells_of_another_puzzle_is_left_to_others():
    for text in (
        f"https://puzz.link/p?hitori/9/9/{SOLUTION}",
        f"9x9:{SOLUTION}",
        f'{{"puzzle": "kurodoko", "solution": ["{"." * 16}"]}}',
    ):
        assert not sudoku_text.detect(text)


def test_many_puzzles_of_many_sizes():
    text = f"{LINE}\n{LINE} # again\n.....4.34.1.....\n" + "\n".join(ROWS)
    assert sudoku_text.read(text) == [NINE, NINE, FOUR, NINE]
    rows = "....\n.4.3\n4.1.\n....\n"
    assert sudoku_text.detect(rows)
    assert sudoku_text.read(rows * 3) == [FOUR] * 3
    assert sudoku_text.read(".....4.34.1.....\n" * 16) == [FOUR] * 16


def sixteen(signs, blank=".", between=""):
    return "\n".join(between.join(signs[v - 1] if v else blank for v in r) for r in SIXTEEN.grid)


@pytest.mark.parametrize(
    "text",
    [
        sixteen("123456789ABCDEFG"),
        sixteen("123456789abcdefg", "0"),
        sixteen("ABCDEFGHIJKLMNOP"),
        sixteen("abcdefghijklmnop", "-").replace("\n", ""),
        sixteen("ABCDEFGHIJKLMNOP", "0", " "),
        sixteen("0123456789ABCDEF"),
        sixteen("0123456789ABCDEF").replace("\n", ""),
        sixteen([str(v) for v in range(1, 17)], "0", " "),
        sixteen([str(v) for v in range(1, 17)], ".", "  "),
        sixteen([f"{v:02}" for v in range(1, 17)], "00", "|"),
        sixteen([str(v) for v in range(1, 17)], "0", " ").replace("\n", " "),
    ],
)
def test_ways_to_write_sixteen_digits(text):
    assert sudoku_text.detect(text)
    assert sudoku_text.read(text) == [SIXTEEN]


def test_a_puzzle_that_does_not_tell_its_digits_follows_the_others():
    silent = "1" + "." * 255
    hexadecimal = "10" + "." * 254
    letters = "1G" + "." * 254
    texts = [
        silent,
        f"{silent}\n{hexadecimal}",
        f"{silent}\n{letters}",
        f"{letters}\n{hexadecimal}\n{silent}",
    ]
    first = [[p.grid[0][0] for p in sudoku_text.read(text)] for text in texts]
    assert first == [[1], [2, 2], [1, 1], [1, 2, 1]]


@pytest.mark.parametrize(("n", "box"), [(6, (2, 3)), (12, (3, 4))])
def test_boxes_that_lie(n, box):
    puzzle = Sudoku(grid=[[(r + c) % n * (r != c) for c in range(n)] for r in range(n)], box=box)
    line = sudoku_text.write([puzzle])
    assert len(line) == n * n + 1
    grid = "\n".join(line[i : i + n] for i in range(0, n * n, n))
    for text in (line, grid, " ".join(line).replace(".", "-"), ",".join(line.strip())):
        assert sudoku_text.detect(text)
        assert sudoku_text.read(text) == [puzzle]


def test_one_unknown_cell_is_named_where_a_file_was_looked_for():
    with pytest.raises(InputError, match=r"line 1: cell 3 \(row 1 column 3\) is 'X'; a cell of 9"):
        load(f"53x{LINE[3:]}")
    with pytest.raises(InputError, match="line 3: cell 9 is '%'"):
        load("\n".join([*ROWS[:2], ROWS[2][:8] + "%", *ROWS[3:]]))


def test_twenty_five():
    grid = [[(r * 5 + r // 5 + c) % 25 + 1 for c in range(25)] for r in range(25)]
    puzzle = Sudoku(grid=grid)
    text = sudoku_text.write([puzzle])
    assert text.startswith("123456789ABCDEFGHIJKLMNOP")
    assert sudoku_text.detect(text)
    assert sudoku_text.read(text) == [puzzle]
    words = "\n".join(" ".join(map(str, row)) for row in grid)
    assert sudoku_text.detect(words)
    assert sudoku_text.read(words) == [puzzle]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LINE[:-1] + "x", "cell 81 (row 9 column 9) is 'X'; a cell of 9 x 9 is 1 to 9, or '.'"),
        (LINE + "\n" + LINE[1:], "line 2: 80 cells; a puzzle has 16, 36, 81, 144, 256 or 625, a"),
        ("." * 35, "line 1: 35 cells"),
        ("\n".join(ROWS[:8]), "line 1: 8 rows of 9 cells, but 9 are needed"),
        ("\n".join(ROWS + ROWS[:2]), "line 10: 2 rows of 9 cells"),
        ("....\n.4.3\n4.5.\n....", "line 3: cell 3 is '5'; a cell of 4 x 4 is 1 to 4"),
        ("0." + "Z" * 254, "cell 3 (row 1 column 3) is 'Z'; a cell of 16 x 16 is 0 to F"),
        ("5" * 16, "line 1: 1 rows of 16 cells, but 16 are needed"),
        ("1 2 3 4 5 6 7 8 99\n" * 9, "line 1: cell 9 is '99'"),
        ("x" * 1000, "line 1: 1000 cells"),
    ],
)
def test_what_is_refused_is_one_clear_line(text, message):
    with pytest.raises(InputError) as caught:
        sudoku_text.read(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("puzzle", "message"),
    [
        (Sudoku(grid=[[0] * 6] * 6, box=(3, 2), id="s"), "s: sudoku text does not tell boxes, so"),
        (Sudoku(grid=[[0] * 4] * 4, box=(1, 4), id="l"), "l: sudoku text does not tell boxes"),
        (Sudoku(grid=[[0] * 36] * 36), "none of 6 x 6; write json"),
        (
            Hitori(grid=[[1]], id="h"),
            "h: format sudoku holds no hitori; these do: janko, json, penpa, puzzlink, ",
        ),
    ],
)
def test_what_cannot_be_written_is_named(puzzle, message):
    with pytest.raises(InputError) as caught:
        write_text([NINE, puzzle], "sudoku")
    assert message in str(caught.value)


@st.composite
def sudokus(draw):
    side = draw(st.sampled_from([2, 2, 3, 3, 4, 5]))
    n = side * side
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    grid = rng.integers(1, n + 1, (n, n)) * (rng.random((n, n)) < draw(st.floats(0, 1)))
    return Sudoku(grid=grid, box=(side, side))


@given(st.lists(sudokus(), min_size=1, max_size=4))
def test_round_trips(puzzles):
    text = sudoku_text.write(puzzles)
    assert sudoku_text.detect(text)
    assert sudoku_text.read(text) == puzzles


@given(sudokus(), st.sampled_from(["", " ", "|"]))
def test_round_trips_of_grids(puzzle, between):
    n = len(puzzle.grid)
    line = sudoku_text.write([puzzle]).strip()
    if n == 16 and set(line) <= set(".1234"):
        return  # as many puzzles of 4 x 4
    text = "\n".join(between.join(line[i : i + n]) for i in range(0, n * n, n))
    assert sudoku_text.detect(text)
    assert sudoku_text.read(text) == [puzzle]


def test_a_section_of_nothing_is_no_puzzle():
    assert not sudoku_text.detect("[Puzzle]")
    assert sudoku_text.read("[Puzzle]") == []


@pytest.mark.parametrize(
    "text",
    [
        "-" * 1_000_000 + "x",
        "1" * 1_000_000,
        "1 " * 500_000,
        "11 " * 300_000,
        "5" * 9 + "\n1" * 500_000,
    ],
)
def test_a_megabyte_is_refused(text):
    """Soon, too: in quadratic time this would not end."""
    assert not sudoku_text.detect(text)
    with pytest.raises(InputError):
        sudoku_text.read(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment",
        "width 5\nheight 5\nrows\n1\n",
        "10 10\n1 2\n3\n1 1 1\n4 4\n",
        "5\n5\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n",
        "https://puzz.link/p?hitori/4/4/1114142333214213",
        "pzprv3/hitori/4/4/1 1 1 4 /",
        "2x2:e4a3_4a1e",
        "$1\n1\t1\n",
        '{"a": 1}',
        "<table></table>",
        "word",
        "someword\n" * 9,
        "5" * 80,
        "word" * 20 + "x",
        ROWS[0],
        "\n".join(ROWS[:8]),
    ],
)
def test_other_texts_do_not_look_like_it(text):
    assert not sudoku_text.detect(text)


def test_others_do_not_take_it():
    for text in (LINE, LINE.replace(".", "0"), BOXED, "\n".join(ROWS)):
        for other in (native, non, tatham):
            assert not other.detect(text)


DIGITS = LINE.replace(".", "0")
CELLS = "".join(f"{c}|-|{int(c == '0')}|" for c in DIGITS)
PLAYED = CELLS.replace("0|-|1|", "5|12|1|", 1)
NOTED = CELLS.replace("|-|", "|-|12|")


@pytest.mark.parametrize(
    "text",
    [
        f'<opensudoku><game data="{DIGITS}" /></opensudoku>',
        f"<?xml version='1.0'?>\n<!-- x -->\n<opensudoku>\n<name>a</name><game data='{LINE}'/>",
        f'<opensudoku version="2"><folder name="a"><game created="1" data="{DIGITS}" time="0"/>',
        f'<opensudoku version="3"><game cells_data="version: 1&#10;{PLAYED}"/></opensudoku>',
        f'<opensudoku><game data="version: 4\n{NOTED}"/></opensudoku>',
    ],
)
def test_collections_of_opensudoku(text):
    assert opensudoku.detect(text)
    (puzzle,) = read_text(text)
    assert puzzle == NINE
    assert puzzle.source == ("a" if ">a<" in text or '"a"' in text else "")
    assert opensudoku.read(opensudoku.write([puzzle, puzzle])) == [NINE, NINE]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("data='123'", "line 2: 3 cells; a game of OpenSudoku has 81"),
        (f"data='x{LINE[1:]}'", "line 2: cell 1 (row 1 column 1) is 'x'; a cell of 9 x 9 is 1"),
        (f"data='version: 1\n{CELLS}0|'", "line 2: 244 fields do not make 81 cells"),
        ("data='word: 1\n'", "line 2: 'word: 1': version: N is due"),
        ("state='0'", "line 2: this <game> has no data"),
    ],
)
def test_games_of_opensudoku_that_are_refused(data, message):
    with pytest.raises(InputError) as caught:
        opensudoku.read(f"<opensudoku>\n<game {data}/>")
    assert str(caught.value).startswith(message)
    with pytest.raises(InputError, match=r"boxes of 2 x 2; opensudoku has 3 x 3"):
        opensudoku.write([FOUR])


def test_the_id_of_a_game_is_no_sudoku_however_long_it_is():
    """Of as many characters as 16 x 16 has cells, most of which are digits there."""
    text = "4x4:" + "1_2a3b4c5d6e7f8g" * 15 + "9a1b2c3d4e5f"
    assert len(text) == 256
    assert not get_format("sudoku").detect(text)
    assert get_format("sudoku").detect(text.replace("4x4:", "1234"))


def test_an_address_of_another_player_with_625_letters_is_no_grid():
    """Penpa+ packs this board into as many letters and digits as a grid of 25 x 25 has cells."""
    marks = (
        "..268...7....7..2....93.4.8...2....3..C...3.2.........C4.A9.B...B33..2.."
        "7..B5.....5A...72..6.A.6.....484...A.16B...........3.5CB..9C.......6...5"
    )
    board = Sudoku(grid=np.array([".123456789ABC".index(mark) for mark in marks]).reshape(12, 12))
    text = write_text([board], "penpa")
    assert [name for name in formats_for("sudoku") if get_format(name).detect(text)] == ["penpa"]
    assert read_text(text) == [board]
