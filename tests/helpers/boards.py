"""Random boards of every puzzle, for what formats hold."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from qubopuzzle import EasyAsABC, Heyawake, Hitori, Kurodoko, Nonogram, Numberlink, Sudoku, puzzles
from qubopuzzle.puzzles import get_puzzle
from qubopuzzle.puzzles.generator import find_generator
from shadings import random_heyawake, random_hitori, random_kurodoko
from strategies import nonograms

IN_ONE_FILE = tuple(
    get_puzzle(path.stem) for path in sorted(Path(puzzles.__file__).parent.glob("*.jsonl"))
)
"""Puzzles of a file each, with the examples beside it."""
KINDS = (Sudoku, Nonogram, *IN_ONE_FILE)
NAMES = sorted(kind.name for kind in KINDS)
"""Our own puzzles: packages that happen to be installed may bring others."""
DRAWN = 50
"""Boards of a kind that are drawn; each is thinned many times."""
_FILES = Path(__file__).parents[1] / "puzzles" / "tiny"

TINY = {
    "nonogram": [
        Nonogram(rows=[[1], [1]], cols=[[1], [1]]),
        Nonogram(rows=[[1, 1], [2]], cols=[[2], [1], [1]]),
        Nonogram(rows=[[2], [], [1]], cols=[[2], [1]]),
        Nonogram(rows=["1a 1b", "1b 1a"], cols=["1a 1b", "1b 1a"]),
        Nonogram(rows=["1a 1", "1 1a 1"], cols=["1a 1", "1 1a", 1]),
        Nonogram(rows=["1a 1a", "1b", ""], cols=["1b", "1a", "1a"]),
    ],
    "sudoku": [
        Sudoku([[0, 0], [0, 0]], [1, 2]),
        Sudoku([[1, 1], [0, 0]], [2, 1]),
        Sudoku([[0, 0], [0, 0]], [1, 2], cages=[{"cells": [[0, 0], [0, 1]], "sum": 3}]),
    ],
    **{
        kind.name: [
            kind.from_dict(json.loads(line))
            for line in (_FILES / f"{kind.name}.jsonl").read_text().splitlines()
        ]
        for kind in IN_ONE_FILE
    },
}
"""Boards of every puzzle of which all grids can be tried: with several solutions, one, none."""


@cache
def _smallest(kind):
    return min(kind.examples(), key=lambda example: example.cells)


@cache
def _drawn(kind, seed):
    """A board with all its clues, and how many: of some kinds drawing it takes a while."""
    board = kind.drawn(_smallest(kind).shape, np.random.default_rng(seed))
    return board, find_generator(kind.name).clues(board)


def _thinned(kind, rng):
    """A board of a puzzle in one file as it is drawn, with some of its clues."""
    if not kind.generator:
        return replace(_smallest(kind), id="", solution=None, n_solutions=None)
    board, clues = _drawn(kind, int(rng.integers(DRAWN)))
    kept = np.flatnonzero(rng.random(clues) < rng.random())
    return replace(find_generator(kind.name).keep(board, kept.tolist()), solution=None)


@st.composite
def boards(draw, kinds=KINDS):
    """A small random board of one of these kinds, as the formats may hold them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    kind = draw(st.sampled_from(kinds))
    if kind in (Hitori, Kurodoko, Heyawake):
        random = {Hitori: random_hitori, Kurodoko: random_kurodoko, Heyawake: random_heyawake}
        untold = {"untold": 0.2} if kind is Kurodoko else {}
        return random[kind](rng, shape, **untold)
    if kind is EasyAsABC:
        n = draw(st.integers(1, 5))
        letters = draw(st.integers(1, n))
        sides = rng.integers(0, letters + 1, (4, n)).tolist()
        grid = rng.integers(0, letters + 1, (n, n)) * draw(st.integers(0, 1))
        top, bottom, left, right = map(tuple, sides)
        return EasyAsABC(n, letters, top, bottom, left, right, grid.tolist())
    if kind is Numberlink:
        grid = np.zeros(shape[0] * shape[1] + 1, dtype=np.int64)
        pairs = int(rng.integers(1, len(grid) // 2 + 1))
        grid[rng.permutation(len(grid))[: 2 * pairs]] = np.tile(rng.permutation(52)[:pairs] + 1, 2)
        return Numberlink(grid=grid.reshape(1, -1), cover=draw(st.booleans()))
    if kind in IN_ONE_FILE:
        return _thinned(kind, rng)
    if kind is Nonogram:
        return draw(nonograms(max_rows=5, max_cols=6))
    if kind is Sudoku:
        n = draw(st.sampled_from([1, 4, 6, 9, 12, 16]))
        grid = rng.integers(1, n + 1, (n, n)) * (rng.random((n, n)) < 0.4)
        return Sudoku(grid=grid)
    raise NotImplementedError(f"no random boards of {kind.name}; add them here")


def same(puzzle, other):
    """Whether they are equal, or heyawakes whose rooms are numbered in another order."""
    if not isinstance(puzzle, Heyawake):
        return puzzle == other
    if puzzle.shape != other.shape:
        return False
    pairs = set(zip(puzzle.rooms.ravel().tolist(), other.rooms.ravel().tolist(), strict=True))
    return len(pairs) == len(puzzle.clues) == len(other.clues) and all(
        puzzle.clues[a] == other.clues[b] for a, b in pairs
    )
