"""The linear relaxation of a model: a bound, reduced costs, and what they are good for.

The dual values y of rows, multipliers of Lagrange, take rows into the objective:

    L(y) = sum_r y_r b_r + sum_c min over literals l of choice c of (cost_l - sum_r y_r a_rl)

with b_r the lower bound of a row where y_r > 0 and the upper one where y_r < 0. No assignment that
meets all rows costs less, whatever y is (Geoffrion, "Lagrangean relaxation for integer
programming", Mathematical Programming Study 2, 1974); y is best where HiGHS finds the linear
relaxation's optimum. What is in brackets, above its choice's least, is the literal's reduced cost:
what L(y) rises by if it is true.
"""

import threading
import time
from dataclasses import dataclass
from math import ceil, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from qubopuzzle.annealing.dominance import dominated
from qubopuzzle.model import UNBOUNDED, IntArray, Model
from qubopuzzle.model.data import Objective, signatures
from qubopuzzle.model.segments import all_rows, reachable

FloatArray = NDArray[np.float64]

_LARGEST = 5_000_000
"""With more terms in rows there is no relaxation."""
_MANY = 30_000
"""With more terms the interior point method is mostly faster than the dual simplex method."""
_OPTIMAL = 0
_CLOSE = 1e-9
_TOLERANCE = 1e-6
"""What is better by a smaller share of an objective whose costs are not whole is not better."""
_ROUNDING = 1e-12
"""Of all that a bound is summed up from."""
_A_ROW, _SMALLEST = 3, 16
"""The smallest core has so many literals a row, or this share of all with a reduced cost."""
_MOST = 0.75
"""A core with more of them is the whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """What the linear relaxation says of a model whose objective is linear.

    Attributes:
        bound: no assignment that meets everything has a lower objective, offset included.
        reduced: the reduced costs: what the bound rises by with a literal, (literals,); infinite
            for those that are ``dominated``.
        guide: the costs of literals less the dual values of the equalities that they are in, above
            the least of their choice, (literals,): where all equalities hold, as good an objective
            as the model's own.
        step, base: objectives are ``base`` and multiples of ``step``; any, if that is 0.
    """

    bound: float
    reduced: FloatArray
    guide: FloatArray
    step: float
    base: float

    @property
    def least(self) -> float:
        """The least objective that the bound and the step leave."""
        if not self.step:
            return self.bound
        steps = ceil((self.bound - self.base) / self.step - _CLOSE)
        return self.base + self.step * steps

    @property
    def dominated(self) -> IntArray:
        """The literals that are dominated, by number."""
        return np.flatnonzero(np.isinf(self.reduced))

    def useless(self, objective: float) -> NDArray[np.bool_]:
        """The literals that nothing better than this objective has, (literals,).

        Leaving them out is reduced cost fixing.
        """
        return self.bound + self.reduced > self._least(objective)

    def is_optimal(self, objective: float) -> bool:
        """Whether nothing is better than this objective."""
        return self.bound > self._least(objective)

    def cores(self, rows: int) -> list[IntArray]:
        """What larger and larger cores of the model leave out, each by numbers of literals.

        Of the literals with a reduced cost the first core has the cheapest, three for each of the
        ``rows`` or a sixteenth; each further one twice as many, and none is the whole. What is
        optimal is mostly made of cheap ones: Balas and Zemel, "An algorithm for large zero-one
        knapsack problems", Operations Research 28 (1980).
        """
        order = np.argsort(self.reduced, kind="stable")
        free = len(order) - int(np.count_nonzero(self.reduced))
        n = len(order) - len(self.dominated) - free
        size, cores = min(_A_ROW * rows, n // _SMALLEST), []
        while size < _MOST * n:
            cores.append(order[free + size :])
            size = max(1, 2 * size)
        return cores

    def _least(self, objective: float) -> float:
        """What something better than this objective has at most."""
        tolerance = _CLOSE if self.step else -_TOLERANCE
        return objective - self.step + tolerance * max(1.0, abs(objective))


def can_be_relaxed(model: Model) -> bool:
    """Whether a model minimises something linear."""
    objective = model.objective
    return objective is not None and not objective.couplings.nnz and bool(objective.linear.any())


def relax(model: Model, seconds: float = inf) -> Relaxation | None:
    """Solve the linear relaxation by HiGHS; None where there is none, or it takes longer.

    Precedences and all that is met by cuts are left out, so that the bound may be lower.

    >>> from qubopuzzle import ModelBuilder
    >>> b = ModelBuilder()
    >>> x, y = b.choice("x", range(3)), b.choice("y", range(3))
    >>> values = [*x.literals[1:], *y.literals[1:]]
    >>> b.linear("sum", [0] * 4, values, [1, 2, 1, 2], lower=3, shape=(1,))
    >>> b.objective(values, [1.0, 2.0, 3.0, 6.0])
    >>> relaxed = relax(b.build())  # x is 2 and y is 1
    >>> relaxed.least, relaxed.is_optimal(5.0)
    (5.0, True)
    """
    objective = model.objective
    if objective is None or not can_be_relaxed(model):
        return None
    rows = matrix, lower, upper = all_rows(model)
    if not 0 < matrix.nnz <= _LARGEST:
        return None
    duals: list[FloatArray] = []
    deadline = time.perf_counter() + seconds
    gone = dominated(model, rows, objective.linear, seconds)
    # HiGHS cannot be interrupted, and looks at the clock only now and then; waiting for it can.
    left = max(0.0, deadline - time.perf_counter())
    worker = threading.Thread(
        target=lambda: duals.extend(_duals(model, objective, rows, ~gone, left)), daemon=True
    )
    worker.start()
    worker.join(None if left == inf else left)
    if not duals:  # or not yet
        return None
    dual, (least, most) = duals[0], reachable(model, matrix)
    # Bounds that no assignment passes may be infinite; the dual value is 0 there, but for rounding.
    side = np.where(dual > 0, np.maximum(lower, least), np.minimum(upper, most))
    least_of, reduced = _from_least(model, objective.linear - matrix.T @ dual)
    reduced[gone] = inf
    equalities = np.where(lower == upper, dual, 0.0)
    cheapest, costs = _from_least(model, objective.linear)
    rounding = _ROUNDING * (np.abs(dual) @ np.abs(side) + np.abs(least_of).sum())
    return Relaxation(
        float(objective.offset + dual @ side + least_of.sum() - rounding),
        reduced,
        _from_least(model, objective.linear - matrix.T @ equalities)[1],
        _step(costs),
        float(objective.offset + cheapest.sum()),
    )


def _from_least(model: Model, cost: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The least cost of each choice, (choices,), and what literals cost above it, (literals,)."""
    least = np.minimum.reduceat(cost, model.first_literal[:-1])
    above = cost - least[model.choice_of_literal]
    above[above < _CLOSE * max(1.0, np.abs(cost).max())] = 0.0
    return least, above


