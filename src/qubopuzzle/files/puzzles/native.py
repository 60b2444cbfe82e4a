"""Native JSON: one object, ``{"instances": [...]}``, a list, or JSON Lines."""

import json
import re
from collections.abc import Iterator
from typing import Any

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format
from qubopuzzle.problem import ModelProblem, Problem
from qubopuzzle.puzzles import get_puzzle

_MODELS = (ModelProblem.name, "program")
"""What the key ``problem`` says of what is no puzzle."""
_SECTION = re.compile(r"\s*\[[A-Za-z]\w{0,40}\]")
"""The head of a section, as other files of text have them; JSON has no word behind a bracket."""
HEAD = re.compile(r"\s*[{\[]")
"""How JSON begins."""
CELLS_OF_OBJECTS = re.compile(
    r'\s*[{\[](?s:.){0,100000}?"grid"\s{0,9}:\s{0,99}\[\s{0,99}\[\s{0,99}\{'
)
"""How JSON of f-puzzles begins, in whose grid a cell is an object."""
_HINTS = {"ver": "rows", "hor": "cols"}
"""Other keys of a nonogram's clues: the hints below each other are those of the rows."""


def _read(text: str, puzzle: str | None = None) -> list[Problem]:
    """Read every puzzle and model, or those of one kind of puzzle."""
    puzzles: list[Problem] = []
    for place, data in objects(text):
        try:
            if puzzle in (None, _kind(data, puzzle)):
                puzzles.append(problem_from_dict(data, puzzle))
        except InputError as error:
            raise InputError(f"{place}{error}") from None
    return puzzles


def problem_from_dict(data: Any, puzzle: str | None = None) -> Problem:
    """The puzzle or model of a JSON object; ``puzzle`` is the kind where it names none."""
    kind = _kind(data, puzzle)
    if _HINTS.keys() <= data.keys():
        data = {_HINTS.get(key, key): value for key, value in data.items()}
    return _class_of(kind).from_dict(data)


def _class_of(kind: str) -> type[Problem]:
    if kind not in _MODELS:
        return get_puzzle(kind)
    from qubopuzzle.programs import Program  # imports scipy.sparse

    return Program if kind == Program.name else ModelProblem


def _kind(data: Any, puzzle: str | None) -> str:
    if not isinstance(data, dict):
        raise InputError(f"expected an object, got {brief(data)}")
    if (named := data.get("problem")) in _MODELS:
        return str(named)
    hinted = "nonogram" if _HINTS.keys() <= data.keys() else puzzle
    kind = data.get("puzzle", hinted)
    if kind is None:
        raise InputError('no "puzzle" key says what it is; add one or give --puzzle')
    if not isinstance(kind, str):
        raise InputError(f"puzzle: expected a text, got {brief(kind)}")
    return kind


def objects(text: str) -> Iterator[tuple[str, Any]]:
    """Each instance's object, and the place to name in an error; InputError if it is no JSON."""
    try:
        data = _parse(text)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            where = f"line {error.lineno} column {error.colno}"
            raise InputError(f"{where}: not JSON ({error.msg})") from None
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                try:
                    yield f"line {number}: ", _parse(line)
                except json.JSONDecodeError as fault:
                    raise InputError(f"line {number}: not JSON ({fault.msg})") from None
        return
    many = data.get("instances") if isinstance(data, dict) else data
    if many is None:
        yield "", data
        return
    if not isinstance(many, list):
        raise InputError(f"instances: expected a list, got {brief(many)}")
    for i, item in enumerate(many):
        name = item.get("id") if isinstance(item, dict) else None
        yield f"instances[{i}]{f' ({name[:60]})' if isinstance(name, str) else ''}: ", item


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError("JSON nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of more digits than Python converts
        raise InputError("a number in the JSON is too long") from None


FORMAT = Format(
    name="json",
    about="JSON: one object, a list, or one object a line",
    puzzles=(),
    detect=lambda text: (
        HEAD.match(text) is not None
        and not _SECTION.match(text)
        and not CELLS_OF_OBJECTS.match(text)
    ),
    read=_read,
    lines=lambda puzzle: [json.dumps(puzzle.to_dict())],
    answers=True,
)
