"""A picture in the terminal."""

from __future__ import annotations

from qubopuzzle.picture.description import Picture

_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


def draw(picture: Picture, *, color: bool = False, ascii_only: bool = False) -> str:
    """Clues on top and left, one line a row; cells as wide as the longest top clue needs."""
    black, white, mark = ("#", ".", "!") if ascii_only else ("█", "·", "▒")
    longest = max((len(word) for clue in picture.top for word in clue), default=1)
    width = max(2, longest + 1)
    left = [" ".join(clue) for clue in picture.left] or [""] * picture.rows
    margin = max((len(words) for words in left), default=0) + 1

    lines = [
        (" " * margin + "".join(word.rjust(width) for word in words)).rstrip()
        for words in _stacked(picture.top)
    ]
    for r in range(picture.rows):
        cells = []
        for c in range(picture.columns):
            filled = picture.black is not None and bool(picture.black[r, c])
            cell = black * (width if not ascii_only else 1) if filled else white
            cell = cell.rjust(width)
            if (r, c) in picture.broken:
                # Without colour a white cell would not show that it is marked.
                cell = f"{_RED}{cell}{_PLAIN}" if color else cell.replace(white, mark)
            cells.append(cell)
        lines.append((left[r].rjust(margin - 1) + " " + "".join(cells)).rstrip())
    return "\n".join(lines)


def _stacked(clues: tuple[tuple[str, ...], ...]) -> list[list[str]]:
    """Column clues as rows of words, resting on the grid."""
    depth = max((len(clue) for clue in clues), default=0)
    return [
        [clue[i - depth + len(clue)] if i >= depth - len(clue) else "" for clue in clues]
        for i in range(depth)
    ]
