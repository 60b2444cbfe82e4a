"""The command line. Heavy imports happen inside the commands, so that --help is instant."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qubopuzzle.arguments import parser
from qubopuzzle.errors import InputError, QubopuzzleError
from qubopuzzle.signals import raise_interrupted

if TYPE_CHECKING:
    from qubopuzzle.picture import Picture
    from qubopuzzle.pipeline import Puzzle, Result

ALL_LIMIT = 1_000
"""Solutions that ``solve --all`` lists without ``--limit``."""
SOLVED, NOT_SOLVED, BAD_INPUT, UNSATISFIABLE, OUR_FAULT = 0, 1, 2, 3, 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    _prepare_streams()
    raise_interrupted()
    args = parser().parse_args(arguments)
    try:
        status = _COMMANDS[args.command](args)
        sys.stdout.flush()
        return status
    except QubopuzzleError as error:
        return _complain(str(error))
    except MemoryError:
        return _complain("out of memory")
    except KeyboardInterrupt:
        print("qubopuzzle: interrupted", file=sys.stderr)
        return NOT_SOLVED
    except OSError as error:
        # The reader of our output went away (`| head`), or the disk is full.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            return NOT_SOLVED
        return _complain(f"cannot write: {error.strerror or error}")
    except Exception as error:
        if os.environ.get("QUBOPUZZLE_DEBUG"):
            raise
        kind = type(error).__name__
        _complain(f"an error of this program, please report it: {kind}: {error}")
        return OUR_FAULT


def _prepare_streams() -> None:
    """Output never fails for want of a stream or of a letter in the stream's encoding."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _complain(message: str) -> int:
    print(f"qubopuzzle: error: {_clean(message)}", file=sys.stderr)
    return BAD_INPUT


