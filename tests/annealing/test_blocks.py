"""Blocks of choices that are set so that all equalities hold, against enumeration."""

from itertools import product

import numpy as np
import pytest

from qubopuzzle.annealing import anneal, annealing_form
from qubopuzzle.annealing import blocks as module
from qubopuzzle.annealing.blocks import Blocks
from qubopuzzle.model import ModelBuilder


def equations(seed, n=7, values=3, rows=2, largest=40, few=1):
    """Equations over choices of numbers, met by some state, and "few may be 1" besides."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder()
    x = [builder.choice(f"x{i}", range(values)) for i in range(n)]
    by = rng.integers(1, largest + 1, (rows, n)) * rng.choice([-1, 1], (rows, n))
    by[:, 0] = largest
    planted = rng.integers(values, size=n)
    for row in by.tolist():
        pairs = [(v * c, own == v) for c, own in zip(row, x, strict=True) for v in range(values)]
        total = sum(factor * literal for factor, literal in pairs)
        builder.add("equation", total == int(np.dot(row, planted)))
    builder.add("few", sum(own == 1 for own in x) <= few)
    return builder.build(), by, by @ planted


@pytest.mark.parametrize("bits", [1, 3, 5, 17])
@pytest.mark.parametrize("seed", range(6))
def test_a_block_meets_equations_wherever_it_can(monkeypatch, bits, seed):
    monkeypatch.setattr(module, "_BITS", bits)
    model, by, wanted = equations(seed)
    form = annealing_form(model)
    blocks, rng = Blocks(form), np.random.default_rng(seed)
    n_half = min(int(bits / np.log2(3)), 7)
    met = 0
    for number in range(20):
        value = rng.integers(3, size=7)
        block = np.random.default_rng(number).permutation(7)[: 2 * n_half]
        states = np.array([value] * 3 ** len(block))
        states[:, block] = [*product(range(3), repeat=len(block))]
        states = states[(states @ by.T == wanted).all(axis=1)]
        found = blocks.complete(value, np.random.default_rng(number))
        assert (found is None) == (len(states) == 0)
        if found is not None:
            assert found.tolist() in states.tolist()
            few = [form.energy(state) for state in states]
            assert len(few) > module._LOOKED_AT or form.energy(found) == min(few)
            met += 1
    assert met == 20 if bits == 17 else met < 20


def test_matches_are_those_of_sets():
    rng = np.random.default_rng(0)
    for n in (1, 2, 50, 3000):
        one, two = (rng.integers(4 * n, size=m, dtype=np.uint64) << 40 for m in (n, 2 * n))
        pairs = module._matches(one, two)
        assert {int(one[i]) for i, _ in pairs} == {*one.tolist()} & {*two.tolist()}
        assert all(one[i] == two[j] for i, j in pairs)


def test_blocks_are_tried_where_a_hit_is_likely():
    likely = Blocks(annealing_form(equations(0)[0]))
    assert likely.helpful
    assert not Blocks(annealing_form(equations(0, rows=12, largest=5000)[0])).helpful
    builder = ModelBuilder()
    x = builder.choice("x", range(3))
    builder.add("small", (x == 1) + 2 * (x == 2) == 1)
    assert not Blocks(annealing_form(builder.build())).helpful


def test_equations_that_sweeps_miss_are_met(monkeypatch):
    model, by, wanted = equations(3, n=20, values=10, rows=5, largest=9, few=20)
    found = [anneal(model, seed=1, reads=40, threads=threads) for threads in (1, 2)]
    assert found[0].solved
    assert (by @ found[0].reads[0].value == wanted).all()
    assert [r.value.tolist() for r in found[0].reads] == [r.value.tolist() for r in found[1].reads]
    monkeypatch.setattr(module, "_LEAST_HITS", 100.0)
    assert not anneal(model, seed=1, reads=40).solved


def test_a_sampler_tries_no_blocks(monkeypatch):
    model, _, _ = equations(3, n=20, values=10, rows=5, largest=9, few=20)
    monkeypatch.setattr(Blocks, "complete", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        anneal(model, seed=1, reads=1)
    assert anneal(model, seed=1, reads=1, fixed={"focus": 0.0}).n_reads == 1
