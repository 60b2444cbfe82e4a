"""A BQM with one-hot groups as flat arrays for the kernels.

The variables of a group are neighbours in memory. Couplings inside a group never cost
anything while exactly one of its variables is 1, so they are left out, whatever penalty the
BQM has for the group. Biases that become whole numbers when multiplied by a power of two are
multiplied by it: fields are then exact for any length of run, as all sums stay below 2**53.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import dimod
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from qubopuzzle.errors import InputError
from qubopuzzle.tempering.kernels import BQMArrays, FloatArray, IntArray

_MOST_DOUBLINGS = 20
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class TemperingForm:
    """A BQM ready for the kernels.

    Attributes:
        arrays: what the kernels read.
        labels: the BQM's variables in its own order.
        position: where each of them is in the arrays, shape (variables,).
        exact: whether all biases of the arrays are whole numbers.
        scale: energies of the arrays are those of the BQM, less ``offset``, times this.
        constant: the arrays' energy of the variables that are fixed.
        offset: of the BQM with 0/1 variables.
        spin: whether the BQM's values are -1 and 1.
    """

    arrays: BQMArrays
    labels: Sequence[Hashable]
    position: IntArray
    exact: bool
    scale: float
    constant: float
    offset: float
    spin: bool

    @property
    def max_change_rate(self) -> float:
        """The share of the units that a sweep changes where all their values cost the same."""
        a = self.arrays
        size = np.diff(a.first)[: a.n_groups]
        units = len(a.first) - 1
        return float((1 - 1 / size).sum() + 0.5 * (units - a.n_groups)) / max(1, units)

    def fields(self, value: NDArray[np.integer]) -> tuple[FloatArray, FloatArray]:
        """Fields and energies from scratch of states, shape (states, units).

        Returns:
            Shapes (states, variables) and (states,).
        """
        a, n = self.arrays, self.arrays.n_variables
        x = np.zeros((len(value), n))
        np.put_along_axis(x, value[:, : a.n_groups].astype(np.int64), 1, axis=1)
        x[:, a.first[a.n_groups : -1]] = value[:, a.n_groups :]
        couplings = csr_array((a.coupling, a.column, a.start), shape=(n, n))
        field = np.ascontiguousarray(a.linear + (couplings @ x.T).T)
        return field, self.constant + (x * (a.linear + field)).sum(axis=1) / 2

    def sample(self, value: NDArray[np.integer]) -> NDArray[np.int8]:
        """Values of the BQM's variables in its order, shape (variables,), of a state."""
        a = self.arrays
        x = np.zeros(len(self.labels), dtype=np.int8)
        x[a.first[-1] :] = 1  # groups of one
        x[value[: a.n_groups]] = 1
        x[a.first[a.n_groups : -1]] = value[a.n_groups :]
        values = x[self.position]
        return 2 * values - 1 if self.spin else values

    def state(self, sample: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int32]:
        """The state, shape (units,), of a sample in the BQM's order.

        A group that has several ones keeps one of them at random, one without any gets one
        at random.
        """
        a = self.arrays
        x = np.zeros(len(self.labels), dtype=bool)
        x[self.position] = np.asarray(sample) > 0
        value = np.zeros(len(a.first) - 1, dtype=np.int32)
        for u in range(a.n_groups):
            bits = x[a.first[u] : a.first[u + 1]]
            ones = np.flatnonzero(bits) if bits.any() else np.arange(len(bits))
            value[u] = a.first[u] + (ones[0] if len(ones) == 1 else rng.choice(ones))
        value[a.n_groups :] = x[a.first[a.n_groups : -1]]
        return value

    def random_state(self, rng: np.random.Generator) -> NDArray[np.int32]:
        """A state with every unit uniform, shape (units,)."""
        a = self.arrays
        low = a.first[:-1].copy()
        high = a.first[1:].copy()
        low[a.n_groups :], high[a.n_groups :] = 0, 2
        return rng.integers(low, high).astype(np.int32)


