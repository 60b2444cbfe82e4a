"""What the solvers answer for a seed, and with how many sweeps, is what it was.

Each line of ``data/answers.jsonl`` is one run: of 10 generated instances of each puzzle, by
three solvers, for three seeds. ``answer`` is the beginning of the SHA-256 of the answer as
int64 bytes; ``sweeps`` are those of every read, in order.
"""

import hashlib
import json
from collections import defaultdict
from pathlib import Path

import pytest

import qubopuzzle
from qubopuzzle import OneHotTemperingSampler, annealing

ROOT = Path(__file__).parents[2]
ARGUMENTS = {
    "annealer": {"reads": 4, "presolve": "none"},
    "tempering": {"reads": 1, "options": {"sweeps": 60}},
    "sat": {},
}
RUNS = defaultdict(list)
for line in (ROOT / "tests/data/answers.jsonl").read_text().splitlines():
    run = json.loads(line)
    RUNS[run["id"].partition("-")[0]].append(run)


@pytest.fixture
def sweeps(monkeypatch):
    """The sweeps of each read, as solvers call the annealer and the sampler."""
    found = []
    anneal, sample = annealing.anneal_best, OneHotTemperingSampler.sample

    def noting_anneal(*args, **kwargs):
        number, result = anneal(*args, **kwargs)
        found.extend(read.sweeps for read in sorted(result.reads, key=lambda read: read.number))
        return number, result

    def noting_sample(*args, **kwargs):
        result = sample(*args, **kwargs)
        found.extend(result.info["sweeps"])
        return result

    monkeypatch.setattr(annealing, "anneal_best", noting_anneal)
    monkeypatch.setattr(OneHotTemperingSampler, "sample", noting_sample)
    return found


def test_every_puzzle_is_recorded():
    assert len(RUNS) == 7
    assert {len({run["id"] for run in runs}) for runs in RUNS.values()} == {10}
    assert {len(runs) for runs in RUNS.values()} == {10 * 3 * len(ARGUMENTS)}


@pytest.mark.parametrize("name", RUNS)
def test_answers_and_sweeps_are_those_of_the_record(name, sweeps):
    every = qubopuzzle.load(str(ROOT / f"benchmarks/generated/{name}.jsonl"))
    puzzles = {puzzle.id: puzzle for puzzle in [*every[:5], *every[10:15]]}
    assert {run["id"] for run in RUNS[name]} == set(puzzles)
    for run in RUNS[name]:
        sweeps.clear()
        result = qubopuzzle.solve(
            puzzles[run["id"]],
            run["solver"],
            seed=run["seed"],
            formulation=run["formulation"],
            **ARGUMENTS[run["solver"]],
        )
        answer = None
        if result.grid is not None:
            answer = hashlib.sha256(result.grid.astype("int64").tobytes()).hexdigest()[:16]
        assert run == run | {
            "formulation": result.formulation,
            "answer": answer,
            "energy": result.energy,
            "valid": result.valid,
            "reads": result.reads,
            "sweeps": sweeps,
        }
