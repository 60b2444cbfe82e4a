"""``qubopuzzle puzzles``."""

from argparse import Namespace

from qubopuzzle.cli.terminal import SOLVED, print_table
from qubopuzzle.errors import InputError


def run(_: Namespace) -> int:
    """List the puzzles and their formulations."""
    from qubopuzzle.puzzles import get_puzzle, puzzle_names

    rows = []
    for name in puzzle_names():
        try:
            puzzle = get_puzzle(name)
        except InputError as error:  # of another package: the others are there all the same
            rows.append([name, "", str(error)])
            continue
        about = (puzzle.__doc__ or "").strip().splitlines()[0]
        default = puzzle.default_formulation
        others = [f for f in puzzle.formulations if f != default]
        rows.append([name, ", ".join([f"{default} (default)", *others]), about])
    print_table(["puzzle", "formulations", "what it is"], rows)
    return SOLVED
