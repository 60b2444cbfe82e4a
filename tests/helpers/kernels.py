"""The same code with numba's compiler and without it."""

import os
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np

from qubopuzzle import ModelBuilder


def compiled_and_plain(code):
    """What a program prints, both ways; any warning is an error.

    Compiled it runs in this process, and without the compiler in one of its own.
    """
    printed = StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "compiling the")
        exec(code, {"__name__": "__main__"})  # noqa: S102
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
    ).stdout
    return printed.getvalue(), plain


def optimising_model(seed=0, n=6):
    """Jobs on three machines: capacities, costs, and costs of pairs on the same machine."""
    rng = np.random.default_rng([seed, 97])
    b = ModelBuilder()
    jobs = [b.choice(f"job {i}", range(3)) for i in range(n)]
    sizes = rng.integers(5, 30, n).tolist()
    for machine in range(3):
        total = sum(size * (job == machine) for size, job in zip(sizes, jobs, strict=True))
        b.add("room", total <= int(0.45 * sum(sizes)))
    for job in jobs:
        b.objective(list(job.literals), rng.integers(0, 20, 3))
    one, two = np.array([(x, y) for x in jobs[0].literals for y in jobs[1].literals]).T
    b.objective(one, rng.integers(-9, 10, len(one)), two, offset=2.5)
    return b.build()
