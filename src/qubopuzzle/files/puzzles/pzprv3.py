"""Board files of puzz.link and its like: ``pzprv3/PID/ROWS/COLUMNS/...``, row by row.

Rows end at a stroke or at a line break; a sudoku has one size. Cells are divided by spaces:
``.`` is blank, ``-`` a clue of unknown value, and behind the clues an answer follows: ``#``
black, ``+`` white, a number, or 0 and 1 for a path between cells. A right answer becomes the
puzzle's solution; any other is somebody's work in progress and passed over, as are what was
tried and undone, and the notes that follow the board. Rules of reading as in ``puzzlink``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import _pzpr
from qubopuzzle.files.puzzles._allowance import Allowance
from qubopuzzle.files.puzzles._boards import HEADER, WHOLE, Board, boards, whole
from qubopuzzle.files.puzzles._number16 import UNKNOWN, Value
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.kinds.paths import degrees, read_paths

NAME = "pzprv3"
ABOUT = "board files of puzz.link (pzprv3), with answers"
PUZZLES = _pzpr.PUZZLES

_LETTERS = [chr(ord(first) + i) for first in "Aa" for i in range(26)]
_PASS, _LEAVE = "passallcell", "dontpassallcell"


def sniff(text: str) -> bool:
    """The first word is ``pzprv3``, perhaps with a version."""
    return HEADER.match(text.lstrip()[:20]) is not None


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every board, with its answer if that is right.

    Raises:
        InputError: naming the line and the part of it.
    """
    puzzles: list[Puzzle] = []
    allowance = Allowance()
    for board in boards(text):
        try:
            puzzles += _read(board, puzzle, allowance)
        except InputError as error:
            raise InputError(f"{board.place()}: {error}") from None
    return puzzles


def write(puzzles: Sequence[Puzzle]) -> str:
    """One board after the other, each with its solution if it has one.

    Raises:
        InputError: for a puzzle that has no such form, naming its id.
    """
    return "".join(f"{line}\n" for puzzle in puzzles for line in _lines(puzzle))


def _read(board: Board, wanted: str | None, allowance: Allowance) -> list[Puzzle]:
    """The puzzle of a board, or none if another kind is wanted."""
    version = board.row()
    if version not in ("pzprv3", "pzprv3.1"):
        raise InputError(f"the version {version[:20]!r} is not known; only pzprv3 and pzprv3.1 are")
    pid = board.row()
    kind = _pzpr.class_of(pid)
    if wanted not in (None, kind.name):
        return []
    rows = board.row()
    shape = _pzpr.size(pid, rows if pid == "sudoku" else board.row(), rows, allowance)
    data = _LAYOUTS[pid][0](board, shape, version)
    answer = data.pop("answer")
    with suppress(InputError):  # of a wrong answer, or of the puzzle, which is raised below
        return [kind.from_dict({**data, "solution": answer})]
    return [kind.from_dict(data)]


def _lines(puzzle: Puzzle) -> Iterator[str]:
    with _pzpr.naming(puzzle):
        pid = _pzpr.pid_of(puzzle)
    yield "pzprv3.1" if pid == "heyawake" else "pzprv3"
    yield pid
    yield from map(str, puzzle.shape[: 1 if pid == "sudoku" else 2])
    for row in _LAYOUTS[pid][1](puzzle):
        yield row if isinstance(row, str) else "".join(f"{word} " for word in row)


# --- layouts ---------------------------------------------------------------------------

Shape = tuple[int, int]
Rows = Iterator[str | list[str]]


def _shading(words: list[str] | None, shape: Shape) -> IntArray | None:
    """Black cells of an answer that says anything."""
    if words is None or set(words) == {"."}:
        return None
    return np.array([word == "#" for word in words], dtype=np.int64).reshape(shape)


def _shaded(puzzle: Any) -> Iterator[list[str]]:
    if puzzle.solution is None:
        return iter([["."] * puzzle.shape[1]] * puzzle.shape[0])
    return (["#" if black else "+" for black in row] for row in puzzle.solution.tolist())


def _shown(values: Sequence[Value], columns: int) -> Iterator[list[str]]:
    """Clues as ``Board.numbers`` reads them."""
    marks: dict[Value, str] = {None: ".", UNKNOWN: "-"}
    words = [marks.get(value) or str(value) for value in values]
    return iter(_pzpr.in_rows(words, columns))


def _read_kurodoko(board: Board, shape: Shape, _: str) -> dict[str, Any]:
    grid = _pzpr.givens(board.numbers(*shape), shape[1], untold=True)
    return {"grid": grid, "answer": _shading(board.answer(*shape), shape)}


