"""The page as files that need no server: examples with their hints and a recorded run each."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from qubopuzzle.base.recorder import Recorder
from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.base.writing import naming
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import player_address
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.reasons.hints import steps
from qubopuzzle.solving.settings import DEFAULT_SOLVER
from qubopuzzle.solving.solve import solve
from qubopuzzle.web import work
from qubopuzzle.web.frames import Frames
from qubopuzzle.web.messages import packed

SEED = 1
"""Of the recorded runs."""
STATES = 150
"""States of a recorded run that are kept, at most."""
_RUNS = "runs"
_SOURCES = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src data:"


def build(folder: Path, *, time_limit: float) -> Iterator[str]:
    """Write the page into a new folder, all of it or nothing.

    Args:
        folder: a new one, or an empty one.
        time_limit: seconds of each recorded run, at most.

    Yields:
        What has just been computed, for people: it takes minutes.

    Raises:
        InputError: for a folder that cannot be written, or that has something in it.
    """
    with _new_folder(folder) as place:
        (place / _RUNS).mkdir()
        about = work.about()
        about["solvers"] = {DEFAULT_SOLVER: about["solvers"][DEFAULT_SOLVER]}
        about["pictures"] = []
        for kind in about["puzzles"].values():
            kind |= {"generated": False, "formats": [f for f in kind["formats"] if f == "puzzlink"]}
        puzzles = [puzzle for name in about["puzzles"] for puzzle in work.examples_of(name)]
        for number, (example, puzzle) in enumerate(zip(about["examples"], puzzles, strict=True)):
            file = f"{_RUNS}/{puzzle.name}-{number}.js"
            example |= _known(puzzle) | {"run": file}
            run = b"offline.runs.set(%b, %b);\n" % (packed(file), _run(puzzle, time_limit))
            (place / file).write_bytes(run)
            yield puzzle.id or puzzle.name
        (place / "data.js").write_bytes(b"const COPY = " + packed({"about": about}) + b";\n")
        for part in files("qubopuzzle.web").joinpath("page").iterdir():
            (place / part.name).write_bytes(part.read_bytes())
        index = place / "index.html"
        index.write_text(_offline(index.read_text("utf-8")), "utf-8")


def _offline(page: str) -> str:
    """The first page, which asks what is beside it."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_SOURCES}">'
    scripts = '<script src="data.js"></script>\n<script src="offline.js"></script>\n'
    first = '<script src="view.js">'
    page = page.replace("<body>", '<body class="offline">')
    return page.replace("<title>", f"{policy}\n<title>").replace(first, scripts + first)


def _known(puzzle: Puzzle) -> dict[str, Any]:
    """What a server would be asked about an example: its solution, its address, and all hints."""
    solution = puzzle.solution
    if solution is None:
        raise InputError(f"{puzzle.id}: an example without its solution")
    return {
        "solution": solution.tolist(),
        "hints": [step.to_dict() for step in steps(puzzle)],
        "address": player_address(puzzle),
    }


def _run(puzzle: Puzzle, time_limit: float) -> bytes:
    """The events of a run at the defaults, as the server sends them."""
    settings: Any = {
        "solver": DEFAULT_SOLVER,
        "presolve": "none",
        "seed": SEED,
        "time_limit": time_limit,
    }
    recorder = Recorder()
    result = solve(puzzle, trace=recorder, **settings)
    return packed([*work.recorded(result, settings, recorder, Frames(), STATES), ("end", {})])


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder that takes the other one's name at the end, or is removed."""
    with naming(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError("there is something already; name a new folder")
        parent = folder.absolute().parent
        with tempfile.TemporaryDirectory(prefix=".qubopuzzle-", dir=parent) as temporary:
            place = Path(temporary, "page")
            place.mkdir()
            yield place
            with defer_interrupt():
                place.replace(folder)
