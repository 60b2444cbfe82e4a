"""The file that a comparison grows in: JSON Lines, a row as soon as its run is finished.

Before the rows stand the instances and configurations that they are of, so that the file alone
says all of its comparison. Its lines are known by how they begin::

    {"instance": "face", "digest": "...", "source": "face.json", "problem": {...}}
    {"name": "neal, probed", "solver": "neal", ...}
    {"key": "...", "instance": "face", "configuration": "neal, probed", "seed": 0, ...}
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from types import NoneType
from typing import IO, Any

from qubopuzzle.base.checks import brief, number, whole
from qubopuzzle.base.writing import naming
from qubopuzzle.bench.plan import ComparisonPlan
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import SIZE_LIMIT

_KEYS = ("key", "instance", "name")
"""With which the lines begin: rows, instances, configurations."""
_BEGINNINGS = tuple(b'{"%s": ' % key.encode() for key in _KEYS)
"""What is cut off before the end of the line is known by it."""
_BLANK = (b"\n", b"\r\n")
_NEEDED: Mapping[str, Mapping[str, type]] = {
    "key": {"key": str, "status": str, "why": str, "solved": bool},
    "instance": {"instance": str, "digest": str, "source": str, "problem": dict},
    "name": {"name": str, "solver": str, "exact": bool},
}
"""What is no line of a comparison has not all of these."""
_OBJECT, _TEXT = (dict,), (str,)
_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("sizes", "machine", "versions", "options", "weights"), _OBJECT),
    **dict.fromkeys(("digest", "configuration", "qubopuzzle", "started"), _TEXT),
    **dict.fromkeys(("formulation", "proved_by"), (str, NoneType)),
}
"""The types of keys that a row may have, where it has them."""
_MOST = 2**63 - 1
_LONGEST_S = 1e9
_INCUMBENT = {"seconds", "value", "bound", "feasible"}
_REMEDY = "; delete the line"
_NO_JOURNAL = "not a row of a comparison; name another file"


@dataclass
class Content:
    """What a journal holds: rows by key, instances by digest, configurations by name."""

    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    instances: dict[str, dict[str, Any]] = field(default_factory=dict)
    configurations: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, line: bytes) -> None:
        """Keep what a line says; InputError for none of a journal."""
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        kind = next(iter(record), "") if isinstance(record, dict) else ""
        if kind not in _NEEDED or not all(
            isinstance(record.get(name), wanted) for name, wanted in _NEEDED[kind].items()
        ):
            raise InputError(_NO_JOURNAL)
        if kind == "key":
            self.rows[record["key"]] = _checked(record)
        elif kind == "instance":
            self.instances[record["digest"]] = record
        else:
            self.configurations[record["name"]] = record


def read_journal(path: Path) -> Content:
    """What a journal holds, which may be growing; a half-written last line is not read.

    Raises:
        InputError: for a file that is no journal, or has no row.
    """
    content = Content()
    with naming(path):
        if not path.is_file():
            raise InputError("no such file")
        with path.open("rb") as file:
            for line_number, _, line in _lines(file):
                if line.endswith(b"\n"):
                    with at(f"line {line_number}"):
                        content.take(line)
        if not content.rows:
            raise InputError("it has no row of a comparison")
    return content


class Journal:
    """A file to which finished rows are added, and its content so far.

    A row from a file says how a run ended; which run it was is said by ``key`` alone.

    Raises:
        InputError: for a file that has rows already without ``resume``, that is no journal,
            or that cannot be written.
    """

    def __init__(self, path: Path, resume: bool) -> None:
        self.path, self.content = path, Content()
        with naming(path), ExitStack() as on_error:
            if path.exists() and not path.is_file():
                raise InputError("that is no file to keep rows in")
            # Created here, so that a folder that cannot be written is found before any run.
            self._file = on_error.enter_context(path.open("a+b"))
            _lock(self._file)
            self._file.seek(0)
            self._read(resume)
            on_error.pop_all()

    def _read(self, resume: bool) -> None:
        """Read the lines; a half-written last one is cut off."""
        for line_number, start, line in _lines(self._file):
            if not resume:
                raise InputError("it has rows already; add --resume to go on, or name another file")
            if line.endswith(b"\n"):
                with at(f"line {line_number}"):
                    self.content.take(line)
            # Else it was being written when its writer was killed.
            elif line.startswith(_BEGINNINGS) or (
                start and any(each.startswith(line) for each in _BEGINNINGS)
            ):
                self._file.truncate(start)
            else:
                raise InputError("its last line is not a row of a comparison; name another file")

    def describe(self, plan: ComparisonPlan) -> None:
        """Write down instances and configurations that are not there yet."""
        there, records = self.content, list[dict[str, Any]]()
        for each in plan.instances:
            about: dict[str, Any] = {"instance": each.label, "digest": each.digest}
            about |= {"source": each.source}
            about |= {} if each.best_known is None else {"best_known": each.best_known}
            recorded = there.instances.get(each.digest, {})
            if not recorded or recorded.get("best_known") != each.best_known:
                records.append(about | {"problem": each.puzzle.to_dict()})
        for configuration in plan.configurations:
            record = asdict(configuration)
            if there.configurations.get(configuration.name) != record:
                records.append(record)
        self._write(*records)

    def add(self, row: dict[str, Any]) -> None:
        """Write a row through to the disk; InputError, and no part of it, for want of room."""
        self._write(row)
        self.content.rows[row["key"]] = row

    def _write(self, *records: Mapping[str, Any]) -> None:
        data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
        file = self._file.raw
        with naming(self.path):
            end = file.seek(0, os.SEEK_END)
            try:
                while data:
                    data = data[file.write(data) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(end)
                raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _lines(file: IO[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Of each line that is not blank its number, where it begins, and itself."""
    end = 0
    for line_number, line in enumerate(iter(partial(file.readline, SIZE_LIMIT), b""), start=1):
        start, end = end, end + len(line)
        if len(line) == SIZE_LIMIT:
            raise InputError(f"line {line_number}: larger than {SIZE_LIMIT // 2**20} MiB")
        if line not in _BLANK:
            yield line_number, start, line


