"""Heyawake: rectangular rooms, a shading with the number of each room, then numbers dropped.

If another shading has the same numbers, a room in which the two differ is divided so that they
have other numbers there. That may cut a white run of the shading by one border too many. Where
no division is left, the shading changes: to one that is as neither of the two where these
differ, and otherwise as before as far as that goes.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from qubopuzzle.compile.incremental import Random, SwitchableModel, random_answer
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.generator import (
    Boards,
    GeneratorOption,
    Options,
    PuzzleGenerator,
    Shape,
    solution_of,
)
from qubopuzzle.puzzles.heyawake import Heyawake
from qubopuzzle.puzzles.vocabulary.cells import Cells
from qubopuzzle.puzzles.vocabulary.grids import groups
from qubopuzzle.puzzles.vocabulary.kind import cells_of_rules

CHANGES, CELLS = 20, 10
"""Boards from one drawing before the next, at least, and one for so many cells."""


class HeyawakeGenerator(PuzzleGenerator[Heyawake]):
    """The clues are the numbers of the rooms."""

    usual = (10, 10)
    options = (GeneratorOption("room", 6, "cells of a room, about", 1, 100),)
    clue_fields = ("clues",)
    blank = None

    def boards(self, shape: Shape, options: Options, rng: Random) -> Boards[Heyawake]:
        """Rooms and a shading; then rooms divided."""
        while True:
            board = _board(_rooms(shape, options["room"], rng), rng)
            for _ in range(max(CHANGES, shape[0] * shape[1] // CELLS)):
                if board is None:
                    break
                other = yield board
                board = _divided(board, other, rng) or _changed(board, other, rng)

    def switchable_model(self, board: Heyawake) -> SwitchableModel:
        """A switch s for each room of n cells and w white ones: w s <= white <= n - (n - w) s."""
        cells, rooms = _with_spans(board.rooms), groups(board.rooms)
        builder, white = cells.builder, cells.of(0)
        shown = [np.array(builder.bit(f"shown[{i}]").literals[1:]) for i in range(len(rooms))]
        least, most = builder.rows("least"), builder.rows("most")
        for room, black, switch in zip(rooms, board.clues, shown, strict=True):
            literals, ones = [*white[room], *switch], [1] * len(room)
            least.add(literals, [*ones, (black or 0) - len(room)], lower=0)
            most.add(literals, [*ones, black or 0], upper=len(room))
        return SwitchableModel(cells.build(), shown)


def _rooms(shape: Shape, size: int, rng: Random) -> IntArray:
    """Rectangles of about so many cells, from the first free cell on, (rows, columns)."""
    rooms = np.full(shape, -1, dtype=np.int64)
    number = 0
    for r, c in np.ndindex(*shape):
        if rooms[r, c] >= 0:
            continue
        free = int(np.argmax([*(rooms[r, c:] >= 0), True]))
        wide = min(free, 1 + int(rng.binomial(2 * int(size**0.5), 0.4)))
        if free - wide == 1 and wide > 1:  # no column is left over
            wide = free if free <= 3 else wide - 1
        high = max(1, round(size / wide * rng.uniform(0.5, 1.5)))
        if shape[0] - r - high == 1:
            high += 1
        rooms[r : r + high, c : c + wide] = number
        number += 1
    return rooms


def _with_spans(rooms: IntArray) -> Cells:
    """Cells with all rules but the numbers of the rooms."""
    blank = Heyawake(rooms=rooms, clues=(None,) * (int(rooms.max()) + 1))
    return cells_of_rules(blank, by_cuts=True)


def _board(rooms: IntArray, rng: Random) -> Heyawake | None:
    """The rooms with a random shading that has as many black cells as can be."""
    cells = _with_spans(rooms)
    return _numbered(rooms, random_answer(cells.build(), [cells.of(1)], rng))


def _numbered(rooms: IntArray, answer: IntArray | None) -> Heyawake | None:
    if answer is None:
        return None
    black = np.bincount(rooms.ravel(), weights=answer.ravel()).astype(np.int64)
    return Heyawake(rooms=rooms, clues=tuple(black.tolist()), solution=answer)


def _divided(board: Heyawake, other: IntArray, rng: Random) -> Heyawake | None:
    """One room more, which tells the two shadings apart; None if no division does."""
    solution = solution_of(board)
    divisions = list(_divisions(board.rooms, solution - other))
    for i in rng.permutation(len(divisions)).tolist():
        rooms = board.rooms.copy()
        rooms[divisions[i]] = len(board.clues)
        divided = Heyawake(rooms=rooms, clues=(None,) * (len(board.clues) + 1))
        if not divided.violations(solution):
            return _numbered(rooms, solution)
    return None


def _changed(board: Heyawake, other: IntArray, rng: Random) -> Heyawake | None:
    """The same rooms, and a shading that agrees with neither where they differ."""
    solution = solution_of(board)
    differ = solution != other
    cells = _with_spans(board.rooms)
    literals = cells.literals.reshape(*board.shape, 2)
    for answer in (solution, other):
        same = np.take_along_axis(literals, answer[..., None], axis=2)[differ, 0]
        cells.builder.rows("new").add(same, upper=len(same) - 1)
    as_before = np.take_along_axis(literals, solution[..., None], axis=2)[~differ, 0]
    wanted = [as_before, cells.of(1)]
    return _numbered(board.rooms, random_answer(cells.build(), wanted, rng))


def _divisions(rooms: IntArray, difference: IntArray) -> Iterator[Any]:
    """Parts of rooms, cut off by a straight line, whose numbers differ."""
    for cells in groups(rooms):
        r, c = np.divmod(cells, rooms.shape[1])
        changes = difference.ravel()[cells]
        if changes.any():
            for along in (r, c):
                for line in range(int(along.min()) + 1, int(along.max()) + 1):
                    part = along < line
                    if changes[part].sum():
                        yield r[part], c[part]
