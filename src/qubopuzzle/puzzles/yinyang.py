"""Yin-Yang: black and white circles in all cells, each colour connected, and no square of one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.links import AddressText, Board, FileText, Link, Text
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Write
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, cells_of, windows
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_headings
from qubopuzzle.puzzles.vocabulary.regions import Connected, Known
from qubopuzzle.puzzles.vocabulary.rules import Checkered, Given, Rule, Total

BLANK, WHITE, BLACK = -1, 0, 1
_DISCS = {WHITE: "○", BLACK: "●"}
_CIRCLES = {("circle_M", 1): WHITE, ("circle_M", 2): BLACK}


def _given(text: Text, board: Board) -> None:
    """0 for a blank, 1 for white and 2 for black."""
    given = np.array(board.get("grid", np.full(text.shape, BLANK))) - BLANK
    read = text.threes(given) if isinstance(text, AddressText) else text.numbers(given)
    links.check(read)
    board["grid"] = read + BLANK


def _filled(text: FileText, board: Board) -> None:
    """The same of an answer, in cells without a clue."""
    blank = np.array(board["grid"]) == BLANK
    known = board.get("solution") is not None
    answer = np.where(blank & known, np.array(board["solution"]) - BLANK if known else 0, 0)
    read = links.to_digits(text.answer(np.where(answer, answer.astype(object), ".")))
    if read.any():
        board["solution"] = np.where(blank, np.maximum(read + BLANK, 0), board["grid"])


@dataclass(frozen=True, eq=False)
class _Border(Rule):
    """What follows: around the border, black circles stand side by side, and so do white ones."""

    family: str
    says: str = ""

    def constrain(self, cells: Cells) -> Write:
        """Connected along the border, by cuts."""
        ring, before = around(cells.shape), cells.builder.n_choices
        if cells.by_cuts and len(ring) > 3:
            pairs = np.column_stack([np.arange(len(ring)), np.roll(np.arange(len(ring)), -1)])
            for value in (WHITE, BLACK):
                cells.builder.connected(self.family, cells.of(value)[ring], pairs)
        return Known(cells.builder.n_choices - before)

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:  # noqa: ARG002
        """That colours would change too often."""
        ring = around(grid.shape)
        other = np.where(ring == cell, ~(grid.ravel()[ring] == BLACK), grid.ravel()[ring] == BLACK)
        held = other[known.ravel()[ring] | (ring == cell)]
        if (changes := np.count_nonzero(held != np.roll(held, 1))) <= 2:
            return ""
        often = f"otherwise colours would change {changes} times along the border"
        return f"{often}, and whatever joins the black circles there would part the white ones"

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """More than one stretch of a colour."""
        ring = around(answer.shape)
        held = np.asarray(answer).ravel()[ring]
        (changes,) = np.nonzero(held != np.roll(held, 1))
        if len(changes) > 2:
            cells = cells_of(ring[changes], answer.shape[1])
            yield Violation(
                self.family, f"colours change {len(cells)} times along the border", cells
            )


def around(shape: tuple[int, int]) -> IntArray:
    """The cells of the border, one beside the next."""
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    if min(shape) < 2:
        return cells.ravel()
    return np.concatenate([cells[0], cells[1:, -1], cells[-1, -2::-1], cells[-2:0:-1, 0]])


@dataclass(frozen=True, eq=False)
class Yinyang(Kind):
    """Put a black or a white circle in every cell, so that those of each colour are connected.

    They are by their sides, and no square of two by two cells has one colour. ``grid`` has ``b``,
    ``w`` or None. An answer is 1 for black and 0 for white.

    >>> puzzle = Yinyang(grid=["b..", "...", "..w"])
    >>> puzzle.violations(np.array([[1, 1, 1], [1, 0, 0], [1, 1, 0]]))
    []

    Raises:
        PuzzleError: for other signs.
    """

    name: ClassVar[str] = "yinyang"
    aliases: ClassVar[str] = "yingyang shiromarukuromaru"
    formulations: ClassVar[Formulations] = {"headings": by_headings, "cuts": by_cuts}
    default_formulation: ClassVar[str] = "headings"
    lazy_formulation: ClassVar[str] = "cuts"
    anneals_by_cuts: ClassVar[bool] = True
    marks: ClassVar[Mapping[int, str]] = _DISCS
    links = (
        Link("yinyang", body=[_given], file=[_given, _filled]),
        penpa.Penpa(
            ("yinyang",),
            [penpa.symbols(_CIRCLES, blank=BLANK), penpa.symbols(_CIRCLES, "solution", BLANK)],
        ),
    )

    grid: IntArray = clues.numbers(
        BLANK, BLANK, {None: BLANK, "w": WHITE, "b": BLACK}, words=_DISCS
    )

    def rules(self) -> Iterator[Rule]:
        """Givens, squares, and both colours; where these are connected, no square is a cross."""
        yield Given("given", self.grid, self.grid != BLANK, field="grid")
        squares = [*windows(self.shape, 2, 2)]
        places = [f"the square from {divmod(int(four[0]), self.shape[1])}" for four in squares]
        says = "no square of two by two cells has one colour"
        yield Total("square", squares, 1, 3, places, says=says)
        says = "the circles of each colour are connected"
        so = ", and whatever joins them would part the other two"
        yield Checkered("corner", windows(self.shape, 2, 2), says, so)
        yield _Border("border", says)
        yield Connected("black", BLACK, "black circles", says=says)
        yield Connected("white", WHITE, "white circles", says=says)

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """Any filled grid."""
        from qubopuzzle.puzzles.vocabulary.generator import random_solution

        solution = random_solution(cls(grid=np.full(shape, BLANK)), rng)
        return cls(grid=solution, solution=solution)
