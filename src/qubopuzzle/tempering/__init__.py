"""Replica exchange with one-hot groups on any BQM, as a dimod sampler."""

from qubopuzzle.tempering.chain import Chain, compile_kernels
from qubopuzzle.tempering.form import Form, form_of
from qubopuzzle.tempering.sampler import OneHotTemperingSampler, one_hot_groups

__all__ = [
    "Chain",
    "Form",
    "OneHotTemperingSampler",
    "compile_kernels",
    "form_of",
    "one_hot_groups",
]
