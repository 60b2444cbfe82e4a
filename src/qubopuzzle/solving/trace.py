"""The course of a solve: energies, weights and the picture, state by state; in a file, too.

A file is a ``.npz`` of NumPy, see docs/traces.md.
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import isnan
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles.native import problem_from_dict
from qubopuzzle.files.writing import naming, read_bounded, write_whole
from qubopuzzle.model import IntArray, Model, Problem, Propagation
from qubopuzzle.model.semantics import violations_of
from qubopuzzle.picture import Picture, check_canvas
from qubopuzzle.recorder import Recorder, Seen, evenly
from qubopuzzle.solving.judge import Judge, Judged, judge, parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INCHES = (8, 5)
KIND = "qubopuzzle-trace"
VERSION = 1
_NUMBERS = {
    "read": "int32",
    "sweep": "int64",
    "seconds": "float64",
    "beta": "float64",
    "energy": "float64",
    "bound": "float64",
    "energies": "int64",
    "weights": "float32",
}
"""Arrays of a file and their types, besides ``answers`` and ``about``."""
SIZE_LIMIT = 1 << 28
"""Bytes of a file at most, packed or unpacked."""
_NO_TRACE = "no trace, or damaged; `solve --trace FILE` writes one"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace:
    """States that a solver passed through, in the order in which they were seen.

    Attributes:
        problem: what was solved.
        about: solver, formulation, seed and the like.
        read, sweep: of each state the number of its read and the sweeps before it, (states,).
        seconds: since the first state, (states,).
        beta: inverse temperature, in the solver's own units, (states,).
        energy: of the state, (states,), as the solver counts it: a QUBO's, or what the model's
            broken constraints cost at weights of 1, and the objective, if there is one.
        bound: what no solution's energy can be below, as far as an exact solver had proved that
            then, (states,); not a number elsewhere.
        families: the families of constraints.
        energies: what broken constraints cost by family, at weights of 1, (states, families).
        weights: mean penalty weight of a family's rows at that time, (states, families); not a
            number where a family has no rows, and where weights do not change.
        answers: the grids that the states paint, ``(states, *shape)``; None for a model without.
    """

    problem: Problem
    about: dict[str, Any]
    read: IntArray
    sweep: IntArray
    seconds: NDArray[np.float64]
    beta: NDArray[np.float64]
    energy: NDArray[np.float64]
    bound: NDArray[np.float64]
    families: tuple[str, ...]
    energies: IntArray
    weights: NDArray[np.float32]
    answers: IntArray | None

    def __len__(self) -> int:
        return len(self.sweep)

    def __repr__(self) -> str:
        return f"<Trace of {self.problem.name} {self.problem.id!r}: {len(self):,} states>"

    @property
    def lowest(self) -> NDArray[np.float64]:
        """The lowest energy so far, over all reads, (states,)."""
        return np.minimum.accumulate(self.energy)

    def picture(self, number: int) -> Picture | None:
        """A state's picture, cells of broken rules marked; None for a model."""
        return None if self.answers is None else judge(self.problem, self.answers[number]).picture()

    def plot(self, figure: "Figure | None" = None) -> "list[Axes]":
        """Draw energies, and weights if they are known, over the sweeps of all reads.

        Into matplotlib's ``figure``, or a new one of pyplot; returns the Axes.
        """
        from qubopuzzle.picture.course import draw_course

        if figure is None:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=_INCHES, layout="constrained")
        check_canvas(figure, "subplots")
        energies = {"energy": self.energy, "lowest so far": self.lowest, "proved bound": self.bound}
        return draw_course(self.sweeps_in_all(), energies, self.families, self.weights, figure)

    def image(self, file_format: str, *, frames: int = 100, per_second: int = 10) -> bytes:
        """``plot`` as a file: svg, png or what matplotlib writes; as gif or mp4 the film.

        The film shows up to ``frames`` states, ``per_second`` of them each second: the picture, and
        where in the course of the energy it is.

        Raises:
            InputError: for mp4 where ffmpeg is not installed, and for a trace without states.
        """
        from qubopuzzle.picture.course import FILMS, film

        if not len(self):
            raise InputError("the trace has no states")
        if file_format in FILMS:
            shown = [partial(self._frame, number) for number in evenly(len(self), frames)]
            return film(shown, file_format, per_second)
        from matplotlib.figure import Figure

        figure, file = Figure(figsize=_INCHES, layout="constrained"), io.BytesIO()
        self.plot(figure)
        figure.savefig(file, format=file_format, dpi=150)
        return file.getvalue()

    def _frame(self, number: int, figure: "Figure") -> None:
        """Draw a state above, and the course of the energy with its place below."""
        picture, x = self.picture(number), self.sweeps_in_all()
        if picture is not None:
            picture.plot(figure.add_axes((0.02, 0.27, 0.96, 0.68)))
        ax = figure.add_axes((0.12, 0.08, 0.85, 0.16 if picture is not None else 0.85))
        ax.plot(x, self.energy, color="#56b4e9", linewidth=0.8)
        ax.plot(x[number], self.energy[number], "o", color="#222222", markersize=4)
        ax.set_xlabel("sweeps")
        ax.set_ylabel("energy")
        where = f"read {self.read[number]}, sweep {self.sweep[number]:,}"
        figure.suptitle(f"{where}, energy {self.energy[number]:g}", fontsize=10)

    def sweeps_in_all(self) -> IntArray:
        """Sweeps of the reads before and of the own one, (states,); reads in parallel overlap."""
        reads, place = np.unique(self.read, return_inverse=True)
        most = np.zeros(len(reads) + 1, dtype=np.int64)
        np.maximum.at(most, place + 1, self.sweep)
        return np.asarray(np.cumsum(most)[place] + self.sweep)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file as a whole; ``load_trace`` reads it."""
        head = {"format": KIND, "version": VERSION, "problem": self.problem.to_dict()}
        text = json.dumps({**head, "about": self.about, "families": list(self.families)})
        arrays = {name: getattr(self, name).astype(kind) for name, kind in _NUMBERS.items()}
        if self.answers is not None:
            arrays["answers"] = self.answers
        data = io.BytesIO()
        np.savez_compressed(data, about=np.array(text), **arrays)
        write_whole(Path(path), data.getvalue())


def load_trace(path: str | PathLike[str]) -> Trace:
    """Read what ``Trace.save`` wrote.

    Raises:
        InputError: for a file that is no trace, or damaged, or has more than ``SIZE_LIMIT`` bytes,
            packed or unpacked.
    """
    with naming(Path(path)):
        return _read(_unpacked(read_bounded(path, SIZE_LIMIT)))


def _unpacked(data: bytes) -> dict[str, Any]:
    """The arrays of a file, of whatever types and shapes; ``about`` as a text."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            if sum(entry.file_size for entry in found.zip.infolist()) > SIZE_LIMIT:
                raise InputError(f"over {SIZE_LIMIT >> 20:,} MiB when unpacked")
            arrays = {name: found[name] for name in {*_NUMBERS, "answers"}.intersection(found)}
            # NumPy makes texts of any bytes; those that are none fail here.
            return arrays | {"about": str(found["about"]).encode().decode()}
    except InputError:
        raise
    except Exception:  # readers of damaged files raise whatever befalls them
        raise InputError(_NO_TRACE) from None


