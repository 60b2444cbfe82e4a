"""What heyawake, hitori and kurodoko share: connectivity as a forest, against brute force."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from pysat.solvers import Solver

from qubopuzzle import (
    Heyawake,
    Hitori,
    InputError,
    Kurodoko,
    ModelError,
    PuzzleError,
    TooLarge,
    compile_qubo,
    propagate,
    solve,
    violation,
)
from qubopuzzle.compile import ENCODINGS
from qubopuzzle.puzzles._forest import _exact_modulus, forest
from qubopuzzle.puzzles._shaded import lazy
from qubopuzzle.solvers import get_solver
from shadings import (
    CORNERS,
    RANDOM,
    SIDES,
    answers,
    apart,
    around,
    brute,
    clauses,
    connected,
    found,
    met,
    paintings,
    pieces,
    right,
    split,
    zero,
)

SHADING = (Heyawake, Hitori, Kurodoko)
EXAMPLES = [puzzle for kind in SHADING for puzzle in kind.examples()]
FORESTS = ("forest", "forest:modulus=3", "forest:modulus=5", "forest:depth=4")


def free(*shape):
    """No cell is white from the start."""
    return np.zeros(shape, dtype=bool)


def painted(cells, shape):
    grid = np.zeros(shape, dtype=np.int64)
    grid[tuple(np.array(sorted(cells)).T)] = 1
    return grid


# --- what a forest is, written once more -------------------------------------------------


def on_border(cell, shape):
    return cell[0] in (0, shape[0] - 1) or cell[1] in (0, shape[1] - 1)


def height(piece, root):
    """How deep a tree is below a root."""
    depth, level = 0, {root}
    seen = set(level)
    while level := set().union(*(around(cell, CORNERS) for cell in level)) & piece - seen:
        seen |= level
        depth += 1
    return depth


def meets(answer, modulus=None, depth=None):
    """Whether a forest's constraints can be met by black cells that do not touch.

    Without settings: whether they are a forest, with the border as one more vertex.
    """
    for piece in pieces(split(answer)[0], CORNERS):
        joints = sum(len(around(cell, CORNERS) & piece) for cell in piece) // 2
        border = [cell for cell in piece if on_border(cell, answer.shape)]
        if joints == len(piece) - 1 and len(border) <= 1:
            if depth and min(height(piece, root) for root in border or piece) > depth:
                return False
            continue
        if joints > len(piece) or border or not modulus:
            return False
        cycle = set(piece)
        while leaves := {cell for cell in cycle if len(around(cell, CORNERS) & cycle) == 1}:
            cycle -= leaves
        if len(cycle) % (2 * modulus):
            return False
    return True


class Forest:
    """The formula of a forest's model, asked for one painting after the other."""

    def __init__(self, shape, **settings):
        self.model = forest(free(*shape), **settings).build()
        reading = self.model.field.readings[0].matrix.tocoo()
        self.white = (reading.col[np.argsort(reading.row)] + 1).tolist()
        self.solver = Solver("cadical195", bootstrap_with=clauses(self.model))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.solver.delete()

    def accepts(self, answer):
        cells = zip(self.white, answer.ravel().tolist(), strict=True)
        return self.solver.solve(assumptions=[-literal if b else literal for literal, b in cells])


@pytest.mark.parametrize(
    "settings",
    [{}, *({"modulus": m} for m in (1, 3, 5)), *({"depth": k} for k in (1, 2, 3))],
    ids=str,
)
def test_a_forest_is_what_the_docstring_says_on_all_paintings(settings):
    """Every painting of 4x4 and 4x5 whose black cells do not touch."""
    modulus = settings.get("modulus")
    for shape in ((4, 4), (4, 5)):
        with Forest(shape, **settings) as formula:
            for answer in apart(*shape):
                expected = meets(answer, modulus, settings.get("depth"))
                assert formula.accepts(answer) == expected, answer


