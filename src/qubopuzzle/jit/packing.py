"""Named tuples of arrays, as compiled code takes them: one address each.

A kernel gets what ``addresses`` packed, and reads it by ``pointers``.
"""

from functools import cache
from typing import Any, get_args, get_type_hints

import numpy as np
from numba import config, from_dtype, types
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, models, register_model


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
            element = np.dtype(_element_of(annotation))
            kind = types.uint8 if element == np.bool_ else from_dtype(element)
            fields[name] = element.str, types.CPointer(kind)
    return fields


def _element_of(annotation: Any) -> Any:
    """The last NumPy type that an annotation of an array names.

    ``NDArray[T]`` is ``ndarray[shape, dtype[T]]``, or since NumPy 2.5 an alias with T as its own.
    """
    while arguments := get_args(annotation):
        annotation = arguments[-1]
    return annotation


class _Packed(types.Type):
    """In compiled code, the address of what ``addresses`` packed; its attributes are the fields."""

    def __init__(self, layout: Any) -> None:
        self.layout = layout
        super().__init__(f"packed {layout.__module__}.{layout.__qualname__}")

    @property
    def key(self) -> Any:
        """What tells types apart: two layouts may have one name."""
        return self.layout


@register_model(_Packed)
class _PackedModel(models.PrimitiveModel):
    def __init__(self, manager: Any, packed: Any) -> None:
        address = manager.lookup(types.CPointer(types.int64)).get_value_type()
        super().__init__(manager, packed, address)


@infer_getattr
class _PackedFields(AttributeTemplate):
    key = _Packed

    def generic_resolve(self, packed: Any, name: str) -> Any:  # type: ignore[override]
        return _fields(packed.layout).get(name, (None, None))[1]


@lower_getattr_generic(_Packed)  # type: ignore[untyped-decorator]
def _load_field(context: Any, builder: Any, packed: Any, address: Any, name: str) -> Any:
    fields = _fields(packed.layout)
    kind = context.get_value_type(fields[name][1])
    place = context.get_constant(types.intp, list(fields).index(name))
    value = builder.load(builder.bitcast(builder.gep(address, [place]), kind.as_pointer()))
    # Nothing is written there while the kernel runs: LLVM loads it before a loop.
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _compiled_pointers(_typing: Any, layout: Any, packed: Any) -> Any:
    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return context.make_array(packed)(context, builder, args[1]).data

    return _Packed(layout.instance_class)(layout, packed), codegen


def _plain_pointers(_layout: type, packed: Any) -> Any:
    return packed


pointers: Any = _plain_pointers if config.DISABLE_JIT else intrinsic(_compiled_pointers)  # type: ignore[attr-defined]
"""In a kernel, ``pointers(layout, packed)`` has the fields of the tuple that ``addresses`` packed.

It is one address, which functions pass on in place of all fields; a field is loaded where it is
used. Compiled code sees pointers in place of arrays. An element is then an address and a load: no
index that counts from the end, no strides, no reference counts, which numba changes atomically each
time that a kernel reads an array out of a tuple. A pointer has no length, and nothing checks its
indices; flags are numbers of eight bits.
"""
