"""Sudoku: every row, column and box of an n x n grid holds the digits 1 to n once each.

Boxes have ``b_r`` rows and ``b_c`` columns, ``b_r b_c = n``. With ``x_{c,v}`` for "empty cell
c holds digit v", there are four families of sums:

    [cell]                  sum over v of x_{c,v}                       =  1
    [row] [column] [box]    sum over the empty cells c of a unit U of x_{c,v}
                                                          =  1 - (givens v in U)

One family are the choices, exact in every encoding; the others are constraints.

- ``places`` (default): [box], where in its box does a digit stand, ``x_{c,v}`` only where no
  given in the units of c excludes v. An annealer's moves keep every box complete.
- ``candidates``: [cell], which of its candidates does a cell hold, with the same ``x_{c,v}``.
- ``full``: [cell] over all n digits, the form of the textbooks of integer programming; sums
  of a digit that is given are 0.

Givens are substituted in all, never penalised. Where they contradict each other, a sum of no
literals would have to be 1, or a sum -1: the puzzle has a model, but no solution.

Boxes of a single row or column say what [row] or [column] says; there is no [box] then, and
``places`` asks where in its row a digit stands.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from qubopuzzle.puzzles.sudoku.formulations import FORMULATIONS
from qubopuzzle.puzzles.sudoku.links import LINKS
from qubopuzzle.puzzles.sudoku.rules import Sudoku

__all__ = ["Sudoku"]

Sudoku.formulations = FORMULATIONS
Sudoku.links = LINKS
Sudoku.generator = "qubopuzzle.puzzles.sudoku.generator:SudokuGenerator"
