"""A model as a file of another tool, what its numbers mean, and the way back.

Beside the file goes a JSON object, the **description**: the puzzle, how it was compiled, the
variables in order, and how the file's objective becomes our energy. It is all that reading
an assignment takes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.metadata import version
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import Qubo, compile_qubo
from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.errors import InputError
from qubopuzzle.files.models import Format, Sample, WeightedQubo, named, read_sample
from qubopuzzle.files.puzzles.reading import read_source, read_text
from qubopuzzle.model import IntArray, Model
from qubopuzzle.puzzles import Puzzle, Violation, get_puzzle
from qubopuzzle.puzzles.base import brief
from qubopuzzle.solving.exchange import model_of, read_field, to_cnf, to_mip

KIND = "qubopuzzle-model"
"""What a description's key ``format`` says."""
VERSION = 1
_ENCODING = "one-hot"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a puzzle becomes a model; ``encoding`` and ``weights`` are for QUBOs only."""

    to: str
    formulation: str | None = None
    encoding: str | None = None
    presolve: str = "none"
    weights: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """A compiled model: what is written, and the bits that answers are read from.

    ``labels`` (bits,) are the variables as the file calls them; ``auxiliary`` counts those
    after them. ``payload`` is a ``WeightedQubo``, a ``Cnf`` or a ``Mip``.
    """

    format: Format
    model: Model
    payload: Any
    labels: list[str]
    auxiliary: int = 0

    @property
    def is_qubo(self) -> bool:
        """Whether there are energies."""
        return isinstance(self.payload, WeightedQubo)

    @property
    def source(self) -> Qubo | Encoding:
        """What the bits come from; its labels are those of dimod's models."""
        source: Qubo | Encoding = self.payload.qubo if self.is_qubo else self.payload.bits
        return source

    def decode(self, bits: IntArray) -> IntArray:
        """Literal values of one assignment."""
        return self.source.decode(bits)

    def encode(self, x: IntArray) -> IntArray:
        """The labelled variables, shape (bits,), for valid literal values; the inverse."""
        return self.source.encode(x)

    def energy(self, bits: NDArray[Any]) -> float | None:
        """Offset included; None for exact models, which have none."""
        return float(self.payload.form.energies(bits[None])[0]) if self.is_qubo else None


@dataclass(frozen=True, slots=True, eq=False)
class Export:
    """The bytes of a model's file and its description, fit for JSON."""

    data: bytes
    description: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """An assignment as an answer: the grid, the rules it breaks, and its energy."""

    puzzle: Puzzle
    answer: IntArray
    violations: tuple[Violation, ...]
    energy: float | None


def export(puzzle: Puzzle, recipe: Recipe, built: Built | None = None) -> Export:
    """The model of a puzzle as the file of a format; ``built`` if it is there already.

    Raises:
        InputError: for a format, formulation, encoding, presolve or weight that cannot be used.
        TooLarge, Unsatisfiable: see ``exchange.to_bqm``.
        ModelError: for connectivity in a format that has no place for it.
    """
    built = built or build(puzzle, recipe)
    data = built.format.write(built.payload)
    return Export(data, _description(puzzle, recipe, built, data))


def build(puzzle: Puzzle, recipe: Recipe) -> Built:
    """Compile for a format; raises as ``export``."""
    form = named(recipe.to)
    if form.TARGET == "qubo":
        model = model_of(puzzle, recipe.formulation, recipe.presolve)
        qubo = compile_qubo(model, recipe.encoding or _ENCODING)
        labels = getattr(form, "names", list)(qubo.labels())
        return Built(form, model, WeightedQubo.of(qubo, recipe.weights), labels)
    if recipe.encoding is not None:
        raise InputError(f"{form.NAME} has an encoding of its own; leave --encoding out")
    if recipe.weights:
        raise InputError(f"{form.NAME} keeps every constraint and takes no weights")
    formulation, presolve = recipe.formulation, recipe.presolve
    if form.TARGET == "cnf":
        formula = to_cnf(puzzle, formulation=formulation, presolve=presolve)
        labels = formula.bits.labels()
        more = formula.n_variables - len(labels)
        return Built(form, formula.bits.model, formula, labels, more)
    program = to_mip(puzzle, formulation=formulation, presolve=presolve)
    own = program.bits.n_bits
    labels = program.variable_names()[:own]
    return Built(form, program.bits.model, program, labels, program.n_variables - own)


def _description(puzzle: Puzzle, recipe: Recipe, built: Built, data: bytes) -> dict[str, Any]:
    form, model = built.format, built.model
    energy = None
    if built.is_qubo:
        offset = 0 if form.HOLDS_OFFSET else np.asarray(built.payload.form.offset).item()
        energy = {"sign": form.SIGN, "offset": offset}
    return {
        "format": KIND,
        "version": VERSION,
        "qubopuzzle": version("qubopuzzle"),
        "to": form.NAME,
        "model_sha256": hashlib.sha256(data).hexdigest(),
        "formulation": recipe.formulation or _formulation(puzzle, form),
        "encoding": (recipe.encoding or _ENCODING) if built.is_qubo else None,
        "presolve": recipe.presolve,
        "weights": dict(recipe.weights or {}),
        "relaxed": [*model.omitted, *model.bounded],
        "energy": energy,
        "first": form.FIRST,
        "variables": built.labels,
        "auxiliary": built.auxiliary,
        "puzzle_sha256": puzzle_hash(puzzle),
        "puzzle": puzzle.to_dict(),
    }


def _formulation(puzzle: Puzzle, form: Format) -> str:
    """What is taken if none is named, see ``to_bqm`` and ``to_mip``."""
    if form.TARGET == "mip":
        return puzzle.formulation_for(cuts=True, exact=True)
    return puzzle.default_formulation


