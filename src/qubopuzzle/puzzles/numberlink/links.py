"""Numberlink in the players: ``arukone`` uses every cell, ``numlin`` need not."""

from __future__ import annotations

from dataclasses import replace
from string import ascii_letters
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles.kinds.paths import degrees, read_paths
from qubopuzzle.puzzles.links import NUMBER16, Data, FileText, Link, Numbers, Shape

_LETTERS = ascii_letters.swapcase()
_RULES = {"passallcell": True, "dontpassallcell": False}


class _Cover:
    """Whether every cell is used."""

    def read(self, text: FileText, shape: Shape, data: Data) -> None:  # noqa: ARG002
        rule = text.read_word()
        if rule not in _RULES:
            raise InputError(f"expected {' or '.join(_RULES)}, got {rule[:20]!r}")
        data["cover"] = _RULES[rule]

    def write(self, text: FileText, puzzle: Any) -> None:  # noqa: ARG002
        text.write_word("passallcell")


class _Paths:
    """Between which cells a path passes."""

    def read(self, text: FileText, shape: Shape, data: Data) -> None:
        rows, columns = shape
        parts = []
        for high, wide in ((rows, columns - 1), (rows - 1, columns)):
            words = text.read_answer((high, wide))
            if words is None and high and wide:
                return
            passes = np.zeros((high, wide)) if words is None else np.equal(words, "1")
            parts.append(passes.astype(np.int64).tolist())
        paths = read_paths(parts[0], parts[1], shape)
        # One end at each number is quick to see, and little else passes.
        if ((degrees(paths) == 1) == (np.array(data["grid"]) > 0)).all():
            data["solution"] = paths

    def write(self, text: FileText, puzzle: Any) -> None:
        paths = np.zeros(puzzle.shape, dtype=int) if puzzle.solution is None else puzzle.solution
        text.write_bits((paths[:, :-1] & 1) > 0)
        text.write_bits((paths[:-1] & 2) > 0)


def _check_letters(puzzle: Any) -> None:
    most = max(map(max, puzzle.grid))
    if most > len(_LETTERS):
        raise InputError(
            "every cell is used, so it is an arukone, which has letters 1 to "
            f"{len(_LETTERS)}, not {most}"
        )


_NUMBERS = Numbers("grid")
_LETTER_GRID = Numbers("grid", code=replace(NUMBER16, names=tuple(_LETTERS)))
LINKS = (
    Link("numlin", body=[_NUMBERS], file=[_NUMBERS, _Paths()], fields={"cover": False}),
    Link(
        "arukone",
        body=[_LETTER_GRID],
        file=[_Cover(), _LETTER_GRID, _Paths()],
        fields={"cover": True},
        flags={"e": {"cover": False}},
        check=_check_letters,
    ),
)
