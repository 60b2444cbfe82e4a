"""What follows from the marks on a board, cell by cell to the end, and from which clues and rules.

As in J. Espasa et al., "Using small MUSes to explain how to solve pen and paper puzzles" (arXiv
2104.15040), the next step is a cell whose opposite contradicts the fewest statements together with
what is on the board. One that needs a single statement is taken first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base import html
from qubopuzzle.base.places import cell_names, listed
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.errors import InputError
from qubopuzzle.model import FALSE, TRUE, IntArray
from qubopuzzle.model.statements import Statement
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle
from qubopuzzle.reasons.chains import Alive, chain, contradict, followed
from qubopuzzle.reasons.deduction import Deduction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = tuple[int, ...]

_TRIED = 12
"""Cells with the smallest cores whose reasons are made minimal."""
_TOLD = 3
"""Cells of a step of which the reason tells each; of more it tells the first."""
_PATIENCE = 400
"""Conflicts after which a reason that may be left out is kept."""
_PLAIN = 4
"""Chains that are tried where the fewest statements make none."""
_CASES = 12
"""Cells by which cases are told apart, where no chain is a contradiction without that."""
_CALLS = 120
"""Questions after which no further cell is tried."""
_LINE, _LINES = 92, 9
"""Of a film's text: letters of a line, and lines."""
_MARKS = 8
"""Marks that are named where a rule holds everywhere, and does not say what of it matters."""
_NO_VALUE = -(1 << 20)
"""Of a cell that has none, where a statement that says so is not in force."""
_SEVERAL = "nothing more is decided: there are several solutions"


@dataclass(frozen=True, slots=True)
class Hint:
    """What follows from the marks on a board, and why.

    Attributes:
        problem: the puzzle.
        marks: what is on the board, by cell.
        cells: that are decided by the same reasons, with their values; none for a contradiction,
            and where no cell is decided, as there are several solutions.
        reasons: the clues and rules that it takes, in sentences, of which none can be left out;
            none where there are several solutions, and for a mark that no answer has there.
        because: the marked cells that it takes, likewise.
        near: the cells that those clues and rules are about.
        chain: where several reasons are needed, what the opposite would lead to, link by link; none
            where they act all at once.
        claim: what is decided, for people, such as "row 2, column 3 is black".
        text: all of it, for people, with rows and columns counted from 1: a line, or where there is
            more than one reason, what is decided and then a line for each.
        statements: the same clues and rules, by their numbers in ``Puzzle.stated``.
        is_minimal: whether it is proved that no reason and no mark can be left out. Of large boards
            one may be kept because that takes long.
    """

    problem: Puzzle = field(compare=False, repr=False)
    marks: Mapping[Cell, int] = field(compare=False, repr=False)
    cells: Mapping[Cell, int]
    reasons: tuple[str, ...]
    because: tuple[Cell, ...] = ()
    near: tuple[Cell, ...] = ()
    chain: tuple[str, ...] = ()
    claim: str = ""
    text: str = ""
    statements: tuple[int, ...] = ()
    is_minimal: bool = True

    @property
    def cell(self) -> Cell | None:
        """The first cell that is decided; None if none is."""
        return next(iter(self.cells), None)

    @property
    def value(self) -> int | None:
        """Its value."""
        return next(iter(self.cells.values()), None)

    @property
    def width(self) -> int:
        """How many clues and rules are needed at once."""
        return len(self.reasons)

    def picture(self) -> Picture:
        """The board with what is decided; notes on these cells and on those of the reasons.

        Marks that contradict each other are broken.
        """
        notes = dict.fromkeys(self.near, "near") | dict.fromkeys(self.because, "because")
        notes |= dict.fromkeys(self.cells, "decided")
        broken = frozenset(() if self.cells else self.because)
        board = self.problem.board({**self.marks, **self.cells})
        return replace(board, notes=notes, broken=broken)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return html.inline(self.picture().image("svg")) + html.paragraph(self.text)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "cells": [[*cell, value] for cell, value in self.cells.items()],
            "reasons": [*self.reasons],
            "because": [[*cell] for cell in self.because],
            "near": [[*cell] for cell in self.near],
            "chain": [*self.chain],
            "claim": self.claim,
            "text": self.text,
        }


