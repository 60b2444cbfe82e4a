"""How hard a puzzle is, in three measures that no clock enters."""

from dataclasses import dataclass
from typing import Any

from qubopuzzle.compile.incremental import IncrementalSat, SwitchableModel
from qubopuzzle.model import IntArray, propagate
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.generator import PuzzleGenerator, solution_of

LEVELS = ("easy", "medium", "hard")
READS = 7
"""Reads of the annealer, 9,000 sweeps together; more is "not solved"."""
_SWEEPS = 1_000
_PLAIN = "minisat22"
"""A solver that does nothing before and between its searches: each wrong turn is a conflict."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """What a puzzle takes.

    Attributes:
        propagated: cells that propagation alone decides (``qubopuzzle.model.propagate``) ...
        cells: ... of these.
        conflicts: of the SAT solver MiniSat, in proving that there is no second solution.
        sweeps: of the annealer until it has the solution; None if ``READS`` were too few, or
            if it was not asked.
        level: ``easy``, ``medium`` or ``hard``: conflicts up to the first of the generator's
            bounds, up to the second, or more; in proportion to the cells.
    """

    propagated: int
    cells: int
    conflicts: int
    sweeps: int | None
    level: str


def measure(generator: PuzzleGenerator[Any], puzzle: Puzzle, *, anneal: bool) -> Difficulty:
    """Measure a puzzle that has its solution."""
    model = puzzle.model(puzzle.formulation_for(cuts=True))
    propagation = propagate(model)
    with IncrementalSat(SwitchableModel(model), _PLAIN) as others:
        others.find((), others.differs_from(solution_of(puzzle)))
        conflicts = others.conflicts()
    share = puzzle.cells / (generator.usual[0] * generator.usual[1])
    level = LEVELS[sum(conflicts > bound * share for bound in generator.conflicts)]
    sweeps = _sweeps(puzzle) if anneal else None
    return Difficulty(propagation.cells_decided, propagation.cells, conflicts, sweeps, level)


def _sweeps(puzzle: Puzzle) -> int | None:
    """Sweeps of all reads up to the one that has the solution."""
    from qubopuzzle.annealing import anneal, annealing_form
    from qubopuzzle.annealing.search import luby

    model = puzzle.model(puzzle.formulation_for(cuts=False))
    field = model.field
    if not model.choices:
        return 0

    def solved(x: IntArray) -> bool:
        return field is not None and not puzzle.violations(field.read(x)[0])

    form = annealing_form(model)
    result = anneal(
        form, seed=0, reads=READS, sweeps=_SWEEPS, only_accepted=bool(model.omitted), accepts=solved
    )
    last = min(result.reads, key=lambda read: read.energy)
    if not solved(form.literals(last.value)):
        return None
    return last.sweeps + sum(_SWEEPS * luby(i) for i in range(1, last.number + 1))
