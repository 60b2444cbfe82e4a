"""What all reports of a comparison say beside its tables: warnings, the commands of runs."""

import json

from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.machine import machines, shared_cores
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.results import ComparisonData

_INLINE = 4_000
"""Characters of a problem that a command quotes; a larger one is a file."""


def heading(comparison: ComparisonData) -> str:
    """What was compared, in a line."""
    rows = comparison.rows
    days = sorted({row["started"][:10] for row in rows if "started" in row})
    when = "" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    counts = {
        "configuration": len(comparison.configurations),
        "instance": len(comparison.instances),
        "run": len(rows),
    }
    counted = [f"{n:,} {what}{'' if n == 1 else 's'}" for what, n in counts.items()]
    return ", ".join([*counted, *filter(None, [when])])


def warnings(comparison: ComparisonData) -> list[str]:
    """What a reader must know before any figure."""
    messages = [f"Solvers contradict each other: {c.summary()}" for c in comparison.contradictions]
    planned = sum(comparison.planned.values())
    if not comparison.complete:
        messages.append(f"Not complete: {len(comparison.rows)} of {planned} runs are here.")
    messages += [f"Lost twice with what ran it: {line}." for line in comparison.lost]
    messages += [f"Left out: {name} ({why})." for name, why in comparison.left_out.items()]
    crowded = shared_cores(comparison.rows)
    if crowded:
        messages.append(
            f"{crowded} of {len(comparison.rows)} runs shared a core with another run for a "
            "while: their times are too long."
        )
    if len(machines(comparison.rows)) > 1:
        messages.append("Runs come from several kinds of machines, which are told apart as @1, @2.")
    return messages


def file_name(instance: Instance) -> str:
    """Of the file that an instance is saved to."""
    return f"{instance.label.replace('/', '-')}.json"


def solve_command(instance: Instance, configuration: Configuration, seed: int | str) -> str:
    """The command that repeats a run, with the problem as JSON, or as a file if that is long."""
    problem = json.dumps(instance.puzzle.to_dict(), separators=(",", ":"))
    source = problem if len(problem) <= _INLINE else file_name(instance)
    return configuration.command(source, seed)
