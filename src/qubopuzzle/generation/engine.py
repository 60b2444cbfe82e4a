"""One puzzle with one solution: a board drawn and repaired, then clues dropped."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from qubopuzzle.compile.incremental import OtherSolutions, Random
from qubopuzzle.errors import SolverFailed
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.generator import PuzzleGenerator, solution_of

STEPS = 10_000
"""Boards that are tried for one puzzle before it is given up."""


def make(
    generator: PuzzleGenerator[Any], shape: tuple[int, int], options: Mapping[str, int], rng: Random
) -> Puzzle:
    """A puzzle with one solution, without a clue that could be left out.

    Raises:
        SolverFailed: if none of ``STEPS`` boards has one solution.
    """
    with closing(generator.boards(shape, options, rng)) as boards:
        board = next(boards, None)
        for _ in range(STEPS):
            if board is None:
                break
            with OtherSolutions(generator.switchable_model(board)) as others:
                differing = others.differs_from(solution_of(board))
                other, core = others.find(range(generator.clues(board)), differing)
                if other is None:
                    kept = minimal_clues(others, differing, core, rng)
                    made: Puzzle = generator.keep(board, sorted(kept))
                    return made
            try:
                board = boards.send(other)
            except StopIteration:
                break
    raise SolverFailed(f"found no board of {shape[0]} x {shape[1]} with one solution")


def minimal_clues(
    others: OtherSolutions, differing: int, enough: set[int], rng: Random
) -> set[int]:
    """An irreducible subset of clues that are enough for one solution: deletion-based MUS.

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
