"""A model in the form that a solver, or another tool, takes: what all targets have."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.encoding import ENCODINGS, Encoding
from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.model import IntArray, Model, Objective


@dataclass(frozen=True, eq=False, repr=False)
class Compiled(ABC):
    """What ``compile_model`` returns, one subclass a target.

    Variables are numbered from 0: first those of the choices, then slack, then auxiliary ones
    of exact targets, which have no label and are left out of ``encode``.

    Attributes:
        bits: how its choices became variables.
    """

    bits: Encoding

    @property
    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """Numbers to report: ``variables`` first, then couplings, constraints, clauses or rows."""

    def __repr__(self) -> str:
        sizes = ", ".join(f"{n:,} {what}" for what, n in self.sizes.items())
        return f"<{type(self).__name__} {self.source.id!r}: {sizes}>"

    @property
    def source(self) -> Model:
        """The model that it was compiled from."""
        return self.bits.model

    @property
    def encoding(self) -> str | None:
        """How choices became bits, ``one-hot`` or ``domain-wall``; None for other targets."""
        return self.bits.name if self.bits.name in ENCODINGS else None

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
        """The bits of each one-hot choice: exactly one of them is 1 in a valid assignment."""
        first, one_hot = self.bits.first_bit.tolist(), ~self.bits.domain_wall
        return tuple(range(first[c], first[c + 1]) for c in np.flatnonzero(one_hot))

    @property
    def has_objective(self) -> bool:
        """Whether valid assignments differ in what they are worth."""
        return self.source.objective is not None

    @property
    def omitted(self) -> tuple[str, ...]:
        """Rules that the model leaves out, see ``Model``."""
        return self.source.omitted

    @property
    def restricted(self) -> tuple[str, ...]:
        """Rules that the model narrows, see ``Model``."""
        return self.source.restricted

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
        """No assignment that breaks a constraint costs less than this; valid ones cost nothing."""
        return 1

    @property
    def unit(self) -> float:
        """The least difference in energy that matters: the gap, or the objective's, if smaller."""
        return self.gap


@dataclass(frozen=True, eq=False, repr=False)
class WeightedModel(Compiled):
    """The model itself, its literals as variables, and a penalty weight for each family."""

    weights: Mapping[str, float]

    @property
    def sizes(self) -> dict[str, int]:
        """Literals, linear rows and precedences together."""
        constraints = sum(len(block.lower) for block in self.source.linear)
        constraints += sum(len(block.first) for block in self.source.precedence)
        return {"variables": self.n_bits, "constraints": constraints}


_WIDEST = 1e100


def size_of(objective: Objective) -> float:
    """What the sizes of an objective's coefficients add up to.

    Raises:
        InputError: for more than 1e100 or less than 1e-100, which penalties and bounds cannot bear.
    """
    with np.errstate(over="ignore"):
        total = float(np.abs(objective.linear).sum() + np.abs(objective.couplings.data).sum())
    if total and not 1 / _WIDEST < total < _WIDEST:
        raise InputError(
            f"the objective's coefficients add up to {total:.3g}; scale them to be nearer to 1"
        )
    return total


def sure_weight(model: Model, *, walls: bool = False) -> int:
    """A penalty weight at which no broken constraint pays: 1, or more than the objective's range.

    The range is bounded by the least and greatest cost of each choice, and all couplings. With
    ``walls`` choices may be broken domain walls, whose literals are -1, too, so that products
    change their sign and one range more is to be gained for every rise of a wall.
    """
    objective = model.objective
    if objective is None or not len(model.choices):
        return 1
    size_of(objective)
    first = model.first_literal[:-1]
    high, low = (f.reduceat(objective.linear, first) for f in (np.maximum, np.minimum))
    ranges, products = high - low, np.abs(objective.couplings.data).sum()
    more = ranges.max() + products if walls else 0
    return 1 + ceil(float(ranges.sum() + products + more))


def check_weights(
    families: Sequence[str], weights: Mapping[str, float] | None, default: float = 1
) -> dict[str, float]:
    """A weight for each family: the given one, or the default.

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
    return {family: given.get(family, default) for family in families}
