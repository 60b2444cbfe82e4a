"""Replica exchange with one-hot groups: dimod's conventions, distributions, limits."""

import re
import time
import unittest
from collections import Counter
from itertools import pairwise, product
from pathlib import Path

import dimod
import dimod.testing
import numpy as np
import pytest
from dimod.testing.sampler import create_bqm_tests
from hypothesis import given, settings
from hypothesis import strategies as st

from chances import chance
from kernels import compiled_and_plain
from qubopuzzle import InputError, Nonogram, OneHotTemperingSampler, solve
from qubopuzzle.compile import compile_qubo
from qubopuzzle.tempering import Replicas, one_hot_groups, tempering_form
from qubopuzzle.tempering.kernels import NEGLIGIBLE
from qubopuzzle.tempering.ladder import default_beta_range, equalize_acceptance, geometric, tables

SAMPLER = OneHotTemperingSampler()
NOISE = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (12, 12)))


def rng(seed=0):
    return np.random.Generator(np.random.PCG64(seed))


def nonogram(puzzle):
    qubo = compile_qubo(puzzle.model(), "one-hot")
    return qubo.to_bqm(labelled=False), qubo.groups


@st.composite
def bqms(draw):
    """A BQM of a few variables with odd labels, and one-hot groups on some of them."""
    labels = ["a", ("b", 1), 7, frozenset("c"), "e", 0.5][: draw(st.integers(1, 6))]
    bias = st.integers(-4, 4) | st.sampled_from([0.5, -1.25, 0.1, 1 / 3])
    linear = {v: draw(bias) for v in labels}
    pairs = [(u, v) for i, u in enumerate(labels) for v in labels[:i]]
    quadratic = {pair: draw(bias) for pair in pairs if draw(st.booleans())}
    vartype = draw(st.sampled_from(["BINARY", "SPIN"]))
    bqm = dimod.BinaryQuadraticModel(linear, quadratic, draw(bias), vartype)
    order = draw(st.permutations(labels))
    first, second = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    groups = [group for group in (order[:first], order[first : first + second]) if group]
    return bqm, groups


def allowed(bqm, groups):
    """All samples that keep the groups, with their energies, in the BQM's order."""
    values = sorted(bqm.vartype.value)
    samples = np.array(list(product(values, repeat=bqm.num_variables)))
    place = {v: i for i, v in enumerate(bqm.variables)}
    for group in groups:
        samples = samples[(samples[:, [place[v] for v in group]] == 1).sum(axis=1) == 1]
    return samples, bqm.energies((samples, list(bqm.variables)))


@pytest.mark.parametrize("test", list(create_bqm_tests(OneHotTemperingSampler)))
def test_dimods_own_tests(test):
    test(unittest.TestCase())


def test_the_sampler_is_a_dimod_sampler():
    dimod.testing.asserts.assert_sampler_api(SAMPLER)
    with pytest.warns(dimod.exceptions.SamplerUnknownArgWarning, match="colour"):
        SAMPLER.sample_ising({"a": 1}, {}, colour="blue")


@settings(max_examples=40)
@given(case=bqms())
def test_energies_are_the_bqms_and_the_ground_state_is_found(case):
    bqm, groups = case
    found = SAMPLER.sample(bqm, one_hot_groups=groups, seed=1, num_reads=2, num_sweeps=200)
    assert list(found.variables) == list(bqm.variables)
    assert found.vartype is bqm.vartype
    assert found.record.energy == pytest.approx(bqm.energies(found))
    for sample in found.samples():
        assert all([sample[v] for v in group].count(1) == 1 for group in groups)
    assert found.first.energy == pytest.approx(allowed(bqm, groups)[1].min())
    if not groups:
        assert found.first.energy == pytest.approx(dimod.ExactSolver().sample(bqm).first.energy)


