"""What follows from the marks on a board, cell by cell to the end, and from which clues and rules.

What a single clue decides comes first, then what is said around one cell, then a short proof by
propagation where there are rules of the whole grid. Last comes a cell whose opposite contradicts
the fewest statements together with what is on the board, as in J. Espasa et al., "Using small MUSes
to explain how to solve pen and paper puzzles" (arXiv 2104.15040).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from math import inf
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from qubopuzzle.base import html
from qubopuzzle.base.places import cell_names
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.errors import InputError
from qubopuzzle.model import FALSE, IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle
from qubopuzzle.reasons.board import Board, Cell, together
from qubopuzzle.reasons.chains import Link, links_in, needed_of
from qubopuzzle.reasons.deduction import Deduction
from qubopuzzle.reasons.proofs import Proof, Prover
from qubopuzzle.reasons.words import MOST_MARKS, Words, grouped, with_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TRIED = 12
"""Cells with the smallest cores whose reasons are made minimal."""
_TOLD = 3
"""Cells by a rule of the whole grid that may differ in why, and lines of a short proof."""
_SHORT = 400
"""Letters of a proof than which no shorter one is looked for."""
_LONG = 1000
"""Letters of a proof of more than which others are looked for."""
_PATIENCE = 400
"""Conflicts after which a reason that may be left out is kept."""
_CALLS = 120
"""Questions after which no further cell is tried."""
_USUAL = 22_000_000
"""Work, see ``Deduction``, after which no shorter proof is looked for."""
_MOST = 30_000_000
"""Work after which none is looked for at all."""
_LAST = 50_000_000
"""Work on a step after which no further proof is looked for."""
_LINE, _LINES = 92, 9
"""Of a film's text: letters of a line, and lines."""
_NO_VALUE = -(1 << 20)
"""Of a cell that has none, where a statement that says so is not in force."""
_NOTHING = np.zeros(0, dtype=np.int64)
"""No constraint."""
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
        chain: where several reasons are needed, or a rule of the whole grid, how it follows, link
            by link: to the cell, or from the opposite to a contradiction; none where it is not by
            one after the other.
        claim: what is decided, for people, such as "row 2, column 3 is black".
        text: all of it, for people, with rows and columns counted from 1: a line, or where there is
            more than one reason, what is decided and then a line for each.
        statements: the same clues and rules, by their numbers in ``Puzzle.stated_on_board``.
        is_minimal: whether it is proved that no reason and no mark can be left out, whatever chain
            one finds. If not, the chain needs each of them, or there is none, and to find out takes
            long.
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


_Shown = tuple[Proof, tuple[str, ...]]
"""A proof, and its lines in words."""


