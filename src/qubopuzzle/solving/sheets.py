"""Puzzles on pages to print, with their solutions on the last ones."""

from collections.abc import Sequence

from qubopuzzle.errors import DeadlineExceeded, Unsatisfiable, printable
from qubopuzzle.files.puzzles import player_address
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.solving.solve import solve


def sheet_of(
    puzzles: Sequence[Puzzle],
    *,
    title: str = "",
    across: int = 0,
    paper: str = "a4",
    with_solutions: bool = True,
    time_limit: float = 10.0,
) -> bytes:
    """The pages as PDF.

    Args:
        puzzles: in their order.
        title: what stands above them.
        across: how many stand beside each other; 0 for as many as one can write into.
        paper: ``a4`` or ``letter``.
        with_solutions: whether the last pages have them.
        time_limit: seconds that solver ``sat`` may take for one that has no solution with it.

    Raises:
        Unsatisfiable: for a puzzle without a solution.
        DeadlineExceeded: for one that was not solved in time.
    """
    from qubopuzzle.picture.sheet import Part, sheet

    numbered = [*enumerate(puzzles, start=1)]
    boards = [(f"{number}  {_title(puzzle)}", puzzle.picture()) for number, puzzle in numbered]
    parts = [Part(title, boards, [*map(player_address, puzzles)], across)]
    if with_solutions:
        solved = [
            (str(number), puzzle.picture(_solution(puzzle, number, time_limit)))
            for number, puzzle in numbered
        ]
        parts.append(Part("Solutions", solved, is_read=True))
    return sheet(parts, paper)


def _title(puzzle: Puzzle) -> str:
    """Kind, size and id, which may say as much."""
    size = "{}x{}".format(*puzzle.shape)
    parts = [part for part in (puzzle.name, size) if part not in puzzle.id]
    return " ".join(filter(None, [*parts, puzzle.id]))


def _solution(puzzle: Puzzle, number: int, seconds: float) -> IntArray:
    """The one that comes with it, or what the solver ``sat`` finds."""
    if puzzle.solution is not None:
        return puzzle.solution
    result = solve(puzzle, "sat", time_limit=seconds)
    if result.valid and result.grid is not None:
        return result.grid
    name = printable(puzzle.id) or f"instance {number}"
    rest = "a sheet without solutions (--no-solutions) can have it"
    if result.status == "infeasible":
        raise Unsatisfiable(f"{name} has no solution; {rest}")
    raise DeadlineExceeded(f"{name} was not solved in {seconds:g} s; {rest}")