@settings(max_examples=40)
@given(case=bqms())
def test_fields_and_energies_stay_true_while_it_runs(case):
    bqm, groups = case
    form = tempering_form(bqm, groups)
    replicas = Replicas(form, np.array([0.2, 1.0, 3.0]), rng())
    replicas.run(50)
    halves = not {0.1, 1 / 3} & {*bqm.linear.values(), *bqm.quadratic.values()}
    assert form.exact or not halves
    for r in range(3):
        sample = form.sample(replicas.value[r])
        energy = bqm.energies((sample, list(bqm.variables)))[0]
        assert replicas.energy[r] / form.scale + form.offset == pytest.approx(energy)
        assert (form.state(sample, rng()) == replicas.value[r]).all()
    before = replicas.field.copy(), replicas.energy.copy(), replicas.replica.copy()
    replicas.set_ladder(replicas.beta)
    assert replicas.field == pytest.approx(before[0][before[2]])
    assert replicas.energy == pytest.approx(before[1][before[2]])


TOY = dimod.BinaryQuadraticModel(
    {"a": 1, "b": 0, "c": -1, "x": 1, "y": -1, "z": 0, "w": 1},
    {"ax": 2, "bx": -1, "cy": 2, "xz": 1, "yz": -2, "az": 1, "ab": 5, "xy": 3, "zw": 1, "wb": -2},
    1,
    "BINARY",
)


@pytest.mark.parametrize("exact", [True, False], ids=["integer", "float"])
@pytest.mark.parametrize("vartype", ["BINARY", "SPIN"])
def test_both_temperatures_follow_the_boltzmann_distribution(exact, vartype):
    """With swaps on, chi-square over all states at the 0.1 percent level."""
    bqm = TOY.change_vartype(vartype, inplace=False)
    if not exact:
        bqm.scale(1.1)
    groups = ["abc", "xy"]
    beta = np.array([0.2, 0.5])
    form = tempering_form(bqm, groups)
    assert form.exact == exact
    replicas = Replicas(form, beta, rng(5))
    n, thin = 20_000, 5  # odd: half of the samples come right after an exchange
    seen, counts = [Counter(), Counter()], [Counter(), Counter()]
    for _ in range(n):
        replicas.run(thin)
        for k in range(2):
            seen[k][replicas.value[replicas.replica[k]].tobytes()] += 1
    for k in range(2):
        for state, times in seen[k].items():
            value = np.frombuffer(state, replicas.value.dtype)
            counts[k][tuple(form.sample(value).tolist())] += times
    assert 0.2 < replicas.acceptance[0] < 0.99
    states, energies = allowed(bqm, groups)
    for k in range(2):
        mass = np.exp(-beta[k] * energies)
        expected = n * mass / mass.sum()
        observed = np.array([counts[k][tuple(s)] for s in states.tolist()])
        assert observed.sum() == n
        assert expected.min() > 5
        assert chance(observed, expected) > 0.001


def test_the_last_states_of_the_coldest_replica_follow_the_boltzmann_distribution():
    """One a read, so that they are independent: chi-square at the 0.1 percent level."""
    groups, beta, n = ["abc", "xy"], 0.5, 3000
    found = OneHotTemperingSampler().sample(
        TOY,
        num_reads=n,
        num_sweeps=20,
        num_replicas=3,
        beta_range=[0.1, beta],
        one_hot_groups=groups,
        keep="last",
        seed=1,
    )
    states, energies = allowed(TOY, groups)
    columns = [found.variables.index(v) for v in TOY.variables]
    counts = Counter(map(tuple, found.record.sample[:, columns].tolist()))
    observed = np.array([counts[tuple(state)] for state in states.tolist()])
    mass = np.exp(-beta * energies)
    assert observed.sum() == n
    assert chance(observed, n * mass / mass.sum()) > 0.001
    lowest = OneHotTemperingSampler().sample(
        TOY, num_reads=5, num_sweeps=20, one_hot_groups=groups, seed=1
    )
    assert lowest.record.energy.mean() < found.record.energy.mean()
    with pytest.raises(InputError, match="keep: expected lowest or last, got 'first'"):
        OneHotTemperingSampler().sample(TOY, keep="first")


