"""What must hold of every puzzle."""

import pytest

from boards import NAMES, TINY
from qubopuzzle import solve
from qubopuzzle.puzzles import get_puzzle
from qubopuzzle.solvers import get_solver
from qubopuzzle.testing import PUZZLE_CHECKS
from qubopuzzle.testing.puzzles import models

SOLVERS = ("annealer", "tempering", "neal", "cpsat-ls", "localmip", "sat", "cpsat", "mip", "clingo")


@pytest.mark.parametrize("check", PUZZLE_CHECKS)
@pytest.mark.parametrize("name", NAMES)
def test_every_puzzle(name, check):
    kind = get_puzzle(name)
    PUZZLE_CHECKS[check](kind, [*kind.examples(), *TINY[name]])


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_annealed_in_every_formulation(name):
    examples = get_puzzle(name).examples()
    assert len(examples) >= 2
    for puzzle in examples:
        assert puzzle.n_solutions == 1
        for formulation, model in models(puzzle):
            result = solve(puzzle, "annealer", formulation=formulation, seed=1, reads=30)
            assert result.valid
            assert result.energy == 0
            assert (result.grid == puzzle.solution).all() or model.omitted or model.restricted


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_takes_every_puzzle(name, solver):
    if not get_solver(solver).available().ok:
        pytest.skip(f"{solver} is not installed")
    smallest = min(get_puzzle(name).examples(), key=lambda puzzle: puzzle.cells)
    # Neal would shorten its schedule on a machine that has other things to do.
    result = solve(smallest, solver, seed=1, time_limit=None if solver == "neal" else 30)
    assert result.valid
    assert result.energy == 0
