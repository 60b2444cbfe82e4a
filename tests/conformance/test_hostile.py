"""What no grid is, and no other field, of every puzzle: refused with its place."""

import numpy as np
import pytest

from qubopuzzle import EasyAsABC, Heyawake, Hitori, InputError, Kurodoko, Numberlink, Sudoku
from qubopuzzle.errors import PuzzleError

FIELDS = {
    Sudoku: ("grid", 0, None, 36),
    Hitori: ("grid", 0, 1_000_000, 1000),
    Kurodoko: ("grid", -1, 1_000_000, 1000),
    Numberlink: ("grid", 0, 1_000_000, 1000),
    Heyawake: ("rooms", 0, 1_000_000, 1000),
}
"""The grid of each, its numbers (None: as many as there are rows), and its longest side."""

GRIDS = [
    (None, "{key}: expected 1 to {side} rows, got None"),
    (3, "{key}: expected 1 to {side} rows, got 3"),
    ("", "{key}: expected 1 to {side} rows, got ''"),
    ([], "{key}: expected 1 to {side} rows, got list of 0"),
    ({}, "{key}: expected 1 to {side} rows, got dict of 0"),
    (np.array(3), "{key}: expected 1 to {side} rows, got array(3)"),
    ([[0]] * 10**6, "{key}: expected 1 to {side} rows, got list of 1000000"),
    ([[]], "{key}[0]: expected 1 to {side} cells, got list of 0"),
    ([1, 2], "{key}[0]: expected 1 to {side} cells, got 1"),
    ([np.array(3)], "{key}[0]: expected 1 to {side} cells, got 3"),
    ([[0] * 10**6], "{key}[0]: expected 1 to {side} cells, got list of 1000000"),
    (["12", "2!"], "{key}[1]: expected digits, got '2!'"),
    (["00", "-1"], "{key}[1]: expected digits, got '-1'"),
    ([[0, 0], [0]], "{key}[1] has 1 cells, {key}[0] has 2"),
    ([[1, "2"]], "{key}[0][1]: {number}, got '2'"),
    ([[0, "x"]], "{key}[0][1]: {number}, got 'x'"),
    ([[1, 2.0]], "{key}[0][1]: {number}, got 2.0"),
    ([[True, 2]], "{key}[0][0]: {number}, got True"),
    ([[[1], 2]], "{key}[0][0]: {number}, got list of 1"),
    ([[1, float("nan")]], "{key}[0][1]: {number}, got nan"),
    ([[0, -2]], "{key}[0][1]: {number}, got -2"),
    ([[0, 10**7]], "{key}[0][1]: {number}, got 10000000"),
    ([[10**400]], "{key}[0][0]: {number}, got a number of over 30 digits"),
    (np.zeros((2, 2, 2), int), "{key}[0][0]: {number}, got list of 2"),
    (np.zeros((2, 2)), "{key}[0][0]: {number}, got 0.0"),
]
"""Grids that none of them takes, and why."""


@pytest.mark.parametrize(("grid", "message"), GRIDS)
@pytest.mark.parametrize("kind", FIELDS)
def test_hostile_grids_are_refused_with_their_place(kind, grid, message):
    key, low, high, side = FIELDS[kind]
    most = (high or len(grid)) if "{number}" in message else 0
    number = f"expected a whole number from {low} to {most:,}"
    others = {"clues": []} if kind is Heyawake else {}
    check(kind, {key: grid, **others}, message.format(key=key, side=side, number=number))


def check(kind, data, message):
    """One line that has the message, and is not long."""
    with pytest.raises(PuzzleError) as caught:
        kind.from_dict(data)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


EMPTY = [[0] * 4] * 4
"""A sudoku of 4 by 4."""
GOOD = [[0, 0], [1, 1]]
"""The rooms of a heyawake."""
ABC = {"size": 3, "letters": 2}
_CLUE = "expected a whole number from 0 to 1,000,000"

