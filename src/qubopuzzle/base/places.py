"""Places in texts: messages and names count rows and columns from 0, players from 1."""

import re

_PLACE = re.compile(
    r"\b(?P<name>\w+)\[(?P<index>\d+)\]"
    r"|(?P<family>(?:\b\w+)?)[\[(](?P<row>\d+), ?(?P<column>\d+)[\])]"
    r"|\b(?P<what>room|cell) (?P<number>\d+)"
)


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