def test_plain_python_draws_the_same():
    """Without numba's compiler the same seed gives the same states."""
    code = (
        "import dimod, numpy as np\n"
        "from qubopuzzle import OneHotTemperingSampler\n"
        "rng = np.random.default_rng(3)\n"
        "for kind in (np.round, np.asarray):\n"
        "    h, J = kind(rng.normal(size=12) * 3), kind(rng.normal(size=(12, 12)))\n"
        "    bqm = dimod.BinaryQuadraticModel(h, np.triu(J, 1), 0, 'BINARY')\n"
        "    found = OneHotTemperingSampler().sample(\n"
        "        bqm, one_hot_groups=[range(4), range(4, 7)], seed=2, num_reads=2,\n"
        "        num_sweeps=300)\n"
        "    print(found.record.sample.tolist(), found.info['betas'], found.info['acceptance'])\n"
    )
    compiled, plain = compiled_and_plain(code)
    assert compiled == plain


@pytest.mark.parametrize("target", [None, 3.0])
def test_threads_change_nothing(target):
    bqm, groups = nonogram(NOISE)
    runs = [
        SAMPLER.sample(
            bqm,
            one_hot_groups=groups,
            seed=4,
            num_reads=6,
            num_sweeps=100,
            target_energy=target,
            num_threads=threads,
        )
        for threads in (1, 2, 2)
    ]
    for run in runs[1:]:
        assert (run.record.sample == runs[0].record.sample).all()
        assert run.info["betas"] == runs[0].info["betas"]
        assert run.info["sweeps"] == runs[0].info["sweeps"]
    other = SAMPLER.sample(bqm, one_hot_groups=groups, seed=5, num_reads=6, num_sweeps=100)
    assert (
        other.record.sample.shape != runs[0].record.sample.shape
        or (other.record.sample != runs[0].record.sample).any()
    )


def test_reads_end_at_the_first_that_reaches_the_target():
    bqm = TOY.copy()
    bqm.offset += 1000
    ground = dimod.ExactSolver().sample(bqm).first.energy
    found = SAMPLER.sample(bqm, seed=1, num_reads=50, target_energy=ground, num_threads=2)
    assert found.record.energy[-1] == ground
    assert (found.record.energy[:-1] > ground).all()
    assert found.info["sweeps"][-1] < 1000
    unreachable = SAMPLER.sample(bqm, seed=1, num_reads=3, target_energy=ground - 1)
    assert unreachable.info["sweeps"] == [1000] * 3


@pytest.mark.parametrize("threads", [1, 2])
def test_a_time_limit_ends_the_run(threads):
    bqm, groups = nonogram(NOISE)
    SAMPLER.sample(bqm, one_hot_groups=groups, num_reads=1, num_sweeps=1)  # compiled
    started = time.perf_counter()
    found = SAMPLER.sample(
        bqm,
        one_hot_groups=groups,
        seed=1,
        num_reads=5,
        num_sweeps=10**9,
        time_limit=0.3,
        num_threads=threads,
    )
    # Generous: a bound against hanging, no measurement of speed.
    assert time.perf_counter() - started < 5
    assert found.info["timed_out"]
    assert not found.info["interrupted"]
    assert 1 <= len(found) <= 5


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_function_ends_the_run(threads):
    calls = []

    def interrupt():
        calls.append(1)
        return len(calls) > 3

    found = SAMPLER.sample(
        TOY, num_sweeps=10**9, num_reads=3, interrupt_function=interrupt, num_threads=threads
    )
    assert found.info["interrupted"]
    assert len(calls) == 4
    assert found.record.energy == pytest.approx(TOY.energies(found))


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_the_best_state(threads):
    seen = []

    def progress(done, energy):
        seen.append((done, energy))
        if len(seen) == 5:
            raise KeyboardInterrupt

    found = SAMPLER.sample(
        TOY, num_sweeps=10**8, num_reads=3, progress=progress, num_threads=threads, seed=1
    )
    assert found.info["interrupted"]
    assert len(found) >= 1
    assert all(0 <= a[0] <= b[0] <= 1 and a[1] >= b[1] for a, b in pairwise(seen))
    assert found.first.energy == seen[-1][1]


def test_an_error_of_a_callback_is_the_callers():
    def progress(done, energy):
        raise RuntimeError("mine")

    for threads in (1, 2):
        with pytest.raises(RuntimeError, match="mine"):
            SAMPLER.sample(TOY, progress=progress, num_reads=2, num_threads=threads)


