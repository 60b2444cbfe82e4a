"""What the process of one run does; see ``runner``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.model import ModelBuilder
from qubopuzzle.processes import say
from qubopuzzle.solvers import get_solver
from qubopuzzle.solving.solve import solve

_WARM_UP_S = 1.0


def work(puzzle: Any, run: Mapping[str, Any]) -> dict[str, Any]:
    """The result as plain data, with ``sizes`` of the model; says ``peak_mib`` whatever happens.

    Args:
        run: keywords of ``solve``.
    """
    try:
        _warm_up(run)
        result = solve(puzzle, **run)
        return result.to_dict() | {"sizes": dict(result.sizes)}
    finally:
        say(_peak_mib())


def _warm_up(run: Mapping[str, Any]) -> None:
    """Solve a model of one bit, unmeasured: a fresh process imports as it goes along.

    Services in the cloud are not asked.
    """
    builder = ModelBuilder()
    builder.exactly_one("one", [[builder.bit("bit")]])
    own = {name: run[name] for name in ("solver", "options")}
    with suppress(QubopuzzleError):  # if it is serious, the run says so too
        if not get_solver(run["solver"]).remote:
            solve(builder.build(), reads=1, seed=0, time_limit=_WARM_UP_S, **own)


def _peak_mib() -> int | None:
    """Most memory that this process held at once; None where the system does not say."""
    with suppress(ImportError, AttributeError):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 2**20
    return None
