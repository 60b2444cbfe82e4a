"""The puzzles: found by themselves, one folder each, and through entry points."""

import re
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

_ALIASES = {
    "easyasabc": "abc abcplace abcendview endview",
    "heyawake": "heyawacky",
    "hitori": "hitorinishitekure singles",
    "kurodoko": "kuromasu kuromasuwadokoda range",
    "nonogram": "nonograms crucipixel griddler griddlers hanjie japanesecrossword oekaki "
    "oekakilogic paintbynumber paintbynumbers pattern picross",
    "numberlink": "arukone flow flowfree nanbarinku numlin",
    "sudoku": "nanpure numberplace solo",
}
"""Other names of our puzzles: those of players and of Simon Tatham's collection, and of books."""
_NAMES = {alias: name for name, aliases in _ALIASES.items() for alias in aliases.split()}


def puzzle_names() -> list[str]:
    """Names of all puzzles, without importing any: folders of this one, then entry points.

    Own names win; ``kinds`` is what puzzles share.
    """
    return list(_names())


@cache
def _names() -> tuple[str, ...]:
    names = [m.name for m in iter_modules(__path__) if m.ispkg and m.name != "kinds"]
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
        near = did_you_mean(_plain(name), [*known, *_NAMES], otherwise)
        raise InputError(f"unknown puzzle {name!r:.40}; {near}")
    return canonical


def known_name(name: str) -> str | None:
    """As ``puzzle_name``; None for what no puzzle is called."""
    known = puzzle_names()
    canonical = name if name in known else _NAMES.get(_plain(name), _plain(name))
    return canonical if canonical in known else None


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name[:60].lower())


@cache
def get_puzzle(name: str) -> type[Puzzle]:
    """The class of a puzzle by its name, such as ``nonogram``, or another name of it.

    Raises:
        InputError: naming the puzzles that there are.
    """
    name = puzzle_name(name)
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
