"""Formats as a whole: each holds what it says, tells itself from the others, and converts."""

import json
import re
import shlex
import subprocess
import sys
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

EXAMPLES = Path(__file__).parents[1] / "examples"
WAYS = [(name, puzzle) for puzzle in NAMES for name in formats_for(puzzle)]


def written(name, puzzle):
    """Those of a puzzle's examples that a format can hold, and their text."""
    held = []
    for example in get_puzzle(puzzle).examples():
        try:
            write_text([example], name)
        except InputError:
            continue
        held.append(example)
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
@settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_random_boards_go_through_every_format_that_holds_them(name, puzzle, data):
    board = data.draw(boards((get_puzzle(puzzle),)))
    try:
        text = write_text([board], name)
    except InputError:
        assume(False)  # such as boxes that lines of text do not tell; refused by name
    found = read_text(text, puzzle)
    assert len(found) == 1
    assert same(board, found[0])
    assert write_text(found, name) == text
    # And on, through native JSON, which holds everything.
    assert same(board, read_text(write_text(found, "json"))[0])


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


PAGES = [Path(__file__).parents[1] / name for name in ("README.md", "docs/formats.md")]
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
    assert shown == set(NAMES)


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
