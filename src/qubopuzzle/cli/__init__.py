"""The command line: one file a command, which is imported when it is called.

A command's module has ``run(args)``, which returns the exit status, and
``add_arguments(parser)`` if it takes any. What is heavy is imported by ``run``, so that
``--help`` is there at once.
"""

import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import qubopuzzle
from qubopuzzle.base.signals import came, ignore_signals
from qubopuzzle.cli.terminal import (
    EXIT_STATUS,
    NOT_SOLVED,
    OUR_FAULT,
    SOLVED,
    complain,
    notice,
    say,
)
from qubopuzzle.errors import InputError, QubopuzzleError, did_you_mean

if TYPE_CHECKING:
    from qubopuzzle.cli.parser import Parser

COMMANDS = {
    "solve": "solve puzzles and judge the answers",
    "compare": "run several solvers on the same puzzles",
    "report": "tables and reports of comparisons, from their journals",
    "check": "judge a given answer",
    "explain": "why there is no solution, or several; what to leave out",
    "hint": "the next step of a puzzle and its reasons, or all of them",
    "count": "how many solutions there are, all candidates, some drawn by lot",
    "show": "draw a puzzle",
    "sheet": "puzzles on pages to print, their solutions on the last ones",
    "info": "structure of a model, and size of its QUBO in every form",
    "embed": "does it fit on a quantum annealer: qubits and chains, by form",
    "export": "write a puzzle's model for other solvers",
    "serve": "a page to watch puzzles being solved, and to solve them by hand",
    "replay": "show the course of a solve that was traced",
    "decode": "judge what another solver found for an exported model",
    "instances": "write a folder of models with known ground states",
    "generate": "make new puzzles with exactly one solution, proved",
    "convert": "write puzzles in another format",
    "fetch": "list public sets of instances, and download their files",
    "examples": "list or copy examples: puzzles, scripts, notebooks",
    "formats": "list the formats of puzzles and models, read and written",
    "solvers": "list the solvers, whether they can run here, and their options",
    "puzzles": "list the puzzles and their formulations",
    "completion": "print what completes commands and options in a shell",
}
"""What each command does, by its name, which is that of its module here."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    try:
        _prepare_streams()
        status = _run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
        return status
    except QubopuzzleError as error:
        return complain(str(error), error)
    except MemoryError:
        return complain("out of memory")
    except KeyboardInterrupt:
        return _interrupted()
    except OSError as error:
        # The reader of our output went away (`| head`), or the disk is full.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            return NOT_SOLVED
        return complain(f"cannot write: {error.strerror or error}")
    except Exception as error:
        if came():  # libraries turn an interruption into errors of theirs
            return _interrupted()
        if os.environ.get("QUBOPUZZLE_DEBUG"):
            raise
        what = f"an error of this program, please report it: {type(error).__name__}: {error}"
        complain(f"{what} ({_place(error)}; QUBOPUZZLE_DEBUG=1 shows the traceback)")
        return OUR_FAULT


def _place(error: Exception) -> str:
    """The last file and line on the way to an error: it may be in a package of somebody else."""
    from traceback import walk_tb

    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    # Of a file that does not even compile the last frames are Python's, which have no file.
    file, line = next(each for each in reversed(frames) if not each[0].startswith("<"))
    return f"{file}, line {line}"


def _run(words: list[str]) -> int:
    name, *rest = words or ["--help"]
    if name in ("-h", "--help"):
        say(*_help().split("\n"))
        return SOLVED
    if name == "--version":
        say(f"qubopuzzle {qubopuzzle.__version__}")
        return SOLVED
    if name not in COMMANDS:
        known = [*COMMANDS, "--help", "--version"]
        hint = did_you_mean(name, known, "`qubopuzzle --help` lists the commands")
        raise InputError(f"unknown command {name.partition('=')[0][:40]!r}; {hint}")
    command, parser = import_module(f"{__name__}.{name}"), parser_of(name)
    try:
        args = parser.parse(rest)
    except SystemExit:  # it has printed its help
        return SOLVED
    if came():  # amid the imports, and the timer of base/signals.py may come after a short command
        return _interrupted()
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: notice(str(message))
        return int(command.run(args))


def parser_of(name: str) -> "Parser":
    """The arguments that a command takes, as an argparse parser."""
    from qubopuzzle.cli.parser import Parser

    command = import_module(f"{__name__}.{name}")
    parser = Parser(name, COMMANDS[name])
    if hasattr(command, "add_arguments"):
        command.add_arguments(parser)
    return parser


def _interrupted() -> int:
    ignore_signals()  # the timer's, too: the line is printed once, and whole
    notice("interrupted")
    return NOT_SOLVED


def _help() -> str:
    commands = "\n".join(f"  {name:<11} {about}" for name, about in COMMANDS.items())
    return f"""\
usage: qubopuzzle COMMAND ...

Logic puzzles as QUBO penalty models: annealed, decoded, judged by the rules.

commands:
{commands}

options:
  --help     show this, or after a command its arguments
  --version  print the version

{EXIT_STATUS}"""


def _prepare_streams() -> None:
    """Output never fails for want of a stream or of a letter in the stream's encoding."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
