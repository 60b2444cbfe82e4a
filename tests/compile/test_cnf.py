"""The formula has exactly the model's solutions, and other properties of its clauses."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pysat.formula import CNF
from pysat.solvers import Solver

from qubopuzzle import Nonogram, to_cnf
from qubopuzzle.compile import clauses as clauses_module
from qubopuzzle.compile import compile_model
from qubopuzzle.compile.clauses import Clauses
from qubopuzzle.compile.cnf import compile_cnf
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import ModelBuilder, violation
from qubopuzzle.solvers import get_solver
from qubopuzzle.solvers.base import Budget, Task
from qubopuzzle.testing import all_bits, right_grids
from strategies import assignments, models, nonograms


def satisfiable(formula, given):
    """Whether the formula has a model with these values of its first variables."""
    if formula.contradiction:
        return False
    assumptions = [v if bit else -v for v, bit in enumerate(given, start=1)]
    with Solver("minisat22", bootstrap_with=list(formula.clauses())) as solver:
        return solver.solve(assumptions=assumptions)


def all_answers(model):
    """Literal values of every solution, by the solver sat itself."""
    compiled = compile_model(model, "cnf", None)
    options = get_solver("sat").parse_options({})
    budget = Budget(None, None, 0, solutions=10**6)
    outcome = get_solver("sat").solve(Task(compiled, budget, options))
    assert outcome.complete
    return [compiled.decode(sample) for sample in outcome.samples]


@given(model=models())
def test_a_model_and_its_formula_have_the_same_solutions(model):
    formula = compile_cnf(model)
    for x in assignments(model):
        assert satisfiable(formula, formula.bits.encode(x)) == (violation(model, x) == 0)


@given(model=models(graphs=True))
def test_the_solver_finds_every_solution_once(model):
    met = [x.tobytes() for x in assignments(model) if violation(model, x) == 0]
    assert sorted(x.tobytes() for x in all_answers(model)) == sorted(met)


@given(puzzle=nonograms(), formulation=st.sampled_from(sorted(Nonogram.formulations)))
def test_a_nonogram_and_its_formula_have_the_same_pictures(puzzle, formulation):
    model = puzzle.model(formulation)
    found = [model.field.read(x)[0].tobytes() for x in all_answers(model)]
    assert sorted(found) == right_grids(puzzle)


@given(
    n=st.integers(1, 8),
    signs=st.integers(0, 255),
    size=st.integers(1, 3),
    low=st.integers(-9, 9),
    width=st.integers(0, 9),
    network=st.booleans(),
)
def test_sums_of_equal_coefficients(n, signs, size, low, width, network):
    coefficients = [size if signs >> i & 1 else -size for i in range(n)]
    formula = Clauses(n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clauses_module, "_COUNTER", 0 if network else 10**6)
        blocks = [[(a, v)] for v, a in enumerate(coefficients, start=1)]
        formula.linear(blocks, low, low + width)
    batches = formula.finish()
    with Solver("minisat22", bootstrap_with=[c for b in batches for c in b.tolist()]) as solver:
        for bits in all_bits(n):
            wanted = low <= int(bits @ coefficients) <= low + width
            assumptions = [v if bit else -v for v, bit in enumerate(bits, start=1)]
            assert (not formula.contradiction and solver.solve(assumptions)) == wanted


@given(
    sums=st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=4), min_size=1, max_size=4),
    names=st.sets(st.integers(1, 3)),
    low=st.integers(-6, 6),
    width=st.integers(0, 3),
)
@example(sums=[[0, 1, 2, 3]] * 4, names=set(), low=4, width=0)
@example(sums=[[0, 1, 3], [0, -1, -2], [2, 2, 0]], names={2}, low=1, width=1)
def test_sums_of_choices_with_several_coefficients(sums, names, low, width):
    """Numbers have order variables, whatever the order of their coefficients; names have not."""
    b = ModelBuilder()
    values = ("abcd" if i in names else range(4) for i in range(4))
    choices = [b.choice(f"x{i}", next(values)[: len(own)]) for i, own in enumerate(sums)]
    literals = np.concatenate([x.literals for x in choices])
    b.rows("sum").add(literals, np.concatenate(sums), lower=low, upper=low + width)
    model = b.build()
    formula = compile_cnf(model)
    for x in assignments(model):
        assert satisfiable(formula, formula.bits.encode(x)) == (violation(model, x) == 0)


def test_a_sum_of_numbers_needs_order_variables_only():
    """9 for ten values each; x + y = 9 + z is from 9 to 18, 9 more."""
    b = ModelBuilder()
    x, y, z = (b.choice(name, range(10)) for name in "xyz")
    literals, values = np.concatenate([x.literals, y.literals, z.literals]), np.arange(10)
    b.rows("sum").add(literals, np.concatenate([values, values, -values]), lower=9, upper=9)
    formula = compile_cnf(b.build())
    assert formula.bits.n_bits == 27
    assert formula.n_variables == 27 + 9
    huge = ModelBuilder()
    many = [huge.choice(f"x{i}", range(500)) for i in range(3)]
    rows = huge.rows("sum")
    rows.add(np.concatenate([x.literals for x in many]), [*range(500)] * 3, lower=700, upper=700)
    with pytest.raises(TooLarge, match=r"^sum\[0\]: a sum has over 200,000 partial sums"):
        compile_cnf(huge.build())


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, -1, 1), (1, 1, 1, -1)])
def test_a_row_that_excludes_one_sum_at_an_end_is_one_clause(signs):
    builder = ModelBuilder()
    bits = [builder.bit(f"x[{i}]").literals[1] for i in range(len(signs))]
    most, least = signs.count(1), -signs.count(-1)
    builder.rows("above").add(bits, signs, upper=most - 1)
    builder.rows("below").add(bits, signs, lower=least + 1, upper=most)
    formula = compile_cnf(builder.build())
    numbers = {sign * v for v, sign in enumerate(signs, start=1)}
    wanted = {frozenset(numbers), frozenset(-number for number in numbers)}
    assert set(map(frozenset, formula.clauses())) == wanted
    assert formula.n_clauses == 2
    assert formula.n_variables == len(signs)


@pytest.mark.parametrize("size", [1, 2, 5, 6, 9])
def test_exactly_one_and_at_most_one(size):
    for lower in (0, 1):
        formula = Clauses(size)
        if lower:
            formula.exactly_one(np.arange(1, size + 1)[None])
        else:
            formula.count(list(range(1, size + 1)), 0, 1)
        clauses = [c for b in formula.finish() for c in b.tolist()]
        with Solver("minisat22", bootstrap_with=clauses) as solver:
            for bits in all_bits(size):
                assumptions = [v if bit else -v for v, bit in enumerate(bits, start=1)]
                assert solver.solve(assumptions) == (lower <= bits.sum() <= 1)


@pytest.mark.parametrize("size", [3, 5, 6, 9])
def test_rows_of_which_exactly_one_value_is_true(size):
    """Rows of bits, one without its first bit; of values of a choice, too, together one group."""
    b = ModelBuilder()
    bits = [b.bit(f"x[{i}]") for i in range(size)]
    digit = b.choice("digit", range(4))
    b.add("sum", sum(bits) == 1)
    b.add("sum", sum(bits[1:]) + (digit == 1) + (digit == 3) == 1)
    b.add("known", bits[-1] + bits[0] <= 0)
    model = b.build()
    formula = compile_cnf(model)
    met = [x for x in assignments(model) if violation(model, x) == 0]
    assert len(met) == 2 * (size - 2)
    for x in assignments(model):
        assert satisfiable(formula, formula.bits.encode(x)) == (violation(model, x) == 0)


def test_a_cell_of_a_nonogram_is_one_variable():
    """Order variables only, and one variable a cell that is not known from the start."""
    puzzle = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (12, 15)))
    formula = compile_cnf(puzzle.model())
    assert formula.n_variables <= formula.bits.n_bits + 12 * 15
    assert max(batch.shape[1] for batch in formula.batches) <= 3


def test_a_row_that_is_a_clause_takes_no_variable():
    """Also where several values of a choice count together, up or down."""
    b = ModelBuilder()
    x, y = b.choice("x", "abcd"), b.choice("y", "abcd")
    late, yes = b.choice("late", range(4)), b.bit("yes")
    b.precedence("order", [late], [b.choice("later", range(4))], 0)
    b.at_least_one("some", [[x == "a", x == "c", y == "b", y == "d", yes]])
    b.add("implied", (x == "b") - (y == "a") - (y == "b") - (late == 3) <= 0)
    b.add("between", (late == 1) + (late == 2) + yes <= 1)
    model = b.build()
    formula = compile_cnf(model)
    assert formula.n_variables == formula.bits.n_bits
    for taken in assignments(model):
        assert satisfiable(formula, formula.bits.encode(taken)) == (violation(model, taken) == 0)


def test_a_model_without_choices():
    assert compile_cnf(ModelBuilder().build()).n_clauses == 0
    b = ModelBuilder()
    b.linear("never", [], [], lower=1, upper=1, shape=(1,))
    assert compile_cnf(b.build()).contradiction


def test_a_formula_that_would_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(clauses_module, "CLAUSE_LIMIT", 100)
    with pytest.raises(TooLarge, match="over 100 literals"):
        compile_cnf(Nonogram.examples()[1].model())


@given(puzzle=nonograms())
def test_dimacs_files_are_read_by_others(puzzle):
    text = to_cnf(puzzle).to_dimacs()
    formula = CNF(from_string=text)
    variables, clauses = re.search(r"^p cnf (\d+) (\d+)$", text, re.MULTILINE).groups()
    assert int(clauses) == len(formula.clauses)
    assert int(variables) >= formula.nv  # PySAT counts those that stand in clauses
    with Solver("minisat22", bootstrap_with=[c for c in formula.clauses if c]) as solver:
        satisfiable = [] not in formula.clauses and solver.solve()
    assert satisfiable == bool(right_grids(puzzle))
