"""The command line. Heavy imports happen inside the commands, so that --help is instant."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qubopuzzle.errors import InputError, QubopuzzleError

if TYPE_CHECKING:
    from qubopuzzle.picture import Picture
    from qubopuzzle.pipeline import Puzzle, Result

SOLVED, NOT_SOLVED, BAD_INPUT, UNSATISFIABLE = 0, 1, 2, 3

_EXIT_STATUS = """exit status:
  0  every instance solved and valid
  1  some not solved within the budget
  2  wrong usage or bad input
  3  proved to have no solution"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = args.command
    try:
        status = command(args)
        sys.stdout.flush()
        return status
    except QubopuzzleError as error:
        return _complain(str(error))
    except MemoryError:
        return _complain("out of memory; the puzzle is too large for this machine")
    except KeyboardInterrupt:
        print("qubopuzzle: interrupted", file=sys.stderr)
        return NOT_SOLVED
    except BrokenPipeError:
        # The reader of our output went away (`| head`); nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOT_SOLVED


def _complain(message: str) -> int:
    print(f"qubopuzzle: error: {' '.join(message.splitlines())}", file=sys.stderr)
    return BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="qubopuzzle",
        description="Logic puzzles as QUBO penalty models: annealed, decoded, judged by the rules.",
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    solve = _command(commands, "solve", _solve, "solve puzzles and judge the answers", many=True)
    solve.add_argument("--solver", default=None, metavar="S", help="see `qubopuzzle solvers`")
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
    solve.add_argument("--json", action="store_true", help="one JSON object a line and instance")
    _plot_option(solve)

    check = _command(commands, "check", _check, "judge a given answer")
    check.add_argument("solution", metavar="SOLUTION", help="a file with the answer, or -")
    check.add_argument("--json", action="store_true", help="one JSON object a line and instance")

    show = _command(commands, "show", _show, "draw a puzzle")
    show.add_argument("--solution", action="store_true", help="with the solution in the file")
    _plot_option(show)

    info = _command(commands, "info", _info, "size of a puzzle's QUBO in every form")
    info.add_argument("--formulation", metavar="F", help="only this one")
    info.add_argument("--encoding", metavar="E", help="only this one")
    info.add_argument("--json", action="store_true", help="one JSON object a line and instance")

    for name, run, text in (
        ("solvers", _solvers, "list the solvers, whether they can run here, and their options"),
        ("puzzles", _puzzles, "list the puzzles and their formulations"),
    ):
        commands.add_parser(name, help=text, description=text).set_defaults(command=run)
    return parser


def _command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    text: str,
    *,
    many: bool = False,
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=text,
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = "a file (native JSON, JSON Lines or .non, told by content), or - for standard input"
    if many:
        parser.add_argument("sources", nargs="+", metavar="SOURCE", help=what)
    else:
        parser.add_argument("source", metavar="PUZZLE", help=what)
    parser.add_argument("--puzzle", metavar="P", help="read only this kind, such as nonogram")
    parser.set_defaults(command=run)
    return parser


def _plot_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--plot", metavar="FILE", help="draw to .svg, .png, .pdf; {id} in the name for several"
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