def test_the_exact_forest_accepts_what_hangs_together_on_all_paintings():
    """All 2**25 of 5x5: those with black cells that touch are refused by [adjacent]."""
    for shape, count in (((3, 3), 63), ((2, 5), 99), ((3, 5), 827), ((5, 5), 55_447)):
        grids = apart(*shape)
        assert len(grids) == count
        with Forest(shape) as formula:
            rows = next(block for block in formula.model.linear if block.family == "adjacent")
            assert rows.matrix.shape[0] == 2 * shape[0] * shape[1] - sum(shape)
            accepted = np.array([formula.accepts(answer) for answer in grids])
        assert (accepted == connected(grids)).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 1), (1, 3), (1, 5), (2, 2), (2, 3), (3, 2)])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_small_grids_bit_by_bit(shape, encoding):
    """One row, two rows: no cell there is an inner one, or all of them cut the grid."""
    grids = [g for g in paintings(shape) if not touching(g)]
    expected = sorted(g.tobytes() for g in grids if len(pieces(split(g)[1], SIDES)) <= 1)
    for settings in ({}, {"modulus": 1}, {"modulus": 3}, {"modulus": 5}, {"depth": 1}):
        model = forest(free(*shape), **settings).build()
        assert zero(model, encoding) == expected
        assert model.omitted == model.bounded == ()
    assert met(lazy(free(*shape)).build()) == expected


def touching(grid):
    return (grid[1:] & grid[:-1]).any() or (grid[:, 1:] & grid[:, :-1]).any()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("settings", [{}, {"modulus": 3}, {"modulus": 5}, {"depth": 2}], ids=str)
def test_3x3_bit_by_bit(settings, encoding):
    grids = apart(3, 3)
    expected = sorted(g.tobytes() for g in grids[connected(grids)])
    assert zero(forest(free(3, 3), **settings).build(), encoding) == expected


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_white_cells_from_the_start_bit_by_bit(encoding):
    """4x4 and 3x5 where some cells cannot be black."""
    rng = np.random.default_rng(4)
    counts = Counter()
    for i in range(40):
        shape = ((4, 4), (3, 5), (5, 4))[i % 3]
        white = rng.random(shape) < 0.5
        grids = apart(*shape)
        grids = grids[connected(grids) & ~(grids & white).any(axis=(1, 2))]
        expected = sorted(g.tobytes() for g in grids)
        for settings in ({}, {"modulus": 3}, {"modulus": 7}):
            bits = zero(forest(white, **settings).build(), encoding, bits=14)
            if bits is not None:
                counts[str(settings)] += 1
                assert bits == expected
    assert min(counts.values()) >= 8, counts


# --- chordless cycles --------------------------------------------------------------------


@cache
def chordless(rows, columns):
    """All chordless cycles of inner cells, joined by their corners, as sets of cells.

    A path grows from its least cell; no cell joins it that is next to any but its end, or,
    closing, its start.
    """
    inner = {(r, c) for r in range(1, rows - 1) for c in range(1, columns - 1)}
    beside = {cell: around(cell, CORNERS) & inner for cell in inner}
    cycles = []

    def grow(path, used):
        for cell in beside[path[-1]]:
            if cell < path[0] or cell in used:
                continue
            known = beside[cell] & used - {path[-1]}
            if not known:
                grow([*path, cell], used | {cell})
            elif known == {path[0]} and len(path) > 2 and path[1] < cell:
                cycles.append(frozenset([*path, cell]))

    for start in inner:
        grow([start], {start})
    assert len(cycles) == len(set(cycles))
    return cycles


BOARDS = [(r, c) for r in range(4, 11) for c in range(r, 11)]
"""Up to 10x10."""


