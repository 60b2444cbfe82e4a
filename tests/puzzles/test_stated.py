"""Statements of puzzles: together they mean the puzzle, each can be left out, all can be read."""

import re
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from boards import TINY
from qubopuzzle import Sudoku, solve
from qubopuzzle.base.places import from_one
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.model import FALSE
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.puzzles.generator import find_generator
from qubopuzzle.puzzles.links import MOST_SUM
from qubopuzzle.puzzles.vocabulary.generator import KindGenerator
from qubopuzzle.puzzles.vocabulary.kind import Kind, cells_of_rules, clues_of
from qubopuzzle.testing import obeys

MOST = 20_000
"""Grids of a board that are tried, each."""
KEPT = {"tents": ("rows", "cols"), "heyawake": ("clues",), "takuzu": ("right", "down")}
"""Fields with clues that the generator keeps."""
_UNREADABLE = re.compile(r"[][_{}]|\(\d+, ?\d+\)|\bthe rule \w+$|-\d|\bNone\b")
TOGETHER = ("lits", "nurikabe", "shikaku", "tents")
"""Kinds some of whose statements say what is wrong only together: which piece, island or tent."""
LINES = ("hashi", "masyu", "numberlink", "yajilin", "zip")
"""Kinds whose cells have lines: what ties these to each other always holds, and single statements
leave too many grids."""
LINE = [[0, 0], [0, 1], [1, 1], [1, 2]]
VARIANTS = {
    "diagonals": True,
    "disjoint": True,
    "antiknight": True,
    "antiking": True,
    "nonconsecutive": True,
    "nonratio": True,
    "regions": ["aaab", "aabb", "ccbd", "cddc"],
    "cages": [{"cells": LINE, "sum": 10}, {"cells": LINE[1:]}],
    "sums": [{"cells": [[0, 0], [1, 1]], "sum": 4}, {"cells": [[1, 1], [0, 0]], "sum": 4}],
    "arrows": [{"circle": [[0, 0]], "cells": LINE[1:3]}],
    "thermometers": [LINE],
    "palindromes": [[[0, 0], [0, 1], [1, 2]]],
    "renbans": [LINE],
    "whispers": [LINE[:2]],
    "differences": [{"cells": LINE[:2]}],
    "ratios": [{"cells": LINE[:2]}],
    "quadruples": [{"cells": [[0, 0], [0, 1], [1, 0], [1, 1]], "digits": [1, 1, 3]}],
    "even": [[0, 0]],
    "odd": [[0, 1]],
}
REGIONS = [[0, 0, 0, 1], [0, 2, 1, 1], [2, 2, 3, 1], [2, 3, 3, 3]]


def variant(name, **more):
    """A small sudoku with one variant; two dots may go with what holds without dots."""
    value = REGIONS if name == "regions" else VARIANTS[name]
    box = {} if name == "regions" else {"box": [2, 2]}
    grid = [[0, 0, 0, 0], [0, 0, 3, 0], [0, 0, 0, 0], [2, 0, 0, 0]]
    return Sudoku(grid=grid, **box, **{name: value}, **more)


SUDOKUS = [
    *map(variant, VARIANTS),
    variant("nonconsecutive", differences=VARIANTS["differences"]),
    variant("nonratio", ratios=VARIANTS["ratios"]),
]


def boards_of(name):
    """Small boards of a kind, with one solution, several and none."""
    smallest = min(get_puzzle(name).examples(), key=lambda example: example.cells)
    return [*TINY[name], smallest, *(SUDOKUS if name == "sudoku" else ())]


def go_together(oracle, statements, literals):
    """Whether an answer meets statements and has literals of the model."""
    return oracle.solve(statements, map(oracle.variable, literals)) is not None


def answers(oracle, statements):
    """All grids that meet some statements, cell by cell."""
    stated, front = oracle.stated, [((), ())]
    for cell in stated.literals.tolist():
        longer = [
            ((*grid, value), (*literals, literal) if literal >= 0 else literals)
            for grid, literals in front
            for value, literal in zip(stated.values.tolist(), cell, strict=True)
            if literal != FALSE
        ]
        front = [each for each in longer if go_together(oracle, statements, each[1])]
    return {grid for grid, _ in front}


@cache
def right_grids(puzzle):
    """All grids that break no rule; of large boards those that another model has."""
    values = range(len(puzzle.signs)) if puzzle.name == "nonogram" else puzzle.values
    if len(values) ** puzzle.cells > MOST:
        result = solve(puzzle, "sat", solutions=None)
        assert result.complete
        return {tuple(np.ravel(grid).tolist()) for grid in result.solutions}
    every = product(values, repeat=puzzle.cells)
    return {g for g in every if obeys(puzzle, np.array(g).reshape(puzzle.shape))}