def _read(data: Mapping[str, Any]) -> Trace:
    """The arrays of a file, held against each other."""
    about = _about(data["about"])
    families = about["families"]
    arrays = {name: _array(name, data.get(name), kind) for name, kind in _NUMBERS.items()}
    n = len(arrays["sweep"]) if arrays["sweep"].ndim else 0
    shapes = {name: (n, len(families)) for name in ("energies", "weights")}
    for name, array in arrays.items():
        if array.shape != shapes.get(name, (n,)):
            raise InputError(f"{name}: shape {array.shape} where {n} states are")
    for name in ("read", "sweep"):
        if arrays[name].min(initial=0) < 0:
            raise InputError(f"{name}: a number below 0")
    problem = problem_from_dict(about["problem"])
    if problem.contradiction is not None:  # nothing was searched
        raise InputError(f"problem: {problem.contradiction}")
    answers = data.get("answers")
    if answers is not None:
        field = problem.model().field
        if getattr(answers, "dtype", np.dtype(object)).kind not in "iu":
            raise InputError("answers: they are no whole numbers")
        if field is None or answers.shape != (n, *field.shape):
            raise InputError(f"answers: shape {answers.shape} where {n} states are")
        if n and not field.low <= answers.min() <= answers.max() <= field.high:
            raise InputError(f"answers: numbers beyond {field.low} to {field.high}")
    return Trace(problem, about["about"], families=tuple(families), answers=answers, **arrays)


