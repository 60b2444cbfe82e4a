"""AnnealingSampler and from_cqm: by enumeration, by dimod's own judge and conformance suite."""

import signal
import time
import unittest
from itertools import product

import dimod
import dimod.testing
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from qubopuzzle import AnnealingSampler, InputError, from_bqm, from_cqm, judge, solve
from qubopuzzle.programs.dimod_models import cqm_program

BITS, SPINS = ["a", 1, ("c", 2)], ["s", "1"]


def planted(seed, n=40, rows=20):
    """A CQM of assignments, knapsacks and dense equalities that has a solution, and objective."""
    rng = np.random.default_rng([seed, 77])
    cqm, x = dimod.ConstrainedQuadraticModel(), rng.integers(0, 2, n)
    for v in range(n):
        cqm.add_variable("BINARY", v)
    for _ in range(rows):
        own = rng.choice(n, 6, replace=False)
        weight = rng.integers(1, 6, 6) if rng.random() < 0.5 else np.ones(6)
        terms = [(int(v), float(w)) for v, w in zip(own, weight, strict=True)]
        cqm.add_constraint(terms, str(rng.choice(["<=", ">=", "=="])), float(weight @ x[own]))
    return cqm


@st.composite
def cqms(draw):
    """Bits, spins and integers, odd labels, hard and soft constraints, a quadratic objective."""
    cqm = dimod.ConstrainedQuadraticModel()
    labels = draw(st.lists(st.sampled_from([*BITS, *SPINS]), unique=True))
    for label in labels:
        cqm.add_variable("SPIN" if label in SPINS else "BINARY", label)
    if draw(st.booleans()) or not labels:
        low = draw(st.integers(-2, 1))
        cqm.add_variable("INTEGER", "n", lower_bound=low, upper_bound=low + 2)
    variables = list(cqm.variables)
    number = st.sampled_from([-2, -1, -0.5, 0, 1, 1, 1, 2, 3])
    for i in range(draw(st.integers(0, 3))):
        own = draw(st.lists(st.sampled_from(variables), min_size=1, max_size=3, unique=True))
        soft = draw(st.booleans())
        small = soft and "n" not in own and draw(st.booleans())
        cqm.add_constraint(
            [(v, draw(number)) for v in own],
            draw(st.sampled_from(["<=", ">=", "=="])),
            draw(st.sampled_from([-1, 0, 0.5, 1, 2])),
            label=draw(st.sampled_from([None, f"k{i}", (i, "k")])),
            weight=1.5 if soft else None,
            penalty="quadratic" if small else "linear",
        )
    objective = dimod.QuadraticModel()
    objective.offset = 0.25
    for v in variables:
        kind = cqm.vartype(v)
        bounds = {"lower_bound": cqm.lower_bound(v), "upper_bound": cqm.upper_bound(v)}
        objective.add_variable(kind, v, **(bounds if v == "n" else {}))
        objective.add_linear(v, draw(number))
    for _ in range(draw(st.integers(0, 3))):
        u, v = draw(st.sampled_from(variables)), draw(st.sampled_from(variables))
        if u != v or u == "n":
            objective.add_quadratic(u, v, draw(number))
    cqm.set_objective(objective)
    return cqm


def points(cqm):
    """All samples, (samples, variables)."""
    ends = [
        (-1, 1)
        if cqm.vartype(v) is dimod.SPIN
        else range(int(cqm.lower_bound(v)), int(cqm.upper_bound(v)) + 1)
        for v in cqm.variables
    ]
    return np.array(list(product(*ends)))


@settings(max_examples=80, deadline=None)
@given(cqms())
def test_a_program_means_what_dimod_says(cqm):
    """Feasible ones, and what they cost at the best values of the variables of soft constraints."""
    own = cqm_program(cqm)
    program = own.program
    ranges = [range(a, b + 1) for a, b in zip(program.lower, program.upper, strict=True)]
    assume(np.prod([len(r) for r in ranges]) <= 4000)
    best = {}
    for values in product(*ranges):
        v = np.array(values)
        if not program.broken(v):
            (sample,) = own.samples(v[None]).tolist()
            key = tuple(sample)
            best[key] = min(best.get(key, np.inf), program.objective_of(v))
    judged = dimod.SampleSet.from_samples_cqm((points(cqm), cqm.variables), cqm)
    order = [judged.variables.index(v) for v in cqm.variables]
    feasible = judged.record[judged.record.is_feasible]
    expected = {
        tuple(row[order].tolist()): e
        for row, e in zip(feasible.sample, feasible.energy, strict=True)
    }
    assert best == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(cqms(), st.integers(0, 99))
