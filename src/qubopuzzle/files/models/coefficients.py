"""QUBOs as lists of coefficients: ``coo``, ``qubo``, ``mqlib``, ``qs``; ``ising``, which is JSON.

Graphs with weights, ``maxcut``, are such lists, too.

Coefficients are written with all their digits, and a variable in no term keeps its place: dimod's
writer of coordinate lists rounds to six decimals and leaves such variables out, its reader passes
over lines that it cannot read, and has no offset.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import dimod
import numpy as np

from qubopuzzle.compile import Qubo
from qubopuzzle.compile.lp_mps import number
from qubopuzzle.compile.qubo import Quadratic
from qubopuzzle.errors import InputError, printable
from qubopuzzle.files.models.words import encoded, real, text_of, whole
from qubopuzzle.programs import Program
from qubopuzzle.programs.dimod_models import from_bqm

_VARTYPE = re.compile(r"#\s*vartype\s*=\s*(\w+)")
_OFFSET = re.compile(r"[#c]\s*(?:offset|ObjectiveOffset)\s+(\S+)")
"""How files of coefficients say it in a comment, ours too."""
_HEAD = "p qubo 0 maxNodes nNodes nCouplers"
_TOPOLOGIES = ("0", "unconstrained")
_CONVENTION = (
    "E(s) = offset + sum_i h_i s_i + sum_{i<j} J_ij s_i s_j, s_i = 2 b_i - 1 in {-1, +1}, minimised"
)


@dataclass(slots=True)
class _Terms:
    """Lines ``i j coefficient``, one after the other; ``line`` is the number of the last one."""

    pairs: list[tuple[int, int]] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    offset: float = 0.0
    spins: bool = False
    line: int = 0

    def lines(self, data: bytes, comment: str, *, of_spins: bool = False) -> Iterator[list[str]]:
        """The words of each line that is no comment; an offset in a comment is taken.

        With ``of_spins`` a comment may say that variables are spins.
        """
        for self.line, line in enumerate(text_of(data).split("\n"), start=1):
            words = line.split()
            if words and not words[0].startswith(comment):
                yield words
            elif match := _OFFSET.match(line.strip()):
                self.offset = real(match[1], self.line)
            elif of_spins and (kind := _VARTYPE.match(line.strip())):
                if kind[1] not in ("BINARY", "SPIN"):
                    raise self.error(f"{kind[1][:20]} is neither BINARY nor SPIN")
                self.spins = kind[1] == "SPIN"

    def add(self, words: list[str], low: int = 0, high: int = 2**60) -> tuple[int, int]:
        """Add the words of a line, and return the pair; InputError for numbers beyond these."""
        if len(words) != 3:
            raise self.error(f"expected i j coefficient, got {' '.join(words)[:40]}")
        i, j = (whole(word, self.line, low, high) for word in words[:2])
        self.pairs.append((i, j))
        self.values.append(real(words[2], self.line))
        return i, j

    def error(self, why: str) -> InputError:
        """What is wrong, with the number of the line."""
        return InputError(f"line {self.line}: {why}")

    def __iter__(self) -> Iterator[tuple[tuple[int, int], float]]:
        """Each pair and its coefficient."""
        return zip(self.pairs, self.values, strict=True)

    def program_of(self, n: int) -> Program:
        """Their sum plus the offset, over the numbers 1 to n, also those in no line."""
        self.pairs += [(i, i) for i in range(1, n + 1)]
        self.values += [0.0] * n
        return self.program()

    def program(self) -> Program:
        """Their sum plus the offset, over the numbers that occur, in order."""
        numbers, place = np.unique(np.array(self.pairs, dtype=np.int64), return_inverse=True)
        row, column = place.reshape(-1, 2).T
        values, n, single = np.array(self.values, dtype=np.float64), len(numbers), row == column
        bqm = dimod.BinaryQuadraticModel.from_numpy_vectors(
            np.bincount(row[single], values[single], minlength=n),
            (row[~single], column[~single], values[~single]),
            self.offset,
            dimod.SPIN if self.spins else dimod.BINARY,
            variable_order=numbers.tolist(),
        )
        return from_bqm(bqm)


# --- coo -------------------------------------------------------------------------------


def read_coo(data: bytes) -> Program:
    """Read the minimised sum of all ``coefficient * v_i * v_j``, plus ``# offset``.

    Terms ``i i coefficient`` are linear. Variables are named by their numbers, those that occur,
    in order. After ``# vartype=SPIN`` they are spins, which become bits: 1 for +1, 0 for -1.

    Raises:
        InputError: naming the line that is none of this format.
    """
    terms = _Terms()
    for words in terms.lines(data, "#", of_spins=True):
        terms.add(words)
    return terms.program()


def write_coo(model: Qubo) -> bytes:
    """What ``dimod.serialization.coo.load`` reads: ``i j coefficient``; the offset a comment."""
    terms = (f"{i} {j} {number(value)}" for i, j, value in _triangle(model.form))
    return encoded("# vartype=BINARY", f"# offset {number(model.form.offset)}", *terms)


# --- qubo ------------------------------------------------------------------------------


def read_qubo(data: bytes) -> Program:
    """Read the minimised sum of all ``weight * b_i * b_j``, plus ``c offset``, as we write it.

    Variables are named by the numbers of the nodes.

    Raises:
        InputError: naming the line that is none of this format, a node or a coupler that comes
            twice, and for other numbers of lines than the first one says.
    """
    terms, due, most = _Terms(), [0, 0], -1
    seen: set[tuple[int, ...]] = set()
    for words in terms.lines(data, "c"):
        if most < 0:
            if words[:2] != ["p", "qubo"] or len(words) != 6 or words[2] not in _TOPOLOGIES:
                raise terms.error(f"expected {_HEAD}, got {' '.join(words)[:40]}")
            most, *due = (whole(word, terms.line, 0, 2**60) for word in words[3:])
            continue
        pair = tuple(sorted(terms.add(words, 0, most - 1)))
        if pair in seen:
            raise terms.error(f"{words[0]} {words[1]} comes for the second time")
        seen.add(pair)
        due[pair[0] < pair[1]] -= 1
    if most < 0 or due != [0, 0]:
        counts = "nothing" if most < 0 else f"{due[0]} more nodes and {due[1]} more couplers"
        what = f"expected {_HEAD}" if most < 0 else "the numbers of lines are not those of line p"
        raise terms.error(f"{what}: {counts} due")
    return terms.program()


def write_qubo(model: Qubo) -> bytes:
    """A line ``p qubo 0 n nodes couplers``, then the terms, offset and labels as comments.

    Format: "qbsolv Input File Format" in its documentation. It counts the lines, so every
    variable has one.
    """
    form, labels = model.form, model.labels()
    return encoded(
        f"c offset {number(form.offset)}",
        *(f"c {i} {printable(' '.join(label.split()))}" for i, label in enumerate(labels)),
        f"p qubo 0 {len(labels)} {len(labels)} {form.n_couplings}",
        *(f"{i} {j} {number(value)}" for i, j, value in _triangle(form)),
    )


# --- mqlib -----------------------------------------------------------------------------


def read_mqlib(data: bytes) -> Program:
    """Read what is maximised, less ``# offset``, as we write it; so couplings count twice.

    The format is as ``write_mqlib`` has it. Variables are named by their numbers, 1 to n.

    Raises:
        InputError: naming the line that is none of this format, and for another number of lines
            than the first one says.
    """
    terms, n = _listed(data)
    terms.values = [v if i == j else 2 * v for (i, j), v in terms]
    terms.offset *= -1
    return replace(terms.program_of(n), maximize=True)


def _listed(data: bytes) -> tuple[_Terms, int]:
    """Lines ``i j coefficient`` below a line ``n m``, m of them over numbers 1 to n; and n."""
    terms, n, due = _Terms(), -1, 0
    for words in terms.lines(data, "#"):
        if n < 0:
            if len(words) != 2:
                raise terms.error(f"expected n m, got {' '.join(words)[:40]}")
            n, due = whole(words[0], terms.line, 1, 10**6), whole(words[1], terms.line, 0, 2**60)
            continue
        terms.add(words, 1, n)
        due -= 1
    if n < 0 or due:
        why = "expected n m" if n < 0 else f"{abs(due)} lines too {'few' if due > 0 else 'many'}"
        raise terms.error(why)
    return terms, n


def write_mqlib(model: Qubo) -> bytes:
    """MQLib (Dunning, Gupta, Silberholz 2018) maximises ``x' Q x``: ``n m``, then m terms of Q.

    Q is symmetric and one triangle of it is in the file, so that a coupling counts twice: the
    file has ``-linear`` on the diagonal and ``-coupling / 2`` beside it.
    """
    form = model.form
    lines = [
        f"{i + 1} {j + 1} {number(-value if i == j else -value / 2)}"
        for i, j, value in _triangle(form)
        if value
    ]
    return encoded(f"# offset {number(form.offset)}", f"{len(form.linear)} {len(lines)}", *lines)


# --- qs --------------------------------------------------------------------------------


def read_qs(data: bytes) -> Program:
    """Read what is minimised, ``x' Q x`` plus ``# ObjectiveOffset``: ``n m``, then m terms of Q.

    As ZIMPL writes it for QOBLIB: Q is symmetric and one triangle of it is in the file, so that a
    coupling counts twice; what the model maximises has its sign changed. Variables are named by
    their numbers, 1 to n.

    Raises:
        InputError: naming the line that is none of this format, and for another number of lines
            than the first one says.
    """
    terms, n = _listed(data)
    terms.values = [v if i == j else 2 * v for (i, j), v in terms]
    return terms.program_of(n)


# --- maxcut ----------------------------------------------------------------------------


def read_maxcut(data: bytes) -> Program:
    """Read a graph to cut: ``n m``, then m lines ``i j weight``; lines with # are comments.

    As rudy, Gset and MQLib write it. A bit a vertex says on which side it is, named by its number,
    1 to n; no rows. The objective, the weight of all edges between the sides, is maximised: the
    sum of all ``weight * (b_i + b_j - 2 b_i b_j)``. An edge from a vertex to itself adds nothing.

    Raises:
        InputError: naming the line that is none of this format, and for another number of lines
            than the first one says.
    """
    terms, n = _listed(data)
    edges = [(pair, weight) for pair, weight in terms if pair[0] != pair[1]]
    single = [((v, v), weight) for pair, weight in edges for v in pair]
    both = [(pair, -2 * weight) for pair, weight in edges]
    terms.pairs = [pair for pair, _ in single + both]
    terms.values = [value for _, value in single + both]
    return replace(terms.program_of(n), maximize=True)


# --- ising -----------------------------------------------------------------------------


def write_ising(model: Qubo) -> bytes:
    """Fields, couplings and offset over spins, as JSON that says what the signs mean.

    Exact: halves and quarters of the QUBO's coefficients are doubles, too.
    """
    form = model.form
    quarter = form.couplings / 4
    fields = form.linear / 2 + quarter.sum(axis=0) + quarter.sum(axis=1)
    content = {
        "format": "ising",
        "convention": _CONVENTION,
        "variables": model.labels(),
        "offset": float(form.offset + form.linear.sum() / 2 + quarter.sum()),
        "h": fields.tolist(),
        "J": [(i, j, value / 4) for i, j, value in couplings_of(form)],
    }
    return encoded(json.dumps(content))


def _triangle(form: Quadratic) -> Iterator[tuple[int, int, float]]:
    """All linear coefficients as (i, i, coefficient), those of 0 too, and all couplings."""
    yield from ((i, i, value) for i, value in enumerate(form.linear.tolist()))
    yield from couplings_of(form)


def couplings_of(form: Quadratic) -> list[tuple[int, int, float]]:
    """Every coupling (i, j, coefficient), i < j, in order, numbered from 0."""
    upper = form.couplings.sorted_indices().tocoo()
    return list(zip(*(each.tolist() for each in (upper.row, upper.col, upper.data)), strict=True))
