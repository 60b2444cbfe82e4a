"""What the solutions of a problem have in common, how many there are, and some drawn by lot."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.answer import Answer
from qubopuzzle.base.checks import brief, number, positive, whole
from qubopuzzle.errors import DeadlineExceeded, InputError, OutOfTime, printable
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.problem import Problem
from qubopuzzle.reasons.answers import Answers
from qubopuzzle.reasons.parities import WITHIN, Parts, threshold
from qubopuzzle.solving.loading import Source, problem_of
from qubopuzzle.solving.settings import DEFAULT_EXACT_SOLVER, MOST_SEED, SOLUTION_LIMIT
from qubopuzzle.solving.solve import solve

LIMIT = 10_000
"""Solutions that are counted one by one, if nothing else is said."""
COUNT_S = 60.0
"""Seconds that counting takes at most, if nothing else is said."""
_FEW = 1_000
"""Up to so many solutions are all enumerated before some are drawn."""


# --- candidates --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Candidates(Mapping[Any, tuple[Any, ...]]):
    """The values that some solution has, by cell, (row, column) from 0; none without a solution.

    Of a model by the names of its variables, or choices.

    Attributes:
        problem: the puzzle or model.
        by_place: the same as a plain mapping.
        complete: whether no solution has others; False if time was up.
    """

    problem: Problem
    by_place: Mapping[Any, tuple[Any, ...]]
    complete: bool = True

    def __getitem__(self, place: Any) -> tuple[Any, ...]:
        return self.by_place[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.by_place)

    def __len__(self) -> int:
        return len(self.by_place)

    @property
    def decided(self) -> dict[Any, Any]:
        """The value of each place that has the same in all solutions; none if not ``complete``."""
        alone = (place for place in self if self.complete and len(self[place]) == 1)
        return {place: self[place][0] for place in alone}

    @property
    def backbone(self) -> np.ma.MaskedArray[Any, np.dtype[np.int64]]:
        """The same as a grid, int64, (rows, columns), masked where a cell is open.

        Raises:
            InputError: for a model without a grid.
        """
        grid, is_open = np.zeros(shape := self._shape(), dtype=np.int64), np.ones(shape, dtype=bool)
        for place, value in self.decided.items():
            grid[place], is_open[place] = value, False
        return np.ma.MaskedArray(grid, is_open)

    def as_array(self) -> tuple[NDArray[np.bool_], IntArray]:
        """Which cell may have which value, (rows, columns, values), and these, (values,).

        Raises:
            InputError: for a model without a grid.
        """
        shape = self._shape()
        known = sorted({value for each in self.by_place.values() for value in each})
        possible = np.zeros((*shape, len(known)), dtype=bool)
        for place, each in self.items():
            possible[place] = np.isin(known, each)
        return possible, np.array(known, dtype=np.int64)

    def _shape(self) -> tuple[int, ...]:
        """Of the grid."""
        cells = [place for place in self if isinstance(place, tuple)]
        if self.problem.names_values and not cells:
            raise InputError("a model without a grid has candidates by name")
        return tuple(1 + max(along) for along in zip(*cells, strict=True))

    def picture(self) -> Picture | None:
        """The values in their cells, in rooms if there are any; None for a model."""
        board = self.problem.picture()
        if board is None:
            return None
        _, known = self.as_array()
        between = "" if all(0 <= value < 10 for value in known.tolist()) else ","
        words = {place: between.join(map(str, each)) for place, each in self.items()}
        return Picture(board.rows, board.columns, words=words, rooms=board.rooms)

    def __str__(self) -> str:
        picture = self.picture()
        if picture is not None:
            return picture.text()
        every = ((place, " or ".join(map(str, each))) for place, each in self.items())
        return "\n".join(printable(f"{place} = {values or 'nothing'}") for place, values in every)

    def __repr__(self) -> str:
        of = f"{self.problem.name} {self.problem.id!r}"
        return f"<Candidates of {of}: {len(self.decided):,} of {len(self):,} decided>"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: lists of values, in rows of cells or by name."""
        listed = {place: [*each] for place, each in self.items()}
        if any(isinstance(place, tuple) for place in self):
            grid = np.empty(self._shape(), dtype=object)
            for place, each in listed.items():
                grid[place] = each
            return {"candidates": grid.tolist(), "complete": self.complete}
        return {"candidates": listed, "complete": self.complete}


