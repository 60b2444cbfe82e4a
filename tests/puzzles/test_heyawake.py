"""Heyawake: all tiny boards against the rules, spans, rooms, hostile boards."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest

from qubopuzzle import Heyawake, InputError, solve
from qubopuzzle.compile import ENCODINGS
from shadings import SIDES, answers, apart, brute, connected, found, met, pieces, random_rooms, zero

FORESTS = ("forest",)


def partitions(rows, columns):
    """All ways to divide a grid into rooms, numbered by their first cells."""
    grids = []
    for numbers in product(range(rows * columns), repeat=rows * columns):
        used = list(dict.fromkeys(numbers))
        if used != list(range(len(used))):
            continue
        grid = np.array(numbers).reshape(rows, columns)
        rooms = ({tuple(c) for c in np.argwhere(grid == room).tolist()} for room in used)
        if all(len(pieces(room, SIDES)) == 1 for room in rooms):
            grids.append(grid)
    return grids


def boards(rows, columns):
    """All boards: every division, and every clue or none for every room."""
    for rooms in partitions(rows, columns):
        sizes = np.bincount(rooms.ravel()).tolist()
        for clues in product(*([None, *range(size + 1)] for size in sizes)):
            yield Heyawake(rooms, clues)


@pytest.mark.parametrize(
    ("shape", "count"), [((1, 1), 3), ((1, 2), 13), ((2, 1), 13), ((1, 3), 56), ((3, 1), 56)]
)
def test_every_board_of_one_line(shape, count):
    every = list(boards(*shape))
    assert len(every) == count
    check_all(every)


@pytest.mark.slow
def test_every_board_of_2x2():
    assert len(partitions(2, 2)) == 12
    every = list(boards(2, 2))
    assert len(every) == 323
    counts = check_all(every, every=3)
    assert {0, 1, 2} <= set(counts)


def check_all(puzzles, every=1):
    """All valid choices of all boards; all bit strings of one in ``every``."""
    counts = Counter()
    for i, puzzle in enumerate(puzzles):
        expected = answers(puzzle)
        counts[len(expected)] += 1
        forest, encodings = puzzle.model("forest"), set()
        assert met(puzzle.model("lazy")) == met(forest) == expected
        if i % every == 0:
            assert brute(puzzle) == expected
            encodings.add(ENCODINGS[i // every % 2])
        if i % (4 * every) == 0:
            encodings |= {ENCODINGS[1], "domain-wall"}
        for encoding in encodings:
            assert zero(forest, encoding) == expected
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (1, 4)])
def test_every_division_into_rooms(shape):
    """With clues at random, each room's a third of the time."""
    rng = np.random.default_rng(2)
    every = partitions(*shape)
    assert len(every) == {(2, 3): 74, (3, 2): 74, (1, 4): 8}[shape]
    puzzles = []
    for rooms in every:
        sizes = np.bincount(rooms.ravel()).tolist()
        clues = [int(rng.integers(n + 1)) if rng.random() < 1 / 3 else None for n in sizes]
        puzzles.append(Heyawake(rooms, clues))
    counts = check_all(puzzles)
    assert len(counts) > 2


def test_all_white_and_nearly_all_black():
    for shape in ((3, 3), (4, 5), (1, 6), (2, 7)):
        white = Heyawake(np.zeros(shape, dtype=int), [0])
        assert all(not white.model(f).choices for f in FORESTS)
        for formulation in ("lazy", *FORESTS):
            result = solve(white, "sat", formulation=formulation, solutions=None)
            assert [a.sum() for a in result.solutions] == [0]
            assert result.complete
        assert solve(white, "annealer", formulation="forest", seed=1).valid
    # As many black cells as do not touch and leave the white ones together, and one more.
    for shape in ((3, 3), (3, 4), (4, 4), (2, 5)):
        grids = apart(*shape)
        most = int(grids[connected(grids)].sum(axis=(1, 2)).max())
        full = Heyawake(np.zeros(shape, dtype=int), [most])
        more = Heyawake(np.zeros(shape, dtype=int), [most + 1])
        for formulation in ("lazy", "forest"):
            result = solve(full, "sat", formulation=formulation, solutions=None)
            assert result.valid
            assert found(result) == answers(full)
            assert solve(more, "sat", formulation=formulation).status == "infeasible"


