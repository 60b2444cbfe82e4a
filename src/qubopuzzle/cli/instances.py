"""``qubopuzzle instances``."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qubopuzzle.cli.parser import SOURCE, Parser, settings_of
from qubopuzzle.cli.terminal import (
    NOT_SOLVED,
    SOLVED,
    complain,
    load,
    notice,
    sampler_path,
    say,
)
from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    from qubopuzzle.bench.library import Origin
    from qubopuzzle.problem import Problem

_EXIT_STATUS = """exit status:
  0  every instance is written
  1  some are left out, which have no solution or none that was found in time
  2  wrong usage, or bad input
  4  an error of this program"""


def add_arguments(parser: Parser) -> None:
    """Which models, and where to."""
    parser.epilog = _EXIT_STATUS
    add = parser.option
    parser.sources("*", f"{SOURCE}; without, the examples of all puzzles")
    add("--set NAME", "instead of sources, a set made by the generator: library")
    add("-o --output FOLDER", "made if it is not there", required=True)
    formats = "formats, see `qubopuzzle export --help` (default bqm,coo)"
    add("--to F,F,...", formats, default="bqm,coo")
    parser.shared("--formulation F", "--encoding E", "--weight FAMILY=W", "--presolve HOW")
    parser.set_defaults(presolve="none")
    add("--seed N", "for everything random (default 0)", default=0)
    search = "for each search for a solution (default 60); what has none is left out"
    add("--time-limit SECONDS", search, default=60.0)
    timed = parser.add_argument_group("how hard the instances are")
    add("--measure S,S,...", "time these solvers, such as neal,annealer,sat; gives tiers", timed)
    add("--repeat N", "seeds a heuristic (default 3)", timed, default=3)
    add("--measure-limit SECONDS", "of a run (default 10)", timed, default=10.0)
    add("--force", "write into a folder that is not empty")


def run(args: Namespace) -> int:
    """Write a folder of models with known ground states."""
    from qubopuzzle.bench.instances import check_folder, write_instances
    from qubopuzzle.bench.tiers import Measuring
    from qubopuzzle.files import models
    from qubopuzzle.solving.settings import DEFAULT_EXACT_SOLVER, Settings

    formats = list(dict.fromkeys(args.to))
    for name in formats:
        models.named(name)
    exact = Settings(DEFAULT_EXACT_SOLVER, seed=args.seed, time_limit=args.time_limit)
    settings = settings_of(args)
    measuring = None
    if args.measure:
        sampler_path(args.measure)
        measuring = Measuring(args.measure, args.repeat, args.measure_limit)
    folder = Path(args.output)
    check_folder(folder, force=args.force)
    puzzles, origins = _problems(args)
    done = write_instances(
        folder,
        puzzles,
        formats,
        settings,
        exact=exact,
        origins=origins,
        measuring=measuring,
        report=_report,
    )
    n, left = len(done["instances"]), len(done["left_out"])
    say(f"{folder}: {n} instances{f', {left} left out' if left else ''}")
    return NOT_SOLVED if left else SOLVED


def _problems(args: Namespace) -> "tuple[Sequence[Problem], dict[str, Origin]]":
    """What the instances are made of, and of a set the origins by id."""
    from qubopuzzle.bench.instances import examples
    from qubopuzzle.bench.library import make_set

    if args.set is None:
        return load(args) if args.sources else examples(args.puzzle), {}
    if args.sources:
        raise InputError("--set takes no sources")
    made = make_set(args.set, args.puzzle)
    return [puzzle for puzzle, _ in made], {puzzle.id: origin for puzzle, origin in made}


def _report(entry: dict[str, Any]) -> None:
    name = entry["name"]
    if "reason" in entry:
        complain(f"{name} is left out: {entry['reason']}")
        return
    if "tier" in entry:
        medians = {
            solver: measurement["seconds"] for solver, measurement in entry["measured"].items()
        }
        times = (f"{who} {'-' if s is None else f'{s:.3f}'}" for who, s in medians.items())
        say(f"{name}: {entry['tier']}, median s: {', '.join(times)}")
        return
    if not entry.get("generated", {}).get("as_published", True):
        notice(f"{name} is not as published: other versions make another puzzle of it")
    sizes = [f"{entry[key]:,} {key}" for key in ("variables", "couplings") if key in entry]
    unique = {True: "one solution", False: "several solutions", None: "one solution or more"}
    say(f"{name}: {', '.join([*sizes, unique[entry['unique']]])}")
