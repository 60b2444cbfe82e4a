"""Sudoku: every row, column and box of an n x n grid holds the digits 1 to n once each.

Boxes have ``b_r`` rows and ``b_c`` columns, ``b_r b_c = n``. With ``x_{c,v}`` for "empty cell
c holds digit v", there are four families of sums:

    [cell]                  sum over v of x_{c,v}                       =  1
    [row] [column] [box]    sum over the empty cells c of a unit U of x_{c,v}
                                                          =  1 - (givens v in U)

One family are the choices, exact in every encoding; the others are constraints.

- ``places`` (default): [box], where in its box does a digit stand, ``x_{c,v}`` only where no
  given in the units of c excludes v. An annealer's moves keep every box complete.
- ``candidates``: [cell], which of its candidates does a cell hold, with the same ``x_{c,v}``.
- ``full``: [cell] over all n digits, the form of the textbooks of integer programming; sums
  of a digit that is given are 0.

Givens are substituted in all, never penalised. Where they contradict each other, a sum of no
literals would have to be 1, or a sum -1: the puzzle has a model, but no solution.

Boxes of a single row or column say what [row] or [column] says; there is no [box] then, and
``places`` asks where in its row a digit stands.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isqrt
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import Field, IntArray, Model, ModelBuilder
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, about_from, brief, check_shape
from qubopuzzle.puzzles.kinds.grids import check_values, is_list, need, read_grid, read_numbers

SIZE_LIMIT = 36
"""Most rows and columns."""


@dataclass(frozen=True)
class Sudoku(Puzzle):
    """Every row, column and box holds each digit once.

    A square grid of givens, 0 or None where a cell is empty, and its boxes.

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
    default_formulation: ClassVar[str] = "places"

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


def squarest_box(n: int) -> tuple[int, int]:
    """The box of n cells whose sides differ least, lying rather than standing.

    >>> squarest_box(9), squarest_box(12), squarest_box(7)
    ((3, 3), (3, 4), (1, 7))
    """
    high = max(b for b in range(1, isqrt(n) + 1) if n % b == 0)
    return high, n // high


def _read_box(box: Any, n: int) -> tuple[int, int]:
    if box is None:
        high, wide = squarest_box(n)
        if high == 1 < n:
            raise PuzzleError(
                f'box: a grid of {n} x {n} has no boxes but whole lines; for those give "box": '
                f"[1, {n}]"
            )
        return high, wide
    plain = type(box) is tuple and all(type(side) is int and side > 0 for side in box)
    sides = list(box) if plain else read_numbers("box", box, 0, SIZE_LIMIT).tolist()
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


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Rules of one family: the literals i with ``of[i] = k`` come to ``amount[k]``.

    ``of`` has shape (literals,), ``amount`` (sums,), with the givens taken off.
    """

    family: str
    of: IntArray
    amount: IntArray
    label: Callable[[int], str]

    def constrain(self, builder: ModelBuilder, *, chosen: bool) -> None:
        """Add them as constraints, if ``chosen`` only those without literals; never 0 = 0."""
        literals = np.bincount(self.of, minlength=len(self.amount))
        kept = (literals == 0) & (self.amount != 0)
        if not chosen:
            kept |= literals > 0
        rows = np.flatnonzero(kept)
        (literal,) = np.nonzero(kept[self.of])
        builder.linear(
            self.family,
            np.searchsorted(rows, self.of[literal]),
            literal,
            lower=self.amount[rows],
            upper=self.amount[rows],
            shape=(len(rows),),
            labels=lambda row: self.label(int(rows[row])),
        )


def _model(puzzle: Sudoku, *, by: str, every_digit: bool = False) -> Model:
    """The rules of family ``by`` are the choices, the others constraints."""
    n = len(puzzle.grid)
    given = np.array(puzzle.grid).ravel()
    units = _units(puzzle)
    if 1 in puzzle.box:
        del units["box"]
        by = "row" if by == "box" else by
    taken = {family: np.zeros((n, n), dtype=np.int64) for family in units}
    allowed = np.repeat(given[:, None] == 0, n, axis=1)
    for family, unit in units.items():
        np.add.at(taken[family], (unit[given > 0], given[given > 0] - 1), 1)
        allowed &= (taken[family][unit] == 0) | every_digit
    cell, digit = np.nonzero(allowed)
    order = np.lexsort([cell, cell if by == "cell" else units[by][cell] * n + digit])
    cell, digit = cell[order], digit[order]
    rules = [_Sums("cell", cell, (given == 0).astype(np.int64), partial(_cell_label, n))]
    for family, unit in units.items():
        amount, label = 1 - taken[family].ravel(), partial(_unit_label, family, n)
        rules.append(_Sums(family, unit[cell] * n + digit, amount, label))
    return _build(puzzle.shape, given, rules, by, cell, digit)


def _build(
    shape: tuple[int, int],
    given: IntArray,
    rules: list[_Sums],
    by: str,
    cell: IntArray,
    digit: IntArray,
) -> Model:
    """The model over literals "this cell holds this digit", in the order of their choices."""
    builder = ModelBuilder()
    (chosen,) = (rule for rule in rules if rule.family == by)
    if by == "cell":
        values: list[Any] = (digit + 1).tolist()
    else:
        values = [divmod(c, shape[1]) for c in cell.tolist()]
    own, first = np.unique(chosen.of, return_index=True)
    ends = np.append(first, len(values))[1:]
    for number, start, stop in zip(own, first, ends, strict=True):
        builder.choice(chosen.label(int(number)), values[start:stop], family=by)
    for rule in rules:
        rule.constrain(builder, chosen=rule is chosen)
    reading = builder.reading(
        "cells", cell, np.arange(len(cell)), digit + 1, base=given, n_cells=len(given)
    )

    def write(answer: IntArray) -> list[Any]:
        """Of each choice the one value that the answer makes true."""
        digits = np.asarray(answer).ravel()
        true = np.flatnonzero(digits[cell] == digit + 1)
        kept = (digits == given) | (given == 0)
        if not (kept.all() and np.array_equal(chosen.of[true], own)):
            raise InputError("the answer breaks a rule or a given, so it is no assignment")
        return [values[i] for i in true]

    return builder.build(Field(shape, 1, shape[0], (reading,), write))


def _cell_label(n: int, number: int) -> str:
    return f"cell[{number // n},{number % n}]"


def _unit_label(family: str, n: int, number: int) -> str:
    return f"{family}[{number // n}] digit {number % n + 1}"


Sudoku.formulations = {
    "places": partial(_model, by="box"),
    "candidates": partial(_model, by="cell"),
    "full": partial(_model, by="cell", every_digit=True),
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
