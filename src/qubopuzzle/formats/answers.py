"""Answers that somebody gives: results, instances with a solution, or bare lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from typing import Any

from qubopuzzle.errors import InputError
from qubopuzzle.formats import native
from qubopuzzle.formats.reading import read_source
from qubopuzzle.puzzles import Puzzle


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in its puzzle's native form, and the id it belongs to ("" if it says none)."""

    id: str
    solution: Any


def load_answers(source: str | PathLike[str]) -> list[Answer]:
    """Read answers from a file, or from standard input for ``-``.

    Results of ``qubopuzzle solve --json``, instances with a ``solution``, one bare JSON
    list, or plain text with one line of the grid a line.

    Raises:
        InputError: one line naming the file and the place.

    """
    return read_source(source, _read)


def match(puzzles: list[Puzzle], answers: list[Answer]) -> list[tuple[Puzzle, Answer]]:
    """Pair puzzles with answers: by id, or as they are if there is one of each.

    Raises:
        InputError: if an answer's id is not among the puzzles, or none says which it is.

    """
    if len(puzzles) == len(answers) == 1:
        return [(puzzles[0], answers[0])]
    by_id = {puzzle.id: puzzle for puzzle in puzzles if puzzle.id}
    for answer in answers:
        if answer.id not in by_id:
            what = f"id {answer.id[:60]!r}" if answer.id else "an answer without an id"
            raise InputError(f"{what} is none of the {len(puzzles)} puzzles")
    return [(by_id[answer.id], answer) for answer in answers]


def _read(text: str) -> list[Answer]:
    if not native.sniff(text):
        return [Answer("", [line.strip() for line in text.splitlines() if line.strip()])]
    bare = text.lstrip().startswith("[")
    if bare:
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError):
            rows = None
        if rows and not any(isinstance(row, dict) for row in rows):
            return [Answer("", rows)]
    answers = []
    for place, data in native.objects(text):
        if not isinstance(data, dict) or data.get("solution") is None:
            raise InputError(f"{place}there is no solution in it")
        answers.append(Answer(str(data.get("id", "")), data["solution"]))
    return answers
