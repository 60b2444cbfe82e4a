"""Answers of D-Wave's solvers, from another process or a file, read with suspicion."""

import json
from collections.abc import Callable, Mapping
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
class Figures:
    """What is said of an answer: ``settings`` and ``seconds`` by part, for the result.

    ``busy_s``: seconds that the solver worked, ``own_s``: that our search for an embedding took.
    """

    reads: int
    settings: Mapping[str, Any]
    seconds: Mapping[str, float]
    busy_s: float
    own_s: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """0/1 samples of shape (samples, variables), how often each was read, and what is said."""

    samples: NDArray[np.int8]
    occurrences: list[int]
    figures: Figures


def read(body: bytes, n: int, where: str, figures: Callable[[Mapping[str, Any]], Figures]) -> Reply:
    """The reply over n variables; ProtocolError if that is none.

    Args:
        body: dimod's serialized sample set as JSON.
        figures: of its info; ValueError, TypeError, KeyError for what is none.
    """
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
        if min(occurrences, default=1) < 1 or not _are_fractions(found):
            raise ValueError
        return Reply(samples, occurrences, figures(info))
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


def of_embedded(info: Mapping[str, Any]) -> Figures:
    """Those of ``sampling.sample``: ``qpu_access`` is ``programming`` and ``sampling``."""
    context = info["embedding_context"]
    chains = [len(chain) for chain in context["embedding"].values()]
    strength, search_s = context["chain_strength"], number(context["search_s"])
    settings = {
        "qpu": quoted(info["qpu"]),
        "qpu_topology": quoted(info["topology"]),
        "problem_ids": [quoted(each) for each in info["problem_ids"]],
        "qubits": sum(chains),
        "longest_chain": max(chains),
        "embedding_search_s": round(search_s, 3),
        "chain_strength_used": strength if strength is None else number(strength),
        "chain_break_fraction": number(info["chain_break_fraction"]),
        "broken_reads": int(number(info["broken_reads"])),
        "repaired_by": quoted(context["chain_break_method"]),
    }
    seconds: dict[str, float] = {}
    for timing in info["timings"]:  # of a sampler that is no QPU there may be none
        for part, name in _PARTS.items():
            if name in timing:
                seconds[part] = seconds.get(part, 0.0) + number(timing[name]) / 1e6
    busy_s = seconds.get("qpu_access", 0.0)
    return Figures(int(number(info["reads"])), settings, seconds, busy_s, search_s)


def of_hybrid(info: Mapping[str, Any]) -> Figures:
    """Those of ``hybrid``: ``execution`` is the service's own time, in which it may ask QPUs."""
    settings = {
        "hybrid_solver": quoted(info["solver"]),
        "problem_ids": [quoted(each) for each in info["problem_ids"]],
        "feasible_samples": int(number(info["feasible"])),
        "time_limit_s": number(info["time_limit"]),
    }
    timing = info["timing"]
    names = {"execution": "run_time", "qpu_access": "qpu_access_time"}
    seconds = {part: number(timing.get(name, 0)) / 1e6 for part, name in names.items()}
    return Figures(1, settings, seconds, seconds["execution"])


def _are_fractions(found: dimod.SampleSet) -> bool:
    """Whether what there is of fractions of broken chains is such."""
    if "chain_break_fraction" not in found.record.dtype.names:
        return True
    fractions = np.asarray(found.record.chain_break_fraction, dtype=np.float64)
    return bool(((fractions >= 0) & (fractions <= 1)).all())
