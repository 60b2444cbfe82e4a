"""Targets: pure functions from a model to what a solver takes.

``compile_model`` is what the pipeline calls; each target is one file with one function.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from qubopuzzle.compile.amplify import MODES as AMPLIFY_MODES
from qubopuzzle.compile.amplify import AmplifyModel as AmplifyModel
from qubopuzzle.compile.amplify import compile_amplify as compile_amplify
from qubopuzzle.compile.asp import compile_asp
from qubopuzzle.compile.cnf import Cnf as Cnf
from qubopuzzle.compile.cnf import compile_cnf as compile_cnf
from qubopuzzle.compile.compiled import Compiled as Compiled
from qubopuzzle.compile.compiled import WeightedModel
from qubopuzzle.compile.compiled import check_weights as check_weights
from qubopuzzle.compile.cpsat import compile_cpsat, whole_cpsat
from qubopuzzle.compile.encoding import ENCODINGS as ENCODINGS
from qubopuzzle.compile.encoding import encode_choices as encode_choices
from qubopuzzle.compile.encoding import lay_out
from qubopuzzle.compile.mip import Mip as Mip
from qubopuzzle.compile.mip import compile_mip as compile_mip
from qubopuzzle.compile.mip import whole_mip
from qubopuzzle.compile.qubo import Qubo as Qubo
from qubopuzzle.compile.qubo import compile_qubo as compile_qubo
from qubopuzzle.compile.rows import Rows
from qubopuzzle.errors import InputError, ModelError, did_you_mean
from qubopuzzle.model import Model

DEFAULT_ENCODING = "one-hot"

# Targets of bits take an encoding and weights; exact ones keep every constraint as it is.
_OF_BITS: Mapping[str, Callable[[Model, str, Mapping[str, float] | None], Compiled]] = {
    "qubo": compile_qubo,
    **{f"amplify-{mode}": partial(compile_amplify, mode=mode) for mode in AMPLIFY_MODES},
}
_EXACT: Mapping[str, Callable[[Model], Compiled]] = {
    "cnf": compile_cnf,
    "cpsat": compile_cpsat,
    "asp": compile_asp,
    "mip": partial(compile_mip, tree=False),  # connectivity is left to the solver
}
TARGETS = (*_OF_BITS, "model", *_EXACT)
UNWEIGHTED_TARGETS = tuple(_EXACT)
"""Those that keep every constraint and take no weights."""

ROW_TARGETS = ("mip", "cpsat")
"""Those that take rows over whole numbers as they are."""


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
        literals = lay_out(model, np.zeros(len(model.choices), dtype=bool), "literals")
        return WeightedModel(literals, check_weights(model.families, weights))
    if target not in _EXACT:
        raise ModelError(f"there is no target {target!r}; {did_you_mean(target, TARGETS)}")
    if encoding is not None:
        raise InputError("this solver chooses its own encoding; leave encoding out")
    if weights:
        raise InputError("this solver keeps every constraint and takes no weights")
    return _EXACT[target](model)


def compile_rows(rows: Rows, model: Model, target: str) -> Compiled:
    """Rows as they are, for a target of ``ROW_TARGETS``; raises as ``compile_model``.

    Args:
        model: the same with each variable by itself, see ``whole_mip``.
    """
    mip = whole_mip(rows, model)
    return whole_cpsat(mip) if target == "cpsat" else mip
