"""The constraint model itself with a weight for each family, for solvers that need no bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.compiled import Compiled, check_weights
from qubopuzzle.model import IntArray, Model


@dataclass(frozen=True, slots=True, eq=False)
class Literals:
    """The literals of a model as its variables."""

    model: Model

    @property
    def n_bits(self) -> int:
        """Number of literals."""
        return self.model.n_literals

    def labels(self) -> list[str]:
        """Such as ``row[3].start[1]=4``."""
        return [f"{c.name}={value}" for c in self.model.choices for value in c.values]

    def decode(self, bits: NDArray[Any]) -> IntArray:
        """The same values."""
        return np.asarray(bits, dtype=np.int64)

    encode = decode


@dataclass(frozen=True, eq=False)
class WeightedModel(Compiled):
    """A constraint model and a penalty weight for each family; variables are literals."""

    bits: Literals
    weights: Mapping[str, float]

    @property
    def source(self) -> Model:
        """The constraint model."""
        return self.bits.model

    @property
    def sizes(self) -> dict[str, int]:
        """Literals, linear rows and precedences together."""
        constraints = sum(len(block.lower) for block in self.source.linear)
        constraints += sum(len(block.first) for block in self.source.precedence)
        return {"variables": self.n_bits, "constraints": constraints}


def compile_weighted(model: Model, weights: Mapping[str, float] | None = None) -> WeightedModel:
    """Check the weights; InputError for an unknown family or a weight that is not positive."""
    return WeightedModel(Literals(model), check_weights(model.families, weights))
