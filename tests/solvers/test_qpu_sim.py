"""The model of a quantum annealer: its distribution, its noise, and the solver around it."""

from functools import partialmethod

import dimod
import networkx as nx
import numpy as np
import pytest

from chances import chance
from qubopuzzle import InputError, Nonogram, solve
from qubopuzzle.errors import TooLarge

pytest.importorskip("dwave.system", reason="pip install 'qubopuzzle[dwave]'")

from dwave.embedding import embed_bqm

from qubopuzzle.embedding import Hardware, find_embedding
from qubopuzzle.solvers.dwave.simulated import H_RANGE, J_RANGE, SimulatedQPU
from qubopuzzle.tempering import OneHotTemperingSampler

A, PICTURE = Nonogram.examples()[:2]
CELL = Hardware.of("chimera:1")


def frustrated(n, seed=0):
    """All coupled, with fields: no state is far below the others."""
    rng = np.random.default_rng(seed)
    fields = dict(enumerate(rng.normal(size=n)))
    couplings = {(u, v): rng.normal() for u in range(n) for v in range(u)}
    return dimod.BinaryQuadraticModel(fields, couplings, 0.0, "SPIN")


def p_value(sampleset, model, beta):
    """Of the reads, against the enumerated Boltzmann distribution of a model of spins."""
    n = model.num_variables
    states = 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1) - 1
    names = list(model.variables)
    weight = np.exp(-beta * model.energies((states, names)))
    reads = sampleset.record.num_occurrences
    expected = reads.sum() * weight / weight.sum()
    columns = [sampleset.variables.index(v) for v in names]
    number = (sampleset.record.sample[:, columns] > 0) @ (1 << np.arange(n))
    observed = np.bincount(number, weights=reads, minlength=2**n)
    often = expected >= 5
    assert often.sum() > 5
    observed, expected = (np.append(a[often], a[~often].sum()) for a in (observed, expected))
    return chance(observed, expected)


@pytest.mark.parametrize("method", ["exact", "tempering"])
@pytest.mark.parametrize("strength", [0.3, 2.0], ids=["weak chains", "strong chains"])
def test_without_noise_reads_follow_the_boltzmann_distribution(method, strength):
    """Of the embedded model, by enumeration of the qubits: chi-square at the 0.1 percent level.

    Temperatures that are wrong by a quarter are noticed.
    """
    logical = frustrated(5)
    embedding = find_embedding(logical.change_vartype("BINARY", inplace=False), CELL, seed=1).best
    chains = dict(enumerate(embedding.chains))
    embedded = embed_bqm(logical, chains, CELL.graph, chain_strength=strength)
    assert embedded.num_variables == 8
    device = SimulatedQPU(CELL, noise=0, beta=1.0, method=method, seed=2, sweeps=100)
    found = device.sample(embedded, num_reads=800)
    broken = np.mean([len({s[q] for q in chains[v]}) > 1 for s in found.samples() for v in chains])
    assert (broken > 0.05) == (strength < 1)
    scale = max(
        max(max(h / 4, -h / 4) for h in embedded.linear.values()),
        max(max(c / 1, -c / 2) for c in embedded.quadratic.values()),
    )
    assert p_value(found, embedded, 1.0 / scale) > 0.001
    for wrong in (0.75, 1.25):
        assert p_value(found, embedded, wrong / scale) < 1e-6


def test_a_wrong_temperature_is_noticed():
    """The test above can fail."""
    model = frustrated(4).spin
    cell = {0: 0, 1: 4, 2: 1, 3: 5}
    model = dimod.BinaryQuadraticModel(
        {cell[v]: h for v, h in model.linear.items()},
        {(cell[u], cell[v]): c for u, v, c in model.iter_quadratic() if (u + v) % 2},
        0.0,
        "SPIN",
    )
    found = SimulatedQPU(CELL, noise=0, beta=1.0, method="exact", seed=1).sample(
        model, num_reads=3000
    )
    programmed = SimulatedQPU(CELL, noise=0)._programmed(model)
    assert p_value(found, programmed, 1.0) > 0.001
    assert p_value(found, programmed, 1.5) < 1e-6


