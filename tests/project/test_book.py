"""The book and the README: what they name is there, and the commands that they show run."""

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

import command
from qubopuzzle.base.renamed import PUBLIC
from qubopuzzle.cli import COMMANDS, parser_of
from qubopuzzle.files import examples

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
ELSEWHERE = {
    "pip install": "installs",
    "python -m": "the tests, and the book",
    "python tests/fuzz": "takes a corpus",
    "ommx": "an environment of its own",
    "read -rs": "asks for a token",
    "serve": "never ends by itself; tests/web/test_page.py opens it",
    "--watch": "needs a terminal; tests/cli/test_watch.py has one",
    "--url": "an address alone",
    "--measure": "half an hour",
    "--set library": "minutes; tests/bench/test_library.py makes a part",
    "gset:G1": "needs a network; tests/files/sets has a stand-in",
    "qoblib:07": "needs a network; tests/bench/test_qoblib.py has graphs of its own",
    "model.lp": "stands for the reader's own",
    ".json s": "what another tool has found",
    "n.mps.json": "what another tool has found",
    "sample.json": "what another tool has found",
    "--solver dwave --reads": "takes a token",
    "--token-file": "takes a token",
}
"""Commands that are parsed and not run, by a part of theirs, and why."""
SHORTER = {"compare": ["--time-limit", "1", "--repeat", "1"]}
STATUS = {"echo": 2, "instances examples/ten.jsonl": 1, "Mock": 1, "compare": 1}
"""Of commands that fail: a wrong file, a puzzle without a solution, descents, what is cut short."""


def shown():
    """Of each page the commands that its console blocks show, in order."""
    for page in PAGES:
        blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(), re.S | re.M)
        lines = [line for block in blocks for line in re.findall(r"^\$ (.*)", block, re.M)]
        if lines:
            yield pytest.param(lines, id=str(page.relative_to(ROOT)))


def test_the_book_is_short():
    """Its words beside generated tables and the page that docs/kinds.py writes."""
    words = 0
    for page in DOCS.rglob("*.md"):
        if page.name != "kinds.md":
            text = re.sub(r"<!-- (result|kept)\b.*?<!-- end -->", "", page.read_text(), flags=re.S)
            words += len(text.split())
    assert words <= 42_000


def words_of(line):
    """The words of a command of ours, the last one of the line; None without one."""
    last = re.split(r"&&|;(?=[^;']*$)", line)[-1].strip()
    words = shlex.split(last)
    return words[1:] if words[0] == "qubopuzzle" else None


def needs_a_token(line):
    service = re.search(r"--solver (amplify|dwave|leap-cqm)\b(?!:)", line)
    return service and not re.search("--dry-run|--replay", line)


def runs_here(line):
    return not needs_a_token(line) and not any(part in line for part in ELSEWHERE)


@pytest.mark.parametrize("lines", shown())
def test_the_commands_of_a_page_are_such(lines):
    """Each is parsed as the program parses it."""
    for line in lines:
        words = words_of(line)
        assert words or not runs_here(line), line
        if words and words[0] not in ("--help", "--version"):
            parser_of(words[0]).parse(words[1:])


