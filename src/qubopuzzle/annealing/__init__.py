"""Simulated annealing on the constraint model, with weights that learn."""

from qubopuzzle.annealing.form import AnnealingForm as AnnealingForm
from qubopuzzle.annealing.form import annealing_form as annealing_form
from qubopuzzle.annealing.portfolio import PORTFOLIO as PORTFOLIO
from qubopuzzle.annealing.portfolio import AnnealingParameters as AnnealingParameters
from qubopuzzle.annealing.relaxation import relax as relax
from qubopuzzle.annealing.search import SearchSettings as SearchSettings
from qubopuzzle.annealing.search import anneal as anneal
from qubopuzzle.annealing.search import anneal_best as anneal_best
from qubopuzzle.annealing.search import compile_kernels as compile_kernels
from qubopuzzle.annealing.state import State as State
