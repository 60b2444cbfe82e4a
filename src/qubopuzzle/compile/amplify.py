"""A model as a Fixstars Amplify model: native constraints, our penalties, or our QUBO.

``constraint`` mode says what each rule is, with its label and weight: a choice is
``one_hot``, an equality ``equal_to``, a range ``less_equal`` or ``clamp``, the forbidden
pairs of a precedence a sum of products that equals 0. What is sent then depends on the
client: Amplify AE takes constraints natively, others get the SDK's penalties. ``qubo`` mode
gives every constraint our own penalty, slack bits and all, so that the weighted sum is our
QUBO. ``objective`` mode sends exactly that QUBO as an objective without constraints.

``AmplifyProgram`` is arrays, which another process can build the SDK's model from;
``AmplifyModel`` builds it here when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.compiled import Compiled, check_weights
from qubopuzzle.compile.encoding import encode_choices
from qubopuzzle.compile.lowering import (
    AffineRows,
    ForbiddenPairs,
    forbidden_pairs,
    lowered_rows,
    one_hot_rows,
)
from qubopuzzle.compile.quadratic import Quadratic
from qubopuzzle.compile.qubo import check_size, compile_qubo
from qubopuzzle.compile.slack import NarrowRows
from qubopuzzle.errors import InputError, Unsatisfiable
from qubopuzzle.model import IntArray, Model
from qubopuzzle.model.propagation import reachable

if TYPE_CHECKING:
    import amplify

MODES = ("constraint", "qubo", "objective")


@dataclass(frozen=True, slots=True, eq=False)
class AmplifyProgram:
    """What an Amplify model is built from, as arrays.

    Attributes:
        mode: one of ``MODES``.
        n_variables: binary variables 0 .. n - 1; those of the choices come first.
        choices: one-hot rows ``sum - 1 = 0``.
        rows: ``0 <= matrix @ b + base <= width``; in ``qubo`` mode at most 1 wide.
        pairs: bits that must not both be 1.
        objective: the whole QUBO in ``objective`` mode, which has none of the above.
        weights: by family; the objective has them in it.
    """

    mode: str
    n_variables: int
    choices: tuple[AffineRows, ...] = ()
    rows: tuple[AffineRows, ...] = ()
    pairs: tuple[ForbiddenPairs, ...] = ()
    objective: Quadratic | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    def energies(self, bits: NDArray[Any]) -> NDArray[Any]:
        """Energy of each sample, shape (samples, variables) to (samples,).

        A row missed by d costs d**2 if it is an equality, else d (d + 1) / 2, and every
        forbidden pair 1, times the family's weight: where rows are at most 1 wide, the QUBO.
        """
        if self.objective is not None:
            return self.objective.energies(bits)
        b = bits.astype(np.int64)
        total = np.zeros(len(b))
        for block in (*self.choices, *self.rows):
            value = (block.matrix @ b.T).T + block.base
            miss = np.maximum(np.maximum(-value, value - block.width), 0)
            cost = np.where(block.width == 0, miss**2, miss * (miss + 1) // 2)
            total += self._weight(block.family) * cost.sum(axis=1)
        for pair in self.pairs:
            broken = (b[:, pair.first] & b[:, pair.second]).sum(axis=1)
            total += self._weight(pair.family) * broken
        return total

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers to report."""
        if self.objective is not None:
            return {"variables": self.n_variables, "couplings": self.objective.n_couplings}
        rows = sum(len(block.width) for block in (*self.choices, *self.rows))
        pairs = sum(len(np.unique(pair.owner)) for pair in self.pairs)
        return {"variables": self.n_variables, "constraints": rows + pairs}

    @property
    def n_terms(self) -> int:
        """About how many terms are written and sent."""
        if self.objective is not None:
            return self.objective.n_terms
        pairs = sum(len(pair.first) for pair in self.pairs)
        lengths = [np.diff(block.matrix.indptr) for block in (*self.choices, *self.rows)]
        if self.mode == "qubo":
            lengths = [length.astype(np.int64) * (length + 1) // 2 for length in lengths]
        return pairs + sum(int(length.sum()) for length in lengths)

    def unlabelled(self) -> AmplifyProgram:
        """The same without labels, which are functions: arrays only, for another process."""
        return replace(
            self,
            choices=tuple(replace(rows, labels=_no_label) for rows in self.choices),
            rows=tuple(replace(rows, labels=_no_label) for rows in self.rows),
            pairs=tuple(replace(pairs, labels=_no_label) for pairs in self.pairs),
        )

    def build(self, names: list[str] | None = None) -> tuple[amplify.Model, Any]:
        """The SDK's model, and its variables as an ``amplify.PolyArray`` in our order."""
        import amplify

        variables = _variables(self.n_variables, names)
        if self.objective is not None:
            return amplify.Model(_polynomial(self.objective, variables)), variables
        constraints = amplify.ConstraintList()
        for family, constraint in self._constraints(variables):
            weight = self._weight(family)
            if weight != 1:
                constraint.weight = weight
            constraints.append(constraint)
        return amplify.Model(constraints), variables

    def _weight(self, family: str) -> float:
        return self.weights.get(family, 1)

    def _constraints(self, variables: Any) -> Iterator[tuple[str, amplify.Constraint]]:
        choice, other = (_penalised, _penalised) if self.mode == "qubo" else (_one_hot, _native)
        for blocks, make in ((self.choices, choice), (self.rows, other)):
            for block in blocks:
                for row in _breakable(block, variables):
                    yield block.family, make(row)
        for pairs in self.pairs:
            for constraint in _pair_constraints(pairs, variables):
                yield pairs.family, constraint


@dataclass(frozen=True, eq=False)
class AmplifyModel(Compiled):
    """A model for Amplify, with the way back.

    ``bits`` are its binary variables, ``program`` the arrays that the SDK's model is built from.
    """

    bits: NarrowRows
    program: AmplifyProgram

    @property
    def source(self) -> Model:
        """The constraint model that it was compiled from."""
        return self.bits.encoding.model

    @property
    def mode(self) -> str:
        """What it sends, one of ``MODES``."""
        return self.program.mode

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """How choices became bits: ``one-hot`` or ``domain-wall``."""
        return self.bits.encoding.name

    @property
    def payload(self) -> AmplifyProgram:
        """The arrays, which another process can build the SDK's model from."""
        return self.program

    @property
    def sizes(self) -> dict[str, int]:
        """Variables, and couplings or constraints."""
        return self.program.sizes

    @property
    def groups(self) -> tuple[range, ...]:
        """The bits of each one-hot choice."""
        return self.bits.encoding.one_hot_groups()

    @property
    def gap(self) -> float:
        """The smallest weight."""
        return min(self.program.weights.values(), default=1)

    @cached_property
    def _built(self) -> tuple[amplify.Model, Any]:
        return self.program.build(self.bits.labels())

    @property
    def model(self) -> amplify.Model:
        """The SDK's model, for any of its clients: ``amplify.solve(built.model, client)``."""
        return self._built[0]

    @property
    def variables(self) -> Any:
        """Its binary variables, an ``amplify.PolyArray`` of shape (bits,) in our order."""
        return self._built[1]

    def energies(self, samples: NDArray[Any]) -> NDArray[Any]:
        """The energy of each sample, shape (samples, bits) to (samples,)."""
        return self.program.energies(samples)

    def decode(self, sample: Any) -> IntArray:
        """Literal values of samples, shape (..., bits), or of an SDK's ``solution.values``."""
        bits = sample if isinstance(sample, np.ndarray) else bits_of(self.variables, sample)
        return self.bits.decode(bits)

    def __repr__(self) -> str:
        return f"<AmplifyModel {self.mode}: {self.n_bits} variables>"


def bits_of(variables: Any, values: Any) -> IntArray:
    """0/1 for each variable, shape (variables,), of ``solution.values``."""
    bits: IntArray = np.asarray(variables.evaluate(values)).round().astype(np.int64)
    return bits


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
        weights: weight by family; 1 where not given.
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
    encoded = encode_choices(model, encoding)
    by_family = check_weights(model.families, weights)
    blocks = list(lowered_rows(encoded))
    _refuse_contradictions(model, blocks)
    if mode == "objective":
        qubo = compile_qubo(model, encoding, weights)
        program = AmplifyProgram(mode, qubo.n_bits, objective=qubo.form, weights=by_family)
        return AmplifyModel(qubo.bits, program)
    narrow = NarrowRows.of(encoded, blocks if mode == "qubo" else [])
    check_size(encoded, blocks if mode == "qubo" else [])
    n = narrow.n_bits
    program = AmplifyProgram(
        mode,
        n,
        tuple(one_hot_rows(encoded, n)),
        tuple(narrow.rows() if mode == "qubo" else blocks),
        tuple(forbidden_pairs(encoded)),
        weights=by_family,
    )
    return AmplifyModel(narrow, program)


def _refuse_contradictions(model: Model, blocks: list[AffineRows]) -> None:
    """Unsatisfiable for a row that, alone, no valid choices or no setting of the bits meet."""
    for linear in model.linear:
        least, greatest = reachable(model, linear.matrix)
        _refuse_any((least > linear.upper) | (greatest < linear.lower), linear.labels)
    for block in blocks:
        least, greatest = _reach(block)
        _refuse_any((least > block.width) | (greatest < 0), block.labels)


def _refuse_any(never: NDArray[np.bool_], labels: Callable[[int], str]) -> None:
    if never.any():
        label = labels(int(np.argmax(never)))
        raise Unsatisfiable(f"{label} cannot be met by any assignment: no solution")


def _reach(rows: AffineRows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Least and greatest value of each row over all bits, shape (rows,) each."""
    least = rows.matrix.minimum(0).sum(axis=1) + rows.base
    return least, rows.matrix.maximum(0).sum(axis=1) + rows.base


def _no_label(_: int) -> str:
    return ""


def _variables(n: int, names: list[str] | None) -> Any:
    """Binary variables; Amplify would typeset an underscore in a name as an index."""
    import amplify

    generator = amplify.VariableGenerator()
    if names is None:
        return generator.array("Binary", n)
    return amplify.PolyArray(
        [generator.scalar("Binary", name=name.replace("_", "-")) for name in names]
    )


def _polynomial(form: Quadratic, variables: Any) -> Any:
    import amplify

    rows = np.flatnonzero(np.diff(form.couplings.indptr))
    start = form.couplings.indptr
    terms = []
    for row in rows.tolist():
        own = slice(start[row], start[row + 1])
        others = variables.take(form.couplings.indices[own].tolist())
        terms.append(variables[row] * (others * form.couplings.data[own]).sum())
    nonzero = np.flatnonzero(form.linear)
    if len(nonzero):
        terms.append((variables.take(nonzero.tolist()) * form.linear[nonzero]).sum())
    return amplify.sum([*terms, amplify.Poly(form.offset)])


class _Row(NamedTuple):
    """``0 <= left.sum() + base <= width``, and which side some bits can break."""

    left: Any  # amplify.PolyArray
    base: int
    width: int
    may_undershoot: bool
    may_overshoot: bool
    label: str


def _breakable(rows: AffineRows, variables: Any) -> Iterator[_Row]:
    """The rows that some setting of the bits breaks."""
    least, greatest = _reach(rows)
    low, high = (least < 0).tolist(), (greatest > rows.width).tolist()
    start = rows.matrix.indptr.tolist()
    sizes = zip(rows.base.tolist(), rows.width.tolist(), strict=True)
    for row, (base, width) in enumerate(sizes):
        if low[row] or high[row]:
            own = slice(start[row], start[row + 1])
            coefficients = rows.matrix.data[own]
            left = variables.take(rows.matrix.indices[own].tolist())
            if (coefficients != 1).any():
                left = left * coefficients
            yield _Row(left, base, width, low[row], high[row], rows.labels(row))


def _one_hot(row: _Row) -> amplify.Constraint:
    import amplify

    return amplify.one_hot(row.left, label=row.label)


def _native(row: _Row) -> amplify.Constraint:
    import amplify

    left, lower, upper = row.left.sum(), -row.base, row.width - row.base
    if row.width == 0:
        return amplify.equal_to(left, lower, label=row.label)
    if not row.may_undershoot:
        return amplify.less_equal(left, upper, label=row.label)
    if not row.may_overshoot:
        return amplify.greater_equal(left, lower, label=row.label)
    return amplify.clamp(left, (lower, upper), label=row.label)


def _penalised(row: _Row) -> amplify.Constraint:
    """With our penalty: ``t**2``, or ``t (t - 1) / 2`` if the row is 1 wide."""
    import amplify

    left, lower, label = row.left.sum(), -row.base, row.label
    t = left + row.base
    if row.width == 0:
        return amplify.Constraint(left, eq=lower, penalty=t * t, label=label)
    penalty = t * (t - 1) / 2
    return amplify.Constraint(left, bounds=(lower, lower + 1), penalty=penalty, label=label)


def _pair_constraints(pairs: ForbiddenPairs, variables: Any) -> Iterator[Any]:
    """One constraint an owner: the sum of its products is 0, which is its penalty, too."""
    import amplify

    starts = np.flatnonzero(np.diff(pairs.owner, prepend=-1)).tolist()
    for start, stop in pairwise([*starts, len(pairs.owner)]):
        first = variables.take(pairs.first[start:stop].tolist())
        second = variables.take(pairs.second[start:stop].tolist())
        label = pairs.labels(int(pairs.owner[start]))
        yield amplify.equal_to((first * second).sum(), 0, label=label)
