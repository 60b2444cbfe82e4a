"""An objective as exact targets take it: whole weights of literals, a variable for each product.

Coefficients become whole numbers by the least factor that makes them so. Where no small one does,
they are rounded at a scale at which they add up to about 2**47, and how much that can change
is known.

A product of two bits becomes a variable z. If its weight is above 0, nothing wants z to be true,
and "x and y -> z" is all that it takes; else everything does, and "z -> x" and "z -> y" do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, gcd, lcm

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.compile.compiled import size_of
from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.compile.qubo import objective_form
from qubopuzzle.compile.rows import Rows
from qubopuzzle.model import IntArray, Model, Objective

_LARGEST = 2.0**50
"""Of the sum of whole weights: doubles count them, and so does everything with 64 bits."""
_DENOMINATOR = 10**6
_CLOSE = 1e-15
"""A coefficient so close to a fraction, relative to itself, is that fraction."""
_TOLERANCE, _DIGITS = 1e-6, 1e-9
"""What solvers' numbers may be off, and relative to themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Cost:
    """``offset + (weights of true literals) / factor``, to be minimised.

    Attributes:
        literals: clause literals, shape (terms,), each of another variable.
        weights: whole numbers above 0, shape (terms,), without a common divisor.
        factor: of the weights.
        offset: what everything costs at least.
        error: how far this is from the objective at most: 0 if a small factor made it whole.
        definitions: clauses of the products' variables, shape (clauses, width) each.
    """

    literals: IntArray
    weights: IntArray
    factor: float
    offset: float
    error: float
    definitions: tuple[IntArray, ...]

    def value(self, total: float) -> float:
        """What the objective is at least where true literals weigh ``total`` together."""
        return self.offset + total / self.factor - self.error

    def total(self, value: float) -> int:
        """What true literals weigh together where the objective has a value."""
        return round((value - self.offset) * self.factor)

    def lifted(self, bound: float) -> float:
        """The least value that the objective can have, if a solver says that this is not below."""
        if self.error:
            return bound - self.error
        total = (bound - self.offset) * self.factor
        return self.value(ceil(total - max(_TOLERANCE, _DIGITS * abs(total))))

    def is_least(self, value: float, bound: float) -> bool:
        """Whether nothing can be better than a value, as far as doubles can tell."""
        slack = 2.5 * self.error if self.error else 0.5 / self.factor
        return value - bound <= max(slack, 4 * float(np.spacing(abs(value) + abs(self.offset))))

    def coefficients(self, lower: IntArray, upper: IntArray) -> tuple[IntArray, int]:
        """The same over variables between bounds, shape (variables,), and a constant.

        v is what it is above its lower bound, ``not v`` what it is below the upper one.
        """
        signed = np.where(self.literals > 0, self.weights, -self.weights)
        variable = np.abs(self.literals) - 1
        coefficients = np.zeros(len(lower), dtype=np.int64)
        coefficients[variable] = signed
        least = np.where(signed > 0, lower[variable], upper[variable])
        return coefficients, int(-(signed * least).sum())

    def objective(self, lower: IntArray, upper: IntArray) -> tuple[NDArray[np.float64], float]:
        """What is minimised: coefficients, shape (variables,), and a constant."""
        coefficients, constant = self.coefficients(lower, upper)
        return coefficients / self.factor, self.offset + constant / self.factor


def cost_of(bits: Encoding, fresh: Callable[[int], IntArray]) -> Cost | None:
    """The objective of a model over its bits; None if it has none.

    Args:
        fresh: makes that many new variables, and returns their numbers as in clauses.

    Raises:
        InputError: for coefficients that are too large or too small altogether.
    """
    model = bits.model
    if model.objective is None:
        return None
    objective = _between_choices(model, model.objective)
    factor, exact = _factor(objective)
    form = objective_form(bits, _scaled(objective, factor))
    linear, least = _above_least(bits, np.asarray(form.linear, dtype=np.float64))
    pairs = form.couplings.tocoo()
    product = fresh(len(pairs.data))
    coefficients = np.append(linear, pairs.data)
    literal = np.append(np.arange(1, bits.n_bits + 1), product)
    (kept,) = np.nonzero(coefficients)
    signed = coefficients[kept]
    weights, base = np.abs(signed).astype(np.int64), form.offset + least + signed.clip(max=0).sum()
    common = int(np.gcd.reduce(weights)) or 1
    return Cost(
        np.where(signed > 0, literal[kept], -literal[kept]),
        weights // common,
        factor / common,
        float(objective.offset + base / factor),
        0.0 if exact else _n_terms(objective) / factor,
        _definitions(pairs.row + 1, pairs.col + 1, product, pairs.data > 0),
    )


