"""What marks on a board lead to: the next cell that follows from them, or what they contradict."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.errors import InputError
from qubopuzzle.jit.packing import addresses
from qubopuzzle.model import UNBOUNDED, IntArray, Linear, Model
from qubopuzzle.model.propagator import (
    FAR,
    FIXED_POINT,
    REMOVED,
    DomainArrays,
    Propagator,
    propagate_all,
)
from qubopuzzle.model.segments import reachable
from qubopuzzle.problem import Problem
from qubopuzzle.puzzles.base import Edges

_MARK = "mark"
"""The family of rows that say what is on the board."""
_NEVER = -(1 << 40)
"""A gap that every two values keep."""

Cell = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hint:
    """What follows from the marks on a board, by propagation.

    Attributes:
        cell: the cell that is decided, and ``value`` what it must be; None for a contradiction.
        rules: the constraints that it takes, none of which can be left out; where there are none,
            what the model's choices hold from the beginning, see ``Puzzle.at_once``.
        because: the marked cells that it takes, likewise.
        near: the cells that those constraints are about.
    """

    cell: Cell | None
    value: int | None
    rules: tuple[str, ...]
    because: tuple[Cell, ...]
    near: tuple[Cell, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def hint(problem: Problem, marks: Mapping[Cell, int], *, bits: bool = False) -> Hint | None:
    """The first open cell that propagation of single constraints decides, and by which.

    >>> from qubopuzzle import Nonogram
    >>> hint(Nonogram(rows="1;2", cols="1;2"), {(0, 0): 0})
    Hint(cell=(1, 0), value=1, rules=('the runs of its line, which have no other place',), \
because=(), near=())

    Args:
        problem: a puzzle, whose model paints a grid.
        marks: what is on the board, by cell.
        bits: a mark says only which lines leave the cell at least, see ``Puzzle.edges``: which
            bits of its value are 1, where two cells are not joined by several lines.

    Returns:
        A contradiction (``cell`` None) if the marks lead to one, or the clues are one; None where
        propagation decides no cell that is not marked yet, which does not mean that there is none.

    Raises:
        InputError: for cells and values that the grid does not have, and for a model.
    """
    if problem.contradiction is not None:
        return Hint(None, None, (problem.contradiction,), ())
    deduction = _Deduction(problem, marks, bits)
    broken, domains = deduction.run(deduction.all_on)
    if broken != FIXED_POINT:
        needed = deduction.needed(lambda on: deduction.run(on)[0] != FIXED_POINT)
        return Hint(None, None, *deduction.told(needed))
    cell, value = deduction.first_decided(domains)
    if cell is None:
        return None
    needed = deduction.needed(lambda on: deduction.decides(on, cell))
    return Hint(deduction.place(cell), value, *deduction.told(needed))


def _given(problem: Problem, shape: tuple[int, ...]) -> frozenset[Cell]:
    """Cells whose answer is written in them already, as a sudoku's givens are."""
    picture, answered = problem.picture(), problem.picture(np.zeros(shape, dtype=np.int64))
    if picture is None or answered is None:
        return frozenset()
    drawn = (answered.paths, answered.black, answered.loop)
    return picture.given if all(each is None for each in drawn) else frozenset()


