"""Easy as ABC as models: cells as choices of a letter, and two ways to say a clue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError
from qubopuzzle.model import Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.easyasabc.rules import EasyAsABC
from qubopuzzle.puzzles.kinds.grids import letter_of


def _clues(puzzle: EasyAsABC) -> Iterator[tuple[str, int, IntArray]]:
    """Each clue's name, its letter, and the cells seen from it, (size,), as row * size + column."""
    cells = np.arange(puzzle.size**2).reshape(puzzle.shape)
    views = {"top": cells.T, "bottom": cells.T[:, ::-1], "left": cells, "right": cells[:, ::-1]}
    for side, lines in views.items():
        for i, letter in enumerate(getattr(puzzle, side)):
            if letter:
                yield f"{side}[{i}]", letter, lines[i]


Term = tuple[int, int]
"""A literal and its coefficient."""


class _Board:
    """The choices of the cells, and rows over them with givens taken to the bounds."""

    def __init__(self, puzzle: EasyAsABC) -> None:
        self.builder = ModelBuilder()
        self.n, self.values = puzzle.size, range(puzzle.letters + 1)
        self.given = np.array(puzzle.grid).ravel()
        self.allowed = _allowed(puzzle, self.given)
        self._literal: dict[tuple[int, int], int] = {}
        self._rows: dict[str, list[tuple[str, list[Term], int, int]]] = {}
        for cell in np.flatnonzero(self.given == 0).tolist():
            values = np.flatnonzero(self.allowed[cell]).tolist()
            name = f"cell[{cell // self.n},{cell % self.n}]"
            literals = self.builder.choice(name, values, family="cell").literals
            self._literal |= {(cell, v): i for v, i in zip(values, literals, strict=True)}

    def terms(self, cells: Iterable[int], values: Iterable[int]) -> tuple[list[Term], int]:
        """The sum of ``x_{c,v}`` over cells and values: its terms, and what givens add."""
        known = list(values)
        places = [(cell, v) for cell in cells for v in known]
        own = [(self._literal[place], 1) for place in places if place in self._literal]
        return own, sum(v == self.given[cell] for cell, v in places if self.given[cell])

    def places(self, cells: Sequence[int], letter: int) -> list[int]:
        """Where in a line a clue may see its letter; the last place if nowhere."""
        last = self.n - self.values[-1]
        end = next((t for t in range(last) if self.given[cells[t]]), last)
        return [t for t in range(end + 1) if any(self.terms([cells[t]], [letter]))] or [end]

    def add(self, family: str, label: str, sums: tuple[list[Term], int], low: int, up: int) -> None:
        """Keep the row ``low <= terms + constant <= up``, unless it holds without terms."""
        terms, constant = sums
        if terms or not low <= constant <= up:
            self._rows.setdefault(family, []).append((label, terms, low - constant, up - constant))

    def build(self, write: Callable[[IntArray], list[int]]) -> Model:
        """The model of all rows, family by family."""
        for family, rows in self._rows.items():
            labels, sums, lower, upper = zip(*rows, strict=True)
            row = np.repeat(np.arange(len(rows)), [len(terms) for terms in sums])
            literal, coefficient = _columns(chain.from_iterable(sums))
            self.builder.linear(
                family,
                row,
                literal,
                coefficient,
                lower=lower,
                upper=upper,
                shape=(len(rows),),
                labels=labels.__getitem__,
            )
        cells, values = _columns(self._literal)
        literal = list(self._literal.values())
        reading = self.builder.reading(
            "cells", cells, literal, values, base=self.given, n_cells=self.n**2
        )
        shape = self.n, self.n
        return self.builder.build(Field(shape, 0, self.values[-1], (reading,), write))


def _columns(pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Pairs as an array of shape (2, pairs)."""
    return np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T


def _allowed(puzzle: EasyAsABC, given: IntArray) -> NDArray[np.bool_]:
    """What a given or a single clue leaves to each cell, (cells, values); all if nothing."""
    n, m = puzzle.size, puzzle.letters
    allowed = np.ones((n * n, m + 1), dtype=bool)
    allowed[:, 0] = m < n
    for cell in np.flatnonzero(given).tolist():
        r, c = divmod(cell, n)
        allowed.reshape(n, n, -1)[r, :, given[cell]] = False
        allowed.reshape(n, n, -1)[:, c, given[cell]] = False
    for _, letter, line in _clues(puzzle):
        allowed[line[0], [v for v in range(1, m + 1) if v != letter]] = False
        allowed[line[n - m + 1 :], letter] = False
    allowed[~allowed.any(axis=1)] = True  # each value breaks a row: see above
    return allowed


def _board(puzzle: EasyAsABC) -> _Board:
    """The cells, and each letter once in every line."""
    board = _Board(puzzle)
    cells = np.arange(puzzle.size**2).reshape(puzzle.shape)
    for family, lines in (("row", cells), ("column", cells.T)):
        for i, line in enumerate(lines.tolist()):
            for v in board.values[1:]:
                board.add(family, f"{family}[{i}] {letter_of(v)}", board.terms(line, [v]), 1, 1)
    return board


def _by_forbidding(puzzle: EasyAsABC) -> Model:
    board = _board(puzzle)
    for clue, letter, line in _clues(puzzle):
        cells = line.tolist()
        for t in range(puzzle.size):
            others = board.terms([cells[t]], [v for v in board.values[1:] if v != letter])
            later = board.terms(cells[t:], [letter])
            if any(others) and any(board.terms(cells[t + 1 :], [letter])):
                sums = others[0] + later[0], others[1] + later[1]
                board.add("seen", f"{clue} cell {t}", sums, 0, 1)
    return board.build(partial(_write, board))


def _by_positions(puzzle: EasyAsABC) -> Model:
    board = _board(puzzle)
    places: list[tuple[IntArray, list[int]]] = []
    for clue, letter, line in _clues(puzzle):
        cells = line.tolist()
        place = board.places(cells, letter)
        first = board.builder.choice(clue, place, family="clue").literals
        here = list(zip(place, first, strict=True))
        for t in range(place[-1] + 1):
            for family, value, own in (
                ("seen", letter, [(p, -1) for at, p in here if at == t]),
                ("blank", 0, [(p, -1) for at, p in here if at > t]),
            ):
                if own:
                    terms, fixed = board.terms([cells[t]], [value])
                    board.add(family, f"{clue} cell {t}", (terms + own, fixed), 0, 1)
        places.append((line, place))
    return board.build(partial(_write, board, places=places))


def _write(
    board: _Board, answer: IntArray, places: Sequence[tuple[IntArray, list[int]]] = ()
) -> list[int]:
    """The values of the cells that are not given, then what each clue sees first."""
    values, given = np.asarray(answer).ravel(), board.given
    there = np.where(given > 0, values == given, board.allowed[range(len(values)), values])
    if not there.all():
        cell = int(np.argmin(there))
        where = "row[{}] column[{}]".format(*divmod(cell, board.n))
        raise InputError(f"{where} is {letter_of(values[cell])}, which a given or a clue excludes")
    seen = [int(np.argmax(values[line] > 0)) for line, _ in places]
    if any(first not in place for first, (_, place) in zip(seen, places, strict=True)):
        raise InputError("a clue sees its letter where it cannot stand")
    return [*values[given == 0].tolist(), *seen]


FORMULATIONS = {"forbidden": _by_forbidding, "positions": _by_positions}
