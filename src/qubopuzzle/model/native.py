"""Models as JSON objects: plain lists and numbers, nothing of the program in them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError, ModelError
from qubopuzzle.model.builder import ModelBuilder
from qubopuzzle.model.data import UNBOUNDED, Field, IntArray, IntMatrix, Linear, Model

KIND = "model"
"""What the key ``problem`` says."""


def model_to_dict(model: Model) -> dict[str, Any]:
    """The JSON object of a model; a field's ``write`` is left out.

    Raises:
        InputError: for values of a choice that JSON does not hold.
    """
    data: dict[str, Any] = {"problem": KIND, "id": model.id, "title": model.title}
    data["choices"] = [
        {
            "name": choice.name,
            "values": [_plain(choice.name, value) for value in choice.values],
            "family": choice.family,
            "bit": choice.is_bit,
        }
        for choice in model.choices
    ]
    data["linear"] = [_linear_to_dict(block) for block in model.linear]
    for key, names in _ARRAYS.items():
        data[key] = [
            {"family": block.family} | {name: getattr(block, name).tolist() for name in names}
            for block in getattr(model, key)
        ]
    if model.field is not None:
        field = model.field
        data["field"] = {"shape": list(field.shape), "low": field.low, "high": field.high}
        data["field"]["readings"] = [
            {"name": r.name, "base": r.base.tolist(), **_terms(r.matrix)} for r in field.readings
        ]
    return data | {"omitted": list(model.omitted), "bounded": list(model.bounded)}


_ARRAYS = {
    "precedence": ("first", "second", "gap"),
    "connected": ("literals", "edges"),
    "acyclic": ("literals", "edges"),
}


def model_from_dict(data: Mapping[str, Any]) -> Model:
    """Read what ``model_to_dict`` writes; all of it is checked anew.

    Raises:
        InputError: naming what cannot be used.
    """
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, OverflowError, ModelError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"the JSON of a model: {what}") from None


def _read(data: Mapping[str, Any]) -> Model:
    builder = ModelBuilder()
    for choice in data["choices"]:
        values = tuple(map(_hashable, choice["values"]))
        if choice.get("bit") and len(values) == 2:
            builder.bit(choice["name"], choice["family"], values)
        else:
            builder.choice(choice["name"], values, choice["family"])
    for block in data.get("linear", ()):
        builder.linear(
            block["family"],
            block["row"],
            block["literal"],
            block["coefficient"],
            lower=_bounds(block["lower"], -UNBOUNDED),
            upper=_bounds(block["upper"], UNBOUNDED),
            shape=(len(block["lower"]),),
            labels=[str(label) for label in block["labels"]].__getitem__,
        )
    for key, names in _ARRAYS.items():
        for block in data.get(key, ()):
            getattr(builder, key)(block["family"], *(block[name] for name in names))
    own = data.get("field")
    field = None
    if own is not None:
        readings = tuple(
            builder.reading(
                r["name"],
                r["row"],
                r["literal"],
                r["coefficient"],
                base=r["base"],
                n_cells=len(r["base"]),
            )
            for r in own["readings"]
        )
        field = Field(tuple(own["shape"]), own["low"], own["high"], readings, _not_written)
    return builder.build(
        field,
        omitted=tuple(data.get("omitted", ())),
        bounded=tuple(data.get("bounded", ())),
        id=str(data.get("id", "")),
        title=str(data.get("title", "")),
    )


def _not_written(_: IntArray) -> Sequence[Hashable]:
    raise InputError("a model from JSON does not say how to write an answer as values")


def _linear_to_dict(block: Linear) -> dict[str, Any]:
    return {
        "family": block.family,
        **_terms(block.matrix),
        "lower": [None if n <= -UNBOUNDED else n for n in block.lower.tolist()],
        "upper": [None if n >= UNBOUNDED else n for n in block.upper.tolist()],
        "labels": [block.labels(row) for row in range(len(block.lower))],
    }


def _terms(matrix: IntMatrix) -> dict[str, list[int]]:
    entries = matrix.tocoo()
    return {
        "row": entries.row.tolist(),
        "literal": entries.col.tolist(),
        "coefficient": entries.data.tolist(),
    }


def _bounds(given: Sequence[int | None], none: int) -> IntArray:
    return np.array([none if bound is None else bound for bound in given], dtype=np.int64)


def _plain(name: str, value: Hashable) -> Any:
    if isinstance(value, tuple):
        return [_plain(name, part) for part in value]
    if not isinstance(value, str | int | float | bool | None):
        raise InputError(f"choice {name}: JSON does not hold a value of {type(value).__name__}")
    return value


def _hashable(value: Any) -> Hashable:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value
