"""Saved games of Simon Tatham's collection: lines ``KEY     :LENGTH:VALUE``.

``GAME``, ``PARAMS`` and ``DESC`` make an id as ``tatham`` reads it; the moves are passed over, as
they are somebody's work in progress. A value is as long as its line says.
"""

import re
from collections.abc import Iterator

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format, tatham
from qubopuzzle.files.puzzles.lines import read_boards
from qubopuzzle.puzzles import Puzzle

_HEAD = "SAVEFILE:41:Simon Tatham's Portable Puzzle Collection"
_FIELD = re.compile(r"\s*([A-Z]{1,8}) {0,7}:([0-9]{1,8}):")


def _read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Every game, one after the other."""
    return read_boards(_games(text), lambda game, limit: tatham.read_id(puzzle, _id(game), limit))


def _lines(puzzle: Puzzle) -> Iterator[str]:
    """A game that nobody has begun."""
    (game_id,) = tatham.FORMAT.lines(puzzle)
    parameters, description = game_id.split(":", 1)
    game = tatham.game_of(puzzle)
    name = game.title or game.name.capitalize()
    fields = {"VERSION": "1", "GAME": name, "PARAMS": parameters, "CPARAMS": parameters}
    fields |= {"DESC": description, "NSTATES": "1", "STATEPOS": "1"}
    yield _HEAD
    yield from (f"{key:8}:{len(value)}:{value}" for key, value in fields.items())


def _games(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The place of each game, and what it says."""
    fields: dict[str, str] = {}
    at_character, start, line = 0, 1, 1
    while True:
        match = _FIELD.match(text, at_character)
        line += text.count("\n", at_character, match.end(1) if match else len(text))
        if match is None and text[at_character:].strip():
            rest = text[at_character:].split("\n", 2)
            raise InputError(f"line {line}: {brief(rest[0] or rest[-1])} is no KEY:LENGTH:VALUE")
        if fields and (match is None or match[1] == "SAVEFILE"):
            yield f"the game at line {start}", fields
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


def _id(fields: dict[str, str]) -> str:
    """A game as ``tatham`` reads it."""
    for key in ("GAME", "PARAMS", "DESC"):
        if not fields.get(key, "").strip():
            raise InputError(f"{key} is missing")
    game = re.sub("[^a-z]", "", fields["GAME"].lower())[:20]
    return " ".join(f"{game}:{fields['PARAMS']}:{fields['DESC']}".split())


FORMAT = Format(
    name="tatham_save",
    about="saved games of Simon Tatham's collection, without their moves",
    puzzles=tatham.FORMAT.puzzles,
    detect=lambda text: text.lstrip().startswith(_HEAD[:12]),
    read=_read,
    lines=_lines,
    join=None,
)
