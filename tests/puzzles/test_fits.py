"""What statements say where cells have lost values: checked against all fillings of a line."""

from itertools import permutations, product

import numpy as np
import pytest

from qubopuzzle.puzzles.easyasabc import EasyAsABC
from qubopuzzle.puzzles.kakuro import Kakuro
from qubopuzzle.puzzles.skyscrapers import Skyscrapers
from qubopuzzle.puzzles.vocabulary.views import seen


def fits_of(puzzle, name):
    (statement,) = (s for s in puzzle.stated().statements if s.name == name)
    return statement.fits


def random_values(rng, cells, values):
    return [[v for v in values if rng.random() < 0.6] or [values[0]] for _ in range(cells)]


@pytest.mark.parametrize("seed", range(8))
def test_heights_that_would_be_seen(seed):
    rng = np.random.default_rng(seed)
    puzzle = Skyscrapers(grid=[[None] * 4] * 4, top=[2, 0, 0, 0])
    fits, can = fits_of(puzzle, "the 2 above column 1"), random_values(rng, 16, [1, 2, 3, 4])
    for row in range(4):
        for value in range(1, 5):
            others = [
                order
                for order in permutations(range(1, 5))
                if order[row] != value and all(order[r] in can[4 * r] for r in range(4))
            ]
            counts = {seen(order) for order in others}
            text = fits(can, 4 * row, value)
            assert bool(text) == (bool(counts) and 2 not in counts)
            assert not text or text.startswith("the 2 above column 1: otherwise ")
    assert fits(can, 1, 1) == ""  # of another line


@pytest.mark.parametrize("seed", range(8))
def test_the_one_place_where_a_letter_can_be_first(seed):
    rng = np.random.default_rng(seed)
    puzzle = EasyAsABC(size=4, letters=2, left=["A", None, None, None])
    fits, can = fits_of(puzzle, "the A left of row 1"), random_values(rng, 16, [0, 1, 2])
    lines = (
        line
        for line in product(range(3), repeat=4)
        if line.count(1) == 1 and line.count(2) == 1 and line.index(1) < line.index(2)
        if all(value in can[c] for c, value in enumerate(line))
    )
    places = {line.index(1) for line in lines}
    for c in range(4):
        if text := fits(can, c, 1):
            assert places <= {c}
            assert text == "the A left of row 1 can only be there, with what is left"
    assert fits(can, 0, 2) == ""


@pytest.mark.parametrize("seed", range(8))
def test_sets_of_digits_that_are_left(seed):
    rng = np.random.default_rng(seed)
    puzzle = Kakuro(grid=[["#", "6\\", "7\\"], ["\\8", None, None], ["\\5", None, None]])
    name = "the run across from row 2, column 2"
    fits, can = fits_of(puzzle, f"the 8 of {name}"), random_values(rng, 9, [*range(1, 10)])
    left = {tuple(sorted((a, b))) for a in can[4] for b in can[5] if a != b and a + b == 8}
    text = fits(can, 4, 1)
    assert bool(text) == (0 < len(left) <= 4)
    if text:
        said = text.removeprefix(f"{name} adds up to 8, with what is left by ")
        parts = said.replace(" or ", ", ").split(", ")
        assert {tuple(map(int, part.split("+"))) for part in parts} == left
