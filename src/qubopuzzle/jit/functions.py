"""What kernels call and read: functions that are compiled into them, and tuples of arrays."""

import hashlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

Function = Callable[..., Any]

WITHIN: dict[Function, dict[str, Any]] = {}
"""What is compiled into kernels alone, and numba's options for it; to Python plain functions."""


def called(function: Function) -> Any:
    """Compile a function that kernels call, and nothing else: plain ``njit`` must not.

    No two call each other.
    """
    WITHIN[function] = {}
    return function


def inlined(function: Function) -> Any:
    """Compile a function into the kernels that call it: small ones, in inner loops."""
    WITHIN[function] = {"forceinline": True}
    return function


def pointers(_layout: type, packed: Any) -> Any:
    """In a kernel, the fields of the tuple that ``addresses`` packed, see ``packing``."""
    return packed


def as_lists(arrays: Any) -> Any:
    """A named tuple of arrays and numbers with lists in place of the arrays, for ``Kernel.plain``.

    >>> from typing import NamedTuple
    >>> import numpy as np
    >>> class Pair(NamedTuple):
    ...     n: int
    ...     x: np.ndarray
    >>> as_lists(Pair(2, np.array([5, 6])))
    Pair(n=2, x=[5, 6])
    """
    return type(arrays)(*(each if isinstance(each, int) else each.tolist() for each in arrays))


def version_of(module: ModuleType) -> int:
    """A number of 60 bits that changes with a module's source."""
    return int(hashlib.sha256(inspect.getsource(module).encode()).hexdigest()[:15], 16)
