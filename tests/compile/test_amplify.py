"""Amplify models: the same energies, labels and weights; contradictions are errors."""

import itertools
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import amplify
import numpy as np
import pytest
from dwave.samplers import SimulatedAnnealingSampler
from hypothesis import given

from amplify_tutorial import tutorial_polynomial
from qubopuzzle import InputError, ModelBuilder, Nonogram, to_amplify
from qubopuzzle.compile import ENCODINGS, compile_qubo
from qubopuzzle.compile import amplify as target
from qubopuzzle.errors import Unsatisfiable
from qubopuzzle.model import violation
from qubopuzzle.testing import all_bits, right_grids
from strategies import assignments, models, nonograms

A = Nonogram.examples()[0]
FORMULATIONS = list(Nonogram.formulations)


def plain(variables):
    """The variables themselves instead of polynomials of one variable."""
    return [next(iter(v.variables)) for v in variables]


def evaluate(poly, built, bits):
    """Energies of a polynomial over our bits, shape (samples,)."""
    column = {next(iter(v.variables)).id: i for i, v in enumerate(built.variables)}
    energies = np.zeros(len(bits))
    for ids, coefficient in poly.as_dict().items():
        energies += coefficient * bits[:, [column[i] for i in ids]].prod(axis=1)
    return energies


@pytest.mark.parametrize(
    ("formulation", "encoding"), list(itertools.product(FORMULATIONS, ENCODINGS))
)
def test_all_modes_have_the_energies_of_our_qubo(formulation, encoding):
    """But for native q + r == 0, whose penalty is q + r in the SDK, a square in ours."""
    weights = {"field": 3}
    ours = compile_qubo(A.model(formulation), encoding)
    for mode in target.MODES:
        built = to_amplify(
            A, formulation=formulation, encoding=encoding, mode=mode, weights=weights
        )
        poly = built.model.objective if mode == "objective" else tutorial_polynomial(built.model)
        bits = np.random.default_rng(3).integers(0, 2, (200, ours.n_bits))
        expected = ours.total(weights).energies(bits)
        energies = evaluate(poly, built, bits)
        if mode != "constraint" or encoding == "one-hot":
            assert energies == pytest.approx(expected)
        else:
            assert (energies <= expected).all()
            assert energies.min() >= 1
            x = built.source
            solution = ours.encode(x.assignment(x.field.write(A.solution)))
            assert evaluate(poly, built, solution[None]) == 0


def test_the_tutorials_size():
    built = to_amplify(A, formulation="numbering")
    poly = tutorial_polynomial(built.model)
    assert len(poly.variables) == 60
    assert len(poly.as_dict()) == 272


def test_constraints_carry_labels_and_weights():
    built = to_amplify(A, weights={"order": 2.5})
    labels = [c.label for c in built.model.constraints]
    assert "once row[0].start[0]" in labels
    assert "order[row[1].start[0] before row[1].start[1]]" in labels
    assert "field[4,4]" in labels
    weights = {c.label.split("[")[0].split()[0]: c.weight for c in built.model.constraints}
    assert weights == {"once": 1, "order": 2.5, "field": 1}


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(model=models(max_choices=3, max_values=3))
def test_native_constraints_mean_the_same(encoding, model):
    """All constraints hold, by the SDK's own check, exactly where the model holds."""
    try:
        built = target.compile_amplify(model, encoding=encoding)
    except Unsatisfiable:
        assert all(violation(model, x) for x in assignments(model))
        return
    holds = {
        built.decode(bits).tobytes()
        for bits in all_bits(len(built.variables))
        if all(
            c.is_satisfied(dict(zip(plain(built.variables), bits, strict=True)))
            for c in built.model.constraints
        )
    }
    assert holds == {x.tobytes() for x in assignments(model) if violation(model, x) == 0}


def test_a_contradiction_is_an_error_before_anything_is_sent():
    b = ModelBuilder()
    a = b.choice("a", range(2))
    b.linear("sum", [0, 0], a.literals, lower=5, upper=5, shape=(1,))
    with pytest.raises(Unsatisfiable, match=r"sum\[0\] cannot be met"):
        target.compile_amplify(b.build())