@pytest.mark.parametrize("name", puzzle_names())
def test_all_statements_together_mean_the_puzzle(name):
    for puzzle in boards_of(name):
        stated = puzzle.stated()
        assert (stated.owner >= 0).all() or name in (*LINES, "nonogram")
        with Oracle(stated) as oracle:
            assert answers(oracle, range(len(stated.statements))) == right_grids(puzzle)


@pytest.mark.parametrize("name", puzzle_names())
def test_of_an_example_they_leave_its_solution(name):
    for puzzle in get_puzzle(name).examples():
        stated = puzzle.stated()
        every, right = range(len(stated.statements)), np.ravel(puzzle.solution)[:, None]
        others = stated.literals[(stated.values != right) & (stated.literals >= 0)].tolist()
        with Oracle(stated) as oracle:
            grid, _ = stated.model.field.read(oracle.solve(every))
            assert not puzzle.violations(grid)
            if puzzle.n_solutions == 1:
                assert (grid == puzzle.solution).all()
                assert not any(go_together(oracle, every, [other]) for other in others)


@pytest.mark.parametrize("name", [n for n in puzzle_names() if n not in (*LINES, *TOGETHER)])
def test_a_grid_that_breaks_a_rule_breaks_a_statement(name):
    for puzzle in TINY[name]:
        stated = puzzle.stated()
        with Oracle(stated) as oracle:
            each = [answers(oracle, [number]) for number in range(len(stated.statements))]
        assert set.intersection(*each) == right_grids(puzzle)


def names_of(stated):
    return [statement.name for statement in stated.statements]


def without(puzzle, field, place):
    """A board without one of its clues."""
    value = getattr(puzzle, field)
    if isinstance(value, tuple):
        return replace(puzzle, **{field: (*value[:place], None, *value[place + 1 :])})
    value = value.copy()
    value.flat[place] = clues_of(type(puzzle))[field].blank
    return replace(puzzle, solution=None, **{field: value})


def fewer_clues(puzzle):
    """The name of each clue that a board may be without, and the board."""
    if isinstance(puzzle, Kind) and isinstance(
        generator := find_generator(puzzle.name), KindGenerator
    ):
        tags = [*cells_of_rules(puzzle, by_cuts=True, switched=True).switches]
        for i, tag in enumerate(tags):
            yield puzzle.clue_name(*tag), generator.keep(puzzle, {*range(len(tags))} - {i})
    for field in KEPT.get(puzzle.name, ()):
        value, blank = getattr(puzzle, field), clues_of(type(puzzle))[field].blank
        for place, clue in enumerate(np.ravel(value).tolist() if value is not None else ()):
            if clue != blank:
                yield puzzle.clue_name(field, place), without(puzzle, field, place)
    for rule, step, unit in zip(*_sums_of(puzzle), strict=True):
        for run, total, name in zip(rule.groups, rule.totals, rule.names, strict=True):
            if total is not None:
                grid = puzzle.grid.copy()
                grid.flat[run[0] - step] -= unit * total
                name = re.sub(r"\((\d+),(\d+)\)", r"row \1, column \2", from_one(name))
                yield f"the {total} of {name}", replace(puzzle, grid=grid)


def _sums_of(puzzle):
    """The sums of a kakuro across and down, how far before a run they stand, and how."""
    if puzzle.name != "kakuro":
        return (), (), ()
    return puzzle.sums, (1, puzzle.shape[1]), (1, MOST_SUM + 1)


@pytest.mark.parametrize("name", puzzle_names())
def test_a_clue_that_is_left_out_is_a_board_without_it(name):
    for puzzle in [*TINY[name], *(SUDOKUS if name == "sudoku" else ())]:
        stated = puzzle.stated()
        names = names_of(stated)
        with Oracle(stated) as oracle:
            for clue, board in fewer_clues(puzzle):
                number = names.index(clue)
                assert stated.statements[number].is_clue
                others = [i for i in range(len(names)) if i != number]
                assert answers(oracle, others) == right_grids(board), clue


