"""``qubopuzzle replay``."""

from argparse import Namespace
from pathlib import Path

from qubopuzzle.cli import terminal
from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, say
from qubopuzzle.errors import InputError, at


def add_arguments(parser: Parser) -> None:
    """The trace, and what to make of it."""
    parser.add_argument("trace", metavar="TRACE", help="what `solve --trace FILE` wrote")
    add = parser.option
    what = "a film, .gif or .mp4 (with ffmpeg); a page to step through, .html; or energies and "
    add("--plot FILE", f"{what}weights as .png, .svg")
    add("--frames N", "most states of a film (default 100)")
    add("--fps N", "states a second of a film (default 10)")


def run(args: Namespace) -> int:
    """Say what the trace holds, show its last state, and draw."""
    from qubopuzzle.base.checks import whole
    from qubopuzzle.base.writing import check_place, image_format, write_whole
    from qubopuzzle.picture.course import FILMS
    from qubopuzzle.solving.trace import load_trace

    frames = 100 if args.frames is None else whole("--frames", args.frames, 1, 10_000)
    per_second = 10 if args.fps is None else whole("--fps", args.fps, 1, 60)
    path = None if args.plot is None else Path(args.plot)
    kind = "" if path is None else path.suffix.lower().lstrip(".")
    if path is not None and kind not in (*FILMS, "html"):
        kind = image_format(path)
    elif path is not None:
        check_place(path)
    trace = load_trace(args.trace)
    if not len(trace):
        raise InputError(f"{args.trace}: the trace has no states")
    last = trace.picture(-1)
    n_reads = int(trace.read.max()) + 1
    reads = f"{n_reads} read{'' if n_reads == 1 else 's'}"
    say(
        terminal.heading(trace.problem),
        *([] if last is None else [terminal.text(last)]),
        f"{trace.about.get('solver')}, seed {trace.about.get('seed')} | {len(trace):,} states of "
        f"{reads}, {int(trace.sweeps_in_all()[-1]):,} sweeps, {trace.seconds[-1]:.3f} s | "
        f"energy {trace.energy[0]:g} at first, {trace.energy.min():g} at best, "
        f"{trace.energy[-1]:g} at the end",
    )
    if path is not None:
        with at(str(path)):
            if kind == "html":
                from qubopuzzle.web.replay import replay_of

                data = replay_of(trace)
            else:
                data = trace.image(kind, frames=frames, per_second=per_second)
        write_whole(path, data)
    return SOLVED
