"""Statements of puzzles of lines, loops, pieces and runs: what each asks for, and its words."""

from dataclasses import replace
from functools import cache
from itertools import chain, combinations, product

import numpy as np
import pytest

from boards import TINY
from qubopuzzle import Nonogram, Numberlink
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.model import FALSE, TRUE
from qubopuzzle.puzzles.hashi import Hashi
from qubopuzzle.puzzles.lits import Lits
from qubopuzzle.puzzles.masyu import Masyu
from qubopuzzle.puzzles.shikaku import Shikaku
from qubopuzzle.puzzles.slitherlink import Slitherlink
from qubopuzzle.puzzles.vocabulary.borders import SomeInside
from qubopuzzle.puzzles.vocabulary.bridges import between, seen
from qubopuzzle.puzzles.vocabulary.grids import groups
from qubopuzzle.puzzles.vocabulary.paths import components, join, leaves
from qubopuzzle.puzzles.vocabulary.pieces import shape_of
from qubopuzzle.puzzles.yajilin import BLACK, Yajilin
from qubopuzzle.puzzles.zip import Zip

KINDS = (Hashi, Lits, Masyu, Nonogram, Numberlink, Shikaku, Slitherlink, Yajilin, Zip)


def literals_of(stated, grid):
    """The literals that say each cell's value; None where one cannot have it."""
    place = np.searchsorted(stated.values, grid.ravel())
    literals = stated.literals[np.arange(grid.size), place]
    return None if (literals == FALSE).any() else literals[literals != TRUE].tolist()


def variables(oracle, literals):
    return [*map(oracle.variable, literals)]


def allows(oracle, statements, grid):
    literals = literals_of(oracle.stated, grid)
    return (
        literals is not None
        and oracle.solve(statements, map(oracle.variable, literals)) is not None
    )


def grids(shape, values):
    for cells in product(values, repeat=shape[0] * shape[1]):
        yield np.reshape(cells, shape)


def grids_of(oracle, statements, literals=(), cell=0):
    """All grids that these statements allow, as tuples of values."""
    stated = oracle.stated
    if oracle.solve(statements, map(oracle.variable, literals)) is None:
        return set()
    if cell == len(stated.literals):
        return {()}
    found = set()
    for value, literal in zip(stated.values.tolist(), stated.literals[cell].tolist(), strict=True):
        if literal != FALSE:
            more = [literal] * (literal != TRUE)
            rest = grids_of(oracle, statements, [*literals, *more], cell + 1)
            found |= {(value, *grid) for grid in rest}
    return found


def numbers(stated, *, clues):
    return [i for i, each in enumerate(stated.statements) if each.is_clue == clues]


def some_of(clues):
    """All, none, and six random choices of them."""
    rng = np.random.default_rng(len(clues))
    return [clues, [], *([clue for clue in clues if rng.random() < 0.6] for _ in range(6))]


def named(stated, name):
    (number,) = [i for i, each in enumerate(stated.statements) if each.name == name]
    return number


# --- what is left without some clues ---------------------------------------------------------


@cache
def lines_of_cells(shape, degrees):
    """All ways to draw lines between cells, each cell with one of these numbers of them."""
    (rows, columns), found = shape, []
    n_right, n_down = rows * (columns - 1), (rows - 1) * columns
    for bits in product((0, 1), repeat=n_right + n_down):
        right = np.reshape(bits[:n_right], (rows, columns - 1))
        paths = join(right, np.reshape(bits[n_right:], (rows - 1, columns)))
        if np.isin(leaves(paths).sum(axis=1), degrees).all():
            found.append(paths)
    return found


def masyus(puzzle):
    yield from lines_of_cells(puzzle.shape, (0, 2))


def shadings(puzzle):
    yield from grids(puzzle.shape, (0, 1))


def yajilins(puzzle):
    for loop in lines_of_cells(puzzle.shape, (0, 2)):
        free = np.flatnonzero((loop == 0) & (puzzle.grid == 0))
        for n in range(len(free) + 1):
            for black in combinations(free, n):
                grid = loop.copy()
                grid.flat[[*black]] = BLACK
                yield grid


def bridges(puzzle):
    """All ways to join islands, and none."""
    near, island = seen(puzzle.grid != 0), (puzzle.grid != 0).ravel()
    spans = [(c, d) for c in np.flatnonzero(island) for d in (0, 1) if near[c, d] >= 0]
    for counts in product(range(3), repeat=len(spans)):
        grid = np.zeros(puzzle.shape, dtype=np.int64)
        for (cell, d), count in zip(spans, counts, strict=True):
            between(grid, cell, near[cell, d])[:] += count * (1, 3)[d]
        yield grid


def regions(puzzle):
    return grids(puzzle.shape, puzzle.values)


