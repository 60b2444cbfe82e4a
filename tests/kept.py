"""Processes that tests call again and again: a start takes longer than most calls."""

from concurrent.futures import wait
from contextlib import suppress

from qubopuzzle import SolverFailed
from qubopuzzle.processes import Worker


class Kept(Worker):
    """A process that goes on when its block is left, unless its call does."""

    def submit(self, *arguments, **how):
        self.answer = super().submit(*arguments, **how)
        return self.answer

    def __exit__(self, *_):
        # What it asked may have ended under it.
        if not wait([self.answer], 0.5).done:
            self.close()

    def is_ready(self):
        with suppress(SolverFailed):
            return self.call(abs, -1, deadline=5) == 1
        return False
