"""Connectivity and cycles by rounds of cuts, for solvers that know neither."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qubopuzzle import Numberlink, solve
from qubopuzzle.compile import compile_model
from qubopuzzle.errors import ModelError, SolverFailed
from qubopuzzle.model import Cut, ModelBuilder, cuts, violation, with_cuts
from qubopuzzle.puzzles.heyawake import Heyawake
from qubopuzzle.solvers import get_solver, lazy
from strategies import models

OPEN = Heyawake(rooms=[[0] * 5] * 5, clues=[8])
"""Eight black cells anywhere: many ways to shade, most of which cut white cells off."""


@pytest.mark.parametrize("solver", ["annealer", "tempering", "neal"])
@pytest.mark.parametrize("presolve", ["none", "propagate"])
def test_samplers_meet_connectivity_by_cuts(solver, presolve):
    result = solve(OPEN, solver, formulation="lazy", presolve=presolve, seed=1, time_limit=20)
    assert result.valid
    assert result.settings["rounds"] > 1
    assert result.settings["cuts"] >= result.settings["rounds"] - 1
    assert result.reads >= result.settings["rounds"]


def test_rounds_are_repeatable_and_go_on_from_the_last_sample(monkeypatch):
    starts = []
    annealer = get_solver("annealer")
    plain = type(annealer).solve

    def watched(self, task):
        starts.append(task.starts)
        return plain(self, task)

    monkeypatch.setattr(type(annealer), "solve", watched)
    results = [solve(OPEN, "annealer", formulation="lazy", seed=3) for _ in range(2)]
    assert (results[0].grid == results[1].grid).all()
    rounds = results[0].settings["rounds"]
    assert results[1].settings["rounds"] == rounds == len(starts) / 2
    assert starts[0] is None
    assert all(start is not None for start in starts[1:rounds])


def test_probing_goes_on_from_round_to_round(monkeypatch):
    begun, annealer = [], get_solver("annealer")
    plain = type(annealer).solve

    def watched(self, task):
        begun.append((task.probing, task.probing and task.probing.begun))
        return plain(self, task)

    monkeypatch.setattr(type(annealer), "solve", watched)
    result = solve(OPEN, "annealer", formulation="lazy", seed=3)
    assert result.settings["rounds"] == len(begun) > 2
    probings, works = zip(*begun, strict=True)
    assert probings[0] is None
    assert len(set(probings[1:])) == 1
    assert 0 < works[1] < works[-1]


@pytest.mark.parametrize("solver", ["annealer", "neal"])
def test_each_round_is_compiled_once(monkeypatch, solver):
    compiled = []

    def counted(model, *how):
        compiled.append(sum(len(block.lower) for block in model.linear))
        return compile_model(model, *how)

    monkeypatch.setattr("qubopuzzle.solving.settings.compile_model", counted)
    result = solve(OPEN, solver, formulation="lazy", seed=1, time_limit=20)
    assert result.settings["rounds"] > 1
    assert len(compiled) == len(set(compiled)) == result.settings["rounds"]


def test_numberlink_by_edges_meets_cycles_by_cuts():
    ring = Numberlink(grid=[[1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]], cover=False)
    for seed in range(20):
        result = solve(ring, "annealer", formulation="edges", seed=seed)
        assert result.valid


def test_the_loop_ends_without_a_solution():
    corner = Heyawake(rooms=[[0, 0, 1], [0, 0, 1], [2, 2, 1]], clues=[2, None, 2])
    assert solve(corner, "sat", formulation="lazy").status == "infeasible"
    result = solve(corner, "annealer", formulation="lazy", presolve="none", seed=0, reads=3)
    assert result.status == "unknown"


def test_exact_enumeration_of_a_qubo_does_not_cut():
    with pytest.raises(ModelError, match="no form for connectivity"):
        solve(OPEN, "exact", formulation="lazy")


def test_a_cut_that_does_not_cut_is_an_error(monkeypatch):
    nothing = np.zeros(0, dtype=np.int64)
    true = Cut("connected", np.arange(2), nothing)  # black or white: always met
    monkeypatch.setattr(lazy, "cuts", lambda model, x: [true])
    with pytest.raises(SolverFailed, match="does not exclude"):
        solve(OPEN, "annealer", formulation="lazy", seed=0)


@given(models(graphs=True), st.data())
@settings(max_examples=150, deadline=None)
def test_cuts_as_rows_say_what_the_clauses_say(model, data):
    values = [data.draw(st.sampled_from(choice.values)) for choice in model.choices]
    x = model.assignment(values)
    found = cuts(model, x)
    local = with_cuts(model, found)
    assert not local.graphs
    assert violation(local, x) >= len(found) > 0 or not found
    other = model.assignment([data.draw(st.sampled_from(c.values)) for c in model.choices])
    # Solutions meet every cut, and so every row.
    if violation(model, other) == 0:
        assert violation(local, other) == 0
        assert all(cut.meets(other) for cut in found)


def test_a_cut_comes_once_where_constraints_share_a_family():
    builder = ModelBuilder()
    bits = [builder.bit(name).literals[1] for name in "abcdef"]
    for half in (bits[:3], bits[3:]):
        builder.connected("together", half, [[0, 1], [1, 2]])
    model = builder.build()
    x = model.assignment([1, 0, 1, 1, 1, 1])
    local = with_cuts(model, cuts(model, x))
    assert sum(len(block.lower) for block in local.linear) == 1
    assert violation(local, x) == 1


def test_with_cuts_keeps_the_families():
    builder = ModelBuilder()
    bits = [builder.bit(name).literals[1] for name in "abc"]
    builder.connected("together", bits, [[0, 1], [1, 2]])
    model = builder.build()
    x = model.assignment([1, 0, 1])
    local = with_cuts(model, cuts(model, x))
    assert local.families == model.families
    assert [block.family for block in local.linear] == ["together"]
    assert local.linear[0].labels(0) == "together.cut[0]"
