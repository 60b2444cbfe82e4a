"""Pseudo-Boolean problems in the OPB format of the PB competitions, with products.

Format: Roussel and Manquinho, "Input/Output Format and Solver Requirements for the Competitions
of Pseudo-Boolean Solvers" (2012). Rows are numbered from 1: they have no names.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from qubopuzzle.compile.lp_mps import number
from qubopuzzle.compile.rows import Rows, whole_factor, whole_rows
from qubopuzzle.errors import InputError, at, printable
from qubopuzzle.files.models.words import encoded, text_of
from qubopuzzle.model import UNBOUNDED
from qubopuzzle.programs.program import Program

_TOKEN = re.compile(r"[<>]?=|[+-]\s*\d+|\d+|[+-]|(?:~\s*)?[A-Za-z_][^\s<>=~]*|\S")
_EXACT = 2**53
"""Whole numbers up to this are exact as floats."""
_SENSES = (">=", "<=", "=")


@dataclass
class _Sums:
    """Sums of literals, one after the other, over variables in the order in which they come.

    A product is a variable of its own, which has its literals as name; but where ``pairs`` is
    given, products of two are put there: numbers of variables and coefficient.
    """

    variables: dict[str, int] = field(default_factory=dict)
    products: dict[str, list[str]] = field(default_factory=dict)
    pairs: list[tuple[int, int, int]] | None = None
    sums: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def add(self, number: int, tokens: list[str]) -> int:
        """Add the sum of ``tokens``, as the one with this number; returns its constant."""
        constant = 0
        for value, literals in _terms(tokens):
            plain = {literal.removeprefix("~") for literal in literals}
            for name in sorted(plain):
                self._column(name)
            if len(plain) < len(literals):  # x1 ~x1
                continue
            if len(literals) == 1 or (self.pairs is not None and len(literals) == 2):
                constant += self.add_literals(number, value, literals)
            else:
                name = f"({' '.join(literals)})"
                self.products[name] = literals
                self._add_term(number, value, self._column(name))
        return constant

    def _column(self, name: str) -> int:
        return self.variables.setdefault(name, len(self.variables))

    def _add_term(self, number: int, value: int, column: int) -> None:
        self.sums.append(number)
        self.columns.append(column)
        self.values.append(value)

    def add_literals(self, number: int, value: int, literals: list[str]) -> int:
        """Add one literal or the product of two, in which ~x is 1 - x; returns the constant."""
        parts = [(value, list[int]())]
        for literal in literals:
            column, negated = self._column(literal.removeprefix("~")), literal[0] == "~"
            with_it = [(-v if negated else v, [*columns, column]) for v, columns in parts]
            parts = with_it + (parts if negated else [])
        for v, columns in parts:
            if len(columns) == 1:
                self._add_term(number, v, columns[0])
            elif columns and self.pairs is not None:
                self.pairs.append((columns[0], columns[1], v))
        return sum(v for v, columns in parts if not columns)

    def matrix(self, n_sums: int) -> csr_array:
        """Shape (sums, variables)."""
        shape = (n_sums, len(self.variables))
        return csr_array((np.array(self.values, float), (self.sums, self.columns)), shape=shape)


def _terms(tokens: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Coefficients, and the literals whose product each is of, sorted, each once."""
    waiting, literals = "", set[str]()
    for token in [*tokens, "+"]:
        if token[0] in "+-" or token.isdigit():
            if waiting.strip("+-") and not literals:
                raise InputError(f"the number {waiting[:40]} has no variable behind it")
            if literals:
                value = _number(waiting) if waiting.strip("+-") else _sign(waiting)
                yield value, sorted(literals)
                waiting, literals = "", set[str]()
            waiting += token
            continue
        literal = "".join(token.split())
        name = literal.removeprefix("~")
        if not (name[:1].isalpha() or name[:1] == "_"):
            raise InputError(f"{token[:20]} is neither a number nor a variable")
        literals.add(literal)
    if waiting != "+":
        raise InputError(f"the number {waiting[:40]} has no variable behind it")


def read_opb(data: bytes) -> Program:
    """Read ``min:`` or ``max:``, if there is one, and all rows.

    A product in a row, or of more than two literals, becomes a bit of the name ``(x1 x2)``, which
    rows ``product1.0`` onwards define: it is 1 if all its literals are, and at most each of them.

    Raises:
        InputError: naming the line of what is no row, such as a soft constraint or a coefficient
            beyond 2**53.
    """
    rows = _Sums()
    goal = _Sums(rows.variables, rows.products, [])
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
                bounds.append(_row(rows, len(bounds), _TOKEN.findall(statement)))
    names = [f"row{i}" for i in range(1, len(bounds) + 1)]
    for n, (name, literals) in enumerate(rows.products.items(), start=1):
        clauses = [[name, *map(_negated, literals)], *([f"~{name}", one] for one in literals)]
        for i, clause in enumerate(clauses):
            bounds.append((1 - sum(rows.add_literals(len(bounds), 1, [a]) for a in clause), np.inf))
            names.append(f"product{n}.{i}")
    lower, upper = np.array(bounds, dtype=np.float64).reshape(-1, 2).T
    n = len(rows.variables)
    one, two, factor = np.array(goal.pairs, dtype=np.int64).reshape(-1, 3).T
    return Program.of(
        rows.matrix(len(bounds)),
        lower,
        upper,
        cost=goal.matrix(1).toarray()[0],
        quadratic=csr_array((factor.astype(np.float64), (one, two)), shape=(n, n)),
        offset=offset,
        maximize=direction == "max:",
        variables=list(rows.variables),
        rows=names,
    )