class _Reasoner:
    """A board, an oracle over its statements, and the proofs that propagation finds."""

    def __init__(self, problem: Puzzle, marks: Mapping[Cell, int], *, bits: bool = False) -> None:
        self.board = board = Board(problem, marks, bits=bits)
        self.oracle, deduction = Oracle(board.stated), Deduction(board.stated)
        self.oracle.patience = _PATIENCE
        self.prover, self.words = Prover(board, deduction), Words(board, deduction)
        self._variables: dict[int, int] = {}
        self._fresh = {*board.rules}
        self._example: dict[int, int] = {}
        self._target: dict[int, int] | None = None
        try:
            self._are_known(board.known)
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

    def take(self, cells: Mapping[Cell, int]) -> None:
        """Put the cells of a step on the board."""
        self.board.put(cells)
        numbers = {*map(self.board.number, cells)}
        self._are_known(numbers)
        near = enumerate(self.board.near)
        self._fresh |= {i for i, cells_near in near if not cells_near or numbers & cells_near}

    def _are_known(self, cells: Iterable[int]) -> None:
        """The variables of the oracle that these cells have their marks."""
        board = self.board
        for cell in cells:
            literals = board.literals[cell][board.allowed(board.known[cell])]
            several = [self.oracle.variable(literal) for literal in literals.tolist()]
            is_one = len(several) == 1
            self._variables[cell] = several[0] if is_one else self.oracle.any_of(several)

    def _is(self, cell: int, value: int) -> int:
        """The variable that a cell has a value."""
        (place,) = np.nonzero(self.board.values == value)
        literal = self.board.literals[cell, place[0]] if len(place) else FALSE
        return self.oracle.variable(int(literal))

    @property
    def _known(self) -> list[int]:
        return [*self._variables.values()]

    # --- the next step -------------------------------------------------------------------

    def next_step(self) -> Hint | None:
        """See ``hint``."""
        self.oracle.is_sure, board = True, self.board
        if self._target is None:
            if (wrong := self.contradiction()) is not None:
                return wrong
            self._target = self._forced(self._example)
        left = {c: v for c, v in self._target.items() if self._is_open(c, v)}
        if not left:
            is_whole = len(self._target.keys() | board.closed) == len(board.literals)
            return None if is_whole else self._hint({}, (), text=_SEVERAL)
        return self._single(left) or self._several(left)

    def contradiction(self) -> Hint | None:
        """See there."""
        if wrong := tuple(self.board.wrong()):
            text = f"{cell_names(wrong)}: no solution has this there"
            return self._hint({}, ("what the cell can hold",), wrong, wrong, text=text)
        x = self.oracle.solve(self.board.rules, self._known)
        if x is None:
            needed = self.oracle.minimal(self.board.rules, self._known) or []
            marks = self._marks_of(self._variables, needed, [])
            return self._step_of(needed, {}, marks, is_minimal=self.oracle.is_sure)
        values = self._values(x)
        self._example = {c: v for c, v in enumerate(values.tolist()) if v != _NO_VALUE}
        return None

    def _is_open(self, cell: int, value: int) -> bool:
        blank = 0 if self.board.bits else None
        return cell not in self.board.closed and self.board.known.get(cell, blank) != value

    def _forced(self, values: Mapping[int, int]) -> dict[int, int]:
        """Those of the values of an answer that all answers have."""
        cells, known, rules = values.keys() - self.board.closed, self._known, self.board.rules
        opposite = {-self._is(cell, values[cell]): cell for cell in sorted(cells)}
        forced: list[int] = []
        while opposite:
            if self.oracle.solve(rules, [*known, *opposite]) is not None:
                break  # all may differ at once
            core = [each for each in self.oracle.core()[1] if each in opposite]
            forced += [
                opposite[each]
                for each in core
                if len(core) == 1 or self.oracle.solve(rules, [*known, each]) is None
            ]
            opposite = {each: c for each, c in opposite.items() if each not in core}
        return {cell: values[cell] for cell in sorted(forced)}

    def _values(self, x: IntArray) -> IntArray:
        """The value of each cell in an assignment, (cells,)."""
        true = self.board.may(x > 0)
        return np.where(true.any(axis=1), self.board.values[true.argmax(axis=1)], _NO_VALUE)

    # --- a step by one statement -----------------------------------------------------------

    def _single(self, left: Mapping[int, int]) -> Hint | None:
        """A step that a single statement makes, or several at one cell, as propagation shows."""
        gone, near = self.board.gone_by(self.board.known), self.board.near
        if decided := self._decided(None, gone, left):
            return self._step([], min(decided), left)
        size = {i: sum(cell in left for cell in near[i]) for i in self._fresh}
        in_order = sorted(self._fresh, key=lambda i: (size[i], i))
        if step := self._first_of((i for i in in_order if near[i]), left, gone):
            return step
        if (proof := self.prover.at_one_cell(left)) and (step := self._shown(proof, left)):
            return step
        return self._first_of((i for i in in_order if not near[i]), left, gone)

    def _first_of(
        self, statements: Iterable[int], left: Mapping[int, int], gone: IntArray
    ) -> Hint | None:
        """A step that one of these statements makes alone."""
        for i in statements:
            if decided := self._decided(i, gone, left):
                return self._step([i], min(decided), left)
            self._fresh.discard(i)
        return None

    def _decided(
        self, statement: int | None, gone: IntArray, left: Mapping[int, int]
    ) -> dict[int, int]:
        """Those of the open cells that a statement leaves one value, by propagation.

        Without a statement those that have one anyway.
        """
        near = () if statement is None else self.board.near[statement]
        cells = [cell for cell in near if cell in left] if near else [*left]
        deduction = self.prover.deduction
        constraints = _NOTHING if statement is None else deduction.constraints[statement]
        alive = deduction.alive(constraints, gone)
        return {} if alive is None else self.board.decided(alive, cells)

    # --- by several ------------------------------------------------------------------------

    def _several(self, left: Mapping[int, int]) -> Hint:
        """A step by a proof that can be followed, or by the fewest statements.

        Proofs come first where there are rules of the whole grid, which say much at once.
        """
        prover, is_whole = self.prover, bool(self.prover.around)
        last = prover.deduction.work + _LAST
        first = self._short(prover.every(left, _MOST), left) if is_whole else None
        steps = [first or self._fewest(left)]
        others = [prover.every_by_lemmas(left, _USUAL, 0 if steps[0].chain else last)]
        for proofs in others if is_whole else [prover.every(left, _MOST), *others]:
            is_short = any(0 < _length(step) <= _LONG for step in steps)
            if is_short or prover.deduction.work > last or self._is_compared(steps[0]):
                break
            if step := self._short(proofs, left):
                steps.append(step)
        return min((step for step in steps if step.chain), key=_length, default=steps[0])

    def _is_compared(self, step: Hint) -> bool:
        """Whether counts decide it."""
        cell = self.board.number(next(iter(step.cells)))
        return bool(self.words.compared(step.statements, cell))

    def _short(self, proofs: Iterable[Proof], left: Mapping[int, int]) -> Hint | None:
        """The shortest of some proofs; after ``_USUAL`` the first that words can say.

        One that has more links than another is passed over.
        """
        steps, usual = list[Hint](), self.prover.deduction.work + _USUAL
        most = inf
        for proof in proofs:
            links = len(links_in(proof.path))
            if links <= most and (step := self._shown(proof, left)):
                steps.append(step)
                most = links
                if len(step.chain) <= _TOLD and _length(step) <= _SHORT:
                    break
            if steps and self.prover.deduction.work > usual:
                break
        return min(steps, key=_length, default=None)

    def _shown(self, proof: Proof, left: Mapping[int, int]) -> Hint | None:
        """The step that a proof makes, of one cell, if words can say it."""
        needed = proof.statements
        if len(needed) == 1 and self.board.near[needed[0]]:
            return self._step(needed, proof.cell, left)
        if not (lines := self.words.lines(proof)):
            return None
        cells = {proof.cell: proof.value}
        return self._step_of(needed, cells, proof.marks, (proof, lines), is_minimal=False)

    def _fewest(self, left: Mapping[int, int]) -> Hint:
        """The step with the fewest statements, as far as it is looked for."""
        known, rules = self._known, self.board.rules
        cores = []
        for cell, value in left.items():
            x = self.oracle.solve(rules, [*known, -self._is(cell, value)])
            assert x is None, "a cell that is decided"  # noqa: S101
            core, _ = self.oracle.core()
            cores.append((len(core), cell, core))
        best, decided, calls = [*rules, -1], min(left), self.oracle.calls
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
        return self._step(best, decided, left)

    def _step(self, needed: Sequence[int], cell: int, left: Mapping[int, int]) -> Hint:
        """A step by these statements: the marks that it takes, and what else they decide."""
        whole = bool(needed) and not self.board.near[needed[0]] and bool(self.prover.around)
        shown = self._proof_of(needed, cell, left[cell]) if whole or len(needed) > 1 else None
        if shown is None:
            marks = self._needed_marks(needed, cell, left[cell], self.board.known)
            is_minimal = self.oracle.is_sure
            cells = self._besides(needed, self.board.gone_by(marks), cell, left)
            return self._step_of(needed, self._alike(needed, cells), marks, is_minimal=is_minimal)
        cells, is_minimal = {cell: left[cell]}, {*shown[0].statements} <= {*needed}
        if is_minimal:
            marks = self._needed_marks(needed, cell, left[cell], shown[0].marks)
            if len(marks) < len(shown[0].marks):
                shown = self._proof_by(needed, cell, left[cell], marks) or shown
            is_minimal = self.oracle.is_sure and len(marks) == len(shown[0].marks)
        else:
            needed = shown[0].statements
        return self._step_of(needed, cells, shown[0].marks, shown, is_minimal=is_minimal)

    def _proof_of(self, needed: Sequence[int], cell: int, value: int) -> _Shown | None:
        """A proof by some statements that words can say, or else with lemmas."""
        if self.words.compared(needed, cell):
            return None  # counts say it shorter
        if shown := self._proof_by(needed, cell, value):
            return shown
        for links in (self._links_of(needed), self.prover.links):
            proof = self.prover.by_lemmas(links, cell, value)
            if proof and (lines := self.words.lines(proof)):
                return proof, lines
        return None

    def _proof_by(
        self, needed: Sequence[int], cell: int, value: int, marks: Sequence[int] | None = None
    ) -> _Shown | None:
        """A proof by some statements, of these marks or of all, that words can say."""
        proof = self.prover.proof(self._links_of(needed), cell, value, marks)
        lines = self.words.lines(proof) if proof else ()
        return (proof, lines) if proof and lines else None

    def _links_of(self, needed: Sequence[int]) -> list[Link]:
        return [link for link in self.prover.links if link.statement in needed]

    def _besides(
        self, needed: Sequence[int], gone: IntArray, cell: int, left: Mapping[int, int]
    ) -> dict[int, int]:
        """What follows besides from statements, values that are gone, and a cell."""
        decided = {cell: left[cell]}
        while True:
            parts = (self.board.without(c, v) for c, v in decided.items())
            without = together([gone, *parts])
            more = {
                c: v
                for i in (None, *needed)
                for c, v in self._decided(i, without, left).items()
                if c not in decided and left[c] == v
            }
            if not more:
                return decided
            decided |= dict(sorted(more.items()))

    def _alike(self, needed: Sequence[int], cells: Mapping[int, int]) -> dict[int, int]:
        """Those of many cells of which a rule of the whole grid says the same as of the first."""
        is_whole = len(needed) == 1 and not self.board.near[needed[0]]
        if not is_whole or len(cells) <= _TOLD:
            return dict(cells)
        reasons = {c: self.words.asks(needed[0], decided={c: v}) for c, v in cells.items()}
        first = next(iter(reasons.values()))
        return {c: v for c, v in cells.items() if reasons[c] == first}

    def _needed_marks(
        self, needed: Sequence[int], cell: int, value: int, some: Iterable[int]
    ) -> list[int]:
        """Those of some marked cells, which are enough, that statements take to decide a cell.

        Near ones rather than far.
        """
        board, deduction = self.board, self.prover.deduction
        marks, opposite = sorted(some, key=board.distance(cell)), board.of(cell, value)
        constraints = together(deduction.constraints[i] for i in needed)

        def refute(some: Sequence[int]) -> bool:
            gone = np.concatenate((board.gone_by(some), opposite))
            return deduction.alive(constraints, gone) is None

        if needed:  # most go by propagation, which is faster
            marks = needed_of(marks, refute) or marks
        return self._marks_of(marks, needed, [-self._is(cell, value)])

    def _marks_of(
        self, marks: Iterable[int], needed: Sequence[int], variables: Sequence[int]
    ) -> list[int]:
        """Those of some marks that contradict statements and variables, each of them needed."""
        owner = {self._variables[mark]: mark for mark in marks}
        kept = self.oracle.minimal_variables([*owner], needed, variables) or []
        return sorted({owner[variable] for variable in kept})

    # --- in words ------------------------------------------------------------------------

    def _step_of(
        self,
        needed: Sequence[int],
        cells: Mapping[int, int],
        marks: Sequence[int],
        shown: _Shown | None = None,
        *,
        is_minimal: bool,
    ) -> Hint:
        board, words = self.board, self.words
        cells, every = self._to_ends(cells, marks)
        is_minimal = is_minimal and len(every) == len(marks)
        statements = [board.stated.statements[i] for i in needed]
        first = dict([*cells.items()][:1])
        reasons = tuple(words.asks(i, decided=first) for i in needed)
        near = tuple(dict.fromkeys(cell for each in statements for cell in each.cells))
        decided = {board.place(cell): value for cell, value in cells.items()}
        claim, chain = board.puzzle.describe(decided, board.marks), tuple[str, ...]()
        if not cells:
            several = len(needed) + len(marks) > 1
            head = "these contradict each other" if several else "this cannot be kept"
            text = with_lines(head, self._list(needed, cells, marks, claim))
        elif shown:
            proof, chain = shown
            if not proof.is_opposite and len(cells) == 1:
                chain = self._of_it(first, chain)
            opposite = f", {self._opposite(first, claim)}" if proof.is_opposite else ""
            text = with_lines(f"{claim}{opposite}", chain)
        else:
            text = with_lines(claim, self._list(needed, cells, marks, claim))
        because = tuple(map(board.place, sorted(every)))
        parts = decided, reasons, because, near, chain, claim, text, tuple(needed)
        return self._hint(*parts, is_minimal=is_minimal)

    def _opposite(self, first: Mapping[int, int], claim: str) -> str:
        """What a proof of the first cell starts from, where more may be claimed."""
        board = self.board
        places = {board.place(cell): value for cell, value in first.items()}
        is_all = claim == board.puzzle.describe(places, board.marks)
        return "as otherwise" if is_all else f"as if {cell_names([*places])} were otherwise"

    def _of_it(self, first: Mapping[int, int], chain: Sequence[str]) -> tuple[str, ...]:
        """The lines of a chain, where the cell that is claimed is "it" until others are named."""
        its = f"{cell_names([*map(self.board.place, first)])} is "
        n_first = len([*takewhile(lambda line: line.startswith(its), chain)])
        first_lines = (line.replace(its, "it is ", 1) for line in chain[:n_first])
        return (*first_lines, *chain[n_first:])

    def _to_ends(
        self, cells: Mapping[int, int], marks: Sequence[int]
    ) -> tuple[Mapping[int, int], Sequence[int]]:
        """What is decided, with all that this fills where lines go straight on between ends.

        And the marks that it takes.
        """
        board, deduction = self.board, self.prover.deduction
        if not (cells and self.prover.is_between_ends):
            return cells, marks
        gone = together(board.without(cell, value) for cell, value in cells.items())
        others = {*range(len(board.literals))} - {*board.known, *board.closed, *cells}

        def filled(by: Sequence[int]) -> dict[int, int]:
            alive = deduction.alive(_NOTHING, together((gone, board.gone_by([*marks, *by]))))
            return {} if alive is None else board.decided(alive, sorted(others))

        rest = [mark for mark in board.known if mark not in marks]
        more = filled(rest)
        needed = needed_of(rest, lambda by: filled(by) == more) or []
        return {**cells, **more}, sorted([*marks, *needed])

    def _list(
        self, needed: Sequence[int], cells: Mapping[int, int], marks: Sequence[int], claim: str
    ) -> list[str]:
        """The reasons of a step without a proof, and the marks where no reason says which."""
        words, first = self.words, dict([*cells.items()][:1])
        statements = [self.board.stated.statements[i] for i in needed]
        reasons = [words.asks(i, decided=first) for i in needed]
        is_begun = self.prover.is_between_ends
        beside = "its ends show it" if is_begun else "nothing else fits the marked cells beside it"
        lines = grouped(statements, reasons) or [beside]
        if len(statements) == 1 and len(cells) > 1:
            lines = self._of_each(needed[0], cells) or lines
        if first and (compared := words.compared(needed, min(first))):
            lines.append(compared)
        everywhere = [
            reason == words.asks(i)
            for i, reason in zip(needed, reasons, strict=True)
            if not self.board.near[i]
        ]
        if 0 < len(marks) <= MOST_MARKS and any(everywhere):
            there = words.are({mark: self.board.known[mark] for mark in marks})
            if is_begun and there in claim:
                return [beside]
            return [*lines, there] if lines[1:] else [f"{lines[0]}, and {there}"]
        return lines

    def _of_each(self, statement: int, cells: Mapping[int, int]) -> list[str]:
        """What a statement says of each of some cells, where that is not the same of all."""
        words, whys = self.words, dict[str, dict[int, int]]()
        asked = words.asks(statement)
        for cell, value in cells.items():
            why = words.asks(statement, decided={cell: value})
            whys.setdefault(why, {})[cell] = value
        if len(whys) < 2:
            return []
        if not all(why.startswith(asked) for why in whys):
            return [f"{words.are(some)}: {why}" for why, some in whys.items()]
        each = (f"{words.are(some)}{why.removeprefix(asked)}" for why, some in whys.items())
        return [asked, *each]

    def _hint(self, *parts: Any, **more: Any) -> Hint:
        return Hint(self.board.puzzle, {**self.board.marks}, *parts, **more)


def _length(step: Hint) -> int:
    """How many letters its proof has."""
    return sum(map(len, step.chain))
