"""Words of rules: how many of what there are, or are still needed."""

import re
from collections.abc import Collection

from qubopuzzle.model import UNBOUNDED

_BESIDE = re.compile(r" beside it| in sight|$")
"""Behind things: which of the cells they are on."""


def counted(number: int, things: str) -> str:
    """So many of some things.

    >>> counted(1, "bulbs beside it"), counted(2, "cells of sea"), counted(0, "stars")
    ('1 bulb beside it', '2 cells of sea', 'no stars')
    """
    return f"{number or 'no'} {one_of(things) if number == 1 else things}"


def one_of(things: str) -> str:
    """One of them.

    >>> one_of("black cells")
    'black cell'
    """
    return re.sub(r"s\b", "", things, count=1)


def cells_left(number: int) -> str:
    """The cells that are not known yet.

    >>> cells_left(1), cells_left(2)
    ('its only open cell', 'its 2 open cells')
    """
    return "its only open cell" if number == 1 else f"its {number} open cells"


def bounds(low: int, high: int, things: str) -> str:
    """How many there are to be, behind their place.

    >>> bounds(2, 2, "stars"), bounds(-UNBOUNDED, 1, "bulbs"), bounds(1, UNBOUNDED, "bulbs")
    ('needs 2 stars', 'may have 1 bulb at most', 'needs 1 bulb at least')
    """
    if low == high:
        return f"{'needs' if low else 'has'} {counted(low, things)}"
    if low <= 0:
        return f"may have {counted(high, things)} at most"
    if high >= UNBOUNDED:
        return f"needs {counted(low, things)} at least"
    return f"needs {low} to {high} {things}"


def needs(low: int, high: int, things: str, has: int, open_cells: int) -> str:
    """The same where some cells are known.

    >>> needs(2, 2, "stars", 2, 3), needs(3, 3, "bulbs beside it", 1, 2)
    ('has its 2 stars already', 'needs 2 more bulbs in the 2 open cells beside it')
    >>> needs(1, UNBOUNDED, "bulbs", 0, 1), needs(2, 2, "stars", 0, 1)
    ('needs 1 bulb in its only open cell', 'needs 2 stars, and has 1 open cell')
    >>> needs(-UNBOUNDED, 1, "bulbs", 1, 1), needs(-UNBOUNDED, 1, "bulbs", 2, 0)
    ('has 1 bulb already, and may have 1 at most', 'has 2 bulbs, and may have 1 at most')
    """
    if has > high:
        return f"has {counted(has, things)}, and may have {high or 'none'} at most"
    if has < low:
        beside = "".join(_BESIDE.findall(things))
        of = things.removesuffix(beside)
        need = counted(low - has, f"more {of}" if has else of)
        if open_cells < low - has:
            return f"needs {need}{beside}, and has {counted(open_cells, 'open cells')}"
        if not beside:
            return f"needs {need} in {cells_left(open_cells)}"
        cells = "the only open cell" if open_cells == 1 else f"the {open_cells} open cells"
        return f"needs {need} in {cells}{beside}"
    if low == high:
        its = one_of(things) if has == 1 else f"{has} {things}"
        return f"has its {its} already" if has else f"has no {things}"
    if high < UNBOUNDED and has:
        return f"has {counted(has, things)} already, and may have {high} at most"
    return f"has {counted(has, things)} already" if has else bounds(low, high, things)


def wrongly(number: int, counts: Collection[int]) -> str:
    """How many there would be, where these can be counted; nothing if they can be right.

    >>> wrongly(3, {1, 2}), wrongly(3, {2, 5, 6}), wrongly(3, {2, 3})
    ('2 at most', '2 at most or 5 at least', '')
    """
    if number in counts:
        return ""
    less, more = [n for n in counts if n < number], [n for n in counts if n > number]
    parts = [f"{max(less)} at most"] if less else []
    return " or ".join([*parts, *([f"{min(more)} at least"] if more else [])])


def adds_up(total: int, has: int | None, open_cells: int) -> str:
    """What a sum asks for, behind its place; None where no cell is known.

    >>> adds_up(12, None, 3), adds_up(12, 5, 2)
    ('adds up to 12', 'needs 7 more in its 2 open cells')
    >>> adds_up(12, 5, 1), adds_up(12, 12, 1), adds_up(12, 11, 0)
    ('needs 7 more in its only open cell', 'adds up to 12 already', 'adds up to 11, not 12')
    """
    if has is None or (has == total and not open_cells):
        return f"adds up to {total}"
    if has < total and open_cells:
        return f"needs {total - has} more in {cells_left(open_cells)}"
    is_full = "already" if has == total else f"already, and is to be {total}"
    return f"adds up to {has} {is_full}" if open_cells else f"adds up to {has}, not {total}"
