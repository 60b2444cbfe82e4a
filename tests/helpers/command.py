"""The command line: called here, or by the program in a process of its own."""

import io
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from qubopuzzle.cli import main

PROGRAM = [sys.executable, "-m", "qubopuzzle"]
_SEVERAL = """
import json, sys
from command import run
json.dump([run(*words) for words in json.load(sys.stdin)], sys.stdout)
"""


def run(*arguments, stdin="", cwd=".", env=None, path=(), encoding="utf-8"):
    """Exit status, standard output and standard error, in this process: its start costs a second.

    ``path``: folders where Python finds modules, before the others.
    """
    streams = {
        name: io.TextIOWrapper(io.BytesIO(text.encode()), encoding=encoding)
        for name, text in {"stdin": stdin, "stdout": "", "stderr": ""}.items()
    }
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)  # shown, as Python does it
        warnings.filterwarnings("ignore", "compiling the")
        patch.setattr(sys, "path", [*map(str, path), *sys.path])
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        patch.chdir(cwd)
        status = main([*map(str, arguments)])
    out, err = (streams[name].buffer.getvalue().decode(encoding) for name in ("stdout", "stderr"))
    return status, out, err


def run_apart(*arguments, stdin=None, cwd=None, env=None):
    """The same of ``python -m qubopuzzle``."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **(env or {})},
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def run_several_apart(*commands, path):
    """What ``run`` returns of each of them, all in one process apart, with folders for Python."""
    folders = [*map(str, path), str(Path(__file__).parent), os.environ.get("PYTHONPATH")]
    done = subprocess.run(
        [sys.executable, "-c", _SEVERAL],
        input=json.dumps([[*map(str, words)] for words in commands]),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))},
        timeout=120,
        check=True,
    )
    return [tuple(each) for each in json.loads(done.stdout)]
