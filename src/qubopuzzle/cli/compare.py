"""``qubopuzzle compare``."""

from argparse import Namespace

from qubopuzzle.cli import terminal
from qubopuzzle.cli.parser import EXPERIMENTS, REPORT, SUBMISSION, Parser
from qubopuzzle.cli.terminal import NOT_SOLVED, OUR_FAULT, SOLVED, notice, say
from qubopuzzle.errors import InputError

_EXIT_STATUS = """exit status:
  0  every run is done, whatever its result
  1  broken off; with --json FILE, --resume goes on
  2  wrong usage, bad input, or no solver that can run here
  4  two solvers contradict each other, or an error of this program"""


def add_arguments(parser: Parser) -> None:
    """Which runs, their limits, and the files that are written."""
    parser.description = f"{parser.description}, each run in a process under hard limits"
    parser.epilog = _EXIT_STATUS
    add = parser.option
    parser.sources("+")
    add(
        "--solvers S,S,...",
        "names from `qubopuzzle solvers`, dimod:module:Class or dwave:module:Class (default "
        "annealer, tempering, neal and the exact ones that are installed)",
    )
    add("--config FILE", "named configurations and grids in TOML, instead of solvers and settings")
    varied = parser.add_argument_group("settings; of several values, every combination is run")
    add("--formulations --formulation F,F,...", "see `qubopuzzle puzzles`", varied)
    add("--encodings --encoding E,E,...", "one-hot, domain-wall", varied)
    add("--presolves --presolve HOW,HOW,...", "none, propagate, probe, interleave", varied)
    add("--weights --weight FAMILY=W,W,...", "penalty weights of a family; repeatable", varied)
    option = "an option of one solver; repeatable, with other values of the same, too"
    add("--option SOLVER:NAME=VALUE", option, varied)
    add("--repeat N", "seeds a heuristic (default 5)", default=5)
    proof = "seeds an exact solver (default 1: a proof is the same for every seed)"
    add("--repeat-exact N", proof, default=1)
    add("--seed N", "the first seed (default 0)", default=0)
    add("--time-limit SECONDS", "for building and solving, a run (default 10)", default=10.0)
    add("--hard-limit SECONDS", "end a run's process (default twice the time limit and 30 s)")
    add("--memory-limit GIB", "address space of a run (default 3/4 of the machine's memory)")
    jobs = "runs at once (default 1); they share the machine, as times tell; workers of dask:local"
    add("--jobs N", jobs)
    parser.shared("--executor E")
    parser.shared("--best-known NAME=VALUE|FILE")
    add("--json FILE", "add a JSON object a line and run, as soon as it is done")
    add("--resume", "go on with what is in the --json file")
    add("--csv FILE", "write the table")
    add("--plot FILE", "draw solved runs over time, and time over size")
    add("--report FILE", REPORT, action="append", default=[])
    parser.shared(*EXPERIMENTS, *SUBMISSION)


def run(args: Namespace) -> int:
    """Run the comparison, write its files, print its tables."""
    from qubopuzzle.base.checks import whole
    from qubopuzzle.bench import comparison as bench
    from qubopuzzle.bench.plan import make_plan
    from qubopuzzle.cli import reporting

    terminal.sampler_path(args.solvers or ())
    terminal.read_once(args.sources)
    if args.resume and args.json is None:
        raise InputError("--resume goes on with a file: add --json FILE")
    outputs = reporting.outputs(args, args.sources)
    jobs = 1 if args.jobs is None else whole("jobs", args.jobs, 1)
    plan = make_plan(
        args.sources,
        args.solvers,
        options=_options_by_solver(args.option),
        configurations=args.config,
        puzzle=args.puzzle,
        format=args.format,
        repeat=args.repeat,
        repeat_exact=args.repeat_exact,
        seed=args.seed,
        time_limit=args.time_limit,
        hard_limit=args.hard_limit,
        memory_limit_gib=args.memory_limit,
        formulation=args.formulations,
        encoding=args.encodings,
        presolve=args.presolves,
        weights=dict(args.weights),
        best_known=reporting.best_known(args),
    )
    reporting.check_submission(args, plan)
    for name, why in plan.left_out.items():
        notice(f"{name} is left out: {why}")
    for name in plan.repeated:
        notice(f"{name} is given twice, compared once")
    with terminal.executor(args) as executor:
        done = bench.run(
            plan,
            journal=args.json,
            resume=args.resume,
            jobs=jobs,
            executor=executor,
            progress=True,
        )
    try:
        reporting.write(done, outputs)
        reporting.write_folders(args, done)
    finally:  # a full disk does not take the table away
        reporting.print_comparison(done)
    for contradiction in done.contradictions:
        say(*reporting.contradiction_block(contradiction), error=True)
    why = done.stopped or ("some runs were lost" if done.lost else "")
    if why:
        notice(f"{why}{'; --resume goes on' if args.json else ''}")
    return OUR_FAULT if done.contradictions else NOT_SOLVED if why else SOLVED


def _options_by_solver(pairs: list[tuple[str, str]]) -> dict[str, dict[str, list[str]]]:
    options: dict[str, dict[str, list[str]]] = {}
    for place, value in pairs:
        solver, colon, name = place.rpartition(":")
        if not colon:
            raise InputError(f"--option {place}={value}: say whose, as in SOLVER:{place}={value}")
        options.setdefault(solver, {}).setdefault(name, []).append(value)
    return options
