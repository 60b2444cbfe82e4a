"""White cells connected, in one QUBO: the black ones form a forest.

Where no two black cells touch by a side and the grid has at least two rows and columns, the
white cells hang together exactly if the black cells, joined where they touch by a corner,
and all border cells to one vertex "outside", make no cycle.
Each cell takes one value: white; root; or child of the black cell at one of its four
corners, with its depth below the root **modulo m**. A black cell on the border is a root.

- [pair] black cells that touch by a corner are parent and child:
  ``white_u + [u -> v] + white_v + [v -> u] >= 1``;
- [parent] a child's parent is one step higher: ``[u -> v at d] <= [v at d - 1]``, where
  roots are at 0 (so a parent is black);
- [adjacent] ``white_u + white_v >= 1`` for cells that share a side.

A component of n black cells has n - 1 joints if it is a tree, and as many joints as it has
children: one root, so one border cell at most. What else meets [pair] has no root, and one
cycle along which the depth grows by 1 at each step: its length is a multiple of m. Corner
steps change the parity of the row, so the length is even, and for odd m a multiple of 2m.
Such a cycle has no chords ([pair] again), and chordless cycles have no length 2 or 6. So
the formulation is exact, for trees of any depth, if no chordless cycle of length 2m (12 for
m = 3) fits into the grid. Smaller m, with far fewer variables, let cycles of such lengths
pass: the rules find them, and the model reports what it omits.

How long a chordless cycle can be: each of its L cells has four corners, two of them off the
cycle. Counted from the other side, a cell off the cycle has at most as many corners as the
grid leaves it: 4, or 2 on the border, or 1. With I inner cells of one parity and corners b
of all border cells of that parity, ``2 L <= 4 (I - L) + b``.

With ``depth`` the depth is not taken modulo anything: a bound of it, which never admits a
cycle but loses deeper trees.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import IntArray, Model, ModelBuilder
from qubopuzzle.puzzles._shaded import BoolArray, Shaded, keep_apart, lazy, step_by

VALUE_LIMIT = 2_000_000
"""Most values of all cells together: a model of about 1 GB."""

STEPS = ((-1, -1), (-1, 1), (1, 1), (1, -1))
"""From a cell to the cells at its corners; the way back is two further on."""
NAMES = ("up-left", "up-right", "down-right", "down-left")

Cell = tuple[int, int]


def shading_formulations(
    constrain: Callable[[Any, Shaded], Model], never_black: Callable[[Any], BoolArray]
) -> Mapping[str, Callable[..., Model]]:
    """The two formulations of a puzzle.

    Args:
        constrain: adds the puzzle's own rules and builds.
        never_black: cells that the puzzle's own rules keep white, shape (rows, columns).
    """
    return {
        "forest": partial(_forest_model, constrain, never_black),
        "lazy": partial(_lazy_model, constrain, never_black),
    }


def _forest_model(
    constrain: Callable[[Any, Shaded], Model],
    never_black: Callable[[Any], BoolArray],
    puzzle: Any,
    *,
    modulus: int = 0,
    depth: int = 0,
) -> Model:
    return constrain(puzzle, forest(never_black(puzzle), modulus, depth))


def _lazy_model(
    constrain: Callable[[Any, Shaded], Model],
    never_black: Callable[[Any], BoolArray],
    puzzle: Any,
) -> Model:
    return constrain(puzzle, lazy(never_black(puzzle)))


def forest(never_black: BoolArray, modulus: int = 0, depth: int = 0) -> Shaded:
    """White, root, or child of a cell at a corner at some depth.

    Args:
        never_black: cells that are white anyhow, shape (rows, columns).
        modulus: depths are taken modulo this odd number; 0 for the least that is exact.
        depth: bound of the depth instead, if not 0.

    Raises:
        InputError: for an even modulus, or both.
        TooLarge: for more than ``VALUE_LIMIT`` values.
    """
    if modulus and (depth or modulus % 2 == 0):
        raise InputError("formulation forest takes an odd modulus, or else a depth")
    rows, columns = never_black.shape
    if min(rows, columns) == 1:  # there a black cell between two others cuts the grid
        between = np.arange(rows * columns) % max(1, rows * columns - 1) > 0
        never_black = never_black | between.reshape(rows, columns)
    modulus = 0 if depth else modulus or _exact_modulus(never_black)
    trees = _lay_out(~never_black, depth or modulus, wraps=not depth)
    keep_apart(trees.builder, trees.white)
    _pair(trees)
    _parent(trees)
    relaxed = {}
    if 0 < depth < _inner(~never_black).max():
        relaxed["bounded"] = (f"connected: trees of black cells deeper than {depth}",)
    if modulus and _first_loop(modulus) <= _longest_loop(never_black):
        loops = f"connected: a loop of black cells, its length a multiple of {2 * modulus}"
        relaxed["omitted"] = (loops,)
    return Shaded(trees.builder, trees.white, partial(_values, trees), relaxed)


def _exact_modulus(never_black: BoolArray) -> int:
    """The least odd number that no chordless cycle of black cells gets past."""
    longest = _longest_loop(never_black)
    candidates: tuple[int, ...] = (1, 3, *range(7, longest + 3, 2))
    return next(m for m in candidates if _first_loop(m) > longest)


def _longest_loop(never_black: BoolArray) -> int:
    """No chordless cycle of black cells has more cells."""
    rows, columns = never_black.shape
    r, c = np.indices((rows, columns))
    corners = (2 - (r == 0) - (r == rows - 1)) * (2 - (c == 0) - (c == columns - 1))
    inner = corners == 4
    longest = 0
    for parity, free in enumerate(_inner(~never_black).tolist()):
        own = (r + c) % 2 == parity
        bound = (4 * int((own & inner).sum()) + int(corners[own & ~inner].sum())) // 6
        longest = max(longest, min(free, bound))
    return longest


def _first_loop(modulus: int) -> int:
    """Length of the first chordless cycle that a modulus lets pass: there are none of 2 or 6.

    Not monotonous: 3 lets those of 12 pass, 5 those of 10.
    """
    return {1: 4, 3: 12}.get(modulus, 2 * modulus)


def _inner(free: BoolArray) -> IntArray:
    """How many cells of each parity may be black and are not on the border, shape (2,)."""
    r, c = np.nonzero(free[1:-1, 1:-1])
    return np.bincount((r + c) % 2, minlength=2)


@dataclass(frozen=True, slots=True, eq=False)
class _Trees:
    """Literals of the cells' values; -1 where a cell does not have the value.

    ``white`` and ``root`` have shape (rows, columns). ``child`` and ``size``, shape (rows,
    columns, 4), are for each step the first literal "the parent is there" and how many
    depths 1, 2, ... it has. With ``wraps`` the last depth stands for 0 as well.
    """

    builder: ModelBuilder
    white: IntArray
    root: IntArray
    child: IntArray
    size: IntArray
    depth: int
    wraps: bool


def _lay_out(free: BoolArray, depth: int, *, wraps: bool) -> _Trees:
    border = np.ones(free.shape, dtype=bool)
    border[1:-1, 1:-1] = False
    size = np.zeros((*free.shape, 4), dtype=np.int64)
    for k, (here, there) in enumerate(map(step_by, STEPS)):
        # A parent on the border is a root, and the child's depth is 1.
        size[here][..., k] = free[there] * np.where(border[there], 1, depth)
    size[border | ~free] = 0
    total = int(size.sum()) + 2 * int(free.sum())
    if total > VALUE_LIMIT:
        raise TooLarge(
            f"the forest would have {total:,} values, more than {VALUE_LIMIT:,}; "
            "a small modulus has fewer: forest:modulus=5"
        )
    builder = ModelBuilder()
    white = np.full(free.shape, -1, dtype=np.int64)
    child = np.full(size.shape, -1, dtype=np.int64)
    for r, c in np.argwhere(free).tolist():
        sizes = size[r, c].tolist()
        steps = [f"{NAMES[k]}:{d + 1}" for k in range(4) for d in range(sizes[k])]
        name, values = f"cell[{r},{c}]", ["white", "root", *steps]
        choice = (
            builder.choice(name, values, "cell") if steps else builder.bit(name, "cell", values)
        )
        white[r, c] = builder.literals(choice).start
        child[r, c] = white[r, c] + 2 + np.cumsum([0, *sizes[:3]])
    root = np.where(free, white + 1, -1)
    return _Trees(builder, white, root, child, size, depth, wraps)


def _pair(trees: _Trees) -> None:
    """[pair]: of two black cells that touch by a corner one is the other's parent."""
    rows, literals, n = [_NONE], [_NONE], 0
    for k in (1, 2):  # up-right and down-right: every pair once
        here, there = step_by(STEPS[k])
        both = (trees.white[here] >= 0) & (trees.white[there] >= 0)
        numbers = n + np.arange(int(both.sum()))
        for where, to in ((here, k), (there, (k + 2) % 4)):
            first, size = (part[where][both][:, to] for part in (trees.child, trees.size))
            rows += [numbers, np.repeat(numbers, size)]
            literals += [trees.white[where][both], np.repeat(first, size) + _ramp(size)]
        n += len(numbers)
    row, literal = np.concatenate(rows), np.concatenate(literals)
    trees.builder.linear("pair", row, literal, lower=1, shape=(n,))


