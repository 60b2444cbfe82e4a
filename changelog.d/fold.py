"""Put the notes of this folder into CHANGELOG.md, below Unreleased, and remove their files."""

import re
from pathlib import Path

HERE = Path(__file__).parent
KINDS = ("Added", "Changed", "Removed", "Fixed")


def fold(folder: Path, changelog: Path) -> None:
    """Items go to the end of their section, by the names of their files."""
    notes = [path for path in sorted(folder.glob("*.md")) if path.name != "README.md"]
    kinds = {path: path.suffixes[0][1:].capitalize() for path in notes if path.suffixes[1:]}
    if strangers := [path.name for path in notes if kinds.get(path) not in KINDS]:
        raise SystemExit(f"error: {', '.join(strangers)}: expected NAME.KIND.md, see README.md")
    text = changelog.read_text()
    head, own, later = re.split(
        r"(?<=^## \[Unreleased\]\n)|(?=^## \[\d)", text, maxsplit=2, flags=re.M
    )
    start, *parts = re.split(r"^### (\w+)\n\n", own, flags=re.M)
    sections = {kind: items.strip() for kind, items in zip(parts[::2], parts[1::2], strict=True)}
    if unknown := sections.keys() - set(KINDS):
        raise SystemExit(f"error: {changelog.name}: unknown section {', '.join(unknown)}")
    for path, kind in kinds.items():
        item = path.read_text().strip().replace("\n", "\n  ")
        sections[kind] = f"{sections.get(kind, '')}\n- {item}".lstrip("\n")
    whole = [f"### {kind}\n\n{items}\n\n" for kind, items in sections.items()]
    changelog.write_text("".join([head, start, *whole, later]))
    for path in notes:
        path.unlink()


if __name__ == "__main__":
    fold(HERE, HERE.parent / "CHANGELOG.md")
