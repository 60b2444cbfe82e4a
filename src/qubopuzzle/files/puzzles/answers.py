"""Answers that somebody gives: results, instances with a solution, boards, or bare lines."""

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import all_formats, native, non, pzprv3, read_source
from qubopuzzle.problem import Problem
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.vocabulary.grids import picture_rows

_SIZES = re.compile("[0-9]{1,5} [0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer and the id it belongs to: in its puzzle's native form, or its grid, or None.

    None is for "not found".
    """

    id: str
    solution: Any


def load_answers(
    source: str | PathLike[str], puzzles: Sequence[Problem] = (), *, by_name: bool = False
) -> list[GivenAnswer]:
    """Read answers to puzzles from a file, or from standard input for ``-``.

    Results of ``qubopuzzle solve --json``, instances with a ``solution``, one bare JSON
    list, or plain text with one line of the grid a line; ``by_name`` also JSON objects without
    the key ``solution``, which are values by name. Where the puzzles are of one kind, also its
    boards in any format: their solutions, or givens where these can be all of an answer; what is
    filled in on players' board files, right or wrong; and of shaded cells pictures in text.

    Raises:
        InputError: one line naming the file and the place.
    """
    return read_source(source, lambda text: _read(text, puzzles, by_name))


def match(
    puzzles: list[Problem], answers: list[GivenAnswer]
) -> list[tuple[Problem, GivenAnswer | None]]:
    """Every puzzle with its answer, or None where there is none.

    Answers belong to puzzles by id. Where ids do not tell them apart, the answers must be
    as many as the puzzles and are taken in order.

    Raises:
        InputError: if there are no answers, or some that belong to none of the puzzles.
    """
    if not answers:
        raise InputError("there is no answer in it")
    if len(answers) == 1 < len(puzzles):
        answers = [*_divided(answers[0], puzzles)]
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


def _divided(answer: GivenAnswer, puzzles: Iterable[Problem]) -> Iterable[GivenAnswer]:
    """Bare lines as answers to several puzzles, if they are a line each, or as many as rows."""
    lines, kinds = answer.solution, [each for each in puzzles if isinstance(each, Puzzle)]
    if answer.id or not isinstance(lines, list) or not all(isinstance(x, str) for x in lines):
        return [answer]
    heights = [1 if len(lines) == len(kinds) else each.shape[0] for each in kinds]
    if len(lines) != sum(heights):
        return [answer]
    rest = iter(lines)
    return [GivenAnswer("", [next(rest) for _ in range(height)]) for height in heights]


def _read(text: str, puzzles: Sequence[Problem], by_name: bool) -> list[GivenAnswer]:
    if non.FORMAT.detect(text):
        return [
            GivenAnswer(p.id, answer)
            for p in non.FORMAT.read(text)
            if (answer := _answer_of(p)) is not None
        ]
    if pzprv3.FORMAT.detect(text):
        kinds = {puzzle.name for puzzle in puzzles}
        kind = kinds.pop() if len(kinds) == 1 else None
        return [GivenAnswer("", answer) for answer in pzprv3.read_answers(text, kind)]
    if not native.FORMAT.detect(text):
        return _boards(text, puzzles) or [GivenAnswer("", _lines(text, puzzles))]
    with suppress(ValueError, RecursionError):
        rows = json.loads(text)
        if isinstance(rows, list) and rows and not any(isinstance(row, dict) for row in rows):
            return [GivenAnswer("", rows)]  # one answer that is a JSON list
    answers = []
    for place, data in native.objects(text):
        if isinstance(data, dict) and "solution" in data:
            answers.append(GivenAnswer(str(data.get("id", "")), data["solution"]))
        elif isinstance(data, dict) and by_name:
            answers.append(GivenAnswer("", data))
        else:
            raise InputError(f"{place}there is no key 'solution' in it")
    return answers


def _boards(text: str, puzzles: Sequence[Problem]) -> list[GivenAnswer]:
    """The answers on boards of the puzzles' one kind; none if it is no text of such."""
    kinds = {puzzle.name for puzzle in puzzles}
    for known in all_formats().values() if len(kinds) == 1 else ():
        if kinds <= {*known.puzzles} and known.detect(text):
            with suppress(InputError):  # such as clues alone, which may be lines of an answer
                read: Sequence[Any] = known.read(text, *kinds)
                answers = [_answer_of(puzzle) for puzzle in read]
                if answers and not any(answer is None for answer in answers):
                    return [
                        GivenAnswer(p.id, answer) for p, answer in zip(read, answers, strict=True)
                    ]
    return []


def _answer_of(puzzle: Puzzle) -> Any:
    """The solution of a puzzle, or its givens where they are what an answer is made of."""
    if puzzle.solution is not None:
        return puzzle.format_answer(puzzle.solution)
    key = next((k for link in puzzle.links if (k := getattr(link, "givens", "")) == "grid"), None)
    givens = np.array([[0]] if key is None else getattr(puzzle, key))
    return puzzle.format_answer(givens) if givens.any() else None


def _lines(text: str, puzzles: Sequence[Problem]) -> list[str]:
    """Lines that are not blank, without a first line of their sizes; shaded cells as such."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and _SIZES.fullmatch(lines[0].strip()):
        shapes = [{len(lines) - 1, len(cells)} for cells in (lines[1].split(), lines[1].strip())]
        if {*map(int, lines[0].split())} in shapes:
            lines = lines[1:]
    shaded = any(isinstance(puzzle, Puzzle) and puzzle.is_shaded for puzzle in puzzles)
    if shaded and {*"".join(lines)} - {*"#."}:
        lines = picture_rows("\n".join(lines)) or lines
    return [*map(str.strip, lines)]
