"""Checks of what comes from outside; every error names the place, the bounds, the value."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from numbers import Real
from operator import index
from typing import Any

from qubopuzzle.errors import InputError, did_you_mean

NEARLY_WHOLE = 1e-5
"""How far from a whole number a value may lie, as solvers with real numbers leave it."""


def whole(
    name: str,
    value: Any,
    low: int | None = None,
    high: int | None = None,
    error: type[InputError] = InputError,
) -> int:
    """A whole number from ``low`` to ``high``, numpy's included; None is no bound.

    Args:
        name: what or where it is, for the message.
        error: what is raised.

    Raises:
        InputError: for anything else; a bool, a text and a float such as 2.0 are no whole numbers.

    >>> whole("reads", 3, 1)
    3
    >>> whole("reads", 0, 1)
    Traceback (most recent call last):
    qubopuzzle.errors.InputError: reads: expected a whole number of at least 1, got 0
    """
    try:
        is_bool = type(value).__name__ in ("bool", "bool_")  # numpy's, too
        integer = None if is_bool else index(value)
    except TypeError:
        integer = None
    if (
        integer is None
        or (low is not None and integer < low)
        or (high is not None and integer > high)
    ):
        kind = "a whole number" + bounds(low, high)
        raise error(f"{name}: expected {kind}, got {brief(value)}")
    return integer


def positive(name: str, value: Any, unit: str = "") -> float:
    """A finite number above 0.

    Args:
        unit: what it counts, for the message, such as ``seconds``.

    Raises:
        InputError: for anything else.
    """
    real = _real(value)
    if real is None or not 0 < real < inf:
        kind = "a positive number" + (f" of {unit}" if unit else "")
        raise InputError(f"{name}: expected {kind}, got {brief(value)}")
    return real


def number(name: str, value: Any) -> float:
    """A real number, which may be infinite.

    Raises:
        InputError: for anything else.
    """
    real = _real(value)
    if real is None:
        raise InputError(f"{name}: expected a number, got {brief(value)}")
    return real


def bounds(low: float | None, high: float | None) -> str:
    """The words for them, to be put behind what has them.

    >>> bounds(1, 10_000_000), bounds(0.1, None), bounds(None, None)
    (' from 1 to 10,000,000', ' of at least 0.1', '')
    """
    least, most = (None if end is None else _plain(end) for end in (low, high))
    if least is not None and most is not None:
        return f" from {least} to {most}"
    if least is not None:
        return f" of at least {least}"
    return "" if most is None else f" of at most {most}"


def brief(value: object) -> str:
    """A value for an error message, at most about 40 characters of it, on one line.

    >>> brief([1] * 1000)
    'list of 1000'
    """
    if isinstance(value, Sequence | Mapping) and not isinstance(value, str):
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, int) and abs(value) > 10**30:
        return "a number of over 30 digits"
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else text[:37] + "..."


def _real(value: Any) -> float | None:
    """A real number that a float can hold; None for anything else."""
    if not isinstance(value, Real) or isinstance(value, bool) or value != value:
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _plain(end: float) -> str:
    return f"{int(end):,}" if end == int(end) else f"{end:g}"


def check_names(given: Iterable[str], known: Iterable[str]) -> None:
    """Raise InputError for a setting that there is not.

    >>> check_names(["sise"], ["size", "seed"])
    Traceback (most recent call last):
    qubopuzzle.errors.InputError: unknown setting 'sise'; did you mean size?
    """
    for name in given:
        if name not in known:
            raise InputError(f"unknown setting {brief(name)}; {did_you_mean(name, known)}")


def check_values(given: Iterable[object], known: Sequence[str], kind: str) -> None:
    """Raise InputError unless there is a value for each name, and for no other.

    Args:
        kind: what is named, and of what, such as ``the program has no variable``.

    >>> check_values(["a", "c"], ["a", "b"], "the program has no variable")
    Traceback (most recent call last):
    qubopuzzle.errors.InputError: the program has no variable 'c'; there is no value for b
    """
    names, there = dict.fromkeys(known), dict.fromkeys(given)
    wrong = [f"{kind} {brief(name)}" for name in there if name not in names][:1]
    wrong += [f"there is no value for {name:.60}" for name in names if name not in there][:1]
    if wrong:
        raise InputError("; ".join(wrong))
