"""Processes that tests call again and again: a start takes longer than most calls."""

from concurrent.futures import wait
from contextlib import suppress
from pathlib import Path

from qubopuzzle.base.processes import Worker
from qubopuzzle.errors import SolverFailed


class Kept(Worker):
    """A process that goes on when its block is left."""

    def submit(self, *arguments, **how):
        self.answer = super().submit(*arguments, **how)
        return self.answer

    def __exit__(self, *_):
        """Its call may still be under way; what it asks is closed after this, which ends it."""

    @property
    def folder(self):
        """Where it may leave temporary files."""
        return Path(self._folder.name)

    def is_busy(self):
        """Whether its call is still under way."""
        return not self.answer.done()

    def is_ready(self):
        """Whether it can be called again; one that cannot is ended."""
        if wait([self.answer], 5).done:
            with suppress(SolverFailed):
                return self.call(abs, -1, deadline=5) == 1
        self.close()
        return False


class Pool(list):
    """Processes of one environment: a test does not wait for the end of another's call."""

    def __init__(self, environment):
        super().__init__()
        self.environment = environment

    def ready(self):
        """One that can be called, of at most six."""
        for process in sorted(self, key=Kept.is_busy):
            if process.is_busy() and len(self) < 6:
                break
            if process.is_ready():
                return process
            self.remove(process)
        self.append(Kept(environment=self.environment))
        return self[-1]
