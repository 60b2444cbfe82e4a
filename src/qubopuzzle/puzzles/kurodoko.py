"""Kurodoko: shade cells so that each number sees that many white cells.

The rules of shading hold: no two black cells touch by a side, and the white cells hang
together. A cell with a number is white; it sees the white cells above, below, left and
right of it up to the first black cell, and itself once. Families:

- [arm] one choice for each direction of each number: how far it sees, 0 .. a;
- [sight] ``sum of the four arms = number - 1``;
- [open] an arm of length a or more needs a white cell at distance a:
  ``sum of [arm = b] over b >= a  <=  white``;
- [end] an arm of length a ends at a black cell, or at the edge: ``[arm = a] + white <= 1``;
- [adjacent], and connectivity as in the formulation: ``forest`` ([pair], [parent], see
  docs/formulations.md) or ``lazy`` ([connected]).

An arm has no length that ends at a number, or that the other three cannot make up for.
Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import IntArray, Model
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles._forest import shading_formulations
from qubopuzzle.puzzles._grids import SIDE_LIMIT, need, read_grid
from qubopuzzle.puzzles._shaded import BoolArray, Shaded
from qubopuzzle.puzzles._shading import Cell, ShadingPuzzle
from qubopuzzle.puzzles.base import Violation, about_from

_DIRECTIONS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


@dataclass(frozen=True)
class Kurodoko(ShadingPuzzle):
    """A grid of numbers, shape (rows, columns); None or 0 for a cell without.

    >>> puzzle = Kurodoko(grid=[[None, None], [None, 2]])
    >>> puzzle.violations(np.array([[0, 0], [1, 0]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers, and a number larger than its
            row and column together.
    """

    name: ClassVar[str] = "kurodoko"
    default_formulation: ClassVar[str] = "forest:modulus=5"
    lazy_formulation: ClassVar[str] = "lazy"

    grid: IntArray

    def __post_init__(self) -> None:
        super().__post_init__()
        grid = read_grid("grid", self.grid, 0, 2 * SIDE_LIMIT)
        most = sum(grid.shape) - 1
        for r, c in np.argwhere(grid > most).tolist():
            raise PuzzleError(f"grid[{r}][{c}]: {grid[r, c]}, but no cell sees more than {most}")
        object.__setattr__(self, "grid", grid)
        self.check_solution()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        rows, columns = self.grid.shape
        return rows, columns

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read ``{"puzzle": "kurodoko", "grid": [[null, 6], [2, null]]}``."""
        (grid,) = need(data, "grid")
        return cls(grid=grid, solution=data.get("solution"), **about_from(data))

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object."""
        grid = [[number or None for number in row] for row in self.grid.tolist()]
        return {"puzzle": self.name, **self.about(), "grid": grid}

    # --- rules -------------------------------------------------------------------------

    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Numbers on black cells, and numbers that see more or fewer cells."""
        broken = []
        for r, c in np.argwhere(self.grid).tolist():
            clue = int(self.grid[r, c])
            if answer[r, c]:
                message = f"the number {clue} on ({r},{c}) is black"
                broken.append(Violation("number", message, ((r, c),)))
                continue
            seen = [(r, c), *self._seen(answer, r, c)]
            if len(seen) != clue:
                message = f"the number {clue} on ({r},{c}) sees {len(seen)} white cells"
                broken.append(Violation("sight", message, tuple(seen)))
        return broken

    def _seen(self, answer: IntArray, r: int, c: int) -> Iterator[tuple[int, int]]:
        rows, columns = self.shape
        for down, right in _DIRECTIONS.values():
            i, j = r + down, c + right
            while 0 <= i < rows and 0 <= j < columns and not answer[i, j]:
                yield i, j
                i, j = i + down, j + right

    # --- picture and examples ----------------------------------------------------------

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """The numbers in circles."""
        words: dict[Cell, str] = {
            (r, c): str(self.grid[r, c]) for r, c in np.argwhere(self.grid).tolist()
        }
        numbers = frozenset(words)
        return Picture(
            *self.shape,
            black=answer,
            words=words,
            given=numbers,
            circled=numbers,
            broken=frozenset(broken),
        )

    @classmethod
    def examples(cls) -> list[Self]:
        """Small boards with one solution."""
        return []


# --- formulations ----------------------------------------------------------------------


def _never_black(puzzle: Kurodoko) -> BoolArray:
    return puzzle.grid > 0


@dataclass(frozen=True, slots=True, eq=False)
class _Arm:
    """What a number may see in one direction: cells in order, and possible lengths."""

    name: str
    cells: IntArray
    lengths: tuple[int, ...]

    def length(self, answer: IntArray) -> int:
        """How far it sees in an answer; InputError if that is none of its lengths."""
        black = np.flatnonzero(answer.ravel()[self.cells])
        length = int(black[0]) if len(black) else len(self.cells)
        if length not in self.lengths:
            raise InputError("the answer breaks a number, so it is no assignment of arms")
        return length


def _arms(puzzle: Kurodoko, r: int, c: int) -> list[_Arm]:
    """The four arms of a number, without lengths that cannot be."""
    numbers = np.arange(puzzle.grid.size).reshape(puzzle.shape)
    white = puzzle.grid.ravel() > 0
    ahead = [numbers[:r, c][::-1], numbers[r, c + 1 :], numbers[r + 1 :, c], numbers[r, :c][::-1]]
    lengths = [
        [a for a in range(len(cells) + 1) if a == len(cells) or not white[cells[a]]]
        for cells in ahead
    ]
    fitting = _fitting(lengths, int(puzzle.grid[r, c]) - 1)
    return [
        _Arm(f"{name}[{r},{c}]", cells, tuple(own))
        for name, cells, own in zip(_DIRECTIONS, ahead, fitting, strict=True)
    ]


def _fitting(lengths: list[list[int]], total: int) -> list[list[int]]:
    """Lengths for which some of the others make up the total; all of them if there are none."""
    kept, before = lengths, None
    while kept != before:
        before = kept
        least, most = (sum(map(end, kept)) for end in (min, max))
        kept = [
            [a for a in own if total - most + max(own) <= a <= total - least + min(own)]
            for own in kept
        ]
        if not all(kept):
            return lengths
    return kept


def _constrain(puzzle: Kurodoko, shaded: Shaded) -> Model:
    free: list[_Arm] = []
    for r, c in np.argwhere(puzzle.grid).tolist():
        total = int(puzzle.grid[r, c]) - 1
        literals: list[int] = []
        lengths: list[int] = []
        for arm in _arms(puzzle, r, c):
            if len(arm.lengths) == 1:
                _fix(shaded, arm.cells, arm.lengths[0])
                total -= arm.lengths[0]
            else:
                own = shaded.builder.literals(_add_arm(shaded, arm))
                free.append(arm)
                literals += own
                lengths += arm.lengths
        rows = [0] * len(literals)
        shaded.builder.linear(
            "sight", rows, literals, lengths, lower=total, upper=total, shape=(1,)
        )
    return shaded.build(partial(_write_arms, free))


def _fix(shaded: Shaded, cells: IntArray, length: int) -> None:
    """An arm that can have one length only."""
    seen = list(cells[:length, None])
    shaded.count("open", seen, most=[0] * len(seen))
    end = list(cells[length : length + 1, None])
    shaded.count("end", end, least=[1] * len(end))


def _add_arm(shaded: Shaded, arm: _Arm) -> int:
    """The choice of an arm, [open] and [end]."""
    builder, lengths = shaded.builder, np.array(arm.lengths)
    choice = builder.choice(arm.name, arm.lengths, family="arm")
    first = builder.literals(choice).start
    white = shaded.white.ravel()[arm.cells]
    far = np.flatnonzero(white[: lengths[-1]] >= 0)  # an arm may have to see that far
    rows, longer = np.nonzero(lengths > far[:, None])
    builder.linear(
        "open",
        np.concatenate([rows, np.arange(len(far))]),
        np.concatenate([first + longer, white[far]]),
        np.repeat([1, -1], [len(rows), len(far)]),
        upper=0,
        shape=(len(far),),
    )
    ends = np.flatnonzero(lengths < len(white))
    last = white[lengths[ends]]
    free = last >= 0  # an arm cannot end at a cell that is always white
    builder.linear(
        "end",
        np.concatenate([np.arange(len(ends)), np.flatnonzero(free)]),
        np.concatenate([first + ends, last[free]]),
        upper=free.astype(np.int64),
        shape=(len(ends),),
    )
    return choice


def _write_arms(arms: list[_Arm], answer: IntArray) -> list[int]:
    return [arm.length(answer) for arm in arms]


Kurodoko.formulations = shading_formulations(_constrain, _never_black)
