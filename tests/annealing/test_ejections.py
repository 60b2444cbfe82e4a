"""A search among valid states alone, where all rows are conflicts."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import compiled_and_plain
from moves import check_moves
from qubopuzzle import ModelBuilder, solve
from qubopuzzle.annealing import State, anneal, annealing_form
from qubopuzzle.errors import InputError
from qubopuzzle.files.models.graphs import read_gph
from qubopuzzle.model import violation
from strategies import assignments


@st.composite
def packings(draw):
    """Choices with a value that no row minds, rows that allow one of their other literals."""
    b = ModelBuilder()
    sizes = draw(st.lists(st.integers(2, 4), min_size=2, max_size=5))
    choices = [b.choice(f"x{i}", range(size)) for i, size in enumerate(sizes)]
    none = [draw(st.integers(0, size - 1)) for size in sizes]
    others = [c.literals[v] for c, n in zip(choices, none, strict=True) for v in c.values if v != n]
    for r in range(draw(st.integers(1, 5))):
        row = draw(st.lists(st.sampled_from(others), min_size=2, max_size=5, unique=True))
        sign = draw(st.sampled_from([1, -1]))
        weights = sign * np.array(draw(st.lists(st.integers(2, 3), min_size=5, max_size=5)))
        bound = {"upper": 3} if sign > 0 else {"lower": -3}
        b.linear(f"row {r}", [0] * len(row), row, weights[: len(row)], shape=(1,), **bound)
    costs = draw(st.lists(st.integers(-4, 1), min_size=3, max_size=sum(sizes)))
    literals = [literal for c in choices for literal in c.literals]
    b.objective(literals, np.resize(np.array(costs, dtype=float), len(literals)))
    return b.build()


@settings(max_examples=200, deadline=None)
@given(packings(), st.integers(0, 99))
def test_states_are_valid_and_the_best_one_is_reached(model, seed):
    """From any assignment, valid or not; sums and lists stay true."""
    form = annealing_form(model)
    if form.conflicts is None:
        return
    graph = form.conflicts
    check_moves(form, "eject", seed, lambda state, x: check_lists(graph, state._ejections, x))


def check_lists(graph, ejections, x):
    """Which nodes are taken, free, or in conflict with one, from the values."""
    taken = {v for v in range(graph.n_nodes) if x[graph.literal[v]]}
    ends = zip(graph.near_start[:-1], graph.near_start[1:], strict=True)
    against = [taken.intersection(graph.near[low:high].tolist()) for low, high in ends]
    expected = [
        {v for v in range(graph.n_nodes) if v not in taken and len(against[v]) == n} for n in (0, 1)
    ]
    for which, nodes in enumerate((*expected, taken)):
        at = which * graph.n_nodes
        listed = ejections.listed[at : at + ejections.counts[which]]
        assert sorted(listed.tolist()) == sorted(nodes)
    assert ejections.against.tolist() == [sum(each) for each in against]


@settings(max_examples=100, deadline=None)
@given(packings())
def test_valid_states_are_the_independent_sets(model):
    """Of those whose literals gain anything."""
    graph = annealing_form(model).conflicts
    if graph is None:
        return
    near = {
        (u, v)
        for u in range(graph.n_nodes)
        for v in graph.near[graph.near_start[u] : graph.near_start[u + 1]].tolist()
    }
    for x in assignments(model):
        nodes = [v for v in range(graph.n_nodes) if x[graph.literal[v]]]
        if len(nodes) + int(x[graph.none].sum()) == len(model.choices):
            is_independent = not any(pair in near for pair in combinations(nodes, 2))
            assert (violation(model, x) == 0) == is_independent


def test_covers_of_edges_are_packings_of_what_is_left_out():
    b = ModelBuilder()
    bits = [b.bit(f"x{i}") for i in range(5)]
    edges = [(i, (i + 1) % 5) for i in range(5)]
    ends = np.ravel([[bits[i].literals[1], bits[j].literals[1]] for i, j in edges])
    b.linear("edge", np.repeat(range(5), 2), ends, [1] * 10, lower=1, shape=(5,))
    b.objective([bit.literals[1] for bit in bits], [1.0] * 5)
    graph = annealing_form(b.build()).conflicts
    assert graph.n_nodes == 5
    assert np.diff(graph.near_start).tolist() == [2] * 5
    found = anneal(b.build(), seed=1, reads=1)
    assert (found.reads[0].energy, found.reads[0].objective) == (0, 3.0)


@pytest.mark.parametrize(
    ("coefficients", "bounds"),
    [
        ([1, 1, 1], {"upper": 2}),  # any two fit
        ([3, 2, 1], {"upper": 3}),  # some two fit
        ([1, 1, 1], {"lower": 1, "upper": 1}),  # none of them is forbidden
        ([1, 1, 1], {"lower": 1}),  # any two may be left out
    ],
)
def test_other_rows_are_no_conflicts(coefficients, bounds):
    b = ModelBuilder()
    bits = [b.bit(f"x{i}") for i in range(3)]
    literals = [bit.literals[1] for bit in bits]
    b.at_most_one("pair", [literals[:2]])
    b.linear("row", [0] * 3, literals, coefficients, shape=(1,), **bounds)
    sign = -1.0 if "upper" in bounds else 1.0
    b.objective(literals, [sign] * 3)
    form = annealing_form(b.build())
    assert form.conflicts is None
    with pytest.raises(InputError, match="conflicts"):
        State(form, np.random.default_rng(0)).eject(1)


def drawn(seed, n=400, density=0.05):
    """A maximum independent set of a random graph."""
    rng = np.random.default_rng(seed)
    edges = np.argwhere(np.triu(rng.random((n, n)) < density, 1)) + 1
    lines = [f"p edge {n} {len(edges)}", *(f"e {i} {j}" for i, j in edges)]
    return read_gph("\n".join(lines).encode())


def test_what_sweeps_miss_is_found_and_threads_change_nothing():
    """Eight reads of sweeps come to 80 vertices."""
    one, two = (solve(drawn(3), seed=1, reads=8, options={"threads": n}) for n in (1, 2))
    assert one.objective == 83
    assert one.settings["portfolio"] == "for conflicts alone"
    assert one.incumbents[-1].value == 83
    assert one.grid.tolist() == two.grid.tolist()


def test_settings_of_sweeps_turn_ejections_off():
    result = solve(drawn(3, n=60), seed=1, reads=2, options={"beta": 6.0})
    assert result.settings["portfolio"] == "for an objective"


def test_weights_count():
    """A star whose centre is worth more than all its leaves, or less."""
    for centre, best in ((10.0, 10.0), (5.0, 6.0)):
        b = ModelBuilder()
        bits = [b.bit(f"x{i}").literals[1] for i in range(7)]
        b.at_most_one("edge", [[bits[0], leaf] for leaf in bits[1:]])
        b.objective(bits, [-centre, *[-1.0] * 6])
        state = State(annealing_form(b.build()), np.random.default_rng(0))
        state.eject(100)
        assert state.worth == -best


def test_plain_python_makes_the_same_moves():
    code = (
        "import numpy as np\n"
        "from qubopuzzle import ModelBuilder\n"
        "from qubopuzzle.annealing import State, annealing_form\n"
        "rng, b = np.random.default_rng(5), ModelBuilder()\n"
        "bits = [b.bit(f'x{i}').literals[1] for i in range(40)]\n"
        "edges = np.argwhere(np.triu(rng.random((40, 40)) < 0.2, 1))\n"
        "b.at_most_one('edge', [[bits[i], bits[j]] for i, j in edges])\n"
        "b.objective(bits, -rng.integers(1, 9, 40).astype(float))\n"
        "state = State(annealing_form(b.build()), np.random.default_rng(1))\n"
        "for n in (1, 200):\n"
        "    state.eject(n)\n"
        "    print(state.value.tolist(), state.best.tolist(), state.worth)\n"
    )
    compiled, plain = compiled_and_plain(code)
    assert compiled == plain


def test_ctrl_c_keeps_the_best_state():
    def interrupt(_):
        raise KeyboardInterrupt

    result = solve(drawn(3), seed=1, progress=interrupt)
    assert result.interrupted
    assert result.objective >= 75
