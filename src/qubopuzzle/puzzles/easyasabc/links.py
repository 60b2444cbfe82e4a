"""Easy as ABC in the players: letters around a square grid, and in it."""

import re
from dataclasses import replace
from functools import partial
from string import ascii_uppercase

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.easyasabc.rules import SIDES
from qubopuzzle.puzzles.links import NUMBER16, WHOLE, AddressText, Board, FileText, Text, Words
from qubopuzzle.puzzles.penpa import PenpaText


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


def _range(text: PenpaText, board: Board) -> None:
    """Which letters there are, such as (A-C), on the left above; all that are seen without."""
    numbers = text.given.numbers
    if not text.reading:
        numbers[-1, -1] = f"(A-{ascii_uppercase[board['letters'] - 1]})"
    words = [word for cell, word in numbers.items() if not text.inside(cell)]
    ranges = [match[1] for word in words if (match := re.fullmatch("[(]?A-([A-Z])[)]?", word))]
    letters = ranges or [word for word in numbers.values() if word in [*ascii_uppercase]] or ["A"]
    board |= {"size": text.shape[0], "letters": ascii_uppercase.index(max(letters)) + 1}


def _filled(text: PenpaText, board: Board) -> None:
    """The letters of an answer, those that are given, too."""
    known = board.get("solution")
    letters = np.zeros(text.shape, dtype=np.int64) if known is None else known
    read = text.answer(links.number_words(letters, ascii_uppercase))
    read[np.char.isnumeric(read.astype(str)) | np.equal(read, "#")] = "."
    board["solution"] = None if (read == ".").all() else links.to_numbers(read, ascii_uppercase)


_GRID = partial(links.grid, code=replace(NUMBER16, names=ascii_uppercase))
LINKS = (
    penpa.Penpa(
        ("easy as abc",),
        [_range, penpa.outside(*SIDES, names=ascii_uppercase, blank=0), _GRID, _filled],
    ),
    links.Link(
        "easyasabc",
        body=[_letters, _border],
        file=[_letters, _table],
        square=True,
        givens="grid",
    ),
)
