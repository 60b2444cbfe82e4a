"""Chains: paths of precedences that propagation looks at as one."""

import re

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from qubopuzzle import Nonogram
from qubopuzzle.model import Model, ModelBuilder, propagate, violation
from qubopuzzle.model.propagator import Propagator
from qubopuzzle.puzzles.nonogram.lines import WHITE, solve_lines
from strategies import assignments

CELLS = 8


@st.composite
def lines(draw) -> Model:
    """Runs in a line, some of whose places are gone, and for some cells a row of their own.

    A run paints each cell with the same amount, or some with another one, which is no chain.
    """
    b = ModelBuilder()
    lengths = draw(st.lists(st.integers(1, 3), min_size=2, max_size=3))
    spaces = draw(st.lists(st.integers(0, 1), min_size=3, max_size=3))
    other = draw(st.sampled_from([1, 1, 1, 2, -1]))
    runs, cells, literals, amounts = [], [], [], []
    for i, length in enumerate(lengths):
        places = st.sets(st.integers(0, CELLS - length), min_size=CELLS - length - 1)
        run = b.choice(f"run {i}", sorted(draw(places)))
        runs.append(run)
        for place, literal in zip(run.values, run.literals, strict=True):
            cells += range(place, place + length)
            literals += [literal] * length
            amounts += [1] * (length - 1) + [other]
    gaps = [length + space for length, space in zip(lengths, spaces, strict=False)]
    b.precedence("order", runs[:-1], runs[1:], gaps[: len(runs) - 1])
    bounds = st.sampled_from([(-9, 9)] * 9 + [(0, 0), (1, 1), (-1, 0)])
    lower, upper = np.array(draw(st.lists(bounds, min_size=CELLS, max_size=CELLS))).T
    b.linear("cell", cells, literals, amounts, lower=lower, upper=upper, shape=(CELLS,))
    return b.build()


@given(lines())
def test_a_chain_keeps_exactly_what_is_in_a_solution(model):
    propagator = Propagator(model)
    broken = propagator.run()
    solutions = [x for x in assignments(model) if violation(model, x) == 0]
    if broken is not None:
        assert not solutions
        return
    left = np.zeros(model.n_literals, dtype=bool)
    for x in solutions:
        left |= x > 0
    assert propagator.alive[left].all()
    found = propagator.arrays
    if len(found.room) == 1 and len(found.chain_choice) == len(model.choices):
        event("one chain")
        # A single chain, and each row says of one touch what it may be: nothing is left to chance.
        assert propagator.alive.tolist() == left.tolist()
        touching = propagator.rows[propagator.chains.touch_row] @ np.array(solutions).T != 0
        decided = propagator.domains.alive[found.untouched[:, None] + [0, 1]]
        missed = (~touching).any(axis=1)
        assert (decided[:, 0] == missed)[~found.unsure].all()
        assert decided[missed, 0].all()
        assert decided[:, 1].tolist() == touching.any(axis=1).tolist()


def test_runs_of_one_amount_are_a_chain_and_others_are_not():
    b = ModelBuilder()
    one, two = b.choice("one", range(4)), b.choice("two", range(4))
    b.precedence("order", [one], [two], [2])
    b.linear("cell", [0, 0], [one[1], two[2]], lower=0, upper=1, shape=(1,))
    assert Propagator(b.build()).arrays.chain_choice.tolist() == [0, 1]
    b.linear("gap", [0, 0], [one[0], one[2]], lower=0, upper=1, shape=(1,))
    assert not len(Propagator(b.build()).arrays.chain_choice)


def test_a_chain_stays_one_where_a_choice_in_its_middle_passes_a_row():
    b = ModelBuilder()
    x, y, z = (b.choice(*own) for own in [("x", [1, 2, 3]), ("y", [2, 4]), ("z", [1, 3, 5])])
    b.precedence("order", [x, y], [y, z], [1, 1])
    b.linear("row", [0, 0], [x[3], z[3]], lower=1, upper=1, shape=(1,))
    propagator = Propagator(b.build())
    assert propagator.run() is None
    assert propagator.arrays.chain_choice.tolist() == [0, 1, 2]
    assert propagator.arrays.unsure.tolist() == [True]
    left = np.array([x > 0 for x in assignments(b.build()) if violation(b.build(), x) == 0])
    assert propagator.alive.tolist() == left.any(axis=0).tolist()


def test_most_lines_stay_chains_after_propagation():
    grid = np.random.default_rng(3).integers(2, size=(30, 30))
    model = propagate(Nonogram.from_picture(grid).model("window")).model
    propagator = Propagator(model)
    shared = propagator.paths.shared
    assert shared.any()
    assert (propagator.chains.chain_of[shared] >= 0).all()


def test_a_broken_chain_is_named_by_its_ends():
    b = ModelBuilder()
    runs = [b.choice(f"run {i}", range(5)) for i in range(3)]
    b.precedence("order", runs[:-1], runs[1:], [2, 2])
    b.linear("cell", [0], [runs[1][2]], lower=0, upper=0, shape=(1,))
    assert Propagator(b.build()).run() == "order of run 0 to run 2"


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 1 << 30))
def test_propagation_decides_what_line_solving_does(height, width, seed):
    grid = np.random.default_rng(seed).integers(2, size=(height, width))
    puzzle = Nonogram.from_picture(grid)
    model = puzzle.model(puzzle.formulation_for(cuts=False))
    propagator = Propagator(model)
    assert propagator.run() is None
    known = solve_lines(grid).ravel()
    # A cell's row says that its line's touches are those of the crossing line.
    alive, untouched = propagator.domains.alive, propagator.arrays.untouched
    for touch, row in enumerate(propagator.chains.touch_row.tolist()):
        cell = model.row_label(row)
        at = np.ravel_multi_index([int(part) for part in re.findall(r"\d+", cell)], grid.shape)
        black, white = alive[untouched[touch] + 1], alive[untouched[touch]]
        assert (black and white) == (known[at] & (known[at] - 1) != 0), cell
        assert bool(white) == bool(known[at] & WHITE), cell
