"""New puzzles with exactly one solution, proved: a board drawn and repaired, clues dropped."""

import re
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np

from qubopuzzle.base.checks import brief, check_names, whole
from qubopuzzle.base.executors import results
from qubopuzzle.compile.incremental import IncrementalSat, Random
from qubopuzzle.errors import InputError, SolverFailed
from qubopuzzle.puzzles import Puzzle, puzzle_name
from qubopuzzle.puzzles.generator import (
    Options,
    PuzzleGenerator,
    Shape,
    find_generator,
    read_options,
    solution_of,
)
from qubopuzzle.reasons.difficulty import CELL_LIMIT, LEVELS, Difficulty, measure, sweeps
from qubopuzzle.solving.solve import solve

PROOF = "sat"
DRAWN = 5
"""Puzzles that are made for one of a wanted difficulty."""
COUNT_LIMIT = 1_000_000
STEPS = 10_000
"""Boards that are tried for one puzzle before it is given up."""


class Wanted(TypedDict, total=False):
    """What ``generate`` is to make, as keywords."""

    size: Any
    seed: int | None
    count: int
    difficulty: str | None
    confirm: str | None
    options: Mapping[str, Any] | None


@dataclass(frozen=True)
class Order:
    """What to generate, checked; the arguments are those of ``generate``, and ``measured``.

    Then ``size`` is a pair, ``seed`` a number, and ``options`` has all that the generator takes.
    ``measured``: whether it is said how hard each puzzle is.
    """

    puzzle: str
    size: Any = None
    seed: Any = None
    count: int = 1
    difficulty: str | None = None
    confirm: str | None = None
    measured: bool = True
    options: Any = field(default_factory=dict)

    def __post_init__(self) -> None:
        name = puzzle_name(self.puzzle)
        generator = find_generator(name)
        options = read_options(generator, self.options or {})
        size = generator.usual if self.size is None else read_size(self.size)
        generator.check(size, options)
        if self.difficulty not in (None, *LEVELS):
            levels = ", ".join(LEVELS)
            raise InputError(f"difficulty {self.difficulty!r:.40}: choose from {levels}")
        if self.difficulty is not None and size[0] * size[1] > CELL_LIMIT:
            few = f"difficulty: measured of boards of up to {CELL_LIMIT} cells"
            raise InputError(f"{few}, and {size[0]} x {size[1]} has more")
        count = whole("count", self.count, 1, COUNT_LIMIT)
        drawn = np.random.SeedSequence().generate_state(1)[0] if self.seed is None else self.seed
        seed = whole("seed", drawn, 0, 2**63 - 1)
        vars(self).update(puzzle=name, size=size, options=options, count=count, seed=seed)


@dataclass(frozen=True, slots=True)
class Generated:
    """A puzzle with its solution, ``n_solutions`` 1 and an id, and how hard it is.

    ``difficulty`` is None for more than ``CELL_LIMIT`` cells, ``sweeps`` if the annealer does not
    solve it, and both if nobody asked. ``changed`` are the cells (row, column) in which it is not
    its image.
    """

    puzzle: Puzzle
    difficulty: Difficulty | None = None
    sweeps: int | None = None
    changed: tuple[tuple[int, int], ...] = ()


def read_size(size: Any) -> tuple[int, int]:
    """Rows and columns, given as a pair of whole numbers or a text.

    >>> read_size("10x12"), read_size((5, 5))
    ((10, 12), (5, 5))

    Raises:
        InputError: for anything else.
    """
    pair = size
    if isinstance(size, str):
        match = re.fullmatch(r"([0-9]{1,6})x([0-9]{1,6})", size)
        pair = [int(side) for side in match.groups()] if match else ()
    if not (isinstance(pair, Sequence) and len(pair) == 2):
        raise InputError(f"size: expected rows and columns, such as 10x12, got {brief(size)}")
    return whole("rows", pair[0], 1), whole("columns", pair[1], 1)


def generate(
    puzzle: str,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    **wanted: Unpack[Wanted],
) -> list[Puzzle]:
    """Puzzles with exactly one solution, which each of them has in ``solution``.

    >>> import qubopuzzle
    >>> (puzzle,) = qubopuzzle.generate("sudoku", size=(4, 4), seed=1)
    >>> puzzle.n_solutions
    1

    Args:
        puzzle: its name, such as ``kurodoko``.
        jobs: processes at work.
        executor: of ``concurrent.futures`` or Dask, where puzzles are made in their place.
        wanted: by name, any of what follows.
        size: rows and columns, such as ``(10, 12)`` or ``"10x12"``; the usual size without.
        seed: the same seed gives the same puzzles (with the same versions of this package,
            numpy and PySAT); one is drawn without.
        count: how many.
        difficulty: ``easy``, ``medium`` or ``hard``: of five puzzles the easiest, the one in the
            middle or the hardest, by how many clues and rules the hardest of ``qubopuzzle.steps``
            needs at once, then by those of all steps.
        confirm: a second exact solver, such as ``cpsat``, that must agree.
        options: options of the puzzle's generator, such as ``{"letters": 4}``.

    Raises:
        InputError: for a puzzle, size or option that cannot be generated.
        SolverFailed: if no such puzzle is found, or two solvers disagree.
    """
    check_names(wanted, Wanted.__annotations__)
    asked = Order(puzzle, measured=False, **wanted)
    return [made.puzzle for made in generate_each(asked, whole("jobs", jobs, 1), executor)]


