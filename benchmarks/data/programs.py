"""Programs made from a seed, for benchmarks and tests.

``with_optimum`` has an objective; ``planted`` asks only for values that meet all rows, which
there are, because the rows are made around values that are drawn first. Seeds of benchmarks are
those of samplers, too, so what is drawn here comes from a stream that no sampler uses: numpy's
``SeedSequence([s, 0])`` would be ``default_rng(s)``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from zlib import crc32

import dimod
import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from qubopuzzle.model import IntArray
from qubopuzzle.programs import Program

_STREAM = 0x706C616E
"""First part of the spawn key of all that is drawn here."""
Plan = NDArray[np.int64]
"""A value for each variable, in the order in which they were made."""


def stream(kind: str, seed: int) -> Generator:
    """What an instance is drawn from."""
    return default_rng(SeedSequence(seed, spawn_key=(_STREAM, crc32(kind.encode()))))


class Rows:
    """A program in the making: variables by numbers, rows over them."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.tops: list[int] = []
        self._rows: list[tuple[str, IntArray, IntArray, float, float]] = []

    def new(self, name: str, *shape: int, top: int = 1) -> IntArray:
        """Numbers of new variables, from 0 to ``top``, in an array of this shape."""
        first = len(self.names)
        self.names += [f"{name}_{'_'.join(map(str, at))}" for at in np.ndindex(*shape)]
        self.tops += [top] * (len(self.names) - first)
        return np.arange(first, len(self.names)).reshape(shape)

    def add(
        self,
        name: str,
        variables: ArrayLike,
        *,
        low: float = -np.inf,
        high: float = np.inf,
        by: ArrayLike = 1,
    ) -> None:
        """A row ``low <= sum of by * variables <= high``; its name gets a number."""
        own = np.ravel(variables).astype(np.int64)
        factors = np.broadcast_to(np.ravel(by), own.shape).astype(np.int64)
        self._rows.append((f"{name}_{len(self._rows)}", own, factors, low, high))

    def exactly(self, name: str, total: float, variables: ArrayLike, by: ArrayLike = 1) -> None:
        """A row ``sum of by * variables = total``."""
        self.add(name, variables, low=total, high=total, by=by)

    def program(self, name: str, **objective: object) -> Program:
        """All of it; ``cost``, ``quadratic`` and ``maximize`` as ``Program.of`` takes them."""
        names, own, by, low, high = zip(*self._rows, strict=True) if self._rows else [()] * 5
        start = np.append(0, np.cumsum([len(part) for part in own])).astype(np.int64)
        nothing = np.zeros(0, dtype=np.int64)
        shape = (len(names), len(self.names))
        parts = np.concatenate([nothing, *by]), np.concatenate([nothing, *own]), start
        matrix = csr_array(parts, shape=shape, dtype=np.float64)
        more = {"upper": self.tops, "variables": self.names, "rows": names, "id": name}
        return Program.of(matrix, low or -np.inf, high or np.inf, **more, **objective)  # type: ignore[arg-type]


def cqm_of(program: Program) -> dimod.ConstrainedQuadraticModel:
    """The same for dimod; rows "exactly one" that share no variable are discrete.

    As someone would write it: of such rows the first that fit are marked.
    """
    cqm = dimod.ConstrainedQuadraticModel()
    for name, low, high in zip(program.variables, program.lower, program.upper, strict=True):
        vartype = "BINARY" if (low, high) == (0, 1) else "INTEGER"
        cqm.add_variable(vartype, name, lower_bound=int(low), upper_bound=int(high))
    sign = -1.0 if program.maximize else 1.0
    name, pairs = program.variables, program.quadratic.tocoo()
    linear = zip(name, (sign * program.cost).tolist(), strict=True)
    products = zip(pairs.row.tolist(), pairs.col.tolist(), pairs.data.tolist(), strict=True)
    cqm.set_objective([*linear, *((name[u], name[v], sign * q) for u, v, q in products)])
    discrete = {tuple(group) for group in _choices(program)}
    for at, label in enumerate(program.rows):
        own, factors = terms(program, at)
        row = [(name[v], factor) for v, factor in zip(own, factors.tolist(), strict=True)]
        low, high = program.row_lower[at], program.row_upper[at]
        if low == high:
            cqm.add_constraint_from_iterable(row, "==", rhs=low, label=label)
            if low == 1 and tuple(own.tolist()) in discrete:
                cqm.discrete.add(label)
                discrete.remove(tuple(own.tolist()))
            continue
        if low > -np.inf:
            cqm.add_constraint_from_iterable(row, ">=", rhs=low, label=f"{label} low")
        if high < np.inf:
            cqm.add_constraint_from_iterable(row, "<=", rhs=high, label=label)
    return cqm


# --- with an objective -----------------------------------------------------------------


def with_optimum(kind: str, seed: int) -> Program:
    """A small program of a kind of ``OPTIMIZED`` whose optimum can be proved."""
    return OPTIMIZED[kind](stream(kind, seed), f"{kind}-{seed}")


