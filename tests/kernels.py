"""The same code with numba's compiler and without it."""

import os
import subprocess
import sys


def compiled_and_plain(code):
    """What a program prints, both ways; any warning is an error."""
    return [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
        ).stdout
        for disabled in ("0", "1")
    ]
