"""Kernels: functions that numba compiles when they are first called, and its cache of them.

numba recompiles a cached function when the function's own file changes, and looks at no
other file. A named tuple of arrays that a kernel reads, and every function that it calls,
must therefore be in the kernel's own file: with an old cache, a changed
layout elsewhere would be read by its old order. A kernel that needs another file has that file's
``version_of`` as the default of its last argument: defaults are part of what numba looks for.
This package is not looked at, either: who changes how it compiles or packs clears the cache.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from typing import Any

from qubopuzzle.jit.functions import Function


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
