"""Targets: pure functions from a model to what a solver takes.

``compile_model`` is what the pipeline calls; each target is one file with one function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from qubopuzzle.compile.amplify import MODES as AMPLIFY_MODES
from qubopuzzle.compile.amplify import AmplifyModel, compile_amplify
from qubopuzzle.compile.cnf import Cnf, compile_cnf
from qubopuzzle.compile.compiled import Compiled, WeightedModel, check_weights
from qubopuzzle.compile.cpsat import compile_cpsat
from qubopuzzle.compile.encoding import ENCODINGS, encode_choices
from qubopuzzle.compile.mip import Mip, compile_mip
from qubopuzzle.compile.qubo import Qubo, compile_qubo
from qubopuzzle.errors import InputError, ModelError
from qubopuzzle.model import Model

__all__ = [
    "AMPLIFY_MODES",
    "DEFAULT_ENCODING",
    "ENCODINGS",
    "TARGETS",
    "AmplifyModel",
    "Cnf",
    "Compiled",
    "Mip",
    "Qubo",
    "check_weights",
    "compile_amplify",
    "compile_cnf",
    "compile_mip",
    "compile_model",
    "compile_qubo",
    "encode_choices",
]

DEFAULT_ENCODING = "one-hot"

# Targets of bits take an encoding and weights; exact ones keep every constraint as it is.
_OF_BITS: Mapping[str, Callable[[Model, str, Mapping[str, float] | None], Compiled]] = {
    "qubo": compile_qubo,
    **{f"amplify-{mode}": partial(compile_amplify, mode=mode) for mode in AMPLIFY_MODES},
}
_EXACT: Mapping[str, Callable[[Model], Compiled]] = {
    "cnf": compile_cnf,
    "cpsat": compile_cpsat,
    "mip": partial(compile_mip, tree=False),  # connectivity is left to the solver
}
TARGETS = (*_OF_BITS, "model", *_EXACT)


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
        TooLarge: for a model that would not fit in memory.
        SolverUnavailable: if building it takes a package that is not installed.
    """
    if target in _OF_BITS:
        return _OF_BITS[target](model, encoding or DEFAULT_ENCODING, weights)
    if target == "model":
        if encoding is not None:
            raise InputError("this solver anneals the model itself and takes no encoding")
        return WeightedModel.of(model, weights)
    if target not in _EXACT:
        raise ModelError(f"there is no target {target!r}")
    if encoding is not None:
        raise InputError("this solver chooses its own encoding; leave --encoding out")
    if weights:
        raise InputError("this solver keeps every constraint and takes no weights")
    return _EXACT[target](model)
