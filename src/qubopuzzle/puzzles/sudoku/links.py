"""Sudoku in the players: ``sudoku``, and ``solo`` in Simon Tatham's collection."""

from collections.abc import Iterable
from math import isqrt
from string import ascii_lowercase
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, Game, Gaps, Link
from qubopuzzle.puzzles.penpa import PenpaText
from qubopuzzle.puzzles.vocabulary.grids import cells_of, components, groups

SIZE_LIMIT = 36
"""Most rows and columns."""
_GAPS = Gaps(
    {"_": (0, 1)}
    | {c: (i, 1) for i, c in enumerate(ascii_lowercase[:25], start=1)}
    | {"z": (25, None)}
)
"""Cells that a wall divides, by how many pairs of cells side by side without one are before it."""


def squarest_box(n: int) -> tuple[int, int]:
    """The box of n cells whose sides differ least, lying rather than standing.

    >>> squarest_box(9), squarest_box(12), squarest_box(7)
    ((3, 3), (3, 4), (1, 7))
    """
    high = max(b for b in range(1, isqrt(n) + 1) if n % b == 0)
    return high, n // high


def check_plain(puzzle: Any, *known: str) -> None:
    """Raise InputError for variants other than the known ones."""
    check_keys(puzzle.variants, *known)


def check_keys(variants: Iterable[str], *known: str) -> None:
    """The same of keys of variants."""
    for name in variants:
        if name not in known:
            raise InputError(f"its {name} have no place here; write json")


def _boxes(text: PenpaText, board: Board) -> None:
    """Borders of boxes; those that no border is drawn of are the squarest."""
    n = text.shape[0]
    high, wide = board.get("box", (n, n))
    drawn: Board = {"rooms": _boxes_of(n, high, wide)}
    links.rooms(text, drawn)
    if text.reading:
        boxes = np.array(drawn["rooms"])
        high, wide = (int((line == 0).sum()) for line in (boxes[:, 0], boxes[0]))
        if (high, wide) == (n, n):
            high, wide = squarest_box(n)
        elif not np.array_equal(boxes, _boxes_of(n, high, wide)):
            raise InputError("its regions are no boxes, all of one size; no such puzzle here")
        board["box"] = [high, wide]


def _boxes_of(n: int, high: int, wide: int) -> IntArray:
    """The box of each cell."""
    row, column = np.indices((n, n))
    return row // high * (n // wide) + column // wide


def _grid(text: links.Text, board: Board) -> None:
    """Numbers; the player divides any board, 6 x 6 apart, into squares, whether they fit or not."""
    n = text.shape[0]
    side = isqrt(n)
    if n not in (side**2, 6):
        raise InputError(f"players draw boxes of {side} x {side} in {n} x {n}; no such puzzle here")
    links.grid(text, board)


def _check_link(puzzle: Any) -> None:
    """InputError for what is not plain, and for other boxes than the squarest, lying."""
    check_plain(puzzle)
    if puzzle.box != squarest_box(len(puzzle.grid)):
        raise InputError(f"its boxes of {puzzle.box[0]} x {puzzle.box[1]} have no place here")


def _read_solo(body: str, high: int, wide: int) -> Board:
    """Numbers; the walls of a jigsaw; the walls and the sums of cages."""
    parts = body.split(",")
    if len(parts) > 4:
        raise InputError(f"{len(parts)} parts; a solo has 4 at most")
    jigsaw = len(parts) in (2, 4)
    if min(high, wide) < 2 and not jigsaw:
        raise InputError(f"boxes of {high} x {wide}; both must be 2 at least")
    # A jigsaw's size is one number, or two as of boxes.
    sizes = [n for n in (high * wide, *[high] * jigsaw) if n <= SIZE_LIMIT]
    if not sizes:
        raise InputError(f"boxes of {high} x {wide} have more than {SIZE_LIMIT} cells")
    try:
        n, grid = sizes[0], links.read_runs(parts[0], sizes[0], sizes[0], sizes[0])
    except InputError:
        n, grid = sizes[-1], links.read_runs(parts[0], sizes[-1], sizes[-1], sizes[-1])
    board: Board = {"grid": grid}
    board |= {"regions": _read_walls(parts[1], n)} if jigsaw else {"box": [high, wide]}
    if len(parts) > 2:
        cages = groups(_read_walls(parts[-2], n))
        sums = np.ravel(links.read_runs(parts[-1], n, n, n**3))
        board["cages"] = [
            {"cells": [*cells_of(cage, n)], "sum": int(sums[cage].max()) or None} for cage in cages
        ]
    return board


def _read_walls(text: str, n: int) -> IntArray:
    """Regions by the walls along rows, then along columns."""
    walls = np.reshape(_GAPS.read(text, 2 * n * (n - 1), 0), (2, n, n - 1)) == 1
    return components(~walls[0], ~walls[1].T)


def _write_walls(regions: IntArray) -> str:
    walls = [grid[:, 1:] != grid[:, :-1] for grid in (regions, regions.T)]
    return _GAPS.write(np.ravel(walls).astype(int).tolist(), 0)


def _write_solo(puzzle: Any) -> str:
    check_plain(puzzle, "regions", "diagonals", "cages")
    n, regions, box = len(puzzle.grid), puzzle.regions, puzzle.box
    if n > 31 or (box and min(box) < 2):
        high, wide = box or (n, n)
        limits = "2 x 2 at least and 31 digits at most"
        raise InputError(f"boxes of {high} x {wide} cells; solo has {limits}; write json")
    size = f"{n}j" if box is None else f"{box[0]}x{box[1]}"
    parts = [links.write_runs(np.ravel(puzzle.grid).tolist())]
    parts += [] if regions is None else [_write_walls(regions)]
    if puzzle.cages:
        cage_of, sums = np.full((n, n), -1), np.zeros((n, n), dtype=np.int64)
        for i, (cells, total) in enumerate(puzzle.cages):
            rows, columns = np.transpose(cells)
            if (cage_of[rows, columns] >= 0).any() or total is None:
                raise InputError("cages of a solo have sums and no cell in common; write json")
            cage_of[rows, columns] = i
            sums[min(cells)] = total
        _check_cages(cage_of, len(puzzle.cages))
        parts += [_write_walls(cage_of), links.write_runs(sums.ravel().tolist())]
    return f"{size}{'x' * puzzle.diagonals}{'k' * bool(puzzle.cages)}:" + ",".join(parts)


def _check_cages(cage_of: IntArray, count: int) -> None:
    """Raise InputError for cells in no cage, and cages in several pieces or of one cell."""
    pieces = components(cage_of[:, 1:] == cage_of[:, :-1], cage_of[1:] == cage_of[:-1])
    if (cage_of < 0).any() or pieces.max() + 1 != count:
        raise InputError("cages of a solo cover the grid, each in one piece; write json")


LINKS = (
    Link(
        "sudoku",
        body=[_grid],
        file=[_grid, links.digits_filled],
        square=True,
        sizes=1,
        givens="grid",
        check=_check_link,
    ),
    Game(
        "solo",
        _read_solo,
        _write_solo,
        suffix="(?:d[tbiaeu]|md?[0-9]|r[0-9]|a|[xjk])*",
        flags={"x": {"diagonals": True}},
        givens="grid",
    ),
    penpa.Penpa(("classic",), [links.grid, _boxes, links.digits_filled]),
)
