"""Simulated annealing on the constraint model, with weights that learn."""

from qubopuzzle.annealing.form import AnnealingForm, annealing_form
from qubopuzzle.annealing.search import (
    PORTFOLIO,
    Annealed,
    AnnealingParameters,
    Read,
    State,
    anneal,
    compile_kernels,
)

__all__ = [
    "PORTFOLIO",
    "Annealed",
    "AnnealingForm",
    "AnnealingParameters",
    "Read",
    "State",
    "anneal",
    "annealing_form",
    "compile_kernels",
]
