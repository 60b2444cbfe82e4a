"""Arrays of a named tuple without reference counts, inside compiled code.

numba counts references, atomically, each time that a kernel reads an array out of a tuple;
in the annealer's inner loops that took a large part of the time. The caller holds the arrays
for as long as the kernel runs, so it may do without.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def borrowed(arrays: Any) -> Any:
    """The same named tuple; in compiled code, nobody counts references to its arrays."""
    return arrays


@intrinsic
def _borrow(_typing: Any, arrays: Any) -> Any:
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


@overload(borrowed)
def _borrowed(arrays: Any) -> Any:  # noqa: ARG001
    def compiled(arrays: Any) -> Any:  # the signature that is overloaded, to the letter
        return _borrow(arrays)  # type: ignore[call-arg]  # numba adds the first

    return compiled