def test_the_search_for_chordless_cycles_finds_them_all():
    """Every set of inner cells of 7x7 and one colour: each with two others at its corners."""
    inner = [(r, c) for r in range(1, 6) for c in range(1, 6)]
    expected = set()
    for parity in (0, 1):
        own = [cell for cell in inner if sum(cell) % 2 == parity]
        beside = np.array([[cell in around(other, CORNERS) for cell in own] for other in own])
        sets = paintings((1, len(own)))[:, 0]
        two = ((sets @ beside == 2) | (sets == 0)).all(axis=1) & sets.any(axis=1)
        for chosen in sets[two]:
            cells = frozenset(cell for cell, taken in zip(own, chosen, strict=True) if taken)
            if len(pieces(cells, CORNERS)) == 1:
                expected.add(cells)
    assert set(chordless(7, 7)) == expected
    assert len(expected) == 10


def test_no_chordless_cycle_has_2_or_6_cells_or_an_odd_number():
    lengths = Counter(len(cycle) for shape in BOARDS for cycle in chordless(*shape))
    assert not {2, 6} & set(lengths)
    assert all(length % 2 == 0 for length in lengths)
    assert {4, 8, 10, 12, 14, 16, 18} <= set(lengths)


@pytest.mark.parametrize("shape", BOARDS, ids=str)
def test_lengths_are_bounded_as_the_docstring_says(shape):
    """``2 L <= 4 (I - L) + b`` with every corner counted one by one."""
    cells = set(np.ndindex(shape))
    for cycle in chordless(*shape):
        parity = sum(min(cycle)) % 2
        own = {cell for cell in cells if sum(cell) % 2 == parity}
        border = {cell for cell in own if on_border(cell, shape)}
        room = sum(len(around(cell, CORNERS) & cells) for cell in border)
        off = sum(len(around(cell, CORNERS) - cycle) for cell in cycle)
        assert off == 2 * len(cycle) <= 4 * (len(own - border) - len(cycle)) + room


@pytest.mark.parametrize("shape", BOARDS, ids=str)
def test_no_loop_gets_past_the_exact_modulus(shape):
    modulus = _exact_modulus(free(*shape))
    assert modulus % 2 == 1
    assert all(len(cycle) % (2 * modulus) for cycle in chordless(*shape))


def test_no_loop_gets_past_the_exact_modulus_where_cells_are_white():
    """Boards on which hardly more can be black than a loop: the tightest ones."""
    rng = np.random.default_rng(8)
    moduli = Counter()
    for shape in ((7, 7), (8, 8), (8, 9), (9, 9)):
        cycles = chordless(*shape)
        for i in rng.integers(len(cycles), size=60):
            white = painted(cycles[i], shape) == 0
            white &= rng.random(shape) < rng.choice([0.7, 0.9, 1.0])
            modulus = _exact_modulus(white)
            moduli[modulus] += 1
            for cycle in cycles:
                if not any(white[cell] for cell in cycle):
                    assert len(cycle) % (2 * modulus)
    assert {3, 7} <= set(moduli)


def one_loop_of_each_length():
    """A length, a board, and the least loop of that length on it."""
    loops = {}
    for shape in BOARDS:
        for cycle in sorted(chordless(*shape), key=sorted):
            loops.setdefault(len(cycle), (shape, cycle))
    return [pytest.param(*loops[length], id=str(length)) for length in sorted(loops)]


def ring(cycle, shape):
    """A board on which just the loop can be black, and each cell of it must be."""
    black = painted(cycle, shape)
    rooms = np.zeros(shape, dtype=np.int64)
    white = pieces(split(black)[1], SIDES)
    for number, cells in enumerate([*white, *({cell} for cell in sorted(cycle))]):
        for cell in cells:
            rooms[cell] = number
    return Heyawake(rooms=rooms, clues=[0] * len(white) + [1] * len(cycle))


@pytest.mark.parametrize(("shape", "cycle"), one_loop_of_each_length())
def test_a_loop_passes_exactly_where_its_length_is_a_multiple(shape, cycle):
    """The model is met with white cells fenced in; it says so, and the rules judge."""
    black = painted(cycle, shape)
    assert [v.rule for v in Heyawake([[0] * shape[1]] * shape[0], [None]).violations(black)] == [
        "connected"
    ]
    for modulus in (0, 1, 3, 5, 7, 9):
        with Forest(shape, modulus=modulus) as formula:
            passes = bool(modulus) and len(cycle) % (2 * modulus) == 0
            assert formula.accepts(black) == passes
            assert not passes or formula.model.omitted


