"""ASP: a ground logic program whose stable models are exactly the assignments that meet ours.

It shares its variables with the CNF (see ``cnf``), each an atom that may be chosen. Clauses are
constraints without a head, "exactly one" is kept as it is, and rows are sums with weights, as
CP-SAT has them.

Connectivity needs no cuts here: the first true node is reached, and so is every true node next to
one that is; true nodes that are not reached are forbidden. In a stable model nothing is reached by
a circle of reasons, for which a CNF has no words. Cycles come as cuts.
"""

from dataclasses import dataclass

import numpy as np

from qubopuzzle.compile.clauses import GroupedClauses
from qubopuzzle.compile.cnf import ClauseModel, add_cost, add_model
from qubopuzzle.compile.encoding import FALSE, TRUE, AffineRows
from qubopuzzle.compile.lowering import affine_rows
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import Connected, IntArray, Model

WEIGHT_LIMIT = 2**31 - 1
"""What the weights of a sum may add up to, and each of an objective's be."""

Rule = tuple[list[int], list[int]]
"""Head, of one atom or none, and body, of literals."""
Sum = tuple[int, list[tuple[int, int]]]
"""Literals with weights above 0, whose true ones must weigh less than a bound."""


@dataclass(frozen=True, eq=False, repr=False)
class Asp(ClauseModel):
    """A ground program over atoms 1 .. ``n_atoms``; the first ``n_variables`` may be chosen.

    ``rules`` define the others and forbid what breaks the model, ``sums`` forbid what is too heavy.
    """

    n_atoms: int
    rules: list[Rule]
    sums: list[Sum]

    @property
    def sizes(self) -> dict[str, int]:
        """Variables and constraints."""
        return {"variables": self.n_variables, "constraints": len(self.rules) + len(self.sums)}


def compile_asp(model: Model) -> Asp:
    """Compile.

    Raises:
        TooLarge: if the program would not fit in memory, or a weight into 32 bits.
    """
    parts = GroupedClauses()
    bits, node, left = add_model(model, parts, all_rows=False)
    cost = add_cost(bits, parts)
    clauses = [clause for batch in (*parts.finish(), *parts.groups) for clause in batch.tolist()]
    rules: list[Rule] = [([], [-literal for literal in clause]) for clause in clauses]
    rules += [([], [])] if parts.contradiction else []
    sums: list[Sum] = [
        (2, [(literal, 1) for literal in group])
        for batch in parts.groups
        for group in batch.tolist()
    ]
    for block, rows in left:
        sums += _sums(affine_rows(bits, block, rows))
    n_atoms = parts.n_variables
    for graph in model.connected:
        rules += _reached(graph, node, n_atoms)
        n_atoms += 2 * len(graph.literals)
    if cost is not None:
        _check(int(cost.weights.max(initial=0)))
    return Asp(bits, parts.n_variables, node, cost, n_atoms, rules, sums)


def _sums(rows: AffineRows) -> list[Sum]:
    """Two sums a row: neither is it too heavy, nor what it lacks."""
    sums: list[Sum] = []
    start = rows.matrix.indptr.tolist()
    for row, (base, width) in enumerate(zip(rows.base.tolist(), rows.width.tolist(), strict=True)):
        entries = slice(*start[row : row + 2])
        atoms, factors = rows.matrix.indices[entries] + 1, rows.matrix.data[entries]
        for sign, most in ((1, width - base), (-1, base)):
            # A factor below 0 is one above 0 of "not".
            signed = sign * factors
            literals = np.where(signed > 0, atoms, -atoms).tolist()
            bound, total = most + 1 - int(signed.clip(max=0).sum()), int(np.abs(factors).sum())
            if bound <= total:
                _check(total)
                terms = list(zip(literals, np.abs(factors).tolist(), strict=True))
                sums.append((max(bound, 0), terms))
    return sums


def _check(weight: int) -> None:
    if weight > WEIGHT_LIMIT:
        raise TooLarge(
            f"clingo counts weights up to {WEIGHT_LIMIT:,}, and here are {weight:,}; use another "
            "exact solver, such as sat"
        )


def _reached(graph: Connected, node: IntArray, n_atoms: int) -> list[Rule]:
    """Rules for one graph; its atoms, two a node, are numbered from ``n_atoms`` + 1."""
    literals = node[graph.literals].tolist()
    n = len(literals)
    some, reach = (range(first, first + n) for first in (n_atoms + 1, n_atoms + 1 + n))
    rules: list[Rule] = []
    for i, literal in enumerate(literals):
        before = [some[i - 1]] if i else []
        rules += [([some[i]], [literal]), ([reach[i]], [literal, *(-atom for atom in before)])]
        rules += [([some[i]], before)] if i else []
        rules.append(([], [literal, -reach[i]]))
    for a, b in graph.edges.tolist():
        rules += [([reach[b]], [literals[b], reach[a]]), ([reach[a]], [literals[a], reach[b]])]
    return [
        (head, [literal for literal in body if literal != TRUE])
        for head, body in rules
        if FALSE not in body
    ]
