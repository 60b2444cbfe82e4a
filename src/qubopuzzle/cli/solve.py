"""``qubopuzzle solve``."""

from __future__ import annotations

import json
from argparse import SUPPRESS, Action, Namespace
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qubopuzzle.base.signals import came
from qubopuzzle.cli import terminal
from qubopuzzle.cli.hint import lines_of
from qubopuzzle.cli.parser import Parser, settings_of
from qubopuzzle.cli.terminal import NOT_SOLVED, SOLVED, UNSATISFIABLE, notice, say
from qubopuzzle.errors import InputError, QubopuzzleError, at

if TYPE_CHECKING:
    from qubopuzzle.base.recorder import Recorder
    from qubopuzzle.problem import Problem
    from qubopuzzle.reasons.hints import Hint
    from qubopuzzle.solving.result import Result
    from qubopuzzle.solving.settings import Settings

ALL_LIMIT = 1_000
"""Solutions that ``--all`` lists without ``--limit``."""
VIOLATIONS_SHOWN = 5
_WATCHED = "20/s"
"""States that ``--watch`` looks at, if no trace asks for others."""


def add_arguments(parser: Parser) -> None:
    """What to solve, and how."""
    add = parser.option
    parser.sources("+")
    add(
        "--solver S",
        "annealer (default), with --all, --unique and --proof sat, or another that "
        "`qubopuzzle solvers` lists",
    )
    parser.shared("--formulation F", "--encoding E", "--presolve HOW", "--weight FAMILY=W")
    default = "as many as fit into --time-limit, or 127 of the annealer, 10 or 1 of others"
    add("--reads N", f"attempts (default: {default})")
    add("--seed N", "for everything random")
    add("--time-limit SECONDS", "bound on solving one instance, building not counted")
    add("--option NAME=VALUE", "an option of the solver; repeatable")
    count = parser.add_mutually_exclusive_group()
    add("--all", "list all solutions (solver sat unless --solver)", count)
    one = "one solution, several (then two of them) or none? exit status 0 only for one"
    add("--unique", one, count)
    add("--limit N", "with --all: no more than N (default 1000)")
    add("--proof FILE", "a DRAT proof that there is no (other) solution; its formula: FILE.cnf")
    add("--write FILE", "the solved boards with their answers; {id} in the name for one each")
    add("--to F", "of --write: a format with a place for answers, such as json or pzprv3")
    add("--explain", "how one gets there: every step, and the clues and rules that it follows from")
    add("--film FILE", "with --explain, the steps as .gif, or .mp4 (with ffmpeg); {id} for several")
    add("--url", "print an address that opens the solved board in a player, if one can hold it")
    add("--samples FILE", "the solver's samples as JSON of dimod, {id} in the name for several")
    add("--watch", "show the state while it is annealed: picture, energy, heaviest constraints")
    add("--trace FILE", "keep states on the way for `qubopuzzle replay`; {id} for several")
    add("--trace-rate RATE", "every so many sweeps (default 1), or states per second: 50/s")
    parser.shared("--jobs N", "--executor E")
    add("-v --verbose", "seconds by stage")
    parser.shared("--json", "--plot FILE")
    pages = "--solver amplify: docs/amplify.md, dwave: docs/quantum.md"
    cloud = parser.add_argument_group(f"services ({pages})")
    add(
        "--token-file FILE",
        "holds the token (default: AMPLIFY_TOKEN or DWAVE_API_TOKEN has it)",
        cloud,
    )
    add("--token", SUPPRESS, cloud, action=_NoToken)
    add("--force", "send a model that the plan does not hold", cloud)
    request = "write the request, or what is known of it, and send nothing; {id} for several"
    add("--dry-run FILE", request, cloud)
    add("--record FILE", "keep the answer as it came", cloud)
    add("--replay FILE", "decode and judge such an answer, send nothing", cloud)


class _NoToken(Action):
    """What is refused is not quoted."""

    def __call__(self, *_: Any) -> None:
        raise InputError(
            "a token does not belong on a command line: set AMPLIFY_TOKEN or DWAVE_API_TOKEN, or "
            "use --token-file FILE"
        )


