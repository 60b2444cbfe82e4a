"""What statements say where cells have lost values: checked against all fillings of a line.

And against all solutions, or all grids that a rule allows.
"""

import re
from functools import reduce
from itertools import permutations, product
from operator import and_, or_

import numpy as np
import pytest

from qubopuzzle import solutions
from qubopuzzle.puzzles.easyasabc import EasyAsABC
from qubopuzzle.puzzles.kakuro import Kakuro
from qubopuzzle.puzzles.lits import Lits
from qubopuzzle.puzzles.masyu import Masyu
from qubopuzzle.puzzles.numberlink import Numberlink
from qubopuzzle.puzzles.shikaku import Shikaku
from qubopuzzle.puzzles.skyscrapers import Skyscrapers
from qubopuzzle.puzzles.starbattle import StarBattle
from qubopuzzle.puzzles.tents import Tents
from qubopuzzle.puzzles.vocabulary.regions import Islands
from qubopuzzle.puzzles.vocabulary.rules import Partners
from qubopuzzle.puzzles.vocabulary.views import seen
from qubopuzzle.puzzles.zip import Zip


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
            text = fits(can, 4 * row, [value])
            assert ("would be seen" in text) == (bool(counts) and 2 not in counts)
            lost = {*can[4 * row]} - {value}
            others = [r for r in range(4) if r != row]
            stands = {h: [r for r in others if can[4 * r] == [h]] for h in lost}
            assert ("each height stands once" in text) == any(stands.values())
            for height, rows in stands.items():
                there = [f"the {height} is in row {r + 1}, column 1" in text for r in rows]
                assert any(there) == bool(rows)
    assert fits(can, 1, [1]) == ""  # of another line


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
        if text := fits(can, c, [1]):
            assert places <= {c}
            there = "the A left of row 1 comes first, 1 letter behind it: only there is left"
            nowhere = "no cell is left for the A left of row 1, with all other letters behind it"
            assert text == there or (text == nowhere and not places)
    assert not places or fits(can, 0, [2]) == ""


@pytest.mark.parametrize("seed", range(8))
def test_sets_of_digits_that_are_left(seed):
    rng = np.random.default_rng(seed)
    puzzle = Kakuro(grid=[["#", "6\\", "7\\"], ["\\8", None, None], ["\\5", None, None]])
    name = "the run across from row 2, column 2"
    fits, can = fits_of(puzzle, f"the 8 of {name}"), random_values(rng, 9, [*range(1, 10)])
    left = {tuple(sorted((a, b))) for a in can[4] for b in can[5] if a != b and a + b == 8}
    kept = [value for value in can[4] if rng.random() < 0.5] or can[4][:1]
    text = fits(can, 4, kept)
    stands = len(can[5]) == 1 and {*can[4]} - {*kept} == {*can[5]}
    assert bool(text) == (stands or 0 < len(left) <= 4)
    if text and not stands:
        said, tail = text.removeprefix(f"{name} adds up to 8, and only ").split(" what is left")
        parts = re.sub(" fits?$", "", said).replace(" or ", ", ").split(", ")
        assert {tuple(map(int, part.split("+"))) for part in parts} == left
        lost = {v for v in {*can[4]} - {*kept} if any(v in two for two in left)}
        assert bool(tail) == bool(lost)
        if tail.endswith("only there"):
            (alone,) = map(int, re.findall(r"\d", tail))
            assert alone not in can[5]
            assert all(alone in two for two in left)
        elif tail.endswith(("in another cell", "in other cells")):
            assert {*can[5]} == lost == {*map(int, re.findall(r"\d", tail))}
        elif tail:
            assert {*map(int, re.findall(r"\d", tail))} == lost


LINES = {
    "zip": Zip(grid=[[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 0, 3], [0, 0, 4, 0]]),
    "masyu": Masyu(grid=[[0] * 4] * 4),
    "numberlink": Numberlink(grid=[[1, 0, 0, 2], [0, 0, 0, 0], [1, 0, 0, 2]]),
}
BLOCKS = Shikaku(grid=[[2, 0, 0, 2], [0, 4, 0, 0], [0, 0, 4, 0]])


def all_solutions(puzzle):
    grids = [np.ravel(answer.grid) for answer in solutions(puzzle, 1000, uniform=False)]
    assert 1 <= len(grids) < 1000
    return np.array(grids)


def random_marks(rng, puzzle, every):
    """A solution and what else each cell can have, and which solutions that leaves."""
    start, share = every[rng.integers(len(every))], rng.random() ** 2
    can = [sorted({int(v), *(w for w in puzzle.values if rng.random() < share)}) for v in start]
    left = np.all([np.isin(every[:, c], values) for c, values in enumerate(can)], axis=0)
    return can, every[left]


