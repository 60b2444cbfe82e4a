"""The solver of docs/adding-a-solver.md: a package of its own, found by its entry point."""

import re
from pathlib import Path

import dimod
import numpy as np
import pytest

from command import run_apart
from page_package import install, snippet
from qubopuzzle import Nonogram, solve
from qubopuzzle.compile import compile_model
from qubopuzzle.solvers.base import Budget, Solver, Task

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
    listed = run_apart("solvers", env=env)[1]
    assert re.search(r"^descents +heuristic +1\.0 +steepest descents", listed, re.M)
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


def test_ctrl_c_keeps_what_there_is(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    from their_descents import SOLVER

    def interrupt(_):
        raise KeyboardInterrupt

    bits = np.random.default_rng(1).integers(0, 2, (9, 9))
    compiled = compile_model(Nonogram.from_picture(bits).model(), "qubo", "one-hot")
    outcome = SOLVER.solve(Task(compiled, Budget(500, None, 1), {"flips": 9}, progress=interrupt))
    assert (outcome.interrupted, outcome.reads, len(outcome.samples)) == (True, 1, 1)


def test_what_a_sampler_needs_is_a_solver(monkeypatch):
    """The options of the first one on the page go to its sampler by their names."""
    scope = {}
    exec(re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.S)[0], scope)  # noqa: S102
    sampler = scope["SOLVER"]
    calls = []

    class Sampler(dimod.ExactSolver):
        def sample(self, bqm, **more):
            calls.append(more)
            return super().sample(bqm)

    monkeypatch.setattr(type(sampler), "make", lambda _: Sampler())
    compiled = compile_model(Nonogram(rows=[[1], []], cols=[[1], []]).model(), "qubo", "one-hot")
    sampler.solve(Task(compiled, Budget(1, None, 1), sampler.parse_options({})))
    assert calls[0]["num_sweeps"] == 1000
