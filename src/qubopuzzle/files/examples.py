"""The examples that come with the package: puzzles, scripts and the book's notebooks."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qubopuzzle.base.writing import check_place, write_whole
from qubopuzzle.errors import InputError, did_you_mean

_INSTALLED = Path(__file__).parents[1] / "examples"
_CHECKOUT = Path(__file__).parents[3] / "examples"
_WORDS = {
    ".wrong.txt": "an answer that breaks rules, for `qubopuzzle check`",
    ".wrong.json": "an answer that breaks rules, for `qubopuzzle check`",
    ".answer.json": "an answer of a service, for `qubopuzzle solve --replay`",
    ".non": "a puzzle in the format of the nonogram database",
    ".png": "a picture, for `qubopuzzle generate nonogram --image`",
    ".jsonl": "puzzles, one a line",
}
"""What a file is, by its suffix, where it has no description of itself."""


@dataclass(frozen=True, slots=True)
class Example:
    """A file, its name below the folder of examples, and what it is in a line."""

    path: Path
    name: str

    @property
    def folder(self) -> str:
        """The folder that it is in, below that of the examples."""
        return self.name.rpartition("/")[0]

    @property
    def about(self) -> str:
        """What it is, in a line."""
        for end, words in _WORDS.items():
            if self.name.endswith(end):
                return words
        if self.path.suffix == ".py":
            return (ast.get_docstring(ast.parse(self.path.read_text())) or "").split("\n")[0]
        data = json.loads(self.path.read_text())
        if self.path.suffix == ".ipynb":
            first = "".join(data["cells"][0]["source"])
            return first.split("\n")[0].lstrip("# ")
        title = data.get("title")
        return f"{data['puzzle']}: {title}" if title else data["puzzle"]


def examples() -> list[Example]:
    """All of them, by name.

    >>> [each.about for each in examples() if each.name == "library.py"]
    ['Solve a nonogram from Python, and take its QUBO elsewhere.']

    Raises:
        InputError: where the package came without them.
    """
    folder = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
    if not (folder / "README.md").is_file():
        raise InputError("this installation has no examples; install the wheel, or from a checkout")
    paths = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".md")
    sources = (path for path in paths if "__pycache__" not in path.parts)
    return [Example(path, path.relative_to(folder).as_posix()) for path in sorted(sources)]


def chosen(names: list[str]) -> list[Example]:
    """Those of these names, or in a folder of such a name; all without names.

    Raises:
        InputError: for a name of none.
    """
    known = examples()
    selected: dict[str, Example] = {}
    for name in (name.rstrip("/") for name in names or [""]):
        matching = [each for each in known if name in ("", each.name, each.folder)]
        if not matching:
            where = "`qubopuzzle examples` lists them"
            hint = did_you_mean(name, [each.name for each in known], where)
            raise InputError(f"there is no example {name[:60]!r}; {hint}")
        selected |= {each.name: each for each in matching}
    return [*selected.values()]


def copy(chosen: list[Example], folder: Path, *, force: bool) -> Iterator[Path]:
    """Copy examples into a folder, which is made if it is not there; their new paths.

    Raises:
        InputError: for a file that is there already, unless ``force`` replaces it; nothing is
            written then.
    """
    targets = [folder / each.name for each in chosen]
    there = [path for path in targets if path.exists()]
    if there and not force:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise InputError(f"{there[0]}{more}: there already; --force replaces it")
    for path in targets:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent}: {error.strerror}") from None
        check_place(path)
    for each, path in zip(chosen, targets, strict=True):
        write_whole(path, each.path.read_bytes())
        yield path
