"""Replica exchange with one-hot groups on any BQM, as a dimod sampler."""

from qubopuzzle.tempering.form import TemperingForm, tempering_form
from qubopuzzle.tempering.replicas import Replicas, compile_kernels
from qubopuzzle.tempering.sampler import OneHotTemperingSampler, one_hot_groups

__all__ = [
    "OneHotTemperingSampler",
    "Replicas",
    "TemperingForm",
    "compile_kernels",
    "one_hot_groups",
    "tempering_form",
]
