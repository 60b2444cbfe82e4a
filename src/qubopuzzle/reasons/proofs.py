"""Proofs that a cell has its value: by propagation from marks on a board, link by link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.reasons.board import Board, together
from qubopuzzle.reasons.chains import LONGEST, Alive, Link, Reached, chain, links_of, needed_of
from qubopuzzle.reasons.deduction import Deduction

_NOTHING = np.zeros(0, dtype=np.int64)
"""No constraint, or no literal."""
_NEAREST = 8
"""Links around a cell that are tried alone, and then four times as many, and so on."""
_CASES = 12
"""Cells by which cases are told apart, where propagation alone leads to no contradiction."""
_QUESTIONS = 1000
"""Propagations after which no further cases are told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """How links lead from marks to the value of a cell, or from its opposite to a contradiction.

    Attributes:
        cell, value: what is proved.
        marks: the marked cells that it takes, by row-major number; none can be left out.
        path: the links, in their order.
        alive: the literals that are left at its start, (literals,).
        is_opposite: whether it starts from the opposite, and ends in a contradiction.
        cases: where two values of another cell, or one and all others, are told apart first: of
            each a proof, all from the opposite.
    """

    cell: int
    value: int
    marks: Sequence[int]
    path: Sequence[Link]
    alive: Alive
    is_opposite: bool
    cases: tuple[Proof, ...] = ()

    @property
    def statements(self) -> list[int]:
        """The numbers of the statements that it takes, in their order."""
        return [*dict.fromkeys(link.statement for link in self.path)]


