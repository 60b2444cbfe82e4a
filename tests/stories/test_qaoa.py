"""The example of the gate model: its circuits, and the line without a simulator."""

import os
import sys
from pathlib import Path
from runpy import run_path

import dimod
import numpy as np
import pytest

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "qaoa.py")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """As it was, after an example that sets the number of threads."""
    monkeypatch.setenv("OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))


@pytest.mark.parametrize("seed", range(3))
def test_circuits_are_phases_of_the_energies_and_rotations_of_the_bits(seed):
    pytest.importorskip("qulacs")
    rng = np.random.default_rng(seed)
    bqm = dimod.generators.gnp_random_bqm(4, 0.8, "BINARY", random_state=seed)
    qaoa = run_path(EXAMPLE)["Qaoa"](bqm)
    assert qaoa.energies.tolist() == pytest.approx(bqm.energies((qaoa.bits, list(bqm.variables))))
    angles = rng.uniform(-1, 1, (2, 3))
    state = np.full(16, 0.25, dtype=complex)
    for gamma, beta in angles.T:
        state = state * np.exp(-1j * gamma * qaoa.energies / qaoa.energies.std())
        turn = np.array([[np.cos(beta), 1j * np.sin(beta)], [1j * np.sin(beta), np.cos(beta)]])
        for axis in range(4):
            state = np.moveaxis(np.tensordot(turn, state.reshape(4 * [2]), (1, axis)), 0, axis)
        state = state.ravel()
    np.testing.assert_allclose(qaoa.probabilities(angles.ravel()), np.abs(state) ** 2, atol=1e-12)


def test_more_layers_draw_answers_more_often_than_guessing():
    pytest.importorskip("qulacs")
    one, two = run_path(EXAMPLE)["compared"](depth=2, reads=10)
    assert one["guessing"] == 2**-14
    assert 10 * one["guessing"] < one["qaoa"] < two["qaoa"]


def test_without_a_simulator_there_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "qulacs", None)
    with pytest.raises(SystemExit, match=r"^QAOA takes .*: pip install 'qubopuzzle\[qaoa\]'$"):
        run_path(EXAMPLE)
