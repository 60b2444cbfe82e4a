"""What is seen along a line of different heights: each hides the lower ones behind it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

from qubopuzzle.errors import TooLarge
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import Cells, Write
from qubopuzzle.puzzles.vocabulary.grids import cells_of
from qubopuzzle.puzzles.vocabulary.rules import Rule

SIDE_LIMIT = 7
"""Most heights of a line: a model has a value for each of their orders."""


def seen(heights: Any) -> int:
    """How many of some heights are seen from the first."""
    return len({*np.maximum.accumulate(heights).tolist()})


@cache
def _orders(n: int) -> tuple[IntArray, IntArray]:
    """All orders of the heights 1 .. n, (n!, n), and how many are seen in each."""
    orders = np.array([*permutations(range(1, n + 1))])
    highest = np.maximum.accumulate(orders, axis=1)
    return orders, 1 + (highest[:, 1:] > highest[:, :-1]).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Views(Rule):
    """So many are seen along each line: a choice over the orders of its heights that have that.

    ``lines``: the cells from the clue on, its number, and its tag.
    """

    family: str
    lines: Sequence[tuple[IntArray, int, tuple[str, int]]]

    def constrain(self, cells: Cells) -> Write:
        """An order puts each of its heights where it stands."""
        n = len(cells.values)
        if n > SIDE_LIMIT:
            raise TooLarge(f"lines of {n} heights; at most {SIDE_LIMIT} have a model")
        orders, count = _orders(n)
        for line, number, tag in self.lines:
            fitting = orders[count == number]
            values: list[Any] = [*map(tuple, fitting.tolist())]
            handle = cells.builder.choice(f"{tag[0]}[{tag[1]}]", [*values, None], self.family)
            literals, none = np.array(handle.literals)[:-1], handle.literals[-1]
            for value in cells.values:
                for place, cell in enumerate(line.tolist()):
                    there = literals[fitting[:, place] == value]
                    row = np.append(there, cells.of(value)[cell])[None]
                    cells.literal_rows(self.family, row, [*[1] * len(there), -1], high=0)
            cells.literal_rows(self.family, np.array([[none]]), high=0, tags=[tag])
        return self._written

    def _written(self, answer: IntArray) -> list[Any]:
        orders = [np.asarray(answer).ravel()[line] for line, _, _ in self.lines]
        numbers = [number for _, number, _ in self.lines]
        return [
            tuple(order.tolist()) if seen(order) == number else None
            for order, number in zip(orders, numbers, strict=True)
        ]

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Lines along which another number is seen."""
        for line, number, (side, i) in self.lines:
            count = seen(np.asarray(answer).ravel()[line])
            if count != number:
                message = f"{side}[{i}] sees {count}, not {number}"
                yield Violation(self.family, message, cells_of(line, answer.shape[1]))