W, B, Q = "w", "b", "?"
BOARDS = [
    (Masyu(grid=[[None, W, None], [B, None, None], [None, None, B]]), masyus, 0),
    (Masyu(grid=[[W, None, B], [None, None, None], [None, W, None]]), masyus, 0),
    (Slitherlink(grid=["3..", ".2.", "1.3"]), shadings, -1),
    (Slitherlink(grid=["0.2", "4..", "..0"]), shadings, -1),
    (Yajilin(grid=[[None, None, None], ["1>", None, None], [None, None, "1^"]]), yajilins, -1),
    (Yajilin(grid=[["2v", None, None, "1<"], [None, None, None, None]]), yajilins, -1),
    (Hashi(grid=[[3, None, 2], [None, 1, None], [Q, None, 3]]), bridges, -1),
    (Hashi(grid=[[None, 1, None], [1, None, 1], [None, 1, None]]), bridges, -1),
    (Hashi(grid=[[1, 2, 1], [None, 2, Q]]), bridges, -1),
    (Shikaku(grid=[[2, None, None], [None, 4, Q]]), regions, -1),
    (Shikaku(grid=[[2, None, 1], [None, 3, None]]), regions, -1),
]


@pytest.mark.parametrize(("puzzle", "candidates", "dropped"), BOARDS)
def test_without_some_clues_a_board_is_one_that_does_not_have_them(puzzle, candidates, dropped):
    stated, every = puzzle.stated(), [*candidates(puzzle)]
    rules, clues = (numbers(stated, clues=is_clue) for is_clue in (False, True))
    assert clues
    with Oracle(stated) as oracle:
        for kept in some_of(clues):
            grid = puzzle.grid.copy()
            for number in {*clues} - {*kept}:
                grid[_place(stated.statements[number])] = dropped
            board = replace(puzzle, grid=grid)
            right = {tuple(g.ravel().tolist()) for g in every if not board.violations(g)}
            assert grids_of(oracle, [*rules, *kept]) == right


def _place(statement):
    """The row and column that a clue is named by."""
    *_, row, _, column = statement.name.replace(",", "").split()
    return int(row) - 1, int(column) - 1


@pytest.mark.parametrize(
    ("grid", "cover"),
    [
        ([[1, 0, 2], [0, 0, 0], [1, 0, 2]], True),
        ([[1, 2, 0], [2, 0, 0], [0, 0, 1]], False),
        ([[1, 0, 1], [0, 0, 0]], False),
        ([[0, 0], [0, 0]], False),
    ],
)
def test_a_pair_that_is_left_out_may_be_there_or_not(grid, cover):
    puzzle = Numberlink(grid=grid, cover=cover)
    stated, lines = puzzle.stated(), lines_of_cells(puzzle.shape, (0, 1, 2))
    rules, pairs = (numbers(stated, clues=is_clue) for is_clue in (False, True))
    value = {number: puzzle.grid[stated.statements[number].cells[0]] for number in pairs}
    right = {}
    for there in chain.from_iterable(combinations(pairs, n) for n in range(len(pairs) + 1)):
        known = np.isin(puzzle.grid, [value[number] for number in there])
        board = replace(puzzle, grid=np.where(known, grid, 0))
        right[there] = {tuple(g.ravel().tolist()) for g in lines if not board.violations(g)}
    with Oracle(stated) as oracle:
        for kept in right:
            every = (answers for there, answers in right.items() if {*kept} <= {*there})
            assert grids_of(oracle, [*rules, *kept]) == set().union(*every)


def test_a_number_that_does_not_stand_twice_contradicts_itself():
    for grid, name in (
        ([[1, 0, 1], [0, 2, 0]], "the 2 in row 2, column 2"),
        ([[1, 0, 1], [0, 1, 0]], "the 1s in row 1, columns 1 and 3, and row 2, column 2"),
    ):
        stated = Numberlink(grid=grid, cover=False).stated()
        with Oracle(stated) as oracle:
            assert oracle.minimal(range(len(stated.statements))) == [named(stated, name)]


@pytest.mark.parametrize("cover", [True, False])
def test_on_a_board_the_numbers_of_paths_always_hold(cover):
    for grid in ([[1, 0, 1], [2, 0, 2]], [[1, 0, 0], [0, 0, 0], [2, 1, 2]], [[1, 0], [0, 1]]):
        puzzle = Numberlink(grid=grid, cover=cover)
        shown = puzzle.stated_on_board()
        assert not any(each.is_clue for each in shown.statements)
        with Oracle(shown) as oracle:
            expected = {
                tuple(paths.ravel().tolist())
                for paths in lines_of_cells(puzzle.shape, (0, 1, 2))
                if not puzzle.violations(paths)
            }
            assert grids_of(oracle, [*range(len(shown.statements))]) == expected
    alone = Numberlink(grid=[[1, 0, 1], [0, 2, 0]], cover=cover).stated_on_board()
    assert any(each.is_clue for each in alone.statements)  # what contradicts itself is named


