"""What ``sampling.sample`` has written, from another process or a file, read with suspicion."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import dimod
import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import ProtocolError, SolverFailed
from qubopuzzle.solvers.sampler import in_order
from qubopuzzle.solvers.services.credentials import quoted

_TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint32", "float32", "float64")
"""Of numbers in arrays; another one could ask for any memory."""
_PARTS = {
    "qpu_access": "qpu_access_time",
    "programming": "qpu_programming_time",
    "sampling": "qpu_sampling_time",
}


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """0/1 samples of shape (samples, variables), how often each was read, and what is said of them.

    ``seconds``: ``qpu_access``, which is ``programming`` and ``sampling``, as the QPU says.
    """

    samples: NDArray[np.int8]
    occurrences: list[int]
    reads: int
    settings: Mapping[str, Any]
    seconds: Mapping[str, float]
    search_s: float


def read(body: bytes, n: int, where: str) -> Reply:
    """The reply over n variables; ProtocolError if that is none."""
    try:
        data = json.loads(body)
        info = data.pop("info")
        arrays = (data["sample_data"], *data["vectors"].values())
        kinds = {data["sample_type"], *(array["data_type"] for array in arrays)}
        if data["num_variables"] != n or not kinds <= set(_TYPES):
            raise SolverFailed(f"the answer is not of a model of {n:,} variables")
        plain = {**data, "info": {}}
        found = dimod.SampleSet.from_serializable(plain)  # type: ignore[no-untyped-call]
        samples = in_order(found, n) if len(found) else np.zeros((0, n), dtype=np.int8)
        occurrences = [int(times) for times in found.record.num_occurrences]
        if len(found) and (min(occurrences) < 1 or not _fractions(found)):
            raise ValueError
        settings, seconds = _settings(info), _seconds(info)
        reads, search_s = settings.pop("reads"), settings["embedding_search_s"]
        return Reply(samples, occurrences, reads, settings, seconds, search_s)
    except SolverFailed as error:
        raise ProtocolError(f"{where}: {error}") from None
    except Exception:  # of whatever a file holds
        raise ProtocolError(f"{where}: the answer cannot be read") from None


def _fractions(found: dimod.SampleSet) -> bool:
    """Whether each sample has a fraction of chains that were broken."""
    fractions = np.asarray(found.record.chain_break_fraction, dtype=np.float64)
    return bool(((fractions >= 0) & (fractions <= 1)).all())


def _number(value: Any) -> float:
    """A finite number that is not negative; ValueError, TypeError for others."""
    number = float(value)
    if isinstance(value, bool | str) or not isfinite(number) or number < 0:
        raise ValueError
    return number


def _settings(info: Mapping[str, Any]) -> dict[str, Any]:
    """What the result says of a run; ValueError, TypeError, KeyError for what is none."""
    context = info["embedding_context"]
    chains = [len(chain) for chain in context["embedding"].values()]
    strength, repair = context["chain_strength"], context["chain_break_method"]
    return {
        "qpu": quoted(info["qpu"]),
        "qpu_topology": quoted(info["topology"]),
        "problem_ids": [quoted(each) for each in info["problem_ids"]],
        "qubits": sum(chains),
        "longest_chain": max(chains),
        "embedding_search_s": round(_number(context["search_s"]), 3),
        "chain_strength_used": strength if strength is None else _number(strength),
        "chain_break_fraction": _number(info["chain_break_fraction"]),
        "broken_reads": int(_number(info["broken_reads"])),
        "repaired_by": quoted(repair),
        "reads": int(_number(info["reads"])),
    }


def _seconds(info: Mapping[str, Any]) -> dict[str, float]:
    """Seconds by part, of all problems that were sent."""
    return {
        part: sum(_number(timing.get(name, 0)) for timing in info["timings"]) / 1e6
        for part, name in _PARTS.items()
    }
