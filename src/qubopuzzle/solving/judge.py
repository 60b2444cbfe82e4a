"""Judge an answer that somebody gives."""

from typing import Any

from qubopuzzle.answer import Answer
from qubopuzzle.solving.loading import Source, problem_of


def judge(source: Source, answer: Any) -> Answer:
    """Judge an answer that somebody gives.

    Args:
        source: a puzzle, a model, or a file of one.
        answer: a grid, shape (rows, columns); the puzzle's native JSON form; for a model values
            by the choices' names; or a ``Result`` or ``Answer``.

    Raises:
        InputError: for what is no answer to this problem.
    """
    problem = problem_of(source)
    best = getattr(answer, "best", answer)  # of a Result
    given = best.solution if isinstance(best, Answer) else best
    grid, violations = problem.check(given)
    x = problem.assignment(given)
    return Answer(problem, grid, tuple(violations), None, None if x is None else problem.model(), x)
