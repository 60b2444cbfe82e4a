"""The program ``qubopuzzle``, which ``python -m qubopuzzle`` is, too: a command, and signals."""

import os
import sys


def program() -> None:
    """Run the command line as this process; a signal at any moment ends it with status 1."""
    try:
        # Before anything else is imported: from here on no signal ends in a traceback.
        from qubopuzzle.base.signals import came, ignore_signals, raise_interrupted

        raise_interrupted()
        from qubopuzzle.cli import main

        status = main()
        ignore_signals()  # they come too late
        broken_off = came()
    except KeyboardInterrupt:
        os.write(2, b"qubopuzzle: interrupted\n")
        status, broken_off = 1, True
    if broken_off:
        os._exit(status)  # what a signal broke off need not bear an orderly end
    sys.exit(status)


if __name__ == "__main__":
    program()
