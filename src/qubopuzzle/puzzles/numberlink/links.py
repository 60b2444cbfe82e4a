"""Numberlink in the players: ``arukone`` uses every cell, ``numlin`` need not."""

from dataclasses import replace
from functools import partial
from string import ascii_letters
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles.kinds.paths import join, split
from qubopuzzle.puzzles.links import NUMBER16, Board, FileText, Link, grid

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


_LETTER_GRID = partial(grid, code=replace(NUMBER16, names=_LETTERS))
LINKS = (
    Link("numlin", body=[grid], file=[grid, _paths], fields={"cover": False}),
    Link(
        "arukone",
        body=[_LETTER_GRID],
        file=[_cover, _LETTER_GRID, _paths],
        fields={"cover": True},
        flags={"e": {"cover": False}},
        check=_check_letters,
    ),
)
