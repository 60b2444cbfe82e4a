"""The process of one run: reads a job from standard input, writes what came of it.

Started by ``process.py`` as ``python -m qubopuzzle.bench.child``. The bounds are set before
anything heavy is imported.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from qubopuzzle.signals import end_with

_GIB = 2**30
_DEFAULT_SHARE = 0.75
_MOST = 2**60
_WARM_UP_S = 1.0


def main() -> None:
    """Run the job; solvers may print what they like, it goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job = json.load(sys.stdin)
    end_with(job["parent"])
    bound_memory(job["memory_limit_gib"])
    json.dump(_outcome(job), answers)
    answers.flush()


def bound_memory(gib: float | None) -> None:
    """Bound the address space, and be the first that a system short of memory ends.

    Without a number the bound is three quarters of the machine's memory.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")
    with suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        limit = int(min(_DEFAULT_SHARE * physical if gib is None else gib * _GIB, _MOST))
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _outcome(job: dict[str, Any]) -> dict[str, Any]:
    try:
        from qubopuzzle.solving import solve as pipeline

        puzzle = _puzzle(job)
        _warm_up(job["run"])
        result = pipeline.solve(puzzle, **job["run"])
        return {
            "result": result.to_dict(),
            "sizes": dict(result.sizes),
            "peak_mib": _peak_mib(),
        }
    except Exception as error:
        from qubopuzzle.errors import QubopuzzleError

        if _for_want_of_memory(error):
            return {"status": "out of memory", "why": _line(error), "peak_mib": _peak_mib()}
        if isinstance(error, QubopuzzleError):
            return {"status": "refused", "why": _line(error)}
        return {"status": "crashed", "why": f"{type(error).__name__}: {_line(error)}"}


def _warm_up(run: dict[str, Any]) -> None:
    """Solve a model of one bit, unmeasured: a fresh process imports as it goes along.

    Services in the cloud are not asked.
    """
    from qubopuzzle.errors import QubopuzzleError
    from qubopuzzle.model import ModelBuilder
    from qubopuzzle.solving import solve as pipeline

    builder = ModelBuilder()
    bit = builder.literals(builder.bit("bit"))
    builder.exactly_one("one", [[bit[1]]])
    with suppress(QubopuzzleError):  # if it is serious, the run says so too
        solver, options, budget = pipeline.check_run(
            run["solver"], reads=1, seed=0, time_limit=_WARM_UP_S, options=run["options"]
        )
        compiled = pipeline.compile_model(
            builder.build(), solver.target_for(options), solver.default_encoding, None
        )
        solver.prepare()
        if not solver.remote:
            solver.solve(compiled, budget, options)


def _puzzle(job: dict[str, Any]) -> Any:
    module, name = job["class"]
    kind: Any = import_module(module)
    for part in name.split("."):
        kind = getattr(kind, part)
    return kind.from_dict(job["puzzle"])


def _for_want_of_memory(error: BaseException | None) -> bool:
    """Whether a MemoryError is behind it, however a solver wrapped it."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__
    return False


def _line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [""])[0][:300]


def _peak_mib() -> int | None:
    """Most memory that this process held at once; None where the system does not say."""
    with suppress(ImportError, AttributeError):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 2**20
    return None


if __name__ == "__main__":
    main()
