"""White cells connected, in one QUBO: the black ones form a forest.

Where no two black cells touch by a side and the grid has at least two rows and columns, the
white cells hang together exactly if the black cells, joined where they touch by a corner,
and all border cells to one vertex "outside", make no cycle. (In one row or column, a black
cell between two others cuts them apart.)

Each cell takes one value: white; root; or a heading 0 .. 7 to its parent, the black cell at
the corner ``heading mod 4``. A black cell on the border is a root. Families:

- [adjacent] ``white_u + white_v >= 1`` for cells that share a side;
- [pair] black cells that touch by a corner are parent and child:
  ``white_u + [u -> v] + white_v + [v -> u] >= 1``;
- [parent] a parent is a root, or its own heading differs by at most a quarter turn:
  ``[u -> v, h] <= [v is root] + [v has h - 1] + [v has h] + [v has h + 1]``, mod 8.

**Trees have such values**: from the root outwards, each child's corner is given, and one of
its two headings is within a quarter turn of its parent's. **Nothing else has**: a component
of n black cells has at least n - 1 joints, each of them a child and its parent by [pair], so
at most one root. With one it is a tree, and touches the border once at most. Without any,
following the parents goes round a cycle, never straight back. Corner steps do not cross, so
it is a simple polygon, and its turns add up to 4 or -4 quarters (H. Hopf, Compositio
Mathematica 2, 1935, 50-62) - but the headings are back where they began, so the turns add
up to 0 mod 8.

So the formulation is exact on any grid, for trees of any depth, with at most ten values a
cell; counting depths up to K takes 2 + 4 K, and loses deeper trees. Energy gap: each
family's penalty is 0 where its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import FALSE, TRUE, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.kinds.cells import BoolArray
from qubopuzzle.puzzles.kinds.shaded import Shaded, check_size, keep_apart, lazy, step_by

CORNERS = ((-1, -1), (-1, 1), (1, 1), (1, -1))
"""From a cell to the cells at its corners, clockwise; the way back is two further on."""
_NAMES = ("up-left", "up-right", "down-right", "down-left")
VALUES = ("white", "root", *_NAMES, *(f"{name}'" for name in _NAMES))
"""Of a cell; the last eight are headings 0 to 7."""

Cell = tuple[int, int]


def shading_formulations(
    constrain: Callable[[Any, Shaded], Model], never_black: Callable[[Any], BoolArray]
) -> Mapping[str, Callable[..., Model]]:
    """The two formulations of a puzzle.

    Args:
        constrain: adds the puzzle's own rules and builds.
        never_black: cells that the puzzle's own rules keep white, shape (rows, columns).
    """

    def model(shade: Callable[[BoolArray], Shaded], puzzle: Any) -> Model:
        return constrain(puzzle, shade(never_black(puzzle)))

    return {"forest": partial(model, forest), "lazy": partial(model, lazy)}


def forest(never_black: BoolArray) -> Shaded:
    """White, root, or a heading to the parent; see above.

    Args:
        never_black: cells that are white anyhow, shape (rows, columns).
    """
    check_size(never_black)
    rows, columns = never_black.shape
    if min(rows, columns) == 1:
        between = np.arange(rows * columns) % max(1, rows * columns - 1) > 0
        never_black = never_black | between.reshape(rows, columns)
    builder = ModelBuilder()
    literal = _lay_out(builder, ~never_black)
    keep_apart(builder, literal[..., 0])
    _pair(builder, literal)
    _parent(builder, literal)
    return Shaded(builder, literal[..., 0], partial(_values, never_black))


def _lay_out(builder: ModelBuilder, free: BoolArray) -> IntArray:
    """The literals of the values white, root, heading 0 .. 7 of each cell, (rows, columns, 10)."""
    border = np.ones(free.shape, dtype=bool)
    border[1:-1, 1:-1] = False
    has = np.ones((*free.shape, 10), dtype=bool)
    has[border, 2:] = False
    for k, corner in enumerate(CORNERS):
        here, there = step_by(corner)
        has[here][..., 2 + k] &= free[there]
        has[here][..., 6 + k] &= free[there] & ~border[there]  # to a root one heading will do
    literal = np.full(has.shape, FALSE)
    literal[..., 0] = TRUE
    for r, c in np.argwhere(free).tolist():
        (own,) = np.nonzero(has[r, c])
        add = builder.choice if len(own) > 2 else builder.bit
        cell = add(f"cell[{r},{c}]", family="cell", values=[VALUES[v] for v in own.tolist()])
        literal[r, c, own] = cell.literals
    return literal


def _pair(builder: ModelBuilder, literal: IntArray) -> None:
    """[pair]: of two black cells that touch by a corner one is the other's parent."""
    groups = []
    for k in (1, 2):  # up-right and down-right: every pair once
        here, there = step_by(CORNERS[k])
        back = (k + 2) % 4
        ways = literal[here][..., [0, 2 + k, 6 + k]], literal[there][..., [0, 2 + back, 6 + back]]
        groups.append(np.concatenate(ways, axis=-1).reshape(-1, 6))
    pairs = np.concatenate(groups)
    builder.at_least_one("pair", pairs[(pairs[:, [0, 3]] != TRUE).all(axis=1)])


def _parent(builder: ModelBuilder, literal: IntArray) -> None:
    """[parent]: a parent is a root, or turns by a quarter at most."""
    for h in range(8):
        here, there = step_by(CORNERS[h % 4])
        turned = [2 + (h + turn) % 8 for turn in (-1, 0, 1)]
        ways = literal[here][..., [2 + h]], literal[there][..., [1, *turned]]
        terms = np.concatenate(ways, axis=-1).reshape(-1, 5)
        terms = terms[terms[:, 0] != FALSE]
        builder.rows("parent").add(terms, [-1, 1, 1, 1, 1], lower=0)


def _values(never_black: BoolArray, answer: IntArray) -> list[Hashable]:
    """The value of each cell: trees from the border, the others from their first cell."""
    last_row, last_column = answer.shape[0] - 1, answer.shape[1] - 1
    black = {(r, c) for r, c in np.argwhere(answer).tolist()}
    border = {(r, c) for r, c in black if r in (0, last_row) or c in (0, last_column)}
    heading: dict[Cell, int | None] = {}
    for root in [*sorted(border), *sorted(black - border)]:
        if root not in heading:
            tree = _headings(black, root)
            if not border.isdisjoint([*tree][1:]):
                raise InputError("the answer's black cells cut off white ones")
            heading |= tree
    joints = sum((r + 1, c + d) in black for r, c in black for d in (-1, 1))
    if joints > sum(h is not None for h in heading.values()):
        raise InputError("the answer's black cells fence white ones in")
    free = [(r, c) for r, c in np.argwhere(~never_black).tolist()]
    place = {cell: 1 if own is None else 2 + own for cell, own in heading.items()}
    return [VALUES[place.get(cell, 0)] for cell in free]


def _headings(black: set[Cell], root: Cell) -> dict[Cell, int | None]:
    """Headings of the cells that hang together with a root, itself first and with None."""
    found: dict[Cell, int | None] = {root: None}
    queue = [root]
    for r, c in queue:  # grows on the way
        for k, (down, right) in enumerate(CORNERS):
            child = (r + down, c + right)
            if child in black and child not in found:
                back, own = (k + 2) % 4, found[r, c]
                within = own is None or (own - back) % 8 in (0, 1, 7)
                found[child] = back if within else back + 4
                queue.append(child)
    return found