OTHERS = [
    (Sudoku, {}, "grid: missing"),
    (Sudoku, {"grid": "1 0"}, "grid: 1 rows of 2 cells are no square"),
    (Sudoku, {"grid": [[0, 0, 0], [0, 0, 0]]}, "grid: 2 rows of 3 cells are no square"),
    (Sudoku, {"grid": [*EMPTY[1:], [0, 0, 0, 5]]}, "grid[3][3]: expected a whole number from 0"),
    (Sudoku, {"grid": [[0] * 5] * 5}, "box: a grid of 5 x 5 has no boxes but whole lines; for"),
    (Sudoku, {"grid": EMPTY, "box": 2}, "box: expected a list, got 2"),
    (Sudoku, {"grid": EMPTY, "box": np.array(2)}, "box: expected a list, got array(2)"),
    (Sudoku, {"grid": EMPTY, "box": []}, "box: nothing does not make 4 cells"),
    (Sudoku, {"grid": EMPTY, "box": [2, 3]}, "box: 2 x 3 does not make 4 cells"),
    (Sudoku, {"grid": EMPTY, "box": [4]}, "box: 4 does not make 4 cells"),
    (Sudoku, {"grid": EMPTY, "box": [1] * 10**5}, "box: 1 x 1 x 1 x 1 does not make 4 cells"),
    (Sudoku, {"grid": EMPTY, "box": [-2, -2]}, "box[0]: expected a whole number from 0 to 36, got"),
    (Sudoku, {"grid": EMPTY, "box": ["2", 2]}, "box[0]: expected a whole number from 0 to 36, got"),
    (Sudoku, {"grid": [[0]], "solution": [[2]]}, "solution[0][0]: expected a whole number from 0"),
    (Sudoku, {"grid": [[0]], "solution": [[]]}, "solution[0]: expected 1 to 1000 cells"),
    (Sudoku, {"grid": EMPTY, "solution": [[1] * 4] * 4}, "solution: row[0] has 1 4 times"),
    (Hitori, {}, "grid: missing"),
    (Hitori, {"grid": [[1, 1]], "solution": [".."]}, "solution: row[0] has 1 on 2 white cells"),
    (Hitori, {"grid": [[1, 2]], "solution": ["##"]}, "solution: black cells touch"),
    (Hitori, {"grid": [[1, 2, 3]], "solution": [".#."]}, "solution: white cells are cut off"),
    (Kurodoko, {}, "grid: missing"),
    (Kurodoko, {"grid": [["?", "x"]]}, "grid[0][1]: expected a whole number from -1 to 1,000,000"),
    (Kurodoko, {"grid": [["?", 1]], "solution": ["#."]}, "solution: the circle on (0,0) is black"),
    (Kurodoko, {"grid": [[2, 0]], "solution": [".#"]}, "solution: the number 2 on (0,0) sees 1 "),
    (Kurodoko, {"grid": [[2, 0]], "solution": ["#."]}, "solution: the number 2 on (0,0) is black"),
    (Kurodoko, {"grid": [[0, 0]], "solution": ["##"]}, "solution: black cells touch"),
    (Heyawake, {}, "rooms: missing"),
    (Heyawake, {"rooms": GOOD}, "clues: missing"),
    (Heyawake, {"rooms": "00/1", "clues": []}, "rooms[1] has 1 cells, rooms[0] has 2"),
    (Heyawake, {"rooms": GOOD, "clues": [1]}, "clues: 1 clues for rooms 0 to 1"),
    (Heyawake, {"rooms": GOOD, "clues": [1, 1, 1]}, "rooms: no cell belongs to room 2"),
    (Heyawake, {"rooms": [[0], [2]], "clues": [1, 1, 1]}, "rooms: no cell belongs to room 1"),
    (Heyawake, {"rooms": [[0, 1, 0]], "clues": [1, 1]}, "rooms: room 0 is in several pieces"),
    (Heyawake, {"rooms": [[0, 1], [1, 0]], "clues": [1, 1]}, "rooms: room 0 is in several pieces"),
    (Heyawake, {"rooms": GOOD, "clues": [1, -1]}, f"clues[1]: {_CLUE}, got -1"),
    (Heyawake, {"rooms": GOOD, "clues": [1, "1"]}, f"clues[1]: {_CLUE}, got '1'"),
    (Heyawake, {"rooms": GOOD, "clues": [1, 1.0]}, f"clues[1]: {_CLUE}, got 1.0"),
    (Heyawake, {"rooms": GOOD, "clues": [False, 1]}, f"clues[0]: {_CLUE}, got False"),
    (Heyawake, {"rooms": GOOD, "clues": [10**400, 1]}, f"clues[0]: {_CLUE}, got a number of"),
    (Heyawake, {"rooms": GOOD, "clues": "11"}, "clues: expected a list, got '11'"),
    (Heyawake, {"rooms": GOOD, "clues": None}, "clues: expected a list, got None"),
    (Heyawake, {"rooms": GOOD, "clues": 3}, "clues: expected a list, got 3"),
    (Heyawake, {"rooms": GOOD, "clues": [0] * (10**6 + 1)}, "clues: 1000001 numbers are too many"),
    (
        Heyawake,
        {"rooms": GOOD, "clues": [1, 1], "solution": ["..", ".."]},
        "solution: room 0 has 0",
    ),
    (Heyawake, {"rooms": GOOD, "clues": [1, 1], "solution": ["#.", "#."]}, "solution: black cells"),
    (Heyawake, {"rooms": GOOD, "clues": [1, 1], "solution": ["#.", ".#"]}, "solution: white cells"),
    (EasyAsABC, {"letters": 2}, "size: missing"),
    (EasyAsABC, {"size": 2}, "letters: missing"),
    (EasyAsABC, ABC | {"size": None}, "size: expected a whole number from 1 to 50, got None"),
    (EasyAsABC, ABC | {"size": 0}, "size: expected a whole number from 1 to 50, got 0"),
    (EasyAsABC, ABC | {"size": 51}, "size: expected a whole number from 1 to 50, got 51"),
    (EasyAsABC, ABC | {"size": "3"}, "size: expected a whole number from 1 to 50, got '3'"),
    (EasyAsABC, ABC | {"letters": 0}, "letters: expected a whole number from 1 to 26, got 0"),
    (EasyAsABC, ABC | {"letters": True}, "letters: expected a whole number from 1 to 26, got True"),
    (EasyAsABC, ABC | {"top": 3}, "top: expected a list, got 3"),
    (EasyAsABC, ABC | {"top": np.array(3)}, "top: expected a list, got 3"),
    (EasyAsABC, ABC | {"top": [1]}, "top has 1 values, expected 3"),
    (EasyAsABC, ABC | {"top": []}, "top has 0 values, expected 3"),
    (EasyAsABC, ABC | {"left": [0] * 10**6}, "left has 1000000 values, expected 3"),
    (EasyAsABC, ABC | {"left": [0, 3, 0]}, "left[1]: 'C' is not in A .. B"),
    (
        EasyAsABC,
        ABC | {"left": [0, -1, 0]},
        "left[1]: expected a whole number from 0 to 26, got -1",
    ),
    (EasyAsABC, ABC | {"right": ["A", "B", "C"]}, "right[2]: 'C' is not in A .. B"),
    (
        EasyAsABC,
        ABC | {"right": ["A", "", "B"]},
        "right[1]: expected a whole number from 0 to 26, got ''",
    ),
    (EasyAsABC, ABC | {"right": ["A\n" * 50, 0, 0]}, "right[0]: "),
    (EasyAsABC, ABC | {"bottom": [1.0, 0, 0]}, "bottom[0]: expected a whole number from 0 to 26, "),
    (EasyAsABC, ABC | {"bottom": [[1], 0, 0]}, "from 0 to 26, got list of 1"),
    (EasyAsABC, ABC | {"grid": 3}, "grid: expected 1 to 50 rows, got 3"),
    (EasyAsABC, ABC | {"grid": "..."}, "grid: expected 3 rows of 3 letters"),
    (EasyAsABC, ABC | {"grid": ["..."]}, "grid: expected 3 rows of 3 letters"),
    (EasyAsABC, ABC | {"grid": ["...", "..", "..."]}, "grid[1] has 2 cells, grid[0] has 3"),
    (EasyAsABC, ABC | {"grid": ["...", ".D.", "..."]}, "grid[1][1]: 'D' is not in A .. B"),
    (EasyAsABC, ABC | {"grid": np.zeros((3, 3))}, "grid[0][0]: expected a whole number"),
    (EasyAsABC, ABC | {"solution": ["AB.", "AB.", ".AB"]}, "solution: column[0] has A twice"),
]


@pytest.mark.parametrize(("kind", "data", "message"), OTHERS)
def test_what_is_hostile_in_other_ways(kind, data, message):
    check(kind, data, message)


SHADED = (
    Hitori(grid=[[1, 2]]),
    Kurodoko(grid=[[0, 0]]),
    Heyawake(rooms=[[0, 0]], clues=[None]),
)
SOLUTIONS = ("..", ["..", ".."], ["."], ["a."], [[0, 2]], [[0.5, 0]], [["#", "."]], 7)


@pytest.mark.parametrize("solution", SOLUTIONS)
@pytest.mark.parametrize("puzzle", SHADED, ids=lambda puzzle: puzzle.name)
def test_solutions_of_another_kind_are_refused(puzzle, solution):
    with pytest.raises(InputError) as caught:
        type(puzzle).from_dict({**puzzle.to_dict(), "solution": solution})
    assert "\n" not in str(caught.value)
