"""amplify.solve with the local client: optima by enumeration, groups, parameters, odd models."""

import itertools
import signal
from datetime import timedelta

import amplify
import dimod
import numpy as np
import pytest
from dwave.samplers import SimulatedAnnealingSampler

from amplify_tutorial import tutorial_model
from qubopuzzle import (
    AnnealingSampler,
    InputError,
    Nonogram,
    OneHotTemperingSampler,
    Sudoku,
    solve,
    to_amplify,
)
from qubopuzzle import amplify_client as local

A = Nonogram.examples()[0]


def binaries(*shape):
    return amplify.VariableGenerator().array("Binary", shape)


def samples(result):
    """What the sampler returned, rows of bits in the order of their ids."""
    found = result.client_result.sampleset
    order = [found.variables.index(i) for i in range(len(found.variables))]
    return found.record.sample[:, order]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("sampler", [None, SimulatedAnnealingSampler()])
def test_random_models_have_the_optimum_of_enumeration(seed, sampler):
    rng = np.random.default_rng(seed)
    coupling = np.triu(rng.integers(-3, 4, (7, 7)))
    weights = rng.integers(1, 4, 3)
    at_most = rng.integers(1, 4)
    q = binaries(7)
    model = amplify.Model(
        amplify.sum([float(coupling[i, j]) * q[i] * q[j] for i in range(7) for j in range(i, 7)]),
        50 * amplify.one_hot(q[:3])
        + 50 * amplify.one_hot(q[2:6])  # overlaps
        + 50 * amplify.less_equal((weights * q[4:]).sum(), int(at_most)),
    )
    bits = np.array(list(itertools.product([0, 1], repeat=7)))
    feasible = (bits[:, :3].sum(1) == 1) & (bits[:, 2:6].sum(1) == 1)
    feasible &= bits[:, 4:] @ weights <= at_most
    energies = np.einsum("si,ij,sj->s", bits, coupling, bits)

    result = amplify.solve(model, local(sampler, seed=seed, num_reads=30))
    assert result.best.objective == energies[feasible].min()
    for solution in result:
        values = q.evaluate(solution.values).astype(int)
        row = np.flatnonzero((bits == values).all(1))[0]
        assert feasible[row]
        assert energies[row] == solution.objective
    objectives = [solution.objective for solution in result]
    assert objectives == sorted(objectives)


def test_the_tutorials_picross_is_solved():
    model, arrays = tutorial_model(A.rows, A.cols)
    result = amplify.solve(model, local(seed=1))
    grid = np.zeros(A.shape, dtype=int)
    for i, (q, clue) in enumerate(zip(arrays, A.rows, strict=False)):
        if clue:
            starts = q.evaluate(result.best.values).argmax(axis=0)
            for start, length in zip(starts, clue, strict=True):
                grid[i, start : start + length] = 1
    assert A.violations(grid) == []


@pytest.mark.parametrize("mode", ["constraint", "objective"])
def test_a_sudoku_of_ours_is_solved(mode):
    puzzle = Sudoku.examples()[0]
    built = to_amplify(puzzle, mode=mode, presolve="none")
    result = amplify.solve(built.model, local(seed=1))
    grid, broken = built.source.field.read(built.decode(result.best.values))
    assert len(broken) == 0
    assert puzzle.violations(grid) == []


@pytest.mark.parametrize(
    "one_of",
    [
        amplify.one_hot,
        lambda q: amplify.equal_to(2 * q.sum(), 2),
        lambda q: amplify.equal_to(4 - q.sum(), 3),
    ],
)
def test_one_hot_constraints_are_kept_whatever_their_weight(one_of):
    q = binaries(4)
    result = amplify.solve(amplify.Model(-9 * q.sum() + q[0], one_of(q) * 1e-3), local(seed=1))
    assert samples(result).tolist() == np.eye(4, dtype=int)[samples(result).argmax(1)].tolist()
    assert result.best.objective == -9


def test_one_hot_constraints_of_ising_variables_are_kept():
    s = amplify.VariableGenerator().array("Ising", 3)
    model = amplify.Model(-9 * s.sum() - s[1], amplify.equal_to(s.sum(), -1) * 1e-3)
    result = amplify.solve(model, local(seed=1))
    assert s.evaluate(result.best.values).tolist() == [-1, 1, -1]


