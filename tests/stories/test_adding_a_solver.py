"""The solver of docs/adding-a-solver.md: a package of its own, found by its entry point."""

from pathlib import Path

import pytest

from command import run_apart
from page_package import install, snippet
from qubopuzzle import Nonogram, solve
from qubopuzzle.solvers.base import Solver

DOCUMENT = Path(__file__).parents[2] / "docs/adding-a-solver.md"
PICTURE = "rows=1;1 1;1 1;5;1 1 cols=2;3;1 1;3;2"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The package of the page, as pip would leave it there."""
    root = tmp_path_factory.mktemp("solver")
    install(DOCUMENT, root)
    return root


def test_the_command_finds_it(folder):
    """It is listed, takes its option, and its answers are judged."""
    env = {"PYTHONPATH": str(folder)}
    assert "descents" in run_apart("solvers", env=env)[1]
    words = ("solve", PICTURE, "--solver", "descents", "--seed", 1)
    status, out, err = run_apart(*words, "--option", "flips=500", env=env)
    assert (status, err) == (0, "")
    assert "\nvalid | " in out
    status, out, err = run_apart(*words, "--option", "flips=0", env=env)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_all_holds_that_must_hold_of_every_solver(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    exec(snippet(DOCUMENT, "check_solver"), {})  # noqa: S102


def test_the_same_seed_finds_the_same(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    from their_descents import SOLVER

    assert isinstance(SOLVER, Solver)
    puzzle = Nonogram.examples()[0]
    first, again = (
        solve(puzzle, "descents", seed=2, reads=20, presolve="none").samples for _ in range(2)
    )
    assert (first.record.sample == again.record.sample).all()
    assert first.record.num_occurrences.sum() == 20
