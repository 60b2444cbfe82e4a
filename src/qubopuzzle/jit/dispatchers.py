"""What numba makes of the functions of ``functions.py``; imported when a kernel is first called."""

import warnings
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any

from numba import config, njit, version_info
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.typing.templates import infer_global

from qubopuzzle.errors import CompilingWarning
from qubopuzzle.jit import packing
from qubopuzzle.jit.functions import WITHIN, Function, pointers

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
_lock = RLock()
_uncached: list[str] = []

dispatchers: dict[Function, Any] = {}
"""Of each function that kernels may call, numba's."""


def cached_if_possible(function: Function) -> Any:
    """A kernel, which is compiled when it is called.

    numba caches in ``__pycache__`` or else in the user's cache folder, and raises a
    RuntimeError where neither can be written.
    """
    with _lock:
        _tell_numba()
    options: dict[str, Any] = {"nogil": True, **_OPTIONS}
    try:
        dispatcher = njit(cache=True, **options)(function)
    except RuntimeError:
        _uncached.append(function.__name__)
        return njit(**options)(function)
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        dispatcher.compile = partial(_compiled_once, dispatcher.compile, dispatcher)
    return dispatcher


def _compiled_once(compiled: Function, dispatcher: Any, signature: Any) -> Any:
    """What numba compiles or finds in its cache; of processes that need it at once, one compiles.

    The others wait, and find it. Who waits has numba's lock already: in the other order two
    threads could wait for each other.
    """
    with global_compiler_lock, ExitStack() as stack:
        with suppress(ImportError, OSError, AttributeError):  # Windows, or no file can be written
            import fcntl

            cache = dispatcher._cache.cache_path  # noqa: SLF001
            lock = stack.enter_context(Path(cache, f"{dispatcher.__qualname__}.lock").open("a"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        return compiled(signature)


def _tell_numba() -> None:
    """What plain functions are within kernels: those that came since the last time."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return
    if not dispatchers:
        context = cpu_target.typing_context
        context.refresh()  # loads what packing registered
        infer_global(pointers, context.resolve_value_type(packing.pointers))
    for function in [dispatcher for dispatcher in WITHIN if dispatcher not in dispatchers]:
        dispatcher: Any = njit(**_WITHIN, **WITHIN[function])(function)
        dispatchers[function] = dispatcher
        infer_global(function, dispatcher._numba_type_)


def compilation(what: str, seconds: float) -> AbstractContextManager[Any]:
    """In it, a ``CompilingWarning`` says that kernels are compiled, if any are."""
    listening: AbstractContextManager[Any] = event.install_listener(
        "numba:compile", _Compilation(f"compiling {what}", f"about {seconds:.0f} s")
    )
    return listening


class _Compilation(event.Listener):
    def __init__(self, what: str, takes: str) -> None:
        self._what, self._takes, self._said = what, takes, False

    def on_start(self, event: Any) -> None:  # noqa: ARG002
        if not self._said:
            self._said = True
            once = "once a process, as no cache can be written: set NUMBA_CACHE_DIR"
            once = once if _uncached else "once on this machine"
            message = f"{self._what}, {once} ({self._takes})"
            warnings.warn(message, CompilingWarning, stacklevel=1)

    def on_end(self, event: Any) -> None:
        """Nothing is said."""