@pytest.mark.parametrize(
    "walls",
    [{}, {"right": ["..", ".|", ".."], "down": ["-..", "..."]}, {"right": ["..", "|.", ".."]}],
)
@pytest.mark.parametrize("grid", ["1..;.3.;..2", "1.4;.3.;..2", ".1.;...;2.."])
def test_numbers_and_walls_of_a_path(grid, walls):
    puzzle = Zip(grid=grid, **walls)
    stated, last = puzzle.stated(), puzzle.grid.max()
    rules, clues = (numbers(stated, clues=is_clue) for is_clue in (False, True))
    paths = [
        (paths, walk, walk[::-1])
        for paths in lines_of_cells((3, 3), (1, 2))
        for walk in [cells for cells, closed in components(paths) if not closed][:1]
        if len(walk) == 9
    ]
    assert len(paths) == 20  # A096969 has both directions

    def right(walk, paths, kept):
        for statement in (stated.statements[number] for number in kept):
            if statement.family == "wall":
                one, two = np.ravel_multi_index(np.transpose(statement.cells), (3, 3))
                if leaves(paths)[one, 0 if two == one + 1 else 1]:
                    return False
        cells = [
            stated.statements[n].cells[0] for n in kept if stated.statements[n].family == "path"
        ]
        order = [int(puzzle.grid.flat[cell]) for cell in walk]
        met = [number for number in order if number in {puzzle.grid[cell] for cell in cells}]
        ends = order[0] == 1 or 1 not in met, order[-1] == last or last not in met
        return met == sorted(met) and all(ends)

    rng = np.random.default_rng(0)
    with Oracle(stated) as oracle:
        for _ in range(12):
            kept = [clue for clue in clues if rng.random() < 0.6]
            expected = {
                tuple(p.ravel().tolist())
                for p, *ways in paths
                if any(right(walk, p, kept) for walk in ways)
            }
            assert grids_of(oracle, [*rules, *kept]) == expected


@pytest.mark.parametrize("grid", ["1..;.3.;..2", "1.4;.3.;..2", ".1.;...;2..", "1.2;...;..."])
def test_on_a_board_the_numbers_of_a_path_always_hold(grid):
    puzzle = Zip(grid=grid, right=["..", "|.", ".."])
    shown, all_left_out = puzzle.stated_on_board(), puzzle.stated()
    assert [each.name for each in shown.statements if each.is_clue] == [
        each.name for each in all_left_out.statements if each.family == "wall"
    ]
    walls, rules = (numbers(shown, clues=is_clue) for is_clue in (True, False))
    with Oracle(shown) as oracle:
        for kept in ([], walls):
            expected = {
                tuple(paths.ravel().tolist())
                for paths in lines_of_cells((3, 3), (1, 2))
                if {each.rule for each in puzzle.violations(paths)} <= (set() if kept else {"wall"})
            }
            assert grids_of(oracle, [*rules, *kept]) == expected


def right_pieces(puzzle, black, rooms, alike):
    """Whether these rooms have pieces, and no two of one shape touch, without asking the puzzle."""
    shapes = {}
    for k in rooms:
        cells = groups(puzzle.rooms)[k]
        piece = cells[black.flat[cells] == 1]
        together = len(piece) == 4 and len(components(_joined(piece, black.shape))) == 1
        if not together or len(components(_joined(piece, black.shape))[0][0]) < 4:
            return False
        shapes[k] = shape_of(piece, black.shape[1])
    room, touching = puzzle.rooms, []
    for one, two in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1])):
        both = (black[one] == 1) & (black[two] == 1) & (room[one] != room[two])
        touching += [*zip(room[one][both].tolist(), room[two][both].tolist(), strict=True)]
    same = any(a in rooms and b in rooms and shapes[a] == shapes[b] for a, b in touching)
    return "O" not in shapes.values() and not (alike and same)


def _joined(piece, shape):
    held = np.isin(np.arange(shape[0] * shape[1]), piece).reshape(shape).astype(int)
    return join(held[:, 1:] & held[:, :-1], held[1:] & held[:-1])


def test_rooms_with_pieces():
    puzzle = Lits(rooms=["aabb", "aabb", "aabb"])
    stated = puzzle.stated()
    rules, clues = (numbers(stated, clues=is_clue) for is_clue in (False, True))
    alike = named(stated, "pieces of the same shape do not touch by a side")
    shared = {"pool", "connected"}
    black = [
        grid
        for grid in grids(puzzle.shape, (0, 1))
        if shared.isdisjoint(each.rule for each in puzzle.violations(grid))
    ]
    with Oracle(stated) as oracle:
        for kept in ([], clues[:1], clues[1:], clues):
            rooms = [*map(clues.index, kept)]
            for held in (rules, [number for number in rules if number != alike]):
                right = [grid for grid in black if right_pieces(puzzle, grid, rooms, alike in held)]
                expected = {tuple(grid.ravel().tolist()) for grid in right}
                assert grids_of(oracle, [*held, *kept]) == expected