@pytest.mark.parametrize("modulus", [1, 3, 5, 7, 9])
@pytest.mark.parametrize(("shape", "cycle"), one_loop_of_each_length())
def test_a_model_that_a_loop_gets_past_says_what_it_omits(shape, cycle, modulus):
    """On the tightest board for the loop: its own cells, and no others can be black."""
    puzzle = ring(cycle, shape)
    passes = len(cycle) % (2 * modulus) == 0
    formulation = f"forest:modulus={modulus}"
    model = puzzle.model(formulation)
    assert model.omitted or not passes
    result = solve(puzzle, "sat", formulation=formulation, solutions=None)
    assert not result.solutions
    assert result.relaxed == model.omitted
    assert result.status == "unsatisfiable"
    assert solve(puzzle, "sat", formulation="forest").status == "unsatisfiable"
    assert solve(puzzle, "sat", formulation="lazy").status == "unsatisfiable"
    annealed = solve(puzzle, "annealer", formulation=formulation, seed=1, reads=2)
    assert annealed.status == "unknown"
    if passes:
        assert {v.rule for v in annealed.violations} == {"connected"}
        assert annealed.energy == 0


# --- trees that are too deep -------------------------------------------------------------

CHAIN = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 3), (5, 4), (6, 3), (7, 4))
"""From the border, each cell one deeper."""


def floating(count):
    """A chain off the border that a root in its middle makes half as deep."""
    return [(2 + i % 2, 1 + i) for i in range(count)]


@pytest.mark.parametrize(
    ("cycle", "shape", "needed"),
    [
        (CHAIN[:4], (9, 7), 3),
        (CHAIN[:6], (9, 7), 5),
        (CHAIN, (9, 7), 7),
        (floating(3), (5, 5), 1),
        (floating(4), (5, 7), 2),
        (floating(5), (5, 7), 2),
        (floating(6), (5, 8), 3),
    ],
)
def test_a_depth_too_small_is_reported_and_proves_nothing(cycle, shape, needed):
    puzzle = ring(frozenset(cycle), shape)
    black = painted(cycle, shape)
    assert not puzzle.violations(black)
    for depth in range(1, 9):
        formulation = f"forest:depth={depth}"
        model = puzzle.model(formulation)
        inner = Counter(sum(cell) % 2 for cell in cycle if not on_border(cell, shape))
        assert bool(model.bounded) == (depth < max(inner.values()))
        assert model.omitted == ()
        if depth >= needed:
            x = model.assignment(model.field.write(black))
            assert violation(model, x) == 0
            result = solve(puzzle, "sat", formulation=formulation, solutions=None)
            assert found(result) == [black.tobytes()]
            assert result.complete == (not model.bounded)
            continue
        assert model.bounded == (f"connected: trees of black cells deeper than {depth}",)
        with pytest.raises(InputError, match=f"tree of black cells deeper than {depth}"):
            model.field.write(black)
        for solver, presolve in EXACT:
            result = solve(
                puzzle, solver, formulation=formulation, presolve=presolve, solutions=None
            )
            assert result.status == "unknown"
            assert not result.complete
            assert result.proved_by is None
            assert result.relaxed == model.bounded


EXACT = [
    (solver, presolve)
    for solver in ("sat", "cpsat")
    for presolve in ("none", "propagate")
    if get_solver(solver).available().ok
]


