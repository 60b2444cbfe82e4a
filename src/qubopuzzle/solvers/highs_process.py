"""HiGHS on an MPS file, in a process of its own: ``python -P highs_process.py FILES NUMBERS``.

Some versions of highspy and of OR-Tools cannot be imported in one process, and a process can
be ended at any time. It writes what CBC writes: a line with the status, then a line
``number name value cost`` for each variable that is not 0.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main(problem: str, solution: str, seconds: str, threads: str, seed: str) -> None:
    """Solve the file ``problem`` and write ``solution``; ``seconds`` may be ``inf``."""
    highspy: Any = import_module("highspy")
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("time_limit", float(seconds))
    highs.setOptionValue("threads", int(threads))
    highs.setOptionValue("random_seed", int(seed))
    if highs.readModel(problem) == highspy.HighsStatus.kError:
        sys.exit("HiGHS does not read the model")
    highs.run()
    kinds = highspy.HighsModelStatus
    status = {
        kinds.kOptimal: "Optimal",
        kinds.kModelEmpty: "Optimal",
        kinds.kInfeasible: "Infeasible",
        # Variables of 0 and 1 leave nothing unbounded.
        kinds.kUnboundedOrInfeasible: "Infeasible",
        kinds.kTimeLimit: "Stopped on time",
    }.get(highs.getModelStatus(), highs.modelStatusToString(highs.getModelStatus()))
    values = list(highs.getSolution().col_value)
    found = highs.getInfo().primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    if not found and status != "Infeasible":
        status += " (no integer solution)"
    lines = [f"{i} x{i} {value} 0" for i, value in enumerate(values) if found and value]
    Path(solution).write_text("\n".join([status, *lines, ""]))


if __name__ == "__main__":
    main(*sys.argv[1:])
