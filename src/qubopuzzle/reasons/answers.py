"""The answers of a problem, one after another: what each cell, or each choice, has in them."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.answer import Answer
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import TRUE, Choice, Field, IntArray, IntMatrix, Linear, Model
from qubopuzzle.model.data import summed
from qubopuzzle.model.statements import StatedModel
from qubopuzzle.problem import Problem

VALUE_LIMIT = 1_000_000
"""Most values of all cells together."""
_FAMILY = "answer"


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """Which literal of a model says that a place of the answer has a value.

    A place is a cell of the answer grid, or a choice where there is none. Two answers of the
    ``model`` differ exactly where some of the ``literals`` (signs,) do. ``place`` (signs,) numbers
    the places, ``values`` (signs,) are their values; a place that is known has one sign, ``TRUE``.
    """

    model: Model
    literals: IntArray
    place: IntArray
    values: Sequence[Hashable]

    @classmethod
    def of(cls, model: Model) -> Self:
        """Of a model; cells that several choices paint, or several values the same, get a choice.

        Raises:
            TooLarge: for more than ``VALUE_LIMIT`` values.
        """
        if model.field is None:
            values = [value for choice in model.choices for value in choice.values]
            return cls(model, np.arange(model.n_literals), model.choice_of_literal, values)
        cells = [*_painted(model, model.field)]
        sizes = [len(painted) for painted in cells]
        if sum(sizes) > VALUE_LIMIT:
            raise TooLarge(f"the cells have over {VALUE_LIMIT:,} values together")
        added = {i: painted for i, painted in enumerate(cells) if not isinstance(painted, dict)}
        literals, n = list[int](), model.n_literals
        for painted in cells:
            if isinstance(painted, dict):
                literals += painted.values()
            else:
                literals += range(n, n := n + len(painted))
        return cls(
            _with_cells(model, added),
            np.array(literals, dtype=np.int64),
            np.repeat(np.arange(len(cells)), sizes),
            [value for painted in cells for value in painted],
        )


def _painted(model: Model, field: Field) -> Iterator[dict[int, int] | list[int]]:
    """Of each cell its values, with the literal of each where there is one."""
    view, exactly_one = field.views[0], _exactly_one(model)
    matrix = csr_array(view.matrix)
    start, index, data = (a.tolist() for a in (matrix.indptr, matrix.indices, matrix.data))
    choice_of, first = model.choice_of_literal.tolist(), model.first_literal.tolist()
    for cell, base in enumerate(view.base.tolist()):
        of_cell = slice(start[cell], start[cell + 1])
        terms = dict(zip(index[of_cell], data[of_cell], strict=True))
        choices = dict.fromkeys(choice_of[literal] for literal in terms)
        literals = [*terms] if tuple(sorted(terms)) in exactly_one else []
        if len(choices) == 1:
            literals = [*range(*first[(choice := next(iter(choices))) : choice + 2])]
        alone = {base + terms.get(literal, 0): literal for literal in literals}
        if not terms:
            yield {base: TRUE}
        elif literals and len(alone) == len(literals):
            yield dict(sorted(alone.items()))
        else:
            sums = {base}
            for choice in choices:
                each = {terms.get(literal, 0) for literal in range(*first[choice : choice + 2])}
                sums = {total + value for total in sums for value in each}
            inside = [total for total in sums if field.low <= total <= field.high]
            yield sorted(inside or sums)  # a grid that is out of its range is no answer


def _exactly_one(model: Model) -> set[tuple[int, ...]]:
    """The literals, ascending, of rows that say that exactly one of them is true."""
    groups = set()
    for block in model.linear:
        matrix = csr_array(block.matrix)
        for row in np.flatnonzero((block.lower == 1) & (block.upper == 1)).tolist():
            of_row = slice(*matrix.indptr[row : row + 2])
            if (matrix.data[of_row] == 1).all():
                groups.add(tuple(sorted(matrix.indices[of_row].tolist())))
    return groups


def _with_cells(model: Model, cells: dict[int, list[int]]) -> Model:
    """The model, less its field, with choices of the values of some cells, which are painted."""
    if model.field is None or not cells:
        return replace(model, field=None)
    view, numbers = model.field.views[0], [*cells]
    first = model.n_literals + np.cumsum([0, *map(len, cells.values())])
    n = int(first[-1])
    values = np.array([value for known in cells.values() for value in known], dtype=np.int64)
    rows = np.repeat(np.arange(len(cells)), np.diff(first))
    chosen = csr_array((values, (rows, np.arange(model.n_literals, n))), shape=(len(cells), n))
    matrix = summed(csr_array(_widened(csr_array(view.matrix)[numbers], n) - chosen))
    equal = -view.base[numbers]
    names = [f"{_FAMILY}[{cell}]" for cell in numbers]
    choices = [
        Choice(name, tuple(known), _FAMILY, is_bit=len(known) == 2)
        for name, known in zip(names, cells.values(), strict=True)
    ]
    linear = (replace(block, matrix=_widened(block.matrix, n)) for block in model.linear)
    return replace(
        model,
        choices=(*model.choices, *choices),
        first_literal=np.append(model.first_literal, first[1:]),
        linear=(*linear, Linear(_FAMILY, matrix, equal, equal, names.__getitem__)),
        field=None,
    )


def _widened(matrix: IntMatrix, n: int) -> IntMatrix:
    """A matrix over as many literals; those that are new have no terms."""
    wide = csr_array(matrix, copy=True)
    wide.resize((matrix.shape[0], n))
    return wide


class Answers:
    """All answers of a problem, from one SAT solver, in whose thread they are asked for.

    Attributes:
        problem: that they answer.
        model: of it, as it was made.
        signs: what each place of an answer has, by literals of a model that has some more.
        oracle: the solver, with that model.
        variables: of it, by sign, (signs,).
    """

    def __init__(self, problem: Problem, *, time_limit: float | None = None) -> None:
        """Make the models; all that is asked together takes no longer than ``time_limit``.

        Raises:
            InputError: for a problem with an objective, and a model without some of its solutions.
            TooLarge: for a model or a formula that would not fit in memory.
        """
        self.problem = problem
        self.model = problem.model(problem.formulation_for(cuts=True))
        if self.model.objective is not None:
            raise InputError("an objective asks for the best solution; leave it out to count all")
        if self.model.restricted:
            rules = ", ".join(self.model.restricted)
            raise InputError(f"the model narrows rules, and has not all solutions: {rules}")
        self.signs = Signs.of(self.model)
        whole = StatedModel.whole(self.signs.model, self.signs.literals)
        self.oracle = Oracle(whole, time_limit=time_limit)
        of_sign = map(self.oracle.variable, self.signs.literals.tolist())
        self.variables = np.fromiter(of_sign, dtype=np.int64, count=len(self.signs.literals))

    @property
    def places(self) -> list[Hashable]:
        """What places are called: cells (row, column), or the names of variables or choices."""
        field = self.model.field
        if field is None:
            return [choice.name for choice in self.model.choices]
        named = self.problem.values_of(np.zeros(field.shape, dtype=np.int64))
        return [*np.ndindex(field.shape)] if named is None else [*named]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.oracle.__exit__()

    def find(self, assumed: Iterable[int] = ()) -> IntArray | None:
        """The literals of an answer where these variables are true, (literals,); None without one.

        Raises:
            OutOfTime: if the time limit came first.
        """
        assumptions = [*assumed]
        while (x := self.oracle.solve((), assumptions)) is not None:
            if self.judged(x).valid:
                return x
            # The model leaves rules out. Another assignment may paint the same and break nothing.
            taken = np.flatnonzero(x[: self.model.n_literals]).tolist()
            self.oracle.add(-self.oracle.variable(literal) for literal in taken)
        return None

    def each(self, assumed: Iterable[int] = ()) -> Generator[IntArray, None, None]:
        """The literals of all answers, each once, where these variables are true; see ``find``."""
        different = self.oracle.fresh()
        assumptions = [*assumed, different]
        try:
            while (x := self.find(assumptions)) is not None:
                yield x
                self.oracle.add([-different, *(-self.variables[self.there(x)]).tolist()])
        finally:
            self.oracle.add([-different])

    def there(self, x: IntArray) -> NDArray[np.bool_]:
        """Which signs an answer has, (signs,), by its literals."""
        there: NDArray[np.bool_] = self.signs.literals == TRUE
        there[~there] = x[self.signs.literals[~there]] > 0
        return there

    def judged(self, x: IntArray) -> Answer:
        """An answer by its literals."""
        assignment = x[: self.model.n_literals]
        grid, violations = self.problem.read(self.model, assignment)
        return Answer(self.problem, grid, tuple(violations), None, self.model, assignment)
