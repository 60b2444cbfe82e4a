"""XML of webpbn.com: ``<puzzleset>`` with ``<puzzle>``s, their clues and their goals.

Read with expat by itself: a document type that declares anything is refused before it has an
effect, so there are no entities to expand, and nothing is ever fetched. The line
``<!DOCTYPE pbn SYSTEM "...">`` that webpbn.com writes declares nothing and is passed over.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from html.entities import name2codepoint
from itertools import chain
from typing import Any, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.clues import letters_of, one_line, read_clue
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT, Nonogram, Run, is_hex, run_parts
from qubopuzzle.puzzles.vocabulary.grids import BLACK, WHITE, shading_to_rows

_DEPTH_LIMIT = 20
_LINE = "#line"  # no attribute of XML can have this name
_TEXTS = {tag: tag for tag in ("source", "id", "title", "author")} | {"copyright": "licence"}
"""The puzzle's key for the text of each tag."""
_SHARED = ("source", "author", "copyright")
"""Tags of a set that hold for all its puzzles."""
_CLUES = {"columns": "cols", "rows": "rows"}
_TAGS = {*_TEXTS, "puzzleset", "puzzle", "clues", "line", "count", "color", "solution", "image"}
"""Of other elements only the text is kept."""
_NAMES = {WHITE: "white", BLACK: "black"}
_DECLARATION = re.compile(r"\A\s*<\?xml\s[^<>]*\?>")
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _detect(text: str) -> bool:
    """Whether it begins as XML does and has a ``<puzzleset>`` or ``<puzzle>``."""
    return text.lstrip()[:1] == "<" and re.search(r"<puzzle(?:set)?[\s>]", text) is not None


def _read(text: str, _kind: str | None = None) -> list[Nonogram]:
    """Every puzzle of the set; none of triangles or triddlers."""
    root = _tree(text)
    if root.tag not in ("puzzleset", "puzzle"):
        raise InputError(f"line {root.get(_LINE)}: <puzzleset> is due, got <{root.tag[:30]}>")
    elements = root.findall("puzzle") if root.tag == "puzzleset" else [root]
    shared = _texts(root, _SHARED)
    return [_puzzle(element, shared) for element in elements]


# --- writing ---------------------------------------------------------------------------


def _lines(puzzle: Nonogram) -> Iterator[str]:
    """A puzzle with what is known about it and its solution."""
    yield '<puzzle type="grid" defaultcolor="black">'
    for tag, key in _TEXTS.items():
        text = _NO_XML.sub("\ufffd", one_line(getattr(puzzle, key)))
        if text:
            yield f"<{tag}>{escape(text, quote=False)}</{tag}>"
    values = {BLACK: "#000000", WHITE: "#ffffff", **dict(puzzle.colours)}
    signs = [WHITE, BLACK, *sorted({*values} - {WHITE, BLACK})]
    chars = dict(zip(signs, signs, strict=True))
    chars[BLACK] = BLACK if "X" in signs else "X"
    for sign in signs:
        name, value = _NAMES.get(sign, sign), values[sign][1:].upper()
        yield f'<color name="{name}" char="{chars[sign]}">{value}</color>'
    for kind, key in _CLUES.items():
        yield f'<clues type="{kind}">'
        for clue in getattr(puzzle, key):
            yield f"<line>{''.join(map(_count_text, clue))}</line>"
        yield "</clues>"
    if puzzle.solution is not None:
        yield '<solution type="goal"><image>'
        for row in shading_to_rows(puzzle.solution, "".join(chars[s] for s in puzzle.signs)):
            yield f"|{row}|"
        yield "</image></solution>"
    yield "</puzzle>"


def _count_text(run: Run) -> str:
    length, sign = run_parts(run)
    colour = "" if sign == BLACK else f' color="{sign}"'
    return f"<count{colour}>{length}</count>"


# --- reading ---------------------------------------------------------------------------


class _Reader:
    """Builds the elements, each with the number of its line in the attribute ``#line``."""

    def __init__(self) -> None:
        self.expat = expat.ParserCreate()
        self.builder = TreeBuilder()
        self.depth = 0
        self.expat.buffer_text = True
        self.expat.StartDoctypeDeclHandler = self._doctype
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self.builder.data
        self.expat.SkippedEntityHandler = self._unknown_entity

    def _fail(self, what: str) -> NoReturn:
        raise InputError(f"line {self.expat.CurrentLineNumber}: {what}")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > _DEPTH_LIMIT:
            self._fail(f"elements nested over {_DEPTH_LIMIT} deep")
        if tag in _TAGS or self.depth == 1:
            attributes[_LINE] = str(self.expat.CurrentLineNumber)
            self.builder.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self.depth -= 1
        if tag in _TAGS or self.depth == 0:
            self.builder.end(tag)

    def _doctype(self, _name: str, _system: Any, _public: Any, declares: int) -> None:
        if declares:
            self._fail("a document type that declares something is not read; remove it")

    def _unknown_entity(self, name: str, _parameter: Any) -> None:
        # Of the names that expat does not know, those of HTML are characters, such as &copy;.
        if name not in name2codepoint:
            self._fail(f"&{name[:30]}; is no character; entities are not expanded")
        self.builder.data(chr(name2codepoint[name]))


