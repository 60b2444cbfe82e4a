"""What can go wrong, as one small tree.

::

    QubopuzzleError          everything this package raises on purpose
    ├── InputError           a file, clue, option or name that cannot be used
    │   └── PuzzleError      a puzzle that breaks its own form (clues that do not fit)
    ├── ModelError           a constraint model built wrongly
    ├── TooLarge             refused before it fills memory; names the limit and a remedy
    │   └── PlanExceeded     a model with more variables than the plan of a service holds
    ├── Unsatisfiable        asked for a model of something proved to have no solution
    ├── ExecutorFailed       an executor that takes no more calls
    ├── SolverUnavailable    a solver whose package is not installed or cannot run here
    │   └── AuthenticationError   no token, or one that the service refuses
    └── SolverFailed         a backend that broke off with an error of its own
        ├── QuotaError            too many requests, or a plan that is used up
        ├── ServiceUnavailable    a service that cannot be reached, or fails
        ├── ProtocolError         a request or an answer that the other side cannot read
        └── DeadlineExceeded      no answer in time

Every message is one line that says what, where and what to do about it.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


def did_you_mean(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """How a message on an unknown name ends: with the nearest known one, or with all of them.

    >>> did_you_mean("anealer", ["annealer", "neal", "sat"])
    'did you mean annealer?'
    >>> did_you_mean("x", ["annealer", "neal", "sat"])
    'choose from annealer, neal, sat'

    Args:
        name: what was asked for.
        known: the names that there are.
        otherwise: what to say in place of all names where none is near.
    """
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(str(name)[:60].lower(), names, n=1, cutoff=0.7)
    return f"did you mean {near[0]}?" if near else otherwise or f"choose from {', '.join(names)}"


class QubopuzzleError(Exception):
    """Base of all errors raised on purpose by this package."""


class OutOfTime(Exception):
    """The time limit, or what else it may use, ended a search; none of this tree: it is caught."""


class InputError(QubopuzzleError, ValueError):
    """A file, name or option that cannot be used; the message names the place."""


class PuzzleError(InputError):
    """A puzzle that breaks its own form, such as clues that do not fit the grid."""


class ModelError(QubopuzzleError, ValueError):
    """A constraint model that is put together wrongly (a bug in a formulation)."""


class TooLarge(QubopuzzleError, ValueError):
    """Refused because it would not fit in memory; the message names limit and remedy."""


class Unsatisfiable(QubopuzzleError, ValueError):
    """Asked for a model of something that is proved to have no solution."""


class ExecutorFailed(QubopuzzleError, RuntimeError):
    """An executor that takes no more calls: its processes or its scheduler are gone."""


class SolverUnavailable(QubopuzzleError, RuntimeError):
    """A solver that is known but cannot run here; the message says how to get it."""


class SolverFailed(QubopuzzleError, RuntimeError):
    """A backend that broke off with an error of its own; the message quotes its first line."""


class PlanExceeded(TooLarge):
    """A model with more variables than the plan of a service holds: ``limit`` of them."""

    def __init__(self, message: str, limit: int = 0) -> None:
        super().__init__(message)
        self.limit = limit


class AuthenticationError(SolverUnavailable):
    """No token, or one that the service refuses; the message says how to give one."""


class QuotaError(SolverFailed):
    """A service that takes no more for now: too many requests, or a plan that is used up."""


class ServiceUnavailable(SolverFailed):
    """A service that cannot be reached, is not where the url says, or fails by itself."""


class ProtocolError(SolverFailed):
    """An answer that is not what the service sends, or a request that it does not read."""


class DeadlineExceeded(SolverFailed):
    """A service that did not answer in time."""


class TimeLimitWarning(UserWarning):
    """Said before a search that may overrun its time limit by more than a second."""


class CompilingWarning(UserWarning):
    """Said when kernels are compiled, which takes seconds, usually once on a machine."""


def first_line(error: BaseException) -> str:
    """An error's type and the first line of its message, for a message of ours."""
    line = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {line[:200]}".removesuffix(": ")


def printable(text: str) -> str:
    r"""One line of it that steers no terminal: control characters become question marks.

    >>> printable("a\tb\x1b[31m")
    'a b?[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)


@contextmanager
def at(place: str) -> Iterator[None]:
    """Put a place before the message of an InputError.

    >>> with at("line 3"):
    ...     raise InputError("3b is no clue")
    Traceback (most recent call last):
    qubopuzzle.errors.InputError: line 3: 3b is no clue
    """
    try:
        yield
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
