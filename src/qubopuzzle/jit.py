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
from numba.core import cgutils
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


def version_of(module: ModuleType) -> int:
    """A number of 60 bits that changes with a module's source."""
    return int(hashlib.sha256(inspect.getsource(module).encode()).hexdigest()[:15], 16)


def without_reference_counts(arrays: Any) -> Any:
    """The same named tuple; compiled code does not count references to its arrays.

    numba counts references, atomically, each time that a kernel reads an array out of a
    tuple, which took a large part of the time in the inner loops. The caller must hold the
    arrays for as long as the kernel runs.
    """
    return arrays


@intrinsic
def _clear_references(_typing: Any, arrays: Any) -> Any:
    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        (packed,) = args
        for i, kind in enumerate(arrays.types):
            if isinstance(kind, types.Array):
                array = context.make_array(kind)(context, builder, builder.extract_value(packed, i))
                array.meminfo = cgutils.get_null_value(array.meminfo.type)  # type: ignore[no-untyped-call]
                array.parent = cgutils.get_null_value(array.parent.type)  # type: ignore[no-untyped-call]
                value = array._getvalue()  # noqa: SLF001
                packed = builder.insert_value(packed, value, i)
        return packed

    return arrays(arrays), codegen


@overload(without_reference_counts)
def _compiled_without_reference_counts(arrays: Any) -> Any:  # noqa: ARG001
    def compiled(arrays: Any) -> Any:  # numba wants the overloaded signature, names included
        return _clear_references(arrays)  # type: ignore[call-arg]  # numba adds the first

    return compiled
