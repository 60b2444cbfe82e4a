"""Landscapes: what they call a local minimum is one, and distances are those to the lowest."""

import dimod
import numpy as np
import pytest
from matplotlib import pyplot

from qubopuzzle import InputError, landscape


def model(vartype, n=8):
    rng = np.random.default_rng(1)
    fields = dict(enumerate(rng.normal(size=n)))
    return dimod.BQM(fields, {(u, v): rng.normal() for u in range(n) for v in range(u)}, 1, vartype)


@pytest.mark.parametrize("vartype", ["SPIN", "BINARY"])
def test_all_local_minima_of_a_small_model_are_found(vartype):
    """By enumeration: each state against its single flips."""
    bqm = model(vartype)
    bits = (np.arange(2**8)[:, None] >> np.arange(8)) & 1
    values = bits if vartype == "BINARY" else 2 * bits - 1
    energy = bqm.energies((values, range(8)))
    flips = np.arange(2**8)[:, None] ^ (1 << np.arange(8))
    minima = np.flatnonzero((energy[:, None] <= energy[flips]).all(axis=1))
    lowest = bits[np.argmin(energy)]
    expected = sorted((energy[i], (bits[i] != lowest).sum()) for i in minima)
    found = landscape(bqm, descents=2000, seed=1)
    assert found.energy == pytest.approx([e for e, _ in expected])
    assert found.distance.tolist() == [d for _, d in expected]
    assert found.times.sum() == 2000
    assert (found.lowest, found.distance[0]) == (pytest.approx(energy.min()), 0)
    assert found.share == found.times[0] / 2000


def test_the_seed_is_kept_and_repeats_it():
    first = landscape(model("SPIN"), descents=50)
    again = landscape(model("SPIN"), descents=50, seed=first.seed)
    assert (first.energy == again.energy).all()
    assert (first.times == again.times).all()


def test_it_is_drawn_with_all_descents():
    found = landscape(model("BINARY"), descents=50, seed=1)
    ax = found.plot()
    assert len(ax.collections[0].get_offsets()) == len(
        set(zip(found.distance, found.energy, strict=True))
    )
    assert "50 descents" in str(found)
    assert "lowest energy found, " in str(found)
    pyplot.close(ax.figure)


@pytest.mark.parametrize(
    ("bqm", "more", "message"),
    [
        (dimod.BQM("SPIN"), {}, "no variables"),
        (model("SPIN"), {"descents": 0}, "descents"),
        (model("SPIN"), {"seed": -1}, "seed"),
    ],
)
def test_what_has_no_landscape_is_one_line(bqm, more, message):
    with pytest.raises(InputError, match=message):
        landscape(bqm, **more)
