"""Signals at random moments: no crash, no traceback, nothing half-written, nothing left running.

    python tests/chaos/signals.py --interrupts 500 --seed 1
    python tests/chaos/signals.py --kills 100 --seed 1

``--interrupts``: Ctrl-C at random moments of all commands and samplers, from the first
instruction to the end. ``--kills``: SIGKILL, SIGTERM or Ctrl-C of commands that have processes
of their own. Tries depend on the seed and their number alone: ``--only N`` repeats one.

What a signal does before the interpreter has come to our first module is Python's: it ends the
process by the signal, or with a traceback that names no file of ours. Such tries are counted
by themselves, in the column "too early".

Linux only: it looks into /proc.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
MARK = "QUBOPUZZLE_CHAOS"
"""The environment variable that all processes of one command have in common."""
LEFT_S = 2.0
"""So long after a command's end its processes may live."""
PATIENCE_S = 60.0
"""A command that runs so long after a signal hangs."""
HEARD_S = 5.0
"""A command that goes on for so long after a signal has not heard it."""
STATUSES = (0, 1, 3)
"""Exit statuses as documented, but for those of bad input and of an error of ours."""
_WRONG = re.compile(
    r"Traceback|Exception ignored|Fatal Python error|Segmentation|terminate called|core dumped"
)
_OURS = re.compile(r'File "[^"]*/(?:src|site-packages)/qubopuzzle/')


@dataclass(frozen=True)
class Ended:
    """A command that has ended: its status as ``Popen.returncode``, and what it printed."""

    status: int
    out: str
    err: str
    seconds: float = 0.0


