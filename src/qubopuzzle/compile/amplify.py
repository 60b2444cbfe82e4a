"""A model as a Fixstars Amplify model: native constraints, our penalties, or our QUBO.

``constraint`` mode says what each rule is, with its label and weight: a choice is
``one_hot``, any other row ``clamp`` with the bounds that it can break, the forbidden
pairs of a precedence a sum of products that equals 0. What is sent then depends on the
client: Amplify AE takes constraints natively, others get the SDK's penalties. ``qubo`` mode
gives every constraint our own penalty, slack bits and all, so that the weighted sum is our
QUBO. ``objective`` mode sends exactly that QUBO as an objective without constraints. What a
model minimises is the objective of the other two modes, and a part of that QUBO.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.compiled import Compiled, check_weights, sure_weight
from qubopuzzle.compile.encoding import AffineRows, encode_choices
from qubopuzzle.compile.lowering import ForbiddenPairs, forbidden_pairs, lowered_rows, one_hot_rows
from qubopuzzle.compile.qubo import Quadratic, check_size, compile_qubo, objective_form
from qubopuzzle.errors import InputError, Unsatisfiable
from qubopuzzle.model import IntArray, Model
from qubopuzzle.model.segments import reachable

if TYPE_CHECKING:
    import amplify

MODES = ("constraint", "qubo", "objective")


@dataclass(frozen=True, eq=False, repr=False)
class AmplifyModel(Compiled):
    """A model for Amplify, as arrays; ``model`` is the SDK's, built when it is asked for.

    Attributes:
        mode: one of ``MODES``.
        weights: by family; the QUBO of ``objective`` mode has them in it.
        choices: one-hot rows ``sum - 1 = 0``.
        rows: ``0 <= matrix @ b + base <= width``; in ``qubo`` mode at most 1 wide.
        pairs: bits that must not both be 1.
        objective: what the model minimises, if anything; the whole QUBO in ``objective`` mode,
            which has none of these three.
    """

    mode: str
    weights: Mapping[str, float]
    choices: tuple[AffineRows, ...] = ()
    rows: tuple[AffineRows, ...] = ()
    pairs: tuple[ForbiddenPairs, ...] = ()
    objective: Quadratic | None = None

    @property
    def sizes(self) -> dict[str, int]:
        """Variables, and couplings or constraints."""
        if self.objective is not None and self.mode == "objective":
            return {"variables": self.n_bits, "couplings": self.objective.n_couplings}
        rows = sum(len(block.width) for block in (*self.choices, *self.rows))
        pairs = sum(len(np.unique(pair.owner)) for pair in self.pairs)
        return {"variables": self.n_bits, "constraints": rows + pairs}

    @property
    def n_terms(self) -> int:
        """About how many terms are written and sent."""
        terms = 0 if self.objective is None else self.objective.n_terms
        lengths = [np.diff(block.matrix.indptr) for block in (*self.choices, *self.rows)]
        if self.mode == "qubo":
            lengths = [length.astype(np.int64) * (length + 1) // 2 for length in lengths]
        parts = *lengths, *(len(pair.first) for pair in self.pairs)
        return terms + sum(int(np.sum(n)) for n in parts)

    @property
    def gap(self) -> float:
        """The smallest weight."""
        return min(self.weights.values(), default=1)

    def energies(self, samples: NDArray[Any]) -> NDArray[Any]:
        """Energy of each sample, shape (samples, bits) to (samples,).

        A row missed by d costs d**2 if it is an equality, else d (d + 1) / 2, and every
        forbidden pair 1, times the family's weight, besides the objective: where rows are at most
        1 wide, the QUBO.
        """
        if self.mode == "objective" and self.objective is not None:
            return self.objective.energies(samples)
        b = samples.astype(np.int64)
        total = np.zeros(len(b)) if self.objective is None else self.objective.energies(b)
        total = total.astype(np.float64)
        for block in (*self.choices, *self.rows):
            value = (block.matrix @ b.T).T + block.base
            miss = np.maximum(np.maximum(-value, value - block.width), 0)
            cost = np.where(block.width == 0, miss**2, miss * (miss + 1) // 2)
            total += self.weights[block.family] * cost.sum(axis=1)
        for pair in self.pairs:
            broken = (b[:, pair.first] & b[:, pair.second]).sum(axis=1)
            total += self.weights[pair.family] * broken
        return total

    @property
    def model(self) -> amplify.Model:
        """The SDK's model, for any of its clients: ``amplify.solve(built.model, client)``."""
        return self._built[0]

    @property
    def variables(self) -> Any:
        """Its binary variables, an ``amplify.PolyArray`` of shape (bits,) in our order."""
        return self._built[1]

    def bits_of(self, values: Any) -> IntArray:
        """0/1 for each variable, shape (bits,), of an SDK's ``solution.values``."""
        return np.asarray(self.variables.evaluate(values)).round().astype(np.int64)

    def decode(self, sample: Any) -> IntArray:
        """Literal values of samples, shape (..., bits), or of an SDK's ``solution.values``."""
        return self.bits.decode(sample if isinstance(sample, np.ndarray) else self.bits_of(sample))

    @cached_property
    def _built(self) -> tuple[amplify.Model, Any]:
        import amplify

        generator = amplify.VariableGenerator()
        # Amplify would typeset an underscore in a name as an index.
        names = (label.replace("_", "-") for label in self.labels())
        variables = amplify.PolyArray([generator.scalar("Binary", name=name) for name in names])
        constraints = amplify.ConstraintList()
        for family, constraint in self._constraints(variables):
            if self.weights[family] != 1:
                constraint.weight = self.weights[family]
            constraints.append(constraint)
        if self.objective is None:
            return amplify.Model(constraints), variables
        objective = _polynomial(self.objective, variables)
        if self.mode == "objective":
            return amplify.Model(objective), variables
        return amplify.Model(objective, constraints), variables

    def _constraints(self, variables: Any) -> Iterator[tuple[str, amplify.Constraint]]:
        import amplify

        choice, other = ("penalty",) * 2 if self.mode == "qubo" else ("one_hot", "native")
        for blocks, form in ((self.choices, choice), (self.rows, other)):
            for block in blocks:
                for constraint in _row_constraints(block, variables, form):
                    yield block.family, constraint
        for pairs in self.pairs:  # one constraint an owner: that the sum of its products is 0
            starts = np.flatnonzero(np.diff(pairs.owner, prepend=-1)).tolist()
            for start, stop in pairwise([*starts, len(pairs.owner)]):
                first = variables.take(pairs.first[start:stop].tolist())
                second = variables.take(pairs.second[start:stop].tolist())
                label = pairs.labels(int(pairs.owner[start]))
                yield pairs.family, amplify.equal_to((first * second).sum(), 0, label=label)

    def __repr__(self) -> str:
        return f"<AmplifyModel {self.mode}: {self.n_bits} variables>"


