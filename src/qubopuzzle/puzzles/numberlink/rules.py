"""Numberlink: the rules, native JSON and picture."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, check_shape, need
from qubopuzzle.puzzles.vocabulary.grids import (
    NUMBER_LIMIT,
    Cell,
    cells_of,
    lines_of_text,
    listed,
    read_grid,
    words_of,
)
from qubopuzzle.puzzles.vocabulary.paths import (
    SIDES,
    components,
    join,
    leaves,
    mutual,
    read_bits,
    split,
)


@dataclass(frozen=True)
class Numberlink(Puzzle):
    """Join equal numbers by paths that do not cross.

    Each number stands twice, 0 or None in empty cells; in text there may be letters, and ``a`` and
    ``A`` are two where both are there. ``cover``: every cell is used.

    >>> puzzle = Numberlink(grid=[[1, 0, 1], [2, 0, 2]])
    >>> puzzle.violations(np.array([[1, 5, 4], [1, 5, 4]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers.
    """

    name: ClassVar[str] = "numberlink"
    aliases: ClassVar[str] = "arukone flow flowfree nanbarinku numlin"
    default_formulation: ClassVar[str] = "turning"
    lazy_formulation: ClassVar[str] = "edges"

    grid: tuple[tuple[int, ...], ...]
    cover: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        grid = read_grid("grid", self.grid, 0, NUMBER_LIMIT, cased=True)
        if not isinstance(self.cover, bool):
            raise PuzzleError(f"cover: expected true or false, got {brief(self.cover)}")
        object.__setattr__(self, "grid", tuple(map(tuple, grid.tolist())))
        self.check_solution()

    @property
    def contradiction(self) -> str | None:
        """A number that does not stand twice."""
        return next(self._odd_ones(), None)

    def _odd_ones(self) -> Iterator[str]:
        for number, times in sorted(Counter(chain.from_iterable(self.grid)).items()):
            if number and times != 2:
                count = "once" if times == 1 else f"{times} times"
                yield f"number {number} stands in the grid {count}, not twice"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read ``{"puzzle": "numberlink", "grid": [[null, 1, ...], ...], "cover": true}``.

        A solution is what ``parse_answer`` reads; its ``right`` and ``down`` may stand beside
        it, and it is its labels then.
        """
        if "right" in data or "down" in data:
            right, down = need(data, "right", "down")
            solution = {"right": right, "down": down, "labels": data.get("solution")}
            rest = {key: data[key] for key in data if key not in solution}
            data = {**rest, "solution": solution}
        return super().from_dict(data)

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object; empty cells are null."""
        grid = [[number or None for number in row] for row in self.grid]
        return {**super().to_dict(), "grid": grid}

    def parse_answer(self, data: Any) -> IntArray:
        """Read ``{"right": ["101", ...], "down": [...]}``: 1 where a path passes.

        ``right`` is by row, between its cells; ``down`` between each row and the next.
        ``labels``, the number of each cell's path (0: unused), may be added, but must agree.

        Or lines of text, or rows, with a sign for each path and ``.`` or 0 for unused cells, where
        no path touches itself: neighbours of the same sign are joined.
        """
        if isinstance(data, str | list) and len(data):
            return self._joined(data)
        if not isinstance(data, Mapping):
            raise PuzzleError(
                f'solution: expected {{"right": ..., "down": ...}}, got {brief(data)}'
            )
        right, down = need(data, "right", "down")
        rows, columns = self.shape
        answer = join(
            read_bits("right", right, rows, columns - 1), read_bits("down", down, rows - 1, columns)
        )
        if data.get("labels") is not None:
            labels = read_grid("labels", data["labels"], 0, NUMBER_LIMIT)
            check_shape(labels, self.shape)
            for r, c in np.argwhere(labels != self.labels(answer)).tolist():
                raise PuzzleError(f"labels[{r}][{c}]: {labels[r, c]} is not what the path joins")
        return answer

    def _joined(self, data: Any) -> IntArray:
        """The paths of a grid of signs."""
        lines = lines_of_text(data) if isinstance(data, str) else data
        rows = [line.split() if isinstance(line, str) else listed(line) for line in lines]
        cells = [
            [*row[0]] if len(row) == 1 and isinstance(row[0], str) else [*map(str, row)]
            for row in rows
            if isinstance(row, list | tuple)
        ]
        if len(cells) != self.shape[0] or {len(row) for row in cells} != {self.shape[1]}:
            expected = f"{self.shape[0]} rows of {self.shape[1]} cells"
            raise PuzzleError(f'solution: expected {expected}, or {{"right": ..., "down": ...}}')
        signs = np.array(cells, dtype=object)
        used = ~np.isin(signs.astype(str), [".", "0", "-", "None"])
        right = (signs[:, 1:] == signs[:, :-1]) & used[:, 1:]
        down = (signs[1:] == signs[:-1]) & used[1:]
        answer = join(right.astype(np.int64), down.astype(np.int64))
        degree, ends = leaves(answer).sum(axis=1).reshape(self.shape), np.array(self.grid)
        named = {*zip(ends[ends > 0].tolist(), signs[ends > 0].tolist(), strict=True)}
        if not len(named) == len(dict(named)) == len({sign for _, sign in named}):
            return answer  # wrong anyhow: numbers that have several signs, or one of another
        for r, c in np.argwhere(degree > 2 - (ends > 0))[:1].tolist():
            what = f"solution: signs do not tell how the path of {signs[r, c][:20]!r} goes"
            raise PuzzleError(f"{what} at ({r},{c}), where it touches itself; give right and down")
        return answer

    def format_answer(self, answer: IntArray) -> dict[str, list[Any]]:
        """The paths between cells by row, and the number of each cell's path."""
        right, down = (["".join(map(str, row)) for row in part.tolist()] for part in split(answer))
        return {"right": right, "down": down, "labels": self.labels(answer).tolist()}

    def labels(self, answer: IntArray) -> IntArray:
        """The number of each cell's path, 0 where it joins none, shape of the grid."""
        labels = np.ravel(self.grid)
        for cells, _ in components(answer):
            part = labels[cells]
            labels[cells] = np.where(part, part, next(filter(None, part.tolist()), 0))
        return labels.reshape(self.shape)

    def violations(self, answer: IntArray) -> list[Violation]:
        """Connections, ends, branches, unused cells, closed loops and paths of two numbers."""
        return [*self.each_violation(answer)]

    def each_violation(self, answer: IntArray) -> Iterator[Violation]:
        """The same one by one."""
        check_shape(answer, self.shape, range(16))
        for message in self._odd_ones():
            yield Violation("number", message)
        answer = np.asarray(answer, dtype=np.int64)
        sides = leaves(answer)
        for cell, d in np.argwhere(sides & ~mutual(answer)).tolist():
            r, c = divmod(cell, self.shape[1])
            message = f"cell ({r}, {c}) goes {SIDES[d]} and does not arrive"
            yield Violation("connection", message, ((r, c),))
        degree = sides.sum(axis=1).reshape(self.shape)
        ends = np.array(self.grid) > 0
        wrong = np.where(ends, degree != 1, degree != 2)
        if not self.cover:
            wrong &= ends | (degree > 0)
        for r, c in np.argwhere(wrong)[:10_000].tolist():  # so many will do
            joined = degree[r, c]
            rule, wanted = ("end", 1) if self.grid[r][c] else ("path" if joined else "cover", 2)
            message = f"cell ({r}, {c}) joins {joined} of its neighbours, not {wanted}"
            yield Violation(rule, message, ((r, c),))
        for numbers, closed in components(answer):
            cells = cells_of(numbers, self.shape[1])
            given = sorted({self.grid[r][c] for r, c in cells} - {0})
            if closed:
                message = f"a closed loop of {len(cells)} cells from {cells[0]}"
                yield Violation("loop", message, cells)
            if len(given) > 1:
                message = f"a path joins {given[0]} and {given[1]}"
                yield Violation("number", message, cells)

    def likely_formulation(self, formulation: str) -> tuple[str, str] | None:
        """Every cell is used: so it is in most published solutions, where it need not be, too."""
        return None if self.cover else (f"{formulation}:cover=1", "every cell is used")

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The grid with its numbers and the paths, one colour a number."""
        return Picture(
            *self.shape,
            **words_of(np.array(self.grid)),
            paths=np.zeros(self.shape, dtype=np.int64) if answer is None else answer,
            colors=None if answer is None else self.labels(answer),
            broken=frozenset(broken),
        )
