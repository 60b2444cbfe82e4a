"""What is a puzzle's own in generating it: its boards, and its clues.

A puzzle that can be generated names its subclass of ``PuzzleGenerator`` in ``Puzzle.generator``.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pkgutil import resolve_name
from typing import IO, Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.checks import brief, whole
from qubopuzzle.compile.incremental import Random, SwitchableModel
from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle, get_puzzle
from qubopuzzle.puzzles.base import GeneratorOption as GeneratorOption

CELL_LIMIT = 2_500
"""Most cells of a board, if its generator does not say otherwise."""
Board = TypeVar("Board", bound=Puzzle)
Boards: TypeAlias = Generator[Board, IntArray, None]
Options: TypeAlias = Mapping[str, int]
Shape: TypeAlias = tuple[int, int]


class PuzzleGenerator(ABC, Generic[Board]):
    """Draws boards of a puzzle: instances with their solution and all their clues.

    ``usual`` is the size (rows, columns) without ``--size``. ``clue_fields`` are the fields of a
    board, of one shape, with the numbers that may be dropped; ``blank`` stands where there is none.
    Everything random comes from the generator of numbers that is passed in. ``kind`` is the class
    of the puzzle.
    """

    usual: tuple[int, int]
    options: tuple[GeneratorOption, ...] = ()
    clue_fields: ClassVar[tuple[str, ...]] = ()
    blank: ClassVar[int | None] = 0

    def __init__(self, kind: type[Board]) -> None:
        self.kind = kind

    def check(self, shape: Shape, options: Options) -> None:
        """Raise InputError for a size, or options, that no board has; here for large sizes."""
        if shape[0] * shape[1] > CELL_LIMIT:
            raise InputError(f"{shape[0]} x {shape[1]}: more than {CELL_LIMIT:,} cells")

    @abstractmethod
    def boards(self, shape: Shape, options: Options, rng: Random) -> Boards[Board]:
        """Random boards, each with all its clues and its solution.

        After each it is sent another solution of it, and gives a board that this one does
        not solve: much like the last, so that it gets nearer to having one solution only.
        """

    def from_image(
        self, file: str | IO[bytes], shape: Shape | None, how: Mapping[str, Any], rng: Random
    ) -> tuple[Board, Sequence[tuple[int, int]]]:
        """A board with one solution from an image, and the cells that had to be changed.

        Raises:
            InputError: for an image that gives none, and for puzzles that are no pictures.
        """
        raise InputError("puzzles of this kind are not made from images")

    def clues(self, board: Board) -> int:
        """How many clues there are that may be dropped: the numbers in ``clue_fields``."""
        return int(np.count_nonzero(self._clue_values(board) != self.blank))

    def keep(self, board: Board, clues: Sequence[int]) -> Board:
        """The puzzle with these of its clues only, and its solution."""
        values = self._clue_values(board)
        kept = np.full_like(values, self.blank)
        places = np.flatnonzero(values != self.blank)[list(clues)]
        kept.flat[places] = values.flat[places]
        return replace(board, **dict(zip(self.clue_fields, kept.tolist(), strict=True)))

    def _clue_values(self, board: Board) -> NDArray[np.object_]:
        return np.array([getattr(board, field) for field in self.clue_fields], dtype=object)

    def switchable_model(self, board: Board) -> SwitchableModel:
        """The rules with each clue under a switch; those of a board without clues to drop."""
        return SwitchableModel(board.model(board.formulation_for(cuts=True)))


@cache
def find_generator(puzzle: str) -> PuzzleGenerator[Any]:
    """The generator of a puzzle, by the puzzle's name.

    Raises:
        InputError: for a puzzle that there is not, that has none, or one that does not load.
    """
    place = get_puzzle(puzzle).generator
    if not place:
        raise InputError(f"{puzzle} has no generator")
    try:
        generator: PuzzleGenerator[Any] = resolve_name(place)(get_puzzle(puzzle))
    except Exception as error:
        raise InputError(f"{puzzle}: its generator {place} does not load: {error}") from error
    return generator


def solution_of(board: Puzzle) -> IntArray:
    """The solution that a board has."""
    if board.solution is None:
        raise ValueError(f"a board of {board.name} without its solution")
    return board.solution


def read_options(generator: PuzzleGenerator[Any], given: Mapping[str, Any]) -> dict[str, int]:
    """Options as whole numbers within their bounds; those that are not given by default.

    Raises:
        InputError: for an option that there is not, or a value that is none.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"options: expected values by name, got {brief(given)}")
    known = {option.name: option for option in generator.options}
    options = {name: o.default for name, o in known.items() if o.default is not None}
    for name, value in given.items():
        if name not in known:
            hint = did_you_mean(name, known, f"there are: {', '.join(known) or 'none'}")
            raise InputError(f"unknown option {name[:40]!r}; {hint}")
        text = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10
        number = int(value) if text else value
        options[name] = whole(f"option {name}", number, known[name].least, known[name].most)
    return options