def _clean(text: str) -> str:
    """One line without control characters: names in files must not steer a terminal."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)


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

    if args.solver is not None and args.solver.startswith("dimod:"):
        sys.path.append(str(Path.cwd()))  # a sampler in a file of the user's own
    if args.limit is not None and not args.all:
        raise InputError("--limit goes with --all")
    proving = args.all or args.unique or args.proof is not None
    default = pipeline.DEFAULT_EXACT_SOLVER if proving else pipeline.DEFAULT_SOLVER
    run = {
        "solver": default if args.solver is None else args.solver,
        "encoding": args.encoding,
        "presolve": args.presolve,
        "reads": args.reads,
        "seed": args.seed,
        "time_limit": args.time_limit,
        "options": dict(args.option) | ({} if args.proof is None else {"proof": 1}),
        "solutions": _wanted(args),
    }
    weights = _weights(args.weight)
    pipeline.check_run(**run)
    if args.sources.count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    instances = [item for source in args.sources for item in _timed_load(source, args.puzzle)]
    puzzles = [puzzle for puzzle, _ in instances]
    plots, proofs = _plots(args.plot, puzzles), _paths("--proof", args.proof, puzzles)
    worst = SOLVED
    for number, (puzzle, seconds) in enumerate(instances, start=1):
        name = _name(puzzle, number)
        try:
            with progress.shown(name, args.reads, args.time_limit) as callback:
                result = pipeline.solve(
                    puzzle,
                    formulation=args.formulation,
                    weights=weights,
                    progress=callback,
                    load_s=seconds,
                    **run,
                )
        except QubopuzzleError as error:
            worst = _complain(f"{name}: {error}")
            if args.json:
                failed = {"id": puzzle.id, "puzzle": puzzle.name, "status": "error"}
                print(json.dumps({**failed, "valid": False, "error": str(error)}), flush=True)
            continue
        _print_result(result, args)
        _plot(plots, number, result.picture())
        _proof(proofs, number, result)
        worst = _worse(worst, result, args)
        if result.interrupted:
            if number < len(instances):
                print(f"qubopuzzle: {len(instances) - number} not started", file=sys.stderr)
            break
    return worst


def _wanted(args: argparse.Namespace) -> int:
    """How many solutions to look for."""
    if args.all:
        return ALL_LIMIT if args.limit is None else int(args.limit)
    return 2 if args.unique else 1


def _name(puzzle: Puzzle, number: int) -> str:
    return _clean(puzzle.id) or f"instance {number}"


def _heading(puzzle: Puzzle) -> str:
    words = [puzzle.id, puzzle.title if puzzle.title != puzzle.id else ""]
    return _clean(" ".join(filter(None, words)))


def _worse(worst: int, result: Result, args: argparse.Namespace) -> int:
    """Bad input outweighs not solved, which outweighs no solution."""
    own = {"solved": SOLVED, "unknown": NOT_SOLVED, "unsatisfiable": UNSATISFIABLE}[result.status]
    enough = result.complete or len(result.solutions) >= _wanted(args)
    if own == SOLVED and ((args.unique and not result.unique) or (args.all and not enough)):
        own = NOT_SOLVED
    order = (SOLVED, UNSATISFIABLE, NOT_SOLVED, BAD_INPUT)
    return max(worst, own, key=order.index)


def _print_result(result: Result, args: argparse.Namespace) -> None:
    if args.json:
        print(json.dumps(result.to_dict()), flush=True)
        return
    parts = [_heading(result.puzzle), *_pictures(result), _clean(result.summary())]
    print("\n".join(filter(None, parts)), flush=True)
    for violation in result.violations[:5]:
        print(f"  {violation.rule}: {violation.message}")
    if len(result.violations) > 5:
        print(f"  ... and {len(result.violations) - 5} more (--json lists all)")


def _pictures(result: Result) -> Iterator[str]:
    """The answer; of several all, and of two the cells marked where they differ."""
    count = len(result.solutions)
    if count < 2:
        yield _text(result.picture())
        return
    marked = map(tuple, result.differing().tolist() if count == 2 else ())
    differ = frozenset(marked)
    for number, answer in enumerate(result.solutions, start=1):
        yield f"solution {number}:"
        yield _text(result.puzzle.picture(answer, differ))
    if differ:
        yield f"they differ in {len(differ)} cells, marked"


def _compare(args: argparse.Namespace) -> int:
    from qubopuzzle.bench import comparison as bench
    from qubopuzzle.bench.plan import make_plan
    from qubopuzzle.report import comparison as report
    from qubopuzzle.report import progress

    names = None if args.solvers is None else [name.strip() for name in args.solvers.split(",")]
    if any(name.startswith("dimod:") for name in names or ()):
        sys.path.append(str(Path.cwd()))  # a sampler in a file of the user's own
    if args.sources.count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    if args.resume and args.json is None:
        raise InputError("--resume goes on with a file: add --json FILE")
    outputs = report.outputs({"--json": args.json, "--csv": args.csv, "--plot": args.plot})
    plan = make_plan(
        args.sources,
        names,
        repeat=args.repeat,
        repeat_exact=args.repeat_exact,
        seed=args.seed,
        time_limit=args.time_limit,
        hard_limit=args.hard_limit,
        memory_limit_gib=args.memory_limit,
        formulation=args.formulation,
        presolve=args.presolve,
        options=_options_by_solver(args.option),
        puzzle=args.puzzle,
    )
    for name, why in plan.left_out.items():
        print(_clean(f"qubopuzzle: {name} is left out: {why}"), file=sys.stderr)
    for name in plan.repeated:
        print(f"qubopuzzle: {name} is given twice, compared once", file=sys.stderr)
    with progress.counted(sum(1 for _ in plan.jobs())) as callback:
        done = bench.run(plan, journal=args.json, resume=args.resume, progress=callback)
    report.write(done, outputs)
    report.print_comparison(done)
    for found in done.disagreements:
        print(report.disagreement_block(found, _text), file=sys.stderr)
    if done.interrupted:
        left = "; --resume goes on" if args.json else ""
        print(f"qubopuzzle: interrupted{left}", file=sys.stderr)
    return OUR_FAULT if done.disagreements else NOT_SOLVED if done.interrupted else SOLVED


def _options_by_solver(pairs: list[tuple[str, str]]) -> dict[str, dict[str, str]]:
    options: dict[str, dict[str, str]] = {}
    for place, value in pairs:
        solver, colon, name = place.rpartition(":")
        if not colon:
            raise InputError(f"--option {place}={value}: say whose, as in SOLVER:{place}={value}")
        options.setdefault(solver, {})[name] = value
    return options


def _check(args: argparse.Namespace) -> int:
    from qubopuzzle import pipeline

    if args.source == args.solution == "-":
        raise InputError("standard input (-) can be read only once")
    puzzles = pipeline.load(args.source, args.puzzle)
    answers = pipeline.load_answers(args.solution)
    status = SOLVED
    try:
        for number, (puzzle, answer) in enumerate(pipeline.match(puzzles, answers), start=1):
            given = None if answer is None else answer.solution
            if not _judge(_name(puzzle, number), puzzle, given, args.json):
                status = NOT_SOLVED
    except InputError as error:
        raise InputError(f"{args.solution}: {error}") from None
    return status


def _judge(name: str, puzzle: Puzzle, given: Any, as_json: bool) -> bool:
    """Print the verdict on one answer; returns whether it is valid."""
    from qubopuzzle import pipeline

    grid, violations = (None, []) if given is None else pipeline.judge(puzzle, given)
    valid = grid is not None and not violations
    if as_json:
        broken = [violation.to_dict() for violation in violations]
        answered = {"id": puzzle.id, "answered": grid is not None, "valid": valid}
        print(json.dumps({**answered, "violations": broken}))
        return valid
    cells = {cell for violation in violations for cell in violation.cells}
    if grid is not None:
        print(_text(puzzle.picture(grid, cells)))
    print(f"{name}: {'no answer' if grid is None else 'valid' if valid else 'not valid'}")
    for violation in violations:
        print(f"  {violation.rule}: {violation.message}")
    return valid


def _show(args: argparse.Namespace) -> int:
    from qubopuzzle import pipeline

    puzzles = pipeline.load(args.source, args.puzzle)
    plots = _plots(args.plot, puzzles)
    for number, puzzle in enumerate(puzzles, start=1):
        name = _name(puzzle, number)
        if args.solution and puzzle.solution is None:
            raise InputError(f"{args.source}: {name} comes without a solution")
        picture = puzzle.picture(puzzle.solution if args.solution else None)
        print("\n".join(filter(None, [_heading(puzzle), _text(picture)])))
        _plot(plots, number, picture)
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
        print(f"{_clean(puzzle.id) or puzzle.name}: {puzzle.name}, {rows_by_columns} cells")
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


def _plots(pattern: str | None, puzzles: Sequence[Puzzle]) -> list[Path]:
    """The file for each puzzle's drawing; what cannot be written is refused before any work."""
    from qubopuzzle.report.files import image_format

    if pattern is not None:
        image_format(Path(pattern))
    return _paths("--plot", pattern, puzzles)


