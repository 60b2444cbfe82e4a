"""Texts of OR-Library (J. E. Beasley 1990), and quadratic knapsacks, which look alike.

They are numbers in the order that people.brunel.ac.uk/~mastjjb/jeb/orlib says of each kind, and
end in ``.txt``, whatever they are: a file's name does not say its format.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, hstack, vstack

from qubopuzzle.errors import InputError
from qubopuzzle.files.models.words import Numbers, text_of
from qubopuzzle.programs.program import Program

Array = NDArray[np.float64] | NDArray[np.int64]


def read_gap(data: bytes) -> list[Program]:
    """Generalised assignment: each job to one agent, within the agents' capacities, at least cost.

    The file: how many problems; of each the agents m and jobs n, costs (m, n), what an agent
    needs for a job (m, n), capacities (m,). The bit ``i:j`` gives job j to agent i; rows ``job``
    say exactly one, rows ``agent`` keep the capacities.

    Raises:
        InputError: naming the line of what is no number, and for a file that breaks off.
    """
    return [*_assignments(data, maximize=False)]


def read_gap_max(data: bytes) -> list[Program]:
    """The same, maximised, as OR-Library has gap1 to gap12."""
    return [*_assignments(data, maximize=True)]


def _assignments(data: bytes, *, maximize: bool) -> Iterator[Program]:
    numbers = Numbers(text_of(data))
    for _ in range(numbers.count("the number of problems")):
        m, n = numbers.count("agents"), numbers.count("jobs")
        cost, needs = numbers.array("costs", m, n), numbers.array("needs", m, n)
        capacity = numbers.array("capacities", m)
        by_agent = np.repeat(np.arange(m), n), np.arange(m * n)
        agents = csr_array((needs.ravel(), by_agent), shape=(m, m * n))
        yield Program.of(
            csr_array(vstack([hstack([eye_array(n)] * m), agents])),
            np.append(np.ones(n), np.full(m, -np.inf)),
            np.append(np.ones(n), capacity),
            cost=cost.ravel(),
            maximize=maximize,
            variables=[f"{i}:{j}" for i in range(1, m + 1) for j in range(1, n + 1)],
            rows=[*_names("job", n), *_names("agent", m)],
        )
    numbers.end()


def read_scp(data: bytes) -> Program:
    """Set covering: sets of least cost that have every element.

    The file: elements m, sets n, costs (n,), then of each element how many sets have it, and
    which. The bit j takes set j; a row ``element`` says at least one.

    Raises:
        InputError: naming the line of what is no number, and for a file that breaks off.
    """
    numbers = Numbers(text_of(data))
    m, n = numbers.count("elements"), numbers.count("sets")
    cost, sets = numbers.array("costs", n), []
    for element in range(1, m + 1):
        size = numbers.count(f"sets of element {element}", high=n)
        sets.append(np.unique(numbers.places(f"sets of element {element}", size, n)))
    numbers.end()
    start = np.append(0, np.cumsum([len(each) for each in sets]))
    parts = np.ones(start[-1]), np.concatenate(sets), start
    matrix = csr_array(parts, shape=(m, n))
    names = _names("", n)
    return Program.of(matrix, 1, np.inf, cost=cost, variables=names, rows=_names("element", m))


def read_mknap(data: bytes) -> list[Program]:
    """Multi-dimensional knapsacks, see ``knapsack``; the values that a file says are left out.

    Raises:
        InputError: naming the line of what is no number, and for a file that breaks off.
    """
    return [program for _, program in knapsacks(data)]


def knapsacks(data: bytes) -> Iterator[tuple[float, Program]]:
    """The same, each with the best value that the file says of it, 0 where it says none.

    The file: how many problems; of each the items n, rows m, best value, profits (n,), weights
    (m, n), capacities (m,).
    """
    numbers = Numbers(text_of(data))
    for _ in range(numbers.count("the number of problems")):
        n, m = numbers.count("items"), numbers.count("rows")
        best = float(numbers.array("best value", 1)[0])
        profit, weight = numbers.array("profits", n), numbers.array("weights", m, n)
        yield best, knapsack(profit, weight, numbers.array("capacities", m))
    numbers.end()


def knapsack(profit: Array, weight: Array, capacity: Array) -> Program:
    """Items of the largest profit whose weights keep all capacities.

    Shapes (items,), (rows, items), (rows,). The bit j takes item j, a row ``capacity`` each.

    >>> knapsack(np.array([3, 2]), np.array([[1, 1]]), np.array([1])).objective_of([1, 0])
    3.0
    """
    m, n = weight.shape
    rows = _names("capacity", m)
    return Program.of(
        weight, -np.inf, capacity, cost=profit, maximize=True, variables=_names("", n), rows=rows
    )


def read_qkp(data: bytes) -> Program:
    """A quadratic knapsack of Billionnet and Soutif (2004), see ``quadratic_knapsack``.

    The file: a line with its name; the items n, profits (n,), the upper triangle of joint profits
    row by row, 0, the capacity, weights (n,). Some copies have the best value before the 0, and
    words behind the weights, which are passed over.

    Raises:
        InputError: naming the line of what is no number, and for a file that breaks off.
    """
    name, _, rest = text_of(data).partition("\n")
    numbers = Numbers(rest, first=2)
    n = numbers.count("items", high=10_000)
    profit = np.diag(numbers.array("profits", n))
    profit[np.triu_indices(n, 1)] = numbers.array("joint profits", n * (n - 1) // 2)
    if numbers.peek() != "0":
        numbers.array("best value", 1)
    numbers.count("0: the row is at most", low=0, high=0)
    capacity = numbers.array("capacity", 1)
    return quadratic_knapsack(profit, numbers.array("weights", n), capacity, " ".join(name.split()))


def quadratic_knapsack(profit: Array, weight: Array, capacity: Array, name: str = "") -> Program:
    """Items of the largest profit, alone and together, whose weights keep a capacity.

    ``profit`` (items, items) is upper triangular, its diagonal what an item alone is worth;
    ``weight`` (items,), ``capacity`` (1,). The bit j takes item j, the row is ``capacity1``.

    Raises:
        InputError: for profits that are no upper triangle.
    """
    if np.tril(profit, -1).any():
        raise InputError("profit: expected an upper triangular matrix")
    return Program.of(
        weight[None],
        -np.inf,
        capacity,
        cost=np.diag(profit),
        quadratic=np.triu(profit, 1),
        maximize=True,
        variables=_names("", len(weight)),
        rows=["capacity1"],
        id=name,
    )


def _names(what: str, n: int) -> list[str]:
    return [f"{what}{i}" for i in range(1, n + 1)]
