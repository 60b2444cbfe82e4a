"""A problem's model for other tools, as an object or a file, and what they find, back.

A ``Form`` is a problem compiled for an engine, and knows its way back. Beside its file goes a JSON
object, the **description**: the problem, how it was compiled, the variables in order, and how the
file's objective becomes our energy. It is all that reading an assignment takes.
"""

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, Self, Unpack, cast

import dimod
import numpy as np
from numpy.typing import NDArray

from qubopuzzle.answer import Answer, Judge
from qubopuzzle.base import html
from qubopuzzle.base.checks import NEARLY_WHOLE, brief, check_values, number
from qubopuzzle.base.writing import write_whole
from qubopuzzle.compile import DEFAULT_ENCODING, TARGETS, UNWEIGHTED_TARGETS, Cnf, Compiled
from qubopuzzle.compile.amplify import MODES, AmplifyModel
from qubopuzzle.compile.mip import Mip, compile_mip
from qubopuzzle.compile.qubo import Qubo, qubo_bits
from qubopuzzle.errors import InputError, QubopuzzleError, at, did_you_mean
from qubopuzzle.files.models import WRITTEN, ModelFormat, best_sample, by_suffix, named, read_sample
from qubopuzzle.files.puzzles import read_source
from qubopuzzle.files.puzzles.native import problem_from_dict
from qubopuzzle.model import IntArray
from qubopuzzle.problem import Problem
from qubopuzzle.programs import Program
from qubopuzzle.programs.dimod_models import cqm_of
from qubopuzzle.programs.of_model import compile_program
from qubopuzzle.solving.info import forms_of
from qubopuzzle.solving.judge import judge
from qubopuzzle.solving.loading import Source, load, problem_of
from qubopuzzle.solving.settings import PRESOLVES, ModelFields, Settings