def candidates(problem: Source, *, time_limit: float | None = None) -> Candidates:
    """All values that some solution has, of each cell, or each variable or choice of a model.

    >>> from qubopuzzle import Nonogram, candidates
    >>> possible = candidates(Nonogram(rows="2;1;1", cols="1;2;1"))
    >>> possible[0, 0], possible[1, 1]
    ((0, 1), (1,))
    >>> print(possible.backbone)
    [[-- 1 --]
     [0 1 0]
     [-- 0 --]]

    Args:
        problem: a puzzle, a model, or a file of one.
        time_limit: in seconds, building not counted; what was found by then is returned.

    Raises:
        InputError: for a problem with an objective, and a model that narrows rules.
        TooLarge: for a model that would not fit in memory.
    """
    source, limit = problem_of(problem), _seconds(time_limit)
    if source.contradiction is not None:
        cells = np.ndindex(getattr(source, "shape", ()))
        return Candidates(source, dict.fromkeys(cells, ()))
    with Answers(source, time_limit=limit) as answers:
        seen, complete = answers.oracle.run(partial(_seen, answers))
        places = answers.places
        possible: dict[Any, tuple[Any, ...]] = dict.fromkeys(places, ())
        for sign in np.flatnonzero(seen).tolist():
            possible[places[int(answers.signs.place[sign])]] += (answers.signs.values[sign],)
    return Candidates(source, possible, complete)


def _seen(answers: Answers) -> tuple[NDArray[np.bool_], bool]:
    """Which signs some answer has, (signs,), and whether no others can be.

    Each answer says of many that they can be; the next one has to have one of those left.
    """
    seen = np.zeros(len(answers.variables), dtype=bool)
    assumed: list[int] = []
    try:
        while (x := answers.find(assumed)) is not None:
            seen |= answers.there(x)
            assumed = [answers.oracle.any_of(answers.variables[~seen].tolist())]
    except OutOfTime:
        return seen, False
    return seen, True