def test_samples_are_judged_by_dimod(cqm, seed):
    """Small ones are always solved; values are those of the original variables."""
    found = AnnealingSampler().sample_cqm(cqm, seed=seed, num_reads=3)
    dimod.testing.assert_sampleset_energies_cqm(found.filter(lambda d: d.is_satisfied.all()), cqm)
    order = [found.variables.index(v) for v in cqm.variables]
    every = {tuple(row) for row in points(cqm).tolist()}
    assert every.issuperset(map(tuple, found.record.sample[:, order].tolist()))
    solvable = dimod.SampleSet.from_samples_cqm((points(cqm), cqm.variables), cqm)
    assert found.record.is_feasible[0] == solvable.record.is_feasible.any()
    assert found.record.is_satisfied.shape[1] == len(found.info["constraint_labels"])
    assert found.info["constraint_labels"] == list(cqm.constraints)
    assert found.info["infeasible"] is None or not solvable.record.is_feasible.any()


@pytest.mark.parametrize("seed", range(6))
def test_planted_models_are_solved_the_same_by_any_threads(seed):
    cqm = planted(seed)
    one = AnnealingSampler().sample_cqm(cqm, seed=seed, num_reads=4)
    again = planted(seed)  # dimod labels its constraints at random
    two = AnnealingSampler().sample_cqm(again, seed=seed, num_reads=4, threads=2)
    assert one.record.is_feasible.any()
    assert (one.record.sample == two.record.sample).all()
    assert [*one.info["weights"].values()] == [*two.info["weights"].values()]
    assert set(one.info["weights"]) <= set(cqm.constraints)
    assert one.info["reads"] == len(one) == 4
    order = one.record.is_feasible.astype(int).tolist()
    assert order == sorted(order, reverse=True)


def test_a_program_of_a_cqm_goes_through_the_pipeline():
    cqm = planted(2)
    found = solve(from_cqm(cqm), seed=1)
    assert found.verdict == "valid"
    assert cqm.check_feasible({int(name): value for name, value in found.values.items()})


@pytest.mark.parametrize("seed", range(3))
def test_its_reads_are_those_of_solve(seed):
    cqm = planted(seed)
    found = AnnealingSampler().sample_cqm(cqm, seed=seed, num_reads=4)
    of_solve = int(np.random.SeedSequence(seed, spawn_key=(1,)).generate_state(1)[0])
    result = solve(from_cqm(cqm), seed=of_solve, reads=4, options={"every_read": 1})
    assert found.record.is_feasible.sum() == result.samples.record.is_valid.sum()
    assert [result.values[str(v)] for v in found.variables] == found.record.sample[0].tolist()
    assert {"read", "model", "presolve", "sampling", "judge"} <= set(found.info["timings"])


def test_without_a_number_of_reads_the_first_feasible_one_ends_them():
    found = AnnealingSampler().sample_cqm(planted(1), seed=1)
    assert found.record.is_feasible.sum() == 1
    assert len(found) == found.info["reads"]


def test_a_start_that_is_feasible_is_kept_and_a_broken_one_repaired():
    cqm = planted(3)
    solution = AnnealingSampler().sample_cqm(cqm, seed=1).first.sample
    again = AnnealingSampler().sample_cqm(cqm, seed=2, num_reads=1, initial_states=solution)
    assert dict(again.first.sample) == dict(solution)
    cqm = dimod.ConstrainedQuadraticModel()
    cqm.add_discrete("abc")
    cqm.add_discrete("def")
    cqm.add_constraint([("a", 1), ("d", 1)], "<=", 1)
    start = {"a": 0, "b": 1, "c": 1, "d": 0, "e": 0, "f": 1}
    found = AnnealingSampler().sample_cqm(cqm, num_reads=1, initial_states=start)
    assert dict(found.first.sample) == {**start, "c": 0}
    with pytest.raises(InputError, match="initial_states: other variables than the model has: z"):
        AnnealingSampler().sample_cqm(cqm, initial_states={**start, "z": 1})
    for wrong in (7, 0.5, np.nan):
        with pytest.raises(InputError, match=f"initial_states: variable .* has no value {wrong}"):
            AnnealingSampler().sample_cqm(cqm, initial_states={**start, "a": wrong})


