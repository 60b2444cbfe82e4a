"""Sudoku: a filled grid, of which givens are dropped, and clues of variants."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from qubopuzzle.compile.incremental import Random, random_answer
from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.generator import GeneratorOption, Options, Shape
from qubopuzzle.puzzles.sudoku import Sudoku, squarest_box
from qubopuzzle.puzzles.sudoku.variants import FLAGS
from qubopuzzle.puzzles.vocabulary.drawing import exchanged
from qubopuzzle.puzzles.vocabulary.generator import KindGenerator
from qubopuzzle.puzzles.vocabulary.grids import cells_of, groups, windows
from qubopuzzle.puzzles.vocabulary.paths import neighbours

SIDE_LIMIT = 25
TRIES = 20
"""Regions and cages that are drawn before there are none."""
_OF_ONE = ("regions", *(flag for flag in FLAGS if flag != "nonratio"), "cages", "differences")
_SEVERAL = ("thermometers", "even", "odd")


class SudokuGenerator(KindGenerator):
    """A filled grid; with cages no digit is given but where it takes one."""

    options = (
        GeneratorOption(
            "box_rows", None, "rows of a box (the squarest boxes, lying)", 1, SIDE_LIMIT
        ),
        *(GeneratorOption(name, 0, f"1: with {name}", 0, 1) for name in _OF_ONE),
        *(GeneratorOption(name, 0, f"how many {name} at most", 0, 99) for name in _SEVERAL),
    )

    def check(self, shape: Shape, options: Options) -> None:
        """Square, with boxes."""
        n = shape[0]
        if shape[0] != shape[1] or n > SIDE_LIMIT:
            raise InputError(f"a sudoku has as many rows as columns, {SIDE_LIMIT} at most")
        high = options.get("box_rows", squarest_box(n)[0])
        if n % high:
            raise InputError(f"boxes of {high} rows do not fit {n} rows")
        if high == 1 < n and "box_rows" not in options and not options.get("regions"):
            raise InputError(f"{n} rows have no boxes but whole lines; for those say box_rows=1")
        if options.get("regions") and ("box_rows" in options or options.get("disjoint")):
            raise InputError("regions take the place of boxes; leave box_rows and disjoint out")

    def drawn(self, shape: Shape, options: Options, rng: Random) -> Sudoku:
        """A filled grid: digits one after the other, each if it still can be; then its clues."""
        n = shape[0]
        for _ in range(TRIES):
            blank = _blank(n, options, rng)
            digits = np.arange(n * n) * n + rng.integers(n, size=n * n)
            model: Any = blank.model("candidates")
            solution = random_answer(model, [digits], rng)
            if solution is not None:
                break
            if not options.get("regions"):
                break
        if solution is None:
            raise InputError(f"no board of {n} x {n} has all that these options ask for")
        asked = {name: options.get(name, 0) for name in _DRAWN}
        clues: dict[str, Any] = {
            n: _DRAWN[n](solution, count, rng) for n, count in asked.items() if count
        }
        given = solution if options.get("differences") or not clues else np.zeros_like(solution)
        if "differences" in clues:
            clues["nonconsecutive"] = True
        return replace(blank, grid=given, solution=solution, **clues)


def _blank(n: int, options: Options, rng: Random) -> Sudoku:
    """An empty board.

    Its literals, in the formulation ``candidates``, are cell by cell and digit by digit.
    """
    flags: dict[str, Any] = {flag: bool(options.get(flag)) for flag in FLAGS}
    place: dict[str, Any] = {
        "box": (high := options.get("box_rows", squarest_box(n)[0]), n // high)
    }
    if options.get("regions"):
        place = {"regions": exchanged(np.arange(n * n).reshape(n, n) // n, 20 * n * n, rng)}
    if options.get("differences"):  # for now; then all pairs that are consecutive have a dot
        flags["nonconsecutive"] = False
    return Sudoku(grid=np.zeros((n, n), dtype=np.int64), **place, **flags)


def _cages(solution: IntArray, _: int, rng: Random) -> list[Any]:
    """Cages of two to five cells of different digits, all over the grid where they can be."""
    cage_of = np.arange(solution.size)
    near, flat = neighbours(solution.shape), solution.ravel()
    for cell in rng.permutation(solution.size).tolist():
        size = int(rng.integers(2, 5))
        for other in rng.permutation(near[cell][near[cell] >= 0]).tolist():
            together = np.flatnonzero(np.isin(cage_of, (cage_of[cell], cage_of[other])))
            if len(together) <= size and len({*flat[together].tolist()}) == len(together):
                cage_of[together] = cage_of[cell]
    cages = [cells for cells in groups(cage_of) if len(cells) > 1]
    return [(cells_of(cells, len(solution)), int(flat[cells].sum())) for cells in cages]


def _thermometers(solution: IntArray, asked: int, rng: Random) -> list[Any]:
    """Walks to larger digits, of three to six cells, which do not meet."""
    near, flat, free = neighbours(solution.shape), solution.ravel(), [True] * solution.size
    made: list[Any] = []
    for cell in rng.permutation(solution.size).tolist():
        walk = [cell]
        while len(walk) < 6:
            after = [
                c
                for c in near[walk[-1]].tolist()
                if c >= 0 and free[c] and flat[c] > flat[walk[-1]]
            ]
            if not after:
                break
            walk.append(int(rng.choice(after)))
        if free[cell] and len(walk) > 2 and len(made) < asked:
            made.append(cells_of(np.array(walk), len(solution)))
            for each in walk:
                free[each] = False
    return made


def _differences(solution: IntArray, *_: Any) -> list[Any]:
    """A dot at each two cells side by side whose digits are consecutive."""
    n = len(solution)
    pairs = np.concatenate([windows((n, n), 1, 2), windows((n, n), 2, 1)])
    near = pairs[abs(np.diff(solution.ravel()[pairs], axis=1)[:, 0]) == 1]
    return [(cells_of(pair, n), 1) for pair in near]


def _parity(rest: int) -> Callable[[IntArray, int, Random], list[Any]]:
    def drawn(solution: IntArray, asked: int, rng: Random) -> list[Any]:
        cells = rng.permutation(np.flatnonzero(solution.ravel() % 2 == rest))[:asked]
        return [*cells_of(np.sort(cells), len(solution))]

    return drawn


_DRAWN: dict[str, Callable[[IntArray, int, Random], list[Any]]] = {
    "cages": _cages,
    "thermometers": _thermometers,
    "differences": _differences,
    "even": _parity(0),
    "odd": _parity(1),
}