def _step(above: FloatArray) -> float:
    """The greatest common divisor of whole costs; 0 for others."""
    whole = np.rint(above)
    if np.abs(above - whole).max() > _CLOSE or whole.max() >= 2**53:
        return 0.0
    return float(np.gcd.reduce(whole.astype(np.int64)))


def _columns(
    model: Model, objective: Objective, matrix: Any, kept: NDArray[np.bool_]
) -> tuple[Any, FloatArray, IntArray, IntArray, IntArray]:
    """The columns of the linear program: literals, or one number for a choice.

    A choice whose values add 0, 1, 2, ... times the same to all rows and to the objective is such
    a number. Returns the matrix (rows, columns), the costs, what rows begin with, the literals of
    the first columns, and the choices that the others are.
    """
    first, last = model.first_literal[:-1], model.first_literal[1:] - 1
    step = np.setdiff1d(np.arange(model.n_literals), last)  # from each literal to the next
    change = csr_array((matrix[:, step + 1] - matrix[:, step]).T)
    change.eliminate_zeros()
    costs, owner = np.diff(objective.linear)[step], model.choice_of_literal[step]
    start = np.searchsorted(owner, owner)  # the first step of each one's choice
    # Two that are equal by chance would make dual values worse, and no bound wrong.
    same, n = signatures(change), len(model.choices)
    differs = (same != same[start]) | (abs(costs - costs[start]) > _CLOSE * abs(costs[start]))
    is_number = (np.bincount(owner, differs, n) == 0) & (model.sizes > 1)
    is_number &= np.logical_and.reduceat(kept, first)
    (number,) = np.nonzero(is_number)
    (literal,) = np.nonzero(kept & ~is_number[model.choice_of_literal])
    at = np.searchsorted(owner, number)
    return (
        hstack([matrix[:, literal], csr_array(change[at].T)], format="csr"),
        np.append(objective.linear[literal], costs[at]),
        matrix[:, first[number]].sum(axis=1),
        literal,
        number,
    )


def _duals(
    model: Model,
    objective: Objective,
    rows: tuple[Any, IntArray, IntArray],
    kept: NDArray[np.bool_],
    seconds: float,
) -> list[FloatArray]:
    """The rows' dual values at the relaxation's optimum, (rows,), in a list; or nothing in it.

    Of the literals that are ``kept``.
    """
    from scipy.optimize import linprog

    matrix, lower, upper = rows
    columns, cost, base, literal, number = _columns(model, objective, matrix, kept)
    n = len(literal)
    taken, at = np.unique(model.choice_of_literal[literal], return_inverse=True)
    one = csr_array((np.ones(n), (at, np.arange(n))), shape=(len(taken), len(cost)))
    equal = lower == upper
    low, high = ~equal & (lower > -UNBOUNDED), ~equal & (upper < UNBOUNDED)
    most = np.append(np.full(n, inf), model.sizes[number] - 1)
    result = linprog(
        cost,
        vstack([columns[high], -columns[low]]),
        np.concatenate([(upper - base)[high], (base - lower)[low]]),
        vstack([columns[equal], one]),
        np.concatenate([(lower - base)[equal], np.ones(len(taken))]),
        np.stack([np.zeros(len(most)), most], axis=1),
        method="highs-ipm" if columns.nnz > _MANY else "highs-ds",
        options={"time_limit": seconds},
    )
    if result.status != _OPTIMAL:
        return []
    dual = np.zeros(len(lower))
    dual[equal] = result.eqlin.marginals[: equal.sum()]
    dual[high] += result.ineqlin.marginals[: high.sum()]
    dual[low] -= result.ineqlin.marginals[high.sum() :]
    return [dual]
