"""A model as flat arrays for the annealing kernels.

The state is one value a choice, so choices are exact and never penalised. Linear rows
keep their sums; the energy of a value is found from the rows that it touches. Values of a
choice are stored as **steps**: what changes in the rows from one value to the next. A run
of a nonogram that moves by one cell changes two rows, however long it is.

Precedences that form a path, with choices that meet in no row, become **chains**; a whole
chain is redrawn at once and never broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.model import IntArray, IntMatrix, Model

FloatArray = NDArray[np.float64]


class Arrays(NamedTuple):
    """What the kernels read. Literal l of choice c is ``first[c] + v`` for its v-th value.

    Attributes:
        first: first literal of each choice, and one past the last, shape (choices + 1,).
        number: value of each literal where precedences need it, else 0, (literals,).
        term_start, term_row, term_coefficient: the rows of each literal.
        step_start, step_row, step_before, step_after: a literal's cost is the sum, over
            its steps, of the row's penalty after less before; where ``cumulative``
            (choices,) it adds to the cost of the value before.
        lower, upper: bounds of the rows, (rows,).
        unit_start, unit_choice: units that are redrawn at once: single choices or chains.
        gap: at a chain's later choices, the least distance to the one before, (choices in
            units,).
        tie_start, tie_other, tie_gap, tie_after, tie: precedences outside chains, by
            choice: with whom, the gap, whether the other comes after, and its number.
        tie_first, tie_second, tie_distance: those precedences by number.
    """

    first: IntArray
    number: IntArray
    term_start: IntArray
    term_row: IntArray
    term_coefficient: IntArray
    step_start: IntArray
    step_row: IntArray
    step_before: IntArray
    step_after: IntArray
    cumulative: NDArray[np.bool_]
    lower: IntArray
    upper: IntArray
    unit_start: IntArray
    unit_choice: IntArray
    gap: IntArray
    tie_start: IntArray
    tie_other: IntArray
    tie_gap: IntArray
    tie_after: NDArray[np.bool_]
    tie: IntArray
    tie_first: IntArray
    tie_second: IntArray
    tie_distance: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class AnnealingForm:
    """A model ready to be annealed.

    ``row_weight`` and ``tie_weight`` are the weights that constraints start from and decay
    to, by the weight of their family; ``largest_unit`` is the number of literals of the
    largest unit; ``earliest`` (choices,) places every chain as far to the front as it goes.
    """

    model: Model
    arrays: Arrays
    row_weight: FloatArray
    tie_weight: FloatArray
    largest_unit: int
    n_chains: int
    earliest: IntArray

    def energy(self, value: IntArray) -> int:
        """The unweighted energy of a state from scratch: ``violation`` of its literals."""
        x, cost = self.literals(value), 0
        for block in self.model.linear:
            total = block.matrix @ x
            missed = np.maximum(np.maximum(block.lower - total, total - block.upper), 0)
            equal = block.lower == block.upper
            cost += int(np.where(equal, missed**2, missed * (missed + 1) // 2).sum())
        number = self.arrays.number[self.arrays.first[:-1] + value]
        for pair in self.model.precedence:
            cost += int((number[pair.second] < number[pair.first] + pair.gap).sum())
        return cost

    def literals(self, value: IntArray) -> IntArray:
        """The literal vector, shape (literals,), of a state (the place of each value)."""
        x = np.zeros(self.model.n_literals, dtype=np.int64)
        x[self.arrays.first[:-1] + value] = 1
        return x


def annealing_form(
    model: Model, weights: Mapping[str, float] | None = None, *, chains: bool = True
) -> AnnealingForm:
    """Lay out a model for the kernels.

    Args:
        model: what to anneal.
        weights: weight by family; 1 where not given.
        chains: redraw chains of precedences at once; else each choice by itself.
    """
    by_family = weights or {}
    rows = csr_array((0, model.n_literals), dtype=np.int64)
    if model.linear:
        rows = csr_array(vstack([block.matrix for block in model.linear], dtype=np.int64))
    terms = csr_array(rows.T.tocsr())
    terms.sort_indices()
    first, second, gap, family = _precedences(model)
    paths, loose = (
        _paths(model, terms, first, second, gap) if chains else ([], np.ones(len(first), bool))
    )
    in_path = {choice for path in paths for choice in path}
    units = [*paths, *([c] for c in range(len(model.choices)) if c not in in_path)]
    unit_choice = np.array([c for unit in units for c in unit], dtype=np.int64)
    gap_before = np.zeros(len(model.choices), dtype=np.int64)
    gap_before[second[~loose]] = gap[~loose]
    sizes = model.sizes
    ties = _ties(len(model.choices), first[loose], second[loose], gap[loose])
    steps = _steps(model, terms)
    arrays = Arrays(
        model.first_literal,
        _numbers(model, np.concatenate([first, second])),
        terms.indptr.astype(np.int64),
        terms.indices.astype(np.int64),
        terms.data,
        *steps,
        np.concatenate([np.zeros(0, np.int64), *(block.lower for block in model.linear)]),
        np.concatenate([np.zeros(0, np.int64), *(block.upper for block in model.linear)]),
        np.concatenate([[0], np.cumsum([len(unit) for unit in units])]).astype(np.int64),
        unit_choice,
        gap_before[unit_choice],
        *ties,
        first[loose],
        second[loose],
        gap[loose],
    )
    earliest = np.zeros(len(model.choices), dtype=np.int64)
    for path in paths:
        earliest[path] = _earliest(model, path, gap_before[path[1:]]) or []
    row_weights = [np.full(len(b.lower), float(by_family.get(b.family, 1))) for b in model.linear]
    tie_weights = np.array([float(by_family.get(f, 1)) for f in family])
    return AnnealingForm(
        model,
        arrays,
        np.concatenate([np.zeros(0), *row_weights]),
        tie_weights[loose],
        max((int(sizes[unit].sum()) for unit in units), default=0),
        len(paths),
        earliest,
    )


def _precedences(model: Model) -> tuple[IntArray, IntArray, IntArray, list[str]]:
    nothing = np.zeros(0, dtype=np.int64)
    blocks = model.precedence
    family = [block.family for block in blocks for _ in range(len(block.first))]
    return (
        np.concatenate([nothing, *(block.first for block in blocks)]),
        np.concatenate([nothing, *(block.second for block in blocks)]),
        np.concatenate([nothing, *(block.gap for block in blocks)]),
        family,
    )


def _numbers(model: Model, choices: IntArray) -> IntArray:
    number = np.zeros(model.n_literals, dtype=np.int64)
    for c in np.unique(choices).tolist():
        number[model.first_literal[c] : model.first_literal[c + 1]] = model.numbers(c)
    return number


def _paths(
    model: Model, terms: IntMatrix, first: IntArray, second: IntArray, gap: IntArray
) -> tuple[list[list[int]], NDArray[np.bool_]]:
    """Paths of precedences that can be redrawn exactly, and which precedences are in none."""
    n = len(model.choices)
    alone = (np.bincount(first, minlength=n) == 1) & (np.bincount(second, minlength=n) <= 1)
    edge = alone[first] & (np.bincount(second, minlength=n)[second] == 1)
    follower = {
        int(a): (int(b), i) for i, (a, b) in enumerate(zip(first, second, strict=True)) if edge[i]
    }
    followed = {b for b, _ in follower.values()}
    paths, loose = [], np.ones(len(first), dtype=bool)
    for start in follower:
        if start in followed:
            continue
        path, edges = [start], []
        while path[-1] in follower:
            after, i = follower[path[-1]]
            path.append(after)
            edges.append(i)
        fits = _earliest(model, path, gap[edges]) is not None
        if fits and _separable(model, terms, path, gap[edges]):
            paths.append(path)
            loose[edges] = False
    return paths, loose


def _earliest(model: Model, path: list[int], gaps: IntArray) -> list[int] | None:
    """The first place of each choice of a path that the gaps allow, or None if one has none."""
    places: list[int] = []
    limit = -(1 << 60)
    for choice, gap in zip(path, [*gaps.tolist(), 0], strict=True):
        numbers = model.numbers(choice)
        place = int(np.searchsorted(numbers, limit))
        if place == len(numbers):
            return None
        places.append(place)
        limit = int(numbers[place]) + gap
    return places


def _separable(model: Model, terms: IntMatrix, path: list[int], gaps: IntArray) -> bool:
    """Whether no two choices of the path, at values that the gaps allow, touch the same row.

    Only then is the chain's energy a sum over its choices, and redrawing it exact.
    """
    ahead = np.concatenate([[0], np.cumsum(gaps)])
    lowest: dict[int, int] = {}
    for place, choice in enumerate(path):
        start, stop = model.first_literal[choice : choice + 2].tolist()
        entries = slice(terms.indptr[start], terms.indptr[stop])
        rows = terms.indices[entries]
        of_value = np.repeat(model.numbers(choice), np.diff(terms.indptr[start : stop + 1]))
        # Positions with the gaps taken out: allowed neighbours never fall.
        slack = of_value - ahead[place]
        for row, least, most in _extremes(rows, slack):
            if lowest.get(row, most + 1) <= most:
                return False
            lowest[row] = min(lowest.get(row, least), least)
    return True


def _extremes(rows: IntArray, slack: IntArray) -> list[tuple[int, int, int]]:
    if not len(rows):
        return []
    order = np.lexsort((slack, rows))
    rows, slack = rows[order], slack[order]
    starts = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]))
    ends = np.concatenate([starts[1:], [len(rows)]]) - 1
    return list(
        zip(rows[starts].tolist(), slack[starts].tolist(), slack[ends].tolist(), strict=True)
    )


def _ties(
    n: int, first: IntArray, second: IntArray, gap: IntArray
) -> tuple[IntArray, IntArray, IntArray, NDArray[np.bool_], IntArray]:
    """Loose precedences by choice, from both ends."""
    own = np.concatenate([first, second])
    order = np.argsort(own, kind="stable")
    number = np.tile(np.arange(len(first)), 2)
    after = np.repeat([True, False], len(first))
    start = np.concatenate([[0], np.cumsum(np.bincount(own, minlength=n))]).astype(np.int64)
    other = np.concatenate([second, first])
    return start, other[order], np.tile(gap, 2)[order], after[order], number[order]


def _steps(
    model: Model, terms: IntMatrix
) -> tuple[IntArray, IntArray, IntArray, IntArray, NDArray[np.bool_]]:
    """Steps from value to value, or from nothing to the value where those are fewer."""
    n = model.n_literals
    owner, starts = model.choice_of_literal, model.first_literal[:-1]
    follows = np.ones(n, dtype=np.int64)
    follows[starts] = 0
    shift = (
        csr_array((follows[1:], (np.arange(1, n), np.arange(n - 1))), shape=(n, n), dtype=np.int64)
        if n
        else csr_array((0, 0), dtype=np.int64)
    )
    change = csr_array(terms - shift @ terms)
    change.eliminate_zeros()
    change.sort_indices()
    counts = [np.diff(m.indptr) for m in (change, terms)]
    per_choice = [np.add.reduceat(c, starts) if n else c for c in counts]
    cumulative = per_choice[0] < per_choice[1]
    use = cumulative[owner]
    parts = []
    for matrix, chosen in ((change, use), (terms, ~use)):
        literal = np.repeat(np.arange(n), np.diff(matrix.indptr))
        kept = chosen[literal]
        row = matrix.indices[kept].astype(np.int64)
        parts.append((literal[kept], row, matrix.data[kept]))
    literal, row, delta = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((row, literal))
    literal, row, delta = literal[order], row[order], delta[order]
    after = np.asarray(terms[literal, row], dtype=np.int64).ravel() if len(literal) else delta
    start = np.concatenate([[0], np.cumsum(np.bincount(literal, minlength=n))]).astype(np.int64)
    return start, row, after - delta, after, cumulative
