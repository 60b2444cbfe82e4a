"""The puzzles: found by themselves, a file or a folder each, and through entry points."""

import re
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from inspect import isclass
from pkgutil import iter_modules

from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.puzzles.base import Puzzle, Violation

__all__ = ["Puzzle", "Violation", "get_puzzle", "puzzle_name", "puzzle_names"]

ENTRY_POINTS = "qubopuzzle.puzzles"

_SHARED = {"base", "generator", "generators", "lines", "links", "penpa", "vocabulary"}
"""Modules of this package that are no puzzles."""


def puzzle_names() -> list[str]:
    """Names of all puzzles, without importing any: modules of this one, then entry points.

    Own names win.
    """
    return list(_names())


@cache
def _names() -> tuple[str, ...]:
    names = [m.name for m in iter_modules(__path__) if m.name not in _SHARED]
    return tuple(dict.fromkeys([*names, *(e.name for e in entry_points(group=ENTRY_POINTS))]))


def puzzle_name(name: str) -> str:
    """The name of a puzzle that may have another one, in small letters or not.

    >>> puzzle_name("Kuromasu"), puzzle_name("paint-by-numbers"), puzzle_name("sudoku")
    ('kurodoko', 'nonogram', 'sudoku')

    Raises:
        InputError: naming the puzzles that there are.
    """
    canonical = known_name(name)
    if canonical is None:
        known = puzzle_names()
        otherwise = f"this package knows {', '.join(known)}"
        near = did_you_mean(_plain(name), [*known, *_aliases()], otherwise)
        raise InputError(f"unknown puzzle {name!r:.40}; {near}")
    return canonical


def known_name(name: str) -> str | None:
    """As ``puzzle_name``; None for what no puzzle is called."""
    known = puzzle_names()
    for candidate in (name, _plain(name)):
        if candidate in known:
            return candidate
    return _aliases().get(_plain(name))


@cache
def _aliases() -> dict[str, str]:
    """The names of puzzles by their other ones, but of those that do not load."""
    names: dict[str, str] = {}
    for name in puzzle_names():
        with suppress(InputError):
            names |= dict.fromkeys(get_puzzle(name).aliases.split(), name)
    return names


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name[:60].lower())


@cache
def get_puzzle(name: str) -> type[Puzzle]:
    """The class of a puzzle by its name, such as ``nonogram``, or another name of it.

    Raises:
        InputError: naming the puzzles that there are.
    """
    name = name if name in puzzle_names() else puzzle_name(name)
    if find_spec(f"{__name__}.{name}") is not None:
        for value in vars(import_module(f"{__name__}.{name}")).values():
            if isclass(value) and issubclass(value, Puzzle) and getattr(value, "name", "") == name:
                return value
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        try:
            loaded = entry.load()
        except Exception as error:
            raise InputError(f"puzzle {name!r}: {entry.value} does not load: {error}") from error
        if isclass(loaded) and issubclass(loaded, Puzzle):
            return loaded
    raise InputError(f"puzzle {name!r}: its module or entry point has no Puzzle class")