@pytest.mark.parametrize("name", puzzle_names())
def test_statements_can_be_read(name):
    rng = np.random.default_rng(1)
    for puzzle in [*boards_of(name), *get_puzzle(name).examples()]:
        stated = puzzle.stated()
        names = names_of(stated)
        assert len({*names}) == len(names)
        known = np.zeros(puzzle.shape, dtype=bool)
        solution = known.astype(np.int64) if puzzle.solution is None else puzzle.solution
        states = [(solution, known), (solution, ~known)]
        states += [(solution, rng.random(known.shape) < share) for share in (0.2, 0.5, 0.8)]
        if isinstance(puzzle, Kind):
            states += [(rng.choice(puzzle.values, known.shape), ~known) for _ in range(3)]
        for statement in stated.statements:
            assert all(r < known.shape[0] and c < known.shape[1] for r, c in statement.cells)
            texts = [statement.name, *(statement.words(*state) for state in states)]
            for text in texts:
                assert not _UNREADABLE.search(text), text
                assert not text.endswith("."), text


def sentences(puzzle, values=None):
    """What each statement says, by its name; of a board that is known where it is no ``.``."""
    grid = np.zeros(puzzle.shape, dtype=np.int64)
    shown = np.array([[*row] for row in values]) if values else np.full(puzzle.shape, ".")
    grid[shown != "."] = shown[shown != "."].astype(np.int64)
    return {s.name: s.words(grid, shown != ".") for s in puzzle.stated().statements}


def test_words_of_counts():
    tents = get_puzzle("tents")(rows=[2, None], cols=[None, 1, None], grid=["...", "T.."])
    empty = sentences(tents)
    assert empty["the 2 of row 1"] == "the 2 of row 1 needs 2 tents in its 3 open cells"
    tree = "the tree in row 2, column 1 needs a tent of its own"
    assert empty["the tree in row 2, column 1"] == f"{tree} in one of the 2 open cells beside it"
    begun = sentences(tents, ["01.", "..."])
    assert begun["the 2 of row 1"] == "the 2 of row 1 needs 1 more tent in its only open cell"
    assert begun["the 1 of column 2"] == "the 1 of column 2 has its tent already"
    assert begun["the tree in row 2, column 1"] == f"{tree} in the only open cell beside it"
    apart = "no two tents touch, not even by a corner"
    assert empty[apart] == begun[apart] == apart
    wrong = sentences(tents, ["010", "..."])
    assert wrong["the 2 of row 1"] == "the 2 of row 1 needs 1 more tent, and has no open cells"
    touching = sentences(tents, ["011", "..."])
    assert touching[apart] == f"{apart}: that is not so in row 1, columns 2 and 3"


def test_words_of_bulbs():
    akari = get_puzzle("akari")(grid=[". . .", "# 2 ."])
    says = sentences(akari, ["...", "..1"])
    two = "the 2 in row 2, column 2"
    assert says[two] == f"{two} needs 1 more bulb in the only open cell beside it"
    assert says["the light in row 1, column 3"] == "row 1, column 3 is lit already"
    first = "row 1, column 1"
    may = "row 1, column 1, 2 or 3"
    assert (
        says[f"the light in {first}"]
        == f"{first} has to be lit, and only a bulb in {may} can do that"
    )
    across = "the run across from row 1, column 1"
    assert says[across] == f"{across} may have 1 bulb at most"
    down = "the run down from row 1, column 1"  # of a single cell
    assert says[down] == f"{down} may have 1 bulb at most"


def test_words_of_digits():
    board = Sudoku(grid=["12..", "....", "..1.", "...."])
    says = sentences(board, ["12..", "....", "..1.", "...."])
    assert says["the 1 of row 1"] == "the 1 of row 1 is in row 1, column 1"
    assert says["the 3 of row 1"] == "the 3 of row 1 can only be in row 1, column 3 or 4"
    box = "the 4 of the box of row 1, column 3"
    assert says[box] == f"{box} is in one of 4 open cells"
    assert sentences(board)[box] == "the box of row 1, column 3 has 4 once"
    assert says["the 2 in row 1, column 2"] == "the 2 in row 1, column 2 is given"
    cage = sentences(variant("cages"), ["12..", ".1..", "....", "...."])
    name = "the cage from row 1, column 1 to row 2, column 3"
    assert cage[name] == f"{name} needs 6 more in its only open cell, and has 1 twice"
    other = "the cage from row 1, column 2 to row 2, column 3"
    assert cage[other] == f"{other} has no digit twice, and has 1 and 2 already"
    dot = "the difference between row 1, column 1 and row 1, column 2"
    assert sentences(variant("differences"))[dot] == f"{dot} is 1"