def cost_of_values(rows: Rows) -> Cost | None:
    """The linear objective of rows, minimised, over their variables; None if they have none.

    Raises:
        InputError: as ``cost_of``.
    """
    if not rows.cost.any():
        return None
    sign = -1.0 if rows.maximize else 1.0
    spread, largest = rows.upper - rows.lower, np.maximum(abs(rows.lower), abs(rows.upper))
    factor, exact = _factor(Objective(sign * rows.cost, scipy.sparse.csr_array((0, 0))), spread)
    whole = np.rint(sign * rows.cost * factor)
    (kept,) = np.nonzero(whole)
    signed = whole[kept].astype(np.int64)
    base = (signed * np.where(signed > 0, rows.lower[kept], rows.upper[kept])).sum()
    common = int(np.gcd.reduce(signed)) or 1
    return Cost(
        np.where(signed > 0, kept + 1, -kept - 1),
        np.abs(signed) // common,
        factor / common,
        float(sign * rows.offset + base / factor),
        0.0 if exact else float(largest.sum() / factor),
        (),
    )


def _between_choices(model: Model, objective: Objective) -> Objective:
    """Without products of two values of a choice, which are never both taken."""
    pairs = objective.couplings.tocoo()
    choice = model.choice_of_literal
    kept = choice[pairs.row] != choice[pairs.col]
    entries = pairs.data[kept], (pairs.row[kept], pairs.col[kept])
    return replace(objective, couplings=scipy.sparse.csr_array(entries, shape=pairs.shape))


def _n_terms(objective: Objective) -> int:
    return int(np.count_nonzero(objective.linear)) + int(objective.couplings.nnz)


def _factor(objective: Objective, spread: IntArray | int = 1) -> tuple[float, bool]:
    """A factor for whole coefficients, and whether it makes them so without rounding.

    ``spread`` is between how many values each literal, or variable, is.
    """
    values = np.abs(np.concatenate([objective.linear, objective.couplings.data]))
    total = max(size_of(objective), float(np.abs(objective.linear * spread).sum())) or 1.0
    # A product of two order variables' differences has four terms.
    largest = _LARGEST / 8 / total
    top, bottom = 0, 1
    for value in np.unique(values[values > 0]).tolist():
        close = Fraction(value).limit_denominator(_DENOMINATOR)
        top, bottom = gcd(top, close.numerator), lcm(bottom, close.denominator)
        if abs(float(close) - value) > _CLOSE * value or bottom > largest:
            return 2.0 ** np.floor(np.log2(largest)), False
    return float(bottom), True


def _scaled(objective: Objective, factor: float) -> Objective:
    """Whole coefficients, and no offset."""
    couplings = objective.couplings.copy()
    couplings.data = np.rint(couplings.data * factor)
    couplings.eliminate_zeros()
    return Objective(np.rint(objective.linear * factor), couplings)


def _above_least(bits: Encoding, linear: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """What values cost more than the cheapest of their choice, and what the cheapest cost."""
    choice = np.repeat(np.arange(len(bits.domain_wall)), np.diff(bits.first_bit))
    least = np.full(len(bits.domain_wall), np.inf)
    np.minimum.at(least, choice, linear)
    least[bits.domain_wall] = 0
    return linear - least[choice], float(least.sum())


def _definitions(
    first: IntArray, second: IntArray, product: IntArray, costly: NDArray[np.bool_]
) -> tuple[IntArray, ...]:
    """Clauses for products of variables, see above."""
    both = np.stack([-first, -second, product], axis=1)[costly]
    ones = [np.stack([-product, factor], axis=1)[~costly] for factor in (first, second)]
    return tuple(batch.astype(np.int64) for batch in (both, *ones) if len(batch))
