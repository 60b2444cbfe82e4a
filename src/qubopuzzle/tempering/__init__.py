"""Replica exchange with one-hot groups on any BQM, as a dimod sampler."""

from qubopuzzle.tempering.chain import Chain, compile_kernels
from qubopuzzle.tempering.form import Form, form_of

__all__ = ["Chain", "Form", "compile_kernels", "form_of"]
