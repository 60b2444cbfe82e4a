"""Generation: one solution, no clue too many, the same for the same seed."""

import json
import os
import re
import signal
import subprocess
import sys
from itertools import permutations, product

import numpy as np
import pytest

import qubopuzzle
from boards import IN_ONE_FILE
from qubopuzzle import InputError, load, solve
from qubopuzzle.cli import main
from qubopuzzle.compile.incremental import IncrementalSat, SwitchableModel, random_answer
from qubopuzzle.model import propagate
from qubopuzzle.puzzles import puzzle_names
from qubopuzzle.puzzles.generator import find_generator, read_options
from qubopuzzle.puzzles.generators.easyasabc import _borders, _cells, _exclude
from qubopuzzle.reasons import generate as generating
from qubopuzzle.reasons.difficulty import measure
from qubopuzzle.reasons.generate import make

SMALL = {
    kind.name: sorted(example.shape for example in kind.examples())[1]
    for kind in IN_ONE_FILE
    if kind.generator
} | {
    "easyasabc": (4, 4),
    "heyawake": (5, 6),
    "hitori": (5, 5),
    "kurodoko": (5, 6),
    "nonogram": (8, 7),
    "numberlink": (5, 5),
    "sudoku": (6, 6),
}
NAMES = sorted(SMALL)