def test_of_overlapping_groups_the_larger_is_kept():
    q = binaries(5)
    constraints = amplify.equal_to(q[1], 1) + amplify.one_hot(q[0:2]) + amplify.one_hot(q[1:5])
    model = amplify.Model(-9 * q.sum() + 5 * q[1], constraints * 1e-3)
    result = amplify.solve(model, local(seed=1), filter_solution=False)
    assert (samples(result)[:, 1:].sum(axis=1) == 1).all()
    assert samples(result)[0, :2].tolist() == [1, 0]


def test_a_constraint_of_weight_0_is_switched_off():
    q = binaries(3)
    model = amplify.Model(-q.sum(), amplify.one_hot(q) * 0)
    result = amplify.solve(model, local(seed=1), filter_solution=False)
    assert result.best.objective == -3


@pytest.mark.parametrize(("weight", "best"), [(2, 1), (4, 0)])
def test_weights_count(weight, best):
    q = binaries(1)
    model = amplify.Model(-3 * q[0], amplify.equal_to(q[0], 0) * weight)
    result = amplify.solve(model, local(seed=1), filter_solution=False)
    assert q.evaluate(result.best.values).tolist() == [best]


def test_a_penalty_of_the_users_own_counts_inside_a_group():
    q = binaries(2)
    constraint = amplify.Constraint(q[0] + q[1], eq=1, penalty=3 * q[0])
    result = amplify.solve(amplify.Model(q[1], constraint), local(seed=1))
    assert samples(result)[0].tolist() == [0, 1]
    assert result.client_result.sampleset.first.energy == 1


def test_variables_without_any_term():
    """The last ids are in a group alone, whose penalty is left out."""
    q = binaries(6)
    model = amplify.Model(q[0], amplify.one_hot(q[1:4]) + amplify.one_hot(q[4:6]))
    result = amplify.solve(model, local(seed=1))
    assert samples(result).shape[1] == 6
    assert q.evaluate(result.best.values).sum() == 2
    assert len(amplify.solve(amplify.one_hot(q), local(seed=1, num_reads=50))) == 6


def test_integers():
    n = amplify.VariableGenerator().array("Integer", 2, bounds=(0, 5))
    model = amplify.Model((n[0] - n[1] - 1) ** 2, 9 * amplify.equal_to(n.sum(), 7))
    for method in ("Unary", "Linear", "Binary"):
        result = amplify.solve(model, local(seed=1), integer_encoding_method=method)
        assert n.evaluate(result.best.values).tolist() == [4, 3]


def test_reals():
    x = amplify.VariableGenerator().array("Real", 1, bounds=(0, 1))
    result = amplify.solve((x[0] - 0.3) ** 2, local(seed=1))
    assert x.evaluate(result.best.values)[0] == pytest.approx(0.3, abs=0.05)


def test_higher_degrees():
    q = binaries(5)
    model = amplify.Model(
        q[4] - 2 * q[0] * q[1] * q[2] * q[3], 3 * amplify.equal_to(q[0] * q[1] * q[2] + q[4], 1)
    )
    for method in ("Substitute", "IshikawaKZFD"):
        result = amplify.solve(model, local(seed=1), quadratization_method=method)
        assert q.evaluate(result.best.values).tolist() == [1, 1, 1, 1, 0]


def test_a_matrix():
    matrix = amplify.VariableGenerator().matrix("Binary", 3)
    matrix.quadratic[0, 1] = 2
    matrix.linear[:] = [-3, -1.5, 1]
    matrix.constant = 7
    result = amplify.solve(matrix, local(seed=1))
    assert result.best.objective == result.client_result.sampleset.first.energy == 4
    model = amplify.Model(matrix, amplify.equal_to(matrix.variable_array.sum(), 2) * 9)
    assert amplify.solve(model, local(seed=1)).best.objective == 4.5


def test_a_polynomial_whose_terms_cancel():
    q = binaries(3)
    model = amplify.Model(q[0] - q[1] + q[2] - q[2], amplify.Constraint(q[1], eq=0, penalty=q[1]))
    result = amplify.solve(model, local(seed=1))  # objective and penalty cancel
    assert result.client_result.sampleset.first.energy == 0


def test_several_solves_and_models():
    q = binaries(4)
    model = amplify.Model(q[0] - q[3], amplify.one_hot(q))
    result = amplify.solve(model, local(seed=1), num_solves=3)
    assert [part.best.objective for part in result.split] == [-1, -1, -1]
    results = amplify.parallel_solve([model, q[0] - 2 * q[1]], local(seed=1))
    assert [part.best.objective for part in results] == [-1, -2]


