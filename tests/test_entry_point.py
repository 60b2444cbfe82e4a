"""A puzzle from outside: one module and an entry point, and every command knows it."""

import json
import os
import subprocess
import sys

import pytest

MODULE = '''
"""Latin squares: each digit once in every row and column."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qubopuzzle import ModelBuilder, Puzzle, PuzzleError, Violation
from qubopuzzle.model import Field
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.games import Game, read_runs, write_runs
from qubopuzzle.puzzles.links import Link, Numbers

GRID = Numbers("grid")


@dataclass(frozen=True)
class Latin(Puzzle):
    """Fill a square with n digits, each once a row and column."""

    name: ClassVar[str] = "latin"
    default_formulation: ClassVar[str] = "cells"
    links: ClassVar[tuple] = (
        Link("latin", body=[GRID], file=[GRID], square=True, givens="grid"),
        Game(
            "squares",
            read=lambda body, columns, rows: {"grid": read_runs(body, rows, columns, rows)},
            write=lambda puzzle: f"{len(puzzle.grid)}:" + write_runs(sum(puzzle.grid, ())),
        ),
    )

    grid: tuple = ()

    def __post_init__(self):
        super().__post_init__()
        if not self.grid or any(len(row) != len(self.grid) for row in self.grid):
            raise PuzzleError("grid: expected a square")
        self.check_solution()

    @property
    def shape(self):
        return len(self.grid), len(self.grid)

    @classmethod
    def from_dict(cls, data):
        if "grid" not in data:
            raise PuzzleError("grid: missing")
        grid = tuple(map(tuple, data["grid"]))
        return cls(grid=grid, id=data.get("id", ""), solution=data.get("solution"))

    def to_dict(self):
        return {"puzzle": self.name, **self.about(), "grid": [list(row) for row in self.grid]}

    def parse_answer(self, data):
        return np.array([[int(digit) for digit in row] for row in data])

    def format_answer(self, answer):
        return ["".join(map(str, row)) for row in answer.tolist()]

    def violations(self, answer):
        n, broken = len(self.grid), []
        for rule, lines in (("row", answer), ("column", answer.T)):
            for i, line in enumerate(lines.tolist()):
                for digit in sorted(set(line)):
                    if (times := line.count(digit)) > 1:
                        cells = [(i, j) for j in range(n) if line[j] == digit]
                        cells = [c if rule == "row" else c[::-1] for c in cells]
                        message = f"{rule}[{i}] has {digit} {times} times"
                        broken.append(Violation(rule, message, tuple(cells)))
        for r, c in np.ndindex(n, n):
            if self.grid[r][c] not in (0, answer[r, c]):
                broken.append(Violation("given", f"({r},{c}) was {self.grid[r][c]}", ((r, c),)))
        return broken

    def picture(self, answer=None, broken=()):
        digits = np.array(self.grid) if answer is None else answer
        words = {(r, c): str(digits[r, c]) for r, c in np.argwhere(digits).tolist()}
        return Picture(*self.shape, words=words, broken=frozenset(broken))

    @classmethod
    def examples(cls):
        return [cls(grid=((1, 0), (0, 0)), id="latin-2x2", solution=["12", "21"])]


def of_cells(puzzle, *, spare: int = 0):
    n, builder = len(puzzle.grid), ModelBuilder()
    cells = [
        [
            builder.choice(f"cell[{r},{c}]", range(1, n + 1 + spare), family="cell")
            for c in range(n)
        ]
        for r in range(n)
    ]
    for family, lines in (("row", cells), ("column", list(zip(*cells)))):
        sums = [[c[v] for c in line] for line in lines for v in range(1, n + 1)]
        builder.exactly_one(family, sums)
    for r, c in np.argwhere(np.array(puzzle.grid)).tolist():
        builder.exactly_one("given", [[cells[r][c][puzzle.grid[r][c]]]])
    literals = np.arange(n * n * (n + spare))
    values = literals % (n + spare) + 1
    reading = builder.reading("cells", literals // (n + spare), literals, values, n_cells=n * n)
    return builder.build(Field((n, n), 1, n + spare, (reading,), lambda a: a.ravel().tolist()))


Latin.formulations = {"cells": of_cells}
'''
GRID = [[1, 0, 4, 0], [4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]]  # one solution


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with a package that is none of ours, as pip would leave it, and its files."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "their_latin.py").write_text(MODULE)
    about = folder / "their_puzzles-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(
        "Metadata-Version: 2.1\nName: their-puzzles\nVersion: 1.0\n"
    )
    about.joinpath("entry_points.txt").write_text(
        "[qubopuzzle.puzzles]\nlatin = their_latin:Latin\nlost = their_latin:Gone\n"
    )
    instance = {"puzzle": "latin", "id": "square", "grid": GRID}
    (folder / "square.json").write_text(json.dumps(instance))
    (folder / "bad.json").write_text(json.dumps({"puzzle": "latin", "grid": [[1, 2]]}))
    (folder / "lost.json").write_text(json.dumps({"puzzle": "lost"}))
    (folder / "wrong.txt").write_text("1243\n4321\n2314\n3412\n")
    return folder


