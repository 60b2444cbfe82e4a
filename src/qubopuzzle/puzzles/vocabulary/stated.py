"""Rules and clues as statements, any of which can be left out of a model."""

import re
from functools import partial
from typing import Any

import numpy as np

from qubopuzzle.model import IntArray, Model
from qubopuzzle.model.statements import StatedModel, Statement, labels
from qubopuzzle.puzzles.vocabulary.cells import OF_RULE, Cells
from qubopuzzle.puzzles.vocabulary.clues import Clues
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell, cells_of
from qubopuzzle.puzzles.vocabulary.rules import At, Rule

_SIDES = {"top": "above column", "bottom": "below column", "left": "left of row"}
_SIDES |= {"right": "right of row", "rows": "of row", "columns": "of column"}


def stated_model(puzzle: Any, cells: Cells) -> StatedModel:
    """The statements of a model that was made with ``switched``.

    A clue holds where its switch is on. Rows that have labels of their own are a statement each,
    all others of a rule are one, the rule.
    """
    model = cells.build()
    statements: dict[tuple[int, At], Statement] = {}
    of_tag: dict[tuple[str, int], list[Rule]] = {}
    for rule, tags in cells.rules:
        for tag in [*tags, *(tag for tag in getattr(rule, "tags", None) or () if tag not in tags)]:
            of_tag.setdefault(tag, []).append(rule)
    for tag, literal in cells.switches.items():
        statements[-1, tag] = _of_clue(puzzle, tag, of_tag.get(tag, []), literal)
    owner = []
    for number, at in _places(model, cells):
        if number < 0:
            owner.append(-1)
            continue
        if (number, at) not in statements:
            statements[number, at] = _of_rule(puzzle, cells.rules[number][0], at)
        owner.append([*statements].index((number, at)))
    each = tuple(statements.values())
    return StatedModel(
        model, each, np.array(owner, dtype=np.int64), cells.literals, np.array(cells.values)
    )


def _places(model: Model, cells: Cells) -> list[tuple[int, At]]:
    """The rule of each constraint, and its label there; -1 for what always holds."""
    places: list[tuple[int, At]] = []
    families = [rule.family for rule, _ in cells.rules]
    for family, label in labels(model):
        number, is_of_rule, rest = label.partition(OF_RULE)
        if is_of_rule and number.isdigit():
            plain = re.fullmatch(re.escape(family) + r"\[[0-9,]*\]", rest)
            places.append((int(number), None if plain else rest))
        else:
            places.append((families.index(family) if family in families else -1, None))
    return places


def _of_clue(puzzle: Any, tag: tuple[str, int], rules: list[Rule], literal: int) -> Statement:
    def words(grid: IntArray, known: BoolArray) -> str:
        said = [rule.asks(tag, grid, known) for rule in rules]
        return "; ".join(dict.fromkeys(said)) or name

    name, family = puzzle.clue_name(*tag), rules[0].family if rules else tag[0]
    around = [rule.about(tag) for rule in rules]
    cells = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *around]))
    return Statement(family, name, _cells(puzzle, cells), True, literal, words)


def _of_rule(puzzle: Any, rule: Rule, at: At) -> Statement:
    cells = _cells(puzzle, rule.about(at))
    name = at if isinstance(at, str) else rule.says
    return Statement(rule.family, name, cells, words=partial(rule.asks, at))


def _cells(puzzle: Any, numbers: IntArray) -> tuple[Cell, ...]:
    return tuple(cells_of(numbers, puzzle.shape[1]))


def name_of_clue(clues: Clues, name: str, value: Any, place: int) -> str:
    """Such as "the 2 in row 3, column 4"; rows and columns are counted from 1."""
    if isinstance(value, np.ndarray) and value.ndim == 2:
        number = int(value.flat[place])
        sign = clues.words.get(number, str(clues.sign(number)))
        r, c = divmod(place, value.shape[1])
        return f"the {sign} in row {r + 1}, column {c + 1}"
    if name in _SIDES:
        sign = str(clues.sign(int(value[place])))
        return f"the {sign} {_SIDES[name]} {place + 1}"
    return f"{name} {place + 1}"
