"""Bytes of requests, and the functions that they ask for, which only the processes import."""

from collections.abc import Callable
from inspect import signature
from typing import Any

from qubopuzzle.base.checks import positive
from qubopuzzle.errors import InputError, QubopuzzleError
from qubopuzzle.web.messages import packed, unpacked

CALLS = (
    "about",
    "read",
    "new",
    "check",
    "next_hint",
    "families",
    "model",
    "coefficient",
    "written",
    "sheet",
    "qr_code",
)
"""Functions of ``work`` that a page may ask for."""


def warm() -> None:
    """Import what calls need, and load compiled code."""
    from qubopuzzle.web import work

    work.warm()


def answer(name: str, data: bytes) -> bytes:
    """The answer of one of ``CALLS`` to a request's body, both JSON."""
    from qubopuzzle.web import work

    return packed(_called(getattr(work, name), unpacked(data)))


def run(data: bytes, limit: float) -> None:
    """A run that a request's body asks for, for so many seconds at most; events go to ``say``."""
    from qubopuzzle.web import work

    given = unpacked(data)
    if "time_limit" in given:
        limit = min(limit, positive("time_limit", given.pop("time_limit"), "seconds"))
    _called(work.tell_run, given, limit=limit)


def replay(data: bytes) -> bytes:
    """A recorded run as one HTML file."""
    from qubopuzzle.web.replay import replay_page

    return replay_page(data)


def _called(function: Callable[..., Any], given: dict[str, Any], **ours: Any) -> Any:
    """The answer of a function by keywords; wrong ones are the request's fault."""
    known = [name for name in signature(function).parameters if name not in ours]
    for name in given:
        if name not in known:
            raise InputError(f"{name[:40]}: not known here; {', '.join(known) or 'nothing'} is")
    try:
        return function(**given, **ours)
    except QubopuzzleError:
        raise
    except MemoryError:
        raise InputError("too large for here; the command line has more room") from None
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
        raise InputError(f"the request cannot be used: {error}"[:300]) from None
    except RecursionError:
        raise InputError("the request cannot be used: too deeply nested") from None