# --- rules -----------------------------------------------------------------------------------


def test_what_always_holds_is_what_an_answer_means():
    """Values by themselves: sides in the grid, and bridges from island to island."""
    rng = np.random.default_rng(2)
    boards = [(puzzle, candidates) for puzzle, candidates, _ in BOARDS if candidates is bridges]
    for puzzle, candidates in boards:
        with Oracle(puzzle.stated()) as oracle:
            assert all(allows(oracle, [], grid) for grid in candidates(puzzle))
    for kind in KINDS:
        for puzzle in kind.examples()[:2]:
            stated = puzzle.stated()
            with Oracle(stated) as oracle:
                for _ in range(5):
                    may = (stated.literals != FALSE) & (kind is not Hashi)
                    may[
                        np.arange(len(may)), np.searchsorted(stated.values, puzzle.solution.ravel())
                    ] = True
                    place = (rng.random(may.shape) * may).argmax(axis=1)
                    grid = stated.values[place].reshape(puzzle.shape)
                    assert allows(oracle, [], grid), (puzzle.id, grid)


def test_a_rule_that_is_left_out_is_not_asked_for():
    two_loops = np.array([[3, 6, 3, 6], [9, 12, 9, 12]])
    stated = Masyu(grid=[[None] * 4] * 2).stated()
    every = range(len(stated.statements))
    with Oracle(stated) as oracle:
        assert oracle.minimal(every, variables(oracle, literals_of(stated, two_loops))) == [
            named(stated, "there is one loop")
        ]
        ends = np.array([[1, 5, 5, 4], [0, 0, 0, 0]])
        assert literals_of(stated, np.where(ends % 4 == 1, 5, 0)) is None  # out of the grid
        open_end = np.array([[3, 5, 5, 6], [9, 5, 12, 0]])
        assert oracle.minimal(every, variables(oracle, literals_of(stated, open_end))) == [
            named(stated, "the loop has no ends: each cell has two lines of it or none")
        ]
    stated = Hashi(grid=[[None, 1, None], [1, None, 1], [None, 1, None]]).stated()
    crossed = np.array([[0, 3, 0], [1, 4, 0], [0, 0, 0]])
    with Oracle(stated) as oracle:
        needed = oracle.minimal(
            range(len(stated.statements)), variables(oracle, literals_of(stated, crossed))
        )
        assert needed == [named(stated, "bridges do not cross")]
    stated = Slitherlink(grid=[[None] * 3] * 3).stated()
    assert len(stated.statements) == 2
    apart, one = (
        named(stated, name) for name in ("the loop does not touch or cross itself", SomeInside.says)
    )
    with Oracle(stated) as oracle:
        for grid in ([[1, 0, 1]] * 3, [[1, 1, 1], [1, 0, 1], [1, 1, 1]], [[0] * 3] * 3):
            assert oracle.minimal(
                [apart, one], variables(oracle, literals_of(stated, np.array(grid)))
            ) == [one]
        crossed = literals_of(stated, np.array([[0, 1, 1], [1, 0, 1], [1, 1, 1]]))
        assert [oracle.minimal([each], variables(oracle, crossed)) for each in (apart, one)] == [
            [apart],
            [one],
        ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_all_statements_are_the_puzzle(kind):
    for puzzle in [*TINY[kind.name], *kind.examples()]:
        stated = puzzle.stated()
        every = range(len(stated.statements))
        with Oracle(stated) as oracle:
            x = oracle.solve(every)
            if x is None:
                assert puzzle.solution is None
                assert puzzle.contradiction or oracle.minimal(every)
                continue
            assert not puzzle.contradiction
            assert not puzzle.violations(stated.model.field.read(x)[0])
            if puzzle.solution is None:
                continue
            x = stated.model.assignment(stated.model.field.write(puzzle.solution))
            literals = literals_of(stated, puzzle.solution)
            assert x[literals].all()
            assert oracle.solve(every, map(oracle.variable, literals)) is not None
            for literal in literals if puzzle.n_solutions == 1 else ():  # any other value
                choice = stated.model.choice_of_literal[literal]
                first, end = stated.model.first_literal[choice : choice + 2]
                for other in {*range(first, end)} - {literal}:
                    assert oracle.solve(every, [oracle.variable(other)]) is None


# --- words -----------------------------------------------------------------------------------


def words_of(puzzle, name, grid=None, unknown=()):
    """What a statement asks for where a grid is known, but for some cells; or nothing is."""
    stated = puzzle.stated()
    statement = stated.statements[named(stated, name)]
    known = np.full(puzzle.shape, grid is not None)
    for cell in unknown:
        known[cell] = False
    return statement.words(known.astype(int) if grid is None else np.array(grid), known)


def why_of(puzzle, name, rows, cell, value):
    """What a statement says of an open cell that follows; ``rows`` has ? in open ones, # for 1."""
    stated = puzzle.stated()
    shown = np.array([*rows.replace(";", "")]).reshape(puzzle.shape)
    grid = np.select([shown == "#", shown == "?", shown == "."], [1, 0, 0], -1)
    grid[grid < 0] = shown[grid < 0].astype(int)
    grid.flat[cell] = value
    return stated.statements[named(stated, name)].words(grid, shown != "?", cell)


def test_why_islands_would_be_cut_off():
    puzzle = Hashi(grid=[[1, None, 2, None, 1], [None] * 5, [1, None, 2, None, 1]])
    name = "bridges connect all islands"
    words = puzzle.stated().statements[named(puzzle.stated(), name)].words
    nothing, grid = np.zeros((3, 5), dtype=bool), np.zeros((3, 5), dtype=int)
    assert words(grid, nothing) == name
    shown, cut = nothing.copy(), f"{name}: row 1, column 1 is cut off from row 1, column 3"
    shown[0, 1] = shown[1, 0] = True  # no bridge passes there
    assert words(grid, shown) == cut
    shown[1, 0], grid[0, 1] = False, 1
    assert words(grid, shown) == name
    shown[1, [0, 4]], grid[1, 2] = True, 3  # what would be without the bridge in the middle
    assert words(grid, shown, 7) == (
        f"{name}: otherwise row 1, column 1 would be cut off from row 3, column 1"
    )


def test_what_islands_ask_for():
    puzzle = Hashi(grid=[[4, None, 2], [None, None, None], [2, None, "?"]])
    name, grid = "the island with 4 in row 1, column 1", [[8, 2, 0], [6, 0, 0], [0, 0, 0]]
    assert words_of(puzzle, name) == (
        f"{name} needs 4 bridges to the right or downwards, two to a side at most, so two to each"
    )
    assert words_of(puzzle, name, grid) == f"{name} has 4 bridges already"
    one = words_of(puzzle, name, grid, [(0, 0), (1, 0)])
    assert one == f"{name} needs 2 more bridges downwards"
    name = "the island with 2 in row 3, column 1"
    assert words_of(puzzle, name, np.zeros((3, 3)), [(2, 0), (2, 1)]) == (
        f"{name} needs 2 bridges to the right, as none passes row 2, column 1"
    )
    assert words_of(puzzle, name, [[0] * 3, [1, 0, 0], [0] * 3], [(2, 0), (2, 1)]) == (
        f"{name} needs 2 bridges to the right, as another bridge is in the way in row 2, column 1"
    )
    rules = [each.name for each in puzzle.stated().statements if not each.is_clue]
    assert rules == ["bridges connect all islands"]
    far = Hashi(grid=[[2, None, None, 2], [None] * 4, [None] * 4, [2, None, None, 2]])
    name = "the island with 2 in row 1, column 1"
    left = [cell for cell in np.ndindex(4, 4) if cell != (0, 2)]
    assert words_of(far, name, np.zeros((4, 4)), left) == (
        f"{name} needs 2 bridges downwards, as none passes row 1, column 3"
    )


def test_bridges_that_a_board_shows_are_not_said_again():
    puzzle = Hashi(grid=[[3, None, 2], [None] * 3, [2, None, None]])
    across, down = "the islands in row 1, columns 1 and 3", "the islands in column 1, rows 1 and 3"
    assert puzzle.describe({(0, 0): 7}) == (f"1 bridge joins {across}, and 2 bridges join {down}")
    assert puzzle.describe({(0, 0): 7}, {(0, 1): 1}) == f"2 bridges join {down}"
    assert puzzle.describe({(0, 1): 1}, {(0, 0): 7}) == f"1 bridge joins {across}"


def test_what_pearls_ask_for():
    puzzle = Masyu(grid=[[None] * 3, [W, None, None], [None, None, B]])
    loop = [[3, 5, 6], [10, 0, 10], [9, 5, 12]]
    white, black = "the white pearl in row 2, column 1", "the black pearl in row 3, column 3"
    through = f"the loop goes straight through {white} and turns in"
    assert words_of(puzzle, white) == f"{through} the next cell on one side at least"
    assert words_of(puzzle, white, loop, [(0, 0)]) == f"{through} row 3, column 1"
    assert words_of(puzzle, white, loop, [(0, 0), (2, 0)]) == (f"{through} column 1, row 1 or 3")
    turns = f"the loop turns at {black} and goes straight through"
    assert words_of(puzzle, black) == f"{turns} the next cell on both sides"
    assert words_of(puzzle, black, loop) == f"{turns} row 2, column 3 and row 3, column 2"
    for name in (
        "there is one loop",
        "the loop has no ends: each cell has two lines of it or none",
    ):
        assert words_of(puzzle, name) == name


def test_what_numbers_beside_a_loop_ask_for():
    puzzle, inside = Slitherlink(grid=[[3, None], [0, None]]), [[1, 0], [0, 0]]
    name = "the 3 in row 1, column 1"
    assert words_of(puzzle, name) == f"{name} needs 3 sides of the loop"
    assert words_of(puzzle, name, inside, [(0, 1), (1, 0)]) == (
        f"{name} needs 1 more side of the loop, and 2 of its sides are open"
    )
    assert words_of(puzzle, name, inside) == f"{name} has 4 sides of the loop already"
    zero = "the 0 in row 2, column 1"
    assert words_of(puzzle, zero) == f"the loop takes no side of {zero}"


def test_what_numbers_that_are_joined_ask_for():
    puzzle = Numberlink(grid=[[1, 0, 1], [2, 0, 2]])
    name = "the 1s in row 1, columns 1 and 3"
    assert words_of(puzzle, name) == f"{name} are joined by a path"


def test_what_numbers_and_walls_on_a_path_ask_for():
    puzzle = Zip(grid=["1..", ".3.", "..2"], right=["..", "..", "|."])
    name = "the 2 in row 3, column 3"
    assert words_of(puzzle, name) == f"the path passes {name} after the 1 and before the 3"
    name = "the 3 in row 2, column 2"
    assert words_of(puzzle, name) == f"the path ends at {name}"
    name = "the wall between row 3, column 1 and row 3, column 2"
    assert words_of(puzzle, name) == f"no line passes {name}"
    statement = puzzle.stated().statements[named(puzzle.stated(), name)]
    assert (statement.cells, statement.is_clue) == (((2, 0), (2, 1)), True)


def test_what_pieces_ask_for():
    puzzle, name = Lits(rooms=["aaaa", "bbbb", "bbbb"]), "the room of row 2, column 1"
    black = [[1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 1, 0]]
    assert words_of(puzzle, name) == f"{name} needs 4 black cells, connected and not in a square"
    room = puzzle.stated().statements[named(puzzle.stated(), name)]
    assert room.cells == tuple(product((1, 2), range(4)))
    assert words_of(puzzle, name, black, [(2, 2)]) == (
        f"{name} needs 1 more black cell, connected and not in a square"
    )
    assert words_of(puzzle, name, black) == f"{name} has 4 black cells already"
    puzzle, name = Shikaku(grid=[[2, None], [None, 2]]), "the 2 in row 1, column 1"
    right, down = (f"from row 1, column 1 to row {r}, column {3 - r}" for r in (1, 2))
    reach = f"{name} needs a rectangle of 2 cells: it can only reach {right} or {down}"
    assert words_of(puzzle, name) == reach
    assert words_of(puzzle, name, [[0, 0], [1, 1]]).endswith("needs a rectangle of 2 cells")


def test_why_pieces_cover_a_cell_or_do_not():
    puzzle, name = Lits(rooms=["aaaaa", "bbbbb"]), "the room of row 2, column 1"
    asks = f"{name} needs 4 black cells, connected and not in a square"
    assert why_of(puzzle, name, "?????;?????", 6, 1) == (
        f"{asks}: each piece that fits there covers row 2, column 2"
    )
    assert why_of(puzzle, name, "?????;?????", 5, 1) == asks  # of some pieces
    assert why_of(puzzle, name, "?????;?????", 1, 1) == asks  # of another room
    puzzle = Shikaku(grid=[[2, None, None], [None, None, 4]])
    two = "the 2 in row 1, column 1"
    rule = "the grid is divided into rectangles with one number each"
    assert why_of(puzzle, two, "??1;???", 1, 0) == (
        f"{two} needs a rectangle of 2 cells: it can only reach from row 1, column 1 to row 1, "
        "column 2 or from row 1, column 1 to row 2, column 1"
    )
    assert why_of(puzzle, rule, "???;???", 5, 1) == (f"{rule}: row 2, column 3 has the number")
    assert why_of(puzzle, rule, "?1?;???", 2, 1) == (
        f"{rule}: row 1, column 2 and row 2, column 3 are in it, so row 1, column 3 is, too"
    )
    assert why_of(puzzle, rule, "??1;???", 3, 0) == (
        f"{rule}: no other number has a rectangle that can reach row 2, column 1: the 4 in row 2, "
        "column 3 can only reach from row 1, column 2 to row 2, column 3"
    )
    assert why_of(puzzle, rule, "???;???", 1, 0) == rule


def test_that_a_white_pearl_is_passed_along_an_edge():
    puzzle, name = Masyu(grid=["...", "...", ".w."]), "the white pearl in row 3, column 2"
    asks = f"the loop goes straight through {name} and turns in the next cell on one side at least"
    assert why_of(puzzle, name, "???;???;???", 7, 5) == f"{asks}: otherwise it would leave the grid"
    assert why_of(puzzle, name, "???;???;???", 4, 5) == asks


def test_where_the_loop_turns_beside_a_white_pearl():
    puzzle, name = (
        Masyu(grid=["....", ".w..", "....", "...."]),
        "the white pearl in row 2, column 2",
    )
    (there,) = [s for s in puzzle.stated().statements if s.name == name]
    grid, shown = np.zeros((4, 4), dtype=int), np.zeros((4, 4), dtype=bool)
    straight, shown[0:2, 1] = 1 << 1 | 1 << 3, True
    grid[0:2, 1] = straight
    assert there.words(grid, shown).endswith(
        "turns in row 3, column 2, as it does not in row 1, column 2"
    )


@pytest.mark.parametrize("seed", range(6))
def test_whether_the_cell_of_a_number_on_sides_is_inside_or_not(seed):
    rng = np.random.default_rng(seed)
    grid = [[None] * 3, [None, int(rng.integers(1, 4)), None], [None] * 3]
    puzzle, beside = Slitherlink(grid=grid), [1, 3, 5, 7]
    name = f"the {grid[1][1]} in row 2, column 2"
    known = {c: int(rng.integers(2)) for c in beside if rng.random() < 0.6}
    rows = "".join(str(known.get(c, "?")) for c in range(9))
    for cell in {4, *beside} - known.keys():
        fillings = (
            dict(zip([4, *beside], each, strict=True)) for each in product((0, 1), repeat=5)
        )
        fits = [f for f in fillings if f.items() >= known.items()]
        fits = [f for f in fits if sum(f[c] != f[4] for c in beside) == grid[1][1]]
        for value in (0, 1):
            says = why_of(puzzle, name, rows, cell, value).removeprefix(
                why_of(puzzle, name, rows, 0, 0)
            )
            if {f[cell] for f in fits} == {value}:
                is_own = cell == 4
                assert says.startswith(
                    ": otherwise the loop would take"
                    if is_own
                    else (": if its cell is inside", ": its cell is not inside")
                )


def test_a_path_that_cannot_be_joined_any_more():
    puzzle = Zip(grid=["1..", "...", "..2"])
    name = "there is one path, and no loop apart from it"
    stated = puzzle.stated_on_board()
    words = stated.statements[named(stated, name)].words
    sides = np.array([[0, 3, 6], [0, 9, 12], [0, 0, 0]])
    shown = sides > 0
    assert words(sides, np.zeros_like(shown)) == name
    loop = f"{name}: the loop through row 1, column 2 is cut off from row 1, column 1"
    assert words(sides, shown) == loop
    line = np.array([[0, 0, 0], [1, 5, 4], [0, 0, 0]])  # through the middle, with both ends
    assert " is cut off from row " in words(line, line > 0)


def test_what_arrows_ask_for():
    puzzle = Yajilin(grid=[[None, None, None], ["1>", None, None], [None, None, None]])
    name = "the 1 pointing right in row 2, column 1"
    assert words_of(puzzle, name).startswith(f"{name} needs 1 black cell")
    rules = {each.name for each in puzzle.stated().statements if not each.is_clue}
    assert rules == {
        "every cell without a clue is black or on the loop",
        "no two black cells touch by a side",
        "there is one loop",
        "the loop has no ends: each cell has two lines of it or none",
    }


# --- nonograms -------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "signs"), [((2, 3), ".#"), ((2, 2), ".ab")])
def test_lines_of_a_nonogram_are_what_their_clues_say(shape, signs):
    rng, values = np.random.default_rng(1), range(len(signs))
    for picture in list(grids(shape, values))[:: len(signs)]:
        puzzle = Nonogram.from_picture(picture, signs)
        stated = puzzle.stated()
        lines = [*picture, *picture.T]
        x = stated.model.assignment(stated.model.field.write(picture))
        assert x[literals_of(stated, picture)].all()
        kept = [i for i in range(len(lines)) if rng.random() < 0.6]
        with Oracle(stated) as oracle:
            for grid in grids(shape, values):
                clues = Nonogram.from_picture(grid, signs)
                others = [*clues.rows, *clues.cols]
                right = [others[i] == [*puzzle.rows, *puzzle.cols][i] for i in kept]
                assert allows(oracle, kept, grid) == all(right)


def test_lines_of_a_nonogram_in_words():
    puzzle = Nonogram(rows=["2 1", "", "3"], cols=["1 1", "1 1", "1", "1"])
    statements = puzzle.stated().statements
    assert [s.name for s in statements][:4] == [
        "row 1: 2 1",
        "row 2: no black cell",
        "row 3: 3",
        "column 1: 1 1",
    ]
    assert all(s.is_clue for s in statements)
    assert statements[3].cells == ((0, 0), (1, 0), (2, 0))
    grid = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 0]])
    known = np.arange(12).reshape(3, 4) < 7
    words = [s.words(grid, known) for s in statements]
    assert words[0] == "row 1 (2 1): all 3 black cells are known"
    assert words[1] == "row 2: no black cell"
    assert words[2] == "row 3: 3"
    assert words[3] == "column 1 (1 1): 1 of 2 black cells are known"
    assert statements[3].words(grid, known & False) == "column 1: 1 1"


