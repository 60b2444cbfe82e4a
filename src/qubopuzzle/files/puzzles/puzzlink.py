"""Addresses of puzz.link and of the players that share its grammar, one a line.

``https://puzz.link/p?PID/[v:VARIANT/][FLAGS/]COLUMNS/ROWS/BODY``; also at pzv.jp, pzprxs,
pzplus.tck.mn and copies of them elsewhere, with or without ``https://``. Players write bodies
to the last cell, so one that ends before it has been cut off and is refused, as is one that has
numbers beyond it; blank cells beyond it are passed over. The puzzles' own ``links`` say what the
bodies hold.

- ``numlin`` does not ask for every cell to be used, ``arukone`` does unless its flag ``e`` is
  set. So a Numberlink with ``cover`` is written as arukone, one without as numlin.
- A line of a nonogram without numbers is read as an empty line, as this player has it; another
  one takes it for a line of which nothing is known.
- A clue of unknown value is no clue in heyawake and hitori, a white cell in kurodoko, and
  refused elsewhere.
- A sudoku's boxes are not written. They are the squarest, lying rather than standing; the players
  draw these for 4, 6, 9, 16, ... rows, and others for such as 12.

Answers have no place in an address; but what all givens of a board say is its answer, where
givens are what an answer is made of: in sudoku and Easy as ABC.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote

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
from qubopuzzle.puzzles import Puzzle, known_name
from qubopuzzle.puzzles.links import WHOLE, AddressText, Link

_LINKS: dict[str, tuple[type[Puzzle], Link]] = {}
for _kind, _link in links(Link):
    _LINKS.setdefault(_link.pid, (_kind, _link))
PUZZLES = tuple(dict.fromkeys(kind.name for kind, _ in _LINKS.values()))

_ADDRESS = re.compile(
    r"(?:https?://)?[a-z0-9](?:[a-z0-9-]{0,62}\.){0,9}[a-z0-9-]{1,63}(?::[0-9]{1,5})?"
    r"(?:/[\w.~-]{1,40}){0,5}/p(?:\.html?)?\?",
    re.IGNORECASE | re.ASCII,
)
_BETWEEN = re.compile(r"\s+|(?<=\S)(?=https?://)", re.IGNORECASE)
"""Between two addresses of a line."""
_PARAMETER = re.compile(r"\w{1,40}=")
# What may be encoded where not all is: the signs that bodies are made of.
_ENCODED = re.compile("%(2[4-6abdefABDEF]|3[aAdDfF]|40|5[fF])")


def _read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Every address, ``url`` being the canonical one."""
    return read_boards(said_lines(text), partial(_read_line, puzzle))


def address(puzzle: Puzzle) -> str:
    """The canonical address of a puzzle; InputError if it has none."""
    link = link_of(puzzle)
    rows, columns = link.size(puzzle)
    text = AddressText(shape=(rows, columns), reading=False)
    link.write(text, puzzle)
    # Programs that find addresses in a text leave a sign at the end out.
    end = "" if text.body[-1:].isalnum() else "/"
    return f"https://puzz.link/p?{link.pid}/{columns}/{rows}/{text.body}{end}"


def _solved_address(puzzle: Puzzle, answer: IntArray) -> str | None:
    """The board with an answer as its givens; None where givens are no answer."""
    for kind, link in _LINKS.values():
        if kind is type(puzzle) and link.givens:
            board: Any = {"solution": None, link.givens: answer}
            return address(replace(puzzle, **board))
    return None


def find_link(pid: str) -> tuple[type[Puzzle], Link]:
    """The puzzle that the players call by this name, or another one; InputError if none is."""
    if pid in _LINKS:
        return _LINKS[pid]
    name = known_name(pid)
    for kind, link in _LINKS.values():
        if kind.name == name:
            return kind, link
    hint = f"it reads {', '.join(_LINKS)}"
    raise InputError(f"{pid[:30]!r}: this package has no such puzzle; {hint}")


def is_other(pid: str, wanted: str | None) -> bool:
    """Whether another kind of puzzle is wanted than the one that the players call so."""
    try:
        return wanted is not None and find_link(pid)[0].name != wanted
    except InputError:
        return True


