"""One run in a process apart, under a hard limit: whatever it does, a row comes back.

The process is kept for the next run until one fails in it, so that a run costs milliseconds
beside its own time. A run that breaks a process which others have used is tried once more in a
fresh one: what they have left there is no fault of it.
"""

import gc
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qubopuzzle.base.processes import Crashed, OutOfMemory, Overrun, WarmWorkers, Worker, say
from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.machine import machine, memory_bytes
from qubopuzzle.bench.plan import Job
from qubopuzzle.errors import InputError, QubopuzzleError
from qubopuzzle.model import ModelBuilder, probe
from qubopuzzle.model.propagation import compile_kernels
from qubopuzzle.problem import Problem
from qubopuzzle.solvers import get_solver
from qubopuzzle.solvers.base import installed_version
from qubopuzzle.solving.solve import solve

_STATUSES = {Overrun: "killed", OutOfMemory: "out of memory", Crashed: "crashed"}
_KEPT = (
    "sizes",
    "energy",
    "objective",
    "bound",
    "optimal",
    "incumbents",
    "proved_by",
    "relaxed",
    "reads",
    "timings_s",
    "versions",
)
_MEMORY_SHARE = 0.75
"""Of the machine's memory, where no limit is given."""
_WARM_UP_S = 1.0
_workers = WarmWorkers()
"""Of this process, where it is one of an executor's."""


def execute(job: Job, workers: WarmWorkers = _workers) -> dict[str, Any]:
    """Run a job and return its row; see ``docs/comparing.md`` for the keys.

    Raises:
        InputError: for a puzzle that a process cannot import, and another version of this
            package than that of whoever wants the row.
    """
    _check(job)
    memory = _memory(job.memory_limit_gib)
    for fresh in (False, True):
        with workers.borrow(memory, fresh=fresh) as worker:
            is_first = not worker.used
            outcome = _answer(worker, job)
            if is_first or outcome["status"] not in ("crashed", "out of memory"):
                break
    return job.columns() | outcome | {"machine": machine()}


def _check(job: Job) -> None:
    kind = type(job.instance.puzzle)
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise InputError(
            f"puzzle class {kind.__qualname__} cannot be imported by the process of a run; "
            "move it to a module"
        )
    here, there = installed_version("qubopuzzle"), job.identity["qubopuzzle"]
    if here != there:
        raise InputError(f"a worker has qubopuzzle {here}, and this is {there}; install one")


def _answer(worker: Worker, job: Job) -> dict[str, Any]:
    """What a row says of how a run went."""
    run = job.instance.puzzle, job.configuration, job.seed
    started = datetime.now(UTC).isoformat(timespec="microseconds")
    clock, peaks = time.perf_counter(), list[float]()
    try:
        result = worker.call(work, *run, deadline=job.hard_limit_s, hear=peaks.append)
        outcome = _outcome(result, job.configuration.time_limit)
    except QubopuzzleError as error:
        status = _STATUSES.get(type(error), "refused")
        # A refusal costs nothing; every other failure, the time that it took.
        spent = None if status == "refused" else round(time.perf_counter() - clock, 6)
        outcome = {"status": status, "why": str(error), "solved": False, "seconds": spent}
    wall = time.perf_counter() - clock
    outcome["peak_mib"] = peaks[-1] if peaks else None
    return outcome | {"wall_s": round(wall, 6), "started": started}


def _memory(gib: float | None) -> int | None:
    if gib is not None:
        return int(gib * 2**30)
    total = memory_bytes()
    return None if total is None else int(_MEMORY_SHARE * total)


def _outcome(result: Mapping[str, Any], time_limit: float) -> dict[str, Any]:
    """The keys of a row on the outcome of a run that ended by itself."""
    build, solve_s = (
        round(sum(result["timings_s"][stage] for stage in stages), 6)
        for stages in (("model", "presolve", "compile"), ("solve", "decode"))
    )
    if not (result["valid"] or result["status"] == "infeasible"):
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


def work(puzzle: Problem, configuration: Configuration, seed: int) -> dict[str, Any]:
    """The result as plain data, with ``sizes`` of the model; says ``peak_mib`` whatever happens."""
    _warm_up(configuration)
    _reset_peak()
    try:
        result = solve(puzzle, configuration.settings(seed))
        return result.to_dict() | {"sizes": dict(result.sizes)}
    finally:
        say(_peak_mib())


_warm: set[str] = set()
"""Solvers that this process has run."""


def _warm_up(configuration: Configuration) -> None:
    """Solve a model of one bit, unmeasured, once a process: a solver imports as it goes along.

    What propagates is compiled, though the first small models could do without. Services in the
    cloud are not asked. Rubbish of the runs before is collected.
    """
    name = configuration.solver
    if name not in _warm:
        _warm.add(name)
        builder = ModelBuilder()
        builder.exactly_one("one", [[builder.bit("bit")]])
        bit = builder.build()
        with suppress(QubopuzzleError):  # if it is serious, the run says so too
            if configuration.presolve != "none":
                compile_kernels(probe)
            if not get_solver(name).remote:
                options = configuration.options
                solve(bit, name, options=options, reads=1, seed=0, time_limit=_WARM_UP_S)
        gc.collect()
        gc.freeze()  # what is imported stays, and is not looked through again
    gc.collect()


def _reset_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_mib() -> int | None:
    """Most memory that this process held at once since the run began, or (not on Linux) at all.

    None where the system does not say.
    """
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 1024
    with suppress(ImportError, AttributeError):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 2**20
    return None
