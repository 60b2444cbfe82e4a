"""What must hold of every solver that can run here and needs no service."""

import json
from dataclasses import replace

import numpy as np
import pytest

from qubopuzzle import Nonogram, solve
from qubopuzzle.errors import TooLarge
from qubopuzzle.programs.program import Program
from qubopuzzle.solvers import all_solvers, get_solver
from qubopuzzle.solvers.base import Option, Solver
from qubopuzzle.testing import SOLVER_CHECKS, check_solver
from qubopuzzle.testing.solvers import impossible

NAMES = sorted(
    name
    for name, solver in all_solvers().items()
    if solver.available().ok and not solver.remote  # solvers/services/ has those
)
FOREIGN = "dimod:dimod:RandomSampler"
WITHOUT = {("tabu", "seed")}
"""Dwave's tabu search stops by the clock, not by a count of steps."""


@pytest.mark.parametrize("check", SOLVER_CHECKS)
@pytest.mark.parametrize("name", [*NAMES, FOREIGN])
def test_every_solver(name, check):
    if (name, check) in WITHOUT:
        pytest.skip(f"{name} goes by the clock")
    SOLVER_CHECKS[check](get_solver(name))


@pytest.mark.parametrize("name", [*NAMES, FOREIGN])
def test_what_has_no_solution_is_never_solved(name):
    result = solve(impossible(), name, seed=1, reads=5, presolve="none")
    assert not result.valid
    assert result.status == ("infeasible" if get_solver(name).exact else "unknown")


@pytest.mark.parametrize("name", NAMES)
def test_a_small_puzzle_is_solved(name):
    puzzle = Nonogram.from_picture(["#.", ".#", "##"])
    assert solve(puzzle, name, seed=1, reads=1000).valid


def knapsack(n):
    rng = np.random.default_rng(3)
    weights, values = rng.integers(10, 60, (2, n))
    return Program.of([weights], row_upper=weights.sum() // 2, cost=values, maximize=True, upper=1)


SEE_ONLY_THE_END = {"random"}
"""Of these items: no sample of it has the slack bits that its choices ask for."""


@pytest.mark.parametrize("name", sorted({*NAMES} - {"qpu-sim"}))
def test_incumbents_end_with_the_answer(name):
    n = 6 if name == "exact" else 18
    result = solve(knapsack(n), name, seed=1, reads=50, time_limit=5)
    data = json.loads(json.dumps(result.to_dict()))["incumbents"]
    assert all(each.keys() == {"seconds", "value", "bound", "feasible"} for each in data)
    *better, last = result.incumbents
    assert result.valid
    assert (last.feasible, last.value, last.bound) == (True, result.objective, result.bound)
    seconds = [each.seconds for each in result.incumbents]
    spent = sum(s for stage, s in result.timings_s.items() if stage not in ("load", "prepare"))
    assert seconds[0] > 0
    assert seconds == sorted(seconds)
    assert seconds[-1] == pytest.approx(spent, abs=1e-3)
    values = [each.value for each in better]
    assert values == sorted(set(values))  # it is maximised
    assert all(each.feasible and each.value <= last.value for each in better)
    assert bool(better) == (name not in SEE_ONLY_THE_END)


@pytest.mark.parametrize("name", [*NAMES, FOREIGN])
def test_an_answer_without_an_objective_is_an_incumbent_without_a_value(name):
    result = solve(Nonogram.from_picture(["#.", ".#", "##"]), name, seed=1, reads=1000)
    (last,) = result.incumbents
    assert (last.value, last.bound, last.feasible) == (None, None, True)


def test_an_answer_that_is_not_valid_is_an_incumbent_that_is_not_feasible():
    program = Program.of([[1, 1], [1, -1]], row_lower=[1, 0], row_upper=[1, 0], cost=1, upper=1)
    result = solve(program, "neal", seed=1, reads=3, presolve="none")
    assert not result.valid
    (last,) = result.incumbents
    assert not last.feasible
    assert last.value == result.best.invalid_objective


def test_every_solver_says_whether_it_can_run():
    for solver in all_solvers().values():
        here = solver.available()
        assert here.version if here.ok else here.why.startswith("pip install 'qubopuzzle[")


# --- the checks themselves ---------------------------------------------------------------


class Lying(Solver):
    """A sampler of ``neal`` that is wrong in one way; everything else is right."""

    name = "lying"
    package = "numpy"
    options = (Option("sweeps", int, 1000, "sweeps a read", minimum=1),)

    def __init__(self, lie):
        self.lie = lie

    def solve(self, task):
        neal = get_solver("neal")
        right = neal.solve(replace(task, options=neal.parse_options({})))
        return self.lie(right, task)


def changed(**fields):
    """The outcome with fields made of it."""
    return lambda outcome, task: replace(outcome, **{k: v(outcome) for k, v in fields.items()})


def too_large(outcome, task):
    if task.compiled.sizes["variables"] > 500:
        raise TooLarge("too\nlarge")
    return outcome


LIES = {
    "energies are not those": changed(energies=lambda o: o.energies + 1),
    "the best sample is not the first": changed(
        samples=lambda o: o.samples[::-1], energies=lambda o: o.energies[::-1]
    ),
    "values other than 0 and 1": changed(samples=lambda o: 2 * o.samples),
    "samples have the shape": changed(samples=lambda o: o.samples[:, 1:]),
    "it says that there is no solution, and has one": changed(infeasible=lambda o: True),
    "reads, and 3 were asked for": changed(reads=lambda o: 99),
    "complete.* where there is no solution": changed(complete=lambda o: True),
    "optimal.* where there is no solution": changed(optimal=lambda o: True),
    "the bound is 99": changed(bound=lambda o: 99.0),
    "is no line of text": too_large,
}


@pytest.mark.parametrize("reason", LIES)
def test_a_solver_that_says_what_is_not_true_is_seen(reason):
    with pytest.raises(AssertionError, match=reason) as caught:
        check_solver(Lying(LIES[reason]))
    assert str(caught.value).startswith("lying: ")
    assert "\n" not in str(caught.value)


def test_a_solver_of_which_all_holds():
    check_solver(Lying(lambda outcome, task: outcome))
    with pytest.raises(AssertionError, match="no checks: sed"):
        check_solver(get_solver("neal"), without=["sed"])


def test_an_exact_solver_must_prove():
    liar = Lying(lambda outcome, task: outcome)
    liar.exact = True
    with pytest.raises(AssertionError, match="lying: no solution: it is exact and does not say"):
        check_solver(liar)