def compile_amplify(
    model: Model,
    encoding: str = "one-hot",
    weights: Mapping[str, float] | None = None,
    *,
    mode: str = "constraint",
) -> AmplifyModel:
    """Compile for Amplify.

    Args:
        encoding: ``one-hot`` or ``domain-wall``.
        weights: weight by family; where not given 1, or more than an objective's range.
        mode: ``constraint``, ``qubo`` or ``objective``.

    Raises:
        InputError: for an unknown encoding, mode, family or a weight that is not positive.
        TooLarge: if more than ``PRODUCT_LIMIT`` products would have to be multiplied out.
        Unsatisfiable: for a constraint that no assignment can meet. The SDK would drop it
            with a warning and report an unsolvable model as solved.
    """
    if mode not in MODES:
        raise InputError(f"unknown mode {mode!r}; choose from {', '.join(MODES)}")
    model.require_local("an Amplify model")
    model.require_small("an Amplify model")
    bits = encode_choices(model, encoding)
    by_family = check_weights(
        model.families, weights, sure_weight(model, walls=encoding == "domain-wall")
    )
    rows = tuple(lowered_rows(bits))
    _refuse_contradictions(model, rows)
    if mode == "objective":
        qubo = compile_qubo(model, encoding, weights)
        return AmplifyModel(qubo.bits, mode, by_family, objective=qubo.form)
    if mode == "qubo":
        bits = bits.with_slack(rows)
        rows = tuple(slack.narrowed(bits.n_bits) for slack in bits.slack)
    check_size(bits)
    choices, pairs = tuple(one_hot_rows(bits)), tuple(forbidden_pairs(bits))
    objective = None if model.objective is None else objective_form(bits, model.objective)
    return AmplifyModel(bits, mode, by_family, choices, rows, pairs, objective)


def _refuse_contradictions(model: Model, rows: Iterable[AffineRows]) -> None:
    """Unsatisfiable for a row that, alone, no valid choices or no setting of the bits meet."""
    given = ((reachable(model, b.matrix), b.lower, b.upper, b.labels) for b in model.linear)
    affine = ((b.reach(), np.zeros_like(b.width), b.width, b.labels) for b in rows)
    for (least, greatest), lower, upper, labels in chain(given, affine):
        never = (least > upper) | (greatest < lower)
        if never.any():
            label = labels(int(np.argmax(never)))
            raise Unsatisfiable(f"{label} cannot be met by any assignment: no solution")


def _polynomial(form: Quadratic, variables: Any) -> Any:
    import amplify

    start, terms = form.couplings.indptr, []
    for row in np.flatnonzero(np.diff(start)).tolist():
        entries = slice(start[row], start[row + 1])
        others = variables.take(form.couplings.indices[entries].tolist())
        terms.append(variables[row] * (others * form.couplings.data[entries]).sum())
    nonzero = np.flatnonzero(form.linear)
    if len(nonzero):
        terms.append((variables.take(nonzero.tolist()) * form.linear[nonzero]).sum())
    return amplify.sum([*terms, amplify.Poly(form.offset)])


def _row_constraints(rows: AffineRows, variables: Any, form: str) -> Iterator[amplify.Constraint]:
    """The rows that some setting of the bits breaks.

    Args:
        form: ``one_hot``, ``native`` for equalities and ranges, or ``penalty`` with ours:
            ``t**2``, or ``t (t - 1) / 2`` if the row is 1 wide.
    """
    import amplify

    lowest, highest = rows.reach()
    low, high = lowest < 0, highest > rows.width
    start = rows.matrix.indptr.tolist()
    for row in np.flatnonzero(low | high).tolist():
        entries = slice(start[row], start[row + 1])
        coefficients, label = rows.matrix.data[entries], rows.labels(row)
        base, width = int(rows.base[row]), int(rows.width[row])
        terms = variables.take(rows.matrix.indices[entries].tolist())
        if (coefficients != 1).any():
            terms = terms * coefficients
        if form == "one_hot":
            yield amplify.one_hot(terms, label=label)
            continue
        left, lower, upper = terms.sum(), -base, width - base
        if form == "penalty":
            t = left + base
            penalty = t * (t - 1) / 2 if width else t * t
            yield amplify.Constraint(left, bounds=(lower, upper), penalty=penalty, label=label)
            continue
        least = lower if low[row] or not width else None
        most = upper if high[row] or not width else None
        yield amplify.clamp(left, (least, most), label=label)
