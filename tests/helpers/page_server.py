"""A server of the page in a process of its own, and what its processes do."""

import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from command import PROGRAM


@contextmanager
def served(*arguments):
    """A server in a process of its own: its address, and the process."""
    words = [*PROGRAM, "serve", "--port", "0", "--time-limit", "20", *arguments]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ran:
        try:
            yield ran.stdout.readline().strip(), ran
        finally:
            ran.send_signal(signal.SIGINT)
            try:
                assert ran.wait(20) == 0
                assert ran.stderr.read() == ""
            finally:
                ran.kill()


def children(pid):
    """The processes that one has started, and they in turn; none of a process that has ended."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # a thread ends at any time, between its listing and its reading
            for child in map(int, task.read_text().split()):
                found += [child, *children(child)]
    return found


def one_ends(pids):
    """Whether one of these processes ends within ten seconds; the others are kept ready."""
    for _ in range(100):
        if not all(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False


def cpu_of(pids):
    """Ticks of the processor that each has used."""
    found = {}
    for pid in pids:
        try:
            parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[pid] = int(parts[11]) + int(parts[12])
    return found
