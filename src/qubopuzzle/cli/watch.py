"""``solve --watch``: the state as it is now, in the terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isinf, isnan

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from qubopuzzle.base.recorder import RecordedState, Recorder
from qubopuzzle.cli.terminal import heading, text
from qubopuzzle.errors import InputError, printable
from qubopuzzle.picture import Picture
from qubopuzzle.problem import Problem
from qubopuzzle.solvers.base import Progress
from qubopuzzle.solving.trace import Trace

_INTERVAL_S = 0.1
_HEAVIEST = 4
_BARS = "▁▂▃▄▅▆▇█"
_ASCII_BARS = "_.:-=+*#"
_OTHER_LINES = 5
"""Lines of the screen besides the picture."""


def check_terminal() -> None:
    """Raise InputError where nobody can watch."""
    if not sys.stdout.isatty():
        raise InputError("--watch needs a terminal; --trace FILE keeps the course for later")


@contextmanager
def watching(problem: Problem, recorder: Recorder) -> Iterator[Callable[[Progress], None]]:
    """A callback for ``solve`` that shows the recorder's last state; it is gone at the end."""
    console = Console(highlight=False, markup=False)
    screen = _Screen(problem, recorder, console)
    # What it puts in place of standard output would say nothing of the terminal.
    with Live(
        screen.view(), console=console, redirect_stdout=False, auto_refresh=False, transient=True
    ) as live:
        shown = 0.0

        def update(progress: Progress) -> None:
            nonlocal shown
            now = time.perf_counter()
            if now - shown >= _INTERVAL_S:
                screen.note(progress)
                live.update(screen.view(), refresh=True)
                shown = time.perf_counter()

        yield update


class _Screen:
    """What is shown: a line of numbers, the course of the energy, the picture, weights."""

    def __init__(self, problem: Problem, recorder: Recorder, console: Console) -> None:
        self._problem, self._recorder, self._console = problem, recorder, console
        self._unicode = (console.encoding or "ascii").lower().startswith("utf")
        self._began = time.perf_counter()
        self._energies: list[float] = []
        self._lowest = float("inf")
        self._state: RecordedState | None = None
        self._picture: Picture | None = None

    def note(self, progress: Progress) -> None:
        """Take the last state over."""
        self._lowest = min(self._lowest, progress.energy)
        states = self._recorder.states[-1:]
        if not states or states[0] is self._state:
            return
        trace = Trace.of(self._problem, states)
        self._state, self._picture = states[0], trace.picture(0)
        self._energies.append(float(trace.energy[0]))
        self._lowest = min(self._lowest, self._energies[-1])

    def view(self) -> Group:
        """The lines, no wider and no higher than the terminal."""
        width, height = self._console.size
        lines = [self._numbers(), self._course(width)]
        picture, height = self._picture, height - _OTHER_LINES
        lines.append(Text() if picture is None else self._drawn(picture, width, height))
        lines.append(self._heaviest(width))
        for line in lines:
            line.no_wrap, line.overflow = True, "crop"
        return Group(*lines)

    def _numbers(self) -> Text:
        seconds = f"{time.perf_counter() - self._began:.1f} s"
        lowest = "-" if isinf(self._lowest) else f"{self._lowest:g}"
        where = "preparing"
        if (state := self._state) is not None:
            where = f"energy {self._energies[-1]:g}, lowest {lowest} | read {state.read}"
            where += f", sweep {state.sweep:,}"
            where += "" if isnan(state.beta) else f", beta {state.beta:g}"
        return Text(f"{where} | {seconds} | {printable(heading(self._problem))}")

    def _course(self, width: int) -> Text:
        """The last energies as bars, on a scale of the root from 0 to the greatest of them."""
        bars = _BARS if self._unicode else _ASCII_BARS
        shown = np.sqrt(np.maximum(self._energies[-max(1, width - 1) :], 0))
        top = max(shown.max(initial=0), 1e-9)
        places = np.minimum(len(bars) - 1, (shown / top * len(bars)).astype(int))
        return Text("".join(bars[place] for place in places))

    def _drawn(self, picture: Picture, width: int, height: int) -> Text:
        """The picture, in half as many lines where it is too large and black and white."""
        whole = Text.from_ansi(text(picture))
        lines = whole.plain.split("\n")
        if len(lines) <= height and max(map(len, lines)) <= width:
            return whole
        if picture.black is not None and self._unicode:
            return _halved(picture, width, height)
        return Text("\n").join(whole.split("\n")[: max(1, height)])

    def _heaviest(self, width: int) -> Text:
        """The constraints with the greatest weights, by name; those that fit whole."""
        state = self._state
        if state is None or state.row_weight is None:
            return Text()
        rows = state.judge.presolved.model.heaviest_rows(state.row_weight, _HEAVIEST)
        named = [f"{printable(label)} {weight:.2f}" for label, weight in rows]
        lines = ("heaviest: " + ", ".join(named[:n]) for n in range(len(named), 0, -1))
        return Text(next((line for line in lines if len(line) < width), ""))


def _halved(picture: Picture, width: int, height: int) -> Text:
    """Two rows a line and a column a character; broken cells in red."""
    black = np.asarray(picture.black) != 0
    rows, columns = min(picture.rows, 2 * height), min(picture.columns, width)
    drawn = Text()
    for r in range(0, rows, 2):
        for c in range(columns):
            above, below = black[r, c], r + 1 < picture.rows and black[r + 1, c]
            broken = (r, c) in picture.broken or (r + 1, c) in picture.broken
            sign = "█" if above and below else "▀" if above else "▄" if below else " "
            drawn.append(sign, "red" if broken else "")
        drawn.append("\n")
    return drawn
