"""Variants of sudoku: each against every 4x4 grid, what is refused, files of players, pictures."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from qubopuzzle import InputError, Sudoku, generate, load, solve
from qubopuzzle.files.puzzles import get_format
from qubopuzzle.model import violation
from qubopuzzle.testing import obeys, zero_energy_grids

fpuzzles, tatham = map(get_format, ("fpuzzles", "tatham"))
BLANK = [[0] * 4] * 4
LINE = [(0, 0), (0, 1), (1, 1), (2, 1)]
L = [(0, 0), (0, 1), (1, 0)]
PAIR = [(0, 3), (1, 3)]
FIVE = [(0, 0), (1, 1), (2, 2), (2, 3), (0, 3)]
GRID = np.array([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]])
NONE = ("no cage", "antiking")
JIGSAW = ["aaab", "accb", "dccb", "dddb"]


def held(grid, cells):
    return [int(grid[cell]) for cell in cells]


def steps(grid, *moves):
    """The digits of each two cells that are one of these moves apart."""
    for r, c in np.ndindex(4, 4):
        for down, right in moves:
            if r + down < 4 and 0 <= c + right < 4:
                yield (
                    int(grid[r, c]),
                    int(grid[r + down, c + right]),
                    {(r, c), (r + down, c + right)},
                )


def beside(grid):
    return steps(grid, (0, 1), (1, 0))


CASES = {
    "diagonals": (
        {"diagonals": True},
        lambda g: len({*g.diagonal()}) == 4 == len({*g[:, ::-1].diagonal()}),
    ),
    "disjoint": (
        {"disjoint": True},
        lambda g: all(len({*g[r::2, c::2].ravel()}) == 4 for r in (0, 1) for c in (0, 1)),
    ),
    "antiknight": (
        {"antiknight": True},
        lambda g: all(a != b for a, b, _ in steps(g, (1, 2), (1, -2), (2, 1), (2, -1))),
    ),
    "antiking": (
        {"antiking": True, "box": [1, 4]},
        lambda g: all(a != b for a, b, _ in steps(g, (1, 1), (1, -1))),
    ),
    "nonconsecutive": (
        {
            "nonconsecutive": True,
            "differences": [{"cells": sorted(c)} for a, b, c in beside(GRID) if abs(a - b) == 1],
            "box": [1, 4],
        },
        lambda g: all(
            (abs(a - b) == 1) == (abs(c - d) == 1)
            for (a, b, _), (c, d, _) in zip(beside(g), beside(GRID), strict=True)
        ),
    ),
    "nonratio": (
        {
            "nonratio": True,
            "ratios": [
                {"cells": sorted(c)} for a, b, c in beside(GRID) if 2 * a == b or a == 2 * b
            ],
            "box": [4, 1],
        },
        lambda g: all(
            ({a, b} in ({1, 2}, {2, 4})) == ({c, d} in ({1, 2}, {2, 4}))
            for (a, b, _), (c, d, _) in zip(beside(g), beside(GRID), strict=True)
        ),
    ),
    "regions": (
        {"regions": JIGSAW},
        lambda g: all(
            len({int(g[r, c]) for r, c in np.ndindex(4, 4) if JIGSAW[r][c] == name}) == 4
            for name in "abcd"
        ),
    ),
    "cage": (
        {"cages": [{"cells": LINE[1:], "sum": 7}], "box": [1, 4]},
        lambda g: len({*held(g, LINE[1:])}) == 3 and sum(held(g, LINE[1:])) == 7,
    ),
    "cage of one cell": ({"cages": [{"cells": [(0, 0)], "sum": 3}]}, lambda g: g[0, 0] == 3),
    "no cage": ({"cages": [{"cells": L, "sum": 2}]}, lambda g: False),
    "cage without a sum": (
        {"cages": [{"cells": LINE}], "box": [1, 4]},
        lambda g: len({*held(g, LINE)}) == 4,
    ),
    "sum": (
        {"sums": [{"cells": [(0, 0), (1, 1), (2, 2)], "sum": 4}], "box": [1, 4]},
        lambda g: g[0, 0] + g[1, 1] + g[2, 2] == 4,
    ),
    "arrow": (
        {"arrows": [{"circle": [(0, 0)], "cells": LINE[1:3]}]},
        lambda g: g[0, 0] == g[0, 1] + g[1, 1],
    ),
    "arrow of two digits": (
        {
            "arrows": [
                {"circle": [(3, 0), (3, 1)], "cells": [(0, 0), (1, 1), (2, 2), (2, 3), (0, 3)]}
            ]
        },
        lambda g: 10 * g[3, 0] + g[3, 1] == g[0, 0] + g[1, 1] + g[2, 2] + g[2, 3] + g[0, 3],
    ),
    "thermometer": (
        {"thermometers": [LINE[:3]]},
        lambda g: all(a < b for a, b in pairwise(held(g, LINE[:3]))),
    ),
    "palindrome": (
        {"palindromes": [[(0, 0), (0, 1), (1, 2)]], "box": [1, 4]},
        lambda g: g[0, 0] == g[1, 2],
    ),
    "renban": (
        {"renbans": [L], "box": [1, 4]},
        lambda g: sorted(held(g, L)) in ([1, 2, 3], [2, 3, 4]),
    ),
    "whisper": (
        {"whispers": [LINE]},
        lambda g: all(abs(a - b) >= 2 for a, b in pairwise(held(g, LINE))),
    ),
    "difference": (
        {"differences": [{"cells": PAIR, "difference": 2}]},
        lambda g: abs(g[0, 3] - g[1, 3]) == 2,
    ),
    "ratio": ({"ratios": [{"cells": PAIR}]}, lambda g: {*held(g, PAIR)} in ({1, 2}, {2, 4})),
    "quadruple": (
        {"quadruples": [{"cells": [(1, 1), (1, 2), (2, 1), (2, 2)], "digits": [3, 3, 1]}]},
        lambda g: (
            sorted(held(g, [(1, 1), (1, 2), (2, 1), (2, 2)])).count(3) >= 2 and 1 in g[1:3, 1:3]
        ),
    ),
    "parity": (
        {"even": [(0, 0), (1, 2)], "odd": [(3, 3)]},
        lambda g: g[0, 0] % 2 == 0 == g[1, 2] % 2 and g[3, 3] % 2 == 1,
    ),
}
"""What a 4x4 has besides, and whether a grid has it, from the rule's own words."""


