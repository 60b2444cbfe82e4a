"""Formats as a whole: each holds what it says, tells itself from the others, and converts."""

import json
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import command
from boards import NAMES, boards, same
from qubopuzzle import InputError, Nonogram, Sudoku, load
from qubopuzzle.cli import main
from qubopuzzle.files.puzzles import (
    all_formats,
    formats_for,
    get_format,
    read_text,
    solved_address,
    write_text,
)
from qubopuzzle.puzzles import get_puzzle
from toys import Coin

EXAMPLES = Path(__file__).parents[3] / "examples"
WAYS = [(name, puzzle) for puzzle in NAMES for name in formats_for(puzzle)]

RARELY_HELD = {"heyawake", "hitori", "nonogram", "numberlink", "sudoku"}
"""Puzzles of which some format holds few of the boards that are drawn."""
TOGETHER = [(puzzle, formats_for(puzzle)) for puzzle in NAMES if puzzle not in RARELY_HELD]
TOGETHER += [(puzzle, [name]) for puzzle in sorted(RARELY_HELD) for name in formats_for(puzzle)]
"""Formats that random boards are drawn for at once."""


def written(name, puzzle):
    """Those of a puzzle's examples that a format can hold, and their text."""
    held = [example for example in get_puzzle(puzzle).examples() if holds(name, example)]
    assert held, f"{name} holds no example of {puzzle}"
    try:
        return held, write_text(held, name)
    except InputError as error:
        assert "holds one puzzle" in str(error)
        return held[:1], write_text(held[:1], name)


@pytest.mark.parametrize(("name", "puzzle"), WAYS)
def test_what_a_format_writes_it_reads_and_no_other_does(name, puzzle):
    held, text = written(name, puzzle)
    assert get_format(name).read(text, puzzle) == held
    assert [n for n, known in all_formats().items() if known.detect(text)] == [name]
    assert read_text(text, puzzle) == held
    assert write_text(read_text(text, puzzle), name) == text


@pytest.mark.parametrize(("name", "puzzle"), WAYS)
def test_a_format_says_whether_it_holds_answers(name, puzzle):
    solved = next(board for board in get_puzzle(puzzle).examples() if holds(name, board))
    (read,) = read_text(write_text([solved], name), puzzle)
    assert (read.solution is not None) == get_format(name).answers


def test_two_formats_of_a_name_are_refused(monkeypatch):
    from qubopuzzle.files.puzzles import typed

    monkeypatch.setattr(typed, "SECOND", replace(get_format("janko")), raising=False)
    all_formats.cache_clear()
    try:
        with pytest.raises(InputError, match=r"format 'janko' of typed\.py: another has this name"):
            all_formats()
    finally:
        monkeypatch.undo()
        all_formats.cache_clear()
    assert "janko" in all_formats()


@settings(max_examples=1)
@given(data=st.data())
def test_random_boards_are_of_the_kind_that_is_asked_for(data):
    for name in NAMES:
        assert data.draw(boards(kinds=(get_puzzle(name),))).name == name
    with pytest.raises(NotImplementedError, match="no random boards of coin; add them here"):
        data.draw(boards(kinds=(Coin,)))


@pytest.mark.parametrize(("puzzle", "names"), TOGETHER)
@settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_random_boards_go_through_every_format_that_holds_them(puzzle, names, data):
    drawn = data.draw(st.lists(boards((get_puzzle(puzzle),)), min_size=1, max_size=3))
    ways = {name: [board for board in drawn if holds(name, board)] for name in names}
    assume(all(ways.values()))
    for name, held in ways.items():
        check_way(name, puzzle, held if get_format(name).join else held[:1])


def check_way(name, puzzle, held):
    """Boards are read as they were written, and by no other format of the puzzle."""
    text = write_text(held, name)
    assert [n for n in formats_for(puzzle) if get_format(n).detect(text)] == [name]
    found = read_text(text, puzzle)
    assert len(found) == len(held)
    assert all(map(same, held, found))
    assert write_text(found, name) == text
    # And on, through native JSON, which holds everything.
    assert all(map(same, held, read_text(write_text(found, "json"))))


