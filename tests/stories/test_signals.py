"""A signal at any moment is one line or a result; tests/chaos/signals.py tries random moments."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qubopuzzle import load
from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.compile.incremental import IncrementalSat, SwitchableModel
from qubopuzzle.puzzles import get_puzzle

sys.path.append(str(Path(__file__).parents[1] / "chaos"))
from signals import left_over, new_marker, start

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent differently on Windows")

SOURCE = Path(__file__).parents[2] / "src"
EXAMPLE = str(Path(__file__).parents[2] / "examples/picross-a.json")
INTERRUPTED = "qubopuzzle: interrupted\n"


def script(text, *arguments):
    """Run a script that begins with ``text`` and goes on as the program."""
    head = f"import os, signal, sys, time\nsys.path.insert(0, {str(SOURCE)!r})\n"
    head += "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # ignored where tests run by nohup
    tail = "\nfrom qubopuzzle.__main__ import program\nprogram()\n"
    done = subprocess.run(
        [sys.executable, "-c", head + text + tail, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def interrupting(name):
    """Code that has the import of a module interrupted where it begins."""
    return f"""
class Finder:
    def find_spec(self, name, *_):
        if name == {name!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("name", ["qubopuzzle.base.signals", "qubopuzzle.cli", "argparse"])
def test_amid_the_first_imports(name):
    assert script(interrupting(name), "formats") == (1, "", INTERRUPTED)


def test_an_import_is_not_broken_off():
    text = """
from qubopuzzle.base.signals import raise_interrupted
raise_interrupted()
try:
    import numpy
    time.sleep(60)
except KeyboardInterrupt:
    print(numpy.linalg.norm([3.0, 4.0]), flush=True)
os._exit(7)
"""
    assert script(interrupting("numpy.linalg") + text) == (7, "5.0\n", "")


FINALIZED = """
import qubopuzzle.cli.formats
class Thing:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
def finalizing(args):
    Thing()
    time.sleep(60)
qubopuzzle.cli.formats.run = finalizing
"""
TURNED = """
import qubopuzzle.cli.formats
def turning(args):
    try:
        signal.raise_signal(signal.SIGHUP)
    except KeyboardInterrupt:
        raise TypeError("Cannot compare structured arrays") from None
qubopuzzle.cli.formats.run = turning
"""


@pytest.mark.parametrize("text", [FINALIZED, TURNED])
def test_what_libraries_make_of_it(text):
    """They cannot raise it, or raise another error."""
    assert script(text, "formats") == (1, "", INTERRUPTED)


SWALLOWED = """
from contextlib import suppress
import {module} as module
own = module.{name}
def swallowing(*arguments, **keywords):
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    return own(*arguments, **keywords)
module.{name} = swallowing
"""


def test_one_that_a_library_swallowed_is_noticed_after_the_puzzle():
    text = SWALLOWED.format(module="qubopuzzle.solving.solve", name="solve")
    status, out, err = script(text, "solve", EXAMPLE, EXAMPLE, "--solver", "sat")
    assert (status, out.count("valid"), err) == (1, 1, "qubopuzzle: 1 not started\n")
    text = SWALLOWED.format(module="qubopuzzle.files.puzzles", name="write_text")
    status, out, err = script(text, "generate", "sudoku", "--size", "4x4", "--count", "3")
    assert (status, out.count("\n")) == (1, 1)
    assert err.endswith("qubopuzzle: interrupted; 1 of 3 made\n")


def test_one_while_the_last_answer_is_shown():
    text = "import qubopuzzle.cli.solve as module\n"
    text += "module._show = lambda *_: signal.raise_signal(signal.SIGINT)\n"
    assert script(text, "solve", EXAMPLE, "--solver", "sat") == (1, "", INTERRUPTED)
    status, out, err = script(text, "solve", EXAMPLE, EXAMPLE, EXAMPLE, "--solver", "sat")
    assert (status, out, err) == (1, "", "qubopuzzle: 1 not started\n" + INTERRUPTED)


@pytest.mark.parametrize("command", [["show", EXAMPLE], ["show", "--help"]])
def test_after_the_end_it_comes_too_late(command):
    text = "import atexit\natexit.register(signal.raise_signal, signal.SIGINT)\n"
    status, out, err = script(text, *command)
    assert (status, err) == (0, "")
    assert out.count("\n") > 4


def test_blocks_that_must_end_defer_all_signals():
    steps = []

    def handler(number, _frame):
        raise KeyboardInterrupt(number)

    def work():
        with defer_interrupt():
            signal.raise_signal(signal.SIGTERM)
            steps.append("done")

    before = signal.signal(signal.SIGTERM, handler)
    try:
        with pytest.raises(KeyboardInterrupt, match=str(int(signal.SIGTERM))):
            work()
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)
    assert steps == ["done"]


def test_pysat_handles_no_signals(monkeypatch):
    """In the main thread it leaves the solver by a jump, with an error of its own."""
    from pysat import solvers

    main_thread = []
    check = solvers.MainThread.check

    def watched():
        main_thread.append(check())
        return main_thread[-1]

    monkeypatch.setattr(solvers.MainThread, "check", watched)
    puzzle = get_puzzle("sudoku").examples()[0]
    model = puzzle.model(puzzle.formulation_for(cuts=True))
    with IncrementalSat(SwitchableModel(model)) as others:
        assert others.solve(()) is not None
    assert main_thread
    assert not any(main_thread)


def test_a_library_changes_no_handler_and_raises_what_the_callers_raises():
    """A plain Ctrl-C in a script ends the search with what it has, and comes to nobody else."""
    text = """
import json, qubopuzzle
def interrupt(_):
    signal.raise_signal(signal.SIGINT)
result = qubopuzzle.solve(sys.argv[1], "random", reads=10**6, progress=interrupt)
kept = signal.getsignal(signal.SIGINT) is signal.default_int_handler
kept = kept and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
print(result.interrupted, kept, flush=True)
os._exit(7)
"""
    assert script(text, EXAMPLE) == (7, "True True\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_generation_keeps_what_is_finished_and_leaves_no_process(tmp_path, number):
    marker = new_marker()
    line = "generate sudoku --size 4x4 --seed 1 --count 100000 --jobs 2 -o made.jsonl"
    with start(line.split(), tmp_path, marker) as process:
        told = [process.stderr.readline() for _ in range(3)]
        assert len(left_over(marker)) == 3
        process.send_signal(number)
        told += process.communicate(timeout=60)[1].splitlines()
    assert process.returncode == (1 if number != signal.SIGKILL else -number)
    ends = time.monotonic() + 30
    while left_over(marker):
        assert time.monotonic() < ends
        time.sleep(0.02)
    finished = sum(line.startswith("sudoku-4x4-1-") for line in told)
    made = load(tmp_path / "made.jsonl")
    assert [puzzle.id for puzzle in made] == [f"sudoku-4x4-1-{i}" for i in range(len(made))]
    assert len(made) >= finished >= 3
    assert [path.name for path in tmp_path.iterdir()] == ["made.jsonl"]
