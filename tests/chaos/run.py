"""Commands and inputs at random, and trouble: signals, full disks, broken files, faults.

    python tests/chaos/run.py --minutes 5 --seed 1
    python tests/chaos/run.py --seed 1 --first 17 --steps 1

After each step: a result or one line, a documented status, no half file, no process left two
seconds later, the token nowhere. A step depends on the seed and its number alone, but for the
moment at which the machine lets a signal arrive. The status is 1 if anything was wrong.

Linux only: it looks into /proc. Full disks are small file systems in memory where they may be
mounted, else a limit on the size of files.
"""

import argparse
import base64
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import quote

from signals import (
    ROOT,
    Ended,
    check_files,
    check_outcome,
    ended_by_itself,
    folder_with_puzzles,
    hears,
    left_over,
    new_marker,
    start,
    still_there,
    too_early,
)

GENERATED = ROOT / "benchmarks" / "generated"
LONGEST_S = 3.0
"""Signals come within so many seconds; most commands are as short."""
STATUSES = dict.fromkeys(("compare", "generate"), (0, 1, 2))
"""Exit statuses as documented, where 3 is none of them; 4 is a failure everywhere."""
_COMPARED = "compare two.jsonl --solvers sat,neal --repeat 1 --time-limit 1 --json rows.jsonl"
_TRACED = "solve a.json --presolve none --seed 1 --trace trace.npz"
_SWEEP = """[[configuration]]
name = "sat, first"
solver = "sat"
time_limit = 0.5

[[grid]]
solver = ["neal", "random"]
reads = [1, 2]
time_limit = 0.5
"""
_KEPT = ("rows.jsonl", "trace.npz", "sweep.toml")
"""Files of earlier commands, and of configurations."""
_UTF8_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

Rng = random.Random


@dataclass
class Step:
    """A command, what befalls it, and what is wrong afterwards."""

    words: list[str]
    trouble: str
    rng: Rng
    token: str
    wrong: list[str] = field(default_factory=list)
    early: bool = False
    ended: Ended = field(default_factory=lambda: Ended(0, "", ""))

    @property
    def command(self) -> str:
        return self.words[0]

    def as_row(self, number: int) -> dict:
        early = "too early" if self.early else ""
        return {
            "step": number,
            "command": self.command,
            "trouble": self.trouble.partition(" ")[0] if "fault" in self.trouble else self.trouble,
            "status": early or self.ended.status,
            "wrong": self.wrong,
        }


# --- what is run -----------------------------------------------------------------------


def some(rng: Rng, *options: str, share: float = 0.3) -> list[str]:
    """Some of these options, each split at blanks."""
    return [word for option in options if rng.random() < share for word in option.split()]


def solve(rng: Rng, puzzle: str) -> list[str]:
    solvers = ("annealer", "tempering", "neal", "tabu", "random", "steepest-descent", "exact")
    provers = ("sat", "cpsat", "mip")
    solver = rng.choice([*solvers, *provers, *provers, "dimod:dimod:RandomSampler"])
    words = ["solve", puzzle, "--solver", solver, "--time-limit", rng.choice(["0.1", "0.5", "1"])]
    words += some(rng, "--json", "--seed 3", "--presolve propagate", "--url", "--reads 5")
    words += some(rng, "--plot p.svg", "--plot {id}.png", share=0.15)
    if solver in provers:
        words += rng.choice([[], ["--all", "--limit", "20"], ["--unique"]])
        words += some(rng, "--proof proof.drat") if solver == "sat" else []
    return words


def compare(rng: Rng, puzzle: str) -> list[str]:
    names = rng.sample(("annealer", "sat", "cpsat", "mip", "neal", "random", "exact"), 2)
    words = ["compare", puzzle, "--solvers", ",".join(names), "--repeat", "1"]
    words += ["--time-limit", rng.choice(["0.2", "0.5"]), "--hard-limit", "20"]
    return words + some(rng, "--json made.jsonl", "--csv made.csv", "--plot p.svg", share=0.5)


def resume(rng: Rng, _puzzle: str) -> list[str]:
    return [*_COMPARED.split(), *some(rng, "--resume", share=0.9), *some(rng, "--csv made.csv")]


def generate(rng: Rng, _puzzle: str) -> list[str]:
    kind = rng.choice(("nonogram", "sudoku", "heyawake", "hitori", "kurodoko", "numberlink"))
    size = "6x6" if kind == "sudoku" else rng.choice(("4x4", "5x5", "6x6"))
    words = ["generate", kind, "--size", size, "--seed", str(rng.randrange(99))]
    words += ["--count", str(rng.randint(1, 4)), "--jobs", str(rng.randint(1, 2))]
    return words + rng.choice([[], ["-o", "made.jsonl"], ["-o", "{id}.json"]])


