"""Anyone's 0-1 program: rows over named variables, and an objective.

A ``Program`` is what model files and the objects of other packages become. It is judged by its
rows as they were read; ``choices`` is the formulation that finds which rows make choices.
"""

from qubopuzzle.programs.of_model import program_of as program_of
from qubopuzzle.programs.program import Program as Program
