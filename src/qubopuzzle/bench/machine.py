"""The machine that a run ran on, for its row."""

import os
import platform
from contextlib import suppress
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


def words(about: dict[str, Any]) -> str:
    """A machine in a few words, without its name.

    >>> words({"host": "a", "cpu": "EPYC", "cores": 2, "system": "Linux x86_64"})
    'EPYC, 2 cores, Linux x86_64'
    """
    count = about.get("cores")
    return f"{about.get('cpu')}, {count} core{'' if count == 1 else 's'}, {about.get('system')}"


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