def run(folder, *arguments, there=True):
    """Exit status and what was printed; ``there``: their package is installed."""
    path = [str(folder)] if there else []
    path += filter(None, [os.environ.get("PYTHONPATH")])
    done = subprocess.run(
        [sys.executable, "-m", "qubopuzzle", *arguments],
        capture_output=True,
        text=True,
        cwd=folder.parent,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": os.pathsep.join(path)},
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def files(folder, *names):
    return [str(folder / name) for name in names]


def test_it_is_not_there_before_it_is_installed(world):
    status, _, err = run(world, "show", *files(world, "square.json"), there=False)
    assert status == 2
    assert "unknown puzzle 'latin'; this package knows " in err


def test_it_is_known_and_drawn(world):
    status, out, err = run(world, "show", *files(world, "square.json"))
    assert (status, err) == (0, "")
    assert out == "square\n 1 · 4 ·\n 4 · · ·\n · · · ·\n · · · 2\n"


@pytest.mark.parametrize(
    "how",
    [
        [],
        ["--solver", "neal"],
        ["--solver", "tempering"],
        ["--solver", "sat", "--unique"],
        ["--formulation", "cells:spare=1"],
        ["--presolve", "propagate"],
    ],
    ids=" ".join,
)
def test_it_is_solved_by_what_there_is(world, how):
    source = files(world, "square.json")
    status, out, err = run(world, "solve", *source, "--seed", "1", "--json", *how)
    assert (status, err) == (0, "")
    result = json.loads(out)
    assert result["puzzle"] == "latin"
    assert result["valid"]
    rows = [[int(digit) for digit in row] for row in result["solution"]]
    for line in [*rows, *zip(*rows, strict=True)]:
        assert sorted(line) == [1, 2, 3, 4]
    for row, givens in zip(rows, GRID, strict=True):
        assert all(given in (0, digit) for digit, given in zip(row, givens, strict=True))
    if "--unique" in how:
        assert result["unique"]


def test_its_links_are_read_and_written(world):
    source = files(world, "square.json")
    texts = {
        "puzzlink": "https://puzz.link/p?latin/4/4/1g4g4p2\n",
        "pzprv3": "pzprv3\nlatin\n4\n4\n1 . 4 . \n4 . . . \n. . . . \n. . . 2 \n",
        "tatham": "4:1a4a4j2\n",
    }
    for name, text in texts.items():
        assert run(world, "convert", *source, "--to", name) == (0, text, "")
        (world / "text").write_text(f"squares:{text}" if name == "tatham" else text)
        status, out, err = run(world, "convert", *files(world, "text"), "--to", "json")
        assert (status, err) == (0, "")
        assert json.loads(out)["grid"] == GRID
    status, out, _ = run(world, "solve", *source, "--seed", "1", "--url")
    assert status == 0
    assert out.splitlines()[-1] == "https://puzz.link/p?latin/4/4/1243432121343412"
    status, _, err = run(world, "show", "https://puzz.link/p?latin/4/4/1g4g")
    assert (status, err.count("\n")) == (2, 1)
    assert "latin: the board ends after 4 of 16 cells" in err


def test_a_wrong_answer_is_told_by_its_own_rules(world):
    status, out, err = run(world, "check", *files(world, "square.json", "wrong.txt"))
    assert (status, err) == (1, "")
    assert out.splitlines()[4] == "square: not valid"
    assert "  column: column[1] has 3 2 times" in out.splitlines()
    assert "!3" in out
    status, out, _ = run(world, "check", *files(world, "square.json", "wrong.txt"), "--json")
    assert status == 1
    assert {v["rule"] for v in json.loads(out)["violations"]} == {"column"}


def test_its_errors_are_one_line(world):
    status, out, err = run(world, "solve", *files(world, "bad.json"))
    assert (status, out) == (2, "")
    assert err.startswith("qubopuzzle: error: ")
    assert err.endswith("bad.json: grid: expected a square\n")


def test_solvers_are_compared_on_it_each_in_a_process_of_its_own(world):
    source = files(world, "square.json")
    how = ["--solvers", "annealer,sat", "--repeat", "2", "--json", str(world / "runs.jsonl")]
    status, out, err = run(world, "compare", *source, *how)
    assert (status, err) == (0, "")
    assert "2/2" in out
    assert "1/1" in out
    journal = [json.loads(line) for line in (world / "runs.jsonl").read_text().splitlines()]
    solved = [row["solver"] for row in journal if row.get("status") == "valid"]
    assert sorted(solved) == ["annealer", "annealer", "sat"]


def test_its_sizes_and_its_model_are_printed(world):
    source = files(world, "square.json")
    status, out, _ = run(world, "info", *source)
    assert status == 0
    assert "cells" in out
    assert run(world, "export", *source, str(world / "square.lp"))[0] == 0
    assert "x_cell_0_0_is_1" in (world / "square.lp").read_text()


def test_one_that_does_not_load_says_so_and_hides_no_other(world):
    status, _, err = run(world, "solve", *files(world, "lost.json"))
    assert status == 2
    assert "puzzle 'lost': their_latin:Gone does not load" in err
    assert run(world, "solve", *files(world, "square.json"))[0] == 0


def test_it_stands_in_the_list(world):
    status, out, err = run(world, "puzzles")
    assert (status, err) == (0, "")
    assert "cells (default)" in out
    assert "Fill a square with n digits, each once a row and column." in out
    assert "sudoku" in out
    assert "their_latin:Gone does not load" in out
