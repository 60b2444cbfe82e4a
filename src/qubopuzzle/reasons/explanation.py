"""Why a problem has no solution, one or several: what was found out, as text, HTML and JSON."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from qubopuzzle.answer import Answer
from qubopuzzle.base import html
from qubopuzzle.base.places import cell_names
from qubopuzzle.errors import printable
from qubopuzzle.model.semantics import BrokenConstraint
from qubopuzzle.model.statements import Statement
from qubopuzzle.picture import Picture
from qubopuzzle.problem import Problem
from qubopuzzle.puzzles.base import Puzzle

Place: TypeAlias = tuple[int, ...] | str
"""A cell of a grid, from 0, or the name of a variable or a choice."""
_SHOWN = 12
"""Differing values that are named."""


@dataclass(frozen=True, slots=True)
class Clue:
    """A value that would tell solutions apart.

    Attributes:
        place: a cell from 0, or the name of a variable or choice, and its ``value``.
        settles: proved that one solution is left; else none does, as far as was looked at.
        left: how many of the solutions looked at have this value, of ``seen``.
    """

    place: Place
    value: Hashable
    settles: bool
    left: int
    seen: int


@dataclass(frozen=True, slots=True, eq=False)
class FailedSearch:
    """What a search that found no solution kept running into.

    Attributes:
        heaviest: rows whose weights rose highest, label and weight; of solvers whose weights learn.
        broken: the constraints that the best answer breaks.
        states: answers that were compared, and ``fixed``: how many of ``places``, cells, variables
            or choices, had one value in all of them.
        conflict: statements that contradict each other where ``because`` have these values, none of
            which can be left out; empty if there is a solution with all that was fixed.
    """

    heaviest: tuple[tuple[str, float], ...]
    broken: tuple[BrokenConstraint, ...]
    states: int = 0
    fixed: int = 0
    places: int = 0
    conflict: tuple[Statement, ...] = ()
    because: tuple[Place, ...] = ()


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a problem has no solution, or that it has one, or several.

    Attributes:
        problem: what was asked about.
        status: ``infeasible``: proved that there is no solution; ``feasible``: there is one;
            ``unknown``: time ran out first.
        proved_by: what proved that there is no solution, or no other one: ``sat`` or ``cpsat``.
        contradiction: why there is no solution, where clues as such say so; the rest is then empty.
        conflict: statements that contradict each other, clues and rules or rows.
        is_minimal: proved that none of them can be left out.
        is_smallest: proved that no fewer contradict each other; these have ``at_least`` so many.
        relax: statements without which there is a solution, of the least ``weight`` together, if
            ``is_lightest``; None where none was found, or where those that must hold contradict
            each other.
        relaxed: that solution, judged by all rules.
        answers: up to two different solutions.
        unique: whether there is exactly one; None where that is not decided, or where there is an
            objective, which is not looked at.
        clue: what would tell several solutions apart.
        search: of a ``Result`` without a solution, what the search ran into.
        interrupted: Ctrl-C came first; this is what there was.
    """

    problem: Problem
    status: Literal["infeasible", "feasible", "unknown"] = "unknown"
    proved_by: str = ""
    contradiction: str | None = None
    conflict: tuple[Statement, ...] = ()
    is_minimal: bool = False
    is_smallest: bool = False
    at_least: int = 0
    relax: tuple[Statement, ...] | None = None
    weight: float = 0.0
    is_lightest: bool = False
    relaxed: Answer | None = None
    answers: tuple[Answer, ...] = ()
    unique: bool | None = None
    clue: Clue | None = None
    search: FailedSearch | None = None
    interrupted: bool = False

    @property
    def cells(self) -> frozenset[tuple[int, ...]]:
        """The cells of the conflict's statements, or those where two solutions differ."""
        if self.conflict:
            return frozenset(cell for each in self.conflict for cell in each.cells)
        return frozenset(place for place in self.differing if not isinstance(place, str))

    @property
    def differing(self) -> list[Place]:
        """Cells, variables or choices in which the two solutions differ; none of fewer."""
        if len(self.answers) < 2:
            return []
        one, two = map(values_of, self.answers)
        return [place for place in one if one[place] != two[place]]

    def picture(self) -> Picture | None:
        """The board with the cells of the conflict marked, or a solution; None for a model."""
        answer = self.answers[0].grid if self.answers else None
        return self.problem.picture(answer, self.cells)

    def lines(self) -> Iterator[str]:
        """What is known, in words."""
        yield self.verdict
        yield from self._said(self.conflict)
        if self.relax is not None:
            names = "; ".join(each.name for each in self.relax)
            least = "no less will do" if self.is_lightest else "perhaps less will do"
            yield f"there is a solution without this ({least}): {names}"
        yield from self._of_solutions()
        yield from self._of_search()

    @property
    def verdict(self) -> str:
        """One line on what is known."""
        if self.contradiction is not None:
            return f"no solution, because {self.contradiction}"
        if self.status == "unknown":
            return f"not decided ({'interrupted' if self.interrupted else 'the time is over'})"
        if self.status == "feasible":
            ignored = "; the objective was not looked at" * self.problem.has_objective
            how_many = {
                True: "exactly one solution",
                False: "several solutions",
                None: "there is a solution",
            }
            proved = f" (proved by {self.proved_by})" if self.unique else ""
            return f"{how_many[self.unique]}{proved}{ignored}"
        n = len(self.conflict)
        why = f"these {n} contradict each other" if n > 1 else "this cannot be met"
        if self.is_smallest:
            why += ", and no fewer do" if n > 1 else ""
        elif n > 1:
            why += ", and none can be left out" if self.is_minimal else ", or some of them"
            why += f"; every such set has at least {self.at_least}" if self.at_least > 1 else ""
        return f"no solution (proved by {self.proved_by}): {why}"

    def _said(self, statements: Sequence[Statement]) -> Iterator[str]:
        """A line a statement: what it asks for, and its name, unless that is said there."""
        for each in statements:
            asks = self.words(each) or each.name
            yield f"  {asks if each.name in asks else f'{each.name}: {asks}'}"

    def words(self, statement: Statement) -> str:
        """What a statement asks for where nothing is known; nothing if its name says all."""
        if statement.words is None:
            return ""
        grid = np.zeros(getattr(self.problem, "shape", (0, 0)), dtype=np.int64)
        return statement.words(grid, np.zeros(grid.shape, dtype=bool))

    def _named(self, places: Sequence[Place]) -> str:
        """Cells by row and column, from 1; variables and choices as they are called."""
        cells = [place for place in places if not isinstance(place, str)]
        if cells:
            return cell_names(cells)
        more = f"; and {len(places) - _SHOWN} more" * (len(places) > _SHOWN)
        return ", ".join(map(str, places[:_SHOWN])) + more

    def _valued(self, value: Hashable) -> str:
        """A value as the puzzle calls it."""
        if isinstance(self.problem, Puzzle) and isinstance(value, int):
            return self.problem.value_name(value)
        return str(value)

    def _of_solutions(self) -> Iterator[str]:
        """Where two solutions differ, and what would tell them apart."""
        if self.unique is not False:
            return
        places, clue = self.differing, self.clue
        what = "value" if self.problem.names_values else "cell"
        many = f"{len(places)} {what}{'s' * (len(places) > 1)}"
        yield f"two of them differ in {many}: {self._named(places)}"
        if clue is None:
            return
        given = f"{self._named([clue.place])} is {self._valued(clue.value)}"
        if clue.settles:
            yield f"that {given} would leave one"
        else:
            yield (
                f"no single value that was tried leaves one; that {given} would leave "
                f"{clue.left} of {clue.seen} that were looked at, or more"
            )

    def _of_search(self) -> Iterator[str]:
        """What a search ran into."""
        search = self.search
        if search is None:
            return
        if search.heaviest:
            rows = ", ".join(f"{label} ({weight:.3g})" for label, weight in search.heaviest)
            yield f"the search weighed these most: {rows}"
        if search.broken:
            labels = list(dict.fromkeys(each.label for each in search.broken))
            more = ", ..." * (len(labels) > _SHOWN)
            yield f"its best answer breaks: {', '.join(labels[:_SHOWN])}{more}"
        if search.fixed:
            same = f"{search.fixed} of {search.places} values were the same in all"
            given = f"with {self._named(search.because)} as they were, " if search.because else ""
            yield f"{same} {search.states} answers" + (
                f"; {given}these contradict each other:"
                if search.conflict
                else ", and there is a solution with them"
            )
            yield from self._said(search.conflict)

    def __str__(self) -> str:
        picture = self.picture()
        lines = map(printable, self.lines())
        return "\n".join([*([picture.text()] if picture else []), *lines])

    def __repr__(self) -> str:
        return f"<Explanation of {self.problem.name} {self.problem.id!r}: {self.verdict}>"

    def _repr_html_(self) -> str:
        picture = self.picture()
        drawn = html.inline(picture.image("svg")) if picture else ""
        first, *lines = self.lines()
        items = "".join(f"<br>{html.escape(line)}" for line in lines)
        return f"{drawn}<p><b>{html.escape(first)}</b>{items}</p>"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: plain numbers, texts, lists."""
        search = self.search
        return {
            "id": self.problem.id,
            "puzzle": self.problem.name,
            "status": self.status,
            "proved_by": self.proved_by,
            "contradiction": self.contradiction,
            "conflict": self._listed(self.conflict),
            "is_minimal": self.is_minimal,
            "is_smallest": self.is_smallest,
            "at_least": self.at_least,
            "relax": None if self.relax is None else self._listed(self.relax),
            "weight": self.weight,
            "is_lightest": self.is_lightest,
            "relaxed": None if self.relaxed is None else self.relaxed.to_dict(),
            "solutions": [answer.format() for answer in self.answers],
            "unique": self.unique,
            "differing": [_plain(place) for place in self.differing],
            "clue": self.clue and {**asdict(self.clue), "place": _plain(self.clue.place)},
            "search": search
            and {
                "heaviest": [list(each) for each in search.heaviest],
                "broken": [asdict(each) for each in search.broken],
                "states": search.states,
                "fixed": search.fixed,
                "places": search.places,
                "conflict": self._listed(search.conflict),
                "because": [_plain(place) for place in search.because],
            },
            "interrupted": self.interrupted,
        }

    def _listed(self, statements: Sequence[Statement]) -> list[dict[str, Any]]:
        return [
            {
                "name": each.name,
                "family": each.family,
                "is_clue": each.is_clue,
                "cells": [list(cell) for cell in each.cells],
                "words": self.words(each),
            }
            for each in statements
        ]


def values_of(answer: Answer) -> dict[Place, Hashable]:
    """The value of each cell, variable or choice."""
    if answer.problem.names_values or answer.grid is None:
        return dict(answer.values.items())
    return {tuple(map(int, cell)): int(value) for cell, value in np.ndenumerate(answer.grid)}


def _plain(place: Place) -> Any:
    return place if isinstance(place, str) else list(place)
