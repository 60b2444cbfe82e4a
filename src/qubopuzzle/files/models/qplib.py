"""QPLIB files (Furini et al. 2019): linear rows and a quadratic objective over whole numbers.

Format: qplib.zib.de/doc.html. The objective is ``x' Q x / 2 + b' x + c``, with a Q that is a lower
triangle and is not mirrored; variables and rows are numbered from 1. What stands behind the words
of a line is a comment.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.compile import Qubo
from qubopuzzle.compile.encoding import distinct
from qubopuzzle.compile.lp_mps import number
from qubopuzzle.errors import InputError, printable
from qubopuzzle.files.models.coefficients import couplings_of
from qubopuzzle.files.models.words import encoded, real, text_of, whole
from qubopuzzle.programs.milp import require_whole
from qubopuzzle.programs.program import Program

_MOST = 10**6
"""Variables, and rows, at most: a few words may ask for so many."""
_COMMENTS = ("!", "%", "#")
_KINDS = {"C": 0, "I": 1, "B": 1}
"""What the second letter says of all variables, in numbers as in ``from_mip``."""


class _Lines:
    """The words of a file, line by line, without comments."""

    def __init__(self, text: str) -> None:
        self._lines = iter(enumerate(text.split("\n"), start=1))
        self.number = 0

    def words(self, least: int, what: str) -> list[str]:
        """The next line that says something."""
        for place, line in self._lines:
            self.number = place
            words = [] if line[:1] in _COMMENTS else line.partition("#")[0].split()
            if len(words) >= least:
                return words
            if words:
                raise InputError(f"line {self.number}: expected {what}, got {line.strip()[:40]}")
        raise InputError(f"it breaks off: expected {what}")

    def count(self, what: str, most: int = _MOST) -> int:
        """A number of things."""
        return whole(self.words(1, what)[0], self.number, 0, most)

    def value(self, what: str) -> float:
        """A number."""
        return real(self.words(1, what)[0], self.number)

    def entries(self, sizes: list[int], what: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """A count, then so many lines of indices from 1 and a value: (n, indices) and (n,)."""
        n, k = self.count(f"the number of {what}", 10**9), len(sizes)
        index, values = [], []
        for _ in range(n):
            words = self.words(k + 1, f"{what}: {k} indices and a value")
            where = zip(words, sizes, strict=False)
            index.append([whole(w, self.number, 1, size) - 1 for w, size in where])
            values.append(real(words[k], self.number))
        return np.array(index, dtype=np.int64).reshape(-1, k), np.array(values, dtype=np.float64)

    def vector(self, size: int, what: str) -> NDArray[np.float64]:
        """A default value, then those that differ from it, shape (size,)."""
        result = np.full(size, self.value(f"the default of {what}"))
        index, values = self.entries([size], what)
        result[index[:, 0]] = values
        return result

    def names(self, size: int, what: str, name: Callable[[int], str]) -> list[str]:
        """Names by their numbers, ``name`` of those without; a file may end before them."""
        names = [name(i) for i in range(1, size + 1)]
        try:
            n = self.count(f"the number of {what}", size)
        except InputError as error:
            if "breaks off" in str(error):
                return names
            raise
        for _ in range(n):
            number, word = self.words(2, f"{what}: a number and a name")[:2]
            names[whole(number, self.number, 1, size) - 1] = word
        return names


def read_qplib(data: bytes) -> Program:
    """Read a problem with linear rows, or none, and variables that are whole.

    Raises:
        InputError: naming the line, or the variable that is continuous; and for a problem whose
            type says that its constraints are quadratic.
    """
    lines = _Lines(text_of(data))
    title = lines.words(1, "a name")[0]
    kind = lines.words(1, "the type of the problem, such as QBL")[0].upper()
    if len(kind) != 3 or kind[0] not in "LDCQ" or kind[1] not in "CBMIG" or kind[2] not in "NBLDCQ":
        raise InputError(f"line {lines.number}: {kind[:20]} is no type of problem, such as QBL")
    if kind[2] in "DCQ":
        raise InputError(f"type {kind}: its constraints are quadratic; rows are linear")
    sense = lines.words(1, "minimize or maximize")[0].lower()
    if sense not in ("minimize", "maximize"):
        raise InputError(f"line {lines.number}: expected minimize or maximize, got {sense[:20]}")
    n = lines.count("the number of variables")
    m = lines.count("the number of constraints") if kind[2] == "L" else 0
    return _program(lines, title, kind, n, m, maximize=sense == "maximize")


def _program(lines: _Lines, title: str, kind: str, n: int, m: int, *, maximize: bool) -> Program:
    quadratic = None if kind[0] == "L" else _quadratic(lines, n)
    cost = lines.vector(n, "linear coefficients")
    offset = lines.value("the constant of the objective")
    matrix, row_lower, row_upper = csr_array((0, n)), np.zeros(0), np.zeros(0)
    if m:
        index, values = lines.entries([m, n], "linear terms of constraints")
        matrix = csr_array((values, (index[:, 0], index[:, 1])), shape=(m, n))
    infinity = lines.value("infinity")
    if m:
        row_lower, row_upper = (lines.vector(m, "sides of constraints") for _ in range(2))
    lower, upper = np.zeros(n), np.ones(n)
    if kind[1] != "B":
        lower, upper = (lines.vector(n, "bounds of variables") for _ in range(2))
    kinds: Any = _KINDS.get(kind[1])
    if kinds is None:
        # 0 continuous, 1 integer, 2 binary.
        kinds = np.where(lines.vector(n, "types of variables") == 0, 0, 1)
    for what, size in ("values", n), ("duals of rows", m), ("duals of bounds", n):
        if size or what != "duals of rows":
            lines.vector(size, f"starting {what}")
    names = lines.names(n, "names of variables", "x{}".format)
    rows = lines.names(m, "names of constraints", "row{}".format)
    low, high, *sides = (_unbounded(a, infinity) for a in (lower, upper, row_lower, row_upper))
    require_whole(names, kinds, (low, high), matrix, (sides[0], sides[1]), quadratic)
    return Program.of(
        matrix,
        *sides,
        lower=low,
        upper=high,
        cost=cost,
        quadratic=quadratic,
        offset=offset,
        maximize=maximize,
        variables=names,
        rows=rows,
        title=title,
    )


def _quadratic(lines: _Lines, n: int) -> csr_array:
    """The matrix of ``x' Q x``."""
    index, values = lines.entries([n, n], "quadratic terms of the objective")
    return csr_array((values / 2, (index[:, 0], index[:, 1])), shape=(n, n))


