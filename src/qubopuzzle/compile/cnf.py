"""CNF: a formula whose models are exactly the assignments that meet the model.

Choices under a precedence, or asked for stretches of values, get **order variables** ("at
least the v-th value", the bits of a domain wall; Tamura et al., Constraints 14, 254, 2009),
others one variable a value. A precedence is then one clause of two literals a value, and "the
value lies in lo .. hi" is two literals. What makes nonograms small: a row's terms along a
path of precedences that exclude each other, such as the runs that may cover a cell, become
one variable y with

- ``c_k in lo_k .. hi_k -> y`` for each choice k of the path, and
- ``y -> not (c_k < lo_k and c_{k+1} > hi_{k+1})`` for each two neighbours and both ends,

complete because the precedences make "below" and "above" change sides only once. A row
"terms of one path = terms of another" is one y for both, so that a cell costs no equation.
Other rows become clauses, at-most-one ladders, counters or decision diagrams (``clauses``).
The rows are in ``cnf_rows``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.clauses import FALSE, TRUE, Clauses
from qubopuzzle.compile.cnf_rows import Places, add_rows, at_least, rows_of, stretches, value_of
from qubopuzzle.compile.compiled import Compiled
from qubopuzzle.compile.encoding import Encoding, lay_out
from qubopuzzle.model import Cut, IntArray, Model
from qubopuzzle.model.order import Precedences


@dataclass(frozen=True, eq=False)
class Cnf(Compiled):
    """A formula; variables 1 .. ``bits.n_bits`` are the choices', the others auxiliary.

    ``batches`` are arrays of clauses, shape (clauses, width) each. ``contradiction`` says
    that it holds the empty clause, too. ``node`` (literals,) is the formula's literal for
    each literal that cuts speak of, 0 for others.
    """

    bits: Encoding
    n_variables: int
    batches: tuple[IntArray, ...]
    contradiction: bool
    node: IntArray

    @property
    def source(self) -> Model:
        """The model that it was compiled from."""
        return self.bits.model

    @property
    def sizes(self) -> dict[str, int]:
        """Variables and clauses."""
        return {"variables": self.n_variables, "clauses": self.n_clauses}

    @property
    def n_clauses(self) -> int:
        """Number of clauses, the empty one included."""
        return sum(map(len, self.batches)) + self.contradiction

    def clauses(self) -> Iterator[list[int]]:
        """All clauses but the empty one, as lists of DIMACS literals."""
        return chain.from_iterable(batch.tolist() for batch in self.batches)

    def to_dimacs(self, more: Sequence[Sequence[int]] = ()) -> str:
        """The formula as a DIMACS file, with the names of the choices' variables as comments."""
        labels = (" ".join(label.split()) for label in self.bits.labels())
        names = [f"c {v} {label}" for v, label in enumerate(labels, start=1)]
        clauses = [*self.clauses(), *more, *([[]] if self.contradiction else [])]
        head = f"p cnf {self.n_variables} {len(clauses)}"
        lines = (" ".join(map(str, [*clause, 0])) for clause in clauses)
        return "\n".join([*names, head, *lines, ""])

    def clause_of(self, cut: Cut) -> list[int]:
        """A cut in the formula's literals."""
        return clause_of(self.node, cut)

    def saying(self, literals: IntArray) -> list[int]:
        """The DIMACS literals that say together that these of the model's are true."""
        return saying(self.bits, literals)

    def other(self, sample: NDArray[np.int8], *, answer: bool) -> list[int]:
        """The clause "some choice takes another value than in this sample".

        Args:
            sample: 0/1 by variable, shape (variables,) or just the choices' own.
            answer: only the choices that the answer grid is read from.
        """
        return other_sample(self.bits, sample, answer=answer)


def compile_cnf(model: Model) -> Cnf:
    """Compile.

    Raises:
        TooLarge: if the formula would not fit in memory.
    """
    order = Precedences.of(model)
    bits = order_bits(model, order)
    clauses = Clauses(bits.n_bits)
    add_choices(bits, order, clauses)
    place = Places.of(model, order)
    for block in model.linear:
        add_rows(bits, place, block, clauses)
    node = add_nodes(model, bits, clauses)
    return Cnf(bits, clauses.n_variables, clauses.finish(), clauses.contradiction, node)