def test_a_dry_run_samples_nothing():
    q = binaries(2)
    never = local(num_sweeps=-1)
    assert len(amplify.solve(q[0] * q[1], never, dry_run=True)) == 0
    with pytest.raises(InputError, match="num_sweeps"):
        amplify.solve(q[0] * q[1], never)


def test_all_distinct_samples_come_best_first():
    q = binaries(3)
    objective = 7 - q[0] - 2 * q[1] - 4 * q[2]
    result = amplify.solve(objective, local(dimod.ExactSolver()), sort_solution=False)
    assert [solution.objective for solution in result] == list(range(8))
    result = amplify.solve(q.sum() - 1, local(seed=1), sort_solution=False)
    assert len(result) == 1  # ten reads


class Backwards(dimod.ExactSolver):
    """A sampler with an order of its own."""

    def sample(self, bqm, **parameters):
        found = super().sample(bqm, **parameters)
        columns = found.record.sample[:, ::-1], list(found.variables)[::-1]
        energies = found.record.energy
        return dimod.SampleSet.from_samples(columns, bqm.vartype, energies, sort_labels=False)


def test_values_are_in_the_order_of_the_ids():
    q = binaries(3)
    result = amplify.solve(q[0] + q[1] - q[2], local(Backwards()), sort_solution=False)
    assert q.evaluate(result[0].values).tolist() == [0, 0, 1]


def test_the_same_seed_gives_the_same_solutions():
    rng = np.random.default_rng(1)
    q = binaries(30)
    objective = amplify.sum(
        [float(rng.normal()) * a * b for a, b in itertools.combinations(list(q), 2)]
    )
    client = local(seed=5, num_sweeps=2)
    found = [samples(amplify.solve(objective, client)).tolist() for _ in range(2)]
    client.parameters.seed = 6
    assert found[0] == found[1] != samples(amplify.solve(objective, client)).tolist()


def test_the_sdk_drops_a_constraint_that_can_never_hold():
    """We never see it. No solution passes the SDK's filter, so nothing false is said."""
    q = binaries(2)
    with pytest.warns(match="infeasible constraint"):
        model = amplify.Model(q[0], amplify.equal_to(q.sum(), 5))
    assert len(amplify.solve(model, local(seed=1))) == 0


def test_ctrl_c_returns_what_there_is():
    q = binaries(4)
    client = local(seed=1, num_sweeps=10**9)
    client.parameters.progress = lambda _done, _energy: signal.raise_signal(signal.SIGINT)
    result = amplify.solve(amplify.Model(-q[0], amplify.one_hot(q)), client)
    assert len(result) > 0
    assert result.client_result.sampleset.info["interrupted"]


def test_parameters_reach_the_sampler():
    q = binaries(2)
    client = local(num_reads=3, num_sweeps=7)
    client.parameters.num_reads = 4
    found = amplify.solve(q[0] - q[1], client).client_result.sampleset
    assert found.info["sweeps"] == [7] * 4
    assert found.record.num_occurrences.sum() == 4
    client.parameters.time_limit = 0
    client.parameters.num_sweeps = 10**9
    assert amplify.solve(q[0] - q[1], client).client_result.sampleset.info["timed_out"]


def test_the_time_limit_in_the_words_of_the_cloud():
    parameters = local().parameters
    assert parameters.time_limit_ms is None
    parameters.time_limit_ms = 1500
    assert parameters.time_limit == 1.5
    assert parameters.time_limit_ms == timedelta(seconds=1.5)
    parameters.time_limit_ms = timedelta(milliseconds=250)
    assert parameters.time_limit == 0.25
    parameters.time_limit = timedelta(seconds=2)
    assert parameters.time_limit == 2
    parameters.time_limit_ms = None
    assert parameters.time_limit is None
    with pytest.raises(InputError, match="milliseconds or timedelta, got '1s'"):
        parameters.time_limit_ms = "1s"


def test_what_is_not_known_is_refused():
    for refused in (lambda: local(num_gpus=1), lambda: setattr(local().parameters, "num_gpus", 1)):
        with pytest.raises(InputError, match=r"no parameter 'num_gpus'; it has num_reads, .*_ms$"):
            refused()
    with pytest.raises(InputError, match="no parameter 'time_limit_ms'; it has beta_range"):
        local(SimulatedAnnealingSampler(), time_limit_ms=5)
    with pytest.raises(InputError, match="'seed'; it has none"):
        local(dimod.ExactSolver(), seed=1)
    with pytest.raises(AttributeError, match="no attribute 'num_reads'"):
        local().num_reads = 5  # client.parameters.num_reads
    with pytest.raises(InputError, match="got the class OneHotTemperingSampler"):
        local(OneHotTemperingSampler)


