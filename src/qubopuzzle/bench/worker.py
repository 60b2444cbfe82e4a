"""What the process of one run does; see ``runner``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.model import ModelBuilder
from qubopuzzle.processes import say
from qubopuzzle.solving import solve as pipeline

_WARM_UP_S = 1.0


def work(puzzle: Any, run: Mapping[str, Any]) -> dict[str, Any]:
    """The result as plain data, with ``sizes`` of the model; says ``peak_mib`` whatever happens.

    Args:
        run: keywords of ``solve``.
    """
    try:
        _warm_up(run)
        result = pipeline.solve(puzzle, **run)
        return result.to_dict() | {"sizes": dict(result.sizes)}
    finally:
        say(_peak_mib())


def _warm_up(run: Mapping[str, Any]) -> None:
    """Solve a model of one bit, unmeasured: a fresh process imports as it goes along.

    Services in the cloud are not asked.
    """
    builder = ModelBuilder()
    builder.exactly_one("one", [[builder.bit("bit")]])
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


def _peak_mib() -> int | None:
    """Most memory that this process held at once; None where the system does not say."""
    with suppress(ImportError, AttributeError):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 2**20
    return None
