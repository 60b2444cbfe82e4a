"""One SAT solver for many questions: assumptions in place of fresh solves."""

from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np

from qubopuzzle.compile.cnf import compile_cnf
from qubopuzzle.errors import ModelError
from qubopuzzle.model import IntArray, Model, cuts

BACKEND = "cadical195"
Random = np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class SwitchableModel:
    """The rules of a puzzle, and each clue in force where its switch is on.

    ``switches[i]`` are the literals, shape (n,), that together put clue i in force. With all
    switches off the model allows every board.
    """

    model: Model
    switches: Sequence[IntArray] = ()


class IncrementalSat:
    """A model in a SAT solver that stays, with clues switched on and off.

    Connectivity comes lazily, as in the solver ``sat``: its clauses, and what the solver has
    learnt, hold under all assumptions. It solves in a thread: in the main one PySAT leaves it at
    Ctrl-C by a jump out of its middle.
    """

    def __init__(self, given: SwitchableModel) -> None:
        from pysat.solvers import Solver

        if given.model.field is None:
            raise ModelError("a model without a field has no answers")
        self._model, self._field = given.model, given.model.field
        self._formula = compile_cnf(given.model)
        self._last = self._formula.n_variables
        self._solver = Solver(BACKEND, bootstrap_with=self._formula.clauses())
        self._thread = ThreadPoolExecutor(1)
        if self._formula.contradiction:
            self._solver.add_clause([])
        self._switches = [self.assumptions(literals) for literals in given.switches]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()
        self._solver.delete()

    def assumptions(self, literals: IntArray) -> list[int]:
        """The assumptions that say together that these of the model's literals are true."""
        return self._formula.bits.clause_literals(literals)

    def literals_of(self, answer: IntArray) -> IntArray:
        """The model's literals that an answer is read from and that are true in it."""
        model = self._model
        literals = np.flatnonzero(model.assignment(self._field.write(answer)))
        return literals[np.isin(model.choice_of_literal[literals], model.answer_choices)]

    def differs_from(self, answer: IntArray) -> int:
        """The assumption that the answer differs from this one."""
        variable = self.new_variable()
        known = self.assumptions(self.literals_of(answer))
        self.add([-variable, *(-literal for literal in known)])
        return variable

    def new_variable(self) -> int:
        """A variable of its own for clauses that are added."""
        self._last += 1
        return self._last

    def add(self, clause: Iterable[int]) -> None:
        """A clause more, of what ``assumptions`` and ``new_variable`` return."""
        self._solver.add_clause(list(clause))

    def solve(self, assumptions: Iterable[int]) -> IntArray | None:
        """Values of the model's literals, or None: there are none."""
        assumed = list(assumptions)
        bits = self._formula.bits
        while self._thread.submit(self._solver.solve, assumed).result():
            sample = np.zeros(bits.n_bits, dtype=np.int8)  # variables in no clause may be missing
            pysat_model = np.array(self._solver.get_model()[: bits.n_bits], dtype=np.int64)
            sample[: len(pysat_model)] = pysat_model > 0
            x = bits.decode(sample)
            broken = cuts(self._model, x)
            if not broken:
                return x
            for cut in broken:
                self._solver.add_clause(self._formula.clause_of(cut))
        return None

    def solve_near(
        self, assumptions: Iterable[int], wanted: Iterable[IntArray], rng: Random
    ) -> IntArray | None:
        """The answer with each of these literals true that still can be, or None: there is none.

        Args:
            assumptions: what the answer must meet.
            wanted: literals of the model in groups, shape (n,) each; one group after the other.
            rng: for the order in each group.
        """
        kept = list(assumptions)
        x = self.solve(kept)
        if x is None:
            return None
        for literal in chain.from_iterable(rng.permutation(group).tolist() for group in wanted):
            more = self.assumptions(np.array([literal]))
            solution = x if x[literal] else self.solve([*kept, *more])
            if solution is not None:
                kept, x = [*kept, *more], solution
        return self.answer(x)

    def find(self, clues: Collection[int], differs_from: int) -> tuple[IntArray | None, set[int]]:
        """Another answer under these clues; or None, and clues that are enough for that."""
        owner = {literal: clue for clue in clues for literal in self._switches[clue]}
        x = self.solve([differs_from, *owner])
        if x is not None:
            return self.answer(x), set()
        core = set(self._solver.get_core() or ())
        return None, {owner[literal] for literal in core - {differs_from}}

    def nearest(self, clues: Collection[int], answer: IntArray, rng: Random) -> IntArray | None:
        """Another answer under these clues that agrees with this one in as much as it can.

        No choice more could be as in ``answer``; the order in which they are tried is random.
        """
        chosen = [literal for clue in clues for literal in self._switches[clue]]
        chosen.append(self.differs_from(answer))
        return self.solve_near(chosen, [self.literals_of(answer)], rng)

    def answer(self, x: IntArray) -> IntArray:
        """The answer grid of an assignment."""
        return self._field.read(x)[0]


def second_solution(given: SwitchableModel, answer: IntArray) -> IntArray | None:
    """An answer under all clues that differs from this one, or None: there is no other."""
    with IncrementalSat(given) as solver:
        return solver.find(range(len(given.switches)), solver.differs_from(answer))[0]


def random_answer(model: Model, wanted: Sequence[IntArray], rng: Random) -> IntArray | None:
    """An answer of a model, see ``IncrementalSat.solve_near``."""
    with IncrementalSat(SwitchableModel(model)) as solver:
        return solver.solve_near((), wanted, rng)