# --- counts ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """How many solutions there are; a whole number where it is ``exact``.

    Attributes:
        least: so many there are, at least.
        exact: whether there are no more.
        estimate: about so many; None if there is none.
        within: of an estimate ``(epsilon, delta)``: with a probability of at least
            ``1 - delta`` it is off by a factor of ``1 + epsilon`` at most.
    """

    least: int
    exact: bool = False
    estimate: int | None = None
    within: tuple[float, float] | None = None

    def __int__(self) -> int:
        if not self.exact:
            raise InputError(f"there is no exact count: {self}")
        return self.least

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Count):
            return self.to_dict() == other.to_dict()
        return self.exact and self.least == other

    def __hash__(self) -> int:
        return hash(self.least)

    def __bool__(self) -> bool:
        """Whether a solution is known."""
        return self.least > 0

    def __str__(self) -> str:
        if self.exact:
            return f"{self.least:,}"
        if self.estimate is None or self.within is None:
            return f"{self.least:,} or more"
        epsilon, delta = self.within
        about = f"{self.estimate:,}" if self.estimate < 10**12 else f"{self.estimate:.3g}"
        return f"about {about} (within a factor of {1 + epsilon:g}, {1 - delta:.0%} sure)"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "least": self.least,
            "exact": self.exact,
            "estimate": self.estimate,
            "within": None if self.within is None else [*self.within],
        }


def count(
    problem: Source,
    limit: int = LIMIT,
    *,
    within: tuple[float, float] | None = WITHIN,
    seed: int | None = None,
    time_limit: float | None = COUNT_S,
) -> Count:
    """How many solutions there are: exactly up to a limit, beyond it about, with a guarantee.

    Solutions are answer grids, or of a model without a grid the values of its choices.

    >>> from qubopuzzle import Sudoku, count
    >>> count(Sudoku("." * 16)) == 288
    True
    >>> print(count(Sudoku("." * 16), limit=100, seed=1))
    about 272 (within a factor of 1.8, 80% sure)

    Args:
        problem: a puzzle, a model, or a file of one.
        limit: more solutions are not counted one by one.
        within: ``(epsilon, delta)`` of the estimate beyond the limit, see ``Count``; None for no
            estimate, so that ``count.least`` is ``limit + 1`` there. Up to 73 solutions, at the
            default, are counted before one is made, whatever the limit.
        seed: of the estimate; drawn without.
        time_limit: in seconds, building not counted, None for no limit; the solutions that were
            counted by then are ``count.least``.

    Raises:
        InputError: for a problem with an objective, and a model that narrows rules.
        TooLarge: for a model that would not fit in memory.
    """
    source, limit_s = problem_of(problem), _seconds(time_limit)
    limit, rng = whole("limit", limit, 1), _rng(seed)
    if within is not None:
        epsilon, delta = within
        if not (positive("epsilon", epsilon) and 0 < number("delta", delta) < 1):
            raise InputError(f"delta: expected a probability from 0 to 1, got {brief(delta)}")
    if source.contradiction is not None:
        return Count(0, exact=True)
    with Answers(source, time_limit=limit_s) as answers:
        return answers.oracle.run(partial(_count, answers, limit, within, rng))


def _count(
    answers: Answers, limit: int, within: tuple[float, float] | None, rng: np.random.Generator
) -> Count:
    least, most = 0, limit if within is None else max(limit, threshold(within))
    try:
        with closing(answers.each()) as each:
            for _ in islice(each, most + 1):
                least += 1
        if least > most and within is not None:
            estimate = Parts(answers, rng).estimate(within)
            return Count(least, False, max(estimate, least), within)
    except OutOfTime:
        return Count(least)
    return Count(least, exact=least <= most)


# --- samples -----------------------------------------------------------------------------


def solutions(
    problem: Source,
    n: int = 1,
    uniform: bool = True,
    *,
    seed: int | None = None,
    time_limit: float | None = None,
) -> list[Answer]:
    """Solutions drawn by lot, each as probable as any other; or just different ones.

    They are drawn independently of each other, so that one may come again. Up to 1,000 solutions
    are enumerated, and each has the same probability exactly; of more, probabilities differ by 0.7
    percent at most if the ``count`` that comes first is within its factor of 1.8.

    >>> from qubopuzzle import Sudoku, solutions
    >>> [answer.valid for answer in solutions(Sudoku("." * 16), 3, seed=1)]
    [True, True, True]

    Args:
        problem: a puzzle, a model, or a file of one.
        n: how many.
        uniform: False for different ones as the solver ``sat`` finds them, as many as there are up
            to ``n``.
        seed: of the draws; the same one draws the same grids. Drawn itself without.
        time_limit: in seconds, building not counted.

    Returns:
        Answers, judged; none if there is no solution.

    Raises:
        InputError: for a problem with an objective, and a model that narrows rules.
        TooLarge: for a model that would not fit in memory.
        DeadlineExceeded: if time was up before ``n`` solutions were drawn.
    """
    source, limit_s = problem_of(problem), _seconds(time_limit)
    n, rng = whole("n", n, 1, SOLUTION_LIMIT), _rng(seed)
    if not uniform:
        result = solve(source, DEFAULT_EXACT_SOLVER, solutions=n, seed=seed, time_limit=time_limit)
        return [*result.answers] if result.valid else []
    if source.contradiction is not None:
        return []
    with Answers(source, time_limit=limit_s) as answers:
        try:
            drawn = answers.oracle.run(partial(_drawn, answers, n, rng))
        except OutOfTime:
            what = f"{n:,} solutions are not drawn within {limit_s:g} s"
            raise DeadlineExceeded(f"{what}; raise time_limit, or leave it out") from None
        return [answers.judged(x) for x in drawn]


def _drawn(answers: Answers, n: int, rng: np.random.Generator) -> list[IntArray]:
    """Answers by lot, as literals."""
    with closing(answers.each()) as each:
        few = [*islice(each, _FEW + 1)]
    if len(few) <= _FEW:
        few.sort(key=lambda x: answers.there(x).tobytes())
        return [few[i] for i in rng.integers(len(few), size=n)] if few else []
    parts = Parts(answers, rng)
    return [*islice(parts.draw(parts.estimate(WITHIN)), n)]


def _seconds(time_limit: float | None) -> float | None:
    return None if time_limit is None else positive("time_limit", time_limit, "seconds")


def _rng(seed: int | None) -> np.random.Generator:
    known = secrets.randbits(31) if seed is None else whole("seed", seed, 0, MOST_SEED)
    return np.random.default_rng(known)
