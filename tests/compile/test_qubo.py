"""The QUBO against the model's reference meaning, by enumeration of every bit pattern."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubopuzzle import InputError, ModelBuilder
from qubopuzzle.compile import ENCODINGS, compile_qubo, qubo
from qubopuzzle.compile.encoding import slack_weights
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import violation
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.testing import all_bits
from strategies import assignments, models

LARGEST = 16


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(model=models())
def test_energy_is_zero_exactly_where_the_model_holds(encoding, model):
    compiled = compile_qubo(model, encoding)
    if compiled.n_bits > LARGEST:
        return
    bits = all_bits(compiled.n_bits)
    energies = compiled.total().energies(bits)
    assert energies.dtype == np.int64
    assert energies.min() >= 0
    zero = {x.tobytes() for x in compiled.decode(bits[energies == 0])}
    assert zero == {x.tobytes() for x in assignments(model) if violation(model, x) == 0}


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(model=models())
def test_encode_finds_the_best_slack_and_decode_is_its_inverse(encoding, model):
    compiled = compile_qubo(model, encoding)
    total = compiled.total()
    for x in assignments(model)[:50]:
        bits = compiled.encode(x)
        assert (compiled.decode(bits) == x).all()
        assert (total.energies(bits[None])[0] == 0) == (violation(model, x) == 0)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(model=models(), weight=st.sampled_from([0.5, 2, 3]))
def test_weights_scale_families_and_dimod_agrees(encoding, model, weight):
    compiled = compile_qubo(model, encoding)
    family = next(iter(compiled.parts))
    bits = np.random.default_rng(1).integers(0, 2, (20, compiled.n_bits))
    parts = {name: part.energies(bits) for name, part in compiled.parts.items()}
    expected = sum(parts.values()) + (weight - 1) * parts[family]
    bqm = compiled.to_bqm({family: weight})
    assert list(bqm.variables) == compiled.labels()
    assert bqm.energies((bits, compiled.labels())) == pytest.approx(expected)
    form = compiled.total({family: weight})
    assert form.energies(bits) == pytest.approx(expected)
    assert (form.couplings.data != 0).all()


def test_integer_weights_keep_integers():
    b = ModelBuilder()
    b.choice("a", range(3))
    form = compile_qubo(b.build()).total({"once": 3})
    assert form.linear.dtype == form.couplings.dtype == np.int64
    assert isinstance(form.offset, int)


def test_labels_are_readable():
    b = ModelBuilder()
    b.choice("row[3].start[1]", range(4, 7))
    b.bit("black[0,0]")
    model = b.build()
    assert compile_qubo(model, "one-hot").labels() == [
        "row[3].start[1]=4",
        "row[3].start[1]=5",
        "row[3].start[1]=6",
        "black[0,0]",
    ]
    assert compile_qubo(model, "domain-wall").labels() == [
        "row[3].start[1]>=5",
        "row[3].start[1]>=6",
        "black[0,0]",
    ]


def test_labels_stay_distinct_when_names_are_not():
    b = ModelBuilder()
    a = b.choice("a", range(9))
    for _ in range(2):
        b.linear("f", [0] * 8, a.literals[1:], range(1, 9), lower=0, upper=5, shape=(1,))
    labels = compile_qubo(b.build()).labels()[9:]
    assert labels == ["f[0].slack[0]", "f[0].slack[1]", "f[0].slack[0]#2", "f[0].slack[1]#2"]


@pytest.mark.parametrize("width", range(1, 200))
def test_slack_weights_reach_every_value_and_none_beyond(width):
    weights = slack_weights(width)
    sums = {0}
    for w in weights:
        sums |= {s + w for s in sums}
    assert {n for n in range(-3, width + 4) if {n, n - 1} & sums} == set(range(width + 1))
    assert len(weights) == max(0, (width).bit_length() - 1)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"nope": 1}, "unknown family 'nope'; this model has: once"),
        ({"once": 0}, "positive"),
        ({"once": -1}, "positive"),
        ({"once": float("nan")}, "positive"),
    ],
)
def test_wrong_weights_are_refused(weights, message):
    b = ModelBuilder()
    b.choice("a", range(3))
    with pytest.raises(InputError, match=message):
        compile_qubo(b.build()).to_bqm(weights)


def test_unknown_encoding_is_refused():
    with pytest.raises(InputError, match="choose from one-hot, domain-wall"):
        compile_qubo(ModelBuilder().build(), "binary")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_empty_model_has_energy_zero(encoding):
    compiled = compile_qubo(ModelBuilder().build(), encoding)
    assert compiled.n_bits == 0
    assert compiled.total().offset == 0
    assert compiled.to_bqm().num_variables == 0


def test_a_constraint_without_variables_that_fails_costs():
    b = ModelBuilder()
    b.linear("never", [], [], lower=2, upper=3, shape=(1,))
    assert compile_qubo(b.build()).total().offset >= 1


def test_a_large_model_is_refused_before_it_is_built(monkeypatch):
    monkeypatch.setattr(qubo, "PRODUCT_LIMIT", 100)
    b = ModelBuilder()
    b.choice("a", range(11))
    with pytest.raises(TooLarge, match="121 products, more than 100"):
        compile_qubo(b.build())


def test_why_walls_are_not_substituted_into_a_finished_one_hot_qubo():
    """That QUBO has used x**2 = x, but a broken wall makes x = -1: energies below 0."""
    b = ModelBuilder()
    b.choice("a", range(4))
    model = b.build()
    walls, hot = compile_qubo(model, "domain-wall"), compile_qubo(model, "one-hot")
    bits = all_bits(walls.n_bits)
    substituted = hot.total().energies(walls.decode(bits)) + walls.total().energies(bits)
    assert substituted.min() < 0
    assert walls.total().energies(bits).min() == 0


@pytest.mark.parametrize("encoding", ["one-hot", "domain-wall"])
@pytest.mark.parametrize("name", puzzle_names())
def test_coefficients_are_the_sums_of_their_sources(name, encoding):
    model = get_puzzle(name).examples()[0].model()
    qubo = compile_qubo(model, encoding, dict.fromkeys(model.families, 3))
    form, upper = qubo.form, qubo.form.couplings.tocoo()
    pairs = list(zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True))
    pairs += [(i, i, value) for i, value in enumerate(form.linear.tolist())]
    for i, j, value in pairs[:: max(1, len(pairs) // 40)]:
        sources = qubo.sources(j, i)
        assert sum(share for _, _, share in sources) == value
        assert {family for family, _, _ in sources} <= set(model.families)
