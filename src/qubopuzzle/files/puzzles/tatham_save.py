"""Saved games of Simon Tatham's collection: lines ``KEY     :LENGTH:VALUE``.

``GAME``, ``PARAMS`` and ``DESC`` make an id as ``tatham`` reads it; the moves are passed over, as
they are somebody's work in progress. A value is as long as its line says.
"""

import re
from collections.abc import Iterator, Sequence

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import tatham
from qubopuzzle.files.puzzles.clues import named
from qubopuzzle.files.puzzles.lines import check_count
from qubopuzzle.puzzles import Puzzle

NAME = "tatham_save"
ABOUT = "saved games of Simon Tatham's collection, without their moves"
PUZZLES = tatham.PUZZLES

_HEAD = "SAVEFILE:41:Simon Tatham's Portable Puzzle Collection"
_FIELD = re.compile(r"\s*([A-Z]{1,8}) {0,7}:([0-9]{1,8}):")


def sniff(text: str) -> bool:
    """Whether the first line that is not blank is that of a saved game."""
    return text.lstrip().startswith(_HEAD[:12])


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every game, one after the other; InputError naming the line."""
    ids = [*_ids(text)]
    check_count(number for number, _ in ids)
    puzzles: list[Puzzle] = []
    for number, found in ids:
        with at(f"the game at line {number}"):
            puzzles += tatham.read(found, puzzle)
    return puzzles


def write(puzzles: Sequence[Puzzle]) -> str:
    """The text of one game that nobody has begun; InputError for more of them."""
    if len(puzzles) > 1:
        raise InputError(f"{named(puzzles[1])}: {NAME} holds one puzzle; write each to a file")
    lines = []
    for puzzle in puzzles:
        parameters, description = tatham.write([puzzle]).strip().split(":", 1)
        game = tatham.game_of(puzzle).capitalize()
        fields = {"VERSION": "1", "GAME": game, "PARAMS": parameters, "CPARAMS": parameters}
        fields |= {"DESC": description, "NSTATES": "1", "STATEPOS": "1"}
        lines += [_HEAD, *(f"{key:8}:{len(value)}:{value}" for key, value in fields.items())]
    return "".join(f"{line}\n" for line in lines)


def _ids(text: str) -> Iterator[tuple[int, str]]:
    """The line at which each game begins, and its id."""
    fields: dict[str, str] = {}
    at_character, start, line = 0, 1, 1
    while True:
        match = _FIELD.match(text, at_character)
        line += text.count("\n", at_character, match.end(1) if match else len(text))
        if match is None and text[at_character:].strip():
            rest = text[at_character:].split("\n", 2)
            raise InputError(f"line {line}: {brief(rest[0] or rest[-1])} is no KEY:LENGTH:VALUE")
        if fields and (match is None or match[1] == "SAVEFILE"):
            yield start, _id(start, fields)
            fields = {}
        if match is None:
            return
        key, end = match[1], match.end() + int(match[2])
        if end > len(text):
            raise InputError(f"line {line}: {key} has {match[2]} characters, which are not there")
        start = line if not fields else start
        fields.setdefault(key, text[match.end() : end])
        line += text.count("\n", match.end(1), end)
        at_character = end


def _id(start: int, fields: dict[str, str]) -> str:
    for key in ("GAME", "PARAMS", "DESC"):
        if not fields.get(key, "").strip():
            raise InputError(f"the game at line {start}: {key} is missing")
    game = re.sub("[^a-z]", "", fields["GAME"].lower())[:20]
    return " ".join(f"{game}:{fields['PARAMS']}:{fields['DESC']}".split())
