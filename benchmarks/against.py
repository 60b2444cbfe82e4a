"""Did it become slower, or answer otherwise? The working tree against a revision.

    python benchmarks/against.py REV [--only TEXT ...] [--repeats N] [--quick] [--publish]

Every kernel, solver, form and reader, and what starting costs: the cases of ``cases.py``, in a
process for each of the two, warmed up, with the same seeds and files, taking turns (A B B A), so
that a machine's drift hits both. Seconds are those of the processor. A ratio is the median of those
of the turns, its noise half of a 95 percent interval. What is over 1.05, and over 1 beyond its
noise, is measured again with twice the turns; what stays so is slower. Answers are compared where
each tree gives the same ones every time.

Exit status: 0 if all is well, 1 if something answers otherwise, fails or is slower, 2 if it cannot
be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from math import ceil, comb
from pathlib import Path
from statistics import median
from typing import Any

from harness import HERE, ROOT, Benchmark, Row, Rows, machine, markdown, publish, rendered
from qubopuzzle.base.signals import defer_interrupt

SLOWER = 1.05
BEFORE, NOW = TREES = ("before", "now")
REPEATS = 7
SAMPLE_S = 0.1
"""What one turn takes at least: what is shorter is run several times."""
STARTS = {
    "start: import": "-c 'import qubopuzzle'",
    "start: --help": "-m qubopuzzle --help",
    "start: solve": "-m qubopuzzle solve examples/picross-a.json",
    "start: solve by sat": "-m qubopuzzle solve examples/picross-a.json --solver sat",
    "start: check": "-m qubopuzzle check examples/picross-a.json examples/picross-a.wrong.txt",
    "start: info": "-m qubopuzzle info examples/picross-a.json",
    "start: replay": "-m qubopuzzle replay FOLDER/run.trace.npz",
    "start: report": "-m qubopuzzle report FOLDER/run.journal.jsonl",
}
"""What a new interpreter does."""
MADE = (
    "-m qubopuzzle solve examples/picross-a.json --presolve none --trace FOLDER/run.trace.npz",
    "-m qubopuzzle compare examples/picross-a.json --solvers sat --json FOLDER/run.journal.jsonl",
)
"""Commands of the working tree that write what both read."""


class Trouble(SystemExit):
    """Why nothing can be measured, in one line."""


# --- two trees -------------------------------------------------------------------------


class Tree:
    """A checkout; within a ``with`` a process runs its cases.

    Args:
        place: a folder for what both read, in ``inputs``, and for caches.
    """

    def __init__(self, name: str, folder: Path, place: Path) -> None:
        self.name, self.folder, self.inputs = name, folder, place / "inputs"
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        own = {"PYTHONPATH": str(folder / "src"), "NUMBA_CACHE_DIR": str(place / f"cache-{name}")}
        self.environment = {**kept, **own, "PYTHONHASHSEED": "0"}

    def __enter__(self) -> Tree:
        self.log = (self.inputs.parent / f"{self.name}.log").open("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-P", HERE / "cases.py", self.inputs],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            start_new_session=True,  # Ctrl-C is for us alone
        )
        package = self._hear()["package"]
        if not Path(package).is_relative_to(self.folder):
            raise Trouble(f"{self.name}: {package} was imported in place of {self.folder}/src")
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
        self.log.close()

    def ask(self, **what: Any) -> Any:
        """What the process of its cases answers."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # why is in its log
            print(json.dumps(what), file=self.process.stdin, flush=True)
        return self._hear()

    def _hear(self) -> Any:
        assert self.process.stdout is not None
        if line := self.process.stdout.readline():
            return json.loads(line)
        self.log.seek(0)
        last = self.log.read().strip().rpartition("\n")[2]
        raise Trouble(f"{self.name}: the process of its cases ended: {last or 'without a word'}")

    def run(self, case: str, times: int = 1) -> Row:
        """Seconds a run and the answer of a case, or what kept it from running."""
        if case in STARTS:
            return self.start(STARTS[case])
        answer: Row = self.ask(case=case, times=times)
        return answer

    def start(self, words: str) -> Row:
        """The same of an interpreter; its answer is its status."""
        process = subprocess.Popen(
            [sys.executable, *shlex.split(words.replace("FOLDER", str(self.inputs)))],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return {"s": used.ru_utime + used.ru_stime, "answer": f"status {process.returncode}"}


Trees = Mapping[str, Tree]


@contextmanager
def checkout(revision: str, place: Path) -> Iterator[Path]:
    """A worktree of a revision, which is removed whatever happens."""
    folder = place / BEFORE
    try:
        commit = commit_of(revision)
        with defer_interrupt():  # or a git of git's own would go on to write amid the removal
            git("worktree", "add", "--detach", "--quiet", str(folder), commit)
        yield folder
    finally:
        with suppress(Trouble):  # it is locked if it was interrupted while git made it
            git("worktree", "unlock", str(folder))
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(Trouble):
            git("worktree", "prune")


def commit_of(revision: str) -> str:
    """Its hash."""
    if not (ROOT / ".git").exists():
        raise Trouble("this is no checkout of git, so there is no revision to compare with")
    try:
        return git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    except Trouble:
        words = f"git knows no revision {revision!r}; `git log --oneline` lists them"
        raise Trouble(words) from None


def git(*words: str) -> str:
    """What it prints."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Trouble(f"git {words[0]}: {done.stderr.strip().rpartition(chr(10))[2]}")
    return done.stdout.strip()


# --- measuring -------------------------------------------------------------------------


def compared(revision: str, only: Sequence[str], repeats: int, sample_s: float) -> list[Row]:
    """Check a revision out, and measure the cases of the working tree in both."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="against-")))
        (place / "inputs").mkdir()
        folders = {BEFORE: stack.enter_context(checkout(revision, place)), NOW: ROOT}
        if changed := git("status", "--porcelain").splitlines():
            print(f"now: with {len(changed)} changes that are not committed", file=sys.stderr)
        with Tree(NOW, ROOT, place) as maker:  # of its own: what it did would slow the cases
            maker.ask(make=only)
            every = [*STARTS, *maker.ask(list=True)]
        names = [name for name in every if not only or any(text in name for text in only)]
        if not names:
            raise Trouble(f"no case has {' or '.join(only)} in its name, as {every[-1]!r} has")
        for words in MADE if any("FOLDER" in STARTS.get(name, "") for name in names) else ():
            maker.start(words)
        trees = {name: stack.enter_context(Tree(name, folders[name], place)) for name in TREES}
        return [case_of(trees, name, repeats, sample_s) for name in names]


def case_of(trees: Trees, name: str, repeats: int, sample_s: float) -> Row:
    """A row; what seems slower is measured again."""
    row = turns(trees, name, repeats, sample_s)
    if judged(row)["slower"]:
        row = turns(trees, name, 2 * repeats, sample_s)
    found = judged(row)
    ratio = f"{found['ratio']:.2f}, " if "ratio" in found else ""
    slower = ", slower" if found["slower"] else ""
    print(f"{name}: {ratio}{found['answers']}{slower}", file=sys.stderr, flush=True)
    return row


def turns(trees: Trees, name: str, repeats: int, sample_s: float) -> Row:
    """All seconds and answers of a case by tree, or why one of them has none."""
    firsts = {tree: trees[tree].run(name) for tree in TREES}
    row: dict[str, Any] = {"case": name, "firsts": firsts}
    if not all("s" in first for first in firsts.values()):
        return row
    times = max(1, ceil(sample_s / max(firsts[NOW]["s"], 1e-6)))
    found: dict[str, list[Row]] = {tree: [] for tree in TREES}
    for turn in range(repeats):
        for tree in TREES[:: -1 if turn % 2 else 1]:
            found[tree].append(trees[tree].run(name, times))
    for tree, own in found.items():
        row[tree] = [max(round(each.get("s", 0.0), 8), 1e-8) for each in own]
        row[f"answers {tree}"] = sorted({each.get("answer") or str(each) for each in own})
    return row


def judged(row: Row) -> dict[str, Any]:
    """Whether it is slower and what is wrong; medians, the ratio and its noise where it ran."""
    if BEFORE not in row:
        return {"slower": False, **_not_run(**row["firsts"])}
    ratios = sorted(now / before for before, now in zip(row[BEFORE], row[NOW], strict=True))
    low, high = interval(ratios)
    found = {tree: median(row[tree]) for tree in TREES}
    found |= {"ratio": median(ratios), "noise": (high - low) / 2}
    slower = found["ratio"] > SLOWER and low > 1
    wrong = [f"{found['ratio']:.2f} times as long"] if slower else []
    answers = [row[f"answers {tree}"] for tree in TREES]
    said = "same" if answers[0] == answers[1] else "DIFFER"
    if max(map(len, answers)) > 1:
        said = "vary"
    wrong += ["another answer"] if said == "DIFFER" else []
    return {**found, "slower": slower, "answers": said, "wrong": wrong}


def _not_run(before: Row, now: Row) -> dict[str, Any]:
    if "missing" in now or ("error" in now and "s" not in before):
        return {"answers": "left out", "wrong": []}
    if "error" in now:
        return {"answers": "FAILS", "wrong": [now["error"]]}
    return {"answers": "not before", "wrong": []}


def interval(ordered: Sequence[float]) -> tuple[float, float]:
    """Of their median, by order statistics: 95 percent, or the most that so few numbers give."""
    n = len(ordered)
    outside = [sum(comb(n, i) for i in range(k + 1)) / 2 ** (n - 1) for k in range(n // 2)]
    k = max((k for k, share in enumerate(outside) if share <= 0.05), default=0)
    return ordered[k], ordered[n - 1 - k]


# --- telling ---------------------------------------------------------------------------


def show(rows: Rows) -> str:
    """A line a case that ran in both; then what is wrong, and what was not measured."""
    lines: list[list[str]] = []
    notes: dict[str, list[str]] = {"slower, failing or answering otherwise": []}
    for row in rows:
        found = judged(row)
        for why in found["wrong"]:
            notes["slower, failing or answering otherwise"].append(f"{row['case']} ({why})")
        if "ratio" in found:
            ratio = f"{found['ratio']:.2f} ± {found['noise']:.2f}" + " slower" * found["slower"]
            seconds = [f"{1e3 * found[tree]:.2f}" for tree in TREES]
            lines.append([row["case"], *seconds, ratio, found["answers"]])
        elif not found["wrong"]:
            notes.setdefault(found["answers"], []).append(row["case"])
    text = markdown(["case", "ms before", "ms now", "ratio", "answers"], lines)
    told = [f"{what.capitalize()}: {', '.join(names) or 'none'}." for what, names in notes.items()]
    return f"{text}\n\n{' '.join(told)}"


BENCHMARKS = (Benchmark("against", lambda _: (), {"against": show}),)


def main(argv: Sequence[str] | None = None) -> int:
    """Status 0, 1 or 2, see above."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("revision", metavar="REV", help="what the working tree is compared with")
    words = "only cases that have one of these texts in their names"
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help=words)
    words = f"turns of each case (default: {REPEATS})"
    parser.add_argument("--repeats", type=int, default=REPEATS, metavar="N", help=words)
    words = "three short turns: large differences are seen"
    parser.add_argument("--quick", action="store_true", help=words)
    words = "replace the published table"
    parser.add_argument("--publish", action="store_true", help=words)
    args = parser.parse_args(argv)
    repeats, sample_s = (3, SAMPLE_S / 4) if args.quick else (args.repeats, SAMPLE_S)
    try:
        if args.repeats < 1:
            raise Trouble("--repeats: at least 1")
        if args.publish and (args.only or repeats != REPEATS):
            raise Trouble("--publish takes a full run; leave out --only, --quick and --repeats")
        rows = compared(args.revision, args.only, repeats, sample_s)
    except (Trouble, KeyboardInterrupt) as error:
        words = str(error) or "interrupted, nothing is written"
        print(f"against.py: error: {words}", file=sys.stderr)
        return 2 if isinstance(error, Trouble) else 130
    command = shlex.join(["python", "benchmarks/against.py", args.revision])
    meta = {"command": command, "settings": {"repeats": repeats}} | machine()
    if args.publish:
        publish(BENCHMARKS[0], meta, rows)
    print(*rendered(BENCHMARKS[0], meta, rows).values(), sep="\n")
    return int(any(judged(row)["wrong"] for row in rows))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(main())
