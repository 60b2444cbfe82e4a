"""What the source looks like: who imports whom, how long functions are, who calls whom."""

import ast
import re
import sys
import threading
import tomllib
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import qubopuzzle

ROOT = next(p for p in Path(__file__).parents if (p / "pyproject.toml").exists())
SOURCE = ROOT / "src"
CONTRACT = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
FLOORS = [layer.split(" | ") for layer in CONTRACT[0]["layers"]]
FACE = "qubopuzzle"
"""Its names are those of all floors, imported when first used: no module of the graph."""
OF_THE_FACE = {
    "qubopuzzle.cli": "the version",
    "qubopuzzle.model.data": "puzzle.form(...) and model.form(...) are qubopuzzle.form",
}


def modules():
    """The file of each module, by name."""
    files = sorted(SOURCE.rglob("*.py"))
    names = [file.relative_to(SOURCE).with_suffix("").parts for file in files]
    return {
        ".".join(n[:-1] if n[-1] == "__init__" else n): f for n, f in zip(names, files, strict=True)
    }


MODULES = modules()


@cache
def trees():
    """The source of each module, parsed, by name."""
    return {name: ast.parse(file.read_text()) for name, file in MODULES.items()}


class Import(NamedTuple):
    """A module imports another, in a line; ``late``: in a function."""

    by: str
    of: str
    line: int
    late: bool


def imports(name, file):
    """All that are run sooner or later: those for types alone are not.

    A package with a stub imports what the stub says when it is first used.
    """
    yield from imports_in(trees()[name], name, file)
    stub = file.with_suffix(".pyi")
    if stub.exists() and name != FACE:
        for each in imports_in(ast.parse(stub.read_text()), name, stub):
            yield each._replace(late=True)


def imports_in(node, name, file, late=False):
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.Import):
        for each in node.names:
            if each.name.split(".")[0] == FACE:
                yield Import(name, each.name, node.lineno, late)
    elif isinstance(node, ast.ImportFrom):
        package = name.split(".") if file.stem == "__init__" else name.split(".")[:-1]
        above = package[: len(package) + 1 - node.level] if node.level else []
        source = ".".join([*above, *([node.module] if node.module else [])])
        if source.split(".")[0] == FACE:
            for each in node.names:
                whole = f"{source}.{each.name}"
                yield Import(name, whole if whole in MODULES else source, node.lineno, late)
    late = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        yield from imports_in(child, name, file, late)


@cache
def all_imports():
    return [e for name, file in MODULES.items() if name != FACE for e in imports(name, file)]


def floor(name):
    """The number of a module's floor in the contract, 0 the highest, and its room there."""
    for number, rooms in enumerate(FLOORS):
        for room in rooms:
            if f"{name}.".startswith(f"{room}."):
                return number, room
    raise AssertionError(f"{name} is on no floor of the import contract")


def test_no_variable_is_called_by_a_private_word():
    """Names say what a value is: rows, an answer, a message."""
    words = {"own", "found", "told", "said", "heard"}
    for name, tree in trees().items():
        for node in ast.walk(tree):
            names = {getattr(node, "arg", None)} if isinstance(node, ast.arg) else set()
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            assert not names & words, f"{name}:{node.lineno}: {names & words}"


def test_the_house_has_ten_floors_and_every_module_is_on_one():
    assert len(FLOORS) <= 10
    for name in MODULES:
        if name not in (FACE, "qubopuzzle.__main__", "qubopuzzle.files"):
            floor(name)


def test_imports_are_of_modules_that_there_are():
    assert {each.of for each in all_imports()} <= {*MODULES}
    assert any(each.late for each in all_imports())


def test_no_modules_import_each_other_in_a_circle_not_even_in_functions():
    graph = {name: set() for name in MODULES if name != FACE}
    for each in all_imports():
        if each.of != FACE:
            graph[each.by].add(each.of)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_no_import_climbs_not_even_in_functions():
    for each in all_imports():
        if FACE in (each.by, each.of) or each.by == "qubopuzzle.__main__":
            continue
        (here, room), (there, other) = floor(each.by), floor(each.of)
        assert room == other or here < there, each


def test_few_modules_use_the_names_that_users_do():
    users = {each.by for each in all_imports() if each.of == FACE}
    remedy = "in the package import from modules, such as qubopuzzle.model and qubopuzzle.puzzles"
    assert users <= {*OF_THE_FACE}, remedy
    assert {*OF_THE_FACE} <= users


# --- functions ---------------------------------------------------------------------------