def run(args: Namespace) -> int:
    """Solve and judge one puzzle after the other."""
    from qubopuzzle.base.recorder import Recorder
    from qubopuzzle.solvers.base import ANSWER_FILES
    from qubopuzzle.solving.result import Result

    terminal.sampler_path([args.solver])
    settings = _settings(args)
    settings.resolved()  # whether the solver can run here
    if args.film is not None and not args.explain:
        raise InputError("--film goes with --explain")
    if args.trace_rate is not None and args.trace is None:
        raise InputError("--trace-rate goes with --trace")
    asked = True if args.trace_rate is None else args.trace_rate
    rate = _WATCHED if args.trace is None else asked
    Recorder.of(rate)  # checks it
    if args.watch:
        from qubopuzzle.cli import watch  # imports rich

        watch.check_terminal()
    instances = terminal.load_timed(args)
    puzzles = [puzzle for puzzle, _ in instances]
    _check_drawn(args, puzzles)
    files = {
        name: terminal.paths(f"--{name.replace('_', '-')}", getattr(args, name), puzzles)
        for name in ("plot", "film", "proof", "samples", "trace", *ANSWER_FILES)
    }
    boards = _Boards(args, puzzles)
    answer_files = [
        {option: str(files[option][i]) for option in ANSWER_FILES if files[option][i]}
        for i in range(len(puzzles))
    ]
    each = [
        {"settings": replace(settings, options={**settings.options, **more}), "load_s": load_s}
        for (_, load_s), more in zip(instances, answer_files, strict=True)
    ]
    worst, done = SOLVED, 0
    with closing(_solved(puzzles, each, args, rate)) as outcomes:
        try:
            for done, outcome in enumerate(outcomes, start=1):
                puzzle_files = {name: paths[done - 1] for name, paths in files.items()}
                status = _show(puzzles[done - 1], done, outcome, args, puzzle_files)
                boards.add(done - 1, outcome)
                worst = max(worst, status, key=terminal.SEVERITY.index)
                stopped = isinstance(outcome, Result) and outcome.interrupted
                if done < len(puzzles) and (stopped or came()):  # libraries may swallow one
                    _not_started(len(puzzles) - done)
                    return max(worst, NOT_SOLVED, key=terminal.SEVERITY.index)
        except KeyboardInterrupt:
            _not_started(len(puzzles) - done - 1)
            raise
        finally:
            boards.write()
    return worst


class _Boards:
    """The solved boards, which ``--write`` and ``--to`` keep."""

    def __init__(self, args: Namespace, puzzles: Sequence[Problem]) -> None:
        """Refuse a format that cannot hold them and their answers, before any work."""
        from qubopuzzle.files.puzzles import check_format

        if (args.write is None) != (args.to is None):
            raise InputError("--write FILE and --to F go together")
        self._file, self._form = args.write, args.to
        self._files = terminal.paths("--write", args.write, puzzles, together=True)
        self._solved: dict[int, Problem] = {}
        if self._file is not None:
            for kind in dict.fromkeys(puzzle.name for puzzle in puzzles):
                check_format(self._form, kind, answers=True)
            terminal.texts_of(puzzles, self._form, self._files)

    def add(self, number: int, outcome: Result | QubopuzzleError) -> None:
        """Keep a puzzle with its answer, if it has one; the first of several."""
        if self._file is not None and not isinstance(outcome, QubopuzzleError) and outcome.valid:
            puzzle: Any = outcome.problem
            known = {True: 1, False: 2, None: puzzle.n_solutions}[outcome.unique]
            self._solved[number] = replace(puzzle, solution=outcome.grid, n_solutions=known)

    def write(self) -> None:
        """Write the solved ones, and say how many others there are."""
        if self._file is None:
            return
        files = [self._files[number] for number in self._solved]
        terminal.write_puzzles([*self._solved.values()], self._form, files)
        if missing := len(self._files) - len(self._solved):
            notice(f"{self._file}: {missing} of {len(self._files)} boards have no answer: left out")


def _show(
    puzzle: Problem,
    number: int,
    outcome: Result | QubopuzzleError,
    args: Namespace,
    files: Mapping[str, Path | None],
) -> int:
    """Print what came of a puzzle, and write its files; its exit status."""
    name = terminal.name_of(puzzle, number)
    if isinstance(outcome, QubopuzzleError):
        if args.json:
            failed = {"id": puzzle.id, "puzzle": puzzle.name, "status": "error"}
            say(json.dumps({**failed, "valid": False, "error": str(outcome)}))
        return terminal.complain(f"{name}: {outcome}", outcome)
    if args.dry_run and outcome.proved_by is None:
        _print_request(name, outcome)
        return SOLVED
    steps = _steps(outcome) if args.explain else []
    _print_result(outcome, steps, args)
    terminal.plot(files["plot"], outcome.picture())
    _write_film(files["film"], steps)
    _write_proof(files["proof"], outcome)
    _write_samples(files["samples"], outcome)
    _write_trace(files["trace"], outcome)
    return _status(outcome, args)


