"""numba's compiler, as all kernels use it.

numba recompiles a cached function when the function's own file changes, and looks at no
other file. A named tuple of arrays that a kernel reads, and every function that it calls,
must therefore be in the kernel's own file: with an old cache, a changed layout elsewhere
would be read by its old order.
"""

from collections.abc import Callable
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function, without the GIL, and cache it if there is a folder to do so.

    numba caches in ``__pycache__`` or else in the user's cache folder, and raises a
    RuntimeError where neither can be written.
    """
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)
