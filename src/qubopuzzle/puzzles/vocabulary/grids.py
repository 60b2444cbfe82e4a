"""Grids of cells, shared by all puzzles: read from what users write, and taken apart."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from string import ascii_lowercase, ascii_uppercase
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.base.checks import brief, whole
from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import IntArray

BoolArray: TypeAlias = NDArray[np.bool_]
CanArray: TypeAlias = NDArray[np.object_]
"""The values that each cell can have, (rows, columns)."""
Cell: TypeAlias = tuple[int, ...]
"""Row and column."""
Cells: TypeAlias = tuple[Cell, ...]

BLACK, WHITE = "#", "."
SIDE_LIMIT = 1_000
"""Most rows or columns of a grid."""
_BLACK_SIGNS, _WHITE_SIGNS = set("#X1@\u2588\u25a0"), set(".-_+0x \u25a1\u00b7")
_SPACED = re.compile(r"(?:\S )+\S *")
NUMBER_LIMIT = 1_000_000
"""Largest number in a cell, and most numbers of a list."""
BLANK: Mapping[str | None, int] = {None: 0}
"""What stands for a number besides numbers."""
_CASED = {sign: 10 + i for i, sign in enumerate(ascii_uppercase + ascii_lowercase)}
_FOLDED = _CASED | {sign: 10 + i for i, sign in enumerate(ascii_lowercase)}
_BLANKS = "._*"
"""What stands for None in lines of text."""
_DIGITS = 9
"""Of a number in a text at most."""


# --- reading ---------------------------------------------------------------------------


def listed(data: Any) -> Any:
    """Arrays as lists, numpy's numbers as Python's; anything else as it is."""
    return data.tolist() if isinstance(data, np.ndarray | np.generic) else data


def read_numbers(
    key: str, data: Any, low: int, high: int, words: Mapping[str | None, int] = BLANK
) -> list[int]:
    """Whole numbers of a list.

    Args:
        key: what to call it in an error.
        data: a list, a tuple or an array.
        low: the least number that there may be.
        high: the largest.
        words: what else there may be, and what it stands for.

    Raises:
        PuzzleError: naming the place of what is no such number.
    """
    numbers = listed(data)
    if not isinstance(numbers, list | tuple):
        raise PuzzleError(f"{key}: expected a list, got {brief(data)}")
    if len(numbers) > NUMBER_LIMIT:
        raise PuzzleError(f"{key}: {len(numbers)} numbers are too many")
    if set(map(type, numbers)) == {int} and low <= min(numbers) and max(numbers) <= high:
        return list(numbers)  # as nearly all are
    return [
        words[value]
        if isinstance(value, str | None) and value in words
        else whole(f"{key}[{i}]", value, low, high, PuzzleError)
        for i, value in enumerate(numbers)
    ]


def read_grid(
    key: str,
    data: Any,
    low: int,
    high: int | None,
    words: Mapping[str | None, int] = BLANK,
    *,
    side: int = SIDE_LIMIT,
    cased: bool = False,
) -> IntArray:
    """A grid of whole numbers as rows of equal length, shape (rows, columns), read-only.

    The arguments are those of ``read_numbers``, and None for ``high`` is as many as there are
    rows; ``side`` is the most rows or columns. Rows may be lines of text, as a list or with line
    ends, ``;`` or ``/`` between: numbers with spaces between, or one character a cell, 1 to 9 and
    then A for 10, and ``.``, ``_`` or ``*`` for None where there is such a word. ``cased``: where
    a text has small letters and capitals, they are not the same, and small ones go on from 36.

    >>> read_grid("grid", ["12", "2A"], 1, 10).tolist(), read_grid("grid", ".3;1.", 0, 9).tolist()
    ([[1, 2], [2, 10]], [[0, 3], [1, 0]])

    Raises:
        PuzzleError: naming the row and column of what is no such number.
    """
    rows = lines_of_text(data) if isinstance(data, str) else listed(data)
    if not isinstance(rows, list | tuple) or not 1 <= len(rows) <= side:
        raise PuzzleError(f"{key}: expected 1 to {side} rows, got {brief(data)}")
    most = len(rows) if high is None else high
    letters = letter_values(row for row in rows if cased and isinstance(row, str))
    rows = [
        _cells_of_text(f"{key}[{r}]", row, words, letters) if isinstance(row, str) else listed(row)
        for r, row in enumerate(rows)
    ]
    for r, row in enumerate(rows):
        if not isinstance(row, list | tuple) or not 1 <= len(row) <= side:
            raise PuzzleError(f"{key}[{r}]: expected 1 to {side} cells, got {brief(row)}")
        if len(row) != len(rows[0]):
            raise PuzzleError(f"{key}[{r}] has {len(row)} cells, {key}[0] has {len(rows[0])}")
    numbers = [read_numbers(f"{key}[{r}]", row, low, most, words) for r, row in enumerate(rows)]
    grid = np.array(numbers, dtype=np.int64)
    grid.setflags(write=False)
    return grid


def lines_of_text(text: str) -> list[str]:
    """The lines of a text, by line ends, ``;`` or ``/``; the last end may be missing.

    >>> lines_of_text("12;34;")
    ['12', '34']
    """
    lines = re.split(r"\r?\n|[;/]", text.strip())
    return lines if lines[-1].strip() else lines[:-1]


def letter_values(cells: Iterable[str]) -> Mapping[str, int]:
    """What letters in cells stand for: from A for 10 on, and small ones are the same.

    But where there are small letters and capitals, small ones go on from a for 36.

    >>> letter_values("aB")["a"], letter_values("ab")["a"], letter_values("aB")["B"]
    (36, 10, 11)
    """
    text = "".join(cells)
    return _CASED if text.lower() != text != text.upper() else _FOLDED


def _cells_of_text(
    place: str, line: str, words: Mapping[str | None, int], letters: Mapping[str, int]
) -> list[Any]:
    """The cells of a line of text; those of ``words`` are left to ``read_numbers``."""
    parts = line.split()
    if len(parts) == 1:
        parts = list(parts[0])
    lengths, text = {*map(len, parts)}, "".join(parts)
    if text.isascii() and text.isdecimal() and max(lengths) <= _DIGITS:
        return [*map(int, parts)]  # as nearly all are
    single = lengths == {1}
    cells: dict[str, Any] = {}
    for part in dict.fromkeys(parts):
        if part in words:
            cells[part] = part
        elif part in _BLANKS and None in words:
            cells[part] = None
        elif part.isascii() and part.isdecimal():
            if len(part) > _DIGITS:
                raise PuzzleError(f"{place}: a number of {len(part):,} digits")
            cells[part] = int(part)
        elif single and part in letters:
            cells[part] = letters[part]
        else:
            raise PuzzleError(f"{place}: expected digits, got {brief(line)}")
    return [cells[part] for part in parts]


def read_shading(what: str, data: Any, signs: str = WHITE + BLACK) -> IntArray:
    """A grid of 0 and 1 from lines of ``#`` and ``.``, rows of 0 and 1, or an array.

    ``signs`` are those of 0, 1 and more where there are colours or letters.

    >>> read_shading("solution", ["#.", ".#"]).tolist()
    [[1, 0], [0, 1]]

    Raises:
        InputError: for anything else, naming the row and column of another character.
    """
    shaded = signs == WHITE + BLACK
    if isinstance(data, list | tuple) and data and all(isinstance(row, str) for row in data):
        text, width = "".join(data), len(data[0])
        if {*text} <= {*signs} and {*map(len, data)} == {width}:
            value = np.zeros(128, dtype=np.int64)
            value[[*map(ord, signs)]] = np.arange(len(signs))
            cells = np.frombuffer(text.encode(), dtype=np.uint8)
            return np.asarray(value[cells].reshape(len(data), width))
        for r, row in enumerate(data):
            if len(row) != width:
                raise InputError(f"row[{r}] has {len(row)} cells, row[0] has {width}")
            for c, cell in enumerate(row):
                if cell not in signs:
                    expected = f"{BLACK!r} or {WHITE!r}" if shaded else f"one of {' '.join(signs)}"
                    raise InputError(f"row[{r}] column[{c}] is {cell!r}, expected {expected}")
    try:
        grid = np.asarray(data)
    except ValueError:  # rows of different lengths
        grid = np.zeros(0)
    values = range(len(signs))
    if grid.ndim != 2 or grid.dtype.kind not in "biuf" or not np.isin(grid, values).all():
        lines = f"{BLACK!r} and {WHITE!r}" if shaded else " ".join(signs)
        expected = (
            f"expected lines of {lines} or rows of 0 {'and' if shaded else 'to'} {values[-1]}"
        )
        raise InputError(f"{what}: {expected}, got {brief(data)}")
    return grid.astype(np.int64)


def picture_rows(text: str) -> list[str] | None:
    r"""A picture in text as lines of ``#`` and ``.``; None for any other text.

    Black may be ``#``, ``X``, ``1``, ``@`` or a full block, and ``x`` where there is none of these;
    white may be ``.``, ``-``, ``_``, ``+``, ``0`` or a space, at the end none. There may be a space
    between any two cells.

    >>> picture_rows("x - -\n- x x"), picture_rows("##\n #"), picture_rows("12")
    (['#..', '.##'], ['##', '.#'], None)
    """
    lines = text.strip("\r\n").expandtabs().splitlines()
    width, spaced = max(map(len, lines), default=0), all(map(_SPACED.fullmatch, lines))
    signs = set().union(*lines)
    black = signs & _BLACK_SIGNS or signs & {"x"}
    if not black or signs - black - _WHITE_SIGNS or width * len(lines) > 2 * SIDE_LIMIT**2:
        return None
    cells = [line.rstrip()[:: 2 if spaced else 1] for line in lines]
    width = max(map(len, cells))
    known = str.maketrans({sign: BLACK if sign in black else WHITE for sign in signs})
    return [line.ljust(width).translate({ord(" "): WHITE, **known}) for line in cells]


def shading_to_rows(shading: IntArray, signs: str = WHITE + BLACK) -> list[str]:
    """Write an array of shape (rows, columns) as strings of the signs of its numbers.

    >>> shading_to_rows(np.array([[1, 0], [0, 1]]))
    ['#.', '.#']
    """
    return ["".join([signs[cell] for cell in row]) for row in shading.tolist()]


# --- cells, by row-major number --------------------------------------------------------


def cells_of(numbers: IntArray, columns: int) -> Cells:
    """Row and column of cells by row-major number."""
    return tuple(divmod(number, columns) for number in numbers.tolist())


def lines_of(shape: tuple[int, int]) -> Iterator[tuple[str, int, IntArray]]:
    """The cells of each row, then of each column: ``row`` or ``column``, its number, its cells.

    >>> [(axis, i, line.tolist()) for axis, i, line in lines_of((1, 2))]
    [('row', 0, [0, 1]), ('column', 0, [0]), ('column', 1, [1])]
    """
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    for axis, lines in (("row", cells), ("column", cells.T)):
        yield from ((axis, i, line) for i, line in enumerate(lines))


def windows(shape: tuple[int, int], rows: int, columns: int) -> IntArray:
    """The cells of each part of a grid with so many rows and columns, (windows, cells).

    >>> windows((2, 3), 1, 2).tolist()
    [[0, 1], [1, 2], [3, 4], [4, 5]]
    """
    if shape[0] < rows or shape[1] < columns:
        return np.zeros((0, rows * columns), dtype=np.int64)
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    parts = np.lib.stride_tricks.sliding_window_view(cells, (rows, columns))
    return parts.reshape(-1, rows * columns).copy()


def side_by_side(shape: tuple[int, int]) -> IntArray:
    """The pairs of cells that share a side, (pairs, 2): in rows, then in columns.

    >>> side_by_side((2, 2)).tolist()
    [[0, 1], [2, 3], [0, 2], [1, 3]]
    """
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    pairs = (cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:])
    return np.concatenate([np.stack(pair, axis=-1).reshape(-1, 2) for pair in pairs])


def runs_of(white: BoolArray) -> tuple[list[IntArray], list[IntArray]]:
    """The cells of each stretch of a row, and of a column, that is white, (rows, columns).

    >>> [[run.tolist() for run in runs] for runs in runs_of(np.array([[True, False, True]]))]
    [[[0], [2]], [[0], [2]]]
    """
    parted = []
    for along in (1, 0):
        right, down = white[:, 1:] & white[:, :-1], white[1:] & white[:-1]
        parts = components(right & bool(along), down & (not along))
        run = np.where(white, parts, -1).ravel()
        order = np.argsort(run, kind="stable")[np.count_nonzero(run < 0) :]
        parted.append(
            np.split(order, np.flatnonzero(np.diff(run[order])) + 1) if len(order) else []
        )
    return parted[0], parted[1]


def runs(line: Iterable[int]) -> list[tuple[int, int]]:
    """Lengths and numbers of the maximal runs of one number but 0 of a line, in order.

    >>> runs([1, 1, 0, 1, 2]), runs([0, 0])
    ([(2, 1), (1, 1), (1, 2)], [])
    """
    return [(len(list(run)), number) for number, run in groupby(line) if number]


def groups(numbers: NDArray[np.integer]) -> list[IntArray]:
    """The cells of each number 0 .. max of a grid, in order.

    >>> [group.tolist() for group in groups(np.array([[0, 2], [2, 0]]))]
    [[0, 3], [], [1, 2]]
    """
    flat = numbers.ravel()
    return np.split(np.argsort(flat, kind="stable"), np.cumsum(np.bincount(flat))[:-1])


def components(right: BoolArray, down: BoolArray) -> IntArray:
    """The connected component of each cell of a grid, numbered by their first cells.

    Args:
        right: whether a cell is connected with the next of its row, (rows, columns - 1).
        down: the same with the cell below, (rows - 1, columns).

    >>> components(np.array([[True], [False]]), np.array([[False, True]])).tolist()
    [[0, 0], [1, 0]]
    """
    rows, columns = right.shape[0], down.shape[1]
    # Cells stand at even places, and between two of them a wall or a way.
    ways = np.zeros((2 * rows - 1, 2 * columns - 1), dtype=np.bool_)
    ways[::2, ::2] = True
    ways[::2, 1::2] = right
    ways[1::2, ::2] = down
    # Labels come in the order in which scipy meets them, row by row, as a test holds.
    return np.asarray(scipy.ndimage.label(ways)[0][::2, ::2].astype(np.int64) - 1)


def regions(names: NDArray[Any]) -> IntArray:
    """The region of each cell, numbered by their first cells: side by side those of one name.

    >>> regions(np.array([["a", "a", "b", "a"]])).tolist()
    [[0, 0, 1, 2]]
    """
    right, down = names[:, 1:] == names[:, :-1], names[1:] == names[:-1]
    return components(right.astype(np.bool_), down.astype(np.bool_))


def repeats(values: IntArray, cells: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Each number but 0 that stands on two of these cells or more, and where; in order.

    >>> [(number, where.tolist()) for number, where in repeats(np.array([5, 0, 5]), np.arange(3))]
    [(5, [0, 2])]
    """
    numbers = values.ravel()[cells]
    for number, count in sorted(Counter(numbers.tolist()).items()):
        if number and count > 1:
            yield number, cells[numbers == number]


def words_of(
    givens: IntArray, answer: IntArray | None = None, name: Callable[[int], str] = str
) -> dict[str, Any]:
    """``words`` and ``given`` of a picture: the answer, or the givens, but for cells of 0."""
    shown = givens if answer is None else np.asarray(answer)
    return {
        "words": {(r, c): name(shown[r, c]) for r, c in np.argwhere(shown).tolist()},
        "given": frozenset(map(tuple, np.argwhere((givens == shown) & (givens != 0)).tolist())),
    }
