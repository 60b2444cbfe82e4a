"""Chains of statements: each ends in a contradiction, as a solver confirms, and needs each step."""

import numpy as np
import pytest

from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.reasons.chains import chain, followed
from qubopuzzle.reasons.deduction import Deduction


def chains(oracle, stated, puzzle):
    """Chains from the opposite of open cells of a board of which half is known."""
    deduction, rng = Deduction(stated), np.random.default_rng(1)
    right = stated.values[None] == puzzle.solution.ravel()[:, None]
    order = rng.permutation(puzzle.cells)
    known, open_cells = np.split(order, [puzzle.cells // 2])
    gone = stated.literals[known][~right[known]]
    marks = [oracle.variable(int(literal)) for literal in stated.literals[known][right[known]]]
    givens = {*stated.literals.ravel().tolist()}  # which are on the board, if they are clues
    every = [i for i, each in enumerate(stated.statements) if each.literal not in givens]
    for literal in stated.literals[open_cells][right[open_cells]][:12].tolist():
        if literal < 0:
            continue
        alive = deduction.alive(None, np.append(gone[gone >= 0], literal))
        assumed = [*marks, -oracle.variable(literal)]
        needed = oracle.minimal(every, assumed) or []
        if alive is not None and (path := chain(deduction, needed, alive)):
            assert {*path} == {*needed}
            yield deduction, path, alive, assumed


@pytest.mark.parametrize("name", puzzle_names())
def test_a_chain_is_a_proof_without_a_step_too_many(name):
    puzzle, n_found = get_puzzle(name).examples()[0], 0
    stated = puzzle.stated()
    with Oracle(stated) as oracle:
        for deduction, path, alive, assumed in chains(oracle, stated, puzzle):
            assert oracle.solve(set(path), assumed) is None
            assert ends(deduction, path, alive)
            for at in range(len(path) - 1):
                assert not ends(deduction, path[:at] + path[at + 1 :], alive)
            n_found += 1
    assert n_found or name in ("yinyang", "zip")  # whose rules act all at once here


def ends(deduction, path, alive):
    """Whether a statement is broken on the way, the last at the latest."""
    return any(left is None for _, left in followed(deduction, path, alive))
