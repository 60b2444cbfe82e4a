"""A folder of exported models with known ground states, to measure solvers with.

For each puzzle or model: the files and their descriptions (``solving.export``), a solution as an
assignment of energy 0, found and judged here, and in ``manifest.json`` sizes, hashes and whether
the solution is the only one. The manifest is written last.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from qubopuzzle.errors import InputError, QubopuzzleError, SolverFailed
from qubopuzzle.files.models import named
from qubopuzzle.files.writing import naming, with_id, write_whole
from qubopuzzle.model import Problem
from qubopuzzle.puzzles import Puzzle, get_puzzle, puzzle_names
from qubopuzzle.solving.export import Export, problem_hash
from qubopuzzle.solving.recipe import Recipe
from qubopuzzle.solving.result import Result
from qubopuzzle.solving.solve import DEFAULT_EXACT_SOLVER, solve

MANIFEST = "manifest.json"
KIND = "qubopuzzle-instances"
VERSION = 1
Search = Callable[..., Result]
"""``solve`` with the settings that all problems share."""


def examples(kind: str | None = None) -> list[Puzzle]:
    """The examples of one kind of puzzle, or of all that load."""
    if kind is not None:
        return [*get_puzzle(kind).examples()]
    found: list[Puzzle] = []
    for name in puzzle_names():
        with suppress(InputError):  # of another package, which does not load
            found += get_puzzle(name).examples()
    return found


def write_instances(
    folder: Path,
    problems: Sequence[Problem],
    formats: Sequence[str],
    recipe: Recipe,
    *,
    seed: int,
    time_limit: float,
    force: bool = False,
    report: Callable[[dict[str, Any]], None] = lambda _: None,
) -> dict[str, Any]:
    """Write the folder; returns the manifest.

    Args:
        folder: made if it is not there.
        formats, recipe: what to write of each problem, and how it becomes a model.
        time_limit: seconds for each search for a solution.
        force: write into a folder that is not empty; files of other names stay.
        report: called with each problem's entry in the manifest; one with a ``reason`` is left out.

    Raises:
        InputError: for a folder that cannot be used, or puzzles whose names are not unique.
    """
    names = _names(problems)
    with naming(folder):
        if folder.exists() and not folder.is_dir():
            raise InputError("that is no folder")
        folder.mkdir(exist_ok=True)
        if any(folder.iterdir()) and not force:
            raise InputError("it is not empty; --force writes into it")
        (folder / MANIFEST).unlink(missing_ok=True)
    search = partial(solve, solver=DEFAULT_EXACT_SOLVER, seed=seed, time_limit=time_limit)
    entries, left_out = [], []
    for name, problem in zip(names, problems, strict=True):
        try:
            entry = _write(folder, name, problem, formats, recipe, search)
            entries.append(entry)
        except QubopuzzleError as error:
            entry = {"name": name, "reason": str(error)}
            left_out.append(entry)
        report(entry)
    manifest = {
        "format": KIND,
        "version": VERSION,
        "qubopuzzle": version("qubopuzzle"),
        "seed": seed,
        "instances": entries,
        "left_out": left_out,
    }
    write_whole(folder / MANIFEST, _json(manifest, indent=1))
    return manifest


def _names(problems: Sequence[Problem]) -> list[str]:
    """Names for files, from the ids."""
    names = [
        str(with_id("{id}", problem.id or f"{problem.name}-{number}"))
        for number, problem in enumerate(problems, start=1)
    ]
    counts = Counter(map(str.lower, names))  # some file systems see no other difference
    for name in names:
        if counts[name.lower()] > 1:
            raise InputError(f"two problems are named {name}; their ids must tell them apart")
    return names


def _write(
    folder: Path,
    name: str,
    problem: Problem,
    formats: Sequence[str],
    recipe: Recipe,
    search: Search,
) -> dict[str, Any]:
    """All files of one puzzle; returns its entry in the manifest."""
    result = search(problem, solutions=2)
    if not result.valid:
        raise InputError(result.verdict)
    exact = replace(recipe, encoding=None, weights=None)  # exact formats take neither
    built = {
        to: Export.of(problem, to, recipe if named(to).target == "qubo" else exact)
        for to in formats
    }
    contents: dict[str, tuple[dict[str, Any], bytes]] = {}
    numbers: dict[str, Any] = {}
    for to, model in built.items():
        file = f"{name}{model.format.suffix}"
        description = {"file": file, **model.description}
        contents[file] = {"what": "model", "to": to}, model.data
        contents[f"{file}.json"] = {"what": "description", "to": to}, _json(description)
        if model.format.target == "qubo":
            compiled = model.compiled
            numbers = {**compiled.sizes, "ground_state_energy": 0, "gap": compiled.gap}
    for target, model in {each.format.target: each for each in built.values()}.items():
        ending = "" if target == "qubo" else f"-{target}"
        solution = _solution(model, search)
        contents[f"{name}.solution{ending}.json"] = {"what": "solution"}, _json(solution)
    for file, (_, data) in contents.items():
        write_whole(folder / file, data)
    return {
        "name": name,
        "id": problem.id,
        "puzzle": problem.name,
        "size": problem.extent,
        "puzzle_sha256": problem_hash(problem),
        **numbers,
        "unique": result.unique,
        "files": {
            file: {**about, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for file, (about, data) in contents.items()
        },
    }


def _solution(built: Export, search: Search) -> dict[str, int]:
    """A solution as values by label: judged, of energy 0.

    Raises:
        QubopuzzleError: if there is none in this model, or none was found in time.
    """
    found = search(built.judge.presolved.model).judged
    if found is None or found.assignment is None:
        raise InputError(f"{DEFAULT_EXACT_SOLVER} found no solution of this formulation")
    bits = built.compiled.encode(found.assignment).tolist()[: len(built.labels)]
    judged = built.decode(bits)
    if judged.violations:
        what = ", ".join(built.compiled.omitted) or judged.violations[0].message
        raise InputError(f"the formulation is not the whole puzzle ({what}); take another one")
    if judged.energy:
        raise SolverFailed(f"the solution found has energy {judged.energy:g}, not 0")
    # One file serves all formats of a QUBO or program, whatever they call its variables.
    of_all = built.format.target in ("qubo", "program")
    names = built.compiled.labels() if of_all else built.labels
    return dict(zip(names, bits, strict=True))


def _json(data: Any, indent: int | None = None) -> bytes:
    return json.dumps(data, indent=indent).encode() + b"\n"
