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
_BOUNDS = (2, 4)
"""Most clues and rules that a step of an easy and of a medium puzzle needs at once."""
_SWEEPS = 1_000


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The way to the solution of a puzzle, see ``qubopuzzle.steps``.

    Attributes:
        steps: how many there are.
        reasons: clues and rules that they need, all added up.
        hardest: clues and rules that the hardest step needs at once.
    """

    steps: int
    reasons: int
    hardest: int

    @property
    def level(self) -> str:
        """``easy``, ``medium`` or ``hard``, by the hardest step.

        >>> [Difficulty(10, 20, hardest).level for hardest in (2, 3, 4, 5)]
        ['easy', 'medium', 'medium', 'hard']
        """
        return LEVELS[sum(self.hardest > bound for bound in _BOUNDS)]


def measure(puzzle: Puzzle, level: str = LEVELS[-1]) -> Difficulty | None:
    """The difficulty of a puzzle that has one solution; None if it is beyond ``level``.

    >>> from qubopuzzle import Nonogram
    >>> measure(Nonogram(rows="1;2", cols="1;2"))
    Difficulty(steps=3, reasons=3, hardest=1)
    """
    most = dict(zip(LEVELS, _BOUNDS, strict=False)).get(level)
    count = reasons = hardest = 0
    for step in steps(puzzle):
        count, reasons = count + 1, reasons + step.width
        hardest = max(hardest, step.width)
        if most is not None and hardest > most:
            return None
    return Difficulty(count, reasons, hardest)


def sweeps(puzzle: Puzzle) -> int | None:
    """Sweeps of the annealer until it has the solution; None if ``READS`` were too few."""
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