@pytest.mark.parametrize("kind", SHADING)
def test_settings_of_the_forest(kind):
    puzzle = kind.examples()[-1]
    for settings, message in (
        ("modulus=4", "takes an odd modulus"),
        ("modulus=2", "takes an odd modulus"),
        ("modulus=5,depth=3", "or else a depth"),
        ("size=3", "no setting 'size'; it has: modulus, depth"),
        ("modulus=-3", "takes a whole number"),
        ("depth=1.5", "takes a whole number"),
        ("depth=", "takes a whole number"),
    ):
        with pytest.raises(InputError, match=message):
            puzzle.model(f"forest:{settings}")
    with pytest.raises(InputError, match="no setting 'modulus'; it has: none"):
        puzzle.model("lazy:modulus=3")
    with pytest.raises(InputError, match="choose from forest, lazy"):
        puzzle.model("tree")
    for settings in ("modulus=999999999", "depth=999999999"):
        with pytest.raises(TooLarge, match="more than 2,000,000"):
            puzzle.model(f"forest:{settings}")
    assert puzzle.model("forest").omitted == puzzle.model("forest").bounded == ()
    assert puzzle.model("lazy").omitted == puzzle.model("lazy").bounded == ()


@pytest.mark.parametrize("kind", SHADING)
def test_connectivity_itself_has_no_qubo(kind):
    with pytest.raises(ModelError, match="has no form for connectivity"):
        compile_qubo(kind.examples()[0].model("lazy"))
    with pytest.raises(ModelError, match="has no form for connectivity"):
        solve(kind.examples()[0], "annealer", formulation="lazy", seed=1)


# --- random boards of all three ----------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", SHADING)
def test_random_3x3_boards_bit_by_bit(kind, encoding):
    rng = np.random.default_rng(31)
    counts, compared = Counter(), 0
    for i in range(16):
        puzzle = RANDOM[kind](rng, (3, 3), wrong=i % 2 == 0)
        expected = brute(puzzle)
        counts[min(len(expected), 2)] += 1
        for formulation in FORESTS[: 4 if i % 4 == 0 else 1]:
            bits = zero(puzzle.model(formulation), encoding, bits=16)
            compared += bits is not None
            assert bits in (None, expected)
    assert set(counts) == {0, 1, 2}
    assert compared >= 20


@pytest.mark.parametrize("kind", SHADING)
def test_random_boards_with_white_cells_bit_by_bit(kind):
    """3x4 and 4x4: those with few enough bits."""
    rng = np.random.default_rng(41)
    compared = 0
    for _ in range(40):
        puzzle = RANDOM[kind](rng, ((3, 4), (4, 4))[int(rng.integers(2))], share=0.9)
        bits = zero(puzzle.model("forest"), "domain-wall", bits=14)
        if bits is not None:
            compared += 1
            assert bits == answers(puzzle)
    assert compared >= 2


@pytest.mark.parametrize("solver", ["sat", "cpsat", "mip"])
@pytest.mark.parametrize("kind", SHADING)
def test_exact_solvers_find_what_the_rules_allow(kind, solver):
    if not get_solver(solver).available().ok:
        pytest.skip(f"{solver} is not installed")
    rng = np.random.default_rng(51)
    counts = Counter()
    for i in range({"sat": 24, "cpsat": 16, "mip": 12}[solver]):
        puzzle = RANDOM[kind](rng, ((3, 4), (4, 4), (1, 5), (5, 2))[i % 4], wrong=i % 3 == 0)
        expected = answers(puzzle)
        if solver != "sat" and len(expected) > 15:
            continue
        counts[min(len(expected), 2)] += 1
        for formulation in ("lazy", *(FORESTS if solver == "sat" else ())):
            result = solve(puzzle, solver, formulation=formulation, solutions=None, seed=1)
            assert found(result) == expected
            assert result.status == ("solved" if expected else "unsatisfiable")
            assert result.complete
    assert {0, 2} <= set(counts)