def test_tokens_are_neither_needed_nor_kept():
    client = local(token="secret")  # noqa: S106
    client.token = "secret"  # noqa: S105
    assert client.token is None
    with pytest.raises(InputError) as refused:
        local("secret")
    assert "secret" not in str(refused.value)


def test_a_puzzle_is_solved_by_the_client():
    puzzle = Nonogram.examples()[0]
    assert solve(puzzle, local(num_sweeps=2000), seed=1).valid

    noted = []

    class Noting(SimulatedAnnealingSampler):
        def sample(self, bqm, num_reads=1, num_sweeps=1, **parameters):
            noted.append((num_reads, num_sweeps))
            return super().sample(bqm, num_reads=num_reads, num_sweeps=num_sweeps, **parameters)

    client = local(Noting(), num_sweeps=7)
    solve(puzzle, client, seed=3, reads=2)
    solve(puzzle, client, seed=3, reads=2, options={"num_sweeps": 9})
    assert noted == [(2, 7), (2, 9)]
    with pytest.raises(InputError, match="has no option 'sweeps'"):
        solve(puzzle, client, options={"sweeps": 1})


def test_constraints_alone_are_annealed_without_penalties():
    """Rows whose penalties have slack; unless a parameter of tempering alone is set."""
    rng = np.random.default_rng([3, 9])
    weights, solution = rng.integers(1, 9, (4, 20)), rng.integers(0, 2, 20)
    q, sides = binaries(20), (weights @ solution).tolist()
    lines = [(row * q).sum() for row in weights.tolist()]
    constraints = [
        amplify.equal_to(lines[0], sides[0]),
        *(amplify.clamp(p, (b - 3, b + 3)) for p, b in zip(lines[1:], sides[1:], strict=True)),
    ]
    model = amplify.Model(amplify.Poly(2.5), amplify.sum(constraints))
    result = amplify.solve(model, local(seed=1))
    assert len(result) > 0
    found = result.client_result.sampleset
    assert found.record.is_feasible[0]
    assert len(found.variables) == 20 < max(v.id for c in constraints for v in c.penalty.variables)
    values = q.evaluate(result.best.values)
    assert (np.abs(weights @ values - sides) <= [0, 3, 3, 3]).all()
    tempered = amplify.solve(model, local(seed=1, num_sweeps=50), filter_solution=False)
    assert "betas" in tempered.client_result.sampleset.info


def test_the_annealing_sampler_takes_objectives_and_constraints_natively():
    q = binaries(4)
    model = amplify.Model(
        3 - q[0],
        amplify.one_hot(q[:2]) * 1e-3
        + amplify.less_equal(q[0] + q[2] + q[3], 1)
        + amplify.equal_to(q[3], 1) * 0,
    )
    result = amplify.solve(model, local(AnnealingSampler(), seed=1))
    found = result.client_result.sampleset
    assert found.record.is_feasible.all()
    assert {solution.objective for solution in result} <= {2.0, 3.0}


@pytest.mark.parametrize(("objective", "sampler"), [(-1, AnnealingSampler()), (0, None)])
def test_fractions_are_annealed_natively(objective, sampler):
    q = binaries(2)
    line = 0.5 * q[0] + 0.7 * q[1]
    model = amplify.Model(
        objective * q[0], amplify.less_equal(line, 0.6) + amplify.greater_equal(line, 0.4)
    )
    result = amplify.solve(model, local(sampler, seed=1))
    assert q.evaluate(result.best.values).tolist() == [1, 0]
    assert len(result.client_result.sampleset.variables) == 2


def test_a_penalty_of_the_users_own_is_no_row():
    """It asks for the second of two, which their constraints do not."""
    q = binaries(3)
    constraint = amplify.Constraint(q[0] + q[1], eq=1, penalty=3 * q[0])
    model = amplify.Model(constraint + amplify.equal_to(q[1] + q[2], 1))
    result = amplify.solve(model, local(seed=1))
    assert q.evaluate(result.best.values).tolist() == [0, 1, 0]
