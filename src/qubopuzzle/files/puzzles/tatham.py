"""Game ids of Simon Tatham's Portable Puzzle Collection, one a line.

An id is ``PARAMETERS:DESCRIPTION``, and does not say of which game it is. The name comes from

- what stands in front: ``pattern:5x5:...``, ``pattern 5x5:...`` or the address of the game's
  page, ``.../pattern.html#5x5:...``; our names (``nonogram:``) do as well,
- else from the caller's ``puzzle``,
- else from the id's own shape, if it is an id of one of these games only.

======== ========= ========== ==================================================================
game     puzzle    parameters description
======== ========= ========== ==================================================================
pattern  nonogram  WxH        columns, then rows, ``/`` between them and ``.`` inside
solo     sudoku    RxC        cells of a grid of boxes of R rows and C columns: numbers, ``a`` to
                              ``z`` for 1 to 26 blanks, ``_`` between numbers that touch
range    kurodoko  WxH        cells, as solo
singles  hitori    WxH, WxHde a character a cell: ``1`` to ``9``, ``a`` = 10, ..., ``A`` = 36, ...
======== ========= ========== ==================================================================

A single number stands for both of a square (``5:`` is ``5x5:``). Solo's letters for symmetry
and difficulty, and singles' for difficulty, say how an id was made; they are passed over. The
puzzles' own ``links`` say what the descriptions hold.
"""

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import Format, links
from qubopuzzle.files.puzzles.lines import (
    CELL_LIMIT,
    SIDE_LIMIT,
    ReadLimit,
    first_said,
    read_boards,
    said_lines,
)
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.links import Board, Game

_GAMES = sorted(links(Game), key=lambda pair: pair[1].name)
_PUZZLES = tuple(kind.name for kind, _ in _GAMES)

_PLAYER = "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js"
_BY_NAME = {name: pair for pair in _GAMES for name in (pair[1].name, pair[0].name)}

_ID = re.compile(
    r"(?:(?:https?://\S{0,300}/)?(?P<name>[A-Za-z]{1,20})(?:\.html#|[: ])\s*)?"
    r"(?P<width>\d{1,9})(?:x(?P<height>\d{1,9}))?(?P<suffix>(?:[a-z][a-z0-9L]{0,20})?)"
    r"(?P<kind>:|#|%23)(?P<body>.*)",
    re.ASCII,
)
_TOWERS = re.compile("[0-9]{0,2}(?:/[0-9]{0,2}){3}", re.ASCII)
"""How a description of towers begins, whose size is one number."""
_SUFFIX = re.compile(r"d[a-z]|md?\d*|r\d*|[a-z]\d*|L", re.ASCII)
_OTHERS = re.compile(
    "blackbox|bridges|cube|dominosa|fifteen|filling|flip|flood|galaxies|guess|inertia|keen|"
    "lightup|loopy|magnets|map|mines|mosaic|net|netslide|palisade|pearl|pegs|rect|samegame|"
    "signpost|sixteen|slant|tents|towers|tracks|twiddle|undead|unequal|unruly|untangle"
)


def _detect(text: str) -> bool:
    """Whether the first line that says something is an id, perhaps of a game not known here."""
    match = _ID.match(first_said(text))
    if match is None:
        return False
    if match["name"] is None:
        is_known = match["suffix"].startswith("j") or _TOWERS.match(match["body"]) is not None
        return match["height"] is not None or is_known
    name = match["name"].lower()
    return name in _BY_NAME or _OTHERS.fullmatch(name) is not None


def _read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """A puzzle a line; ``puzzle`` is what an id is that has no name in front."""
    if puzzle not in (None, *_PUZZLES):
        return []
    return read_boards(said_lines(text), partial(read_id, puzzle))


def _solved_address(puzzle: Puzzle, answer: IntArray) -> str | None:
    """The page of a game with an answer on its board; None where an id has no place for it."""
    _, game = _BY_NAME.get(puzzle.name, (None, None))
    if game is None or not game.givens:
        return None
    board: Any = {"solution": None, game.givens: answer}
    return f"{_PLAYER}/{game.name}.html#{game.write(replace(puzzle, **board))}"


def game_of(puzzle: Puzzle) -> Game:
    """A puzzle's game, of those that have one."""
    return _BY_NAME[puzzle.name][1]


def read_id(wanted: str | None, line: str, limit: ReadLimit) -> list[Puzzle]:
    """The puzzle of an id, or none if it is of another kind; InputError for no id."""
    match = _ID.fullmatch(line)
    if match is None:
        raise InputError(f"{brief(line[:60])} is no game id such as 5x5:...")
    word = (match["name"] or wanted or "").lower()
    if wanted and word not in _BY_NAME and _OTHERS.fullmatch(word):
        return []
    if word and word not in _BY_NAME:
        names = ", ".join(game.name for _, game in _GAMES)
        raise InputError(f"there is no game {word!r} here, but {names}")
    games = [_BY_NAME[word]] if word else _GAMES
    if wanted and wanted != games[0][0].name:
        return []
    if match["kind"] != ":":
        raise InputError("a random seed (#) takes the original generator; give the id with ':'")
    width, height = int(match["width"]), int(match["height"] or match["width"])
    if not (0 < width <= SIDE_LIMIT and 0 < height <= SIDE_LIMIT and width * height <= CELL_LIMIT):
        raise InputError(f"a size of {width} x {height} is none, or too large")
    variants = {letter: name for _, game in games for letter, name in game.variants.items()}
    for token in _SUFFIX.findall(match["suffix"]):
        if token in variants:
            raise InputError(f"{variants[token]} ({token}) is a variant that is not known here")
    kind, game = games[0] if word else _game_of(match)
    with at(game.name):
        puzzle = kind.from_dict(_data(game, match))
    limit.count(puzzle.cells)
    return [puzzle]


def _game_of(match: re.Match[str]) -> tuple[type[Puzzle], Game]:
    """The game, if an id is one of a single game."""
    signs = set(match["body"])
    fitting = [(kind, game) for kind, game in _GAMES if signs & set(game.signs)]
    if not fitting:
        for kind, game in _GAMES:
            with suppress(InputError):
                _data(game, match)
                fitting.append((kind, game))
    if len(fitting) != 1:
        names = [game.name for _, game in fitting or _GAMES]
        fits = f"it {'fits' if fitting else 'is no id of'} {', '.join(names)}"
        raise InputError(f"{fits}; say which by --puzzle or as {names[0]}:5x5:...")
    return fitting[0]


def _data(game: Game, match: re.Match[str]) -> Board:
    """The id as a native JSON object; InputError if it is none of this game."""
    if not re.fullmatch(game.suffix, match["suffix"]):
        raise InputError(f"parameters do not end in {match['suffix']!r}")
    width, height = int(match["width"]), int(match["height"] or match["width"])
    board = game.read(match["body"].strip(), width, height)
    for token in ("", *_SUFFIX.findall(match["suffix"])):
        board |= game.flags.get(token, {})
    return board


FORMAT = Format(
    name="tatham",
    about="game ids of Simon Tatham's collection, one a line: "
    + ", ".join(game.name for _, game in _GAMES),
    puzzles=_PUZZLES,
    detect=_detect,
    read=_read,
    # An id as the game itself takes it, without its name.
    lines=lambda puzzle: [game_of(puzzle).write(replace(puzzle, solution=None))],
    solved_address=_solved_address,
)
