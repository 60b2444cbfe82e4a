"""File formats: each a ``Format`` in a module of this folder, found by itself.

``load`` reads puzzles from a path, ``-`` or a text, and tells the format from its content.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from errno import ENAMETOOLONG
from functools import cache
from importlib import import_module
from os import PathLike
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeVar

from qubopuzzle.errors import InputError, at, did_you_mean, printable
from qubopuzzle.model import IntArray
from qubopuzzle.problem import Problem
from qubopuzzle.puzzles import Puzzle, get_puzzle, puzzle_name, puzzle_names

T = TypeVar("T")

SIZE_LIMIT = 64 * 2**20
"""Largest input, in bytes."""

_IMAGE = "image; `qubopuzzle generate nonogram --image FILE` makes a nonogram of it"
_MODEL = "file, a model and no puzzle; give it its suffix, or say --format"
_COMPRESSED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")
_FILE_OF_ADDRESS = re.compile(r"https?://[^/]+/[^?#]*\.(?P<suffix>[a-z][a-z0-9]{0,5})(?:[?#]|$)")
_PAGES = ("htm", "php", "asp", "jsp", "cgi")
"""How the suffixes of pages begin, which hold a puzzle in no form that is read."""
_OTHERS: dict[str, bytes | tuple[bytes, ...]] = {
    f"a PNG {_IMAGE}": b"\x89PNG\r\n\x1a\n",
    f"a JPEG {_IMAGE}": b"\xff\xd8\xff",
    f"a GIF {_IMAGE}": b"GIF8",
    "a PDF document": b"%PDF-",
    f"a dimod BQM {_MODEL}": b"DIMODBQM",
    f"a dimod CQM {_MODEL}": b"DIMODCQM",
    "a dimod DQM file, which is not read": b"DIMODDQM",
    "a NumPy array": b"\x93NUMPY",
    "compressed; unpack it first": _COMPRESSED,
}
"""What a file is that no puzzle is in, and how it begins."""


@dataclass(frozen=True)
class Format:
    """A format: what it is called, what it looks like, how it is read and written.

    Attributes:
        name: how users ask for it.
        about: a line for ``qubopuzzle formats``.
        puzzles: the names of the puzzles that it can hold; none means every puzzle.
        detect: whether a text looks like it, told from the head of the text.
        read: all puzzles of a text. A second argument, the name of a puzzle that it can hold,
            keeps and names those of one kind; without it None.
        lines: the lines of a puzzle of ``puzzles``; InputError for what has no place.
        join: the text of several puzzles, from them and the text of each; None if it holds one.
        answers: whether a puzzle's solution has a place in it.
        solved_address: of formats of addresses, one that opens the board of a puzzle with an
            answer on it; None for a kind of puzzle of which it cannot.
    """

    name: str
    about: str
    puzzles: tuple[str, ...]
    detect: Callable[[str], bool]
    read: Callable[..., Sequence[Any]]
    lines: Callable[[Any], Iterable[str]]
    join: Callable[[Sequence[Any], list[str]], Iterable[str]] | None = lambda _, texts: texts
    answers: bool = False
    solved_address: Callable[[Any, IntArray], str | None] = lambda *_: None

    def write(self, puzzles: Sequence[Any]) -> str:
        """The text of puzzles; InputError naming the one that has no place in it."""
        texts = []
        for number, puzzle in enumerate(puzzles, start=1):
            with at(printable(puzzle.id[:60]) or f"instance {number}"):
                if self.puzzles and puzzle.name not in self.puzzles:
                    check_format(self.name, puzzle.name)
                if self.join is None and number > 1:
                    raise InputError(f"{self.name} holds one puzzle; write each to a file")
                texts.append("".join(f"{line}\n" for line in self.lines(puzzle)))
        return "".join(texts if self.join is None else self.join(puzzles, texts))


@cache
def all_formats() -> Mapping[str, Format]:
    """Every format by its name; InputError for two of a name."""
    formats: dict[str, Format] = {}
    for module in iter_modules(__path__):
        for value in vars(import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, Format) and formats.setdefault(value.name, value) is not value:
                what = f"format {value.name!r} of {module.name}.py"
                raise InputError(f"{what}: another has this name; choose one that no other has")
    return {name: formats[name] for name in sorted(formats)}


def get_format(name: str) -> Format:
    """A format by its name; InputError naming those that there are."""
    known = all_formats()
    if name not in known:
        raise InputError(f"unknown format {name!r:.40}; {did_you_mean(name, known)}")
    return known[name]


def formats_for(puzzle: str, *, answers: bool = False) -> list[str]:
    """Names of the formats that can hold a kind of puzzle, with ``answers`` where that is asked."""
    return [
        name
        for name, known in all_formats().items()
        if (puzzle in known.puzzles or not known.puzzles) and known.answers >= answers
    ]


def check_format(name: str, puzzle: str, *, answers: bool = False) -> None:
    """Raise InputError for an unknown format, and for one that cannot hold this kind of puzzle."""
    if name not in formats_for(puzzle, answers=answers):
        known = get_format(name)
        what = f"answer of {puzzle}" if answers and not known.answers else puzzle
        others = ", ".join(formats_for(puzzle, answers=answers))
        raise InputError(f"format {name} holds no {what}; these do: {others}")


def links(kind: type[T]) -> list[tuple[type[Puzzle], T]]:
    """Every puzzle's links of one kind, such as ``Link`` and ``Game``, and its class."""
    pairs = []
    for name in puzzle_names():
        with suppress(InputError):  # of another package, which does not load
            puzzle = get_puzzle(name)
            pairs += [(puzzle, link) for link in puzzle.links if isinstance(link, kind)]
    return pairs


