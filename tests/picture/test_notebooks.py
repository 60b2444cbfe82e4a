"""What a notebook shows: pictures, verdicts and tables, by ``_repr_html_`` and ``_repr_svg_``."""

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib.figure
import pytest

import qubopuzzle
from qubopuzzle import ModelBuilder, Nonogram, compare, export, solve
from qubopuzzle.errors import InputError

PUZZLE = Nonogram(rows="1;1 1;1 1;5;1 1", cols=[2, 3, "1 1", 3, 2], id="<a>")


def model(name="x<1>"):
    b = ModelBuilder()
    x, y = b.choice(name, range(3)), b.choice("y", range(3))
    b.precedence("order", [x], [y], [2])
    b.add("sum", (x == 0) + (y == 2) == 2)
    return replace(b.build(), id="m & n")


def test_a_result_shows_picture_verdict_and_what_is_broken():
    shown = solve(PUZZLE, seed=1)._repr_html_()
    assert shown.startswith("<svg")
    assert "<p><b>valid</b> | " in shown
    assert "<table>" not in shown
    wrong = solve(PUZZLE, "random", seed=1, reads=1)
    shown = wrong._repr_html_()
    assert f"<b>{wrong.verdict}</b>" in shown
    assert f'<td>field</td><td style="text-align:right">{wrong.energies["field"]}</td>' in shown
    assert wrong.violations[0].message in shown


def test_a_result_without_answer_or_picture_shows_itself_too():
    proved = solve(Nonogram(rows=[2, 0], cols=[2, 0]), seed=1)
    assert "<b>no solution (proved by " in proved._repr_html_()
    shown = solve(model(), seed=1)._repr_html_()
    assert "<pre>x&lt;1&gt; = 0\ny = 2</pre>" in shown


def test_a_model_and_an_export_show_tables():
    shown = model()._repr_html_()
    assert "<caption>m &amp; n</caption>" in shown
    assert shown.count("<tr>") == 1 + 3  # once, order, sum
    assert repr(model()).startswith("<Model 'm & n': 2 choices, 6 literals, 1 rows, families ")
    for form in ("bqm", "dimacs", "lp", "opb"):
        shown = export(PUZZLE, form)._repr_html_()
        assert f"<td>{form}</td>" in shown or f"<td>program-{form}</td>" in shown
        assert "<th>&lt;a&gt;</th>" in shown
    assert "sizes of coefficients" in export(PUZZLE, "bqm")._repr_html_()


@pytest.fixture
def compared(kept_runs):
    return compare([PUZZLE], ["random", "exact"], repeat=2, time_limit=0.3)


def test_a_comparison_is_tables_a_frame_and_a_figure(compared, tmp_path):
    shown = compared._repr_html_()
    assert shown.count("<table>") == 2
    assert "random" in shown
    path = tmp_path / "c.csv"
    text = compared.to_csv(path)
    assert path.read_text() == text
    assert [row["configuration"] for row in csv.DictReader(io.StringIO(text))] == [
        "random",
        "exact",
    ]
    figure = matplotlib.figure.Figure()
    assert [ax.get_title() for ax in compared.plot(figure)] == [
        "Solved by when",
        "Time against size",
    ]
    pandas = pytest.importorskip("pandas")
    frame = compared.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == len(compared.rows)
    assert set(frame["configuration"]) == {"random", "exact"}


def test_a_frame_without_pandas_is_one_line(compared, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(InputError, match="to_frame needs pandas: pip install pandas"):
        compared.to_frame()


def test_a_puzzle_shows_its_picture():
    puzzle = qubopuzzle.load(Path(__file__).parents[2] / "examples/sudoku.json")[0]
    assert "<svg" in puzzle._repr_svg_()


GRID = "..9..8...1.6.9........1.3.2...57....43......9.98..3.....2....746.....8..54......3"


def test_a_hint_shows_the_board_and_its_text():
    puzzle = qubopuzzle.Sudoku(GRID)
    step = qubopuzzle.hint(puzzle, {})
    shown = step._repr_html_()
    assert shown.startswith("<svg")
    assert f"<p>{step.text.replace(chr(10), '<br>')}</p>" in shown.replace("<b></b>", "")
    picture = step.picture()
    cell, value = step.cell, step.value
    assert picture.words[cell] == str(value)
    assert picture.notes[cell] == "decided"
    assert picture.notes.keys() == {*step.cells, *step.because, *step.near}
    assert picture.broken == frozenset()
    assert json.loads(json.dumps(step.to_dict())) == step.to_dict()


def test_marks_that_contradict_each_other_are_red():
    puzzle = qubopuzzle.Sudoku(GRID)
    step = qubopuzzle.hint(puzzle, {(0, 1): 3})
    assert step.cell is None
    assert step.picture().broken == {*step.because}
    assert step.picture().words[0, 1] == "3"


CELLS = (
    "from qubopuzzle import Nonogram, compare, export, solve\n"
    'puzzle = Nonogram(rows="1;1 1;1 1;5;1 1", cols=[2, 3, "1 1", 3, 2])\n'
    "puzzle",
    'result = solve(puzzle, presolve="none", seed=1, trace=True, progress=True)\nresult',
    'wrong = solve(puzzle, "random", seed=1, reads=1)\nwrong',
    'found = compare(puzzle, ["random", "exact"], repeat=1, time_limit=0.2, progress=True)\nfound',
    "found.plot();",
    "result.plot_trace();",
    "puzzle.model()",
    'export(puzzle, "bqm")',
)


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """What a notebook of these cells shows, by nbconvert: the outputs of each."""
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    folder = tmp_path_factory.mktemp("notebook")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [
        {"cell_type": "code", "id": f"cell-{i}", "execution_count": None, "metadata": {}}
        | {"outputs": [], "source": source}
        for i, source in enumerate(CELLS)
    ]
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "book.ipynb").write_text(json.dumps(book))
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--stdout"]
    done = subprocess.run(
        [*command, folder / "book.ipynb"], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return [cell["outputs"] for cell in json.loads(done.stdout)["cells"]]


def test_a_notebook_shows_pictures_verdicts_and_tables_once(executed):
    shown = [
        "".join("".join(own["data"].get(kind, ())) for own in cell if "data" in own)
        for cell, kind in zip(
            executed,
            ("image/svg+xml", *["text/html"] * 3, *["image/png"] * 2, *["text/html"] * 2),
            strict=True,
        )
    ]
    puzzle, result, wrong, compared, plotted, course, model, exported = shown
    assert puzzle.count("<svg") == 1
    assert result.count("<svg") == result.count("<b>valid</b>") == 1
    assert wrong.count("<b>not solved (7 rules broken)") == 1
    assert "<td>field</td>" in wrong
    assert compared.count("<table>") == 2
    assert len(plotted) > 1000
    assert len(course) > 1000
    assert model.count("<table>") == exported.count("<table>") == 1
    assert all(sum("data" in own for own in cell) == 1 for cell in executed)


def test_a_notebook_says_nothing_twice(executed):
    """Of a bar there is nothing without ipywidgets but the warning, and no line comes again."""
    for cell in executed:
        said = "".join("".join(own["text"]) for own in cell if own["output_type"] == "stream")
        lines = [line for line in said.splitlines() if re.search(r"\w", line)]
        assert len(lines) == len(set(lines))
