"""All precedences of a model together: the values that they order, the paths that they form."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.data import IntArray, Model

_FAR = 1 << 40
"""Further apart than any two values."""


@dataclass(frozen=True, slots=True, eq=False)
class Precedences:
    """All precedences of a model, shape (n,) each, and the integer value of each literal.

    ``number`` (literals,) is 0 for choices under no precedence, ``numbered`` (choices,)
    says which are under one. ``keys`` (literals,) sort literals by choice, then by value;
    ``starts`` (choices,) is the first literal of each choice.
    """

    first: IntArray
    second: IntArray
    gap: IntArray
    family: list[str]
    number: IntArray
    numbered: NDArray[np.bool_]
    keys: IntArray
    starts: IntArray

    @classmethod
    def of(cls, model: Model) -> Precedences:
        """Gather the blocks of a model."""
        nothing = np.zeros(0, dtype=np.int64)
        first, second, gap = (
            np.concatenate([nothing, *(getattr(block, name) for block in model.precedence)])
            for name in ("first", "second", "gap")
        )
        family = [b.family for b in model.precedence for _ in range(len(b.first))]
        ends = np.unique(np.concatenate([first, second]))
        numbered = np.zeros(len(model.choices), dtype=bool)
        numbered[ends] = True
        number = np.zeros(model.n_literals, dtype=np.int64)
        values = chain.from_iterable(model.choices[choice].values for choice in ends.tolist())
        number[numbered[model.choice_of_literal]] = np.fromiter(values, dtype=np.int64)
        keys = model.choice_of_literal * _FAR + number
        starts = model.first_literal[:-1]
        return cls(first, second, gap, family, number, numbered, keys, starts)

    def paths(self) -> tuple[list[list[int]], list[list[int]]]:
        """Choices in order along each path of precedences, and the precedences between them.

        A path goes through choices with at most one precedence into them and one out.
        """
        n = len(self.numbered)
        into, out = (np.bincount(ends, minlength=n) for ends in (self.second, self.first))
        alone = (out == 1) & (into <= 1)
        edge = alone[self.first] & (into[self.second] == 1) & (self.first != self.second)
        follower = {
            a: (b, i)
            for i, (a, b) in enumerate(zip(self.first.tolist(), self.second.tolist(), strict=True))
            if edge[i]
        }
        followed = {b for b, _ in follower.values()}
        paths, edges = [], []
        for start in follower:
            if start in followed:
                continue
            path, through = [start], []
            while path[-1] in follower:
                after, i = follower[path[-1]]
                path.append(after)
                through.append(i)
            paths.append(path)
            edges.append(through)
        return paths, edges

    def below(self, choice: IntArray, limit: IntArray) -> IntArray:
        """How many values of each choice are below its limit, shape of ``limit``."""
        found = np.searchsorted(self.keys, choice * _FAR + limit) - self.starts[choice]
        return np.asarray(found, dtype=np.int64)

    def thresholds(self) -> tuple[IntArray, IntArray, IntArray]:
        """What each value of the first choices asks of the second, shape (n,) each.

        The precedence's number, the index of the first choice's value, and how many values of
        the second are then too low.
        """
        sizes = np.diff(self.starts, append=len(self.number))[self.first]
        which = np.repeat(np.arange(len(sizes)), sizes)
        index = np.arange(len(which)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        limit = self.number[self.starts[self.first[which]] + index] + self.gap[which]
        return which, index, self.below(self.second[which], limit)