def test_coefficients_are_scaled_to_fit_and_rounded():
    model = dimod.BinaryQuadraticModel({0: 3.0, 4: -80.0}, {(0, 4): 5.0, (0, 5): -7.0}, 0.0, "SPIN")
    held = SimulatedQPU(CELL, noise=0)._programmed(model)
    assert held.linear[4] == H_RANGE[0]  # the one that is furthest out
    assert held.linear[0] == pytest.approx(3 / 20)
    assert held.quadratic[0, 4] == pytest.approx(5 / 20)
    rounded = SimulatedQPU(CELL, noise=0, bits=3)._programmed(model)
    assert [rounded.linear[v] for v in (0, 4, 5)] == [0, -4, 0]  # steps of 1
    step = (J_RANGE[1] - J_RANGE[0]) / 8
    assert rounded.quadratic[0, 4] == pytest.approx(step)
    assert not SimulatedQPU(CELL, noise=0)._programmed(dimod.BQM({0: 0}, {}, 0, "SPIN")).linear[0]


def test_errors_are_drawn_for_each_coefficient_and_programming():
    graph = Hardware.of("zephyr:4")
    device = SimulatedQPU(graph, noise=0.05, seed=1)
    model = dimod.BinaryQuadraticModel(
        dict.fromkeys(device.nodelist, 1.0), dict.fromkeys(device.edgelist, 1.0), 0.0, "SPIN"
    )
    first, second = device._programmed(model), device._programmed(model)
    for part in ("linear", "quadratic"):
        errors = [np.array([*getattr(held, part).values()]) - 1 for held in (first, second)]
        for own in errors:
            assert own.std() == pytest.approx(0.05, rel=0.1)
            assert abs(own.mean()) < 0.01
        assert abs(np.corrcoef(*errors)[0, 1]) < 0.15


def test_energies_are_those_that_were_asked_for():
    model = dimod.BinaryQuadraticModel({0: 1.0, 4: -0.5}, {(0, 4): 2.0}, 3.0, "BINARY")
    found = SimulatedQPU(CELL, noise=0.5, seed=1).sample(model, num_reads=20)
    assert found.vartype is dimod.BINARY
    assert found.record.energy == pytest.approx(model.energies(found))


@pytest.mark.parametrize(
    "more", [{"noise": -1}, {"beta": 0}, {"method": "quantum"}, {"bits": 31}, {"sweeps": 0}]
)
def test_numbers_out_of_range_are_refused(more):
    with pytest.raises(InputError):
        SimulatedQPU(CELL, **more)


# --- the solver ------------------------------------------------------------------------


@pytest.mark.parametrize("puzzle", [A, PICTURE], ids=["A", "12x9"])
def test_without_much_noise_the_pictures_are_solved(puzzle):
    options = {"topology": "zephyr:4", "yield": 0.98}
    result = solve(puzzle, "qpu-sim", seed=1, reads=20, options=options)
    assert result.valid
    assert result.settings["qpu"] == "qpu-sim"
    assert result.reads == 20
    again = solve(puzzle, "qpu-sim", seed=1, reads=20, options=options)
    assert (again.samples.record.sample == result.samples.record.sample).all()


def test_noise_spoils_it_and_weak_chains_break():
    options = {"topology": "zephyr:4", "noise": 2.0, "gauges": 2}
    spoilt = solve(A, "qpu-sim", seed=1, reads=20, options=options)
    assert not spoilt.valid
    options = {"topology": "zephyr:4", "noise": 0, "chain_multiple": 0.01, "beta": 1}
    told = solve(A, "qpu-sim", seed=1, reads=20, options=options).settings
    assert told["chain_break_fraction"] > 0.05
    assert told["broken_reads"] > 10


def test_exact_sampling_of_what_is_too_wide_is_one_line():
    device = SimulatedQPU(Hardware("a clique", nx.complete_graph(27)), method="exact")
    with pytest.raises(TooLarge, match=r"treewidth up to 25, on qubits; use method tempering"):
        device.sample_ising({}, dict.fromkeys(device.edgelist, 1.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topology": "ring:3"}, "topology 'ring:3'"),
        ({"noise": -1}, "option noise"),
        ({"yield": 2}, "option yield"),
        ({"method": "quantum"}, "expected tempering or exact"),
        ({"topology": "chimera:1"}, "has no embedding on chimera:1: 8 qubits"),
    ],
)
def test_what_cannot_be_done_is_one_line(options, message):
    with pytest.raises((InputError, TooLarge), match=message) as found:
        solve(A, "qpu-sim", seed=1, options=options)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("gauges", [0, 2])
def test_on_ctrl_c_the_reads_so_far_are_kept(monkeypatch, gauges):
    sample = OneHotTemperingSampler.sample
    stopped = partialmethod(sample, interrupt_function=lambda: True)
    monkeypatch.setattr(OneHotTemperingSampler, "sample", stopped)
    options = {"topology": "chimera:4", "sweeps": 10**6, "gauges": gauges}
    result = solve(A, "qpu-sim", reads=8, seed=1, options=options)
    assert result.interrupted
    assert result.reads >= 1
    assert result.samples is not None
