"""Addresses of puzz.link and of the players that share its grammar, one a line.

``https://puzz.link/p?PID/[v:VARIANT/][FLAGS/]COLUMNS/ROWS/BODY``; also at pzv.jp, pzprxs,
pzplus.tck.mn and copies of them elsewhere, with or without ``https://``. What is missing at
the end of a body is blank and what is left over is passed over, as the players do.

- ``numlin`` does not ask for every cell to be used, ``arukone`` does unless its flag ``e`` is
  set. So a Numberlink with ``cover`` is written as arukone, one without as numlin.
- A line of a nonogram without numbers is read as an empty line, as this player has it; another
  one takes it for a line of which nothing is known.
- A clue of unknown value is no clue in heyawake and hitori, a white cell in kurodoko, and
  refused elsewhere.
- A sudoku's boxes are not told. They are the squarest, lying rather than standing; the players
  draw these for 4, 6, 9, 16, ... rows, and others for such as 12.

Answers have no place in an address; but what all givens of a board say is its answer, where
givens are what an answer is made of: in sudoku and Easy as ABC.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any
from urllib.parse import unquote

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import _pzpr
from qubopuzzle.files.puzzles._allowance import Allowance
from qubopuzzle.files.puzzles._number16 import (
    Body,
    Value,
    write_bits,
    write_hitori,
    write_numbers,
)
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.easyasabc import EasyAsABC
from qubopuzzle.puzzles.sudoku import Sudoku

NAME = "puzzlink"
ABOUT = "addresses of puzz.link, pzv.jp and their like, one a line"
PUZZLES = _pzpr.PUZZLES

_ADDRESS = re.compile(
    r"(?:https?://)?[a-z0-9](?:[a-z0-9-]{0,62}\.){0,9}[a-z0-9-]{1,63}(?::[0-9]{1,5})?"
    r"(?:/[\w.~-]{1,40}){0,5}/p(?:\.html?)?\?",
    re.IGNORECASE | re.ASCII,
)
_LINE_END = re.compile(r"\r\n|\r|\n")
_PARAMETER = re.compile(r"\w{1,40}=")
# What may be encoded where not all is: the signs that bodies are made of.
_ENCODED = re.compile("%(2[4-6abdefABDEF]|3[aAdDfF]|40|5[fF])")


def sniff(text: str) -> bool:
    """The first line that is not blank begins as an address does."""
    return _ADDRESS.match(text.lstrip()[:1000]) is not None


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every address; blank lines are passed over. ``url`` becomes the canonical address.

    Raises:
        InputError: naming the line.
    """
    puzzles: list[Puzzle] = []
    allowance = Allowance()
    for number, line in enumerate(_LINE_END.split(text), start=1):
        if line.strip():
            try:
                puzzles += _read(line.strip(), puzzle, allowance)
            except InputError as error:
                raise InputError(f"line {number}: {error}") from None
    return puzzles


def write(puzzles: Sequence[Puzzle]) -> str:
    """One address a line.

    Raises:
        InputError: for a puzzle that has no address, naming its id.
    """
    return "".join(f"{address(puzzle)}\n" for puzzle in puzzles)


def address(puzzle: Puzzle) -> str:
    """The canonical address of a puzzle.

    Raises:
        InputError: if it has none, naming its id.
    """
    with _pzpr.naming(puzzle):
        pid = _pzpr.pid_of(puzzle)
        rows, columns = puzzle.shape
        body = _BODIES[pid][1](puzzle)
    # Programs that find addresses in a text leave a sign at the end out.
    end = "" if body[-1:].isalnum() else "/"
    return f"https://puzz.link/p?{pid}/{columns}/{rows}/{body}{end}"


def solved_address(puzzle: Puzzle, answer: IntArray) -> str | None:
    """The board with an answer as its givens; None where givens are no answer.

    Raises:
        InputError: as ``address``.
    """
    if isinstance(puzzle, Sudoku | EasyAsABC):
        grid = tuple(map(tuple, answer.tolist()))
        return address(replace(puzzle, grid=grid, solution=None))
    return None


def _read(line: str, wanted: str | None, allowance: Allowance) -> list[Puzzle]:
    """The puzzle of an address, or none if another kind is wanted."""
    pid, flags, columns, rows, body = _parts(line)
    kind = _pzpr.class_of(pid)
    if wanted not in (None, kind.name):
        return []
    shape = _pzpr.size(pid, columns, rows, allowance)
    if flags and (pid, flags) != ("arukone", "e"):
        raise InputError(f"{pid}: the flag {flags[:20]!r} is none that this package has")
    try:
        data = _BODIES[pid][0](Body(body), shape)
        if pid in ("numlin", "arukone"):
            data["cover"] = pid == "arukone" and not flags
        found = kind.from_dict(data)
        # The puzzle is still nobody's; a copy would be validated once more.
        object.__setattr__(found, "url", address(found))
        return [found]
    except InputError as error:
        raise InputError(f"{pid}: {error}") from None


