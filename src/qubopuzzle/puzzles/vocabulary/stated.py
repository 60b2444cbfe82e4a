"""Rules and clues as statements, any of which can be left out of a model."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from qubopuzzle.base.places import cell_names, from_one
from qubopuzzle.model import TRUE, IntArray
from qubopuzzle.model.statements import StatedModel, Statement, labels
from qubopuzzle.puzzles.vocabulary.cells import Cells, statement_of
from qubopuzzle.puzzles.vocabulary.clues import Clues
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, cells_of
from qubopuzzle.puzzles.vocabulary.rules import Rule

_SIDES = {"top": "above column", "bottom": "below column", "left": "left of row"}
_SIDES |= {"right": "right of row", "rows": "of row", "cols": "of column"}
_CHOICE = re.compile(r"\[(\d+),(\d+)\]$")
"""The cell in the name of a choice."""
_CELL = r"\(\d+,\d+\)"
_CELLS = re.compile(rf"{_CELL}(?:(?:, | and | or ){_CELL})*")
_AREA = re.compile(r"\b(?:(room|region|box)|(disjoint))(?: \d+|\[\d+\])")
"""What has a number in messages, and none on a board."""
_BETWEEN = ("difference", "ratio")
_OPEN = -(10**6)
"""No value: of a cell that clues or rules decide."""


def stated_model(puzzle: Any, cells: Cells) -> StatedModel:
    """The statements of a model whose rows know theirs, of cells that are ``stated``.

    A clue holds where its rows do, and its switch is on, if it has one.
    """
    model, values = cells.build(), np.array(cells.values)
    owner = np.array([statement_of(label) for _, label in labels(model)], dtype=np.int64)
    stating = [_Place(puzzle, rules) for _, rules in cells.statements.values()]
    is_clue = np.array([place.is_clue for place in stating], dtype=bool)
    # Clues come first; a rule of which no row says anything is none.
    of_rules = np.flatnonzero(~is_clue & np.isin(np.arange(len(stating)), owner))
    order = np.append(np.flatnonzero(is_clue), of_rules)
    number = np.full(len(stating) + 1, -1)
    number[order] = np.arange(len(order))
    is_board = cells.literals == TRUE
    board = np.where(is_board.any(axis=1), values[is_board.argmax(axis=1)], _OPEN)
    used = [stating[i] for i in order]
    statements = [
        Statement(
            place.first[0].family,
            name,
            tuple(cells_of(place.cells, puzzle.shape[1])),
            place.is_clue,
            cells.switches.get(place.first[1]),
            partial(_words, place, name, board.reshape(puzzle.shape)),
            partial(_fits, place, name),
            place.first[0].value_at(place.first[1]),
        )
        for place, name in zip(used, _distinct(place.name for place in used), strict=True)
    ]
    named = [_CHOICE.search(choice.name) for choice in model.choices]
    columns = puzzle.shape[1]
    places = np.array([int(at[1]) * columns + int(at[2]) if at else -1 for at in named], dtype=int)
    return StatedModel(
        model, (*statements,), number[owner], cells.literals, values, places, cells.notes
    )


@dataclass(frozen=True)
class _Place:
    """What some rules state, each at a place of its own, of which the first has a name."""

    puzzle: Any
    rules: Mapping[Rule, Any]

    @property
    def first(self) -> tuple[Rule, Any]:
        """The first of the rules, and its place."""
        return next(iter(self.rules.items()))

    @property
    def is_clue(self) -> bool:
        """Whether it is a clue."""
        return isinstance(self.first[1], tuple)

    @cached_property
    def cells(self) -> IntArray:
        """What it is about, by row-major number, and where the clue stands."""
        about = [rule.about(at) for rule, at in self.rules.items()]
        field, place = self.first[1] if self.is_clue else ("", 0)
        if getattr(getattr(self.puzzle, field, None), "shape", None) == self.puzzle.shape:
            about.append(np.array([place]))
        return np.unique(np.concatenate(about))

    @property
    def name(self) -> str:
        """What it is called."""
        rule, at = self.first
        if name := rule.name_at(at):
            return self.as_players(name)
        return str(self.puzzle.clue_name(*at)) if self.is_clue else f"the rule {rule.family}"

    def as_players(self, text: str) -> str:
        """Rows and columns from 1 on; its area by the first cell."""
        if len(self.cells):
            first = "({},{})".format(*divmod(int(self.cells[0]), self.puzzle.shape[1]))
            text = re.sub(r"\bdiagonal\[\d+\]", f"the diagonal from {first}", text)
            text = _AREA.sub(lambda area: f"the {area[1] or 'disjoint group'} of {first}", text)
        return _CELLS.sub(_named, from_one(text))


def _words(
    place: _Place,
    name: str,
    board: IntArray,
    grid: IntArray,
    known: BoolArray,
    cell: int | None = None,
) -> str:
    """A sentence of each rule, where some of the grid is known, and all that the board says."""
    grid, known = np.where(board == _OPEN, grid, board), known | (board != _OPEN)
    asked = dict.fromkeys(rule.asks(at, grid, known) for rule, at in place.rules.items())
    sentence = "; ".join(asked) or "{}"
    whys = (rule.why(at, grid, known, cell) for rule, at in place.rules.items())
    sentence += next((f": {why}" for why in whys if why), "")
    return place.as_players(sentence).replace("{}", name)


def _fits(
    place: _Place, name: str, can: Sequence[Collection[int]], cell: int, left: Collection[int]
) -> str:
    """What a rule says of a cell where others can only have some values."""
    grid = np.empty(len(can), dtype=object)
    for number, values in enumerate(can):
        grid[number] = values
    grid = grid.reshape(place.puzzle.shape)
    every = (rule.fits(at, grid, cell, left) for rule, at in place.rules.items())
    return place.as_players(next(filter(None, every), "")).replace("{}", name)


def _named(cells: re.Match[str]) -> str:
    """Cells that are counted from 1."""
    places = [(int(r) - 1, int(c) - 1) for r, c in re.findall(r"(\d+),(\d+)", cells[0])]
    return cell_names(places, "or" if " or " in cells[0] else "and")


def _distinct(names: Iterable[str]) -> list[str]:
    """Those that come again with a number."""
    times, distinct = Counter[str](), []
    for name in names:
        times[name] += 1
        distinct.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return distinct


def name_of_clue(puzzle: Any, clues: Clues, name: str, place: int) -> str:
    """Such as "the 2 in row 3, column 4"; rows and columns are counted from 1."""
    value = getattr(puzzle, name)
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return f"the {clues.drawn(int(value[place]))} {_SIDES[name]} {place + 1}"
    if isinstance(value, np.ndarray):
        sign, (r, c) = clues.drawn(int(value.flat[place])), divmod(place, value.shape[1])
        if value.shape == puzzle.shape:
            return f"the {sign} in {_at(r, c)}"
        down, right = np.subtract(puzzle.shape, value.shape)
        return f"the {sign} between {_at(r, c)} and {_at(r + down, c + right)}"
    cells = [cell for number, cell in clues.cells(value) if number == place]
    if not cells:  # of a room
        return f"the {value[place]} of the room of {_at(*np.argwhere(puzzle.rooms == place)[0])}"
    if len(cells) == 1:
        return f"the {name} cell in {_at(*cells[0])}"
    first, last, kind = _at(*cells[0]), _at(*cells[-1]), name.removesuffix("s")
    if kind in _BETWEEN:
        return f"the {kind} between {first} and {last}"
    return f"the {kind} from {first} to {last}"


def _at(row: int, column: int) -> str:
    return f"row {row + 1}, column {column + 1}"
