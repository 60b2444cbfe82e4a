"""``solve --watch``: what its screen shows."""

import io
import os
import re
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from command import run
from qubopuzzle import Nonogram, generate, load, solve
from qubopuzzle.base.recorder import Recorder
from qubopuzzle.cli.watch import _Screen, watching
from qubopuzzle.solvers.base import Progress

EXAMPLES = Path(__file__).parents[2] / "examples"


def noise(rows, columns):
    return Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (rows, columns)), id="<n>")


def screens(puzzle, width, height, solver="annealer", **options):
    """All that a solve shows, as texts, at the size of a terminal."""
    recorder = Recorder()
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    console._environ = {}
    screen = _Screen(puzzle, recorder, console)
    shown = [screen.view()]

    def update(progress):
        screen.note(progress)
        shown.append(screen.view())

    solve(puzzle, solver, seed=1, reads=2, presolve="none", trace=recorder, options=options)
    for number in range(0, len(recorder.states), max(1, len(recorder.states) // 5)):
        own = Recorder()
        own.states = recorder.states[: number + 1]
        screen._recorder = own
        update(Progress(0, np.inf))
    texts = []
    for view in shown:
        with console.capture() as captured:
            console.print(view)
        texts.append(captured.get())
    return texts


@pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 60), (40, 10)])
@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (12, 20), (45, 60)])
def test_a_screen_is_no_larger_than_the_terminal(width, height, rows, columns):
    for text in screens(noise(rows, columns), width, height, beta=0.5, sweeps=30, propagation=0):
        lines = text.splitlines()
        assert len(lines) <= height
        assert max(map(len, lines)) <= width


def test_weights_of_cuts_have_no_names():
    board = generate("heyawake", size=(7, 7), seed=1)[0]
    recorder = Recorder()
    screen = _Screen(board, recorder, Console(file=io.StringIO()))
    result = solve(board, formulation="lazy", presolve="none", seed=1, trace=recorder)
    assert result.settings["cuts"] > 0
    assert len(recorder.states[-1].row_weight) > sum(
        len(block.lower) for block in board.model("lazy").linear
    )
    screen.note(Progress(0, np.inf))
    whole = str(screen._heaviest(200))
    assert whole.startswith("heaviest: ")
    for width in range(20, 100, 7):  # what does not fit is left out, and no number cut short
        line = str(screen._heaviest(width))
        assert len(line) < width
        assert not line or f"{whole},".startswith(f"{line},")


def test_it_says_where_the_annealer_is():
    first, *others = screens(noise(12, 12), 100, 40, beta=0.5, sweeps=50, propagation=0)
    assert first.startswith("preparing | ")
    assert "<n>" in first
    assert others[0].startswith("energy ")
    assert ", lowest " in others[0]
    assert "| read 0, sweep 0, beta 0.5 | " in others[0]
    assert "heaviest: field[0,0] 1.00" in others[0]
    later = others[-1].splitlines()[-1]
    assert float(later.split()[2].rstrip(",")) > 1
    assert "█" in others[-1].splitlines()[1]


def test_solvers_without_weights_and_puzzles_in_rooms_are_shown_too():
    heyawake = load(EXAMPLES / "heyawake.json")[0]
    text = screens(heyawake, 80, 40, beta=0.5, sweeps=20, propagation=0)[-1]
    assert "┌" in text
    text = screens(noise(6, 6), 80, 24, "tempering", sweeps=50)[-1]
    assert "heaviest" not in text
    assert "energy" in text


def test_the_callback_draws_and_leaves_nothing(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    puzzle, recorder = noise(8, 8), Recorder()
    with watching(puzzle, recorder) as callback:
        result = solve(puzzle, seed=1, trace=recorder, progress=callback, presolve="none")
    assert result.valid
    assert result.trace.energy[-1] == 0


def test_nobody_watches_a_pipe():
    status, out, err = run("solve", EXAMPLES / "picross-a.json", "--watch")
    assert (status, out) == (2, "")
    assert "--watch needs a terminal; --trace FILE keeps the course for later" in err


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("color", [True, False])
def test_on_a_terminal(color):
    import pty
    import subprocess

    from command import PROGRAM

    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    environment |= {} if color else {"NO_COLOR": "1"}
    words = ["solve", str(EXAMPLES / "puzzle-piece.json"), "--presolve", "none", "--watch"]
    words += ["--seed", "1", "--option", "beta=0.3", "--option", "propagation=0", "--reads", "3"]
    with subprocess.Popen(
        [*PROGRAM, *words, "--option", "sweeps=400"],
        stdout=child,
        stderr=child,
        env=environment,
    ) as process:
        os.close(child)
        shown = b""
        while True:
            try:
                data = os.read(parent, 65536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            shown += data
    os.close(parent)
    text = shown.decode()
    assert process.returncode in (0, 1)
    assert "sweep" in text
    assert "heaviest: " in text
    assert ("\x1b[31m" in text) == color
    assert re.search(r" \| energy \d.* \| seed 1\b", text)  # what was found, below
