"""The energy landscape of a binary quadratic model, by the local minima that descents end in."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dimod
import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.checks import whole
from qubopuzzle.errors import InputError
from qubopuzzle.picture import check_canvas
from qubopuzzle.tempering import OneHotTemperingSampler

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GROUND_READS, _GROUND_SWEEPS = 10, 1000


@dataclass(frozen=True, slots=True, eq=False)
class Landscape:
    """Local minima of a model: single flips lead nowhere lower from there.

    Attributes:
        energy: of each local minimum that was found, shape (minima,), lowest first.
        distance: how many variables differ from the nearest lowest state that is known, shape
            (minima,).
        times: how many of the descents ended there, shape (minima,).
        lowest: the lowest energy that was found, which nothing proves to be the least.
        variables: how many the model has.
        seed: of the descents; it repeats them.
    """

    energy: NDArray[np.float64]
    distance: NDArray[np.int64]
    times: NDArray[np.int64]
    lowest: float
    variables: int
    seed: int

    @property
    def share(self) -> float:
        """Of the descents, those that ended at the lowest energy found."""
        return float(self.times[self.energy <= self.lowest + 1e-9].sum() / self.times.sum())

    def __str__(self) -> str:
        return (
            f"{self.times.sum():,} descents, {self.variables:,} variables: "
            f"{len(self.energy):,} local minima, {self.share:.1%} of the descents end at the "
            f"lowest energy found, {self.lowest:g}, on average {self.mean:.3g} above it"
        )

    @property
    def mean(self) -> float:
        """How far above the lowest energy found a descent ends, on average."""
        return float(np.average(self.energy, weights=self.times) - self.lowest)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Energy over distance; the area of a disc is the share of the descents that end there."""
        from matplotlib.pyplot import subplots

        from qubopuzzle.picture.description import PALETTE

        if ax is None:
            _, ax = subplots(figsize=(6, 3.5), layout="constrained")
        check_canvas(ax, "scatter")
        places, at = np.unique([self.distance, self.energy], axis=1, return_inverse=True)
        often = np.bincount(at, weights=self.times)
        area = 600 * often / often.sum()
        ax.scatter(places[0], places[1], s=np.maximum(area, 6), color=PALETTE[0], alpha=0.7, lw=0)
        ax.scatter(0, self.lowest, marker="x", color=PALETTE[5], label="lowest energy found")
        ax.legend(loc="upper left")
        ax.set_xlabel("variables that differ from the nearest lowest state found")
        ax.set_ylabel("energy")
        ax.set_title(
            f"{len(self.energy):,} local minima, {self.share:.1%} of descents end lowest",
            fontsize=10,
        )
        return ax


def landscape(
    bqm: dimod.BinaryQuadraticModel, *, descents: int = 1000, seed: int | None = None
) -> Landscape:
    """Where steepest descents from random states end.

    The lowest states are those of the descents and of ten short reads of replica exchange: they
    are the ground states where these found them, which nothing proves.

    >>> from qubopuzzle import Nonogram, landscape, to_bqm
    >>> puzzle = Nonogram.examples()[0]
    >>> for encoding in ("one-hot", "domain-wall"):
    ...     found = landscape(to_bqm(puzzle, encoding=encoding), descents=200, seed=1)
    ...     print(f"{found.variables} variables, {found.share:.0%} of the descents succeed")
    44 variables, 0% of the descents succeed
    30 variables, 1% of the descents succeed

    Args:
        bqm: any model of dimod's, over bits or spins.
        descents: how many.
        seed: for the states that they begin with; drawn without.

    Raises:
        InputError: for a model without variables, or numbers that cannot be used.
    """
    from dwave.samplers import SteepestDescentSampler

    descents = whole("descents", descents, 1, 10**7)
    if not bqm.num_variables:
        raise InputError("the model has no variables, and so no landscape")
    seed = secrets.randbits(31) if seed is None else whole("seed", seed, 0, 2**31 - 1)
    sampler: Any = SteepestDescentSampler()  # type: ignore[no-untyped-call]
    ends = sampler.sample(bqm, num_reads=descents, seed=seed).aggregate()
    reads = OneHotTemperingSampler().sample(
        bqm, num_reads=_GROUND_READS, num_sweeps=_GROUND_SWEEPS, seed=seed
    )
    columns = [reads.variables.index(v) for v in ends.variables]
    lowest = min(float(ends.record.energy.min()), float(reads.record.energy.min()))
    states = [ends.record.sample, reads.record.sample[:, columns]]
    energies = [ends.record.energy, reads.record.energy]
    ground = np.unique(
        np.concatenate([s[e <= lowest + 1e-9] for s, e in zip(states, energies, strict=True)]),
        axis=0,
    )
    order = np.argsort(ends.record.energy, kind="stable")
    minima = ends.record.sample[order]
    distance = np.min([(minima != state).sum(axis=1) for state in ground], axis=0)
    return Landscape(
        energy=ends.record.energy[order],
        distance=distance,
        times=ends.record.num_occurrences[order].astype(np.int64),
        lowest=lowest,
        variables=bqm.num_variables,
        seed=seed,
    )
