r"""The grammar of LP files, as far as HiGHS reads what it takes as it is written.

HiGHS passes over much in silence: text before the first keyword, a number that another one
follows, the first of two terms of a variable in the objective. So what it shall read is checked
here first::

    text      minimize|maximize objective
              [subject to row*] [bounds bound*] [general name*] [binary name*] end
    objective [name:] [sign] part (sign part)*
    part      [number] name | number | "[" square (sign square)* "]" "/" 2
    square    [number] name "^" 2 | [number] name "*" name
    row       [name:] [sign] [number] name (sign [number] name)* side
    side      (<=|>=|=) [sign] number, at the end of a line
    bound     a line: number <= name <= number, either half of it, name = number, or name free

Sections behind the objective may come in another order. Keywords begin a line, in capitals or not;
``\`` begins a comment.
"""

import re

from qubopuzzle.errors import InputError
from qubopuzzle.files.models.words import text_of

_KEYWORDS = {
    "objective": "minimize minimum min maximize maximum max",
    "rows": "subject_to such_that st s.t.",
    "bounds": "bounds bound",
    "general": "generals general gen integers integer",
    "binary": "binaries binary bin",
    "semi": "semi-continuous semi semis",
    "end": "end",
}
_SECTION_OF = {
    word.replace("_", " "): key for key, all_ in _KEYWORDS.items() for word in all_.split()
}
_ELSEWHERE = ["sos", "sos1", "sos2"]
_RESERVED = [*_SECTION_OF, "subject", "such", "int", "free", *_ELSEWHERE]
_CHUNK = 1000
"""Parts that are matched at once, which bounds the memory of a match."""


_RULES: dict[str, bytes] = {}


def _pattern(rule: str) -> bytes:
    """The regular expression of a rule: ``<rule>`` is another one, a space any white space.

    Groups are atomic, ``(?>...)``, where single characters are possessive: possessive groups match
    wrongly in Python 3.11.0 to 3.11.4.
    """
    known = re.sub(r"<(\w+)>", lambda found: f"(?:{_RULES[found[1]].decode('latin-1')})", rule)
    return known.replace(" ", r"[\x20\t\n]*+").encode("latin-1")