def start(
    words: list[str],
    folder: Path,
    marker: str = "",
    stdout: int | IO[str] = subprocess.PIPE,
    largest: int = resource.RLIM_INFINITY,
    **environment: str,
) -> subprocess.Popen[str]:
    """Start ``qubopuzzle`` with these words in a folder; ``marker`` is for ``left_over``.

    No file that it writes can be larger than ``largest`` bytes.
    """
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests/helpers")])

    def prepare() -> None:
        # A shell's background jobs ignore Ctrl-C, and so would what they start.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))

    return subprocess.Popen(
        [sys.executable, "-m", "qubopuzzle", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONPATH": path, MARK: marker, **environment},
        preexec_fn=prepare,
    )


def crowd() -> float:
    """How many processes want each processor now, at least 1: things take so much longer."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def new_marker() -> str:
    """A marker that no other command has."""
    return uuid.uuid4().hex


def left_over(marker: str) -> list[str]:
    """The processes that have this marker and are no zombies: number and command line."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and marker.encode() in (process / "environ").read_bytes():
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                found.append(f"{process.name} {words.decode(errors='replace')[:100]}")
        except OSError:  # it has ended, or is another user's
            continue
    return found


def still_there(marker: str, seconds: float = LEFT_S) -> list[str]:
    """What is left over after so many seconds; returns as soon as nothing is. Ends the rest."""
    ends = time.monotonic() + seconds * crowd()
    while (left := left_over(marker)) and time.monotonic() < ends:
        time.sleep(0.05)
    for line in left:
        os.kill(int(line.split()[0]), signal.SIGKILL)
    return left


def hears(process: subprocess.Popen[str], number: int = signal.SIGINT) -> bool:
    """Whether the process has a handler for a signal by now."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return True
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)", status, re.M)
    return caught is None or bool(int(caught[1], 16) >> (number - 1) & 1)


def too_early(ended: Ended, *, heard: bool) -> bool:
    """Whether the signal came before any code of ours: ``heard`` is what ``hears`` said then."""
    if ended.status < 0 and not ended.err:
        return not heard
    plain = ended.err.endswith("\nKeyboardInterrupt\n") and not ended.out
    return plain and not _OURS.search(ended.err)


def check_outcome(ended: Ended, statuses: tuple[int, ...] = STATUSES) -> list[str]:
    """What is wrong with how a command ended: a crash, a traceback, another status."""
    wrong = []
    if ended.status < 0:
        wrong.append(f"ended by {signal.Signals(-ended.status).name}")
    elif ended.status not in statuses:
        wrong.append(f"status {ended.status}")
    return wrong + [found[0] for found in map(_WRONG.search, (ended.out, ended.err)) if found]


def check_files(folder: Path, known: dict[str, bytes] | None = None) -> list[str]:
    """What is wrong with the files that a command left: temporary, empty, cut off.

    Args:
        folder: in which it ran.
        known: files by name that, if they are there, must have these bytes.
    """
    wrong = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.name.startswith((".qubopuzzle-", "qubopuzzle-")):
            wrong.append(f"{name} is left")
        elif path.is_file() and not _whole(path, (known or {}).get(name)):
            wrong.append(f"{name} is cut off: {path.stat().st_size} bytes")
    return wrong


def _whole(path: Path, known: bytes | None) -> bool:
    data = path.read_bytes()
    if known is not None:
        return data == known
    if path.suffix in (".json", ".jsonl"):
        try:
            parts = data.splitlines() if path.suffix == ".jsonl" else [data]
            return all(isinstance(json.loads(part), dict | list) for part in parts)
        except ValueError:
            return False
    end = {".svg": b"</svg>\n", ".png": b"IEND\xaeB`\x82", ".bqm": b""}.get(path.suffix, b"\n")
    return bool(data) and data.endswith(end)


@dataclass(frozen=True)
class Case:
    """A command line, split at blanks, about how long it takes, and what it must keep.

    ``finished`` is given its folder and how it ended, and says what of its work is not kept.
    """

    name: str
    line: str
    seconds: float = 2.0
    finished: Callable[[Path, Ended], list[str]] = field(default=lambda _folder, _ended: [])

    def words(self, url: str) -> list[str]:
        """Its words; URL stands for the address of the stand-in for Amplify AE."""
        return self.line.replace("URL", url).split()


_SAMPLERS = ("neal", "tabu", "random", "steepest-descent", "tempering", "annealer")
_NOISE = "solve noise.json --seed 1 --solver"
_SERVICE = "solve a.json --solver amplify --option url=URL"
INTERRUPTED = (
    *(Case(f"solve {name}", f"{_NOISE} {name} --time-limit 1") for name in _SAMPLERS),
    Case("solve annealer, threads", f"{_NOISE} annealer --time-limit 1 --option threads=4"),
    Case("solve tempering, reads", f"{_NOISE} tempering --reads 2 --json"),
    Case("solve tempering, presolve", "solve ten.jsonl --solver tempering --presolve propagate"),
    Case("solve all", "solve ten.jsonl --all --limit 50 --plot {id}.svg"),
    Case("solve unique", "solve ten.jsonl --unique --json"),
    Case("solve proof", "solve sudoku.json --proof proof.drat"),
    Case("solve glucose4", f"{_NOISE} sat --option backend=glucose4 --all"),
    Case("solve cpsat", f"{_NOISE} cpsat --all --limit 20"),
    Case("solve mip", f"{_NOISE} mip --time-limit 2"),
    Case("solve exact", "solve tiny.json --solver exact"),
    Case("solve dimod", f"{_NOISE} dimod:dimod:RandomSampler --time-limit 1"),
    Case("solve amplify", f"{_SERVICE} --time-limit 1"),
    Case("solve amplify, silent", f"{_SERVICE}/fault/silent --time-limit 1 --option patience=1"),
    Case("solve amplify, drip", f"{_SERVICE}/fault/drip --time-limit 1 --option patience=1"),
    Case("solve amplify, dry run", "solve a.json --solver amplify --dry-run request.json"),
    Case("compare", "compare two.jsonl --solvers sat,exact --json rows.jsonl --plot p.svg"),
    Case("check", "check sudoku.json sudoku.wrong.txt"),
    Case("show", "show ten.jsonl"),
    Case("show, plot", "show a.json --plot a.png"),
    Case("info", "info heyawake.json"),
    Case("export", "export heyawake.json -o model.bqm"),
    Case("export, several", "export ten.jsonl -o {id}.coo"),
    Case("export lp", "export heyawake.json --to lp -o model.lp"),
    Case("decode", "decode model.coo.json sample.json"),
    Case("instances", "instances two.jsonl -o folder"),
    Case("generate", "generate hitori --size 6x6 --count 4 --seed 1 -o made.jsonl"),
    Case("generate, jobs", "generate kurodoko --size 5x5 --count 6 --seed 1 --jobs 2 -o {id}.json"),
    Case("generate, lines", "generate nonogram --size 12x12 --count 9 --option lines=1"),
    Case("convert", "convert ten.jsonl --to puzzlink -o urls.txt"),
    Case("formats", "formats"),
    Case("solvers", "solvers"),
    Case("puzzles", "puzzles"),
    Case("help", "solve --help"),
)


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _made_are_kept(folder: Path, ended: Ended) -> list[str]:
    told, kept = len(re.findall(r"^kurodoko\S+: ", ended.err, re.M)), _lines(folder / "made.jsonl")
    return [f"{told} puzzles made, {kept} kept"] if kept < told else []


def _goes_on(folder: Path, _ended: Ended) -> list[str]:
    """The same command with --resume takes over all rows that there are."""
    path = folder / "rows.jsonl"
    before = path.read_bytes() if path.exists() else b""
    rows = before[: before.rfind(b"\n") + 1]  # the last may be cut off by SIGKILL
    again = ended_by_itself(start(f"{COMPARED} --resume".split(), folder))
    whole = again.status == 0 and path.read_bytes().startswith(rows) and _lines(path) == ROWS
    return [] if whole else [f"what is there does not go on: {again}"]


COMPARED = (
    "compare two.jsonl --solvers sat,mip,neal --repeat 2 --time-limit 2 --jobs 2 --json rows.jsonl"
)
ROWS = 8
"""Of two puzzles: neal twice, the exact solvers once."""
KILLED = (
    Case(
        "generate",
        "generate kurodoko --size 9x9 --count 60 --seed 1 --jobs 4 -o made.jsonl",
        6.0,
        _made_are_kept,
    ),
    Case("compare", COMPARED, 8.0, _goes_on),
    Case("solve mip", "solve hard.json --solver mip --all --time-limit 20", 9.0),
    Case("solve amplify, silent", f"{_SERVICE}/fault/silent --time-limit 9", 6.0),
    Case("solve amplify, drip", f"{_SERVICE}/fault/drip --time-limit 9", 6.0),
)
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def ended_by_itself(process: subprocess.Popen[str]) -> Ended:
    """Wait for the end of a command; one that hangs is ended, which its status then says."""
    began = time.monotonic()
    try:
        out, err = process.communicate(timeout=PATIENCE_S * crowd())
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    return Ended(process.returncode, out or "", err, time.monotonic() - began)


@contextmanager
def folder_with_puzzles() -> Iterator[Path]:
    """A temporary folder with what the commands read."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        folder = Path(name)
        for path in EXAMPLES.iterdir():
            if path.suffix in (".json", ".jsonl", ".txt"):
                shutil.copy(path, folder)
        lines = (EXAMPLES / "ten.jsonl").read_text().splitlines()
        (folder / "a.json").write_text(lines[0])
        (folder / "noise.json").write_text(lines[2])
        (folder / "two.jsonl").write_text("\n".join(lines[:2]) + "\n")
        (folder / "tiny.json").write_text(
            '{"puzzle": "nonogram", "rows": [[2], [1], [1]], "cols": [[3], [1], []]}'
        )
        rng = random.Random(1)  # noqa: S311
        cells = [[rng.randrange(2) for _ in range(40)] for _ in range(40)]
        clues = {
            name: [[len(run) for run in re.findall("1+", "".join(map(str, line)))] for line in way]
            for name, way in (("rows", cells), ("cols", zip(*cells, strict=True)))
        }
        (folder / "hard.json").write_text(json.dumps({"puzzle": "nonogram", **clues}))
        made = ended_by_itself(start(["export", "a.json", "-o", "model.coo"], folder))
        assert made.status == 0, made
        names = json.loads((folder / "model.coo.json").read_text())
        (folder / "sample.json").write_text(json.dumps([0] * len(names["variables"])))
        yield folder


@dataclass
class Tally:
    """What came of the tries of one command."""

    tries: int = 0
    early: int = 0
    by_status: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    wrong: list[str] = field(default_factory=list)


def try_once(case: Case, given: Path, url: str, number: int, delay: float, tally: Tally) -> None:
    """Send a signal to a command after so many seconds, and look at what is left."""
    with _running(case, given, url) as (folder, process, marker):
        time.sleep(delay)
        heard = hears(process, number)
        process.send_signal(number)
        ended = ended_by_itself(process)
        wrong = [f"still running: {line}" for line in still_there(marker)]
        if number != signal.SIGKILL:
            wrong += check_files(folder, _contents(given))
            if too_early(ended, heard=heard):
                tally.early += 1
            else:
                wrong += check_outcome(ended)
            if ended.seconds > HEARD_S and "interrupted" not in ended.out + ended.err:
                wrong.append(f"goes on for {ended.seconds:.1f} s")
        wrong += case.finished(folder, ended)
    tally.tries += 1
    tally.by_status[ended.status] += 1
    tally.slowest = max(tally.slowest, ended.seconds)
    tally.wrong += wrong
    if wrong:
        print(f"  {signal.Signals(number).name} after {delay:.3f} s: {wrong}")
        words = ended.out[-500:] + ended.err[-3000:]
        print("    " + "\n    ".join(words.splitlines()), flush=True)


@contextmanager
def _running(
    case: Case, given: Path, url: str
) -> Iterator[tuple[Path, subprocess.Popen[str], str]]:
    """A command in a folder of its own, which is its folder for temporary files, too."""
    marker = new_marker()
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        folder = Path(name)
        shutil.copytree(given, folder, dirs_exist_ok=True)
        environment = {"TMPDIR": name, "AMPLIFY_TOKEN": "AE/chaos"}
        yield folder, start(case.words(url), folder, marker, **environment), marker


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def moment(rng: random.Random, seconds: float) -> float:
    """A random moment of a command that takes so long; every fourth in its first tenth."""
    return rng.uniform(0, seconds if rng.random() < 0.75 else 0.1 * seconds)


def slowness() -> float:
    """How much longer things take now than on a machine of 2026 that has nothing else to do."""
    began = time.monotonic()
    sum(i * i for i in range(1_000_000))
    return min(max(1.0, (time.monotonic() - began) / 0.1), 5.0)


def run(cases: tuple[Case, ...], tries: int, seed: int, signals: tuple[int, ...], only: int | None):
    """All tries; returns whether nothing was wrong."""
    from ae_stand_in import stand_in

    tallies = {case.name: Tally() for case in cases}
    with folder_with_puzzles() as given, stand_in() as url:
        for i in range(tries) if only is None else [only]:
            rng = random.Random(f"{seed} {i}")  # noqa: S311
            case = cases[i % len(cases)]
            print(f"{i}: {case.name}", flush=True)
            number = signals[i // len(cases) % len(signals)]
            delay = moment(rng, case.seconds * crowd())
            try_once(case, given, url, number, delay, tallies[case.name])
    return report(tallies)


def report(tallies: dict[str, Tally]) -> bool:
    """Print a line for each command; returns whether nothing was wrong."""
    print(f"\n{'command':<28}{'tries':>6}{'too early':>10}{'wrong':>6}{'slowest':>9}  statuses")
    for name, tally in tallies.items():
        statuses = ", ".join(f"{k}: {n}" for k, n in sorted(tally.by_status.items()))
        counts = f"{tally.tries:>6}{tally.early:>10}{len(tally.wrong):>6}"
        print(f"{name:<28}{counts}{tally.slowest:>8.2f}s  {statuses}")
    tries = sum(tally.tries for tally in tallies.values())
    early = sum(tally.early for tally in tallies.values())
    wrong = sum(len(tally.wrong) for tally in tallies.values())
    print(f"{tries} tries, {early} too early for us, {wrong} things wrong")
    return not wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--interrupts", type=int, default=0, metavar="N")
    parser.add_argument("--kills", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, metavar="TRY")
    parser.add_argument("--case", help="only commands whose name begins so")
    args = parser.parse_args()
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests/helpers")]
    good = True
    for cases, tries, numbers in (
        (INTERRUPTED, args.interrupts, (signal.SIGINT,)),
        (KILLED, args.kills, SIGNALS),
    ):
        chosen = tuple(case for case in cases if case.name.startswith(args.case or ""))
        if tries and chosen:
            good &= run(chosen, tries, args.seed, numbers, args.only)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
