"""Proofs that a cell has its value: by propagation from marks on a board, link by link."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, product
from math import inf

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.reasons.board import Board, together
from qubopuzzle.reasons.chains import (
    LONGEST,
    Alive,
    Lemma,
    Link,
    chain,
    followed,
    links_in,
    links_of,
    needed_of,
    propagated,
)
from qubopuzzle.reasons.deduction import Deduction, Traced

_NOTHING = np.zeros(0, dtype=np.int64)
"""No constraint, or no literal."""
_NEAREST = 8
"""Links around a cell of which a proof is taken at once, without a look at other cells."""
_STEPS = 2
"""From a cell to those whose values lemmas are tried to take away at first."""
_LEMMAS, _ROUNDS = 12, 2
"""Of a proof, at most, and how often values are looked for that lemmas can take away."""
_MOST_LINKS = 80
"""Of a proof, with those of its lemmas."""


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """How links lead from marks to the value of a cell, or from its opposite to a contradiction.

    Attributes:
        cell, value: what is proved.
        marks: the marked cells that it takes, by row-major number; none can be left out.
        path: the links, in their order, and lemmas among them.
        alive: the literals that are left at its start, (literals,).
        is_opposite: whether it starts from the opposite, and ends in a contradiction.
    """

    cell: int
    value: int
    marks: Sequence[int]
    path: Sequence[Link | Lemma]
    alive: Alive
    is_opposite: bool

    @property
    def statements(self) -> list[int]:
        """The numbers of the statements that it takes, in their order."""
        return [*dict.fromkeys(link.statement for link in links_in(self.path))]


class _InOrder:
    """Links in an order, with the constraints of the first n of them at hand."""

    def __init__(self, links: Sequence[Link]) -> None:
        self.links = links
        self._constraints = together(link.constraints for link in links)
        self._ends = [0, *accumulate(len(link.constraints) for link in links)]

    def __len__(self) -> int:
        return len(self.links)

    def constraints(self, n: int) -> IntArray:
        """Those of the first links."""
        return self._constraints[: self._ends[n]]

    def enough(self, enough: Callable[[IntArray], bool], most: int) -> int:
        """How many of the first links are enough, by their constraints, where ``most`` are."""
        if not (most and enough(self.constraints(most - 1))):
            return most
        return bisect_left(range(most - 1), True, key=lambda n: enough(self.constraints(n)))


class Prover:
    """Proofs from what is known on a board."""

    def __init__(self, board: Board, deduction: Deduction) -> None:
        self.board, self.deduction = board, deduction
        self._orders: dict[int, _InOrder] = {}  # of all links, by cell
        # How many links in order refute the opposite of a cell, from what was known before.
        self._refuting: dict[int, int] = {}

    @cached_property
    def links(self) -> list[Link]:
        """All statements; those of the whole grid by the cells that they speak of."""
        board, model = self.board, self.board.stated.model
        whole = [i for i in board.rules if not board.near[i]]
        places = board.stated.places
        none = np.full(len(model.choices), -1)
        return links_of(self.deduction, board.rules, whole, none if places is None else places)

    @cached_property
    def _constraints(self) -> IntArray:
        """Those of all links."""
        return together(link.constraints for link in self.links)

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

    def every(self, left: Mapping[int, int], most: float = inf) -> Iterator[Proof]:
        """Proofs by any links, of the cells whose opposite propagation of all refutes.

        Those first for which links near their cell are enough; as far as they are looked for, which
        takes ``most`` work of a ``Deduction``, or a little more.
        """
        gone, ends = self.board.gone_by(self.board.known), self.deduction.work + most
        start = self.deduction.alive(self._constraints, gone)
        farther = list[tuple[int, int]]()
        for cell, value in left.items():
            opposite, links = self.board.of(cell, value), self._in_order(self.links, cell)
            if cell not in self._refuting:
                if self.deduction.alive(self._constraints, opposite, start) is not None:
                    continue
                self._refuting[cell] = len(links)
            refutes = partial(self._refutes, gone=np.concatenate((gone, opposite)))
            self._refuting[cell] = size = links.enough(refutes, self._refuting[cell])
            if size > _NEAREST:
                farther.append((size, cell))
            elif proof := self.proof(self.links, cell, value):
                yield proof
            if self.deduction.work > ends:
                return
        for _, cell in sorted(farther, key=lambda each: each[0]):
            if proof := self.proof(self.links, cell, left[cell]):
                yield proof
            if self.deduction.work > ends:
                return

    def _refutes(self, constraints: IntArray, gone: IntArray) -> bool:
        """Whether constraints cannot hold where literals are gone."""
        return self.deduction.alive(constraints, gone) is None

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
        every = self._in_order(links, cell)
        some = sorted(board.known if marks is None else marks, key=distance)
        others = board.literals[cell][board.values != value]
        direct: tuple[IntArray, IntArray | None] = (_NOTHING, others[others >= 0])
        for opposite, wanted in [direct, (board.of(cell, value), None)][self.is_between_ends :]:
            is_every = links is self.links and marks is None and wanted is None
            nearest = self._refuting.get(cell) if is_every else None
            reached = self._proof_to(wanted, every, some, opposite, nearest)
            if reached is not None:
                path, kept, alive = reached
                steps = self._apart(path, cell, alive) if len(opposite) and path[1:] else []
                return Proof(cell, value, kept, steps or path, alive, bool(len(opposite)))
        return None

    def _in_order(self, links: Iterable[Link], cell: int) -> _InOrder:
        """Those near a cell first; among these those that say where a value stands."""
        if links is self.links and cell in self._orders:
            return self._orders[cell]
        board, distance = self.board, self.board.distance(cell)

        def key(link: Link) -> tuple[int, bool]:
            cells = link.cells or board.near[link.statement]
            value = board.stated.statements[link.statement].value
            return max(map(distance, cells), default=0), value is None

        in_order = _InOrder(sorted(links, key=key))
        if links is self.links:
            self._orders[cell] = in_order
        return in_order

    def _apart(self, path: Sequence[Link], cell: int, alive: Alive) -> list[Link | Lemma]:
        """The same from a cell that has two values left, one after the other, between ends."""
        board = self.board
        values = board.values[board.may(alive)[cell]].tolist()
        if not self.is_between_ends or len(values) != 2:
            return []
        steps = self._path([*dict.fromkeys(path)], [(cell, values[0])], alive)
        return steps if len(links_in(steps)) <= len(path) + 4 else []

    def _proof_to(
        self,
        wanted: IntArray | None,
        links: _InOrder,
        marks: Sequence[int],
        opposite: IntArray,
        nearest: int | None,
    ) -> tuple[list[Link], list[int], Alive] | None:
        """Links and marks by which the literals ``wanted`` go, and what is left at the start.

        Or, without these, that lead from where an ``opposite`` is gone to a contradiction. Each is
        needed; None if there are none, or too many. ``nearest``: as in ``_needed``.
        """
        end = _is_broken if wanted is None else partial(_is_without, wanted)

        def enough(constraints: IntArray, gone: IntArray) -> bool:
            return end(self.deduction.alive(constraints, np.concatenate((gone, opposite))))

        def traced(constraints: IntArray, gone: IntArray) -> Traced:
            gone = np.concatenate((gone, opposite))
            return self.deduction.traced(constraints, gone, _NOTHING if wanted is None else wanted)

        fewest, kept = self._needed(enough, links, marks, traced, nearest)
        alive = self._start(kept, opposite) if fewest else None
        path = [] if alive is None else chain(self.deduction, fewest, alive, end)
        return (path, kept, alive) if path and alive is not None else None

    def _needed(
        self,
        enough: Callable[[IntArray, IntArray], bool],
        links: _InOrder,
        marks: Sequence[int],
        traced: Callable[[IntArray, IntArray], Traced],
        nearest: int | None = None,
    ) -> tuple[list[Link], list[int]]:
        """Links and marks that are enough, each needed; none if there are none, or too many.

        ``enough`` is asked with the constraints of links, and what is gone by marks; ``traced``
        is, too, and says which of these take part. ``nearest``: how many of the first links are
        enough, where that is known.
        """
        gone, n = self.board.gone_by(marks), len(links) if nearest is None else nearest
        if nearest is None and not enough(links.constraints(n), gone):
            return [], []

        def suffice(some: Sequence[Link]) -> bool:
            return enough(together(link.constraints for link in some), gone)

        n = links.enough(lambda some: enough(some, gone), n)
        take_part, _ = traced(links.constraints(n), gone)
        nearest_links = [link for link in links.links[:n] if take_part[link.constraints].any()]
        fewest = needed_of(nearest_links, suffice, LONGEST)
        if not fewest:
            return [], []
        constraints = together(link.constraints for link in fewest)
        _, take_part = traced(constraints, gone)
        those = [mark for mark in marks if take_part[self.board.gone[mark]].any()]
        kept = needed_of(those, lambda some: enough(constraints, self.board.gone_by(some)))
        return fewest, kept or []

    def _start(self, marks: Sequence[int], gone: IntArray) -> Alive | None:
        """What marks leave, and what is taken away besides."""
        return self.deduction.alive(_NOTHING, np.concatenate((self.board.gone_by(marks), gone)))

    def _less(self, alive: Alive, gone: IntArray) -> Alive | None:
        """What is left where more is taken away."""
        left = alive.copy()
        left[gone] = False
        return self.deduction.always(left)

    # --- with lemmas -----------------------------------------------------------------------

    def by_lemmas(
        self, links: Sequence[Link], cell: int, value: int, steps: int | None = None
    ) -> Proof | None:
        """A proof from the opposite that takes values of other cells away first, by lemmas.

        Of cells at most so many ``steps`` away, if that is given. None where there is none, or it
        is too long.
        """
        board, opposite = self.board, self.board.of(cell, value)
        gone = np.concatenate((board.gone_by(board.known), opposite))
        values = self._refuted(links, gone, board.distance(cell), steps)
        if not 0 < len(values) <= _LEMMAS:
            return None
        sides = [(board.of(*each), board.without(*each)) for each in values]

        def enough(constraints: IntArray, gone: IntArray) -> bool:
            left = self.deduction.alive(constraints, np.concatenate((gone, opposite)))
            for literal, others in sides:
                if left is None:
                    return True
                if self.deduction.alive(constraints, others, left) is not None:
                    return False
                left = self.deduction.alive(constraints, literal, left)
            return left is None

        def traced(constraints: IntArray, gone: IntArray) -> Traced:
            gone, parts = np.concatenate((gone, opposite)), list[Traced]()
            for literal, others in [*sides, (_NOTHING, _NOTHING)]:
                refuted = np.concatenate((gone, others))
                parts.append(self.deduction.traced(constraints, refuted, _NOTHING))
                gone = np.concatenate((gone, literal))
            of_constraints, of_literals = zip(*parts, strict=True)
            return np.any(of_constraints, axis=0), np.any(of_literals, axis=0)

        nearest = sorted(board.known, key=board.distance(cell))
        fewest, marks = self._needed(enough, self._in_order(links, cell), nearest, traced)
        alive = self._start(marks, opposite) if fewest else None
        path = [] if alive is None else self._path(fewest, values, alive)
        if not path or alive is None:
            return None
        proof = Proof(cell, value, marks, path, alive, True)
        return proof if len(links_in(path)) <= _MOST_LINKS else None

    def every_by_lemmas(
        self, left: Mapping[int, int], most: float, until: float = 0
    ) -> Iterator[Proof]:
        """The same of all links for these cells, as far as ``most`` work goes.

        Those first that take values of cells near them. As long as there is none, it goes on
        ``until`` the deduction has done so much.
        """
        ends = self.deduction.work + most
        for steps, (cell, value) in product((_STEPS, None), left.items()):
            if self.deduction.work > max(ends, until):
                return
            if proof := self.by_lemmas(self.links, cell, value, steps):
                until = 0
                yield proof

    def _path(
        self, links: Sequence[Link], values: Sequence[tuple[int, int]], alive: Alive
    ) -> list[Link | Lemma]:
        """Lemmas about these values, and then links to a contradiction; none where it is too long.

        Links that several of these would begin with come first.
        """
        lemmas, last = self._lemmas(links, values, alive)
        open_cells = [cell for cell, _ in values]
        chains = [*(lemma.path for lemma in lemmas), last]
        several = [link for link in links if sum(link in each for each in chains) > 1]
        first = [*propagated(self.deduction, several, alive, _is_broken)]
        *_, behind = [alive, *(left for _, left in followed(self.deduction, first, alive))]
        if (
            first
            and behind is not None
            and (self.board.may(behind)[open_cells].sum(axis=1) > 1).all()
        ):
            begun = self._lemmas(links, values, behind)
            if begun[1]:
                return [*first, *begun[0], *begun[1]]
        return [*lemmas, *last] if last else []

    def _lemmas(
        self, links: Sequence[Link], values: Sequence[tuple[int, int]], alive: Alive
    ) -> tuple[list[Lemma], list[Link]]:
        """Each value's lemma, one after the other, and the contradiction; none if one is long."""
        lemmas = list[Lemma]()
        for cell, value in values:
            literal, others = self.board.of(cell, value), self.board.without(cell, value)
            start = self._less(alive, others)
            path = [] if start is None else chain(self.deduction, links, start, _is_broken)
            if start is None or not path:
                return [], []
            lemmas.append(Lemma(cell, value, literal, start, path))
            alive = lemmas[-1].after(self.deduction, alive)
        return lemmas, chain(self.deduction, links, alive, _is_broken)

    def _refuted(
        self,
        links: Sequence[Link],
        gone: IntArray,
        distance: Callable[[int], int],
        steps: int | None = None,
    ) -> list[tuple[int, int]]:
        """Cells with values that they cannot have, one after the other, until nothing is left.

        Of what links lead to where literals are ``gone``, those at a small distance first, and only
        up to so many ``steps`` if that is given; none if that is not enough.
        """
        board, constraints = self.board, together(link.constraints for link in links)
        start = self.deduction.alive(constraints, gone)

        def is_broken(*parts: IntArray) -> bool:
            return self.deduction.alive(constraints, together(parts), start) is None

        def taken(values: Sequence[tuple[int, int]]) -> IntArray:
            return together(board.of(*each) for each in values)

        before: list[tuple[int, int]] = []
        for _ in range(_ROUNDS):
            alive = self.deduction.alive(constraints, taken(before), start)
            if start is None or alive is None:
                return []
            may = board.may(alive)
            places = np.argwhere(may & (may.sum(axis=1) > 1)[:, None]).tolist()
            values = [(c, int(board.values[place])) for c, place in places]
            values = [each for each in values if steps is None or distance(each[0]) <= steps]
            values.sort(key=lambda each: distance(each[0]))
            so_far = taken(before)
            tried = [board.without(*each) for each in values]
            refuted = self.deduction.refuted(constraints, so_far, tried, start).tolist()
            new = [each for each, is_refuted in zip(values, refuted, strict=True) if is_refuted]
            if is_broken(so_far, taken(new)):
                break
            before += new
        else:
            return []
        last = needed_of(new, lambda some: is_broken(so_far, taken(some))) or []

        def suffices(some: Sequence[tuple[int, int]]) -> bool:
            still = taken(some)
            each_is = all(is_broken(still, board.without(*each)) for each in last)
            return each_is and is_broken(still, taken(last))

        return [*(needed_of(before, suffices) or []), *last] if before else last


def _is_without(literals: IntArray, left: Alive | None) -> bool:
    """Whether none of these literals is left."""
    return left is not None and not left[literals].any()


def _is_broken(left: Alive | None) -> bool:
    return left is None