def _about(found: str) -> dict[str, Any]:
    """What a file says of its trace, apart from numbers."""
    try:
        about = json.loads(found)
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict) or about.get("format") != KIND:
        raise InputError(_NO_TRACE)
    if about.get("version") != VERSION:
        raise InputError(f"a trace of version {brief(about.get('version'))}; {VERSION} is read")
    for name, kind in (("families", list), ("about", dict)):
        if not isinstance(about.get(name), kind):
            raise InputError(f"{name}: missing, or of another type")
    if not all(isinstance(family, str) for family in about["families"]):
        raise InputError("families: expected names")
    return about | {"problem": about.get("problem")}


def _array(name: str, found: Any, kind: str) -> NDArray[Any]:
    """An array of the type that ``Trace.save`` gives it, be the order of its bytes another."""
    if not isinstance(found, np.ndarray) or found.dtype.newbyteorder("=") != kind:
        raise InputError(f"{name}: expected an array of {kind}")
    return found.astype(kind, copy=False)


@dataclass(frozen=True, eq=False)
class Recorded:
    """What a recorder kept, whose tracks are of judges; decoded when it is first asked for."""

    problem: Problem
    recorder: Recorder
    about: dict[str, Any]

    @cached_property
    def trace(self) -> Trace:
        """The states in the order of time."""
        seen = sorted(self.recorder.seen, key=lambda state: state.seconds)
        judges: list[Judge] = [*dict.fromkeys(state.of for state in seen)]
        families = tuple(dict.fromkeys(f for own in judges for f in own.presolved.whole.families))
        arrays = {
            name: np.array([getattr(state, name) for state in seen], dtype=_NUMBERS[name])
            for name in ("read", "sweep", "seconds", "beta", "energy", "bound")
        }
        arrays["energies"] = np.zeros((len(seen), len(families)), dtype=np.int64)
        arrays["weights"] = np.full((len(seen), len(families)), np.nan, dtype=np.float32)
        answers: dict[int, IntArray] = {}
        for own in judges:
            numbers = [i for i, state in enumerate(seen) if state.of is own]
            for part in parts(len(numbers), own.presolved.whole.n_literals):
                _decode(own.presolved, seen, numbers[part], families, arrays, answers)
        grids = None
        if len(answers) == len(seen) > 0:
            grids = np.array([answers[i] for i in range(len(seen))])
            small = np.abs(grids).max(initial=0) < 2**7
            grids = grids.astype(np.int8 if small else np.int32)
        return Trace(self.problem, self.about, families=families, answers=grids, **arrays)


def judge_state(problem: Problem, seen: Seen) -> tuple[Judged, dict[str, int]]:
    """A state that a recorder keeps, judged, and what its broken constraints cost by family.

    The energy is the solver's, or what is broken and the objective, as in ``Trace.energy``.
    """
    presolved = seen.of.presolved
    whole, x = presolved.whole, presolved.restore(seen.x.astype(np.int64))
    costs = {family: int(own[0]) for family, own in violations_of(whole, x[None]).items()}
    energy = _energy(whole, x, sum(costs.values())) if isnan(seen.energy) else seen.energy
    answer, violations = problem.read(whole, x)
    return Judged(problem, answer, tuple(violations), energy, whole, x), costs


def _energy(model: Model, x: IntArray, cost: int) -> float:
    """What is broken in a state, and what it is worth, (literals,)."""
    return cost + (0.0 if model.objective is None else model.objective.value(x))


def _decode(
    presolved: Propagation,
    seen: Sequence[Seen],
    numbers: Sequence[int],
    families: Sequence[str],
    arrays: Mapping[str, NDArray[Any]],
    answers: dict[int, IntArray],
) -> None:
    """Fill in those states of ``seen`` with these numbers, all of one model."""
    whole = presolved.whole
    x = presolved.restore(np.array([seen[i].x for i in numbers], dtype=np.int64))
    for family, costs in violations_of(whole, x).items():
        arrays["energies"][numbers, families.index(family)] = costs
    for i, each in zip(numbers, x, strict=True):
        if isnan(seen[i].energy):
            arrays["energy"][i] = _energy(whole, each, int(arrays["energies"][i].sum()))
        if (learned := seen[i].row_weight) is not None:
            for family, weight in _mean_weights(presolved.model, learned).items():
                arrays["weights"][i, families.index(family)] = weight
        if whole.field is not None:
            answers[i] = whole.field.read(each)[0]


def _mean_weights(model: Model, weight: NDArray[np.float32]) -> dict[str, float]:
    """By family, of its rows' weights, (rows,)."""
    found: dict[str, list[float]] = {}
    start = 0
    for block in model.linear:
        stop = start + len(block.lower)
        if stop > start:
            found.setdefault(block.family, []).extend(weight[start:stop].tolist())
        start = stop
    return {family: float(np.mean(own)) for family, own in found.items()}
