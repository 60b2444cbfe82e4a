"""New puzzles with exactly one solution, proved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from qubopuzzle.checks import brief, whole
from qubopuzzle.errors import InputError, SolverFailed
from qubopuzzle.generation.difficulty import LEVELS, Difficulty, measure
from qubopuzzle.generation.engine import make
from qubopuzzle.processes import Worker
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.generator import (
    PuzzleGenerator,
    find_generator,
    read_options,
    solution_of,
)
from qubopuzzle.solving.solve import solve

PROOF = "sat"
TRIES = 200
"""Puzzles that are made for one of the wanted difficulty."""
COUNT_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Order:
    """What to generate; see ``generate``."""

    puzzle: str
    shape: tuple[int, int]
    options: Mapping[str, int]
    seed: int
    count: int = 1
    difficulty: str | None = None
    confirm: str | None = None
    anneal: bool = True


@dataclass(frozen=True, slots=True)
class Generated:
    """A puzzle with its solution, ``n_solutions`` 1 and an id, and how hard it is.

    ``changed`` are the cells (row, column) in which it is not its image.
    """

    puzzle: Puzzle
    difficulty: Difficulty
    changed: tuple[tuple[int, int], ...] = ()


def order(
    puzzle: str,
    *,
    size: tuple[int, int] | str | None = None,
    seed: int | None = None,
    count: int = 1,
    difficulty: str | None = None,
    confirm: str | None = None,
    anneal: bool = True,
    options: Mapping[str, Any] | None = None,
) -> Order:
    """Check what is asked for; arguments as for ``generate``."""
    generator = find_generator(puzzle)
    chosen = read_options(generator, options or {})
    shape = generator.usual if size is None else read_size(size)
    generator.check(shape, chosen)
    if difficulty not in (None, *LEVELS):
        raise InputError(f"difficulty {difficulty!r:.40}: choose from {', '.join(LEVELS)}")
    count = whole("count", count, 1, COUNT_LIMIT)
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    seed = whole("seed", seed, 0, 2**63 - 1)
    return Order(puzzle, shape, chosen, seed, count, difficulty, confirm, anneal)


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


def generate(puzzle: str, **asked: Any) -> list[Puzzle]:
    """Puzzles with exactly one solution, which each of them has in ``solution``.

    >>> import qubopuzzle
    >>> (puzzle,) = qubopuzzle.generate("sudoku", size=(4, 4), seed=1)
    >>> puzzle.n_solutions
    1

    Args:
        puzzle: its name, such as ``kurodoko``.
        size: rows and columns, such as ``(10, 12)`` or ``"10x12"``; the usual size without.
        seed: the same seed gives the same puzzles (with the same versions of this package,
            numpy and PySAT); one is drawn without.
        count: how many.
        difficulty: ``easy``, ``medium`` or ``hard``; others are thrown away.
        confirm: a second exact solver, such as ``cpsat``, that must agree.
        anneal: whether difficulties tell the annealer's sweeps.
        options: options of the puzzle's generator, such as ``{"letters": 4}``.

    Raises:
        InputError: for a puzzle, size or option that cannot be generated.
        SolverFailed: if no such puzzle is found, or two solvers disagree.
    """
    return [made.puzzle for made in generate_each(order(puzzle, anneal=False, **asked))]


def generate_each(asked: Order, jobs: int = 1) -> Iterator[Generated]:
    """Puzzle after puzzle, in order; each depends on the seed and its number alone.

    Args:
        asked: what ``order`` returns.
        jobs: processes at work.
    """
    if jobs <= 1 or asked.count == 1:
        yield from (generate_one(asked, number) for number in range(asked.count))
        return
    idle: SimpleQueue[Worker] = SimpleQueue()

    def in_a_process(number: int) -> Generated:
        worker = idle.get()
        try:
            return worker.call(generate_one, asked, number)
        finally:
            idle.put(worker)

    jobs = min(jobs, asked.count)
    with ThreadPoolExecutor(jobs) as pool, ExitStack() as workers:
        for _ in range(jobs):
            idle.put(workers.enter_context(Worker()))
        workers.callback(pool.shutdown, wait=False, cancel_futures=True)
        numbers = iter(range(asked.count))
        waiting = [pool.submit(in_a_process, n) for n in islice(numbers, 2 * jobs)]
        while waiting:
            made = waiting.pop(0).result()
            waiting += [pool.submit(in_a_process, n) for n in islice(numbers, 1)]
            yield made


def generate_one(asked: Order, number: int) -> Generated:
    """Puzzle ``number`` of an order, from 0."""
    generator = find_generator(asked.puzzle)
    rng = np.random.default_rng([asked.seed, number])
    for _ in range(TRIES):
        board = make(generator, asked.shape, asked.options, rng)
        if asked.difficulty in (None, measure(generator, board, anneal=False).level):
            break
    else:
        raise SolverFailed(f"{asked.puzzle}: none of {TRIES} puzzles was {asked.difficulty}")
    rows, columns = asked.shape
    name = f"{asked.puzzle}-{rows}x{columns}-{asked.seed}-{number}"
    return _finished(generator, board, asked, name)


def from_image(
    asked: Order, file: str, *, keep_shape: bool = False, how: Mapping[str, Any] | None = None
) -> Generated:
    """The puzzle of an image, where the puzzle is a picture.

    Args:
        asked: what ``order`` returns; one puzzle, of any difficulty.
        file: an image that Pillow reads.
        keep_shape: whether the rows and columns are those that the image suggests.
        how: ``threshold``, ``dither``, ``invert`` and ``most_changes``, see
            ``puzzles.nonogram.image.from_image``.

    Raises:
        InputError: for what is no image, or gives no such puzzle.
        SolverUnavailable: without Pillow.
    """
    generator = find_generator(asked.puzzle)
    rng = np.random.default_rng([asked.seed, 0])
    shape = None if keep_shape else asked.shape
    board, changed = generator.from_image(file, shape, how or {}, rng)
    made = _finished(generator, board, asked, Path(file).stem)
    return replace(made, changed=tuple(changed))


def _finished(generator: PuzzleGenerator[Any], board: Puzzle, asked: Order, name: str) -> Generated:
    """Proved, measured and named."""
    for solver in filter(None, (PROOF, asked.confirm)):
        _prove(board, solver)
    found = measure(generator, board, anneal=asked.anneal)
    source = f"qubopuzzle {version('qubopuzzle')} generate, seed {asked.seed}"
    return Generated(replace(board, id=name, source=source, n_solutions=1), found)


def _prove(board: Puzzle, solver: str) -> None:
    """Nothing that the generator believes counts: solve it anew."""
    result = solve(board, solver, solutions=2, seed=0)
    same = result.answer is not None and (result.answer == solution_of(board)).all()
    if not (result.unique and same):
        raise SolverFailed(
            f"{board.name}: {solver} does not prove the generated puzzle unique: {result.verdict}"
        )
