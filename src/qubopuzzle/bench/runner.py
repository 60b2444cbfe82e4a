"""One run in a process of its own, under a hard limit: whatever it does, a row comes back."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from qubopuzzle.bench.plan import Job
from qubopuzzle.bench.worker import work
from qubopuzzle.errors import InputError, QubopuzzleError
from qubopuzzle.processes import Crashed, OutOfMemory, Overrun, Worker

SOLVED = ("valid", "proved none")
_STATUSES = {Overrun: "killed", OutOfMemory: "out of memory", Crashed: "crashed"}
_BUILDING = ("model", "presolve", "compile")
_SOLVING = ("solve", "decode")
_KEPT = ("encoding", "sizes", "energy", "proved_by", "relaxed", "reads", "timings_s", "versions")
_MEMORY_SHARE = 0.75
"""Of the machine's memory, where no limit is given."""


def execute(job: Job) -> dict[str, Any]:
    """Run a job and return its row; see ``docs/comparing.md`` for the keys.

    Raises:
        KeyboardInterrupt: on Ctrl-C; the run is ended and lost.
    """
    _check_class(type(job.instance.puzzle))
    puzzle = job.instance.puzzle
    row: dict[str, Any] = {
        "key": job.key,
        "instance": job.instance.label,
        "puzzle": puzzle.name,
        "cells": job.instance.cells,
        **job.about(),
        "exact": job.solver.exact,
    }
    run = {
        "solver": job.solver.name,
        "formulation": job.plan.formulation,
        "presolve": job.plan.presolve,
        "seed": job.seed,
        "time_limit": job.plan.time_limit,
        "options": dict(job.solver.options),
    }
    started = datetime.now(UTC).isoformat(timespec="seconds")
    clock = time.perf_counter()
    with (
        tempfile.TemporaryDirectory(prefix="qubopuzzle-", ignore_cleanup_errors=True) as scratch,
        Worker(
            memory=_memory(job.plan.memory_limit_gib),
            # What it leaves in its folder for temporary files goes with it.
            environment=dict.fromkeys(("TMPDIR", "TEMP", "TMP"), scratch),
        ) as worker,
    ):
        try:
            result = worker.call(work, puzzle, run, deadline=job.plan.hard_limit)
            row |= _came(result, job.plan.time_limit)
        except QubopuzzleError as error:
            status = _STATUSES.get(type(error), "refused")
            # A refusal costs nothing; every other failure, the time that it took.
            spent = None if status == "refused" else round(time.perf_counter() - clock, 6)
            row |= {"status": status, "why": str(error), "solved": False, "seconds": spent}
        row["peak_mib"] = worker.said[-1] if worker.said else None
    wall = time.perf_counter() - clock
    return row | {"wall_s": round(wall, 3), "started": started}


def _check_class(kind: type) -> None:
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise InputError(
            f"puzzle class {kind.__qualname__} cannot be imported by the process of a run; "
            "move it to a module"
        )


def _memory(gib: float | None) -> int | None:
    if gib is not None:
        return int(gib * 2**30)
    with suppress(ValueError, AttributeError):
        return int(_MEMORY_SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return None


def _came(result: dict[str, Any], limit: float) -> dict[str, Any]:
    """The keys of a row that tell what came of a run that ended by itself."""
    build, solve = (
        round(sum(result["timings_s"][stage] for stage in stages), 6)
        for stages in (_BUILDING, _SOLVING)
    )
    status = _status(result, build + solve, limit)
    row = {"status": status, "why": "", "solved": status in SOLVED}
    row |= {"seconds": round(build + solve, 6), "build_s": build, "solve_s": solve}
    row |= {name: result[name] for name in _KEPT}
    row["solution"] = result["solution"] if result["valid"] else None
    row["violations"] = len(result["violations"])
    return row


def _status(result: dict[str, Any], seconds: float, limit: float) -> str:
    answered = result["valid"] or result["status"] == "unsatisfiable"
    if not answered:
        return "not solved"
    if seconds > limit:
        return "late"
    return "valid" if result["valid"] else "proved none"
