"""The chapters as Jupyter notebooks without outputs, for people who run them elsewhere.

``python docs/notebooks.py`` writes ``examples/notebooks/``; a test finds those that are not as
the chapters are.
"""

import re
import tomllib
from pathlib import Path

import jupytext
import nbformat

ROOT = Path(__file__).parents[1]
CHAPTERS = ROOT / "docs" / "chapters"
NOTEBOOKS = ROOT / "examples" / "notebooks"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
INSTALL = f"""\
# Where qubopuzzle is not installed, as on Colab: upload its wheel, uncomment the next line.
# %pip install "/content/qubopuzzle-{VERSION}-py3-none-any.whl[dwave]"\
"""


def notebook(chapter: Path) -> str:
    """A chapter as the text of a notebook file."""
    found = jupytext.reads(chapter.read_text(), fmt="md:myst")
    cells = []
    for cell in found.cells:
        if cell.cell_type == "markdown":
            # Other pages of the book are not there.
            cell.source = re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"*\1*", cell.source)
        cells.append(cell)
    install = nbformat.v4.new_code_cell(INSTALL)
    cells.insert(1, install)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    return nbformat.writes(made) + "\n"


def main() -> None:
    """Write all of them."""
    NOTEBOOKS.mkdir(exist_ok=True)
    for chapter in sorted(CHAPTERS.glob("*.md")):
        (NOTEBOOKS / f"{chapter.stem}.ipynb").write_text(notebook(chapter))


if __name__ == "__main__":
    main()
