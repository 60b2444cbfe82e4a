"""``qubopuzzle compare`` for people: two tables, notes, contradictions."""

import os
import textwrap
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from qubopuzzle.base.writing import check_place, image_format, naming, write_folder, write_whole
from qubopuzzle.bench.comparison import Comparison
from qubopuzzle.bench.contradictions import Contradiction
from qubopuzzle.bench.plan import ComparisonPlan
from qubopuzzle.bench.summary import Row
from qubopuzzle.bench.tables import WITH_OBJECTIVE, brief_tables
from qubopuzzle.cli.terminal import answer_text, check_output, notice, print_table, say
from qubopuzzle.errors import InputError
from qubopuzzle.solving.judge import judge

_RARE = ("killed", "out of memory", "crashed", "refused")


def print_comparison(comparison: Comparison) -> None:
    """The runs by instance and solver, what the times are, the sums, why runs failed."""
    for table in brief_tables(comparison):
        print_table(table.columns, table.rows, right=table.numbers)
        say("")
    limits = dict.fromkeys(f"{each.time_limit:g}" for each in comparison.configurations)
    say(
        "Seconds, medians over seeds: build is model, presolve and compile; solve is",
        f"the solver and the check. A run has {' or '.join(limits)} s for both (imports and",
        "kernels apart); a failed one counts twice that in PAR-2.",
        "TTS(99%) with its 95% bootstrap interval.",
        *(textwrap.wrap(WITH_OBJECTIVE, 76) if comparison.targets else ()),
        *failure_notes(comparison),
        *(f"lost twice with what ran it: {line}" for line in comparison.lost),
    )


def failure_notes(comparison: Comparison) -> list[str]:
    """A line for each way that runs of a configuration failed, other than by the time limit."""
    failed: dict[tuple[str, str], list[Row]] = {}
    for row in comparison.rows:
        if row["status"] in _RARE:
            failed.setdefault((row["configuration"], row["status"]), []).append(row)
    lines = []
    for (name, status), rows in failed.items():
        runs = f"{len(rows)} run{'' if len(rows) == 1 else 's'}"
        why, instance = rows[0]["why"], rows[0]["instance"]
        lines.append(f"{name}, {status} ({runs}): {why} ({instance})")
    return lines


def contradiction_block(contradiction: Contradiction) -> list[str]:
    """Both sides, with both answers drawn; what to say, line by line."""
    lines = [f"DISAGREEMENT on {contradiction.summary()}"]
    for claim in (contradiction.first, contradiction.second):
        who = f"--- {', '.join(claim.who)}:"
        if not claim.exists:
            proof = f" (proved by {claim.proved_by})" if claim.proved_by else ""
            lines.append(f"{who} no solution{proof}")
        elif claim.bound is not None:
            lines.append(f"{who} no objective better than {claim.bound:.12g}")
        elif claim.answer is None:
            lines.append(f"{who} a solution")
        else:
            drawn = answer_text(judge(contradiction.instance.puzzle, claim.answer))
            lines += [f"{who} this answer, which the rules accept", drawn]
    return [*lines, "One of them is wrong: please report it, with the puzzle."]


def best_known(args: Namespace) -> dict[str, float] | str | None:
    """The objectives that ``--best-known`` names: a file, or values by name; None for none."""
    given: list[str] = args.best_known
    files = [text for text in given if "=" not in text or Path(text).exists()]
    if files and len(given) > 1:
        raise InputError("--best-known takes one file, or NAME=VALUE as often as you like")
    if files:
        return files[0]
    values = {}
    for text in given:
        name, _, value = text.rpartition("=")
        try:
            values[name] = float(value)
        except ValueError:
            raise InputError(f"--best-known {text:.60}: expected a number, got {value!r}") from None
    return values or None


def outputs(args: Namespace, sources: Sequence[str]) -> dict[str, list[Path]]:
    """The files to write, by option; InputError for those that cannot be, or are sources."""
    from qubopuzzle.bench.report import writer

    asked = {f"--{name}": getattr(args, name, None) for name in ("json", "csv", "plot", "report")}
    paths = {
        option: [Path(name) for name in (given if isinstance(given, list) else [given])]
        for option, given in asked.items()
        if given is not None
    }
    _submission(args)
    for option, folder in _folders(args).items():
        _check_new(option, folder)
    if args.stochastic_benchmark is not None:
        from qubopuzzle.bench.experiments import pandas_for

        pandas_for("--stochastic-benchmark")  # before the runs, not after them
    read = set(map(os.path.realpath, sources))
    for option, path in _each(paths):
        if os.path.realpath(path) in read:
            raise InputError(f"{option} {path}: that is a source of the comparison")
        if option == "--report":
            writer(path)
        check_output(option, str(path))
    places = [os.path.realpath(path) for _, path in _each(paths)]
    if len(set(places)) < len(places):
        raise InputError(f"{' and '.join(paths)} need different files")
    return paths


def write(comparison: Comparison, paths: Mapping[str, Sequence[Path]]) -> None:
    """The table, the plot and the reports, into those of the files that are asked for."""
    from qubopuzzle.bench.report import writer

    for option, path in _each(paths):
        if option == "--csv":
            write_whole(path, comparison.to_csv().encode())
        elif option == "--plot" and comparison.rows:
            from qubopuzzle.bench import profile

            write_whole(path, profile.draw(comparison, image_format(path)))
        elif option == "--report":
            write_whole(path, writer(path)(comparison).encode())


def check_submission(args: Namespace, plan: ComparisonPlan) -> None:
    """InputError for a submission that could not be written of these runs."""
    if args.qoblib is not None:
        from qubopuzzle.bench import qoblib

        qoblib.check_submission(plan.instances, plan.configurations, plan.repeat)


def write_folders(args: Namespace, comparison: Comparison) -> None:
    """Write the folders that are asked for, and say what is not in a submission."""
    from qubopuzzle.bench import experiments

    folders = _folders(args)
    for option, written in experiments.FORMS.items():
        if option in folders:
            write_folder(folders[option], written(comparison))
    if args.qoblib is not None:
        from qubopuzzle.bench import qoblib

        by = qoblib.Submission(**_submission(args))
        for line in qoblib.write_submission(comparison, Path(args.qoblib), by):
            notice(line)


def _submission(args: Namespace) -> dict[str, str]:
    """What is said of a submission, by option; InputError where there is none."""
    names = ("submitter", "affiliation", "reference")
    stated = {name: text for name in names if (text := getattr(args, name))}
    if stated and args.qoblib is None:
        raise InputError(f"--{next(iter(stated))} is of a submission: add --qoblib DIR")
    return stated


def _folders(args: Namespace) -> dict[str, Path]:
    """Those that are asked for, by option."""
    asked = {
        "--minto": args.minto,
        "--stochastic-benchmark": args.stochastic_benchmark,
        "--qoblib": args.qoblib,
    }
    return {option: Path(folder) for option, folder in asked.items() if folder is not None}


def _check_new(option: str, folder: Path) -> None:
    with naming(folder):
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            raise InputError(f"{option} writes to a new or empty folder")
    place = folder / "any" if folder.exists() else folder
    while not place.parent.exists():
        place = place.parent
    check_place(place)


def _each(paths: Mapping[str, Sequence[Path]]) -> Iterator[tuple[str, Path]]:
    return ((option, path) for option, several in paths.items() for path in several)
