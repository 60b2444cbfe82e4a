"""The solver of docs/adding-a-solver.md: a package of its own, found by its entry point."""

import re
import tomllib
from pathlib import Path

import pytest

from command import run_apart
from qubopuzzle import Nonogram, solve
from qubopuzzle.solvers.base import Solver

DOCUMENT = Path(__file__).parents[1] / "docs/adding-a-solver.md"
PICTURE = "rows=1;1 1;1 1;5;1 1 cols=2;3;1 1;3;2"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The package of the page, as pip would leave it there."""
    root = tmp_path_factory.mktemp("solver")
    text = DOCUMENT.read_text("utf-8")
    for name, content in re.findall(r"^`([\w/.]+)`\n\n```\w+\n(.*?)^```", text, re.M | re.S):
        root.joinpath(name).parent.mkdir(exist_ok=True)
        root.joinpath(name).write_text(content, "utf-8")
    project = tomllib.loads(root.joinpath("pyproject.toml").read_text())["project"]
    about = root / "their_solvers-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    about.joinpath("entry_points.txt").write_text("\n".join(lines))
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
