"""``dimod:module:Class``: any dimod sampler that is installed, under its own options.

All reads are asked for in one call, because a foreign sampler may be a cloud; a time
limit is handed on where the sampler has ``time_limit`` and is else not enforced.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError, SolverFailed, SolverUnavailable
from qubopuzzle.solvers.sampler import Call, SamplerSolver


class ForeignSampler(SamplerSolver):
    """A sampler that a user names; ``address`` is ``module:Class``."""

    def __init__(self, address: str) -> None:
        super().__init__(f"dimod:{address}", address, reads_per_call=None, about="a dimod sampler")

    def make(self) -> Any:
        """The sampler; SolverUnavailable if it cannot be made (no token, no device)."""
        try:
            return super().make()
        except (InputError, SolverUnavailable):
            raise
        except Exception as error:
            raise SolverUnavailable(f"{self.name}: {_first_line(error)}") from error

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options by the sampler's own names; text is read as a Python literal if it is one."""
        known = _accepted(self.make()) if options else set()
        for name in options:
            if name not in known:
                names = ", ".join(sorted(known))
                raise InputError(f"{self.name} has no option {name!r}; it has: {names}")
        return {name: _literal(value) for name, value in options.items()}

    def versions(self) -> dict[str, str]:
        """The version that the sampler's package says it has."""
        package = self.sampler.partition(":")[0].partition(".")[0]
        return {package: str(getattr(import_module(package), "__version__", "unknown"))}

    def call(self, sampler: Any, compiled: Compiled, call: Call) -> Any:
        """One call, with those of num_reads, seed and time_limit that the sampler takes."""
        arguments: dict[str, Any] = {"num_reads": call.reads, "seed": call.seed()}
        if call.budget.time_limit is not None:
            arguments["time_limit"] = max(call.budget.seconds_left(), 0.001)
        known = _accepted(sampler)
        arguments = {name: value for name, value in arguments.items() if name in known}
        try:
            return sampler.sample(compiled.payload, **{**arguments, **call.options})
        except Exception as error:
            raise SolverFailed(f"{self.name}: {_first_line(error)}") from error


def _accepted(sampler: Any) -> set[str]:
    """Names of the arguments that a sampler's ``sample`` takes."""
    signature = set(inspect.signature(sampler.sample).parameters)
    return (signature | set(getattr(sampler, "parameters", None) or ())) - {"bqm", "kwargs"}


def _literal(value: Any) -> Any:
    try:
        return ast.literal_eval(value) if isinstance(value, str) else value
    except (ValueError, SyntaxError):
        return value


def _first_line(error: Exception) -> str:
    line = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {line[:200]}"
