"""``qubopuzzle instances``."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from qubopuzzle.cli.parser import SOURCE, Parser
from qubopuzzle.cli.terminal import NOT_SOLVED, SOLVED, complain, load, say

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
    add("-o --output FOLDER", "made if it is not there", required=True)
    formats = "formats, see `qubopuzzle export --help` (default bqm,coo)"
    add("--to F,F,...", formats, default="bqm,coo")
    parser.shared("--formulation F", "--encoding E", "--weight FAMILY=W", "--presolve HOW")
    parser.set_defaults(presolve="none")
    add("--seed N", "for everything random (default 0)", default=0)
    search = "for each search for a solution (default 60); what has none is left out"
    add("--time-limit SECONDS", search, default=60.0)
    add("--force", "write into a folder that is not empty")


def run(args: Namespace) -> int:
    """Write a folder of models with known ground states."""
    from qubopuzzle.bench.instances import examples, write_instances
    from qubopuzzle.files import models
    from qubopuzzle.solving.recipe import Recipe
    from qubopuzzle.solving.solve import check_run

    formats = list(dict.fromkeys(args.to))
    for name in formats:
        models.named(name)
    search = {"seed": args.seed, "time_limit": args.time_limit}
    check_run("sat", **search)
    recipe = Recipe(args.formulation, args.encoding, args.presolve, dict(args.weight))
    puzzles = load(args) if args.sources else [*examples(args.puzzle)]
    folder = Path(args.output)
    done = write_instances(
        folder, puzzles, formats, recipe, **search, force=args.force, report=_report
    )
    n, left = len(done["instances"]), len(done["left_out"])
    say(f"{folder}: {n} instances{f', {left} left out' if left else ''}")
    return NOT_SOLVED if left else SOLVED


def _report(entry: dict[str, Any]) -> None:
    name = entry["name"]
    if "reason" in entry:
        complain(f"{name} is left out: {entry['reason']}")
        return
    sizes = [f"{entry[key]:,} {key}" for key in ("variables", "couplings") if key in entry]
    unique = {True: "one solution", False: "several solutions", None: "one solution or more"}
    say(f"{name}: {', '.join([*sizes, unique[entry['unique']]])}")
