"""Sudoku: every row, column and box of an n x n grid holds the digits 1 to n once each.

Boxes have ``b_r`` rows and ``b_c`` columns, ``b_r b_c = n``. Two formulations from one piece
of code (families in brackets): one choice an empty cell over digits [cell], ``x_{c,v}`` for
"cell c holds v", and for each unit U and digit v

    sum of x_{c,v} over the empty cells c of U  =  1 - (givens v in U)    [row] [column] [box]

- ``candidates`` (default): a cell chooses among the digits that no given in its units
  excludes. What is left of a unit and digit that is given says 0 = 0 and is left out.
- ``full``: a cell chooses among all n digits, the form of the textbooks of integer
  programming. The sums of digits that are given are 0.

Givens are substituted in both, never penalised. Where two equal givens share a unit the sum
would have to be -1; a cell that the givens leave without a candidate keeps all digits, and
each of them breaks a sum of 0: such a puzzle has a model without solutions.

Boxes of a single row or column say what [row] or [column] says, and are left out.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isqrt
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import Field, IntArray, Model, ModelBuilder
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles._grids import check_values, is_list, need, read_grid, read_numbers
from qubopuzzle.puzzles.base import Puzzle, Violation, about_from, brief, check_shape

SIZE_LIMIT = 36
"""Most rows and columns."""


@dataclass(frozen=True)
class Sudoku(Puzzle):
    """A sudoku: a square grid of givens, 0 or None where a cell is empty, and its boxes.

    ``box`` is the rows and columns of a box; without it the squarest, lying rather than
    standing. Boxes of one row or column (a latin square) have to be asked for. Givens
    that contradict each other are a puzzle without a solution.

    >>> Sudoku(grid=[[0, 2, 0, 4], [0] * 4, [0] * 4, [4, 0, 2, 0]]).box
    (2, 2)

    Raises:
        PuzzleError: for a grid that is not square, givens that are no digits 1 to n, or
            boxes that do not fit.
    """

    name: ClassVar[str] = "sudoku"
    default_formulation: ClassVar[str] = "candidates"

    grid: tuple[tuple[int, ...], ...]
    box: tuple[int, int] = None  # type: ignore[assignment]  # __post_init__ fills it in

    def __post_init__(self) -> None:
        super().__post_init__()
        grid = _read_givens(self.grid)
        object.__setattr__(self, "grid", tuple(map(tuple, grid.tolist())))
        object.__setattr__(self, "box", _read_box(self.box, len(grid)))
        self.check_solution()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return len(self.grid), len(self.grid)

    # --- native JSON -------------------------------------------------------------------

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read ``{"puzzle": "sudoku", "grid": [[0, 2, ...], ...], "box": [2, 2]}``."""
        (grid,) = need(data, "grid")
        box: Any = data.get("box")
        return cls(grid=grid, box=box, solution=data.get("solution"), **about_from(data))

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object."""
        grid = [list(row) for row in self.grid]
        return {"puzzle": self.name, **self.about(), "grid": grid, "box": list(self.box)}

    def parse_answer(self, data: Any) -> IntArray:
        """Read rows of digits, or lines of text.

        A line holds numbers with spaces between, or one character a cell, 1 to 9 and
        then A for 10.
        """
        if isinstance(data, list | tuple) and data and all(isinstance(row, str) for row in data):
            data = [_digits(f"solution[{r}]", line) for r, line in enumerate(data)]
        answer = read_grid("solution", data, 1, len(self.grid))
        check_shape(answer, self.shape)
        return answer

    def format_answer(self, answer: IntArray) -> list[list[int]]:
        """Rows of digits."""
        rows: list[list[int]] = answer.tolist()
        return rows

    # --- rules -------------------------------------------------------------------------

    def violations(self, answer: IntArray) -> list[Violation]:
        """Digits that a row, column or box holds more than once, and changed givens."""
        check_shape(answer, self.shape)
        n = len(self.grid)
        check_values(answer, 1, n)
        digits = answer.astype(np.int64).tolist()
        high, wide = self.box
        units: dict[tuple[str, int], dict[int, list[tuple[int, int]]]] = {}
        broken = []
        for r, c in np.ndindex(n, n):
            box = r // high * (n // wide) + c // wide
            for unit in (("row", r), ("column", c), ("box", box)):
                units.setdefault(unit, {}).setdefault(digits[r][c], []).append((r, c))
            if self.grid[r][c] not in (0, digits[r][c]):
                message = f"row[{r}] column[{c}] is {digits[r][c]}, given is {self.grid[r][c]}"
                broken.append(Violation("given", message, ((r, c),)))
        for (rule, i), places in sorted(units.items(), key=_rule_order):
            for digit, cells in sorted(places.items()):
                if len(cells) > 1:
                    message = f"{rule}[{i}] has {digit} {_times(len(cells))}"
                    broken.append(Violation(rule, message, tuple(cells)))
        return broken

    # --- picture and examples ----------------------------------------------------------

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """The grid with its boxes; givens belong to the puzzle, other digits to the answer."""
        givens = np.array(self.grid)
        digits = givens if answer is None else np.asarray(answer)
        rows, columns = self.shape
        return Picture(
            rows,
            columns,
            words={(r, c): str(digits[r, c]) for r, c in np.argwhere(digits).tolist()},
            given=frozenset(map(tuple, np.argwhere((givens > 0) & (givens == digits)).tolist())),
            rooms=_units(self)["box"].reshape(self.shape),
            broken=frozenset(broken),
        )

    @classmethod
    def examples(cls) -> list[Self]:
        """A hard 9x9, and a 4x4 and a 6x6 for a start; each has one solution."""
        return [cls.from_dict({"n_solutions": 1, **example}) for example in _EXAMPLES]


def _read_givens(data: Any) -> IntArray:
    if not is_list(data) or not 1 <= len(data) <= SIZE_LIMIT:
        raise PuzzleError(f"grid: expected 1 to {SIZE_LIMIT} rows, got {brief(data)}")
    grid = read_grid("grid", data, 0, len(data))
    if grid.shape[1] != len(grid):
        raise PuzzleError(f"grid: {len(grid)} rows of {grid.shape[1]} cells are no square")
    return grid


def _read_box(box: Any, n: int) -> tuple[int, int]:
    if box is None:
        high = max(b for b in range(1, isqrt(n) + 1) if n % b == 0)
        if high == 1 < n:
            raise PuzzleError(
                f'box: a grid of {n} x {n} has no boxes but whole lines; for those give "box": '
                f"[1, {n}]"
            )
        return high, n // high
    sides = read_numbers("box", box, 0, SIZE_LIMIT).tolist()
    if len(sides) != 2 or sides[0] * sides[1] != n:
        size = " x ".join(map(str, sides[:4])) or "nothing"
        raise PuzzleError(f"box: {size} does not make {n} cells; give [rows, columns]")
    return sides[0], sides[1]


def _digits(place: str, line: str) -> list[int]:
    """The numbers of a line of text."""
    words = line.split() if len(line.split()) > 1 else list(line.strip())
    base = 36 if all(len(word) == 1 for word in words) else 10
    try:
        if not (line.isascii() and all(word.isalnum() for word in words)):
            raise ValueError
        return [int(word, base) for word in words]
    except ValueError:
        raise InputError(f"{place}: expected digits, got {brief(line)}") from None


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _rule_order(item: tuple[tuple[str, int], object]) -> tuple[int, int]:
    rule, i = item[0]
    return ("row", "column", "box").index(rule), i


# --- formulations ----------------------------------------------------------------------


def _units(puzzle: Sudoku) -> dict[str, IntArray]:
    """By family, the unit of each cell, shape (cells,)."""
    n = len(puzzle.grid)
    high, wide = puzzle.box
    row, column = np.arange(n * n) // n, np.arange(n * n) % n
    return {"row": row, "column": column, "box": row // high * (n // wide) + column // wide}


def _model(puzzle: Sudoku, *, every_digit: bool) -> Model:
    builder = ModelBuilder()
    n = len(puzzle.grid)
    given = np.array(puzzle.grid).ravel()
    units = {family: unit for family, unit in _units(puzzle).items() if family != "box"}
    if 1 not in puzzle.box:
        units = _units(puzzle)
    taken = {family: np.zeros((n, n), dtype=np.int64) for family in units}
    for family, unit in units.items():
        np.add.at(taken[family], (unit[given > 0], given[given > 0] - 1), 1)
    allowed = np.ones((n * n, n), dtype=bool)
    if not every_digit:
        for family, unit in units.items():
            allowed &= taken[family][unit] == 0
        allowed[~allowed.any(axis=1)] = True  # each digit breaks a sum: see above
    allowed[given > 0] = False
    for cell in np.flatnonzero(given == 0).tolist():
        digits = (np.flatnonzero(allowed[cell]) + 1).tolist()
        builder.choice(f"cell[{cell // n},{cell % n}]", digits, family="cell")
    # Literals are numbered cell by cell, digit by digit, as nonzero finds them.
    where, digit = np.nonzero(allowed)
    for family, unit in units.items():
        _add_sums(builder, family, unit[where] * n + digit, 1 - taken[family].ravel(), n)
    literal = np.arange(len(where))
    reading = builder.reading("cells", where, literal, digit + 1, base=given, n_cells=n * n)
    return builder.build(Field(puzzle.shape, 1, n, (reading,), partial(_write, given, allowed)))


def _add_sums(builder: ModelBuilder, family: str, sums: IntArray, amount: IntArray, n: int) -> None:
    """Literal i is a term of sum ``sums[i]``, which is unit n + digit; shape (literals,).

    ``amount`` (n * n,) is what each must come to; those that say 0 = 0 are left out.
    """
    kept = np.flatnonzero((np.bincount(sums, minlength=n * n) > 0) | (amount != 0))
    rows = np.searchsorted(kept, sums)
    builder.linear(
        family,
        rows,
        np.arange(len(sums)),
        lower=amount[kept],
        upper=amount[kept],
        shape=(len(kept),),
        labels=partial(_label, family, kept, n),
    )


def _label(family: str, kept: IntArray, n: int, row: int) -> str:
    unit, digit = divmod(int(kept[row]), n)
    return f"{family}[{unit}] digit {digit + 1}"


def _write(given: IntArray, allowed: NDArray[np.bool_], answer: IntArray) -> list[int]:
    """The digits of the empty cells, which must be candidates; givens must be kept."""
    digits = np.asarray(answer).ravel()
    there = np.where(given > 0, digits == given, allowed[np.arange(len(digits)), digits - 1])
    if not there.all():
        r, c = divmod(int(np.argmin(there)), allowed.shape[1])
        raise InputError(
            f"row[{r}] column[{c}] is {answer[r, c]}, which the givens exclude, so the answer "
            "is no assignment of candidates"
        )
    values: list[int] = digits[given == 0].tolist()
    return values


Sudoku.formulations = {
    "candidates": partial(_model, every_digit=False),
    "full": partial(_model, every_digit=True),
}

_EXAMPLES: list[dict[str, Any]] = [
    {
        "id": "sudoku-seed",
        "grid": [
            [0, 0, 9, 0, 0, 8, 0, 0, 0],
            [1, 0, 6, 0, 9, 0, 0, 0, 0],
            [0, 0, 0, 0, 1, 0, 3, 0, 2],
            [0, 0, 0, 5, 7, 0, 0, 0, 0],
            [4, 3, 0, 0, 0, 0, 0, 0, 9],
            [0, 9, 8, 0, 0, 3, 0, 0, 0],
            [0, 0, 2, 0, 0, 0, 0, 7, 4],
            [6, 0, 0, 0, 0, 0, 8, 0, 0],
            [5, 4, 0, 0, 0, 0, 0, 0, 3],
        ],
        "solution": [
            "379258146",
            "126394587",
            "854716392",
            "261579438",
            "435821769",
            "798463251",
            "982135674",
            "613947825",
            "547682913",
        ],
    },
    {
        "id": "sudoku-4x4",
        "grid": [[0, 0, 0, 0], [0, 4, 0, 3], [4, 0, 1, 0], [0, 0, 0, 0]],
        "solution": ["3241", "1423", "4312", "2134"],
    },
    {
        "id": "sudoku-6x6",
        "grid": [
            [4, 0, 0, 2, 1, 0],
            [0, 0, 0, 0, 6, 0],
            [0, 0, 0, 6, 0, 0],
            [0, 0, 5, 0, 0, 0],
            [0, 4, 0, 0, 0, 0],
            [0, 1, 6, 0, 0, 2],
        ],
        "solution": ["463215", "251364", "124653", "635421", "542136", "316542"],
    },
]
