"""Answers of D-Wave's solvers, from another process or a file, read with suspicion."""

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import ProtocolError, SolverFailed
from qubopuzzle.solvers.sampler import in_order
from qubopuzzle.solvers.services.call import Reply

_TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint32", "float32", "float64")
"""Of numbers in arrays; another one could ask for any memory."""

Build = Callable[[NDArray[np.int8], list[int], Mapping[str, Any]], Reply]
"""A reply of samples, how often each was read, and the info of a sample set."""


def read(body: bytes, n: int, where: str, build: Build) -> Reply:
    """The reply over n variables; ProtocolError if that is none.

    Args:
        body: dimod's serialized sample set as JSON.
        build: raises ValueError, TypeError, KeyError for an info that is none.
    """
    from dimod import SampleSet

    try:
        data = json.loads(body)
        info = data.pop("info")
        arrays = (data["sample_data"], *data["vectors"].values())
        kinds = {data["sample_type"], *(array["data_type"] for array in arrays)}
        if data["num_variables"] != n or not kinds <= set(_TYPES):
            raise SolverFailed(f"the answer is not of a model of {n:,} variables")
        found = SampleSet.from_serializable({**data, "info": {}})  # type: ignore[no-untyped-call]
        samples = in_order(found, n) if len(found) else np.zeros((0, n), dtype=np.int8)
        occurrences = [int(times) for times in found.record.num_occurrences]
        if min(occurrences, default=1) < 1 or not _are_fractions(found):
            raise ValueError
        return build(samples, occurrences, info)
    except SolverFailed as error:
        raise ProtocolError(f"{where}: {error}") from None
    except Exception:  # of whatever a file holds
        raise ProtocolError(f"{where}: the answer cannot be read") from None


def number(value: Any) -> float:
    """A finite number that is not negative; ValueError, TypeError for others."""
    found = float(value)
    if isinstance(value, bool | str) or not isfinite(found) or found < 0:
        raise ValueError
    return found


def _are_fractions(found: Any) -> bool:
    """Whether what there is of fractions of broken chains is such."""
    if "chain_break_fraction" not in found.record.dtype.names:
        return True
    fractions = np.asarray(found.record.chain_break_fraction, dtype=np.float64)
    return bool(((fractions >= 0) & (fractions <= 1)).all())
