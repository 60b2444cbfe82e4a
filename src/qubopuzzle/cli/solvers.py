"""``qubopuzzle solvers``."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, print_table, say

if TYPE_CHECKING:
    from qubopuzzle.solvers.base import Solver


def add_arguments(parser: Parser) -> None:
    """One solver, or all."""
    parser.add_argument("name", nargs="?", metavar="SOLVER", help="show one, with its options")


def run(args: Namespace) -> int:
    """List the solvers, or show one in full."""
    from qubopuzzle.solvers import ADDRESSED, all_solvers

    if args.name is not None:
        return _show(args.name)
    rows = [
        [name, _kind(solver.exact), _state(solver), solver.about]
        for name, solver in sorted(all_solvers().items())
    ]
    rows += [[f"{kind}:module:Class", "heuristic", "", what] for kind, what in ADDRESSED.items()]
    print_table(["solver", "kind", "available", "what it is"], rows)
    say("", "`qubopuzzle solvers SOLVER` shows one with its options.")
    return SOLVED


def _show(name: str) -> int:
    from qubopuzzle.solvers import get_solver

    solver = get_solver(name)
    presolve, encoding = solver.default_presolve, solver.default_encoding or "none"
    rows = [
        ["kind", _kind(solver.exact)],
        ["available", _state(solver)],
        ["what it is", solver.about],
        ["takes", f"{solver.target}{', on another machine' if solver.remote else ''}"],
        [
            "by default",
            f"--encoding {encoding} --presolve {presolve}, {solver.default_reads} reads",
        ],
    ]
    print_table(["solver", solver.name], rows)
    options = []
    for option in solver.options:
        default = "" if option.default is None else str(option.default)
        options.append([option.name, option.type.__name__, default, option.help])
        options += [
            [f"  ={value}", "", "", str(meaning)] for value, meaning in option.choices.items()
        ]
    say("")
    if options:
        print_table(["--option NAME=VALUE", "type", "default", "what it is"], options)
    else:
        say("It has no options.")
    return SOLVED


def _kind(exact: bool) -> str:
    return "exact" if exact else "heuristic"


def _state(solver: Solver) -> str:
    """Whether it can run here: its version, or why not."""
    here = solver.available()
    return here.version or "yes" if here.ok else f"no: {here.why}"
