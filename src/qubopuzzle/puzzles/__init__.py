"""The puzzles: found by themselves, one file each, and through entry points."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from inspect import isclass
from pkgutil import iter_modules

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles.base import Puzzle, Violation

__all__ = ["Puzzle", "Violation", "get_puzzle", "puzzle_names"]

ENTRY_POINTS = "qubopuzzle.puzzles"


def puzzle_names() -> list[str]:
    """Names of all puzzles, without importing any: files of this folder, then entry points."""
    own = [m.name for m in iter_modules(__path__) if m.name != "base"]
    return list(dict.fromkeys([*own, *(e.name for e in entry_points(group=ENTRY_POINTS))]))


def get_puzzle(name: str) -> type[Puzzle]:
    """The class of a puzzle by its name, such as ``nonogram``.

    Raises:
        InputError: naming the puzzles that there are.

    """
    if name not in puzzle_names():
        raise InputError(f"unknown puzzle {name!r}; this package knows {', '.join(puzzle_names())}")
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        found = entry.load()
        if not (isclass(found) and issubclass(found, Puzzle)):
            raise InputError(f"entry point {entry.value} of puzzle {name!r} is no Puzzle class")
        return found
    module = import_module(f"{__name__}.{name}")
    return next(
        value
        for value in vars(module).values()
        if isclass(value) and issubclass(value, Puzzle) and value.__module__ == module.__name__
    )
