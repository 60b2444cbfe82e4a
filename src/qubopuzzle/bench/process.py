"""One run in a process of its own, under a hard limit: whatever it does, a row comes back.

A plain child process and not a pool: an experiment wants a fresh interpreter a run, and a
library function must work in a script without ``if __name__ == "__main__"`` and in a
notebook, where multiprocessing's spawn does not.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from qubopuzzle.bench.plan import Job
from qubopuzzle.errors import InputError

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
    message = json.dumps(_message(job)).encode()
    started = datetime.now(UTC).isoformat(timespec="seconds")
    clock = time.perf_counter()
    # Files and not pipes: whatever a solver prints, and whoever inherits the streams, the
    # end of the process is the end of the run.
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
    # The child finds what we find: samplers and puzzles in files of the user's own, too.
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "qubopuzzle.bench.child"],
        stdin=given,
        stdout=answers,
        stderr=noise,
        env={
            **os.environ,
            "PYTHONPATH": path,
            "PYTHONIOENCODING": "utf-8",
            **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), scratch),
        },
        start_new_session=True,  # Ctrl-C is ours; and its own children end with it
    )
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


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
    why = _ending(code) + (f": {said}" if said else "")
    if any(sign in words for sign in _NO_MEMORY):
        return {"status": "out of memory", "why": why}
    return {"status": "crashed", "why": why}


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with status {code} and no answer"
    name = signal.Signals(-code).name
    hint = ", as a system short of memory does" if name == "SIGKILL" else ""
    return f"ended by {name}{hint}"


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