def test_initial_states_are_where_reads_begin():
    bqm = dimod.BinaryQuadraticModel(dict.fromkeys("abcd", 0), {}, 0, "BINARY")
    start = {"a": 0, "b": 1, "c": 0, "d": 1}
    found = SAMPLER.sample(bqm, initial_states=start, target_energy=0, one_hot_groups=["abc"])
    assert dict(found.first.sample) == start  # at the target already
    assert found.info["sweeps"] == [0]
    spins = [{"d": -1, "a": 1, "b": -1, "c": -1}, {"d": 1, "a": -1, "b": -1, "c": 1}]
    found = SAMPLER.sample(
        bqm.change_vartype("SPIN", inplace=False),
        initial_states=spins,
        num_reads=5,
        initial_states_generator="tile",
        num_sweeps=1,
    )
    assert len(found) == 5
    # Groups that are broken are mended: one of several ones, any one where there is none.
    for broken in ({"a": 1, "b": 0, "c": 1, "d": 1}, {"a": 0, "b": 0, "c": 0, "d": 1}):
        found = SAMPLER.sample(bqm, initial_states=broken, target_energy=0, one_hot_groups=["abc"])
        sample = found.first.sample
        assert sample["a"] + sample["b"] + sample["c"] == sample["d"] == 1
        assert sample["b"] == 0 or not broken["a"]
    with pytest.raises(ValueError, match="mismatch between variables"):
        SAMPLER.sample(bqm, initial_states={"a": 1})


def test_groups_of_one_are_fixed():
    found = SAMPLER.sample(TOY, one_hot_groups=[["a"], "xy"], num_reads=5, seed=1)
    assert found.first.energy == allowed(TOY, [["a"], "xy"])[1].min()
    assert all(s["a"] == 1 for s in found.samples())
    alone = SAMPLER.sample_ising({"a": 3}, {}, one_hot_groups=[["a"]])
    assert alone.record.sample.tolist() == [[1]]


