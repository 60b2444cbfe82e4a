import gc
import os
import signal
import sys
from functools import cache

import pytest
from hypothesis import HealthCheck, settings

# Programs of their own, and what they import.
collect_ignore_glob = ["chaos/*", "fuzz/*"]

# Kernels are compiled by whatever test comes first on a machine, here or in processes of its own.
os.environ["PYTHONWARNINGS"] = "ignore:compiling the"

# Hundreds of processes import the package: its bytecode is kept, where the kernels are, too.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Derandomised: a red run is red for everybody, and no time is asserted.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("ci")

# A shell's background job ignores Ctrl-C, and so would every process that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One more than there are cores: what tests time limits, pages and signals waits a lot."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Each worker has a stretch of the tests, so that what a module builds is built once."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.option.dist == "load" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Ten thousand tests, and all that is imported: no garbage, and looked through in vain."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def service():
    """The url of a stand-in for Amplify AE."""
    from ae_stand_in import stand_in

    with stand_in() as url:
        yield url


@pytest.fixture(scope="session")
def processes():
    """Processes of services' clients, for each set of variables that are hidden from them."""
    made = {}
    yield made
    for pool in made.values():
        for process in pool:
            process.close()


@pytest.fixture
def kept(processes, monkeypatch):
    """Calls in processes that are there already: a start takes longer than most of them.

    They are the value.
    """
    from kept import Pool
    from qubopuzzle.solvers.services.call import call_client

    def process(environment):
        return processes.setdefault(frozenset(environment), Pool(environment)).ready()

    monkeypatch.setitem(call_client.__globals__, "Worker", process)
    return processes


@pytest.fixture(scope="session")
def certificates():
    """As a service's way has them, read once."""
    from qubopuzzle.solvers.services.service import certificates

    return cache(certificates)


@pytest.fixture
def quick(certificates, monkeypatch):
    """Services are asked again sooner, and certificates are those of the call before."""
    monkeypatch.setattr("qubopuzzle.solvers.services.service._PAUSE_S", 0.05)
    monkeypatch.setattr("qubopuzzle.solvers.services.service.certificates", certificates)


@pytest.fixture(scope="session")
def run_workers():
    """Processes of runs, by the environment that they were started in."""
    from qubopuzzle.base.processes import WarmWorkers

    made = {}
    yield made
    for workers in made.values():
        WarmWorkers.close(workers)


@pytest.fixture
def kept_runs(run_workers, monkeypatch):
    """The processes of a comparison's runs are kept for the next test's."""
    from qubopuzzle.base.processes import WarmWorkers

    inherited = {**os.environ, "PYTEST_CURRENT_TEST": ""}
    key = (*sys.path, *sorted(inherited.items()))

    class Kept(WarmWorkers):
        def close(self):
            pass

    def workers():
        return run_workers.setdefault(key, Kept())

    for module in ("bench.comparison", "base.executors"):
        monkeypatch.setattr(f"qubopuzzle.{module}.WarmWorkers", workers)