@pytest.mark.parametrize(
    ("line", "cell", "why"),
    [
        ("???????", 3, "the 4 starts in column 1, 2, 3 or 4, and is there in any case"),
        ("??.????", 4, "the 4 is in columns 4 to 7"),
        ("??.????", 0, "the 4 is in columns 4 to 7, so that no run is there"),
        ("?#?????", 6, "the 4 ends in column 5 at the latest, so that no run is there"),
        ("?????#?", 0, "the 4 starts in column 3 at the earliest, so that no run is there"),
        ("?.?.???", 0, "its runs do not fit what is known"),
    ],
)
def test_where_a_run_of_a_nonogram_can_be(line, cell, why):
    puzzle = Nonogram(rows=["4"], cols=["1"] * 4 + [""] * 3)
    assert why_of(puzzle, "row 1: 4", line, cell, int(", and" in why or cell == 4)) == (
        f"row 1 (4): {why}"
    )


def test_where_several_runs_of_a_nonogram_can_be():
    puzzle = Nonogram(rows=["1 2 1"], cols=["1"] * 4 + [""] * 5)
    assert why_of(puzzle, "row 1: 1 2 1", "???##????", 2, 0) == (
        "row 1 (1 2 1): the first 1 ends in column 2 at the latest and the 2 is in columns 4 and 5"
        ", so that no run is there"
    )


