"""Numberlink: join equal numbers by paths that do not cross; by default they use every cell."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from string import ascii_letters
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray, Model
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import lines, links, penpa
from qubopuzzle.puzzles.base import need
from qubopuzzle.puzzles.links import NUMBER16, Board, FileText, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import Cell
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind
from qubopuzzle.puzzles.vocabulary.linked import Linked
from qubopuzzle.puzzles.vocabulary.paths import labels_of, read_paths, read_signs, show_paths
from qubopuzzle.puzzles.vocabulary.rules import Rule

_LETTERS = ascii_letters.swapcase()
_COVER = {"passallcell": True, "dontpassallcell": False}
_GRID = partial(links.grid, code=replace(NUMBER16, names=_LETTERS))


def _cover(text: FileText, board: Board) -> None:
    """Whether every cell is used; of what is written it is."""
    rule = "passallcell" if text.blank else text.word("passallcell")
    if rule not in _COVER:
        raise InputError(f"expected {' or '.join(_COVER)}, got {rule[:20]!r}")
    board["cover"] = _COVER[rule]


def _check_letters(puzzle: Any) -> None:
    most, known = int(puzzle.grid.max()), len(_LETTERS)
    if most > known:
        what = "every cell is used, so it is an arukone"
        raise InputError(f"{what}, which has letters 1 to {known}, not {most}")


def _exact(model_of: Callable[[Linked], Model], puzzle: "Numberlink", *, cover: int = 0) -> Model:
    """With the setting ``cover``: 1 asks that every cell is used, 0 as the puzzle."""
    if not cover or puzzle.cover:
        return model_of(puzzle.paths)
    return replace(model_of(replace(puzzle.paths, cover=True)), restricted=("cover",))


def _blocks(puzzle: "Numberlink", *, apart: bool, rows: int = 2, columns: int = 2) -> Model:
    return puzzle.paths.blocks(apart=apart, rows=rows, columns=columns)


@dataclass(frozen=True, eq=False)
class Numberlink(Kind):
    """Join equal numbers by paths that do not cross.

    Each number stands twice; no cell stays empty unless that is allowed. ``cover``: it is not.
    ``grid`` has 0 or None elsewhere; in text ``a`` and ``A`` are two if both are there. An answer
    is, in each cell, the sum of the sides that a path leaves by: 1 right, 2 down, 4 left, 8 up.

    >>> puzzle = Numberlink(grid=[[1, 0, 1], [2, 0, 2]])
    >>> puzzle.violations(np.array([[1, 5, 4], [1, 5, 4]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers.
    """

    name: ClassVar[str] = "numberlink"
    aliases: ClassVar[str] = "arukone flow flowfree nanbarinku numlin"
    formulations: ClassVar[Formulations] = {
        "turning": partial(_exact, Linked.turning),
        "edges": partial(_exact, Linked.edges),
        "blocks": partial(_blocks, apart=False),
        "apart": partial(_blocks, apart=True),
    }
    default_formulation: ClassVar[str] = "turning"
    lazy_formulation: ClassVar[str] = "edges"
    generator: ClassVar[str] = "qubopuzzle.puzzles.generators.numberlink:NumberlinkGenerator"
    values: ClassVar[Sequence[int]] = range(16)
    links = (
        Link("numlin", body=[links.grid], file=[links.grid, links.paths], fields={"cover": False}),
        Link(
            "arukone",
            body=[_GRID],
            file=[_cover, _GRID, links.paths],
            fields={"cover": True},
            flags={"e": {"cover": False}},
            check=_check_letters,
        ),
        penpa.Penpa(("numberlink",), [_GRID, links.paths], fields={"cover": False}),
        penpa.Penpa(("numberlink", "arukone"), [_GRID, links.paths], fields={"cover": True}),
        lines.PAIR_LINES,
    )

    grid: IntArray = clues.numbers(cased=True)
    cover: bool = clues.flag(default=True, shown=True)

    @property
    def paths(self) -> Linked:
        """The rule."""
        return Linked("path", self.grid, self.cover)

    def rules(self) -> Iterator[Rule]:
        """Paths join equal numbers."""
        yield self.paths

    @property
    def contradiction(self) -> str | None:
        """A number that does not stand twice."""
        return next(self.paths.odd_numbers(), None)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """As the fields; ``right`` and ``down`` of a solution may be there, with its labels."""
        if "right" in data or "down" in data:
            right, down = need(data, "right", "down")
            solution = {"right": right, "down": down, "labels": data.get("solution")}
            data = {key: data[key] for key in data if key not in solution} | {"solution": solution}
        return super().from_dict(data)

    def parse_answer(self, data: Any) -> IntArray:
        """Read ``{"right": ["101", ...], "down": [...]}``: 1 where a path leaves a cell there.

        ``labels``, the number of each cell's path (0: unused), may be added, but must agree. Or
        lines of text, or rows, with a sign for each path and ``.`` or 0 for unused cells, where no
        path touches itself: neighbours of the same sign are joined.
        """
        read = read_signs if isinstance(data, str | list) and len(data) else read_paths
        return read(data, self.grid)

    def labels(self, answer: IntArray) -> IntArray:
        """The number of each cell's path, 0 where it joins none, shape of the grid."""
        return labels_of(answer, self.grid)

    def format_answer(self, answer: IntArray) -> dict[str, list[Any]]:
        """The paths between cells by row, and the number of each cell's path."""
        return show_paths(answer, self.grid)

    def likely_formulation(self, formulation: str) -> tuple[str, str] | None:
        """Every cell is used: so it is in most published solutions, where it need not be, too."""
        return None if self.cover else (f"{formulation}:cover=1", "every cell is used")

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The grid with its numbers and the paths, one colour a number."""
        shown = np.zeros(self.shape, dtype=np.int64) if answer is None else answer
        colors = None if answer is None else self.labels(answer)
        return replace(super().picture(None, broken), paths=shown, colors=colors)
