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
and difficulty, and singles' for difficulty, say how an id was made; they are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from math import prod
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles.limits import ReadLimit
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.base import brief
from qubopuzzle.puzzles.hitori import Hitori
from qubopuzzle.puzzles.kinds.shading import UNTOLD
from qubopuzzle.puzzles.kurodoko import Kurodoko
from qubopuzzle.puzzles.nonogram import Nonogram
from qubopuzzle.puzzles.sudoku.rules import SIZE_LIMIT as DIGIT_LIMIT
from qubopuzzle.puzzles.sudoku.rules import Sudoku

NAME = "tatham"
ABOUT = "game ids of Simon Tatham's collection: pattern, solo, range, singles (one id a line)"
PUZZLES = ("nonogram", "sudoku", "kurodoko", "hitori")

_PLAYER = "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js"

SIDE_LIMIT = 10_000
CELL_LIMIT = 250_000

_ID = re.compile(
    r"(?:(?:https?://\S{0,300}/)?(?P<name>[A-Za-z]{1,20})(?:\.html#|[: ])\s*)?"
    r"(?P<width>\d{1,9})(?:x(?P<height>\d{1,9}))?(?P<suffix>[a-z][a-z0-9]{0,20})?"
    r"(?P<kind>:|#|%23)(?P<body>.*)",
    re.ASCII,
)
_SUFFIX = re.compile(r"d[a-z]|md?\d*|r\d*|[a-z]\d*", re.ASCII)
_VARIANTS = {"x": "solo X (diagonals)", "j": "jigsaw solo", "k": "killer solo"}
_CELLS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OTHERS = re.compile(
    "blackbox|bridges|cube|dominosa|fifteen|filling|flip|flood|galaxies|guess|inertia|keen|"
    "lightup|loopy|magnets|map|mines|mosaic|net|netslide|palisade|pearl|pegs|rect|samegame|"
    "signpost|sixteen|slant|tents|towers|tracks|twiddle|undead|unequal|unruly|untangle"
)


@dataclass(frozen=True, slots=True)
class _Id:
    """The parts of an id; sizes are as written, and small enough."""

    name: str
    width: int
    height: int
    suffix: str
    body: str


@dataclass(frozen=True, slots=True)
class _Game:
    """A game: native data from an id, and sizes and description of a puzzle."""

    name: str
    puzzle: type[Puzzle]
    suffix: re.Pattern[str]
    read: Callable[[_Id], dict[str, Any]]
    write: Callable[[Any], str]


