"""Toy samplers and puzzles that misbehave on purpose, for the tests."""

import ctypes
import os
import signal
import sys
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import dimod
import numpy as np

from qubopuzzle import Puzzle, Violation
from qubopuzzle.model import Field, ModelBuilder
from qubopuzzle.picture import Picture


class Recording(dimod.ExactSolver):
    """A foreign sampler with an option of its own."""

    calls: ClassVar[list] = []

    def sample(self, bqm, num_reads=1, colour="red", **kwargs):
        self.calls.append((num_reads, colour))
        return super().sample(bqm).truncate(num_reads)


class Judging:
    """A judge made of two functions, as solvers ask it."""

    def __init__(self, accepts, key=lambda sample: sample.tobytes()):
        self.accepts, self.key = accepts, key


class Broken:
    def sample(self, bqm, **kwargs):
        raise ValueError("first line\nsecond line")


class NoToken:
    def __init__(self):
        raise OSError("no token")

    def sample(self, bqm):
        raise AssertionError


class Spins:
    """The right answer as spins, variables in another order, the best row last."""

    def sample(self, bqm, num_reads=1):
        best = dimod.ExactSolver().sample(bqm).truncate(5)
        order = list(bqm.variables)[::-1]
        rows = np.array([[2 * s[v] - 1 for v in order] for s in best.samples(sorted_by=None)])
        return dimod.SampleSet.from_samples((rows[::-1], order), "SPIN", energy=0)


class Lazy:
    """A sample set that fails only when it is looked at, as a cloud's may."""

    def sample(self, bqm):
        future = Future()
        future.set_exception(RuntimeError("the cloud went away"))
        return dimod.SampleSet.from_future(future)


def sign():
    """Add a line to a file that says who runs, if the environment names one."""
    if "TOYS_PID_FILE" in os.environ:
        with Path(os.environ["TOYS_PID_FILE"]).open("a") as file:
            file.write(f"{os.getpid()}\n")


class Slow(Recording):
    """Half a second a call."""

    def sample(self, bqm, **kwargs):
        sign()
        time.sleep(0.5)
        return super().sample(bqm, **kwargs)


class Hanging:
    """Does not come back, whatever the time limit."""

    def sample(self, bqm):
        sign()
        while True:
            time.sleep(1)


class Vanishing:
    """Takes the whole process with it, quietly."""

    def sample(self, bqm):
        print("chatter on standard output")
        os._exit(0)


class Dying:
    """Ended by the system."""

    def sample(self, bqm):
        os.kill(os.getpid(), signal.SIGKILL)


class Hungry:
    """Takes all the memory that it can get."""

    def sample(self, bqm):
        eaten = []
        while True:
            eaten.append(np.zeros(2**25))


def returning(what):
    """A sampler class whose sample returns something unfit."""

    class Odd:
        def sample(self, bqm):
            n = bqm.num_variables
            rows = {
                "nothing": np.zeros((0, n)),
                "halves": np.full((1, n), 0.5),
                "extra": np.zeros((1, n + 1)),
                "missing": np.zeros((1, n - 1)),
            }
            if what == "none":
                return None
            return dimod.SampleSet.from_samples(rows[what], "BINARY", energy=0)

    return Odd


NoneAtAll, Nothing, Halves, Extra, Missing = map(
    returning, ("none", "nothing", "halves", "extra", "missing")
)


ready = Recording()
"""A sampler itself, as people write for composites."""


def factory():
    """No sampler, and not to be called by name."""
    raise AssertionError("called")


@dataclass(frozen=True)
class Coin(Puzzle):
    """Two cells, exactly one of them 1; ``kind`` says what its model does wrong."""

    name: ClassVar[str] = "coin"
    default_formulation: ClassVar[str] = "plain"
    kind: str = "exact"

    @property
    def shape(self):
        return 1, 2

    @classmethod
    def from_dict(cls, data):
        return cls(kind=data["kind"])

    def parse_answer(self, data):
        return np.array(data)

    def format_answer(self, answer):
        return answer.tolist()

    def violations(self, answer):
        right = answer.sum() == 1 and self.kind not in ("impossible", "restricted")
        return [] if right else [Violation("one", "not exactly one", ((0, 0), (0, 1)))]

    def picture(self, answer=None, broken=()):
        return Picture(1, 2, black=answer, broken=frozenset(broken))

    @classmethod
    def examples(cls):
        return [cls()]


def coin_model(puzzle):
    b = ModelBuilder()
    bits = [b.bit(f"cell[{i}]").literals[1] for i in range(2)]
    if puzzle.kind == "exact":
        b.exactly_one("one", [bits])
    if puzzle.kind in ("restricted", "impossible"):  # no assignment at all
        b.linear("one", [0, 0], bits, lower=3, upper=3, shape=(1,))
    view = b.view("cells", [0, 1], bits, n_cells=2)
    field = Field((1, 2), 0, 1, (view,), lambda answer: answer.ravel().tolist())
    relaxed = {"omitted": {"omitted": ("one",)}, "restricted": {"restricted": ("one",)}}
    return b.build(field, **relaxed.get(puzzle.kind, {}))


def torn_model(puzzle):
    """Two views of the same cells that nothing but the judge compares."""
    b = ModelBuilder()
    bits = [[b.bit(f"{side}[{i}]").literals[1] for i in range(2)] for side in "ab"]
    b.exactly_one("one", bits[:1])
    views = tuple(b.view(n, [0, 1], own, n_cells=2) for n, own in zip("ab", bits, strict=True))
    return b.build(
        Field((1, 2), 0, 1, views, lambda answer: answer.ravel().tolist() * 2),
        omitted=("same",) if puzzle.kind == "omitted" else (),
    )


Coin.formulations = {"plain": coin_model, "torn": torn_model}


def late_rows(*_):
    """Of a solver of rows that takes far too long."""
    time.sleep(300)


def rows_out_of_luck(*_):
    print("out of luck")
    sys.exit(3)


def rows_of_an_error(*_):
    raise ValueError("no such row\nmore")


def fails(error, cause=None):
    raise error from cause


class Unseen:
    """Of a class that only its own process has."""


def unseen():
    made = type("Unseen", (), {"__module__": "toys", "__qualname__": "Unseen.Unseen"})
    Unseen.Unseen = made
    return made()


def with_a_child(file, status=None):
    """Has a child that goes on for long, and goes on as long itself or ends at once.

    Both hold the interpreter's lock: nothing else of Python runs in them.
    """
    child = os.fork()
    if child:
        Path(file).write_text(f"{os.getpid()} {child}")
        if status is not None:
            os._exit(status)
    ctypes.PyDLL(None).sleep(600)
