"""Instances that the benchmarks share: pictures made from a seed, and local collections."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from qubopuzzle import Nonogram, load, solve

COLLECTION = Path(
    os.environ.get("QUBOPUZZLE_COLLECTION", Path(__file__).parents[3] / "shared" / "puzzles")
)
"""Puzzles that are not part of this project; benchmarks use them where they are."""

GENERATED = Path(__file__).parents[1] / "generated"
"""Puzzles of our own, a file each, made by ``generated.py``."""

PUZZLES = tuple(sorted({path.stem for path in GENERATED.glob("*.jsonl")} - {"frontier"}))
"""Those that have a file."""


def smooth_picture(rows: int, cols: int, *, density: float = 0.55, seed: int = 1) -> Nonogram:
    """Blobs: white noise blurred over 1.2 cells and cut at the density's quantile."""
    noise = np.random.default_rng(seed).standard_normal((rows, cols))
    field = gaussian_filter(noise, 1.2)
    picture = (field > np.quantile(field, 1 - density)).astype(np.int64)
    return Nonogram.from_picture(picture, id=f"smooth-{rows}x{cols}-{seed}")


def noise_picture(rows: int, cols: int, *, density: float = 0.5, seed: int = 1) -> Nonogram:
    """Every cell black with the same probability: many short runs, nothing to see."""
    picture = (np.random.default_rng(seed).random((rows, cols)) < density).astype(np.int64)
    return Nonogram.from_picture(picture, id=f"noise-{rows}x{cols}-{seed}")


def collected_nonograms() -> list[Nonogram]:
    """The nonograms of the local collection; none where that is not at hand."""
    path = COLLECTION / "nonogram.jsonl"
    return load(path, "nonogram") if path.exists() else []  # type: ignore[return-value]


def warm_up(*solvers: str, **settings: Any) -> None:
    """Import and compile what the first run of a solver would."""
    for solver in solvers:
        solve(smooth_picture(5, 5), solver, seed=0, **settings)
        solve(smooth_picture(5, 5), solver, seed=0, presolve="none")  # whatever that decides
