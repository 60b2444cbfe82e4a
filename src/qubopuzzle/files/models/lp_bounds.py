"""What HiGHS does not do by itself in LP files.

It reads one bound a line, where files of others have several, and takes any bound of a variable
that is declared binary. Sections begin with a keyword, the first word of its line.
"""

import re
from collections.abc import Iterator

_BOUNDS = ("bounds", "bound")
_BINARIES = ("binaries", "binary", "bin")
_OTHERS = ["st", r"s\.t\.", "subject", "such", "sos1", "sos2", "sos", "end", "semi-continuous"]
_OTHERS += ["semis", "semi", "generals", "general", "gen", "integers", "integer"]
_HEAD = re.compile(
    rf"^[ \t]*({'|'.join([*_BOUNDS, *_BINARIES, *_OTHERS])})(?=[ \t\r\n\\]|\Z)(?![ \t]*:)",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"\\[^\n]*")
_TOKEN = re.compile(r"[<>]=?|=[<>=]?|[-+]|[^\s<>=+-][^\s<>=]*")
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?", re.IGNORECASE)


def bound_by_bound(text: str) -> tuple[str, list[int]]:
    r"""The text with a line for each bound, and the numbers of lines that are there only for that.

    >>> bound_by_bound("min x\nbounds\n x <= 3  - 1 <= y <= 4\nend")
    ('min x\nbounds\nx <= 3\n- 1 <= y <= 4\nend', [4])
    """
    parts, more, at, number = [], list[int](), 0, 1
    for start, end in _sections(text, _BOUNDS):
        parts.append(text[at:start])
        number += text.count("\n", at, start)
        lines = [_bounds_of(line) for line in text[start:end].split("\n")]
        for bounds in lines:
            more += range(number + 1, number + len(bounds))
            number += len(bounds)
        number -= 1  # the last one goes on
        parts.append("\n".join("\n".join(bounds) for bounds in lines))
        at = end
    return "".join([*parts, text[at:]]), more


def binary_names(text: str) -> set[str]:
    r"""The variables that are declared binary.

    >>> sorted(binary_names("min x\nbin\n x\n y z \\ w\nend"))
    ['x', 'y', 'z']
    """
    sections = _sections(text, _BINARIES)
    return {name for start, end in sections for name in _COMMENT.sub("", text[start:end]).split()}


def _sections(text: str, wanted: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Where each section of some keywords begins, behind the keyword, and ends."""
    heads = [*_HEAD.finditer(text)]
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=False):
        if head[1].lower() in wanted:
            yield head.end(), end


def _bounds_of(line: str) -> list[str]:
    """The bounds of a line that has several and nothing else; else the line as it is."""
    tokens, bounds, at = _TOKEN.findall(line.partition("\\")[0]), list[str](), 0
    while at < len(tokens):
        if not (end := _bound_end(tokens, at)):
            return [line]
        bounds.append(" ".join(tokens[at:end]))
        at = end
    return bounds if len(bounds) > 1 else [line]


def _bound_end(tokens: list[str], at: int) -> int:
    """Where the bound ends that begins there; 0 for what is none."""
    left = _value_end(tokens, at)
    if left:
        if not _is_sense(tokens, left):
            return 0
        at = left + 1
    if at >= len(tokens) or _is_sense(tokens, at) or _value_end(tokens, at):
        return 0
    if _is_sense(tokens, at + 1):
        return _value_end(tokens, at + 2)
    is_free = not left and tokens[at + 1 : at + 2] and tokens[at + 1].lower() == "free"
    return at + 2 if is_free else at + 1 if left else 0


def _value_end(tokens: list[str], at: int) -> int:
    """Where the number ends that begins there; 0 for what is none."""
    at += at < len(tokens) and tokens[at] in "+-"
    return at + 1 if at < len(tokens) and _NUMBER.fullmatch(tokens[at]) else 0


def _is_sense(tokens: list[str], at: int) -> bool:
    return at < len(tokens) and tokens[at][0] in "<>="
