"""The formats of models: each a record in the table below, and functions in a module of its own.

``read_NAME`` of that module makes a ``Program`` of a file's bytes, or a list of all in it,
``write_NAME`` makes the bytes, and ``names_NAME`` says what the variables are called in the file,
if not by their own names; a hyphen in a name is ``_`` there. Modules are imported when their format
is used.

A module that reads by the code of other packages has ``APART``, what it needs for that: a package
and a sentence, or nothing. Its functions take the file's path, in a process of its own; what its
``program`` makes of their answer here, if there is one, is the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, did_you_mean

_PACKED_SUFFIXES = (".gz", ".bz2", ".xz")


@dataclass(frozen=True, slots=True)
class ModelFormat:
    """A file of a model.

    With the file's objective value v, our energy is ``sign * v`` plus, unless it
    ``holds_offset``, the QUBO's offset.

    Attributes:
        module: the module of this folder that has the functions.
        target: what is written: a ``qubo``, or the exact ``cnf``, ``mip`` or ``program``, a
            ``Qubo``, ``Cnf``, ``Mip`` or ``Rows``; nothing for a format that is only read.
        about: what is read; nothing for a format that is only written.
        text: whether the file is text.
        first: the number of its first variable.
        spins: whether the file's variables are spins, -1 where the model's bit is 0.
    """

    name: str
    module: str
    target: str = ""
    about: str = ""
    text: bool = True
    first: int = 0
    sign: int = 1
    holds_offset: bool = False
    spins: bool = False

    @property
    def suffix(self) -> str:
        """How the names of such files end, but for what packed them."""
        return _SUFFIXES.get(self.name, f".{self.name}")

    @property
    def code(self) -> Any:
        """The module."""
        return import_module(f"{__package__}.{self.module}")

    def read(self, given: Any) -> Any:
        """A program of the file's bytes; of its path in a process of its own, see above."""
        return self._function("read")(given)

    def write(self, content: Any) -> bytes:
        """The file of what ``target`` says."""
        return bytes(self._function("write")(content))

    def names(self, content: Any) -> list[str]:
        """The variables as the file calls them, but auxiliary ones."""
        names_of = self._function("names")
        if names_of is not None:
            return list(names_of(content))
        return list(content.variables if self.target == "program" else content.labels())

    def _function(self, what: str) -> Any:
        return getattr(self.code, f"{what}_{self.name.replace('-', '_')}", None)


