"""All precedences of a model together: the values that they order, the paths that they form."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.data import IntArray, Model, as_before
from qubopuzzle.model.segments import Segments

_FAR = 1 << 40
"""Further apart than any two values."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Choices in order, each with at most one precedence into it and one out of it.

    Attributes:
        path: the path that each choice is on, shape (choices,); a choice that is on none is a
            path of its own.
        position: how many choices of the path come before it, (choices,).
        entry: the precedence between it and the choice before, -1 at the first, (choices,).
        earliest: index of its first value that the path allows, its size if there is none,
            (choices,).
        slack: each literal's number with the gaps before its choice taken out, (literals,). At
            allowed values it never falls along a path.
    """

    path: IntArray
    position: IntArray
    entry: IntArray
    earliest: IntArray
    slack: IntArray

    @property
    def shared(self) -> NDArray[np.bool_]:
        """Whether each choice is on a path with others, (choices,)."""
        return np.asarray(np.bincount(self.path)[self.path] > 1)


class Precedences:
    """All precedences of a model, shape (n,) each, and the integer value of each literal.

    ``number`` (literals,) is 0 for choices under no precedence. ``keys`` (literals,) sort literals
    by choice, then by value; ``starts`` and ``sizes`` (choices,) are the first literal of each
    choice and how many there are.
    """

    def __init__(self, model: Model) -> None:
        nothing = np.zeros(0, dtype=np.int64)
        self.first, self.second, self.gap = (
            np.concatenate([nothing, *(getattr(block, name) for block in model.precedence)])
            for name in ("first", "second", "gap")
        )
        self.family = [b.family for b in model.precedence for _ in range(len(b.first))]
        self.number = model.number_of_literal
        self.keys = model.choice_of_literal * _FAR + self.number
        self.starts, self.sizes = model.first_literal[:-1], model.sizes

    def paths(self) -> Paths:
        """The paths that the precedences form."""
        n, sizes = len(self.starts), self.sizes
        into, out = (np.bincount(ends, minlength=n) for ends in (self.second, self.first))
        alone = (out == 1) & (into <= 1)
        edge = alone[self.first] & (into[self.second] == 1) & (self.first != self.second)
        following, entry = np.full((2, n), -1)
        following[self.first[edge]] = np.flatnonzero(edge)
        position, earliest, ahead = np.zeros((3, n), dtype=np.int64)
        path = len(self.first) + np.arange(n)
        at = np.setdiff1d(self.first[edge], self.second[edge])
        path[at] = following[at]
        while len(at):  # one choice further along all paths
            at = at[following[at] >= 0]
            through = following[at]
            after, gap = self.second[through], self.gap[through]
            entry[after], path[after], position[after] = through, path[at], position[at] + 1
            ahead[after] = ahead[at] + gap
            limit = self.number[self.starts[at] + np.minimum(earliest[at], sizes[at] - 1)] + gap
            possible = earliest[at] < sizes[at]
            earliest[after] = np.where(possible, self.below(after, limit), sizes[after])
            at = after
        return Paths(path, position, entry, earliest, self.number - np.repeat(ahead, sizes))

    def apart(self) -> Paths:
        """Each choice on a path of its own, as if there were no precedences."""
        n = len(self.starts)
        none = np.zeros(n, dtype=np.int64)
        return Paths(np.arange(n), none, none - 1, none, self.number)

    def below(self, choice: IntArray, limit: IntArray) -> IntArray:
        """How many values of each choice are below its limit, shape of ``limit``."""
        count = np.searchsorted(self.keys, choice * _FAR + limit) - self.starts[choice]
        return np.asarray(count, dtype=np.int64)

    def thresholds(self) -> tuple[IntArray, IntArray, IntArray]:
        """What each value of the first choices asks of the second, shape (n,) each.

        The precedence's number, the index of the first choice's value, and how many values of
        the second are then too low.
        """
        sizes = self.sizes[self.first]
        which = np.repeat(np.arange(len(sizes)), sizes)
        index = np.arange(len(which)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        limit = self.number[self.starts[self.first[which]] + index] + self.gap[which]
        return which, index, self.below(self.second[which], limit)


@dataclass(frozen=True, slots=True, eq=False)
class PathTerms:
    """The parts of rows, of choices on a path with others, by path, row and position.

    Attributes:
        part: each stretch's number in ``Segments``, shape (parts,).
        path, row, choice: where it is, (parts,).
        first, last: its first and last literal, (parts,).
        again: whether the stretch before is of the same row and path, (parts,).
        meets: whether it and that one can be in the row together, at values that the path
            allows, (parts,).
    """

    part: IntArray
    path: IntArray
    row: IntArray
    choice: IntArray
    first: IntArray
    last: IntArray
    again: NDArray[np.bool_]
    meets: NDArray[np.bool_]


def path_terms(parts: Segments, paths: Paths) -> PathTerms:
    """Sort the parts of rows by path.

    Slack never falls along a path. So two of its choices cannot both be in a row if all that puts
    the later one there has less slack than all that puts the earlier one there.
    """
    (shared,) = np.nonzero(paths.shared[parts.choice])
    choice = parts.choice[shared]
    ordered = shared[np.lexsort((paths.position[choice], parts.row[shared], paths.path[choice]))]
    row, choice = parts.row[ordered], parts.choice[ordered]
    path, start = paths.path[choice], parts.start[ordered]
    first, last = parts.literal[start], parts.literal[start + parts.count[ordered] - 1]
    again = as_before(path, row)
    meets = again & (paths.slack[last] >= np.roll(paths.slack[first], 1))
    return PathTerms(ordered, path, row, choice, first, last, again, meets)


def separable(order: Precedences, paths: Paths, terms: PathTerms) -> NDArray[np.bool_]:
    """By path: whether what its choices add to rows is a sum over them, (precedences + choices,).

    It has then no precedences between its choices but its own, some values that keep all of them,
    and no two choices that are in one row at such values.
    """
    result = np.ones(len(order.first) + len(order.sizes), dtype=bool)
    result[paths.path[paths.earliest == order.sizes]] = False
    loose = np.delete(np.arange(len(order.first)), paths.entry[paths.entry >= 0])
    inside = paths.path[order.first[loose]]
    result[inside[inside == paths.path[order.second[loose]]]] = False
    result[terms.path[terms.meets]] = False
    return result
