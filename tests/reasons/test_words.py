"""Sentences about what is known on a board."""

from qubopuzzle.model.statements import Statement
from qubopuzzle.puzzles.starbattle import StarBattle
from qubopuzzle.reasons.board import Board
from qubopuzzle.reasons.deduction import Deduction
from qubopuzzle.reasons.words import Words, grouped


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
