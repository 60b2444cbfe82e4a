"""A search for small covers, where every row asks for some of its choices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import compiled_and_plain
from moves import check_moves
from qubopuzzle import ModelBuilder, solve
from qubopuzzle.annealing import State, anneal, annealing_form
from qubopuzzle.annealing.covers import covers_among
from qubopuzzle.errors import InputError
from qubopuzzle.model import violation
from strategies import assignments


def covering(rows, costs, need=1, coefficients=None):
    """Bits that cost something, and rows that ask for some of them."""
    b = ModelBuilder()
    bits = [b.bit(f"x{i}").literals[1] for i in range(len(costs))]
    for r, row in enumerate(rows):
        weights = [1] * len(row) if coefficients is None else coefficients[: len(row)]
        literals = [bits[i] for i in row]
        b.linear(f"row {r}", [0] * len(row), literals, weights, lower=need, shape=(1,))
    b.objective(bits, np.array(costs, dtype=float))
    return b.build()


@st.composite
def coverings(draw):
    """Bits and larger choices, one value of which costs more than another, and cannot hurt."""
    b = ModelBuilder()
    sizes = draw(st.lists(st.sampled_from([2, 2, 3]), min_size=3, max_size=6))
    choices = [b.choice(f"x{i}", range(size)) for i, size in enumerate(sizes)]
    nodes = [literal for choice in choices for literal in choice.literals[1:]]
    for r in range(draw(st.integers(1, 5))):
        row = draw(st.lists(st.sampled_from(nodes), min_size=2, max_size=5, unique=True))
        most = draw(st.integers(1, len(row) - 1))
        factor = draw(st.sampled_from([1, 2]))
        weights = [factor] * len(row)
        b.linear(f"row {r}", [0] * len(row), row, weights, upper=factor * most, shape=(1,))
    costs = draw(st.lists(st.integers(-4, 1), min_size=len(nodes), max_size=len(nodes)))
    b.objective(nodes, np.array(costs, dtype=float))
    return b.build()


@settings(max_examples=200, deadline=None)
@given(coverings(), st.integers(0, 99))
def test_the_best_cover_is_reached_and_sums_stay_true(model, seed):
    """From any assignment, a cover or not."""
    form = annealing_form(model)
    if form.covers is None:
        return
    check_moves(form, "cover", seed, lambda state, _: check_sums(*state._cover))


def check_sums(covers, search):
    """What rows lack, and what nodes would change, from which nodes are inside."""
    entry = np.repeat(np.arange(covers.n_rows), np.diff(covers.node_start))
    inside = np.bincount(entry[search.is_inside[covers.node]], minlength=covers.n_rows)
    n_inside, n_short, *_ = search.counts
    assert search.n_inside.tolist() == inside.tolist()
    assert sorted(search.listed[:n_inside]) == np.flatnonzero(search.is_inside).tolist()
    assert sorted(search.short[:n_short]) == np.flatnonzero(inside < covers.need).tolist()
    for node in range(covers.n_nodes):
        rows = covers.row[covers.row_start[node] : covers.row_start[node + 1]]
        counts = inside[rows] < covers.need[rows] + search.is_inside[node]
        assert search.score[node] == search.weight[rows[counts]].sum()


@settings(max_examples=100, deadline=None)
@given(coverings())
def test_valid_states_are_the_covers(model):
    """Of choices with values that cost less outside."""
    covers = annealing_form(model).covers
    if covers is None:
        return
    for x in assignments(model):
        outside = x[covers.outside] > 0
        if outside.sum() + x[covers.none].sum() == len(model.choices):
            is_cover = all(
                (~outside[covers.node[start:end]]).sum() >= need
                for start, end, need in zip(
                    covers.node_start[:-1], covers.node_start[1:], covers.need, strict=True
                )
            )
            assert (violation(model, x) == 0) == is_cover


def test_coefficients_beyond_what_a_row_asks_for_are_no_more_than_that():
    model = covering([[0, 1, 2, 3]], [1] * 4, need=2, coefficients=[2, 5, 3, 2])
    assert annealing_form(model).covers.need.tolist() == [1]


@pytest.mark.parametrize(
    "model",
    [
        covering([[0, 1, 2, 3]], [1] * 4, need=3, coefficients=[1, 2, 3, 4]),
        covering([[0, 1, 2, 3]], [-1] * 4),  # all inside is best
    ],
)
def test_other_models_have_no_covers(model):
    form = annealing_form(model)
    assert form.covers is None
    with pytest.raises(InputError, match="ask for some"):
        State(form, np.random.default_rng(0)).cover(1)


def test_rows_that_are_conflicts_are_for_ejections():
    form = annealing_form(covering([[0, 1], [1, 2], [2, 0]], [1] * 3))
    assert form.conflicts is not None
    assert form.covers is None


def test_what_is_left_out_is_never_inside():
    model = covering([[0, 1, 2, 3], [1, 2, 4, 5], [0, 3, 4, 5]], [3, 1, 1, 1, 1, 3])
    covers = annealing_form(model).covers
    left = np.arange(6) != 1
    some = covers_among(covers, left)
    assert some.choice.tolist() == [0, 2, 3, 4, 5]
    assert [some.choice[some.node[k]] for k in range(some.node_start[1])] == [0, 2, 3]
    assert covers_among(covers, np.ones(6, dtype=bool)) is covers
    state = State(annealing_form(model), np.random.default_rng(0))
    state.narrow(model.first_literal[1:2] + 1)
    state.cover(50)
    assert state.worth == 2.0
    assert state.best[1] == 0


def planes(order=7):
    """Points that meet every line of a projective plane: the least are the points of a line."""
    axis = np.array([(1, y, z) for y in range(order) for z in range(order)])
    points = np.concatenate([axis, [(0, 1, z) for z in range(order)], [(0, 0, 1)]])
    rows = [np.flatnonzero(points @ line % order == 0).tolist() for line in points]
    return covering(rows, [1] * len(points))


def test_a_solver_says_what_it_searched():
    result = solve(planes(), seed=1, reads=6)
    assert result.objective == result.incumbents[-1].value == 8
    assert result.settings["portfolio"] == "for covers"


@pytest.mark.parametrize("relaxing", [False, True])
def test_threads_change_nothing(relaxing):
    one, two = (
        anneal(planes(), seed=1, reads=6, relaxing=relaxing, threads=n).reads[0] for n in (1, 2)
    )
    assert (one.number, one.energy, one.objective) == (two.number, 0, 8.0)
    assert one.value.tolist() == two.value.tolist()


def test_settings_of_sweeps_turn_the_search_off():
    result = solve(planes(3), seed=1, reads=2, options={"beta": 6.0})
    assert result.settings["portfolio"] == "for an objective"


def test_plain_python_makes_the_same_moves():
    code = (
        "import numpy as np\n"
        "from qubopuzzle import ModelBuilder\n"
        "from qubopuzzle.annealing import State, annealing_form\n"
        "rng, b = np.random.default_rng(5), ModelBuilder()\n"
        "bits = [b.bit(f'x{i}').literals[1] for i in range(40)]\n"
        "for r in range(30):\n"
        "    row = rng.choice(40, 5, replace=False)\n"
        "    b.linear(f'r{r}', [0] * 5, [bits[i] for i in row], [1] * 5, lower=2, shape=(1,))\n"
        "b.objective(bits, rng.integers(1, 9, 40).astype(float))\n"
        "state = State(annealing_form(b.build()), np.random.default_rng(1))\n"
        "for n in (1, 200):\n"
        "    state.cover(n)\n"
        "    print(state.value.tolist(), state.best.tolist(), state.worth)\n"
    )
    compiled, plain = compiled_and_plain(code)
    assert compiled == plain


def test_ctrl_c_keeps_the_best_state():
    def interrupt(_):
        raise KeyboardInterrupt

    result = solve(planes(), seed=1, progress=interrupt)
    assert result.interrupted
    assert 8 <= result.objective <= 20
