"""Paths of precedences that propagation looks at as one: how kernels read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.data import IntArray, starts
from qubopuzzle.model.order import Paths, PathTerms, Precedences
from qubopuzzle.model.segments import Segments


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Paths of choices, and **touches**: whether any choice of a path has a term in a row.

    Attributes:
        chain_of: the chain of each choice, -1 for none, shape (choices,).
        touch_row, touch_amount: what a touch adds to which row, (touches,).
        arrays: the fields of ``PropagatorArrays`` that say how kernels walk along chains.
    """

    chain_of: IntArray
    touch_row: IntArray
    touch_amount: IntArray
    arrays: Mapping[str, Any]


def find_chains(
    order: Precedences, paths: Paths, parts: Segments, terms: PathTerms, exact: NDArray[np.bool_]
) -> Chains:
    """The paths that ``propagate_chain`` looks at as one.

    These are the paths of two choices or more that are ``exact``, see ``separable``, that add to
    each row one amount or nothing, and on which the values of a choice that are in a row are next
    to each other.
    """
    sizes, known = order.sizes, exact.copy()
    amounts = [end.reduceat(parts.data, parts.start) for end in (np.minimum, np.maximum)]
    least, greatest = (extreme[terms.part] for extreme in amounts)
    adjacent = terms.last - terms.first + 1 == parts.count[terms.part]
    other = terms.again & (least != np.roll(least, 1))
    known[terms.path[(least != greatest) | ~adjacent | other]] = False
    members = np.flatnonzero(known[paths.path] & paths.shared)
    members = members[np.lexsort((paths.position[members], paths.path[members]))]
    number, chain = np.unique(paths.path[members], return_inverse=True)
    start, room = starts(chain, len(number)), sizes[members] + 1
    begin = np.cumsum(room) - room
    place = 2 + begin - begin[start[chain]]
    place_of, chain_of = np.zeros(len(sizes), dtype=np.int64), np.full(len(sizes), -1)
    place_of[members], chain_of[members] = place, chain
    back, ahead = np.zeros((2, len(order.number)), dtype=np.int64)
    later = members[paths.position[members] > 0]
    owner = np.repeat(np.arange(len(sizes)), sizes)
    (literal,) = np.nonzero(np.isin(owner, later))
    entry = paths.entry[owner[literal]]
    back[literal] = place_of[order.first[entry]] - 1
    back[literal] += order.below(order.first[entry], order.number[literal] - order.gap[entry] + 1)
    into = np.full(len(sizes), -1)
    into[order.first[paths.entry[later]]] = paths.entry[later]
    (literal,) = np.nonzero(into[owner] >= 0)
    entry = into[owner[literal]]
    ahead[literal] = place_of[order.second[entry]]
    ahead[literal] += order.below(order.second[entry], order.number[literal] + order.gap[entry])

    inside = known[terms.path]
    unsure = (terms.again & ~_joins(order, paths, terms))[inside]
    choice, first = terms.choice[inside], terms.first[inside]
    touch = np.cumsum(~terms.again[inside]) - 1
    (heads,) = np.nonzero(~terms.again[inside])
    low = place_of[choice] + first - order.starts[choice]
    return Chains(
        chain_of,
        touch_row=terms.row[inside][heads],
        touch_amount=parts.data[parts.start[terms.part[inside][heads]]],
        arrays={
            "chain_start": start,
            "chain_choice": members,
            "chain_place": place,
            "room": np.add.reduceat(room, start[:-1]) + 2 if len(number) else start[:0],
            "back": back,
            "ahead": ahead,
            "touch_start": starts(chain_of[choice[heads]], len(number)),
            "unsure": np.bincount(touch, unsure, minlength=len(heads)) > 0,
            "stretch_start": starts(touch, len(heads)),
            "low": low,
            "high": low + terms.last[inside] - first,
            "begin": place_of[choice],
            "end": place_of[choice] + sizes[choice],
        },
    )


def _joins(order: Precedences, paths: Paths, terms: PathTerms) -> NDArray[np.bool_]:
    """Whether a walk can be early in the stretch before and late in each one, (parts,).

    Whenever there are values for it, at neighbouring choices of the path: then the cheapest early
    part and the cheapest late part of a walk make one.
    """
    before = np.maximum(np.arange(len(terms.part)) - 1, 0)
    begin, position = order.starts[terms.choice], paths.position[terms.choice]
    # The value behind the stretch, and the one ahead of that of the choice before.
    behind = np.minimum(terms.last + 1, len(order.number) - 1)
    ahead = np.maximum(terms.first - 1, 0)[before]
    exist = (terms.last + 1 < begin + order.sizes[terms.choice]) & (terms.first > begin)[before]
    fit = ~exist | (paths.slack[behind] >= paths.slack[ahead])
    return np.asarray(fit & (position == position[before] + 1))