def hint(problem: Puzzle, marks: Mapping[Cell, int], *, bits: bool = False) -> Hint | None:
    """The next step from the marks on a board, or what these contradict.

    >>> from qubopuzzle import Nonogram
    >>> print(hint(Nonogram(rows="1;2", cols="1;2"), {(0, 0): 0}))
    row 1, column 2 is black: row 1 (1): the 1 is in column 2

    Args:
        problem: a puzzle.
        marks: what is on the board, by cell.
        bits: a mark says only which lines leave the cell at least, see ``Puzzle.edges``: which
            bits of its value are 1, where two cells are not joined by several lines.

    Returns:
        Without cells if the marks lead to a contradiction, the clues are one, or no further cell
        is decided; None where all are on the board.

    Raises:
        InputError: for cells and values that the grid does not have, and for a model.
    """
    if problem.contradiction is not None:
        return _impossible(problem, marks)
    with _Reasoner(problem, marks, bits=bits) as reasoner:
        return reasoner.oracle.run(reasoner.next_step)


def steps(problem: Puzzle, marks: Mapping[Cell, int] | None = None) -> Iterator[Hint]:
    """Step by step from the marks on a board, or an empty one; the last may have no cells.

    >>> from qubopuzzle import Nonogram
    >>> [len(step.cells) for step in steps(Nonogram(rows="1;2", cols="1;2"))]
    [2, 1, 1]
    """
    if problem.contradiction is not None:
        yield _impossible(problem, marks or {})
        return
    with closing(_Reasoner(problem, marks or {})) as reasoner:
        while (step := reasoner.oracle.run(reasoner.next_step)) is not None:
            yield step
            if not step.cells:
                return
            reasoner.take(step.cells)


def contradiction(problem: Puzzle, marks: Mapping[Cell, int], *, bits: bool = False) -> Hint | None:
    """What the marks on a board, or the clues alone, contradict; None if there is an answer.

    >>> from qubopuzzle import Nonogram
    >>> contradiction(Nonogram(rows="1;2", cols="1;2"), {(0, 0): 1, (0, 1): 1}).because
    ((0, 0), (0, 1))

    Args:
        problem, marks, bits: as in ``hint``, which looks further where there is an answer.

    Raises:
        InputError: as ``hint``.
    """
    if problem.contradiction is not None:
        return _impossible(problem, marks)
    with _Reasoner(problem, marks, bits=bits) as reasoner:
        return reasoner.oracle.run(reasoner.contradiction)


def _impossible(problem: Puzzle, marks: Mapping[Cell, int]) -> Hint:
    """What clues have that contradict each other at one look."""
    why = str(problem.contradiction)
    return Hint(problem, marks, {}, (why,), text=why)


def film(steps: Sequence[Hint], file_format: str, *, per_second: int = 1) -> bytes:
    """Steps as a gif or mp4, a picture with its text each.

    Raises:
        InputError: for mp4 where ffmpeg is not installed, and for no steps.
    """
    from textwrap import wrap

    from qubopuzzle.picture.course import film as film_of

    def draw(step: Hint, figure: Figure) -> None:
        step.picture().plot(figure.add_axes((0.02, 0.25, 0.96, 0.73)))
        lines = [part for line in step.text.split("\n") for part in wrap(line, _LINE)]
        if len(lines) > _LINES:
            lines[_LINES - 1 :] = ["..."]
        text = "\n".join(lines)
        figure.text(0.04, 0.22, text, fontsize=9, verticalalignment="top")

    if not steps:
        raise InputError("there are no steps")
    return film_of([partial(draw, step) for step in steps], file_format, per_second)


