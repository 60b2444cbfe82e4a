"""The machine that a run ran on, for its row; what rows say of their machines."""

import os
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any


@cache
def machine() -> dict[str, Any]:
    """What tells times of this machine from those of another.

    >>> list(machine())
    ['host', 'cpu', 'cores', 'memory_gib', 'system', 'python']
    """
    memory = memory_bytes()
    return {
        "host": platform.node(),
        "cpu": _processor(),
        "cores": cores(),
        "memory_gib": None if memory is None else round(memory / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def words(about: Mapping[str, Any]) -> str:
    """A machine in a few words, without its name.

    >>> words({"host": "a", "cpu": "EPYC", "cores": 2, "system": "Linux x86_64"})
    'EPYC, 2 cores, Linux x86_64'
    """
    count = about.get("cores")
    return f"{about.get('cpu')}, {count} core{'' if count == 1 else 's'}, {about.get('system')}"


def machines(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Kinds of machines in words, and how many runs each did, in the order of the rows."""
    return dict(Counter(map(machine_of, rows)))


def machine_of(row: Mapping[str, Any]) -> str:
    """The kind of machine that a run ran on, in words."""
    return words(row.get("machine", {}))


def shared_cores(rows: Iterable[Mapping[str, Any]]) -> int:
    """How many runs had, at some time, more runs on their machine than it has cores."""
    by_host: dict[str, list[tuple[float, float, int]]] = {}
    for row in rows:
        about = row.get("machine", {})
        if "started" in row and about:
            began = datetime.fromisoformat(row["started"]).timestamp()
            span = began, began + row["wall_s"], about["cores"]
            by_host.setdefault(about["host"], []).append(span)
    return sum(map(_crowded, by_host.values()))


def _crowded(spans: Sequence[tuple[float, float, int]]) -> int:
    """How many of the spans of one machine lie, in part, where there are more than its cores."""
    # An end comes before a beginning at the same moment.
    events = sorted(
        [(began, 1, i) for i, (began, _, _) in enumerate(spans)]
        + [(ended, 0, i) for i, (_, ended, _) in enumerate(spans)]
    )
    running: set[int] = set()
    crowded: set[int] = set()
    for _, begins, i in events:
        (running.add if begins else running.discard)(i)
        if len(running) > spans[i][2]:
            crowded |= running
    return len(crowded)


def cores() -> int:
    """Hardware threads that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int | None:
    """Of the whole machine; None where the system does not say."""
    with suppress(ValueError, AttributeError):
        return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return None


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return " ".join(value.split())
    return platform.processor() or platform.machine()
