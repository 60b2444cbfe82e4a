"""Rivals of weights that learn: rules, loops and multipliers, held against their formulas."""

from functools import cache
from itertools import product

import dimod
import numpy as np
import pytest

from qubopuzzle import InputError, ModelBuilder, from_cqm, solve
from qubopuzzle.compile.qubo import compile_qubo
from qubopuzzle.solvers import get_solver
from qubopuzzle.solvers.multipliers import Lagrangian
from qubopuzzle.solvers.outer_loop import LOOPS
from qubopuzzle.solvers.static_weights import RULES
from qubopuzzle.solvers.weighting import broken_by, largest_changes, weighted

RIVALS = ("static-weights", "outer-loop", "augmented-lagrangian", "self-adaptive")


def knapsack(n=12, rows=1, largest=20, seed=0):
    """Maximise profits under capacities, some of them joint; as a CQM."""
    rng = np.random.default_rng(seed)
    cqm = dimod.ConstrainedQuadraticModel()
    linear = {i: -float(rng.integers(1, 50)) for i in range(n)}
    pairs = {(i, i + 1): -float(rng.integers(1, 20)) for i in range(0, n - 1, 3)}
    cqm.set_objective(dimod.BinaryQuadraticModel(linear, pairs, dimod.BINARY))
    for row in range(rows):
        weights = rng.integers(1, largest, n)
        terms = [(i, int(weights[i])) for i in range(n)]
        cqm.add_constraint(terms, "<=", rhs=int(weights.sum() // 2), label=f"row[{row}]")
    return cqm


def compiled(cqm):
    return compile_qubo(from_cqm(cqm).model(None))


def best_of(cqm):
    names = list(cqm.variables)
    values = (dict(zip(names, x, strict=True)) for x in product((0, 1), repeat=len(names)))
    return min(cqm.objective.energy(x) for x in values if cqm.check_feasible(x))


@cache
def small_knapsack(seed):
    cqm = knapsack(rows=1 + seed, seed=seed)
    return cqm, best_of(cqm)


@pytest.mark.parametrize("sampler", ["neal", "tempering"])
@pytest.mark.parametrize("name", RIVALS)
def test_each_comes_near_to_the_best_of_small_knapsacks(name, sampler):
    reads = 600 if name == "self-adaptive" else 120  # a read moves its weights by a step
    for seed in range(3):
        cqm, best = small_knapsack(seed)
        found = solve(from_cqm(cqm), name, options={"sampler": sampler}, reads=reads, seed=seed)
        assert found.valid
        assert best <= found.objective <= 0.9 * best
        times = [each.seconds for each in found.incumbents]
        *values, last = [each.value for each in found.incumbents]
        assert [*times] == sorted(times)
        assert [*values] == sorted(set(values), reverse=True)
        assert values[-1] == last == found.objective


@pytest.mark.parametrize("name", RIVALS)
def test_the_same_seed_gives_the_same(name):
    runs = [solve(from_cqm(knapsack(30, 3)), name, reads=20, seed=5) for _ in range(2)]
    assert runs[0].values == runs[1].values
    assert runs[0].reads == runs[1].reads == 20


@pytest.mark.parametrize("name", RIVALS)
def test_rows_whose_sure_weight_no_qubo_bears(name):
    program = from_cqm(knapsack(250, 30, largest=1_000, seed=1))
    with pytest.raises(InputError, match="too large or too far apart for double precision"):
        solve(program, "neal", reads=1)
    assert solve(program, name, reads=2, seed=1).reads == 2


@pytest.mark.parametrize("name", RIVALS)
def test_weights_of_families_are_theirs_to_choose(name):
    assert not get_solver(name).takes_weights
    with pytest.raises(InputError, match=f"solver {name} chooses penalty weights itself"):
        solve(from_cqm(knapsack()), name, weights={"row": 3})


@pytest.mark.parametrize("name", RIVALS)
def test_what_meets_the_rows_counts_whatever_the_slack_is(name):
    found = solve(from_cqm(knapsack(30, 3, largest=300)), name, reads=3, seed=2, trace=True)
    for answer in found.trace:
        penalties = [e for family, e in answer.energies.items() if family != "objective"]
        assert penalties
        assert answer.valid == (not any(penalties))


def test_static_rules():
    b = ModelBuilder()
    x, y, z = b.bit("x"), b.bit("y"), b.bit("z")
    b.add("at most", 2 * x + 3 * y + 4 * z <= 5)
    bits = np.concatenate([x.literals[1:], y.literals[1:], z.literals[1:]])
    b.objective(bits, [-6, 2, -3])
    b.objective(bits[[0, 1]], [4, -5], bits[[1, 2]])
    qubo = compile_qubo(b.build())
    # Flips of x change the objective by -6 to -2, of y by -3 to 6, of z by -8 to -3.
    assert largest_changes(qubo)[:3].tolist() == [6, 6, 8]
    found = {name: rule(qubo) for name, (rule, _) in RULES.items()}
    assert found.pop("momc") > 0
    assert found == {"vlm": 8, "dimod": 60, "sum": 6 + 2 + 3 + 4 + 5}


def test_dimods_rule_is_that_of_cqm_to_bqm():
    cqm = knapsack(seed=3)
    rule, _ = RULES["dimod"]
    bqm, _ = dimod.cqm_to_bqm(cqm)
    name = next(iter(cqm.constraints))
    row = cqm.constraints[name].lhs
    # What it adds for a pair of items that have no joint profit: twice the weights' product.
    added = bqm.get_quadratic(0, 2) / (2 * row.get_linear(0) * row.get_linear(2))
    assert rule(compiled(cqm)) == pytest.approx(added)


def sample_of(qubo, **values):
    """Bits by label, all others 0."""
    return np.array([values.get(label, 0) for label in qubo.labels()], dtype=np.int8)


@pytest.fixture
def two_rows():
    b = ModelBuilder()
    x, y = b.bit("x"), b.bit("y")
    b.add("first", x + y >= 1)
    b.add("second", x - y == 0)
    b.minimize(3 * x + 5 * y)
    return compile_qubo(b.build())


def weights_of(qubo, current):
    """The weight of each family in a round, from what its row costs."""
    found = {}
    for family in ("first", "second"):
        part, others = qubo.parts[family], [f for f in qubo.parts if f not in (family, "objective")]
        for bits in product((0, 1), repeat=qubo.n_bits):
            sample = np.array([bits], dtype=np.int8)
            if part.energies(sample)[0] and not any(
                qubo.parts[f].energies(sample)[0] for f in others
            ):
                energy = current.bqm.energy(dict(enumerate(bits)))
                objective = qubo.objectives(sample)[0]
                found[family] = (energy - objective) / part.energies(sample)[0]
    return found


def test_loops_follow_what_is_broken(two_rows):
    qubo = two_rows
    none, first, second = (sample_of(qubo, x=a, y=b) for a, b in ((1, 1), (0, 0), (1, 0)))
    assert [sorted(broken_by(qubo, each)) for each in (none, first, second)] == [
        [],
        ["first"],
        ["second"],
    ]
    tenfold, families, bisection = (
        LOOPS[name][0](qubo) for name in ("tenfold", "families", "bisection")
    )
    start = weights_of(qubo, next(tenfold))["first"]
    assert weights_of(qubo, tenfold.send(first))["second"] == pytest.approx(10 * start)
    assert weights_of(qubo, tenfold.send(none))["second"] == pytest.approx(10 * start)
    next(families)
    assert weights_of(qubo, families.send(second)) == pytest.approx(
        {"first": start, "second": 2 * start}
    )
    next(bisection)
    found = [weights_of(qubo, bisection.send(sample))["first"] for sample in (first, first, none)]
    assert found == pytest.approx([2 * start, 4 * start, start * 8**0.5])
    found += [weights_of(qubo, bisection.send(none))["first"] for _ in range(20)]
    assert found[-1] == found[-2]
    assert 2 * start < found[-1] < 2.2 * start


@pytest.mark.parametrize("name", LOOPS)
def test_weights_stay_numbers_where_no_run_meets_all_rows(two_rows, name):
    loop = LOOPS[name][0](two_rows)
    current = next(loop)
    for _ in range(1_100):
        current = loop.send(sample_of(two_rows, x=1, y=0))
    assert np.isfinite(current.bqm.to_numpy_vectors().linear_biases).all()


def test_weights_are_cut_to_what_double_precision_bears(two_rows):
    found = weights_of(two_rows, weighted(two_rows, 1e300))
    assert found["first"] == pytest.approx(found["second"])
    assert 1e12 < found["first"] < 1e16


@pytest.mark.parametrize("seed", range(20))
def test_lagrangian_is_its_formula(seed):
    rng = np.random.default_rng(seed)
    b = ModelBuilder()
    bits = [b.bit(f"x{i}") for i in range(4)]
    choice = b.choice("c", range(3))
    by, low = rng.integers(-4, 5, 4), int(rng.integers(-3, 3))
    width = int(rng.integers(0, 5))
    total = sum(int(by[i]) * bits[i] for i in range(4)) + 2 * (choice == 1)
    b.add("low", total >= low)
    b.add("high", total <= low + width)
    b.minimize(sum(int(v) * x for v, x in zip(rng.integers(-9, 9, 4), bits, strict=True)))
    qubo = compile_qubo(b.build())
    lagrangian = Lagrangian(qubo, penalty := float(rng.uniform(0.01, 1)))
    multipliers, targets = np.zeros((2, len(lagrangian.units)))
    for _ in range(5):
        every = np.array([*product((0, 1), repeat=lagrangian.n)], dtype=np.int8)
        t = every @ lagrangian._matrix.T.toarray() + lagrangian._base
        padded = np.pad(every, ((0, 0), (0, qubo.n_bits - lagrangian.n)))
        expected = qubo.objectives(padded) + t @ multipliers
        expected = expected + ((t - targets) ** 2 @ (penalty * lagrangian.units)) / 2
        found = lagrangian.bqm.energies((every, range(lagrangian.n)))
        assert np.ptp(found - expected) < 1e-6
        sample = every[rng.integers(len(every))]
        step = float(rng.uniform(0, 1))
        now = lagrangian._matrix @ sample + lagrangian._base
        free = now + multipliers / (penalty * lagrangian.units)
        targets = np.clip(free, 0, lagrangian._width)
        multipliers = multipliers + step * lagrangian.units * (now - targets)
        is_broken = bool(((now < 0) | (now > lagrangian._width)).any())
        assert lagrangian.move(sample, step) == is_broken
        if rng.random() < 0.5:
            penalty = float(rng.uniform(0.01, 1))
            lagrangian.weigh(penalty)
