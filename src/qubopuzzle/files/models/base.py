"""What the formats share: the terms of a QUBO, and numbers as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from qubopuzzle.compile.quadratic import Quadratic


def couplings(form: Quadratic) -> list[tuple[int, int, Any]]:
    """Every coupling (i, j, coefficient), i < j, in order, numbered from 0."""
    upper = form.couplings.tocoo()
    order = np.lexsort((upper.col, upper.row))
    rows, columns, values = (each[order].tolist() for each in (upper.row, upper.col, upper.data))
    return list(zip(rows, columns, values, strict=True))


def triangle(form: Quadratic) -> Iterator[tuple[int, int, Any]]:
    """All linear coefficients as (i, i, coefficient), those of 0 too, and all couplings."""
    yield from ((i, i, value) for i, value in enumerate(form.linear.tolist()))
    yield from couplings(form)


def number(value: float) -> str:
    """The shortest decimal that reads back as the same number, without an exponent.

    >>> number(3.0), number(-0.1), number(1e-7)
    ('3', '-0.1', '0.0000001')
    """
    return str(value) if isinstance(value, int) else np.format_float_positional(value, trim="-")


def encoded(lines: list[str]) -> bytes:
    """Lines as the bytes of a file."""
    return "\n".join([*lines, ""]).encode()
