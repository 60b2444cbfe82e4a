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
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from numba import njit, version_info
from numba.core import event

from qubopuzzle.errors import CompilingWarning

KNOWN = (0, 62), (0, 68)
"""The first and the last version of numba whose compiler jit/compiler.py extends."""


def _pipeline() -> dict[str, Any]:
    """The option for our compiler. None for a numba that it does not know.

    numba's own compiler takes twice the time for code that does the same.
    """
    if not KNOWN[0] <= version_info.short <= KNOWN[1]:
        return {}
    from qubopuzzle.jit.compiler import KernelCompiler

    return {"pipeline_class": KernelCompiler}


_OPTIONS: dict[str, Any] = {"no_cfunc_wrapper": True, **_pipeline()}
_WITHIN: dict[str, Any] = {"no_cpython_wrapper": True, **_OPTIONS}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function, without the GIL, and cache it if there is a folder to do so.

    numba caches in ``__pycache__`` or else in the user's cache folder, and raises a
    RuntimeError where neither can be written.
    """
    options: dict[str, Any] = {"nogil": True, **_OPTIONS}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        _uncached.append(function.__name__)
        return njit(**options)(function)


_uncached: list[str] = []


def called(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call, and nothing else: Python must not, nor plain ``njit``.

    No two call each other.
    """
    return njit(**_WITHIN)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function into the kernels that call it: small ones, in inner loops."""
    return njit(forceinline=True, **_WITHIN)(function)


@contextmanager
def compiling(what: str, seconds: float) -> Iterator[None]:
    """Say so if a block compiles kernels, by a ``CompilingWarning``, and collect no garbage in it.

    Args:
        what: what is compiled, for people.
        seconds: about what that takes.
    """
    once = "once a process, as no cache can be written: set NUMBA_CACHE_DIR"
    once = once if _uncached else "once on this machine"
    said = f"compiling {what}, {once} (about {seconds:.0f} s)"
    collecting = gc.isenabled()
    gc.disable()  # saves a twentieth of the time
    try:
        with event.install_listener("numba:compile", _Compilation(said)):
            yield
    finally:
        if collecting:
            gc.enable()


class _Compilation(event.Listener):
    def __init__(self, said: str) -> None:
        self._said: str | None = said

    def on_start(self, event: Any) -> None:  # noqa: ARG002
        if self._said is not None:
            said, self._said = self._said, None
            warnings.warn(said, CompilingWarning, stacklevel=1)

    def on_end(self, event: Any) -> None:
        """Nothing is said."""


def version_of(module: ModuleType) -> int:
    """A number of 60 bits that changes with a module's source."""
    return int(hashlib.sha256(inspect.getsource(module).encode()).hexdigest()[:15], 16)