def test_words_of_shadings():
    heyawake = get_puzzle("heyawake")(rooms=["001", "011"], clues=[1, None])
    room = "the 1 of the room of row 1, column 1"
    assert sentences(heyawake, ["1..", "..."])[room] == f"{room} has its black cell already"
    white = "the white cells are connected"
    assert sentences(heyawake)[white] == white
    kurodoko = get_puzzle("kurodoko")(grid=["3..", "..."])
    three, sees = "the 3 in row 1, column 1", "has to see 3 white cells, itself included"
    assert sentences(kurodoko)[three] == f"{three} is on a white cell, and {sees}"
    begun = sentences(kurodoko, ["0..", "1.."])[three]
    assert begun == f"{three} {sees}: it sees 1 so far, and needs 2 more: up to 2 to the right"
    gap = sentences(kurodoko, ["0.0", "..."])[three]
    assert gap.endswith(
        "it sees 1 so far, and needs 2 more: 0 or 2 to the right and up to 1 downwards"
    )
    hitori = get_puzzle("hitori")(grid=[[1, 1], [1, 2]])
    ones = sentences(hitori, ["0.", ".."])["the 1s of row 1"]
    assert ones == "of the 1s of row 1 at most one stays white, and row 1, column 1 is already"
    nurikabe = get_puzzle("nurikabe")(grid=[[3, None, None], [None, None, None]])
    three = sentences(nurikabe, [".0.", "..."])["the 3 in row 1, column 1"]
    assert three == "the island of the 3 in row 1, column 1 needs 3 cells, and has 2"


def why_of(puzzle, name, values, cell, value):
    """What a statement says where an open cell, its row-major number, has a value that follows."""
    grid = np.zeros(puzzle.shape, dtype=np.int64)
    shown = np.array([[*row] for row in values])
    grid[shown != "."] = shown[shown != "."].astype(np.int64)
    grid.flat[cell] = value
    (statement,) = [each for each in puzzle.stated().statements if each.name == name]
    return statement.words(grid, shown != ".", cell)