class Prover:
    """Proofs from what is known on a board."""

    def __init__(self, board: Board, deduction: Deduction) -> None:
        self.board, self.deduction = board, deduction

    @cached_property
    def links(self) -> list[Link]:
        """All statements; those of the whole grid by their constraints."""
        board, model = self.board, self.board.stated.model
        whole = [i for i in board.rules if not board.near[i]]
        places = board.stated.places
        none = np.full(len(model.choices), -1)
        return links_of(self.deduction, board.rules, whole, none if places is None else places)

    @property
    def is_between_ends(self) -> bool:
        """Whether lines go straight on between ends, as bridges between islands do."""
        puzzle = self.board.puzzle
        return puzzle.has_lines and puzzle.edges.ends is not None

    @cached_property
    def around(self) -> dict[int, list[Link]]:
        """Per cell the constraints of rules of the whole grid, and statements about their cells.

        None where lines go straight on between ends: the cells that they pass say nothing.
        """
        if self.is_between_ends:
            return {}
        beside: dict[int, list[Link]] = {}
        for link in self.links:
            for cell in self.board.near[link.statement]:
                beside.setdefault(cell, []).append(link)
        at: dict[int, dict[int, Link]] = {}
        for link in self.links:
            more = {id(other): other for cell in link.cells for other in beside.get(cell, ())}
            for cell in link.cells:
                at.setdefault(cell, {}).update({id(link): link, **more})
        return {cell: [*links.values()] for cell, links in at.items()}

    def at_one_cell(self, left: Mapping[int, int]) -> Proof | None:
        """A proof by what is around a cell, where rules of the whole grid are among it."""
        gone = self.board.gone_by(self.board.known)
        for cell, links in self.around.items():
            is_decided = cell in left and self.follows(links, gone, [cell]) == {cell: left[cell]}
            if is_decided and (proof := self.proof(links, cell, left[cell])):
                return proof
        return None

    def every(self, left: Mapping[int, int], most: int = 10_000) -> Iterator[Proof]:
        """Proofs by any links, of the cells whose opposite propagation of all refutes.

        As far as they are looked for, which takes ``most`` propagations or a little more.
        """
        gone, ends = self.board.gone_by(self.board.known), self.deduction.calls + most
        constraints = together(link.constraints for link in self.links)
        for cell, value in left.items():
            if self.deduction.calls > ends:
                return
            opposite = np.append(gone, self.board.of(cell, value))
            is_refuted = self.deduction.alive(constraints, opposite) is None
            if is_refuted and (proof := self.proof(self.links, cell, value)):
                yield proof

    def follows(
        self, links: Iterable[Link], gone: IntArray, cells: Iterable[int]
    ) -> dict[int, int] | None:
        """The values of cells that links leave one; None if they cannot hold."""
        alive = self.deduction.alive(together(link.constraints for link in links), gone)
        return None if alive is None else self.board.decided(alive, cells)

    def proof(
        self, links: Sequence[Link], cell: int, value: int, marks: Iterable[int] | None = None
    ) -> Proof | None:
        """A proof by some of these links and of these marks, or of all, those near the cell first.

        To the value, or else from its opposite.
        """
        board, distance = self.board, self.board.distance(cell)

        def furthest(link: Link) -> int:
            return max(map(distance, link.cells or board.near[link.statement]), default=0)

        every = sorted(links, key=furthest)
        some = sorted(board.known if marks is None else marks, key=distance)
        others = board.literals[cell][board.values != value]
        direct = partial(_is_without, others[others >= 0])
        starts: list[tuple[IntArray, Reached]] = [(_NOTHING, direct)]
        starts.append((board.of(cell, value), _is_broken))
        for opposite, end in starts[self.is_between_ends :]:
            reached = self._proof_to(end, every, some, opposite)
            if reached is not None:
                path, kept, alive = reached
                return Proof(cell, value, kept, path, alive, bool(len(opposite)))
        return None

    def _proof_to(
        self, end: Reached, links: Sequence[Link], marks: Sequence[int], opposite: IntArray
    ) -> tuple[list[Link], list[int], Alive] | None:
        """Links and marks that lead to an end where literals are taken away, and where it starts.

        Each is needed; None if there are none, or too many.
        """

        def enough(some: Sequence[Link], marks: Sequence[int]) -> bool:
            gone = np.append(self.board.gone_by(marks), opposite)
            return end(self.deduction.alive(together(link.constraints for link in some), gone))

        nearest = (links[: _NEAREST << step] for step in range(0, len(links).bit_length(), 2))
        some = next((some for some in nearest if enough(some, marks)), links)
        fewest = needed_of(some, lambda some: enough(some, marks))
        if not fewest or len(fewest) > LONGEST:
            return None
        kept = needed_of(marks, lambda some: enough(fewest, some)) or []
        alive = self.deduction.alive(_NOTHING, np.append(self.board.gone_by(kept), opposite))
        path = [] if alive is None else chain(self.deduction, fewest, alive, end)
        return (path, kept, alive) if path and alive is not None else None

    def by_cases(self, links: Sequence[Link], cell: int, value: int) -> Iterator[Proof]:
        """Proofs from the opposite that tell two cases of another cell apart."""
        board, constraints = self.board, together(link.constraints for link in links)
        calls = self.deduction.calls
        before = np.append(board.gone_by(board.known), board.of(cell, value))
        alive = self.deduction.alive(_NOTHING, before)
        if alive is None:
            return
        may = board.may(alive)
        near = {c for link in links for c in link.cells or board.near[link.statement]}
        several = [(int(may[c].sum()), c) for c in near - {*board.known, cell} if may[c].sum() > 1]
        for n_values, other in sorted(several)[:_CASES]:
            for place in np.flatnonzero(may[other])[int(n_values == 2) :].tolist():
                if self.deduction.calls - calls > _QUESTIONS:
                    return
                is_it = board.without(other, int(board.values[place]))
                sides = is_it, board.literals[other, [place]]
                opposites = [np.append(before, side) for side in sides]
                if any(self.deduction.alive(constraints, gone) is not None for gone in opposites):
                    continue
                if proof := self._two_cases(links, cell, value, alive, sides):
                    yield proof

    def _two_cases(
        self, links: Sequence[Link], cell: int, value: int, alive: Alive, sides: Sequence[IntArray]
    ) -> Proof | None:
        """The proof by two cases, which each take literals away."""
        cases = list[Proof]()
        for side in sides:
            opposite = np.append(self.board.of(cell, value), side)
            reached = self._proof_to(_is_broken, links, [*self.board.known], opposite)
            if reached is None:
                return None
            path, marks, left = reached
            cases.append(Proof(cell, value, marks, path, left, True))
        marks = sorted({mark for case in cases for mark in case.marks})
        path = [link for case in cases for link in case.path]
        return Proof(cell, value, marks, path, alive, True, tuple(cases))


def _is_without(literals: IntArray, left: Alive | None) -> bool:
    """Whether none of these literals is left."""
    return left is not None and not left[literals].any()


def _is_broken(left: Alive | None) -> bool:
    return left is None
