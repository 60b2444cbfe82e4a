"""The solver sat: answers, proofs, limits."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given

from qubopuzzle import InputError, Nonogram, solve
from qubopuzzle.errors import OutOfTime, SolverUnavailable
from qubopuzzle.files.puzzles import get_format
from qubopuzzle.solvers import get_solver
from qubopuzzle.testing import right_grids
from strategies import nonograms
from toys import Coin

native = get_format("json")

NOISE = Nonogram.from_picture(np.random.default_rng(3).integers(0, 2, (13, 13)), id="noise")
SWAPPED = Nonogram(rows=(NOISE.rows[1], NOISE.rows[0], *NOISE.rows[2:]), cols=NOISE.cols)
TWO = Nonogram(rows=[[1], [1]], cols=[[1], [1]])
# Too many loose runs: nothing here decides it in a minute.
ENDLESS = Nonogram.from_picture(np.random.default_rng(5).random((70, 70)) < 0.4, id="endless")


def clauses_of(formula):
    lines = [line for line in formula.splitlines() if line[:1] not in ("c", "p")]
    return [[int(number) for number in line.split()[:-1]] for line in lines]


def follows(clauses, clause):
    """Whether unit propagation refutes the clause's negation (RUP)."""
    true = {-literal for literal in clause}
    changed = True
    while changed:
        changed = False
        for other in clauses:
            if any(literal in true for literal in other):
                continue
            rest = [literal for literal in other if -literal not in true]
            if not rest:
                return True
            if len(rest) == 1:
                true.add(rest[0])
                changed = True
    return False


def proves(proof):
    """Whether every line follows from those before it and the last is the empty clause."""
    clauses = clauses_of(proof.formula)
    for line in proof.drat.splitlines():
        if line.startswith("d"):
            continue  # a proof that ignores deletions proves the same
        clause = [int(number) for number in line.split()[:-1]]
        if not follows(clauses, clause):
            return False
        clauses.append(clause)
        if not clause:
            return True
    return False


@given(nonograms())
def test_all_solutions_are_listed(puzzle):
    result = solve(puzzle, "sat", solutions=None)
    assert result.complete
    assert sorted(answer.tobytes() for answer in result.solutions) == right_grids(puzzle)
    assert (result.status == "infeasible") == (not result.solutions)


def test_unique_several_none():
    unique = solve(NOISE, "sat", solutions=None)
    assert (unique.unique, len(unique.solutions)) == (False, 2)
    assert unique.differing().shape[1] == 2
    assert solve(Nonogram.examples()[1], "sat", solutions=2).unique is True
    assert solve(Nonogram.examples()[1], "sat", solutions=2).verdict == (
        "valid, unique (proved by sat)"
    )
    several = solve(TWO, "sat", solutions=2)
    assert (several.unique, several.complete) == (False, False)
    assert several.verdict == "valid, 2 solutions or more"
    assert several.differing().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert solve(TWO, "sat").unique is None
    none = solve(SWAPPED, "sat", solutions=2)
    assert (none.status, none.unique, none.proved_by) == ("infeasible", False, "sat")


@pytest.mark.parametrize("backend", ["cadical195", "cadical153", "glucose4", "g3"])
def test_proofs_hold(backend):
    for puzzle, count in ((SWAPPED, 1), (NOISE, None), (TWO, None)):
        options = {"backend": backend, "proof": 1}
        proof = solve(puzzle, "sat", solutions=count, options=options).proof
        assert proves(proof)
    wrong = type(proof)(proof.formula.replace(" 0", " 4 0"), "0\n")
    assert not proves(wrong)


def test_no_proof_of_what_was_not_proved():
    assert solve(TWO, "sat", options={"proof": 1}).proof is None
    assert solve(SWAPPED, "sat").proof is None


@pytest.mark.parametrize("backend", ["lingeling", "kissat404", "minisat22", "maplechrono", "ergo"])
def test_other_backends(backend):
    assert solve(TWO, "sat", solutions=None, options={"backend": backend}).complete
    assert solve(SWAPPED, "sat", options={"backend": backend}).status == "infeasible"


@pytest.mark.parametrize("kind", ["exact", "omitted", "restricted", "impossible"])
def test_what_the_model_leaves_out_is_not_proved(kind):
    result = solve(Coin(kind=kind), "sat", solutions=None)
    found = [answer.ravel().tolist() for answer in result.solutions]
    if kind in ("exact", "omitted"):  # the two answers that a rule leaves, out of four
        assert sorted(found) == [[0, 1], [1, 0]]
        assert result.complete
    else:
        assert found == []
        assert result.complete == (kind == "impossible")
        assert result.status == ("infeasible" if kind == "impossible" else "unknown")


