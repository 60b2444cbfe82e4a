"""What every benchmark writes beside its figures, and the tables that the docs show."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"
PACKAGES = ("qubopuzzle", "numpy", "scipy", "dimod", "dwave-samplers", "amplify", "python-sat")


def machine(packages: Sequence[str] = ()) -> dict[str, Any]:
    """The machine and the versions that figures depend on."""
    return {
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {_processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "commit": _commit(),
        **{name: version(name) for name in (*PACKAGES, *packages)},
    }


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, first column to the left, the others to the right."""
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def save(
    name: str, rows: Sequence[Mapping[str, Any]], markdown: str, packages: Sequence[str] = ()
) -> None:
    """Write ``results/NAME.json`` and ``.md`` and refresh the blocks of the docs that show it.

    ``packages`` are recorded beside those that every benchmark uses.
    """
    about = machine(packages)
    script, *arguments = sys.argv
    command = shlex.join(["python", f"benchmarks/{Path(script).name}", *arguments])
    caption = (
        f"`{command}`, {about['date']}, commit {about['commit']}, {about['machine']}, "
        f"Python {about['python']}, "
        + ", ".join(f"{name} {about[name]}" for name in (*PACKAGES[1:], *packages))
    )
    RESULTS.mkdir(exist_ok=True)
    record = {"command": command, **about, "rows": list(rows)}
    (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    text = f"{markdown}\n\n{caption}\n"
    (RESULTS / f"{name}.md").write_text(text)
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        refresh(page, name, text)
    print(text)


def refresh(page: Path, name: str, text: str) -> None:
    """Put a result between the markers ``<!-- result: NAME -->`` and ``<!-- end -->`` of a page."""
    before = page.read_text()
    marked = re.compile(rf"(<!-- result: {re.escape(name)} -->\n).*?(<!-- end -->)", re.S)
    after = marked.sub(lambda m: m[1] + text + m[2], before)
    if after != before:
        page.write_text(after)


@cache
def _commit() -> str:
    """The commit before this run wrote anything."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"
