"""The course of a solve: energies, weights and the picture, state by state; in a file, too.

A file is a ``.npz`` of NumPy, see docs/traces.md.
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.answer import Answer, Judge, parts
from qubopuzzle.base.checks import brief
from qubopuzzle.base.recorder import RecordedState, evenly
from qubopuzzle.base.renamed import Renamed
from qubopuzzle.base.writing import naming, read_bounded, write_whole
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles.native import problem_from_dict
from qubopuzzle.model import IntArray, Model
from qubopuzzle.model.semantics import violations_of
from qubopuzzle.picture import Picture, check_canvas
from qubopuzzle.problem import ModelProblem, Problem
from qubopuzzle.solving.judge import judge

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
_BY_FAMILY = ("energies", "weights")
"""Those of shape (states, families); the others have a number a state."""
SIZE_LIMIT = 1 << 28
"""Bytes of a file at most, packed or unpacked."""
_NO_TRACE = "no trace, or damaged; `solve --trace FILE` writes one"


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Renamed, Sequence[Answer]):
    """States that a solver passed through, in the order in which they were seen.

    A sequence of answers: ``trace[-1]`` is the last state, judged, ``trace[10:20]`` a trace again.

    Attributes:
        problem: what was solved.
        about: solver, formulation, seed and the like; ``incumbents`` as in ``Result.to_dict``.
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
        grids: the pictures that the states paint, ``(states, *shape)``; None for a model without.
        states: as they were recorded; a file has none of them.
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
    grids: IntArray | None
    states: Sequence[RecordedState] = ()

    @classmethod
    def of(
        cls,
        problem: Problem,
        states: Sequence[RecordedState],
        about: dict[str, Any] | None = None,
    ) -> "Trace":
        """The trace of states that a ``Recorder`` keeps, in solving a problem; all are decoded."""
        return cls(problem, about or {}, states=states, **_decoded(states))

    def __len__(self) -> int:
        return len(self.sweep)

    @overload
    def __getitem__(self, place: int) -> Answer: ...

    @overload
    def __getitem__(self, place: slice) -> "Trace": ...

    def __getitem__(self, place: int | slice) -> "Answer | Trace":
        """A state as an answer, its energy as the solver counts it; of several states a trace.

        A trace from a file has the grid alone: no assignment, and so no energies by constraint.

        Raises:
            InputError: for a model of one's own whose trace is from a file.
        """
        if isinstance(place, slice):
            arrays = {name: getattr(self, name)[place] for name in _NUMBERS}
            grids = None if self.grids is None else self.grids[place]
            return replace(self, grids=grids, states=self.states[place], **arrays)
        energy = float(self.energy[place])
        if self.states:
            state = self.states[place]
            answer: Answer = state.judge.judge(state.sample, energy)
            return answer
        if self.grids is None or isinstance(self.problem, ModelProblem):
            raise InputError("a file of a model's trace has no values that could be judged")
        return replace(judge(self.problem, self.grids[place]), energy=energy)

    def __repr__(self) -> str:
        return f"<Trace of {self.problem.name} {self.problem.id!r}: {len(self):,} states>"

    @property
    def lowest(self) -> NDArray[np.float64]:
        """The lowest energy so far, over all reads, (states,)."""
        return np.minimum.accumulate(self.energy)

    def picture(self, number: int) -> Picture | None:
        """A state's picture, cells of broken rules marked; None for a model."""
        return None if self.problem.names_values else self[number].picture()

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

        from qubopuzzle.picture.figure import image

        figure = Figure(figsize=_INCHES, layout="constrained")
        self.plot(figure)
        return image(figure, file_format)

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
        if self.grids is not None:
            arrays["answers"] = self.grids
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
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            if sum(entry.file_size for entry in file.zip.infolist()) > SIZE_LIMIT:
                raise InputError(f"over {SIZE_LIMIT >> 20:,} MiB when unpacked")
            arrays = {name: file[name] for name in {*_NUMBERS, "answers"}.intersection(file)}
            # NumPy makes texts of any bytes; those that are none fail here.
            return arrays | {"about": str(file["about"]).encode().decode()}
    except InputError:
        raise
    except Exception:  # readers of damaged files raise whatever befalls them
        raise InputError(_NO_TRACE) from None