@pytest.mark.parametrize("shape", [(6, 6), (8, 8), (6, 9)])
@pytest.mark.parametrize("kind", SHADING)
def test_forest_and_cuts_have_the_same_answers(kind, shape):
    rng = np.random.default_rng(61)
    counts = Counter()
    for i in range(5):
        puzzle = RANDOM[kind](rng, shape, share=0.9, wrong=i % 4 == 3)
        cut = solve(puzzle, "sat", formulation="lazy", solutions=21)
        few = len(cut.solutions) <= 20
        counts[min(len(cut.solutions), 2)] += few
        for formulation in ("forest", "forest:modulus=5", "forest:depth=20"):
            result = solve(puzzle, "sat", formulation=formulation, solutions=21)
            assert result.status == cut.status
            if few:
                assert found(result) == found(cut)
            assert all(right(puzzle, answer) for answer in result.solutions)
    assert counts, counts


@pytest.mark.parametrize("formulation", ["lazy", *FORESTS])
@pytest.mark.parametrize("kind", SHADING)
def test_propagation_keeps_the_solutions(kind, formulation):
    rng = np.random.default_rng(71)
    contradictions = 0
    for i in range(20):
        puzzle = RANDOM[kind](rng, (3, 4), share=0.9, wrong=i % 2 == 0)
        expected = answers(puzzle)
        if propagate(puzzle.model(formulation)).contradiction:
            contradictions += 1
            assert not expected
        result = solve(puzzle, "sat", formulation=formulation, presolve="propagate", solutions=None)
        assert found(result) == expected
    assert contradictions or kind is Heyawake


# --- writing answers ---------------------------------------------------------------------


@pytest.mark.parametrize("formulation", ["lazy", *FORESTS])
@pytest.mark.parametrize("kind", SHADING)
def test_writing_is_the_inverse_of_reading(kind, formulation):
    """Of all paintings of a board, right ones can be written; the model refuses the others."""
    rng = np.random.default_rng(81)
    written = Counter()
    for _ in range(14):
        puzzle = RANDOM[kind](rng, ((3, 3), (2, 4), (1, 5), (4, 1))[int(rng.integers(4))])
        model = puzzle.model(formulation)
        assert model.bounded == ()
        for answer in paintings(puzzle.shape):
            correct = right(puzzle, answer)
            try:
                x = model.assignment(model.field.write(answer))
            except InputError:
                assert not correct
                written["refused"] += 1
                continue
            grid, broken = model.field.read(x)
            assert (grid == answer).all()
            assert len(broken) == 0
            assert (violation(model, x) == 0) == correct
            written[correct] += 1
    assert written[True] >= 20
    assert sum(written.values()) > 1000


@pytest.mark.parametrize("settings", [{}, {"modulus": 3}, {"modulus": 5}, {"depth": 4}], ids=str)
def test_every_forest_can_be_written(settings):
    """All paintings of 5x5 whose black cells do not touch: a sample, and all that are loops."""
    grids = apart(5, 5)
    right_ones = connected(grids)
    chosen = np.random.default_rng(91).random(len(grids)) < 0.03
    model = forest(free(5, 5), **settings).build()
    for answer, correct in zip(grids[chosen], right_ones[chosen], strict=True):
        if correct and not meets(answer, depth=settings.get("depth")):
            with pytest.raises(InputError, match="deeper than 4"):
                model.field.write(answer)
        elif correct:
            x = model.assignment(model.field.write(answer))
            assert (model.field.read(x)[0] == answer).all()
            assert violation(model, x) == 0
        else:
            with pytest.raises(InputError, match=r"fence|cut off|deeper"):
                model.field.write(answer)


@pytest.mark.parametrize("formulation", ["lazy", "forest", "forest:modulus=3", "forest:depth=30"])
def test_large_random_shadings_can_be_written(formulation):
    rng = np.random.default_rng(93)
    for shape in ((12, 12), (7, 15)):
        answer = np.zeros(shape, dtype=np.int64)
        for cell in rng.permutation(answer.size):
            answer.flat[cell] = 1
            if touching(answer) or not connected(answer[None])[0]:
                answer.flat[cell] = 0
        puzzle = Heyawake(np.zeros(shape, dtype=int), [int(answer.sum())])
        model = puzzle.model(formulation)
        x = model.assignment(model.field.write(answer))
        assert violation(model, x) == 0
        assert (model.field.read(x)[0] == answer).all()


