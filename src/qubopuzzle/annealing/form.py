"""A model as flat arrays for the annealing kernels.

The state is one value a choice, so choices are exact and never penalised. Linear rows
keep their sums; the energy of a value is found from the rows that it has terms in. Choices are
redrawn in **units**: chains, which are paths of precedences, at once, others one by one.

What a unit can add to a row is a **slot**, whose cost is found once for all values. Values
of a choice are stored as **steps**, the slots that come and go from one value to the next:
a run of a nonogram that moves by one cell changes two, however long it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.annealing.conflicts import ConflictArrays, conflicts_of, packing_of
from qubopuzzle.annealing.covers import CoverArrays, covers_of
from qubopuzzle.annealing.kernels import ExtraArrays, FloatArray, ModelArrays
from qubopuzzle.annealing.relaxation import Relaxation, can_be_relaxed
from qubopuzzle.annealing.spins import SpinArrays, spins_of
from qubopuzzle.errors import InputError
from qubopuzzle.jit.packing import addresses
from qubopuzzle.model import IntArray, Model
from qubopuzzle.model.data import as_before, row_of_entry, starts
from qubopuzzle.model.order import Paths, Precedences
from qubopuzzle.model.propagator import Propagator


@dataclass(frozen=True, slots=True, eq=False)
class AnnealingForm:
    """A model ready to be annealed. A state is the index of each choice's value, (choices,).

    ``extras`` is None for a model without an objective and without large coefficients.
    ``row_weight`` and ``loose_weight`` are the weights, from their families', that rows and
    precedences outside chains start from and decay to. ``propagator`` is at its fixed point,
    unless the model is not ``consistent``: then propagation proves that it has no solution.
    ``packed`` and ``packed_extras`` are what kernels take of the arrays; ``conflicts`` is the
    model's conflict graph, if all its rows are conflicts, ``covers`` its rows, if these all ask for
    some of their choices, ``spins`` its couplings, if it has bits and couplings alone, and
    ``relaxation`` its relaxation, if that is known.
    """

    model: Model
    arrays: ModelArrays
    extras: ExtraArrays | None
    row_weight: FloatArray
    loose_weight: FloatArray
    n_chains: int
    propagator: Propagator
    consistent: bool
    packed: Any
    packed_extras: Any
    conflicts: ConflictArrays | None = None
    covers: CoverArrays | None = None
    spins: SpinArrays | None = None
    relaxation: Relaxation | None = None

    @property
    def n_units(self) -> int:
        """Number of units."""
        return self.arrays.n_units

    def energy(self, value: IntArray) -> int:
        """The unweighted energy of a state from scratch: ``violation`` of its literals."""
        x = self.literals(value)
        cost = sum(int(block.cost(x).sum()) for block in self.model.linear)
        number = self.arrays.number[self.arrays.first[:-1] + value]
        for pair in self.model.precedence:
            cost += int((number[pair.second] < number[pair.first] + pair.gap).sum())
        return cost

    @property
    def offset(self) -> float:
        """The objective's constant, which kernels leave out."""
        return 0.0 if self.model.objective is None else self.model.objective.offset

    def objective(self, x: IntArray) -> float:
        """The objective of literals, shape (literals,); 0 without one."""
        return 0.0 if self.model.objective is None else self.model.objective.value(x)

    def literals(self, value: IntArray) -> IntArray:
        """The literal vector of a state, shape (literals,)."""
        x = np.zeros(self.model.n_literals, dtype=np.int64)
        x[self.arrays.first[:-1] + value] = 1
        return x

    def state(self, x: NDArray[np.integer]) -> IntArray:
        """The inverse: the state of a literal vector with one value a choice."""
        return np.flatnonzero(x) - self.arrays.first[:-1]

    def with_relaxation(self, relaxation: Relaxation) -> Self:
        """The form with its model's relaxation, see ``relax``, which guides the search.

        InputError if nothing is minimised.
        """
        if self.extras is None:
            raise InputError("a relaxation guides forms that minimise something")
        share, most = _shares(relaxation.guide)
        extras = self.extras._replace(guide=relaxation.guide, share=share, most_share=most)
        packed = addresses(extras)
        return replace(self, extras=extras, packed_extras=packed, relaxation=relaxation)


