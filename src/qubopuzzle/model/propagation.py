"""Propagation: values that cannot be part of any solution are removed, to a fixed point.

Bounds propagation on linear rows and precedences, unit propagation as its special
case (a choice with one value left is fixed). The solutions stay exactly the same.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.data import (
    Choice,
    Field,
    GraphT,
    IntArray,
    IntMatrix,
    Linear,
    Model,
    Precedence,
    as_before,
    label_of,
)
from qubopuzzle.model.order import Precedences

_HUGE = np.iinfo(np.int64).max // 4


@dataclass(frozen=True, slots=True, eq=False)
class Propagation:
    """What propagation found, or ``Propagation.none`` of a model that is left as it is.

    ``model`` is ``whole`` with only the unfixed choices left; its field paints the whole grid.
    ``contradiction`` names the constraint that proved that there is no solution, or is
    None. ``cells_decided`` counts the cells of the answer that are known, ``cells`` all of them,
    ``passes`` the rounds.

    ``kept`` (literals of ``model``,) says which literal of the whole model each is, and
    ``fixed`` (literals of the whole model,) is 1 for the values of choices that are gone.
    """

    whole: Model
    model: Model
    kept: IntArray
    fixed: IntArray
    contradiction: str | None = None
    cells: int = 0
    cells_decided: int = 0
    passes: int = 0

    @classmethod
    def none(cls, model: Model) -> Propagation:
        """Nothing is decided, and nothing was counted."""
        return cls(model, model, np.arange(model.n_literals), np.zeros(model.n_literals, np.int64))

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
    domain = np.ones(model.n_literals, dtype=bool)
    segments = [Segments(model, block.matrix) for block in model.linear]
    value = Precedences(model).number
    passes, before = 0, -1
    try:
        while int(domain.sum()) != before:
            before = int(domain.sum())
            passes += 1
            for block, cut in zip(model.linear, segments, strict=True):
                _linear(model, block, cut, domain)
            for precedence in model.precedence:
                _precedence(model, precedence, value, domain)
        found = _reduced(model, domain)
    except _Contradiction as why:
        found = replace(Propagation.none(model), contradiction=str(why))
    known = np.zeros(0 if model.field is None else math.prod(model.field.shape), dtype=bool)
    for view in found.model.field.views if found.model.field else ():
        low, high = reachable(found.model, view.matrix)
        known |= low == high
    return replace(found, cells=len(known), cells_decided=int(known.sum()), passes=passes)


def _domain_sizes(model: Model, domain: NDArray[np.bool_]) -> IntArray:
    return np.add.reduceat(domain.astype(np.int64), model.first_literal[:-1])


def _check_domains(model: Model, domain: NDArray[np.bool_], why: str) -> None:
    if _domain_sizes(model, domain).min(initial=1) == 0:
        raise _Contradiction(why)


def _linear(model: Model, block: Linear, cut: Segments, domain: NDArray[np.bool_]) -> None:
    low, high, has_zero = cut.extremes(domain, _domain_sizes(model, domain))
    row_low, row_high = cut.total(low), cut.total(high)
    impossible = (row_low > block.upper) | (row_high < block.lower)
    if impossible.any():
        raise _Contradiction(block.labels(int(np.argmax(impossible))))
    # What a segment may contribute once the rest of its row is at its best.
    room_high = block.upper[cut.row] - row_low[cut.row] + low
    room_low = block.lower[cut.row] - row_high[cut.row] + high
    entry_high, entry_low = room_high[cut.of_entry], room_low[cut.of_entry]
    domain[cut.literal[(cut.data > entry_high) | (cut.data < entry_low)]] = False
    # Values outside a segment contribute 0: where the row cannot take that, they go.
    needed = has_zero & ((room_high < 0) | (room_low > 0))
    of_choice = np.bincount(cut.choice[needed], minlength=len(model.choices))
    of_literal = np.bincount(cut.literal[needed[cut.of_entry]], minlength=len(domain))
    domain &= of_literal == of_choice[model.choice_of_literal]
    _check_domains(model, domain, block.family)


def _precedence(
    model: Model, block: Precedence, value: IntArray, domain: NDArray[np.bool_]
) -> None:
    owner = model.choice_of_literal
    while len(block.first):
        before = int(domain.sum())
        starts = model.first_literal[:-1]
        least = np.minimum.reduceat(np.where(domain, value, _HUGE), starts)
        greatest = np.maximum.reduceat(np.where(domain, value, -_HUGE), starts)
        impossible = least[block.first] + block.gap > greatest[block.second]
        if impossible.any():
            i = int(np.argmax(impossible))
            names = [model.choices[c].name for c in (block.first[i], block.second[i])]
            raise _Contradiction(f"{block.family} of {names[0]} and {names[1]}")
        ceiling = np.full(len(starts), _HUGE)
        np.minimum.at(ceiling, block.first, greatest[block.second] - block.gap)
        floor = np.full(len(starts), -_HUGE)
        np.maximum.at(floor, block.second, least[block.first] + block.gap)
        domain &= (value <= ceiling[owner]) & (value >= floor[owner])
        if int(domain.sum()) == before:
            return
        _check_domains(model, domain, block.family)


def _reduced(model: Model, domain: NDArray[np.bool_]) -> Propagation:
    """The model over the choices that still have more than one value."""
    is_open = _domain_sizes(model, domain) > 1
    for graph in model.graphs:  # nodes and edges stay, decided or not
        is_open[model.choice_of_literal[graph.literals]] = True
    kept = domain & is_open[model.choice_of_literal]
    fixed = (domain & ~kept).astype(np.int64)
    number, literal = np.cumsum(is_open) - 1, np.cumsum(kept) - 1
    choices = np.flatnonzero(is_open).tolist()
    bare = replace(
        model,
        choices=tuple(_choice_left(model, c, domain) for c in choices),
        first_literal=np.append(0, np.cumsum(_domain_sizes(model, domain)[is_open])),
    )
    reduced = replace(
        bare,
        linear=tuple(_linear_left(bare, block, kept, fixed) for block in model.linear),
        precedence=tuple(_precedence_left(bare, b, is_open, number) for b in model.precedence),
        connected=tuple(_graph_left(block, kept, literal) for block in model.connected),
        acyclic=tuple(_graph_left(block, kept, literal) for block in model.acyclic),
        field=model.field and _field_left(model.field, kept, fixed, choices),
    )
    return Propagation(model, reduced, np.flatnonzero(kept), fixed)


def _choice_left(model: Model, choice: int, domain: NDArray[np.bool_]) -> Choice:
    old, ends = model.choices[choice], model.first_literal[choice : choice + 2].tolist()
    values = tuple(compress(old.values, domain[slice(*ends)].tolist()))
    return Choice(old.name, values, old.family, old.is_bit)


def _linear_left(model: Model, block: Linear, kept: NDArray[np.bool_], fixed: IntArray) -> Linear:
    constant = block.matrix @ fixed
    matrix = block.matrix[:, kept]
    low, high = reachable(model, matrix)
    lower, upper = block.lower - constant, block.upper - constant
    rows = np.flatnonzero((low < lower) | (high > upper))
    labels = partial(label_of, block.labels, rows)
    return Linear(block.family, matrix[rows], lower[rows], upper[rows], labels)


def _precedence_left(
    model: Model, block: Precedence, is_open: NDArray[np.bool_], number: IntArray
) -> Precedence:
    both = is_open[block.first] & is_open[block.second]
    first, second, gap = number[block.first[both]], number[block.second[both]], block.gap[both]
    last = np.array([model.numbers(c)[-1] for c in first.tolist()], dtype=np.int64)
    least = np.array([model.numbers(c)[0] for c in second.tolist()], dtype=np.int64)
    needed = last + gap > least
    return Precedence(block.family, first[needed], second[needed], gap[needed])


def _graph_left(block: GraphT, kept: NDArray[np.bool_], literal: IntArray) -> GraphT:
    """Without the nodes or edges whose literals cannot be true."""
    left = block.restricted(kept[block.literals])
    return replace(left, literals=literal[left.literals])


def _field_left(
    field: Field, kept: NDArray[np.bool_], fixed: IntArray, choices: list[int]
) -> Field:
    views = tuple(
        replace(r, base=r.base + r.matrix @ fixed, matrix=r.matrix[:, kept]) for r in field.views
    )
    return replace(field, views=views, write=partial(_write_kept, field, choices))


def _write_kept(field: Field, kept: list[int], answer: IntArray) -> Sequence[Hashable]:
    values = field.write(answer)
    return [values[c] for c in kept]


class Segments:
    """The entries of a (rows, literals) matrix cut into stretches of one row and choice each.

    ``start`` (segments,) indexes the entries; ``row`` and ``choice`` (segments,) describe
    each stretch, ``of_entry`` (entries,) leads back. The matrix's indices get sorted in place.
    """

    def __init__(self, model: Model, matrix: IntMatrix) -> None:
        matrix.sort_indices()
        self.data, self.n_rows = matrix.data, matrix.shape[0]
        self.literal = matrix.indices.astype(np.int64)
        choice = model.choice_of_literal[self.literal]
        row = np.repeat(np.arange(self.n_rows), np.diff(matrix.indptr))
        new = ~as_before(row, choice)
        self.start, self.of_entry = np.flatnonzero(new), np.cumsum(new) - 1
        self.row, self.choice = row[new], choice[new]

    def extremes(
        self, domain: NDArray[np.bool_], alive_sizes: IntArray
    ) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        """Least and greatest coefficient of each segment over the values still domain.

        Returns the two and whether some domain value of the choice is not in the
        segment (it then contributes 0), shape (segments,) each.
        """
        lit_alive = domain[self.literal]
        low = np.minimum.reduceat(np.where(lit_alive, self.data, _HUGE), self.start)
        high = np.maximum.reduceat(np.where(lit_alive, self.data, -_HUGE), self.start)
        present = np.add.reduceat(lit_alive.astype(np.int64), self.start)
        has_zero = present < alive_sizes[self.choice]
        low = np.where(has_zero, np.minimum(low, 0), low)
        high = np.where(has_zero, np.maximum(high, 0), high)
        return low, high, has_zero

    def total(self, by_segment: IntArray) -> IntArray:
        """Sum over the segments of each row, shape (rows,)."""
        out = np.zeros(self.n_rows, dtype=np.int64)
        np.add.at(out, self.row, by_segment)
        return out


def reachable(model: Model, matrix: IntMatrix) -> tuple[IntArray, IntArray]:
    """Least and greatest value of each row of ``matrix @ x`` over valid choices, (rows,) each."""
    segments = Segments(model, matrix)
    low, high, _ = segments.extremes(np.ones(model.n_literals, dtype=bool), model.sizes)
    return segments.total(low), segments.total(high)