def _lock(file: IO[bytes]) -> None:
    """Two comparisons do not write to one file; the lock ends with the process that has it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError("another comparison is writing to it") from None


def _checked(row: dict[str, Any]) -> dict[str, Any]:
    """A row; InputError where it says something that cannot be."""
    if "seconds" not in row:
        raise InputError(f"seconds: missing{_REMEDY}")
    for name, kinds in _KINDS.items():
        if name in row:
            _check_kind(name, row[name], kinds)
    _check_numbers(row)
    _check_incumbents(row.get("incumbents", []))
    for name, value in row.get("versions", {}).items():
        _check_kind(f"versions: {name[:40]}", value, _TEXT)
    for word in (row["status"], *row.get("sizes", {})):
        if not word.isprintable():
            raise InputError(f"{brief(word)} has control characters{_REMEDY}")
    _check_place(row)
    return row


def _check_incumbents(given: Any) -> None:
    if not isinstance(given, list) or not all(
        isinstance(each, dict) and each.keys() >= _INCUMBENT for each in given
    ):
        names = ", ".join(sorted(_INCUMBENT))
        raise InputError(f"incumbents: expected objects with {names}{_REMEDY}")
    for each in given:
        _check_seconds("incumbents: seconds", each["seconds"])
        for name in ("value", "bound"):
            if each[name] is not None:
                number(f"incumbents: {name}", each[name])
        if not isinstance(each["feasible"], bool):
            raise InputError(f"incumbents: feasible: expected true or false{_REMEDY}")


def _check_kind(name: str, value: Any, kinds: tuple[type, ...]) -> None:
    if not isinstance(value, kinds):
        expected = "an object" if kinds == _OBJECT else "a text"
        raise InputError(f"{name}: expected {expected}, got {brief(value)}{_REMEDY}")


def _check_numbers(row: Mapping[str, Any]) -> None:
    for name in ("seconds", "build_s", "solve_s"):
        if name in row or row["solved"]:
            _check_seconds(name, row.get(name), optional=name == "seconds" and not row["solved"])
    if "wall_s" in row:
        _check_seconds("wall_s", row["wall_s"])
    for name in ("objective", "bound", "peak_mib"):
        if row.get(name) is not None:
            number(name, row[name])
    sizes = {f"sizes: {name[:40]}": value for name, value in row.get("sizes", {}).items()}
    for name, value in sizes.items():
        whole(name, value, 0, _MOST)
    if "seed" in row:
        whole("seed", row["seed"], 0, _MOST)


def _check_seconds(name: str, value: Any, *, optional: bool = False) -> None:
    if not (value is None and optional) and not 0 <= number(name, value) <= _LONGEST_S:
        raise InputError(f"{name}: expected seconds, got {brief(value)}{_REMEDY}")


def _check_place(row: Mapping[str, Any]) -> None:
    """When and where it ran; journals of older versions do not have that."""
    if machine := row.get("machine"):
        for name in ("host", "cpu", "system"):
            _check_kind(f"machine: {name}", machine.get(name), _TEXT)
        whole("machine: cores", machine.get("cores"), 1, _MOST)
    if "started" in row:
        try:
            datetime.fromisoformat(row["started"]).timestamp()
        except (ValueError, OverflowError, OSError):
            raise InputError(f"started: no time: {brief(row['started'])}{_REMEDY}") from None
        if "wall_s" not in row:
            raise InputError(f"a time without wall_s{_REMEDY}")
