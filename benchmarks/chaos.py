"""What comes of commands at random in trouble: ``tests/chaos/run.py``, as a table.

    python benchmarks/chaos.py [--minutes 30] [--seed 1]

One table: chaos, a line a kind of trouble. Steps that failed are printed as they fail.
"""

from __future__ import annotations

import sys
from collections import Counter

from record import ROOT, Args, Benchmark, Cases, Row, Rows, grouped, main, markdown


def cases(args: Args) -> Cases:
    yield "chaos", measure, args


def measure(args: Args) -> list[Row]:
    sys.path[:0] = [str(ROOT / "tests" / "chaos"), str(ROOT / "tests"), str(ROOT / "src")]
    from run import run, until

    return run(args.seed, until(args.minutes, 0))


def show(rows: Rows) -> str:
    """Steps, statuses and failures by trouble, and all of them together."""
    lines = []
    for trouble, own in [*sorted(grouped(rows, "trouble").items()), (("all",), list(rows))]:
        statuses = Counter(str(row["status"]) for row in own)
        said = ", ".join(f"{status} ({n})" for status, n in sorted(statuses.items()))
        commands = len({row["command"] for row in own})
        failed = sum(bool(row["wrong"]) for row in own)
        lines.append([*trouble, str(len(own)), str(commands), said, str(failed)])
    return markdown(["trouble", "steps", "commands", "exit status (steps)", "failures"], lines)


BENCHMARKS = (Benchmark("chaos", cases, {"chaos": show}),)
SETTINGS = {"minutes": (30.0, "how long"), "seed": (1, "of everything random")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
