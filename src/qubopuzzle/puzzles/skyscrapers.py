"""Skyscrapers: heights in a latin square, and how many are seen from outside."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, Game, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.clues import BLANK_VALUE
from qubopuzzle.puzzles.vocabulary.grids import Cell, lines_of
from qubopuzzle.puzzles.vocabulary.kind import Kind, Rng
from qubopuzzle.puzzles.vocabulary.rules import Different, Given, Rule
from qubopuzzle.puzzles.vocabulary.views import (
    SIDES,
    Views,
    fit_sides,
    lines_from,
    seen,
    views_of,
    words_beside,
)


def _read(body: str, _: int, rows: int) -> Board:
    numbers, _comma, cells = body.partition(",")
    lines = [int(n) if links.WHOLE.fullmatch(n) else BLANK_VALUE for n in numbers.split("/")]
    if len(lines) != 4 * rows:
        raise InputError(f"{len(lines)} numbers, but {4 * rows} ends of lines")
    around = dict(zip(SIDES, np.reshape(lines, (4, rows)).tolist(), strict=True))
    grid = links.read_runs(cells, rows, rows, rows) if cells else [[0] * rows] * rows
    return {"grid": grid, **around}


def _write(puzzle: Any) -> str:
    lines = np.concatenate([getattr(puzzle, side) for side in SIDES]).tolist()
    numbers = "/".join("" if n == BLANK_VALUE else str(n) for n in lines)
    cells = "," + links.write_runs(puzzle.grid.ravel().tolist()) if puzzle.grid.any() else ""
    return f"{len(puzzle.grid)}:{numbers}{cells}"


@dataclass(frozen=True, eq=False)
class Skyscrapers(Kind):
    """Put the heights 1 to n once in each row and column; a number outside counts those seen.

    A skyscraper hides lower ones behind it. ``top``, ``bottom``, ``left`` and ``right`` have a
    number a line, or None; ``grid`` has the heights that are given, or None.

    >>> puzzle = Skyscrapers(grid=["..", ".."], left=[2, None])
    >>> puzzle.violations(np.array([[2, 1], [1, 2]]))[0].message
    'left[0] sees 1, not 2'

    Raises:
        PuzzleError: for a grid that is no square, and lines of another length.
    """

    name: ClassVar[str] = "skyscrapers"
    is_square: ClassVar[bool] = True
    aliases: ClassVar[str] = "towers wolkenkratzer hochhauser"
    links = (
        Link(
            "skyscrapers",
            body=[links.outside(*SIDES), links.grid_if_any],
            file=[links.givens_framed(*SIDES)],
        ),
        Game("towers", _read, _write, suffix="(?:d[a-z])?"),
        penpa.Penpa(("skyscrapers",), [penpa.outside(*SIDES), links.grid, links.digits_filled]),
    )
    usual: ClassVar[tuple[int, int]] = (5, 5)

    grid: IntArray = clues.numbers(1, side=36)
    top: IntArray = clues.line(optional=True)
    bottom: IntArray = clues.line(optional=True)
    left: IntArray = clues.line(optional=True)
    right: IntArray = clues.line(optional=True)

    @property
    def values(self) -> Sequence[int]:  # type: ignore[override]
        """The heights."""
        return range(1, len(self.grid) + 1)

    def fit(self) -> None:
        """A square, and a number a line."""
        n = len(self.grid)
        if self.grid.shape != (n, n) or self.grid.max() > n:
            raise PuzzleError(f"grid: expected {n} rows of {n} heights up to {n}")
        fit_sides(self)

    def rules(self) -> Iterator[Rule]:
        """Givens, a latin square, and views."""
        yield Given("given", self.grid, self.grid > 0, field="grid")
        for family in ("row", "column"):
            lines = [line for axis, _, line in lines_of(self.shape) if axis == family]
            yield Different(family, lines, self.values)
        yield Views("view", views_of(self))

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Numbers around the grid."""
        return replace(super().picture(answer, broken), **words_beside(self))

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """A latin square with all its numbers outside."""
        from qubopuzzle.puzzles.vocabulary.generator import random_solution

        grid = random_solution(cls(grid=np.zeros(shape, dtype=np.int64)), rng)
        around: Any = {side: [*map(seen, lines)] for side, lines in lines_from(grid).items()}
        return cls(grid=np.zeros_like(grid), solution=grid, **around)

    def excluding(self, other: IntArray, rng: Rng) -> Self:
        """A height is given where the other solution has another."""
        cell = rng.choice(np.flatnonzero(np.asarray(self.solution) != other))
        at = np.arange(self.cells).reshape(self.shape) == cell
        return replace(self, grid=np.where(at, np.asarray(self.solution), self.grid))
