"""Native JSON: one object, ``{"instances": [...]}``, a list, or JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles import Puzzle, get_puzzle
from qubopuzzle.puzzles.base import brief

NAME = "json"
ABOUT = "JSON: one object, a list, or one object a line"
PUZZLES: tuple[str, ...] = ()  # every puzzle


def sniff(text: str) -> bool:
    """JSON objects and lists begin with a brace or a bracket."""
    return text.lstrip()[:1] in ("{", "[")


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every instance, or those of one kind of puzzle.

    Raises:
        InputError: naming the line or the instance.
    """
    puzzles: list[Puzzle] = []
    for place, data in objects(text):
        try:
            kind = _kind(data, puzzle)
            if puzzle in (None, kind):
                puzzles.append(get_puzzle(kind).from_dict(data))
        except InputError as error:
            raise InputError(f"{place}{error}") from None
    return puzzles


def write(puzzles: Sequence[Puzzle]) -> str:
    """One object a line."""
    return "".join(json.dumps(puzzle.to_dict()) + "\n" for puzzle in puzzles)


def _kind(data: Any, puzzle: str | None) -> str:
    if not isinstance(data, dict):
        raise InputError(f"expected an object, got {brief(data)}")
    kind = data.get("puzzle", puzzle)
    if kind is None:
        raise InputError('no "puzzle" key says what it is; add one or give --puzzle')
    if not isinstance(kind, str):
        raise InputError(f"puzzle: expected a text, got {brief(kind)}")
    return kind


def objects(text: str) -> Iterator[tuple[str, Any]]:
    """Each instance's object, and the place to name in an error.

    Raises:
        InputError: for a text that is not JSON, naming the line.
    """
    try:
        data = _parse(text)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            where = f"line {error.lineno} column {error.colno}"
            raise InputError(f"{where}: not JSON ({error.msg})") from None
        yield from _lines(text)
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


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {number}: ", _parse(line)
            except json.JSONDecodeError as error:
                raise InputError(f"line {number}: not JSON ({error.msg})") from None


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError("JSON nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of more digits than Python converts
        raise InputError("a number in the JSON is too long") from None
