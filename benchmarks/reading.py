"""What a megabyte takes to read at worst: seconds of the processor and memory.

For each format texts of about a million characters: many of the smallest boards, many of the
examples, one board as large as fits; and for each reader the texts and files of ``hostile.py``.
Each is read in a process of its own. One table: reading, with the worst of each reader.

Usage: python benchmarks/reading.py
"""

from __future__ import annotations

import multiprocessing
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hostile import HOSTILE, MEGABYTE, Data
from qubopuzzle import InputError, Nonogram, Puzzle, load, load_trace
from qubopuzzle.bench.configurations import read_configurations
from qubopuzzle.bench.journal import Journal
from qubopuzzle.files.models import read_sample
from qubopuzzle.files.puzzles import (
    all_formats,
    formats_for,
    read_source,
    write_text,
)
from qubopuzzle.files.puzzles.answers import load_answers
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.puzzles.nonogram.image import from_image
from qubopuzzle.solving.form import rebuilt
from qubopuzzle.solving.trace import Trace
from record import Args, Benchmark, Cases, Row, Rows, grouped, main, markdown

RUNS = 3
MIB_A_MEGABYTE = 100 * MEGABYTE / 2**20
"""The bound for what is refused, with a second."""
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
    for kind in puzzle_names():
        get_puzzle(kind)  # before processes are copied
    for name in all_formats():
        for kind in puzzle_names():
            if name in formats_for(kind):
                yield f"{name} {kind}", measure, name, kind
    for reader, texts_of in HOSTILE.items():
        for what, text in texts_of.items():
            yield f"{reader}: {what}", measure_one, reader, what, text


def measure(name: str, kind: str) -> list[Row]:
    return [measure_one(name, what, lambda text=text: text) for what, text in texts(name, kind)]


def measure_one(reader: str, what: str, text: Callable[[], Data]) -> Row:
    with tempfile.TemporaryDirectory(prefix="reading-") as folder:
        path = Path(folder, "input")
        size = apart(write, path, text)
        costs = apart(read_here, reader, path)
    return {"format": reader, "text": what, "characters": size, **costs}


def show(rows: Rows) -> str:
    """A line a reader with the most that a megabyte took; then what is over the bound."""
    lines = []
    for (name,), own in grouped(rows, "format").items():
        refused = [row for row in own if row["found"] == "refused"]
        accepted = [row for row in own if row["found"] != "refused"]
        lines.append([f"`{name}`", str(len(own)), *_worst(refused), *_worst(accepted)])
    heads = ["reader", "texts", "refused, s", "MiB", "read, s", "MiB"]
    over = [
        f"{row['format']}: {row['text']} ({row['found']}, {seconds:.2f} s, {mebibytes:.0f} MiB)"
        for row in rows
        for seconds, mebibytes in [_a_megabyte(row)]
        if seconds > 1 or mebibytes > MIB_A_MEGABYTE
    ]
    listed = "; ".join(over) or "none"
    return f"{markdown(heads, lines)}\n\nOver a second or 100 MB a megabyte: {listed}."


def _worst(rows: Rows) -> list[str]:
    """Most seconds, most MiB."""
    costs = np.array([_a_megabyte(row) for row in rows]).reshape(-1, 2)
    return [f"{costs[:, 0].max():.2f}", f"{costs[:, 1].max():.0f}"] if rows else ["", ""]


def _a_megabyte(row: Row) -> tuple[float, float]:
    """Seconds and MiB; what is smaller counts as one."""
    megabytes = max(1.0, row["characters"] / MEGABYTE)
    return row["seconds"] / megabytes, row["mebibytes"] / megabytes


# --- texts -----------------------------------------------------------------------------


def texts(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """What is in a text of a kind of puzzle, and the text."""
    smallest = get_puzzle(kind).from_dict(SMALLEST[kind])
    yield from many(name, f"{kind}, smallest boards", [smallest])
    yield from many(name, f"{kind}, examples", get_puzzle(kind).examples())
    yield from largest(name, kind)


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


# --- reading ---------------------------------------------------------------------------


def apart(call: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns in a copy of this process, whose memory is its own from then on."""
    forked = multiprocessing.get_context("fork")
    receiver, sender = forked.Pipe(duplex=False)
    forked.Process(target=lambda: sender.send(call(*arguments))).start()
    sender.close()
    return receiver.recv()


def write(path: Path, text: Callable[[], Data]) -> int:
    data = text()
    return path.write_bytes(data.encode() if isinstance(data, str) else data)


def read_here(reader: str, path: Path) -> dict[str, Any]:
    outcome(reader, Path(__file__))  # imports what it needs
    before, seconds = peak_memory(), []
    found = ""
    runs = RUNS if path.stat().st_size < 5 * MEGABYTE else 1
    for _ in range(runs):
        start = time.process_time()
        found = outcome(reader, path)
        seconds.append(time.process_time() - start)
    return {
        "seconds": sorted(seconds)[runs // 2],
        "mebibytes": peak_memory() - before,
        "found": found,
    }


def outcome(reader: str, path: Path) -> str:
    try:
        found = READERS.get(reader, load)(path)
    except InputError:
        return "refused"
    return f"{len(found):,} read"


def read_image(path: Path) -> tuple[Any, ...]:
    return from_image(path, (9, 9), rng=np.random.default_rng(0), dither=True)


def read_journal(path: Path) -> dict[str, Any]:
    book = Journal(path, resume=True)
    book.close()
    return book.content.rows


def read_trace(path: Path) -> Trace:
    trace = load_trace(path)
    trace.sweeps_in_all()
    return trace


READERS: dict[str, Callable[[Path], Any]] = {
    "answers": load_answers,
    "samples": lambda path: read_source(path, read_sample),
    "descriptions": lambda path: [read_source(path, rebuilt)],
    "images": read_image,
    "journal": read_journal,
    "trace": read_trace,
    "configurations": read_configurations,
}
"""Those that ``load`` is not."""


def peak_memory() -> float:
    """MiB; of this process alone, which ``getrusage`` mixes with the one that started it."""
    (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(line) / 2**10


BENCHMARKS = (Benchmark("reading", cases, {"reading": show}),)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS)