def test_discrete_constraints_of_a_cqm_are_groups():
    cqm = dimod.ConstrainedQuadraticModel()
    x = [dimod.Binary(v) for v in "abcd"]
    cqm.set_objective(sum((i + 1) * v for i, v in enumerate(x)) - 3 * x[0] * x[3] + 7)
    cqm.add_discrete("ab", label="first")
    cqm.add_discrete(["c", "d"], label="second")
    assert one_hot_groups(cqm) == [["a", "b"], ["c", "d"]]
    found = SAMPLER.sample_cqm(cqm, seed=1, num_reads=2)
    assert found.first.energy == 9
    assert found.record.is_feasible.all()
    assert found.info["seed"] == 1
    cqm.add_constraint(x[0] + x[3] <= 1, label="not both")
    with pytest.raises(InputError, match="constraint 'not both' is not discrete; make a BQM"):
        SAMPLER.sample_cqm(cqm)
    bqm, _ = dimod.cqm_to_bqm(cqm, lagrange_multiplier=10)
    found = SAMPLER.sample(bqm, one_hot_groups=one_hot_groups(cqm), seed=1)
    assert found.first.energy == 11
    mixed = dimod.ConstrainedQuadraticModel()
    mixed.add_variable("INTEGER", "i")
    with pytest.raises(InputError, match="variable 'i' is INTEGER, not BINARY"):
        SAMPLER.sample_cqm(mixed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"one_hot_groups": ["ab", "bc"]}, "one-hot group 1: variable 'b' is in group 0 already"),
        ({"one_hot_groups": ["aa"]}, "one-hot group 0: variable 'a' is in group 0 already"),
        ({"one_hot_groups": ["ab", ["q"]]}, "one-hot group 1: the BQM has no variable 'q'"),
        ({"one_hot_groups": ["ab", []]}, "one-hot group 1 is empty"),
        ({"num_reads": 0}, "num_reads: expected a whole number of at least 1, got 0"),
        ({"num_sweeps": 1.5}, "num_sweeps: expected a whole number"),
        ({"num_replicas": 0}, "num_replicas: expected"),
        ({"num_threads": None}, "num_threads: expected"),
        ({"seed": -1}, "seed: expected a whole number of at least 0, got -1"),
        ({"beta_range": (2, 1)}, "beta_range: expected two numbers with 0 < hot <= cold"),
        ({"beta_range": (0, 1)}, "beta_range"),
        ({"beta_range": 3}, "beta_range"),
        ({"beta_range": (1, float("inf"))}, "beta_range"),
        ({"time_limit": "long"}, "time_limit: expected a number, got 'long'"),
        ({"target_energy": float("nan")}, "target_energy: expected a number"),
        ({"initial_states_generator": "none"}, "'none' needs initial_states"),
        ({"initial_states_generator": "odd"}, "unknown initial_states_generator 'odd'"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, message):
    with pytest.raises(InputError) as caught:
        SAMPLER.sample(TOY, **arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_biases_that_are_no_numbers_are_refused():
    with pytest.raises(InputError, match="not a finite number"):
        SAMPLER.sample_qubo({("a", "a"): float("nan")})


def test_a_nonograms_neighbours_all_exchange():
    for puzzle in (NOISE, Nonogram.examples()[0]):
        bqm, groups = nonogram(puzzle)
        found = SAMPLER.sample(bqm, one_hot_groups=groups, seed=1, num_sweeps=4000)
        betas, acceptance = found.info["betas"], found.info["acceptance"]
        assert len(acceptance) == len(betas) - 1
        assert min(acceptance) >= 0.1
        assert (np.diff(betas) > 0).all()
        assert found.first.energy == 0
    fixed = SAMPLER.sample(bqm, one_hot_groups=groups, num_replicas=7, beta_range=(0.5, 4), seed=1)
    assert len(fixed.info["betas"]) == 7
    assert (fixed.info["betas"][0], fixed.info["betas"][-1]) == (0.5, 4)
    one_end = SAMPLER.sample(bqm, one_hot_groups=groups, beta_range=(None, 3), seed=1)
    assert one_end.info["betas"][-1] == 3


def test_the_ladder_is_cut_into_equal_parts():
    beta = geometric(0.5, 8, 5)
    assert beta == pytest.approx([0.5, 1, 2, 4, 8])
    assert geometric(0.5, 8, 1).tolist() == [8]
    same = equalize_acceptance(beta, np.array([0.5, 0.5, 0.5, 0.5]), None)
    assert same == pytest.approx(beta)
    closer = equalize_acceptance(beta, np.array([0.9, 0.1, 0.9, 0.9]), None)
    assert len(closer) == 4
    assert ((closer >= 1) & (closer <= 2)).sum() == 2
    assert len(equalize_acceptance(beta, np.zeros(4), None)) == 21
    assert len(equalize_acceptance(geometric(1, 9, 60), np.zeros(59), None)) == 64
    assert len(equalize_acceptance(beta, np.zeros(4), 3)) == 3
    table, cut = tables(np.array([0.01, 5.0]), exact=True)
    assert cut == pytest.approx([NEGLIGIBLE / 0.01, NEGLIGIBLE / 5])
    assert (table[1, 8:] == 0).all()
    assert table[0, 100] == pytest.approx(np.exp(-1))
    nothing = tempering_form(dimod.BinaryQuadraticModel({"a": 0}, {}, 0, "BINARY"))
    assert default_beta_range(nothing) == (1, 1)


def test_the_solver_solves_a_nonogram():
    puzzle = Nonogram.examples()[1]
    result = solve(puzzle, "tempering", seed=1)
    assert result.valid
    assert result.encoding == "one-hot"
    assert solve(puzzle, "tempering", seed=1, encoding="domain-wall").valid
    options = {"sweeps": 500, "replicas": 6, "beta_hot": 0.5, "beta_cold": 4}
    weighted = solve(puzzle, "tempering", seed=2, weights={"field": 0.3}, options=options)
    assert weighted.valid
    assert weighted.settings["last_read_replicas"] == 6


def test_the_solver_keeps_its_limits():
    puzzle = Nonogram(rows=[[2], [], [1]], cols=[[2], [1]])  # no solution
    started = time.perf_counter()
    result = solve(puzzle, "tempering", seed=1, time_limit=0.3, options={"sweeps": 10**9})
    assert time.perf_counter() - started < 20
    assert result.status == "unknown"

    def interrupt(_):
        raise KeyboardInterrupt

    result = solve(puzzle, "tempering", seed=1, options={"sweeps": 10**9}, progress=interrupt)
    assert result.interrupted
    assert result.grid is not None


def test_reads_end_in_a_local_minimum():
    bias = dict(enumerate(rng().normal(size=300)))
    found = SAMPLER.sample(dimod.BinaryQuadraticModel(bias, {}, 0, "BINARY"), num_sweeps=1, seed=1)
    assert found.first.energy == pytest.approx(sum(b for b in bias.values() if b < 0))


def test_a_frozen_hot_end_goes_up():
    """The Potts model on a ring of squares: its groups are ordered at the default hot end."""
    side, colours = 8, range(12)
    bqm = dimod.BinaryQuadraticModel("BINARY")
    for i, j, k in product(range(side), range(side), colours):
        bqm.add_quadratic((i, j, k), ((i + 1) % side, j, k), -1)
        bqm.add_quadratic((i, j, k), (i, (j + 1) % side, k), -1)
    groups = [[(i, j, k) for k in colours] for i, j in product(range(side), range(side))]
    found = SAMPLER.sample(bqm, one_hot_groups=groups, seed=1)
    assert found.first.energy == -2 * side**2
    hot = default_beta_range(tempering_form(bqm, groups))[0]
    assert found.info["betas"][0] < hot
    kept = SAMPLER.sample(bqm, one_hot_groups=groups, seed=1, beta_range=(hot, None))
    assert kept.info["betas"][0] == pytest.approx(hot)


def test_the_page_tells_the_truth():
    page = (Path(__file__).parents[2] / "docs/tempering.md").read_text()
    namespace = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(code, namespace)  # noqa: S102
    sample = namespace["found"].first.sample
    assert sample["A", "r"] == sample["B", "g"] == 1


@pytest.mark.parametrize("bias", [34.0, 36.0, 36.5, 37.0, 38.5, 40.0, 41.0])
@pytest.mark.parametrize("offset", [0, 0.3])
def test_what_is_hardly_ever_drawn_is_not_drawn_always(bias, offset):
    """A value whose weight vanishes in rounding, before the best one and after it."""
    for worse in ("a", "b"):
        other = "b" if worse == "a" else "a"
        bqm = dimod.BinaryQuadraticModel({"a": 0, "b": 0}, {}, 0, "BINARY")
        bqm.add_linear(worse, bias + offset)
        bqm.add_linear(other, offset)
        form = tempering_form(bqm, [["a", "b"]])
        replicas = Replicas(form, np.array([1.0]), np.random.default_rng(0))
        for _ in range(20):
            replicas.run(1)
            assert form.sample(replicas.value[0]).tolist() == [int(other == "a"), int(other == "b")]


def test_targets_are_met_to_rounding_whatever_the_scale():
    rng = np.random.default_rng(0)
    h, j = rng.normal(size=12) * 1e-10, np.triu(rng.normal(size=(12, 12)), 1) * 1e-10
    bqm = dimod.BinaryQuadraticModel(h, j, 0, "BINARY")
    lowest = dimod.ExactSolver().sample(bqm).first.energy
    found = OneHotTemperingSampler().sample(bqm, target_energy=lowest, seed=1, num_sweeps=500)
    assert found.first.energy == pytest.approx(lowest, rel=1e-9, abs=0)


@pytest.mark.parametrize("groups", [["x", "y"], [0, 1]])
def test_a_group_is_several_variables(groups):
    bqm = dimod.BinaryQuadraticModel({"x": 1, "y": 1, 0: 1, 1: 1}, {}, 0, "BINARY")
    with pytest.raises(InputError, match="expected several variables"):
        OneHotTemperingSampler().sample(bqm, one_hot_groups=groups)


def test_huge_biases_have_a_ladder():
    bqm = dimod.BinaryQuadraticModel({"x": 1e300, "y": -1e300}, {"xy": 1e300}, 0, "BINARY")
    assert OneHotTemperingSampler().sample(bqm, seed=1).first.sample == {"x": 0, "y": 1}
