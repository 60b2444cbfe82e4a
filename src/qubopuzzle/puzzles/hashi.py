"""Hashi, hashiwokakero or bridges: islands joined by bridges that do not cross."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links
from qubopuzzle.puzzles.links import Board, FileText, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.bridges import UNKNOWN, Bridges, seen, sides
from qubopuzzle.puzzles.vocabulary.grids import Cell
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_placements
from qubopuzzle.puzzles.vocabulary.rules import Rule

_CELLS = links.cells({0: 0, links.UNKNOWN: UNKNOWN})


def _bridges(text: FileText, board: Board) -> None:
    """How many there are between the cells of rows, and between rows."""
    given: Any = board.get("solution")
    answer = np.zeros(text.shape, dtype=np.int64) if given is None else np.array(given)
    right, down = text.answer(answer[:, :-1] % 3), text.answer(answer[:-1] // 3)
    answer[:] = 0
    for count in (1, 2):
        answer[:, :-1] += count * np.equal(right, str(count))
        answer[:-1] += 3 * count * np.equal(down, str(count))
    board["solution"] = answer if answer.any() else None


@dataclass(frozen=True, eq=False)
class Hashi(Kind):
    """Join all islands by bridges, each island by as many as its number says.

    Bridges are straight and cross neither each other nor islands; two islands have two at most.
    ``grid`` has the numbers 1 to 8, ``?`` for an island whose number is not known, or None. An
    answer is, in each cell, how many bridges leave it to the right, and three times as many as
    leave it downwards, cells between islands included.

    >>> puzzle = Hashi(grid=[[3, None, 2], [1, None, 2]])
    >>> puzzle.violations(np.array([[4, 1, 3], [1, 1, 0]]))[0].message
    'the island on (0,0) has 2 bridges, not 3'

    Raises:
        PuzzleError: for other numbers.
    """

    name: ClassVar[str] = "hashi"
    least: ClassVar[int] = 3
    aliases: ClassVar[str] = "hashiwokakero hashikake bridges chopsticks"
    formulations: ClassVar[Formulations] = {"islands": by_placements, "cuts": by_cuts}
    default_formulation: ClassVar[str] = "islands"
    lazy_formulation: ClassVar[str] = "cuts"
    values: ClassVar[Sequence[int]] = range(9)
    links = (
        Link("hashikake", body=[_CELLS], file=[_CELLS, _bridges]),
        links.sign_game(
            "bridges",
            {str(number): number for number in range(1, 9)},
            0,
            kind="m2",
            suffix="(?:i[0-9]+)?(?:e[0-9]+)?m2(?:d[0-9])?",
        ),
    )

    grid: IntArray = clues.numbers(1, 8, {"?": UNKNOWN})

    def rules(self) -> Iterator[Rule]:
        """One for all."""
        yield Bridges("bridge", self.grid)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Islands in circles, and bridges."""
        picture = super().picture(None, broken)
        shown = np.zeros(self.shape, dtype=np.int64) if answer is None else np.asarray(answer)
        out = sides(shown)
        paths = (np.minimum(out, 1) + 16 * (out == 2)) @ (1, 2, 4, 8)
        return replace(picture, circled=picture.given, paths=paths.reshape(self.shape))
