"""Models as JSON objects: plain lists and numbers, nothing of the program in them."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError, ModelError, did_you_mean
from qubopuzzle.model.builder import ModelBuilder
from qubopuzzle.model.data import (
    UNBOUNDED,
    DecidedCells,
    Field,
    IntArray,
    IntMatrix,
    Model,
    Objective,
)

KIND = "model"
"""What the key ``problem`` says."""


def model_to_dict(model: Model) -> dict[str, Any]:
    """The JSON object of a model; a field's ``write`` is left out.

    Raises:
        InputError: for values of a choice that JSON does not hold.
    """
    field = model.field
    return {
        "problem": KIND,
        "id": model.id,
        "title": model.title,
        "choices": [
            {
                "name": choice.name,
                "values": [_plain(choice.name, value) for value in choice.values],
                "family": choice.family,
                "bit": choice.is_bit,
            }
            for choice in model.choices
        ],
        "linear": [
            {
                "family": block.family,
                **_terms(block.matrix),
                "lower": [None if n <= -UNBOUNDED else n for n in block.lower.tolist()],
                "upper": [None if n >= UNBOUNDED else n for n in block.upper.tolist()],
                "labels": [block.labels(row) for row in range(len(block.lower))],
            }
            for block in model.linear
        ],
        **{
            key: [
                {"family": block.family} | {name: getattr(block, name).tolist() for name in names}
                for block in getattr(model, key)
            ]
            for key, names in _ARRAYS.items()
        },
        **({} if field is None else {"field": _field_to_dict(field)}),
        **({} if model.objective is None else {"objective": _objective_to_dict(model.objective)}),
        **{key: list(getattr(model, key)) for key in _ABOUT},
    }


def _field_to_dict(field: Field) -> dict[str, Any]:
    views = [{"name": r.name, "base": r.base.tolist(), **_terms(r.matrix)} for r in field.views]
    described = {"shape": list(field.shape), "low": field.low, "high": field.high, "views": views}
    if field.decided is not None:
        described["decided"] = {key: getattr(field.decided, key).tolist() for key in _DECIDED}
    return described


def _objective_to_dict(objective: Objective) -> dict[str, Any]:
    """Linear terms as products of a literal with itself."""
    pairs, (alone,) = objective.couplings.tocoo(), objective.linear.nonzero()
    return {
        "literal": [*alone.tolist(), *pairs.row.tolist()],
        "other": [*alone.tolist(), *pairs.col.tolist()],
        "coefficient": [*objective.linear[alone].tolist(), *pairs.data.tolist()],
        "offset": objective.offset,
    }


_TERMS = ("row", "literal", "coefficient")
_ARRAYS = {
    "precedence": ("first", "second", "gap"),
    "connected": ("literals", "edges"),
    "acyclic": ("literals", "edges"),
}
_ABOUT = ("omitted", "restricted", "likely")
_DECIDED = ("cell", "others", "table")
_KEYS = ("choices", "linear", *_ARRAYS, "field", "objective", *_ABOUT, "id", "title", "problem")


def model_from_dict(data: Mapping[str, Any]) -> Model:
    """Read what ``model_to_dict`` writes; all of it is checked anew.

    Raises:
        InputError: naming what cannot be used.
    """
    for key in data:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS)
            raise InputError(f"the JSON of a model: {key[:40]}: unknown key; {hint}")
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, OverflowError, ModelError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"the JSON of a model: {what}") from None


def _read(data: Mapping[str, Any]) -> Model:
    builder = ModelBuilder()
    for choice in data["choices"]:
        values = tuple(map(_hashable, choice["values"]))
        is_bit = bool(choice.get("bit")) and len(values) == 2
        builder.choice(choice["name"], values, choice["family"], is_bit=is_bit)
    for block in data.get("linear", ()):
        builder.linear(
            block["family"],
            *(block[name] for name in _TERMS),
            lower=[-UNBOUNDED if bound is None else bound for bound in block["lower"]],
            upper=[UNBOUNDED if bound is None else bound for bound in block["upper"]],
            shape=(len(block["lower"]),),
            labels=[str(label) for label in block["labels"]],
        )
    for key, names in _ARRAYS.items():
        for block in data.get(key, ()):
            getattr(builder, key)(block["family"], *(block[name] for name in names))
    objective = data.get("objective")
    if objective is not None:
        terms = objective["literal"], objective["coefficient"], objective["other"]
        builder.objective(*terms, offset=objective.get("offset", 0.0))
    described = data.get("field")
    field = None
    if described is not None:
        views = tuple(
            builder.view(
                r["name"], *(r[name] for name in _TERMS), base=r["base"], n_cells=len(r["base"])
            )
            for r in described["views"]
        )
        shape, low, high = (described[key] for key in ("shape", "low", "high"))
        decided = described.get("decided")
        if decided is not None:
            decided = _decided(*(decided[key] for key in _DECIDED), n_cells=math.prod(shape))
        field = Field(tuple(shape), low, high, views, _not_written, decided)
    return builder.build(
        field,
        **{key: tuple(data.get(key, ())) for key in _ABOUT},
        id=str(data.get("id", "")),
        title=str(data.get("title", "")),
    )


def _decided(*parts: Any, n_cells: int) -> DecidedCells:
    cell, others, table = (np.asarray(part) for part in parts)
    n = len(cell)
    if not n or any(part.dtype.kind not in "iu" for part in (cell, others, table)):
        raise ValueError("decided: expected whole numbers")
    if (cell.shape, others.shape, table.shape) != ((n,), (n, 2), (n, 4)):
        raise ValueError("decided: expected a cell, two others and four values each")
    places = np.append(cell, others)
    if places.min() < 0 or places.max() >= n_cells or np.isin(others, cell).any():
        raise ValueError(f"decided: cells outside 0 .. {n_cells - 1}, or that decide others")
    if table.min() < 0 or table.max() > 1:
        raise ValueError("decided: values other than 0 and 1")
    return DecidedCells(*(part.astype(np.int64) for part in (cell, others, table)))


def _not_written(_: IntArray) -> Sequence[Hashable]:
    raise InputError("a model from JSON does not say how to write an answer as values")


def _terms(matrix: IntMatrix) -> dict[str, list[int]]:
    entries = matrix.tocoo()
    columns = entries.row, entries.col, entries.data
    return {name: column.tolist() for name, column in zip(_TERMS, columns, strict=True)}


def _plain(name: str, value: Hashable) -> Any:
    if isinstance(value, tuple):
        return [_plain(name, part) for part in value]
    if not isinstance(value, str | int | float | bool | None):
        raise InputError(f"choice {name}: JSON does not hold a value of {type(value).__name__}")
    return value


def _hashable(value: Any) -> Hashable:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value
