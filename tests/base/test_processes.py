"""Whatever a process of ours does, its caller gets an answer or a typed error, in time."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import toys
from qubopuzzle import InputError
from qubopuzzle.base.processes import Crashed, OutOfMemory, Overrun, Worker
from qubopuzzle.errors import PlanExceeded, TooLarge

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(holds):
    ends = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_a_process_answers_again_and_again():
    with Worker(environment={"TOYS": "yes"}) as worker:
        first = worker.call(os.getpid, deadline=60)
        assert first != os.getpid()
        assert worker.call(os.getpid) == first
        assert worker.call(os.getenv, "TOYS") == "yes"
        numbers = np.arange(10**6)
        assert (worker.call(np.negative, numbers) == -numbers).all()


def test_errors_of_ours_come_back_as_they_are_and_others_in_one_line():
    with Worker() as worker:
        with pytest.raises(InputError, match=r"^no such thing$"):
            worker.call(toys.fails, InputError("no such thing"))
        with pytest.raises(PlanExceeded) as caught:
            worker.call(toys.fails, PlanExceeded("too many", 7))
        assert caught.value.limit == 7
        with pytest.raises(Crashed, match=r"^ValueError: first$"):
            worker.call(toys.fails, ValueError("first\nsecond"))
        with pytest.raises(OutOfMemory):
            worker.call(toys.fails, TooLarge("too large"), MemoryError())
        assert worker.call(abs, -1) == 1


def test_what_is_printed_is_no_answer_but_a_last_line():
    with Worker() as worker:
        assert worker.call(print, "hello") is None
        with pytest.raises(Crashed, match=r"^ended with status 3 and no answer: out of luck$"):
            worker.call(toys.rows_out_of_luck)
        with pytest.raises(Crashed, match="status 3"):
            worker.call(abs, -1)


def test_an_answer_that_cannot_be_read_is_an_error():
    with Worker() as worker, pytest.raises(Crashed, match=r"cannot be read: .*'Unseen"):
        worker.call(toys.unseen, deadline=60)


@linux
def test_at_the_deadline_its_children_end_too(tmp_path):
    file = tmp_path / "pids"
    with Worker() as worker:
        with pytest.raises(InputError):  # from now on it has imported what it needs
            worker.call(toys.fails, InputError("imported"))
        with pytest.raises(Overrun, match=r"^still running after 2 s$"):
            worker.call(toys.with_a_child, str(file), deadline=2)
        for pid in map(int, file.read_text().split()):
            wait_until(lambda pid=pid: not alive(pid))
        with pytest.raises(Crashed, match="SIGKILL"):
            worker.call(abs, -1)


@linux
def test_a_deadline_holds_where_the_process_does_not_even_read():
    with Worker() as worker:
        pid = worker.call(os.getpid)
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(Overrun):
            worker.call(len, bytes(10**7), deadline=0.2)
    wait_until(lambda: not alive(pid))


@linux
def test_a_process_that_ends_is_seen_though_its_child_goes_on(tmp_path):
    started = time.monotonic()
    with Worker() as worker, pytest.raises(Crashed, match="ended with status 5"):
        worker.call(toys.with_a_child, str(tmp_path / "pids"), 5, deadline=60)
    assert time.monotonic() - started < 50


@linux
def test_memory_is_bounded():
    with Worker(memory=2**31) as worker, pytest.raises(OutOfMemory):
        worker.call(np.ones, 2**32, deadline=60)


@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_its_parent(tmp_path, number):
    file = tmp_path / "pids"
    script = tmp_path / "script.py"  # which needs no guard of its main part
    script.write_text(
        "import sys, toys\nfrom qubopuzzle.base.processes import Worker\n"
        "with Worker() as worker:\n    worker.call(toys.with_a_child, sys.argv[1])\n"
    )
    parent = subprocess.Popen(
        [sys.executable, script, file],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: file.exists() and file.read_text())
    parent.send_signal(number)
    parent.wait(60)
    for pid in map(int, file.read_text().split()):
        wait_until(lambda pid=pid: not alive(pid))
