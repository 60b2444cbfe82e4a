"""What must hold of every solver that can run here and needs no service."""

from dataclasses import replace

import pytest

from qubopuzzle import Nonogram, solve
from qubopuzzle.errors import TooLarge
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
