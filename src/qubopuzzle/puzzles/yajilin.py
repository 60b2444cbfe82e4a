"""Yajilin: one loop through all cells but black ones, which arrows with numbers count."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, FileText, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import Cell, side_by_side
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_headings
from qubopuzzle.puzzles.vocabulary.loops import SHAPES, Loop, changed_loop, drawn_loop
from qubopuzzle.puzzles.vocabulary.paths import SIDES, neighbours
from qubopuzzle.puzzles.vocabulary.rules import Given, Pairs, Rule, Total

BLACK, UNKNOWN, MOST = 16, -1, 99
CLUES = {f"{n}{arrow}": 1 + 4 * n + d for n in range(MOST + 1) for d, arrow in enumerate(">v<^")}


def _file(text: FileText, board: Board) -> None:
    """Clues, then black cells, then the loop."""
    links.arrows(text, board)
    answer: Any = board.get("solution")
    black = None if answer is None else np.equal(answer, BLACK)
    shaded: Board = {"solution": None if black is None else black.astype(np.int64)}
    lines: Board = {"solution": None if black is None else np.where(black, 0, answer)}
    links.shading(text, shaded)
    links.paths(text, lines)
    if text.reading and lines["solution"] is not None:
        black = 0 if shaded["solution"] is None else shaded["solution"]
        board["solution"] = np.where(black, BLACK, lines["solution"])


@dataclass(frozen=True, eq=False)
class Yajilin(Kind):
    """Shade cells, no two side by side, and draw one loop through all others that have no clue.

    A clue says how many cells are black in the direction of its arrow; a question mark says
    nothing. ``grid`` has clues such as ``2>`` or ``0^`` (``>v<^``), ``?``, or None. An answer is,
    in each cell, 16 for black, or the sum of the sides that the loop leaves by: 1 right, 2 down, 4
    left, 8 up; 0 in a cell with a clue.

    >>> puzzle = Yajilin(grid=[[None, None, None], [None, "1>", None], [None, None, None]])
    >>> puzzle.violations(np.array([[3, 5, 6], [10, 0, 10], [9, 5, 12]]))[0].message
    'the clue on (1,1) has 0 black cells, not 1'

    Raises:
        PuzzleError: for other clues.
    """

    name: ClassVar[str] = "yajilin"
    least: ClassVar[int] = 2
    aliases: ClassVar[str] = "yajirin arrowring straightandarrow"
    formulations: ClassVar[Formulations] = {"headings": by_headings, "cuts": by_cuts}
    default_formulation: ClassVar[str] = "headings"
    lazy_formulation: ClassVar[str] = "cuts"
    anneals_by_cuts: ClassVar[bool] = True
    values: ClassVar[Sequence[int]] = (*SHAPES, BLACK)
    value_names: ClassVar[Mapping[int, str]] = {BLACK: "black"}
    usual: ClassVar[tuple[int, int]] = (8, 8)
    links = (
        Link("yajilin", body=[links.arrows], file=[_file]),
        penpa.Penpa(("yajilin",), [_file], clued=penpa.GREY),
    )

    grid: IntArray = clues.numbers(0, -1, {**CLUES, "?": UNKNOWN}, dropped=UNKNOWN)

    def rules(self) -> Iterator[Rule]:
        """Clues stand in no way, count, and black cells and the loop fill the rest."""
        clued = self.grid != 0
        yield Given("clue", np.zeros_like(self.grid), clued, "the cell of a clue")
        empty = [*np.flatnonzero(~clued)[:, None]]
        says = "every cell without a clue is black or on the loop"
        yield Total("filled", empty, high=0, worth={0: 1}, counted="gaps", says=says)
        cells = np.arange(self.cells).reshape(self.shape)
        places = np.argwhere(self.grid > 0)
        ways, number = [], []
        for r, c in places.tolist():
            n, d = divmod(int(self.grid[r, c]) - 1, 4)
            ways.append((cells[r, c + 1 :], cells[r + 1 :, c], cells[r, :c], cells[:r, c])[d])
            number.append(n)
        yield Total(
            "count",
            ways,
            number,
            number,
            [f"the clue on ({r},{c})" for r, c in places.tolist()],
            worth={BLACK: 1},
            tags=[("grid", int(cells[r, c])) for r, c in places.tolist()],
        )
        both = np.ones((len(self.values), len(self.values)), dtype=bool)
        both[-1, -1] = False
        pairs = side_by_side(self.shape)
        says = "no two black cells touch by a side"
        yield Pairs("adjacent", pairs, self.values, both, "are both black", says=says)
        yield Loop("loop", besides=(BLACK,))

    def clue_name(self, name: str, place: int) -> str:
        """A number and where its arrow points."""
        n, d = divmod(int(self.grid.flat[place]) - 1, 4)
        sign = f"{n} pointing {SIDES[d]}"
        return super().clue_name(name, place).replace(f"{n}{'>v<^'[d]}", sign)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Clues, black cells and the loop."""
        picture = super().picture(None, broken)
        shown = np.zeros(self.shape, dtype=np.int64) if answer is None else np.asarray(answer)
        black = shown == BLACK
        return replace(picture, black=black.astype(int), paths=np.where(black, 0, shown))

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """A loop; of the other cells as many are black as can be, the rest have clues."""
        return cls._around(drawn_loop(shape, rng), rng)

    @classmethod
    def _around(cls, loop: IntArray, rng: Rng) -> Self:
        solution, near = loop.copy(), neighbours(loop.shape)
        for cell in rng.permutation(np.flatnonzero(loop == 0)).tolist():
            beside = near[cell][near[cell] >= 0]
            solution.flat[cell] = 0 if (solution.ravel()[beside] == BLACK).any() else BLACK
        grid, black = np.zeros_like(loop), solution == BLACK
        for r, c in np.argwhere(solution == 0).tolist():
            ways = black[r, c + 1 :], black[r + 1 :, c], black[r, :c], black[:r, c]
            d = max(range(4), key=lambda d: (len(ways[d]) > 0) * rng.random() + ways[d].sum())
            grid[r, c] = 1 + 4 * int(ways[d].sum()) + d
        return cls(grid=grid, solution=solution)

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:
        """The loop goes another way where the other one differs."""
        solution = np.asarray(self.solution)
        loop = np.where(solution == BLACK, 0, solution)
        changed = changed_loop(loop, solution != other, rng)
        return None if changed is None else self._around(changed, rng)