@dataclass
class _Known:
    """What is on the board, by cell: values, variables of the oracle, and literals that go."""

    values: dict[int, int] = field(default_factory=dict)
    variables: dict[int, int] = field(default_factory=dict)
    gone: dict[int, IntArray] = field(default_factory=dict)

    @property
    def every(self) -> list[int]:
        return [*self.variables.values()]


class _Reasoner:
    """A puzzle's statements with an oracle, and what is on the board."""

    def __init__(self, problem: Puzzle, marks: Mapping[Cell, int], *, bits: bool = False) -> None:
        self.problem, self.stated = problem, problem.stated()
        if self.stated.literals is None or self.stated.values is None:
            raise InputError("a model has no board")
        self.literals, self.values = self.stated.literals, self.stated.values
        self.shape, self._bits = problem.shape, bits
        self.known, self._marks = _Known(), {**marks}
        statements = self.stated.statements
        self._near = [dict.fromkeys(map(self._number, each.cells)).keys() for each in statements]
        self.oracle, self.deduction = Oracle(self.stated), Deduction(self.stated)
        self.oracle.patience = _PATIENCE
        try:
            self._every = [*self._statements()]
            self._fresh = {*self._every}
            # Values that the grid itself decides, such as those of a clue's cell, are shown, too.
            self._closed = {*self.known.values, *np.argwhere(self.literals == TRUE)[:, 0].tolist()}
            self._wrong = [cell for cell, value in marks.items() if not self._mark(cell, value)]
            self._example: dict[int, int] = {}
            self._target: dict[int, int] | None = None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the oracle."""
        self.oracle.__exit__()

    # --- what is on the board ------------------------------------------------------------

    def take(self, cells: Mapping[Cell, int]) -> None:
        """Put the cells of a step on the board."""
        self._marks |= cells
        for cell, value in cells.items():
            self._mark(cell, value)
        numbers = {self._number(cell) for cell in cells}
        self._fresh |= {i for i, near in enumerate(self._near) if not near or numbers & near}

    def _statements(self) -> Iterator[int]:
        """All but the givens, clues that are values of cells, which are put on the board."""
        cell_of = {int(lit): place for place, lit in np.ndenumerate(self.literals) if lit >= 0}
        for i, statement in enumerate(self.stated.statements):
            literal = -1 if statement.literal is None else statement.literal
            if statement.is_clue and literal in cell_of:
                cell, place = cell_of[literal]
                self._mark(self._place(cell), int(self.values[place]))
            else:
                yield i

    def _mark(self, cell: Cell, value: int) -> bool:
        """Put a mark on the board; False if the cell can never have the value."""
        inside = len(cell) == 2 and all(
            0 <= place < side for place, side in zip(cell, self.shape, strict=True)
        )
        field = self.stated.model.field
        if not inside or (field is not None and not field.low <= value <= field.high):
            raise InputError(f"no mark of this board: cell {list(cell)}, value {value}")
        number = self._number(cell)
        self.known.values[number] = value
        literals = self.literals[number][self._allowed(value)]
        several = map(self.oracle.variable, literals.tolist())
        is_it = self.oracle.any_of(several) if self._bits else self._is(number, value)
        self.known.variables[number] = is_it
        self.known.gone[number] = self._gone(number, value)
        return bool((literals != FALSE).any())

    def _allowed(self, value: int) -> NDArray[np.bool_]:
        """The values of a cell that a mark allows, (values,)."""
        if not self._bits:
            return np.asarray(self.values == value)
        allowed, factor = np.ones(len(self.values), dtype=bool), 1
        base = 1 + self.problem.edges.most
        while factor <= value:
            allowed &= self.values // factor % base >= value // factor % base
            factor *= base
        return allowed

    def _is(self, cell: int, value: int) -> int:
        """The variable that a cell has a value."""
        (place,) = np.nonzero(self.values == value)
        return self.oracle.variable(int(self.literals[cell, place[0]]) if len(place) else FALSE)

    def _gone(self, cell: int, value: int) -> IntArray:
        """The literals that a mark rules out."""
        literals: IntArray = self.literals[cell][~self._allowed(value)]
        return literals[literals >= 0]

    # --- the next step -------------------------------------------------------------------

    def next_step(self) -> Hint | None:
        """See ``hint``."""
        self.oracle.is_sure = True
        if self._target is None:
            if (wrong := self.contradiction()) is not None:
                return wrong
            known = [*self.known.variables.values()]
            self._target = self._forced(self._every, known, self._example)
        left = {c: v for c, v in self._target.items() if self._is_open(c, v)}
        if not left:
            is_whole = len(self._target.keys() | self._closed) == len(self.literals)
            return None if is_whole else self._hint({}, (), text=_SEVERAL)
        return self._single(left) or self._several(left)

    def contradiction(self) -> Hint | None:
        """See there."""
        if self._wrong:
            cells = tuple(self._wrong)
            text = self._of(cells)
            return self._hint({}, ("what the cell can hold",), cells, cells, text=text)
        known = [*self.known.variables.values()]
        answer = self._answer(self._every, known, range(len(self.literals)))
        if answer is None:
            return self._contradiction()
        self._example = answer
        return None

    def _is_open(self, cell: int, value: int) -> bool:
        blank = 0 if self._bits else None
        return cell not in self._closed and self.known.values.get(cell, blank) != value

    def _answer(
        self, statements: Sequence[int], known: Sequence[int], cells: Iterable[int]
    ) -> dict[int, int] | None:
        """The values of cells in some answer; None if there is none."""
        x = self.oracle.solve(statements, known)
        if x is None:
            return None
        values = self._values(x)
        return {c: v for c in cells if (v := int(values[c])) != _NO_VALUE}

    def _forced(
        self, statements: Sequence[int], known: Sequence[int], values: Mapping[int, int]
    ) -> dict[int, int]:
        """Those of the values of an answer that all answers have."""
        cells = values.keys() - self._closed
        opposite = {-self._is(cell, values[cell]): cell for cell in sorted(cells)}
        forced: list[int] = []
        while opposite:
            if self.oracle.solve(statements, [*known, *opposite]) is not None:
                break  # all may differ at once
            core = [each for each in self.oracle.core()[1] if each in opposite]
            forced += [
                opposite[each]
                for each in core
                if len(core) == 1 or self.oracle.solve(statements, [*known, each]) is None
            ]
            opposite = {each: c for each, c in opposite.items() if each not in core}
        return {cell: values[cell] for cell in sorted(forced)}

    def _values(self, x: IntArray) -> IntArray:
        """The value of each cell in an assignment, (cells,)."""
        true = np.append(x, [1, 0])[self.literals] > 0  # TRUE is -2, FALSE -1
        return np.where(true.any(axis=1), self.values[true.argmax(axis=1)], _NO_VALUE)

    def _single(self, left: Mapping[int, int]) -> Hint | None:
        """A step that a single statement makes, as far as propagation shows."""
        gone = _together(self.known.gone.values())
        around = {i: self._around(i, left) for i in sorted(self._fresh)}
        if decided := self._decided(None, gone, [*left]):
            return self._step([], min(decided), left)
        for i in sorted(around, key=lambda i: (len(around[i]), i)):
            decided = self._decided(i, gone, around[i]) or {}
            if decided:
                return self._step([i], min(decided), left)
            self._fresh.discard(i)
        return None

    def _decided(
        self, statement: int | None, gone: IntArray, cells: Sequence[int]
    ) -> dict[int, int] | None:
        """Those of the cells that a statement leaves one value, by propagation; None: it fails.

        Without a statement those that have one anyway.
        """
        alive = self.deduction.alive(statement, gone)
        if alive is None:
            return None
        literals = self.literals[np.array(cells, dtype=np.int64)]
        may = np.append(alive, [True, False])[literals]  # TRUE is -2, FALSE -1
        value, one = self.values[may.argmax(axis=1)], may.sum(axis=1) == 1
        return {cells[i]: int(value[i]) for i in np.flatnonzero(one).tolist()}

    def _around(self, statement: int | None, left: Mapping[int, int]) -> list[int]:
        """The open cells that a statement is about."""
        near = () if statement is None else self._near[statement]
        return [cell for cell in near if cell in left] if near else [*left]

    def _several(self, left: Mapping[int, int]) -> Hint:
        """The step with the fewest statements, as far as it is looked for."""
        known = self.known.every
        cores = []
        for cell, value in left.items():
            x = self.oracle.solve(self._every, [*known, -self._is(cell, value)])
            assert x is None, "a cell that is decided"  # noqa: S101
            cores.append((len(self.oracle.core()[0]), cell, self.oracle.core()[0]))
        best: Sequence[int] = [*self._every, -1]
        decided, calls = min(left), self.oracle.calls
        for _, cell, core in sorted(cores)[:_TRIED]:
            opposite = [*known, -self._is(cell, left[cell])]
            for order in (core, core[::-1]):
                fewer = self.oracle.minimal(order, opposite, most=len(best) - 1)
                if fewer is not None:
                    best, decided = fewer, cell
                if not self.oracle.is_sure:
                    return self._step(best, decided, left)
            if len(best) <= 2 or self.oracle.calls - calls > _CALLS:
                break
        if not self._path(best, decided, left[decided]):
            best, decided = self._plain(cores, left) or (best, decided)
        return self._step(best, decided, left)

    def _plain(
        self, cores: Sequence[tuple[int, int, list[int]]], left: Mapping[int, int]
    ) -> tuple[Sequence[int], int] | None:
        """The statements of the shortest chain that is looked for, and the cell that it decides."""
        few = [(cell, core) for _, cell, core in sorted(cores) if len(core) <= _TRIED][:_TRIED]
        paths = [(self._path(core, cell, left[cell]), cell) for cell, core in few]
        for path, cell in sorted((p for p in paths if p[0]), key=lambda p: len(p[0]))[:_PLAIN]:
            opposite = [*self.known.every, -self._is(cell, left[cell])]
            needed = self.oracle.minimal([*dict.fromkeys(path)], opposite) or []
            if self._path(needed, cell, left[cell]):
                return needed, cell
        return None

    def _path(self, needed: Sequence[int], cell: int, value: int) -> list[int]:
        """Those of some statements by which the opposite is a contradiction, one by one."""
        alive = self.deduction.alive(None, self._otherwise(cell, value))
        return [] if alive is None else chain(self.deduction, needed, alive)

    def _otherwise(self, cell: int, value: int) -> IntArray:
        """The literals that the board and the opposite of a value rule out."""
        (place,) = np.nonzero(self.values == value)
        return _together([*self.known.gone.values(), self.literals[cell][place]])

    def _step(self, needed: Sequence[int], cell: int, left: Mapping[int, int]) -> Hint:
        """A step by these statements: the marks that it takes, and what else they decide."""
        marks = self._needed_marks(needed, cell, left[cell])
        gone = _together(self.known.gone[mark] for mark in marks)
        links = self._chain(needed, cell, left[cell]) if len(needed) > 1 else ()
        cells = {cell: left[cell], **self._besides(needed, gone, cell, left)}
        return self._said(needed, cells, marks, links)

    def _besides(
        self, needed: Sequence[int], gone: IntArray, cell: int, left: Mapping[int, int]
    ) -> dict[int, int]:
        """What follows besides from statements, values that are gone, and a cell."""
        decided = {cell: left[cell]}
        while True:
            without = _together([gone, *(self._gone(c, v) for c, v in decided.items())])
            more = {
                c: v
                for i in (None, *needed)
                for c, v in (self._decided(i, without, self._around(i, left)) or {}).items()
                if c not in decided and left[c] == v
            }
            if not more:
                return decided
            decided |= dict(sorted(more.items()))

    def _needed_marks(self, needed: Sequence[int], cell: int, value: int) -> list[int]:
        """Marked cells that these statements take to decide a cell, near ones rather than far."""
        columns = self.shape[1]
        r, c = divmod(cell, columns)

        def distance(mark: int) -> int:
            row, column = divmod(mark, columns)
            return abs(row - r) + abs(column - c)

        marks = sorted(self.known.variables, key=distance)
        if len(needed) == 1:  # most go by propagation, which is faster
            marks = self._enough(needed[0], cell, value, marks) or marks
        owner = {self.known.variables[mark]: mark for mark in marks}
        opposite = -self._is(cell, value)
        kept = self.oracle.minimal_variables([*owner], needed, [opposite]) or []
        return sorted({owner[variable] for variable in kept})

    def _enough(
        self, statement: int, cell: int, value: int, marks: Sequence[int]
    ) -> list[int] | None:
        """Marks of which propagation needs each to decide a cell; None if all are not enough.

        Source: U. Junker, "QuickXplain: preferred explanations and relaxations for
        over-constrained problems" (AAAI 2004).
        """

        def decides(some: Sequence[int]) -> bool:
            gone = _together(self.known.gone[mark] for mark in some)
            return self._decided(statement, gone, [cell]) == {cell: value}

        def needed(background: list[int], changed: bool, candidates: list[int]) -> list[int]:
            if changed and decides(background):
                return []
            if len(candidates) == 1:
                return candidates
            half = len(candidates) // 2
            first, second = candidates[:half], candidates[half:]
            late = needed(background + first, bool(first), second)
            return needed(background + late, bool(late), first) + late

        if not decides(marks):
            return None
        return [] if decides([]) else needed([], False, [*marks])

    def _chain(self, needed: Sequence[int], cell: int, value: int) -> tuple[str, ...]:
        """What the opposite leads to, by one statement after the other; none if that is no end."""
        gone = self._otherwise(cell, value)
        assumed, alive = self._decided(None, gone, [cell]) or {}, self.deduction.alive(None, gone)
        if alive is None:
            return ()
        path = chain(self.deduction, needed, alive)
        links, known = self._links(path, alive, assumed, {cell})
        if not path:
            links = self._cases(needed, alive, assumed, cell)
        return links or self._cut_off(needed, known)

    def _links(
        self, path: Sequence[int], alive: Alive, assumed: Mapping[int, int], but: Collection[int]
    ) -> tuple[tuple[str, ...], Mapping[int, int]]:
        """A chain in words, none if they would not show the end, and the cells that it decides."""
        links, by = list[str](), list[str]()
        narrowed = False  # whether more has become impossible than the board can show
        hidden = {c for c in but if c not in assumed and not self.problem.has_lines}
        for at, (number, left) in enumerate(followed(self.deduction, path, alive)):
            statement = self.stated.statements[number]
            if left is None:
                sentence = self._sentence(statement, assumed)
                unseen = narrowed or sentence == self._sentence(statement, {})
                if (unseen and not self._near[number]) or (by and not links):
                    break  # nobody would see where
                unseen |= bool(hidden & self._near[number])
                sentence = f"nothing is left for {statement.name}" if unseen else sentence
                besides = f" (with {' and '.join(dict.fromkeys(by))})" if by else ""
                return (*links, f"a contradiction: {sentence}{besides}"), assumed
            by.append(statement.name)
            later = [self._near[i] for i in path[at + 1 :]]
            of = {cell for near in later for cell in near} if all(later) else None
            new, facts = self._new(alive, left, {*but, *assumed}, of)
            assumed, alive = {**assumed, **new}, left
            if not (new or self._near[number]):
                break
            narrowed |= not new
            if facts:
                links.append(f"{facts} ({' and '.join(dict.fromkeys(by))})")
                by.clear()
        return (), assumed

    def _cases(
        self, needed: Sequence[int], alive: Alive, assumed: Mapping[int, int], cell: int
    ) -> tuple[str, ...]:
        """What follows if another cell has a value, and if not: a contradiction each, shortly."""
        near = {c for i in needed for c in self._near[i]} - {*self.known.values, cell}
        may = np.append(alive, [True, False])[self.literals]
        tried = sorted((int(may[c].sum()), c) for c in near if may[c].sum() > 1)[:_CASES]
        every = (
            tuple(self._case(needed, alive, side, assumed, cell, other) for side in sides)
            for n_values, other in tried
            for place in np.flatnonzero(may[other])[int(n_values == 2) :].tolist()
            if (sides := self._sides(needed, alive, other, place))
        )
        cases = islice((each for each in every if all(each)), _PLAIN)
        return min(cases, key=lambda each: len("".join(each)), default=())

    def _sides(self, needed: Sequence[int], alive: Alive, cell: int, place: int) -> list[Alive]:
        """What is left if a cell has a value, and if not; none if one is no contradiction."""
        sides = list[Alive]()
        before = np.flatnonzero(~alive)
        for gone in self._gone(cell, int(self.values[place])), self.literals[cell, [place]]:
            left = self.deduction.alive(None, np.append(before, gone))
            if left is None or not contradict(self.deduction, needed, left):
                return []
            sides.append(left)
        return sides

    def _case(
        self,
        needed: Sequence[int],
        before: Alive,
        alive: Alive,
        assumed: Mapping[int, int],
        cell: int,
        other: int,
    ) -> str:
        """Where a cell has lost values: what it is, and the chain from there."""
        new, words = self._new(before, alive, {cell, *assumed}, {other})
        path = chain(self.deduction, needed, alive)
        links, _ = self._links(path, alive, {**assumed, **new}, {cell, other})
        return f"if {words}: {', and then '.join(links)}" if words and links else ""

    def _cut_off(self, needed: Sequence[int], assumed: Mapping[int, int]) -> tuple[str, ...]:
        """A chain's only link where the words of a rule of the whole grid say that it is broken."""
        for statement in (self.stated.statements[i] for i in needed if not self._near[i]):
            broken = self._sentence(statement, assumed)
            if broken != self._sentence(statement, {}):
                return (f"a contradiction: {broken}",)
        return ()

    def _new(
        self, before: Alive, after: Alive, but: Collection[int], of: Collection[int] | None = None
    ) -> tuple[dict[int, int], str]:
        """The cells that literals which have gone decide, and what these say of some, in words."""
        may, can = (np.append(alive, [True, False])[self.literals] for alive in (before, after))
        shown = {*self.known.values, *self._closed, *but}
        changed = [c for c in np.flatnonzero((may != can).any(axis=1)).tolist() if c not in shown]
        changed = [c for c in changed if of is None or c in of] or changed
        decided = {c: int(self.values[can[c].argmax()]) for c in changed if can[c].sum() == 1}
        parts = [self._are(decided)] if decided else []
        narrowed = {
            self._place(c): (self.values[may[c]].tolist(), self.values[can[c]].tolist())
            for c in changed
            if c not in decided
        }
        if (words := self.problem.describe_narrowed(narrowed)) and not decided:
            parts.append(words)
        return decided, ", and ".join(parts)

    def _contradiction(self) -> Hint:
        """Marks and statements that do not go together."""
        known = self.known.every
        needed = self.oracle.minimal(self._every, known) or []
        kept = self.oracle.minimal_variables(known, needed) or []
        owner = {variable: cell for cell, variable in self.known.variables.items()}
        marks = sorted({owner[variable] for variable in kept})
        return self._said(needed, {}, marks, ())

    # --- in words ------------------------------------------------------------------------

    def _said(
        self,
        needed: Sequence[int],
        cells: Mapping[int, int],
        marks: Sequence[int],
        links: tuple[str, ...],
    ) -> Hint:
        statements = [self.stated.statements[i] for i in needed]
        first = dict([*cells.items()][:1])
        reasons = tuple(self._sentence(each, {}, first) for each in statements)
        near = tuple(dict.fromkeys(cell for each in statements for cell in each.cells))
        because = tuple(map(self._place, marks))
        decided = {self._place(cell): value for cell, value in cells.items()}
        claim = self.problem.describe(decided, self._marks)
        lines = _grouped(statements, reasons) or ["nothing else fits the marked cells beside it"]
        if len(statements) == 1 and 1 < len(cells) <= _TOLD:  # what it says of each of them
            each = ({cell: value} for cell, value in cells.items())
            lines = [*dict.fromkeys(self._sentence(statements[0], {}, one) for one in each)]
        everywhere = [
            reason == self._sentence(each, {})
            for each, reason in zip(statements, reasons, strict=True)
            if not each.cells
        ]
        if 0 < len(marks) <= _MARKS and any(everywhere):
            there = self._are({mark: self.known.values[mark] for mark in marks})
            lines = [*lines, there] if lines[1:] else [f"{lines[0]}, and {there}"]
        if not cells:
            text = _text("these contradict each other", lines)
        elif links:
            text = _text(f"{claim}, as otherwise", links)
        else:
            text = _text(claim, lines)
        parts = decided, reasons, because, near, links, claim, text, tuple(needed)
        return self._hint(*parts, is_minimal=self.oracle.is_sure)

    def _hint(self, *parts: Any, **more: Any) -> Hint:
        return Hint(self.problem, {**self._marks}, *parts, **more)

    def _of(self, cells: Sequence[Cell]) -> str:
        return f"{cell_names(cells)}: no solution has this there"

    def _are(self, cells: Mapping[int, int]) -> str:
        return self.problem.describe({self._place(cell): value for cell, value in cells.items()})

    def _sentence(
        self, statement: Statement, assumed: Mapping[int, int], decided: Mapping[int, int] = {}
    ) -> str:
        """What a statement asks for, on the board with some cells more, and of one it decides."""
        if statement.words is None:
            return statement.name
        board, is_known = self._board()
        for cell, value in {**assumed, **decided}.items():
            board.flat[cell], is_known.flat[cell] = value, cell in assumed
        return statement.words(board, is_known, next(iter(decided), None))

    def _board(self) -> tuple[IntArray, Any]:
        board, is_known = np.zeros(self.shape, dtype=np.int64), np.zeros(self.shape, dtype=bool)
        for cell, value in self.known.values.items():
            board.flat[cell], is_known.flat[cell] = value, not self._bits
        return board, is_known

    def _number(self, cell: Cell) -> int:
        return int(np.ravel_multi_index(cell, self.shape))

    def _place(self, cell: int) -> Cell:
        return tuple(int(part) for part in np.unravel_index(cell, self.shape))


def _together(parts: Iterable[IntArray]) -> IntArray:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _grouped(statements: Sequence[Statement], reasons: Sequence[str]) -> list[str]:
    """A sentence a reason; one of those that differ only by what they are about."""
    names: dict[str, list[str]] = {}
    for each, reason in zip(statements, reasons, strict=True):
        form = reason if reason == each.name else reason.replace(each.name, "{}", 1)
        names.setdefault(form, []).append(each.name)
    lines = []
    for form, several in names.items():
        comma = "; " if any("," in name for name in several) else ", "
        each_of = f"each of {listed(several, comma=comma)}" if several[1:] else several[0]
        lines.append(form.replace("{}", each_of))
    return lines


def _text(claim: str, lines: Sequence[str]) -> str:
    """What is claimed, and why: on the same line, or several lines."""
    if len(lines) == 1:
        return f"{claim}: {lines[0]}"
    return "\n".join([f"{claim}:", *(f"- {line}" for line in lines)])
