"""Compiled kernels and numba's cache of them."""

import importlib
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import GenericAlias
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError
from numpy.typing import NDArray

import qubopuzzle
from qubopuzzle import annealing, jit, model, tempering
from qubopuzzle.jit import functions, packing
from qubopuzzle.jit.dispatchers import dispatchers
from qubopuzzle.model import propagator
from qubopuzzle.puzzles import nonogram
from qubopuzzle.puzzles.nonogram import lines
from qubopuzzle.tempering.form import TemperingForm

FOLDER = Path(qubopuzzle.__file__).parent

SAMPLE = """
import dimod
from qubopuzzle.tempering import Replicas, tempering_form
import numpy as np
couplings = {(i, j): i - j for i in range(6) for j in range(i)}
bqm = dimod.BinaryQuadraticModel({}, couplings, 0, "BINARY")
replicas = Replicas(tempering_form(bqm, [range(3)]), np.array([0.1, 1]), np.random.default_rng(1))
replicas.run(20)
print(replicas.value.tolist(), replicas.energy.tolist(), replicas.accepted.tolist())
"""
SOLVE = """
import numpy as np
from qubopuzzle import Nonogram, annealing, solve
from qubopuzzle.puzzles.nonogram.lines import undetermined
print(solve(Nonogram.examples()[0], "tempering", seed=1).valid, undetermined(np.eye(2, dtype=int)))
"""

COMPILED = """
from numba.core import event
compiled, depth = [], 0
class Compiled(event.Listener):
    def on_start(self, event):
        global depth
        depth += 1
        if depth == 1:
            compiled.append(event.data["dispatcher"].__name__)
    def on_end(self, event):
        global depth
        depth -= 1
event.register("numba:compile", Compiled())
"""


def run(code, folder, **environment):
    """What a program prints with the package in ``folder``."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def copied(tmp_path):
    """A folder with a copy of the package, in which nothing is compiled yet."""
    shutil.copytree(FOLDER, tmp_path / "qubopuzzle", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def kernels_of_all():
    """Every kernel of the package."""
    own = nonogram.Nonogram.examples()[0].model()
    annealing.compile_kernels(own)
    tempering.compile_kernels()
    lines.solve_lines(np.eye(2, dtype=np.int64))
    model.propagate(own)
    for package in (annealing, model, tempering, nonogram):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for thing in vars(importlib.import_module(module.name)).values():
                if isinstance(thing, jit.Kernel):
                    yield thing.compiled


def callees(function, seen=()):
    """The functions that one calls, and those that they call."""
    for name in function.__code__.co_names:
        used = function.__globals__.get(name)
        used = inspect.unwrap(getattr(used, "py_func", used))
        if callable(used) and used not in seen:
            yield used
            if inspect.isfunction(used) and inspect.getfile(used) != functions.__file__:
                yield from callees(used, (*seen, used))


def test_kernels_read_and_call_only_what_is_in_their_own_file():
    """numba recompiles a cached kernel when its own file changes, and looks at no other.

    It looks at defaults, too: a file's version there has the kernel recompiled with that file.
    """
    others = propagator, annealing.kernels, annealing.conflicts
    versions = {jit.version_of(module): module.__file__ for module in others}
    tuples = set()
    for function in kernels_of_all():
        defaults = function.py_func.__defaults__ or ()
        known = [
            inspect.getfile(function.py_func),
            functions.__file__,
            *(versions[number] for number in defaults),
        ]
        for used in callees(function.py_func):
            assert inspect.getfile(used) in known
            if inspect.isclass(used):
                tuples.add(used.__name__)
    assert tuples == {
        "ModelArrays",
        "ExtraArrays",
        "ConflictArrays",
        "CoverArrays",
        "CoverSearch",
        "EjectionArrays",
        "StateArrays",
        "BQMArrays",
        "ReplicaArrays",
        "SpinArrays",
        "SpinState",
        "KeptArrays",
        "PropagatorArrays",
        "DomainArrays",
    }


@pytest.mark.slow
def test_an_old_cache_is_not_read_by_a_new_layout(copied):
    """Two arrays of one type change places: compiled code that is kept would mix them up."""
    before = run(SAMPLE, copied)
    arrays = inspect.get_annotations(TemperingForm, eval_str=True)["arrays"]
    file = copied / "qubopuzzle" / Path(inspect.getfile(arrays)).relative_to(FOLDER)
    text = file.read_text()
    for old, new in [("first", "_"), ("start", "first"), ("_", "start")]:
        assert text.count(f"    {old}: IntArray\n") == 1
        text = text.replace(f"    {old}: IntArray\n", f"    {new}: IntArray\n")
    file.write_text(text)
    assert run(SAMPLE, copied) == before


@pytest.mark.slow
def test_kernels_run_where_no_cache_can_be_written(copied):
    """Plain files where numba would make folders: they stop a privileged user, too."""
    for package in ("annealing", "tempering", "puzzles/nonogram"):
        (copied / "qubopuzzle" / package / "__pycache__").touch()
    home = copied / "home"
    home.touch()
    names = ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "NUMBA_CACHE_DIR")
    environment = dict.fromkeys(names, str(home / "below"))
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_OPT": "0"}
    assert run(SOLVE, copied, **environment) == "True [0 1 2 3]\n"
    assert not list(copied.rglob("*.nbi"))


def test_compiling_is_said_once_on_a_machine(tmp_path):
    code = "from qubopuzzle.model.propagation import compile_kernels, propagate\n"
    code += "compile_kernels(propagate)"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONWARNINGS": ""}
    command = [sys.executable, "-c", code]
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr
        for _ in range(2)
    )
    said = "CompilingWarning: compiling the kernels of propagation, once on this machine (about "
    assert first.count(said) == 1
    assert second == ""


class Pair(NamedTuple):
    n: int
    x: NDArray[np.int64]


class Swapped(NamedTuple):
    x: NDArray[np.int64]
    n: int


Swapped.__qualname__ = Pair.__qualname__


@jit.inlined
def last(a):
    return a.x[a.n - 1]


@jit.called
def twice(a):
    return 2 * last(a)


@jit.called
def thrice(a):
    return twice(a) + last(a)


def test_of_processes_that_begin_at_once_one_compiles(tmp_path):
    code = f"{COMPILED}{SAMPLE}print(*compiled)"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(2)]
    lines = [process.communicate()[0].decode().splitlines() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert lines[0][:-1] == lines[1][:-1]
    one, other = ({*each[-1].split()} for each in lines)
    assert one | other
    assert not one & other


def test_functions_are_assembled_in_their_kernels_alone():
    """Two paths lead to one function, and two layouts have one name."""

    @jit.kernel
    def both(first, second):
        a, b = jit.pointers(Pair, first), jit.pointers(Swapped, second)
        return twice(a) + thrice(a), last(b)

    x = np.array([5, 6, 7, 8])
    packed = packing.addresses(Pair(3, x)), packing.addresses(Swapped(x, 4))
    assert both(*packed) == (35, 8)
    for function in last, twice, thrice:
        for compiled in dispatchers[function].overloads.values():
            assert not compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    [compiled] = both.compiled.overloads.values()
    assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def test_what_cannot_be_compiled_is_said():
    packed = packing.addresses(Pair(1, np.array([5])))
    with pytest.raises(TypingError, match="nothing"):
        jit.kernel(lambda packed: jit.pointers(Pair, packed).nothing)(packed)
    with pytest.raises(TypeError, match=r"thrice: only a function made by qubopuzzle\.jit\.kernel"):
        njit(lambda packed: thrice(jit.pointers(Pair, packed)))(packed)


PYTHON_OBJECTS = """
import numpy as np
from qubopuzzle import jit
@jit.called
def divide(a, b):
    return a // b