def link_of(puzzle: Puzzle) -> Link:
    """The link that holds a puzzle; InputError if there is none."""
    for kind, link in _LINKS.values():
        if kind is type(puzzle) and all(getattr(puzzle, k) == v for k, v in link.fields.items()):
            link.check(puzzle)
            return link
    raise InputError(f"{puzzle.name} has no form here; {', '.join(PUZZLES)} do")


def read_shape(link: Link, columns: str, rows: str, limit: ReadLimit) -> tuple[int, int]:
    """Rows and columns from their text, before the board is made; InputError for no such size."""
    for side, text in (("columns", columns), ("rows", rows)):
        if not WHOLE.fullmatch(text) or int(text) == 0:
            raise InputError(f"{link.pid}: {text[:20]!r} is no number of {side}")
    shape = int(rows), int(columns)
    cells = shape[0] * shape[1]
    what = f"{link.pid} of {columns} columns and {rows} rows"
    if cells > CELL_LIMIT or max(shape) > SIDE_LIMIT:
        limits = f"{CELL_LIMIT:,} cells and {SIDE_LIMIT:,} a side"
        raise InputError(f"{what}: too large; the limits are {limits}")
    limit.count(cells)
    if link.square and shape[0] != shape[1]:
        raise InputError(f"{what}: only square boards have rules here")
    return shape


def _read_line(wanted: str | None, line: str, limit: ReadLimit) -> Iterator[Puzzle]:
    """The puzzles of a line's addresses that are of the wanted kind; behind ``#`` is a comment."""
    for i, word in enumerate(_BETWEEN.split(line)):
        if word[0] == "#":
            return
        start = _ADDRESS.match(word)
        if start is None and i:
            what = "behind an address is none; write # before a comment"
            raise InputError(f"{word[:40]!r} {what}")
        if start is None:
            raise InputError(f"{line[:40]!r} is no address; expected https://puzz.link/p?...")
        yield from _read_address(wanted, word[start.end() :], limit)


def _read_address(wanted: str | None, query: str, limit: ReadLimit) -> list[Puzzle]:
    """The puzzle behind an address's question mark, or none if another kind is wanted."""
    query = _decoded(query.partition("#")[0])
    candidates = [part for part in query.split("&") if not _PARAMETER.match(part)]
    if len(candidates) != 1:
        raise InputError("the address has no puzzle after its question mark")
    pid, *parts = candidates[0].split("/")
    pid = re.sub("_(edit|play)$", "", pid)
    if is_other(pid, wanted):
        limit.count(0)
        return []
    kind, link = find_link(pid)
    with at(pid):
        flag = parts.pop(0) if parts and re.match("[^0-9]", parts[0]) else ""
        if flag.startswith("v:"):
            raise InputError(f"this package does not have its variant {flag[2:32]!r}")
        if len(parts) < 2:
            raise InputError("the address ends before its columns and rows")
    columns, rows, *body = parts
    shape = read_shape(link, columns, rows, limit)
    with at(pid):
        text = AddressText("/".join(body).removesuffix("/"), shape)
        puzzle = kind.from_dict(link.read(text, flag))
        # The puzzle is still nobody's; a copy would be validated once more.
        object.__setattr__(puzzle, "url", address(puzzle))
        return [puzzle]


def _decoded(query: str) -> str:
    """A query without percent encoding.

    In a body ``%`` is a sign itself, which digits may follow. It is taken for that unless the
    strokes are encoded, too, or a sign of bodies results; but not where digits often follow.
    """
    if "%2f" in query.lower():
        return unquote(query)
    if any(link.percent and link.pid in query[:60] for _, link in _LINKS.values()):
        return query
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), query)


FORMAT = Format(
    name="puzzlink",
    about="addresses of puzz.link, pzv.jp and their like, one a line",
    puzzles=PUZZLES,
    detect=lambda text: _ADDRESS.match(first_said(text)[:1000]) is not None,
    read=_read,
    lines=lambda puzzle: [address(puzzle)],
    solved_address=_solved_address,
)