def _unbounded(values: NDArray[np.float64], infinity: float) -> NDArray[np.float64]:
    return np.where(np.abs(values) >= infinity, np.copysign(np.inf, values), values)


def write_qplib(model: Qubo) -> bytes:
    """QPLIB (Furini et al. 2019), as ``amplify.load_qplib`` reads it: ``x' Q x / 2 + b' x + c``."""
    form = model.form
    # Q is a lower triangle that is not mirrored (qplib.zib.de/doc.html), hence twice the value.
    quadratic = [f"{j + 1} {i + 1} {number(2 * value)}" for i, j, value in couplings_of(form)]
    linear = [f"{i + 1} {number(v)}" for i, v in enumerate(form.linear.tolist()) if v]
    labels = (printable("_".join(label.split())) for label in model.labels())
    names = [f"{i} {label}" for i, label in enumerate(distinct(labels, "#"), start=1)]
    return encoded(
        "qubopuzzle",
        "QBN # problem type: quadratic, binary, no constraints",
        "minimize",
        f"{len(names)} # variables",
        f"{len(quadratic)} # quadratic terms of the objective",
        *quadratic,
        "0 # default of linear coefficients",
        f"{len(linear)} # linear coefficients other than that",
        *linear,
        f"{number(form.offset)} # constant",
        "1.0e+20 # infinity",
        "0 # default starting value",
        "0 # other starting values",
        "0 # default starting value of duals",
        "0 # others",
        f"{len(names)} # names of variables",
        *names,
        "0 # names of constraints",
    )
