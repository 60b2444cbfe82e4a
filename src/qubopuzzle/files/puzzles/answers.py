"""Answers that somebody gives: results, instances with a solution, or bare lines."""

import json
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from typing import Any

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import native, non, read_source
from qubopuzzle.model import Problem


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in its puzzle's native form (None for "not found") and the id it belongs to."""

    id: str
    solution: Any


def load_answers(source: str | PathLike[str], *, by_name: bool = False) -> list[Answer]:
    """Read answers from a file, or from standard input for ``-``.

    Results of ``qubopuzzle solve --json``, instances with a ``solution``, one bare JSON
    list, or plain text with one line of the grid a line; ``by_name`` also JSON objects without
    the key ``solution``, which are values by name.

    Raises:
        InputError: one line naming the file and the place.
    """
    return read_source(source, lambda text: _read(text, by_name))


def match(puzzles: list[Problem], answers: list[Answer]) -> list[tuple[Problem, Answer | None]]:
    """Every puzzle with its answer, or None where there is none.

    Answers belong to puzzles by id. Where ids do not tell them apart, the answers must be
    as many as the puzzles and are taken in order.

    Raises:
        InputError: if there are no answers, or some that belong to none of the puzzles.
    """
    if not answers:
        raise InputError("there is no answer in it")
    ids = [puzzle.id for puzzle in puzzles]
    in_order = all(a.id in ("", i) for a, i in zip(answers, ids, strict=False))
    if len(puzzles) == len(answers) and in_order:
        return list(zip(puzzles, answers, strict=True))
    if len(set(ids)) < len(ids) or len({a.id for a in answers}) < len(answers):
        raise InputError("ids are missing or not unique, so the answers must match in number")
    by_id = {answer.id: answer for answer in answers}
    for stranger in set(by_id) - set(ids):
        raise InputError(f"id {stranger[:60]!r} is none of the {len(puzzles)} puzzles")
    return [(puzzle, by_id.get(puzzle.id)) for puzzle in puzzles]


def _read(text: str, by_name: bool) -> list[Answer]:
    if non.sniff(text):
        solved = [(p, p.solution) for p in non.read(text)]
        return [Answer(p.id, p.format_answer(s)) for p, s in solved if s is not None]
    if not native.sniff(text):
        return [Answer("", [line.strip() for line in text.splitlines() if line.strip()])]
    with suppress(ValueError, RecursionError):
        rows = json.loads(text)
        if isinstance(rows, list) and rows and not any(isinstance(row, dict) for row in rows):
            return [Answer("", rows)]  # one answer that is a JSON list
    answers = []
    for place, data in native.objects(text):
        if isinstance(data, dict) and "solution" in data:
            answers.append(Answer(str(data.get("id", "")), data["solution"]))
        elif isinstance(data, dict) and by_name:
            answers.append(Answer("", data))
        else:
            raise InputError(f"{place}there is no key 'solution' in it")
    return answers
