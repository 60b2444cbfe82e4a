"""``qubopuzzle compare`` for people: two tables, notes, contradictions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from qubopuzzle.bench.comparison import Comparison, Row
from qubopuzzle.bench.contradictions import Contradiction
from qubopuzzle.bench.tables import instance_table, total_table
from qubopuzzle.cli.terminal import answer_text, check_output, print_table, say
from qubopuzzle.errors import InputError
from qubopuzzle.files.writing import image_format, write_whole
from qubopuzzle.solving.judge import judge

_RARE = ("killed", "out of memory", "crashed", "refused")


def print_comparison(comparison: Comparison) -> None:
    """The runs by instance and solver, what the times are, the sums, why runs failed."""
    print_table(*instance_table(comparison), right=(3, 6, 7, 8))
    say("")
    print_table(*total_table(comparison), right=(3, 4, 5, 6, 7))
    plan = comparison.plan
    say(
        "",
        "Seconds, medians over seeds: build is model, presolve and compile; solve is",
        f"the solver and the check. A run has {plan.time_limit:g} s for both (imports and kernels",
        "apart); a failed one counts twice that in PAR-2.",
        "TTS(99%) with its 95% bootstrap interval.",
        *failure_notes(comparison),
    )


def failure_notes(comparison: Comparison) -> list[str]:
    """A line for each way that runs of a solver failed, other than by the time limit."""
    failed: dict[tuple[str, str], list[Row]] = {}
    for row in comparison.rows:
        if row["status"] in _RARE:
            failed.setdefault((row["solver"], row["status"]), []).append(row)
    lines = []
    for (solver, status), rows in failed.items():
        runs = f"{len(rows)} run{'' if len(rows) == 1 else 's'}"
        why, instance = rows[0]["why"], rows[0]["instance"]
        lines.append(f"{solver}, {status} ({runs}): {why} ({instance})")
    return lines


def contradiction_block(found: Contradiction) -> list[str]:
    """Both sides, with both answers drawn; what to say, line by line."""
    lines = [f"DISAGREEMENT on {found.summary()}"]
    for claim in (found.first, found.second):
        who = f"--- {', '.join(claim.who)}:"
        if not claim.exists:
            proof = f" (proved by {claim.proved_by})" if claim.proved_by else ""
            lines.append(f"{who} no solution{proof}")
        elif claim.answer is None:
            lines.append(f"{who} a solution")
        else:
            drawn = answer_text(judge(found.instance.puzzle, claim.answer))
            lines += [f"{who} this answer, which the rules accept", drawn]
    return [*lines, "One of them is wrong: please report it, with the puzzle."]


def outputs(asked: Mapping[str, str | None], sources: Sequence[str]) -> dict[str, Path]:
    """The files to write, by option; InputError for those that cannot be, or are sources."""
    read = {Path(source).resolve() for source in sources}
    paths = {option: Path(name) for option, name in asked.items() if name is not None}
    for option, path in paths.items():
        if path.resolve() in read:
            raise InputError(f"{option} {path}: that is a source of the comparison")
        check_output(option, str(path))
    if len({path.resolve() for path in paths.values()}) < len(paths):
        raise InputError(f"{' and '.join(paths)} need different files")
    return paths


def write(comparison: Comparison, paths: Mapping[str, Path]) -> None:
    """The table and the plot, into those of the files that are asked for."""
    if "--csv" in paths:
        write_whole(paths["--csv"], comparison.to_csv().encode())
    if "--plot" in paths and comparison.rows:
        from qubopuzzle.bench import profile

        path = paths["--plot"]
        write_whole(path, profile.draw(comparison, image_format(path)))
