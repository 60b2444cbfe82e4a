"""What statements ask for on a board, and what the links of a proof show, in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from qubopuzzle.base.places import cell_names, listed
from qubopuzzle.model.statements import Statement
from qubopuzzle.puzzles.base import sides_of
from qubopuzzle.reasons.board import Board, Cell, together
from qubopuzzle.reasons.chains import Alive, Lemma, Link, followed, links_in, needed_of
from qubopuzzle.reasons.deduction import Deduction
from qubopuzzle.reasons.pending import Pending
from qubopuzzle.reasons.proofs import Proof

MOST_MARKS = 8
"""Marks that are named where a rule does not say what of them matters."""
_MOST_LINES = 40
"""Of a proof that goes straight to its cell: of more one would not see what matters."""
_UNFIT = "nothing that is left fits"
_FEW = 2
"""Cells, and values of a cell, of which it is said what is left."""
_SEVERAL = 3
"""Cells of which a rule of the whole grid says why, each."""
_COMPARED = 8
"""Statements of which counts are compared."""
_LONGEST = 170
"""Letters of what a statement asks for, which is not said beside a fact if it has more."""


_Side = tuple[int, int]
"""A cell, and a side of it, by its place in ``TOWARDS``."""


class Facts(NamedTuple):
    """What a link shows.

    Attributes:
        decided: the values of cells that have one left.
        narrowed: of other cells the values before and behind it.
        words: all of it.
        two: cells that are why, if they are two.
    """

    decided: dict[int, int]
    narrowed: dict[int, tuple[list[int], list[int]]]
    words: str
    two: Sequence[int]

    @property
    def cells(self) -> list[int]:
        """Those that it is about."""
        return [*self.decided, *self.narrowed]


class Words:
    """Sentences about what is known on a board."""

    def __init__(self, board: Board, deduction: Deduction) -> None:
        self.board, self.deduction = board, deduction
        stated = board.stated
        self._asked: dict[tuple[Any, ...], str] = {}  # by how much is known: marks do not go
        notes = [*stated.notes]
        self._noted = {*stated.model.choice_of_literal[notes].tolist()} if notes else set[int]()

    # --- statements ------------------------------------------------------------------------

    def are(self, cells: Mapping[int, int]) -> str:
        """What cells are."""
        place = self.board.place
        here = {place(cell): value for cell, value in cells.items()}
        return self.board.puzzle.describe(here, self.board.marks)

    def asks(
        self, number: int, assumed: Mapping[int, int] = {}, decided: Mapping[int, int] = {}
    ) -> str:
        """What a statement asks for, on the board with some cells more, and of one it decides."""
        statement, known = self.board.stated.statements[number], len(self.board.known)
        if statement.words is None:
            return statement.name
        question = known, number, frozenset(assumed.items()), next(iter(decided.items()), None)
        if question not in self._asked:
            grid, is_known = self.board.grid()
            for cell, value in {**assumed, **decided}.items():
                grid.flat[cell], is_known.flat[cell] = value, cell in assumed
            self._asked[question] = statement.words(grid, is_known, next(iter(decided), None))
        return self._asked[question]

    def name(self, number: int) -> str:
        """What a statement is called, without what that means."""
        return self.board.stated.statements[number].name.partition(": ")[0]

    def compared(self, needed: Sequence[int], cell: int) -> str:
        """That some of these statements need as many as others, which have all their open cells.

        Or more, and all but some. Nothing where that is not what decides the cell.
        """
        if not 2 <= len(needed) <= _COMPARED or not {*needed} <= self.board.counts.keys():
            return ""
        counts, known = self.board.counts, self.board.known
        left = {i: counts[i][1] - len(known.items() & counts[i][0].items()) for i in needed}
        cells = {i: [c for c in counts[i][0] if c not in known] for i in needed}
        for size in range(1, len(needed)):
            for some in combinations(needed, size):
                others = [i for i in needed if i not in some]
                inner, outer = ([c for i in side for c in cells[i]] for side in (some, others))
                if len({*inner}) < len(inner) or len({*outer}) < len(outer):
                    continue
                n_more = sum(left[i] for i in some) - sum(left[i] for i in others)
                besides, rest = sorted({*inner} - {*outer}), {*outer} - {*inner}
                if n_more == len(besides) and cell in rest.union(besides):
                    return self._as_many(some, others, besides)
        return ""

    def _as_many(self, some: Sequence[int], others: Sequence[int], but: Sequence[int]) -> str:
        """That some statements need as many as others, or as many more as ``but`` has cells."""
        few, many = (named([self.name(i) for i in side]) for side in (some, others))
        need, share, its = ("need", "share", "their") if some[1:] else ("needs", "shares", "its")
        them = "them" if others[1:] else "it"
        more = f"{len(but)} more than" if but else "as many as"
        besides = f" but {cell_names([*map(self.board.place, but)])}" if but else ""
        return f"{few} {need} {more} {many}, and {share} all {its} open cells with {them}{besides}"

    # --- proofs ----------------------------------------------------------------------------

    def lines(self, proof: Proof) -> tuple[str, ...]:
        """What the links of a proof show, a line each; none where that is not seen on the board.

        A line that would only repeat what is proved says why.
        """
        seen = proof.alive.copy()
        seen[self.board.gone_by(self.board.known)] = False  # all marks, not just those it takes
        if (alive := self.deduction.always(seen)) is None:
            return ()
        if not proof.is_opposite:
            return self._direct(proof, alive)
        assumed = self.board.decided(proof.alive, [proof.cell])
        return self._to_contradiction(proof.path, alive, proof.marks, assumed, proof.cell)

    def _direct(self, proof: Proof, alive: Alive) -> tuple[str, ...]:
        lines, pending = list[str](), Pending(self.deduction)
        claim, so_far, seen = {proof.cell: proof.value}, dict[int, int](), dict[_Side, bool]()
        path = links_in(proof.path)  # there are no lemmas
        if whole := self._alone(path[-1], claim):
            return (f" ({whole})",)
        for at, (link, left) in enumerate(followed(self.deduction, path, alive)):
            if left is None:
                return ()
            pending.add(link, alive)
            of = self._cells_of(path[at + 1 :])
            facts = self._facts(alive, left, two=link.cells, of=of, claimed=proof.cell)
            if facts.words:
                is_reached = self.board.decided(left, claim) == claim
                shown = facts.decided or (claim if is_reached else {})
                by = pending.taken(self._gone(alive, left, facts, [*shown]))
                is_again, seen = self._is_again(facts, seen), seen | self._sides(facts)
                is_claim = facts.words == self.are(claim) or len(self.board.values) == 2
                if not is_again and is_claim and len(by) == len(path):
                    lines.append(self._why(by, left, proof.marks, shown, so_far, facts.cells))
                elif not is_again:
                    shown_facts = facts._replace(decided=shown)
                    lines += self._lines(by, left, proof.marks, shown_facts, so_far)
                if shown.keys() >= claim.keys():
                    break  # earlier than without the other marks
            alive, so_far = left, so_far | facts.decided
        else:
            if pending.steps:
                why = self._why(pending.taken(), alive, proof.marks, so_far=so_far)
                lines.append(f"nothing else is left for it{why}" if lines else why)
        if len(lines) > _MOST_LINES:
            return ()
        return tuple(lines)

    def _alone(self, link: Link, claim: Mapping[int, int]) -> str:
        """What a rule of the whole grid says of a cell by what the board shows, if it does."""
        sentence, asked = self.asks(link.statement, {}, claim), self.asks(link.statement)
        return sentence if link.is_whole and sentence.startswith(f"{asked}: ") else ""

    def _to_contradiction(
        self,
        path: Sequence[Link | Lemma],
        alive: Alive,
        marks: Collection[int],
        assumed: Mapping[int, int],
        cell: int,
    ) -> tuple[str, ...]:
        """The same from the opposite of a cell to a contradiction, where some are assumed."""
        lines, narrowed, hidden = list[str](), False, dict[str, None]()
        seen = self._sides(Facts({**assumed}, {}, "", ()))
        pending = Pending(self.deduction)
        for at, (step, left) in enumerate(followed(self.deduction, path, alive)):
            pending.add(step, alive)
            if left is None or self._is_seen_broken(step, assumed):
                *by, (last, _) = pending.taken(None if left is None else alive & ~left)
                is_hidden = not self.board.puzzle.has_lines and cell not in assumed
                end = self._broken(last, alive, marks, assumed, narrowed=narrowed or is_hidden)
                unseen = hidden if end.startswith(_UNFIT) else {}
                near = [*self.board.near[last.statement]][:1]
                every = dict.fromkeys([*(self._hidden(*one, near) for one in by), *unseen])
                names = [n for n in every if n not in end and not any(f"{n}: " in o for o in every)]
                besides = f" ({'; '.join(names)})" if names else ""
                is_short = not lines and self.board.puzzle.edges.ends is not None
                if names and is_short and end.startswith(_UNFIT):
                    end = f"these do not go together: {end.removeprefix(f'{_UNFIT}, as ')}"
                    besides = f"; {'; '.join(names)}"
                return (*lines, f"a contradiction: {end}{besides}") if end else ()
            if isinstance(step, Lemma):
                if not (line := self._lemma(step, alive, marks, assumed)):
                    return ()
                of = {step.cell} if self.board.puzzle.has_lines else None
                facts = self._facts(alive, left, assumed, of=of)
                name = self.board.puzzle.value_name(step.value)
                is_not = f"{cell_names([self.board.place(step.cell)])} is not {name}"
                lines += [line, f"so {facts.words or is_not}"]
            else:
                of = self._cells_of(path[at + 1 :])
                facts = self._facts(alive, left, assumed, step.cells, of=of)
                if facts.words:
                    by = pending.taken(self._gone(alive, left, facts))
                    if not self._is_again(facts, seen):
                        lines += self._lines(by, left, marks, facts, assumed)
                    seen |= self._sides(facts)
            if isinstance(step, Link) and step.is_whole:
                hidden |= dict.fromkeys(self._unseen(step, alive, left))
            assumed, alive = {**assumed, **facts.decided}, left
            narrowed |= not facts.decided
        return ()

    def _sides(self, facts: Facts) -> dict[_Side, bool]:
        """What facts say of lines between neighbouring cells: whether they leave by a side."""
        puzzle, place = self.board.puzzle, self.board.place
        if not puzzle.has_lines or puzzle.edges.ends is not None:
            return {}
        sides = {c: puzzle.edges.certain([value]) for c, value in facts.decided.items()}
        both = {*map(place, facts.two)} if len(facts.two) == 2 else {()}
        for cell, (before, after) in facts.narrowed.items():
            between = (s for s, there in sides_of(place(cell)) if {place(cell), there} == both)
            sides[cell] = puzzle.edges.changed(before, after, next(between, None))
        return {(cell, s): leaves for cell, each in sides.items() for s, leaves in each.items()}

    def _is_again(self, facts: Facts, seen: Mapping[_Side, bool]) -> bool:
        """Whether facts say of a line only what was said from the other side."""
        sides = self._sides(facts)
        if facts.decided or len(sides) != 1:
            return False
        (((cell, side), leaves),) = sides.items()
        there = dict(sides_of(self.board.place(cell)))[side]
        if not all(0 <= at < n for at, n in zip(there, self.board.puzzle.shape, strict=True)):
            return False
        return seen.get((self.board.number(there), (side + 2) % 4)) == leaves

    def _gone(self, alive: Alive, left: Alive, facts: Facts, decided: Sequence[int] = ()) -> Alive:
        """The literals that a fact says to be gone; of cells that it decides, all others."""
        gone = np.zeros_like(left)
        for cells, those in (facts.cells, alive & ~left), ([*facts.decided, *decided], ~left):
            literals = self.board.literals[[*cells]].ravel()
            literals = literals[literals >= 0]
            gone[literals] |= those[literals]
        return gone

    def _unseen(self, link: Link, alive: Alive, left: Alive) -> list[str]:
        """What a link takes away that is not on the board, as far as notes tell, or its name."""
        stated, gone = self.board.stated, dict[str, list[Cell]]()
        for choice, cell in link.places:
            first, end = stated.model.first_literal[choice : choice + 2].tolist()
            for literal in (first + np.flatnonzero((alive & ~left)[first:end])).tolist():
                if note := stated.notes.get(literal):
                    gone.setdefault(note, []).append(self.board.place(cell))
        name = self.name(link.statement)
        if len(gone) != 1 or self.board.puzzle.has_lines:
            return [name] * self._is_hidden(alive & ~left)
        ((note, cells),) = gone.items()
        causes = [why for why in self._notes(link, left) if note not in why]
        are = f"{cell_names(cells)} {'are' if cells[1:] else 'is'} not {note}"
        return [f"{are}, as {listed(causes)}"] if causes else []

    def _is_hidden(self, gone: Alive) -> bool:
        """Whether literals are gone of choices that are not about cells, such as pieces."""
        stated = self.board.stated
        choices = stated.model.choice_of_literal[gone]
        return stated.places is not None and bool((stated.places[choices] < 0).any())

    def _is_seen_broken(self, step: Link | Lemma, assumed: Mapping[int, int]) -> bool:
        """Whether one sees that a rule of the whole grid is broken, before propagation shows it."""
        if isinstance(step, Lemma) or not step.is_whole:
            return False
        return self.asks(step.statement, assumed) != self.asks(step.statement)

    def _lemma(
        self, lemma: Lemma, alive: Alive, marks: Collection[int], assumed: Mapping[int, int]
    ) -> str:
        """What would be if a cell had a value, and how that leads to a contradiction."""
        is_it, start = {lemma.cell: lemma.value}, self.deduction.always(alive & lemma.alive)
        if start is None:
            return ""
        assumed = {**assumed, **self._facts(alive, start, assumed).decided, **is_it}
        lines = self._to_contradiction(lemma.path, start, marks, assumed, lemma.cell)
        return f"if {self.are(is_it)}: {', and then '.join(lines)}" if lines else ""

    def _cells_of(self, path: Sequence[Link | Lemma]) -> set[int] | None:
        """The cells that links are about, those of lemmas, too; None for a graph among them."""
        links = links_in(path)
        if any(link.is_whole and not link.places for link in links):
            return None
        near = self.board.near
        return {cell for link in links for cell in link.cells or near[link.statement]}

    def _facts(
        self,
        before: Alive,
        after: Alive,
        but: Collection[int] = (),
        two: Sequence[int] = (),
        *,
        of: Collection[int] | None = None,
        claimed: int | None = None,
    ) -> Facts:
        """The cells that are decided by what goes, and what that says, in words.

        Nothing of what the board shows, nor of others ``but``; if there is any, only of the cells
        ``of`` interest; of a cell that is claimed only what goes, and then, where an answer
        consists of lines, of no others than those beside it. ``two`` cells are why, if they are
        two.
        """
        board = self.board
        shown = {*board.known, *board.closed, *but}
        may, can = board.may(before), board.may(after)
        changed = [c for c in np.flatnonzero((may != can).any(axis=1)).tolist() if c not in shown]
        changed = [c for c in changed if of is None or c in of] or changed
        if claimed in changed:
            is_near, has_lines = board.distance(claimed), board.puzzle.has_lines
            beside = [c for c in of or () if not has_lines or is_near(c) == 1]
            changed = [c for c in changed if c in beside or c == claimed]
        one = [c for c in changed if can[c].sum() == 1 and c != claimed]
        beside = [c for c in changed if c not in one and c in (of or ())]
        is_told = claimed is None and (board.puzzle.has_lines or len(beside) <= _FEW)
        decided = {c: int(board.values[can[c].argmax()]) for c in one}
        narrowed = {
            c: (board.values[may[c]].tolist(), board.values[can[c]].tolist())
            for c in changed
            if c not in decided and (not decided or c == claimed or (is_told and c in beside))
        }
        narrowed = {c: each for c, each in narrowed.items() if self._said({}, {c: each}, two)}
        return Facts(decided, narrowed, self._said(decided, narrowed, two), two)

    def _said(
        self,
        decided: Mapping[int, int],
        narrowed: Mapping[int, tuple[list[int], list[int]]],
        two: Sequence[int],
    ) -> str:
        """What cells are, and what others cannot be any more."""
        place = self.board.place
        parts = [self.are(decided)] if decided else []
        if narrowed:
            by_place = {place(cell): values for cell, values in narrowed.items()}
            both = [*map(place, two)] if len(two) == 2 else []
            parts.append(self.board.puzzle.describe_narrowed(by_place, both))
        return ", and ".join(filter(None, parts))

    def _broken(
        self,
        link: Link,
        alive: Alive,
        marks: Collection[int],
        assumed: Mapping[int, int],
        *,
        narrowed: bool,
    ) -> str:
        """What of a link cannot hold where some cells are assumed; nothing if that is not seen."""
        if link.is_whole:
            return self._broken_whole(link, alive, marks, assumed)
        number = link.statement
        sentence, name = self.asks(number, assumed), self.name(number)
        if sentence != self.asks(number) and not narrowed:
            return sentence
        if (value := self.board.stated.statements[number].value) is not None:
            known = {**self.board.known, **assumed}
            has = [c for c in self.board.near[number] if known.get(c) == value]
            return sentence if len(has) > 1 else f"no cell is left for {name}"
        if len(sentence) > _LONGEST:
            return f"nothing is left for {name}"
        if fits := self._fits(number, (alive, alive)):
            return f"{_UNFIT}, as {fits}"
        still = self._still(number, alive, assumed)
        return f"{_UNFIT}, as {sentence}{f', and {still}' if still else ''}"

    def _broken_whole(
        self, link: Link, alive: Alive, marks: Collection[int], assumed: Mapping[int, int]
    ) -> str:
        """The same of a rule of the whole grid."""
        number, board = link.statement, self.board
        if fits := self._fits(number, (alive, alive)):
            return fits
        sentence, known = self.asks(number, assumed), {**board.known, **assumed}
        is_seen = sentence != self.asks(number)
        if against := self._against(link, known):
            if is_seen and len(against) == 1:  # nothing on that cell shows it to be wrong
                return sentence
            is_named = cell_names([*map(board.place, against)]) in sentence
            return f"{self.are(against)} ({self.name(number) if is_named else sentence})"
        if is_seen:
            return sentence
        open_cells = [board.place(cell) for cell in self._board_cells(link) if cell not in known]
        if open_cells and (between := self._between(link, alive, known)):
            return f"{between} ({self.name(number)})"
        if open_cells:
            why = self._why([(link, alive)], alive, marks, so_far=assumed)
            return f"nothing is left for {cell_names(open_cells, 'or')}{why}"
        if notes := self._notes(link, alive):  # of choices that are not on the board
            return f"{listed(notes)}{self._leads_on(link, alive)} ({self.name(number)})"
        return ""

    def _between(self, link: Link, alive: Alive, known: Mapping[int, int]) -> str:
        """What a known cell is, and what the open one beside it cannot be, of lines."""
        board, cells = self.board, self._board_cells(link)
        those, others = [c for c in cells if c in known], [c for c in cells if c not in known]
        if not board.puzzle.has_lines or not len(those) == len(others) == 1:
            return ""
        left = board.values[board.may(alive)[others[0]]].tolist()
        narrowed = {board.place(others[0]): (board.values.tolist(), left)}
        cannot = board.puzzle.describe_narrowed(narrowed, [*map(board.place, cells)])
        return f"{self.are({those[0]: known[those[0]]})}, and {cannot}" if cannot else ""

    def _leads_on(self, link: Link, alive: Alive) -> str:
        """Where lines can still lead from the cell of a link, if it is one, if that is little."""
        board, cells = self.board, {cell for _, cell in link.places}
        cell = next(iter(cells), 0)
        left = board.values[board.may(alive)[cell]].tolist()
        if not board.puzzle.has_lines or len(cells) != 1 or cell in board.known:
            return ""
        if len(left) != _FEW:
            return ""
        edges, near = board.puzzle.edges, dict(sides_of(board.place(cell)))
        on = [near[s] for value in left for s in edges.changed(left, [value])]
        return f", and leads on to {cell_names(on, 'or')}, which are not"

    def _still(self, number: int, alive: Alive, assumed: Mapping[int, int]) -> str:
        """What the open cells of a statement can still be, where that is little."""
        board = self.board
        may = board.may(alive)
        cells = [c for c in board.near[number] if c not in board.known and c not in assumed]
        few = [c for c in cells if 0 < may[c].sum() <= _FEW < len(board.values)]
        left = {board.place(c): (board.values.tolist(), board.values[may[c]].tolist()) for c in few}
        is_short = 0 < len(few) <= _FEW and not board.puzzle.has_lines
        return board.puzzle.describe_narrowed(left) if is_short else ""

    def _against(self, link: Link, known: Mapping[int, int]) -> dict[int, int]:
        """Those of some known cells that a constraint of the whole grid cannot hold with.

        None of them where it could.
        """
        without = self.board.without
        cells = [cell for cell in self._board_cells(link) if cell in known]

        def is_broken(some: Sequence[int]) -> bool:
            gone = together(without(cell, known[cell]) for cell in some)
            return self.deduction.alive(link.constraints, gone) is None

        return {cell: known[cell] for cell in needed_of(cells, is_broken) or ()}

    # --- why -------------------------------------------------------------------------------

    def _lines(
        self,
        links: Sequence[tuple[Link, Alive]],
        left: Alive,
        marks: Collection[int],
        facts: Facts,
        so_far: Mapping[int, int],
    ) -> list[str]:
        """What the last of some links shows, and why: a line each where cells differ in that.

        Not where a rule of the whole grid shows something of more than a few.
        """
        whys = dict[str, list[int]]()
        most = _SEVERAL if facts.narrowed else 2 * _SEVERAL
        is_apart = len(facts.cells) <= most or not links[-1][0].is_whole
        for some in [[cell] for cell in facts.cells] if is_apart else [facts.cells]:
            shown = {cell: v for cell, v in facts.decided.items() if cell in some}
            why = self._why(links, left, marks, shown, so_far, some)
            whys.setdefault(why, []).extend(some)
        if len(whys) == 1:
            return [f"{facts.words}{why}" for why in whys]
        lines = list[str]()
        for why, some in whys.items():
            decided = {cell: v for cell, v in facts.decided.items() if cell in some}
            narrowed = {cell: each for cell, each in facts.narrowed.items() if cell in some}
            lines.append(f"{self._said(decided, narrowed, facts.two)}{why}")
        return lines

    def _why(
        self,
        links: Sequence[tuple[Link, Alive]],
        left: Alive,
        marks: Collection[int],
        shown: Mapping[int, int] = {},
        so_far: Mapping[int, int] = {},
        cells: Sequence[int] = (),
    ) -> str:
        """Why the last of some links shows something: known cells, and the statements.

        Each link with the literals that are left before it, and those ``left`` behind the last;
        ``so_far`` are cells that are known besides, ``cells`` those that are shown something of.
        """
        *hidden, (link, before) = links
        causes = self._causes(link, (before, left), marks, so_far)
        last = self._last(link, (before, left), shown, so_far, cells)
        others = [one for one in hidden if self.name(one[0].statement) not in last]
        names = [*dict.fromkeys(self._hidden(*one, cells) for one in others)]
        return f"{f', as {listed(causes)}' if causes else ''} ({'; '.join([*names, last])})"

    def _hidden(self, link: Link, alive: Alive, cells: Sequence[int] = ()) -> str:
        """What a link is called that shows nothing on the board by itself, or what it asks for.

        ``cells`` are those of what follows.
        """
        if link.is_whole:
            fits = self._fits(link.statement, (alive, alive), cells) if cells else ""
            return fits or self.name(link.statement)
        is_narrowed = self._is_narrowed(link.statement, alive)
        fits = self._fits(link.statement, (alive, alive)) if is_narrowed else ""
        return fits or self.asks(link.statement)

    def _last(
        self,
        link: Link,
        alive: tuple[Alive, Alive],
        shown: Mapping[int, int],
        so_far: Mapping[int, int],
        cells: Sequence[int],
    ) -> str:
        """What a link is called, or what it asks for where that is not plain from the board."""
        number, name = link.statement, self.name(link.statement)
        if not link.is_whole:
            if self._is_last_cell(number, alive[0], shown):
                return f"{name} has no other cell left"
            sentence = self.asks(number, so_far)
            why = self.asks(number, so_far, dict([*shown.items()][:1])).removeprefix(sentence)
            is_narrowed = self._is_narrowed(number, alive[0])
            needs_fits = is_narrowed or not shown or not why
            fits = self._fits(number, alive, [*shown, *cells]) if needs_fits else ""
            whole = "" if is_narrowed else sentence
            forms = (fits, f"{name}{why}" * bool(why), whole, sentence.partition(": ")[0])
            return next((form for form in forms if 0 < len(form) <= _LONGEST), name)
        # Such as what would be cut off, of some cells.
        each = (self.asks(number, so_far, {c: v}) for c, v in [*shown.items()][:_SEVERAL])
        asked = f"{self.asks(number)}: "
        if whys := [s.removeprefix(asked) for s in dict.fromkeys(each) if s.startswith(asked)]:
            return f"{asked}{'; '.join(whys)}"
        return self._fits(number, alive, cells) or name

    def _fits(self, number: int, alive: tuple[Alive, Alive], cells: Sequence[int] = ()) -> str:
        """What a statement says of the first of some cells, where others have lost values.

        Or without a cell. ``alive`` are the literals before and behind it.
        """
        fits = self.board.stated.statements[number].fits
        if fits is None:
            return ""
        before, left = map(self.board.may, alive)
        cell, value = np.nonzero(before)
        every, ends = (
            self.board.values[value].tolist(),
            np.searchsorted(cell, range(len(before) + 1)),
        )
        can = [every[start:end] for start, end in pairwise(ends.tolist())]
        if not cells:
            return fits(can, -1, ())
        return fits(can, cells[0], self.board.values[left[cells[0]]].tolist())

    def _is_last_cell(self, number: int, before: Alive, shown: Mapping[int, int]) -> bool:
        """Whether a cell that is shown is the only one left for the value of a statement."""
        value, board = self.board.stated.statements[number].value, self.board
        if value not in shown.values():
            return False
        may = board.may(before)[[*board.near[number]]]
        return int(may[:, board.values == value].sum()) == 1

    def _is_narrowed(self, number: int, alive: Alive) -> bool:
        """Whether an open cell of a statement has lost values: its words know nothing of that."""
        near = [*self.board.near[number]]
        if len(near) < 2:  # a number says where others can be
            near = [*range(len(self.board.literals))]
        may, at_first = (self.board.may(left)[near] for left in (alive, np.ones_like(alive)))
        return bool(((may != at_first).any(axis=1) & (may.sum(axis=1) > 1)).any())

    def _causes(
        self,
        link: Link,
        alive: tuple[Alive, Alive],
        marks: Collection[int],
        so_far: Mapping[int, int],
    ) -> list[str]:
        """Those of some marks that a constraint of the whole grid takes, and its notes."""
        cells = [cell for cell in self._board_cells(link) if cell in marks]
        without, (before, left) = self.board.without, alive
        facts = together(without(cell, value) for cell, value in so_far.items())
        others, gone = [mark for mark in marks if mark not in cells], before & ~left

        def suffices(some: Sequence[int]) -> bool:
            """Whether the link takes away as much from these, the other marks and facts alone."""
            known = together((self.board.gone_by([*others, *some]), facts))
            by_these = self.deduction.alive(link.constraints, known)
            return by_these is not None and not by_these[gone].any()

        needed = needed_of(cells, suffices) if gone.any() else None
        known = {cell: self.board.known[cell] for cell in (cells if needed is None else needed)}
        are = [self.are(known)] if 0 < len(known) <= MOST_MARKS else []
        is_noted = any(choice in self._noted for choice, _ in link.places)
        alone = self.board.puzzle.has_lines and len(link.cells) == 1 and not is_noted
        if alone and (beside := self._decided_beside(link.cells[0])):
            are = [f"{self.are(beside)} anyway"]
        return are + self._notes(link, left)

    def _decided_beside(self, cell: int) -> dict[int, int]:
        """The cells beside one that the grid itself decides, such as a corner."""
        board, distance = self.board, self.board.distance(cell)
        beside = [c for c in board.closed if distance(c) == 1 and c not in board.known]
        return board.decided(np.ones(board.stated.model.n_literals, dtype=bool), beside)

    def _board_cells(self, link: Link) -> list[int]:
        """The cells that a constraint is about, but those of which a note would say why."""
        return sorted({cell for choice, cell in link.places if choice not in self._noted})

    def _notes(self, link: Link, alive: Alive) -> list[str]:
        """What choices that are not on the board say of cells, where they are decided.

        And which others cannot have the same.
        """
        stated, several, rest = self.board.stated, dict[str, list[Cell]](), list[tuple[int, int]]()
        for choice, cell in link.places:
            first, end = stated.model.first_literal[choice : choice + 2].tolist()
            left = first + np.flatnonzero(alive[first:end])
            if len(left) == 1 and (note := stated.notes.get(int(left[0]))):
                several.setdefault(note, []).append(self.board.place(cell))
            elif choice in self._noted:
                rest += [(cell, literal) for literal in range(first, end) if not alive[literal]]
        for cell, literal in rest:
            if (note := stated.notes.get(literal)) in several:
                several.setdefault(f"not {note}", []).append(self.board.place(cell))
        return [
            f"{cell_names(cells)} {'are' if cells[1:] else 'is'} {note}"
            for note, cells in several.items()
        ]


def grouped(statements: Sequence[Statement], reasons: Sequence[str]) -> list[str]:
    """A sentence a reason; one of those that differ only by what they are about."""
    names: dict[str, list[str]] = {}
    for each, reason in zip(statements, reasons, strict=True):
        form = reason if reason == each.name else reason.replace(each.name, "{}", 1)
        names.setdefault(form, []).append(each.name)
    lines = []
    for form, several in names.items():
        each_of = f"each of {named(several)}" if several[1:] else several[0]
        lines.append(form.replace("{}", each_of))
    return lines


def named(several: Sequence[str]) -> str:
    """Several names."""
    return listed(several, comma="; " if any("," in name for name in several) else ", ")


def with_lines(claim: str, lines: Sequence[str]) -> str:
    """What is claimed, and why: on the same line, or on a line each."""
    if len(lines) > 1:
        return "\n".join([f"{claim}:", *(f"- {line}" for line in lines)])
    return f"{claim}{lines[0]}" if lines[0].startswith((", as ", " (")) else f"{claim}: {lines[0]}"
