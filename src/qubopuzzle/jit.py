"""numba's compiler, as all kernels use it.

numba recompiles a cached function when the function's own file changes, and looks at no
other file. A named tuple of arrays that a kernel reads, and every function that it calls,
must therefore be in the kernel's own file, or in this one: with an old cache, a changed
layout elsewhere would be read by its old order. A kernel that needs another file has that file's
``version_of`` as the default of its last argument: defaults are part of what numba looks for.
"""

import hashlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from numba import njit, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function, without the GIL, and cache it if there is a folder to do so.

    numba caches in ``__pycache__`` or else in the user's cache folder, and raises a
    RuntimeError where neither can be written.
    """
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function into the kernels that call it; Python cannot, unless numba is off."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(forceinline=True, **options)(function)


def version_of(module: ModuleType) -> int:
    """A number of 60 bits that changes with a module's source."""
    return int(hashlib.sha256(inspect.getsource(module).encode()).hexdigest()[:15], 16)


def pointers(arrays: Any) -> Any:
    """The same named tuple; compiled code sees pointers in place of its arrays.

    An element is then an address and a load: no index that counts from the end, no strides, no
    reference counts, which numba changes atomically each time that a kernel reads an array out of
    a tuple. That is faster, and compiles in half the time. A pointer has no length, and nothing
    checks its indices; flags are numbers of eight bits. The arrays must have one dimension and be
    contiguous, and the caller holds them for as long as the kernel runs.
    """
    return arrays


@intrinsic
def _pointers(_typing: Any, arrays: Any) -> Any:
    def pointer(kind: Any) -> Any:
        if not isinstance(kind, types.Array):
            return kind
        if kind.ndim != 1 or kind.layout != "C":
            raise TypingError(f"expected a contiguous array of one dimension, got {kind}")
        return types.CPointer(types.uint8 if kind.dtype == types.bool_ else kind.dtype)  # type: ignore[no-untyped-call]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = []
        for i, (old, new) in enumerate(zip(arrays.types, signature.return_type.types, strict=True)):
            value = builder.extract_value(args[0], i)
            if old != new:
                data = context.make_array(old)(context, builder, value).data
                value = builder.bitcast(data, context.get_value_type(new))
            values.append(value)
        return context.make_tuple(builder, signature.return_type, values)

    kinds = [pointer(kind) for kind in arrays.types]
    packed = types.BaseTuple.from_types(kinds, arrays.instance_class)  # type: ignore[no-untyped-call]
    return packed(arrays), codegen


@overload(pointers)
def _compiled_pointers(arrays: Any) -> Any:  # noqa: ARG001
    def compiled(arrays: Any) -> Any:  # numba wants the overloaded signature, names included
        return _pointers(arrays)  # type: ignore[call-arg]  # numba adds the first

    return compiled