def test_unknown_mode_is_refused():
    with pytest.raises(InputError, match="choose from constraint, qubo, objective"):
        to_amplify(A, mode="native")


@given(nonograms(max_rows=2, max_cols=3))
def test_solutions_satisfy_the_sdk(puzzle):
    answers = right_grids(puzzle)
    try:
        built = to_amplify(puzzle, encoding="domain-wall")
    except Unsatisfiable:
        assert not answers
        return
    model = built.source
    for answer in answers:
        grid = np.frombuffer(answer, np.int64).reshape(puzzle.shape)
        bits = built.encode(model.assignment(model.field.write(grid)))
        values = dict(zip(plain(built.variables), bits, strict=True))
        assert all(c.is_satisfied(values) for c in built.model.constraints)


class LocalClient:
    """What amplify.solve needs of a client, with simulated annealing behind it."""

    version = "1"
    parameters = None
    acceptable_degrees = amplify.AcceptableDegrees(objective={"Binary": "Quadratic"})

    def solve(self, objective, constraints=None, dry_run=False):
        objective = amplify.sum([objective, *(c.penalty for c in constraints)])
        terms = {(ids * 2)[:2]: c for ids, c in objective.as_dict().items() if ids}
        sampleset = SimulatedAnnealingSampler().sample_qubo(terms, num_reads=20, seed=1)
        sample = sampleset.first.sample
        values = [float(sample[i]) for i in range(len(sample))]
        zero = timedelta()
        return SimpleNamespace(
            _solutions=[(values, zero)], _response_time=zero, _execution_time=zero
        )


@pytest.mark.parametrize("mode", target.MODES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_result_of_the_sdk_is_decoded_and_judged(mode, encoding):
    """The whole way through the real SDK: build, solve, decode, judge."""
    built = to_amplify(A, encoding=encoding, mode=mode)
    result = amplify.solve(built.model, LocalClient())
    grid, broken = built.source.field.read(built.decode(result.best.values))
    assert len(broken) == 0
    assert A.violations(grid) == []


@pytest.mark.parametrize("mode", target.MODES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_models_without_terms(mode, encoding):
    built = to_amplify(A, presolve="propagate", mode=mode, encoding=encoding)
    assert len(built.variables) == 0
    b = ModelBuilder()
    b.bit("only")
    one = target.compile_amplify(b.build(), mode=mode, encoding=encoding)
    assert len(one.variables) == 1
    assert len(repr(one)) < 100


def with_objective():
    """Three choices, a row with slack, and an objective with products and a constant."""
    b = ModelBuilder()
    x, y, _ = (b.choice(name, range(3)) for name in "xyz")
    b.linear("weight", [0] * 6, [1, 2, 4, 5, 7, 8], [1, 2] * 3, upper=4, shape=(1,))
    b.precedence("order", [x], [y], [1])
    b.objective(np.arange(9), [0, -3, 1, 2, -2.5, 0, 1, -4, -1], offset=1.5)
    b.objective([1, 5], [3.0, -2], [4, 7])

    return b.build()


@pytest.mark.parametrize("mode", target.MODES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_objective_is_sent_and_counted(mode, encoding):
    """In every mode, the energies of valid assignments are objectives, and nothing is below."""
    model = with_objective()
    built = target.compile_amplify(model, encoding, mode=mode)
    least = np.inf
    for values in itertools.product(range(3), repeat=3):
        x = model.assignment(values)
        bits = built.encode(x)[None]
        (energy,), worth = built.energies(bits), model.objective.value(x)
        if violation(model, x):
            assert energy > worth
        else:
            least = min(least, worth)
            assert energy == pytest.approx(worth)
            poly = built.model.objective
            assert evaluate(poly, built, bits) == pytest.approx([worth])
    result = amplify.solve(built.model, LocalClient())
    decoded = built.decode(result.best.values)
    assert violation(model, decoded) == 0
    assert model.objective.value(decoded) == pytest.approx(least)
    assert built.n_terms > compile_terms(model, encoding, mode)


def compile_terms(model, encoding, mode):
    """Terms without the objective."""
    return target.compile_amplify(replace(model, objective=None), encoding, mode=mode).n_terms
