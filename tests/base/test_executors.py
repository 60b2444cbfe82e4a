"""Where runs are made: threads, processes, loky, Dask; and what is lost on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from importlib.util import find_spec
from itertools import count as count_from
from multiprocessing import get_context
from pathlib import Path
from select import select
from tempfile import mkdtemp

import pytest

import command
import qubopuzzle
from qubopuzzle import InputError, Nonogram, solve_each
from qubopuzzle.base.executors import calls, open_executor, results
from qubopuzzle.base.processes import Crashed, WarmWorkers
from qubopuzzle.bench.comparison import run
from qubopuzzle.bench.plan import make_plan
from qubopuzzle.errors import ExecutorFailed
from qubopuzzle.files.puzzles import get_format

if find_spec("distributed") is None:
    pytest.skip("pip install 'qubopuzzle[cluster]'", allow_module_level=True)

native = get_format("json")

DOT = Nonogram(rows=[[1], []], cols=[[1], []], id="dot")
BAR = Nonogram(rows=[[2], []], cols=[[1], [1]], id="bar")
RUNS = {
    "configurations": [
        {"solver": "annealer", "reads": 2},
        {"solver": "random", "reads": 5},
        {"solver": "sat"},
    ],
    "repeat": 4,
    "time_limit": 20,
}
NONE = Nonogram(rows=[[], [], [2]], cols=[[1], [], [1]], id="none")
SLOW = {"solvers": ["neal"], "repeat": 12, "time_limit": 0.3}
"""Without a solution, the annealer takes all its time."""
TIMES = {"seconds", "build_s", "solve_s", "wall_s", "timings_s", "started", "machine", "peak_mib"}


def plain(comparison):
    """Its rows but for times and places."""
    return [{k: v for k, v in untimed(row).items() if k not in TIMES} for row in comparison.rows]


def untimed(row):
    """With incumbents but without their seconds."""
    return row | {"incumbents": [each | {"seconds": None} for each in row.get("incumbents", [])]}


@pytest.fixture(scope="module")
def expected():
    return plain(qubopuzzle.compare([DOT, BAR], **RUNS))


@pytest.fixture(scope="module")
def spawned():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


def loky_executor():
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(1)


@pytest.mark.parametrize(
    "make",
    [
        partial(ThreadPoolExecutor, 2),
        None,
        loky_executor,
        partial(open_executor, "dask:local", 1),
    ],
    ids=["threads", "processes", "loky", "dask"],
)
def test_rows_are_the_same_wherever_they_are_made(expected, spawned, make):
    with nullcontext(spawned) if make is None else make() as executor:
        assert plain(qubopuzzle.compare([DOT, BAR], executor=executor, **RUNS)) == expected


@contextmanager
def started(*words):
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_" + words[0], *map(str, words[1:])],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        end(process)


def end(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="kills processes")
def test_a_worker_is_lost_and_then_the_scheduler(expected, tmp_path):
    address = tmp_path / "scheduler.json"
    journal, count = tmp_path / "runs.jsonl", len(expected)
    own = ("--scheduler-file", address, "--no-dashboard")
    serving = started("scheduler", "--host", "127.0.0.1", "--port", 0, *own)
    with serving as scheduler:
        while not address.exists() or not address.read_text():
            time.sleep(0.05)
        where = json.loads(address.read_text())["address"]
        own = ("--nthreads", 1, "--no-nanny", "--no-dashboard")
        working = [started("worker", where, *own) for _ in range(2)]
        with working[0] as first, working[1], open_executor(f"dask:{where}") as executor:

            def at_row(number, process):
                done = count_from(0)
                return lambda *_: next(done) == number and end(process)

            whole = qubopuzzle.compare(
                [DOT, BAR], executor=executor, progress=at_row(count // 3, first), **RUNS
            )
            assert plain(whole) == expected
            assert (whole.stopped, whole.lost) == ("", [])
            broken = qubopuzzle.compare(
                NONE, executor=executor, journal=journal, progress=at_row(2, scheduler), **SLOW
            )
    assert broken.stopped == "the executor's scheduler is gone"
    assert 3 <= len(broken.rows) < SLOW["repeat"]
    before = journal.read_bytes()
    again = qubopuzzle.compare(NONE, journal=journal, resume=True, **SLOW)
    assert again.resumed == len(broken.rows)
    assert again.complete
    assert journal.read_bytes().startswith(before)
    keys = [json.loads(line)["key"] for line in journal.read_text().splitlines() if '"key"' in line]
    assert len(keys) == len(set(keys)) == SLOW["repeat"]


class Losing(Executor):
    """Loses calls, by their numbers, and at last takes no more."""

    def __init__(self, lost, most=10**6):
        self.lost, self.most, self.made = lost, most, 0

    def submit(self, function, item):
        if self.made >= self.most:
            raise BrokenProcessPool("a child is gone")
        future = Future()
        if self.made in self.lost:
            future.set_exception(BrokenProcessPool("a child is gone"))
        else:
            future.set_result(function(item))
        self.made += 1
        return future


def test_what_is_lost_is_made_once_more():
    found = list(calls(Losing({0, 2, 4}), abs, [-1, -2, -3]))
    assert sorted((done.number, done.value) for done in found if not done.lost) == [(0, 1), (1, 2)]
    (lost,) = [done for done in found if done.lost]
    assert (lost.item, lost.value) == (-3, None)
    assert lost.lost == "BrokenProcessPool: a child is gone"


def test_an_executor_that_takes_no_more_ends_it():
    with pytest.raises(ExecutorFailed, match=r"takes no more runs \(BrokenProcessPool: a child"):
        list(calls(Losing((), 2), abs, [-1, -2, -3]))


def test_answers_in_order_and_errors_of_ours():
    with ThreadPoolExecutor(4) as threads:
        found = results(lambda s: time.sleep(s) or s, [0.2, 0, 0.1, 0], "call", executor=threads)
        assert list(found) == [0.2, 0, 0.1, 0]

        def refuse(item):
            raise InputError(f"{item} is no good")

        with pytest.raises(InputError, match=r"[12] is no good"):
            list(calls(threads, refuse, [1, 2]))


def test_no_more_is_begun_than_the_executor_is_to_hold():
    begun = []
    found = calls(Losing(()), begun.append, range(100), ahead=3)
    next(found)
    found.close()
    assert begun == [0, 1, 2]


def test_a_lost_run_is_named_and_its_comparison_not_complete():
    plan = make_plan(DOT, ["sat"], repeat_exact=2, time_limit=5)
    done = run(plan, executor=Losing({0, 2}))  # the first, and the first once more
    assert done.lost == ["dot, sat, seed 0: BrokenProcessPool: a child is gone"]
    assert [row["seed"] for row in done.rows] == [1]
    assert not done.complete


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("slurm", "unknown executor 'slurm'"),
        ("dask:", "unknown executor"),
        ("dask:tcp://127.0.0.1:1", "no scheduler answers"),
        ("dask:nonsense://x", "no scheduler answers"),
    ],
)
def test_executors_that_there_are_not(monkeypatch, name, message):
    monkeypatch.setattr("qubopuzzle.base.executors._CONNECT_S", 0.5)
    with pytest.raises(InputError, match=message), open_executor(name):
        pass


# Workers that are kept


def test_a_worker_is_kept_until_a_call_fails():
    workers = WarmWorkers()
    pids = []
    for _ in range(2):
        with workers.borrow() as worker:
            pids.append(worker.call(os.getpid))
    assert pids[0] == pids[1]
    with workers.borrow(fresh=True) as other:
        assert other.call(os.getpid) != pids[0]
    with workers.borrow() as worker:
        ended = worker.call(os.getpid)
        with pytest.raises(Crashed):
            worker.call(os._exit, 1)
    with workers.borrow() as worker:
        assert worker.call(os.getpid) != ended
    workers.close()
    with pytest.raises(Crashed), workers.borrow():
        pass


def test_an_idle_worker_is_ended():
    workers = WarmWorkers(idle_s=0.1)
    with workers.borrow() as worker:
        worker.call(os.getpid)
    assert worker.ready
    end = time.monotonic() + 20
    while worker.ready and time.monotonic() < end:
        time.sleep(0.05)
    assert not worker.ready
    workers.close()


def test_what_a_call_leaves_in_its_temporary_folder_goes():
    workers = WarmWorkers()
    with workers.borrow() as worker:
        left = Path(worker.call(mkdtemp))
        assert left.is_dir()
    folder = left.parent
    assert list(folder.iterdir()) == []
    workers.close()
    assert not folder.exists()


def test_leaving_ends_what_is_running():
    began = time.monotonic()
    found = results(partial(select, [], [], []), [0] + [60] * 4, "call", jobs=2)
    assert next(found) == ([], [], [])
    found.close()  # while two run, and two wait
    assert time.monotonic() - began < 20


def test_a_run_that_breaks_a_used_process_gets_a_fresh_one(monkeypatch):
    """Memory that others have taken is no fault of it."""
    from qubopuzzle.bench import runner

    made, real = [], runner._answer

    def answer(worker, *arguments):
        made.append(worker.used)
        found = real(worker, *arguments)
        return found | {"status": "crashed"} if worker.used and made == [False, True] else found

    monkeypatch.setattr(runner, "_answer", answer)
    with closing(WarmWorkers()) as workers:
        jobs = list(make_plan(DOT, ["sat"], repeat_exact=2, time_limit=5).jobs())
        rows = [runner.execute(job, workers) for job in jobs]
    assert made == [False, True, False]
    assert [row["status"] for row in rows] == ["valid", "valid"]


# Solving and generating


@pytest.mark.parametrize("solver", ["annealer", "sat", "cpsat", "clingo"])
def test_results_are_those_of_one_process(spawned, solver):
    settings = {"solver": solver, "seed": 1, "reads": 1}
    alone = [each.to_dict() for each in solve_each([DOT, NONE, BAR], **settings)]
    found = list(solve_each([DOT, NONE, BAR], executor=spawned, samples=True, **settings))
    for one, other in zip(alone, found, strict=True):
        times = {"timings_s": None}
        assert untimed(one) | times == untimed(other.to_dict()) | times
    assert found[0].samples.first.is_valid


@pytest.mark.usefixtures("kept_runs")
def test_what_cannot_be_solved_is_an_error_in_its_place():
    settings = {"solver": "exact", "formulation": "numbering", "presolve": "none"}
    large = Nonogram(rows=[[1] * 5] * 9, cols=[[9], []] * 4 + [[9]], id="large")
    found = list(solve_each([DOT, large, DOT], jobs=2, **settings))
    assert [getattr(each, "valid", type(each).__name__) for each in found] == [
        True,
        "TooLarge",
        True,
    ]


@pytest.mark.usefixtures("kept_runs")
def test_the_command_solves_several_at_once(tmp_path):
    path = tmp_path / "puzzles.jsonl"
    path.write_text(native.write([DOT, BAR]))
    words = ["solve", path, "--solver", "sat", "--seed", 1]
    alone, several = (command.run(*words, *more) for more in ([], ["--jobs", 2]))
    shown = [line.split()[0] for line in several[1].splitlines() if line[:3] in ("dot", "bar")]
    assert shown == ["dot", "bar"]
    assert alone[0] == several[0] == 0
    status, _, err = command.run(*words, "--jobs", 2, "--watch")
    assert status == 2
    assert "--watch" in err


def test_generated_puzzles_do_not_depend_on_where():
    asked = {"size": (4, 4), "seed": 3, "count": 3}
    alone = [puzzle.to_dict() for puzzle in qubopuzzle.generate("sudoku", **asked)]
    with ThreadPoolExecutor(2) as executor:
        found = qubopuzzle.generate("sudoku", executor=executor, **asked)
    assert [puzzle.to_dict() for puzzle in found] == alone