def changed_by_one_side(can):
    """What a cell keeps if it gets or loses one side, and no other."""
    for side in range(4):
        for has in (True, False):
            kept = [v for v in can if bool(v >> side & 1) == has]
            two = [(reduce(or_, some), reduce(and_, some)) for some in (can, kept) if some]
            if kept and all(a ^ b in (0, 1 << side) for a, b in zip(*two, strict=True)):
                yield kept


@pytest.mark.parametrize("name", LINES)
def test_what_would_be_joined_closed_or_cut_off_is_in_no_solution(name):
    puzzle = LINES[name]
    every, rng, texts = all_solutions(puzzle), np.random.default_rng(1), set()
    statements = [s for s in puzzle.stated_on_board().statements if not s.is_clue]
    for _ in range(120):
        can, left = random_marks(rng, puzzle, every)
        for cell, statement in product(range(len(can)), statements):
            for kept in changed_by_one_side(can[cell]):
                if text := statement.fits(can, cell, kept):
                    texts.add(text)
                    assert np.isin(left[:, cell], kept).all(), (can, cell, kept, text)
    assert len(texts) > 1


@pytest.mark.parametrize("puzzle", [*LINES.values(), BLOCKS], ids=[*LINES, "shikaku"])
def test_what_cannot_hold_is_in_no_solution(puzzle):
    every, rng, texts = all_solutions(puzzle), np.random.default_rng(2), set()
    statements = puzzle.stated_on_board().statements
    for _ in range(300):
        share, start = rng.random() ** 3, every[rng.integers(len(every))]
        wrong = [int(rng.choice([*puzzle.values])) if rng.random() < 0.1 else v for v in start]
        can = [sorted({int(v), *(w for w in puzzle.values if rng.random() < share)}) for v in wrong]
        left = np.all([np.isin(every[:, c], values) for c, values in enumerate(can)], axis=0)
        for text in (statement.fits(can, -1, []) for statement in statements):
            if text and "can only reach" not in text:
                texts.add(text)
                assert not left.any(), (can, text)
    assert texts


def test_cells_that_no_other_rectangle_can_reach():
    every, rng, texts = all_solutions(BLOCKS), np.random.default_rng(1), set()
    (rule,) = (s for s in BLOCKS.stated_on_board().statements if not s.is_clue)
    for _ in range(60):
        can, left = random_marks(rng, BLOCKS, every)
        for cell in range(len(can)):
            for some in range(1, len(can[cell])):
                kept = can[cell][:some]
                if text := rule.fits(can, cell, kept):
                    texts.add(text)
                    assert np.isin(left[:, cell], kept).all(), (can, cell, kept, text)
    assert any("no other number can reach" in text for text in texts)
    assert any("with what is left the" in text for text in texts)


@pytest.mark.parametrize("seed", range(8))
def test_rectangles_that_are_left(seed):
    puzzle = Shikaku(grid=[[3, 0, 0, 4], [0, 3, 0, 0], [0, 0, 2, 0]])
    fits, rng = fits_of(puzzle, "the 4 in row 1, column 4"), np.random.default_rng(seed)
    can = random_values(rng, 12, range(4))
    left = [
        {4 * r + c for r in range(top, down + 1) for c in range(first, last + 1)}
        for top, down in product(range(3), repeat=2)
        for first, last in product(range(4), repeat=2)
        if top == 0 and last == 3 and (down + 1) * (4 - first) == 4
    ]
    left = [cells for cells in left if not cells & {0, 5, 10}]
    left = [cells for cells in left if all(1 in can[cell] for cell in cells)]
    left = [each for each in left if {c for c in range(12) if can[c] == [1]} <= each]
    text = fits(can, -1, [])
    if left:
        assert text.startswith("the 4 in row 1, column 4 needs a rectangle of 4 cells: ")
        assert text.count("from ") == len(left)
    else:
        assert text == "the 4 in row 1, column 4: no rectangle of 4 cells is left"


@pytest.mark.parametrize("seed", range(8))
def test_pieces_that_are_left(seed):
    rng = np.random.default_rng(seed)
    puzzle = Lits(rooms=[[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 1]])
    fits, can = fits_of(puzzle, "the room of row 1, column 1"), random_values(rng, 12, [0, 1])
    room = (0, 1, 2, 4, 5, 8, 9)
    every = [
        {a, b, c, d}
        for a, b, c, d in product(room, repeat=4)
        if a < b < c < d
        and is_one({a, b, c, d})
        and {a, b, c, d} not in ({0, 1, 4, 5}, {4, 5, 8, 9})
    ]
    left = [piece for piece in every if all(1 in can[cell] for cell in piece)]
    left = [piece for piece in left if {c for c in room if can[c] == [1]} <= piece]
    for cell in room:
        text = fits(can, cell, [1])
        covers = {cell in piece for piece in left}
        assert ("each piece that fits there" in text) == (covers == {True})
        assert ("no piece that fits there" in text) == (covers == {False})
        assert ("no piece of four cells is left" in text) == (not covers)


