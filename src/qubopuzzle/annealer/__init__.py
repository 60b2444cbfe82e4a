"""Simulated annealing on the constraint model, with weights that learn."""

from qubopuzzle.annealer.form import AnnealingForm, annealing_form
from qubopuzzle.annealer.search import PORTFOLIO, Annealed, Read, anneal
from qubopuzzle.annealer.state import Setting, State, compile_kernels

__all__ = [
    "PORTFOLIO",
    "Annealed",
    "AnnealingForm",
    "Read",
    "Setting",
    "State",
    "anneal",
    "annealing_form",
    "compile_kernels",
]