def _read(data: Mapping[str, Any]) -> Trace:
    """The arrays of a file, held against each other."""
    about = _about(data["about"])
    families = about["families"]
    arrays: dict[str, Any] = {
        name: _array(name, data.get(name), kind) for name, kind in _NUMBERS.items()
    }
    n = len(arrays["sweep"]) if arrays["sweep"].ndim else 0
    shapes = {name: (n, len(families)) for name in _BY_FAMILY}
    for name, array in arrays.items():
        if array.shape != shapes.get(name, (n,)):
            raise InputError(f"{name}: shape {array.shape} where {n} states are")
    for name in ("read", "sweep"):
        if arrays[name].min(initial=0) < 0:
            raise InputError(f"{name}: a number below 0")
    problem = problem_from_dict(about["problem"])
    if problem.contradiction is not None:  # nothing was searched
        raise InputError(f"problem: {problem.contradiction}")
    grids = data.get("answers")
    if grids is not None:
        field = problem.model().field
        if getattr(grids, "dtype", np.dtype(object)).kind not in "iu":
            raise InputError("answers: they are no whole numbers")
        if field is None or grids.shape != (n, *field.shape):
            raise InputError(f"answers: shape {grids.shape} where {n} states are")
        if n and not field.low <= grids.min() <= grids.max() <= field.high:
            raise InputError(f"answers: numbers beyond {field.low} to {field.high}")
    return Trace(problem, about["about"], families=tuple(families), grids=grids, **arrays)


def _about(text: str) -> dict[str, Any]:
    """What a file says of its trace, apart from numbers."""
    try:
        about = json.loads(text)
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


def _array(name: str, value: Any, kind: str) -> NDArray[Any]:
    """An array of the type that ``Trace.save`` gives it, be the order of its bytes another."""
    if not isinstance(value, np.ndarray) or value.dtype.newbyteorder("=") != kind:
        raise InputError(f"{name}: expected an array of {kind}")
    return value.astype(kind, copy=False)


def _decoded(states: Sequence[RecordedState]) -> dict[str, Any]:
    """``families``, ``grids`` and the arrays of a trace, those of a judge's states at once."""
    of_judge: dict[Judge, list[int]] = {}
    for number, state in enumerate(states):
        of_judge.setdefault(state.judge, []).append(number)
    families = tuple(dict.fromkeys(f for j in of_judge for f in j.presolved.whole.families))
    arrays: dict[str, Any] = {
        name: np.array([getattr(state, name) for state in states], dtype=kind)
        for name, kind in _NUMBERS.items()
        if name not in _BY_FAMILY
    }
    arrays["energies"] = np.zeros((len(states), len(families)), dtype=np.int64)
    arrays["weights"] = np.full((len(states), len(families)), np.nan, dtype=np.float32)
    painted: dict[int, IntArray] = {}
    for judging, numbers in of_judge.items():
        whole = judging.presolved.whole
        column = {family: families.index(family) for family in whole.families}
        for part in parts(len(numbers), whole.n_literals):
            rows = numbers[part]
            x = _literals(judging, [states[row] for row in rows])
            for family, costs in violations_of(whole, x).items():
                arrays["energies"][rows, column[family]] = costs
            for row, each in zip(rows, x, strict=True):
                if isnan(states[row].energy):
                    worth = 0.0 if whole.objective is None else whole.objective.value(each)
                    arrays["energy"][row] = arrays["energies"][row].sum() + worth
                if whole.field is not None:
                    painted[row] = whole.field.read(each)[0]
        learned = {i: w for i in numbers if (w := states[i].row_weight) is not None}
        for family, weights in _mean_weights(judging.presolved.model, [*learned.values()]).items():
            arrays["weights"][[*learned], column[family]] = weights
    grids = None
    if len(painted) == len(states) > 0:
        grids = np.array([painted[number] for number in range(len(states))])
        grids = grids.astype(np.int8 if np.abs(grids).max(initial=0) < 2**7 else np.int32)
    return {"families": families, "grids": grids, **arrays}


def _literals(judging: Judge, states: Sequence[RecordedState]) -> IntArray:
    """Literal values of the whole model, (states, literals)."""
    n = judging.bits.n_bits  # rounds of cuts have further variables behind these
    samples = np.array([state.sample[:n] for state in states])
    return judging.presolved.restore(judging.bits.decode(samples))


def _mean_weights(
    model: Model, weights: Sequence[NDArray[np.float32]]
) -> dict[str, NDArray[np.float64]]:
    """Of each family's rows, (states,); weights of cuts come behind those of the model's rows."""
    rows_of: dict[str, list[IntArray]] = {}
    for block, end in zip(model.linear, model.row_ends.tolist(), strict=True):
        if len(block.lower):
            rows_of.setdefault(block.family, []).append(np.arange(end - len(block.lower), end))
    if not weights or not rows_of:
        return {}
    of_row = np.array([w[: model.row_ends[-1]] for w in weights])
    return {
        family: of_row[:, np.concatenate(rows)].mean(axis=1, dtype=np.float64)
        for family, rows in rows_of.items()
    }
