"""The project keeps its own promises: sizes, links, commands and tables of its docs."""

import pydoc
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import command
from boards import NAMES
from qubopuzzle import all_solvers

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *ROOT.glob("*/README.md"), *ROOT.glob("docs/**/*.md")]
COMMANDS = re.findall(
    r"^\| `(qubopuzzle [^`]*|python [^`]*)` \|", (ROOT / "examples/README.md").read_text(), re.M
)
EXTRAS = {"cpsat"}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)|src=\"([^\"]+)\"", page.read_text()):
        link = "".join(target)
        assert link.startswith("https://") or (page.parent / link).exists(), link


def test_tests_lie_in_rooms_named_like_packages():
    packages = {path.parent.name for path in (ROOT / "src/qubopuzzle").glob("*/__init__.py")}
    others = {"base", "conformance", "stories", "project"}
    tests = (path.relative_to(ROOT / "tests") for path in (ROOT / "tests").glob("**/test_*.py"))
    assert {path.parts[0] for path in tests} <= packages | others
    assert [path.name for path in (ROOT / "tests").glob("*.py")] == ["conftest.py"]


@pytest.mark.usefixtures("kept_runs")
@pytest.mark.parametrize("line", COMMANDS)
def test_every_line_of_the_examples_runs(line, tmp_path):
    words = shlex.split(line.replace("examples/", f"{ROOT}/examples/"))
    for solver in EXTRAS & set(words):
        if not all_solvers()[solver].available().ok:
            pytest.skip(f"{solver} is not installed")
    if "qaoa" in line:
        pytest.importorskip("qulacs")
    run = run_script if words[0] == "python" else command.run
    status, out, err = run(*words[1:], cwd=tmp_path)
    wrong_on_purpose = "wrong" in line
    assert status == (1 if wrong_on_purpose else 0), out + err
    told = re.sub(r"^\S+: [0-9,]+ (steps by|cells, of which) .*\n", "", err, flags=re.M)
    assert (told if "generate" in words else err) == ""
    if "solve" in words:
        assert ("nothing was sent" if "--dry-run" in words else "\nvalid") in out


def run_script(*words, cwd):
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, cwd=cwd, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_examples_solve_and_check_every_puzzle(name):
    files = {p.name: p.read_text() for p in (ROOT / "examples").glob("*.*") if p.suffix != ".png"}
    own = [f for f, text in files.items() if f'"puzzle": "{name}"' in text]
    for word in ("solve", "check"):
        assert any(c.startswith(f"qubopuzzle {word} examples/{f}") for c in COMMANDS for f in own)


def test_the_readme_shows_what_the_command_prints():
    shown = re.search(
        r"\$ pip install \. && (qubopuzzle .*)\n((?:.*\n)*?)```",
        (ROOT / "README.md").read_text(),
    )
    _, out, _ = command.run_apart(*shlex.split(shown[1])[1:], cwd=ROOT)
    assert without_times(out) == without_times(shown[2])
    energies = re.search(r"energy (\d+(?: -> \d+)+) \|", out)[1].split(" -> ")
    assert len(energies) >= 4  # a newcomer sees it fall
    assert [*map(int, energies)] == sorted(map(int, energies), reverse=True)


def without_times(text):
    return re.sub(r"\| \d[^|]* s(?: after [^|]* kernels)? \|", "", text)


def test_the_readme_library_example_runs():
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    scope = {}
    exec("import matplotlib; matplotlib.use('agg')\n" + code, scope)  # noqa: S102
    assert scope["result"].valid
    assert scope["form"].bqm.num_variables == 60


def test_nothing_of_this_machine_is_in_the_project():
    for page in [*PAGES, *ROOT.glob("benchmarks/results/*")]:
        assert not re.search(r"/(root|work|home|tmp)/", page.read_text()), page


def test_the_glossary_is_in_order_and_names_what_there_is():
    page = (ROOT / "docs/glossary.md").read_text()
    ours, field = (re.findall(r"^- \*\*(.*?)\*\*", part, re.M) for part in page.split("\n## ")[1:])
    for terms in (ours, field):
        assert terms == sorted(terms, key=lambda term: re.sub(r"[^a-z0-9]", "", term.lower()))
    assert len(ours) <= 15
    for name in re.findall(r"`([A-Za-z_.]+)`", page):
        owner, _, last = f"qubopuzzle.{name}".rpartition(".")
        fields = getattr(pydoc.locate(owner), "__annotations__", {})
        assert last in fields or pydoc.locate(f"qubopuzzle.{name}") is not None, name
    done = [command.run(name, "--help")[1] for name in ("solve", "export")]
    for option in re.findall(r"`(--[a-z-]+)", page):
        assert any(option in text for text in done), option
