"""Sheets to print: all puzzles are on them, once, and within the page."""

import re

import numpy as np
import pytest

from qubopuzzle.cli import parser_of
from qubopuzzle.picture import Picture
from qubopuzzle.picture.sheet import PAPERS, Part, sheet
from qubopuzzle.puzzles import get_puzzle, puzzle_names


def pages(pdf):
    return len(re.findall(rb"/Type /Page\b(?!s)", pdf))


@pytest.fixture(scope="module")
def examples():
    return [puzzle for name in puzzle_names() for puzzle in get_puzzle(name).examples()[:1]]


def test_each_kind_is_on_a_sheet_with_its_solution(examples):
    boards = [(str(n), puzzle.picture()) for n, puzzle in enumerate(examples, 1)]
    solved = [(str(n), puzzle.picture(puzzle.solution)) for n, puzzle in enumerate(examples, 1)]
    pdf = sheet([Part("Puzzles", boards), Part("Solutions", solved, is_read=True)])
    assert pdf.startswith(b"%PDF")
    assert 3 <= pages(pdf) <= 12
    assert pdf == sheet([Part("Puzzles", boards), Part("Solutions", solved, is_read=True)])


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("across", [0, 1, 2, 3])
def test_boards_of_any_shape_stay_on_the_page(paper, across, monkeypatch):
    places = []
    monkeypatch.setattr(
        "qubopuzzle.picture.sheet.draw", lambda _, axes: places.append(axes.get_position().extents)
    )
    shapes = [(1, 1), (2, 60), (60, 2), (30, 30), *[(10, 10)] * 5, (4, 4), (120, 90)]
    sheet(
        [Part("A heading", [("x" * 40, Picture(*shape)) for shape in shapes], across=across)], paper
    )
    assert len(places) == len(shapes)
    corners = np.array(places)
    assert corners.min() > 0
    assert corners.max() < 1


def test_so_many_stand_beside_each_other_and_links_are_there():
    puzzle = get_puzzle("sudoku").examples()[0]
    boards = [("a sudoku", puzzle.picture())] * 12
    assert pages(sheet([Part("", boards, across=1)])) > pages(sheet([Part("", boards, across=3)]))
    assert b"https://puzz.link/" in sheet([Part("", boards[:1], ["https://puzz.link/p?x"])])


def test_the_command_knows_the_same_papers():
    (paper,) = (a for a in parser_of("sheet").actions() if a.dest == "paper")
    assert {*paper.choices} == {*PAPERS}
