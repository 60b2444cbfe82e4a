"""Notes of changes, a file each, become items of the changelog."""

import re
import tomllib
from pathlib import Path
from runpy import run_path

import pytest

import qubopuzzle
from qubopuzzle.base.renamed import ATTRIBUTES, PUBLIC

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
fold = run_path(str(ROOT / "changelog.d/fold.py"))["fold"]


def test_the_table_of_names_has_all_of_them():
    rows = [line.split("|")[1:3] for line in CHANGELOG.splitlines() if line.startswith("  | `")]
    for name, path in PUBLIC.items():
        module, _, new = path.rpartition(".")
        place = f"`qubopuzzle.{module}`" if module else f"`{new}`"
        assert any(f"`{name}`" in old and place in now for old, now in rows), name
    for kind, names in ATTRIBUTES.items():
        for old, new in names.items():
            assert f"| `{kind}.{old}` | `{kind}.{new}` |" in CHANGELOG


def test_the_version_is_the_same_everywhere():
    here = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), flags=re.M)
    released = re.findall(r"^## \[(\d.*)\] - \d{4}-\d\d-\d\d$", CHANGELOG, flags=re.M)
    assert (cited[1], released[0], qubopuzzle.__version__) == (here, here, here)


@pytest.fixture
def changelog(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "README.md").write_text("not a note")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    return tmp_path / "CHANGELOG.md"


def test_notes_are_put_below_their_heads_and_nothing_else_changes(changelog):
    notes = changelog.parent / "notes"
    fold(notes, changelog)
    assert changelog.read_text() == CHANGELOG
    (notes / "a.added.md").write_text("New:\nand wrapped.\n")
    (notes / "b.removed.md").write_text("Gone.\n")
    fold(notes, changelog)
    lines = changelog.read_text().splitlines()
    at = lines.index("- New:")
    assert lines[at + 1] == "  and wrapped."
    heads = [line for line in lines[:at] if line.startswith("#")]
    assert heads[-2:] == ["## [Unreleased]", "### Added"]
    assert lines.index("- Gone.") < lines.index("## [0.3.0] - 2026-11-28")
    assert set(CHANGELOG.splitlines()) <= set(lines)
    assert [path.name for path in notes.iterdir()] == ["README.md"]


def test_a_file_that_is_no_note_is_refused(changelog):
    notes = changelog.parent / "notes"
    (notes / "a.added.md").write_text("New.")
    (notes / "b.new.md").write_text("New.")
    with pytest.raises(SystemExit, match=r"b\.new\.md: expected NAME\.KIND\.md"):
        fold(notes, changelog)
    assert changelog.read_text() == CHANGELOG
    assert (notes / "a.added.md").exists()


def test_the_notes_that_there_are_can_be_folded(changelog):
    for path in (ROOT / "changelog.d").glob("*.md"):
        (changelog.parent / "notes" / path.name).write_text(path.read_text())
    fold(changelog.parent / "notes", changelog)