_SUFFIXES = {
    "qubo-lp": ".qubo.lp",
    "ising": ".ising.json",
    "dimacs": ".cnf",
    "maxcut": ".mc",
    "qaplib": ".dat",
    "program-lp": ".program.lp",
    "program-mps": ".program.mps",
}
"""Of formats whose files are not called by their names."""
FORMATS = {
    each.name: each
    for each in (
        ModelFormat(
            "bqm",
            "dimod_files",
            "qubo",
            "dimod's BinaryQuadraticModel",
            text=False,
            holds_offset=True,
        ),
        ModelFormat("coo", "coefficients", "qubo", "dimod's coordinate list: i j coefficient"),
        ModelFormat(
            "qubo", "coefficients", "qubo", "qbsolv's QUBO: p qubo 0 maxNodes nNodes nCouplers"
        ),
        ModelFormat(
            "mqlib",
            "coefficients",
            "qubo",
            "MQLib's QUBO, which is maximised: n m, then i j coefficient",
            first=1,
            sign=-1,
        ),
        ModelFormat(
            "qplib",
            "qplib",
            "qubo",
            "QPLIB: linear rows, a quadratic objective",
            first=1,
            holds_offset=True,
        ),
        ModelFormat("qs", "coefficients", about="ZIMPL's QUBO, as in QOBLIB: n m, then i j value"),
        ModelFormat("maxcut", "coefficients", about="maximum cut: n m, then i j weight (Gset)"),
        ModelFormat("gph", "graphs", about="DIMACS graph: maximum independent set"),
        ModelFormat("clq", "graphs", about="DIMACS graph: maximum clique"),
        ModelFormat("col", "graphs", about="DIMACS graph: colouring with the fewest colours"),
        ModelFormat("qaplib", "qaplib", about="QAPLIB: quadratic assignment: n and two matrices"),
        ModelFormat("gap", "orlib", about="OR-Library: generalised assignment, minimised"),
        ModelFormat("gap-max", "orlib", about="the same, maximised: gap1 to gap12"),
        ModelFormat("scp", "orlib", about="OR-Library: set covering"),
        ModelFormat("mknap", "orlib", about="OR-Library: multi-dimensional knapsack"),
        ModelFormat("qkp", "orlib", about="quadratic knapsack of Billionnet and Soutif"),
        ModelFormat("qubo-lp", "lp_mps", "qubo", holds_offset=True),
        ModelFormat("ising", "coefficients", "qubo", holds_offset=True, spins=True),
        ModelFormat("dimacs", "dimacs", "cnf", first=1),
        ModelFormat(
            "opb", "opb", "program", "pseudo-Boolean: rows over literals, ~x is 1 - x", first=1
        ),
        ModelFormat(
            "cqm", "dimod_files", "program", "dimod's ConstrainedQuadraticModel", text=False
        ),
        ModelFormat(
            "ommx", "ommx", "program", "an OMMX artifact of one instance, or its bytes", text=False
        ),
        ModelFormat("program-lp", "lp_mps", "program"),
        ModelFormat("program-mps", "lp_mps", "program"),
        ModelFormat("lp", "lp_mps", "mip", "CPLEX LP: rows, bits, integers, a quadratic objective"),
        ModelFormat("mps", "lp_mps", "mip", "MPS, fixed or free, the same"),
    )
}
"""All formats by name."""
READERS = {each.name: each for each in FORMATS.values() if each.about}
"""Those that are read."""
WRITTEN = {each.name: each for each in FORMATS.values() if each.target}
"""Those that are written."""
_BY_SUFFIX = {each.suffix.removeprefix("."): each for each in READERS.values()}


def named(name: str) -> ModelFormat:
    """The format that is written under a name; InputError if there is none."""
    name = "dimacs" if name == "cnf" else name  # what `form` calls it, and the file's suffix
    if name not in WRITTEN:
        hint = did_you_mean(str(name), WRITTEN)
        raise InputError(f"no format {str(name)[:40]!r} to export to; {hint}")
    return WRITTEN[name]


def by_suffix(file: str) -> ModelFormat:
    """The format that is written to a file of this name; InputError with the name if none is."""
    fitting = [each for each in WRITTEN.values() if file.lower().endswith(each.suffix)]
    if fitting:
        return max(fitting, key=lambda each: len(each.suffix))
    known = ", ".join(each.suffix for each in WRITTEN.values())
    remedy = "or give it as to (--to FORMAT)"  # in Python and in a command
    raise InputError(f"{file}: a model's name ends in one of {known}; {remedy}")


def reader_for(source: str | PathLike[str], format: str | None = None) -> ModelFormat | None:  # noqa: A002
    """What reads a file, by a format's name or the end of the file's; None if nothing does.

    >>> reader_for("a/model.lp.gz").name, reader_for("a/puzzle.json")
    ('lp', None)
    """
    if not isinstance(source, str | PathLike):
        raise InputError(f"expected the name of a file, got {brief(source)}")
    if format is not None:
        return READERS.get(str(format).lower())
    return _BY_SUFFIX.get(stem(source)[1].lower())


def stem(source: str | PathLike[str]) -> tuple[str, str]:
    """The file's name without suffixes, and the suffix that says the format, without its dot.

    >>> stem("a/b.1.MPS.gz")
    ('b.1', 'MPS')
    """
    path = Path(source)
    if path.suffix.lower() in _PACKED_SUFFIXES:
        path = path.with_suffix("")
    return path.stem, path.suffix.removeprefix(".")