def _read_hitori(board: Board, shape: Shape, _: str) -> dict[str, Any]:
    grid = _pzpr.givens(_pzpr.known(board.numbers(*shape)), shape[1])
    return {"grid": grid, "answer": _shading(board.answer(*shape), shape)}


def _write_shading(puzzle: Any) -> Rows:
    yield from _shown(_pzpr.blanks(puzzle.grid), puzzle.shape[1])
    yield from _shaded(puzzle)


def _read_sudoku(board: Board, shape: Shape, _: str) -> dict[str, Any]:
    given = np.array(_pzpr.givens(board.numbers(*shape), shape[1]))
    words = board.answer(*shape)
    # Small numbers may stand in brackets beside the large one.
    digits = [word.partition("[")[0] for word in words or ()]
    large = [int(digit) if WHOLE.fullmatch(digit) else 0 for digit in digits]
    answer = np.where(given, given, np.reshape(large, shape)) if any(large) else None
    return {"grid": given, "answer": answer}


def _write_sudoku(puzzle: Any) -> Rows:
    given = np.array(puzzle.grid)
    yield from _shown(_pzpr.blanks(given), len(given))
    answer = given if puzzle.solution is None else puzzle.solution
    yield from _shown(_pzpr.blanks(np.where(given, 0, answer)), len(given))


def _read_heyawake(board: Board, shape: Shape, version: str) -> dict[str, Any]:
    rows, columns = shape
    if version == "pzprv3":
        board.row()  # how many rooms there are
        _, number = np.unique(board.grid(*shape), return_inverse=True)
        right, down = _pzpr.walls(number.reshape(shape))
    else:
        right = _walls(board.grid(rows, columns - 1))
        down = _walls(board.grid(rows - 1, columns))
    rooms = _pzpr.rooms_between(right, down, shape)
    clues: list[Value] = [None] * (int(rooms.max()) + 1)
    shown = _pzpr.known(board.numbers(*shape))
    for room, clue in zip(rooms.ravel().tolist(), shown, strict=True):
        if clue is not None and clues[room] not in (None, clue):
            raise InputError(f"a room has two clues, {clues[room]} and {clue}")
        clues[room] = clues[room] if clue is None else clue
    return {
        "rooms": rooms.tolist(),
        "clues": clues,
        "answer": _shading(board.answer(*shape), shape),
    }


def _walls(words: list[str]) -> str:
    for word in words:
        if word not in ("0", "1"):
            raise InputError(f"{word[:20]!r} is no wall; expected 0 or 1")
    return "".join(words)


def _write_heyawake(puzzle: Any) -> Rows:
    rows, columns = puzzle.shape
    rooms, clues = _pzpr.in_order(puzzle)
    right, down = _pzpr.walls(rooms)
    yield from _bits(right, rows, columns - 1)
    yield from _bits(down, rows - 1, columns)
    # The clue stands in the highest cell of the leftmost column of its room.
    cells = np.arange(rooms.size).reshape(rooms.shape).T.ravel()
    _, first = np.unique(rooms.T, return_index=True)
    shown: list[Value] = [None] * rooms.size
    for cell, clue in zip(cells[first].tolist(), clues, strict=True):
        shown[cell] = clue
    yield from _shown(shown, columns)
    yield from _shaded(puzzle)


def _bits(text: str, rows: int, columns: int) -> Rows:
    return (list(text[i * columns : (i + 1) * columns]) for i in range(rows))


def _read_numlin(board: Board, shape: Shape, _: str) -> dict[str, Any]:
    return {**_read_links(board, shape, ()), "cover": False}


def _read_arukone(board: Board, shape: Shape, _: str) -> dict[str, Any]:
    rule = board.row()
    if rule not in (_PASS, _LEAVE):
        raise InputError(f"expected {_PASS} or {_LEAVE}, got {rule[:20]!r}")
    return {**_read_links(board, shape, _LETTERS), "cover": rule == _PASS}


def _read_links(board: Board, shape: Shape, letters: Sequence[str]) -> dict[str, Any]:
    rows, columns = shape
    grid = _pzpr.givens(board.numbers(rows, columns, letters), columns)
    answer: dict[str, list[str]] = {}
    for key, high, wide in (("right", rows, columns - 1), ("down", rows - 1, columns)):
        words = board.answer(high, wide)
        if words is None and high and wide:
            return {"grid": grid, "answer": None}
        bits = "".join("1" if word == "1" else "0" for word in words or ())
        answer[key] = [bits[i * wide : (i + 1) * wide] for i in range(high)]
    paths = read_paths(answer["right"], answer["down"], shape)
    # One end at each number is quick to see, and little else passes.
    ends_right = ((degrees(paths) == 1) == (np.array(grid) > 0)).all()
    return {"grid": grid, "answer": paths if ends_right else None}


