"""How a check says what does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from qubopuzzle.errors import InputError, QubopuzzleError

LONGEST = 200
"""Characters of a message about what somebody gave, at most."""


def demand(holds: object, reason: str) -> None:
    """Raise AssertionError with the reason where something does not hold."""
    if not holds:
        raise AssertionError(reason)


@contextmanager
def named(*names: str) -> Iterator[None]:
    """Name what is checked, and which check it is, in the reason of a failed one."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(": ".join([*names, *str(error).splitlines()[:1]])) from error


def refusal(
    what: str,
    call: Callable[..., Any],
    *given: Any,
    expected: type[QubopuzzleError] = InputError,
) -> str | None:
    """The one line of the error that a call raises, if it raises one.

    Raises:
        AssertionError: for any other error, and for a message that is no line or a very long one.
    """
    try:
        call(*given)
    except expected as error:
        message = str(error)
        demand(message.isprintable(), f"{what}: the message is no line of text: {message!r}")
        short = expected is not InputError or len(message) < LONGEST
        demand(short, f"{what}: the message has {len(message)} characters")
        return message
    except Exception as error:
        kind = type(error).__name__
        no = f"{kind}, and no {expected.__name__}"
        raise AssertionError(f"{what}: {no}: {error!s:.80}") from error
    return None


def demand_refusal(what: str, words: Sequence[str], call: Callable[..., Any], *given: Any) -> None:
    """Demand that a call raises an InputError in one line that has these words."""
    message = refusal(what, call, *given)
    demand(message is not None, f"{what}: taken without a word")
    for word in words:
        demand(word in str(message), f"{what}: {word!r} is not in {message!r}")
