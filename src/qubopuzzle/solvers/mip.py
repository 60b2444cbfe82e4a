"""``mip``: mixed-integer programming by CBC (from PuLP) or HiGHS, each in its own process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import SolverFailed, SolverUnavailable
from qubopuzzle.model import Cut
from qubopuzzle.signals import end_with_parent
from qubopuzzle.solvers import highs_process
from qubopuzzle.solvers.base import Availability, Budget, Option, installed_version
from qubopuzzle.solvers.complete import CompleteSolver, OutOfTime, Sample, Search

GRACE_S = 2.0
"""A backend that is so late is ended: CBC looks at the clock only now and then."""
_BACKENDS = {"cbc": ("pulp", "mip"), "highs": ("highspy", "highs")}
"""The package of each backend and the extra of ours that installs it."""
_PROGRAMS = {"cbc": "CBC, the program that PuLP brings along", "highs": "HiGHS (highspy)"}
_SEEDS = 2**31 - 2


class _MipSearch(Search):
    """Every answer is a run of its own, over a file in a temporary folder."""

    def __init__(self, compiled: Compiled, budget: Budget, options: Mapping[str, Any]) -> None:
        self._mip, self._budget, self._options = compiled.payload, budget, options

    def next(self) -> Sample | None:
        if self._mip.contradiction:
            return None
        if not self._mip.n_variables:
            return np.zeros(0, dtype=np.int8)
        if self._budget.seconds_left() <= 0:
            raise OutOfTime
        with TemporaryDirectory(prefix="qubopuzzle-") as folder:
            status, values = self._run(Path(folder))
        backend = self._options["backend"]
        if status.startswith(("infeasible", "integer infeasible")):
            # A run that the time limit ended has proved nothing, whatever it says.
            if self._budget.seconds_left() <= 0:
                raise OutOfTime
            return None
        if status.startswith(("optimal", "stopped")) and "no integer solution" not in status:
            return self._checked(values)
        # By a clock of its own it may be a little early.
        limited = self._budget.time_limit is not None
        if self._budget.seconds_left() <= 0 or (limited and status.startswith("stopped on time")):
            raise OutOfTime
        raise SolverFailed(f"mip: {backend} stopped with status {status!r}")

    def exclude(self, sample: Sample, *, answer: bool) -> None:
        self._mip = self._mip.with_other(sample, answer=answer)

    def add(self, cut: Cut) -> None:
        self._mip = self._mip.with_cut(cut)

    def _checked(self, values: NDArray[np.float64]) -> Sample:
        """The bits of the nearest integers, if these really meet all rows and bounds."""
        rounded = np.rint(values).astype(np.int64)
        broken = self._mip.broken(rounded)
        if ((rounded < 0) | (rounded > self._mip.tops)).any() or len(broken):
            row = self._mip.label(int(broken[0])) if len(broken) else "a bound"
            raise SolverFailed(
                f"mip: the answer of {self._options['backend']} breaks {row} once its numbers "
                "are rounded; try the other backend, or an exact solver"
            )
        return rounded[: self._mip.bits.n_bits].astype(np.int8)

    def _run(self, folder: Path) -> tuple[str, NDArray[np.float64]]:
        """The backend's status in lower case and its values, shape (variables,)."""
        problem, solution, log = (folder / name for name in ("model.mps", "solution", "log"))
        problem.write_text(self._mip.to_mps(plain_names=True))
        seconds = self._budget.seconds_left()
        if seconds <= 0:
            raise OutOfTime
        seed = 1 + self._budget.seed % _SEEDS  # 0 would be CBC's word for the time of day
        command = _cbc if self._options["backend"] == "cbc" else _highs
        words = command(problem, solution, seconds, self._options["threads"], seed)
        with log.open("wb") as output:
            status = _wait(words, output, seconds)
        if status is None:
            raise OutOfTime
        if status or not solution.exists():
            last = log.read_text(errors="replace").strip().splitlines()[-1:]
            raise SolverFailed(f"mip: {self._options['backend']} failed: {' '.join(last)[:200]}")
        return _read(solution, self._mip.n_variables)


