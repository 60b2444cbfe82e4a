"""A folder of exported models with known ground states, to measure solvers with.

For each puzzle: the models and their descriptions (``exporting``), a solution as an assignment
of energy 0, found and judged here, and in ``manifest.json`` sizes, hashes and whether the
solution is the only one. The manifest is written last.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from qubopuzzle.compile import compile_model
from qubopuzzle.errors import InputError, QubopuzzleError, SolverFailed
from qubopuzzle.files.models import Sample, named
from qubopuzzle.files.writing import with_id, write_whole
from qubopuzzle.model import IntArray, Model
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.solvers import Budget
from qubopuzzle.solving.export import Built, Recipe, build, decode_sample, export, puzzle_hash
from qubopuzzle.solving.solve import (
    DEFAULT_EXACT_SOLVER,
    get_puzzle,
    get_solver,
    puzzle_names,
    solve,
)

MANIFEST = "manifest.json"
KIND = "qubopuzzle-instances"
VERSION = 1
FORMATS = ("bqm", "coo")
"""What is written unless said otherwise."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write of each puzzle; ``recipe.to`` is of no account."""

    formats: tuple[str, ...] = FORMATS
    recipe: Recipe = field(default_factory=lambda: Recipe(""))
    seed: int = 0
    time_limit: float = 60.0


def examples() -> list[Puzzle]:
    """The examples of all puzzles."""
    return [puzzle for name in puzzle_names() for puzzle in get_puzzle(name).examples()]


def write_instances(
    folder: Path,
    puzzles: Sequence[Puzzle],
    plan: Plan,
    *,
    force: bool = False,
    report: Callable[[str, dict[str, Any] | None, str], None] = lambda *_: None,
) -> dict[str, Any]:
    """Write the folder; returns the manifest.

    Args:
        folder: made if it is not there.
        force: write into a folder that is not empty; files of other names stay.
        report: called with each puzzle's name and its entry, or None and why it is left out.

    Raises:
        InputError: for a folder that cannot be used, or puzzles whose names are not unique.
    """
    names = _names(puzzles)
    _prepare(folder, force=force)
    entries, left_out = [], []
    for name, puzzle in zip(names, puzzles, strict=True):
        try:
            entry = _write(folder, name, puzzle, plan)
        except QubopuzzleError as error:
            left_out.append({"name": name, "reason": str(error)})
            report(name, None, str(error))
            continue
        entries.append(entry)
        report(name, entry, "")
    manifest = {
        "format": KIND,
        "version": VERSION,
        "qubopuzzle": version("qubopuzzle"),
        "seed": plan.seed,
        "instances": entries,
        "left_out": left_out,
    }
    write_whole(folder / MANIFEST, _json(manifest, indent=1))
    return manifest


def _names(puzzles: Sequence[Puzzle]) -> list[str]:
    """Names for files, from the ids."""
    names = [
        str(with_id("{id}", puzzle.id or f"{puzzle.name}-{number}"))
        for number, puzzle in enumerate(puzzles, start=1)
    ]
    taken: set[str] = set()
    for name in names:
        if name.lower() in taken:  # some file systems see no other difference
            raise InputError(f"two puzzles are named {name}; their ids must tell them apart")
        taken.add(name.lower())
    return names


def _prepare(folder: Path, *, force: bool) -> None:
    """Make the folder; it then holds no manifest."""
    try:
        folder.mkdir(exist_ok=True)
        if any(folder.iterdir()) and not force:
            raise InputError(f"{folder}: it is not empty; --force writes into it")
        (folder / MANIFEST).unlink(missing_ok=True)
    except FileExistsError:
        raise InputError(f"{folder}: that is no folder") from None
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from None


def _write(folder: Path, name: str, puzzle: Puzzle, plan: Plan) -> dict[str, Any]:
    """All files of one puzzle; returns its entry in the manifest."""
    result = solve(
        puzzle, DEFAULT_EXACT_SOLVER, solutions=2, seed=plan.seed, time_limit=plan.time_limit
    )
    if not result.valid:
        raise InputError(result.verdict)
    recipes = {to: _recipe(plan, to) for to in plan.formats}
    built = {to: build(puzzle, recipe) for to, recipe in recipes.items()}
    contents: dict[str, tuple[dict[str, Any], bytes]] = {}
    for to, model in built.items():
        made, file = export(puzzle, recipes[to], model), f"{name}{model.format.SUFFIX}"
        description = {"file": file, **made.description}
        contents[file] = {"what": "model", "to": to}, made.data
        contents[f"{file}.json"] = {"what": "description", "to": to}, _json(description)
    for target, model in {each.format.TARGET: each for each in built.values()}.items():
        ending = "" if target == "qubo" else f"-{target}"
        solution = _solution(puzzle, model, plan)
        contents[f"{name}.solution{ending}.json"] = {"what": "solution"}, _json(solution)
    for file, (_, data) in contents.items():
        write_whole(folder / file, data)
    rows, columns = puzzle.shape
    return {
        "name": name,
        "id": puzzle.id,
        "puzzle": puzzle.name,
        "rows": rows,
        "columns": columns,
        "puzzle_sha256": puzzle_hash(puzzle),
        **_qubo_entry(built),
        "unique": result.unique,
        "files": {
            file: {**about, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for file, (about, data) in contents.items()
        },
    }


def _recipe(plan: Plan, to: str) -> Recipe:
    """The recipe for a format: exact ones take no encoding and no weights."""
    if named(to).TARGET == "qubo":
        return replace(plan.recipe, to=to)
    return replace(plan.recipe, to=to, encoding=None, weights=None)


def _qubo_entry(built: dict[str, Built]) -> dict[str, Any]:
    """Numbers of the QUBO, if there is one among the models."""
    for each in built.values():
        if each.is_qubo:
            qubo, weights = each.payload.qubo, each.payload.weights
            return {
                "variables": qubo.n_bits,
                "couplings": each.payload.form.n_couplings,
                "ground_state_energy": 0,
                "gap": qubo.gap(weights),
            }
    return {}


def _solution(puzzle: Puzzle, built: Built, plan: Plan) -> dict[str, int]:
    """A solution as values by label: judged by the rules, of energy 0.

    Raises:
        QubopuzzleError: if there is none in this model, or none was found in time.
    """
    bits = built.encode(_literals(built.model, plan)).tolist()[: len(built.labels)]
    found = decode_sample(puzzle, built, Sample(in_order=bits))
    if found.violations:
        what = ", ".join(built.model.omitted) or found.violations[0].message
        raise InputError(f"the formulation is not the whole puzzle ({what}); take another one")
    if found.energy:
        raise SolverFailed(f"the solution found has energy {found.energy:g}, not 0")
    # One file serves all formats of a QUBO, whatever they call its variables.
    names = built.source.labels() if built.is_qubo else built.labels
    return dict(zip(names, bits, strict=True))


def _literals(model: Model, plan: Plan) -> IntArray:
    """Literal values that meet a model."""
    solver = get_solver(DEFAULT_EXACT_SOLVER)
    compiled = compile_model(model, solver.target, None)
    solver.prepare()
    budget = Budget(reads=None, time_limit=plan.time_limit, seed=plan.seed)
    outcome = solver.solve(compiled, budget, solver.parse_options({}))
    if not len(outcome.samples):
        raise InputError(f"{DEFAULT_EXACT_SOLVER} found no solution of this formulation")
    return compiled.decode(outcome.samples[0])


def _json(data: Any, indent: int | None = None) -> bytes:
    return json.dumps(data, indent=indent).encode() + b"\n"
