"""dimod's models as programs."""

from typing import Any

import dimod
import numpy as np
from scipy.sparse import csr_array

from qubopuzzle.errors import InputError
from qubopuzzle.programs.program import Program


def from_cqm(cqm: dimod.ConstrainedQuadraticModel) -> Program:
    """A CQM as a program."""
    names = [str(v) for v in cqm.variables]
    at = {v: i for i, v in enumerate(cqm.variables)}
    n, rows = len(names), list(cqm.constraints.values())
    matrix, low, high = np.zeros((len(rows), n)), [], []
    for row, constraint in enumerate(rows):
        if constraint.lhs.num_interactions:
            raise InputError("products of variables; rows are linear")
        for v, bias in constraint.lhs.linear.items():
            matrix[row, at[v]] = bias
        side, sense = constraint.rhs - constraint.lhs.offset, constraint.sense.value
        low.append(-np.inf if sense == "<=" else side)
        high.append(np.inf if sense == ">=" else side)
    cost, quadratic = np.zeros(n), np.zeros((n, n))
    for v, bias in cqm.objective.linear.items():
        cost[at[v]] = bias
    for u, v, bias in cqm.objective.iter_quadratic():
        quadratic[at[u], at[v]] = bias
    return Program.of(
        matrix,
        low,
        high,
        lower=[cqm.lower_bound(v) for v in cqm.variables],
        upper=[cqm.upper_bound(v) for v in cqm.variables],
        cost=cost,
        quadratic=quadratic,
        offset=cqm.objective.offset,
        variables=names,
        rows=[str(label) for label in cqm.constraints],
    )


def from_bqm(bqm: dimod.BinaryQuadraticModel) -> Program:
    """A BQM of bits as a program without rows."""
    if bqm.vartype is not dimod.BINARY:
        raise InputError("the variables are spins, -1 or 1")
    n = bqm.num_variables
    vectors: Any = bqm.to_numpy_vectors(bqm.variables)
    linear, (row, column, bias), offset = vectors
    return Program.of(
        csr_array((0, n)),
        cost=linear,
        quadratic=csr_array((bias, (row, column)), shape=(n, n)),
        offset=float(offset),
        variables=[str(v) for v in bqm.variables],
    )