def holds(name, board):
    """Whether a format can hold a board; not such as boxes that lines of text do not tell."""
    try:
        write_text([board], name)
    except InputError:
        return False
    return True


WORDS = """
    1 0 -1 99999 # $1 3b < > / & &copy; &x; <!-- <a <table> </table> <tr> <td> <count> </count>
    <line> <puzzle> <!DOCTYPE <game data=' rows columns ==== goal width [clues] rows= grid= begin
    end [areas] solution size pzprv3/ https://puzz.link/p?hitori/ %2f 5x5: SAVEFILE:41: { [ " ' , ;
    | a=1 +5 X a.A ? _ * \0 \ud800 \u0663 \u00b2 \U0001f642
""".split()  # noqa: SIM905
PIECES = st.sampled_from([*WORDS, "9" * 5_000, "\x85", " ", "\t", "\r", "\n", "\nbegin\n"])


@cache
def texts_of(name):
    """Texts of a format: of the examples of each puzzle, and of all that go together."""
    texts = []
    for puzzle in get_format(name).puzzles or NAMES:
        held, text = written(name, puzzle)
        texts += [text, write_text(held[:1], name)]
    return texts


@st.composite
def changed(draw, texts):
    """One of them, of which pieces are cut out, and others put in."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        stop = start + draw(st.sampled_from([0, 0, 1, 2, 5, 20, 1000]))
        text = text[:start] + draw(PIECES | st.text(max_size=3)) + text[stop:]
    return text


def check_harmless(known, text):
    assert known.detect(text) in (True, False)
    for kind in (None, *known.puzzles):
        try:
            puzzles = known.read(text, kind)
        except InputError as error:
            assert len(str(error).splitlines()) == 1
            assert len(str(error)) < 400
        else:
            assert {puzzle.name for puzzle in puzzles} <= {
                *known.puzzles,
                *([kind] if kind else NAMES),
            }


@pytest.mark.parametrize("name", all_formats())
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_text_is_puzzles_or_one_line(name, data):
    free = st.text(max_size=80) | st.lists(PIECES, max_size=20).map("".join)
    check_harmless(get_format(name), data.draw(free | changed(texts_of(name))))


@pytest.mark.parametrize("name", all_formats())
@pytest.mark.parametrize(
    "piece", ["1 ", "\n", "a.b\n", "$1\n", "<!--", "<td>", "<puzzle>", "&", "<a b='"]
)
def test_long_texts_take_no_time_that_grows_with_their_square(name, piece):
    known = get_format(name)
    for head in ("", texts_of(name)[0], "rows\n1\n", "<table><tr><td>", "<puzzleset><puzzle>"):
        text = head + piece * (100_000 // len(piece)) + "1"
        assert known.detect(text) in (True, False)
        with suppress(InputError):
            known.read(text)


@pytest.mark.parametrize("name", all_formats())
def test_a_format_says_what_it_does_not_hold(name):
    known = get_format(name)
    assert known.about
    for puzzle in NAMES:
        if known.puzzles and puzzle not in known.puzzles:
            with pytest.raises(InputError, match=f"format {name} holds no {puzzle}; these do: "):
                write_text(get_puzzle(puzzle).examples(), name)
            _, text = written("json", puzzle)
            assert not known.detect(text)


def test_unknown_formats_are_refused():
    with pytest.raises(InputError, match="unknown format 'xlsx'; choose from "):
        load("anything", format="xlsx")
    with pytest.raises(InputError, match="unknown format 'xlsx'"):
        write_text([], "xlsx")


@pytest.mark.parametrize(("first", "second"), list(product(formats_for("nonogram"), repeat=2)))
def test_nonograms_convert_between_all_formats(first, second, tmp_path, capsys):
    held = Nonogram.examples()[:1]
    text = write_text(held, first)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text(text)
    assert main(["convert", str(source), "--to", second, "-o", str(target)]) == 0
    assert load(target) == held
    assert main(["convert", str(target), "--to", first, "--format", second]) == 0
    assert load(capsys.readouterr().out) == held


def test_puzzles_may_be_pasted(capsys):
    _, text = written("puzzlink", "heyawake")
    address = text.splitlines()[0]
    assert main(["solve", address, "--seed", "1"]) == 0
    assert "\nvalid" in capsys.readouterr().out
    assert main(["solve", "https://example.com/page"]) == 2
    assert "no address of a puzzle" in capsys.readouterr().err
    assert main(["solve", "no-such-file.json"]) == 2
    assert "No such file" in capsys.readouterr().err


def test_an_address_opens_the_solved_board(capsys):
    """Where a player's address can hold an answer, and one line where none can."""
    carried = set()
    for name in NAMES:
        for example in get_puzzle(name).examples():
            try:
                address = solved_address(example, example.solution)
            except InputError as error:
                assert str(error) == f"no player's address has a place for answers of {name}"
                continue
            (opened,) = load(address, name)
            if opened.solution is not None:  # the answer beside the clues
                assert opened == example
                assert (opened.solution == example.solution).all()
            else:  # the answer as givens
                assert (np.array(opened.grid) == example.solution).all()
                assert opened.violations(example.solution) == []
            carried.add(name)
    assert carried == {"nonogram", "sudoku", "easyasabc"}
    assert main(["solve", str(EXAMPLES / "picross-a.json"), "--seed", "1", "--url"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/pattern.html"
        "#5x5:2/3/1.1/3/2/1/1.1/1.1/5/1.1,aaAaaaAaAaaAaAaAAAAAAaaaA"
    )
    assert main(["solve", str(EXAMPLES / "hitori.json"), "--seed", "1", "--url", "--json"]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["solved_url"] is None
    assert "--url: no player's address has a place for answers of hitori" in found.err
    with pytest.raises(InputError, match="boxes"):
        solved_address(Sudoku([[0] * 3] * 3, box=(1, 3)), np.zeros((3, 3), dtype=int))


def test_the_formats_are_listed():
    done = subprocess.run(
        [sys.executable, "-m", "qubopuzzle", "formats"], capture_output=True, text=True, check=True
    )
    for name, known in all_formats().items():
        assert name in done.stdout
        assert known.about in done.stdout


PAGES = [
    Path(__file__).parents[3] / name for name in ("README.md", "docs/formats.md", "docs/kinds.md")
]
PASTED = [
    line
    for page in PAGES
    for line in re.findall(r"^\$ qubopuzzle ((?:solve|convert) .*)$", page.read_text(), re.M)
    if "puzz.link" in line or "convert" in line or re.search(r"[.0-9]{81}", line)
]


@pytest.mark.parametrize("line", PASTED)
def test_what_the_pages_show_runs(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(PAGES[0].parent / "examples")
    assert main(shlex.split(line)) == 0
    out = capsys.readouterr().out
    assert "\nvalid" in out or line.startswith("convert")


def test_the_pages_show_an_address_of_every_puzzle():
    shown = {read_text(address)[0].name for line in PASTED for address in _addresses(line)}
    assert shown == {name for name in NAMES if "puzzlink" in formats_for(name)}


def _addresses(line):
    return re.findall(r"https://puzz.link/[^']*", line)


@pytest.mark.parametrize(
    "words", ["convert a.json --to json", "generate nonogram", "export a.json --to lp"]
)
def test_a_text_is_not_written_into_a_picture(words, tmp_path):
    (tmp_path / "a.json").write_text('{"puzzle": "nonogram", "rows": [[1]], "cols": [[1]]}')
    status, _, err = command.run(*words.split(), "-o", "x.PDF", cwd=tmp_path)
    assert status == 2
    assert " x.PDF: no picture is written there; `show --plot FILE` draws" in err
    assert not (tmp_path / "x.PDF").exists()