MOST_LINES, MOST_PARAMETERS = 60, 8
"""Of a function: lines without its docstring, and parameters without ``self``."""
NAMED_ELSEWHERE = {
    "AnnealingSampler.sample": "dimod: what a sampler takes are parameters of sample",
    "AnnealingSampler.sample_cqm": "as sample",
    "OneHotTemperingSampler.sample": "dimod, as above",
}
"""Functions with more parameters, whose names come from somewhere else."""


def functions(node, names=(), owner=None):
    """Each function below a node: its names from outside in, itself, and whose method it is."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (*names, child.name), child, owner
            yield from functions(child, (*names, child.name))
        elif isinstance(child, ast.ClassDef):
            yield from functions(child, (*names, child.name), child)
        else:
            yield from functions(child, names, owner)


@cache
def all_functions():
    return [
        (module, ".".join(names), function, owner)
        for module, tree in trees().items()
        for names, function, owner in functions(tree)
    ]


def n_lines(function):
    """From the first decorator on, without the docstring."""
    first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
    words = function.body[0]
    docstring = ast.get_docstring(function) is not None
    return function.end_lineno + 1 - first - docstring * (words.end_lineno + 1 - words.lineno)


def n_parameters(function, owner):
    given = function.args
    several = [each for each in (given.vararg, given.kwarg) if each is not None]
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    static = "staticmethod" in map(ast.unparse, function.decorator_list)
    return len(named) + len(several) - (owner is not None and not static)


def test_no_function_is_longer_than_a_page():
    lengths = {f"{module}: {name}": n_lines(each) for module, name, each, _ in all_functions()}
    assert len(lengths) > 2_000
    assert {name: n for name, n in lengths.items() if n > MOST_LINES} == {}


def test_no_function_takes_more_than_eight_things():
    many = {
        name
        for _, name, each, owner in all_functions()
        if n_parameters(each, owner) > MOST_PARAMETERS
    }
    assert many == {*NAMED_ELSEWHERE}


# --- the walk of docs/architecture.md ----------------------------------------------------

MOST_MODULES = 14
PAGE = (ROOT / "docs/architecture.md").read_text()


class Step(NamedTuple):
    """A line of the walk: a function, its module, and the number of the step that calls it."""

    number: int
    function: str
    module: str
    by: int


def steps():
    section = PAGE.split("## A walk from ")[1].split("\n## ")[0]
    for line in re.findall(r"^\d+\. .*", section, re.M):
        number, function, file, by = re.match(
            r"(\d+)\. `([\w.]+)` in `([\w/]+)\.py`(?:, from (\d+))?: ", line
        ).groups()
        module = f"qubopuzzle.{file.replace('/', '.')}".removesuffix(".__init__")
        yield Step(int(number), function, module, int(by or 0))


STEPS = [*steps()]


def place(frame):
    """Module and name of what a frame runs; a kernel's own where compiled code is called."""
    if frame.f_code.co_qualname == "Kernel.__call__":
        plain = frame.f_locals["self"].plain
        return plain.__module__, plain.__qualname__
    return frame.f_globals.get("__name__"), frame.f_code.co_qualname


def calls_of(function, modules):
    """What a function calls: each module and name once, with the nearest caller in ``modules``."""
    calls = {}

    def note(frame, event, _):
        if event != "call" or (here := place(frame)) in calls:
            return
        caller = frame.f_back
        while caller and (place(caller)[0] == here[0] or place(caller)[0] not in modules):
            caller = caller.f_back
        calls[here] = caller and place(caller)[0]

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls


def test_the_walk_is_the_way_of_a_real_run_in_this_order_and_never_climbs():
    (puzzle,) = qubopuzzle.load(re.search(r'load\("(.*)"\)', PAGE)[1])
    run = lambda: qubopuzzle.solve(puzzle, seed=1)  # noqa: E731
    assert run().valid  # imports, and compiles kernels
    modules = [step.module for step in STEPS]
    calls = calls_of(run, modules)
    walked = {(step.module, step.function): step for step in STEPS}
    assert [walked[each] for each in calls if each in walked] == STEPS
    for step in STEPS[1:]:
        caller = STEPS[step.by - 1]
        assert calls[step.module, step.function] == caller.module, step
        assert floor(caller.module)[0] <= floor(step.module)[0], step


def test_the_walk_is_short():
    assert [step.number for step in STEPS] == [*range(1, len(STEPS) + 1)]
    assert len({step.module for step in STEPS}) == len(STEPS) <= MOST_MODULES


@pytest.mark.parametrize("name", ["Propagator", "Task", "Judge"])
def test_there_is_one_class_that_does_it(name):
    nodes = (node for tree in trees().values() for node in ast.walk(tree))
    classes = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    assert [each for each in classes if each.endswith(name)] == [name]