def _parts(line: str) -> tuple[str, str, str, str, str]:
    """Name, flags, columns, rows and body of an address."""
    start = _ADDRESS.match(line)
    if start is None:
        raise InputError(f"{line[:40]!r} is no address; expected https://puzz.link/p?...")
    query = _decoded(line[start.end() :].partition("#")[0])
    found = [part for part in query.split("&") if not _PARAMETER.match(part)]
    if len(found) != 1:
        raise InputError("the address has no puzzle after its question mark")
    pid, _, rest = found[0].partition("/")
    pid = re.sub("_(edit|play)$", "", pid)
    _pzpr.class_of(pid)
    if rest.startswith("v:"):
        variant = rest[2:].partition("/")[0]
        raise InputError(f"{pid}: this package does not have its variant {variant[:30]!r}")
    flags = "" if rest[:1].isdigit() else rest.partition("/")[0]
    fields = (rest if not flags else rest[len(flags) + 1 :]).split("/", 2)
    if len(fields) < 2:
        raise InputError(f"{pid}: the address ends before its columns and rows")
    body = fields[2] if len(fields) > 2 else ""
    return pid, flags, fields[0], fields[1], body.removesuffix("/")


def _decoded(query: str) -> str:
    """A query without percent encoding.

    In a body ``%`` is a sign itself, which digits may follow; in hitori they often do. It is
    taken for that unless the strokes are encoded, too, or a sign of bodies results.
    """
    if "%2f" in query.lower():
        return unquote(query)
    if "hitori" in query[:60]:
        return query
    return _ENCODED.sub(lambda found: chr(int(found[1], 16)), query)


# --- bodies ----------------------------------------------------------------------------

Shape = tuple[int, int]


def _read_grid(body: Body, shape: Shape) -> dict[str, Any]:
    return {"grid": _pzpr.givens(body.numbers(shape[0] * shape[1]), shape[1])}


def _read_circles(body: Body, shape: Shape) -> dict[str, Any]:
    return {"grid": _pzpr.givens(body.numbers(shape[0] * shape[1]), shape[1], untold=True)}


def _write_grid(puzzle: Any) -> str:
    return write_numbers(_pzpr.blanks(puzzle.grid))


def _read_hitori(body: Body, shape: Shape) -> dict[str, Any]:
    values = _pzpr.known(body.hitori(shape[0] * shape[1]))
    return {"grid": _pzpr.givens(values, shape[1])}


def _write_hitori(puzzle: Any) -> str:
    return write_hitori(_pzpr.blanks(puzzle.grid))


def _read_heyawake(body: Body, shape: Shape) -> dict[str, Any]:
    rows, columns = shape
    right, down = body.bits(rows * (columns - 1)), body.bits((rows - 1) * columns)
    rooms = _pzpr.rooms_between(right, down, shape)
    clues = _pzpr.known(body.numbers(int(rooms.max()) + 1))
    return {"rooms": rooms.tolist(), "clues": clues}


def _write_heyawake(puzzle: Any) -> str:
    rooms, clues = _pzpr.in_order(puzzle)
    right, down = _pzpr.walls(rooms)
    return write_bits(right) + write_bits(down) + write_numbers(clues)


_SIDES = ("top", "bottom", "left", "right")


def _read_letters(body: Body, shape: Shape) -> dict[str, Any]:
    letters = body.word()
    if not re.fullmatch("[0-9]{1,9}", letters):
        raise InputError(f"{letters[:20]!r} is no number of letters")
    size = shape[0]
    border = _pzpr.in_rows(body.numbers(4 * size), size)
    sides = {
        side: _pzpr.clues_of_side(side, marks) for side, marks in zip(_SIDES, border, strict=True)
    }
    grid = _pzpr.givens(body.numbers(size * size), size)
    return {"size": size, "letters": int(letters), "grid": grid, **sides}


def _write_letters(puzzle: Any) -> str:
    border = write_numbers(_pzpr.blanks([getattr(puzzle, side) for side in _SIDES]))
    grid = _pzpr.blanks(puzzle.grid)
    return f"{puzzle.letters}/{border}{write_numbers(grid) if any(grid) else ''}"


def _read_nonogram(body: Body, shape: Shape) -> dict[str, Any]:
    rows, columns = shape
    high, wide = _pzpr.room_for_clue(rows), _pzpr.room_for_clue(columns)
    slots = body.numbers(columns * high + rows * wide)
    lines = [
        line[::-1]
        for part, room in ((slots[: columns * high], high), (slots[columns * high :], wide))
        for line in _pzpr.in_rows(part, room)
    ]
    return {
        "cols": _pzpr.clues(lines[:columns], "column"),
        "rows": _pzpr.clues(lines[columns:], "row"),
    }


def _write_nonogram(puzzle: Any) -> str:
    rows, columns = puzzle.shape
    slots: list[Value] = []
    for clues, length in ((puzzle.cols, rows), (puzzle.rows, columns)):
        room = _pzpr.room_for_clue(length)
        slots += chain.from_iterable([*clue[::-1], *[None] * (room - len(clue))] for clue in clues)
    return write_numbers(slots)


_Pair = tuple[Callable[[Body, Shape], dict[str, Any]], Callable[[Any], str]]

_GRID: _Pair = (_read_grid, _write_grid)
_BODIES: dict[str, _Pair] = {
    "sudoku": _GRID,
    "kurodoko": (_read_circles, _write_grid),
    "numlin": _GRID,
    "arukone": _GRID,
    "hitori": (_read_hitori, _write_hitori),
    "heyawake": (_read_heyawake, _write_heyawake),
    "easyasabc": (_read_letters, _write_letters),
    "nonogram": (_read_nonogram, _write_nonogram),
}
"""What becomes native JSON of a body, and a body of a puzzle."""
