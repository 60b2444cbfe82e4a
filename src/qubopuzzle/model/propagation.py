"""Propagation: values that cannot be part of any solution are removed, to a fixed point.

Bounds propagation on linear rows and precedences, unit propagation as its special
case (a choice with one value left is fixed). The solutions stay exactly the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.bounds import Segments, reachable
from qubopuzzle.model.data import (
    Acyclic,
    Choice,
    Connected,
    Field,
    IntArray,
    Linear,
    Model,
    Precedence,
    Reading,
    label_of,
)
from qubopuzzle.model.order import Precedences

_HUGE = np.iinfo(np.int64).max // 4


@dataclass(frozen=True, slots=True, eq=False)
class Propagation:
    """What propagation found.

    ``model`` has only the open choices left; its field still paints the whole grid.
    ``contradiction`` names the constraint that proved that there is no solution, or is
    None. ``literals_before`` and ``literals_after`` count values, ``cells_decided`` the
    cells of the answer that are known, ``cells`` all of them, ``passes`` the rounds.

    ``kept`` (literals of ``model``,) says which literal of the whole model each is, and
    ``fixed`` (literals of the whole model,) is 1 for the values of choices that are gone.
    """

    model: Model
    contradiction: str | None
    literals_before: int
    literals_after: int
    cells: int
    cells_decided: int
    passes: int
    kept: IntArray
    fixed: IntArray

    def restore(self, x: IntArray) -> IntArray:
        """Literal values of the whole model from those of ``model``, shape (literals,) each."""
        whole = self.fixed.copy()
        whole[self.kept] = x
        return whole


class _Contradiction(Exception):
    pass


def propagate(model: Model) -> Propagation:
    """Remove values to a fixed point and return the model that is left.

    Source: bounds consistency of linear constraints, e.g. Schulte and Stuckey,
    "When do bounds and domain propagation lead to the same search space?" (2005),
    with each choice's values as one group.
    """
    alive = np.ones(model.n_literals, dtype=bool)
    segments = [Segments.of(model, block.matrix) for block in model.linear]
    value = Precedences.of(model).number
    passes, contradiction = 0, None
    try:
        while True:
            before = int(alive.sum())
            passes += 1
            for block, cut in zip(model.linear, segments, strict=True):
                _linear(model, block, cut, alive)
            for precedence in model.precedence:
                _precedence(model, precedence, value, alive)
            if int(alive.sum()) == before:
                break
    except _Contradiction as found:
        contradiction = str(found)
    if contradiction is not None:  # the model is left as it is
        reduced, kept, fixed = model, np.ones_like(alive), np.zeros(model.n_literals, np.int64)
    else:
        reduced, kept, fixed = _reduce(model, alive)
    cells, decided = _decided(reduced)
    return Propagation(
        model=reduced,
        contradiction=contradiction,
        literals_before=model.n_literals,
        literals_after=reduced.n_literals,
        cells=cells,
        cells_decided=decided,
        passes=passes,
        kept=np.flatnonzero(kept),
        fixed=fixed,
    )


def _alive_sizes(model: Model, alive: NDArray[np.bool_]) -> IntArray:
    if not len(model.choices):
        return np.zeros(0, dtype=np.int64)
    return np.add.reduceat(alive.astype(np.int64), model.first_literal[:-1])


def _check_open(model: Model, alive: NDArray[np.bool_], why: str) -> None:
    if len(model.choices) and _alive_sizes(model, alive).min() == 0:
        raise _Contradiction(why)


def _linear(model: Model, block: Linear, cut: Segments, alive: NDArray[np.bool_]) -> None:
    low, high, has_zero = cut.extremes(alive, _alive_sizes(model, alive))
    row_low, row_high = cut.total(low), cut.total(high)
    impossible = (row_low > block.upper) | (row_high < block.lower)
    if impossible.any():
        raise _Contradiction(block.labels(int(np.argmax(impossible))))
    # What a segment may contribute once the rest of its row is at its best.
    room_high = block.upper[cut.row] - row_low[cut.row] + low
    room_low = block.lower[cut.row] - row_high[cut.row] + high
    entry_high, entry_low = room_high[cut.of_entry], room_low[cut.of_entry]
    alive[cut.literal[(cut.data > entry_high) | (cut.data < entry_low)]] = False
    for segment in np.flatnonzero(has_zero & ((room_high < 0) | (room_low > 0))).tolist():
        # Values outside the segment contribute 0, which the row cannot take.
        start, stop = model.first_literal[cut.choice[segment] : cut.choice[segment] + 2].tolist()
        outside = np.ones(stop - start, dtype=bool)
        inside = slice(cut.start[segment], np.append(cut.start, len(cut.literal))[segment + 1])
        outside[cut.literal[inside] - start] = False
        alive[start:stop][outside] = False
    _check_open(model, alive, block.family)


def _precedence(model: Model, block: Precedence, value: IntArray, alive: NDArray[np.bool_]) -> None:
    owner = model.choice_of_literal
    while len(block.first):
        before = int(alive.sum())
        starts = model.first_literal[:-1]
        least = np.minimum.reduceat(np.where(alive, value, _HUGE), starts)
        greatest = np.maximum.reduceat(np.where(alive, value, -_HUGE), starts)
        impossible = least[block.first] + block.gap > greatest[block.second]
        if impossible.any():
            i = int(np.argmax(impossible))
            names = [model.choices[c].name for c in (block.first[i], block.second[i])]
            raise _Contradiction(f"{block.family} of {names[0]} and {names[1]}")
        ceiling = np.full(len(starts), _HUGE)
        np.minimum.at(ceiling, block.first, greatest[block.second] - block.gap)
        floor = np.full(len(starts), -_HUGE)
        np.maximum.at(floor, block.second, least[block.first] + block.gap)
        alive &= (value <= ceiling[owner]) & (value >= floor[owner])
        if int(alive.sum()) == before:
            return
        _check_open(model, alive, block.family)


def _reduce(model: Model, alive: NDArray[np.bool_]) -> tuple[Model, NDArray[np.bool_], IntArray]:
    """The model over the choices that still have more than one value.

    Also which literals it keeps, and 1 for those of other choices that are true, (literals,).
    """
    open_choice = _alive_sizes(model, alive) > 1
    for graph in model.graphs:  # nodes and edges stay, decided or not
        open_choice[model.choice_of_literal[graph.literals]] = True
    kept_literal = alive & open_choice[model.choice_of_literal]
    fixed = (alive & ~kept_literal).astype(np.int64)
    kept = np.flatnonzero(open_choice).tolist()
    choices = tuple(_shrink(model, c, alive) for c in kept)
    sizes = [len(choice.values) for choice in choices]
    first_literal = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    bare = replace(model, choices=choices, first_literal=first_literal)
    reduced = replace(
        bare,
        linear=tuple(_shrink_linear(bare, block, kept_literal, fixed) for block in model.linear),
        precedence=tuple(
            _shrink_precedence(bare, block, open_choice) for block in model.precedence
        ),
        connected=tuple(_shrink_connected(block, kept_literal) for block in model.connected),
        acyclic=tuple(_shrink_acyclic(block, kept_literal) for block in model.acyclic),
        field=_shrink_field(model.field, kept_literal, fixed, kept),
    )
    return reduced, kept_literal, fixed


def _shrink(model: Model, choice: int, alive: NDArray[np.bool_]) -> Choice:
    old = model.choices[choice]
    start = int(model.first_literal[choice])
    values = tuple(v for i, v in enumerate(old.values) if alive[start + i])
    return Choice(old.name, values, old.family, old.is_bit)


def _shrink_linear(model: Model, block: Linear, kept: NDArray[np.bool_], fixed: IntArray) -> Linear:
    constant = block.matrix @ fixed
    matrix = block.matrix[:, kept]
    low, high = reachable(model, matrix)
    lower, upper = block.lower - constant, block.upper - constant
    rows = np.flatnonzero((low < lower) | (high > upper))
    labels = partial(label_of, block.labels, rows)
    return Linear(block.family, matrix[rows], lower[rows], upper[rows], labels)


def _shrink_precedence(
    model: Model, block: Precedence, open_choice: NDArray[np.bool_]
) -> Precedence:
    number = np.cumsum(open_choice) - 1
    both = open_choice[block.first] & open_choice[block.second]
    first, second, gap = number[block.first[both]], number[block.second[both]], block.gap[both]
    last = np.array([model.numbers(c)[-1] for c in first.tolist()], dtype=np.int64)
    least = np.array([model.numbers(c)[0] for c in second.tolist()], dtype=np.int64)
    needed = last + gap > least
    return Precedence(block.family, first[needed], second[needed], gap[needed])


def _shrink_connected(block: Connected, kept: NDArray[np.bool_]) -> Connected:
    """Without the nodes whose literals cannot be true."""
    there = kept[block.literals]
    node, literal = np.cumsum(there) - 1, np.cumsum(kept) - 1
    edges = block.edges[there[block.edges].all(axis=1)]
    return Connected(block.family, literal[block.literals[there]], node[edges])


def _shrink_acyclic(block: Acyclic, kept: NDArray[np.bool_]) -> Acyclic:
    """Without the edges whose literals cannot be true."""
    there = kept[block.literals]
    literal = np.cumsum(kept) - 1
    return Acyclic(block.family, literal[block.literals[there]], block.edges[there])


def _shrink_field(
    field: Field | None, kept: NDArray[np.bool_], fixed: IntArray, kept_choices: list[int]
) -> Field | None:
    if field is None:
        return None
    readings = tuple(
        Reading(r.name, r.base + r.matrix @ fixed, r.matrix[:, kept]) for r in field.readings
    )
    write = partial(_write_kept, field, kept_choices)
    return Field(field.shape, field.low, field.high, readings, write)


def _write_kept(field: Field, kept: list[int], answer: IntArray) -> Sequence[Hashable]:
    values = field.write(answer)
    return [values[c] for c in kept]


def _decided(model: Model) -> tuple[int, int]:
    """Number of cells, and of cells that every assignment paints the same."""
    if model.field is None:
        return 0, 0
    known = np.zeros(int(np.prod(model.field.shape)), dtype=bool)
    for reading in model.field.readings:
        low, high = reachable(model, reading.matrix)
        known |= low == high
    return len(known), int(known.sum())
