"""``qubopuzzle formats``."""

from argparse import Namespace

from qubopuzzle.cli.terminal import SOLVED, print_table, say


def run(_: Namespace) -> int:
    """List the formats of puzzles, then those of models."""
    from qubopuzzle.files import models
    from qubopuzzle.files.puzzles import all_formats

    rows = [
        [name, ", ".join(known.puzzles) or "every puzzle", known.about]
        for name, known in all_formats().items()
    ]
    print_table(["format", "puzzles", "what it is"], rows)
    say("")
    suffixes = {r.name: (r.suffix, r.about) for r in models.READERS.values()}
    suffixes |= {w.name: (w.suffix, "") for w in models.FORMATS.values() if w.name not in suffixes}
    rows = [
        [
            name,
            suffix,
            "yes" if name in models.READERS else "no",
            models.FORMATS[name].target if name in models.FORMATS else "no",
            about,
        ]
        for name, (suffix, about) in suffixes.items()
    ]
    print_table(["model", "suffix", "read", "written as", "what is read"], rows)
    return SOLVED