@pytest.fixture(scope="module")
def squares():
    return [np.asarray(g) for g in solve(Sudoku(BLANK, [1, 4]), "sat", solutions=None).solutions]


def board(name, grid=BLANK):
    return Sudoku(grid=grid, **CASES[name][0])


def expected(name, squares):
    """The right grids, by trying all latin squares."""
    box = CASES[name][0].get("box")
    plain = [[1, 4], [4, 1]].count(box) or "regions" in CASES[name][0]
    fits = [
        g
        for g in squares
        if plain
        or all(len({*g[r : r + 2, c : c + 2].ravel()}) == 4 for r in (0, 2) for c in (0, 2))
    ]
    return {g.tobytes() for g in fits if CASES[name][1](g)}


def as_grid(data):
    return np.frombuffer(data, dtype=np.int64).reshape(4, 4)


@pytest.mark.parametrize("name", CASES)
def test_every_4x4_grid_by_the_rules_and_in_every_formulation(name, squares):
    right, puzzle = expected(name, squares), board(name)
    assert len(squares) == 576
    assert {g.tobytes() for g in squares if obeys(puzzle, g)} == right
    assert bool(right) == (name not in NONE)
    for formulation in Sudoku.formulations:
        result = solve(puzzle, "sat", formulation=formulation, solutions=None)
        assert result.complete
        assert {np.asarray(g).tobytes() for g in result.solutions} == right
        assert len(result.solutions) == len(right)
        model = puzzle.model(formulation)
        for grid in [*right][:20]:
            x = model.assignment(
                model.field.write(np.frombuffer(grid, dtype=np.int64).reshape(4, 4))
            )
            assert violation(model, x) == 0


@pytest.mark.parametrize("name", CASES)
def test_qubos_of_boards_with_few_empty_cells(name, squares):
    right = sorted(expected(name, squares))
    grid = as_grid((right or [squares[0].tobytes()])[0]).copy()
    grid[0, :2] = grid[1, 1] = grid[3, 3] = 0
    puzzle = board(name, grid)
    fits = [g for g in right if (as_grid(g)[grid > 0] == grid[grid > 0]).all()]
    for formulation in Sudoku.formulations:
        for encoding in ("one-hot", "domain-wall"):
            model = puzzle.model(formulation)
            assert zero_energy_grids(model, encoding) in (fits, None), (formulation, encoding)


@pytest.mark.parametrize("name", [name for name in CASES if name not in NONE])
def test_boards_of_variants_are_annealed_and_written(name, squares):
    puzzle = board(name)
    assert solve(puzzle, "annealer", seed=1).valid
    assert Sudoku.from_dict(json.loads(json.dumps(puzzle.to_dict()))) == puzzle
    assert puzzle.picture().text()
    assert puzzle.picture().image("png")
    if name != "sum":
        assert load(fpuzzles.write([puzzle])) == [puzzle]
    with pytest.raises(InputError, match="have no place here; write json"):
        get_format("puzzlink").write([puzzle])


