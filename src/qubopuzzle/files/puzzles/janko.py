"""Puzzles as text of janko.at: ``begin``, keys, blocks of cells, ``end``.

    begin
    puzzle hitori
    size 2
    problem
    1 1
    1 2
    solution
    x -
    - -
    end

Cells are divided by spaces, ``-`` is blank. Words that begin a block, and ``begin`` and ``end``,
may stand in brackets, as in the pages themselves; what is outside is passed over, as are moves.

============ =========== ====================================================================
name there   puzzle      blocks
============ =========== ====================================================================
sudoku       sudoku      problem; ``patternx`` and ``patterny`` are the columns and rows of a box
heyawake     heyawake    problem (the clue in any cell of its room), areas (a name a room)
hitori       hitori      problem
kuromasu     kurodoko    problem
arukone      numberlink  problem; the solution is the sides by which a path leaves: ``n e s w``
abc-end-view easyasabc   clabels (above, below), rlabels (left, right), problem; ``depth`` letters
nonogram     nonogram    clabels, a line a column; rlabels, a line a row
============ =========== ====================================================================

In solutions ``x`` is a black cell. An arukone may leave cells unused; under the name
``numberlink`` it may not, which is how one is written.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.clues import clue_text, one_line, read_clue
from qubopuzzle.files.puzzles.lines import ReadLimit, head_of, lines_of
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle, get_puzzle
from qubopuzzle.puzzles.kinds.grids import components
from qubopuzzle.puzzles.links import Board
from qubopuzzle.puzzles.sudoku.rules import squarest_box

NAME = "janko"
ABOUT = "text of janko.at: begin, puzzle, size, problem, solution, end"

_BLOCKS = ("problem", "solution", "areas", "clabels", "rlabels", "labels", "moves")
_BRACKETS = re.compile(r"\[\s*(\w{1,30})\s*\]")
_NUMBER = re.compile("[0-9]{1,9}")
_BLANKS = ("-", ".")
_BLACK = ("x", "#")
_SIDES = {"e": 1, "s": 2, "w": 4, "n": 8}
_KEYS = {"author": "author", "title": "title", "source": "source"}

Words = list[list[str]]


@dataclass
class Block:
    """What stands between ``begin`` and ``end``: keys, and blocks of words by line."""

    start: int
    keys: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def words(self, name: str, shape: tuple[int, int] | None = None) -> Words:
        """The words of a block, as many in each line; InputError naming the line."""
        if name not in self.blocks:
            raise InputError(f"there is no block {name}")
        lines = [(number, line.split()) for number, line in self.blocks[name]]
        rows, columns = shape or (len(lines), len(lines[0][1]) if lines else 0)
        for number, words in lines:
            if len(words) != columns:
                raise InputError(f"line {number}: {len(words)} cells of {name}, not {columns}")
        if len(lines) != rows or not lines:
            raise InputError(f"{name} has {len(lines)} lines, not {rows or 'any'}")
        return [words for _, words in lines]


# --- reading ---------------------------------------------------------------------------


def sniff(text: str) -> bool:
    """Whether a line says ``begin`` and the next one ``puzzle``."""
    before = ""
    for _, line in head_of(text):
        if before in ("begin", "[begin]") and line.lower().startswith("puzzle"):
            return True
        before = line.lower() or before
    return False


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every puzzle, or those of one kind; InputError naming the line where one begins."""
    puzzles: list[Puzzle] = []
    limit = ReadLimit()
    for block in _sections(text):
        with at(f"the puzzle at line {block.start}"):
            kind = _kind(block.keys.get("puzzle", ""))
            if kind is None and puzzle is None:
                known = ", ".join(sorted({name for name, _, _ in _PUZZLES}))
                what = brief(block.keys.get("puzzle", ""))
                raise InputError(f"puzzle {what} is none that is read here, such as {known}")
            if kind is None or puzzle not in (None, kind[1]):
                continue
            limit.count(sum(len(line) for _, line in block.blocks.get("problem", ())) // 2)
            about = {key: block.keys[name] for name, key in _KEYS.items() if name in block.keys}
            data = kind[2](block)
            puzzles.append(get_puzzle(kind[1]).from_dict({**_extra(kind[0]), **about, **data}))
    return puzzles


def _word(line: str) -> str:
    """A line in lower case, without the brackets around a single word."""
    match = _BRACKETS.fullmatch(line) if line[:1] == "[" else None
    return (match[1] if match else line).lower()


def _sections(text: str) -> Iterator[Block]:
    current: Block | None = None
    lines: list[tuple[int, str]] | None = None
    for number, line in lines_of(text):
        word = _word(line)
        if word == "begin":
            if current is not None:
                raise InputError(f"line {number}: the puzzle at line {current.start} has no end")
            current, lines = Block(number), None
        elif current is None or not line:
            continue
        elif word == "end":
            yield current
            current = None
        elif word in _BLOCKS or len(word) < len(line):
            lines = current.blocks.setdefault(word, [])
        elif lines is not None:
            lines.append((number, line))
        else:
            key, _, value = line.partition(" ")
            current.keys.setdefault(key.lower(), one_line(value))
    if current is not None:
        raise InputError(f"the puzzle at line {current.start}: it has no end")


def _shape(block: Block) -> tuple[int, int] | None:
    """Rows and columns that the keys say; None if they do not."""
    keys = block.keys
    found = [keys.get(name) or keys.get("size") for name in ("rows", "cols")]
    if None in found:
        return None
    for value in found:
        if not _NUMBER.fullmatch(str(value)):
            raise InputError(f"{brief(value)} is no size")
    return int(str(found[0])), int(str(found[1]))


def _numbers(words: Words, unknown: Any = None) -> list[list[Any]]:
    """Numbers, None for blanks, and what an unknown one is; InputError for another word."""
    rows: list[list[Any]] = []
    for r, row in enumerate(words):
        rows.append([])
        for c, word in enumerate(row):
            if word in _BLANKS:
                rows[-1].append(None)
            elif word == "?" and unknown is not None:
                rows[-1].append(unknown)
            elif _NUMBER.fullmatch(word):
                rows[-1].append(int(word))
            else:
                raise InputError(f"row {r + 1} column {c + 1} is {brief(word)}, no number or '-'")
    return rows


def _painted(block: Block, shape: tuple[int, int]) -> Board:
    """``solution``, if there is one: black where it says so."""
    if not block.blocks.get("solution"):
        return {}
    words = block.words("solution", shape)
    return {"solution": [[int(word.lower() in _BLACK) for word in row] for row in words]}


def _sudoku(block: Block) -> Board:
    if "areas" in block.blocks:
        raise InputError("a sudoku with areas is a variant that is not known here")
    words = block.words("problem", _shape(block))
    board: Board = {"grid": _numbers(words)}
    box = [block.keys.get(name, "") for name in ("patterny", "patternx")]
    if all(map(_NUMBER.fullmatch, box)):
        board["box"] = [*map(int, box)]
    if block.blocks.get("solution"):
        board["solution"] = _numbers(block.words("solution", (len(words), len(words[0]))))
    return board


def _shaded(block: Block, unknown: Any = None) -> Board:
    words = block.words("problem", _shape(block))
    return {"grid": _numbers(words, unknown), **_painted(block, (len(words), len(words[0])))}


def _kurodoko(block: Block) -> Board:
    return _shaded(block, "?")


def _heyawake(block: Block) -> Board:
    areas = block.words("areas", _shape(block))
    shape = len(areas), len(areas[0])
    # A name may come again for another room, as only borders are drawn.
    found = _rooms(np.array(areas, dtype=object))
    rooms, clues = found.tolist(), [None] * (int(found.max()) + 1)
    if "problem" in block.blocks:
        for r, row in enumerate(_numbers(block.words("problem", shape), -1)):
            for c, number in enumerate(row):
                room = rooms[r][c]
                if number is None or number < 0:
                    continue
                if clues[room] not in (None, number):
                    raise InputError(f"a room has two clues, {clues[room]} and {number}")
                clues[room] = number
    return {"rooms": rooms, "clues": clues, **_painted(block, shape)}


def _rooms(names: NDArray[Any]) -> IntArray:
    """The number of each cell's room, in the order of their first cells."""
    right, down = names[:, 1:] == names[:, :-1], names[1:] == names[:-1]
    return components(right.astype(np.bool_), down.astype(np.bool_))


def _arukone(block: Block) -> Board:
    words = block.words("problem", _shape(block))
    letters = {word for row in words for word in row if len(word) == 1 and word.isalpha()}
    if letters:
        found = [word for row in words for word in row if word not in _BLANKS]
        numbers = {word: str(i) for i, word in enumerate(dict.fromkeys(found), start=1)}
        words = [[numbers.get(word, word) for word in row] for row in words]
    board: Board = {"grid": _numbers(words)}
    if block.blocks.get("solution"):
        paths = block.words("solution", (len(words), len(words[0])))
        for r, row in enumerate(paths):
            for c, word in enumerate(row):
                if word not in _BLANKS and not set(word.lower()) <= set(_SIDES):
                    raise InputError(f"row {r + 1} column {c + 1} goes {brief(word)}, not n e s w")
        sides = [[sum(_SIDES.get(s, 0) for s in {*word.lower()}) for word in row] for row in paths]
        board["solution"] = np.array(sides)
    return board


def _abc(block: Block) -> Board:
    """The letters are counted by ``depth``, or as many as the solution has."""
    size = len(block.words("clabels" if "clabels" in block.blocks else "problem")[0])
    above, below = block.words("clabels", (2, size)) if "clabels" in block.blocks else ([], [])
    left, right = block.words("rlabels", (2, size)) if "rlabels" in block.blocks else ([], [])
    board: Board = {"size": size}
    for name, words in (("top", above), ("bottom", below), ("left", left), ("right", right)):
        board[name] = _letters([words])[0]
    if block.blocks.get("problem"):
        board["grid"] = _letters(block.words("problem", (size, size)))
    if block.blocks.get("solution"):
        solution = _letters(block.words("solution", (size, size)))
        board["solution"] = solution
        board["letters"] = max(max(row) for row in solution)
    depth = block.keys.get("depth", "")
    if _NUMBER.fullmatch(depth):
        board["letters"] = int(depth)
    if not board.get("letters"):
        raise InputError("how many letters there are is not said; add a line such as depth 3")
    return board


def _letters(words: Words) -> list[list[int]]:
    rows: list[list[int]] = []
    for row in words:
        rows.append([])
        for word in row:
            blank, letter = word in _BLANKS, word.upper()
            if not blank and not (len(letter) == 1 and "A" <= letter <= "Z"):
                raise InputError(f"{brief(word)} is no letter, and no '-'")
            rows[-1].append(0 if blank else ord(letter) - ord("A") + 1)
    return rows


def _nonogram(block: Block) -> Board:
    board: Board = {}
    for name, key in (("rlabels", "rows"), ("clabels", "cols")):
        if name not in block.blocks:
            raise InputError(f"there is no block {name}")
        lines = block.blocks[name]
        clues = ((n, " ".join(w for w in line.split() if w not in _BLANKS)) for n, line in lines)
        board[key] = [read_clue(number, clue or "0") for number, clue in clues]
    return board | _painted(block, (len(board["rows"]), len(board["cols"])))


# --- writing ---------------------------------------------------------------------------


def write(puzzles: Sequence[Any]) -> str:
    """One puzzle after the other, with title, author, source and solution."""
    return "".join(f"{line}\n" for puzzle in puzzles for line in _lines(puzzle))


def _lines(puzzle: Any) -> Iterator[str]:
    for name, kind, _ in _PUZZLES:
        extra = _extra(name)
        if kind == puzzle.name and all(getattr(puzzle, k) == v for k, v in extra.items()):
            yield from ("begin", f"puzzle {name}")
            break
    for name, key in _KEYS.items():
        if text := one_line(getattr(puzzle, key)):
            yield f"{name} {text}"
    rows, columns = puzzle.shape
    yield from (f"size {rows}",) if rows == columns else (f"rows {rows}", f"cols {columns}")
    for name, value in _WRITERS[puzzle.name](puzzle):
        if isinstance(value, str):
            yield f"{name} {value}"
        else:
            yield from (name, *value)
    yield "end"


def _block(rows: Any, words: Mapping[Any, str] | Callable[[Any], str] = str) -> list[str]:
    """A line a row; of 0 and None a ``-``."""
    name = words if callable(words) else words.__getitem__
    return [" ".join(name(cell) if cell else "-" for cell in row) for row in rows]


def _paint(puzzle: Any) -> Iterator[tuple[str, Any]]:
    if puzzle.solution is not None:
        yield "solution", _block(puzzle.solution.tolist(), {1: "x"})


def _write_sudoku(puzzle: Any) -> Iterator[tuple[str, Any]]:
    n, (high, wide) = len(puzzle.grid), puzzle.box
    if puzzle.box != squarest_box(n):
        yield from (("patternx", str(wide)), ("patterny", str(high)))
    yield "problem", _block(puzzle.grid)
    if puzzle.solution is not None:
        yield "solution", _block(puzzle.solution.tolist())


def _write_shaded(puzzle: Any) -> Iterator[tuple[str, Any]]:
    rows = np.array(puzzle.grid).tolist()
    yield "problem", _block(rows, lambda number: "?" if number < 0 else str(number))
    yield from _paint(puzzle)


def _write_heyawake(puzzle: Any) -> Iterator[tuple[str, Any]]:
    rooms = puzzle.rooms
    shown = np.full(rooms.shape, "-", dtype=object)
    first = np.unique(rooms, return_index=True)[1]
    clues = ["-" if clue is None else str(clue) for clue in puzzle.clues]
    shown.ravel()[first] = clues
    yield "problem", _block(shown.tolist())
    yield "areas", _block((_rooms(rooms) + 1).tolist())
    yield from _paint(puzzle)


def _write_arukone(puzzle: Any) -> Iterator[tuple[str, Any]]:
    yield "problem", _block(puzzle.grid)
    if puzzle.solution is not None:
        names = {sides: "".join(s for s, d in _SIDES.items() if sides & d) for sides in range(16)}
        yield "solution", _block(puzzle.solution.tolist(), names)


def _write_abc(puzzle: Any) -> Iterator[tuple[str, Any]]:
    yield "depth", str(puzzle.letters)
    yield "clabels", _block([puzzle.top, puzzle.bottom], _letter)
    yield "rlabels", _block([puzzle.left, puzzle.right], _letter)
    if any(map(any, puzzle.grid)):
        yield "problem", _block(puzzle.grid, _letter)
    if puzzle.solution is not None:
        yield "solution", _block(puzzle.solution.tolist(), _letter)


def _letter(value: int) -> str:
    return ascii_lowercase[value - 1]


def _write_nonogram(puzzle: Any) -> Iterator[tuple[str, Any]]:
    yield "clabels", [clue_text(clue) for clue in puzzle.cols]
    yield "rlabels", [clue_text(clue) for clue in puzzle.rows]
    yield from _paint(puzzle)


_PUZZLES: tuple[tuple[str, str, Callable[[Block], Board]], ...] = (
    ("sudoku", "sudoku", _sudoku),
    ("heyawake", "heyawake", _heyawake),
    ("hitori", "hitori", _shaded),
    ("kuromasu", "kurodoko", _kurodoko),
    ("kurodoko", "kurodoko", _kurodoko),
    ("arukone", "numberlink", _arukone),
    ("numberlink", "numberlink", _arukone),
    ("abc-end-view", "easyasabc", _abc),
    ("easy-as-abc", "easyasabc", _abc),
    ("nonogram", "nonogram", _nonogram),
    ("nonogramm", "nonogram", _nonogram),
)
"""The names there, the first of a kind being written, our name, and what reads one."""
_WRITERS: Mapping[str, Callable[[Any], Iterator[tuple[str, Any]]]] = {
    "sudoku": _write_sudoku,
    "heyawake": _write_heyawake,
    "hitori": _write_shaded,
    "kurodoko": _write_shaded,
    "numberlink": _write_arukone,
    "easyasabc": _write_abc,
    "nonogram": _write_nonogram,
}
PUZZLES = tuple(_WRITERS)


def _kind(name: str) -> tuple[str, str, Callable[[Block], Board]] | None:
    plain = re.sub("[^a-z]", "", name.lower())
    return next((kind for kind in _PUZZLES if kind[0].replace("-", "") == plain), None)


def _extra(name: str) -> Board:
    """The fields that a name there stands for."""
    return {"arukone": {"cover": False}, "numberlink": {"cover": True}}.get(name, {})