@pytest.mark.parametrize("name", ["sat", "cpsat", "mip", "clingo", "exact"])
def test_readings_that_disagree_do_not_hide_an_answer(name):
    if not get_solver(name).available().ok:
        pytest.skip(f"{name} is not installed")
    result = solve(Coin(kind="omitted"), name, formulation="torn", solutions=None)
    found = [answer.ravel().tolist() for answer in result.solutions]
    assert sorted(found) == [[0, 1], [1, 0]]
    assert result.complete


def test_a_model_that_is_not_the_puzzle_proves_nothing():
    result = solve(Coin(kind="exact"), "sat", formulation="torn", solutions=None)
    assert not result.complete
    assert result.unique is not True


def test_a_proof_for_which_there_is_no_time_leaves_what_is_proved(monkeypatch):
    search = sys.modules["qubopuzzle.solvers.sat"]._SatSearch

    def late(_):
        raise OutOfTime

    monkeypatch.setattr(search, "proof", late)
    result = solve(SWAPPED, "sat", options={"proof": 1}, time_limit=10)
    assert (result.status, result.proof) == ("infeasible", None)


def test_no_proof_where_the_model_narrows_the_rules():
    result = solve(Coin(kind="restricted"), "sat", options={"proof": 1})
    assert (result.status, result.proof) == ("unknown", None)


def test_backends_that_are_run_once():
    """Kissat ends the process if it is asked to go on, Maplesat if there is no clause."""
    hard = Nonogram.from_picture(np.random.default_rng(2).random((38, 38)) < 0.5)
    assert solve(hard, "sat", options={"backend": "kissat404"}).valid
    seven = Nonogram(rows=[[1]] * 4, cols=[[1]] * 4)
    result = solve(seven, "sat", solutions=None, options={"backend": "kissat404"})
    assert (len(result.solutions), result.complete) == (24, True)
    full = Nonogram(rows=[[2], [2]], cols=[[2], [2]])
    assert solve(full, "sat", solutions=2, options={"backend": "maplesat"}).unique


def test_what_cannot_be_asked_for():
    with pytest.raises(InputError, match="PySAT has no solver 'cadycal'; it has: cadical103"):
        solve(TWO, "sat", options={"backend": "cadycal"})
    with pytest.raises(InputError, match="backend minisat22 writes no proof; use one of"):
        solve(TWO, "sat", options={"backend": "minisat22", "proof": 1})
    with pytest.raises(InputError, match="backend lingeling keeps no time limit"):
        solve(TWO, "sat", options={"backend": "lingeling"}, time_limit=1)
    with pytest.raises(InputError, match="takes no weights"):
        solve(TWO, "sat", weights={"field": 2})
    with pytest.raises(InputError, match="leave encoding out"):
        solve(TWO, "sat", encoding="one-hot")
    with pytest.raises(InputError, match="cannot say that there is no other solution"):
        solve(TWO, "annealer", solutions=2)
    with pytest.raises(InputError, match="solutions: expected a whole number"):
        solve(TWO, "sat", solutions=0)
    with pytest.raises(SolverUnavailable, match="cryptosat is not part of this installation"):
        solve(TWO, "sat", options={"backend": "cryptosat"})


@pytest.mark.parametrize("backend", ["cadical195", "glucose4"])
def test_a_time_limit_ends_the_search(backend):
    started = time.perf_counter()
    result = solve(ENDLESS, "sat", time_limit=0.5, solutions=None, options={"backend": backend})
    # Generous: a bound against hanging, no measurement of speed.
    assert time.perf_counter() - started < 20
    assert not result.complete
    assert result.status in ("optimal", "unknown")


def test_ctrl_c_ends_the_search_with_what_there_is(tmp_path):
    path = tmp_path / "endless.json"
    path.write_text(native.write([ENDLESS]))
    command = [sys.executable, "-m", "qubopuzzle", "solve", str(path), "--all", "--json"]
    for seconds in (4, 12, 36):  # a busy machine may still be importing
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            time.sleep(seconds)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=30)
        assert child.returncode == 1
        assert b"Traceback" not in err
        if out:
            break
    assert b'"complete": false' in out
    assert b'"interrupted": true' in out