def _solved(
    puzzles: Sequence[Problem], each: Sequence[dict[str, Any]], args: Namespace, rate: Any
) -> Generator[Result | QubopuzzleError, None, None]:
    """The result of each puzzle, or why there is none."""
    from qubopuzzle.base.checks import whole
    from qubopuzzle.base.recorder import Recorder
    from qubopuzzle.solving.several import solve_each
    from qubopuzzle.solving.solve import solve

    jobs = 1 if args.jobs is None else whole("jobs", args.jobs, 1)
    if jobs > 1 or args.executor is not None:
        if args.watch:
            raise InputError("--watch shows one puzzle at a time; leave --jobs and --executor out")
        arguments = [{**more, "trace": rate if args.trace else None} for more in each]
        with terminal.executor(args) as executor:
            samples = args.samples is not None
            yield from solve_each(
                puzzles, jobs=jobs, executor=executor, samples=samples, overrides=arguments
            )
        return
    for puzzle, more in zip(puzzles, each, strict=True):
        recorder = Recorder.of(rate if args.watch or args.trace else None)
        try:
            with _shown(puzzle, recorder if args.watch else None) as callback:
                result = solve(puzzle, progress=callback, trace=recorder, **more)
        except QubopuzzleError as error:
            yield error
        else:
            yield result


def _shown(puzzle: Problem, recorder: Recorder | None) -> AbstractContextManager[Any]:
    """How far a solver is, as a callback: on a bar, or as the recorder's state."""
    if recorder is None:
        return nullcontext(True)
    from qubopuzzle.cli.watch import watching

    return watching(puzzle, recorder)


def _settings(args: Namespace) -> Settings:
    """What all puzzles are solved with."""
    from qubopuzzle.solvers.base import ANSWER_FILES
    from qubopuzzle.solving.settings import DEFAULT_EXACT_SOLVER, DEFAULT_SOLVER

    if args.limit is not None and not args.all:
        raise InputError("--limit goes with --all")
    proving = args.all or args.unique or args.proof is not None
    default = DEFAULT_EXACT_SOLVER if proving else DEFAULT_SOLVER
    options = {name: getattr(args, name) for name in ("token_file", *ANSWER_FILES)}
    options |= {"proof": None if args.proof is None else 1, "force": 1 if args.force else None}
    return settings_of(
        args,
        solver=default if args.solver is None else args.solver,
        **{name: getattr(args, name) for name in ("reads", "seed", "time_limit")},
        options=dict(args.option) | {k: v for k, v in options.items() if v is not None},
        solutions=_wanted(args),
    )


def _check_drawn(args: Namespace, puzzles: Sequence[Problem]) -> None:
    """Refuse drawings of what has none, before any work."""
    drawn = ("plot", "url", "write", "explain")
    option = next((name for name in drawn if getattr(args, name)), "")
    for number, puzzle in enumerate(puzzles, start=1):
        if option and puzzle.names_values:
            name = terminal.name_of(puzzle, number)
            what = "a model has no picture, no player and no board"
            raise InputError(f"{name}: {what}; leave out --{option}")


def _wanted(args: Namespace) -> int:
    """How many solutions to look for."""
    if args.all:
        return ALL_LIMIT if args.limit is None else int(args.limit)
    return 2 if args.unique else 1


def _not_started(count: int) -> None:
    if count > 0:  # -1 while the last one is shown
        notice(f"{count} not started")


def _status(result: Result, args: Namespace) -> int:
    """The exit status of one result."""
    if not result.valid:
        return UNSATISFIABLE if result.status == "infeasible" else NOT_SOLVED
    enough = result.complete or len(result.solutions) >= _wanted(args)
    undecided = (args.unique and not result.unique) or (args.all and not enough)
    return NOT_SOLVED if undecided else SOLVED


def _print_request(name: str, result: Result) -> None:
    sizes = ", ".join(f"{n:,} {what}" for what, n in result.sizes.items())
    settings = result.settings
    written = (
        f"{settings['dry_run']}: {settings['request_bytes']:,} bytes; nothing was sent"
        if "request_bytes" in settings
        else "the model has no variables: there is nothing to send"
    )
    request = f"{settings['request']}; " if "request" in settings else ""
    say(f"{name}: {result.formulation}, {sizes}; {request}{written}")


