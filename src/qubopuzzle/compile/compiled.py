"""A model in the form that a solver, or another tool, takes: what all targets have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import Any, Protocol

from numpy.typing import NDArray

from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.model import Cut, IntArray, Model, cuts


class Bits(Protocol):
    """The map between a target's variables and the literals of its model."""

    @property
    def n_bits(self) -> int:
        """Number of variables that have a meaning in the model, slack included."""

    def labels(self) -> list[str]:
        """A readable name for each of them."""

    def decode(self, bits: NDArray[Any]) -> IntArray:
        """Literal values, shape (..., literals), of samples of shape (..., variables)."""

    def encode(self, x: NDArray[Any]) -> IntArray:
        """The variables, shape (bits,), of valid literal values."""


class Compiled(ABC):
    """What ``compile_model`` returns, one subclass a target.

    Variables are numbered from 0: first those of the choices, then slack, then auxiliary ones
    of exact targets, which have no label and are left out of ``encode``.

    Attributes:
        bits: how its choices became variables.
        encoding: the name of that, for targets that have a choice.
    """

    bits: Bits
    encoding: str | None = None

    @property
    @abstractmethod
    def source(self) -> Model:
        """The model that it was compiled from."""

    @property
    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """Numbers to report: ``variables`` first, then couplings, constraints, clauses or rows."""

    @property
    def payload(self) -> Any:
        """What a solver takes: the BQM of a QUBO, else the compiled model itself."""
        return self

    @property
    def n_bits(self) -> int:
        """Number of variables but auxiliary ones."""
        return self.bits.n_bits

    @property
    def groups(self) -> tuple[range, ...]:
        """Variables of which exactly one is 1 in every valid assignment, disjoint."""
        return ()

    @property
    def omitted(self) -> tuple[str, ...]:
        """Rules that the model leaves out, see ``Model``."""
        return self.source.omitted

    @property
    def bounded(self) -> tuple[str, ...]:
        """Rules that the model narrows, see ``Model``."""
        return self.source.bounded

    def labels(self) -> list[str]:
        """A readable name for each variable but auxiliary ones, shape (bits,)."""
        return self.bits.labels()

    def decode(self, sample: NDArray[Any]) -> IntArray:
        """Literal values of samples, shape (..., variables) to (..., literals)."""
        return self.bits.decode(sample)

    def encode(self, x: NDArray[Any]) -> IntArray:
        """The inverse for valid literal values: shape (bits,), the slack at its best."""
        return self.bits.encode(x)

    def energies(self, samples: NDArray[Any]) -> NDArray[Any] | None:  # noqa: ARG002
        """The energy of each sample, offset included, shape (samples,); None if there is none."""
        return None

    @property
    def gap(self) -> float:
        """No assignment that breaks a constraint has an energy below this; valid ones have 0."""
        return 1

    def cuts(self, x: IntArray) -> Sequence[Cut]:
        """Clauses on connectivity and cycles that literal values break; see ``model.cuts``."""
        return cuts(self.source, x)


def check_weights(families: Sequence[str], weights: Mapping[str, float] | None) -> dict[str, float]:
    """A weight for each family: the given one, or 1.

    Raises:
        InputError: for an unknown family or a weight that is not a positive number.
    """
    for family, weight in (weights or {}).items():
        if family not in families:
            known = f"this model has: {', '.join(families) or 'none'}"
            hint = did_you_mean(family, families, known)
            raise InputError(f"weight for unknown family {family!r}; {hint}")
        if not (isinstance(weight, Real) and isfinite(weight) and weight > 0):
            raise InputError(f"weight of {family} must be a positive number, got {weight!r:.40}")
    given = {f: int(w) if w == int(w) else float(w) for f, w in (weights or {}).items()}
    return {family: given.get(family, 1) for family in families}