def test_what_breaks_a_variant_is_said():
    grid = np.array([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]])
    puzzle = Sudoku(
        BLANK,
        cages=[{"cells": [[0, 0], [0, 1]], "sum": 4}],
        thermometers=[[[0, 3], [0, 2]]],
        arrows=[{"circle": [[0, 0]], "cells": [[1, 0], [2, 0]]}],
        differences=[{"cells": [[0, 0], [1, 0]]}],
        even=[[0, 0]],
    )
    assert [v.message for v in puzzle.violations(grid)] == [
        "(0,0) has 1 odd digit, 0 at most",
        "cage[0] adds up to 3, not 4",
        "arrow[0] has 4 more along it than in its circle, not 0",
        "(0, 3) and (0, 2) do not rise",
        "(0, 0) and (1, 0) do not differ by 1",
    ]
    unfinished = grid.copy()
    unfinished[0, 0] = 0
    assert [v.rule for v in puzzle.violations(unfinished)] == ["empty", "thermometer"]


@pytest.mark.parametrize(
    ("clues", "message"),
    [
        ({"cages": [{"cells": [[0, 4]], "sum": 3}]}, r"cages\[0\]: \(0,4\) is not in 4 x 4 cells"),
        ({"cages": [{"sum": 3}]}, r"cages\[0\].cells: missing"),
        ({"cages": [{"cells": [[0, 0]], "total": 3}]}, "unknown key 'total'; it has cells, sum"),
        ({"cages": [{"cells": [[0, 0], [0, 0]]}]}, r"cells: \(0,0\) stands there twice"),
        ({"cages": [7]}, r"cages\[0\]: expected cells, sum, got 7"),
        ({"thermometers": [[[0, 0]]]}, r"thermometers\[0\]: expected at least 2 cells"),
        ({"differences": [{"cells": [[0, 0]]}]}, "expected 2 cells"),
        ({"even": [[0]]}, r"even\[0\]: expected \[row, column\]"),
        ({"quadruples": [{"cells": [[0, 0]], "digits": [5]}]}, "digits from 1 to 4"),
        ({"regions": ["aabb"] * 4, "box": [2, 2]}, "box: there are regions instead"),
        ({"regions": ["aaab", "aabb", "ccdd", "ccdd"]}, "regions: expected 4 of 4 cells"),
        ({"diagonals": 1}, "diagonals: expected true or false"),
    ],
)
def test_what_is_no_clue_is_refused(clues, message):
    with pytest.raises(InputError, match=message):
        Sudoku(BLANK, **clues)


# --- players -------------------------------------------------------------------------------

LOADED = (
    "N4IgzglgXgpiBcBOANCA5gJwgEwQbT2AF9ljSSzKLryBdZQmq8l54+x1p7rjtn/nQaCR3PgIm9hk0UM6zR4rssX0Q"
    "AawgAbLTAwBjAIZo48QiH0wdYfCABKARgDCDkKjsAmFyDUA3Q1oArqYgiCAUFlZaNmb2zh5ucU4AzImeTgnuXqnuy"
    "Rk+qP5BIcmpRGqG+gAuEL4wTgD2AHZgVRiGEE1VMXggANLauhgABE7GcLREQA="
)


@pytest.mark.parametrize(
    "address",
    [
        "https://f-puzzles.com/?load=",
        "https://www.f-puzzles.com/?load=",
        "https://sudokupad.app/fpuzzles",
        "https://sudokupad.app/?puzzleid=fpuzzles",
        "https://app.crackingthecryptic.com/sudoku/?puzzleid=fpuzzles",
    ],
)
def test_addresses(address):
    cages = [{"cells": [[0, 0], [1, 0]], "sum": 9}]
    cages += [{"cells": [[0, 1], [0, 2], [1, 1], [1, 2], [2, 1]], "sum": 33}]
    assert load(address + LOADED.replace("/", "%2F")) == [Sudoku([[0] * 9] * 9, cages=cages)]


ONE_TWO, FIRST = ["R1C1", "R1C2"], [[0, 0], [0, 1]]


def theirs(**more):
    return json.dumps({"size": 4, "grid": [[{}] * 4] * 4, **more})


