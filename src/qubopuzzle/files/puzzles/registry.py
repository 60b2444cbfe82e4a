"""The formats: modules of this folder that have a NAME, or FORMATS; found by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol, TypeVar, cast

from qubopuzzle.errors import InputError, at, did_you_mean
from qubopuzzle.files import puzzles as formats
from qubopuzzle.model import IntArray, Problem
from qubopuzzle.puzzles import Puzzle, get_puzzle, puzzle_names

L = TypeVar("L")


class Format(Protocol):
    """What a format's module has, or an object in the FORMATS of a module.

    ``PUZZLES`` are the names of the puzzles that it can hold; none means every puzzle. A
    format of addresses may also have ``solved_address(puzzle, answer)``, one that opens the
    board with an answer on it; None for a kind of puzzle of which it cannot.
    """

    NAME: str
    ABOUT: str
    PUZZLES: tuple[str, ...]

    def sniff(self, text: str) -> bool:
        """Whether the text looks like this format."""

    def read(self, text: str, puzzle: str | None = None) -> Sequence[Problem]:
        """Read all puzzles; ``puzzle`` keeps one kind and names a puzzle that names none."""

    def write(self, puzzles: Sequence[Any]) -> str:
        """One puzzle after the other; InputError for what the format cannot hold."""


def links(kind: type[L]) -> list[tuple[type[Puzzle], L]]:
    """Every puzzle's links of one kind, such as ``Link`` and ``Game``, and its class."""
    found = []
    for name in puzzle_names():
        with suppress(InputError):  # of another package, which does not load
            puzzle = get_puzzle(name)
            found += [(puzzle, link) for link in puzzle.links if isinstance(link, kind)]
    return found


@cache
def all_formats() -> Mapping[str, Format]:
    """Every format by its name."""
    modules = [
        import_module(f"{formats.__name__}.{found.name}")
        for found in iter_modules(formats.__path__)
    ]
    several = [known for module in modules for known in getattr(module, "FORMATS", ())]
    found = {f.NAME: f for f in (*modules, *several) if hasattr(f, "NAME")}
    return {name: cast("Format", found[name]) for name in sorted(found)}


def get_format(name: str) -> Format:
    """A format by its name; InputError naming those that there are."""
    known = all_formats()
    if name not in known:
        raise InputError(f"unknown format {name!r:.40}; {did_you_mean(name, known)}")
    return known[name]


def formats_for(puzzle: str) -> list[str]:
    """Names of the formats that can hold a kind of puzzle."""
    return [n for n, known in all_formats().items() if puzzle in known.PUZZLES or not known.PUZZLES]


def solved_address(puzzle: Problem, answer: IntArray) -> str:
    """An address that opens a puzzle in a player with an answer on the board.

    Raises:
        InputError: if there is none.
    """
    refused: InputError | None = None
    for known in all_formats().values():
        address_of = getattr(known, "solved_address", None)
        try:
            found = address_of(puzzle, answer) if address_of else None
        except InputError as error:
            refused = refused or error
            continue
        if found is not None:
            return str(found)
    raise refused or InputError(f"no player's address has a place for answers of {puzzle.name}")


def write_text(puzzles: Sequence[Problem], name: str) -> str:
    """Puzzles as a text in a named format.

    Raises:
        InputError: for an unknown format, and for puzzles that it cannot hold.
    """
    for number, puzzle in enumerate(puzzles, start=1):
        with at(puzzle.id or f"instance {number}"):
            check_format(name, puzzle.name)
    return get_format(name).write(puzzles)


def check_format(name: str, puzzle: str) -> None:
    """Raise InputError for an unknown format, and for one that cannot hold this kind of puzzle."""
    known = get_format(name)
    if known.PUZZLES and puzzle not in known.PUZZLES:
        others = ", ".join(formats_for(puzzle))
        raise InputError(f"format {name} holds no {puzzle}; these do: {others}")
