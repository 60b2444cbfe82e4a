"""The formats of nonograms: the same puzzles both ways, told apart, and hostile texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubopuzzle import InputError, Nonogram, Sudoku
from qubopuzzle.files.puzzles import get_format, read_text, write_text
from strategies import nonograms

NAMES = ("json", "nin", "mk", "cwd", "taai", "non", "webpbn", "nonograms_org")
FORMATS = native, nin, mk, cwd, taai, non, webpbn, nonograms_org = [*map(get_format, NAMES)]
SINGLE = [nin, mk, cwd]
SETS = [native, non, webpbn, nonograms_org]

# One board of 3 rows and 2 columns in every format.
BOARD = Nonogram(rows=[[1], [], [2]], cols=[[1, 1], [1]])
SQUARE = Nonogram(rows=[[1, 1], [], [2]], cols=[[1, 1], [1], [1]], id="taai-7")
HTML = """<table id="nonogram_table" class="nonogram_table"><tbody>
<tr><td id="nmti"></td><td class="nmtt">
<table><tbody>
<tr><td class="num">1</td><td class="num_empty"></td></tr>
<tr><td class="num">1</td><td class="num">1</td></tr>
</tbody></table>
</td></tr><tr><td class="nmtl">
<table><tbody>
<tr><td class="num">1</td></tr>
<tr><td class="num">0</td></tr>
<tr><td class="num">2</td></tr>
</tbody></table>
</td><td class="nmtc">
<table><tbody>
<tr><td class="num_empty"></td><td class="num_empty"></td></tr>
<tr><td class="num_empty"></td><td class="num_empty"></td></tr>
<tr><td class="num_empty"></td><td class="num_empty"></td></tr>
</tbody></table>
</td></tr></tbody></table>
"""
XML = """<?xml version="1.0"?>
<puzzleset>
<puzzle type="grid" defaultcolor="black">
<color name="white" char=".">FFFFFF</color>
<color name="black" char="X">000000</color>
<clues type="columns">
<line><count>1</count><count>1</count></line>
<line><count>1</count></line>
</clues>
<clues type="rows">
<line><count>1</count></line>
<line></line>
<line><count>2</count></line>
</clues>
</puzzle>
</puzzleset>
"""
TEXTS = [
    (nin, "2 3\n1\n0\n2\n1 1\n1\n", BOARD),
    (mk, "3 2\n1\n0\n2\n#\n1 1\n1\n", BOARD),
    (cwd, "3\n2\n1\n0\n2\n\n1 1\n1\n", BOARD),
    (taai, "$7\n1\t1\n1\n1\n1\t1\n0\n2\n", SQUARE),
    (non, "width 2\nheight 3\n\nrows\n1\n0\n2\n\ncolumns\n1,1\n1\n", BOARD),
    (webpbn, XML, BOARD),
    (nonograms_org, HTML, BOARD),
]
KNOWN = Nonogram.from_picture(
    ["#.", "..", "##"],
    id="#1 (v.1)",
    title='A "fish" & <chips>',
    author="Bär",
    licence="© 2004",
    source="made for this test",
)


@st.composite
def squares(draw):
    size = draw(st.integers(1, 4))
    picture = draw(st.lists(st.booleans(), min_size=size**2, max_size=size**2))
    return Nonogram.from_picture(np.array(picture, dtype=int).reshape(size, size))


def ids(values):
    return [value[0].name for value in values]


def check_sniffed(text, own):
    assert [f.name for f in FORMATS if f.detect(text)] == [own.name]


@pytest.mark.parametrize(("file_format", "text", "puzzle"), TEXTS, ids=ids(TEXTS))
def test_an_example_of_every_format(file_format, text, puzzle):
    assert file_format.read(text) == [puzzle]
    assert file_format.write([puzzle]) == text
    assert file_format.read(text.replace("\n", "\r\n"), "nonogram") == [puzzle]
    assert file_format.read("\n" + text + "\n\n") == [puzzle]
    with pytest.raises(InputError, match="it holds no sudoku"):
        read_text(text, "sudoku", file_format.name)
    check_sniffed(text, file_format)


@pytest.mark.parametrize("file_format", FORMATS, ids=lambda f: f.name)
def test_the_surface_of_a_format(file_format):
    assert file_format.about
    assert (() if file_format is native else ("nonogram",)) == file_format.puzzles
    assert not file_format.detect("")
    assert not file_format.detect("hello")
    assert not file_format.detect("5x5:2/1.1/2/2.2/2/2/2.2/1/3/2")
    assert not file_format.detect("https://puzz.link/p?nonogram/6/7/31h")
    assert not file_format.detect("1..|2..\n" * 9)
    assert not file_format.detect(
        "000000010400000000020000000000050407008000300001090000300400200\n"
    )
    if file_format is not native:
        sudoku = Sudoku.from_dict({**Sudoku.examples()[0].to_dict(), "id": "x"})
        with pytest.raises(InputError, match=f"x: format {file_format.name} holds no sudoku"):
            write_text([sudoku], file_format.name)


@given(st.lists(squares(), min_size=1, max_size=4))
def test_round_trip_of_taai(puzzles):
    text = taai.write(puzzles)
    assert taai.read(text) == puzzles
    assert [p.id for p in taai.read(text)] == [f"taai-{i + 1}" for i in range(len(puzzles))]
    assert taai.write(taai.read(text)) == text
    check_sniffed(text, taai)


COLOURED = Nonogram.from_picture(
    ["aa#", ".#a", "X.b"], colours={"a": "#ff0000", "X": "#0000ff", "b": "#00ff00", ".": "#ffffcc"}
)


@pytest.mark.parametrize("file_format", [native, non, webpbn, nonograms_org], ids=lambda f: f.name)
def test_colours_come_back(file_format):
    text = file_format.write([COLOURED])
    (puzzle,) = file_format.read(text)
    check_sniffed(text, file_format)
    if file_format is nonograms_org:  # colours without letters, on white, and no solution
        inks = [ink for sign, ink in COLOURED.colours if sign != "."]
        assert sorted(ink for _, ink in puzzle.colours) == sorted(inks)
        text = file_format.write([puzzle])
        assert file_format.read(text) == [puzzle]
        return
    assert puzzle == COLOURED
    assert (puzzle.solution == COLOURED.solution).all()
    assert file_format.write([puzzle]) == text


@given(st.sampled_from((".#a", ".ab", ".#Xyz")).flatmap(lambda s: nonograms(signs=s)))
def test_colours_come_back_of_any_clues(puzzle):
    for file_format in (native, non, webpbn):
        (again,) = file_format.read(file_format.write([puzzle]))
        if file_format is native or len({*"".join(map(str, puzzle.rows))} & {*"aXbyz"}) > 1:
            assert (again.rows, again.cols) == (puzzle.rows, puzzle.cols)


@pytest.mark.parametrize("file_format", [nin, mk, cwd, taai], ids=lambda f: f.name)
def test_formats_without_colours_refuse_them(file_format):
    with pytest.raises(InputError, match="black and white only; json, non"):
        file_format.write([COLOURED])


def test_non_with_colours_as_the_nonogram_database_has_it():
    text = 'color a #f00\nwidth 2\nheight 1\nrows\n1a,1\ncolumns\n1a\n1\ngoal "a1"\n'
    (puzzle,) = non.read(text)
    assert puzzle == Nonogram(rows=["1a 1"], cols=["1a", 1], colours={"a": "#ff0000"})
    assert puzzle.solution.tolist() == [[2, 1]]
    for wrong, message in (
        ("color aa #f00", "line 1: expected a letter and a colour, such as color a #ff0000"),
        ("color a red", r"colours\[a\]: expected a colour such as #ff0000, got 'red'"),
    ):
        with pytest.raises(InputError, match=message):
            non.read(text.replace("color a #f00", wrong))
    with pytest.raises(InputError, match="goal: expected 2 signs 01a, row by row"):
        non.read(text.replace('"a1"', '"b1"'))


def test_colours_as_webpbn_has_them():
    text = """<puzzle defaultcolor="red" backgroundcolor="sky">
    <color name="sky" char=".">88CCFF</color><color name="red" char="r">F00</color>
    <color name="dark red" char="%">800000</color><color name="black" char="X">000</color>
    <clues type="columns"><line><count>1</count></line>
    <line><count color="dark red">1</count></line><line/></clues>
    <clues type="rows"><line><count>1</count><count color="dark red">1</count></line></clues>
    <solution><image>|r%.|</image></solution></puzzle>"""
    (puzzle,) = webpbn.read(text)
    colours = {".": "#88ccff", "a": "#800000", "r": "#ff0000"}
    assert puzzle == Nonogram(rows=["1r 1a"], cols=["1r", "1a", ""], colours=colours)
    assert puzzle.format_answer(puzzle.solution) == ["ra."]
    (painted,) = webpbn.read(text.replace("clues", "hints"))
    assert painted == puzzle


def test_colours_of_a_table():
    ways = ("bgcolor=red", 'style="background-color: rgb(255, 0, 0)"', 'style="background:#f00"')
    for way in ways:
        (puzzle,) = nonograms_org.read(HTML.replace('<td class="num">2<', f"<td {way}>2<"))
        assert puzzle.rows == ((1,), (), ("2a",))
        assert dict(puzzle.colours)["a"] in ("#ff0000", "#e69f00")
    assert dict(puzzle.colours)["a"] == "#ff0000"


def test_what_is_known_is_kept_where_there_is_a_place():
    (puzzle,) = webpbn.read(webpbn.write([KNOWN]))
    assert puzzle.to_dict() == KNOWN.to_dict()
    (puzzle,) = non.read(non.write([KNOWN]))
    assert puzzle.to_dict() == KNOWN.to_dict() | {"id": KNOWN.title}
    (puzzle,) = non.read(non.write([Nonogram(rows=[[1]], cols=[[1]], id="a")]))
    assert puzzle.id == "a"


@given(st.text(max_size=20))
def test_any_title_is_one_line(title):
    puzzle = Nonogram(rows=[[1]], cols=[[1]], title=title)
    line = "".join(c if c.isprintable() else "?" for c in " ".join(title.split()))
    assert non.read(non.write([puzzle, puzzle]))[0].title == line
    (puzzle,) = webpbn.read(webpbn.write([puzzle]))
    assert all(a in (b, "\ufffd") for a, b in zip(puzzle.title, line, strict=True))


def test_no_puzzles_are_no_lines():
    for file_format in FORMATS:
        assert file_format.write([]) in ("", '<?xml version="1.0"?>\n<puzzleset>\n</puzzleset>\n')


@pytest.mark.parametrize(
    ("file_format", "text", "message"),
    [
        (nin, "2 3\n1\n0\n2\n1 1\n", "line 5: 6 lines are due for height 3 and width 2"),
        (nin, "2\n3\n1", "line 1: width and height due here, got '2'"),
        (nin, "99999 99999\n1", "line 1: width is '99999', expected 1 to 1000"),
        (nin, "0 1\n1", "line 1: width is '0', expected 1 to 1000"),
        (nin, "1 1\n\n1", "line 2: blank; write 0 for an empty line"),
        (nin, "1 1\n3b\n1", "line 2: '3b' is no number; if it is a colour"),
        (nin, "1 1\n1,1\n1", "line 2: '1,1' is no number"),
        (nin, f"1 1\n{'9' * 5000}\n1", "line 2: the numbers do not fit"),
        (nin, f"1 1\n{'1 ' * 5000}\n1", "line 2: the numbers do not fit"),
        (nin, "", "line 1: width and height due here"),
        (mk, "1 1\n1\n1", "line 3: 4 lines are due for height 1 and width 1 (height width, rows,"),
        (mk, "1 1\n1\n1\n1", "line 3: a line '#' is due after the rows, got '1'"),
        (cwd, "1\n1\n1\n#\n1", "line 4: a blank line is due after the rows, got '#'"),
        (cwd, "1 1\n1\n1\n\n1", "line 1: height due here, got '1 1'"),
        (taai, "1\n1", "line 1: a line such as $1 is due first, got '1'"),
        (taai, "$1\n1\n1\n$x\n1\n1", "line 4: $ and a number are due, got '$x'"),
        (taai, "$1\n1\n1\n1", "line 1: 3 lines below $1; a square board"),
        (taai, "$1\n$2\n1\n1", "line 1: 0 lines below $1"),
        (taai, "$1\n1\n\n0\n1", "line 3: blank; write 0"),
        (taai, "$1\n\n1\n0", "line 1: 3 lines below $1"),
        (
            non,
            "rows\n3bb\ncolumns\n1",
            "line 2: '3bb' is no number; a clue is whole numbers",
        ),
        (non, "rows\n" + "1\n" * 1_001, "line 1002: too many clues; a nonogram here has 1 to 1000"),
        (non, "rows\n" + "\n" * 2_000 + "1\n", "line 2002: too many clues"),
        (non, "height 1500\nrows\n" + "\n" * 1_500, "height is 1500; a nonogram here has 1 to"),
    ],
)
def test_texts_that_are_refused(file_format, text, message):
    check_refused(file_format, text, message)


def check_refused(file_format, text, message=""):
    with pytest.raises(InputError) as caught:
        file_format.read(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_what_a_format_cannot_hold_is_refused_when_written():
    for file_format in SINGLE:
        with pytest.raises(InputError, match=r"taai-7: .* holds one puzzle"):
            file_format.write([BOARD, SQUARE])
    with pytest.raises(InputError, match="instance 1: 3 rows and 2 columns; taai"):
        taai.write([BOARD])
    large = Nonogram(rows=[[1]] * 400, cols=[[400]] + [[]] * 399, id="big")
    with pytest.raises(InputError, match="big: over 90,000 cells"):
        nonograms_org.write([large])
    # 300 x 297 cells, two columns of row clues, one row of column clues: 89,997, and 4 around.
    clues = [[1], [], [1]]
    just = Nonogram(rows=[[1, 1]] + [[]] * 299, cols=clues + [[]] * 294)
    with pytest.raises(InputError, match="over 90,000 cells"):
        nonograms_org.write([just])


def test_numbers_of_taai_boards_are_kept_if_all_have_one():
    boards = [SQUARE, Nonogram(rows=[[1]], cols=[[1]], id="taai-3")]
    assert [p.id for p in taai.read(taai.write(boards))] == ["taai-7", "taai-3"]
    boards.append(Nonogram(rows=[[]], cols=[[]]))
    assert [p.id for p in taai.read(taai.write(boards))] == ["taai-1", "taai-2", "taai-3"]
    assert taai.read("$1\n1\n1\n\n\n$2\n1\n1")[1].id == "taai-2"


# --- XML -------------------------------------------------------------------------------

GOAL = "<solution type='goal'><image>\n|X.|\n|..|\n|XX|\n</image></solution>"


def test_xml_as_webpbn_writes_it():
    text = XML.replace("<puzzleset>", '<!DOCTYPE pbn SYSTEM "http://webpbn.com/pbn-0.3.dtd">\n'
        "<puzzleset><source>webpbn.com</source>")  # fmt: skip
    text = text.replace("<color", "<copyright>&copy; Copyright\n2004</copyright><color", 1)
    (puzzle,) = webpbn.read(text.replace("</puzzle>", GOAL + "</puzzle>"))
    assert puzzle == BOARD
    assert (puzzle.licence, puzzle.source) == ("© Copyright 2004", "webpbn.com")
    assert puzzle.format_answer(puzzle.solution) == ["#.", "..", "##"]


def test_xml_with_a_goal_only_and_other_solutions():
    saved = "<solution type='saved'><image>|?|</image></solution>"
    (puzzle,) = webpbn.read(f"<puzzle>{saved}{GOAL}</puzzle>")
    assert puzzle == BOARD


def test_xml_of_one_colour_that_is_not_black():
    text = XML.replace('"black"', '"blue"')
    assert webpbn.read(text) == [BOARD]
    named = XML.replace('defaultcolor="black"', 'defaultcolor="white"')
    assert webpbn.read(named.replace("<count>", '<count color="black">')) == [BOARD]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (XML.replace('defaultcolor="black"', 'defaultcolor="white"'), "the background's colour"),
        (XML.replace(">000000", ">white/black"), "line 3: a puzzle with triangles"),
        (
            XML.replace('"grid"', '"triddler"'),
            "line 3: a puzzle of type 'triddler'; only type grid",
        ),
        (XML.replace('"rows"', '"sides"'), "clues of type 'sides' is no kind of clues of a grid"),
        (XML.replace('"rows"', '"columns"'), "clues of type 'columns' for the second time"),
        (XML.replace(">2<", ">two<"), "line 13: 'two' is no number"),
        (XML.replace(">2<", ">2 2<"), "line 13: one number is due in a <count>"),
        (XML.replace(">2<", "><"), "line 13: blank"),
        (XML.replace("</clues>", "", 1), "line 15: not XML (mismatched tag)"),
        (XML.replace("puzzleset", "html"), "line 2: <puzzleset> is due, got <html>"),
        (f"<puzzle>{GOAL}{GOAL}".replace("X", "Y") + "</puzzle>", "'Y' in the image is the char"),
        ("<puzzle></puzzle>", 'the puzzle at line 1: <clues type="columns"> is missing'),
        ("<puzzle>" + "<a>" * 30, "elements nested over 20 deep"),
        (XML.replace("<line>", "<line/>" * 1_000 + "<line>", 1), "1002 columns; a nonogram here"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><puzzle>&b;</puzzle>', "line 1: a document type that"),
        ('<!DOCTYPE a SYSTEM "b"><puzzle>&b;</puzzle>', "line 1: &b; is no character"),
        ("<puzzle>&b;</puzzle>", "line 1: not XML (undefined entity)"),
        ("<puzzle>\ud800</puzzle>", "character 9 is no Unicode text"),
        ("<puzzle>\0</puzzle>", "not XML"),
    ],
)
def test_xml_that_is_refused(text, message):
    check_refused(webpbn, text, message)


# --- HTML ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        # A plain table, as rows and columns of cells.
        "<table><tr><td><td>1<td><tr><td><td>1<td>1<tr><td>1<td><td><tr><td>0<td><td>"
        "<tr><td>2<td><td></table>",
        # All numbers of a line in one cell.
        "<TABLE><TR><TH></TH><TH>1<br>1</TH><TH>1</TH></TR><TR><TH>1</TH><TD>X</TD><TD></TD></TR>"
        "<TR><TH>0</TH></TR><TR><TH> 2 </TH></TR></TABLE>",
        # A merged corner.
        "<table><tr><td rowspan=2 colspan=1>\n<td>1<td>&nbsp;<tr><td>1<td>1<tr><td>1<td><td>"
        "<tr><td><td><td><tr><td>2<td><td></table>",
        # The site's table in a page, with scripts, comments and another table.
        "<!DOCTYPE html><table><tr><td>Menu</table><script>var x = 1;</script><!-- < -->" + HTML,
        HTML.replace("num_empty", "num_empty x").replace('"></td>', '"><div>&nbsp;</div></td>'),
        HTML.replace(' class="nmtt"', "").replace(' class="nmtl"', ""),
    ],
)  # fmt: skip
def test_tables_as_people_copy_them(text):
    assert nonograms_org.detect(text)
    assert nonograms_org.read(text) == [BOARD]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HTML.replace(">2<", ">two<"), "the table at line 1: line 11: 'two' is no number"),
        (HTML.replace("</td></tr>", "<td></tr>", 1), "line 5: 2 cells of column clues, 3 above"),
        (HTML[:99] + "<table>", "no table of the row clues at the left"),
        (HTML[:20], "is no tag with an end; copy the whole table"),
        ("<table><tr><td></table>", "it is no board"),
        ("<table><tr><td>1<td>1<tr><td>1<td></table>", "it is no board"),
        ("<table><tr><td><td colspan=2>1<tr><td>1<td></table>", "line 1: a merged cell"),
        ("<table><tr><td rowspan=9>1<td>1<tr><td>1<td></table>", "the corner spans all rows"),
        ("<table><tr><td rowspan=99999>", "a cell that spans"),
        ("<table>" * 30, "tables nested over 20 deep"),
        ("<table><tr>" + "<td>" * 90_001, "line 1: over 90,000 cells"),
        ("<table></table>" * 2_500 + "\n<table>", "line 2: over 250,000 cells in all"),
        (f"<table {'a ' * 5000}>", "is no tag with an end"),
        ("<table><tr><td>1 < 2</table>", "line 1: '< 2</table>' is no tag"),
    ],
)
def test_tables_that_are_refused(text, message):
    check_refused(nonograms_org, text, message)


# --- pynogram, nonogrid ------------------------------------------------------------------

P = Nonogram(rows=[[2], [], [1, 1]], cols=[[1, 1], [1], [1]])


@pytest.mark.parametrize(
    "text",
    [
        "[clues]\ncolumns =\n  1 1\n  1\n  1\nrows =\n  2\n  0\n  1 1\n",
        "# a picture\n[clues]\nrows=2,0,1 1\n\n[colors]\nx = (red) %\n[clues]\ncolumns=1 1,1,1\n",
        "[clues]\r\ncolumns = '1 1', 1 # all\r\n\r\n ; one\r\n 1,\r\nrows: 2\r\n\t0,1 1\r\n",
        '[clues]\ncolumns = """\n 1 1\n 1, 1 """\nrows = """2\n"0"\n1 1\n"""\n[colors]\ndefs = []',
        'title = "none"\n[clues]\nrows = [\n"2", "0",\n"1 1"]\ncolumns = ["1 1", "1", "1"]\n',
        '{"ver": [[2], [], [1, 1]], "hor": [[1, 1], [1], [1]]}',
        '[{"hor":[[1,1],[1],[1]],"ver":[[2],[0],[1,1]],"title":"t"}]',
    ],
)
def test_pynogram_nonogrid_and_hints_in_json(text):
    assert read_text(text) == read_text(text, "nonogram") == [P]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[clues]\ncolumns = 1\nrows = 2gg\n", "line 3: '2gg' is no number"),
        ("[clues]\ncolumns = 1\n", "no rows below [clues]"),
        ("[clues]\n1\n", "line 2: columns = or rows = is due"),
        ("[clues]\nrows = " + "1," * 1001 + "\ncolumns=1", "line 2: too many clues"),
        ('{"ver": [[1]], "hor": 1}', "cols: "),
    ],
)
def test_what_is_wrong_in_them_is_named(text, message):
    with pytest.raises(InputError) as caught:
        read_text(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
