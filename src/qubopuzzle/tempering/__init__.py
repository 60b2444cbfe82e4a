"""Replica exchange with one-hot groups on any BQM, as a dimod sampler."""

from qubopuzzle.tempering.form import tempering_form as tempering_form
from qubopuzzle.tempering.replicas import Replicas as Replicas
from qubopuzzle.tempering.replicas import compile_kernels as compile_kernels
from qubopuzzle.tempering.sampler import OneHotTemperingSampler as OneHotTemperingSampler
from qubopuzzle.tempering.sampler import one_hot_groups as one_hot_groups