def _any(words: list[str]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", r"[\x20\t]++") for word in words)


for _name, _rule in {
    "blank": r"[\x20\t]*+",
    "in": r"""[A-Za-z_!"#$%&(),?@'`{}|~\x80-\xff0-9.]""",
    "exponent": r"(?>(?:[eE][+-]?+\d++)?)(?!\.|[eE](?![A-Za-z_]))",
    "number": r"(?!0[xX])(?:\d++(?>(?:\.\d*+)?)|\.\d++)<exponent>",
    "keyword": rf"(?i:{_any(_RESERVED)})(?!<in>)",
    "name": r"(?!(?i:inf|nan)|<keyword>|[0-9.])<in>++",
    "label": "(?>(?: <name> :)?)",
    "term": "(?>(?:<number> )?)<name>",
    "part": "<term>|<number>",
    "two": r"2(?>(?:\.0*+)?)(?=[\x20\t\n\]+\-]|\Z)",
    "square": r"<term> (?:\^ <two>|\* <name>)",
    "sense": "<=|>=|=",
    "value": r"[+-]?+<blank>(?:<number>|(?i:infinity|inf)(?!<in>))",
}.items():
    _RULES[_name] = _pattern(_rule)


def _regex(rule: str) -> re.Pattern[bytes]:
    return re.compile(_pattern(rule))


_SECTION = re.compile(_pattern(rf"^<blank>({_any([*_SECTION_OF])})(?=[\x20\t\n]|\Z)"), re.I | re.M)
_LABEL = _regex("<label>")
_FIRST_PART = _regex(" [+-]?+ <part>")
_PARTS = _regex(f"(?>(?: [+-] <part>){{1,{_CHUNK}}})")
_NAME_OF = _regex("[+-]?+ (?:(?>(?:<number> )?)(<name>)|<number>)")
_FIRST_SQUARE = _regex(r" \+?+ \[ [+-]?+ <square>")
_NEXT_SQUARE = _regex(r" \+ \[ [+-]?+ <square>")
_SQUARES = _regex(f"(?>(?: [+-] <square>){{1,{_CHUNK}}})")
_LAST_SQUARE = _regex(r" \] / <two>")
_ROW = _regex("<label> [+-]?+ <term>")
_TERMS = _regex(f"(?>(?: [+-] <term>){{1,{_CHUNK}}})")
_SIDE = _regex(r" <sense> [+-]?+ <number>(?=<blank>(?:\n|\Z))")
_NAMES = _regex(rf"(?>(?: <name>(?=[\x20\t\n]|\Z)){{1,{_CHUNK}}})")
_LINE = _regex(r"[^\n]+")
_BOUND = _regex(
    "<blank>(?>(?:(<value>)<blank>(<sense>)<blank>)?)(<name>)<blank>"
    "(?>(?:(<sense>)<blank>(<value>)|((?i:free))(?!<in>))?)<blank>"
)
_BOUNDED = {b"<=": ("upper",), b">=": ("lower",), b"=": ("lower", "upper")}
_TURNED = {b"<=": b">=", b">=": b"<=", b"=": b"="}
_TOKEN = _regex(r" ([^\x20\t\n]{1,40})")
_MISTAKES = [
    (_regex(f"<label>{mistake}"), why)
    for mistake, why in (
        (" [+-]?+ (<number> <number>)", "two numbers in a row, {}"),
        (" ([+-] [+-])", "two signs in a row, {}"),
        (r" ([+-]) (?:\Z|[:\]])", "there is no term behind {}"),
        (
            " [+-]?+ (<number>) [<>]",
            "the constant {} belongs on the right of its row, and a range is two rows",
        ),
        (" [+-]?+ (<number>) [-+=]", "the constant {} belongs on the right of its row"),
        (" (=<|=>|==|<>|[<>](?!=))", "{} is not known; write <=, >= or ="),
        (
            r" (<sense>) [+-]?+ <number>?+<blank>(?:[^\x20\t\n]|\n?+ \Z)",
            "right of {} stands one number, and nothing else on its line",
        ),
        (r" [+-]?+ (\[)", "of products, + [ 2 x * y + x ^ 2 ] / 2 is taken, in the objective"),
        (
            " [+-]?+ (?>(?:<number> )?)((?i:inf|nan)<in>*+)",
            "{}: neither numbers nor names begin with inf or nan",
        ),
        (
            f" ((?i:{_any(_ELSEWHERE)})(?!<in>))",
            "{}: special ordered sets are not taken",
        ),
        (" ((?i:int)(?!<in>))", "{} is not known; write General"),
        (
            " [+-]?+ (?>(?:<number> )?)(<keyword>)",
            "{} is a keyword, which begins a line, has no colon and is no name",
        ),
        (" [+-]?+ (0[xX]<in>*+)", "{} is no decimal number"),
    )
]
"""What may be wrong behind a place: the first that matches is said."""


def check(data: bytes) -> None:
    """Raise InputError, naming the line, for a text that HiGHS might read as something else."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise InputError("line 1: it begins with a byte order mark; save it without one")
    if not data.isascii():
        text_of(data)
    text = data.replace(b"\r\n", b"\n")
    if b"\\" in text:
        text = re.sub(rb"\\[^\n]*+", b"", text)
    sections = _sections(text)
    _objective(text, *sections["objective"])
    _rows(text, *sections["rows"])
    binary = _names(text, *sections["binary"])
    general = _names(text, *sections["general"])
    if not general.isdisjoint(binary):
        both = _shown(min(general & binary))
        raise InputError(f"{both} is both in General and in Binary; leave it in one of them")
    _bounds(text, binary, *sections["bounds"])
    if got := _TOKEN.match(text, *sections["semi"]):  # HiGHS writes the section, without any
        raise _refusal(text, got.start(1), f"{_shown(got[1])} is semi-continuous: not taken")
    _end(text, *sections["end"])


def _sections(text: bytes) -> dict[str, tuple[int, int]]:
    """Where each section begins, behind its keyword, and ends; all are there."""
    found: dict[str, tuple[int, int]] = dict.fromkeys(_KEYWORDS, (0, 0))
    heads = [*_SECTION.finditer(text)]
    starts = [*(head.start() for head in heads), len(text)]
    if got := _TOKEN.match(text, 0, starts[0]):
        raise _refusal(text, got.start(1), f"expected Minimize or Maximize, got {_shown(got[1])}")
    for head, end in zip(heads, starts[1:], strict=True):
        word = _shown(head[1])
        key = _SECTION_OF[" ".join(word.lower().split())]
        if (key == "objective") != (head is heads[0]):
            raise _refusal(text, head.start(1), f"expected one objective, first of all, got {word}")
        if found[key] != (0, 0):
            raise _refusal(text, head.start(1), f"a second section {word}; put both into one")
        found[key] = head.end(), end
    return found


def _objective(text: bytes, start: int, end: int) -> None:
    label = _LABEL.match(text, start, end)
    at = label.end() if label else start
    seen: set[bytes] = set()
    a_part, a_square = _FIRST_PART, _FIRST_SQUARE
    while _is_more(text, at, end):
        if parts := a_part.match(text, at, end):
            _once(text, parts, seen)
            at = parts.end()
        elif square := a_square.match(text, at, end):
            at = _squares(text, square.end(), end)
        else:
            raise _mistake(text, at, end, "+ or - and a term")
        a_part, a_square = _PARTS, _NEXT_SQUARE


def _once(text: bytes, parts: re.Match[bytes], seen: set[bytes]) -> None:
    """HiGHS takes the last of several terms of a variable, where CPLEX takes their sum."""
    names = [name for name in _NAME_OF.findall(text, *parts.span()) if name]
    new = set(names)
    if len(new) == len(names) and seen.isdisjoint(new):
        seen |= new
        return
    for part in _NAME_OF.finditer(text, *parts.span()):
        if part[1] and part[1] in seen:
            name = _shown(part[1])
            why = f"{name} comes twice in the objective; add its coefficients up"
            raise _refusal(text, part.start(1), why)
        seen.add(part[1])


def _squares(text: bytes, at: int, end: int) -> int:
    while squares := _SQUARES.match(text, at, end):
        at = squares.end()
    if not (closed := _LAST_SQUARE.match(text, at, end)):
        raise _mistake(text, at, end, "a square x ^ 2, a product x * y, or ] / 2")
    return closed.end()


def _rows(text: bytes, at: int, end: int) -> None:
    while _is_more(text, at, end):
        if not (row := _ROW.match(text, at, end)):
            raise _mistake(text, at, end, "a row such as c1: 2 x - y <= 3")
        at = row.end()
        while terms := _TERMS.match(text, at, end):
            at = terms.end()
        if not (side := _SIDE.match(text, at, end)):
            raise _mistake(text, at, end, "+ or - and a term, or <=, >= or = and a number")
        at = side.end()


def _names(text: bytes, start: int, end: int) -> set[bytes]:
    at = start
    while _is_more(text, at, end):
        if not (names := _NAMES.match(text, at, end)):
            raise _mistake(text, at, end, "names of variables")
        at = names.end()
    return set(text[start:end].split())


def _bounds(text: bytes, binary: set[bytes], start: int, end: int) -> None:
    """HiGHS takes any bound of a binary variable, and the last of several of one side."""
    seen: set[tuple[str, bytes]] = set()
    for line in _LINE.finditer(text, start, end):
        if line[0].isspace():
            continue
        bound = _BOUND.fullmatch(text, *line.span())
        if not (bound and (sides := _sides(bound))):
            why = f"expected a bound such as 0 <= x <= 3, got {_shown(line[0])}"
            raise _refusal(text, line.start(), why)
        name = bound[3]
        for side, value in sides:
            if name in binary and float(value) not in (0, 1):
                why = f"is declared binary and has the bound {_shown(value)}; declare it in General"
                raise _refusal(text, bound.start(3), f"{_shown(name)} {why}")
            if (side, name) in seen:
                raise _refusal(text, bound.start(3), f"a second {side} bound of {_shown(name)}")
            seen.add((side, name))


def _end(text: bytes, start: int, end: int) -> None:
    if not end:
        raise _refusal(text, len(text.rstrip()), "it breaks off: there is no End")
    if got := _TOKEN.match(text, start):
        raise _refusal(text, got.start(1), f"expected nothing behind End, got {_shown(got[1])}")


def _sides(bound: re.Match[bytes]) -> list[tuple[str, bytes]]:
    """Which of lower and upper a line bounds, and by what; nothing if it says something else."""
    low, left, _, right, high, free = bound.groups()
    if free:
        return [] if low else [("lower", b"-inf"), ("upper", b"inf")]
    if low and high:
        return [("lower", low), ("upper", high)] if left == right == b"<=" else []
    sense, value = (_TURNED[left], low) if low else (right, high)
    return [(side, value) for side in _BOUNDED.get(sense, ())]


def _is_more(text: bytes, at: int, end: int) -> bool:
    return _TOKEN.match(text, at, end) is not None


def _mistake(text: bytes, at: int, end: int, expected: str) -> InputError:
    """What is wrong behind ``at``, where ``expected`` should be."""
    for mistake, why in _MISTAKES:
        if found := mistake.match(text, at, end):
            return _refusal(text, found.start(1), why.format(_shown(found[1])))
    if not (token := _TOKEN.match(text, at, end)):
        return _refusal(text, at, f"expected {expected}; it ends here")
    return _refusal(text, token.start(1), f"expected {expected}, got {_shown(token[1])}")


def _refusal(text: bytes, at: int, why: str) -> InputError:
    line = text.count(b"\n", 0, at) + 1
    return InputError(f"line {line}: {why}")


def _shown(part: bytes) -> str:
    """As it stands in a message of one line."""
    text = re.sub(r"[ \t\n]+", " ", part[:40].decode(errors="replace")).strip(" ")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
