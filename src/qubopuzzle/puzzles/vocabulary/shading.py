"""Answers of black and white cells, and the rules that heyawake, hitori and kurodoko share.

No two black cells touch by a side, and the white cells are connected by their sides.
Nothing here knows of models; those are built in ``shaded``.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import ComparedByFields, Puzzle, Violation, check_shape
from qubopuzzle.puzzles.vocabulary.grids import (
    BLACK,
    BLANK,
    NUMBER_LIMIT,
    WHITE,
    Cell,
    Cells,
    cells_of,
    groups,
    read_grid,
    read_shading,
    shading_to_rows,
    words_of,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Painting(Puzzle):
    """A puzzle whose answer is 1 where a cell is black and 0 where it is white."""

    @property
    def signs(self) -> str:
        """The signs of 0 and 1 in lines of an answer, and of more where there are colours."""
        return WHITE + BLACK

    def parse_answer(self, data: Any) -> IntArray:
        """Read lines of ``#`` and ``.``, or rows of 0 and 1."""
        answer = read_shading("solution", data, self.signs)
        check_shape(answer, self.shape)
        return answer

    def format_answer(self, answer: IntArray) -> list[str]:
        """Lines of ``#`` and ``.``."""
        return shading_to_rows(answer, self.signs)


@dataclass(frozen=True, kw_only=True, eq=False)
class ShadingPuzzle(ComparedByFields, Painting):
    """A painting under the two rules, and others; subclasses are dataclasses with ``eq=False``."""

    default_formulation: ClassVar[str] = "forest"
    lazy_formulation: ClassVar[str] = "lazy"

    def violations(self, answer: IntArray) -> list[Violation]:
        """Groups of black cells that touch, white cells cut off, and what the clues say."""
        return [*self.each_violation(answer)]

    def each_violation(self, answer: IntArray) -> Iterator[Violation]:
        """The same one by one."""
        check_shape(answer, self.shape, range(2))
        for cells in _components(answer):
            if len(cells) > 1:
                yield Violation("adjacent", f"black cells touch: {_names(cells)}", cells)
        white = _components(answer == 0)
        largest = max(white, key=len, default=())
        for cells in white:
            if cells is not largest:
                yield Violation("connected", f"white cells are cut off: {_names(cells)}", cells)
        yield from self.broken_clues(answer)

    @abstractmethod
    def broken_clues(self, answer: IntArray) -> Iterable[Violation]:
        """Violations of the rules that this puzzle has to itself."""


@dataclass(frozen=True, eq=False)
class NumberGrid(ShadingPuzzle):
    """A shading puzzle with numbers in its cells, 0 where there is none."""

    circled: ClassVar[bool] = False
    """Whether the picture has them in circles."""
    marks: ClassVar[Mapping[str | None, int]] = BLANK
    """What may stand for a number in JSON; the least of these is the least number."""

    grid: IntArray

    def __post_init__(self) -> None:
        super().__post_init__()
        least = min(self.marks.values())
        grid = read_grid("grid", self.grid, least, NUMBER_LIMIT, self.marks)
        object.__setattr__(self, "grid", grid)
        self.check_solution()

    def shown(self, number: int) -> int | str | None:
        """A number as it stands in JSON and pictures."""
        return {value: mark for mark, value in self.marks.items()}.get(number, number)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The numbers in their cells, or in circles."""
        words = words_of(self.grid, name=lambda number: str(self.shown(number)))
        circled = words["given"] if self.circled else frozenset[Cell]()
        broken = frozenset(broken)
        return Picture(*self.shape, black=answer, **words, circled=circled, broken=broken)

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object; cells without a number are null."""
        shown = {number: self.shown(number) for number in np.unique(self.grid).tolist()}
        grid = [[shown[number] for number in row] for row in self.grid.tolist()]
        return {**super().to_dict(), "grid": grid}


def random_shading(
    shape: tuple[int, int], rng: np.random.Generator, share: float = 1.0
) -> IntArray:
    """Cells in random order, each black if the two rules allow it, up to a share of all.

    One round is enough for as many as can be: what a cell cuts off, it cuts off from then on.
    """
    rows, columns = shape
    black = np.zeros((rows + 2, columns + 2), dtype=np.int64)
    inside = black[1:-1, 1:-1]
    for cell in rng.permutation(rows * columns).tolist():
        if inside.sum() >= share * rows * columns:
            break
        r, c = divmod(cell, columns)
        if not (black[r : r + 3, c + 1].any() or black[r + 1, c : c + 3].any()):
            inside[r, c] = 1
            inside[r, c] = scipy.ndimage.label(inside == 0)[1] == 1
    return inside.copy()


def _components(where: Any) -> list[Cells]:
    """The cells of each piece that is connected by sides."""
    return [cells_of(group, where.shape[1]) for group in groups(scipy.ndimage.label(where)[0])[1:]]


def _names(cells: Cells) -> str:
    """Cells for a message, the first few."""
    shown = " ".join(f"({r},{c})" for r, c in cells[:6])
    return shown if len(cells) <= 6 else f"{shown} ... ({len(cells)} cells)"
