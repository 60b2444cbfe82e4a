"""Collections of the app OpenSudoku: XML with ``<game data="53..."/>``.

``data`` is 81 digits, 0 where a cell is empty, or the app's own text of cells, of which those that
cannot be edited are given. Games are found by their tags; nothing is expanded or fetched.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.clues import one_line
from qubopuzzle.files.puzzles.lines import LINES_LIMIT
from qubopuzzle.puzzles.sudoku import Sudoku
from qubopuzzle.puzzles.sudoku.links import check_plain

_HEAD = re.compile(r"\s*(?:<\?xml[^<>]{0,200}\?>\s*)?(?:<!--[^<>]{0,2000}-->\s*)?<opensudoku[\s>]")
_GAME = re.compile(r"<game\s([^<>]*)>")
_DATA = re.compile(r"""(?:^|\s)(?:cells_)?data\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NAME = re.compile(
    r"<name>([^<>]{1,200})</name>|<folder\s[^<>]{0,300}?name\s*=\s*\"([^\"<>]{1,200})"
)


def _read(text: str, _kind: str | None = None) -> list[Sudoku]:
    puzzles: list[Sudoku] = []
    name = _NAME.search(text[:100_000])
    source = one_line(unescape(name[1] or name[2])) if name else ""
    line, seen = 1, 0
    for match in _GAME.finditer(text):
        line, seen = line + text.count("\n", seen, match.start()), match.start()
        with at(f"line {line}"):
            if len(puzzles) == LINES_LIMIT:
                raise InputError(f"over {LINES_LIMIT:,} games; divide the text")
            puzzles.append(Sudoku(grid=_grid(match[1]), box=(3, 3), source=source))
    return puzzles


def _lines(puzzle: Sudoku) -> Iterator[str]:
    """The game of a puzzle with boxes of 3 x 3; the format has no solutions."""
    check_plain(puzzle)
    if puzzle.box != (3, 3):
        raise InputError("boxes of {} x {}; opensudoku has 3 x 3".format(*puzzle.box or ()))
    digits = "".join(str(digit) for row in puzzle.grid for digit in row)
    yield f'<game data="{digits}" />'


def _join(puzzles: Sequence[Sudoku], games: list[str]) -> Iterator[str]:
    """One collection, with the source that all have."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opensudoku>\n'
    sources = {one_line(puzzle.source) for puzzle in puzzles}
    if len(sources) == 1 and sources != {""}:
        yield f"<name>{escape(sources.pop(), quote=False)}</name>\n"
    yield from (*games, "</opensudoku>\n")


def _grid(attributes: str) -> tuple[tuple[int, ...], ...]:
    match = _DATA.search(attributes)
    if match is None:
        raise InputError("this <game> has no data")
    data = unescape(match[1] or match[2] or "")
    cells = [*data.strip()] if ":" not in data else _given(data)
    if len(cells) != 81:
        raise InputError(f"{len(cells)} cells; a game of OpenSudoku has 81")
    for i, cell in enumerate(cells):
        if cell not in "0123456789." or not cell:
            raise InputError(
                f"cell {i + 1} (row {i // 9 + 1} column {i % 9 + 1}) is {brief(cell)}; a cell of "
                "9 x 9 is 1 to 9, or 0"
            )
    digits = [int(cell.replace(".", "0")) for cell in cells]
    return tuple(tuple(digits[i : i + 9]) for i in range(0, 81, 9))


def _given(data: str) -> list[str]:
    """The given cells of ``version: N``, then fields with ``|`` behind: value, notes, editable."""
    version, _, body = data.partition("\n")
    match = re.fullmatch(r"version: ([0-9]{1,3})", version.strip())
    if match is None:
        raise InputError(f"{brief(version[:40])}: version: N is due")
    fields = body.strip().removesuffix("|").split("|")
    each = len(fields) // 81
    if each not in (3, 4) or len(fields) != 81 * each:
        raise InputError(f"{len(fields)} fields do not make 81 cells")
    cells = zip(fields[::each], fields[each - 1 :: each], strict=True)
    return ["0" if editable.strip() == "1" else value.strip() for value, editable in cells]


FORMAT = Format(
    name="opensudoku",
    about="collections of the app OpenSudoku (XML)",
    puzzles=("sudoku",),
    detect=lambda text: _HEAD.match(text) is not None,
    read=_read,
    lines=_lines,
    join=_join,
)
