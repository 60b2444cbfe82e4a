"""QUBOs without anything else: who comes lowest in the same seconds? Six kinds.

Cuts and spin glasses on graphs from a seed, dense QUBOs of random whole numbers, and round trips
whose rules are penalties. The annealer's temperatures were chosen on seeds below 1,000. All solvers
are ours to call, one thread each: ``annealer`` at its defaults, and what D-Wave publishes as neal,
tabu and tempering, at its defaults, read after read. A gap is that to the lowest that anyone found.
"""

from __future__ import annotations

from functools import partial
from statistics import mean

import numpy as np
from scipy.sparse import coo_array, csr_array

from data.instances import warm_up
from harness import Args, Benchmark, Cases, Row, Rows, grouped, markdown
from qubopuzzle import solve
from qubopuzzle.programs import Program

SOLVERS = ("annealer", "neal", "tabu", "tempering")
SEED = 1000


def graph(n: int, degree: int, weights: tuple[int, ...], seed: int) -> Program:
    """The least of ``sum of w (2 a b - a - b)`` over edges of a random graph: minus a cut."""
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(0, n, (2 * n * degree, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    edges = pairs[rng.choice(len(pairs), n * degree // 2, replace=False)]
    return _cut(n, edges, rng.choice(weights, len(edges)))


def torus(side: int, seed: int) -> Program:
    """The same on a square grid that is closed, with weights of 1 and -1."""
    cells = np.arange(side * side).reshape(side, side)
    beside = [np.stack([cells, np.roll(cells, 1, axis)], axis=-1).reshape(-1, 2) for axis in (0, 1)]
    edges = np.concatenate(beside)
    return _cut(side * side, edges, np.random.default_rng(seed).choice((-1, 1), len(edges)))


def _cut(n: int, edges: np.ndarray, weight: np.ndarray) -> Program:
    cost = -np.bincount(edges.ravel(), np.repeat(weight, 2), minlength=n)
    return _qubo(coo_array((2.0 * weight, edges.T), shape=(n, n)), cost)


def dense(n: int, seed: int) -> Program:
    """Coefficients from -100 to 100 of all pairs and bits."""
    numbers = np.random.default_rng(seed).integers(-100, 101, (n, n)).astype(float)
    return _qubo(np.triu(numbers, 1), np.diag(numbers))


def round_trip(n: int, seed: int) -> Program:
    """A shortest round trip: a bit for each town and time; a broken rule costs three distances."""
    x, y = np.random.default_rng(seed).random((2, n))
    distance = np.rint(100 * np.hypot(x[:, None] - x, y[:, None] - y))
    next_to = np.roll(np.eye(n), 1, axis=1)
    once = np.kron(np.eye(n), np.ones((n, n))) + np.kron(np.ones((n, n)), np.eye(n))
    penalty = 3 * distance.max()
    both = np.kron(distance, next_to) + penalty * once
    cost = np.diag(both) - 4 * penalty
    return _qubo(np.triu(both + both.T, 1), cost)


def _qubo(pairs: object, cost: np.ndarray) -> Program:
    return Program.of(csr_array((0, len(cost))), quadratic=csr_array(pairs), cost=cost)


KINDS = {
    "cut, 2,000 bits, degree 4": partial(graph, 2000, 4, (1,)),
    "cut, 800 bits, degree 48": partial(graph, 800, 48, (1,)),
    "spin glass, 3,000 bits, degree 6": partial(graph, 3000, 6, (-1, 1)),
    "spin glass, torus of 2,500 bits": partial(torus, 50),
    "dense, 300 bits": partial(dense, 300),
    "round trip, 12 towns": partial(round_trip, 12),
}


def cases(args: Args) -> Cases:
    for solver in SOLVERS:
        warm_up(solver)
    for kind in KINDS:
        for number in range(args.instances):
            yield f"{kind}, {number}", of_instance, kind, SEED + number, args.limit


def of_instance(kind: str, seed: int, limit: float) -> list[Row]:
    program = KINDS[kind](seed)
    rows = []
    for solver in SOLVERS:
        result = solve(program, solver, seed=seed, time_limit=limit)
        assert result.valid
        assert result.objective == program.objective_of(np.ravel(result.grid))
        row = {"kind": kind, "instance": seed, "solver": solver, "seed": seed, "limit_s": limit}
        rows.append(row | {"objective": result.objective, "s": result.timings_s["solve"]})
    return rows


def show(rows: Rows) -> str:
    by_instance = grouped(rows, "kind", "instance")
    least = {key: min(row["objective"] for row in of) for key, of in by_instance.items()}
    lines = []
    for (kind,), of_kind in grouped(rows, "kind").items():
        cells = [kind]
        for solver in SOLVERS:
            own = [row for row in of_kind if row["solver"] == solver]
            gaps = [_gap(row["objective"], least[kind, row["instance"]]) for row in own]
            cells.append(f"{mean(gaps):.2f} ({sum(gap == 0 for gap in gaps)} of {len(gaps)})")
        lines.append(cells)
    heads = ["kind", *SOLVERS]
    note = "Mean gaps to the lowest that anyone found, in percent, and how often it was found."
    return f"{markdown(heads, lines)}\n\n{note} {rows[0]['limit_s']:g} s each."


def _gap(value: float, least: float) -> float:
    return 100 * (value - least) / max(1.0, abs(least))


BENCHMARKS = (Benchmark("qubos", cases, {"qubos": show}),)
SETTINGS = {
    "instances": (4, "QUBOs of each kind"),
    "limit": (3.0, "seconds a run"),
}
