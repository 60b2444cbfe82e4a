"""Tents: each tree has a tent of its own beside it, and tents do not touch."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, FileText, Game, Gaps, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.clues import BLANK_VALUE
from qubopuzzle.puzzles.vocabulary.grids import Cell, lines_of
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cells, by_placements
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.rules import Given, Partners, Rule, Total, apart

TREE = 1
_GAPS = Gaps(
    {"_": (0, TREE)}
    | {c: (i, TREE) for i, c in enumerate(ascii_lowercase[:25], start=1)}
    | {"z": (25, None)}
)
_trees = links.cells({0: 0, links.ZERO: TREE}, links.ONE)


def _file(text: FileText, board: Board) -> None:
    """A table with the numbers above and on the left; then paths, which say nothing here."""
    rows, columns = text.shape
    table = np.full(text.shape, ".", dtype=object)
    if not text.reading:
        table[board["grid"] == TREE] = "1"
        if board.get("solution") is not None:
            table[board["solution"] == 1] = "A"
    table = links.framed(text, board, table, ("cols", "", "rows", ""))
    tents = np.equal(table, "A")
    board["solution"] = tents.astype(np.int64) if tents.any() else None
    board["grid"] = np.equal(table, "1").astype(np.int64) * TREE
    for size in ((rows, columns - 1), (rows - 1, columns)):
        text.answer(np.zeros(size, dtype=np.int64))


def _read(body: str, columns: int, rows: int) -> Board:
    cells, *numbers = body.split(",")
    lines = [int(n) if links.WHOLE.fullmatch(n) else -1 for n in numbers]
    if len(lines) != rows + columns or min(lines) < 0:
        raise InputError(f"{len(lines)} numbers behind the cells, but {rows + columns} lines")
    grid = np.reshape(_GAPS.read(cells, rows * columns, 0), (rows, columns))
    return {"grid": grid, "cols": lines[:columns], "rows": lines[columns:]}


def _write(puzzle: Any) -> str:
    numbers = np.concatenate([puzzle.cols, puzzle.rows])
    if (numbers == BLANK_VALUE).any():
        raise InputError("a tents of this collection has a number at each line; write json")
    body = _GAPS.write(puzzle.grid.ravel().tolist(), 0)
    return "{1}x{0}:".format(*puzzle.shape) + ",".join([body, *map(str, numbers.tolist())])


@dataclass(frozen=True, eq=False)
class Tents(Kind):
    """Put a tent beside each tree, so that no two tents touch, not even by a corner.

    Trees and tents go together in pairs side by side. A number at a row or column says how many
    tents are in it. ``rows`` and ``cols`` have these numbers, or None; ``grid`` has ``T`` where a
    tree stands, else None.

    >>> puzzle = Tents(rows=[1, None], cols=[None, 1], grid=["..", "T."])
    >>> puzzle.violations(np.array([[0, 1], [0, 0]]))[0].message
    'the tree on (1,0) has no tent of its own'

    Raises:
        PuzzleError: for as many numbers as there are no lines.
    """

    name: ClassVar[str] = "tents"
    aliases: ClassVar[str] = "tentsandtrees zeltlager"
    formulations: ClassVar[Formulations] = {"cells": by_cells, "trees": by_placements}
    default_formulation: ClassVar[str] = "trees"
    lazy_formulation: ClassVar[str] = "cells"
    marks: ClassVar[Mapping[int, str]] = {1: "A"}
    value_names: ClassVar[Mapping[int, str]] = {0: "empty", 1: "a tent"}
    links = (
        Link("tents", body=[links.outside("cols", "rows"), _trees], file=[_file]),
        Game("tents", _read, _write, suffix="(?:d[a-z])?"),
        penpa.Penpa(
            ("tents",),
            [
                penpa.outside("cols", "", "rows", ""),
                penpa.symbols({("tents", 1): TREE}),
                penpa.symbols({("tents", 2): 1}, "solution"),
            ],
        ),
    )

    grid: IntArray = clues.numbers(0, 0, {"T": TREE})
    rows: IntArray = clues.line()
    cols: IntArray = clues.line()

    def fit(self) -> None:
        """A number a line."""
        for name, count in zip(("rows", "cols"), self.shape, strict=True):
            if len(getattr(self, name)) != count:
                raise PuzzleError(f"{name}: {len(getattr(self, name))} numbers for {count} lines")

    def rules(self) -> Iterator[Rule]:
        """No tent on a tree, counts of lines, tents apart, and pairs."""
        tree = self.grid == TREE
        yield Given("tree", np.zeros_like(self.grid), tree, "a tree")
        for family, name, numbers in (("row", "rows", self.rows), ("column", "cols", self.cols)):
            lines = [(i, line) for axis, i, line in lines_of(self.shape) if axis == family]
            known = [(i, line) for i, line in lines if numbers[i] != BLANK_VALUE]
            wanted = [int(numbers[i]) for i, _ in known]
            names = [f"{family}[{i}]" for i, _ in known]
            groups, at = [line for _, line in known], [(name, i) for i, _ in known]
            yield Total(family, groups, wanted, wanted, names, counted="tents", clues=at)
        yield apart("touch", self.shape, "tents")
        trees = np.flatnonzero(tree)
        near = neighbours(self.shape)[trees]
        beside = [cells[(cells >= 0) & ~tree.ravel()[cells]] for cells in near]
        yield Partners("pair", trees, beside, "tree", "tent", self.shape[1])

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Numbers beside the grid."""
        words = [
            [() if n < 0 else (str(n),) for n in line.tolist()] for line in (self.rows, self.cols)
        ]
        return replace(super().picture(answer, broken), left=(*words[0],), top=(*words[1],))

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """Tents on about a fifth of the cells, each with a tree on a random side."""
        n = shape[0] * shape[1]
        solution, tree, near = np.zeros(shape, dtype=np.int64), np.zeros(n, bool), neighbours(shape)
        for cell in rng.permutation(n).tolist():
            r, c = divmod(cell, shape[1])
            around = solution[max(0, r - 1) : r + 2, max(0, c - 1) : c + 2]
            sides = [s for s in near[cell].tolist() if s >= 0 and not (tree[s] or solution.flat[s])]
            if tree[cell] or around.any() or not sides or solution.sum() >= n / 5:
                continue
            solution[r, c] = 1
            tree[sides[int(rng.integers(len(sides)))]] = True
        rows, cols = solution.sum(axis=1), solution.sum(axis=0)
        return cls(grid=tree.reshape(shape) * TREE, rows=rows, cols=cols, solution=solution)