def annealing_form(
    model: Model,
    weights: Mapping[str, float] | None = None,
    *,
    chains: bool = True,
) -> AnnealingForm:
    """Lay out a model for the kernels.

    Args:
        model: what to anneal.
        weights: weight by family; 1 for families that it leaves out.
        chains: redraw chains of precedences at once; else each choice by itself.

    Raises:
        ModelError: for connectivity, see ``Model.require_local``.
    """
    model.require_local("the annealer")
    n, weight = len(model.choices), weights or {}
    # Where presolve came before, no value goes any more, but it is decided which touches are made,
    # a hundredth of the time that laying out its model takes.
    propagator = Propagator(model)
    consistent = propagator.run() is None
    rows, order, paths = propagator.rows, propagator.order, propagator.paths
    extras = _extra_arrays(propagator)
    entry = _find_chains(propagator, extras) if chains else np.full(n, -1)
    units = _unit_arrays(propagator, paths, entry)
    loose = np.delete(np.arange(len(order.first)), entry[entry >= 0])
    arrays = ModelArrays(
        n_choices=n,
        n_units=len(units["unit_start"]) - 1,
        n_rows=rows.shape[0],
        n_loose=len(loose),
        first=model.first_literal,
        number=order.number,
        lower=propagator.arrays.lower,
        upper=propagator.arrays.upper,
        **units,
        **_term_arrays(model, rows, units, by_steps=not can_be_relaxed(model)),
        **_loose_arrays(order, loose, n),
    )
    row_weights = [np.full(len(b.lower), float(weight.get(b.family, 1))) for b in model.linear]
    order_weights = np.array([float(weight.get(family, 1)) for family in order.family])
    packing = packing_of(model)
    conflicts = None if packing is None else conflicts_of(packing)
    covers = None if packing is None or conflicts else covers_of(packing)
    return AnnealingForm(
        model,
        arrays,
        extras,
        np.concatenate([np.zeros(0), *row_weights]),
        order_weights[loose],
        int(((entry >= 0) & (paths.position == 1)).sum()),
        propagator,
        consistent,
        addresses(arrays),
        None if extras is None else addresses(extras),
        conflicts,
        covers,
        spins_of(extras, model.sizes) if extras and has_couplings_alone(model) else None,
    )


def _unit_arrays(propagator: Propagator, paths: Paths, entry: IntArray) -> dict[str, Any]:
    """The fields of ``ModelArrays`` that say what is redrawn at once, and how far values reach.

    ``entry`` (choices,) is the precedence into each later choice of a chain, else -1.
    """
    model, order = propagator.model, propagator.order
    n, owner, later = len(entry), model.choice_of_literal, entry >= 0
    gap = np.append(order.gap, 0)[entry]
    reach = np.ones(model.n_literals, dtype=np.int64)
    (literal,) = np.nonzero(later[owner])
    before = order.first[entry[owner[literal]]]
    reach[literal] = order.below(before, order.number[literal] - gap[owner[literal]] + 1)
    # In the order of the model: choices that do not interact, such as those of a picture's
    # rows, are mostly neighbours there.
    (heads,) = np.nonzero(paths.position == 0)
    start_of = np.zeros(len(order.first) + n, dtype=np.int64)
    start_of[paths.path[heads]] = heads
    head = np.where(later, start_of[paths.path], np.arange(n))
    unit_choice = np.lexsort((paths.position, head))
    unit_of_choice = np.unique(head, return_inverse=True)[1]
    n_units = int(unit_of_choice.max(initial=-1)) + 1
    unit_start, room = starts(unit_of_choice, n_units), model.sizes[unit_choice] + 1
    begin = np.cumsum(room) - room
    return {
        "unit_start": unit_start,
        "unit_choice": unit_choice,
        "unit_of_choice": unit_of_choice,
        "place": 3 + begin - begin[unit_start[unit_of_choice[unit_choice]]],
        "gap": gap[unit_choice],
        "reach": reach,
        "earliest": np.where(later, paths.earliest, 0),
    }


