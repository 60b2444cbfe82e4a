"""Places in texts, and lists: messages and names count rows and columns from 0, players from 1."""

import re
from collections.abc import Iterable, Sequence

TOWARDS = ("to the right", "downwards", "to the left", "upwards")
"""Where lines leave a cell, in the order of ``Edges.factors``."""
_PLACE = re.compile(
    r"\b(?P<name>\w+)\[(?P<index>\d+)\]"
    r"|(?P<family>(?:\b\w+)?)[\[(](?P<row>\d+), ?(?P<column>\d+)[\])]"
    r"|\b(?P<what>room|cell) (?P<number>\d+)"
)
_NAMED = 6
"""Rows or columns of cells that are named; cells of others are counted."""


def from_one(text: str) -> str:
    """A message or a constraint's name as players count, whose first row is 1; ours is 0.

    >>> from_one("row[0] has C twice"), from_one("field[2,1]"), from_one("cut off: (0,5) (1,5)")
    ('row 1 has C twice', 'field (3,2)', 'cut off: (1,6) (2,6)')
    """

    def counted(match: re.Match[str]) -> str:
        if match["row"]:
            cell = f"({int(match['row']) + 1},{int(match['column']) + 1})"
            return f"{match['family']} {cell}".lstrip()
        return f"{match['name'] or match['what']} {int(match['index'] or match['number']) + 1}"

    return _PLACE.sub(counted, text)


def cell_names(cells: Sequence[tuple[int, ...]], last: str = "and") -> str:
    """Cells as players count them, those of a row together, or of a column if that is shorter.

    >>> cell_names([(1, 2), (1, 3), (4, 0)])
    'row 2, columns 3 and 4, and row 5, column 1'
    >>> cell_names([(1, 2), (3, 2), (4, 2)], "or")
    'column 3, row 2, 4 or 5'

    Args:
        cells: (row, column), from 0.
        last: what stands before the last of several.
    """
    rows, columns = (
        {line: sorted(c[1 - i] + 1 for c in cells if c[i] == line) for line in dict.fromkeys(lines)}
        for i, lines in enumerate(zip(*cells, strict=True))
    )
    by_row = len(rows) <= len(columns)
    line, place = ("row", "column") if by_row else ("column", "row")
    several = [*(rows if by_row else columns).items()]
    shown = [
        f"{line} {number + 1}, {place}{'s' * (len(places) > 1 and last == 'and')} "
        f"{listed(places, last)}"
        for number, places in several[:_NAMED]
    ]
    more = sum(len(places) for _, places in several[_NAMED:])
    end = last if len(cells) == len(several) else f", {last}"
    return listed([*shown, *[f"{more} more"] * bool(more)], end, "; ").replace(" ,", ",")


def listed(words: Iterable[object], last: str = "and", comma: str = ", ") -> str:
    """Several of them, with a word before the last.

    >>> listed([1]), listed([1, 2, 3], "or")
    ('1', '1, 2 or 3')
    """
    *most, end = map(str, words)
    return f"{comma.join(most)} {last} {end}" if most else end