def puzzle_hash(puzzle: Puzzle) -> str:
    """SHA-256 of what defines a puzzle: its JSON without id, title, solution and the like."""
    about = {field.name for field in fields(Puzzle)}
    data = {key: value for key, value in puzzle.to_dict().items() if key not in about}
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def decode_file(
    source: str | PathLike[str],
    sample: str | PathLike[str],
    *,
    description: str | PathLike[str] | None = None,
    puzzle: str | None = None,
) -> Decoded:
    """Read the assignment in a file back.

    Args:
        source: the description, or the puzzle that ``description`` must be of.
        sample: see ``exports.read_sample``.
        description: the JSON file beside the model.
        puzzle: read only puzzles of this kind from ``source``.

    Raises:
        InputError: one line naming the file and what is wrong.
    """
    instance, built = read_source(source if description is None else description, _rebuilt)
    if description is not None:
        given = read_source(source, lambda text: read_text(text, puzzle))
        if puzzle_hash(instance) not in map(puzzle_hash, given):
            raise InputError(f"{description}: it is of another puzzle than {source}")
    return read_source(sample, lambda text: decode_sample(instance, built, read_sample(text)))


def decode_sample(puzzle: Puzzle, built: Built, sample: Sample) -> Decoded:
    """The answer that an assignment of a built model stands for, judged by the rules.

    Raises:
        InputError: for an assignment that does not have the model's variables.
    """
    bits = _bits(built, sample)
    answer, broken = read_field(built.model, built.decode(bits))
    violations = (*broken, *puzzle.violations(answer))
    return Decoded(puzzle, answer, violations, built.energy(bits))


def _bits(built: Built, sample: Sample) -> IntArray:
    """The values of the labelled variables, shape (bits,); auxiliary ones are passed over."""
    n = len(built.labels)
    if sample.by_key is not None:
        values = _ordered(built, sample.by_key)
    else:
        values = sample.in_order or []
        if len(values) not in (n, n + built.auxiliary):
            more = f" or {n + built.auxiliary:,}" if built.auxiliary else ""
            raise InputError(f"expected {n:,}{more} values, got {len(values):,}")
    for label, value in zip(built.labels, values, strict=False):
        if value not in (0, 1):
            raise InputError(f"{label}: expected 0 or 1, got {brief(value)}")
    return np.array(values[:n], dtype=np.int64)


def _ordered(built: Built, by_key: Mapping[str, int]) -> list[int]:
    """Values by the file's names, dimod's, or the file's numbers of variables, in order."""
    labels = built.labels
    place = {name: i for names in (built.source.labels(), labels) for i, name in enumerate(names)}
    first, end = built.format.FIRST, built.format.FIRST + len(labels) + built.auxiliary
    found: dict[int, int] = {}
    for key, value in by_key.items():
        if key in place:
            found[place[key]] = value
        elif key.isascii() and key.isdigit() and len(key) < 10:
            if not first <= int(key) < end:
                raise InputError(f"no variable {key}: they are {first} to {end - 1}")
            found[int(key) - first] = value
        elif built.is_qubo:
            raise InputError(f"the model has no variable {key[:60]!r}")
    for i, label in enumerate(labels):
        if i not in found:
            raise InputError(f"there is no value for {label}")
    return [found[i] for i in range(len(labels))]


def _rebuilt(text: str) -> tuple[Puzzle, Built]:
    """From a description to its puzzle and its model, compiled anew.

    Raises:
        InputError: for a text that is no description, or that does not hold together.
    """
    data = _description_of(text)
    puzzle = _puzzle(data)
    if data.get("puzzle_sha256") != puzzle_hash(puzzle):
        raise InputError("puzzle_sha256 is not that of the puzzle in it: one of them was changed")
    recipe = Recipe(
        to=_text(data, "to"),
        formulation=_text(data, "formulation"),
        encoding=None if data.get("encoding") is None else _text(data, "encoding"),
        presolve=_text(data, "presolve"),
        weights=_weights(data),
    )
    built = build(puzzle, recipe)
    if built.labels != data.get("variables"):
        made = f"{brief(data.get('qubopuzzle'))}, this is {version('qubopuzzle')}"
        raise InputError(f"its variables are not those of the model (made by version {made})")
    return puzzle, built


def _weights(data: Mapping[str, Any]) -> dict[str, float]:
    weights = data.get("weights", {})
    if not isinstance(weights, dict):
        raise InputError(f"weights: expected an object, got {brief(weights)}")
    for family, weight in weights.items():
        if not isinstance(weight, int | float) or not abs(weight) < 2**60:
            raise InputError(f"weights: {family[:40]!r}: expected a number, got {brief(weight)}")
    return weights


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise InputError(f"{key}: expected a text, got {brief(value)}")
    return value


def _description_of(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("format") != KIND:
        raise InputError(
            "no description of a model; `qubopuzzle export -o FILE` writes one as FILE.json, "
            "to be given instead of the puzzle or with --model"
        )
    if data.get("version") != VERSION:
        raise InputError(f"version {brief(data.get('version'))}: this program reads {VERSION}")
    return data


def _puzzle(data: Mapping[str, Any]) -> Puzzle:
    puzzle = data.get("puzzle")
    kind = puzzle.get("puzzle") if isinstance(puzzle, dict) else None
    if not isinstance(puzzle, dict) or not isinstance(kind, str):
        raise InputError("puzzle: expected the puzzle's JSON object")
    try:
        return get_puzzle(kind).from_dict(puzzle)
    except InputError as error:
        raise InputError(f"puzzle: {error}") from None
