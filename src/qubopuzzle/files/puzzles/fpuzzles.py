"""Sudokus and variants of f-puzzles and SudokuPad: their JSON, or an address with it.

An address holds the JSON as LZ-string in Base64. ``R1C1`` is the cell ``[0, 0]`` of a sudoku's own
JSON. What is only drawn, such as lines and texts, is passed over; a constraint that is not known
here is refused by its name. Values that are not given are somebody's work in progress.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.lines import first_said, read_boards, said_lines
from qubopuzzle.files.puzzles.lz_string import decompressed
from qubopuzzle.files.puzzles.native import CELLS_OF_OBJECTS, HEAD, objects
from qubopuzzle.puzzles.links import Board
from qubopuzzle.puzzles.sudoku import SIZE_LIMIT, Sudoku, boxes_of, squarest_box
from qubopuzzle.puzzles.vocabulary.grids import regions as regions_of

_ADDRESS = re.compile(
    r"https?://(?:[\w-]+\.){0,3}(?:f-puzzles\.com/\?(?:.*&)?load=|"
    r"(?:sudokupad\.app|crackingthecryptic\.com)/(?:sudoku/)?(?:\?(?:.*&)?puzzleid=)?fpuz(?:zles)?)"
    r"(?P<data>[\w+/=%-]+)",
    re.ASCII,
)
_CELL = re.compile("[Rr]([0-9]{1,3})[Cc]([0-9]{1,3})", re.ASCII)
_PASSED_OVER = (
    *("size", "grid", "title", "author", "ruleset", "solution", "text", "line", "rectangle"),
    *("circle", "cage", "highlightConflicts", "successMessage", "disabledlogic", "fogofwar"),
    *(
        "truecandidatesoptions",
        "activeConstraints",
        "foglight",
        "metadata",
        "settings",
        "triggereffect",
        "source",
    ),
)
_FLAGS = {name: name for name in ("antiknight", "antiking", "nonconsecutive")}
_FLAGS |= {"disjointgroups": "disjoint"}
_WAYS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


def _cell(name: Any) -> tuple[int, int]:
    match = _CELL.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise InputError(f"{brief(name)} is no cell such as R1C1")
    return int(match[1]) - 1, int(match[2]) - 1


def _cells(names: Any) -> list[tuple[int, int]]:
    if not isinstance(names, list):
        raise InputError(f"expected a list of cells, got {brief(names)}")
    return [_cell(name) for name in names]


def _number(value: Any, blank: int | None = None) -> int | None:
    """A number, which may be a text; ``blank`` where there is none."""
    if value in (None, ""):
        return blank
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch("[0-9]{1,6}", value.strip(), re.ASCII):
        return int(value)
    raise InputError(f"{brief(value)} is no number")


Clue = Mapping[str, Any]
Read = Callable[[Clue, int], Iterator[tuple[str, Any]]]
"""The keys of a sudoku's own JSON that a clue adds to, and what it adds."""


