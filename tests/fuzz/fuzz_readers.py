"""Feed arbitrary and mutated texts to every reader; not part of the tests.

    python tests/fuzz/fuzz_readers.py --inputs 60000 --jobs 2
    python tests/fuzz/fuzz_readers.py --reader tatham --seed 7 --first 812 --inputs 1
    python tests/fuzz/fuzz_readers.py --hostile

The readers are those of ``readers.py`` beside this file: every format of puzzles, files whose
format is told from their content, models, answers, samples and descriptions of exported models,
images, journals of comparisons. A reader may give something or raise InputError, of one line.
Everything else is counted as a crash, as are an input that takes over 10 seconds of the
processor, and a puzzle that is written and read back as another. An input is counted as over
the bound if it takes more than a second, and another one for each megabyte, or raises the peak
of memory by 100 MB, and as much for each megabyte. Input number i of a seed is always the same.
With ``--hostile`` the inputs are the large ones of ``hostile.py``, one after the other.
Exit status 1 if anything crashed or was over the bound.
"""

import argparse
import multiprocessing
import random
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hostile import HOSTILE
from readers import Reader, all_readers, get_reader

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import all_formats

HANG = 10.0
"""Seconds of the processor after which an input counts as a crash."""


@dataclass
class Report:
    """What became of the inputs of one reader."""

    name: str
    inputs: int = 0
    read: int = 0
    refused: int = 0
    crashes: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    slowest: tuple[float, int, int] = (0.0, 0, 0)  # seconds of one input, its number, characters
    seconds: float = 0.0  # of the processor, in all
    memory: float = 0.0  # MiB above the start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1000, metavar="N", help="inputs a reader")
    parser.add_argument("--reader", action="append", metavar="NAME", help="only this one")
    parser.add_argument("--corpus", metavar="DIR", help="files to mutate as well, each format its")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, metavar="I", help="number of the first")
    parser.add_argument("--hostile", action="store_true", help="inputs that were found costly")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="readers at a time")
    given = parser.parse_args()
    known = list(HOSTILE) if given.hostile else all_readers()
    if unknown := set(given.reader or ()) - {*known}:
        parser.error(f"no reader {', '.join(unknown)}; there are {', '.join(known)}")
    # A process each, so that the peak of memory is its own.
    spawn = multiprocessing.get_context("spawn")
    at_random = partial(fuzz, given.seed, given.first, given.inputs, given.corpus)
    work = fuzz_hostile if given.hostile else at_random
    with ProcessPoolExecutor(given.jobs, mp_context=spawn, max_tasks_per_child=1) as pool:
        reports = []
        for report in pool.map(work, given.reader or known):
            print(*row_of(report), file=sys.stderr, flush=True)
            reports.append(report)
    print_table(reports, given.seed)
    return int(any(report.crashes or report.over for report in reports))


def fuzz(seed: int, first: int, count: int, corpus: str | None, name: str) -> Report:
    """Try the inputs ``first`` .. ``first + count - 1`` of a seed."""
    reader = get_reader(name)
    valid = [*reader.valid, *(texts_of(reader, Path(corpus)) if corpus else ())]

    def text_of(number: int) -> str:
        rng = random.Random(f"{seed} {name} {number}")  # noqa: S311 - not for secrets
        return new_text(rng, valid)

    return attempts(name, reader, ((i, text_of(i)) for i in range(first, first + count)))


def fuzz_hostile(name: str) -> Report:
    """Try all that is thought to cost a reader, or files of a format, more than they should."""
    reader = get_reader(name if name in all_readers() and name not in all_formats() else "file")
    made = (text() for text in HOSTILE[name].values())
    texts = (data if isinstance(data, str) else data.decode("latin-1") for data in made)
    return attempts(name, reader, enumerate(texts))


def attempts(name: str, reader: Reader, numbered: Iterable[tuple[int, str]]) -> Report:
    """Try texts one by one."""
    report = Report(name)
    signal.signal(signal.SIGPROF, _stop)
    for text in reader.valid:
        tried(reader, text)  # imports are nobody's cost
    start = peak_memory()
    for number, text in numbered:
        before, began = peak_memory(), time.process_time()
        megabytes = 1 + len(text) / 10**6
        signal.setitimer(signal.ITIMER_PROF, max(HANG, megabytes))
        try:
            found = tried(reader, text)
            report.read += found
            report.refused += not found
        except Exception as error:
            what = f"{type(error).__name__}: {str(error)[:100]}"
            report.crashes.append(f"input {number}: {what}: {text[:100]!r} ({len(text)})")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        seconds, memory = time.process_time() - began, peak_memory() - before
        report.slowest = max(report.slowest, (seconds, number, len(text)))
        report.seconds += seconds
        if seconds > megabytes or memory > 100 * megabytes:
            took = f"{seconds:.1f} s, {memory:.0f} MiB"
            report.over.append(f"input {number} took {took}: {text[:100]!r} ({len(text)})")
        report.inputs += 1
    report.memory = peak_memory() - start
    return report