def test_what_has_no_solution_is_said_and_broken_as_little_as_can_be():
    a, b = dimod.Binaries("ab")
    cqm = dimod.ConstrainedQuadraticModel()
    cqm.add_constraint(a + b >= 3, label="many")
    found = AnnealingSampler().sample_cqm(cqm, seed=1, label="mine")
    assert found.info["infeasible"] == "propagation: many"
    assert found.info["problem_label"] == "mine"
    assert dict(found.first.sample) == {"a": 1, "b": 1}
    assert not found.record.is_feasible.any()


def test_constraints_have_the_names_that_people_gave_or_know():
    a, b = dimod.Binaries("ab")
    cqm = dimod.ConstrainedQuadraticModel()
    cqm.add_constraint(a + b >= 3, label="c000001")
    cqm.add_constraint(a - b <= 1, label="some")
    assert from_cqm(cqm).rows == ("c000001", "some")
    cqm.relabel_constraints({"c000001": "cf00d42"})  # as dimod draws them
    assert from_cqm(cqm).rows == ("row0", "some")
    assert AnnealingSampler().sample_cqm(cqm, seed=1).info["infeasible"] == "propagation: cf00d42"


def test_what_presolving_decides_needs_no_annealing():
    a, b = dimod.Binaries("ab")
    cqm = dimod.ConstrainedQuadraticModel()
    cqm.set_objective(a - b + 3)
    cqm.add_constraint(a + b >= 2)
    found = AnnealingSampler().sample_cqm(cqm)
    assert dict(found.first.sample) == {"a": 1, "b": 1}
    assert (found.first.energy, found.info["presolve"]) == (3, {"variables": 2, "decided": 2})


def test_without_constraints_the_optimum_is_found():
    rng = np.random.default_rng(5)
    cqm = dimod.ConstrainedQuadraticModel()
    cqm.set_objective(dimod.generators.ran_r(3, 12, seed=int(rng.integers(99))))
    found = AnnealingSampler().sample_cqm(cqm, seed=1)
    assert found.first.energy == dimod.ExactCQMSolver().sample_cqm(cqm).first.energy
    assert set(np.unique(found.record.sample)) == {-1, 1}
    two = dimod.QuadraticModel()
    two.add_variable("INTEGER", "n", lower_bound=3, upper_bound=4)  # two values, and no bit
    two.add_linear("n", -1)
    found = AnnealingSampler().sample_cqm(dimod.ConstrainedQuadraticModel.from_qm(two))
    assert set(found.record.sample[:, 0].tolist()) <= {3, 4}


def test_time_limit_and_interruption_keep_the_best():
    rng = np.random.default_rng(1)
    cqm = dimod.ConstrainedQuadraticModel()
    for row in range(20):  # equalities that nobody can meet soon, if at all
        terms = [(f"x{v}", float(w)) for v, w in enumerate(rng.integers(1, 5000, 30))]
        if not row:
            for v, _ in terms:
                cqm.add_variable("BINARY", v)
        cqm.add_constraint(terms, "==", 40_000 + row)
    AnnealingSampler().sample_cqm(cqm, num_reads=1, interrupt_function=lambda: True)  # compiled
    began = time.perf_counter()
    found = AnnealingSampler().sample_cqm(cqm, time_limit=0.3)
    assert time.perf_counter() - began < 3
    assert found.info["timed_out"]
    assert len(found) >= 1
    for ends in (lambda: True, lambda: signal.raise_signal(signal.SIGINT)):
        asked = AnnealingSampler().sample_cqm(cqm, interrupt_function=ends)
        assert asked.info["interrupted"]
        assert len(asked) >= 1