def _print_result(result: Result, steps: Sequence[Hint], args: Namespace) -> None:
    address = _solved_address(result) if args.url else None
    if args.json:
        extra: dict[str, Any] = {"solved_url": address} if args.url else {}
        if args.explain:
            extra["steps"] = [step.to_dict() for step in steps]
        say(json.dumps(result.to_dict() | extra))
        return
    lines = [terminal.heading(result.problem), *_pictures(result)]
    lines.append(result.summary(verbose=args.verbose))
    lines += _on_qubits(result)
    lines += [f"  the service warns: {w}" for w in result.settings.get("warnings", ())]
    if "ended_by" in result.settings:
        lines.append(f"  ended early: {result.settings['ended_by']}")
    broken = result.violations
    lines += [f"  {each.rule}: {each.message}" for each in broken[:VIOLATIONS_SHOWN]]
    if len(broken) > VIOLATIONS_SHOWN:
        lines.append(f"  ... and {len(broken) - VIOLATIONS_SHOWN} more (--json lists all)")
    lines += _what_proves(result)
    lines += lines_of(steps) if args.explain and result.valid else []
    say(*filter(None, [*lines, address]))


def _steps(result: Result) -> list[Hint]:
    """The way from the empty board to the answer; none if there is no answer."""
    from qubopuzzle.reasons.hints import steps

    problem: Any = result.problem
    return [*steps(problem)] if result.valid else []


def _what_proves(result: Result) -> Iterator[str]:
    """Where nothing is known: the solver that would decide it."""
    if result.status != "unknown":
        return
    from qubopuzzle.solvers import all_solvers  # imports them all
    from qubopuzzle.solving.settings import DEFAULT_EXACT_SOLVER

    solver = all_solvers().get(result.solver)
    if not (solver is not None and solver.exact):
        yield f"  --solver {DEFAULT_EXACT_SOLVER} finds an answer, or proves that there is none"


def _on_qubits(result: Result) -> Iterator[str]:
    """How the model lay on a graph of qubits, if it did."""
    settings = result.settings
    if "broken_reads" not in settings:
        return
    strength = settings["chain_strength_used"]
    coupled = "" if strength is None else f", chain strength {strength:.4g}"
    yield (
        f"  {settings['qpu']}, {settings['qpu_topology']}: {settings['qubits']:,} qubits, "
        f"chains of up to {settings['longest_chain']}{coupled}; "
        f"{settings['chain_break_fraction']:.2%} of chains broken, "
        f"in {settings['broken_reads']:,} of {result.reads:,} reads"
    )


def _solved_address(result: Result) -> str | None:
    """An address that opens the solved board, or None and a line on standard error."""
    from qubopuzzle.files.puzzles import solved_address

    name = result.problem.id or result.problem.name
    if result.grid is None or not result.valid:
        notice(f"{name}: not solved, so there is no address")
        return None
    try:
        return solved_address(result.problem, result.grid)
    except InputError as error:
        notice(f"{name}: --url: {error}")
        return None


def _pictures(result: Result) -> Iterator[str]:
    """The answer; of several all, and of two the cells marked where they differ."""
    if not result.answers:
        yield terminal.text(result.problem.picture())
        return
    if len(result.answers) == 1:
        yield terminal.answer_text(result.answers[0])
        return
    differ = frozenset(map(tuple, result.differing().tolist() if len(result.answers) == 2 else ()))
    for number, answer in enumerate(result.answers, start=1):
        yield f"solution {number}:"
        yield terminal.answer_text(answer, differ)
    if differ:
        what = "values" if result.picture() is None else "cells, marked"
        yield f"they differ in {len(differ)} {what}"


def _write_film(path: Path | None, steps: Sequence[Hint]) -> None:
    from qubopuzzle.base.writing import film_format, write_whole

    if path is None:
        return
    from qubopuzzle.reasons.hints import film

    if not steps:
        notice(f"{path}: not written: there is no answer")
        return
    with at(str(path)):
        write_whole(path, film(steps, film_format(path)))


def _write_proof(path: Path | None, result: Result) -> None:
    from qubopuzzle.base.writing import write_whole

    if path is None:
        return
    if result.proof is None:
        why = result.verdict
        if result.valid and not result.complete:
            why = "there is a solution; --unique proves that there is no other"
        notice(f"{path}: not written: {why}")
        return
    write_whole(path.with_name(f"{path.name}.cnf"), result.proof.formula.encode())
    write_whole(path, result.proof.drat.encode())


def _write_samples(path: Path | None, result: Result) -> None:
    from qubopuzzle.base.writing import write_whole

    if path is None:
        return
    if result.samples is None:
        notice(f"{path}: not written: there is no sample: {result.verdict}")
        return
    data = result.samples.to_serializable()  # type: ignore[no-untyped-call]
    write_whole(path, json.dumps(data).encode())


def _write_trace(path: Path | None, result: Result) -> None:
    if path is None:
        return
    if result.trace is None:
        notice(f"{path}: not written: {result.solver} passed through no state: {result.verdict}")
        return
    result.trace.save(path)
