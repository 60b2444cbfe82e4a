"""What samples are worth: decoded by field reconstruction, judged by the rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import Compiled
from qubopuzzle.model import IntArray, Model
from qubopuzzle.puzzles import Puzzle, Violation
from qubopuzzle.solvers import Outcome
from qubopuzzle.solving.exchange import read_field


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """An answer, the rules that it breaks, and the energy of its sample."""

    answer: IntArray
    violations: tuple[Violation, ...]
    energy: float


def judge_sample(
    puzzle: Puzzle, model: Model, compiled: Compiled, sample: NDArray[np.int8]
) -> tuple[IntArray, tuple[Violation, ...]]:
    """Decode one sample by field reconstruction and ask the rules."""
    answer, broken = read_field(model, compiled.decode(sample))
    return answer, (*broken, *puzzle.violations(answer))


def accepts(puzzle: Puzzle, model: Model, compiled: Compiled, sample: NDArray[np.int8]) -> bool:
    """Whether a sample decodes to an answer that the rules accept."""
    return not judge_sample(puzzle, model, compiled, sample)[1]


def judge_outcome(
    puzzle: Puzzle, model: Model, compiled: Compiled, outcome: Outcome, solutions: int
) -> tuple[list[Judged], bool]:
    """Different answers that the rules accept, in order of energy; else the first of all.

    And whether the rules rejected a sample on the way.
    """
    first: list[Judged] = []
    valid: dict[bytes, Judged] = {}
    rejected = False
    for sample, energy in zip(outcome.samples, outcome.energies.tolist(), strict=True):
        judged = Judged(*judge_sample(puzzle, model, compiled, sample), energy)
        if not judged.violations:
            valid.setdefault(key_of(judged.answer), judged)
            if len(valid) == solutions:
                break
        rejected |= bool(judged.violations)
        first = first or [judged]
    return list(valid.values()) or first, rejected


def key_of(answer: IntArray) -> bytes:
    """The same for the same grid, in few bytes."""
    small = abs(answer).max(initial=0) < 2**7
    return answer.astype(np.int8 if small else np.int64).tobytes()
