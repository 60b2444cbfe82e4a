"""Nonogram (picross): paint cells so that every line's runs of black are its clue.

Three formulations of the same rules, from one piece of code (families in brackets):

- ``numbering``: number k of a line stands on the first cell of its k-th run, the
  formulation of Fixstars' picross tutorial. Each number is written once [once], at most
  one on a cell [cell], number k+1 at least ``h_k + 1`` further on than number k [order],
  and the pictures painted from the rows and from the columns agree on every cell [field].
- ``window`` (default): the same, but number k only stands where the runs before and
  after it still fit: ``s_k <= j <= s_k + S`` with ``s_k = sum of (h_t + 1) over t < k``
  and the line's slack ``S = length - sum(h) - (n - 1)``. [cell] follows from [order].
- ``pattern``: one choice a line over all its legal paintings [line], and [field].

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, combinations
from math import comb
from operator import index
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError, TooLarge
from qubopuzzle.model import Field, IntArray, Model, ModelBuilder
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Violation, about_from, brief, check_shape
from qubopuzzle.puzzles.kinds.cells import runs, shading_to_rows
from qubopuzzle.puzzles.kinds.grids import check_values, read_shading
from qubopuzzle.puzzles.kinds.shading import Painting

LINE_LIMIT = 1_000
"""Most rows or columns."""
TERM_LIMIT = 20_000_000
"""Most cells painted by all values of all choices together: a model of about 1 GB."""

Clue = tuple[int, ...]


@dataclass(frozen=True)
class Nonogram(Painting):
    """Shade cells in runs as long as the clues of rows and columns say.

    There is one clue a row (top to bottom) and one a column (left to right).

    >>> puzzle = Nonogram(rows=[[2], [1]], cols=[[2], [1]])
    >>> puzzle.violations(np.array([[1, 1], [1, 0]]))
    []

    Raises:
        PuzzleError: for clues that are no positive whole numbers, do not fit their line
            or do not add up to the same number of black cells.
    """

    name: ClassVar[str] = "nonogram"
    default_formulation: ClassVar[str] = "window"

    rows: tuple[Clue, ...]
    cols: tuple[Clue, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        rows, cols = _clues("rows", self.rows), _clues("cols", self.cols)
        _check_fit("rows", rows, len(cols))
        _check_fit("cols", cols, len(rows))
        black = [sum(map(sum, clues)) for clues in (rows, cols)]
        if black[0] != black[1]:
            raise PuzzleError(
                f"the rows add up to {black[0]} black cells but the cols to {black[1]}"
            )
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "cols", cols)
        self.check_solution()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return len(self.rows), len(self.cols)

    @classmethod
    def from_picture(cls, picture: Any, **about: Any) -> Self:
        """The nonogram of a picture, given as lines of ``#`` and ``.`` or as rows of 0 and 1."""
        grid = read_shading("picture", picture)
        rows = tuple(tuple(runs(line)) for line in grid.tolist())
        cols = tuple(tuple(runs(line)) for line in grid.T.tolist())
        return cls(rows=rows, cols=cols, solution=grid, **about)

    # --- native JSON -------------------------------------------------------------------

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read ``{"puzzle": "nonogram", "rows": [[2, 1], []], "cols": [...]}``."""
        for key in ("rows", "cols"):
            if key not in data:
                raise PuzzleError(f"{key}: missing")
        solution = data.get("solution")
        return cls(rows=data["rows"], cols=data["cols"], solution=solution, **about_from(data))

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object."""
        clues = {"rows": [list(c) for c in self.rows], "cols": [list(c) for c in self.cols]}
        return {"puzzle": self.name, **self.about(), **clues}

    # --- rules -------------------------------------------------------------------------

    def violations(self, answer: IntArray) -> list[Violation]:
        """Lines whose runs differ from their clue."""
        check_shape(answer, self.shape)
        check_values(answer, 0, 1)
        broken = []
        for rule, clues, lines in (("row", self.rows, answer), ("column", self.cols, answer.T)):
            for i, (clue, line) in enumerate(zip(clues, lines.tolist(), strict=True)):
                found = tuple(runs(line))
                if found != clue:
                    message = f"{rule}[{i}] reads {_words(found)}, its clue is {_words(clue)}"
                    along = [(i, j) if rule == "row" else (j, i) for j in range(len(line))]
                    broken.append(Violation(rule, message, tuple(along)))
        return broken

    # --- picture and examples ----------------------------------------------------------

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """The grid with its clues on the left and on top."""
        left, top = (
            tuple(tuple(map(str, clue)) or ("0",) for clue in clues)
            for clues in (self.rows, self.cols)
        )
        return Picture(
            *self.shape, black=answer, left=left, top=top, broken=frozenset(broken), thick_every=5
        )

    @classmethod
    def examples(cls) -> list[Self]:
        """The 5x5 "A" of the tutorial and a 12x9 picture."""
        a = ["..#..", ".#.#.", ".#.#.", "#####", "#...#"]
        picture = [
            "....###..",
            "...##.#..",
            "...##....",
            ".#######.",
            "#########",
            "##.###.##",
            "####.####",
            "#########",
            "##.###.##",
            "###...###",
            ".#######.",
            "..#####..",
        ]
        return [
            cls.from_picture(a, id="picross-a", title="A", n_solutions=1),
            cls.from_picture(picture, id="nonogram-12x9", n_solutions=1),
        ]


