"""One run in a process of its own, under a hard limit: whatever it does, a row comes back."""

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from tempfile import TemporaryDirectory
from typing import Any

from qubopuzzle.bench.plan import Job
from qubopuzzle.errors import InputError, QubopuzzleError
from qubopuzzle.model import ModelBuilder
from qubopuzzle.processes import Crashed, OutOfMemory, Overrun, Worker, say
from qubopuzzle.solvers import get_solver
from qubopuzzle.solving.solve import solve

_STATUSES = {Overrun: "killed", OutOfMemory: "out of memory", Crashed: "crashed"}
_KEPT = (
    "encoding",
    "sizes",
    "energy",
    "objective",
    "bound",
    "optimal",
    "proved_by",
    "relaxed",
    "reads",
    "timings_s",
    "versions",
)
_MEMORY_SHARE = 0.75
"""Of the machine's memory, where no limit is given."""
_WARM_UP_S = 1.0


def execute(job: Job, scratch: str) -> dict[str, Any]:
    """Run a job and return its row; see ``docs/comparing.md`` for the keys.

    Args:
        scratch: a folder for the run's temporary files; none is left in it, unless this
            process is killed.

    Raises:
        KeyboardInterrupt: on Ctrl-C; the run is ended and lost.
    """
    plan, puzzle, kind = job.plan, job.instance.puzzle, type(job.instance.puzzle)
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise InputError(
            f"puzzle class {kind.__qualname__} cannot be imported by the process of a run; "
            "move it to a module"
        )
    row = job.columns()
    run = {
        "solver": job.solver.name,
        "formulation": plan.formulation,
        "presolve": job.solver.presolve,
        "seed": job.seed,
        "time_limit": plan.time_limit,
        "options": dict(job.solver.options),
    }
    started = datetime.now(UTC).isoformat(timespec="seconds")
    clock, peaks = time.perf_counter(), list[float]()
    with (
        TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as own,
        Worker(
            memory=_memory(plan.memory_limit_gib),
            # What it leaves in its folder for temporary files goes with it.
            environment=dict.fromkeys(("TMPDIR", "TEMP", "TMP"), own),
        ) as worker,
    ):
        try:
            result = worker.call(work, puzzle, run, deadline=plan.hard_limit, hear=peaks.append)
            row |= _outcome(result, plan.time_limit)
        except QubopuzzleError as error:
            status = _STATUSES.get(type(error), "refused")
            # A refusal costs nothing; every other failure, the time that it took.
            spent = None if status == "refused" else round(time.perf_counter() - clock, 6)
            row |= {"status": status, "why": str(error), "solved": False, "seconds": spent}
        row["peak_mib"] = peaks[-1] if peaks else None
    wall = time.perf_counter() - clock
    return row | {"wall_s": round(wall, 3), "started": started}


def _memory(gib: float | None) -> int | None:
    if gib is not None:
        return int(gib * 2**30)
    with suppress(ValueError, AttributeError):
        return int(_MEMORY_SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return None


def _outcome(result: Mapping[str, Any], time_limit: float) -> dict[str, Any]:
    """The keys of a row that say how a run went that ended by itself."""
    build, solve_s = (
        round(sum(result["timings_s"][stage] for stage in stages), 6)
        for stages in (("model", "presolve", "compile"), ("solve", "decode"))
    )
    if not (result["valid"] or result["status"] == "unsatisfiable"):
        status = "not solved"
    elif result["objective"] is None and build + solve_s > time_limit:
        status = "late"  # with an objective, most solvers use all the time there is
    else:
        status = "valid" if result["valid"] else "proved none"
    return {
        "status": status,
        "why": "",
        "solved": status in ("valid", "proved none"),
        "seconds": round(build + solve_s, 6),
        "build_s": build,
        "solve_s": solve_s,
        **{name: result[name] for name in _KEPT},
        "solution": result["solution"] if result["valid"] else None,
        "violations": len(result["violations"]),
    }


# --- in the process of the run ---------------------------------------------------------


def work(puzzle: Any, run: Mapping[str, Any]) -> dict[str, Any]:
    """The result as plain data, with ``sizes`` of the model; says ``peak_mib`` whatever happens.

    Args:
        run: keywords of ``solve``.
    """
    try:
        _warm_up(run["solver"], run["options"])
        result = solve(puzzle, **run)
        return result.to_dict() | {"sizes": dict(result.sizes)}
    finally:
        say(_peak_mib())


def _warm_up(solver: str, options: Mapping[str, Any]) -> None:
    """Solve a model of one bit, unmeasured: a fresh process imports as it goes along.

    Services in the cloud are not asked.
    """
    builder = ModelBuilder()
    builder.exactly_one("one", [[builder.bit("bit")]])
    with suppress(QubopuzzleError):  # if it is serious, the run says so too
        if not get_solver(solver).remote:
            solve(builder.build(), solver, options=options, reads=1, seed=0, time_limit=_WARM_UP_S)


def _peak_mib() -> int | None:
    """Most memory that this process held at once; None where the system does not say."""
    with suppress(ImportError, AttributeError):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 2**20
    return None
