"""Slitherlink: one loop along the sides of cells, and numbers that count the sides of theirs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, FileText, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.borders import BLANK, Sides, SomeInside, sides
from qubopuzzle.puzzles.vocabulary.drawing import grown_piece
from qubopuzzle.puzzles.vocabulary.grids import Cell, windows
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_headings
from qubopuzzle.puzzles.vocabulary.regions import Connected
from qubopuzzle.puzzles.vocabulary.rules import Checkered, Rule

_DIGITS = {str(digit): digit for digit in range(5)}
_NUMBERS = links.cells({0: BLANK, links.ZERO: 0}, links.FOUR)


def _lines(text: FileText, board: Board) -> None:
    """Marks of cells, then the sides on the left of cells and on the right, and those above.

    Lines that are no borders of what is inside are taken for no loop at all.
    """
    rows, columns = text.shape
    inside = np.zeros((rows + 2, columns + 2), dtype=np.int64)
    if not text.reading and board.get("solution") is not None:
        inside[1:-1, 1:-1] = board["solution"]
    text.answer(np.zeros((rows, columns), dtype=np.int64))
    beside = text.answer((inside[1:-1, 1:] != inside[1:-1, :-1]).astype(np.int64))
    above = text.answer((inside[1:, 1:-1] != inside[:-1, 1:-1]).astype(np.int64))
    if text.reading and np.equal(beside, "1").any():
        answer = np.cumsum(np.equal(beside, "1"), axis=1)[:, :-1] % 2
        inside[1:-1, 1:-1] = answer
        agree = (np.equal(above, "1") == (inside[1:, 1:-1] != inside[:-1, 1:-1])).all()
        closed = (np.equal(beside, "1") == (inside[1:-1, 1:] != inside[1:-1, :-1])).all()
        board["solution"] = answer * bool(agree and closed)


@dataclass(frozen=True, eq=False)
class Slitherlink(Kind):
    """Draw one loop along sides of cells, which takes as many sides of a cell as its number says.

    It does not cross or touch itself. Cells inside it are shaded, those outside are not. ``grid``
    has 0 to 4 (4: a loop around one cell), or None.
    An answer is 1 for cells inside the loop and 0 for those outside.

    >>> puzzle = Slitherlink(grid=["3.", "..", ".3"])
    >>> puzzle.violations(np.array([[1, 0], [1, 0], [1, 1]]))
    []

    Raises:
        PuzzleError: for other numbers.
    """

    name: ClassVar[str] = "slitherlink"
    least: ClassVar[int] = 3
    aliases: ClassVar[str] = "slither fences loopy takegaki rundweg"
    formulations: ClassVar[Formulations] = {"headings": by_headings, "cuts": by_cuts}
    default_formulation: ClassVar[str] = "headings"
    lazy_formulation: ClassVar[str] = "cuts"
    anneals_by_cuts: ClassVar[bool] = True
    value_names: ClassVar[Mapping[int, str]] = {0: "outside the loop", 1: "inside the loop"}
    links = (
        Link("slither", body=[_NUMBERS], file=[_NUMBERS, _lines], version="pzprv3.1"),
        links.sign_game("loopy", _DIGITS, BLANK, kind="t0", suffix="t0(?:d[a-z])?"),
        penpa.Penpa(("slitherlink",), [_NUMBERS, _lines]),
    )

    grid: IntArray = clues.numbers(0, 4, {None: BLANK})

    def rules(self) -> Iterator[Rule]:
        """Numbers; inside and outside are connected, so that there is one loop between them."""
        yield Sides("number", self.grid)
        apart, one = "the loop does not touch or cross itself", SomeInside.says
        yield Checkered("corner", windows(self.shape, 2, 2), apart)
        yield SomeInside("loop", implied=bool((self.grid > 0).any()))
        yield Connected("inside", 1, "cells inside", says=one)
        yield Connected("outside", 0, "cells outside", outside=True, says=one)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The loop as thick lines."""
        picture = super().picture(None, broken)
        return picture if answer is None else replace(picture, loop=np.asarray(answer))

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """A loop around a piece that has grown to half of the grid, and every number."""
        solution = grown_piece(shape, rng)
        return cls(grid=sides(solution), solution=solution)
