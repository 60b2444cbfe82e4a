"""The README's comparison: ten nonograms, three annealers, three exact solvers.

    python benchmarks/compare.py [--repeat 5] [--time-limit 10]

The same as ``qubopuzzle compare examples/ten.jsonl --solvers annealer,tempering,neal,sat,
cpsat,mip --plot docs/images/compare.svg``, with its tables as Markdown.
"""

from __future__ import annotations

import argparse

from qubopuzzle.bench.comparison import columns_and_rows, compare, total_columns_and_rows
from qubopuzzle.report.profile import draw
from record import ROOT, save, table

SOLVERS = ["annealer", "tempering", "neal", "sat", "cpsat", "mip"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="seeds of the annealers")
    parser.add_argument("--time-limit", type=float, default=10, help="seconds a run")
    args = parser.parse_args()
    found = compare(
        ROOT / "examples" / "ten.jsonl",
        SOLVERS,
        repeat=args.repeat,
        time_limit=args.time_limit,
        progress=lambda job, row: print(job.instance.label, job.solver.name, row["status"]),
    )
    assert found.complete
    assert not found.disagreements
    totals = table(*total_columns_and_rows(found))
    left_out = "; ".join(f"{name} ({why})" for name, why in found.plan.left_out.items())
    save("compare_totals", found.rows, f"{totals}\n\nLeft out: {left_out or 'none'}.")
    save("compare", found.rows, table(*columns_and_rows(found)))
    (ROOT / "docs" / "images" / "compare.svg").write_bytes(draw(found, "svg"))


if __name__ == "__main__":
    main()