@jit.called
def check(a, b):
    if a < 0:
        raise ValueError("negative", a)
    print("dividing", a)
    return divide(a, b) + np.full(3, a).sum()
@jit.kernel
def run(a, b):
    return check(a, b) + divide(a, b)
print(run(6, 2))
for pair in (-1, 1), (1, 0):
    try:
        run(*pair)
    except Exception as error:
        print(repr(error))
"""


OTHER_NUMBA = """
import sys, numba
numba.version_info = numba.version_info._replace(short=(99, 0))
{}
assert "qubopuzzle.jit.dispatchers" in sys.modules
assert "qubopuzzle.jit.compiler" not in sys.modules
"""


def test_a_numba_that_is_not_known_compiles_by_itself(tmp_path):
    (tmp_path / "kernels.py").write_text(PYTHON_OBJECTS)
    path = os.pathsep.join(map(str, (tmp_path, FOLDER.parent)))
    code = OTHER_NUMBA.format("import kernels")
    printed = run(code, tmp_path, PYTHONPATH=path, NUMBA_CACHE_DIR=str(tmp_path))
    assert printed.startswith("dividing 6\n24\nValueError('negative', -1)\n")


@pytest.mark.slow
def test_a_numba_that_is_not_known_compiles_every_kernel(copied):
    assert run(OTHER_NUMBA.format(SAMPLE), copied) == run(SAMPLE, copied)
    assert run(OTHER_NUMBA.format(SOLVE), copied) == "True [0 1 2 3]\n"


def test_functions_raise_and_print_in_kernels_that_are_compiled_and_that_are_cached(tmp_path):
    (tmp_path / "kernels.py").write_text(PYTHON_OBJECTS)
    said = "dividing 6\n24\nValueError('negative', -1)\ndividing 1\nZeroDivisionError(*)\n"
    path = os.pathsep.join(map(str, (tmp_path, FOLDER.parent)))
    for _ in range(2):
        printed = run("import kernels", tmp_path, PYTHONPATH=path, NUMBA_CACHE_DIR=str(tmp_path))
        assert re.sub(r"(ZeroDivisionError)\(.*\)", r"\1(*)", printed) == said
    assert list(tmp_path.rglob("*.nbi"))


def test_an_array_is_told_by_its_element_however_numpy_spells_it():
    """Since NumPy 2.5 ``NDArray[T]`` is a type alias on Python 3.12 and later: T is all it has."""

    class Spelt(NamedTuple):
        alias: GenericAlias(list, (np.int32,))
        array: np.ndarray[tuple[int], np.dtype[np.int32]]
        n: int

    element = np.zeros(2, dtype=np.int32)
    assert packing.addresses(Spelt(element, element, 2)).tolist() == [element.ctypes.data] * 2 + [2]


def test_arrays_that_kernels_would_misread_are_refused():
    class Pair(NamedTuple):
        n: int
        one: NDArray[np.int64]
        two: NDArray[np.bool_]

    right = Pair(3, np.arange(3), np.ones(2, dtype=bool))
    assert packing.addresses(right).tolist()[0] == 3
    for wrong in (
        right._replace(one=np.arange(3.0)),
        right._replace(one=np.arange(6)[::2]),
        right._replace(one=np.zeros((2, 2), dtype=np.int64)),
        right._replace(two=np.arange(3)),
    ):
        with pytest.raises(TypeError, match="expected a contiguous array"):
            packing.addresses(wrong)