class _Deduction:
    """A model with its marks as rows, of which any can be switched off."""

    def __init__(self, problem: Problem, marks: Mapping[Cell, int], bits: bool) -> None:
        named = getattr(problem, "hint_formulation", "")
        model = problem.model(named or problem.formulation_for(cuts=True))
        if model.field is None:
            raise InputError("a model has no board")
        self._at_once = getattr(problem, "at_once", "")
        self.shape, self._view = model.field.shape, model.field.views[0]
        low, high = model.field.low, model.field.high
        for cell, value in marks.items():
            inside = len(cell) == len(self.shape) and all(
                0 <= place < side for place, side in zip(cell, self.shape, strict=True)
            )
            if not (inside and low <= value <= high):
                raise InputError(f"no mark of this board: cell {list(cell)}, value {value}")
        self._cells = [*marks]
        self._closed = {self._number(cell) for cell in _given(problem, self.shape)}
        self._shown = {self._number(cell): value for cell, value in marks.items()}
        self._blank = 0 if bits else None
        base = 1 + getattr(problem, "edges", Edges()).most
        rows, self._own = self._at_least(marks, base) if bits else self._equal(marks)
        # Marks first: what the propagator queues first, and the number of each, are theirs.
        self._model: Model = replace(model, linear=(rows, *model.linear))
        # Each constraint by itself can be switched off.
        self._propagator = Propagator(self._model, chains=False)
        self._n_marks = len(rows.lower)
        self.all_on = np.ones(self._propagator.arrays.n_constraints, dtype=bool)

    def _equal(self, marks: Mapping[Cell, int]) -> tuple[Linear, IntArray]:
        """A row for each mark, and the number of each row's mark, (rows,)."""
        at = [self._number(cell) for cell in marks]
        value = np.array([*marks.values()], dtype=np.int64) - self._view.base[at]
        rows = Linear(_MARK, csr_array(self._view.matrix[at]), value, value, str)
        return rows, np.arange(len(at))

    def _at_least(self, marks: Mapping[Cell, int], base: int) -> tuple[Linear, IntArray]:
        """The same with a row for each digit: of the literals that paint as much, one is true."""
        parts, owner = [], []
        for number, (cell, value) in enumerate(marks.items()):
            at, factor = self._number(cell), 1
            row, known = self._view.matrix[[at]].tocoo(), int(self._view.base[at])
            while factor <= value:
                digit = value // factor % base
                is_there = not len(row.col) and known // factor % base >= digit
                if digit and not is_there:
                    parts.append(row.col[row.data // factor % base >= digit])
                    owner.append(number)
                factor *= base
        which = np.repeat(np.arange(len(parts)), [len(part) for part in parts]).astype(np.int64)
        cols = np.concatenate([*parts, np.zeros(0, dtype=np.int64)]).astype(np.int64)
        shape = len(parts), self._view.matrix.shape[1]
        matrix = csr_array((np.ones(len(cols), dtype=np.int64), (which, cols)), shape=shape)
        most = np.full(len(parts), UNBOUNDED)
        rows = Linear(_MARK, matrix, np.ones(len(parts), dtype=np.int64), most, str)
        return rows, np.array(owner, dtype=np.int64)

    def run(self, on: NDArray[np.bool_]) -> tuple[int, DomainArrays]:
        """Propagate some of the constraints, (constraints,): which one broke, what is left."""
        arrays, n = self._propagator.arrays, self._propagator.arrays.n_rows
        precedences, graphs = np.split(on[n:], [arrays.n_local - n])
        chosen = arrays._replace(
            lower=np.where(on[:n], arrays.lower, -UNBOUNDED),
            upper=np.where(on[:n], arrays.upper, UNBOUNDED),
            gap=np.where(precedences, arrays.gap, _NEVER),
            node_stop=np.where(graphs, arrays.node_stop, arrays.node_start),
        )
        domains = self._propagator.copy_domains()
        return propagate_all(addresses(chosen), addresses(domains), FAR), domains

    def _reach(
        self, alive: NDArray[np.bool_], cells: Any = slice(None)
    ) -> tuple[IntArray, IntArray]:
        """Least and greatest value of cells, over the values that are left."""
        low, high = reachable(self._model, csr_array(self._view.matrix[cells]), alive)
        return low + self._view.base[cells], high + self._view.base[cells]

    def decides(self, on: NDArray[np.bool_], cell: int) -> bool:
        """Whether those constraints leave a cell one value."""
        broken, domains = self.run(on)
        low, high = self._reach(domains.alive, [cell])
        return broken == FIXED_POINT and bool(low[0] == high[0])

    def first_decided(self, domains: DomainArrays) -> tuple[int | None, int | None]:
        """The open cell that was decided first, as values went, and its value; None for none.

        Cells that show what they must be are not open, those without lines included.
        """
        low, high = self._reach(domains.alive)
        decided_cells = [c for c in np.flatnonzero(low == high).tolist() if c not in self._closed]
        cells = [c for c in decided_cells if self._shown.get(c, self._blank) != low[c]]
        if not cells:
            return None, None
        removed = domains.removed[: domains.counts[REMOVED]]

        def decided(count: int) -> NDArray[np.bool_]:
            """Which of them are, once so many values are gone, (cells,)."""
            alive = np.ones_like(domains.alive)
            alive[removed[:count]] = False
            early_low, early_high = self._reach(alive, cells)
            return np.asarray(early_low == early_high)

        counts = range(len(removed) + 1)
        first = bisect_left(counts, True, key=lambda count: bool(decided(count).any()))
        cell = cells[int(np.argmax(decided(first)))]
        return cell, int(low[cell])

    def needed(self, enough: Callable[[NDArray[np.bool_]], bool]) -> IntArray:
        """Constraints that are enough, none of which can be left out.

        Source: U. Junker, "QuickXplain: preferred explanations and relaxations for
        over-constrained problems" (AAAI 2004).
        """
        n = len(self.all_on)

        def switched(parts: Sequence[int]) -> NDArray[np.bool_]:
            on = np.zeros(n, dtype=bool)
            on[[*parts]] = True
            return on

        def explain(background: list[int], changed: bool, candidates: list[int]) -> list[int]:
            if changed and enough(switched(background)):
                return []
            if len(candidates) == 1:
                return candidates
            half = len(candidates) // 2
            first, second = candidates[:half], candidates[half:]
            late = explain(background + first, bool(first), second)
            early = explain(background + late, bool(late), first)
            return early + late

        # What the board says comes first: it is kept where there is a choice.
        return np.array(explain([], True, list(range(n))), dtype=np.int64)

    def told(self, needed: IntArray) -> tuple[tuple[str, ...], tuple[Cell, ...], tuple[Cell, ...]]:
        """The labels of rules, the marked cells, and those that the rules are about."""
        marks = needed[needed < self._n_marks]
        cells = dict.fromkeys(self._cells[number] for number in self._own[marks].tolist())
        numbers = needed[needed >= self._n_marks]
        rules = dict.fromkeys(self._propagator.label(number) for number in numbers.tolist())
        if not rules and self._at_once:
            rules = {self._at_once: None}
        rows = self._propagator.rows[numbers[numbers < self._propagator.arrays.n_rows]]
        painted = self._view.matrix[:, np.unique(rows.indices)]
        near = np.flatnonzero(np.diff(painted.indptr)).tolist() if numbers.size else []
        return tuple(rules), tuple(cells), tuple(map(self.place, near))

    def _number(self, cell: Cell) -> int:
        return int(np.ravel_multi_index(cell, self.shape))

    def place(self, cell: int) -> Cell:
        """Row and column of a cell by its number."""
        return tuple(int(part) for part in np.unravel_index(cell, self.shape))
