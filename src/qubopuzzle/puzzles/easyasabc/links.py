"""Easy as ABC in the players: letters around a square grid, and in it."""

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links
from qubopuzzle.puzzles.easyasabc.rules import SIDES
from qubopuzzle.puzzles.links import WHOLE, AddressText, Board, FileText, Text, Words


def _letters(text: Text, board: Board) -> None:
    """How many letters there are."""
    letters = text.word(str(board.get("letters")))
    if not WHOLE.fullmatch(letters):
        raise InputError(f"{letters[:20]!r} is no number of letters")
    board |= {"size": text.shape[0], "letters": int(letters)}


def _border(text: AddressText, board: Board) -> None:
    """The letters of each side, then the grid if there are any in it."""
    border = np.array([board.get(side, [0] * text.shape[0]) for side in SIDES])
    _read_sides(board, text.numbers(border))
    if text.at < len(text.body) if text.reading else np.any(board["grid"]):
        links.grid(text, board)


def _table(text: FileText, board: Board) -> None:
    """The grid with the letters around it; in it letters of an answer, or given after a ``q``."""
    size = text.shape[0]
    given = np.asarray(board.get("grid", np.zeros(text.shape, dtype=np.int64)))
    answer = given if board.get("solution") is None else board["solution"]
    table = np.zeros((size + 2, size + 2), dtype=object)
    for side, edge in zip(SIDES, _edges(table), strict=True):
        edge[:] = board.get(side, 0)
    marks = np.char.add("q", given.astype(str)).astype(object)
    table[1:-1, 1:-1] = np.where(given, marks, answer)
    table = text.words(np.where(table == 0, ".", table))
    _read_sides(board, links.to_numbers(np.array(_edges(table))))
    words = links.without(table[1:-1, 1:-1], "q")
    numbers = links.to_numbers(np.where(words == table[1:-1, 1:-1], ".", words))
    links.check(numbers)
    board["grid"] = numbers.tolist()
    digits = links.to_digits(words)
    board["solution"] = digits if digits.any() else None


def _edges(table: Words) -> list[Words]:
    return [table[0, 1:-1], table[-1, 1:-1], table[1:-1, 0], table[1:-1, -1]]


def _read_sides(board: Board, border: IntArray) -> None:
    links.check(border, lambda side, place: f"{SIDES[side - 1]} {place}", "letter")
    board |= zip(SIDES, border.tolist(), strict=True)


LINKS = (
    links.Link(
        "easyasabc",
        body=[_letters, _border],
        file=[_letters, _table],
        square=True,
        givens="grid",
    ),
)
