"""Sentences about what is known on a board."""

import re

import pytest

from qubopuzzle import generate, steps
from qubopuzzle.model.statements import Statement
from qubopuzzle.puzzles.starbattle import StarBattle
from qubopuzzle.puzzles.zip import Zip
from qubopuzzle.reasons.board import Board
from qubopuzzle.reasons.deduction import Deduction
from qubopuzzle.reasons.words import Facts, Words, grouped

TOWARDS = {"to the right": (0, 1), "downwards": (1, 0), "to the left": (0, -1), "upwards": (-1, 0)}


def test_like_reasons_are_one():
    rows = [Statement("row", f"row {k}") for k in (1, 2, 3)]
    reasons = ["row 1 needs 2 stars", "row 2 needs 1 star", "row 3 needs 2 stars"]
    assert grouped(rows, reasons) == ["each of row 1 and row 3 needs 2 stars", "row 2 needs 1 star"]


def compared(marks, cell, *names):
    board = Board(StarBattle(rooms=["aabc", "ddbc", "ddbc", "ddbc"]), marks)
    numbers = [statement.name for statement in board.stated.statements]
    words = Words(board, Deduction(board.stated))
    return words.compared([numbers.index(name) for name in names], board.number(cell))


def test_as_many_stars_in_cells_that_another_has_all():
    a, b = "the room of row 1, column 1", "the room of row 1, column 3"
    text = f"{a} needs as many as row 1, and shares all its open cells with it"
    assert compared({}, (0, 2), "row 1", a) == text
    # Its own cells are not decided; with more of them it would be another reason.
    assert compared({}, (0, 1), "row 1", a) == ""
    assert compared({}, (0, 3), "row 1", a, b) == ""
    assert compared({}, (0, 3), "row 1") == ""


def test_more_stars_than_another_has_room_for():
    a, b = "the room of row 1, column 1", "the room of row 1, column 3"
    more = f"{a} and {b} need 1 more than row 1, and share all their open cells with it"
    more += " but row 2, column 3"
    assert compared({(2, 2): 0, (3, 2): 0}, (1, 2), "row 1", a, b) == more
    assert compared({(2, 2): 0, (3, 2): 0}, (0, 3), "row 1", a, b) == more
    assert compared({(3, 2): 0}, (1, 2), "row 1", a, b) == ""


def test_rules_that_are_no_counts_are_not_compared():
    touch = "no two stars touch, not even by a corner"
    assert compared({}, (0, 2), "row 1", touch) == ""


def test_what_the_cell_beside_it_says_of_a_line():
    board = Board(Zip(grid=["1..", "...", "..2"]), {})
    words = Words(board, Deduction(board.stated))

    def is_again(before, after, seen, two=(0, 1), decided=None):
        return words._is_again(Facts(decided or {}, {0: (before, after)}, "...", two), seen)

    left = 2  # the side of the cell beside it
    assert is_again([1, 2], [2], {(1, left): False})  # not joined to the right
    assert is_again([1, 2, 3], [1, 3], {(1, left): True})
    assert not is_again([1, 2], [2], {})
    assert not is_again([1, 2], [2], {(1, left): True})
    assert not is_again([1, 2, 3], [1, 3], {(1, left): False})
    assert not is_again([1, 3], [1], {(1, left): False})  # what goes is downwards
    assert is_again([1, 2, 3], [2], {(1, left): False})  # one value is left, which one sees
    assert not is_again([1, 2], [2], {(1, left): False}, two=(0,))
    assert not is_again([1, 2], [2], {(1, left): False}, decided={1: 3})
    assert words._sides(Facts({4: 5}, {}, "", ())) == {(4, 0): 1, (4, 1): 0, (4, 2): 1, (4, 3): 0}


@pytest.mark.parametrize(("name", "seed"), [("numberlink", 1), ("zip", 2)])
def test_no_line_of_a_proof_says_from_the_other_side_what_another_says(name, seed):
    line = re.compile(rf"row (\d+), column (\d+) is (not )?joined ({'|'.join(TOWARDS)}) \(")
    sides = 0
    (puzzle,) = generate(name, size=(5, 5), seed=seed)
    for step in steps(puzzle):
        seen = set()
        for text in step.chain:
            if match := line.match(text):
                cell, (down, right) = (int(match[1]), int(match[2])), TOWARDS[match[4]]
                assert (cell, match[3], down, right) not in seen, step.text
                seen.add(((cell[0] + down, cell[1] + right), match[3], -down, -right))
                sides += 1
    assert sides
