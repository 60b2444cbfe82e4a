"""A recorded run as one HTML file that needs nothing else."""

import json
import zlib
from base64 import b64encode
from functools import cache
from importlib.resources import files

from qubopuzzle.base.html import escape
from qubopuzzle.base.recorder import evenly
from qubopuzzle.errors import InputError
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.solving.trace import Trace
from qubopuzzle.web.frames import STATES, Frames, board

_SCRIPTS = ("view.js", "board.js", "player.js", "replay.js")


def replay_page(data: bytes) -> bytes:
    """The file for a run as JSON: ``title``, ``board`` and ``frames``, see ``frames``.

    Raises:
        InputError: for what is no such object.
    """
    try:
        run = json.loads(data)
        title = str(run["title"])[:200]
        run["board"]["rows"], run["frames"][0]["cells"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise InputError("this is no recorded run") from None
    title = title.encode("utf-8", "replace").decode()
    # Base64 holds no "<": nothing of a puzzle's text can be taken for HTML.
    packed = b64encode(zlib.compress(data, 9)).decode()
    styles = _file("style.css")
    scripts = "".join(f"<script>{_file(name)}</script>" for name in _SCRIPTS)
    policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{styles}</style></head>
<body class="replay"><header><h1>{escape(title)}</h1></header>
<main id="lanes"></main>
<script type="application/octet-stream" id="run">{packed}</script>
{scripts}</body></html>
""".encode()


def replay_of(trace: Trace) -> bytes:
    """The file for a trace, of ``STATES`` states at most; InputError for one of a model."""
    puzzle = trace.problem
    if not isinstance(puzzle, Puzzle) or trace.grids is None:
        raise InputError("a model has no board; the course of its energy is drawn as .svg")
    frames = Frames()
    shown = [frames.of(trace, number) for number in evenly(len(trace), STATES)]
    name = puzzle.title or puzzle.id or puzzle.name
    title = f"{name}: {trace.about.get('solver')}, seed {trace.about.get('seed')}"
    run = {"title": title, "board": board(puzzle), "frames": shown}
    return replay_page(json.dumps(run, separators=(",", ":")).encode())


@cache
def _file(name: str) -> str:
    return files("qubopuzzle.web").joinpath("page", name).read_text("utf-8")