def _term_arrays(
    model: Model, rows: Any, units: Mapping[str, IntArray], *, by_steps: bool
) -> dict[str, Any]:
    """The fields of ``ModelArrays`` that say what values add to rows, (rows, literals)."""
    n_units, n_rows = len(units["unit_start"]) - 1, rows.shape[0]
    terms = csr_array(rows.T.tocsr())
    terms.sort_indices()
    literal = row_of_entry(terms)
    unit = units["unit_of_choice"][model.choice_of_literal[literal]]
    slot_start, slot_row, slot_amount, slot_of = _find_slots(
        unit, terms.indices, terms.data, n_units, n_rows
    )
    step_start, step_slot, step_sign, cumulative = _find_steps(
        model, literal, slot_of, by_steps=by_steps
    )
    # Each pair of a row and a unit with terms in it, as one number that sorts like the pair.
    slot_unit = np.repeat(np.arange(n_units), np.diff(slot_start))
    # Sorted here, as numpy's own ``unique`` hashes, which is far slower for millions of numbers.
    touching = np.sort((slot_row << 32) | slot_unit)
    touching = touching[np.diff(touching, prepend=-1) != 0]
    return {
        "term_start": terms.indptr.astype(np.int64),
        "term_row": terms.indices.astype(np.int64),
        "term_coefficient": terms.data,
        "slot_start": slot_start,
        "slot_row": slot_row,
        "slot_amount": slot_amount,
        "step_start": step_start,
        "step_slot": step_slot,
        "step_sign": step_sign,
        "cumulative": cumulative,
        "half": _half(touching, n_units),
        "touching_start": starts(touching >> 32, n_rows),
        "touching_unit": touching & 0xFFFFFFFF,
    }


def _loose_arrays(order: Precedences, loose: IntArray, n_choices: int) -> dict[str, Any]:
    """The fields of ``ModelArrays`` about precedences outside chains, by their numbers (n,)."""
    first, second = order.first[loose], order.second[loose]
    # No value changes a precedence of a choice with itself.
    (changing,) = np.nonzero(first != second)
    choice = np.concatenate([first[changing], second[changing]])
    return {
        "loose_first": first,
        "loose_second": second,
        "loose_gap": order.gap[loose],
        "loose_start": starts(choice, n_choices),
        "loose": np.tile(changing, 2)[np.argsort(choice, kind="stable")],
    }


def has_extras(model: Model) -> bool:
    """Whether a model has an objective, or large coefficients."""
    large = any((abs(block.matrix.data) >= _LARGE).any() for block in model.linear)
    return model.objective is not None or large


def has_couplings_alone(model: Model) -> bool:
    """Whether values add something together, and there are neither rows nor precedences."""
    constraints = sum(len(block.lower) for block in model.linear)
    constraints += sum(len(block.first) for block in model.precedence)
    objective = model.objective
    return not constraints and objective is not None and objective.couplings.nnz > 0


def _extra_arrays(propagator: Propagator) -> ExtraArrays | None:
    """What is minimised, and which rows are scaled; None where nothing and none is."""
    if not has_extras(propagator.model):
        return None
    objective, n = propagator.model.objective, propagator.model.n_literals
    linear = np.zeros(n) if objective is None else objective.linear
    pairs = (
        csr_array((n, n))
        if objective is None
        else csr_array(objective.couplings + objective.couplings.T)
    )
    costs, scale = np.concatenate([linear, pairs.data]), _row_scales(propagator.rows)
    share, most = _shares(costs)
    return ExtraArrays(
        n_scaled=int((scale > 0).sum()),
        # A precedence between two choices would need a look at its gap.
        exchanging=int(not len(propagator.order.first)),
        n_pairs=pairs.nnz,
        has_objective=int(costs.any()),
        scale=scale,
        cost=linear,
        guide=linear,
        pair_start=pairs.indptr.astype(np.int64),
        pair_other=pairs.indices.astype(np.int64),
        pair_cost=pairs.data,
        share=share,
        most_share=most,
    )


