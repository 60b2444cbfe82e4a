"""The arguments of ``solve`` and ``compare``."""

from __future__ import annotations

import argparse
from typing import Any

from qubopuzzle.arguments.shared import add_command, assignment, plot_option

_COMPARE_STATUS = """exit status:
  0  every run is done, whatever it came to
  1  broken off; with --json FILE, --resume goes on
  2  wrong usage, bad input, or no solver that can run here
  4  two solvers contradict each other, or an error of this program"""


def add_solve(commands: Any) -> None:
    """Solve and judge."""
    solve = add_command(commands, "solve", "solve puzzles and judge the answers", many="+")
    solve.add_argument(
        "--solver",
        default=None,
        metavar="S",
        help="annealer (default), with --all, --unique and --proof sat, or another that "
        "`qubopuzzle solvers` lists",
    )
    solve.add_argument("--formulation", metavar="F", help="see `qubopuzzle puzzles`")
    solve.add_argument("--encoding", metavar="E", help="one-hot or domain-wall")
    solve.add_argument(
        "--presolve", default="none", metavar="HOW", help="none (default) or propagate"
    )
    solve.add_argument(
        "--weight",
        action="append",
        default=[],
        type=assignment,
        metavar="FAMILY=W",
        help="penalty weight of a family of rules (default 1 each); repeatable",
    )
    solve.add_argument("--reads", type=int, metavar="N", help="attempts (default 10)")
    solve.add_argument("--seed", type=int, metavar="N", help="for everything random")
    solve.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="bound on solving one instance"
    )
    solve.add_argument(
        "--option",
        action="append",
        default=[],
        type=assignment,
        metavar="NAME=VALUE",
        help="an option of the solver; repeatable",
    )
    _counting_options(solve)
    _service_options(solve)
    solve.add_argument("--json", action="store_true", help="one JSON object a line and instance")
    plot_option(solve)


def _counting_options(solve: argparse.ArgumentParser) -> None:
    count = solve.add_mutually_exclusive_group()
    count.add_argument(
        "--all", action="store_true", help="list all solutions (solver sat unless --solver)"
    )
    count.add_argument(
        "--unique",
        action="store_true",
        help="one solution, several (then two of them) or none? exit status 0 only for one",
    )
    solve.add_argument(
        "--url",
        action="store_true",
        help="print an address that opens the solved board in a player, where one can hold it",
    )
    solve.add_argument(
        "--limit", type=int, metavar="N", help="with --all: no more than N (default 1000)"
    )
    solve.add_argument(
        "--proof",
        metavar="FILE",
        help="a DRAT proof that there is no (other) solution, and its formula as FILE.cnf",
    )


def _service_options(solve: argparse.ArgumentParser) -> None:
    service = solve.add_argument_group(
        "services in the cloud (--solver amplify, see docs/amplify.md)"
    )
    service.add_argument(
        "--token-file", metavar="FILE", help="holds the token (default: AMPLIFY_TOKEN has it)"
    )
    service.add_argument("--token", action=_NoToken, help=argparse.SUPPRESS)
    service.add_argument(
        "--force", action="store_true", help="send a model that the plan does not hold"
    )
    service.add_argument(
        "--dry-run",
        metavar="FILE",
        help="write the exact request to FILE and send nothing; {id} in the name for several",
    )
    service.add_argument("--record", metavar="FILE", help="keep the answer as it came")
    service.add_argument(
        "--replay", metavar="FILE", help="decode and judge such an answer, send nothing"
    )


def add_compare(commands: Any) -> None:
    """Several solvers on the same puzzles."""
    compare = add_command(
        commands,
        "compare",
        "run several solvers on the same puzzles, each run in a process of its own",
        many="+",
        exit_status=_COMPARE_STATUS,
    )
    add = compare.add_argument
    add(
        "--solvers",
        metavar="S,S,...",
        help="names from `qubopuzzle solvers`, or dimod:module:Class (default annealer, "
        "tempering, neal and the exact ones that are installed)",
    )
    add("--repeat", type=int, default=5, metavar="N", help="seeds a heuristic (default 5)")
    add(
        "--repeat-exact",
        type=int,
        default=1,
        metavar="N",
        help="seeds an exact solver (default 1: a proof is the same for every seed)",
    )
    add("--seed", type=int, default=0, metavar="N", help="the first seed (default 0)")
    add(
        "--time-limit",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="for building and solving, a run (default 10)",
    )
    add(
        "--hard-limit",
        type=float,
        metavar="SECONDS",
        help="end the process of a run after this (default twice the time limit and 30 s)",
    )
    add(
        "--memory-limit",
        type=float,
        metavar="GIB",
        help="address space of a run (default three quarters of the machine's memory)",
    )
    add("--formulation", metavar="F", help="see `qubopuzzle puzzles`")
    add("--presolve", default="none", metavar="HOW", help="none (default) or propagate")
    add(
        "--option",
        action="append",
        default=[],
        type=assignment,
        metavar="SOLVER:NAME=VALUE",
        help="an option of one solver; repeatable",
    )
    add("--json", metavar="FILE", help="add a JSON object a line and run, as soon as it is done")
    add("--resume", action="store_true", help="go on with what is in the --json file")
    add("--csv", metavar="FILE", help="write the table")
    add("--plot", metavar="FILE", help="draw solved runs over time, and time over size")


class _NoToken(argparse.Action):
    """What is refused is not quoted."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        parser.error(
            "a token does not belong on a command line: set AMPLIFY_TOKEN or use --token-file FILE"
        )
