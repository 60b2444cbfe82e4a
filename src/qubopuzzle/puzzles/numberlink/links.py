"""Numberlink in the players: ``arukone`` uses every cell, ``numlin`` need not."""

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import chain, count
from string import ascii_letters, ascii_uppercase, digits
from typing import Any

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import BLANKS, NUMBER16, Board, FileText, Lines, Link, Rows
from qubopuzzle.puzzles.vocabulary.grids import letter_values
from qubopuzzle.puzzles.vocabulary.paths import join, split

_LETTERS = ascii_letters.swapcase()
_RULES = {"passallcell": True, "dontpassallcell": False}


def _cover(text: FileText, board: Board) -> None:
    """Whether every cell is used; of what is written it is."""
    rule = text.word("passallcell")
    if text.blank:
        rule = "passallcell"
    if rule not in _RULES:
        raise InputError(f"expected {' or '.join(_RULES)}, got {rule[:20]!r}")
    board["cover"] = _RULES[rule]


def _paths(text: FileText, board: Board) -> None:
    """Between which cells a path passes."""
    known = board.get("solution")
    paths = np.zeros(text.shape, dtype=np.int64) if known is None else known
    parts = map(text.answer, split(paths))
    paths = join(*(np.equal(words, "1").astype(np.int64) for words in parts))
    board["solution"] = paths if paths.any() else None


def _check_letters(puzzle: Any) -> None:
    most = max(map(max, puzzle.grid))
    if most > len(_LETTERS):
        raise InputError(
            "every cell is used, so it is an arukone, which has letters 1 to "
            f"{len(_LETTERS)}, not {most}"
        )


def _signs(tables: list[Rows]) -> tuple[Counter[str], frozenset[str]]:
    """How often each sign stands there, and what is blank: 0, too, if nothing else is."""
    words = Counter(chain.from_iterable(tables[0]))
    blanks = BLANKS if BLANKS & words.keys() else BLANKS | {"0"}
    return Counter({word: words[word] for word in words if word not in blanks}), blanks


def _read_lines(tables: list[Rows]) -> Board:
    """Any signs or words, each twice; those that are no number and no letter get a number."""
    signs, blanks = _signs(tables)
    for sign, times in signs.items():
        if times != 2:
            once = "once" if times == 1 else f"{times} times"
            raise InputError(f"{brief(sign)} stands there {once}, not twice")
    numbers = {sign: int(sign[:10]) for sign in signs if sign.isdecimal() and sign.strip("0")}
    letters = letter_values(sign for sign in signs if sign in _LETTERS)
    used = {*numbers.values()}
    free = (number for number in count(len(_LETTERS) + 10) if number not in used)
    for sign in signs:
        if sign not in numbers:
            letter = letters.get(sign)
            numbers[sign] = next(free) if letter is None or letter in used else letter
    return {
        "grid": [[None if word in blanks else numbers[word] for word in row] for row in tables[0]]
    }


def _write_lines(puzzle: Any) -> list[Rows]:
    """Digits and capitals, else numbers."""
    if not puzzle.cover:
        raise InputError("cells may stay unused, for which lines of cells have no word")
    most = max(map(max, puzzle.grid))
    names = f".{digits[1:]}{ascii_uppercase}"
    if most >= len(names):
        return links.write_cells([[number or None for number in row] for row in puzzle.grid])
    return [[[names[number] for number in row] for row in puzzle.grid]]


def _are_pairs(tables: list[Rows]) -> bool:
    """Whether some cells are blank, and the others are letters or each there twice."""
    signs, blanks = _signs(tables)
    words = chain.from_iterable(tables[0])
    return any(word in blanks for word in words) and (
        any(sign[0].isalpha() for sign in signs) or {*signs.values()} == {2}
    )


_LETTER_GRID = partial(links.grid, code=replace(NUMBER16, names=_LETTERS))
LINKS = (
    Link("numlin", body=[links.grid], file=[links.grid, _paths], fields={"cover": False}),
    Link(
        "arukone",
        body=[_LETTER_GRID],
        file=[_cover, _LETTER_GRID, _paths],
        fields={"cover": True},
        flags={"e": {"cover": False}},
        check=_check_letters,
    ),
    penpa.Penpa(("numberlink",), [_LETTER_GRID, _paths], fields={"cover": False}),
    penpa.Penpa(("numberlink", "arukone"), [_LETTER_GRID, _paths], fields={"cover": True}),
    Lines(_read_lines, _write_lines, tells=_are_pairs),
)
