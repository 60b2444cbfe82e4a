"""What must hold of every solver and of every puzzle, for those who write one.

``check_solver`` and ``check_puzzle`` run all checks and raise AssertionError with one line that
says what does not hold. ``SOLVER_CHECKS`` and ``PUZZLE_CHECKS`` have the same checks by name, so
that pytest can run them one by one. Nothing else in the package imports this one, and it needs no
more than the package itself.

>>> from qubopuzzle import Nonogram
>>> from qubopuzzle.solvers import get_solver
>>> check_solver(get_solver("sat"))
>>> PUZZLE_CHECKS["json"](Nonogram, Nonogram.examples())
"""

from qubopuzzle.testing.brute import all_bits as all_bits
from qubopuzzle.testing.brute import met_grids as met_grids
from qubopuzzle.testing.brute import obeys as obeys
from qubopuzzle.testing.brute import right_grids as right_grids
from qubopuzzle.testing.brute import zero_energy_grids as zero_energy_grids
from qubopuzzle.testing.puzzles import PUZZLE_CHECKS as PUZZLE_CHECKS
from qubopuzzle.testing.puzzles import check_puzzle as check_puzzle
from qubopuzzle.testing.solvers import SOLVER_CHECKS as SOLVER_CHECKS
from qubopuzzle.testing.solvers import check_solver as check_solver
