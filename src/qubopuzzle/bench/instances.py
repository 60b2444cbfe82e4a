"""A folder of exported models with known ground states, to measure solvers with.

For each puzzle or model: the files and their descriptions (``solving.form``), a solution as an
assignment of energy 0, found and judged here, and in ``manifest.json`` sizes, hashes and whether
the solution is the only one. The manifest is written last; if solvers are to be timed on the
instances, it is written anew with what they needed.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

from qubopuzzle.base.writing import naming, with_id, write_whole
from qubopuzzle.bench.library import LICENCE, LICENCE_TEXT, Origin
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.tiers import Measuring
from qubopuzzle.errors import InputError, QubopuzzleError, SolverFailed
from qubopuzzle.files.models import named
from qubopuzzle.problem import Problem
from qubopuzzle.puzzles import Puzzle, get_puzzle, puzzle_names
from qubopuzzle.solving.form import Form, problem_hash
from qubopuzzle.solving.result import Result
from qubopuzzle.solving.settings import Settings
from qubopuzzle.solving.solve import solve

MANIFEST = "manifest.json"
KIND = "qubopuzzle-instances"
VERSION = 1
Search = Callable[..., Result]
"""``solve`` with the settings that all problems share."""
Report = Callable[[dict[str, Any]], None]


def examples(kind: str | None = None) -> list[Puzzle]:
    """The examples of one kind of puzzle, or of all that load."""
    if kind is not None:
        return [*get_puzzle(kind).examples()]
    puzzles: list[Puzzle] = []
    for name in puzzle_names():
        with suppress(InputError):  # of another package, which does not load
            puzzles += get_puzzle(name).examples()
    return puzzles


def write_instances(
    folder: Path,
    problems: Sequence[Problem],
    formats: Sequence[str],
    settings: Settings,
    *,
    exact: Settings,
    origins: Mapping[str, Origin] = MappingProxyType({}),
    measuring: Measuring | None = None,
    report: Report = lambda _: None,
) -> dict[str, Any]:
    """Write the folder; returns the manifest.

    Args:
        folder: made if it is not there; files of other names stay, see ``check_folder``.
        formats, settings: what to write of each problem, and how it becomes a model.
        exact: how solutions are looked for; measurements take its seed, too.
        origins: of puzzles of the library, by id; their licence goes with them.
        measuring: which solvers to time on the instances; they get a tier by it.
        report: called with each problem's entry in the manifest; one with a ``reason`` is left out;
            again when all are measured, with ``tier``.

    Raises:
        InputError: for a folder that cannot be written, or puzzles whose names are not unique.
    """
    names = _names(problems)
    with naming(folder):
        folder.mkdir(exist_ok=True)
        (folder / MANIFEST).unlink(missing_ok=True)
    search = partial(solve, settings=exact)
    written, left_out = [], []
    for name, problem in zip(names, problems, strict=True):
        try:
            entry = _write(folder, name, problem, formats, settings, search)
            if problem.id in origins:
                entry["generated"] = origins[problem.id].to_dict(entry["puzzle_sha256"])
            written.append((problem, entry))
        except QubopuzzleError as error:
            entry = {"name": name, "reason": str(error)}
            left_out.append(entry)
        report(entry)
    manifest = {
        "format": KIND,
        "version": VERSION,
        "qubopuzzle": version("qubopuzzle"),
        "versions": {name: version(name) for name in ("numpy", "python-sat")},
        "seed": exact.seed,
        "licence": _licence(folder) if origins else None,
        "instances": [entry for _, entry in written],
        "left_out": left_out,
    }
    write_whole(folder / MANIFEST, _json(manifest, indent=1))
    if measuring and written:
        about, measured = measuring.measure([problem for problem, _ in written], exact.seed or 0)
        for problem, entry in written:
            entry |= measured[Instance("", problem).digest]
            report(entry)
        manifest["measured"] = about
        write_whole(folder / MANIFEST, _json(manifest, indent=1))
    return manifest


def check_folder(folder: Path, *, force: bool) -> None:
    """Raise InputError for what is no folder, or one that is not empty, unless by ``force``."""
    with naming(folder):
        if folder.exists() and not folder.is_dir():
            raise InputError("that is no folder")
        if folder.exists() and any(folder.iterdir()) and not force:
            raise InputError("it is not empty; --force writes into it")


def _licence(folder: Path) -> dict[str, Any]:
    """Write the library's; returns what the manifest says of it."""
    data = LICENCE_TEXT.encode()
    write_whole(folder / "LICENSE", data)
    return {"name": LICENCE, "file": "LICENSE", **_sums(data)}


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
    settings: Settings,
    search: Search,
) -> dict[str, Any]:
    """All files of one puzzle; returns its entry in the manifest."""
    result = search(problem, solutions=2)
    if not result.valid:
        raise InputError(result.verdict)
    exact = replace(settings, encoding=None, weights={})  # exact formats take neither
    built = {
        to: Form.of(problem, named(to), settings if named(to).target == "qubo" else exact)
        for to in formats
    }
    contents: dict[str, tuple[dict[str, Any], bytes]] = {}
    numbers: dict[str, Any] = {}
    for to, model in built.items():
        file = f"{name}{model.suffix}"
        description = {"file": file, **model.description}
        contents[file] = {"what": "model", "to": to}, model.data
        contents[f"{file}.json"] = {"what": "description", "to": to}, _json(description)
        if model.target == "qubo":
            compiled = model.compiled
            numbers = {**compiled.sizes, "ground_state_energy": 0, "gap": compiled.gap}
    for target, model in {each.target: each for each in built.values()}.items():
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
        "licence": problem.to_dict().get("licence"),
        "puzzle_sha256": problem_hash(problem),
        **numbers,
        "unique": result.unique,
        "files": {file: {**about, **_sums(data)} for file, (about, data) in contents.items()},
    }


def _solution(built: Form, search: Search) -> dict[str, int]:
    """A solution as values by label: judged, of energy 0.

    Raises:
        QubopuzzleError: if there is none in this model, or none was found in time.
    """
    best = search(built.judge.presolved.model).best
    if best is None or best.assignment is None:
        raise InputError("no solution of this formulation was found")
    bits = built.compiled.encode(best.assignment).tolist()[: len(built.labels)]
    answer = built.decode(bits)
    if answer.violations:
        what = ", ".join(built.compiled.omitted) or answer.violations[0].message
        raise InputError(f"the formulation is not the whole puzzle ({what}); take another one")
    if answer.energy:
        raise SolverFailed(f"the solution found has energy {answer.energy:g}, not 0")
    # One file serves all formats of a QUBO or program, whatever they call its variables.
    of_all = built.target in ("qubo", "program")
    names = built.compiled.labels() if of_all else built.labels
    return dict(zip(names, bits, strict=True))


def _sums(data: bytes) -> dict[str, Any]:
    """Size and hash, by which a file is known to be whole."""
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _json(data: Any, indent: int | None = None) -> bytes:
    return json.dumps(data, indent=indent).encode() + b"\n"
