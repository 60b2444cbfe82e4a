"""Values that a best solution does not need, as another one is at least as good.

Nothing of this holds for solutions that are not best, nor for all of those that are: it is for a
search for one.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.model import UNBOUNDED, IntArray, IntMatrix, Model
from qubopuzzle.model.data import as_before, signatures
from qubopuzzle.model.segments import reachable

FloatArray = NDArray[np.float64]

_MOST_PAIRS = 200_000_000
"""Of columns that are compared; where there would be more, none are."""


def dominated(
    model: Model, rows: tuple[IntMatrix, IntArray, IntArray], cost: FloatArray
) -> NDArray[np.bool_]:
    """The literals that may be left out where a literal costs so much, (literals,).

    Some best solution has none of them. ``rows`` are those of ``all_rows``; where these do not say
    everything, because of precedences or graphs, none is dominated.
    """
    if model.precedence or any(model.graphs):
        return np.zeros(model.n_literals, dtype=np.bool_)
    return _repeated(model, rows[0], cost) | _covered(model, rows, cost)


def _repeated(model: Model, matrix: IntMatrix, cost: FloatArray) -> NDArray[np.bool_]:
    """Values with the terms of a cheaper one of their choice."""
    by_literal, n = csr_array(matrix.T), matrix.shape[1]
    signature = signatures(by_literal)
    order = np.lexsort((cost, signature, model.choice_of_literal))
    same = as_before(model.choice_of_literal[order], signature[order])
    (later,) = np.nonzero(same)
    first = np.maximum.accumulate(np.where(same, 0, np.arange(n)))[later]
    differs = abs(by_literal[order[later]] - by_literal[order[first]]).sum(axis=1) > 0
    repeated = np.zeros(n, dtype=np.bool_)
    repeated[order[later[~differs]]] = True
    return repeated


def _covered(
    model: Model, rows: tuple[IntMatrix, IntArray, IntArray], cost: FloatArray
) -> NDArray[np.bool_]:
    """Columns of a set cover whose rows a cheaper one covers, too.

    A column is what one of two values adds to rows: nothing that breaks one. It covers the rows
    that hold with it, whatever else is true. If a dearer column is true and covers no more,
    the cheaper one serves in its place.
    """
    matrix, lower, upper = rows
    least, most = reachable(model, matrix)
    is_open = (upper >= UNBOUNDED) | (upper >= most)
    first = model.first_literal[:-1][model.sizes == 2]
    change = csr_array((matrix[:, first + 1] - matrix[:, first]).T)  # (columns, rows)
    change.eliminate_zeros()
    owner = np.repeat(np.arange(len(first)), np.diff(change.indptr))
    sign = np.zeros(len(first), dtype=np.int64)
    sign[owner] = np.sign(change.data)
    price = sign * (cost[first + 1] - cost[first])
    bad = (change.data * sign[owner] < 0) | ~is_open[change.indices]
    usable = (sign != 0) & (price >= 0) & (np.bincount(owner, bad, len(first)) == 0)
    covers = usable[owner] & (least[change.indices] + abs(change.data) >= lower[change.indices])
    # Only a column that covers all its rows can be done without.
    n_covered = np.bincount(owner, covers, len(first))
    replaceable = usable & (n_covered == np.diff(change.indptr))
    one = np.ones(int(covers.sum()), dtype=np.int64), (owner[covers], change.indices[covers])
    covering = csr_array(one, shape=change.shape)
    gone = _contained(covering, price, replaceable)
    out = np.zeros(model.n_literals, dtype=np.bool_)
    out[(first + (sign > 0))[gone]] = True
    return out


def _contained(sets: IntMatrix, price: FloatArray, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the sets ``among`` are within another one that is no dearer, (sets,).

    ``sets`` has shape (sets, members). Of equal ones the first stays.
    """
    members, n_sets = csr_array(sets.T), sets.shape[0]
    size, spread = np.diff(sets.indptr), np.diff(members.indptr)
    rarest = np.full(n_sets, sets.shape[1])
    owner = np.repeat(np.arange(n_sets), size)
    order = np.lexsort((spread[sets.indices], owner))[sets.indptr[:-1][size > 0]]
    rarest[owner[order]] = sets.indices[order]
    gone = np.zeros(n_sets, dtype=np.bool_)
    one, by_member = np.nonzero(among & (size > 0))[0], np.arange(n_sets)
    one = one[np.argsort(rarest[one], kind="stable")]
    if spread[rarest[one]].sum() > _MOST_PAIRS:
        return gone
    for part in np.split(one, np.flatnonzero(np.diff(rarest[one])) + 1) if len(one) else []:
        others = members.indices[slice(*members.indptr[rarest[part[0]] : rarest[part[0]] + 2])]
        inside = (sets[part] @ csr_array(sets[others].T)).toarray() == size[part, None]
        inside &= price[others] <= price[part, None]
        equal = (price[others] == price[part, None]) & (size[others] == size[part, None])
        inside &= ~equal | (by_member[others] < part[:, None])
        gone[part] = inside.any(axis=1)
    return gone