def _tree(text: str) -> Element:
    reader = _Reader()
    try:
        # The declaration must begin the text; blank lines before it are forgiven.
        blank = _DECLARATION.sub(lambda match: "\n" * match[0].count("\n"), text)
        reader.expat.Parse(blank, True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise InputError(f"line {error.lineno}: not XML ({what})") from None
    except UnicodeEncodeError as error:
        raise InputError(f"character {error.start + 1} is no Unicode text") from None
    return reader.builder.close()


def _puzzle(element: Element, shared: dict[str, str]) -> Nonogram:
    line = element.get(_LINE)
    kind = element.get("type", "grid")
    if kind != "grid":
        raise InputError(f"line {line}: a puzzle of type {brief(kind)}; only type grid is read")
    painted = _painted(element)
    signs = _signs(element, painted)
    clues, about = _clues(element, signs), shared | _texts(element, _TEXTS)
    picture = ["".join(signs[name] for name in row) for row in painted]
    values = {c.get("name", ""): (c.text or "").strip() for c in element.findall("color")}
    coloured = len({*signs.values()}) > 2
    colours = {s: v for n, s in signs.items() if coloured and is_hex(v := values.get(n, ""))}
    with at(f"the puzzle at line {line}"):
        if not clues and picture:
            used = "".join(sorted({*signs.values()} - {WHITE})) or BLACK
            return Nonogram.from_picture(picture, WHITE + used, colours=colours, **about)
        for kind, key in _CLUES.items():
            if key not in clues:
                raise InputError(f'<clues type="{kind}"> is missing')
        data = {**clues, **about, "colours": colours, "solution": picture or None}
        return Nonogram.from_dict(data)


def _texts(element: Element, tags: Iterable[str]) -> dict[str, str]:
    """The texts of the children with these tags, by the puzzle's keys, but blank ones."""
    children = ((_TEXTS[tag], element.find(tag)) for tag in tags)
    texts = ((key, one_line("".join(c.itertext()))) for key, c in children if c is not None)
    return {key: text for key, text in texts if text}


def _clues(element: Element, signs: dict[str, str]) -> dict[str, list[list[Any]]]:
    """The clues of rows and columns."""
    clues: dict[str, list[list[Any]]] = {}
    for group in element.findall("clues"):
        line, kind = group.get(_LINE), group.get("type", "")
        if kind not in _CLUES or _CLUES[kind] in clues:
            wrong = "for the second time" if kind in _CLUES else "is no kind of clues of a grid"
            raise InputError(f"line {line}: clues of type {brief(kind)} {wrong}")
        lines = group.findall("line")
        if len(lines) > LINE_LIMIT:
            limit = f"a nonogram here has 1 to {LINE_LIMIT}"
            raise InputError(f"line {line}: {len(lines)} {kind}; {limit}")
        clues[_CLUES[kind]] = [
            [(_count(count), signs[_colour_of(element, count)]) for count in clue.findall("count")]
            for clue in lines
        ]
    return clues


def _colour_of(element: Element, count: Element) -> str:
    return count.get("color", element.get("defaultcolor", "black"))


def _count(element: Element) -> Run:
    number = read_clue(int(element.get(_LINE, 0)), (element.text or "").strip())
    if len(number) != 1:
        raise InputError(f"line {element.get(_LINE)}: one number is due in a <count>")
    return number[0]


def _painted(element: Element) -> list[list[str]]:
    """The goal as rows of names of colours; [] where there is none."""
    goals = (s for s in element.findall("solution") if s.get("type", "goal") == "goal")
    image = next((image for goal in goals for image in goal.findall("image")), None)
    if image is None:
        return []
    names = {WHITE: _NAMES[WHITE], "X": _NAMES[BLACK]}
    names |= {color.get("char", ""): color.get("name", "") for color in element.findall("color")}
    rows = [row.strip("|") for row in (image.text or "").split()]
    for strange in sorted({*"".join(rows)} - {*names}):
        what = f"{brief(strange)} in the image is the char of no colour"
        raise InputError(f"line {image.get(_LINE)}: {what}")
    return [[names[char] for char in row] for row in rows]


def _signs(element: Element, painted: list[list[str]]) -> dict[str, str]:
    """The sign of each colour by its name; that of the clues is black where it is the only one."""
    line, background = element.get(_LINE), element.get("backgroundcolor", _NAMES[WHITE])
    counts = element.findall("clues/line/count")
    used = {_colour_of(element, c) for c in counts} or {*chain(*painted)} - {background}
    if background in used:
        raise InputError(f"line {line}: the clues are of the background's colour")
    chars = {c.get("name", ""): c.get("char", "") for c in element.findall("color")}
    for color in element.findall("color"):
        if color.get("name") in used and re.search(r"[/\\]", color.text or ""):
            raise InputError(f"line {line}: a puzzle with triangles; only whole cells are read")
    if len(used) < 2:
        return {**dict.fromkeys([*chars, *used, *_NAMES.values()], BLACK), background: WHITE}
    names = [name for name in chars if name != _NAMES[BLACK] or name in used]
    names = [name for name in dict.fromkeys([*names, *sorted(used)]) if name != background]
    black = {_NAMES[BLACK]: BLACK}
    unused = {*chain(*painted)} - {*names}
    signs = letters_of(names, lambda name: black.get(name) or chars.get(name, ""))
    return dict.fromkeys(unused, BLACK) | signs | {background: WHITE}


FORMAT = Format(
    name="webpbn",
    about="XML of webpbn.com, one puzzle or a set, in black or in colours",
    puzzles=("nonogram",),
    detect=_detect,
    read=_read,
    lines=_lines,
    join=lambda _, texts: ['<?xml version="1.0"?>\n<puzzleset>\n', *texts, "</puzzleset>\n"],
    answers=True,
)
