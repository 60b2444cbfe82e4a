"""Models out, samples and answers back: for people who solve with tools of their own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from qubopuzzle.compile import compile_qubo
from qubopuzzle.errors import InputError, Unsatisfiable
from qubopuzzle.files.puzzles import load
from qubopuzzle.model import IntArray, Model, propagate
from qubopuzzle.puzzles import Puzzle, Violation
from qubopuzzle.solving.result import Result, disagreement

if TYPE_CHECKING:
    import dimod

    from qubopuzzle.compile.amplify import AmplifyModel
    from qubopuzzle.compile.cnf import Cnf
    from qubopuzzle.compile.mip import Mip

PRESOLVES = ("none", "propagate")


def to_bqm(
    puzzle: Puzzle | str | PathLike[str],
    *,
    formulation: str | None = None,
    encoding: str = "one-hot",
    weights: Mapping[str, float] | None = None,
    presolve: str = "none",
) -> dimod.BinaryQuadraticModel:
    """The puzzle's QUBO as a dimod model with readable labels; valid answers have energy 0.

    ``decode`` leads back from its samples. The encoding is one-hot unless said otherwise,
    as in the tutorials; ``solve`` anneals domain walls, which single flips find easier.

    Raises:
        InputError: for a formulation, encoding, presolve or weight that cannot be used.
        TooLarge: if the QUBO would not fit in memory.
        Unsatisfiable: if ``presolve="propagate"`` proves that there is no solution.
    """
    model = model_of(one_puzzle(puzzle), formulation, presolve)
    return compile_qubo(model, encoding).to_bqm(weights)


def to_amplify(
    puzzle: Puzzle | str | PathLike[str],
    *,
    formulation: str | None = None,
    encoding: str = "one-hot",
    weights: Mapping[str, float] | None = None,
    presolve: str = "none",
    mode: str = "constraint",
) -> AmplifyModel:
    """The puzzle as an Amplify model: ``built.model`` is what ``amplify.solve`` takes.

    Args:
        puzzle, formulation, encoding, weights, presolve: see ``to_bqm``.
        mode: ``constraint`` for native constraints with labels and weights, or
            ``objective`` for exactly our QUBO.

    Raises:
        InputError, TooLarge: see ``to_bqm``.
        Unsatisfiable: for a constraint that no assignment can meet.
    """
    from qubopuzzle.compile import amplify

    model = model_of(one_puzzle(puzzle), formulation, presolve)
    return amplify.to_amplify(model, encoding=encoding, weights=weights, mode=mode)


def to_cnf(
    puzzle: Puzzle | str | PathLike[str],
    *,
    formulation: str | None = None,
    presolve: str = "none",
) -> Cnf:
    """The puzzle as a formula for SAT solvers: arrays of clauses, and text in DIMACS.

    >>> from qubopuzzle import Nonogram, to_cnf
    >>> formula = to_cnf(Nonogram(rows=[[1], [1]], cols=[[1], [1]]))
    >>> formula.n_variables, formula.n_clauses
    (4, 8)

    Raises:
        InputError, TooLarge, Unsatisfiable: see ``to_bqm``.
        ModelError: for connectivity or cycles, which no formula of this size expresses.
    """
    from qubopuzzle.compile.cnf import compile_cnf

    model = model_of(one_puzzle(puzzle), formulation, presolve)
    model.require_local("a file of clauses")
    return compile_cnf(model)


def to_mip(
    puzzle: Puzzle | str | PathLike[str],
    *,
    formulation: str | None = None,
    presolve: str = "none",
) -> Mip:
    """The puzzle as rows over 0/1 variables: arrays, and text of the LP and MPS formats.

    >>> from qubopuzzle import Nonogram, to_mip
    >>> to_mip(Nonogram(rows=[[1]], cols=[[1], []])).to_lp().splitlines()[0]
    'Minimize'

    Raises:
        InputError, TooLarge, Unsatisfiable: see ``to_bqm``.
    """
    from qubopuzzle.compile.mip import compile_mip

    instance = one_puzzle(puzzle)
    # A tree takes the place of cuts.
    name = formulation or instance.formulation_for(cuts=True, exact=True)
    return compile_mip(model_of(instance, name, presolve))


def decode(
    puzzle: Puzzle | str | PathLike[str],
    sample: Any,
    *,
    formulation: str | None = None,
    encoding: str = "one-hot",
    presolve: str = "none",
) -> tuple[IntArray, list[Violation]]:
    """From a sample of ``to_bqm``'s model to the answer and the rules that it breaks.

    Args:
        sample: 0/1 by label (``sampleset.first.sample``), a sample set (its best sample
            counts), or the values in the order of the labels.
        puzzle, formulation, encoding, presolve: as they were given to ``to_bqm``.

    Raises:
        InputError: for a sample that does not have exactly the model's variables.
    """
    instance = one_puzzle(puzzle)
    model = model_of(instance, formulation, presolve)
    qubo = compile_qubo(model, encoding)
    first = getattr(sample, "first", None)
    values = getattr(first, "sample", sample)
    if isinstance(values, Mapping):
        missing = set(qubo.labels()) ^ set(values)
        if missing:
            raise InputError(f"the sample has other variables than the model: {min(missing)}")
        values = [values[label] for label in qubo.labels()]
    bits = np.asarray(values)
    if bits.shape != (qubo.n_bits,) or not np.isin(bits, (0, 1)).all():
        raise InputError(f"expected {qubo.n_bits} values of 0 or 1, got shape {bits.shape}")
    answer, broken = read_field(model, qubo.decode(bits))
    return answer, [*broken, *instance.violations(answer)]


def judge(puzzle: Puzzle | str | PathLike[str], answer: Any) -> tuple[IntArray, list[Violation]]:
    """Judge an answer that somebody gives: an array, its native JSON form, or a Result."""
    instance = one_puzzle(puzzle)
    given = answer.answer if isinstance(answer, Result) else answer
    grid = given if isinstance(given, np.ndarray) else instance.parse_answer(given)
    return grid, instance.violations(grid)


def read_field(model: Model, x: IntArray) -> tuple[IntArray, list[Violation]]:
    """Field reconstruction of literal values: the grid, and where its readings disagree."""
    if model.field is None:
        raise InputError("this model paints no field")
    grid, cells = model.field.read(x)
    return grid, [disagreement(cells)] if len(cells) else []


def model_of(puzzle: Puzzle, formulation: str | None, presolve: str) -> Model:
    """A puzzle's model, propagated if that is asked for; raises as ``to_bqm``."""
    model = puzzle.model(formulation)
    if presolve == "none":
        return model
    if presolve not in PRESOLVES:
        raise InputError(f"unknown presolve {presolve!r}; choose from {', '.join(PRESOLVES)}")
    reduced = propagate(model)
    if reduced.contradiction is not None:
        raise Unsatisfiable(f"no solution in this model (propagation: {reduced.contradiction})")
    return reduced.model


def one_puzzle(source: Puzzle | str | PathLike[str]) -> Puzzle:
    """The puzzle itself, or the only one of a file."""
    return source if isinstance(source, Puzzle) else load_one(source)[0]


def load_one(source: str | PathLike[str]) -> tuple[Puzzle, float]:
    """The only puzzle of a file, and the seconds that reading it took."""
    started = time.perf_counter()
    if not isinstance(source, str | PathLike):
        raise InputError(f"expected a puzzle or a file, got {type(source).__name__}")
    puzzles = load(source)
    if len(puzzles) != 1:
        raise InputError(f"{source}: it holds {len(puzzles)} puzzles; use load() and solve each")
    return puzzles[0], time.perf_counter() - started
