"""One generator for all kinds: a random board with all its clues, of which few are left."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from qubopuzzle.compile.incremental import Random, SwitchableModel, random_answer
from qubopuzzle.errors import InputError, SolverFailed
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import obeys
from qubopuzzle.puzzles.generator import Boards, Options, PuzzleGenerator, Shape
from qubopuzzle.puzzles.vocabulary.kind import Kind, cells_of_rules, clues_of

CHANGES = 50
"""Other solutions of one board that are excluded before the next one is drawn."""
CANDIDATES, SEEN = 12, 100
"""Changes that are tried against so many of the other solutions that were met last."""


def random_solution(puzzle: Kind, rng: Random) -> IntArray:
    """A solution with a random value in each cell, where that still can be.

    Raises:
        SolverFailed: for a puzzle without a solution.
    """
    cells = cells_of_rules(puzzle, by_cuts=True)
    literals = cells.literals[cells.free]
    score = np.where(literals >= 0, rng.random(literals.shape), -1)
    wanted = literals[np.arange(len(literals)), score.argmax(axis=1)]
    answer = random_answer(cells.build(), [wanted], rng)
    if answer is None:
        raise SolverFailed("no solution of {} x {} is there to begin with".format(*puzzle.shape))
    return answer


class KindGenerator(PuzzleGenerator[Kind]):
    """Boards as the kind draws them; its rules say what is a clue, see ``Cells.switches``."""

    def __init__(self, kind: type[Kind]) -> None:
        super().__init__(kind)
        self.kind: type[Kind] = kind
        self.usual = kind.usual
        self.options = (*self.options, *kind.options)

    def check(self, shape: Shape, options: Options) -> None:
        """Not too small, and square where the kind is."""
        super().check(shape, options)
        least, square = self.kind.least, self.kind.is_square
        if min(shape) < least or (square and shape[0] != shape[1]):
            needs = [f"at least {least} rows and columns"] * (least > 1)
            needs += ["as many rows as columns"] * square
            size = f"{shape[0]} x {shape[1]}"
            raise InputError(f"{size}: a generated {self.kind.name} has {' and '.join(needs)}")

    def boards(self, shape: Shape, options: Options, rng: Random) -> Boards[Kind]:
        """One after the other, each changed for a while where its kind knows how."""
        while True:
            board, others = self.drawn(shape, options, rng), []
            for _ in range(CHANGES):
                others.append((yield board))
                board = _excluding(board, others, rng)
                if board is None:
                    break

    def drawn(self, shape: Shape, options: Options, rng: Random) -> Any:
        """A random board with all its clues; a subclass may have options of its own."""
        return self.kind.drawn(shape, rng, **options)

    def clues(self, board: Kind) -> int:
        """Those that a rule states by itself."""
        return len(_switched(board)[1])

    def keep(self, board: Kind, clues: Sequence[int]) -> Kind:
        """All other clues left out."""
        kept, gone = {*clues}, dict[str, list[int]]()
        for number, (name, place) in enumerate(_switched(board)[1]):
            places = gone.setdefault(name, [])
            places += [place] * (number not in kept)
        kinds = clues_of(type(board))
        left: dict[str, Any] = {
            name: kinds[name].without(getattr(board, name), places) for name, places in gone.items()
        }
        return board.with_clues(**left)

    def switchable_model(self, board: Kind) -> SwitchableModel:
        """All rules, and a switch for each clue."""
        return _switched(board)[0]


def _excluding(board: Kind, others: Sequence[IntArray], rng: Random) -> Kind | None:
    """A board much like it that the last of these does not solve, and few of those before; or None.

    The first change that leaves none of them is taken.
    """
    best, fewest = None, SEEN + 1
    for _ in range(CANDIDATES):
        changed = board.excluding(others[-1], rng)
        if changed is None:
            return best
        solving = (each for each in reversed(others[-SEEN:]) if obeys(changed, each))
        left = sum(1 for _ in islice(solving, fewest))
        if left < fewest:
            best, fewest = changed, left
        if not left:
            break
    return best


@lru_cache(maxsize=2)
def _switched(board: Kind) -> tuple[SwitchableModel, list[tuple[str, int]]]:
    """The model with switches, and their tags in their order."""
    cells = cells_of_rules(board, by_cuts=True, switched=True)
    switches = [np.array([literal]) for literal in cells.switches.values()]
    return SwitchableModel(cells.build(), switches), [*cells.switches]
