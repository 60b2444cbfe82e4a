"""How hard a puzzle is: by the way to its solution, and to the annealer. No clock enters."""

from dataclasses import dataclass

from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.reasons.hints import steps

LEVELS = ("easy", "medium", "hard")
CELL_LIMIT = 625
"""Most cells of a board whose steps are looked for."""
READS = 7
"""Reads of the annealer, 9,000 sweeps together; more is "not solved"."""
_SWEEPS = 1_000


@dataclass(frozen=True, order=True, slots=True)
class Difficulty:
    """The way to the solution of a puzzle, see ``qubopuzzle.steps``; the lesser one is easier.

    Attributes:
        hardest: clues and rules that the hardest step needs at once.
        reasons: those that the steps need, all added up.
        steps: how many there are.
    """

    hardest: int
    reasons: int
    steps: int


def measure(puzzle: Puzzle) -> Difficulty:
    """The difficulty of a puzzle that has one solution.

    >>> from qubopuzzle import Nonogram
    >>> measure(Nonogram(rows="1;2", cols="1;2"))
    Difficulty(hardest=1, reasons=3, steps=3)
    """
    widths = [step.width for step in steps(puzzle)]
    return Difficulty(max(widths, default=0), sum(widths), len(widths))


def sweeps(puzzle: Puzzle) -> int | None:
    """Sweeps of the annealer until it has the solution; None if ``READS`` were too few."""
    from qubopuzzle.annealing import anneal, annealing_form
    from qubopuzzle.annealing.portfolio import luby

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
