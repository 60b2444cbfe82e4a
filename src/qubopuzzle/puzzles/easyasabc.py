"""Easy as ABC: each letter once in every line, and which one is seen first from outside."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from string import ascii_uppercase
from typing import ClassVar

import numpy as np

from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray, Model
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import NUMBER16, Board, Link, Text
from qubopuzzle.puzzles.penpa import PenpaText
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import WHITE, Cell, lines_of, words_of
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, by_cells, cells_of_rules
from qubopuzzle.puzzles.vocabulary.rules import Different, Given, Rule
from qubopuzzle.puzzles.vocabulary.views import SIDES, FirstSeen, fit_sides, views_of, words_beside

SIZE_LIMIT = 50
"""Most rows and columns."""


def by_positions(puzzle: "EasyAsABC") -> Model:
    """A choice for each clue over the places where its letter may stand."""
    return cells_of_rules(puzzle, [*puzzle.rules(by_place=True)]).build()


def _letters(text: Text, board: Board) -> None:
    """How many letters there are."""
    letters = links.whole(text.word(str(board.get("letters"))), "letters")
    board |= {"size": text.shape[0], "letters": letters}


def _range(text: PenpaText, board: Board) -> None:
    """Which letters there are, such as (A-C), on the left above; all that are seen without."""
    numbers = text.given.numbers
    if not text.reading:
        numbers[-1, -1] = f"(A-{ascii_uppercase[board['letters'] - 1]})"
    words = [word for cell, word in numbers.items() if not text.inside(cell)]
    ranges = [match[1] for word in words if (match := re.fullmatch("[(]?A-([A-Z])[)]?", word))]
    letters = ranges or [word for word in numbers.values() if word in [*ascii_uppercase]] or ["A"]
    board |= {"size": text.shape[0], "letters": ascii_uppercase.index(max(letters)) + 1}


@dataclass(frozen=True, eq=False)
class EasyAsABC(Kind):
    """Put each letter once in every row and column; one outside is the first seen from there.

    The other cells stay blank. Letters are 1 to ``letters`` (1 is A), 0 where there is none. Clues
    ``top``, ``bottom``, ``left`` and ``right``, a letter a line, and givens in ``grid`` may be
    numbers or letters, or None; sides that are missing have no clues.

    >>> puzzle = EasyAsABC(size=2, letters=1, top=["A", None])
    >>> puzzle.violations(np.array([[1, 0], [0, 1]]))
    []

    Raises:
        PuzzleError: for clues and givens that are none of the letters, and lines of another length.
    """

    name: ClassVar[str] = "easyasabc"
    is_shaded: ClassVar[bool] = False
    aliases: ClassVar[str] = "abc abcplace abcendview endview"
    formulations: ClassVar[Formulations] = {"forbidden": by_cells, "positions": by_positions}
    default_formulation: ClassVar[str] = "forbidden"
    generator: ClassVar[str] = "qubopuzzle.puzzles.generators.easyasabc:EasyAsABCGenerator"
    links = (
        penpa.Penpa(
            ("easy as abc",),
            [
                _range,
                penpa.outside(*SIDES, names=ascii_uppercase, blank=0),
                partial(links.grid, code=replace(NUMBER16, names=ascii_uppercase)),
                partial(links.digits_filled, names=ascii_uppercase),
            ],
        ),
        Link(
            "easyasabc",
            body=[_letters, links.outside(*SIDES, blank=0), links.grid_if_any],
            file=[_letters, links.givens_framed(*SIDES, blank=0)],
            square=True,
            givens="grid",
        ),
    )

    size: int = clues.number(1, SIZE_LIMIT)
    letters: int = clues.number(1, 26)
    top: IntArray = clues.letters(ascii_uppercase, is_line=True)
    bottom: IntArray = clues.letters(ascii_uppercase, is_line=True)
    left: IntArray = clues.letters(ascii_uppercase, is_line=True)
    right: IntArray = clues.letters(ascii_uppercase, is_line=True)
    grid: IntArray = clues.letters(ascii_uppercase, side=SIZE_LIMIT)

    @property
    def shape(self) -> tuple[int, int]:
        """A square."""
        return self.size, self.size

    @property
    def values(self) -> Sequence[int]:  # type: ignore[override]
        """The letters, and 0 for none."""
        return range(self.letters + 1)

    @property
    def signs(self) -> str:
        """The same as they are written."""
        return WHITE + ascii_uppercase[: self.letters]

    @property
    def contradiction(self) -> str | None:
        """More letters than a line has cells."""
        if self.letters <= self.size:
            return None
        return f"{self.letters} letters do not fit a line of {self.size} cells"

    def fit(self) -> None:
        """A letter a line, a square of givens, and no other letters."""
        fit_sides(self)
        if self.grid is None:
            object.__setattr__(self, "grid", np.zeros(self.shape, dtype=np.int64))
        if self.grid.shape != self.shape:
            raise PuzzleError(f"grid: expected {self.size} rows of {self.size} letters")
        for name in (*SIDES, "grid"):
            for place in np.argwhere(getattr(self, name) > self.letters)[:1].tolist():
                where = name + "".join(f"[{i}]" for i in place)
                letter = ascii_uppercase[getattr(self, name)[*place] - 1]
                raise PuzzleError(f"{where}: {letter!r} is not in A .. {self.signs[-1]}")

    def rules(self, *, by_place: bool = False) -> Iterator[Rule]:
        """Each letter in every line, clues, and givens."""
        show, letters = self.signs.__getitem__, self.values[1:]
        for family in ("row", "column"):
            lines = [line for axis, _, line in lines_of(self.shape) if axis == family]
            yield Different(
                family, lines, letters, (), "letter", given=self.grid, every=True, show=show
            )
        yield FirstSeen("seen", views_of(self), letters, show, by_place)
        yield Given("given", self.grid, self.grid > 0, field="grid", show=show)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The letters in the grid, and around it."""
        show = self.signs.__getitem__
        words = words_of(self.grid, answer, show) | words_beside(self, show)
        return Picture(*self.shape, **words, broken=frozenset(broken))
