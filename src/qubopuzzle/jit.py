"""numba's compiler, as all kernels use it.

numba recompiles a cached function when the function's own file changes, and looks at no
other file. A named tuple of arrays that a kernel reads, and every function that it calls,
must therefore be in the kernel's own file, or in this one: with an old cache, a changed
layout elsewhere would be read by its old order. A kernel that needs another file has that file's
``version_of`` as the default of its last argument: defaults are part of what numba looks for.
"""

import hashlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any, get_args, get_type_hints

import numpy as np
from numba import config, from_dtype, njit, types
from numba.core import event
from numba.extending import intrinsic

from qubopuzzle.errors import CompilingWarning


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function, without the GIL, and cache it if there is a folder to do so.

    numba caches in ``__pycache__`` or else in the user's cache folder, and raises a
    RuntimeError where neither can be written.
    """
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        _uncached.append(function.__name__)
        return njit(**options)(function)


_uncached: list[str] = []


_WITHIN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def called(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call; Python cannot call it, unless numba is off."""
    return njit(**_WITHIN)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function into the kernels that call it: small ones, in inner loops."""
    return njit(forceinline=True, **_WITHIN)(function)


@contextmanager
def compiling(what: str, seconds: float) -> Iterator[None]:
    """Say so if a block compiles kernels, by a ``CompilingWarning``.

    Args:
        what: what is compiled, for people.
        seconds: about what that takes.
    """
    once = "once a process, as no cache can be written: set NUMBA_CACHE_DIR"
    once = once if _uncached else "once on this machine"
    said = f"compiling {what}, {once} (about {seconds:.0f} s)"
    with event.install_listener("numba:compile", _Compilation(said)):
        yield


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


def addresses(arrays: Any) -> Any:
    """What a kernel takes in place of a named tuple of arrays and whole numbers.

    The arrays' addresses and the numbers, int64 of shape (fields,); without numba's compiler the
    tuple itself. For a tuple numba would write code to unpack each array. The caller holds the
    arrays for as long as the kernel runs.

    Raises:
        TypeError: for an array that has not the type of its annotation and one dimension, or gaps.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return arrays
    packed = []
    for (name, (element, _)), value in zip(_fields(arrays.__class__).items(), arrays, strict=True):
        if element is None:
            packed.append(value)
        else:
            array = value.__array_interface__
            if (array["typestr"], len(array["shape"]), array["strides"]) != (element, 1, None):
                raise TypeError(f"{name}: expected a contiguous array {element}, got {array}")
            packed.append(array["data"][0])
    return np.array(packed, dtype=np.int64)


@cache
def _fields(layout: Any) -> dict[str, tuple[str | None, Any]]:
    """By field of a named tuple, its type in NumPy, None for a number, and in compiled code."""
    fields: dict[str, tuple[str | None, Any]] = {}
    for name, annotation in get_type_hints(layout).items():
        if annotation is int:
            fields[name] = None, types.int64
        else:
            element = np.dtype(get_args(get_args(annotation)[1])[0])
            kind = types.uint8 if element == np.bool_ else from_dtype(element)
            fields[name] = element.str, types.CPointer(kind)  # type: ignore[no-untyped-call]
    return fields


def _compiled_pointers(_typing: Any, layout: Any, packed: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(packed)(context, builder, args[1]).data
        values = []
        for i, kind in enumerate(kinds):
            value = builder.load(builder.gep(data, [context.get_constant(types.intp, i)]))
            if kind != types.int64:
                value = builder.inttoptr(value, context.get_value_type(kind))
            values.append(value)
        return context.make_tuple(builder, signature.return_type, values)

    kinds = [kind for _, kind in _fields(layout.instance_class).values()]
    made = types.BaseTuple.from_types(kinds, layout.instance_class)  # type: ignore[no-untyped-call]
    return made(layout, packed), codegen


def _plain_pointers(_layout: type, packed: Any) -> Any:
    return packed


pointers: Any = _plain_pointers if config.DISABLE_JIT else intrinsic(_compiled_pointers)  # type: ignore[attr-defined]
"""In a kernel, ``pointers(layout, packed)`` is the named tuple that ``addresses`` packed.

Compiled code sees pointers in place of its arrays. An element is then an address and a load: no
index that counts from the end, no strides, no reference counts, which numba changes atomically each
time that a kernel reads an array out of a tuple. A pointer has no length, and nothing checks its
indices; flags are numbers of eight bits.
"""
