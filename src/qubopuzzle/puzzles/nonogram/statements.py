"""The clue of each line of a nonogram as a statement, in the words of players."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qubopuzzle.base.places import listed
from qubopuzzle.model import IntArray
from qubopuzzle.model.statements import Statement
from qubopuzzle.puzzles.nonogram.rules import Clue, Nonogram, run_parts
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, cells_of, lines_of

_OPEN = -1
_NAMED = 4
"""Places where a run can start that are named; of more the first and the last."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def statements_of(puzzle: Nonogram) -> Iterator[Statement]:
    """One a line, rows first."""
    clues, painted = (*puzzle.rows, *puzzle.cols), "coloured" if puzzle.colours else "black"
    for (axis, i, cells), clue in zip(lines_of(puzzle.shape), clues, strict=True):
        runs = [(length, puzzle.signs.index(sign)) for length, sign in map(run_parts, clue)]
        line = _Line(axis, i + 1, clue, runs, cells, painted)
        where = cells_of(cells, puzzle.shape[1])
        yield Statement(axis, line.name, where, is_clue=True, words=line.words)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """A row or column: its number, its clue, the length and colour of each run, and its cells."""

    axis: str
    number: int
    clue: Clue
    runs: Sequence[tuple[int, int]]
    cells: IntArray
    painted: str

    @property
    def name(self) -> str:
        """Such as "row 3: 2 1 4" or "column 5: no black cell"."""
        runs = " ".join(map(str, self.clue))
        return f"{self.axis} {self.number}: {runs or f'no {self.painted} cell'}"

    def words(self, grid: IntArray, known: BoolArray, cell: int | None = None, /) -> str:
        """The same, and where its runs can be; of a cell those that decide it."""
        is_known = known.ravel()[self.cells]
        if not self.clue or not (is_known.any() or cell is not None):
            return self.name
        values = np.where(is_known, grid.ravel()[self.cells], _OPEN)
        starts = self._starts(values)
        place = f"{self.axis} {self.number} ({' '.join(map(str, self.clue))})"
        if not all(starts):
            return f"{place}: its runs do not fit what is known"
        if cell is not None and cell in self.cells:
            at = int(np.argmax(self.cells == cell))
            is_painted = bool(grid.flat[cell])
            why = self._why(starts, values, at, is_painted=is_painted)
            if why := why or (self._whichever(starts, values, at) if is_painted else ""):
                return f"{place}: {why}"
        need, has = sum(length for length, _ in self.runs), int(np.count_nonzero(values > 0))
        share = f"all {need}" if has == need else f"{has} of {need}"
        return f"{place}: {share} {self.painted} cells are known"

    def _why(
        self, starts: Sequence[Sequence[int]], values: IntArray, at: int, *, is_painted: bool
    ) -> str:
        """Why a cell has a value whichever of these places the runs start at, if that is so."""
        first = [s[0] for s in starts]
        end = [s[-1] + length for s, (length, _) in zip(starts, self.runs, strict=True)]
        may = [*dict.fromkeys(k for k, _ in self._through(starts, at))]
        if is_painted:
            for k in may:
                if starts[k][-1] <= at < first[k] + self.runs[k][0]:
                    is_alone = first[k] == starts[k][-1]
                    so = self._room(k, starts, values) if is_alone else ", and is there in any case"
                    return f"{self._placed(k, starts[k])}{so}"
        if is_painted or may:
            return ""
        n = len(self.runs)
        before = [k for k in range(n) if end[k] <= at][-1:]
        after = [k for k in range(n) if first[k] > at][:1]
        both = [k for k in range(n) if first[k] <= at < end[k]]
        if both and (why := self._beside(starts, values, at)):
            return why
        parts = [self._placed(k, starts[k], "end") for k in before]
        parts += [self._placed(k, starts[k]) for k in both]
        parts += [self._placed(k, starts[k], "start") for k in after]
        return f"{listed(parts)}, so that no run is there"

    def _beside(self, starts: Sequence[Sequence[int]], values: IntArray, at: int) -> str:
        """That a run which ends or starts beside a blank cell is there whichever run it is."""
        if len({colour for _, colour in self.runs}) > 1:  # those of two colours may touch
            return ""
        for through, run in self._near(starts, values, at):
            if {start + self.runs[k][0] for k, start in through} == {at}:
                return f"{run}, and ends in {self._cross} {at} in any case"
            if {start for _, start in through} == {at + 1}:
                return f"{run}, and starts in {self._cross} {at + 2} in any case"
        return ""

    def _through(self, starts: Sequence[Sequence[int]], cell: int) -> list[tuple[int, int]]:
        """The runs that can be in a cell, and where they start then."""
        each = enumerate(zip(starts, self.runs, strict=True))
        return [(k, s) for k, (some, (n, _)) in each for s in some if s <= cell < s + n]

    def _near(
        self, starts: Sequence[Sequence[int]], values: IntArray, at: int
    ) -> Iterator[tuple[list[tuple[int, int]], str]]:
        """The runs that can be in each painted cell, the nearest first; also in words."""
        for cell in sorted(np.flatnonzero(values > 0).tolist(), key=lambda one: abs(one - at)):
            through = self._through(starts, cell)
            yield through, self._is_through(through, cell)

    def _is_through(self, through: Sequence[tuple[int, int]], cell: int) -> str:
        """Which runs can be in a cell."""
        runs = listed(dict.fromkeys(self._run(k) for k, _ in through), "or")
        return f"the run through {self._cross} {cell + 1} is {runs}"

    def _whichever(self, starts: Sequence[Sequence[int]], values: IntArray, at: int) -> str:
        """That each run that can be in a painted cell, the nearest one, is in this one, too."""
        for through, run in self._near(starts, values, at):
            if all(start <= at < start + self.runs[k][0] for k, start in through):
                return f"{run}, and goes through {self._cross} {at + 1} in any case"
        return ""

    def _placed(self, k: int, starts: Sequence[int], side: str = "") -> str:
        """Where a run is, or can start; or only where it ends at the latest, or starts."""
        length, run = self.runs[k][0], self._run(k)
        if len(starts) == 1:
            ends = [starts[0] + 1, starts[0] + length][: min(length, 2)]
            where = listed(ends, "and" if length == 2 else "to")
            return f"{run} is in {self._cross}{'s' * (length > 1)} {where}"
        if side == "end":
            return f"{run} ends in {self._cross} {starts[-1] + length} at the latest"
        if side == "start":
            return f"{run} starts in {self._cross} {starts[0] + 1} at the earliest"
        if len(starts) > _NAMED and len(starts) == starts[-1] - starts[0] + 1:
            return f"{run} starts in {self._cross}s {starts[0] + 1} to {starts[-1] + 1}"
        return f"{run} starts in {self._cross} {listed((s + 1 for s in starts), 'or')}"

    @property
    def _cross(self) -> str:
        return "column" if self.axis == "row" else "row"

    def _run(self, k: int) -> str:
        """Such as "the 3" or, of several, "the second 3"."""
        before = Counter(self.clue[:k])[self.clue[k]]
        if Counter(self.clue)[self.clue[k]] == 1:
            return f"the {self.clue[k]}"
        ordinal = _ORDINALS[before] if before < len(_ORDINALS) else f"{before + 1}th"
        return f"the {ordinal} {self.clue[k]}"

    def _room(self, k: int, starts: Sequence[Sequence[int]], values: IntArray) -> str:
        """Why a run of which no cell is known is in no other gap where it would fit.

        Others have to fit before and behind it, or are in painted cells on that side.
        """
        length, colour = self.runs[k]
        beside = np.pad(values == colour, 1)
        gaps = [
            s
            for s in range(len(values) - length + 1)
            if (values[s : s + length] == _OPEN).all() and not beside[s : s + length + 2].any()
        ]
        if starts[k][0] not in gaps:
            return ""
        gaps.remove(starts[k][0])
        reasons, left = self._barred(k, gaps, np.where(values > 0, _OPEN, values))
        if left:
            reasons, left = self._taken(k, starts, values, gaps)
            reasons += self._barred(k, left, values)[0]
        return f", as {listed(reasons)}" if reasons else ""

    def _barred(self, k: int, gaps: Sequence[int], values: IntArray) -> tuple[list[str], list[int]]:
        """Which runs have to fit before or behind one, so that it is in none of some gaps.

        And those where they would fit.
        """
        reasons, left = list[str](), [*gaps]
        where = (("before", k - 1), ("behind", k + 1))
        for (side, other), reach in zip(where, self._sides(values), strict=True):
            open_gaps = [s for s in left if reach[k][s]]
            if 0 <= other < len(self.runs) and len(open_gaps) < len(left):
                reasons.append(f"{self._run(other)} has to fit {side} it")
                left = open_gaps
        return reasons, left

    def _taken(
        self, k: int, starts: Sequence[Sequence[int]], values: IntArray, gaps: Sequence[int]
    ) -> tuple[list[str], list[int]]:
        """Which painted cells are of runs on one side of one, and the gaps on its own side."""
        painted = {p: self._through(starts, p) for p in np.flatnonzero(values > 0).tolist()}
        before = [p for p, runs in painted.items() if all(run < k for run, _ in runs)][-1:]
        behind = [p for p, runs in painted.items() if all(run > k for run, _ in runs)][:1]
        reasons = [
            self._is_through(painted[p], p)
            for some, side in ((before, 1), (behind, -1))
            for p in some
            if any(side * s < side * p for s in gaps)
        ]
        first, last = max(before, default=-1), min(behind, default=len(values))
        return reasons, [s for s in gaps if first < s < last]

    def _sides(self, values: IntArray) -> list[list[BoolArray]]:
        """Where each run can start with those before it, and with those behind it."""
        back = _reach(self.runs[::-1], values[::-1])[::-1]
        return [_reach(self.runs, values), [each[::-1] for each in back]]

    def _starts(self, values: IntArray) -> list[list[int]]:
        """Where each run can start, if all of them fit what is known."""
        pairs = zip(*self._sides(values), strict=True)
        return [np.flatnonzero(one & other).tolist() for one, other in pairs]


def _reach(runs: Sequence[tuple[int, int]], values: IntArray) -> list[BoolArray]:
    """Where each run can start so that those before it fit and leave no painted cell out."""
    places = np.arange(len(values) + 1)
    painted = np.maximum.accumulate(np.append(0, np.where(values > 0, places[1:], 0)))
    end, before, reach = places == 0, 0, list[BoolArray]()
    for length, colour in runs:
        other = np.append(0, np.cumsum((values != _OPEN) & (values != colour)))
        last = np.maximum.accumulate(np.where(end, places, -1))
        if colour == before:  # a cell between them is blank
            last = np.append(-1, last[:-1])
        starts = (last >= painted)[: len(places) - length]
        starts &= other[length:] == other[: len(places) - length]
        end = np.append(np.zeros(length, dtype=bool), starts)
        before = colour
        reach.append(starts)
    return reach
