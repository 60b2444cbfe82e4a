"""What the command line takes. Only argparse is imported, so that --help is instant."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

_EXIT_STATUS = """exit status:
  0  every instance solved and valid
  1  some not solved within the budget, or broken off
  2  wrong usage, bad input, or something that cannot run here
  3  proved to have no solution
  4  an error of this program"""


_COMPARE_STATUS = """exit status:
  0  every run is done, whatever it came to
  1  broken off; with --json FILE, --resume goes on
  2  wrong usage, bad input, or no solver that can run here
  4  two solvers contradict each other, or an error of this program"""


_DECODE_STATUS = """exit status:
  0  valid
  1  not valid
  2  wrong usage, or bad input
  4  an error of this program"""


_INSTANCES_STATUS = """exit status:
  0  every instance is written
  1  some are left out, which have no solution or none that was found in time
  2  wrong usage, or bad input
  4  an error of this program"""


_SOURCE = "a file in any format (told by content), - for standard input, or the text itself"


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; ``command`` is the name of the command."""
    top = argparse.ArgumentParser(
        prog="qubopuzzle",
        allow_abbrev=False,
        description="Logic puzzles as QUBO penalty models: annealed, decoded, judged by the rules.",
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    _solve_command(commands)
    _compare_command(commands)
    _other_commands(commands)
    return top


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; the value of an option that does not exist is not quoted."""
    top = parser()
    args, unknown = top.parse_known_args(arguments)
    options = [word.partition("=")[0] for word in unknown if word.startswith("-")]
    if len(unknown) == 1 and not options and getattr(args, "file", "") is None:
        # argparse gives up on an optional FILE once an option has come after PUZZLE.
        args.file = unknown.pop()
    if unknown:
        top.error(f"unrecognized arguments: {' '.join(options or unknown)}")
    return args


def _solve_command(commands: Any) -> None:
    solve = _command(commands, "solve", "solve puzzles and judge the answers", many="+")
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
        type=_assignment,
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
        type=_assignment,
        metavar="NAME=VALUE",
        help="an option of the solver; repeatable",
    )
    _counting_options(solve)
    _service_options(solve)
    solve.add_argument("--json", action="store_true", help="one JSON object a line and instance")
    _plot_option(solve)


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


def _other_commands(commands: Any) -> None:
    check = _command(commands, "check", "judge a given answer")
    check.add_argument("solution", metavar="SOLUTION", help="a file with the answer, or -")
    check.add_argument("--json", action="store_true", help="one JSON object a line and instance")

    show = _command(commands, "show", "draw a puzzle")
    show.add_argument("--solution", action="store_true", help="with the solution in the file")
    _plot_option(show)

    info = _command(commands, "info", "size of a puzzle's QUBO in every form")
    info.add_argument("--formulation", metavar="F", help="only this one")
    info.add_argument("--encoding", metavar="E", help="only this one")
    info.add_argument("--json", action="store_true", help="one JSON object a line and instance")

    _export_commands(commands)

    convert = _command(commands, "convert", "write puzzles in another format", many="+")
    convert.add_argument("--to", required=True, metavar="F", help="see `qubopuzzle formats`")
    convert.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="not to standard output; {id} in the name for one each",
    )

    for name, text in (
        ("formats", "list the formats of puzzles that are read and written"),
        ("solvers", "list the solvers, whether they can run here, and their options"),
        ("puzzles", "list the puzzles and their formulations"),
    ):
        commands.add_parser(name, help=text, description=text).set_defaults(command=name)


def _export_commands(commands: Any) -> None:
    export = _command(commands, "export", "write a puzzle's model for other solvers")
    export.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="the same as -o FILE, without the JSON file beside it",
    )
    export.add_argument(
        "--to",
        metavar="FORMAT",
        help="bqm, coo, qubo, mqlib or qplib (the QUBO), dimacs (the exact formula), lp or mps "
        "(the exact 0/1 program); told by the file's suffix without",
    )
    export.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write there, and what `decode` needs to FILE.json; {id} in the name for several "
        "(default: standard output)",
    )
    _model_options(export)

    decode = _command(
        commands,
        "decode",
        "judge an assignment that another tool found for an exported model",
        exit_status=_DECODE_STATUS,
        what="FILE.json, which `export -o FILE` writes, or with --model the puzzle; or -",
    )
    decode.add_argument(
        "sample",
        metavar="SAMPLE",
        help="0/1 by name or number (JSON), a dimod sample set (JSON), 0s and 1s in the order "
        "of the variables (JSON or text), or the v lines of a SAT solver; or -",
    )
    decode.add_argument("--model", metavar="FILE.json", help="what `export -o FILE` wrote")
    decode.add_argument("--json", action="store_true", help="print a JSON object")

    instances = _command(
        commands,
        "instances",
        "write a folder of models with known ground states",
        many="*",
        exit_status=_INSTANCES_STATUS,
        what=f"{_SOURCE}; without, the examples of all puzzles",
    )
    instances.add_argument(
        "-o", "--output", required=True, metavar="FOLDER", help="made if it is not there"
    )
    instances.add_argument(
        "--to",
        default="bqm,coo",
        metavar="F,F,...",
        help="formats, see `qubopuzzle export --help` (default bqm,coo)",
    )
    _model_options(instances)
    instances.add_argument(
        "--seed", type=int, default=0, metavar="N", help="for everything random (default 0)"
    )
    instances.add_argument(
        "--time-limit",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="for each search for a solution (default 60); what has none is left out",
    )
    instances.add_argument(
        "--force", action="store_true", help="write into a folder that is not empty"
    )


def _model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--formulation", metavar="F", help="see `qubopuzzle puzzles`")
    parser.add_argument("--encoding", metavar="E", help="one-hot (default) or domain-wall")
    parser.add_argument(
        "--weight",
        action="append",
        default=[],
        type=_assignment,
        metavar="FAMILY=W",
        help="penalty weight of a family of rules (default 1 each); repeatable",
    )
    parser.add_argument(
        "--presolve", default="none", metavar="HOW", help="none (default) or propagate"
    )


def _command(
    commands: Any,
    name: str,
    text: str,
    *,
    many: str | None = None,
    exit_status: str = _EXIT_STATUS,
    what: str = _SOURCE,
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        allow_abbrev=False,  # --token must not be taken for --token-file
        help=text,
        description=text,
        epilog=exit_status,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if many:
        parser.add_argument("sources", nargs=many, metavar="SOURCE", help=what)
    else:
        parser.add_argument("source", metavar="PUZZLE", help=what)
    parser.add_argument("--puzzle", metavar="P", help="read only this kind, such as nonogram")
    parser.add_argument("--format", metavar="F", help="of the input, see `qubopuzzle formats`")
    parser.set_defaults(command=name)
    return parser


def _compare_command(commands: Any) -> None:
    compare = _command(
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
        type=_assignment,
        metavar="SOLVER:NAME=VALUE",
        help="an option of one solver; repeatable",
    )
    add("--json", metavar="FILE", help="add a JSON object a line and run, as soon as it is done")
    add("--resume", action="store_true", help="go on with what is in the --json file")
    add("--csv", metavar="FILE", help="write the table")
    add("--plot", metavar="FILE", help="draw solved runs over time, and time over size")


def _plot_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--plot", metavar="FILE", help="draw to .svg, .png, .pdf; {id} in the name for several"
    )


class _NoToken(argparse.Action):
    """What is refused is not quoted."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        parser.error(
            "a token does not belong on a command line: set AMPLIFY_TOKEN or use --token-file FILE"
        )


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"qubopuzzle {version('qubopuzzle')}")
        parser.exit()


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value
