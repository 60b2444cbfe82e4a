"""What a megabyte takes to read at worst: seconds and memory.

For each format texts of about a million characters: many of the smallest boards, many of the
examples, one board as large as fits, and answers that are wrong everywhere. Each is read in a
process of its own. One table: reading, with the slowest text of each format.

Usage: python benchmarks/reading.py
"""

from __future__ import annotations

import json
import multiprocessing
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from qubopuzzle import InputError, Nonogram, Puzzle
from qubopuzzle.files.puzzles import all_formats, formats_for, get_format, write_text
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from record import Args, Benchmark, Cases, Row, Rows, grouped, main, markdown, timed

MEGABYTE = 10**6
RUNS = 3
SMALLEST: dict[str, dict[str, Any]] = {
    "easyasabc": {"size": 1, "letters": 1},
    "heyawake": {"rooms": [[0]], "clues": [None]},
    "hitori": {"grid": [[1]]},
    "kurodoko": {"grid": [[None]]},
    "nonogram": {"rows": [[1]], "cols": [[1]]},
    "numberlink": {"grid": [[1, 1]]},
    "sudoku": {"grid": [[0] * 4] * 4},
}
SIDES = (1000, 700, 500, 400, 300, 200, 100, 60, 36, 25)


def cases(_: Args) -> Cases:
    for name in all_formats():
        for kind in (*puzzle_names(), ""):
            if not kind or name in formats_for(kind):
                yield f"{name} {kind}", measure, name, kind


def measure(name: str, kind: str) -> list[Row]:
    return [
        {"format": name, "text": what, "characters": len(text), **read(text)}
        for what, text in (texts(name, kind) if kind else bad_texts(name))
    ]


def show(rows: Rows) -> str:
    """A line a format, with its slowest text."""
    lines = []
    for (name,), own in grouped(rows, "format").items():
        slowest = max(own, key=lambda row: row["seconds"])
        what = f"{slowest['text']}: {slowest['found']}"
        memory = max(row["mebibytes"] for row in own)
        numbers = [f"{slowest['seconds']:.2f}", f"{memory:.0f}"]
        lines.append([f"`{name}`", str(len(own)), what, *numbers])
    return markdown(["format", "texts", "slowest", "seconds", "most memory, MiB"], lines)


# --- texts -----------------------------------------------------------------------------


def texts(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """What is in a text of a kind of puzzle, and the text."""
    smallest = get_puzzle(kind).from_dict(SMALLEST[kind])
    yield from many(name, f"{kind}, smallest boards", [smallest])
    yield from many(name, f"{kind}, examples", get_puzzle(kind).examples())
    yield from largest(name, kind)


def bad_texts(name: str) -> Iterator[tuple[str, str]]:
    """The same of texts that a format refuses."""
    if name == "json":
        yield from wrong()
    if name == "webpbn":
        yield "entities", "<!DOCTYPE a [" + '<!ENTITY b "bbbbbbbb">' * 40_000 + "]><a>&b;</a>"
    if name == "nonograms_org":
        yield "tags", "<table>" + "<td>" * 250_000


def many(name: str, what: str, puzzles: list[Puzzle]) -> Iterator[tuple[str, str]]:
    try:
        once, twice = (len(write_text(puzzles * n, name)) for n in (1, 2))
    except InputError:  # one puzzle a file, or no such puzzle
        return
    yield what, write_text(puzzles * (MEGABYTE // (twice - once)), name)


def largest(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """The largest board of this kind that a megabyte of the format holds."""
    for side in SIDES:
        try:
            text = write_text([board(kind, side)], name)
        except InputError:
            continue
        if len(text) <= 1.2 * MEGABYTE:
            yield f"{kind}, {side} x {side}", text
            return


def board(kind: str, side: int) -> Puzzle:
    if kind == "nonogram":
        clue = [1] * (side // 2)
        return Nonogram(rows=[clue] * side, cols=[clue] * side)
    lines = [[1 + (r + c) % side for c in range(side)] for r in range(side)]
    data: dict[str, Any] = {
        "easyasabc": {"size": side, "letters": 26, "top": [1] * side, "grid": [[1] * side] * side},
        "heyawake": {"rooms": [list(range(r * side, (r + 1) * side)) for r in range(side)],
                     "clues": [1] * side**2},
        "hitori": {"grid": lines},
        "kurodoko": {"grid": lines},
        "numberlink": {"grid": [[1 + (r * side + c) // 2 for c in range(side)]
                                for r in range(side)]},
        "sudoku": {"grid": lines},
    }[kind]  # fmt: skip
    return get_puzzle(kind).from_dict(data)


def wrong() -> Iterator[tuple[str, str]]:
    """Boards with an answer that is wrong in every cell."""
    n = 450
    white, black = ["." * n] * n, ["#" * n] * n
    yield "wrong answer of hitori", told("hitori", grid=[[1] * n] * n, solution=white)
    yield "wrong answer of kurodoko", told("kurodoko", grid=[[2] * n] * n, solution=white)
    one = {"rooms": [[0] * n] * n, "clues": [1]}
    yield "wrong answer of heyawake", told("heyawake", **one, solution=black)
    rows = {"rooms": [[r] * n for r in range(n)], "clues": [1] * n}
    yield "wrong answer of heyawake, rows", told("heyawake", **rows, solution=white)
    one = {"rows": [[1]] * 2 * n, "cols": [[1]] * 2 * n}
    yield "wrong answer of nonogram", told("nonogram", **one, solution=["#" * 2 * n] * 2 * n)
    grid = [[0] * n for _ in range(n)]
    grid[0][0] = grid[-1][-1] = 1
    for bit in "01":
        paths = {"right": [bit * (n - 1)] * n, "down": [bit * n] * (n - 1)}
        yield f"wrong answer of numberlink, {bit}", told("numberlink", grid=grid, solution=paths)
    size = {"size": 500, "letters": 26, "top": ["B"] * 500}
    yield "wrong answer of easyasabc", told("easyasabc", **size, solution=["A" * 500] * 500)
    yield "braces", '{"a":' * 200_000
    yield "brackets", "[" * MEGABYTE


def told(kind: str, **data: Any) -> str:
    return json.dumps({"puzzle": kind, **data}, separators=(",", ":"))


# --- reading ---------------------------------------------------------------------------


def read(text: str) -> dict[str, Any]:
    """Seconds (median), MiB above the process with the text, and what was found."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return pool.submit(read_here, text).result()


def read_here(text: str) -> dict[str, Any]:
    for name in all_formats():
        get_format(name)
    for kind in puzzle_names():
        get_puzzle(kind)
    before, seconds = peak_memory(), []
    found = ""
    for _ in range(RUNS):
        took, found = timed(outcome, text)
        seconds.append(took)
    return {
        "seconds": sorted(seconds)[RUNS // 2],
        "mebibytes": peak_memory() - before,
        "found": found,
    }


def outcome(text: str) -> str:
    from qubopuzzle.files.puzzles import read_text

    try:
        return f"{len(read_text(text)):,} read"
    except InputError:
        return "refused"


def peak_memory() -> float:
    """MiB; of this process alone, which ``getrusage`` mixes with the one that started it."""
    (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(line) / 2**10


BENCHMARKS = (Benchmark("reading", cases, {"reading": show}),)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS)