def test_words_of_what_would_be_cut_off():
    hitori = get_puzzle("hitori")(grid=[[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    white, apart = "the white cells are connected", "no two black cells touch by a side"
    cut = why_of(hitori, white, ["0.0", "01.", "..."], 1, 0)  # the last way is by the last row
    assert cut == white
    cut = why_of(hitori, white, ["0.0", "010", "0.1"], 1, 0)
    assert cut == f"{white}: otherwise row 1, column 3 would be cut off from row 1, column 1"
    broken = sentences(hitori, ["010", "101", "..."])[white]
    assert broken == f"{white}: row 1, column 1 is cut off from row 2, column 2"
    assert sentences(hitori, ["11.", "...", "..."])[apart] == f"{apart}: row 1, columns 1 and 2 do"
    slitherlink = get_puzzle("slitherlink")(grid=[[None] * 3] * 3)
    (loop,) = [name for name in sentences(slitherlink) if name.startswith("there is one loop")]
    outside = why_of(slitherlink, loop, ["1.1", "101", "111"], 1, 0)
    assert outside == f"{loop}: otherwise row 2, column 2 would be cut off from the border"
    yinyang = get_puzzle("yinyang")(grid=["...", "...", "..."])
    circles = "the circles of each colour are connected"
    crossed = why_of(yinyang, circles, ["01.", "1..", "..."], 4, 1)
    touch = "row 1, column 1 and row 2, column 2 would touch by a corner only"
    assert (
        crossed == f"{circles}: otherwise {touch}, and whatever joins them would part the other two"
    )
    border = why_of(yinyang, circles, ["0..", "..1", "1.."], 2, 1)
    assert border == circles
    border = why_of(yinyang, circles, ["0..", "..1", "1.1"], 2, 1)
    assert border == circles


def test_why_a_corner_is_wrong():
    yinyang, circles = (
        get_puzzle("yinyang")(grid=["..", ".."]),
        "the circles of each colour are connected",
    )
    for shown, at in (
        (["01", "10"], "1, column 2 and row 2, column 1"),
        (["10", "01"], "1, column 1 and row 2, column 2"),
    ):
        assert sentences(yinyang, shown)[circles] == (
            f"{circles}: row {at} touch by a corner only, "
            "and whatever joins them would part the other two"
        )


def test_which_islands_are_too_small_for_a_cell():
    empty = [None] * 4
    grid = [empty, [None, 2, None, None], empty, [1, None, None, None]]
    nurikabe = get_puzzle("nurikabe")(grid=grid)
    (name,) = [s.name for s in nurikabe.stated().statements if s.name.startswith("each island")]
    two, one = (
        "the island of the 2 in row 2, column 2, which may have 2 cells only",
        "row 4, column 2 is beside",
    )
    corner = sentences(nurikabe, ["0...", "....", "....", "...."])[name]
    beside = f"row 1, column 2 and row 2, column 1 are beside {two}"
    assert corner == f"{name}: row 1, column 1 cannot be joined to a number, as {beside}"
    other = sentences(nurikabe, ["....", "....", ".1..", "...0"])[name]
    assert other == (
        f"{name}: row 4, column 4 cannot be joined to a number, as {one} the island of the 1 in "
        "row 4, column 1, which may have 1 cell only; row 1, column 2 and row 2, column 3 are "
        f"beside {two}"
    )
    barred = sentences(nurikabe, ["....", "....", "..1.", ".110"])[name]
    assert barred.endswith(f"as row 1, column 2 and row 2, column 3 are beside {two}")
    alone = sentences(nurikabe, ["....", "....", "...1", "..10"])[name]
    assert alone == f"{name}: row 4, column 4 cannot be joined to a number"


def test_words_of_rules_that_are_broken():
    heyawake = get_puzzle("heyawake")(rooms=["012"], clues=[None] * 3)
    lines = "no straight line of white cells crosses two borders of rooms"
    assert sentences(heyawake, ["000"])[lines] == f"{lines}: row 1, columns 1, 2 and 3 do"
    nurikabe = get_puzzle("nurikabe")(grid=[[3, None, None], [None, None, None]])
    pool = "no square of two by two cells is black"
    assert sentences(nurikabe, ["011", "011"])[pool] == (
        f"{pool}: that is not so in row 1, columns 2 and 3, and row 2, columns 2 and 3"
    )
    two = get_puzzle("nurikabe")(grid=[[2, None, 2]])
    rule = "each island has one number, and islands do not touch by a side"
    assert why_of(two, rule, ["0.0"], 1, 1) == (
        f"{rule}: otherwise the islands of row 1, columns 1 and 3 would be one"
    )
    tents = get_puzzle("tents")(rows=[None] * 2, cols=[None] * 3, grid=["...", "T.."])
    pairs = "each tent belongs to a tree beside it, and to that alone"
    assert why_of(tents, pairs, ["...", "..."], 2, 0) == (
        f"{pairs}: no tree is beside row 1, column 3"
    )
    takuzu = get_puzzle("takuzu")(grid=["....", "....", "....", "...."])
    same = "no two rows are the same"
    assert why_of(takuzu, same, ["0101", "01..", "....", "...."], 6, 1) == (
        f"{same}: row 2 must not become the same as row 1"
    )
    both = sentences(takuzu, ["0101", "0101", "....", "...."])[same]
    assert both == f"{same}: row 1 and row 2 are the same"
    lits = get_puzzle("lits")(rooms=["0000", "1111"])
    alike = "pieces of the same shape do not touch by a side"
    assert sentences(lits, ["1111", "1111"])[alike] == (
        f"{alike}: two I would touch in column 1, rows 1 and 2"
    )


def test_words_of_sides():
    towers = get_puzzle("skyscrapers")(grid=["...", "...", "..."], left=[2, None, None])
    two = "the 2 left of row 1 is how many buildings are seen from there"
    last = f"{two}, the last of them the 3"
    name = "the 2 left of row 1"
    assert sentences(towers)[name] == f"{last}, which is not first"
    assert sentences(towers, ["13.", "...", "..."])[name] == f"{last} in row 1, column 2"
    two_before = sentences(towers, ["..3", "...", "..."])[name]
    assert two_before == f"{last} in row 1, column 3, so 1 of the 2 before it is seen"
    assert sentences(towers, ["3..", "...", "..."])[name].endswith("column 1: 1 at most are")
    assert sentences(towers, ["132", "...", "..."])[name] == f"{two}: 2 are"
    words = towers.stated().statements[0].words
    grid, known = np.array([[2, 0, 1]] * 3), np.array([[False, False, True]] * 3)
    assert words(grid, known, 0) == f"{last}, which is not first: otherwise 1 at most would be seen"
    letters = get_puzzle("easyasabc")(size=2, letters=1, top=["A", None])
    first = sentences(letters, ["0.", ".."])["the A above column 1"]
    seen = "the A above column 1 comes first from there, all others behind it"
    assert first == f"{seen}: it can only be in row 2, column 1"


def test_rules_that_say_the_same_are_one_statement():
    stated = get_puzzle("yinyang").examples()[0].stated()
    connected = [s for s in stated.statements if "connected" in s.name]
    (number,) = map(stated.statements.index, connected)
    assert len(stated.model.graphs) == 4  # black and white, all over and along the border
    assert (stated.owner[-4:] == number).all()
