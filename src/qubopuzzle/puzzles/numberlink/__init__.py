"""Numberlink: join equal numbers by paths that do not cross; by default they use every cell.

Families in brackets; K pairs; a heading is 0 right, 1 down, 2 left, 3 up.

- ``turning`` (default) is exact without cuts. A choice a cell over (pair k, heading in,
  heading out) with headings in 0 .. 7, of which heading mod 4 is the direction: a turn to the
  right adds 1, to the left takes 1 away, mod 8. Paths run from the first of two numbers, in
  reading order, to the second. The cells on both sides of an edge use it for the same pair
  [label] and in the same heading [heading]: for every edge u, v and k, and every h,

      sum of x_{u,w} over w of k across the edge = sum of x_{v,w} over w of k across the edge
      sum of x_{u,w} over w that leave u with h  = sum of x_{v,w} over w that enter v with h

  A closed loop turns by four quarters in all, once around (Hopf, "Ueber die Drehung der
  Tangenten und Sehnen ebener Kurven", Compositio Mathematica 2, 50, 1935), and 4 is not 0
  mod 8: no loop has headings, however long. A path has one set of them, as its first one is
  fixed by its direction. A detour leaves the headings behind it as they are.
- ``edges`` (for solvers that cut) has a bit e an edge and a label y a cell: degree 1 at
  numbers, 2 elsewhere, or 0 and unused [degree], e + y_u(k) - y_v(k) <= 1 [same], and no
  cycle of edges [loop].
- ``blocks`` for annealers: a choice a block of cells over all that may pass there, and
  [label] between blocks. It leaves closed loops out, so an answer may have one.
- ``apart``, where cells may stay unused: the same for paths that do not run beside
  themselves [apart]: for neighbours u, v of different blocks, y_u(k) + y_v(k) - e_k <= 1. Some
  solutions are not of this kind, but where there is one, a shortcut of it is.

Cells offer the pairs that reach them past other numbers; all but ``edges`` leave out, too,
what no neighbour can go on from. A cell that has nothing left is unused, which [cover] forbids.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from qubopuzzle.puzzles.numberlink.formulations import FORMULATIONS, for_annealing
from qubopuzzle.puzzles.numberlink.links import LINKS
from qubopuzzle.puzzles.numberlink.rules import Numberlink

__all__ = ["Numberlink"]

Numberlink.formulations = FORMULATIONS
Numberlink.annealing_formulation = for_annealing
Numberlink.generator = "qubopuzzle.puzzles.numberlink.generator:NumberlinkGenerator"
Numberlink.links = LINKS
