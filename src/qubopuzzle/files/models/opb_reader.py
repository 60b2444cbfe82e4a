"""Pseudo-Boolean problems in the OPB format of the PB competitions, linear ones.

Format: Roussel and Manquinho, "Input/Output Format and Solver Requirements for the Competitions
of Pseudo-Boolean Solvers". Rows are numbered from 1: they have no names.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from qubopuzzle.errors import InputError, at
from qubopuzzle.files.models.words import text_of
from qubopuzzle.programs.program import Program

_TOKEN = re.compile(r"[<>]?=|[+-]\s*\d+|\d+|[+-]|(?:~\s*)?[A-Za-z_][^\s<>=~]*|\S")
_EXACT = 2**53
"""Whole numbers up to this are exact as floats."""
_SENSES = (">=", "<=", "=")


@dataclass
class _Sums:
    """Sums of literals, one after the other, over variables in the order in which they come."""

    variables: dict[str, int] = field(default_factory=dict)
    sums: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def add(self, number: int, tokens: list[str]) -> int:
        """Add the sum of ``tokens``, as the one with this number; returns its constant."""
        constant, waiting = 0, ""
        named = True  # the last one was no product
        for token in tokens:
            if token[0] in "+-" or token.isdigit():
                if waiting.strip("+-"):
                    raise InputError(f"the number {waiting[:40]} has no variable behind it")
                waiting = token if not waiting else f"{waiting}{token}"
                named = True
                continue
            name = token.removeprefix("~").strip()
            if not (name[:1].isalpha() or name[:1] == "_"):
                raise InputError(f"{token[:20]} is neither a number nor a variable")
            if not named:
                raise InputError(f"a product with {name[:40]}; only linear terms are taken")
            value = _number(waiting) if waiting.strip("+-") else _sign(waiting)
            if token[0] == "~":
                constant, value = constant + value, -value
            self.sums.append(number)
            self.columns.append(self.variables.setdefault(name, len(self.variables)))
            self.values.append(value)
            waiting, named = "", False
        if waiting:
            raise InputError(f"the number {waiting[:40]} has no variable behind it")
        return constant

    def matrix(self, n_sums: int) -> csr_array:
        """Shape (sums, variables)."""
        shape = (n_sums, len(self.variables))
        return csr_array((np.array(self.values, float), (self.sums, self.columns)), shape=shape)


def read(data: bytes) -> Program:
    """Read ``min:`` or ``max:``, if there is one, and all rows.

    Raises:
        InputError: naming the line of what is no linear row, such as a product, a soft constraint
            or a coefficient beyond 2**53.
    """
    found, goal = _Sums(), _Sums()
    goal.variables = found.variables
    bounds: list[tuple[float, float]] = []
    offset, direction = 0, ""
    for line, statement in _statements(text_of(data)):
        with at(f"line {line}"):
            word = statement[:4].lower()
            if word in ("min:", "max:"):
                if direction:
                    raise InputError("a second objective")
                direction = word
                offset = goal.add(0, _TOKEN.findall(statement[4:]))
            else:
                bounds.append(_row(found, len(bounds), _TOKEN.findall(statement)))
    lower, upper = np.array(bounds, dtype=np.float64).reshape(-1, 2).T
    return Program.of(
        found.matrix(len(bounds)),
        lower,
        upper,
        cost=goal.matrix(1).toarray()[0],
        offset=offset,
        maximize=direction == "max:",
        variables=list(found.variables),
        rows=[f"row{i}" for i in range(1, len(bounds) + 1)],
    )


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """What stands before each semicolon, and the line on which it begins."""
    waiting, start = "", 1
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("*"):
            continue
        *ended, rest = line.split(";")
        for part in ended:
            statement = f"{waiting} {part}".strip() if waiting else part.strip()
            if statement:
                yield (start if waiting else number), statement
            waiting = ""
        if rest.strip():
            start = start if waiting else number
            waiting = f"{waiting} {rest}"
    if waiting:
        raise InputError(f"line {start}: it breaks off: {waiting.strip()[:40]} has no ; behind it")


def _row(found: _Sums, number: int, tokens: list[str]) -> tuple[float, float]:
    """Add the left side of a row; returns its bounds."""
    sense = tokens[-2] if len(tokens) > 2 else ""
    if sense not in _SENSES or not tokens[-1].lstrip("+- ").isdigit():
        words = " ".join(tokens)[:40]
        raise InputError(f"expected a sum, {', '.join(_SENSES)} and a whole number, got {words}")
    side = _number(tokens[-1]) - found.add(number, tokens[:-2])
    return (-np.inf if sense == "<=" else side), (np.inf if sense == ">=" else side)


def _sign(word: str) -> int:
    return -1 if word == "-" else 1


def _number(word: str) -> int:
    digits = "".join(word.split())
    if len(digits) > 20 or abs(int(digits)) > _EXACT:
        raise InputError(f"the number {digits[:40]} is beyond 2**53")
    return int(digits)