def sniff(text: str) -> bool:
    """Whether the first line that is not blank is an id, perhaps of a game not known here."""
    match = _ID.match(text.lstrip().split("\n", 1)[0])
    if match is None:
        return False
    if match["name"] is None:
        return match["height"] is not None or (match["suffix"] or "").startswith("j")
    name = match["name"].lower()
    return name in _BY_NAME or _OTHERS.fullmatch(name) is not None


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read one puzzle a line.

    Args:
        text: the ids.
        puzzle: what an id is that has no name in front; ids of others are passed over.

    Raises:
        InputError: naming the line and what is wrong there, or the game or variant that
            there is not.
    """
    found: list[Puzzle] = []
    limit = ReadLimit()
    if puzzle is not None and puzzle not in PUZZLES:
        return found
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                new = _read_line(line.strip(), puzzle)
                for one in new:
                    limit.count(prod(one.shape))
                found += new
            except InputError as error:
                raise InputError(f"line {number}: {error}") from None
    return found


def write(puzzles: Sequence[Puzzle]) -> str:
    """One id a line, without the game's name, as the game itself takes it.

    Raises:
        InputError: naming the puzzle and what an id cannot hold.
    """
    return "".join(_write_line(puzzle) + "\n" for puzzle in puzzles)


def solved_address(puzzle: Puzzle, answer: IntArray) -> str | None:
    """The page of a game with an answer on its board; None where an id has no place for it.

    After a comma, pattern takes cells that are known: a letter for how many unknown ones come
    before, small for white. Solo takes all digits as given.

    Raises:
        InputError: naming the puzzle and what an id cannot hold.
    """
    if isinstance(puzzle, Nonogram):
        cells = "".join("A" if black else "a" for black in answer.ravel().tolist())
        return f"{_PLAYER}/pattern.html#{_write_line(puzzle)},{cells}"
    if isinstance(puzzle, Sudoku):
        grid = tuple(map(tuple, answer.tolist()))
        return f"{_PLAYER}/solo.html#{_write_line(replace(puzzle, grid=grid, solution=None))}"
    return None


def _write_line(puzzle: Puzzle) -> str:
    try:
        game = next((g for g in _GAMES if isinstance(puzzle, g.puzzle)), None)
        if game is None:
            raise InputError(f"the collection has no {puzzle.name}; write json")
        return game.write(puzzle)
    except InputError as error:
        raise InputError(f"{puzzle.id or puzzle.name}: {error}") from None


def _read_line(line: str, puzzle: str | None) -> list[Puzzle]:
    """The puzzle of a line, or none if it is of another kind."""
    match = _ID.fullmatch(line)
    if match is None:
        raise InputError(f"{brief(line[:60])} is no game id such as 5x5:...")
    word = (match["name"] or puzzle or "").lower()
    if puzzle and _OTHERS.fullmatch(word):
        return []
    if word and word not in _BY_NAME:
        raise InputError(f"there is no game {word!r} here, but {', '.join(_NAMES)}")
    if word and puzzle not in (None, _BY_NAME[word].puzzle.name):
        return []
    if match["kind"] != ":":
        raise InputError("a random seed (#) takes the original generator; give the id with ':'")
    width, height = int(match["width"]), int(match["height"] or match["width"])
    if not (0 < width <= SIDE_LIMIT and 0 < height <= SIDE_LIMIT and width * height <= CELL_LIMIT):
        raise InputError(f"a size of {width} x {height} is none, or too large")
    parts = _Id(word, width, height, match["suffix"] or "", match["body"].strip())
    _refuse_variants(parts)
    return [_read_as(_BY_NAME[word], parts) if word else _read_by_shape(parts)]


def _refuse_variants(parts: _Id) -> None:
    if parts.name and _BY_NAME[parts.name].name != "solo":
        return
    for token in _SUFFIX.findall(parts.suffix):
        if token in _VARIANTS:
            raise InputError(f"{_VARIANTS[token]} ({token}) is a variant that is not known here")


def _data(game: _Game, parts: _Id) -> dict[str, Any]:
    """The id as native data of a game; InputError if it is none of its ids."""
    if not game.suffix.fullmatch(parts.suffix):
        raise InputError(f"parameters do not end in {parts.suffix!r}")
    return game.read(parts)


def _read_as(game: _Game, parts: _Id) -> Puzzle:
    try:
        return game.puzzle.from_dict(_data(game, parts))
    except InputError as error:
        raise InputError(f"{game.name}: {error}") from None


def _read_by_shape(parts: _Id) -> Puzzle:
    """The puzzle, if the id is one of a single game."""
    if set("/.,") & set(parts.body):
        return _read_as(_BY_NAME["pattern"], parts)
    fitting = []
    for game in _GAMES[1:]:  # pattern has a slash at least
        with suppress(InputError):
            _data(game, parts)
            fitting.append(game)
    if len(fitting) == 1:
        return _read_as(fitting[0], parts)
    names = [game.name for game in fitting or _GAMES]
    fits = "fits" if fitting else "is no id of"
    raise InputError(
        f"it {fits} {', '.join(names)}; say which by --puzzle or as {names[0]}:5x5:..."
    )


# --- descriptions ----------------------------------------------------------------------


def _read_clues(parts: _Id) -> dict[str, Any]:
    clues_of, comma, cells = parts.body.partition(",")
    solution = None
    if comma:
        if len(cells) != parts.width * parts.height or cells.strip("aA"):
            raise InputError("some cells given beside the clues (,) are a variant not known here")
        black = [cell == "A" for cell in cells]
        solution = np.reshape(black, (parts.height, parts.width)).astype(np.int64)
    count = parts.width + parts.height
    lines = clues_of.split("/", count)
    if len(lines) != count:
        has = f"more than {count}" if len(lines) > count else len(lines)
        raise InputError(f"{has} lines between slashes, but {count} columns and rows")
    clues = [_clue(i, line, parts.width) for i, line in enumerate(lines)]
    return {"cols": clues[: parts.width], "rows": clues[parts.width :], "solution": solution}


def _clue(i: int, line: str, width: int) -> list[int]:
    where = f"column {i + 1}" if i < width else f"row {i + 1 - width}"
    runs = line.split(".", SIDE_LIMIT) if line else []
    for run in runs:
        if not re.fullmatch("0{0,9}[1-9][0-9]{0,8}", run):
            raise InputError(f"{where}: {brief(run[:60])} is no length of a run")
    return [int(run) for run in runs]


def _write_clues(puzzle: Nonogram) -> str:
    lines = [".".join(map(str, clue)) for clue in (*puzzle.cols, *puzzle.rows)]
    return f"{len(puzzle.cols)}x{len(puzzle.rows)}:" + "/".join(lines)


def _read_solo(parts: _Id) -> dict[str, Any]:
    high, wide = parts.width, parts.height
    if min(high, wide) < 2:
        raise InputError(f"boxes of {high} x {wide}; both must be 2 at least")
    if high * wide > DIGIT_LIMIT:
        raise InputError(f"boxes of {high} x {wide} have more than {DIGIT_LIMIT} cells")
    n = high * wide
    return {"grid": _read_runs(parts.body, n, n, n), "box": [high, wide]}


def _write_solo(puzzle: Sudoku) -> str:
    high, wide = puzzle.box
    if min(high, wide) < 2 or high * wide > 31:
        raise InputError(
            f"boxes of {high} x {wide} cells; solo has 2 x 2 at least and 31 digits at most; "
            "write json"
        )
    return f"{high}x{wide}:" + _write_runs(puzzle.grid)


def _read_range(parts: _Id) -> dict[str, Any]:
    most = parts.width + parts.height - 1
    return {"grid": _read_runs(parts.body, parts.height, parts.width, most)}


def _write_range(puzzle: Kurodoko) -> str:
    rows, columns = puzzle.shape
    if rows + columns - 1 > 127:
        raise InputError(f"a grid of {rows} x {columns}; numbers of range end at 127; write json")
    for r, c in np.argwhere(puzzle.grid == UNTOLD)[:1].tolist():
        raise InputError(f"grid[{r}][{c}] is a number that is not told; range has none; write json")
    return f"{columns}x{rows}:" + _write_runs(puzzle.grid.tolist())


def _read_runs(body: str, rows: int, columns: int, most: int) -> list[list[int]]:
    """Numbers 1 .. ``most`` and runs of blanks; shape (rows, columns), 0 for a blank."""
    slots: list[int] = []
    end = 0
    for match in re.finditer(r"[0-9]+|[a-z]|_", body):
        if match.start() != end:
            break
        end, word = match.end(), match[0]
        if word.isdigit():
            number = int(word) if len(word) < 10 else 0
            if not 1 <= number <= most:
                raise InputError(
                    f"character {match.start() + 1}: {word[:20]} is not in 1 .. {most}"
                )
            slots.append(number)
        elif word != "_":
            slots += [0] * (ord(word) - ord("a") + 1)
        if len(slots) > rows * columns:
            raise InputError(f"character {match.start() + 1} is beyond {rows} x {columns} cells")
    if end != len(body):
        raise InputError(f"character {end + 1}: {body[end]!r} is no number, blank or _")
    if len(slots) != rows * columns:
        raise InputError(f"{len(slots)} cells, but {rows} x {columns} are needed")
    return [slots[i : i + columns] for i in range(0, len(slots), columns)]


def _write_runs(grid: Sequence[Sequence[int]]) -> str:
    words: list[str] = []
    for number, same in groupby(number for row in grid for number in row):
        count = len(list(same))
        if number:
            words += ["_"] if words and words[-1][-1].isdigit() else []
            words.append("_".join([str(number)] * count))
        else:
            words += ["z"] * (count // 26)
            words += [chr(ord("a") + count % 26 - 1)] if count % 26 else []
    return "".join(words)


def _read_singles(parts: _Id) -> dict[str, Any]:
    rows, columns, body = parts.height, parts.width, parts.body
    known = _known_cells(rows, columns)
    if len(body) != rows * columns:
        raise InputError(f"{len(body)} characters, but {rows} x {columns} cells")
    numbers = [known.get(character, 0) for character in body]
    if 0 in numbers:
        i = numbers.index(0)
        raise InputError(f"character {i + 1}: {body[i]!r} is no number 1 .. {max(rows, columns)}")
    return {"grid": [numbers[i : i + columns] for i in range(0, len(numbers), columns)]}


def _write_singles(puzzle: Hitori) -> str:
    rows, columns = puzzle.shape
    known = {number: character for character, number in _known_cells(rows, columns).items()}
    numbers = puzzle.grid.ravel().tolist()
    for i, number in enumerate(numbers):
        if number not in known:
            what = f"has {number}" if number else "is blank"
            raise InputError(
                f"grid[{i // columns}][{i % columns}] {what}; a cell of singles has 1 .. "
                f"{len(known)}; write json"
            )
    return f"{columns}x{rows}:" + "".join(known[number] for number in numbers)


def _known_cells(rows: int, columns: int) -> dict[str, int]:
    """The characters of a grid of this size, and what they stand for."""
    side = max(rows, columns)
    if min(rows, columns) < 2 or side > 62:
        raise InputError(f"a grid of {rows} x {columns}; singles has 2 to 62 rows and columns")
    return {character: i for i, character in enumerate(_CELLS[: side + 1]) if i}


_NONE = re.compile("")
_GAMES = (
    _Game("pattern", Nonogram, _NONE, _read_clues, _write_clues),
    _Game(
        "solo",
        Sudoku,
        re.compile("(?:d[tbiaeu]|md?[0-9]|r[0-9]|a)*"),
        _read_solo,
        _write_solo,
    ),
    _Game("range", Kurodoko, _NONE, _read_range, _write_range),
    _Game("singles", Hitori, re.compile("(?:d[a-z])?"), _read_singles, _write_singles),
)
_NAMES = [game.name for game in _GAMES]
_BY_NAME = {key: game for game in _GAMES for key in (game.name, game.puzzle.name)}
