"""The lightest hitting set, against enumeration."""

import time
from itertools import combinations

import numpy as np
import pytest

from qubopuzzle.errors import OutOfTime
from qubopuzzle.reasons.hitting import HittingSets


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_lightest_that_hits_all(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    weights = dict(enumerate(rng.integers(1, 6, n).tolist()))
    every = [c for size in range(n + 1) for c in combinations(range(n), size)]
    given = []
    with HittingSets(weights) as sets:
        assert sets.lightest() == []
        for _ in range(6):
            given.append({*rng.choice(n, rng.integers(1, n + 1), replace=False).tolist()})
            sets.add(given[-1])
            hit = sets.lightest()
            assert all({*hit} & each for each in given)
            least = min(sets.weight(c) for c in every if all({*c} & each for each in given))
            assert sets.weight(hit) == least
        sets.add([])
        assert sets.lightest() is None


def test_it_ends_when_time_is_over():
    rng = np.random.default_rng(0)
    with HittingSets(dict.fromkeys(range(120), 1)) as sets:
        for _ in range(400):
            sets.add(rng.choice(120, 6, replace=False).tolist())
        with pytest.raises(OutOfTime):
            sets.lightest(time.perf_counter() + 0.05)
