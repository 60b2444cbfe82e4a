"""``qubopuzzle puzzles``."""

from argparse import Namespace
from inspect import cleandoc

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, print_table, say, text
from qubopuzzle.errors import InputError


def add_arguments(parser: Parser) -> None:
    """One puzzle, or all."""
    parser.add_argument("name", nargs="?", metavar="PUZZLE", help="show one, with its formulations")


def run(args: Namespace) -> int:
    """List the puzzles, or show one in full."""
    from qubopuzzle.puzzles import get_puzzle, puzzle_names

    if args.name is not None:
        return _show(args.name)
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
    say("", "`qubopuzzle puzzles PUZZLE` shows one in full.")
    return SOLVED


def _show(name: str) -> int:
    from qubopuzzle.files.puzzles import formats_for
    from qubopuzzle.puzzles import get_puzzle

    puzzle = get_puzzle(name)
    about = cleandoc(puzzle.__doc__ or "").partition(">>>")[0].replace("``", "`").strip()
    say(*f"{puzzle.name}: {about}".splitlines(), "")
    whom = {puzzle.default_formulation: " (default)", puzzle.lazy_formulation: " (with cuts)"}
    formulations = [f"{name}{whom.get(name, '')}" for name in puzzle.formulations]
    is_ours = puzzle.__module__.startswith("qubopuzzle.")
    where = "; docs/formulations.md describes them" if is_ours else ""
    say(f"formulations: {', '.join(formulations)}{where}")
    say(f"formats: {', '.join(formats_for(puzzle.name))}")
    for example in puzzle.examples()[:1]:
        say("", "one of its examples:", text(example.picture()))
    return SOLVED