def _write_links(puzzle: Any) -> Rows:
    rows, columns = puzzle.shape
    if puzzle.cover:
        yield _PASS
    for row in puzzle.grid:
        shown = [str(number or ".") for number in row]
        yield [_LETTERS[n - 1] if n else "." for n in row] if puzzle.cover else shown
    if puzzle.solution is None:
        right, down = "0" * (rows * (columns - 1)), "0" * ((rows - 1) * columns)
    else:
        lines = puzzle.format_answer(puzzle.solution)
        right, down = "".join(lines["right"]), "".join(lines["down"])
    yield from _bits(right, rows, columns - 1)
    yield from _bits(down, rows - 1, columns)


def _read_letters(board: Board, shape: Shape, _: str) -> dict[str, Any]:
    size, letters = shape[0], whole(board.row())
    outer = np.array(board.grid(size + 2, size + 2), dtype=object).reshape(size + 2, size + 2)
    sides = {
        side: _pzpr.clues_of_side(side, [_clue(word) for word in line[1:-1]])
        for side, line in (
            ("top", outer[0]),
            ("bottom", outer[-1]),
            ("left", outer[:, 0]),
            ("right", outer[:, -1]),
        )
    }
    words = outer[1:-1, 1:-1].ravel().tolist()
    given = _pzpr.givens([_clue(w[1:]) if w[0] == "q" else None for w in words], size)
    cells = [WHOLE.fullmatch(word.removeprefix("q").partition("[")[0]) for word in words]
    answer = [int(cell[0]) if cell else 0 for cell in cells]
    return {
        "size": size,
        "letters": letters,
        "grid": given,
        **sides,
        "answer": np.reshape(answer, shape) if any(answer) else None,
    }


def _clue(word: str) -> Value:
    return None if word == "." else UNKNOWN if word in ("-", "-2") else whole(word)


def _write_letters(puzzle: Any) -> Rows:
    yield str(puzzle.letters)
    answer = puzzle.grid if puzzle.solution is None else puzzle.solution.tolist()
    yield [".", *(str(clue or ".") for clue in puzzle.top), "."]
    for left, given, found, right in zip(
        puzzle.left, puzzle.grid, answer, puzzle.right, strict=True
    ):
        cells = [f"q{g}" if g else str(f or ".") for g, f in zip(given, found, strict=True)]
        yield [str(left or "."), *cells, str(right or ".")]
    yield [".", *(str(clue or ".") for clue in puzzle.bottom), "."]


def _read_nonogram(board: Board, shape: Shape, _: str) -> dict[str, Any]:
    high, wide = map(_pzpr.room_for_clue, shape)
    size = high + shape[0], wide + shape[1]
    words = np.array(board.grid(*size), dtype=object).reshape(size)
    # A clue that somebody has ticked off begins with c.
    cols, rows = (
        [[_clue(word.removeprefix("c")) for word in line] for line in part.tolist()]
        for part in (words[:high, wide:].T, words[high:, :wide])
    )
    return {
        "cols": _pzpr.clues(cols, "column"),
        "rows": _pzpr.clues(rows, "row"),
        "answer": _shading(words[high:, wide:].ravel().tolist(), shape),
    }


def _write_nonogram(puzzle: Any) -> Rows:
    high, wide = map(_pzpr.room_for_clue, puzzle.shape)
    cols = [["."] * (high - len(clue)) + list(map(str, clue)) for clue in puzzle.cols]
    for along in zip(*cols, strict=True):
        yield ["."] * wide + list(along)
    for clue, cells in zip(puzzle.rows, _shaded(puzzle), strict=True):
        yield ["."] * (wide - len(clue)) + list(map(str, clue)) + cells


_LAYOUTS: dict[str, tuple[Callable[[Board, Shape, str], dict[str, Any]], Callable[[Any], Rows]]] = {
    "sudoku": (_read_sudoku, _write_sudoku),
    "heyawake": (_read_heyawake, _write_heyawake),
    "hitori": (_read_hitori, _write_shading),
    "kurodoko": (_read_kurodoko, _write_shading),
    "numlin": (_read_numlin, _write_links),
    "arukone": (_read_arukone, _write_links),
    "easyasabc": (_read_letters, _write_letters),
    "nonogram": (_read_nonogram, _write_nonogram),
}
"""What becomes native JSON of a board, with its answer, and the rows of a puzzle."""