# --- writing -----------------------------------------------------------------------------


def write_text(puzzles: Sequence[Problem], name: str) -> str:
    """Puzzles as a text in a named format; InputError for one that it cannot hold."""
    return get_format(name).write(puzzles)


def player_address(puzzle: Problem) -> str:
    """An address that opens a player at puzz.link; "" for a puzzle that has none."""
    try:
        return write_text([puzzle], "puzzlink").strip()
    except InputError:
        return ""


def solved_address(puzzle: Problem, answer: IntArray) -> str:
    """An address that opens a player with an answer on the board; InputError if there is none."""
    refused: InputError | None = None
    for known in all_formats().values():
        try:
            if address := known.solved_address(puzzle, answer):
                return address
        except InputError as error:
            refused = refused or error
    raise refused or InputError(f"no player's address has a place for answers of {puzzle.name}")


# --- reading -----------------------------------------------------------------------------


def read_source(
    source: str | PathLike[str], read: Callable[[str], T], named: str | None = None
) -> T:
    """Decode a file, standard input for ``-`` or the text itself; errors name the source."""
    name = "standard input" if source == "-" else " ".join(str(source)[:200].split()) or "''"
    with at(name):
        text = _text(source, named)
        if not text.strip():
            raise InputError("it is empty")
        return read(text)


def read_text(text: str, puzzle: str | None = None, named: str | None = None) -> list[Problem]:
    """Read the puzzles of a text; see ``load``."""
    puzzle = puzzle and puzzle_name(puzzle)
    refused, empty = None, None
    for known in _formats(named):
        if named is None and not known.detect(text):
            continue
        empty = InputError(f"it holds no {puzzle or 'puzzle'}")
        if puzzle is not None and known.name not in formats_for(puzzle):
            continue  # another format may hold such a text as this kind
        try:
            puzzles = known.read(text, puzzle)
        except InputError as error:
            refused = refused or error
            continue
        if not puzzles:
            raise empty
        return [*puzzles]
    raise refused or empty or _no_format(text)


def _formats(named: str | None) -> Iterable[Format]:
    return all_formats().values() if named is None else [get_format(named)]


def _no_format(text: str) -> InputError:
    if any(line.startswith(("p cnf ", "p wcnf ")) for line in text.splitlines()):
        return InputError("it is a formula in CNF; such files are written, but not read")
    names = ", ".join(all_formats())
    remedy = "a model needs its suffix or --format, such as --format lp: see `qubopuzzle formats`"
    return InputError(f"no format of puzzles that this package reads ({names}); {remedy}")


def _no_address(address: str) -> str:
    """Why an address brings no puzzle; saving what it leads to helps where that is a text."""
    end = _FILE_OF_ADDRESS.match(address)
    is_file = end is not None and not end["suffix"].startswith(_PAGES)
    remedy = (
        "save the file, and give its name"
        if is_file
        else (
            "paste the puzzle's text, or an address that holds the board, as those of puzz.link do"
        )
    )
    return f"no address of a puzzle that this package reads, and nothing is fetched; {remedy}"


def _text(source: str | PathLike[str], named: str | None) -> str:
    """What a file or standard input holds, or the source itself if it is a puzzle, pasted."""
    if source == "-" and sys.stdin is None:
        raise InputError("it is closed")
    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:  # no such file, or a null character in its name
        if isinstance(source, str) and any(known.detect(source) for known in _formats(named)):
            return source
        if str(source).startswith(("http://", "https://")):
            raise InputError(_no_address(str(source))) from None
        if getattr(error, "errno", None) == ENAMETOOLONG or "\n" in str(source):
            raise _no_format(str(source)) from None
        raise InputError(getattr(error, "strerror", None) or str(error)) from None
    if len(data) > SIZE_LIMIT:
        raise InputError(f"larger than {SIZE_LIMIT // 2**20} MiB")
    return _decode(data)


def _decode(data: bytes) -> str:
    for what, beginning in _OTHERS.items():
        if data.startswith(beginning):
            raise InputError(f"it is {what}")
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not utf16 and b"\0" in data[: 2**16]:
        raise InputError("it is a binary file; no puzzle is")
    try:
        return data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        code = "UTF-16" if utf16 else "UTF-8"
        raise InputError(f"byte {error.start} is no {code}; save the file as UTF-8") from None