def _words(clue: Sequence[int]) -> str:
    words = " ".join(map(str, clue[:20])) or "0"
    return words if len(clue) <= 20 else f"{words} ... ({len(clue)} runs)"


def _clues(key: str, clues: Any) -> tuple[Clue, ...]:
    if not isinstance(clues, list | tuple | np.ndarray):
        raise PuzzleError(f"{key}: expected a list of clues, got {brief(clues)}")
    if not 1 <= len(clues) <= LINE_LIMIT:
        raise PuzzleError(f"{key}: {len(clues)} lines; a nonogram here has 1 to {LINE_LIMIT}")
    return tuple(_clue(f"{key}[{i}]", clue) for i, clue in enumerate(clues))


def _clue(place: str, clue: Any) -> Clue:
    vector = isinstance(clue, np.ndarray) and clue.ndim == 1
    if isinstance(clue, str) or not (vector or isinstance(clue, Sequence)):
        raise PuzzleError(f"{place}: expected a list of numbers, got {brief(clue)}")
    if len(clue) > LINE_LIMIT:
        raise PuzzleError(f"{place}: {len(clue)} numbers do not fit any line")
    numbers = []
    for i, number in enumerate(clue):
        try:
            if isinstance(number, bool):
                raise TypeError
            numbers.append(index(number))
        except TypeError:
            raise PuzzleError(
                f"{place}[{i}]: expected a whole number, got {brief(number)}"
            ) from None
        if numbers[-1] < 0 or (numbers[-1] == 0 and len(clue) > 1):
            raise PuzzleError(f"{place}[{i}]: {brief(number)} is no length of a run")
    return () if numbers == [0] else tuple(numbers)


def _check_fit(key: str, clues: tuple[Clue, ...], length: int) -> None:
    for i, clue in enumerate(clues):
        needed = sum(clue) + len(clue) - 1
        if needed > length:
            what = (
                f"clue {_words(clue)} needs {needed}" if needed < 10**6 else "the clue needs more"
            )
            raise PuzzleError(f"{key}[{i}]: {what} cells, the line has {length}")


# --- formulations ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Painting:
    """Which cells each literal paints: arrays ``literal`` and ``cell`` of shape (terms,)."""

    literal: IntArray
    cell: IntArray


def _model_by_numbers(puzzle: Nonogram, *, window: bool) -> Model:
    builder = ModelBuilder()
    n_rows, n_cols = puzzle.shape
    lines = [("row", puzzle.rows, n_cols), ("col", puzzle.cols, n_rows)]
    terms = sum(
        len(starts) * h
        for _, clues, length in lines
        for clue in clues
        for starts, h in zip(_starts(clue, length, window), clue, strict=True)
    )
    if terms > TERM_LIMIT:
        raise TooLarge(f"the model would have {terms:,} terms, more than {TERM_LIMIT:,}")
    paintings = [_number_lines(builder, *line, window) for line in lines]
    return _finish(builder, puzzle, paintings, partial(_write_starts, puzzle))


def _starts(clue: Clue, length: int, window: bool) -> list[range]:
    """Where each number of a line may stand."""
    if window:
        slack = length - sum(clue) - (len(clue) - 1)
        before = accumulate((h + 1 for h in clue[:-1]), initial=0)
        return [range(s, s + slack + 1) for s in before if clue]
    last = len(clue) - 1
    return [range(length - h + 1 if k == last else length) for k, h in enumerate(clue)]


