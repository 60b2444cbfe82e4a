"""Reports: stub."""

from collections.abc import Callable
from pathlib import Path

from qubopuzzle.bench.comparison import Comparison


def writer(path: Path) -> Callable[[Comparison], str]:
    raise NotImplementedError
