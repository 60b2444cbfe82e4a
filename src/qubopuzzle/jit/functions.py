"""Functions that numba compiles, and its cache of them.

numba recompiles a cached function when the function's own file changes, and looks at no
other file. A named tuple of arrays that a kernel reads, and every function that it calls,
must therefore be in the kernel's own file: with an old cache, a changed
layout elsewhere would be read by its old order. A kernel that needs another file has that file's
``version_of`` as the default of its last argument: defaults are part of what numba looks for.
This package is not looked at, either: who changes how it compiles or packs clears the cache.
"""

import gc
import hashlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from types import ModuleType
from typing import Any

Function = Callable[..., Any]

WITHIN: dict[Function, dict[str, Any]] = {}
"""What is compiled into kernels alone, and numba's options for it; to Python plain functions."""


class Kernel:
    """A function that is compiled, or loaded from numba's cache, when it is first called.

    Attributes:
        plain: the function itself, as Python runs it: it takes named tuples where the kernel takes
            what ``addresses`` packs of them, and rather ``as_lists``, which Python reads faster.
    """

    def __init__(self, function: Function) -> None:
        update_wrapper(self, function)
        self.plain = function

    def __call__(self, *arguments: Any) -> Any:
        """As ``compiled``."""
        return self.compiled(*arguments)

    @cached_property
    def compiled(self) -> Any:
        """What numba makes of it."""
        from qubopuzzle.jit.dispatchers import cached_if_possible

        return cached_if_possible(self.plain)

    @property
    def is_compiled(self) -> bool:
        """Whether it was called before."""
        return "compiled" in vars(self)

    @property
    def _numba_type_(self) -> Any:
        """How numba asks what it is, where another kernel calls it."""
        return self.compiled._numba_type_


def kernel(function: Function) -> Kernel:
    """Compile a function, without the GIL, when it is first called, and cache it if possible."""
    return Kernel(function)


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


@contextmanager
def compiling(what: str, seconds: float) -> Iterator[None]:
    """Say so if a block compiles kernels, by a ``CompilingWarning``, and collect no garbage in it.

    Args:
        what: what is compiled, for people.
        seconds: about what that takes.
    """
    from qubopuzzle.jit.dispatchers import compilation

    collecting = gc.isenabled()
    gc.disable()  # saves a twentieth of the time
    try:
        with compilation(what, seconds):
            yield
    finally:
        if collecting:
            gc.enable()


def version_of(module: ModuleType) -> int:
    """A number of 60 bits that changes with a module's source."""
    return int(hashlib.sha256(inspect.getsource(module).encode()).hexdigest()[:15], 16)
