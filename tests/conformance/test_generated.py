"""The puzzles that the package made, for every solver that can be there."""

from pathlib import Path

import pytest

from boards import NAMES
from qubopuzzle import load, solve
from qubopuzzle.puzzles import get_puzzle

FOLDER = Path(__file__).parents[2] / "benchmarks" / "generated"
SETS = {n: load(FOLDER / f"{n}.jsonl") for n in NAMES if get_puzzle(n).generator}
SMALLEST = [puzzles[number] for puzzles in SETS.values() for number in (0, 5)]


@pytest.mark.parametrize("name", SETS)
def test_the_sets_are_there_and_each_is_known_by_its_own_id(name):
    puzzles = SETS[name]
    assert len(puzzles) >= 20
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    assert {puzzle.n_solutions for puzzle in puzzles} == {1}
    assert all(puzzle.violations(puzzle.solution) == [] for puzzle in puzzles)


@pytest.mark.parametrize("puzzle", SMALLEST, ids=lambda puzzle: puzzle.id)
@pytest.mark.parametrize("solver", ["annealer", "sat", "cpsat", "mip"])
def test_solvers_find_the_one_solution(puzzle, solver):
    result = solve(puzzle, solver, seed=1, solutions=1)
    assert result.valid
    assert (result.grid == puzzle.solution).all()


@pytest.mark.parametrize("name", SETS)
def test_sat_proves_all_of_a_set_unique(name):
    for puzzle in SETS[name]:
        if max(puzzle.shape) <= 12:
            assert solve(puzzle, "sat", solutions=2).unique, puzzle.id
