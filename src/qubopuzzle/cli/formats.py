"""``qubopuzzle formats``."""

from argparse import Namespace

from qubopuzzle.cli.terminal import SOLVED, print_table, say


def run(_: Namespace) -> int:
    """List the formats of puzzles, then those of models."""
    from qubopuzzle.files.models import FORMATS
    from qubopuzzle.files.puzzles import all_formats

    rows = [
        [name, ", ".join(known.puzzles) or "every puzzle", known.about]
        for name, known in all_formats().items()
    ]
    print_table(["format", "puzzles", "what it is"], rows)
    say("")
    rows = [
        [each.name, each.suffix, "yes" if each.about else "no", each.target or "no", each.about]
        for each in FORMATS.values()
    ]
    print_table(["model", "suffix", "read", "written as", "what is read"], rows)
    return SOLVED