def _parent(trees: _Trees) -> None:
    """[parent]: the parent of a child at depth d is at depth d - 1."""
    rows, literals, signs, n = [_NONE], [_NONE], [_NONE], 0
    for k in range(4):
        here, there = step_by(STEPS[k])
        size = trees.size[here][..., k]
        cells = size > 0
        counts = size[cells]
        depth = 1 + _ramp(counts)
        number = n + np.arange(len(depth))
        terms = [
            (np.repeat(trees.child[here][cells][:, k], counts) + depth - 1, depth > 0, -1),
            (np.repeat(trees.root[there][cells], counts), depth == 1, 1),
        ]
        for other in set(range(4)) - {(k + 2) % 4}:
            first, most = (
                np.repeat(part[there][cells][:, other], counts)
                for part in (trees.child, trees.size)
            )
            terms.append((first + depth - 2, (depth > 1) & (depth - 1 <= most), 1))
            if trees.wraps:
                last = (depth == 1) & (most == trees.depth)
                terms.append((first + trees.depth - 1, last, 1))
        for own, is_there, sign in terms:
            rows.append(number[is_there])
            literals.append(own[is_there])
            signs.append(np.full(int(is_there.sum()), sign))
        n += len(number)
    terms_of_rows = (np.concatenate(parts) for parts in (rows, literals, signs))
    trees.builder.linear("parent", *terms_of_rows, lower=0, shape=(n,))


