"""Nonogram (picross): paint cells so that every line's runs of black are its clue.

Three formulations of the same rules, from one piece of code (families in brackets):

- ``numbering``: number k of a line stands on the first cell of its k-th run, the
  formulation of Fixstars' picross tutorial. Each number is written once [once], at most
  one on a cell [cell], number k+1 at least ``h_k + 1`` further on than number k [order],
  and the pictures painted from the rows and from the columns agree on every cell [field].
- ``window`` (default): the same, but number k only stands where the runs before and
  after it still fit: ``s_k <= j <= s_k + S`` with ``s_k = sum of (h_t + 1) over t < k``
  and the line's slack ``S = length - sum(h) - (n - 1)``. [cell] follows from [order].
- ``pattern``: one choice a line over all its legal paintings [line], and [field].

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from qubopuzzle.puzzles.nonogram.formulations import FORMULATIONS
from qubopuzzle.puzzles.nonogram.links import LINKS
from qubopuzzle.puzzles.nonogram.rules import Nonogram

__all__ = ["Nonogram"]

Nonogram.formulations = FORMULATIONS
Nonogram.links = LINKS
Nonogram.generator = "qubopuzzle.puzzles.nonogram.generator:NonogramGenerator"
