"""One puzzle with one solution: a board drawn and repaired, then clues dropped."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from qubopuzzle.compile.incremental import ClueModel, Others, Random
from qubopuzzle.errors import SolverFailed
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.space import Space, solution_of

STEPS = 10_000
"""Boards that are tried for one puzzle before it is given up."""


def make(
    space: Space[Any], shape: tuple[int, int], settings: Mapping[str, int], rng: Random
) -> Puzzle:
    """A puzzle with one solution, without a clue that could be left out.

    Raises:
        SolverFailed: if none of ``STEPS`` boards has one solution.
    """
    with closing(space.boards(shape, settings, rng)) as boards:
        board = next(boards, None)
        for _ in range(STEPS):
            if board is None:
                break
            with Others(clue_model(space, board)) as others:
                differing = others.differing(solution_of(board))
                other, core = others.find(range(space.clues(board)), differing)
                if other is None:
                    kept = minimal(others, differing, core, rng)
                    made: Puzzle = space.keep(board, sorted(kept))
                    return made
            try:
                board = boards.send(other)
            except StopIteration:
                break
    raise SolverFailed(f"{space.name}: found no board of {shape[0]} x {shape[1]} with one solution")


def another(space: Space[Any], board: Puzzle) -> IntArray | None:
    """Another solution of a board with all its clues, or None."""
    with Others(clue_model(space, board)) as others:
        return others.find(range(space.clues(board)), others.differing(solution_of(board)))[0]


def minimal(others: Others, differing: int, enough: set[int], rng: Random) -> set[int]:
    """Clues of which each is needed, from clues that are enough for one solution.

    A clue is kept if without it there is a second solution. It was asked when more of the
    others stood there, and fewer clues have no fewer solutions. Of the clues of each proof
    (the core) only those are kept that it needs: mostly many are dropped at once.
    """
    kept = enough
    for clue in rng.permutation(sorted(enough)).tolist():
        if clue in kept:
            other, core = others.find(kept - {clue}, differing)
            kept = core if other is None else kept
    return kept


def clue_model(space: Space[Any], board: Puzzle) -> ClueModel:
    """The space's own; for one without clues to drop, the puzzle's model."""
    if space.clues(board):
        return space.clue_model(board)
    return ClueModel(board.model(board.formulation_for(cuts=True, exact=True)), ())