def tempering_form(
    bqm: dimod.BinaryQuadraticModel, groups: Iterable[Iterable[Hashable]] = ()
) -> TemperingForm:
    """Lay out a BQM.

    Args:
        bqm: BINARY or SPIN, of any dtype.
        groups: labels of variables of which exactly one is 1.

    Raises:
        InputError: for what is no BQM, for a group that is empty, shares a variable with another
            or names one that the BQM does not have, and for biases that are not finite.
    """
    if not isinstance(bqm, dimod.BinaryQuadraticModel):
        got = f"{type(bqm).__name__}; sample_cqm takes a dimod.ConstrainedQuadraticModel"
        raise InputError(f"expected a dimod.BinaryQuadraticModel, got {got}")
    labels = list(bqm.variables)
    n = len(labels)
    ordered, sizes = _in_groups(labels, groups)
    linear, row, column, coupling, offset = _binary(bqm, labels)
    if not (np.isfinite(linear).all() and np.isfinite(coupling).all() and np.isfinite(offset)):
        raise InputError("the BQM has a bias that is not a finite number")

    movable = [size for size in sizes if size > 1]
    n_fixed = len(sizes) - len(movable)
    n_free = n - sum(sizes)
    unit_sizes = [*movable, *[1] * n_free]
    first = np.concatenate([[0], np.cumsum(np.array(unit_sizes, dtype=np.int64))])
    owner = np.repeat(np.arange(len(unit_sizes) + n_fixed), [*unit_sizes, *[1] * n_fixed])
    position = np.zeros(n, dtype=np.int64)
    position[ordered] = np.arange(n)

    row, column = position[row], position[column]
    apart = (owner[row] != owner[column]) & (coupling != 0)
    row, column, coupling = row[apart], column[apart], coupling[apart]
    linear = linear[ordered]
    scale = _scale(linear, coupling)
    if scale:
        linear, coupling = np.rint(linear * scale), np.rint(coupling * scale)
    # The fixed variables' couplings become biases of the others.
    fixed = int(first[-1])
    one, two = row >= fixed, column >= fixed
    constant = linear[fixed:].sum() + coupling[one & two].sum()
    np.add.at(linear, row[~one & two], coupling[~one & two])
    np.add.at(linear, column[one & ~two], coupling[one & ~two])
    free = ~one & ~two
    row, column, coupling = row[free], column[free], coupling[free]
    both = (np.concatenate([row, column]), np.concatenate([column, row]))
    matrix = coo_array((np.concatenate([coupling] * 2), both), shape=(n, n)).tocsr()
    arrays = BQMArrays(
        n_groups=len(movable),
        n_units=len(unit_sizes),
        n_variables=n,
        first=first.astype(np.int64),
        linear=linear,
        start=matrix.indptr.astype(np.int64),
        column=matrix.indices.astype(np.int32),
        coupling=matrix.data,
    )
    spin = bqm.vartype is dimod.SPIN
    return TemperingForm(
        arrays, labels, position, scale > 0, scale or 1.0, float(constant), offset, spin
    )


def _binary(
    bqm: dimod.BinaryQuadraticModel, labels: Sequence[Hashable]
) -> tuple[FloatArray, IntArray, IntArray, FloatArray, float]:
    """Linear biases, rows, columns and couplings, and offset, for variables of 0 and 1."""
    vectors: Any = bqm.to_numpy_vectors(labels)
    linear, (row, column, coupling), _ = vectors
    linear, coupling = linear.astype(np.float64), coupling.astype(np.float64)
    offset = float(bqm.offset)  # that of the vectors is rounded where the biases are whole
    if bqm.vartype is dimod.SPIN:  # s = 2 x - 1
        offset += coupling.sum() - linear.sum()
        linear = 2 * linear
        np.subtract.at(linear, row, 2 * coupling)
        np.subtract.at(linear, column, 2 * coupling)
        coupling = 4 * coupling
    return linear, row.astype(np.int64), column.astype(np.int64), coupling, offset


def _in_groups(
    labels: Sequence[Hashable], groups: Iterable[Iterable[Hashable]]
) -> tuple[IntArray, list[int]]:
    """Variables in the arrays' order as indices of ``labels``, and the size of each group."""
    index = {label: i for i, label in enumerate(labels)}
    owner: dict[int, int] = {}
    chosen: list[list[int]] = []
    for number, group in enumerate(groups):
        if not isinstance(group, Iterable) or (isinstance(group, str) and group in index):
            raise InputError(f"one-hot group {number}: expected several variables, got {group!r}")
        members: list[int] = []
        for label in group:
            i = index.get(label)
            if i is None:
                raise InputError(f"one-hot group {number}: the BQM has no variable {label!r}")
            if i in owner:
                raise InputError(
                    f"one-hot group {number}: variable {label!r} is in group {owner[i]} already"
                )
            owner[i] = number
            members.append(i)
        if not members:
            raise InputError(f"one-hot group {number} is empty")
        chosen.append(members)
    free = [i for i in range(len(labels)) if i not in owner]
    movable = [i for members in chosen if len(members) > 1 for i in members]
    fixed = [members[0] for members in chosen if len(members) == 1]
    ordered = np.array([*movable, *free, *fixed], dtype=np.int64)
    return ordered, [len(members) for members in chosen]


def _scale(linear: FloatArray, coupling: FloatArray) -> float:
    """The least power of two that makes all biases integers of moderate size, or 0."""
    biases = np.concatenate([linear, coupling])
    largest = float(np.abs(biases).max(initial=0.0))
    total = float(np.abs(biases).sum())
    for doublings in range(_MOST_DOUBLINGS + 1):
        scale = 2.0**doublings
        if largest * scale > _LARGEST or total * scale > 2**52:
            return 0.0
        if (biases * scale == np.rint(biases * scale)).all():
            return scale
    return 0.0
