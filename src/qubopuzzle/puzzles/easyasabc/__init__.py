"""Easy as ABC: each of the letters A, B, ... once in every row and column, the rest blank.

A letter outside an edge is the first one seen from there. On an n x n grid with m letters a
cell is one choice over {blank, 1 .. m} [cell], ``x_{c,v}`` for "cell c holds v", and each
line holds each letter once [row] [column]: sum of ``x_{c,v}`` over the line = 1. Two
formulations of the clues; cell t of a clue's line is the t-th from its edge, k its letter:

- ``forbidden`` (default): another letter stands on cell t only if k stands before it, so
  "another at t" and "k at t or later" exclude each other [seen]:
  sum over v != blank, k of ``x_{t,v}`` + sum over s >= t of ``x_{s,k}`` <= 1.
- ``positions``: one choice a clue, p, over the cells 0 .. n - m on which the letter seen
  may stand [clue]. It stands where p says, ``x_{p,k} = 1`` [seen], and what is before it is
  blank [blank]: ``[p = t] <= x_{t,k}`` and ``[p > t] <= x_{t,blank}`` for each t.

Givens are substituted. A value that a given or a single clue excludes is no value of its
cell: a letter given in the same line, another letter than k on cell 0, k where fewer than
m - 1 cells follow, and blanks if m = n. A choice that would be left without values keeps all,
and each of them breaks a row: such a puzzle has a model without solutions.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from qubopuzzle.puzzles.easyasabc.formulations import FORMULATIONS
from qubopuzzle.puzzles.easyasabc.links import LINKS
from qubopuzzle.puzzles.easyasabc.rules import EasyAsABC

__all__ = ["EasyAsABC"]

EasyAsABC.formulations = FORMULATIONS
EasyAsABC.links = LINKS
EasyAsABC.generator = "qubopuzzle.puzzles.easyasabc.generator:EasyAsABCGenerator"
