"""What the source looks like: who imports whom, also from within functions."""

import ast
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

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
    yield from imports_in(ast.parse(file.read_text()), name, file)
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


IMPORTS = [each for name, file in MODULES.items() if name != FACE for each in imports(name, file)]


def floor(name):
    """The number of a module's floor in the contract, 0 the highest, and its room there."""
    for number, rooms in enumerate(FLOORS):
        for room in rooms:
            if f"{name}.".startswith(f"{room}."):
                return number, room
    raise AssertionError(f"{name} is on no floor of the import contract")


def test_the_house_has_ten_floors_and_every_module_is_on_one():
    assert len(FLOORS) <= 10
    for name in MODULES:
        if name not in (FACE, "qubopuzzle.__main__", "qubopuzzle.files"):
            floor(name)


def test_imports_are_of_modules_that_there_are():
    assert {each.of for each in IMPORTS} <= {*MODULES}
    assert any(each.late for each in IMPORTS)


def test_no_modules_import_each_other_in_a_circle_not_even_in_functions():
    graph = {name: set() for name in MODULES if name != FACE}
    for each in IMPORTS:
        if each.of != FACE:
            graph[each.by].add(each.of)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_no_import_climbs_not_even_in_functions():
    for each in IMPORTS:
        if FACE in (each.by, each.of) or each.by == "qubopuzzle.__main__":
            continue
        (here, room), (there, other) = floor(each.by), floor(each.of)
        assert room == other or here < there, each


def test_few_modules_use_the_names_that_users_do():
    assert {each.by for each in IMPORTS if each.of == FACE} == {*OF_THE_FACE}
