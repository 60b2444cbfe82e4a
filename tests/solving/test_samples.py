"""What a solver sampled: ``result.samples``, ``result.energies`` and ``solve --samples``."""

import json
from pathlib import Path

import dimod
import numpy as np
import pytest

from command import run
from qubopuzzle import Nonogram, Result, Sudoku, decode, solve, to_bqm
from qubopuzzle.annealing import anneal
from qubopuzzle.base.reads import MOST_KEPT, kept_samples
from qubopuzzle.model import ModelBuilder
from qubopuzzle.solvers import get_solver

LOCAL = ("annealer", "neal", "tempering", "cpsat-ls", "localmip")
EXAMPLE = str(Path(__file__).parents[2] / "examples/picross-a.json")
PUZZLE = Nonogram(rows=[[1, 1], [1], [1, 1]], cols=[[1, 1], [1], [1, 1]])


def samples(result: Result) -> dimod.SampleSet:
    assert result.samples is not None
    return result.samples


@pytest.mark.parametrize(
    "solver",
    [*LOCAL, "random", "tabu", "sat", "exact", "cpsat", "mip", "clingo"],
)
def test_every_solver_says_what_it_sampled(solver):
    if not get_solver(solver).available().ok:
        pytest.skip(f"{solver} is not installed")
    result = solve(PUZZLE, solver, seed=1, reads=5)
    found = samples(result)
    assert found.first.energy == result.energy
    assert found.first.is_valid == result.valid
    assert found.info["solver"] == solver
    assert result.samples is found
    again = dimod.SampleSet.from_serializable(json.loads(json.dumps(found.to_serializable())))
    assert again == found


@pytest.mark.parametrize("solver", ["random", "neal"])
def test_samples_have_the_labels_and_energies_of_the_exported_model(solver):
    options = {"sweeps": 1} if solver == "neal" else {}
    result = solve(PUZZLE, solver, seed=3, reads=40, options=options)
    found, encoding = samples(result), get_solver(solver).default_encoding
    bqm = to_bqm(PUZZLE, encoding=encoding)
    assert set(found.variables) == set(bqm.variables)
    assert np.allclose(bqm.energies(found), found.record.energy)
    assert found.record.num_occurrences.sum() == result.reads
    assert len(np.unique(found.record.sample, axis=0)) == len(found)
    for datum in found.data():
        judged = decode(PUZZLE, datum.sample, encoding=encoding)
        assert judged.valid == datum.is_valid
        for family, cost in judged.energies.items():
            assert getattr(datum, f"energy_{family}") == cost


def test_energies_name_the_broken_constraints():
    result = solve(PUZZLE, "random", seed=1, reads=1)
    assert not result.valid
    total = dict.fromkeys(result.energies, 0)
    for constraint in result.energies.constraints:
        assert constraint.label
        total[constraint.family] += constraint.energy
    assert total == result.energies
    assert sum(total.values()) == result.energy  # one-hot, and ranges of a nonogram are narrow
    said = result.to_dict()["broken"]
    assert [each["label"] for each in said] == [c.label for c in result.energies.constraints]
    (datum,) = samples(result).data()
    assert {name: getattr(datum, f"energy_{name}") for name in total} == total


def test_energies_that_do_not_add_up_to_the_samples_say_what_they_are():
    """Broken walls are paid by the sample, and the answer that is read from it has others."""
    settings = {"encoding": "domain-wall", "seed": 1, "reads": 1, "options": {"sweeps": 20}}
    result = solve(Sudoku.examples()[0], "neal", **settings)
    total = sum(result.energies.values())
    assert total != result.energy
    said = (
        f"energy {result.energy:g} of the sample; the answer's broken constraints cost {total} at"
    )
    assert said in result.summary()


def test_repeated_states_are_counted():
    one_bit = ModelBuilder()
    one_bit.bit("a")
    one_bit.linear("never", [0], [1], lower=2, shape=(1,))
    counted = samples(solve(one_bit.build(), "annealer", seed=1, reads=20, presolve="none"))
    assert counted.record.num_occurrences.sum() == 20
    assert len(counted) <= 2


def test_a_program_without_choices_left_has_no_samples():
    proved = solve(Nonogram(rows=[[2], []], cols=[[2], []]), "annealer", seed=1)
    assert proved.samples is None
    assert proved.energies == {}
    assert proved.energies.constraints == ()


def test_the_best_are_kept_and_no_more_than_memory_bears():
    assert kept_samples(0) == kept_samples(1000) == MOST_KEPT
    assert kept_samples(10**6) == 67
    assert kept_samples(10**9) == 1
    b = ModelBuilder()
    b.choice("x", range(2))
    b.linear("low", [0] * 2, [0, 1], coefficients=[1, 2], upper=0, shape=(1,))
    found = anneal(b.build(), seed=1, sweeps=1, reads=MOST_KEPT + 50)
    assert (len(found.reads), found.n_reads) == (MOST_KEPT, MOST_KEPT + 50)


def test_on_the_command_line(tmp_path):
    path, model = tmp_path / "samples.json", tmp_path / "m.bqm"
    assert run("solve", EXAMPLE, "--solver", "neal", "--seed", "1", "--samples", path)[0] == 0
    found = dimod.SampleSet.from_serializable(json.loads(path.read_text()))
    assert found.first.is_valid
    assert run("export", EXAMPLE, "-o", model, "--encoding", "domain-wall")[0] == 0
    status, out, _ = run("decode", f"{model}.json", path)
    assert (status, "valid" in out) == (0, True)


def test_nothing_to_write_is_one_line(tmp_path):
    puzzle, path = tmp_path / "p.json", tmp_path / "samples.json"
    puzzle.write_text(json.dumps({"puzzle": "nonogram", "rows": [[2], []], "cols": [[2], []]}))
    status, _, err = run("solve", puzzle, "--samples", path)
    assert (status, path.exists()) == (3, False)
    assert err.startswith(f"qubopuzzle: {path}: not written: there is no sample: no solution")
