"""``qubopuzzle completion``."""

import argparse
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, Drawn, say

SHELLS = ("bash", "zsh", "tcsh")
_HOW = {
    "bash": 'eval "$(qubopuzzle completion bash)"',
    "zsh": "qubopuzzle completion zsh > ~/.zfunc/_qubopuzzle",
    "tcsh": "qubopuzzle completion tcsh > ~/.qubopuzzle.tcsh; source ~/.qubopuzzle.tcsh",
}


def add_arguments(parser: Parser) -> None:
    """The shell."""
    how = "; ".join(f"{shell}: {line}" for shell, line in _HOW.items())
    parser.add_argument("shell", choices=SHELLS, help=how.replace("%", "%%"))


def run(args: Namespace) -> int:
    """Print a script that completes commands, options, solvers, puzzles and files."""
    import shtab

    say(Drawn(shtab.complete(_whole_parser(), args.shell)))
    return SOLVED


def _whole_parser() -> argparse.ArgumentParser:
    """All commands in one parser, which nothing else needs."""
    from qubopuzzle.cli import COMMANDS, parser_of

    def made(prog: str, **_: object) -> Parser:
        parser = parser_of(prog.split()[-1])
        _add_values(parser)
        return parser

    whole = argparse.ArgumentParser("qubopuzzle")
    whole.add_argument("--version", action="store_true", help="print the version")
    commands = whole.add_subparsers(parser_class=made)  # type: ignore[call-overload]
    for name, about in COMMANDS.items():
        commands.add_parser(name, help=about)
    return whole


def _add_values(parser: Parser) -> None:
    """What can stand for options and arguments: names that there are, or files."""
    import shtab

    for action in parser.actions():
        what = str(action.metavar or "")
        names = _NAMES.get(what if action.dest == "name" else action.dest)
        if action.choices is None and names is not None:
            action.choices = [*names()]
        elif what in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif what == "FOLDER":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]


def _solvers() -> Iterable[str]:
    from qubopuzzle.solvers import all_solvers

    return sorted(all_solvers())


def _puzzles() -> Iterable[str]:
    from qubopuzzle.puzzles import puzzle_names

    return puzzle_names()


def _formats() -> Iterable[str]:
    from qubopuzzle.files.puzzles import all_formats

    return all_formats()


def _presolves() -> Iterable[str]:
    from qubopuzzle.solving.settings import PRESOLVES

    return PRESOLVES


def _sets() -> Iterable[str]:
    from qubopuzzle.files.sets import sets

    return sets()


_FILES = ("FILE", "SOURCE", "PUZZLE", "TRACE", "SAMPLE", "SOLUTION", "FILE.json")
_NAMES: Mapping[str, Callable[[], Iterable[str]]] = {
    "solver": _solvers,
    "SOLVER": _solvers,
    "confirm": _solvers,
    "puzzle": _puzzles,
    "PUZZLE": _puzzles,
    "format": _formats,
    "encoding": lambda: ("one-hot", "domain-wall"),
    "presolve": _presolves,
    "sets": _sets,
}
"""Names by the option, or by what stands for an argument ``name`` in the help."""