def _paths(option: str, pattern: str | None, puzzles: Sequence[Puzzle]) -> list[Path]:
    """The file for each puzzle, none without a pattern."""
    from qubopuzzle.report.files import check_place, with_id

    if pattern is None:
        return []
    check_place(Path(pattern))
    names = [_name(puzzle, number) for number, puzzle in enumerate(puzzles, start=1)]
    paths = [with_id(pattern, name) for name in names]
    if len(set(paths)) < len(paths):
        what = "put {id} into the name" if "{id}" not in pattern else "their ids are not unique"
        raise InputError(f"{option} {pattern}: there are {len(paths)} puzzles; {what}")
    return paths


def _plot(paths: list[Path], number: int, picture: Picture) -> None:
    from qubopuzzle.report.files import image_format, write_whole

    if paths:
        path = paths[number - 1]
        write_whole(path, picture.image(image_format(path)))


def _proof(paths: list[Path], number: int, result: Result) -> None:
    from qubopuzzle.report.files import write_whole

    if not paths:
        return
    path = paths[number - 1]
    if result.proof is None:
        print(f"qubopuzzle: {path}: not written: {result.verdict}", file=sys.stderr)
        return
    write_whole(path.with_name(f"{path.name}.cnf"), result.proof.formula.encode())
    write_whole(path, result.proof.drat.encode())


def _text(picture: Picture) -> str:
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return picture.text(color=color, ascii_only=not encoding.startswith("utf"))


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "solve": _solve,
    "compare": _compare,
    "check": _check,
    "show": _show,
    "info": _info,
    "solvers": _solvers,
    "puzzles": _puzzles,
}


if __name__ == "__main__":
    sys.exit(main())