_NONE = np.zeros(0, dtype=np.int64)


def _ramp(counts: IntArray) -> IntArray:
    """0 .. count - 1 for each count, one after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _values(trees: _Trees, answer: IntArray) -> list[Hashable]:
    """The value of each cell: trees from the border, the others from their middle."""
    last_row, last_column = answer.shape[0] - 1, answer.shape[1] - 1
    black = {(r, c) for r, c in np.argwhere(answer).tolist()}
    border = {(r, c) for r, c in black if r in (0, last_row) or c in (0, last_column)}
    value: dict[Cell, str] = {}
    for cell in [*sorted(border), *sorted(black - border)]:
        if cell in value:
            continue
        tree = _tree(black, cell)
        if cell not in border:
            tree = _tree(black, _middle(black, tree))
        for child, (step, depth) in tree.items():
            if trees.wraps:
                depth = (depth - 1) % trees.depth + 1 if depth else 0
            if depth > trees.depth:
                raise InputError(f"the answer has a tree of black cells deeper than {trees.depth}")
            if depth and child in border:
                raise InputError("the answer's black cells cut off white ones")
            value[child] = f"{NAMES[step]}:{depth}" if depth else "root"
    joints = sum((r + 1, c + d) in black for r, c in black for d in (-1, 1))
    if joints > sum(name != "root" for name in value.values()):
        raise InputError("the answer's black cells fence white ones in")
    return [value.get((r, c), "white") for r, c in np.argwhere(trees.white >= 0).tolist()]


def _tree(black: set[Cell], root: Cell) -> dict[Cell, tuple[int, int]]:
    """Cells that hang together with a root, nearest first: step to the parent, and depth."""
    found = {root: (0, 0)}
    queue = [root]
    for r, c in queue:  # grows on the way
        for k, (down, right) in enumerate(STEPS):
            next_cell = (r + down, c + right)
            if next_cell in black and next_cell not in found:
                found[next_cell] = ((k + 2) % 4, found[r, c][1] + 1)
                queue.append(next_cell)
    return found


def _middle(black: set[Cell], tree: dict[Cell, tuple[int, int]]) -> Cell:
    """A cell from which no other of its tree is further than need be."""
    longest = _tree(black, [*tree][-1])
    r, c = [*longest][-1]
    for _ in range(longest[r, c][1] // 2):
        down, right = STEPS[longest[r, c][0]]
        r, c = r + down, c + right
    return r, c