def _number_lines(
    builder: ModelBuilder, axis: str, clues: tuple[Clue, ...], length: int, window: bool
) -> _Painting:
    """Number all rows, or all columns: choices, [cell], [order], and what is painted."""
    numbers = [
        (builder.choice(f"{axis}[{i}].start[{k}]", starts), i, starts.start, len(starts), h)
        for i, clue in enumerate(clues)
        for k, (starts, h) in enumerate(zip(_starts(clue, length, window), clue, strict=True))
    ]
    choice, on, first, size, run = np.array(numbers, dtype=np.int64).reshape(-1, 5).T
    line, height, place = np.repeat(on, size), np.repeat(run, size), _ramp(size)
    start = np.repeat(first, size) + place
    literal = np.repeat([builder.literals(c).start for c in choice.tolist()], size) + place
    if not window:
        shape = len(clues), length
        builder.linear("cell", line * length + start, literal, upper=1, shape=shape)
    (before,) = np.nonzero(on[1:] == on[:-1])
    builder.precedence("order", choice[before], choice[before + 1], run[before] + 1)
    # A run that starts on cell j paints j .. j + h - 1, as far as there are cells.
    along = np.repeat(start, height) + _ramp(height)
    inside = along < length
    literal, line, along = (
        values[inside] for values in (np.repeat(literal, height), np.repeat(line, height), along)
    )
    return _Painting(literal, line * length + along if axis == "row" else along * len(clues) + line)


def _ramp(counts: IntArray) -> IntArray:
    """0 .. count - 1 for each count, one after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _model_by_patterns(puzzle: Nonogram) -> Model:
    builder = ModelBuilder()
    n_rows, n_cols = puzzle.shape
    _check_patterns(puzzle)
    paintings = []
    for axis, clues, length in (("row", puzzle.rows, n_cols), ("col", puzzle.cols, n_rows)):
        literals, cells = [], []
        for i, clue in enumerate(clues):
            painted = _paintings(clue, length)
            values = shading_to_rows(painted)
            choice = builder.choice(f"{axis}[{i}]", values, family="line")
            which, along = np.nonzero(painted)
            literals.append(builder.literals(choice).start + which)
            cells.append(i * length + along if axis == "row" else along * len(clues) + i)
        paintings.append(_Painting(np.concatenate(literals), np.concatenate(cells)))
    return _finish(builder, puzzle, paintings, _write_lines)


def _check_patterns(puzzle: Nonogram) -> None:
    terms = 0
    for key, clues, length in (
        ("rows", puzzle.rows, len(puzzle.cols)),
        ("cols", puzzle.cols, len(puzzle.rows)),
    ):
        for i, clue in enumerate(clues):
            count = comb(length - sum(clue) + 1, len(clue))
            terms += count * length
            if terms > TERM_LIMIT:
                raise TooLarge(
                    f"{key}[{i}] has {count:,} paintings, over {TERM_LIMIT:,} cells so far: "
                    "too many for formulation pattern; use window"
                )


def _paintings(clue: Clue, length: int) -> IntArray:
    """All legal paintings of a line, shape (paintings, length), runs leftmost first."""
    n, places = len(clue), length - sum(clue) + 1
    picks = np.array(list(combinations(range(places), n)), dtype=np.int64)
    picks = picks.reshape(comb(places, n), n)
    # Shrink every run and the gap after it to one place; pick where the runs are.
    before = np.cumsum([0, *clue])[:n]
    painted = np.zeros((len(picks), length), dtype=np.int64)
    which = np.arange(len(picks))
    for k, h in enumerate(clue):
        for ahead in range(h):
            painted[which, picks[:, k] + before[k] + ahead] = 1
    return painted


def _finish(
    builder: ModelBuilder, puzzle: Nonogram, paintings: list[_Painting], write: Any
) -> Model:
    """Tie the two pictures together and say how they are read."""
    rows, cols = paintings
    n_cells = puzzle.shape[0] * puzzle.shape[1]
    builder.linear(
        "field",
        np.concatenate([rows.cell, cols.cell]),
        np.concatenate([rows.literal, cols.literal]),
        np.repeat([1, -1], [len(rows.cell), len(cols.cell)]),
        lower=0,
        upper=0,
        shape=puzzle.shape,
    )
    readings = tuple(
        builder.reading(name, painting.cell, painting.literal, n_cells=n_cells)
        for name, painting in (("rows", rows), ("columns", cols))
    )
    return builder.build(Field(puzzle.shape, 0, 1, readings, write))


def _write_starts(puzzle: Nonogram, answer: IntArray) -> list[int]:
    """The start of every run, rows first; the answer must have as many runs as the clues."""
    starts: list[int] = []
    for clues, lines in ((puzzle.rows, answer), (puzzle.cols, answer.T)):
        for clue, line in zip(clues, lines, strict=True):
            found = np.flatnonzero(np.diff(np.concatenate([[0], line])) == 1).tolist()
            if tuple(runs(line.tolist())) != clue:
                raise InputError("the answer breaks a clue, so it is no assignment of starts")
            starts += found
    return starts


def _write_lines(answer: IntArray) -> list[str]:
    return [*shading_to_rows(answer), *shading_to_rows(answer.T)]


Nonogram.formulations = {
    "window": partial(_model_by_numbers, window=True),
    "numbering": partial(_model_by_numbers, window=False),
    "pattern": _model_by_patterns,
}