# --- examples ----------------------------------------------------------------------------


@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda p: p.id)
def test_examples_have_their_answer_and_no_other(puzzle):
    assert puzzle.n_solutions == 1
    assert right(puzzle, puzzle.solution)
    for formulation in ("lazy", *FORESTS):
        result = solve(puzzle, "sat", formulation=formulation, solutions=2)
        if formulation == "forest:depth=4" and not result.valid:
            assert result.status == "unknown"
            assert not meets(puzzle.solution, depth=4)
            continue
        assert found(result) == [puzzle.solution.tobytes()]
        assert result.complete == (not puzzle.model(formulation).bounded)


@pytest.mark.parametrize("formulation", ["forest", "forest:modulus=5", "forest:depth=12"])
@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda p: p.id)
def test_examples_are_annealed(puzzle, formulation):
    annealed = solve(puzzle, "annealer", formulation=formulation, seed=1, reads=30)
    assert annealed.valid
    assert annealed.energy == 0
    assert (annealed.answer == puzzle.solution).all()


@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda p: p.id)
def test_changing_a_cell_of_a_solution_breaks_a_rule(puzzle):
    """A black cell beside a black one touches it; else a clue or the connection breaks."""
    for cell in np.ndindex(puzzle.shape):
        wrong = puzzle.solution.copy()
        wrong[cell] ^= 1
        broken = puzzle.violations(wrong)
        assert broken
        black, white = split(wrong)
        rules = {v.rule for v in broken}
        assert ("adjacent" in rules) == bool(wrong[cell] and around(cell, SIDES) & black)
        assert ("connected" in rules) == (len(pieces(white, SIDES)) > 1)
        assert any(cell in v.cells for v in broken if v.rule == "adjacent") == ("adjacent" in rules)
        assert all("\n" not in v.message and v.cells for v in broken)


@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda p: p.id)
def test_json_round_trip(puzzle):
    again = type(puzzle).from_dict(puzzle.to_dict())
    assert again.to_dict() == puzzle.to_dict()
    assert again.id == puzzle.id
    assert (again.solution == puzzle.solution).all()
    assert again.picture().text() == puzzle.picture().text()
    with pytest.raises(ValueError, match="read-only"):
        puzzle.solution[0, 0] = 1


@pytest.mark.parametrize("kind", SHADING)
def test_instances_are_compared_and_hashed(kind):
    one, two = kind.examples()[0], kind.examples()[0]
    assert one == two
    assert hash(one) == hash(two)
    assert one != kind.examples()[1]
    assert one != "puzzle"
    assert len({*kind.examples(), *kind.examples()}) == len(kind.examples())


@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda p: p.id)
def test_forms_of_an_answer(puzzle):
    lines = ["".join(".#"[b] for b in row) for row in puzzle.solution.tolist()]
    for form in (lines, tuple(lines), puzzle.solution.tolist(), puzzle.solution):
        assert (puzzle.parse_answer(form) == puzzle.solution).all()
    for form in (None, "#.", [[0, 1], [0]], [[0.5]], 7, {}):
        with pytest.raises(InputError, match="expected lines of"):
            puzzle.parse_answer(form)
    assert puzzle.format_answer(puzzle.solution) == lines
    with pytest.raises(InputError, match="the answer has"):
        puzzle.parse_answer(lines[1:])
    with pytest.raises(InputError, match="the answer has"):
        puzzle.violations(puzzle.solution[1:])
    with pytest.raises(InputError, match="the answer has values other than 0 and 1"):
        puzzle.violations(puzzle.solution * 2)
    with pytest.raises(PuzzleError, match="solution"):
        type(puzzle).from_dict(
            {**puzzle.to_dict(), "solution": [line.replace("#", ".") for line in lines]}
        )
