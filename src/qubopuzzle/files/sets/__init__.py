"""Public sets of instances, by name: ``SET:NAME``, or ``SET:NAME#2`` in a file of several.

Their table is ``sets.toml``, which says what its words mean, and ``lists``. No file of theirs comes
with the package: ``download.py`` brings them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from qubopuzzle.errors import InputError, did_you_mean

TABLE = Path(__file__).parent / "sets.toml"
"""Its lists are in the folder ``lists`` beside it."""
_SOURCE = re.compile(r"(?P<set>[a-z][a-z0-9]+):(?P<name>[^#]+)(?P<part>#[0-9]{1,6})?", re.ASCII)
_NAME = re.compile(r"(?:[A-Za-z0-9_+=][A-Za-z0-9_+=.,-]*/)*[A-Za-z0-9_+=][A-Za-z0-9_+=.,-]*")
"""Of a file in a set: it leads into the set's folder, and nowhere else."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An instance, or a file of several.

    Attributes:
        name: behind ``SET:``, with ``#2`` for one in a file of several.
        file: where it lies, below the folder of instances.
        url: where it is to be had; nothing if only in an ``archive``, which is not fetched.
        member: the file in what is at ``url``; nothing if that is the file.
        format: what reads it.
        best: the best known objective; None where none is known.
        size: bytes; None where that is not known.
        sha256: of the file; nothing where that is not known.
    """

    name: str
    file: str
    url: str
    archive: str
    member: str
    format: str
    best: float | None = None
    size: int | None = None
    sha256: str = ""

    @property
    def part(self) -> str:
        """``#2`` of one in a file of several, else nothing."""
        return "".join(self.name.partition("#")[1:])


@dataclass(frozen=True, slots=True)
class InstanceSet:
    """A set: its terms, its entries by name, and the sources of their best known objectives."""

    name: str
    about: str
    page: str
    licence: str
    entries: Mapping[str, Entry]
    sources: tuple[str, ...]
    patterns: tuple[Mapping[str, str], ...]
    """Groups that have other files than those listed."""


def sets() -> Mapping[str, InstanceSet]:
    """All sets by name.

    >>> sets()["gset"].entries["G1"].best
    11624.0
    """
    return _read(TABLE)


@cache
def _read(table: Path) -> Mapping[str, InstanceSet]:
    import tomllib

    return {
        name: InstanceSet(
            name=name,
            about=each["about"],
            page=each["page"],
            licence=each["licence"],
            entries={e.name: e for group in each["groups"] for e in _listed(name, group)},
            sources=tuple(group["best"] for group in each["groups"] if "best" in group),
            patterns=tuple(group for group in each["groups"] if group.get("open")),
        )
        for name, each in tomllib.loads(table.read_text("utf-8")).items()
    }


def _listed(of: str, group: Mapping[str, str]) -> Iterator[Entry]:
    if "list" not in group:
        return
    text = (TABLE.parent / "lists" / f"{group['list']}.txt").read_text("utf-8")
    for line in text.splitlines():
        name, *more = line.split()
        best, size, sha256, path = (*more, *["-"] * (4 - len(more)))
        yield replace(
            _entry(of, group, name, "" if path == "-" else path),
            best=None if best == "-" else float(best),
            size=None if size == "-" else int(size),
            sha256="" if sha256 == "-" else sha256,
        )


def _entry(of: str, group: Mapping[str, str], name: str, path: str = "") -> Entry:
    file = name.partition("#")[0]
    prefix, member = group.get("prefix", ""), group.get("member", "").format(name=file)
    url = group.get("url", "").format(path=path or file)
    kept = f"{of}/{prefix}{member or url.rpartition('/')[2]}"
    archive = group.get("archive", "")
    return Entry(f"{prefix}{name}", kept, url, archive, member, group["format"])


def named(source: object) -> Entry | None:
    """What ``SET:NAME`` names; None for what begins with no set.

    Raises:
        InputError: for a name that the set has not.

    >>> named("gset:G1").url, named("a/G1"), named("https://puzz.link/p?lits/1/1/0")
    ('https://web.stanford.edu/~yyye/yyye/Gset/G1', None, None)
    """
    match = _SOURCE.fullmatch(source) if isinstance(source, str) else None
    chosen = sets().get(match["set"]) if match is not None else None
    if match is None or chosen is None:
        return None
    name, part = match["name"], match["part"] or ""
    for key in (name + part, name, f"{name}#1"):
        if key in chosen.entries:
            known = chosen.entries[key]
            best = known.best if key == name + part else None
            return replace(known, name=name + part, best=best)
    if chosen.patterns and _NAME.fullmatch(name):
        return _entry(chosen.name, chosen.patterns[0], name + part)
    hint = did_you_mean(name, chosen.entries, f"`qubopuzzle fetch {chosen.name}` lists them")
    raise InputError(f"{chosen.name} has no instance {name[:60]!r}; {hint}")


def best_known(source: object) -> dict[str, float]:
    """The best known objectives in the file of ``SET:NAME``, by the ids of its problems."""
    entry = named(source)
    if entry is None:
        return {}
    chosen = sets()[str(source).partition(":")[0]].entries.values()
    values = {each.name: each.best for each in chosen if each.file == entry.file}
    return {name.rpartition("/")[2]: best for name, best in values.items() if best is not None}