def refused(what, *, product=False, label="k", **soft):
    cqm = dimod.ConstrainedQuadraticModel()
    x, y, z = dimod.Binary("x"), dimod.Binary("y"), what
    cqm.add_constraint(x * y + z <= 1 if product else x + y + z <= 1, label=label, **soft)
    return cqm


@pytest.mark.parametrize(
    ("cqm", "message"),
    [
        (refused(dimod.Real("r", upper_bound=3)), "variable r is REAL"),
        (
            refused(-dimod.Integer("i")),
            "variable i: 0 to 9.00719925474099e[+]15, but a choice has at most 1,024",
        ),
        (refused(dimod.Binary("b"), product=True), "constraint k: products of variables"),
        (refused(2000 * dimod.Binary("b"), weight=2), "constraint k is soft and may be missed by"),
        (refused(2e16 * dimod.Binary("b")), "row k: its terms add up to 2e[+]16 in whole numbers"),
        (dimod.BinaryQuadraticModel("SPIN"), "expected a dimod.ConstrainedQuadraticModel"),
    ],
)
def test_what_cannot_be_taken_is_one_line(cqm, message):
    with pytest.raises(InputError, match=message) as error:
        AnnealingSampler().sample_cqm(cqm)
    assert "\n" not in str(error.value)


def test_a_cqm_is_no_bqm():
    with pytest.raises(InputError, match=r"expected a dimod.Binary.*; a CQM is for sample_cqm"):
        AnnealingSampler().sample(planted(0, 8, 2))


def test_spins_are_bits_of_a_program():
    s, t, b = dimod.Spin("s"), dimod.Spin("t"), dimod.Binary("b")
    cqm = dimod.ConstrainedQuadraticModel()
    cqm.set_objective(2 * s * t - 3 * s * b + t + 0.5)
    cqm.add_constraint(s + t + 2 * b <= 1, label="row")
    bqm = dimod.BinaryQuadraticModel({"s": 1, "t": -2}, {"st": 3}, 0.5, "SPIN")
    programs = from_cqm(cqm), from_bqm(bqm)
    for x in product([0, 1], repeat=3):
        sample = {"s": 2 * x[0] - 1, "t": 2 * x[1] - 1, "b": x[2]}
        v = np.array([dict(zip("stb", x, strict=True))[name] for name in programs[0].variables])
        assert programs[0].objective_of(v) == cqm.objective.energy(sample)
        assert bool(programs[0].broken(v)) != cqm.check_feasible(sample)
        assert programs[1].objective_of(x[:2]) == bqm.energy({k: sample[k] for k in "st"})
    assert bqm.vartype is dimod.SPIN


@pytest.mark.parametrize("dtype", [np.float32, np.float64, object])
def test_a_bqm_is_a_program_without_rows(dtype):
    bqm = dimod.BinaryQuadraticModel({"a": 1, 1: -2}, {("a", 1): 3}, 0.5, "BINARY", dtype=dtype)
    program = from_bqm(bqm)
    for x in product([0, 1], repeat=2):
        named = dict(zip(bqm.variables, x, strict=True))
        assert program.objective_of(x) == bqm.energy(named)
    found = solve(program, "tempering", seed=1)
    assert found.objective == -1.5
    assert judge(program, found).valid


@pytest.mark.parametrize(
    "wrong", [{"num_reads": 0}, {"time_limit": -1}, {"seed": -1}, {"threads": 257}]
)
def test_arguments_out_of_range(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        AnnealingSampler().sample_cqm(planted(0, 8, 2), **wrong)


def test_the_interface_of_dimod():
    sampler = AnnealingSampler()
    dimod.testing.assert_sampler_api(sampler)
    assert {"num_reads", "time_limit", "seed", "threads"} <= set(sampler.parameters)
    with pytest.warns(dimod.exceptions.SamplerUnknownArgWarning, match="lagrange"):
        sampler.sample_cqm(planted(0, 8, 2), lagrange_parameter=3)


@dimod.testing.load_sampler_bqm_tests(AnnealingSampler)
class TestOfDimod(unittest.TestCase):
    pass