def convert(rng: Rng, puzzle: str) -> list[str]:
    to = rng.choice(("json", "puzzlink", "pzprv3", "non", "tatham", "sudoku_text", "webpbn"))
    return ["convert", puzzle, "--to", to, *some(rng, "-o made.txt", share=0.5)]


def export(rng: Rng, puzzle: str) -> list[str]:
    qubos = ("bqm", "coo", "qubo", "mqlib", "qplib", "qubo-lp", "ising")
    to = rng.choice((*qubos, "dimacs", "lp", "mps"))
    return ["export", puzzle, "--to", to, *rng.choice([[], ["-o", f"made.{to}"]])]


def instances(rng: Rng, puzzle: str) -> list[str]:
    words = ["instances", puzzle, "-o", "set", "--time-limit", "1"]
    return words + some(rng, "--to bqm,dimacs", "--force")


def others(rng: Rng, puzzle: str) -> list[str]:
    return rng.choice(
        [
            ["show", puzzle, *some(rng, "--plot p.png", "--solution")],
            ["info", puzzle, *some(rng, "--json")],
            ["check", "sudoku.json", "sudoku.wrong.txt"],
            ["check", puzzle, puzzle],
            ["decode", "model.coo.json", "sample.json", *some(rng, "--json")],
        ]
    )


def kept(rng: Rng, _puzzle: str) -> list[str]:
    swept = ["compare", "two.jsonl", "--config", "sweep.toml", "--repeat", "1"]
    return rng.choice(
        [
            ["report", "rows.jsonl", *some(rng, "-o p.html", "-o made.md", "--csv made.csv")],
            ["replay", "trace.npz", *some(rng, "--plot p.html", "--plot p.svg")],
            [*swept, *some(rng, "--csv made.csv")],
        ]
    )


def amplify(rng: Rng, _puzzle: str) -> list[str]:
    words = ["solve", "a.json", "--solver", "amplify", "--option", "url=URL", "--time-limit", "1"]
    words += ["--option", "patience=1", *some(rng, "--json", "--token-file token.txt")]
    own = (["--dry-run", "request.json"], ["--record", "answer.json"], ["--reads", "2"])
    return words + rng.choice([[], [], *own])


COMMANDS = (solve, solve, compare, generate, convert, export, instances, others, kept, amplify)


def puzzles(rng: Rng, folder: Path) -> str:
    """A file of the folder with one to three small puzzles of a kind; some are broken."""
    source = rng.choice(sorted(GENERATED.glob("*.jsonl")))
    lines = source.read_text().splitlines()[:12]
    text = "\n".join(rng.sample(lines, rng.randint(1, 3))) + "\n"
    data = broken(rng, text.encode()) if rng.random() < 0.25 else text.encode()
    (folder / "given.jsonl").write_bytes(data)
    return "given.jsonl"


def broken(rng: Rng, data: bytes) -> bytes:
    """A text cut off, with other bytes, with escape sequences, with lines out of place."""
    place = rng.randrange(len(data) + 1)
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines)
    return rng.choice(
        [
            data[:place],
            data[:place] + rng.randbytes(rng.randint(1, 20)) + data[place:],
            data[:place] + rng.choice(b"0123456789{}[],\"").to_bytes() + data[place + 1 :],
            data[:place] + bytes(b ^ 1 << rng.randrange(8) for b in data[place : place + 1])
            + data[place + 1 :],
            data.replace(b'"id": "', b'"id": "\x1b[2J\x1b]0;owned\x07\\u001b[31m'),
            data.replace(b'"', b'"\\u001b[31m', rng.randint(1, 9)),
            b"".join(lines[: rng.randint(0, len(lines))] + lines),
            b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
        ]
    )  # fmt: skip


# --- what befalls it -------------------------------------------------------------------

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGSTOP")
DISKS = ("full disk", "limited files", "full output", "closed output")
TROUBLES = (*SIGNALS, *DISKS, "child killed", "broken journal", "broken file",
            "service fault", "nothing")  # fmt: skip


