"""One run in a process of its own, under a hard limit: whatever it does, a row comes back.

A plain child process and not a pool: an experiment wants a fresh interpreter a run, and a
library function must work in a script without ``if __name__ == "__main__"`` and in a
notebook, where multiprocessing's spawn does not.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from typing import IO, Any

from qubopuzzle.bench.plan import Job
from qubopuzzle.errors import InputError
from qubopuzzle.processes import end, ending, start_python

SOLVED = ("valid", "proved none")
_NO_MEMORY = (
    "MemoryError",
    "bad_alloc",
    "out of memory",
    "Cannot allocate memory",
    "Memory allocation still failed",
)
_BUILDING = ("model", "presolve", "compile")
_SOLVING = ("solve", "decode")


def execute(job: Job) -> dict[str, Any]:
    """Run a job and return its row; see ``docs/comparing.md`` for the keys.

    Raises:
        KeyboardInterrupt: on Ctrl-C; the run is ended and lost.
    """
    # Files and not pipes: whatever a solver prints, and whoever inherits the streams, the
    # end of the process is the end of the run.
    message = json.dumps(_message(job)).encode()
    started = datetime.now(UTC).isoformat(timespec="seconds")
    clock = time.perf_counter()
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as answers,
        tempfile.TemporaryFile() as noise,
        tempfile.TemporaryDirectory(prefix="qubopuzzle-", ignore_cleanup_errors=True) as scratch,
    ):
        given.write(message)
        given.seek(0)
        code = _run(given, answers, noise, scratch, job.plan.hard_limit)
        wall = time.perf_counter() - clock
        came = _came(code, answers, noise, job.plan.hard_limit)
    return _row(job, came, wall) | {"wall_s": round(wall, 3), "started": started}


def _message(job: Job) -> dict[str, Any]:
    kind = type(job.instance.puzzle)
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise InputError(
            f"puzzle class {kind.__qualname__} cannot be imported by the process of a run; "
            "move it to a module"
        )
    return {
        "parent": os.getpid(),
        "memory_limit_gib": job.plan.memory_limit_gib,
        "class": [kind.__module__, kind.__qualname__],
        "puzzle": job.instance.data,
        "run": {
            "solver": job.solver.name,
            "formulation": job.plan.formulation,
            "presolve": job.plan.presolve,
            "seed": job.seed,
            "time_limit": job.plan.time_limit,
            "options": dict(job.solver.options),
        },
    }


def _run(
    given: IO[bytes], answers: IO[bytes], noise: IO[bytes], scratch: str, limit: float
) -> int | None:
    """The exit status of the child; None if it was ended at the limit.

    What it leaves in ``scratch``, its folder for temporary files, goes with it.
    """
    scratch_variables = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), scratch)
    process = start_python("qubopuzzle.bench.child", given, answers, noise, scratch_variables)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        end(process)


def _came(code: int | None, answers: IO[bytes], noise: IO[bytes], limit: float) -> dict[str, Any]:
    """What the child says; or, if it says nothing, what became of it."""
    if code is None:
        return {"status": "killed", "why": f"still running after {limit:g} s"}
    answers.seek(0)
    try:
        came: dict[str, Any] = json.loads(answers.read())
        return came
    except ValueError:
        pass
    noise.seek(max(0, noise.seek(0, os.SEEK_END) - 4096))
    words = noise.read().decode(errors="replace")
    said = (words.strip().splitlines() or [""])[-1][:200]
    why = ending(code) + (f": {said}" if said else "")
    if any(sign in words for sign in _NO_MEMORY):
        return {"status": "out of memory", "why": why}
    return {"status": "crashed", "why": why}


def _row(job: Job, came: dict[str, Any], wall: float) -> dict[str, Any]:
    puzzle = job.instance.puzzle
    row: dict[str, Any] = {
        "key": job.key,
        "instance": job.instance.label,
        "puzzle": puzzle.name,
        "cells": job.instance.cells,
        **job.about(),
        "exact": job.solver.exact,
    }
    result = came.get("result")
    if result is None:
        # A refusal costs nothing; every other failure, the time that it took.
        spent = None if came["status"] == "refused" else round(wall, 6)
        row |= {"status": came["status"], "why": came["why"], "solved": False, "seconds": spent}
        return row | {"peak_mib": came.get("peak_mib")}
    build, solve = (
        round(sum(result["timings_s"][stage] for stage in stages), 6)
        for stages in (_BUILDING, _SOLVING)
    )
    status = _status(result, build + solve, job.plan.time_limit)
    row |= {"status": status, "why": "", "solved": status in SOLVED}
    row |= {"seconds": round(build + solve, 6), "build_s": build, "solve_s": solve}
    row |= {"encoding": result["encoding"], "sizes": came["sizes"], "peak_mib": came["peak_mib"]}
    row["solution"] = result["solution"] if result["valid"] else None
    kept = ("energy", "violations", "proved_by", "relaxed", "reads", "timings_s", "versions")
    row |= {name: result[name] for name in kept}
    row["violations"] = len(result["violations"])
    return row


def _status(result: dict[str, Any], seconds: float, limit: float) -> str:
    answered = result["valid"] or result["status"] == "unsatisfiable"
    if not answered:
        return "not solved"
    if seconds > limit:
        return "late"
    return "valid" if result["valid"] else "proved none"