def test_spans_are_the_least_runs_through_three_rooms():
    rng = np.random.default_rng(3)
    for _ in range(30):
        rows, columns = (int(n) for n in rng.integers(1, 7, 2))
        rooms = random_rooms(rng, (rows, columns), int(rng.integers(1, rows * columns + 1)))
        numbers = np.arange(rooms.size).reshape(rooms.shape)
        runs = set()
        for lines, along in ((rooms, numbers), (rooms.T, numbers.T)):
            for line, cells in zip(lines.tolist(), along.tolist(), strict=True):
                for a, b in product(range(len(line)), repeat=2):
                    run = line[a : b + 1]
                    borders = [x != y for x, y in pairwise(run)]
                    if sum(borders) == 2 and borders[0] and borders[-1]:
                        runs.add(tuple(cells[a : b + 1]))
        model = Heyawake(rooms, [None] * (rooms.max() + 1)).model("lazy")
        spans = next((block for block in model.linear if block.family == "span"), None)
        white = np.zeros((0, rooms.size)) if spans is None else spans.matrix.toarray()[:, ::2]
        assert {tuple(np.flatnonzero(span).tolist()) for span in white} == runs
        if spans is not None:  # one of the cells is black
            assert (spans.upper == white.sum(axis=1) - 1).all()


# --- what is wrong, and where ------------------------------------------------------------

ROOMS = [[0, 0, 1, 2], [0, 0, 1, 2], [3, 3, 3, 3]]


@pytest.mark.parametrize(
    ("lines", "rule", "cells", "message"),
    [
        (["....", "...." , "..#."], "span", {(0, 0), (0, 1), (0, 2), (0, 3)}, "row[0]: white from"),
        (["#..#", ".#..", "...."], "room", {(0, 0), (0, 1), (1, 0), (1, 1)}, "room 0 has 2 black"),
        (["#...", "#...", "...."], "adjacent", {(0, 0), (1, 0)}, "black cells touch: (0,0) (1,0)"),
        ([".#..", "#...", "...."], "connected", {(0, 0)}, "white cells are cut off: (0,0)"),
    ],
)  # fmt: skip
def test_each_rule_fires_with_its_cells(lines, rule, cells, message):
    puzzle = Heyawake(ROOMS, [1, None, None, None])
    own = [v for v in puzzle.violations(puzzle.parse_answer(lines)) if v.rule == rule]
    assert set(own[0].cells) == cells
    assert message in own[0].message


def test_each_broken_room_and_run_is_told():
    puzzle = Heyawake(ROOMS, [1, 1, None, 2])
    broken = puzzle.violations(np.zeros((3, 4), dtype=int))
    assert [(v.rule, v.message) for v in broken] == [
        ("room", "room 0 has 0 black cells, its clue is 1"),
        ("room", "room 1 has 0 black cells, its clue is 1"),
        ("room", "room 3 has 0 black cells, its clue is 2"),
        ("span", "row[0]: white from (0, 0) to (0, 3) crosses 2 borders"),
        ("span", "row[1]: white from (1, 0) to (1, 3) crosses 2 borders"),
    ]
    puzzle = Heyawake([[0], [1], [0 + 2], [3]], [None] * 4)
    assert [v.message for v in puzzle.violations(np.zeros((4, 1), dtype=int))] == [
        "column[0]: white from (0, 0) to (3, 0) crosses 3 borders"
    ]


def test_a_line_may_come_back_to_a_room():
    """A room that bends around another: two borders, though only two rooms."""
    puzzle = Heyawake([[0, 1, 0], [0, 0, 0]], [None, None])
    broken = puzzle.violations(np.zeros((2, 3), dtype=int))
    assert [(v.rule, v.cells) for v in broken] == [("span", ((0, 0), (0, 1), (0, 2)))]
    for formulation in ("lazy", "forest"):
        result = solve(puzzle, "sat", formulation=formulation, solutions=None)
        assert found(result) == brute(puzzle)


def test_a_black_cell_in_a_room_of_none_cannot_be_written():
    puzzle = Heyawake([[0, 0], [1, 1]], [0, None])
    for formulation in ("lazy", *FORESTS):
        with pytest.raises(InputError, match="a black cell where none can be"):
            puzzle.model(formulation).field.write(np.array([[1, 0], [0, 0]]))


def test_picture_shows_rooms_and_clues():
    picture = Heyawake(ROOMS, [1, None, 0, 2]).picture()
    assert picture.corners == {(0, 0): "1", (0, 3): "0", (2, 0): "2"}
    assert picture.rooms.tolist() == ROOMS