def _lines(key: str, clue: Clue, n: int) -> Iterator[tuple[str, Any]]:
    if key == "whispers" and _number(clue.get("value"), (n + 1) // 2) != (n + 1) // 2:
        raise InputError(f"a difference of {clue['value']}; it is {(n + 1) // 2} here")
    yield from ((key, _cells(line)) for line in clue["lines"])


def _numbered(
    key: str, name: str, usual: int | None, clue: Clue, _: int
) -> Iterator[tuple[str, Any]]:
    number = _number(clue.get("value"), usual)
    yield key, {"cells": _cells(clue["cells"]), **({} if number is None else {name: number})}


def _arrow(clue: Clue, _: int) -> Iterator[tuple[str, Any]]:
    circle = _cells(clue["cells"])
    for line in clue["lines"]:
        yield "arrows", {"circle": circle, "cells": [c for c in _cells(line) if c not in circle]}


def _xv(clue: Clue, _: int) -> Iterator[tuple[str, Any]]:
    total = {"x": 10, "v": 5}.get(str(clue.get("value")).lower())
    if total is None:
        raise InputError(f"{brief(clue.get('value'))} is not X or V")
    yield "sums", {"cells": _cells(clue["cells"]), "sum": total}


def _little_killer(clue: Clue, n: int) -> Iterator[tuple[str, Any]]:
    total = _number(clue.get("value"), 0)
    ways = [_WAYS.get(letter, (0, 0)) for letter in str(clue.get("direction"))]
    down, right = (sum(each) for each in zip(*ways, strict=True)) if ways else (0, 0)
    if not (down and right):
        raise InputError(f"{brief(clue.get('direction'))} is no direction such as DR")
    (r, c), cells = _cell(clue["cell"]), []
    for step in range(n + 2):
        at = r + step * down, c + step * right
        cells += [at] * (min(at) >= 0 and max(at) < n)
    if total:
        yield "sums", {"cells": cells, "sum": total}


def _extreme(smallest: bool, clue: Clue, n: int) -> Iterator[tuple[str, Any]]:
    """Smaller, or larger, than the cells beside it: thermometers of two cells."""
    r, c = _cell(clue["cell"])
    for down, right in _WAYS.values():
        if 0 <= r + down < n and 0 <= c + right < n:
            pair = [(r, c), (r + down, c + right)]
            yield "thermometers", pair if smallest else pair[::-1]


def _clone(clue: Clue, _: int) -> Iterator[tuple[str, Any]]:
    pairs = zip(_cells(clue["cells"]), _cells(clue["cloneCells"]), strict=True)
    yield from (("palindromes", [*pair]) for pair in pairs if pair[0] != pair[1])


_CLUES: dict[str, Read] = {
    "killercage": partial(_numbered, "cages", "sum", None),
    "extraregion": partial(_numbered, "cages", "sum", None),
    "difference": partial(_numbered, "differences", "difference", 1),
    "ratio": partial(_numbered, "ratios", "ratio", 2),
    "xv": _xv,
    "littlekillersum": _little_killer,
    "arrow": _arrow,
    "thermometer": partial(_lines, "thermometers"),
    "palindrome": partial(_lines, "palindromes"),
    "renban": partial(_lines, "renbans"),
    "whispers": partial(_lines, "whispers"),
    "even": lambda clue, _: iter([("even", _cell(clue["cell"]))]),
    "odd": lambda clue, _: iter([("odd", _cell(clue["cell"]))]),
    "minimum": partial(_extreme, True),
    "maximum": partial(_extreme, False),
    "clone": _clone,
    "quadruple": lambda clue, _: iter(
        [
            (
                "quadruples",
                {"cells": _cells(clue["cells"]), "digits": [_number(v) for v in clue["values"]]},
            )
        ]
    ),
}


def _grid_of(data: Any) -> list[list[Any]]:
    """The cells."""
    grid = data.get("grid") if isinstance(data, dict) else None
    if not isinstance(grid, list) or not 1 <= len(grid) <= SIZE_LIMIT:
        raise InputError(f"grid: expected 1 to {SIZE_LIMIT} rows, got {brief(grid)}")
    n = len(grid)
    for r, row in enumerate(grid):
        if not isinstance(row, list) or len(row) != n or not all(isinstance(c, dict) for c in row):
            raise InputError(f"grid[{r}]: expected {n} cells, got {brief(row)}")
    return grid


def _read_one(data: Any) -> Sudoku:
    """A sudoku of their JSON; InputError naming what it cannot have."""
    grid = _grid_of(data)
    n = len(grid)
    given = [[_number(c.get("value"), 0) if c.get("given") else 0 for c in row] for row in grid]
    board: Board = {"grid": given, **_places(grid)}
    for key in ("title", "author"):
        if isinstance(data.get(key), str):
            board[key] = data[key]
    for key, value in data.items():
        if key in _PASSED_OVER or value in (None, False, "", [], {}):
            continue
        if key in _FLAGS:
            board[_FLAGS[key]] = True
        elif key == "negative" and value == ["ratio"]:
            board["nonratio"] = True
        elif key in ("diagonal+", "diagonal-"):
            _add_diagonal(board, key, data, n)
        elif key in _CLUES and isinstance(value, list):
            _add(board, key, value, n)
        else:
            what = f"negative {value}" if key == "negative" else key
            raise InputError(f"{brief(what)} is a constraint that is not known here")
    return Sudoku.from_dict(board)


def _add_diagonal(board: Board, key: str, data: Clue, n: int) -> None:
    """One diagonal is a cage without a sum."""
    if data.get("diagonal+") and data.get("diagonal-"):
        board["diagonals"] = True
        return
    line = [(r, n - 1 - r if key == "diagonal+" else r) for r in range(n)]
    board.setdefault("cages", []).append({"cells": line})


def _add(board: Board, key: str, clues: list[Any], n: int) -> None:
    """The clues of one key."""
    for i, clue in enumerate(clues):
        try:
            for name, made in _CLUES[key](clue, n):
                board.setdefault(name, []).append(made)
        except InputError as error:
            raise InputError(f"{key}[{i}]: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(f"{key}[{i}]: {brief(clue)} is no such clue") from None


def _places(grid: list[list[Any]]) -> Board:
    """``box``, or ``regions`` where cells say others."""
    n = len(grid)
    box = squarest_box(n)
    named = boxes_of(box, n).tolist()
    for r, row in enumerate(grid):
        for c, cell in enumerate(row):
            if cell.get("region") is not None:
                named[r][c] = _number(cell["region"], 0)
    rooms = regions_of(np.array(named))
    for high in range(1, n + 1):
        if n % high == 0 and (rooms == boxes_of((high, n // high), n)).all():
            return {"box": [high, n // high]}
    return {"regions": named}


def _read(text: str, _kind: str | None = None) -> list[Sudoku]:
    """Every puzzle: of JSON, or of an address a line."""
    if HEAD.match(text):
        return read_boards(objects(text), lambda data, _: [_read_one(data)])
    return read_boards(said_lines(text), lambda line, _: [_read_address(line)])


def _read_address(line: str) -> Sudoku:
    match = _ADDRESS.fullmatch(line)
    if match is None:
        raise InputError(f"{brief(line[:60])} is no address of f-puzzles or SudokuPad")
    ((_, data),) = objects(decompressed(unquote(match["data"]).replace(" ", "+")))
    return _read_one(data)


# --- writing -----------------------------------------------------------------------------


def _names(cells: Sequence[Sequence[int]]) -> list[str]:
    return [f"R{r + 1}C{c + 1}" for r, c in cells]


def _lines_of(puzzle: Sudoku) -> Iterator[str]:
    """Their JSON; sums are X, V, or those of a whole diagonal."""
    n = len(puzzle.grid)
    cells = zip(puzzle.grid.ravel().tolist(), puzzle.rooms.ravel().tolist(), strict=True)
    flat = [{"value": v, "given": True, "region": k} if v else {"region": k} for v, k in cells]
    data: Board = {"size": n, "title": puzzle.title, "author": puzzle.author}
    data["grid"] = [flat[r : r + n] for r in range(0, n * n, n)]
    data |= {theirs: True for theirs, key in _FLAGS.items() if getattr(puzzle, key)}
    if puzzle.diagonals:
        data |= {"diagonal+": True, "diagonal-": True}
    if puzzle.nonratio:
        data["negative"] = ["ratio"]
    for key, name in (
        ("thermometer", "thermometers"),
        ("palindrome", "palindromes"),
        ("renban", "renbans"),
        ("whispers", "whispers"),
    ):
        data[key] = [{"lines": [_names(line)]} for line in getattr(puzzle, name)]
    for key, marks in (("difference", puzzle.differences), ("ratio", puzzle.ratios)):
        data[key] = [{"cells": _names(pair), "value": str(number)} for pair, number in marks]
    for key in ("even", "odd"):
        data[key] = [{"cell": name} for name in _names(getattr(puzzle, key))]
    data["killercage"] = [
        {"cells": _names(cells), **({} if total is None else {"value": str(total)})}
        for cells, total in puzzle.cages
    ]
    data["arrow"] = [
        {"cells": _names(circle), "lines": [_names([circle[-1], *cells])]}
        for circle, cells in puzzle.arrows
    ]
    data["quadruple"] = [
        {"cells": _names(cells), "values": [*digits]} for cells, digits in puzzle.quadruples
    ]
    for i, (pair, total) in enumerate(puzzle.sums):
        if len(pair) != 2 or total not in (5, 10):
            raise InputError(f"sums[{i}] is no X or V, and has no place here; write json")
        clue = {"cells": _names(pair), "value": "X" if total == 10 else "V"}
        data.setdefault("xv", []).append(clue)
    yield json.dumps({key: value for key, value in data.items() if value not in ([], "")})


FORMAT = Format(
    name="fpuzzles",
    about="sudokus and variants of f-puzzles and SudokuPad: JSON, or an address that holds it",
    puzzles=("sudoku",),
    detect=lambda text: bool(CELLS_OF_OBJECTS.match(text) or _ADDRESS.match(first_said(text))),
    read=_read,
    lines=_lines_of,
)