def tried(reader: Reader, text: str) -> bool:
    """Whether it is read; a refusal is one line."""
    try:
        return reader.attempt(text)
    except InputError as error:
        assert len(str(error).splitlines()) == 1, f"not one line: {error!r}"
        return False


def _stop(*_: object) -> None:
    raise TimeoutError(f"more than {HANG:g} seconds")


def peak_memory() -> float:
    """MiB."""
    import resource  # not everywhere; the module itself can be

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def texts_of(reader: Reader, folder: Path) -> list[str]:
    """Files of up to 20,000 bytes that look like the format, and single lines of them."""
    texts = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= 2_000_000:
            text = path.read_bytes().decode("utf-8", "replace")
            pieces = [text] if len(text) <= 20_000 else text.splitlines()[:200]
            texts += [piece for piece in pieces if len(piece) <= 20_000 and reader.sniff(piece)]
    return texts[:2_000]


# --- inputs ----------------------------------------------------------------------------


def new_text(rng: random.Random, valid: Sequence[str]) -> str:
    """Arbitrary bytes now and then, else a valid text, changed once or a few times."""
    if rng.random() < 0.2 or not valid:
        size = rng.choice([0, 1, 10, 100, 1000, 10_000])
        return rng.randbytes(size).decode(rng.choice(["utf-8", "latin-1", "ascii"]), "replace")
    text = rng.choice(valid)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 8])):
        text = rng.choice(MUTATIONS)(rng, text, valid)
    return text


def flip(rng: random.Random, text: str, _: Sequence[str]) -> str:
    """One character becomes another, or one that the text has."""
    i = rng.randrange(len(text) + 1)
    new = rng.choice([*text[:1000], *" \n\t\0.-/:#_,0", chr(rng.randrange(0xD7FF)), ""])
    return text[:i] + new + text[i + 1 :]


def cut(rng: random.Random, text: str, _: Sequence[str]) -> str:
    """A piece is missing, or all the rest."""
    a, b = sorted(rng.choices(range(len(text) + 1), k=2))
    return text[:a] + rng.choice([text[b:], ""])


def repeat(rng: random.Random, text: str, _: Sequence[str]) -> str:
    """A piece comes many times."""
    a, b = sorted(rng.choices(range(len(text) + 1), k=2))
    b = min(b, a + rng.choice([1, 10, len(text)]))
    times = min(rng.choice([2, 3, 30, 1000, 100_000]), 10**6 // max(1, len(text)))
    return text[:a] + text[a:b] * times + text[b:]


def splice(rng: random.Random, text: str, valid: Sequence[str]) -> str:
    """The beginning of one, the end of another."""
    other = rng.choice(valid)
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


def grow(rng: random.Random, text: str, _: Sequence[str]) -> str:
    """A number becomes a large one, or another."""
    numbers = list(re.finditer("[0-9]+", text[:10_000]))
    if not numbers:
        return text
    match = rng.choice(numbers)
    new = rng.choice(["0", "-1", "9" * rng.choice([2, 3, 5, 9, 20, 5000]), match[0] + "0", "1e9"])
    return text[: match.start()] + new + text[match.end() :]


MUTATIONS = (flip, cut, repeat, splice, grow)


# --- the table -------------------------------------------------------------------------


def print_table(reports: Sequence[Report], seed: int) -> None:
    print(f"seed {seed}")
    head = ("reader", "inputs", "read", "refused", "crashes", "over", "a second", "slowest")
    head += ("of input", "memory")
    rows = [head, *map(row_of, reports)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(word.rjust(width) for word, width in zip(row, widths, strict=True)))
    for line in crash_lines(reports):
        print(line)


def row_of(report: Report) -> tuple[str, ...]:
    counts = (report.inputs, report.read, report.refused, len(report.crashes), len(report.over))
    seconds, number, size = report.slowest
    where = f"{number} ({size:,} characters)"
    rate = f"{report.inputs / max(report.seconds, 1e-9):,.0f}"
    last = f"{seconds:.3f} s", where, f"{report.memory:.0f} MiB"
    return (report.name, *map(str, counts), rate, *last)


def crash_lines(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        for line in (*report.crashes[:20], *report.over[:20]):
            yield f"{report.name}: {line}"


if __name__ == "__main__":
    sys.exit(main())
