"""A program's rows as statements, any of which can be left out."""

from itertools import product

import numpy as np
import pytest

from qubopuzzle import Program
from qubopuzzle.compile.oracle import Oracle


def random_program(rng):
    n, m = int(rng.integers(1, 5)), int(rng.integers(1, 7))
    matrix = rng.integers(-3, 4, (m, n)) * (rng.random((m, n)) < 0.7)
    if rng.random() < 0.4:  # differences of two variables, which other formulations put in order
        matrix[0] = 0
        matrix[0, rng.choice(n, min(n, 2), replace=False)] = [1, -1][: min(n, 2)]
    low = rng.integers(-4, 4, m).astype(float)
    high = low + rng.integers(0, 4, m)
    low[rng.random(m) < 0.3], high[rng.random(m) < 0.3] = -np.inf, np.inf
    first = rng.integers(-2, 1, n)
    more = {"lower": first, "upper": first + rng.integers(0, 4, n), "cost": rng.integers(0, 3, n)}
    return Program.of(matrix, low, high, rows=[f"c{i + 1}" for i in range(m)], **more)


@pytest.mark.parametrize("seed", range(120))
def test_each_row_is_a_statement_and_bounds_always_hold(seed):
    rng = np.random.default_rng(seed)
    program = random_program(rng)
    stated = program.stated()
    names = [statement.name for statement in stated.statements]
    assert names == [*program.rows]
    ranges = zip(program.lower.tolist(), program.upper.tolist(), strict=True)
    points = np.array([*product(*(range(low, high + 1) for low, high in ranges))])
    total = points @ program.matrix.toarray().T
    is_broken = (total < program.row_lower) | (total > program.row_upper)
    with Oracle(stated) as oracle:
        for _ in range(8):
            chosen = np.flatnonzero(rng.random(len(names)) < 0.6)
            x = oracle.solve(chosen.tolist())
            assert (x is not None) == bool((~is_broken[:, chosen].any(axis=1)).any())
            if x is not None:
                values, violations = program.read(stated.model, x)
                assert values.tolist() in points.tolist()
                assert not {names[i] for i in chosen} & {v.rule for v in violations}


def test_a_statement_says_its_row():
    rows = {"rows": ["cap"], "variables": ["a", "b", "c"]}
    program = Program.of([[2, -1, 1.5]], -np.inf, 2, **rows)
    (statement,) = program.stated().statements
    assert (statement.name, statement.words(None, None)) == ("cap", "2 a - b + 1.5 c <= 2")
