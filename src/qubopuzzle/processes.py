"""A Python process of our own: what it runs, what it prints, and how it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any


def start_python(
    module: str,
    given: IO[bytes] | int,
    answers: IO[bytes] | int,
    noise: IO[bytes] | int,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Run a module in a fresh interpreter that finds what we find.

    It is in a session of its own: Ctrl-C is ours, and its own children end with it.
    """
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-P", "-m", module],
        stdin=given,
        stdout=answers,
        stderr=noise,
        env={
            **os.environ,
            "PYTHONPATH": path,
            "PYTHONIOENCODING": "utf-8",
            **(environment or {}),
        },
        start_new_session=True,
    )


def end(process: subprocess.Popen[Any]) -> None:
    """End a process and its children now, unless it has ended."""
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def ending(code: int) -> str:
    """How a process ended without an answer, for people."""
    if code >= 0:
        return f"ended with status {code} and no answer"
    name = signal.Signals(-code).name
    hint = ", as a system short of memory does" if name == "SIGKILL" else ""
    return f"ended by {name}{hint}"
