"""What is a puzzle's own in generating it: its boards, and its clues.

A space is the file ``generator`` of a puzzle's folder, with one subclass of ``Space``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, Generic, TypeVar

from qubopuzzle.compile.incremental import ClueModel, Random
from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle, puzzle_names

Board = TypeVar("Board", bound=Puzzle)


@dataclass(frozen=True, slots=True)
class Setting:
    """A whole number that a space takes: its default (None: found out), and its bounds."""

    name: str
    default: int | None
    about: str
    least: int
    most: int


class Space(ABC, Generic[Board]):
    """All boards of a puzzle with all their clues.

    ``usual`` is the size (rows, columns) without ``--size``; a board is a puzzle with its
    solution. ``conflicts`` divides puzzles of that size into easy, medium and hard ones, see
    ``difficulty``. Everything random comes from the generator that is passed in.
    """

    name: ClassVar[str]
    usual: ClassVar[tuple[int, int]]
    conflicts: ClassVar[tuple[int, int]]
    settings: ClassVar[tuple[Setting, ...]] = ()

    def check(self, shape: tuple[int, int], settings: Mapping[str, int]) -> None:
        """Raise InputError for a size, or settings, that no board has."""

    @abstractmethod
    def boards(
        self, shape: tuple[int, int], settings: Mapping[str, int], rng: Random
    ) -> Generator[Board, IntArray, None]:
        """Random boards, each with all its clues and its solution.

        After each it is sent another solution of it, and gives a board that this one does
        not solve: much like the last, so that it gets nearer to having one solution only.
        """

    def from_image(
        self,
        file: str,  # noqa: ARG002 - these are for pictures
        shape: tuple[int, int] | None,  # noqa: ARG002
        how: Mapping[str, Any],  # noqa: ARG002
        rng: Random,  # noqa: ARG002
    ) -> tuple[Board, Sequence[tuple[int, int]]]:
        """A board with one solution from an image, and the cells that had to be changed.

        Raises:
            InputError: for an image that gives none, and for puzzles that are no pictures.
        """
        raise InputError(f"{self.name} is not made from an image")

    def clues(self, board: Board) -> int:  # noqa: ARG002 - for others
        """How many clues there are that may be dropped."""
        return 0

    def keep(self, board: Board, clues: Sequence[int]) -> Board:  # noqa: ARG002 - for others
        """The puzzle with these of its clues only, and its solution."""
        return board

    def clue_model(self, board: Board) -> ClueModel:
        """The rules with each clue under a switch, for spaces that have clues."""
        raise NotImplementedError


@cache
def all_spaces() -> Mapping[str, Space[Any]]:
    """The space of each puzzle that can be generated, by its name."""
    spaces: dict[str, Space[Any]] = {}
    for name in puzzle_names():
        if find_spec(f"qubopuzzle.puzzles.{name}") is None:
            continue
        module = import_module(f"qubopuzzle.puzzles.{name}.generator")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Space) and hasattr(value, "name"):
                spaces[value.name] = value()
    return spaces


def get_space(puzzle: str) -> Space[Any]:
    """The space of a puzzle.

    Raises:
        InputError: for a puzzle that has none, naming those that have.
    """
    spaces = all_spaces()
    if puzzle not in spaces:
        raise InputError(f"no generator for {puzzle[:40]!r}; there are: {', '.join(spaces)}")
    return spaces[puzzle]


def solution_of(board: Puzzle) -> IntArray:
    """The solution that a board has."""
    if board.solution is None:
        raise ValueError(f"a board of {board.name} without its solution")
    return board.solution


def read_settings(space: Space[Any], given: Mapping[str, Any]) -> dict[str, int]:
    """Settings as whole numbers within their bounds; those that are not given by default.

    Raises:
        InputError: for a setting that there is not, or a value that is none.
    """
    known = {setting.name: setting for setting in space.settings}
    for name in given:
        if name not in known:
            names = ", ".join(known) or "none"
            raise InputError(f"{space.name} has no option {name[:40]!r} here; it has: {names}")
    settings = {name: s.default for name, s in known.items() if s.default is not None}
    for name, value in given.items():
        low, high = known[name].least, known[name].most
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
            raise InputError(f"option {name}: expected a whole number {low} to {high}")
        settings[name] = int(text)
    return settings