@pytest.mark.parametrize(
    ("runs", "line", "cell", "why"),
    [
        (
            "2 1 1 2",
            "??.???????...#.?..??",
            18,
            "the second 2 is in columns 19 and 20, as the run through column 14 is the first 1 or"
            " the second 1",
        ),
        (
            "3 3 2",
            "?????##.?????##",
            3,
            "the run through column 6 is the first 3 or the second 3, and starts in column 5"
            " in any case",
        ),
        (
            "2 3 3",
            "##?????.##?????",
            11,
            "the run through column 10 is the first 3 or the second 3, and ends in column 11"
            " in any case",
        ),
    ],
)
def test_which_runs_of_a_nonogram_are_there(runs, line, cell, why):
    puzzle, is_painted = Nonogram(rows=[runs], cols=["0"] * len(line)), "is in columns" in why
    words = why_of(puzzle, f"row 1: {runs}", line, cell, int(is_painted))
    assert words == f"row 1 ({runs}): {why}"


@pytest.mark.parametrize("signs", [".#", ".ab"])
def test_what_a_line_says_of_a_cell_is_so(signs):
    """A reason for a cell that all paintings of the line agree in, and for no other."""
    rng, n = np.random.default_rng(2), 6
    paintings = np.array([*product(range(len(signs)), repeat=n)])
    clues = [Nonogram.from_picture(each[None], signs).rows for each in paintings]
    for picture in rng.permutation(paintings)[:60]:
        puzzle = Nonogram.from_picture(picture[None], signs)
        statement = puzzle.stated().statements[0]
        fit = paintings[[each == puzzle.rows for each in clues]]
        known = rng.random(n) < rng.choice([0, 0.3, 0.5])
        fit = fit[(fit[:, known] == picture[known]).all(axis=1)]
        for cell in np.flatnonzero(~known).tolist() if puzzle.rows[0] else ():
            words = statement.words(picture[None], known[None], cell)
            is_said = not words.endswith("cells are known")
            assert is_said == (fit[:, cell] == picture[cell]).all(), (picture, known, cell, words)


def test_a_clue_that_does_not_fit_its_line_contradicts_itself():
    puzzle = Nonogram(rows=["2 2", "1"], cols=["1", "1", "1", "1"])
    with Oracle(puzzle.stated()) as oracle:
        needed = oracle.minimal(range(6))
        assert [oracle.stated.statements[i].name for i in needed] == ["row 1: 2 2"]
        assert oracle.solve(range(1, 6)) is not None


def test_colours_of_a_nonogram_in_words():
    puzzle = Nonogram(rows=["1a 2b", ""], cols=["1a", "1b", "1b"])
    names = [s.name for s in puzzle.stated().statements]
    assert names[:3] == ["row 1: 1a 2b", "row 2: no coloured cell", "column 1: 1a"]