@pytest.mark.parametrize(
    ("more", "clues"),
    [
        ({"diagonal+": True, "diagonal-": True, "title": "x"}, {"diagonals": True}),
        ({"diagonal-": True}, {"cages": [{"cells": [[i, i] for i in range(4)]}]}),
        ({"disjointgroups": True, "antiknight": False}, {"disjoint": True}),
        ({"negative": ["ratio"]}, {"nonratio": True}),
        ({"killercage": [{"cells": ONE_TWO}]}, {"cages": [{"cells": FIRST}]}),
        (
            {"arrow": [{"cells": ["R1C1"], "lines": [["R1C1", "R2C2", "R3C2"]]}]},
            {"arrows": [{"circle": [[0, 0]], "cells": [[1, 1], [2, 1]]}]},
        ),
        (
            {"littlekillersum": [{"cell": "R0C2", "direction": "DR", "value": "5"}]},
            {"sums": [{"cells": [[0, 2], [1, 3]], "sum": 5}]},
        ),
        (
            {"xv": [{"cells": ["R1C1", "R1C2"], "value": "V"}]},
            {"sums": [{"cells": [[0, 0], [0, 1]], "sum": 5}]},
        ),
        ({"minimum": [{"cell": "R1C1"}]}, {"thermometers": [[[0, 0], [1, 0]], [[0, 0], [0, 1]]]}),
        (
            {"clone": [{"cells": ["R1C1"], "cloneCells": ["R2C3"]}]},
            {"palindromes": [[[0, 0], [1, 2]]]},
        ),
        (
            {"ratio": [{"cells": ["R1C1", "R1C2"], "value": ""}]},
            {"ratios": [{"cells": [[0, 0], [0, 1]]}]},
        ),
        ({"odd": [{"cell": "R4C4"}], "text": [{"cells": ["R1C1"]}]}, {"odd": [[3, 3]]}),
    ],
)
def test_their_constraints(more, clues):
    assert load(theirs(**more)) == [Sudoku(BLANK, **clues)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            theirs(sandwichsum=[{"cell": "R0C1", "value": "3"}]),
            "'sandwichsum' is a constraint",
        ),
        (theirs(negative=["xv"]), "xv"),
        (theirs(killercage=[{"cells": ["R1"]}]), r"killercage\[0\]: 'R1' is no cell such as R1C1"),
        (theirs(killercage=[{}]), r"killercage\[0\]: "),
        (theirs(killercage=[{"cells": ["R9C9"], "value": "3"}]), r"cages\[0\]: \(8,8\) is not in"),
        (theirs(killercage=[{"cells": ["R1C1"], "value": "a-b"}]), "is no number"),
        (theirs(odd={"a": 1}), "'odd' is a constraint"),
        ('{"grid": [[{}], [{}]]}', r"grid\[0\]: expected 2 cells"),
        ("https://f-puzzles.com/?load=N4Igz", "cut off|no text|JSON|empty"),
        ("https://f-puzzles.com/?load=" + "N4Igzg" * 1000, "line 1"),
    ],
)
def test_what_they_have_that_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        load(text)


@pytest.mark.parametrize("options", [{"diagonals": 1}, {"regions": 1}])
def test_ids_of_solo(options):
    (puzzle,) = generate("sudoku", size=(6, 6), seed=2, options=options)
    cages = [{"cells": [[r, c], [r, c + 1]], "sum": 3 + r} for r in range(6) for c in (0, 2, 4)]
    killer = replace(puzzle, cages=tuple(tuple(cage.values()) for cage in cages), solution=None)
    for board in (puzzle, killer):
        name = tatham.write([board])
        assert ("j" in name.split(":")[0], "k" in name.split(":")[0]) == (
            "regions" in options,
            board is killer,
        )
        assert tatham.read(f"solo:{name}") == [board]


@pytest.mark.parametrize("options", [{"diagonals": 1}, {"cages": 1}, {"regions": 1, "cages": 1}])
def test_generated_variants_have_one_solution_and_are_read_as_they_are_written(options):
    (puzzle,) = generate("sudoku", size=(6, 6), seed=1, options=options)
    assert solve(puzzle, "sat", solutions=2).unique
    assert {*options} <= {*puzzle.variants}
    assert load(fpuzzles.write([puzzle])) == [puzzle]


@pytest.mark.parametrize("clue", [{"even": [(0, 0)]}, {"cages": [{"cells": [(0, 0)], "sum": 2}]}])
def test_a_cell_that_a_variant_decides_is_decided_in_every_formulation(clue):
    puzzle = Sudoku(grid=[[0] * 3] * 3, box=(1, 3), **clue)
    for formulation in puzzle.formulations:
        result = solve(puzzle, "sat", formulation=formulation, solutions=10)
        assert (len(result.solutions), result.grid[0, 0]) == (4, 2)
