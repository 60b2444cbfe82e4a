"""The command line: errors become one line and an exit status."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence

from qubopuzzle.arguments import parse
from qubopuzzle.commands import compare, convert, examine, export, generate, solve
from qubopuzzle.commands.terminal import NOT_SOLVED, OUR_FAULT, complain
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.signals import raise_interrupted


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    _prepare_streams()
    raise_interrupted()
    args = parse(arguments)
    try:
        status = _COMMANDS[args.command](args)
        sys.stdout.flush()
        return status
    except QubopuzzleError as error:
        return complain(str(error))
    except MemoryError:
        return complain("out of memory")
    except KeyboardInterrupt:
        print("qubopuzzle: interrupted", file=sys.stderr)
        return NOT_SOLVED
    except OSError as error:
        # The reader of our output went away (`| head`), or the disk is full.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            return NOT_SOLVED
        return complain(f"cannot write: {error.strerror or error}")
    except Exception as error:
        if os.environ.get("QUBOPUZZLE_DEBUG"):
            raise
        kind = type(error).__name__
        complain(f"an error of this program, please report it: {kind}: {error}")
        return OUR_FAULT


def _prepare_streams() -> None:
    """Output never fails for want of a stream or of a letter in the stream's encoding."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


_COMMANDS: dict[str, Callable[[Namespace], int]] = {
    "solve": solve.solve,
    "compare": compare.compare,
    "export": export.export,
    "convert": convert.convert,
    "formats": convert.formats,
    "decode": export.decode,
    "generate": generate.generate,
    "instances": export.instances,
    "check": examine.check,
    "show": examine.show,
    "info": examine.info,
    "solvers": examine.solvers,
    "puzzles": examine.puzzles,
}


if __name__ == "__main__":
    sys.exit(main())