def made(name, seed, number=0):
    generator = find_generator(name)
    options = read_options(generator, {})
    return make(generator, SMALL[name], options, np.random.default_rng([seed, number]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_there_is_one_solution_and_it_is_the_puzzles_own(name, seed):
    puzzle = made(name, seed)
    assert puzzle.shape == SMALL[name]
    assert puzzle.violations(puzzle.solution) == []
    result = solve(puzzle, "sat", solutions=2)
    assert result.unique
    assert (result.grid == puzzle.solution).all()


@pytest.mark.parametrize("name", ["easyasabc", "heyawake", "kurodoko", "sudoku"])
@pytest.mark.parametrize("seed", range(3))
def test_every_clue_is_needed(name, seed):
    puzzle = made(name, seed)
    without = list(less(puzzle))
    assert without
    for fewer in without:
        assert len(solve(fewer, "sat", solutions=2).solutions) == 2


def less(puzzle):
    """The puzzle without one of its clues, for each."""
    data = {k: v for k, v in puzzle.to_dict().items() if k not in ("solution", "n_solutions")}
    lists = ("clues",) if puzzle.name == "heyawake" else ("top", "bottom", "left", "right")
    for key in lists if puzzle.name in ("heyawake", "easyasabc") else ():
        for i, clue in enumerate(data[key]):
            if clue or (key == "clues" and clue is not None):
                fewer = [*data[key][:i], None, *data[key][i + 1 :]]
                yield type(puzzle).from_dict({**data, key: fewer})
    if puzzle.name in ("sudoku", "kurodoko"):
        for r, row in enumerate(data["grid"]):
            for c, number in enumerate(row):
                if number:
                    grid = [list(line) for line in data["grid"]]
                    grid[r][c] = None
                    yield type(puzzle).from_dict({**data, "grid": grid})


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_puzzle(name):
    board = made(name, 5)
    assert made(name, 5) == board
    assert any(made(name, 5, number) != board for number in range(1, 4))


@pytest.mark.parametrize("name", NAMES)
def test_each_board_is_none_that_the_other_solves(name):
    generator = find_generator(name)
    options = read_options(generator, {})
    boards = generator.boards(SMALL[name], options, np.random.default_rng(3))
    board = next(boards)
    for _ in range(5):
        result = solve(board, "sat", solutions=2)
        others = [a for a in result.solutions if (a != board.solution).any()]
        if not others:
            break
        board = boards.send(others[0])
        assert board.violations(others[0])
        assert board.violations(board.solution) == []


# --- the solver that stays ---------------------------------------------------------------


def test_a_random_answer_meets_the_rules_and_takes_what_it_can():
    puzzle = qubopuzzle.Sudoku(grid=np.zeros((4, 4), dtype=int))
    model = puzzle.model("candidates")
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first = int(rng.integers(4))
        answer = random_answer(model, [np.array([first])], rng)
        assert puzzle.violations(answer) == []
        assert answer[0, 0] == first + 1
        seen.add(random_answer(model, [np.arange(64)], rng).tobytes())
    assert len(seen) > 10


def test_the_nearest_other_answer_differs_where_it_must():
    generator = find_generator("sudoku")
    board = next(generator.boards((4, 4), {}, np.random.default_rng(1)))
    with IncrementalSat(generator.switchable_model(board)) as others:
        other = others.nearest([], board.solution, np.random.default_rng(2))
        differ = (other != board.solution).ravel()
        assert board.violations(other) != []  # of givens
        # Some cell more as in the solution leaves the solution only.
        for cell in np.flatnonzero(differ):
            kept = [*np.flatnonzero(~differ).tolist(), int(cell)]
            assert others.find(kept, others.differs_from(board.solution))[0] is None


@pytest.mark.parametrize(("size", "letters"), [(3, 2), (3, 3), (4, 2)])
def test_changes_that_no_clue_tells_are_excluded_and_nothing_else(size, letters):
    """Against all grids, and the definition: the change is made, and the borders stay."""
    cells = _cells(size, letters)
    model = cells.build()
    grids = all_grids(size, letters)
    rng = np.random.default_rng(size)
    pairs = [
        (a, b)
        for a, b in ((grids[i], grids[j]) for i, j in rng.integers(len(grids), size=(4000, 2)))
        if _borders(a) == _borders(b) and (a != b).any()
    ]
    for one, other in pairs[:6]:
        with IncrementalSat(SwitchableModel(model)) as solver:
            _exclude(solver, cells.literals, one.ravel(), other.ravel())
            found = set()
            while (x := solver.solve(())) is not None:
                answer = solver.answer(x)
                found.add(answer.tobytes())
                known = solver.assumptions(solver.literals_of(answer))
                solver.add([-literal for literal in known])
        expected = {g.tobytes() for g in grids if not unnoticed(g, one, other, letters)}
        assert found == expected
        assert len(found) < len(grids)


def all_grids(size, letters):
    values = [0] * (size - letters) + list(range(1, letters + 1))
    lines = sorted(set(permutations(values)))
    grids = (np.array(rows, dtype=np.int64) for rows in product(lines, repeat=size))
    return [g for g in grids if all(sorted(column) == sorted(values) for column in g.T.tolist())]


def unnoticed(grid, one, other, letters):
    """Whether the change, under some names of its letters, can be made and no border tells."""
    changed = one != other
    for names in permutations(range(1, letters + 1)):
        renamed = np.array([0, *names])
        for before, after in ((one, other), (other, one)):
            if (grid == renamed[before])[changed].all():
                new = np.where(changed, renamed[after], grid)
                if _borders(new) == _borders(grid):
                    return True
    return False


# --- generate ----------------------------------------------------------------------------


def test_generate_tells_all_there_is_to_know():
    puzzles = qubopuzzle.generate("kurodoko", size=(5, 5), seed=9, count=2, confirm="cpsat")
    assert [p.id for p in puzzles] == ["kurodoko-5x5-9-0", "kurodoko-5x5-9-1"]
    assert {p.n_solutions for p in puzzles} == {1}
    assert all("seed 9" in p.source for p in puzzles)
    again = qubopuzzle.generate("kurodoko", size=(5, 5), seed=9, count=2)
    assert [p.to_dict() for p in again] == [p.to_dict() for p in puzzles]


def test_jobs_change_nothing():
    asked = generating.Order("sudoku", size=(4, 4), seed=2, count=5)
    one = list(generating.generate_each(asked))
    assert list(generating.generate_each(asked, jobs=2)) == one
    assert len({each.puzzle for each in one}) == 5


@pytest.mark.parametrize(
    ("count", "cores", "jobs"), [(1, 64, 1), (9, 64, 1), (10, 64, 2), (20, 2, 2), (10**6, 64, 8)]
)
def test_many_puzzles_have_processes_of_their_own(monkeypatch, tmp_path, count, cores, jobs):
    asked = []

    def generate_each(order, jobs, executor):
        asked.append((order.count, jobs))
        yield from ()

    monkeypatch.setattr(generating, "generate_each", generate_each)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(cores), raising=False)
    main(["generate", "sudoku", "--count", str(count), "-o", str(tmp_path / "made.json")])
    assert asked == [(count, jobs)]


def test_measures_of_a_puzzle_that_propagation_solves():
    asked = generating.Order("sudoku", size=(4, 4), seed=1)
    (made,) = generating.generate_each(asked)
    model = made.puzzle.model(made.puzzle.formulation_for(cuts=True))
    assert propagate(model).cells_decided == 16
    open_cells = int((np.array(made.puzzle.grid) == 0).sum())
    assert 1 <= made.difficulty.steps <= open_cells
    assert made.difficulty == measure(made.puzzle)
    assert made.sweeps is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "unknown puzzle 'chess'; this package knows akari, "),
        (["sudoku", "--size", "9"], "size: expected rows and columns, such as 10x12, got '9'"),
        (["sudoku", "--size", "0x0"], "rows: expected a whole number of at least 1, got 0"),
        (["sudoku", "--size", "9x8"], "a sudoku has as many rows as columns"),
        (["sudoku", "--size", "7x7"], "7 rows have no boxes but whole lines"),
        (["sudoku", "--size", "6x6", "--option", "box_rows=4"], "boxes of 4 rows do not fit"),
        (["sudoku", "--option", "colour=3"], "unknown option 'colour'; there are: box_rows"),
        (
            ["sudoku", "--option", "box_rows=x"],
            "option box_rows: expected a whole number from 1 to 25",
        ),
        (["sudoku", "--count", "0"], "count: expected a whole number from 1 to 1,000,000, got 0"),
        (["sudoku", "--jobs", "0"], "jobs: expected a whole number of at least 1"),
        (
            ["sudoku", "--seed", "-1"],
            "seed: expected a whole number from 0 to 9,223,372,036,854,77",
        ),
        (["sudoku", "--difficulty", "evil"], "difficulty 'evil': choose from easy, medium, hard"),
        (["sudoku", "--to", "nin"], "format nin holds no sudoku; these do: "),
        (["sudoku", "-o", "no/such/folder/x.json"], "no/such/folder"),
        (["easyasabc", "--size", "3x3", "--option", "letters=4"], "4 letters do not fit a line"),
        (["easyasabc", "--size", "2x2", "--option", "letters=1"], "found no board of 2 x 2"),
        (["heyawake", "--size", "100x100"], "100 x 100: more than 2,500 cells"),
    ],
)
def test_what_cannot_be_made_is_one_clear_line(arguments, message, capsys):
    assert main(["generate", *arguments]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert message in found.err
    assert found.err.count("\n") == 1


def test_the_command_writes_any_format(tmp_path, capsys):
    assert main(["generate", "kurodoko", "--size", "5x5", "--seed", "4", "--to", "puzzlink"]) == 0
    found = capsys.readouterr()
    (puzzle,) = load(found.out)
    assert solve(puzzle, "sat", solutions=2).unique
    assert found.err.startswith("kurodoko-5x5-4-0: ")
    assert re.fullmatch(
        r"kurodoko-5x5-4-0: \d+ steps by (one clue or rule each"
        r"|up to \d+ clues and rules at once), [\d,]+ sweeps\n",
        found.err,
    )
    pattern = str(tmp_path / "{id}.json")
    assert main(["generate", "sudoku", "--size", "4x4", "--seed", "4", "--count", "2",
                 "-o", pattern]) == 0  # fmt: skip
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "sudoku-4x4-4-0.json",
        "sudoku-4x4-4-1.json",
    ]
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_keeps_what_is_finished(tmp_path):
    file = tmp_path / "made.jsonl"
    arguments = ["sudoku", "--size", "4x4", "--seed", "1", "--count", "100000", "-o", str(file)]
    with subprocess.Popen(
        [sys.executable, "-m", "qubopuzzle", "generate", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        for _ in range(3):
            assert "sudoku-4x4-1-" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert "interrupted" in rest
    puzzles = load(file)
    assert len(puzzles) >= 3
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == [
        f"sudoku-4x4-1-{i}" for i in range(len(puzzles))
    ]


@pytest.mark.parametrize(
    "size", ["5", "5x", "x", "5x5x5", 5, (5,), (5, 5, 5), (5.0, 5), ("5", "5"), (True, 5), (0, 5)]
)
def test_a_size_is_two_whole_numbers(size):
    with pytest.raises(InputError, match="expected "):
        generating.generate("nonogram", size=size)


def test_a_size_is_a_pair_or_a_text():
    (one,), (two,) = (
        generating.generate("nonogram", size=s, seed=1) for s in ("5x6", (5, np.int64(6)))
    )
    assert one == two
    assert one.shape == (5, 6)


def test_which_puzzles_can_be_generated():
    assert set(NAMES) <= set(puzzle_names())
    assert set(NAMES) <= set(SMALL)
    with pytest.raises(InputError, match="unknown puzzle 'chess'; this package knows akari"):
        find_generator("chess")