def _generalised_assignment(rng: Generator, name: str) -> Program:
    """5 agents, 25 jobs; what a job costs falls with what it takes (type D of the literature)."""
    rows, agents, jobs = Rows(), 5, 25
    x = rows.new("x", jobs, agents)
    takes = rng.integers(1, 101, x.shape)
    cost = 111 - takes + rng.integers(-10, 11, x.shape)
    for job in range(jobs):
        rows.exactly("job", 1, x[job])
    for agent in range(agents):
        total = int(0.8 * takes[:, agent].sum() / agents)
        rows.add("agent", x[:, agent], high=total, by=takes[:, agent])
    return rows.program(name, cost=cost.ravel())


def _independent_set(rng: Generator, name: str) -> Program:
    """80 weighted vertices, a tenth of all edges."""
    rows = Rows()
    x = rows.new("x", 80)
    for edge in combinations(x, 2):
        if rng.random() < 0.1:
            rows.add("edge", edge, high=1)
    return rows.program(name, cost=rng.integers(1, 21, len(x)), maximize=True)


def _set_packing(rng: Generator, name: str) -> Program:
    """150 sets of 2 to 6 of 60 elements, worth about their size."""
    rows = Rows()
    x = rows.new("set", 150)
    members = [rng.choice(60, rng.integers(2, 7), replace=False) for _ in x]
    for element in range(60):
        own = [v for v in x if element in members[v]]
        if len(own) > 1:
            rows.add("element", own, high=1)
    worth = np.array([10 * len(own) for own in members]) + rng.integers(-8, 9, len(x))
    return rows.program(name, cost=worth, maximize=True)


def _quadratic_assignment(rng: Generator, name: str) -> Program:
    """7 to 12 facilities at points of the plane; half of the pairs have a flow."""
    n = int(rng.integers(7, 13))
    rows = Rows()
    x = rows.new("x", n, n)
    for k in range(n):
        rows.exactly("facility", 1, x[k])
        rows.exactly("place", 1, x[:, k])
    points = rng.integers(0, 10, (n, 2))
    distance = np.abs(points[:, None] - points).sum(axis=2)
    flow = np.triu(rng.integers(1, 10, (n, n)) * (rng.random((n, n)) < 0.5), 1)
    return rows.program(name, quadratic=np.kron(flow, distance))


def _max_cut(rng: Generator, name: str) -> Program:
    """30 to 60 vertices of mean degree 4, weights 1 to 10; no rows."""
    rows, n = Rows(), int(rng.integers(30, 61))
    rows.new("side", n)
    weight = np.triu(rng.integers(1, 11, (n, n)) * (rng.random((n, n)) < 4 / (n - 1)), 1)
    both = weight + weight.T
    return rows.program(name, cost=both.sum(axis=0), quadratic=-2 * weight, maximize=True)


OPTIMIZED: dict[str, Callable[[Generator, str], Program]] = {
    "generalised assignment": _generalised_assignment,
    "independent set": _independent_set,
    "set packing": _set_packing,
    "quadratic assignment": _quadratic_assignment,
    "maximum cut": _max_cut,
}


def linearised(program: Program) -> Program:
    """The same with variables for products of bits, for solvers that know only linear ones.

    Where each bit is in one row "exactly one", the products of a value with all of another such
    row add up to that value, which bounds quadratic assignment well (Adams and Johnson, 1994);
    elsewhere a product is at most either factor, and at least their sum less 1.
    """
    weight = (program.quadratic + program.quadratic.T).toarray()
    if not weight.any():
        return program
    assert not weight.diagonal().any()
    rows, cost = Rows(), [program.cost]
    rows.new("v", len(program.variables))
    for at in range(len(program.rows)):
        own, factors = terms(program, at)
        rows.add("row", own, low=program.row_lower[at], high=program.row_upper[at], by=factors)
    groups = _choices(program)
    for one, other in combinations(groups, 2):
        factors = weight[np.ix_(one, other)]
        if not factors.any():
            continue
        cost.append(factors.ravel())
        both = rows.new(f"both{len(cost)}", len(one), len(other))
        if len(one) == len(other) == 1:
            single = [*one, *other, *both.ravel()]
            rows.add("product", single, high=1, by=[1, 1, -1])
            rows.add("factor", single, low=0, by=[1, 0, -1])
            rows.add("factor", single, low=0, by=[0, 1, -1])
            continue
        for values, products in ((one, both), (other, both.T)):
            for value, own in zip(values, products, strict=True):
                rows.exactly("product", 0, [value, *own], by=[-1, *np.ones(len(own))])
    return rows.program(program.id, cost=np.concatenate(cost), maximize=program.maximize)


def terms(program: Program, row: int) -> tuple[IntArray, NDArray[np.float64]]:
    """The variables of a row, and their coefficients."""
    own = slice(*program.matrix.indptr[row : row + 2])
    return program.matrix.indices[own], program.matrix.data[own]


def _choices(program: Program) -> list[list[int]]:
    """The first rows "exactly one" that share no bit, and every other bit by itself."""
    free, groups = set(range(len(program.variables))), []
    for at in range(len(program.rows)):
        own, factors = terms(program, at)
        exact = program.row_lower[at] == program.row_upper[at] == 1 and (factors == 1).all()
        if exact and free.issuperset(own.tolist()):
            groups.append(own.tolist())
            free.difference_update(own.tolist())
    return [*groups, *([v] for v in sorted(free))]
