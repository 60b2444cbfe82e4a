"""Our own samplers: simulated annealing on the constraint model, with weights that learn."""

from qubopuzzle.annealer.form import AnnealingForm, annealing_form
from qubopuzzle.annealer.search import PORTFOLIO, Read, Setting, State, anneal, compile_kernels

__all__ = [
    "PORTFOLIO",
    "AnnealingForm",
    "Read",
    "Setting",
    "State",
    "anneal",
    "annealing_form",
    "compile_kernels",
]