def _shares(costs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``share`` and ``most_share`` of ``ExtraArrays`` for an objective of such costs."""
    sizes = np.abs(costs[costs != 0])
    typical, least = (np.median(sizes), sizes.min()) if len(sizes) else (1.0, 1.0)
    return np.array([1.0 / typical]), np.array([10.0 / max(least, typical / 100)])


_LARGE = 12
"""Rows with such a coefficient, or a larger one, are scaled."""


def _row_scales(rows: Any) -> FloatArray:
    """``scale`` of ``ExtraArrays``: the median size of the row's coefficients if one is large."""
    sizes = csr_array(abs(rows))
    scale = np.zeros(rows.shape[0])
    large = sizes.max(axis=1).toarray().ravel() >= _LARGE if sizes.nnz else scale > 0
    for row in np.flatnonzero(large).tolist():
        scale[row] = np.median(sizes.data[slice(*sizes.indptr[row : row + 2])])
    return scale


def _half(touching: IntArray, n_units: int) -> int:
    """The first unit that shares a row with an earlier one, if it leaves two similar halves.

    Units before it do not interact: in a nonogram, the rows. Else simply the middle.
    """
    row, unit = touching >> 32, touching & 0xFFFFFFFF
    first = int(unit[as_before(row)].min(initial=n_units))
    similar = n_units // 4 <= first <= n_units - n_units // 4
    return first if similar else (n_units + 1) // 2


def _find_chains(propagator: Propagator, extras: ExtraArrays | None) -> IntArray:
    """``entry`` of the paths whose choices can be redrawn together, exactly; else -1, (choices,).

    Only of such a path the energy is a sum over its choices.
    """
    path, exact = propagator.paths.path, propagator.exact
    if extras is not None:
        # Without two choices whose values add to the objective together.
        owner = propagator.model.choice_of_literal
        literal = np.repeat(np.arange(len(owner)), np.diff(extras.pair_start))
        one, two = (path[owner[each]] for each in (literal, extras.pair_other))
        exact = exact.copy()
        exact[one[one == two]] = False
    return np.where(exact[path], propagator.paths.entry, -1)


def _find_slots(
    unit: IntArray, row: NDArray[np.integer], amount: IntArray, n_units: int, n_rows: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """What each unit can add to each row, from the unit, row and amount of each term, (terms,).

    Returns ``slot_start``, ``slot_row`` and ``slot_amount`` of ``ModelArrays``, and the slot
    of each term, numbered within its unit.
    """
    amounts, kind = np.unique(amount, return_inverse=True)
    # A slot's unit, row and amount as one number that sorts like the three.
    key = (unit * n_rows + row) * len(amounts) + kind
    slot, slot_of = np.unique(key, return_inverse=True)
    pair, kind = np.divmod(slot, len(amounts))
    of_unit, of_row = np.divmod(pair, n_rows)
    start = starts(of_unit, n_units)
    return start, of_row, amounts[kind], slot_of - start[unit]


def _find_steps(
    model: Model, literal: IntArray, slot: IntArray, *, by_steps: bool
) -> tuple[IntArray, IntArray, NDArray[np.float64], NDArray[np.bool_]]:
    """Each choice's values as steps: the slots that come and go from value to value.

    Where those are no fewer than the choice's terms, or not ``by_steps``, so that values can be
    left out, the terms themselves. ``literal`` and
    ``slot`` are those of the terms, (terms,). Returns ``step_start``, ``step_slot``,
    ``step_sign`` and ``cumulative`` of ``ModelArrays``.
    """
    choice, n = model.choice_of_literal[literal], len(model.choices)
    # Which terms the literal before does not have, and which the next one has, too.
    n_slots = int(slot.max(initial=0)) + 1
    key = literal * n_slots + slot  # a literal's slots rise
    before = np.searchsorted(key, key - n_slots)
    comes, stays = key[before] != key - n_slots, np.zeros(len(key), dtype=bool)
    stays[before[~comes]] = True
    comes |= literal == model.first_literal[choice]
    goes = ~stays & (literal + 1 < model.first_literal[choice + 1])
    steps = np.concatenate([choice[comes], choice[goes]])
    cumulative = by_steps & (np.bincount(steps, minlength=n) < np.bincount(choice, minlength=n))
    comes, goes = comes | ~cumulative[choice], goes & cumulative[choice]
    at = np.concatenate([literal[comes], literal[goes] + 1])
    ordered = np.argsort(at, kind="stable")
    slots = np.concatenate([slot[comes], slot[goes]])[ordered]
    signs = np.repeat([1.0, -1.0], [comes.sum(), goes.sum()])[ordered]
    return starts(at, model.n_literals), slots, signs, cumulative