KIND = "qubopuzzle-model"
"""What a description's key ``format`` says."""
VERSION = 1
_ABOUT = ("id", "title", "author", "licence", "source", "url", "solution", "n_solutions")
"""Keys of a problem's JSON that do not define it."""
_GIVE = "decode takes the formulation, encoding and presolve that the model was made with"
_OF_PROGRAMS = {"lp": "program-lp", "mps": "program-mps"}
"""Formats that a program, which has rows of its own, is written in instead."""
_TARGETS = {
    "qubo": "qubo",
    "cqm": "program",
    "cnf": "cnf",
    "mip": "mip",
    "amplify": "amplify-constraint",
}
"""What forms are called, and the targets of the compiler behind them."""
_CALLED = {target: name for name, target in _TARGETS.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Form:
    """A problem compiled for an engine, or for a format of files, which knows its way back.

    >>> import dimod
    >>> from qubopuzzle import ModelBuilder
    >>> b = ModelBuilder()
    >>> order = b.precedence("order", [b.choice("x", range(3))], [b.choice("y", range(3))], [2])
    >>> form = b.build().form("qubo", encoding="domain-wall")
    >>> samples = dimod.ExactSolver().sample(form.bqm)
    >>> form.decode(samples).values, form.labels[:2]
    ({'x': 0, 'y': 2}, ['x>=1', 'x>=2'])

    Attributes:
        target: ``qubo``, ``cnf``, ``mip``, another of ``compile.TARGETS``, or ``program``, the
            rows of a CQM.
        settings: of which formulation, encoding, presolve and weights count.
        compiled: the arrays, see ``compile.Compiled``.
        judge: says what an assignment is worth.
        format: of the file, if it is for one.
    """

    target: str
    settings: Settings
    compiled: Compiled
    judge: Judge
    format: ModelFormat | None = None

    @classmethod
    def of(cls, source: Source, to: str | ModelFormat, settings: Settings) -> Self:
        """Compile for an engine or a format; raises as ``form`` and ``export``."""
        problem = problem_of(source)
        target, name, file = (to, to, None) if isinstance(to, str) else (to.target, to.name, to)
        target = _TARGETS.get(target, target)
        if target in UNWEIGHTED_TARGETS or target == "program":
            if settings.encoding is not None:
                raise InputError(f"{name} has an encoding of its own; leave encoding out")
            if settings.weights:
                raise InputError(f"{name} keeps every constraint and takes no weights")
        elif target != "model":
            settings = replace(settings, encoding=settings.encoding or DEFAULT_ENCODING)
        rows = settings.keeps_rows and target in ("mip", "program")
        if rows and isinstance(problem, Program):
            presolved = Settings(formulation="bits").presolved(problem)
            compiled: Compiled = compile_program(presolved.model, problem)
            file = file and named(_OF_PROGRAMS.get(name, name))
            target = "program" if file else target  # whose file has the program's own names
            return cls(target, settings, compiled, Judge(problem, presolved, compiled), file)
        if settings.formulation is None:  # in a file, a tree takes the place of cuts
            default = problem.formulation_for(cuts=target == "mip")
            settings = replace(settings, formulation=default)
        presolved = settings.presolved(problem)
        if target in ("cnf", "cpsat", "asp"):  # solvers add cuts while they search
            presolved.model.require_local(f"a form for {target}")
        if target == "mip":
            compiled = compile_mip(presolved.model)
        elif target == "program":
            compiled = compile_program(presolved.model)
        else:
            compiled = settings.compile(presolved.model, target)
        return cls(target, settings, compiled, Judge(problem, presolved, compiled), file)

    @property
    def problem(self) -> Problem:
        """What was compiled."""
        return self.judge.problem

    # --- as an object -------------------------------------------------------------------------

    @cached_property
    def bqm(self) -> dimod.BinaryQuadraticModel:
        """The QUBO with readable labels.

        Valid answers have the objective as energy, 0 where there is none.
        """
        return cast("Qubo", self._for("bqm", "qubo")).to_bqm()

    @property
    def cqm(self) -> dimod.ConstrainedQuadraticModel:
        """The rows with readable labels, see ``to_cqm``."""
        return cqm_of(cast("Mip", self._for("cqm", "program")).program)

    def _for(self, what: str, target: str) -> Compiled:
        if self.target != target:
            other = _CALLED.get(target, target)
            raise InputError(f"a form for {self._called} has no {what}; make one for {other}")
        return self.compiled

    @property
    def _called(self) -> str:
        """What ``form`` calls it."""
        return _CALLED.get(self.target, self.target)

    @property
    def payload(self) -> Any:
        """What the engine takes: ``bqm``, ``cqm``, Amplify's model, or the compiled model."""
        if self.target == "qubo":
            return self.bqm
        if self.target.startswith("amplify"):
            return cast("AmplifyModel", self.compiled).model
        return self.cqm if self.target == "program" else self.compiled.payload

    def energies(self, samples: Any) -> NDArray[Any]:
        """The energy of each sample, offset included, shape (samples,).

        Args:
            samples: samples-like, as dimod says, over ``labels``, or without labels in their order;
                0 and 1, or a sample set of spins.

        Raises:
            InputError: for other variables or values, and for a target that has no energies.
        """
        if isinstance(samples, dimod.SampleSet) and samples.vartype is dimod.SPIN:
            samples = samples.change_vartype(  # type: ignore[no-untyped-call]
                dimod.BINARY, inplace=False
            )
        values, names = dimod.as_samples(samples)
        if list(names) != list(range(values.shape[1])):
            self._check_names(names)
            values = values[:, [names.index(label) for label in self.labels]]
        elif values.shape[1] != len(self.labels):
            raise InputError(f"expected {len(self.labels):,} values, got {values.shape[1]:,}")
        energies = self.compiled.energies(self._whole(values))
        if energies is None:
            raise InputError(f"a form for {self._called} has no energies; make one for qubo")
        return energies

    def encode(self, answer: Any) -> IntArray:
        """The values of the labelled variables, shape (variables,), the slack at its best.

        Args:
            answer: a result or an answer of the same formulation, or 0/1 by literal of its model.

        Raises:
            InputError: for an answer that says nothing of the model's choices, as a bare grid, and
                for one that presolving found impossible.
        """
        given = getattr(answer, "best", answer)
        x, presolved = getattr(given, "assignment", given), self.judge.presolved
        n = presolved.whole.n_literals
        wanted = self.settings.formulation
        given_by = getattr(answer, "formulation", wanted)
        if wanted is not None and given_by != wanted:
            remedy = f"solve(..., formulation={wanted!r}), or make the form of {given_by}"
            raise InputError(f"the result is of formulation {given_by}, not {wanted}: {remedy}")
        if np.shape(x) != (n,):
            what = "a grid does not say what the model's choices are; give a result of"
            raise InputError(f"{what} formulation {wanted}, or judge(model, values) of a model")
        if not (presolved.restore(x[presolved.kept]) == x).all():
            raise InputError("presolving found an answer with these values impossible")
        return self.compiled.encode(x[presolved.kept])[: self.compiled.n_bits]

    def decode(self, sample: Any) -> Answer:
        """Judge an assignment.

        Args:
            sample: values by label, or in the order of ``labels``; a dimod sample set (its best
                sample counts, feasible ones first) or a sample of it; of a file also values by the
                file's numbers of variables; of a formula also its literals, as ``get_model`` of
                PySAT's solvers returns them; of Amplify's model what its SDK has as values.

        Raises:
            InputError: if it does not have the model's variables, or other values than they have;
                what is within 1e-5 of a whole number, as solvers round, is that number.
        """
        if self.target.startswith("amplify"):
            return self.judge.judge(cast("AmplifyModel", self.compiled).bits_of(sample))
        values = best_sample(sample) if isinstance(sample, dimod.SampleSet) else sample
        if isinstance(values, tuple):  # dimod's SampleSet.first
            values = getattr(values, "sample", values)
        if not isinstance(values, Iterable) or isinstance(values, str | bytes):
            raise InputError(f"expected values by label, or in their order, got {brief(values)}")
        bits = self._bits(dict(values) if isinstance(values, Mapping) else list(values))
        energies = self.compiled.energies(bits[None]) if self.target == "qubo" else None
        return self.judge.judge(bits, None if energies is None else float(energies[0]))

    # --- as a file ----------------------------------------------------------------------------

    def write(self, path: str | PathLike[str], to: str | None = None) -> None:
        """Write a file, in the format of its name or ``to``, and its description as PATH.json.

        Raises:
            InputError: for a name of no format, or a format of another target.
        """
        file = Path(path)
        if self.format is not None and to is None:
            written = self
        else:
            written = self._as(by_suffix(str(path)) if to is None else named(to))
        write_whole(file, written.data)
        described = {"file": file.name, **written.description}
        write_whole(description_path(file), json.dumps(described).encode() + b"\n")

    @staticmethod
    def read(source: str | PathLike[str]) -> "Form":
        """The form that a description is of, compiled anew, see ``write``.

        Args:
            source: the description, or the file that it stands beside.

        Raises:
            InputError: one line naming the file, for what is no description.
        """
        beside = description_path(Path(source))
        return read_source(beside if beside.is_file() else source, rebuilt)

    def _as(self, kind: ModelFormat) -> Self:
        """The same in a format."""
        if kind.name in _OF_PROGRAMS and self.target == "mip" and self.settings.keeps_rows:
            return type(self).of(self.problem, kind, self.settings)  # a program's own names
        if kind.target != self.target:
            raise InputError(f"{kind.name} is made of a form for {kind.target}, not {self.target}")
        return replace(self, format=kind)

    @property
    def suffix(self) -> str:
        """How the names of its files end."""
        return self._file.suffix

    @property
    def _file(self) -> ModelFormat:
        if self.format is None:
            raise InputError("this form is for no format of files; write(FILE) chooses one")
        return self.format

    @cached_property
    def _content(self) -> Any:
        """What the format writes: a ``Qubo``, ``Cnf``, ``Mip`` or ``Program``."""
        compiled = self.compiled
        return cast("Mip", compiled).program if self.target == "program" else compiled

    @cached_property
    def data(self) -> bytes:
        """The file."""
        return self._file.write(self._content)

    @cached_property
    def labels(self) -> list[str]:
        """The variables but auxiliary ones, as the file calls them if this is for one."""
        if self.format is None:
            return self.compiled.labels()
        return self.format.names(self._content)

    @property
    def auxiliary(self) -> int:
        """How many variables there are besides."""
        return self.compiled.sizes["variables"] - len(self.labels)

    def __repr__(self) -> str:
        made_for = self.format.name if self.format else self._called
        sizes = ", ".join(f"{n:,} {what}" for what, n in self.compiled.sizes.items())
        return f"<Form {made_for} of {self.problem.name} {self.problem.id!r}: {sizes}>"

    def _repr_html_(self) -> str:
        sizes = self.compiled.sizes.items()
        rows: list[list[Any]] = [
            ["made for", self.format.name if self.format else self.target],
            *map(list, sizes),
        ]
        rows.append(["formulation", self.settings.formulation or "as it is"])
        if self.format is not None:
            rows.append(["bytes", len(self.data)])
        if isinstance(self.compiled, Qubo):
            least, most = self.compiled.form.coefficient_range()
            rows.append(["encoding", self.compiled.encoding])
            rows.append(["sizes of coefficients", f"{least:g} to {most:g}"])
            rows.append(["families", ", ".join(self.compiled.source.families)])
        return html.table(["model", self.judge.problem.id or self.judge.problem.name], rows)

    @cached_property
    def description(self) -> dict[str, Any]:
        """The JSON object that goes beside the file."""
        problem, compiled, form = self.problem, self.compiled, self._file
        energy = None
        if isinstance(compiled, Qubo):
            offset = 0 if form.holds_offset else np.asarray(compiled.form.offset).item()
            energy = {"sign": form.sign, "offset": offset}
        return {
            "format": KIND,
            "version": VERSION,
            "qubopuzzle": version("qubopuzzle"),
            "to": form.name,
            "model_sha256": hashlib.sha256(self.data).hexdigest(),
            "formulation": self.settings.formulation,
            "encoding": self.settings.encoding,
            "presolve": self.settings.presolve or "none",
            "weights": dict(self.settings.weights),
            "relaxed": [*compiled.omitted, *compiled.restricted],
            "energy": energy,
            "first": form.first,
            "variables": self.labels,
            "auxiliary": self.auxiliary,
            "puzzle_sha256": problem_hash(problem),
            "puzzle": problem.to_dict(),
        }

    def _bits(self, sample: dict[Any, Any] | list[Any]) -> IntArray:
        """The values of the labelled variables, shape (bits,); auxiliary ones are passed over."""
        n = len(self.labels)
        if isinstance(sample, dict):
            values = self._ordered(sample)
        else:
            values = sample
            if len(values) not in (n, n + self.auxiliary):
                more = f" or {n + self.auxiliary:,}" if self.auxiliary else ""
                raise InputError(f"expected {n:,}{more} values, got {len(values):,}")
        if not all(isinstance(value, Real | np.bool_) for value in values):
            raise InputError(f"expected numbers, got {brief(values)}")
        if self.target == "cnf" and np.array_equal(np.abs(values), np.arange(1, len(values) + 1)):
            values = [int(literal > 0) for literal in values]
        spins = self.format is not None and self.format.spins
        if spins and -1 in values:  # without one they are bits, or all are 1
            values = [_bit(*each) for each in zip(self.labels, values, strict=True)]
        whole: IntArray = self._whole(np.array([values[:n]], dtype=np.float64))[0]
        return whole

    def _whole(self, values: NDArray[Any]) -> IntArray:
        """Values of the labelled variables, (samples, variables), if they are what these can be."""
        rows, n = getattr(self.compiled, "program", None), len(self.labels)
        lower, upper = (0, 1) if rows is None else (rows.lower[:n], rows.upper[:n])
        nearest = np.rint(values)
        fits = (np.abs(values - nearest) <= NEARLY_WHOLE) & (lower <= nearest) & (nearest <= upper)
        for sample, v in np.argwhere(~fits).tolist():
            low, high = (0, 1) if rows is None else (int(rows.lower[v]), int(rows.upper[v]))
            expected = "0 or 1" if (low, high) == (0, 1) else f"{low} to {high}"
            spins = "; of spins give the sample set" if values[sample, v] == -1 else ""
            got = f"{values[sample, v]:.6g}{spins}"
            raise InputError(f"{self.labels[v]}: expected {expected}, got {got}")
        return np.asarray(nearest, dtype=np.int64)

    def _check_names(self, names: Iterable[Any]) -> None:
        """That there are all variables and no others; InputError with a remedy."""
        given = list(names)
        try:
            check_values(given, self.labels, "the model has no variable")
        except InputError as error:
            remedy = ""
            if given and self.target in ("qubo", "program"):
                remedy = _made_otherwise(self.problem, self.settings, set(given))
            raise InputError(f"{error}{remedy}") from None

    def _ordered(self, by_key: Mapping[Any, int]) -> list[int]:
        """Values by the file's names, dimod's, or the file's numbers of variables, in order."""
        names = self.compiled.labels(), self.labels
        place = {name: i for each in names for i, name in enumerate(each)}
        first = self.format.first if self.format else int(self.target == "cnf")
        end = first + len(self.labels) + self.auxiliary
        values: dict[int, int] = {}
        for given, value in by_key.items():
            key = str(given)
            if given in place:
                values[place[given]] = value
            elif key.isascii() and key.isdigit() and len(key) < 10:
                if not first <= int(key) < end:
                    raise InputError(f"no variable {key}: they are {first} to {end - 1}")
                values[int(key) - first] = value
            elif self.target == "qubo":
                self._check_names(by_key)
        if len(values) < len(self.labels):
            self._check_names([self.labels[i] for i in values if i < len(self.labels)])
        return [values[i] for i in range(len(self.labels))]


def _bit(label: str, spin: int) -> int:
    """1 for a spin of 1, 0 for -1."""
    if spin not in (-1, 1):
        raise InputError(f"{label}: expected -1 or 1, as others are spins, got {brief(spin)}")
    return (spin + 1) // 2


def form(
    problem: Source, to: str, settings: Settings | None = None, **fields: Unpack[ModelFields]
) -> Form:
    """A puzzle or model compiled for an engine; what the engine finds goes back by ``decode``.

    ``problem.form(...)`` is the same.

    Args:
        problem: a puzzle, a model, or a file that holds exactly one.
        to: ``qubo``, ``cqm``, ``cnf``, ``mip``, ``amplify``, or one of ``compile.TARGETS``.
        settings: a ``Settings``, of which formulation, encoding, presolve and weights count.
        fields: these by name; presolve is ``none`` without.

    Raises:
        InputError: for a target, formulation, encoding, presolve or weight that cannot be used.
        TooLarge: if the form would not fit in memory.
        Unsatisfiable: if presolving proves that there is no solution.
        ModelError: for connectivity and cycles in a form that has no place for them.
        SolverUnavailable: if it takes a package that is not installed.
    """
    if not isinstance(to, str) or (to not in _TARGETS and to not in TARGETS):
        if any(to == name for name in WRITTEN):
            bqm = "; dimod's model is problem.form('qubo').bqm" if to in ("bqm", "ising") else ""
            raise InputError(f"{to} is a format of files: qubopuzzle.export(problem, {to!r}){bqm}")
        known = list(dict.fromkeys([*_TARGETS, *TARGETS]))
        raise InputError(f"no form for {brief(to)}; {did_you_mean(to, known)}")
    return Form.of(problem, to, Settings.of_model(settings, fields))


def export(
    problem: Source,
    to: str,
    settings: Settings | None = None,
    **fields: Unpack[ModelFields],
) -> Form:
    """The model of a puzzle or model as the file of a format.

    >>> from qubopuzzle import Nonogram, export
    >>> made = export(Nonogram(rows=[[1]], cols=[[1]]), "dimacs")
    >>> made.data.decode().splitlines()[-1], made.description["variables"]
    ('p cnf 0 0', [])

    Args:
        to: the format: ``bqm``, ``coo``, ``qubo``, ``mqlib``, ``qplib`` or ``qubo-lp`` for the
            QUBO, ``ising`` for the same over spins; ``dimacs``, ``lp`` or ``mps`` for what exact
            solvers like best; ``opb``, ``cqm``, ``ommx``, ``program-lp`` or ``program-mps`` for
            the rows that the annealer takes.
        problem, settings, fields: see ``form``; only QUBOs take
            encoding and weights. A ``Program`` without formulation and presolve is written as it
            is, as ``lp`` and ``mps``, too.

    Raises:
        InputError: for a format that is not written; the others as ``form``.
    """
    return Form.of(problem, named(to), Settings.of_model(settings, fields))


def to_bqm(
    problem: Source,
    settings: Settings | None = None,
    **fields: Unpack[ModelFields],
) -> dimod.BinaryQuadraticModel:
    """The QUBO of a puzzle or model as a dimod model with readable labels.

    Valid answers have the objective as energy, 0 where there is none; ``decode`` leads back from
    its samples. The encoding is
    one-hot unless said otherwise, as in the tutorials; ``solve`` anneals domain walls, which
    single flips find easier.

    >>> from qubopuzzle import ModelBuilder, to_bqm
    >>> b = ModelBuilder()
    >>> bit = b.bit("a")
    >>> to_bqm(b.build()).variables
    Variables(['a'])

    Arguments and errors are those of ``form``.
    """
    return form(problem, "qubo", settings, **fields).bqm


def to_amplify(
    problem: Source,
    settings: Settings | None = None,
    *,
    mode: str = "constraint",
    **fields: Unpack[ModelFields],
) -> AmplifyModel:
    """A puzzle or model for Amplify: ``built.model`` is what ``amplify.solve`` takes.

    ``decode(problem, built.bits_of(solution.values))`` judges a solution.

    Args:
        problem, settings, fields: see ``form``.
        mode: ``constraint`` for native constraints with labels and weights, or
            ``objective`` for exactly our QUBO.

    Raises:
        InputError, TooLarge: see ``form``.
        Unsatisfiable: for a constraint that no assignment can meet.
    """
    if mode not in MODES:
        raise InputError(f"unknown mode {mode!r}; choose from {', '.join(MODES)}")
    made = form(problem, f"amplify-{mode}", settings, **fields)
    return cast("AmplifyModel", made.compiled)


def to_cnf(problem: Source, settings: Settings | None = None, **fields: Unpack[ModelFields]) -> Cnf:
    """A puzzle or model as a formula for SAT solvers: arrays of clauses, and text in DIMACS.

    >>> from qubopuzzle import Nonogram, to_cnf
    >>> formula = to_cnf(Nonogram(rows=[[1], [1]], cols=[[1], [1]]))
    >>> formula.n_variables, formula.n_clauses
    (4, 8)

    Raises:
        InputError, TooLarge, Unsatisfiable: see ``form``.
        ModelError: for connectivity or cycles, which no formula of this size expresses.
    """
    return cast("Cnf", form(problem, "cnf", settings, **fields).compiled)


def to_mip(problem: Source, settings: Settings | None = None, **fields: Unpack[ModelFields]) -> Mip:
    """A puzzle or model as rows over 0/1 variables: arrays, and text in LP and MPS.

    >>> from qubopuzzle import Nonogram, to_mip
    >>> to_mip(Nonogram(rows=[[1]], cols=[[1], []])).to_lp().splitlines()[0]
    'Minimize'

    Raises:
        InputError, TooLarge, Unsatisfiable: see ``form``.
    """
    return cast("Mip", form(problem, "mip", settings, **fields).compiled)


def to_cqm(
    problem: Source, settings: Settings | None = None, **fields: Unpack[ModelFields]
) -> dimod.ConstrainedQuadraticModel:
    """A puzzle or model as a dimod CQM, for Leap's hybrid sampler and other samplers of CQMs.

    A yes/no choice is a bit, any other a discrete constraint over a bit a value; variables have
    the labels of ``to_bqm``, without slack, and ``decode`` leads back from samples. Constraints and
    precedences are linear constraints with readable labels. A ``Program`` without formulation and
    presolve keeps its own variables and rows. It is what format ``cqm`` has in its file.

    >>> from qubopuzzle import ModelBuilder, to_cqm
    >>> b = ModelBuilder()
    >>> colours = [b.choice(name, ["red", "green", "blue"]) for name in "xy"]
    >>> b.at_most_one("same", [[colours[0] == "red", colours[1] == "red"]])
    >>> cqm = to_cqm(b.build())
    >>> list(cqm.constraints), sorted(cqm.discrete), cqm.variables[0]
    (['x', 'y', 'same[0]'], ['x', 'y'], 'x=red')

    Raises:
        InputError, TooLarge, Unsatisfiable: see ``form``.
        ModelError: for connectivity and cycles, which no CQM of this size expresses.
    """
    return form(problem, "cqm", settings, **fields).cqm


def decode(
    problem: Source,
    sample: Any,
    settings: Settings | None = None,
    **fields: Unpack[ModelFields],
) -> Answer:
    """From a sample of ``to_bqm``'s or ``to_cqm``'s model to the judged answer.

    Args:
        sample: values by label (``sampleset.first.sample``), a sample set (its best sample
            counts, feasible ones first), or the values in the order of the labels.
        problem, settings, fields: as they were given to ``to_bqm``.

    Raises:
        InputError: for a sample that does not have exactly the model's variables.
    """
    source = problem_of(problem)
    values = best_sample(sample) if isinstance(sample, dimod.SampleSet) else sample
    chosen = Settings.of_model(settings, fields)
    presolved, encoding = chosen.presolved(source), chosen.encoding or DEFAULT_ENCODING
    bits = qubo_bits(presolved.model, encoding)  # all that it takes; no QUBO is multiplied out
    labels = bits.labels()
    without_slack = labels[: bits.matrix.shape[1]]  # those of a CQM
    if isinstance(values, Mapping):
        names, is_plain = set(values), chosen.keeps_rows
        variables = set(source.variables) if isinstance(source, Program) else None
        if is_plain and variables == names != set(labels):
            return judge(source, values)  # a sample of the CQM of its own rows
        labels = without_slack if names == set(without_slack) else labels
        if strangers := names ^ set(labels):
            formulation = chosen.formulation or source.default_formulation
            how = chosen.presolve or "none"
            made = replace(chosen, formulation=formulation, encoding=encoding, presolve=how)
            raise InputError(
                f"the sample has other variables than the model: {min(map(str, strangers))}"
                f"{_made_otherwise(source, made, names) or f'; {_GIVE}'}"
            )
        values = [values[label] for label in labels]
    given, shapes = np.asarray(values), [(len(names),) for names in (labels, without_slack)]
    if given.shape not in shapes or not np.isin(given, (0, 1)).all():
        what = f"expected {len(labels)} values of 0 or 1, got {brief(values)}"
        raise InputError(f"{what}; {_GIVE}" if given.shape not in shapes else what)
    return Judge(source, presolved, bits).judge(given)


def _made_otherwise(problem: Problem, made: Settings, names: set[Hashable]) -> str:
    """A remedy: which formulation, encoding and presolve give variables of these names."""
    encoding, presolve = made.encoding or DEFAULT_ENCODING, made.presolve or "none"
    made = replace(made, encoding=encoding, presolve=presolve)
    forms = [
        form for presolve in PRESOLVES for form in forms_of(problem, Settings(presolve=presolve))
    ]
    for form in forms:
        with suppress(QubopuzzleError):  # too large, or without solution
            bits = qubo_bits(form.presolved(problem).model, cast("str", form.encoding))
            labels = bits.labels()
            if names in (set(labels), set(labels[: bits.matrix.shape[1]])):
                parts = ("formulation", "encoding", "presolve")
                changed = [name for name in parts if getattr(form, name) != getattr(made, name)]
                parts_changed = ", ".join(f"{name}={getattr(form, name)!r}" for name in changed)
                return f"; it is of a model made with {parts_changed}" if parts_changed else ""
    return ""


# --- files -----------------------------------------------------------------------------


def description_path(file: Path) -> Path:
    """Where the description of a model's file is written."""
    return file.with_name(f"{file.name}.json")


def problem_hash(problem: Problem) -> str:
    """SHA-256 of what defines a problem: its JSON without id, title, solution and the like."""
    data = {key: value for key, value in problem.to_dict().items() if key not in _ABOUT}
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def decode_file(
    source: str | PathLike[str],
    sample: str | PathLike[str],
    *,
    description: str | PathLike[str] | None = None,
    puzzle: str | None = None,
) -> Answer:
    """Read the assignment in a file back.

    Args:
        source: the description, or the problem that ``description`` must be of.
        sample: see ``files.models.read_sample``.
        description: the JSON file beside the model.
        puzzle: read only puzzles of this kind from ``source``.

    Raises:
        InputError: one line naming the file and what is wrong.
    """
    built = read_source(source if description is None else description, rebuilt)
    if description is not None:
        given = load(source, puzzle)
        if problem_hash(built.judge.problem) not in map(problem_hash, given):
            raise InputError(f"{description}: it is of another puzzle than {source}")
    return read_source(sample, lambda text: built.decode(read_sample(text)))


def rebuilt(text: str) -> Form:
    """From the text of a description to its model, compiled anew.

    Raises:
        InputError: for a text that is no description, or whose parts contradict each other.
    """
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
    with at("puzzle"):
        problem = problem_from_dict(data.get("puzzle"))
    if data.get("puzzle_sha256") != problem_hash(problem):
        raise InputError("puzzle_sha256 is not that of the puzzle in it: one of them was changed")
    weights = data.get("weights", {})
    if not isinstance(weights, dict):
        raise InputError(f"weights: expected an object, got {brief(weights)}")
    settings = Settings(
        formulation=None if data.get("formulation") is None else _text(data, "formulation"),
        encoding=None if data.get("encoding") is None else _text(data, "encoding"),
        presolve=_text(data, "presolve"),
        weights={f: number(f"weights: {f[:40]!r}", weight) for f, weight in weights.items()},
    )
    built = Form.of(problem, named(_text(data, "to")), settings)
    if built.labels != data.get("variables"):
        made = f"{brief(data.get('qubopuzzle'))}, this is {version('qubopuzzle')}"
        raise InputError(f"its variables are not those of the model (made by version {made})")
    return built


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise InputError(f"{key}: expected a text, got {brief(value)}")
    return value