@pytest.mark.slow
@pytest.mark.parametrize("lines", shown())
def test_the_commands_of_a_page_run(lines, tmp_path):
    """In their order, in a folder with the examples, and the models that pages show."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "jobs.lp").write_text(model_of_the_page("jobs.lp"))
    for line in filter(runs_here, lines):
        if line.startswith("echo"):
            (tmp_path / "bad.opb").write_text("x1 + 1 x2 >= 3 x3;\n")
        name, *rest = words_of(line)
        status, out, err = command.run(name, *rest, *SHORTER.get(name, []), cwd=tmp_path)
        expected = [own for part, own in STATUS.items() if part in line] or [0]
        assert status in (*expected, *[0] * (name in SHORTER)), f"{line}\n{out}\n{err}"
        assert "Traceback" not in err


def test_cells_of_pages_name_no_file_that_is_elsewhere():
    """They are executed in the folder of their page, where an example is not found."""
    for page in PAGES:
        cells = re.findall(r"^!(.*)$", page.read_text(), re.M)
        assert not [line for line in cells if "examples/" in line], page.name


def model_of_the_page(name):
    """A file that docs/models.md shows."""
    text = (DOCS / "models.md").read_text()
    return re.search(rf"`{re.escape(name)}`.*?```\w*\n(.*?)```", text, re.S)[1]


def test_every_command_has_its_task():
    tasks = (DOCS / "tasks.md").read_text()
    for name in COMMANDS:
        assert f"qubopuzzle {name}" in tasks, name


def test_the_reference_has_every_public_name_once():
    public = re.findall(r" as (\w+)$", (ROOT / "src/qubopuzzle/__init__.pyi").read_text(), re.M)
    moved = [name for name, path in PUBLIC.items() if path.endswith(f".{name}")]
    listed = re.findall(
        r"^\.\. auto(?:class|function|exception):: ([\w.]+)", (DOCS / "api.md").read_text(), re.M
    )
    names = [path.rpartition(".")[2] for path in listed if ".testing." not in path]
    assert sorted([*names, "errors"]) == sorted([*public, *moved])


def test_figures_have_a_command_each_and_are_shown():
    rows = dict(
        re.findall(
            r"^\| \[([^]]+)\]\(images/\1\) \| `([^`]+)` \|$",
            (DOCS / "figures.md").read_text(),
            re.M,
        )
    )
    files = {path.name for path in (DOCS / "images").iterdir()}
    assert set(rows) == files
    texts = {page: page.read_text() for page in PAGES if page.name != "figures.md"}
    used = {name for text in texts.values() for name in re.findall(r"images/([a-z][\w.-]+)", text)}
    assert used == files
    for line in rows.values():
        for command_line in line.split(" && "):
            first, second, *rest = shlex.split(command_line)
            if first == "git":
                break  # what made it is in an earlier commit
            if first == "python":
                assert (ROOT / second).exists(), line
            else:
                parser_of(second).parse(rest)


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_notebooks_are_the_chapters():
    pytest.importorskip("jupytext")
    sys.path.insert(0, str(DOCS))
    try:
        from notebooks import CHAPTERS, NOTEBOOKS, notebook
    finally:
        sys.path.remove(str(DOCS))
    written = {path.stem: path.read_text() for path in NOTEBOOKS.glob("*.ipynb")}
    assert written == {path.stem: notebook(path) for path in CHAPTERS.glob("*.md")}


# --- qubopuzzle examples ---------------------------------------------------------------


def test_examples_are_listed_with_what_they_are():
    status, out, err = command.run("examples")
    assert (status, err) == (0, "")
    listed = dict(re.findall(r"^(\S+\.\w+) +(\S.*)$", out, re.M))
    files = (
        path for path in (ROOT / "examples").rglob("*.*") if path.suffix not in (".md", ".pyc")
    )
    assert set(listed) == {path.relative_to(ROOT / "examples").as_posix() for path in files}
    assert listed["notebooks/01-nonogram.ipynb"].startswith("1. A picture from numbers")


def test_examples_are_copied_and_nothing_is_replaced(tmp_path):
    there = tmp_path / "new" / "picross-a.json"
    words = ("examples", "picross-a.json", "notebooks/", "-o", tmp_path / "new")
    status, out, _ = command.run(*words)
    assert (status, len(out.splitlines())) == (0, 15)
    assert there.read_bytes() == (ROOT / "examples" / "picross-a.json").read_bytes()
    there.write_text("mine")
    (tmp_path / "new" / "notebooks" / "01-nonogram.ipynb").unlink()
    status, out, err = command.run(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "--force" in err
    assert there.read_text() == "mine"
    assert not (tmp_path / "new" / "notebooks" / "01-nonogram.ipynb").exists()
    assert command.run(*words, "--force")[0] == 0
    assert there.read_text() != "mine"


@pytest.mark.parametrize("words", [("nothing",), ("--force",), ("sudoku.jsn", "-o", "x")])
def test_examples_that_there_are_not_are_one_line(words, tmp_path):
    status, out, err = command.run("examples", *words, cwd=tmp_path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert not list(tmp_path.iterdir())


def test_an_installation_without_examples_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(examples, "_INSTALLED", tmp_path / "none")
    monkeypatch.setattr(examples, "_CHECKOUT", tmp_path / "none")
    status, out, err = command.run("examples")
    assert (status, out, err.count("\n")) == (2, "", 1)
