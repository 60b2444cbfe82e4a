"""Rows over bounded whole numbers, and an objective, as LP and MPS text.

As HiGHS and CBC read them: the LP chapter of the CPLEX file format reference, as far as both
share it, and MPS as in Murtagh, "Advanced Linear Programming" (1981), in its free form, with
CPLEX's sections OBJSENSE and QUADOBJ where the objective asks for them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.compile.encoding import distinct
from qubopuzzle.compile.rows import Rows

_SIGNS = (("<=", "_le_"), (">=", "_ge_"), ("=", "_is_"), ("<", "_lt_"), (">", "_gt_"), ("-", "_m"))
_LONGEST = 60
"""Readers of LP files take names of at least so many characters."""
_TERMS = 8
"""Terms on a line of an LP file: HiGHS reads lines of at most 560 characters."""
_UNUSED = "unused"
"""The variable of a program that has none, which the formats do not allow."""
_SAFE = re.compile(r"(?!e[0-9e.]*$|e[0-9.]+[a-z_])[a-z_][a-z0-9_.]*$", re.I)
_WORDS = re.compile(
    r"min(imi[sz]e|imum)?|max(imi[sz]e|imum)?|subject|such|that|st|s\.t\.|bounds?|free|(inf|nan).*"
    r"|gen(erals?)?|int(egers?)?|bin(ary|aries)?|semis?|sos[12]?|end|obj|rhs|rng|bnd",
    re.I,
)
"""Names that mean something in one of the formats."""


def number(value: float) -> str:
    """The shortest decimal that reads back as the same number, without an exponent.

    >>> number(3.0), number(-0.1), number(1e-7)
    ('3', '-0.1', '0.0000001')
    """
    return str(value) if isinstance(value, int) else np.format_float_positional(value, trim="-")


def texts(values: NDArray[Any]) -> list[str]:
    """``number`` of each value, shape (n,); mostly there are few different ones."""
    known = {value: number(value) for value in np.unique(values).tolist()}
    return [known[value] for value in values.tolist()]


def signed(text: str) -> str:
    """A number with its sign."""
    return text if text.startswith("-") else f"+{text}"


def lp_text(program: Rows) -> str:
    """Rows in CPLEX LP format, whose names it allows; a row of two bounds becomes two rows."""
    program = _usable(program)
    names = program.variables
    start, columns = program.matrix.indptr.tolist(), program.matrix.indices.tolist()
    values = texts(program.matrix.data)
    lines = ["Maximize" if program.maximize else "Minimize", _lp_objective(program), "Subject To"]
    rows = zip(program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
    parts: list[tuple[str, str]] = []
    for row, (low, high) in enumerate(rows):
        entries = range(start[row], start[row + 1])
        terms = [f"{signed(values[e])} {names[columns[e]]}" for e in entries]
        text = _in_lines(terms or [f"+0 {names[0]}"])
        bounds = [("__low", ">=", low), ("__high", "<=", high)]
        bounds = [bound for bound in bounds if np.isfinite(bound[2])]
        for end, sign, bound in [("", "=", low)] if low == high else bounds:
            name = program.rows[row] + (end if len(bounds) > 1 else "")
            parts.append((name, f"{text} {sign} {number(bound)}"))
    unique = distinct((name for name, _ in parts), "_")
    lines += [f" {name}: {text}" for name, (_, text) in zip(unique, parts, strict=True)]
    tops = list(zip(names, program.lower.tolist(), program.upper.tolist(), strict=True))
    large = [(name, low, high) for name, low, high in tops if (low, high) != (0, 1)]
    if large:
        lines += ["Bounds", *(f" {low} <= {name} <= {high}" for name, low, high in large)]
        lines += ["Generals", *(f" {name}" for name, _, _ in large)]
    small = (f" {name}" for name, low, high in tops if (low, high) == (0, 1))
    return "\n".join([*lines, "Binaries", *small, "End", ""])


def _usable(program: Rows) -> Rows:
    """With a variable at least, and without rows that have no bound."""
    if not program.variables:
        nothing, one = np.zeros(1), np.ones(1, dtype=np.int64)
        program = replace(
            program,
            variables=[_UNUSED],
            lower=0 * one,
            upper=one,
            matrix=scipy.sparse.csr_array((len(program.rows), 1)),
            cost=nothing,
            quadratic=scipy.sparse.csr_array((1, 1)),
        )
    (kept,) = np.nonzero(np.isfinite(program.row_lower) | np.isfinite(program.row_upper))
    return replace(
        program,
        rows=[program.rows[row] for row in kept.tolist()],
        matrix=program.matrix[kept],
        row_lower=program.row_lower[kept],
        row_upper=program.row_upper[kept],
    )


def _products(program: Rows, square: float, product: float) -> Iterator[tuple[str, str, str]]:
    """Both names and the coefficient of each quadratic term, times ``square`` or ``product``."""
    pairs = program.quadratic.tocoo()
    value = np.where(pairs.row == pairs.col, square, product) * pairs.data
    entries = zip(pairs.row.tolist(), pairs.col.tolist(), texts(value), strict=True)
    yield from ((program.variables[i], program.variables[j], text) for i, j, text in entries)


def _lp_objective(program: Rows) -> str:
    cost = program.cost
    (at,) = np.nonzero(cost)
    pairs = zip(at.tolist(), texts(cost[at]), strict=True)
    terms = [f"{signed(text)} {program.variables[i]}" for i, text in pairs]
    terms = terms or [f"0 {program.variables[0]}"]
    if program.offset:
        terms.append(signed(number(program.offset)))
    products = [  # half of the square bracket counts
        f"{signed(text)} {one} ^2" if one == other else f"{signed(text)} {one} * {other}"
        for one, other, text in _products(program, 2, 2)
    ]
    more = f" + [ {_in_lines(products)} ] / 2" if products else ""
    return f" obj: {_in_lines(terms)}{more}"


def _in_lines(terms: Sequence[str]) -> str:
    return "\n  ".join(" ".join(terms[i : i + _TERMS]) for i in range(0, len(terms), _TERMS))


def mps_text(program: Rows) -> str:
    """Rows in free MPS format, whose names it allows; a row of two bounds has a range."""
    program = _usable(program)
    rows, kinds, right, ranges = program.rows, [], [], []
    bounds = zip(rows, program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
    for name, low, high in bounds:
        kind = "E" if low == high else "G" if high == np.inf else "L"
        kinds.append(f" {kind} {name}")
        right.append(f" RHS {name} {number(low if kind == 'G' else high)}")
        if kind == "L" and low > -np.inf:
            ranges.append(f" RNG {name} {number(high - low)}")
    if program.offset:  # the right side of the objective is subtracted
        right.append(f" RHS obj {number(-program.offset)}")
    lines = ["NAME qubopuzzle FREE", *(["OBJSENSE", " MAX"] if program.maximize else [])]
    lines += ["ROWS", " N obj", *kinds, "COLUMNS", " MARKER 'MARKER' 'INTORG'"]
    by_column = scipy.sparse.csc_array(program.matrix)
    start, numbers = by_column.indptr.tolist(), by_column.indices.tolist()
    values, costs = texts(by_column.data), texts(program.cost)
    for column, name in enumerate(program.variables):
        lines.append(f" {name} obj {costs[column]}")
        entries = range(start[column], start[column + 1])
        lines += [f" {name} {rows[numbers[e]]} {values[e]}" for e in entries]
    lines += [" MARKER 'MARKER' 'INTEND'", "RHS", *right]
    lines += ["RANGES", *ranges] if ranges else []
    lines += ["BOUNDS", *_mps_bounds(program)]
    # The objective is cost + v' Q v / 2, Q symmetric, of which one triangle is in the file.
    pairs = [f" {one} {other} {text}" for one, other, text in _products(program, 2, 1)]
    return "\n".join([*lines, *(["QUADOBJ", *pairs] if pairs else []), "ENDATA", ""])


def _mps_bounds(program: Rows) -> Iterator[str]:
    for name, low, high in zip(
        program.variables, program.lower.tolist(), program.upper.tolist(), strict=True
    ):
        if (low, high) == (0, 1):
            yield f" BV BND {name}"
            continue
        if low:
            yield f" LO BND {name} {low}"
        yield f" UP BND {name} {high}"


def safe_names(prefix: str, labels: Iterable[str]) -> list[str]:
    """Different names of letters, digits and underscores, close to the labels.

    The prefix keeps them from being words of the formats, or numbers such as ``e5``.

    >>> safe_names("x_", ["row[3].start[1]>=4", "a b", "a,b"])
    ['x_row_3_start_1_ge_4', 'x_a_b', 'x_a_b_2']
    """
    return distinct((_safe(prefix, label) for label in labels), "_")


def kept_names(prefix: str, labels: Sequence[str]) -> list[str]:
    """The same, but labels that both formats allow stay as they are.

    >>> kept_names("x_", ["flow.2", "a b", "e5", "free"])
    ['flow.2', 'x_a_b', 'x_e5', 'x_free']
    """
    return distinct(
        (
            label
            if len(label) <= _LONGEST and _SAFE.match(label) and not _WORDS.fullmatch(label)
            else _safe(prefix, label)
            for label in labels
        ),
        "_",
    )


def _safe(prefix: str, label: str) -> str:
    for sign, word in _SIGNS:
        label = label.replace(sign, word)
    return prefix + re.sub("[^0-9A-Za-z]+", "_", label).strip("_")[:_LONGEST]