def _by_intervals(model: Model) -> NDArray[np.bool_]:
    """Choices of whole numbers that rows ask for stretches of values, not for one, (choices,)."""
    terms, asked = np.zeros((2, len(model.choices)), dtype=np.int64)
    for block in model.linear:
        literal, coefficient = block.matrix.indices, block.matrix.data
        choice = model.choice_of_literal[literal]
        every = np.ones(len(choice), dtype=bool)
        new = stretches(rows_of(block.matrix), literal, choice, coefficient, every)
        terms += np.bincount(choice, minlength=len(terms))
        asked += np.bincount(choice[new], minlength=len(terms))
    found = 2 * terms >= 3 * np.maximum(asked, 1)
    for number in np.flatnonzero(found).tolist():
        values = model.choices[number].values
        found[number] = isinstance(values, range) or all(isinstance(v, int) for v in values)
    return found


def order_bits(model: Model, order: Precedences) -> Encoding:
    """Order variables for choices under a precedence, of two values, or asked for stretches."""
    return lay_out(model, order.numbered | (model.sizes <= 2) | _by_intervals(model), "order")


def add_choices(bits: Encoding, order: Precedences, clauses: Clauses) -> None:
    """Each choice takes one value, and the precedences hold."""
    _choices(bits, clauses)
    _precedences(bits, order, clauses)


def clause_of(node: IntArray, cut: Cut) -> list[int]:
    """A cut in DIMACS literals, of which ``node`` has one for each of the model's."""
    clause = np.concatenate([node[cut.true], -node[cut.false]])
    return [literal for literal in dict.fromkeys(clause.tolist()) if literal != FALSE]


def other_sample(bits: Encoding, sample: NDArray[np.int8], *, answer: bool) -> list[int]:
    """The clause of DIMACS literals of ``bits`` that ``Cnf.other`` returns."""
    model = bits.model
    taken = np.flatnonzero(bits.decode(sample))
    if answer:
        taken = taken[np.isin(model.choice_of_literal[taken], model.answer_choices)]
    return [-literal for literal in saying(bits, taken)]


def saying(bits: Encoding, taken: IntArray) -> list[int]:
    """What ``Cnf.saying`` returns, in DIMACS literals of ``bits``."""
    choice = bits.model.choice_of_literal[taken]
    index = taken - bits.model.first_literal[choice]
    wall = bits.walls[choice]
    above = at_least(bits, choice, index + 1)[wall]
    own = np.where(wall, at_least(bits, choice, index), value_of(bits, taken))
    return [int(literal) for literal in (*own, *-above) if abs(literal) != TRUE]


def _choices(bits: Encoding, clauses: Clauses) -> None:
    """Order variables fall from value to value; of others exactly one is true."""
    owner = np.repeat(np.arange(len(bits.walls)), np.diff(bits.first_bit))
    variable = np.arange(1, bits.n_bits + 1)
    (later,) = np.nonzero((owner[1:] == owner[:-1]) & bits.walls[owner[1:]])
    clauses.add(-variable[later + 1], variable[later])
    sizes = bits.model.sizes
    for size in np.unique(sizes[~bits.walls]).tolist():
        chosen = np.flatnonzero(~bits.walls & (sizes == size))
        clauses.exactly_one(bits.first_bit[chosen][:, None] + np.arange(1, size + 1))


def _precedences(bits: Encoding, order: Precedences, clauses: Clauses) -> None:
    """``first >= v -> second >= v + gap`` for every value v."""
    sizes = bits.model.sizes[order.first]
    which = np.repeat(np.arange(len(order.first)), sizes)
    first, second = order.first[which], order.second[which]
    index = np.arange(len(which)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    limit = order.number[order.starts[first] + index] + order.gap[which]
    clauses.add(-at_least(bits, first, index), at_least(bits, second, order.below(second, limit)))


def add_nodes(model: Model, bits: Encoding, clauses: Clauses) -> IntArray:
    """One literal for each literal that cuts speak of, (literals,)."""
    node = np.zeros(model.n_literals, dtype=np.int64)
    for graph in model.graphs:
        literal = np.unique(graph.literals[node[graph.literals] == 0])
        choice = model.choice_of_literal[literal]
        index = literal - model.first_literal[choice]
        wall = bits.walls[choice]
        node[literal[~wall]] = value_of(bits, literal[~wall])
        literal, choice, index = literal[wall], choice[wall], index[wall]
        reached, passed = at_least(bits, choice, index), at_least(bits, choice, index + 1)
        inner = (np.abs(reached) != TRUE) & (np.abs(passed) != TRUE)
        own = np.where(reached == TRUE, -passed, reached)
        own[inner] = clauses.fresh(int(inner.sum()))
        clauses.add(-own[inner], reached[inner])
        clauses.add(-own[inner], -passed[inner])
        clauses.add(own[inner], -reached[inner], passed[inner])
        node[literal] = own
    return node