def step_of(seed: int, number: int, folder: Path, url: str) -> Step:
    """The step of a number: its files are in the folder afterwards."""
    from ae_stand_in import FAULTS

    rng = Rng(f"{seed} {number}")
    trouble = TROUBLES[number % len(TROUBLES)]
    makers = {"broken journal": resume, "broken file": kept, "service fault": amplify}
    makers["child killed"] = rng.choice((compare, generate, resume, amplify))
    maker = makers.get(trouble, rng.choice(COMMANDS))
    words = maker(rng, puzzles(rng, folder))
    left = 4096 * rng.choice((0, 1, 2, 4, 16))
    token = "AE/" + "".join(rng.choice("bcdfghjkmnpqrstvwxz0123456789") for _ in range(24)) + "+/="
    (folder / "token.txt").write_text(token + "\n")
    if trouble == "broken journal":
        rows = folder / "rows.jsonl"
        rows.write_bytes(broken(rng, rows.read_bytes()))
    elif trouble == "broken file":
        for file in (folder / name for name in _KEPT if (folder / name).exists()):
            file.write_bytes(broken(rng, file.read_bytes()))
    elif maker not in (resume, kept):
        (folder / "rows.jsonl").unlink()
    if trouble == "service fault":
        fault = rng.choice(FAULTS)
        url, trouble = f"{url}/fault/{rng.choice(['', 'health-'])}{fault}", f"fault {fault}"
    if trouble == "full disk" and folder.is_mount():
        free = os.statvfs(folder).f_bavail * 4096
        (folder / "ballast").write_bytes(b"\n" * (free - left))
    return Step([word.replace("URL", url) for word in words], trouble, rng, token)


def carry_out(step: Step, folder: Path) -> None:
    """Run the command, let its trouble befall it, and look at what is left."""
    marker = new_marker()
    known = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    environment = {"TMPDIR": str(folder), "AMPLIFY_TOKEN": step.token}
    environment["MPLCONFIGDIR"] = tempfile.gettempdir()
    with ExitStack() as stack:
        limits = _limits(step.trouble, stack)
        process = start(step.words, folder, marker, **limits, **environment)
        seen = stack.enter_context(_command_lines(marker))
        heard = _befall(step, process, marker)
        if step.trouble == "closed output":
            process.stdout.close()
            process.stdout = None
        step.ended = ended_by_itself(process)
    left = still_there(marker)
    step.wrong += [f"still running: {line}" for line in left]
    killed = step.trouble == "SIGKILL" and step.ended.status == -signal.SIGKILL
    if not killed:
        step.early = step.trouble in SIGNALS and too_early(step.ended, heard=heard)
        step.wrong += [] if step.early else _outcome(step)
        if step.trouble == "broken file":  # as they were given, they are not half-written
            for name in {*_KEPT} & {*known}:
                if (folder / name).read_bytes() == known[name]:
                    (folder / name).unlink()
                    del known[name]
        step.wrong += check_files(folder, _unchanged(step, known))
    step.wrong += _journal(step, folder, known)
    step.wrong += _secrets(step, folder, [*seen, *left])


def _limits(trouble: str, stack: ExitStack) -> dict:
    """Arguments of ``start`` that the trouble consists in."""
    if trouble == "full output":
        return {"stdout": stack.enter_context(Path("/dev/full").open("w"))}
    if trouble == "limited files":
        return {"largest": 2000}
    return {}


def _befall(step: Step, process: subprocess.Popen, marker: str) -> bool:
    """Signals; returns whether the process heard them by then."""
    if step.trouble not in (*SIGNALS, "child killed"):
        return True
    time.sleep(step.rng.uniform(0, LONGEST_S if step.rng.random() < 0.7 else 0.3))
    if step.trouble == "child killed":
        pids = [int(line.split()[0]) for line in left_over(marker)]
        for pid in sorted({*pids} - {process.pid})[:1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return True
    number = signal.Signals[step.trouble]
    heard = hears(process, number)
    process.send_signal(number)
    if number == signal.SIGSTOP:
        time.sleep(step.rng.uniform(0, 1))
        process.send_signal(signal.SIGCONT)
    return heard


@contextmanager
def _command_lines(marker: str) -> Iterator[set[str]]:
    """Command lines of all processes of a command, looked at again and again."""
    seen: set[str] = set()
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.1):
            seen.update(left_over(marker))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


# --- what is wrong afterwards ----------------------------------------------------------


def _outcome(step: Step) -> list[str]:
    """A documented status, a result or one line, nothing that steers a terminal."""
    ended, status = step.ended, step.ended.status
    wrong = check_outcome(ended, STATUSES.get(step.command, (0, 1, 2, 3)))
    lines = ended.err.splitlines()
    if status == 2 and not any(line.startswith("qubopuzzle: error: ") for line in lines):
        wrong.append("status 2 without a line that says why")
    if step.trouble not in DISKS and status != 2 and not (ended.out or lines or _written(step)):
        wrong.append("neither a result nor a line")
    streams = [ended.err, "" if step.command == "convert" else ended.out]
    if any(map(_UTF8_CONTROL.search, streams)):
        wrong.append("control characters in the output")
    return wrong


