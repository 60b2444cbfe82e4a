"""What moves among states of a model lead to, for every kind of them."""

import numpy as np
import pytest

from qubopuzzle.annealing import State
from qubopuzzle.model import violation
from strategies import assignments


def check_moves(form, name, seed, check):
    """From any assignment, by the method of this name; ``check`` looks at the state after each."""
    every = assignments(form.model)
    least = min(form.objective(x) for x in every if violation(form.model, x) == 0)
    state = State(form, np.random.default_rng(seed))
    state.set_values(form.state(every[seed % len(every)]))
    for n in (1, 2, 3, 300):
        assert getattr(state, name)(n) == n
        reached, best = form.literals(state.value), form.literals(state.best)
        assert violation(form.model, reached) == violation(form.model, best) == 0 == state.energy
        assert state.arrays.total.tolist() == (form.propagator.rows @ reached).tolist()
        assert form.objective(best) == pytest.approx(state.worth)
        assert least - 1e-9 <= state.worth <= form.objective(reached) + 1e-9
        check(state, reached)
    assert state.worth == pytest.approx(least)
