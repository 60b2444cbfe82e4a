"""Propagation: values that cannot be part of any solution are removed, to a fixed point.

Bounds propagation on linear rows and precedences, unit propagation as its special
case (a choice with one value left is fixed), chains as one, and connectivity. The solutions stay
exactly the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit import compiling
from qubopuzzle.model.data import (
    Choice,
    Field,
    GraphT,
    IntArray,
    Linear,
    Model,
    Precedence,
    label_of,
)
from qubopuzzle.model.propagator import Propagator, runs_plain
from qubopuzzle.model.segments import reachable


@dataclass(frozen=True, slots=True, eq=False)
class Propagation:
    """What propagation found, or ``Propagation.none`` of a model that is left as it is.

    ``model`` is ``whole`` with only the unfixed choices left; its field paints the whole grid.
    ``contradiction`` says whether propagation or probing proved that there is no solution, and by
    which constraint, or is None. ``cells_decided`` counts the cells of the
    answer that are known, ``cells`` all of them, ``probes`` the values that were probed;
    ``complete`` says whether more work would remove nothing.

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
    probes: int = 0
    complete: bool = True

    @classmethod
    def none(cls, model: Model) -> Propagation:
        """Nothing is decided, and nothing was counted."""
        return cls(model, model, np.arange(model.n_literals), np.zeros(model.n_literals, np.int64))

    def restore(self, x: IntArray) -> IntArray:
        """Literal values of the whole model from those of ``model``, shape (..., literals) each."""
        whole = np.broadcast_to(self.fixed, (*x.shape[:-1], len(self.fixed))).copy()
        whole[..., self.kept] = x
        return whole


PROBING_WORK = 200_000_000
"""Terms, precedences, places of chains and edges that ``probe`` looks at; about a second."""
TURN = 500_000
"""Such work of a turn of probing; some milliseconds, as annealing takes to begin."""


def propagate(model: Model) -> Propagation:
    """Remove values to a fixed point, see ``Propagator``, and return the model that is left."""
    return probe(model, 0)


def probe(
    model: Model, work: int = PROBING_WORK, before: Callable[[], None] = lambda: None
) -> Propagation:
    """The same, and then every value that propagation refutes once it is assumed.

    ``work`` bounds the terms, precedences and places of chains that are looked at, so that the
    model that is left does not depend on a clock; see ``Propagator.probe``. ``before`` is called if
    there is something to probe.
    """
    propagator, method = Propagator(model), "propagation"
    contradiction = propagator.run()
    is_left = (propagator.domains.size[: len(model.choices)] > 1).any()
    probes = bool(work and is_left and contradiction is None)
    if probes:
        before()
        contradiction, method = propagator.probe(work), "probing"
    complete = not probes or propagator.probed_all or contradiction is not None
    why = None if contradiction is None else f"{method}: {contradiction}"
    return left_by(propagator, why, complete=complete)


def prepare(method: Callable[[Model], Propagation], model: Model) -> None:
    """Compile what a method needs of a model, or load it from numba's cache, once a process.

    Seconds, then little, and nothing where Python alone is as soon done with a small model.
    """
    if method == probe or (method == propagate and not runs_plain(model)):
        compile_kernels(method)


@cache
def compile_kernels(method: Callable[[Model], Propagation]) -> None:
    """Compile what ``propagate`` or ``probe`` needs of a large model, or load it."""
    bit = Choice("bit", (0, 1), "bits", is_bit=True)
    with compiling("the kernels of propagation", seconds=1):
        propagator = Propagator(Model((bit,), np.array([0, 2]), (), (), (), (), ("bits",)))
        propagator.run_compiled()
        if method == probe:
            propagator.probe(1)


def left_by(
    propagator: Propagator, contradiction: str | None = None, *, complete: bool = True
) -> Propagation:
    """What a propagator left of its model, as a model; with a contradiction the model as it is."""
    model = propagator.model
    if contradiction is None:
        result = _reduced(model, propagator.alive, propagator.domains.size[: len(model.choices)])
    else:
        result = replace(Propagation.none(model), contradiction=contradiction)
    known = np.zeros(0 if model.field is None else math.prod(model.field.shape), dtype=bool)
    for view in result.model.field.views if result.model.field else ():
        low, high = reachable(result.model, view.matrix)
        known |= low == high
    if model.field is not None and (decided := model.field.decided) is not None:
        known[decided.cell] = known[decided.others].all(axis=1)
    return replace(
        result,
        cells=len(known),
        cells_decided=int(known.sum()),
        probes=propagator.probes,
        complete=complete,
    )


def _reduced(model: Model, domain: NDArray[np.bool_], size: IntArray) -> Propagation:
    """The model over the choices that still have more than one value.

    ``domain`` (literals,) says which values are left, ``size`` (choices,) how many.
    """
    is_open = size > 1
    for graph in (*model.graphs, *model.deferred):  # nodes and edges stay, decided or not
        is_open[model.choice_of_literal[graph.literals]] = True
    kept = domain & is_open[model.choice_of_literal]
    fixed = (domain & ~kept).astype(np.int64)
    number, literal = np.cumsum(is_open) - 1, np.cumsum(kept) - 1
    choices, whole = np.flatnonzero(is_open).tolist(), (size == model.sizes).tolist()
    bare = replace(
        model,
        choices=tuple(
            model.choices[c] if whole[c] else _choice_left(model, c, domain) for c in choices
        ),
        first_literal=np.append(0, np.cumsum(size[is_open])),
    )
    reduced = replace(
        bare,
        linear=tuple(_linear_left(bare, block, kept, fixed) for block in model.linear),
        precedence=tuple(_precedence_left(bare, b, is_open, number) for b in model.precedence),
        connected=tuple(_graph_left(block, kept, literal) for block in model.connected),
        acyclic=tuple(_graph_left(block, kept, literal) for block in model.acyclic),
        deferred=tuple(_graph_left(block, kept, literal) for block in model.deferred),
        field=model.field and _field_left(model.field, kept, fixed, choices),
        objective=model.objective and model.objective.restricted(kept, fixed),
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
