"""Targets: pure functions from a model to what a solver takes.

``compile_model`` is what the pipeline calls; each target is one file with one function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.amplify import MODES as AMPLIFY_MODES
from qubopuzzle.compile.amplify import amplify_program
from qubopuzzle.compile.cnf import Cnf, compile_cnf
from qubopuzzle.compile.cpsat import CpSat, compile_cpsat
from qubopuzzle.compile.encoding import ENCODINGS, encode_choices
from qubopuzzle.compile.mip import Mip, compile_mip
from qubopuzzle.compile.qubo import Qubo, check_weights, compile_qubo
from qubopuzzle.errors import InputError, ModelError
from qubopuzzle.model import Cut, IntArray, Model, cuts

__all__ = [
    "AMPLIFY_MODES",
    "ENCODINGS",
    "TARGETS",
    "Compiled",
    "Qubo",
    "WeightedModel",
    "check_weights",
    "compile_model",
    "compile_qubo",
    "encode_choices",
]


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A model in the form that a solver takes.

    Attributes:
        payload: what the target is: a ``dimod.BinaryQuadraticModel`` over the variables
            0 .. n - 1 for ``qubo``, a ``WeightedModel`` for ``model``, a ``Cnf`` for ``cnf``,
            a ``CpSat`` for ``cpsat``, a ``Mip`` for ``mip``, an ``AmplifyProgram`` for
            ``amplify-...``.
        decode: from the solver's assignment, shape (variables,), to literal values.
        encode: the inverse for valid literal values, which gives warm starts; auxiliary
            variables of exact targets, which come last, are left out.
        sizes: numbers to report, such as ``variables`` and ``couplings``.
        gap: no assignment that breaks a constraint has an energy below this; valid ones have 0.
        omitted, bounded: rules that the model leaves out or narrows, see ``Model``.
        encoding: how choices became variables, if the target has such an option.
        groups: variables of which exactly one is 1 in every valid assignment, disjoint.
        cuts: for exact targets, which leave connectivity and cycles to the solver: clauses that
            literal values, shape (literals,), break; none where the graphs are right.
    """

    payload: Any
    decode: Callable[[NDArray[Any]], IntArray]
    encode: Callable[[NDArray[Any]], IntArray]
    sizes: Mapping[str, int]
    gap: float
    omitted: tuple[str, ...] = ()
    bounded: tuple[str, ...] = ()
    encoding: str | None = None
    groups: tuple[range, ...] = ()
    cuts: Callable[[IntArray], Sequence[Cut]] = lambda _: ()


def _to_qubo(model: Model, encoding: str | None, weights: Mapping[str, float] | None) -> Compiled:
    encoding = encoding or "one-hot"
    qubo = compile_qubo(model, encoding)
    bqm = qubo.to_bqm(weights, labelled=False)
    return Compiled(
        payload=bqm,
        decode=qubo.decode,
        encode=qubo.encode,
        sizes={"variables": bqm.num_variables, "couplings": bqm.num_interactions},
        gap=qubo.gap(weights),
        omitted=model.omitted,
        bounded=model.bounded,
        encoding=encoding,
        groups=qubo.encoding.one_hot_groups(),
    )


@dataclass(frozen=True, slots=True, eq=False)
class WeightedModel:
    """The payload of the target ``model``: a constraint model and a weight for each family."""

    model: Model
    weights: Mapping[str, float]


def _to_model(model: Model, encoding: str | None, weights: Mapping[str, float] | None) -> Compiled:
    if encoding is not None:
        raise InputError("this solver anneals the model itself and takes no encoding")
    by_family = check_weights(model.families, weights)
    constraints = sum(len(block.lower) for block in model.linear)
    constraints += sum(len(block.first) for block in model.precedence)
    return Compiled(
        payload=WeightedModel(model, by_family),
        decode=_same,
        encode=_same,
        sizes={"variables": model.n_literals, "constraints": constraints},
        gap=1,
        omitted=model.omitted,
        bounded=model.bounded,
    )


def _to_cnf(model: Model, encoding: str | None, weights: Mapping[str, float] | None) -> Compiled:
    _check_plain(encoding, weights)
    formula = compile_cnf(model)
    sizes = {"variables": formula.n_variables, "clauses": formula.n_clauses}
    return _exact(model, formula, sizes)


def _to_cpsat(model: Model, encoding: str | None, weights: Mapping[str, float] | None) -> Compiled:
    _check_plain(encoding, weights)
    built = compile_cpsat(model)
    sizes = {"variables": built.n_variables, "constraints": built.n_constraints}
    return _exact(model, built, sizes)


def _to_mip(model: Model, encoding: str | None, weights: Mapping[str, float] | None) -> Compiled:
    _check_plain(encoding, weights)
    program = compile_mip(model, tree=False)
    sizes = {"variables": program.n_variables, "rows": program.n_rows}
    return _exact(model, program, sizes)


def _exact(model: Model, payload: Cnf | CpSat | Mip, sizes: Mapping[str, int]) -> Compiled:
    """Connectivity and cycles are left to the solver."""
    return Compiled(
        payload=payload,
        decode=payload.bits.decode,
        encode=payload.bits.encode,
        sizes=sizes,
        gap=1,
        omitted=model.omitted,
        bounded=model.bounded,
        cuts=partial(cuts, model),
    )


def _to_amplify(
    model: Model, encoding: str | None, weights: Mapping[str, float] | None, *, mode: str
) -> Compiled:
    encoding = encoding or "one-hot"
    bits, program = amplify_program(model, encoding=encoding, weights=weights, mode=mode)
    return Compiled(
        payload=program,
        decode=bits.encoding.decode,
        encode=bits.encode,
        sizes=program.sizes,
        gap=min(check_weights(model.families, weights).values(), default=1),
        omitted=model.omitted,
        bounded=model.bounded,
        encoding=encoding,
        groups=bits.encoding.one_hot_groups(),
    )


def _check_plain(encoding: str | None, weights: Mapping[str, float] | None) -> None:
    """Exact targets keep every constraint, whatever its weight."""
    if encoding is not None:
        raise InputError("this solver chooses its own encoding; leave --encoding out")
    if weights:
        raise InputError("this solver keeps every constraint and takes no weights")


def _same(x: NDArray[Any]) -> IntArray:
    return x.astype(np.int64)


TARGETS: Mapping[str, Callable[[Model, str | None, Mapping[str, float] | None], Compiled]] = {
    "qubo": _to_qubo,
    "model": _to_model,
    "cnf": _to_cnf,
    "cpsat": _to_cpsat,
    "mip": _to_mip,
    **{f"amplify-{mode}": partial(_to_amplify, mode=mode) for mode in AMPLIFY_MODES},
}


def compile_model(
    model: Model, target: str, encoding: str | None, weights: Mapping[str, float] | None = None
) -> Compiled:
    """Compile to a named target.

    Args:
        target: one of ``TARGETS``.
        encoding: ``one-hot`` or ``domain-wall``, for targets of bits.
        weights: penalty weight by family; 1 where not given.

    Raises:
        InputError: for an unknown encoding, family or a weight that is not positive.
        TooLarge: for a payload that would not fit in memory.
        SolverUnavailable: if building it takes a package that is not installed.
    """
    if target not in TARGETS:
        raise ModelError(f"there is no target {target!r}")
    return TARGETS[target](model, encoding, weights)
