"""Rows over 0/1 variables as text: CPLEX LP and free MPS, as HiGHS and CBC read them.

Formats: the LP chapter of the CPLEX file format reference, as far as HiGHS and CBC share
it; MPS as in Murtagh, "Advanced Linear Programming" (1981), in its free form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from scipy.sparse import csc_array

from qubopuzzle.model import UNBOUNDED

if TYPE_CHECKING:
    from qubopuzzle.compile.mip import Mip

_SIGNS = (("<=", "_le_"), (">=", "_ge_"), ("=", "_is_"), ("<", "_lt_"), (">", "_gt_"), ("-", "_m"))
_LONGEST = 60
"""Readers of LP files take names of at least so many characters."""
_TERMS = 8
"""Terms on a line of an LP file: HiGHS reads lines of at most 560 characters."""
_UNUSED = "unused"
"""The variable of a program that has none, which the formats do not allow."""


def safe_names(prefix: str, labels: Iterable[str]) -> list[str]:
    """Different names of letters, digits and underscores, close to the labels.

    The prefix keeps them from being words of the formats, or numbers such as ``e5``.

    >>> safe_names("x_", ["row[3].start[1]>=4", "a b", "a,b"])
    ['x_row_3_start_1_ge_4', 'x_a_b', 'x_a_b_2']
    """
    names: list[str] = []
    last: dict[str, int] = {}
    taken: set[str] = set()
    for label in labels:
        for sign, word in _SIGNS:
            label = label.replace(sign, word)
        plain = prefix + re.sub("[^0-9A-Za-z]+", "_", label).strip("_")[:_LONGEST]
        name = plain
        while name in taken:
            last[plain] = last.get(plain, 1) + 1
            name = f"{plain}_{last[plain]}"
        taken.add(name)
        names.append(name)
    return names


def lp_text(program: Mip, columns: Sequence[str], rows: Sequence[str]) -> str:
    """A program in LP format; a row with two bounds is written as two.

    Args:
        columns, rows: names of the variables and the rows.
    """
    matrix, lower, upper = program.matrix, program.lower, program.upper
    own = list(columns) or [_UNUSED]
    lines = ["Minimize", f" obj: 0 {own[0]}", "Subject To"]
    start, numbers = matrix.indptr.tolist(), matrix.indices.tolist()
    values = matrix.data.tolist()
    for row, (name, low, high) in enumerate(zip(rows, lower.tolist(), upper.tolist(), strict=True)):
        first, stop = start[row], start[row + 1]
        pairs = zip(numbers[first:stop], values[first:stop], strict=True)
        terms = [f"{value:+d} {own[number]}" for number, value in pairs] or [f"+0 {own[0]}"]
        parts = [" ".join(terms[i : i + _TERMS]) for i in range(0, len(terms), _TERMS)]
        text = "\n  ".join(parts)
        lines += [f" {name}{end}: {text} {sign} {bound}" for end, sign, bound in _bounds(low, high)]
    tops = dict(zip(columns, program.tops.tolist(), strict=True))
    large = [name for name in columns if tops[name] != 1]
    if large:
        lines += ["Bounds", *(f" 0 <= {name} <= {tops[name]}" for name in large)]
        lines += ["Generals", *(f" {name}" for name in large)]
    small = [name for name in own if tops.get(name, 1) == 1]
    return "\n".join([*lines, "Binaries", *(f" {name}" for name in small), "End", ""])


def _bounds(low: int, high: int) -> Iterator[tuple[str, str, int]]:
    """Ends of the row's name, signs and numbers; safe names have no double underscore."""
    both = low > -UNBOUNDED and high < UNBOUNDED
    if low == high:
        yield "", "=", low
        return
    if low > -UNBOUNDED:
        yield "__low" if both else "", ">=", low
    if high < UNBOUNDED:
        yield "__high" if both else "", "<=", high


def mps_text(program: Mip, columns: Sequence[str], rows: Sequence[str]) -> str:
    """The same in free MPS format; a row with two bounds has a range."""
    matrix, lower, upper = program.matrix, program.lower, program.upper
    own = list(columns) or [_UNUSED]
    kinds, right, ranges = [], [], []
    for name, low, high in zip(rows, lower.tolist(), upper.tolist(), strict=True):
        kind = "E" if low == high else "G" if high >= UNBOUNDED else "L"
        kinds.append(f" {kind} {name}")
        right.append(f" RHS {name} {low if kind == 'G' else high}")
        if kind == "L" and low > -UNBOUNDED:
            ranges.append(f" RNG {name} {high - low}")
    lines = ["NAME qubopuzzle FREE", "ROWS", " N obj", *kinds, "COLUMNS"]
    lines.append(" MARKER 'MARKER' 'INTORG'")
    by_column = csc_array(matrix)
    start, numbers = by_column.indptr.tolist(), by_column.indices.tolist()
    values = by_column.data.tolist()
    for column, name in enumerate(own):
        lines.append(f" {name} obj 0")
        if columns:
            entries = slice(start[column], start[column + 1])
            pairs = zip(numbers[entries], values[entries], strict=True)
            lines += [f" {name} {rows[row]} {value}" for row, value in pairs]
    lines += [" MARKER 'MARKER' 'INTEND'", "RHS", *right]
    lines += ["RANGES", *ranges] if ranges else []
    tops = program.tops.tolist() or [1]
    bounds = (
        f" BV BND {name}" if top == 1 else f" UP BND {name} {top}"
        for name, top in zip(own, tops, strict=True)
    )
    return "\n".join([*lines, "BOUNDS", *bounds, "ENDATA", ""])
