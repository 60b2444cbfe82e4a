"""Cells that are shaded, in a model: no two side by side, and the white ones connected.

- [adjacent] ``white_u + white_v >= 1`` for cells that share a side.

``lazy`` has a bit a cell, and [connected], which solvers meet by cuts.

``forest`` is one QUBO, exact on any grid. With at least two rows and columns, the white cells are
connected exactly if the black cells, joined where they touch by a corner, and all border cells
to one vertex "outside", make no cycle. (In one row or column, a black cell between two others
cuts them apart.) Each cell takes one value: white; root; or a heading 0 .. 7 to its parent, the
black cell at the corner ``heading mod 4``. A black cell on the border is a root.

- [pair] black cells that touch by a corner are parent and child:
  ``white_u + [u -> v] + white_v + [v -> u] >= 1``;
- [parent] a parent is a root, or its own heading differs by at most a quarter turn:
  ``[u -> v, h] <= [v is root] + [v has h - 1] + [v has h] + [v has h + 1]``, mod 8.

Trees of any depth have such values. A cycle has none: it turns by 4 or -4 quarters (H. Hopf,
Compositio Mathematica 2, 1935, 50-62), its headings by 0 mod 8. docs/formulations.md has the
proof. Counting depths up to K takes 2 + 4 K values, not ten, and loses deeper trees. Energy gap:
each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import FALSE, TRUE, UNBOUNDED, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell

CELL_LIMIT = 250_000
"""Most cells of a model."""
CORNERS = ((-1, -1), (-1, 1), (1, 1), (1, -1))
"""From a cell to the cells at its corners, clockwise; the way back is two further on."""
_NAMES = ("up-left", "up-right", "down-right", "down-left")
VALUES = ("white", "root", *_NAMES, *(f"{name}'" for name in _NAMES))
"""Of a cell; the last eight are headings 0 to 7."""

Write: TypeAlias = Callable[[IntArray], Sequence[Hashable]]


@dataclass(frozen=True, slots=True, eq=False)
class Shaded:
    """Cells in a builder, of which some become black.

    ``white`` (rows, columns) says by which literal a cell is white; ``TRUE`` where it is white
    anyhow and has no choice. ``write`` gives the value of each cell's choice for an answer.
    """

    builder: ModelBuilder
    white: IntArray
    write: Write

    def count(
        self,
        family: str,
        groups: Sequence[IntArray],
        *,
        least: Sequence[int] | None = None,
        most: Sequence[int] | None = None,
    ) -> None:
        """Bounds for the number of black cells in each group; cells by row-major number."""
        size = np.array([len(group) for group in groups], dtype=np.int64)
        self.builder.linear(
            family,
            np.repeat(np.arange(len(groups)), size),
            self.white.ravel()[np.concatenate([*groups, np.zeros(0, dtype=np.int64)])],
            lower=-UNBOUNDED if most is None else size - most,
            upper=UNBOUNDED if least is None else size - least,
            shape=size.shape,
        )

    def build(self, rest: Write | Sequence[Hashable] = ()) -> Model:
        """The model; ``rest`` is ``write`` for the choices that came after the cells."""
        n = self.white.size
        white = self.white.ravel()
        view = self.builder.view("cells", np.arange(n), white, -1, base=1, n_cells=n)
        write = partial(_write, self.white == TRUE, self.write, rest)
        return self.builder.build(Field(self.white.shape, 0, 1, (view,), write))


def _write(
    never_black: BoolArray, write: Write, rest: Write | Sequence[Hashable], answer: IntArray
) -> list[Hashable]:
    if answer[never_black].any():
        raise InputError("the answer has a black cell where none can be")
    return [*write(answer), *(rest(answer) if callable(rest) else rest)]


def shading_formulations(
    constrain: Callable[[Any, Shaded], Model], never_black: Callable[[Any], BoolArray]
) -> Mapping[str, Callable[..., Model]]:
    """The two formulations of a puzzle.

    Args:
        constrain: adds the puzzle's own rules and builds.
        never_black: cells that the puzzle's own rules keep white, shape (rows, columns).
    """

    def model(shade: Callable[[BoolArray], Shaded], puzzle: Any) -> Model:
        if puzzle.cells > CELL_LIMIT:
            raise TooLarge(f"a model of {puzzle.cells:,} cells; at most {CELL_LIMIT:,} fit")
        return constrain(puzzle, shade(never_black(puzzle)))

    return {"forest": partial(model, forest), "lazy": partial(model, lazy)}


def lazy(never_black: BoolArray) -> Shaded:
    """One bit a cell, and white cells connected.

    Args:
        never_black: cells that are white anyhow, shape (rows, columns).
    """
    builder = ModelBuilder()
    white = np.full(never_black.shape, TRUE)
    for r, c in np.argwhere(~never_black).tolist():
        white[r, c] = builder.bit(f"black[{r},{c}]").first
    _keep_apart(builder, white)
    sides = _side_by_side(np.arange(white.size).reshape(white.shape))
    builder.connected("connected", white.ravel(), sides)
    return Shaded(builder, white, partial(_write_bits, never_black))


def _write_bits(never_black: BoolArray, answer: IntArray) -> list[Hashable]:
    """Each bit; and the choice of one value that the builder has for cells that are never black."""
    return [*answer[~never_black].tolist(), *[True] * bool(never_black.any())]


def forest(never_black: BoolArray) -> Shaded:
    """White, root, or a heading to the parent, see above; the argument is that of ``lazy``."""
    rows, columns = never_black.shape
    if min(rows, columns) == 1:
        between = np.arange(rows * columns) % max(1, rows * columns - 1) > 0
        never_black = never_black | between.reshape(rows, columns)
    builder = ModelBuilder()
    literal = _lay_out(builder, ~never_black)
    _keep_apart(builder, literal[..., 0])
    pairs = []
    for k in (1, 2):  # up-right and down-right: every pair once
        here, there = _step_by(CORNERS[k])
        back = (k + 2) % 4
        ways = literal[here][..., [0, 2 + k, 6 + k]], literal[there][..., [0, 2 + back, 6 + back]]
        pairs.append(np.concatenate(ways, axis=-1).reshape(-1, 6))
    pair = np.concatenate(pairs)
    builder.at_least_one("pair", pair[(pair[:, [0, 3]] != TRUE).all(axis=1)])
    for h in range(8):
        here, there = _step_by(CORNERS[h % 4])
        turned = [2 + (h + turn) % 8 for turn in (-1, 0, 1)]
        ways = literal[here][..., [2 + h]], literal[there][..., [1, *turned]]
        terms = np.concatenate(ways, axis=-1).reshape(-1, 5)
        builder.rows("parent").add(terms[terms[:, 0] != FALSE], [-1, 1, 1, 1, 1], lower=0)
    return Shaded(builder, literal[..., 0], partial(_write_values, never_black))


def _lay_out(builder: ModelBuilder, free: BoolArray) -> IntArray:
    """The literals of the values white, root, heading 0 .. 7 of each cell, (rows, columns, 10)."""
    border = np.ones(free.shape, dtype=bool)
    border[1:-1, 1:-1] = False
    has = np.ones((*free.shape, 10), dtype=bool)
    has[border, 2:] = False
    for k, corner in enumerate(CORNERS):
        here, there = _step_by(corner)
        has[here][..., 2 + k] &= free[there]
        has[here][..., 6 + k] &= free[there] & ~border[there]  # to a root one heading will do
    literal = np.full(has.shape, FALSE)
    literal[..., 0] = TRUE
    for r, c in np.argwhere(free).tolist():
        (values,) = np.nonzero(has[r, c])
        add = builder.choice if len(values) > 2 else builder.bit
        cell = add(f"cell[{r},{c}]", family="cell", values=[VALUES[v] for v in values.tolist()])
        literal[r, c, values] = cell.literals
    return literal


def _step_by(step: Cell) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """The cells that have a neighbour by a step, and those neighbours, as parts of a grid."""
    here = tuple(slice(max(0, -d), -d if d > 0 else None) for d in step)
    there = tuple(slice(max(0, d), d if d < 0 else None) for d in step)
    return here, there


def _side_by_side(numbers: IntArray) -> IntArray:
    """The numbers of any two cells that share a side, shape (n, 2)."""
    pairs = [(numbers[here], numbers[there]) for here, there in map(_step_by, ((0, 1), (1, 0)))]
    return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])


def _keep_apart(builder: ModelBuilder, white: IntArray) -> None:
    """[adjacent]: of two cells that share a side one is white."""
    sides = _side_by_side(white)
    builder.at_least_one("adjacent", sides[(sides != TRUE).all(axis=1)])


def _write_values(never_black: BoolArray, answer: IntArray) -> list[Hashable]:
    """The value of each cell: trees from all of the border, the others from their first cell."""
    last_row, last_column = answer.shape[0] - 1, answer.shape[1] - 1
    black = {(r, c) for r, c in np.argwhere(answer).tolist()}
    border = {(r, c) for r, c in black if r in (0, last_row) or c in (0, last_column)}
    heading: dict[Cell, int | None] = {}
    for roots in (border, *([cell] for cell in sorted(black - border))):
        queue = [cell for cell in roots if cell not in heading]
        heading |= dict.fromkeys(queue)
        for r, c in queue:  # grows on the way
            for k, (down, right) in enumerate(CORNERS):
                child = (r + down, c + right)
                if child in black and child not in heading:
                    back, direction = (k + 2) % 4, heading[r, c]
                    within = direction is None or (direction - back) % 8 in (0, 1, 7)
                    heading[child] = back if within else back + 4
                    queue.append(child)
    joints = sum((r + 1, c + d) in black for r, c in black for d in (-1, 1))
    if joints > sum(h is not None for h in heading.values()):
        raise InputError("the answer's black cells cut off white ones")
    free = [(r, c) for r, c in np.argwhere(~never_black).tolist()]
    place = {cell: 1 if direction is None else 2 + direction for cell, direction in heading.items()}
    return [VALUES[place.get(cell, 0)] for cell in free]