def generate_each(
    asked: Order, jobs: int = 1, executor: Executor | None = None
) -> Generator[Generated, None, None]:
    """Puzzle after puzzle, in order, made by so many processes, or by an executor's.

    Each depends on the seed and its number alone.

    Raises:
        ExecutorFailed: if a puzzle is lost twice with the process that makes it.
    """
    one, numbers, jobs = partial(generate_one, asked), range(asked.count), min(jobs, asked.count)
    return results(one, numbers, "puzzle", jobs=jobs, executor=executor)


def generate_one(asked: Order, number: int) -> Generated:
    """Puzzle ``number`` of an order, from 0."""
    generator = find_generator(asked.puzzle)
    rng = np.random.default_rng([asked.seed, number])
    way, boards = None, [make(generator, asked.size, asked.options, rng)]
    if asked.difficulty is not None:
        boards += [make(generator, asked.size, asked.options, rng) for _ in range(DRAWN - 1)]
        ways = [measure(board) for board in boards]
        order = sorted(range(DRAWN), key=ways.__getitem__)
        chosen = order[LEVELS.index(asked.difficulty) * (DRAWN // 2)]
        way, boards = ways[chosen], [boards[chosen]]
    rows, columns = asked.size
    name = f"{asked.puzzle}-{rows}x{columns}-{asked.seed}-{number}"
    return _finished(boards[0], asked, name, way)


def make(generator: PuzzleGenerator[Any], shape: Shape, options: Options, rng: Random) -> Puzzle:
    """A puzzle with one solution, without a clue that could be left out.

    Raises:
        SolverFailed: if none of ``STEPS`` boards has one solution.
    """
    other: Any = None
    with closing(generator.boards(shape, options, rng)) as boards:
        for _ in range(STEPS):
            try:
                board = boards.send(other)
            except StopIteration:
                break
            with IncrementalSat(generator.switchable_model(board)) as others:
                differing = others.differs_from(solution_of(board))
                other, core = others.find(range(generator.clues(board)), differing)
                if other is None:
                    kept = minimal_clues(others, differing, core, rng)
                    made: Puzzle = generator.keep(board, sorted(kept))
                    return made
    raise SolverFailed(f"found no board of {shape[0]} x {shape[1]} with one solution")


def minimal_clues(
    others: IncrementalSat, differing: int, enough: set[int], rng: Random
) -> set[int]:
    """An irreducible subset of clues that are enough for one solution: deletion-based MUS.

    A clue is kept if without it there is a second solution. It was asked when more of the
    others stood there, and fewer clues have no fewer solutions. Of the clues of each proof
    (the core) only those are kept that it needs: mostly many are dropped at once.
    """
    kept = enough
    for clue in rng.permutation(sorted(enough)).tolist():
        if clue in kept:
            other, core = others.find(kept - {clue}, differing)
            kept = core if other is None else kept
    return kept


def from_image(
    asked: Order, file: str, *, keep_shape: bool = False, how: Mapping[str, Any] | None = None
) -> Generated:
    """The puzzle of an image, where the puzzle is a picture.

    Args:
        asked: one puzzle, of any difficulty.
        file: an image that Pillow reads.
        keep_shape: whether the rows and columns are those that the image suggests.
        how: ``threshold``, ``dither``, ``invert``, ``colours`` and ``most_changes``, see
            ``puzzles.nonogram.image.from_image``.

    Raises:
        InputError: for what is no image, or gives no such puzzle.
        SolverUnavailable: without Pillow.
    """
    generator = find_generator(asked.puzzle)
    rng = np.random.default_rng([asked.seed, 0])
    shape = None if keep_shape else asked.size
    board, changed = generator.from_image(file, shape, how or {}, rng)
    made = _finished(board, asked, Path(file).stem)
    return replace(made, changed=tuple(changed))


def _finished(
    board: Puzzle, asked: Order, name: str, difficulty: Difficulty | None = None
) -> Generated:
    """Proved, measured and named. Nothing that the generator believes counts: solve it anew."""
    for solver in filter(None, (PROOF, asked.confirm)):
        result = solve(board, solver, solutions=2, seed=0)
        answer: Any = result.grid
        if not (result.unique and np.array_equal(answer, solution_of(board))):
            raise SolverFailed(
                f"{board.name}: {solver} does not prove the generated puzzle unique: "
                f"{result.verdict}"
            )
    source = f"qubopuzzle {version('qubopuzzle')} generate, seed {asked.seed}"
    puzzle = replace(board, id=name, source=source, n_solutions=1)
    if not asked.measured:
        return Generated(puzzle)
    # Of puzzles whose statements do not say what stands in a cell there are no steps.
    has_steps = board.cells <= CELL_LIMIT and board.stated().literals is not None
    if difficulty is None and has_steps:
        difficulty = measure(board)
    return Generated(puzzle, difficulty, sweeps(board))
