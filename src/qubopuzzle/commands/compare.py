"""``qubopuzzle compare``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from qubopuzzle.commands.terminal import NOT_SOLVED, OUR_FAULT, SOLVED, clean, text
from qubopuzzle.errors import InputError


def compare(args: argparse.Namespace) -> int:
    """Run the comparison, write its files, print its tables."""
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
    asked = {"--json": args.json, "--csv": args.csv, "--plot": args.plot}
    outputs = report.outputs(asked, args.sources)
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
        format=args.format,
    )
    for name, why in plan.left_out.items():
        print(clean(f"qubopuzzle: {name} is left out: {why}"), file=sys.stderr)
    for name in plan.repeated:
        print(f"qubopuzzle: {name} is given twice, compared once", file=sys.stderr)
    with progress.counted(sum(1 for _ in plan.jobs())) as callback:
        done = bench.run(plan, journal=args.json, resume=args.resume, progress=callback)
    try:
        report.write(done, outputs)
    finally:  # a full disk does not take the table away
        report.print_comparison(done)
    for found in done.disagreements:
        print(report.disagreement_block(found, text), file=sys.stderr)
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
