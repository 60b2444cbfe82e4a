"""DIMACS, the format of SAT solvers."""

from qubopuzzle.compile import Cnf


def write_dimacs(formula: Cnf) -> bytes:
    """With the names of variables in comments."""
    return formula.to_dimacs().encode()
