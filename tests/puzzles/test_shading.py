"""What heyawake, hitori and kurodoko share: connectivity as a forest, against brute force."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from pysat.solvers import Solver

from qubopuzzle import Heyawake, Hitori, InputError, Kurodoko, solve
from qubopuzzle.compile import ENCODINGS, compile_qubo
from qubopuzzle.errors import ModelError, PuzzleError
from qubopuzzle.model import propagate, violation
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
    forest,
    found,
    lazy,
    met,
    paintings,
    pieces,
    right,
    split,
    zero,
)

SHADING = (Heyawake, Hitori, Kurodoko)
EXAMPLES = [puzzle for kind in SHADING for puzzle in kind.examples()]
FORESTS = ("forest",)


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


def meets(answer):
    """Whether black cells are a forest, with all of the border as one more vertex."""
    for piece in pieces(split(answer)[0], CORNERS):
        joints = sum(len(around(cell, CORNERS) & piece) for cell in piece) // 2
        border = [cell for cell in piece if on_border(cell, answer.shape)]
        if joints != len(piece) - 1 or len(border) > 1:
            return False
    return True


class Forest:
    """The formula of a forest's model, asked for one painting after the other."""

    def __init__(self, shape):
        self.model = forest(free(*shape)).build()
        view = self.model.field.views[0].matrix.tocoo()
        self.white = (view.col[np.argsort(view.row)] + 1).tolist()
        self.solver = Solver("cadical195", bootstrap_with=clauses(self.model))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.solver.delete()

    def accepts(self, answer):
        cells = zip(self.white, answer.ravel().tolist(), strict=True)
        return self.solver.solve(assumptions=[-literal if b else literal for literal, b in cells])


def test_a_forest_is_what_the_docstring_says_on_all_paintings():
    """Every painting of 4x4 and 4x5 whose black cells do not touch."""
    for shape in ((4, 4), (4, 5)):
        with Forest(shape) as formula:
            for answer in apart(*shape):
                assert formula.accepts(answer) == meets(answer), answer


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
    model = forest(free(*shape)).build()
    assert zero(model, encoding) == expected
    assert model.omitted == model.restricted == ()
    assert met(lazy(free(*shape)).build()) == expected


def touching(grid):
    return (grid[1:] & grid[:-1]).any() or (grid[:, 1:] & grid[:, :-1]).any()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_3x3_bit_by_bit(encoding):
    grids = apart(3, 3)
    expected = sorted(g.tobytes() for g in grids[connected(grids)])
    assert zero(forest(free(3, 3)).build(), encoding) == expected


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
        bits = zero(forest(white).build(), encoding, bits=14)
        if bits is not None:
            counts[len(expected)] += 1
            assert bits == expected
    assert sum(counts.values()) >= 8, counts


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


@pytest.mark.parametrize("shape", [board for board in BOARDS if max(board) <= 9], ids=str)
def test_no_loop_has_headings(shape):
    """All chordless cycles of a grid; others break [pair] by their chords."""
    with Forest(shape) as formula:
        for cycle in chordless(*shape):
            black = painted(cycle, shape)
            assert not formula.accepts(black)
            black[min(cycle)] = 0  # open, it is a tree
            assert formula.accepts(black)


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
def test_a_loop_that_the_clues_force_has_no_solution(shape, cycle):
    """On the tightest board for the loop: its own cells, and no others can be black."""
    puzzle = ring(cycle, shape)
    assert [v.rule for v in puzzle.violations(painted(cycle, shape))] == ["connected"]
    for formulation in ("forest", "lazy"):
        assert puzzle.model(formulation).omitted == ()
        result = solve(puzzle, "sat", formulation=formulation, solutions=None)
        assert result.status == "infeasible"
    annealed = solve(puzzle, formulation="forest", presolve="propagate", seed=1, reads=2)
    assert annealed.energy > 0
    assert not solve(puzzle, formulation="forest", seed=1, reads=2).valid


CHAIN = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 3), (5, 4), (6, 3), (7, 4), (8, 5))
"""From the border to the border, through the middle."""


@pytest.mark.parametrize("count", range(1, 10))
def test_trees_of_any_depth_but_one_end_on_the_border(count):
    puzzle = ring(frozenset(CHAIN[:count]), (9, 7))
    for formulation in ("forest", "lazy"):
        result = solve(puzzle, "sat", formulation=formulation, solutions=None)
        assert result.complete
        assert found(result) == ([painted(CHAIN[:count], (9, 7)).tobytes()] if count < 9 else [])


@pytest.mark.parametrize("kind", SHADING)
def test_the_formulations_have_no_settings(kind):
    puzzle = kind.examples()[-1]
    with pytest.raises(InputError, match="no setting 'depth'; it has: none"):
        puzzle.model("forest:depth=3")
    with pytest.raises(InputError, match="choose from forest, lazy"):
        puzzle.model("tree")
    for formulation in ("forest", "lazy"):
        assert puzzle.model(formulation).omitted == puzzle.model(formulation).restricted == ()


@pytest.mark.parametrize("kind", SHADING)
def test_connectivity_itself_has_no_qubo(kind):
    with pytest.raises(ModelError, match="has no form for connectivity"):
        compile_qubo(kind.examples()[0].model("lazy"))


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
        for formulation in FORESTS:
            bits = zero(puzzle.model(formulation), encoding, bits=16)
            compared += bits is not None
            assert bits in (None, expected)
    assert set(counts) == {0, 1, 2}
    assert compared >= 5


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


@pytest.mark.parametrize("solver", ["sat", "cpsat", "mip", "clingo"])
@pytest.mark.parametrize("kind", SHADING)
def test_exact_solvers_find_what_the_rules_allow(kind, solver):
    if not get_solver(solver).available().ok:
        pytest.skip(f"{solver} is not installed")
    rng = np.random.default_rng(51)
    counts = Counter()
    for i in range({"sat": 24, "cpsat": 16, "mip": 12, "clingo": 16}[solver]):
        puzzle = RANDOM[kind](rng, ((3, 4), (4, 4), (1, 5), (5, 2))[i % 4], wrong=i % 3 == 0)
        expected = answers(puzzle)
        if solver != "sat" and len(expected) > 15:
            continue
        counts[min(len(expected), 2)] += 1
        for formulation in ("lazy", *(FORESTS if solver == "sat" else ())):
            result = solve(puzzle, solver, formulation=formulation, solutions=None, seed=1)
            assert found(result) == expected
            assert result.status == ("optimal" if expected else "infeasible")
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
        for formulation in FORESTS:
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
        assert model.restricted == ()
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


def test_every_forest_can_be_written():
    """A sample of all paintings of 5x5 whose black cells do not touch."""
    grids = apart(5, 5)
    right_ones = connected(grids)
    chosen = np.random.default_rng(91).random(len(grids)) < 0.03
    model = forest(free(5, 5)).build()
    for answer, correct in zip(grids[chosen], right_ones[chosen], strict=True):
        if correct:
            x = model.assignment(model.field.write(answer))
            assert (model.field.read(x)[0] == answer).all()
            assert violation(model, x) == 0
        else:
            with pytest.raises(InputError, match=r"fence|cut off"):
                model.field.write(answer)


@pytest.mark.parametrize("formulation", ["lazy", "forest"])
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
def test_the_answers_of_examples_are_right(puzzle):
    assert right(puzzle, puzzle.solution)


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
