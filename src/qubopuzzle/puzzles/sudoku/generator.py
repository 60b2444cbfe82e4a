"""Sudoku: a filled grid, of which givens are dropped."""

from typing import Any

import numpy as np

from qubopuzzle.compile.incremental import Random, SwitchableModel, random_answer
from qubopuzzle.errors import InputError
from qubopuzzle.puzzles.generator import Boards, GeneratorOption, Options, PuzzleGenerator, Shape
from qubopuzzle.puzzles.sudoku.rules import Sudoku, squarest_box

SIDE_LIMIT = 25


class SudokuGenerator(PuzzleGenerator[Sudoku]):
    """The clues are the givens of all cells."""

    usual = (9, 9)
    conflicts = (0, 2)
    options = (
        GeneratorOption(
            "box_rows", None, "rows of a box (the squarest boxes, lying)", 1, SIDE_LIMIT
        ),
    )
    clue_fields = ("grid",)

    def check(self, shape: Shape, options: Options) -> None:
        """Square, with boxes."""
        n = shape[0]
        if shape[0] != shape[1] or n > SIDE_LIMIT:
            raise InputError(f"a sudoku has as many rows as columns, {SIDE_LIMIT} at most")
        high = options.get("box_rows", squarest_box(n)[0])
        if n % high:
            raise InputError(f"boxes of {high} rows do not fit {n} rows")
        if high == 1 < n and "box_rows" not in options:
            raise InputError(f"{n} rows have no boxes but whole lines; for those say box_rows=1")

    def boards(self, shape: Shape, options: Options, rng: Random) -> Boards[Sudoku]:
        """One filled grid: digits one after the other, each if it still can be."""
        n = shape[0]
        high = options.get("box_rows", squarest_box(n)[0])
        blank = _blank(n, high)
        digits = np.arange(n * n) * n + rng.integers(n, size=n * n)
        solution: Any = random_answer(blank.model("candidates"), [digits], rng)
        yield Sudoku(grid=solution, box=blank.box, solution=solution)

    def switchable_model(self, board: Sudoku) -> SwitchableModel:
        """A blank grid, and the literal of each cell's digit."""
        n = len(board.grid)
        literals = np.arange(n * n) * n + np.ravel(board.grid) - 1
        return SwitchableModel(_blank(n, board.box[0]).model("candidates"), list(literals[:, None]))


def _blank(n: int, high: int) -> Sudoku:
    """Its literals, in the formulation ``candidates``, are cell by cell and digit by digit."""
    return Sudoku(grid=((0,) * n,) * n, box=(high, n // high))
