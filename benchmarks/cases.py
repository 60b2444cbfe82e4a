"""What ``against.py`` measures, in a process for each tree: kernels, solvers, forms, readers.

    python -P benchmarks/cases.py FOLDER

Requests are lines of JSON on standard input, answers lines on standard output: ``{"make": [TEXT
...]}`` writes what readers of such names read to FOLDER, ``{"list": true}`` names all cases,
``{"case": NAME, "times": N}`` runs one. The package is that of ``PYTHONPATH``, from e81c80d on:
where names differ, ``either`` tries one after the other. Nothing of the harness is imported, which
is the working tree's.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import dimod
import numpy as np

import qubopuzzle as qp

FOLDER = Path(sys.argv[-1])
GENERATED = Path(__file__).parent / "generated"
BOARDS = {
    "nonogram": "15x15",
    "sudoku": "9x9",
    "heyawake": "8x8",
    "hitori": "10x10",
    "kurodoko": "9x9",
    "easyasabc": "5x5",
    "numberlink": "6x6",
}
"""Sizes of boards that take tenths of a second at most."""
HOT = {"beta": 0.3, "increment": 0, "sweeps": 1000}
KERNELS: dict[str, dict[str, Any]] = {
    "sweeps": {"chains": 0, "propagation": 0, "focus": 0, **HOT},
    "sweeps in focus": {"chains": 0, "propagation": 0, "focus": 0.97, **HOT},
    "sweeps of chains": {"chains": 1, "propagation": 0, **HOT},
    "sweeps that propagate": {"chains": 1, "propagation": 1, **HOT},
}
"""Options of the annealer that leave one of its loops; too hot to solve anything."""
EXPORTS = ("bqm", "coo", "qubo", "mqlib", "qplib", "qubo-lp", "ising", "dimacs", "lp", "mps", "opb")
EXPORTS += ("cqm", "ommx", "program-lp", "program-mps")
SOLVERS = ("annealer", "tempering", "neal", "tabu", "random", "steepest-descent", "qpu-sim", "sat")
SOLVERS += ("cpsat", "cpsat-ls", "mip", "clingo", "localmip", "exact")
READS = {"random": 5, "steepest-descent": 5, "tabu": 1, "neal": 2, "qpu-sim": 10}  # what ends them
DOT = qp.Nonogram(rows=[[1], []], cols=[[1], []], id="dot")
Run = Callable[[], Any]
Prepare = Callable[[], Run]  # gets a case ready, and gives what is timed


class NotHere(Exception):
    """What a case needs is not installed."""


def either(*ways: Run) -> Any:
    """What the first way gives that this tree knows."""
    for way in ways[:-1]:
        with suppress(AttributeError, ImportError, TypeError, qp.InputError):
            return way()
    return ways[-1]()


def boards(kind: str) -> list[Any]:
    return list(qp.load(GENERATED / f"{kind}.jsonl"))


def board(kind: str) -> Any:
    return next(each for each in boards(kind) if f"-{BOARDS[kind]}-" in each.id)


# --- the cases -------------------------------------------------------------------------


def cases() -> dict[str, Prepare]:
    """All of them by name."""
    found: dict[str, Prepare] = {}
    for name, options in KERNELS.items():
        found[f"kernel: {name}"] = partial(kernel, "annealer", board("nonogram"), options)
    hot = {"sweeps": 300, "beta_hot": 0.05, "beta_cold": 0.3}
    found["kernel: tempering"] = partial(kernel, "tempering", board("sudoku"), hot)
    found["kernel: objective"] = partial(kernel, "annealer", knapsack(), {"sweeps": 1000})
    found["kernel: quadratic objective"] = partial(kernel, "annealer", cut(), {"sweeps": 1000})
    for name in ("propagate", "probe"):
        found[f"kernel: {name}"] = partial(presolved, name)
    found |= {f"solver: {name}": partial(of_solver, name) for name in SOLVERS}
    for kind in BOARDS:
        found[f"model: {kind}"] = partial(of_model, kind)
        for solver in ("annealer", "sat"):
            found[f"{solver}: {kind}"] = partial(of_solver, solver, kind)
    found["compare: 20 runs"] = lambda: compared
    found["generate: sudoku"] = lambda: generated
    found |= dict(forms(board("nonogram")))
    return found | {f"reader: {p.name}": partial(of_file, p) for p in sorted(FOLDER.glob("*.*"))}


def kernel(solver: str, problem: Any, options: Mapping[str, Any]) -> Run:
    return partial(solved, problem, solver, 1, presolve="none", options=options)


def solved(problem: Any, solver: str, reads: int | None = None, **more: Any) -> Any:
    """Validity, energy and grid."""
    result = either(
        lambda: qp.solve(problem, solver, seed=1, reads=reads, **more),
        lambda: qp.solve(problem, solver, seed=1, num_reads=reads, **more),
    )
    grid = result.grid if hasattr(result, "grid") else result.answer
    return result.valid, result.energy, grid


def presolved(name: str) -> Run:
    model = board("heyawake").model("forest")
    return lambda: getattr(qp, name)(model).model.n_literals


def knapsack() -> Any:
    """200 items, 5 rows."""
    rng = np.random.default_rng(1)
    weights, cost = rng.integers(1, 100, (5, 200)), rng.integers(1, 100, 200)
    return qp.Program.of(weights, -np.inf, weights.sum(axis=1) // 3, cost=cost, maximize=True)


def cut() -> Any:
    """A maximum cut of 100 vertices."""
    rng = np.random.default_rng(2)
    pairs = {(u, v): 2.0 for u in range(100) for v in range(u) if rng.random() < 0.1}
    linear = {v: -float(sum(v in pair for pair in pairs)) for v in range(100)}
    return qp.from_bqm(dimod.BinaryQuadraticModel(linear, pairs, "BINARY"))


def of_solver(name: str, kind: str = "nonogram") -> Run:
    """On a small board, or the smallest where that is too much."""
    if not qp.all_solvers()[name].available().ok:
        raise NotHere(f"solver {name}")
    problem = DOT if name in ("exact", "qpu-sim") else board(kind)
    return partial(solved, problem, name, READS.get(name))


def of_model(kind: str) -> Run:
    puzzle = board(kind)
    return lambda: puzzle.model().n_literals


def compared() -> Any:
    rows = qp.compare(DOT, ["annealer"], repeat=20, time_limit=10).rows
    return [row["solved"] for row in rows]


def generated() -> Any:
    return [puzzle.to_dict() for puzzle in qp.generate("sudoku", size=(4, 4), seed=1)]


def forms(puzzle: Any) -> Iterator[tuple[str, Prepare]]:
    for encoding in ("one-hot", "domain-wall"):
        yield f"form: qubo, {encoding}", lambda own=encoding: partial(bqm, puzzle, own)
    for name in ("cnf", "mip", "cqm", "amplify"):
        yield f"form: {name}", lambda own=name: partial(payload, puzzle, own)
    yield "form: decode", lambda: partial(decoded, puzzle)
    for name in EXPORTS:
        yield f"export: {name}", lambda own=name: partial(exported, puzzle, own)


def bqm(puzzle: Any, encoding: str) -> Any:
    made = either(
        lambda: qp.to_bqm(puzzle, encoding=encoding),
        lambda: puzzle.form("qubo", encoding=encoding).bqm,
    )
    linear, (_, _, biases), offset, *_ = made.to_numpy_vectors()
    return len(linear), linear.sum(), len(biases), biases.sum(), offset


def payload(puzzle: Any, name: str) -> str:
    ways = (lambda: getattr(qp, f"to_{name}")(puzzle), lambda: puzzle.form(name).payload)
    return type(either(*ways)).__name__


def decoded(puzzle: Any) -> Any:
    """A sample of nothing but zeros."""
    judged = either(
        lambda: qp.decode(puzzle, dict.fromkeys(qp.to_bqm(puzzle).variables, 0)),
        lambda: (form := puzzle.form("qubo")).decode(dict.fromkeys(form.bqm.variables, 0)),
    )
    return judged.valid, len(judged.violations)


def exported(puzzle: Any, name: str) -> bytes:
    made: bytes = either(lambda: qp.export(puzzle, name).data, lambda: puzzle.form(name).data)
    return made


def of_file(path: Path) -> Run:
    def read() -> Any:
        if path.name.startswith("model"):
            return meaning(qp.load_model(path))
        return [each.to_dict() for each in qp.load(path, path.stem)]

    return read


def meaning(program: Any) -> Any:
    """Of values drawn once; diagonals of a matrix may stand in either part."""
    values = np.random.default_rng(1).integers(2, size=len(program.variables))
    objective = round(float(program.objective_of(values)), 6)
    return program.variables, objective, len(program.broken(values))


def make(only: list[str]) -> None:
    """Files of all formats of puzzles, with 20 boards where they hold several, and of models."""

    def wanted(name: str) -> bool:
        return not only or any(text in f"reader: {name}" for text in only)

    from qubopuzzle.files.puzzles import all_formats

    for kind, name in product(BOARDS, all_formats()):
        if wanted(f"{kind}.{name}"):
            for count in (1, 20):
                with suppress(qp.InputError):
                    text = qp.write_text(boards(kind)[:count], name)
                    (FOLDER / f"{kind}.{name}").write_text(text)
    paths = {name: FOLDER / f"model-{name}.{name.rpartition('-')[2]}" for name in EXPORTS}
    for name, path in paths.items():
        if not wanted(path.name):
            continue
        try:
            path.write_bytes(exported(board("nonogram"), name))
            qp.load_model(path)
        except (qp.QubopuzzleError, ImportError):
            path.unlink(missing_ok=True)


# --- answering -------------------------------------------------------------------------

READY: dict[str, Run] = {}


def measured(name: str, times: int) -> dict[str, Any]:
    """Seconds of the processor a run, and what came of it; a first one warms up, untimed."""
    try:
        if name not in READY:
            READY[name] = cases()[name]()
            READY[name]()
        before = spent()
        for _ in range(times):
            answer = READY[name]()
        return {"s": (spent() - before) / times, "answer": digest(answer)}
    except (NotHere, ImportError) as error:
        return {"missing": str(error)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def spent() -> float:
    """Seconds of the processor, of this process and of those that it waited for."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def digest(answer: Any) -> str:
    return hashlib.sha256(repr(plain(answer)).encode()).hexdigest()[:16]


def plain(value: Any) -> Any:
    """The same in types that print alike in every version."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in sorted(value.items(), key=str)}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    return value if isinstance(value, (bytes, int, float, type(None))) else str(value)


def main() -> None:
    out, sys.stdout = sys.stdout, sys.stderr  # nobody else speaks there
    print(json.dumps({"package": qp.__file__}), file=out, flush=True)
    for line in sys.stdin:
        answer: Any = {}
        match json.loads(line):
            case {"make": only}:
                make(only)
            case {"list": _}:
                answer = list(cases())
            case {"case": name, "times": times}:
                answer = measured(name, times)
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
