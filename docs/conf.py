"""The book: Sphinx over these pages, its notebooks executed.

``python -m sphinx -W -j auto docs build/book`` from the project's root.
"""

from importlib.metadata import version as installed

project = "qubopuzzle"
author = "the authors of qubopuzzle"
project_copyright = "2026, the authors of qubopuzzle"
version = release = installed("qubopuzzle")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx-mathjax-offline",
    "sphinx_llms_txt",
]
html_theme = "furo"
html_title = "qubopuzzle"
html_sourcelink_suffix = ""  # sources are Markdown, and llms.txt lists them

myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_number_source_lines = False

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_use_ivar = True
copybutton_exclude = ".linenos, .gp, .go"


def setup(app):
    """Pages are read in parallel: this extension adds static files only, but does not say so."""
    app.extensions["sphinx-mathjax-offline"].parallel_read_safe = True