def _written(step: Step) -> bool:
    return "-o" in step.words


def _unchanged(step: Step, known: dict[str, bytes]) -> dict[str, bytes]:
    """What was given is still there, but for a journal that is taken, and grows."""
    refused = step.ended.status == 2
    return {name: data for name, data in known.items() if refused or name != "rows.jsonl"}


def _journal(step: Step, folder: Path, known: dict[str, bytes]) -> list[str]:
    """Rows that there were are still there."""
    path = folder / "rows.jsonl"
    if "rows.jsonl" not in known or "rows.jsonl" not in step.words:
        return []
    before, after = known["rows.jsonl"], path.read_bytes()
    whole = before[: before.rfind(b"\n") + 1]
    return [] if after.startswith(whole) else ["rows of the journal are lost"]


@cache
def _forms(token: str) -> tuple[bytes, ...]:
    """Halves of a token as it is, backwards, and all of it in other letters."""
    half = len(token) // 2
    halves = [part for text in (token, token[::-1]) for part in (text[:half], text[half:])]
    coded = base64.b64encode(token.encode()).decode()[4:-4]
    return tuple(
        form.encode() for form in (*halves, coded, quote(token, safe=""), token.encode().hex())
    )


def _secrets(step: Step, folder: Path, command_lines: list[str]) -> list[str]:
    """Where the token is found: what was printed, written, and said on command lines."""
    places = {"output": step.ended.out + step.ended.err, "a command line": " ".join(command_lines)}
    texts = {name: text.encode() for name, text in places.items()}
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "token.txt":
            texts[path.name] = path.read_bytes()
    forms = _forms(step.token)
    return [
        f"the token is in {name}" for name, text in texts.items() if any(f in text for f in forms)
    ]


# --- step by step ----------------------------------------------------------------------


@contextmanager
def room(trouble: str) -> Iterator[Path]:
    """A new folder; for a full disk, a file system of its own."""
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as name:
        mounted = trouble == "full disk" and _mount(name)
        try:
            yield Path(name)
        finally:
            if mounted:
                subprocess.run(["umount", "-l", name], check=True)  # noqa: S607


def _mount(folder: str) -> bool:
    words = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def steps(seed: int, numbers: Iterator[int]) -> Iterator[tuple[int, Step]]:
    """Carry out steps, one after the other."""
    from ae_stand_in import stand_in

    with folder_with_puzzles() as given, stand_in() as url:
        for words in (_COMPARED, _TRACED):
            made = ended_by_itself(start(words.split(), given))
            assert made.status == 0, made
        (given / "sweep.toml").write_text(_SWEEP)
        for number in numbers:
            trouble = TROUBLES[number % len(TROUBLES)]
            with room(trouble) as folder:
                shutil.copytree(given, folder, dirs_exist_ok=True)
                step = step_of(seed, number, folder, url)
                carry_out(step, folder)
            yield number, step


def until(minutes: float, first: int) -> Iterator[int]:
    """Numbers for so long."""
    ends = time.monotonic() + 60 * minutes
    number = first
    while time.monotonic() < ends:
        yield number
        number += 1


def run(seed: int, numbers: Iterator[int], tell: Callable[[str], None] = print) -> list[dict]:
    """A row a step; what is wrong is told at once, with what repeats it."""
    rows = []
    for number, step in steps(seed, numbers):
        rows.append(step.as_row(number))
        if step.wrong:
            tell(f"{number}: {step.trouble}: {step.wrong}")
            tell(f"  qubopuzzle {shlex.join(step.words)}")
            tell(f"  python tests/chaos/run.py --seed {seed} --first {number} --steps 1")
            words = (step.ended.out[-300:] + step.ended.err[-1500:]).splitlines()
            tell("    " + "\n    ".join(words))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, metavar="STEP")
    parser.add_argument("--steps", type=int, help="so many, whatever time they take")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # by way of what unmounts and removes
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests/helpers")]
    last = args.first + (args.steps or 0)
    numbers = iter(range(args.first, last)) if args.steps else until(args.minutes, args.first)
    rows = run(args.seed, numbers)
    for trouble, n in sorted(Counter(row["trouble"] for row in rows).items()):
        own = [row for row in rows if row["trouble"] == trouble]
        statuses = Counter(str(row["status"]) for row in own)
        wrong = sum(bool(row["wrong"]) for row in own)
        said = ", ".join(f"{status}: {k}" for status, k in sorted(statuses.items()))
        print(f"{trouble:<16}{n:>5} steps{wrong:>4} wrong   {said}")
    wrong = sum(bool(row["wrong"]) for row in rows)
    print(f"{len(rows)} steps, seed {args.seed}: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