def _weights(pairs: list[tuple[str, str]]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for family, value in pairs:
        try:
            number = float(value)
        except ValueError:
            raise InputError(f"weight of {family} must be a number, got {value!r}") from None
        # Whole weights stay whole: the QUBO's coefficients are then exact integers.
        weights[family] = int(number) if number.is_integer() else number
    return weights


def _solve(args: argparse.Namespace) -> int:
    from qubopuzzle import pipeline
    from qubopuzzle.report import progress

    solver = args.solver or pipeline.DEFAULT_SOLVER
    pipeline.get_solver(solver).parse_options(dict(args.option))
    instances = [item for source in args.sources for item in _timed_load(source, args.puzzle)]
    _check_plot(args.plot, len(instances))
    worst = SOLVED
    for number, (puzzle, seconds) in enumerate(instances, start=1):
        name = puzzle.id or f"instance {number}"
        with progress.shown(name, args.reads, args.time_limit) as callback:
            try:
                result = pipeline.solve(
                    puzzle,
                    solver,
                    formulation=args.formulation,
                    encoding=args.encoding,
                    presolve=args.presolve,
                    weights=_weights(args.weight),
                    reads=args.reads,
                    seed=args.seed,
                    time_limit=args.time_limit,
                    options=dict(args.option),
                    progress=callback,
                    load_s=seconds,
                )
            except QubopuzzleError as error:
                worst = _complain(f"{name}: {error}")
                continue
        _print_result(result, args)
        _plot(args.plot, result.picture(), name)
        worst = _worse(worst, result)
        if result.interrupted:
            break
    return worst


def _worse(worst: int, result: Result) -> int:
    """Bad input outweighs not solved, which outweighs no solution."""
    own = {"solved": SOLVED, "unknown": NOT_SOLVED, "unsatisfiable": UNSATISFIABLE}[result.status]
    order = (SOLVED, UNSATISFIABLE, NOT_SOLVED, BAD_INPUT)
    return max(worst, own, key=order.index)


def _print_result(result: Result, args: argparse.Namespace) -> None:
    if args.json:
        print(json.dumps(result.to_dict()), flush=True)
        return
    title = " ".join(filter(None, [result.puzzle.id, result.puzzle.title]))
    print("\n".join(filter(None, [title, _text(result.picture()), result.summary()])), flush=True)
    for violation in result.violations[:5]:
        print(f"  {violation.rule}: {violation.message}")
    if len(result.violations) > 5:
        print(f"  ... and {len(result.violations) - 5} more (--json lists all)")


def _check(args: argparse.Namespace) -> int:
    from qubopuzzle import pipeline

    puzzles = pipeline.load(args.source, args.puzzle)
    status = SOLVED
    for puzzle, answer in pipeline.match(puzzles, pipeline.load_answers(args.solution)):
        try:
            grid, violations = pipeline.judge(puzzle, answer.solution)
        except InputError as error:
            raise InputError(f"{args.solution}: {error}") from None
        status = NOT_SOLVED if violations else status
        if args.json:
            broken = [violation.to_dict() for violation in violations]
            print(json.dumps({"id": puzzle.id, "valid": not violations, "violations": broken}))
            continue
        cells = {cell for violation in violations for cell in violation.cells}
        print(_text(puzzle.picture(grid, cells)))
        print(f"{puzzle.id or puzzle.name}: {'not valid' if violations else 'valid'}")
        for violation in violations:
            print(f"  {violation.rule}: {violation.message}")
    return status


def _show(args: argparse.Namespace) -> int:
    from qubopuzzle import pipeline

    puzzles = pipeline.load(args.source, args.puzzle)
    _check_plot(args.plot, len(puzzles))
    for number, puzzle in enumerate(puzzles, start=1):
        name = puzzle.id or f"instance {number}"
        if args.solution and puzzle.solution is None:
            raise InputError(f"{args.source}: {name} comes without a solution")
        picture = puzzle.picture(puzzle.solution if args.solution else None)
        print("\n".join(filter(None, [f"{puzzle.id} {puzzle.title}".strip(), _text(picture)])))
        _plot(args.plot, picture, name)
    return SOLVED


def _info(args: argparse.Namespace) -> int:
    from qubopuzzle import pipeline
    from qubopuzzle.inspection import describe
    from qubopuzzle.report.tables import print_sizes

    for puzzle in pipeline.load(args.source, args.puzzle):
        sizes = describe(puzzle, args.formulation, args.encoding)
        if args.json:
            rows = [size.to_dict() for size in sizes]
            print(json.dumps({"id": puzzle.id, "puzzle": puzzle.name, "qubos": rows}))
            continue
        rows_by_columns = " x ".join(map(str, puzzle.shape))
        print(f"{puzzle.id or puzzle.name}: {puzzle.name}, {rows_by_columns} cells")
        print_sizes(sizes)
    return SOLVED


def _solvers(_: argparse.Namespace) -> int:
    from qubopuzzle.report.tables import print_solvers

    print_solvers()
    return SOLVED


def _puzzles(_: argparse.Namespace) -> int:
    from qubopuzzle.report.tables import print_puzzles

    print_puzzles()
    return SOLVED


def _timed_load(source: str, kind: str | None) -> list[tuple[Puzzle, float]]:
    from qubopuzzle import pipeline

    started = time.perf_counter()
    puzzles = pipeline.load(source, kind)
    seconds = time.perf_counter() - started
    return [(puzzle, seconds) for puzzle in puzzles]


def _check_plot(pattern: str | None, count: int) -> None:
    """Refuse before any work what could not be written after it."""
    from qubopuzzle.report.files import image_format

    if pattern is None:
        return
    image_format(Path(pattern))
    if count > 1 and "{id}" not in pattern:
        raise InputError(f"--plot {pattern}: there are {count} puzzles; put {{id}} into the name")


def _plot(pattern: str | None, picture: Picture, name: str) -> None:
    from qubopuzzle.report.files import image_format, with_id, write_whole

    if pattern is not None:
        path = with_id(pattern, name)
        write_whole(path, picture.image(image_format(path)))


def _text(picture: Picture) -> str:
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return picture.text(color=color, ascii_only=not encoding.startswith("utf"))


if __name__ == "__main__":
    sys.exit(main())
