"""Game ids of Simon Tatham's collection: examples, round trips, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubopuzzle import InputError, Nonogram
from qubopuzzle.files.puzzles import get_format, read_text
from qubopuzzle.puzzles.easyasabc import EasyAsABC
from qubopuzzle.puzzles.heyawake import Heyawake
from qubopuzzle.puzzles.hitori import Hitori
from qubopuzzle.puzzles.kurodoko import Kurodoko
from qubopuzzle.puzzles.sudoku import Sudoku
from strategies import nonograms

native, non = map(get_format, ("json", "non"))
tatham, tatham_save = map(get_format, ("tatham", "tatham_save"))
PATTERN = "5x5:2/1.1/2/2.2/2/2/2.2/1/3/2"
RANGE = "5x5:d9d5a6a5a6d4d"
SINGLES = "5x5:3445113255244311555212434"
SOLO = "2x2:a1_2b3a2_1f4"
KINDS = [
    ("pattern", "nonogram", PATTERN),
    ("range", "kurodoko", RANGE),
    ("singles", "hitori", SINGLES),
    ("solo", "sudoku", SOLO),
]


def test_pattern_is_columns_then_rows():
    (puzzle,) = tatham.read(PATTERN)
    assert puzzle == Nonogram.from_picture(["...##", "##.##", "#....", ".###.", "..##."])


def test_range_is_runs_of_blanks_and_numbers():
    (puzzle,) = tatham.read(RANGE)
    assert puzzle == Kurodoko(
        grid=[[0, 0, 0, 0, 9], [0, 0, 0, 0, 5], [0, 6, 0, 5, 0], [6, 0, 0, 0, 0], [4, 0, 0, 0, 0]]
    )


def test_boxes_of_solo_have_the_first_number_as_rows():
    # 2x3 there are two columns of three boxes each, so boxes of two rows and three columns.
    (puzzle,) = tatham.read("2x3:4b2_1e6d6d5d4e1_6b2")
    assert puzzle == Sudoku.examples()[2]
    assert puzzle.box == (2, 3)


def test_solo_is_runs_of_blanks_and_numbers():
    (puzzle,) = tatham.read(SOLO)
    assert puzzle == Sudoku(grid=[[0, 1, 2, 0], [0, 3, 0, 2], [1, 0, 0, 0], [0, 0, 0, 4]])


def test_singles_is_a_character_a_cell():
    (puzzle,) = tatham.read(SINGLES)
    assert puzzle.grid[0].tolist() == [3, 4, 4, 5, 1]
    side = "123456789abcdefghijklmnopqrstuvwxyzABCD"
    (puzzle,) = tatham.read(f"{len(side)}x2:{side}{side[::-1]}")
    assert puzzle.grid[0].tolist() == list(range(1, 40))


@pytest.mark.parametrize(("game", "kind", "text"), KINDS)
def test_ways_to_name_a_game(game, kind, text):
    (puzzle,) = tatham.read(text, kind)
    assert puzzle.name == kind
    page = f"https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/{game}.html#"
    for before in ("", f"{game}:", f"{game} ", f"{game}: ", f"{game.title()}:", f"{kind}:", page):
        assert tatham.detect(before + text)
        assert tatham.read(f"\n {before}{text} \r\n") == [puzzle]
        assert tatham.read(before + text, kind) == [puzzle]
    assert tatham.write([puzzle, puzzle]) == f"{text}\n{text}\n"


def test_the_kind_wanted_passes_over_the_others():
    text = "".join(f"{game}:{text}\n" for game, _, text in KINDS)
    assert [p.name for p in tatham.read(text)] == [kind for _, kind, _ in KINDS]
    for _, kind, _ in KINDS:
        assert [p.name for p in tatham.read(text, kind)] == [kind]
    assert tatham.read(text, "heyawake") == []
    assert tatham.read("net:5x5:0123\n" + text, "hitori") == tatham.read(text, "hitori")


def test_letters_of_how_it_was_made_are_passed_over():
    assert tatham.read("5x5de:" + SINGLES[4:]) == tatham.read(SINGLES)
    for suffix in ("db", "r4", "md4", "adu", "m8dt"):
        assert tatham.read(f"2x2{suffix}:" + SOLO[4:]) == tatham.read(SOLO)
    assert tatham.read("range 5:" + RANGE[4:]) == tatham.read(RANGE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("solo:3x3x:a", "solo: 1 cells, but 9 x 9 are needed"),
        ("solo:9j:a,b", "solo: 1 cells, but 9 x 9 are needed"),
        ("solo:4j:p,b", "solo: 3 cells, but 24 are needed, and a mark behind them"),
        ("solo:2x2k:p,zb,e", "solo: character 2 is beyond 24 cells"),
        ("solo:2x2kj:p,a,a,a,a", "solo: 5 parts; a solo has 4 at most"),
        ("3x3#123", "a random seed (#) takes the original generator"),
        ("pattern:30x30#861", "a random seed"),
        ("https://x.y/range.html#9x6%23123", "a random seed"),
        (
            "galaxies:7x7:ajb",
            "there is no game 'galaxies' here, but bridges, lightup, loopy, pattern, pearl, range",
        ),
        ("5x5:1/1/1/1/1/1/1/1/1/1,aBc", "pattern: some cells given beside the clues"),
        ("\n\n5x5:2/1.1", "line 3: pattern: 2 lines between slashes, but 10 columns and rows"),
        ("1x1:1/1/1", "more than 2 lines"),
        ("2x1:1/1/1.0", "row 1: '1.0'"[:6]),
        ("2x1:1/x/2", "pattern: column 2: 'x' is no length of a run"),
        ("2x1:1/0/1", "column 2: '0' is no length"),
        ("solo:2x2:1_2_3_5l", "solo: character 7: 5 is not in 1 .. 4"),
        ("solo:2x2:q", "solo: character 1 is beyond 4 x 4 cells"),
        ("solo:2x2:o", "solo: 15 cells, but 4 x 4 are needed"),
        ("solo:2x2:1_\u0662o", "character 3: '\u0662' is no number, blank or _"),
        ("solo:9x1:a", "boxes of 9 x 1; both must be 2 at least"),
        ("solo:10x10:a", "boxes of 10 x 10 have more than 36 cells"),
        ("range:2x2:0c", "character 1: 0 is not in 1 .. 3"),
        ("range:2x2:" + "9" * 5000, "is not in 1 .. 3"),
        ("range:2x2de:d", "range: parameters do not end in 'de'"),
        ("singles:2x2:121", "3 characters, but 2 x 2 cells"),
        ("singles:2x2:1213", "character 4: '3' is no number 1 .. 2"),
        ("singles:2x2:1.12", "character 2: '.' is no number"),
        ("singles:63x2:1", "2 to 62 rows and columns"),
        ("99999x99999:a", "a size of 99999 x 99999 is none, or too large"),
        ("1000x1000:a", "a size of 1000 x 1000"),
        ("0x5:a", "a size of 0 x 5"),
        ("hello", "'hello' is no game id such as 5x5:"),
        (f"{SOLO}\nhello", "line 2: 'hello'"),
    ],
)
def test_what_is_refused_is_one_clear_line(text, message):
    with pytest.raises(InputError) as caught:
        tatham.read(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("line ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "10x10:" + "1a" * 50,
            "it fits lightup, range, singles{}; say which by --puzzle or as lightup:",
        ),
        (
            "10x10:a",
            "it is no id of bridges, lightup, loopy, pattern, pearl{}; say which by --puzzle",
        ),
    ],
)
def test_what_is_of_several_games_or_of_none_asks_for_one(text, message):
    """Games of other packages, which may be installed, are named behind ours."""
    with pytest.raises(InputError, match=message.format(r"(, \w+)*")):
        tatham.read(text)


@pytest.mark.parametrize(
    ("puzzle", "message"),
    [
        (
            Heyawake(rooms=[[0]], clues=[None], id="h"),
            "h: format tatham holds no heyawake; these do: ",
        ),
        (EasyAsABC.examples()[0], "format tatham holds no easyasabc"),
        (Sudoku(grid=[[0] * 3] * 3, box=(1, 3), id="s"), "s: boxes of 1 x 3 cells; solo has 2 x 2"),
        (
            Sudoku(grid=[[0] * 36] * 36),
            "instance 1: boxes of 6 x 6 cells; solo has 2 x 2 at least and",
        ),
        (Hitori(grid=[[1, None], [2, 1]], id="b"), "b: grid[0][1] is blank; a cell of singles has"),
        (
            Hitori(grid=[[1, 1], [3, 1]]),
            "instance 1: grid[1][0] has 3; a cell of singles has 1 .. 2",
        ),
        (Hitori(grid=[[1]]), "a grid of 1 x 1; singles has 2 to 62"),
        (Kurodoko(grid=[[0] * 128]), "a grid of 1 x 128; numbers of range end at 127"),
    ],
)
def test_what_cannot_be_written_is_named(puzzle, message):
    with pytest.raises(InputError) as caught:
        tatham.write([puzzle])
    assert message in str(caught.value)


def grids(side, low, most):
    """Grids of up to ``side`` rows and columns; ``most`` is told the shape."""

    def of(shape):
        row = st.lists(st.integers(low, most(*shape)), min_size=shape[1], max_size=shape[1])
        return st.lists(row, min_size=shape[0], max_size=shape[0])

    return st.tuples(st.integers(2, side), st.integers(2, side)).flatmap(of)


@st.composite
def sudokus(draw, boxes=((2, 2), (2, 3), (3, 2), (3, 3), (4, 4))):
    box = draw(st.sampled_from(boxes))
    n = box[0] * box[1]
    cells = draw(st.lists(st.integers(0, n) | st.just(0), min_size=n * n, max_size=n * n))
    return Sudoku(grid=np.reshape(cells, (n, n)), box=box)


PUZZLES = st.one_of(
    nonograms(),
    sudokus(),
    grids(7, 0, lambda r, c: r + c - 1).map(lambda grid: Kurodoko(grid=grid)),
    grids(12, 1, max).map(lambda grid: Hitori(grid=grid)),
)


@given(PUZZLES)
def test_round_trips(puzzle):
    text = tatham.write([puzzle])
    assert tatham.detect(text)
    assert tatham.read(text, puzzle.name) == [puzzle]
    assert tatham.write(tatham.read(text, puzzle.name)) == text


def test_a_gap_of_more_than_26_cells():
    puzzle = Kurodoko(grid=[[0] * 20, [0] * 12 + [3] + [0] * 7, [0] * 20, [2] * 20])
    assert tatham.write([puzzle]) == "20x4:zf3za" + "2_" * 19 + "2\n"
    assert tatham.read(tatham.write([puzzle]), "kurodoko") == [puzzle]


@pytest.mark.parametrize("text", ["1x1:", "1:a"])
def test_any_text_is_puzzles_or_an_error(text):
    tatham.detect(text)
    for kind in (None, *tatham.puzzles):
        try:
            tatham.read(text, kind)
        except InputError as error:
            assert len(str(error).splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "pattern:500x500:" + "1." * 500_000,
        "pattern:500x500:" + "/" * 1_000_000,
        "solo:6x6:" + "_" * 1_000_000,
        "range:500x500:" + "1" * 1_000_000,
        "1x1:" + "a" * 1_000_000,
        ("500x500:" + "z" * 9615 + "j\n") * 100,
        "9" * 1_000_000,
        "x" * 1_000_000 + ".html#",
        "https://" + "/" * 1_000_000,
    ],
)
def test_a_megabyte_is_refused(text):
    """Soon, too: in quadratic time this would not end."""
    tatham.detect(text)
    with pytest.raises(InputError):
        tatham.read(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "width 5\nheight 5\nrows\n1\n",
        'title 5:3\ntitle "a"\nrows\n',
        "https://puzz.link/p?hitori/4/4/1114142333214213",
        "pzprv3/hitori/4/4/1 1 1 4 /",
        "5 5\n1 2\n",
        "0" * 81 + "#x",
        "1" * 16 + "#x",
        "12:30",
        "$1\n1\t1\n",
        '{"a": 1}',
        "<table></table>",
    ],
)
def test_other_texts_do_not_look_like_it(text):
    assert not tatham.detect(text)


@pytest.mark.parametrize(("game", "kind", "text"), KINDS)
def test_others_do_not_take_it(game, kind, text):
    for other in (native, non):
        assert not other.detect(text)
        assert not other.detect(f"{game}:{text}")


def saved(game, parameters, description, more=""):
    """As the program writes it."""
    fields = {"VERSION": "1", "GAME": game, "PARAMS": parameters, "CPARAMS": f"{parameters}de"}
    fields |= {"SEED": "1:2:x", "DESC": description, "NSTATES": "2", "MOVE": "F0,0,1,1"}
    head = "SAVEFILE:41:Simon Tatham's Portable Puzzle Collection\n"
    return head + "".join(f"{k:8}:{len(v)}:{v}\n" for k, v in fields.items()) + more


@pytest.mark.parametrize(("game", "kind", "text"), KINDS)
def test_a_saved_game_is_its_id(game, kind, text):
    parameters, description = text.split(":")
    save = saved(game.capitalize(), parameters, description)
    (expected,) = tatham.read(text, kind)
    assert tatham_save.detect(save)
    assert read_text(save) == read_text(save.replace("\n", "\r\n"), kind) == [expected]
    assert tatham_save.read(save * 3) == [expected] * 3
    assert tatham_save.read(tatham_save.write([expected])) == [expected]
    other = "hitori" if kind != "hitori" else "sudoku"
    assert tatham_save.read(save, other) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (saved("Galaxies", "7x7", "a"), "the game at line 1: there is no game 'galaxies'"),
        (saved("Pattern", "5x5", ""), "the game at line 1: DESC is missing"),
        (saved("Pattern", "5x5", "1/1"), "pattern: 2 lines"),
        (saved("Pattern", "5x5", "1", "word"), "line 10: 'word' is no KEY:LENGTH:VALUE"),
        (saved("Pattern", "5x5", "1", "MOVE :99:a"), "line 10: MOVE has 99 characters, which are"),
    ],
)
def test_saved_games_that_are_refused_are_named(text, message):
    with pytest.raises(InputError) as caught:
        tatham_save.read(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