def _negated(literal: str) -> str:
    return literal[1:] if literal[0] == "~" else f"~{literal}"


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """What stands before each semicolon, and the line on which it begins."""
    waiting, start = "", 1
    for place, line in enumerate(text.split("\n"), start=1):
        if line.startswith("*"):
            continue
        *ended, rest = line.split(";")
        for part in ended:
            statement = f"{waiting} {part}".strip() if waiting else part.strip()
            if statement:
                yield (start if waiting else place), statement
            waiting = ""
        if rest.strip():
            start = start if waiting else place
            waiting = f"{waiting} {rest}"
    if waiting:
        raise InputError(f"line {start}: it breaks off: {waiting.strip()[:40]} has no ; behind it")


def _row(rows: _Sums, number: int, tokens: list[str]) -> tuple[float, float]:
    """Add the left side of a row; returns its bounds."""
    sense = tokens[-2] if len(tokens) > 2 else ""
    if sense not in _SENSES or not tokens[-1].lstrip("+- ").isdigit():
        words = " ".join(tokens)[:40]
        raise InputError(f"expected a sum, {', '.join(_SENSES)} and a whole number, got {words}")
    side = _number(tokens[-1]) - rows.add(number, tokens[:-2])
    return (-np.inf if sense == "<=" else side), (np.inf if sense == ">=" else side)


def _sign(word: str) -> int:
    return -1 if word == "-" else 1


def _number(word: str) -> int:
    digits = "".join(word.split())
    if not digits.lstrip("+-").isdigit() or len(digits) - len(digits.lstrip("+-")) > 1:
        raise InputError(f"expected a whole number, got {digits[:40]}")
    if len(digits) > 20 or abs(int(digits)) > _EXACT:
        raise InputError(f"the number {digits[:40]} is beyond 2**53")
    return int(digits)


# --- writing ---------------------------------------------------------------------------


def names_opb(program: Rows) -> list[str]:
    """The names of variables in an OPB file, which has no others."""
    return [f"x{i}" for i in range(1, len(program.variables) + 1)]


def write_opb(program: Rows) -> bytes:
    """Pseudo-Boolean constraints in whole numbers; a row of two bounds becomes two of them.

    What OPB has no place for is in comments: the names of variables and rows, and how the
    objective was made whole.

    Raises:
        InputError: for variables beyond 0 and 1, and numbers that no small factor makes whole.
    """
    for v in np.flatnonzero((program.lower < 0) | (program.upper > 1)).tolist():
        bounds = f"{program.lower[v]} to {program.upper[v]}"
        raise InputError(
            f"variable {program.variables[v]}: {bounds}: OPB has 0-1 variables only; "
            "formulation bits makes one of each value"
        )
    constraints = [*_opb_rows(program)]
    names = [_one_line(name) for name in program.variables]
    comments = [f"* x{i} {name}" for i, name in enumerate(names, start=1)]
    comments += [f"* row {i} {name}" for i, (name, _) in enumerate(constraints, start=1)]
    objective = _opb_objective(program)
    products = program.quadratic.nnz - np.count_nonzero(program.quadratic.diagonal())
    head = f"* #variable= {max(len(names), 1)} #constraint= {len(constraints)}"
    head += f" #product= {products} sizeproduct= {2 * products}" if products else ""
    return encoded(head, *comments, *objective, *(text for _, text in constraints))


def _opb_rows(program: Rows) -> Iterator[tuple[str, str]]:
    """Name and text of each constraint; fixed variables have one each."""
    for v in np.flatnonzero(program.lower == program.upper).tolist():
        yield _one_line(program.variables[v]), f"+1 x{v + 1} = {program.lower[v]} ;"
    rows = whole_rows(program)
    start, columns = rows.matrix.indptr.tolist(), rows.matrix.indices.tolist()
    values = rows.matrix.data.tolist()
    bounds = zip(rows.number.tolist(), rows.lower.tolist(), rows.upper.tolist(), strict=True)
    for row, (which, low, high) in enumerate(bounds):
        name = _one_line(program.rows[which])
        entries = [(values[e], columns[e] + 1) for e in range(start[row], start[row + 1])]
        entries = entries or [(0, 1)]  # there is no row without terms
        above = " ".join(f"{value:+d} x{v}" for value, v in entries)
        if low == high:
            yield name, f"{above} = {low} ;"
            continue
        if low > -UNBOUNDED:
            yield name, f"{above} >= {low} ;"
        if high < UNBOUNDED:
            below = " ".join(f"{-value:+d} x{v}" for value, v in entries)
            yield name, f"{below} >= {-high} ;"


def _opb_objective(program: Rows) -> list[str]:
    """Nothing, or a comment and the line ``min: ... ;``, whole and minimised."""
    if not program.has_objective:
        return []
    pairs = program.quadratic.tocoo()
    (at,) = np.nonzero(program.cost)
    values = np.concatenate([program.cost[at], pairs.data])
    factor = whole_factor("the objective", values) * (-1 if program.maximize else 1)
    names = [f"x{v + 1}" for v in at.tolist()]
    names += [
        f"x{i + 1}" if i == j else f"x{i + 1} x{j + 1}"  # the square of a bit is the bit
        for i, j in zip(pairs.row.tolist(), pairs.col.tolist(), strict=True)
    ]
    pairs_of = zip(values.tolist(), names, strict=True)
    terms = " ".join(f"{round(value * factor):+d} {name}" for value, name in pairs_of)
    about = f"* objective: the least of {number(factor)} times it"
    return [f"{about}, less {number(program.offset)} before", f"min: {terms} ;"]


def _one_line(name: str) -> str:
    return printable(" ".join(name.split()))
