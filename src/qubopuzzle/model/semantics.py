"""What a model means: the reference that every compiler is tested against.

Written for reading, straight from the definitions, one constraint at a time.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from qubopuzzle.model.data import Acyclic, Connected, Linear, Model, Precedence


def violation(model: Model, x: NDArray[Any]) -> int:
    """How badly an assignment breaks the model; 0 exactly when everything holds.

    Args:
        x: 0/1 literal values, shape (literals,), not necessarily one value a choice.

    A choice with n values taken costs (n - 1)**2, an equality missed by d costs d**2, a
    range missed by d costs d * (d + 1) / 2, a precedence costs 1 for every pair of taken
    values that stand too close, connectivity 1 for every component but one, a graph without
    cycles 1 for every edge that closes one; any broken constraint costs at least 1. With
    valid choices a QUBO with all weights 1 is 0 for the same assignments; where all ranges
    are at most 1 wide, as in the nonogram, the one-hot QUBO has just this energy, for any
    bits.
    """
    return sum(violations(model, x).values())


def violations(model: Model, x: NDArray[Any]) -> dict[str, int]:
    """The same by family; families that hold are listed with 0."""
    total = dict.fromkeys(model.families, 0)
    for c, choice in enumerate(model.choices):
        taken = sum(_literals(model, c, x))
        total[choice.family] += (taken - 1) ** 2
    for linear in model.linear:
        total[linear.family] += _linear(linear, x)
    for precedence in model.precedence:
        total[precedence.family] += _precedence(model, precedence, x)
    for graph in model.connected:
        total[graph.family] += _components(graph, x)
    for cycles in model.acyclic:
        total[cycles.family] += _closing(cycles, x)
    return total


def _literals(model: Model, choice: int, x: NDArray[Any]) -> list[int]:
    start, stop = model.first_literal[choice : choice + 2].tolist()
    return [int(value) for value in x[start:stop]]


def _linear(block: Linear, x: NDArray[Any]) -> int:
    cost = 0
    for row, (lower, upper) in enumerate(
        zip(block.lower.tolist(), block.upper.tolist(), strict=True)
    ):
        start, stop = block.matrix.indptr[row : row + 2].tolist()
        terms = zip(block.matrix.indices[start:stop], block.matrix.data[start:stop], strict=True)
        value = sum(int(a) * int(x[literal]) for literal, a in terms)
        miss = max(lower - value, value - upper, 0)
        cost += miss**2 if lower == upper else miss * (miss + 1) // 2
    return cost


def _precedence(model: Model, block: Precedence, x: NDArray[Any]) -> int:
    cost = 0
    for first, second, gap in zip(
        block.first.tolist(), block.second.tolist(), block.gap.tolist(), strict=True
    ):
        before = _taken(model, first, x)
        after = _taken(model, second, x)
        cost += sum(v < u + gap for u in before for v in after)
    return cost


def _components(graph: Connected, x: NDArray[Any]) -> int:
    """How many components too many there are, found by walking."""
    left = {node for node, literal in enumerate(graph.literals.tolist()) if x[literal]}
    components = 0
    while left:
        components += 1
        reached = [left.pop()]
        while reached:
            node = reached.pop()
            around = {b if a == node else a for a, b in graph.edges.tolist() if node in (a, b)}
            reached += around & left
            left -= around
    return max(components - 1, 0)


def _closing(graph: Acyclic, x: NDArray[Any]) -> int:
    """How many true edges join what is connected already, found by merging components."""
    components = [{node} for node in set(graph.edges.ravel().tolist())]
    closing = 0
    for literal, (a, b) in zip(graph.literals.tolist(), graph.edges.tolist(), strict=True):
        if x[literal]:
            joined = [component for component in components if a in component or b in component]
            closing += len(joined) == 1
            components = [component for component in components if component not in joined]
            components.append(set().union(*joined))
    return closing


def _taken(model: Model, choice: int, x: NDArray[Any]) -> list[int]:
    numbers = model.numbers(choice).tolist()
    return [v for v, bit in zip(numbers, _literals(model, choice, x), strict=True) if bit]