def _wait(words: list[str], output: Any, seconds: float) -> int | None:
    """Run a command; its exit status, or None if it had to be ended for the time."""
    import ctypes  # noqa: F401, before the fork: what is between fork and exec must not import

    with subprocess.Popen(  # noqa: S603
        words,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        # Whatever ends us ends it, too: CBC would go on for hours.
        preexec_fn=end_with_parent if sys.platform == "linux" else None,
    ) as process:
        try:
            return process.wait(seconds + GRACE_S if isfinite(seconds) else None)
        except subprocess.TimeoutExpired:
            return None
        finally:
            process.kill()


def _cbc(problem: Path, solution: Path, seconds: float, threads: int, seed: int) -> list[str]:
    if not _cbc_path():
        raise SolverUnavailable(
            "mip: PuLP has no CBC for this platform; use --option backend=highs "
            "(pip install 'qubopuzzle[highs]')"
        )
    limit = ["-timeMode", "elapsed", "-seconds", f"{seconds:.3f}"] if isfinite(seconds) else []
    several = ["-threads", str(threads)] if threads > 1 else []
    seeds = ["-randomSeed", str(seed), "-randomCbcSeed", str(seed)]
    task = ["-solve", "-solution", str(solution)]
    return [_cbc_path(), str(problem), *limit, *several, *seeds, *task]


@cache
def _cbc_path() -> str:
    """Where PuLP keeps CBC; nothing if it has none for this platform.

    Asked in another process: PuLP imports highspy, which keeps OR-Tools out of this one.
    """
    question = "import pulp; cbc = pulp.PULP_CBC_CMD(msg=False); print(cbc.available() or '')"
    words = [sys.executable, "-P", "-c", question]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    return answer.stdout.strip()


def _highs(problem: Path, solution: Path, seconds: float, threads: int, seed: int) -> list[str]:
    # -P: the folder of the script has modules with names of the standard library's.
    program = [sys.executable, "-P", str(highs_process.__file__)]
    return [*program, str(problem), str(solution), str(seconds), str(threads), str(seed)]


def _read(solution: Path, n_variables: int) -> tuple[str, NDArray[np.float64]]:
    status, *lines = solution.read_text().splitlines()
    values = np.zeros(n_variables)
    for line in lines:
        # CBC marks values out of bounds by two stars.
        _, name, value, *_ = line.replace("**", " ").split()
        values[int(name[1:])] = float(value)
    return status.lower(), values


class _Mip(CompleteSolver):
    name = "mip"
    target: ClassVar[str] = "mip"
    package = "pulp"
    extra = "mip"
    about = "mixed-integer programming: CBC (PuLP) or HiGHS"
    options = (
        Option("backend", str, "cbc", "what solves", choices=_PROGRAMS),
        Option("threads", int, 1, "threads that search", minimum=1, maximum=1024),
    )

    def available(self) -> Availability:
        """Whether one of the backends is installed."""
        here = super().available()
        other = installed_version("highspy")
        return here if here.ok or not other else Availability(True, version=other)

    def versions(self) -> dict[str, str]:
        """Versions of the backends that are installed."""
        packages = [package for package, _ in _BACKENDS.values()]
        return {name: found for name in packages if (found := installed_version(name))}

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options; the backend must be installed."""
        parsed = super().parse_options(options)
        backend = parsed["backend"]
        package, extra = _BACKENDS[backend]
        if not installed_version(package):
            raise SolverUnavailable(
                f"solver mip cannot run {backend} here: pip install 'qubopuzzle[{extra}]'"
            )
        return parsed

    def prepare(self) -> None:
        """Find CBC."""
        if installed_version("pulp"):
            _cbc_path()

    def search(self, compiled: Compiled, budget: Budget, options: Mapping[str, Any]) -> Search:
        """Start from the rows as they were compiled."""
        return _MipSearch(compiled, budget, options)


SOLVER = _Mip()
