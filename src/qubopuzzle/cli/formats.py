"""``qubopuzzle formats``."""

from argparse import Namespace

from qubopuzzle.cli.terminal import SOLVED, print_table


def run(_: Namespace) -> int:
    """List the formats of puzzles."""
    from qubopuzzle.files.puzzles import all_formats

    rows = [
        [name, ", ".join(known.PUZZLES) or "every puzzle", known.ABOUT]
        for name, known in all_formats().items()
    ]
    print_table(["format", "puzzles", "what it is"], rows)
    return SOLVED
