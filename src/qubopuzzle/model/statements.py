"""A model whose constraints belong to statements: what can be left out of a problem as a whole."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.cuts import cuts_of
from qubopuzzle.model.data import IntArray, Model


class Words(Protocol):
    """What is asked for, in a sentence."""

    def __call__(self, grid: IntArray, known: NDArray[np.bool_], cell: int | None = None, /) -> str:
        """The sentence.

        Args:
            grid: values, (rows, columns); any where they are not ``known``.
            known: where they are, (rows, columns).
            cell: the row-major number of one that is not known, but follows: ``grid`` has its
                value, and the sentence says why, if it can.
        """


class Fits(Protocol):
    """What of it is left, in a sentence, where cells can only have some values."""

    def __call__(self, can: Sequence[Collection[int]], cell: int, left: Collection[int], /) -> str:
        """The sentence; nothing if there is none.

        Args:
            can: the values of each cell.
            cell: of which something follows, by row-major number; -1 for none.
            left: the values that it keeps.
        """


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A clue, a rule at one place or a rule as a whole; of a model a row, or what has its label.

    Attributes:
        family: of its constraints.
        name: what it is called, such as "row 3", with rows and columns counted from 1.
        cells: that it is about, (row, column) from 0; none where that is the whole grid.
        is_clue: whether it belongs to the instance, not to the rules.
        literal: of the model, that puts it in force; None where its constraints do.
        words: what it asks for where some of the grid is known; None: its name says all.
        fits: what of it is left where cells can only have some values; None: no words for it.
        value: the one that has to stand in one of its cells, where that is what it says.
    """

    family: str
    name: str
    cells: tuple[tuple[int, ...], ...] = ()
    is_clue: bool = False
    literal: int | None = None
    words: Words | None = None
    fits: Fits | None = None
    value: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StatedModel:
    """A model and the statement that each of its constraints belongs to.

    ``owner`` (constraints,) is the number of a statement, or -1 for what always holds: of linear
    rows, of all blocks in their order, then of precedences, then of graphs. Choices always hold.

    ``literals`` (cells, values) say which cell of the grid has which of the ``values`` (values,);
    ``TRUE`` and ``FALSE`` where that is known. None for a model without a grid. ``places``
    (choices,) are the cells that choices are about, -1 for none; ``notes`` what literals of others
    than those of the grid say of their cell, such as "on the path of the 3s".
    """

    model: Model
    statements: tuple[Statement, ...]
    owner: IntArray
    literals: IntArray | None = None
    values: IntArray | None = None
    places: IntArray | None = None
    notes: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def whole(cls, model: Model, literals: IntArray) -> StatedModel:
        """Of no statement: nothing can be left out. Without ``values``, ``literals`` are any."""
        n_rows = int(model.row_ends[-1]) if len(model.row_ends) else 0
        n_precedences = sum(len(block.first) for block in model.precedence)
        n = n_rows + n_precedences + len(model.graphs)
        return cls(model, (), np.full(n, -1, dtype=np.int64), literals)

    @classmethod
    def by_label(cls, model: Model) -> StatedModel:
        """Each label is a statement, each precedence and each graph."""
        numbers: dict[tuple[str, str], int] = {}
        keys = [*labels(model)]
        owner = [numbers.setdefault(key, len(numbers)) for key in keys]
        statements = tuple(Statement(family, label) for family, label in numbers)
        return cls(model, statements, np.array(owner, dtype=np.int64))

    def broken(self, x: IntArray) -> set[int]:
        """Numbers of the statements that an assignment breaks, or does not put in force.

        Args:
            x: 0/1 literal values, shape (literals,), one value a choice.
        """
        model = self.model
        parts = [block.cost(x) > 0 for block in model.linear]
        for block in model.precedence:
            numbers = model.number_of_literal[np.flatnonzero(x)]
            parts.append(numbers[block.second] < numbers[block.first] + block.gap)
        parts.append(np.array([bool(cuts_of(graph, x)) for graph in model.graphs], dtype=bool))
        off = {
            number
            for number, each in enumerate(self.statements)
            if each.literal is not None and not x[each.literal]
        }
        return {*self.owner[np.concatenate(parts)].tolist()} - {-1} | off


def labels(model: Model) -> Iterator[tuple[str, str]]:
    """Family and label of each constraint, in the order of ``StatedModel.owner``."""
    for block in model.linear:
        for row in range(len(block.lower)):
            yield block.family, block.labels(row)
    for precedence in model.precedence:
        for first, second in zip(
            precedence.first.tolist(), precedence.second.tolist(), strict=True
        ):
            names = model.choices[first].name, model.choices[second].name
            yield precedence.family, f"{names[0]} before {names[1]}"
    for number, graph in enumerate(model.graphs):
        several = f"[{number}]" * (len(model.graphs) > 1)
        yield graph.family, f"{graph.family}{several}"