def is_one(cells):
    """Whether cells of four columns are connected."""
    seen, waiting = set(), [min(cells)]
    while waiting:
        cell = waiting.pop()
        seen.add(cell)
        beside = [cell - 4, cell + 4, *[cell - 1] * (cell % 4 > 0), *[cell + 1] * (cell % 4 < 3)]
        waiting += [c for c in beside if c in cells and c not in seen]
    return seen == cells


def test_counts_in_the_cells_that_are_left():
    rooms = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]
    fits = fits_of(StarBattle(rooms=rooms, stars=1), "row 1")
    both, empty, star = [0, 1], [0], [1]
    assert (
        fits([both, empty, empty, empty, *[both] * 12], -1, [])
        == "row 1 needs 1 star in its only open cell"
    )
    assert fits([star, *[both] * 15], -1, []) == "row 1 has its star already"
    assert fits([both] * 16, -1, []) == ""  # the board shows as much


def test_islands_that_would_be_wrong_are_in_no_grid():
    numbers = np.array([[2, 0, 0, 0], [0, 0, 3, 0], [1, 0, 0, 0]])
    rule, rng, texts = Islands("island", 0, numbers), np.random.default_rng(3), set()
    grids = (np.reshape(bits, (3, 4)) for bits in product((0, 1), repeat=12))
    every = np.array([grid for grid in grids if not [*rule.broken(grid)]])
    for _ in range(150):
        start = (
            every[rng.integers(len(every))] if rng.random() < 0.7 else rng.integers(2, size=(3, 4))
        )
        known = rng.random((3, 4)) < rng.random()
        like = every[(every == start)[:, known].all(axis=1)]
        if text := rule.why(None, start, known, None):
            texts.add(text)
            assert not len(like), (start, known, text)
        for cell, value in product(np.flatnonzero(~known).tolist(), (0, 1)):
            grid = start.copy()
            grid.flat[cell] = value
            if text := rule.why(None, grid, known, cell):
                texts.add(text)
                assert (like.reshape(-1, 12)[:, cell] == value).all(), (start, known, cell, text)
    for part in ("would be one", "would have", "no island can reach", "could not be joined"):
        assert any(part in text for text in texts), part


def test_tents_without_a_tree_of_their_own():
    trees = Tents(rows=[None] * 3, cols=[None] * 5, grid=[".T...", "T..T.", "..T.."])
    (rule,) = (each for each in trees.rules() if isinstance(each, Partners))
    free, rng, texts = np.flatnonzero(trees.grid.ravel() == 0), np.random.default_rng(1), set()
    beside = [{*near.tolist()} for near in rule.beside]
    for _ in range(200):
        grid, known = np.zeros((3, 5), dtype=np.int64), np.zeros((3, 5), dtype=bool)
        some = rng.permutation(free)[: rng.integers(1, 5)].tolist()
        grid.flat[some], known.flat[some] = 1, True
        for cell in free.tolist():
            if cell not in some and (text := rule.why(None, grid, known, cell)):
                texts.add(text)
                tents = [*some, cell]
                owners = permutations(range(len(beside)), len(tents))
                pairs = (zip(tents, each, strict=True) for each in owners)
                assert not any(all(t in beside[o] for t, o in pair) for pair in pairs)
    assert any("alone beside them" in text for text in texts)
    assert any("no tree is beside" in text for text in texts)


def test_a_piece_that_would_touch_one_of_its_shape():
    puzzle = Lits(rooms=[[0, 0, 0, 0, 0], [1, 1, 1, 1, 2], [2, 2, 2, 2, 2]])
    fits = fits_of(puzzle, "the room of row 1, column 1")
    can = [*[[0, 1]] * 5, *[[1]] * 4, *[[0, 1]] * 6]  # an I below, and an I above in any case
    assert fits(can, 0, [0]) == (
        "the room of row 1, column 1: otherwise the piece there would be an I and touch the I in "
        "row 2, column 1, but pieces of the same shape do not touch by a side"
    )


def test_where_a_digit_stands_that_a_cell_loses():
    puzzle = Kakuro(grid=[["#", "6\\", "7\\"], ["\\8", None, None], ["\\5", None, None]])
    fits = fits_of(puzzle, "the 8 of the run across from row 2, column 2")
    can = [[1, 2, 3]] * 9
    can[4], can[5] = [1], [1, 7]
    name = "the run across from row 2, column 2"
    assert fits(can, 5, [7]) == f"{name} has 1 in row 2, column 2"
