"""Values that a best solution does not need, as another one is at least as good.

Nothing of this holds for solutions that are not best, nor for all of those that are: it is for a
search for one.
"""

from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.model import UNBOUNDED, IntArray, IntMatrix, Model
from qubopuzzle.model.data import as_before, row_of_entry, signatures
from qubopuzzle.model.segments import reachable

FloatArray = NDArray[np.float64]

_PAIRS = 50_000_000
"""Of columns, compared in a second."""
_MOST_S = 2.0
"""Seconds for that."""
_AT_ONCE = 256
"""Columns that are compared with all others at a time, to bound the memory."""


def dominated(
    model: Model,
    rows: tuple[IntMatrix, IntArray, IntArray],
    cost: FloatArray,
    seconds: float = inf,
) -> NDArray[np.bool_]:
    """The literals that may be left out where a literal costs so much, (literals,).

    Some best solution has none of them. ``rows`` are those of ``all_rows``; where these do not say
    everything, because of precedences or graphs, none is dominated. Columns are left alone where
    comparing them would take more than some ``seconds``, and 2 in any case.
    """
    if model.precedence or model.graphs:
        return np.zeros(model.n_literals, dtype=np.bool_)
    most_pairs = _PAIRS * min(seconds, _MOST_S)
    return _repeated(model, rows[0], cost) | _covered(model, rows, cost, most_pairs)


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
    model: Model,
    rows: tuple[IntMatrix, IntArray, IntArray],
    cost: FloatArray,
    most_pairs: float,
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
    owner = row_of_entry(change)
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
    gone = _contained(covering, price, replaceable, most_pairs)
    out = np.zeros(model.n_literals, dtype=np.bool_)
    out[(first + (sign > 0))[gone]] = True
    return out


def _contained(
    sets: IntMatrix, price: FloatArray, among: NDArray[np.bool_], most_pairs: float
) -> NDArray[np.bool_]:
    """Which of the sets ``among`` are within another one that is no dearer, (sets,).

    ``sets`` has shape (sets, members). Of equal ones the first stays. None is where more pairs of
    sets than ``most_pairs`` would be compared.
    """
    members, n_sets = csr_array(sets.T), sets.shape[0]
    size, spread = np.diff(sets.indptr), np.diff(members.indptr)
    owner, filled = np.repeat(np.arange(n_sets), size), size > 0
    # A set is within others that have its rarest member.
    rarest = np.zeros(n_sets, dtype=np.int64)
    order = np.lexsort((spread[sets.indices], owner))
    rarest[filled] = sets.indices[order[sets.indptr[:-1][filled]]]
    gone = np.zeros(n_sets, dtype=np.bool_)
    (one,) = np.nonzero(among & filled)
    one = one[np.argsort(rarest[one], kind="stable")]
    if spread[rarest[one]].sum() > most_pairs:
        return gone
    begins = ~as_before(rarest[one]) | (np.arange(len(one)) % _AT_ONCE == 0)
    for part in np.split(one, np.flatnonzero(begins))[1:]:
        member = rarest[part[0]]
        others = members.indices[members.indptr[member] : members.indptr[member + 1]]
        inside = (sets[part] @ csr_array(sets[others].T)).toarray() == size[part, None]
        inside &= price[others] <= price[part, None]
        equal = (price[others] == price[part, None]) & (size[others] == size[part, None])
        inside &= ~equal | (others < part[:, None])
        gone[part] = inside.any(axis=1)
    return gone
