"""``dimod:module:Class``: any dimod sampler that is installed, under its own options.

All reads are asked for in one call, because the sampler may be a cloud. With a time
limit they are asked for in calls of about a second, and the limit is handed on where the
sampler has ``time_limit``; without, a read that is running when it is over is waited for.
Ctrl-C acts between calls.
"""

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any, Self

from qubopuzzle.errors import InputError, SolverUnavailable, did_you_mean, first_line
from qubopuzzle.solvers.base import OF_THE_RUN, Task, literal, of_the_run
from qubopuzzle.solvers.sampler import Batch, SamplerSolver


class DimodSampler(SamplerSolver):
    """A sampler that a user names as ``module:Class`` (or object), or hands over ready-made."""

    def __init__(self, address: str, sampler: Any = None, kind: str = "dimod") -> None:
        super().__init__(f"{kind}:{address}", address, reads_per_call=None, about="a dimod sampler")
        self._sampler = sampler

    @classmethod
    def of(cls, sampler: Any) -> Self:
        """Wrap a sampler that is there already; InputError if it is none."""
        made = type(sampler)
        if isinstance(sampler, type) and hasattr(sampler, "sample"):
            name = sampler.__name__
            raise InputError(f"solver: expected a sampler, got the class {name}; write {name}()")
        if not callable(getattr(sampler, "sample", None)):
            raise InputError(
                "solver: expected a name, a dimod sampler or a client of the Amplify SDK, "
                f"got {made.__name__}"
            )
        return cls(f"{made.__module__}:{made.__qualname__}", sampler)

    def make(self) -> Any:
        """As ``built``; InputError for a sampler that takes only models that fit its graph."""
        made = self.built()
        if has_graph(made):
            what = "samples only models that fit its graph"
            raise InputError(f"{self.name} {what}; --solver dwave:{self.sampler} embeds others")
        return made

    def built(self) -> Any:
        """The sampler; SolverUnavailable if it cannot be made (no token, no device)."""
        if self._sampler is not None:
            return self._sampler
        try:
            sampler = self.found()
            # Nothing is called that only happens to have this name, as ``os:abort``.
            if not callable(getattr(sampler, "sample", None)):
                what = "is no class or object with a method sample"
                raise InputError(f"{self.name}: {self.sampler} {what}")
            return sampler() if isinstance(sampler, type) else sampler
        except (InputError, SolverUnavailable):
            raise
        except (Exception, SystemExit) as error:
            raise SolverUnavailable(f"{self.name}: {first_line(error)}") from error

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options by the sampler's own names; text is read as a Python literal if it is one."""
        known = _accepted(self.make()) if options else set()
        for name in options:
            if name in OF_THE_RUN:
                raise InputError(f"{self.name}: {of_the_run(name, options[name])}")
            if name not in known:
                names = sorted(known - set(OF_THE_RUN))
                hint = did_you_mean(name, names, f"it has: {', '.join(names)}")
                raise InputError(f"{self.name} has no option {name!r}; {hint}")
        return {name: literal(value) for name, value in options.items()}

    def versions(self) -> dict[str, str]:
        """The version of the package that the sampler's module comes from."""
        module = self.sampler.partition(":")[0]
        for name in packages_distributions().get(module.partition(".")[0], ()):
            # A namespace such as dwave belongs to many distributions; ours has the module.
            if module.replace(".", "-").startswith(name) or "." not in module:
                return {name: version(name)}
        try:
            return {module: str(import_module(module).__version__)}
        except (ImportError, AttributeError, PackageNotFoundError):
            return {module: "unknown"}

    def may_overrun(self, task: Task) -> bool:
        """Whether the sampler has no time limit of its own."""
        return "time_limit" not in _accepted(self.make())

    def batch_size(self, batch: Batch) -> int:
        """All reads at once; under a time limit as many as take about a second."""
        if batch.task.budget.time_limit is None:
            return super().batch_size(batch)
        seconds = min(1.0, batch.task.seconds_left())
        return max(1, min(2 * batch.reads, int(seconds / max(batch.read_s, 1e-4))))

    def sample_batch(self, sampler: Any, batch: Batch) -> Iterator[Any]:
        """One call, with those of num_reads, seed and time_limit that the sampler takes."""
        if not batch.fits():
            return
        task = batch.task
        arguments: dict[str, Any] = {"num_reads": batch.reads, "seed": batch.seed()}
        if task.budget.time_limit is not None:
            arguments["time_limit"] = max(task.seconds_left(), 0.001)
        known = _accepted(sampler)
        arguments = {name: value for name, value in arguments.items() if name in known}
        sampleset = sampler.sample(task.compiled.payload, **arguments, **task.options)
        if hasattr(sampleset, "resolve"):
            sampleset.resolve()
        yield sampleset


def has_graph(sampler: Any) -> bool:
    """Whether a sampler has a graph of its own, which models are to fit."""
    from dimod import Structured  # type: ignore[attr-defined]

    return isinstance(sampler, Structured) and sampler.nodelist is not None


def _accepted(sampler: Any) -> set[str]:
    """Names of the arguments that a sampler's ``sample`` takes."""
    any_name = inspect.Parameter.VAR_KEYWORD
    signature = inspect.signature(sampler.sample).parameters
    named = {name for name, parameter in signature.items() if parameter.kind != any_name}
    return (named | set(getattr(sampler, "parameters", None) or ())) - {"bqm"}
