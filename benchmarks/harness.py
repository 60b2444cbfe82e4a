"""What all benchmarks share: arguments, runs, results as JSON Lines, tables in the pages.

A benchmark is a module of a room with ``BENCHMARKS``, one for each file of ``results/``, and
``SETTINGS`` if it has options; ``python benchmarks NAME`` runs it. A run prints its tables and
keeps its rows in ``local/``, which is not versioned. With ``--publish``, which takes nothing but
a full run, they replace ``results/NAME.jsonl`` and the tables and images of the pages. A module
with ``main`` in place of ``BENCHMARKS`` makes what others measure.
"""

from __future__ import annotations

import argparse
import ast
import json
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from math import inf
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from qubopuzzle import compare
from qubopuzzle.base.writing import write_whole
from qubopuzzle.bench.machine import machine as machine_here
from qubopuzzle.bench.machine import words as machine_words

HERE = Path(__file__).parent
ROOT = HERE.parent
ROOMS = ("solvers", "reasons", "forms", "formats", "services", "scale", "data")
RESULTS = HERE / "results"
"""Published rows: a file a benchmark, in its first line what holds for all of them."""
LOCAL = HERE / "local"
IMAGES = ROOT / "docs" / "images"
PAGES = (ROOT / "README.md", ROOT / "benchmarks" / "README.md", *(ROOT / "docs").glob("*.md"))
PACKAGES = ("qubopuzzle", "numpy", "scipy", "dimod", "dwave-samplers", "amplify", "python-sat")

Row = Mapping[str, Any]
Rows = Sequence[Row]
Args = argparse.Namespace
Cases = Iterable[tuple[Any, ...]]
"""Of each case a label, a function that measures a row or several, and its arguments; None
among them says that something is not at hand."""
Columns = Mapping[str, str | Callable[[Row], str]]
"""Of a table: heads, and format strings or functions of a row."""
Ways = Mapping[str, Mapping[str, Any]]
"""Settings of a configuration by what the tables call them."""
Settings = Mapping[str, tuple[Any, str]]
"""Options of a script by their names: default and help. The defaults are a full run.

One whose default is a ``Path`` only says where something is: it may be changed, and is not told.
A name in capitals is no option but a word of the command, and a default that is False a flag.
"""


@dataclass(frozen=True)
class Benchmark:
    """Rows that are measured together, and what shows them.

    Attributes:
        name: of the file in ``results/``.
        cases: what is measured, given the arguments. Instances are loaded and kernels
            compiled here; the rest is left to the functions.
        tables: columns or Markdown of the rows, by the name that the pages' markers have.
        images: SVG of the rows, by the name of the file in docs/images.
        packages: whose versions are recorded beside those of ``PACKAGES``.
    """

    name: str
    cases: Callable[[Args], Cases]
    tables: Mapping[str, Columns | Callable[[Rows], str]]
    images: Mapping[str, Callable[[Rows], bytes]] = field(default_factory=dict)
    packages: Sequence[str] = ()


# --- rooms -----------------------------------------------------------------------------


def scripts() -> dict[str, Path]:
    """What ``python benchmarks NAME`` runs, by name."""
    paths = [HERE / "against.py"]
    paths += [path for room in ROOMS for path in sorted((HERE / room).glob("*.py"))]
    runs = re.compile(r"^(BENCHMARKS = |def main\()", re.M)
    return {path.stem: path for path in paths if runs.search(path.read_text())}


def run(name: str = "", argv: Sequence[str] | None = None) -> None:
    """Run one of them; without a name, list them, and with ``render`` only put tables anew."""
    argv = sys.argv[1:] if argv is None else argv
    if name == "render":
        render()
        return
    if name not in scripts():
        print(*_listed(), sep="\n")
        if name and not name.startswith("-"):
            sys.exit(f"error: there is no benchmark {name!r}")
        return
    module = _module(scripts()[name])
    if hasattr(module, "main"):
        sys.exit(module.main(argv))
    main(name, module.__doc__, module.BENCHMARKS, getattr(module, "SETTINGS", {}), argv)


def _listed() -> Iterator[str]:
    yield "python benchmarks NAME [--help]\n"
    for name, path in scripts().items():
        doc = ast.get_docstring(ast.parse(path.read_text())) or ""
        yield f"{path.parent.name:12}{name:20}{doc.splitlines()[0]}"


def _module(path: Path) -> Any:
    return import_module(".".join(path.relative_to(HERE).with_suffix("").parts))


def benchmarks() -> Iterator[Benchmark]:
    """Those of all modules."""
    for path in scripts().values():
        yield from getattr(_module(path), "BENCHMARKS", ())


def render() -> None:
    """Put the published results into the pages anew, for a table whose look has changed."""
    refresh(tables())
    for benchmark in benchmarks():
        for name, draw in benchmark.images.items():
            write_whole(IMAGES / f"{name}.svg", draw(published(benchmark.name)[1]))


def tables() -> dict[str, str]:
    """The Markdown of every table that can be made anew, by name."""
    return {
        name: text
        for benchmark in benchmarks()
        if (RESULTS / f"{benchmark.name}.jsonl").exists()
        for name, text in rendered(benchmark, *published(benchmark.name)).items()
    }


# --- running ---------------------------------------------------------------------------


def main(
    script: str,
    doc: str | None,
    benchmarks: Sequence[Benchmark],
    settings: Settings,
    argv: Sequence[str],
) -> None:
    """Run what the command line asks for; what cannot be published is refused before."""
    args = _arguments(doc, benchmarks, settings, argv)
    places = {name: own for name, (own, _) in settings.items() if isinstance(own, Path)}
    changed = [name for name, (default, _) in settings.items() if getattr(args, name) != default]
    changed = [name for name in changed if name not in places]
    _refuse("leave out", args, [*map(_flag, changed), *["--only"] * bool(args.only)])
    chosen = [(b, list(b.cases(args))) for b in benchmarks if args.table in ("", b.name)]
    _refuse("not at hand:", args, [c[0] for _, cases in chosen for c in cases if _missing(c)])
    words = [word for word in argv if word not in ("--publish", "--resume")]
    for name, place in places.items():
        words = [_told(word, getattr(args, name), place) for word in words]
    about = {
        "command": shlex.join(["python", "benchmarks", script, *words]),
        "settings": {name: getattr(args, name) for name in settings if name not in places},
    }
    if not args.resume:
        shutil.rmtree(_runs(), ignore_errors=True)
    for benchmark, cases in chosen:
        try:
            rows = _measured(f"{benchmark.name} {about['settings']}", cases, args)
        except KeyboardInterrupt:
            sys.exit(f"{benchmark.name}: interrupted, nothing is written")
        if not rows:
            print(f"{benchmark.name}: nothing measured")
            continue
        meta = about | machine(benchmark.packages)
        LOCAL.mkdir(exist_ok=True)  # also where a table then turns out to be wrong
        write_whole(LOCAL / f"{benchmark.name}.jsonl", jsonl(meta, rows))
        if args.publish:
            publish(benchmark, meta, rows)
        print(*rendered(benchmark, meta, rows).values(), sep="\n")


def _refuse(what: str, args: Args, named: Sequence[str]) -> None:
    if args.publish and named:
        sys.exit(f"error: --publish takes a full run; {what} {', '.join(named)}")


def _arguments(
    doc: str | None, benchmarks: Sequence[Benchmark], settings: Settings, argv: Sequence[str]
) -> Args:
    parser = argparse.ArgumentParser(
        prog="python benchmarks NAME",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for name, (default, words) in settings.items():
        words = f"{words} (default: {default})"
        more: dict[str, Any] = {"type": type(default)}
        if default is False:
            more = {"action": "store_true"}
        elif name.isupper():
            more["nargs"] = "?"
        parser.add_argument(_flag(name), default=default, help=words, **more)
    words = "only the cases that have one of these texts in their names"
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help=words)
    names = [benchmark.name for benchmark in benchmarks]
    parser.add_argument("--table", choices=names, default="", help="one of several")
    words = "take what a run of this commit had measured when it was broken off"
    parser.add_argument("--resume", action="store_true", help=words)
    words = "cases measured at a time, each in a process of its own (default: 1)"
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help=words)
    words = "replace the published results, and the tables in the pages, by this full run"
    parser.add_argument("--publish", action="store_true", help=words)
    return parser.parse_args(argv)


def _flag(name: str) -> str:
    return name if name.isupper() else f"--{name.replace('_', '-')}"


def _told(word: str, given: Path, place: Path) -> str:
    """A word of the command line, without where something is on this machine."""
    option, equals, value = word.rpartition("=")
    return f"{option}{equals}{place}" if Path(value) == given else word


def _missing(case: tuple[Any, ...]) -> bool:
    return any(part is None for part in case)


def _measured(what: str, cases: Sequence[tuple[Any, ...]], args: Args) -> list[Row]:
    """The rows of all cases; of each that is done they are kept in a file, for ``--resume``.

    ``what`` is measured, with which settings: a part of the file's name.
    """
    rows: list[Row] = []
    chosen = [case for case in cases if not args.only or any(text in case[0] for text in args.only)]
    for case in filter(_missing, chosen):
        print(f"{case[0]}: left out, not at hand")
    chosen = [case for case in chosen if not _missing(case)]
    labels = [case[0] for case in chosen]
    calls = [
        (_runs() / "cases" / sha256(f"{what} {case[0]}".encode()).hexdigest(), *case[1:])
        for case in chosen
    ]
    # Processes that are forked have the kernels that cases compiled.
    with ProcessPoolExecutor(args.jobs, get_context("fork")) as pool:
        done = map(_case, calls) if args.jobs == 1 else pool.map(_case, calls)
        for label, (seconds, found) in zip(labels, done, strict=True):
            rows += found if isinstance(found, list) else [found]
            print(f"{label}: {seconds:.1f} s", flush=True)
    return rows


def _case(call: tuple[Any, ...]) -> tuple[float, Any]:
    path, *call_of = call
    return _from_file(path, lambda: timed(*call_of))


def _from_file(path: Path, make: Callable[[], Any]) -> Any:
    """What a file has, or else what is made, which it then has; fit for JSON."""
    if not path.exists():
        made = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(made).encode())
    return json.loads(path.read_text())


def compared(
    problem: Any, ways: Ways, seeds: int, limit: float, **more: Any
) -> dict[str, list[Row]]:
    """The rows of ``compare`` by way, as ``python benchmarks ... --resume`` takes them again.

    Args:
        ways: settings of a configuration each, by the name that tables have for it.
        seeds: runs of a heuristic; an exact solver has one.
        more: arguments of ``compare``.
    """
    journal = _runs() / f"{problem.name}-{problem.id}-{'-'.join(ways)}"[:150].replace("/", "_")
    journal.parent.mkdir(parents=True, exist_ok=True)
    found = compare(
        problem,
        configurations=[{"name": name, **own} for name, own in ways.items()],
        repeat=seeds,
        time_limit=limit,
        journal=journal,
        resume=True,
        **more,
    )
    if found.interrupted:
        raise KeyboardInterrupt
    assert found.complete, found.stopped or found.lost
    assert not found.contradictions, found.contradictions
    groups = grouped(found.rows, "configuration")
    return {name: groups[name,] for name in ways}


def resumed(call: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns, fit for JSON; ``--resume`` takes it again where it was called before.

    Its file is named by function and arguments, numbers and short texts.
    """
    path = _runs() / "-".join(map(str, (call.__name__.strip("_"), *arguments)))
    return _from_file(path, lambda: call(*arguments))


def _runs() -> Path:
    """Where journals of this commit are, and what else ``--resume`` takes."""
    return LOCAL / "runs" / _commit()


def machine(packages: Sequence[str] = ()) -> dict[str, Any]:
    """The machine and the versions that figures depend on."""
    return {
        "date": date.today().isoformat(),
        "commit": _commit(),
        "machine": machine_words(machine_here()),
        "python": platform.python_version(),
        "versions": dict(_versions((*PACKAGES, *packages))),
    }


def _versions(packages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Of those that are installed."""
    for name in packages:
        with suppress(PackageNotFoundError):
            yield name, version(name)


@cache
def _commit() -> str:
    """The commit before this run wrote anything."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


# --- results ---------------------------------------------------------------------------


def jsonl(meta: Row, rows: Rows) -> bytes:
    """A line ``{"_meta": ...}``, then a line a row."""
    lines = [{"_meta": meta}, *rows]
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines).encode()


def published(name: str) -> tuple[Row, Rows]:
    """What holds for all rows of ``results/NAME.jsonl``, and the rows."""
    first, *rows = map(json.loads, (RESULTS / f"{name}.jsonl").read_text().splitlines())
    return first["_meta"], rows


def publish(benchmark: Benchmark, meta: Row, rows: Rows) -> None:
    """Replace the rows in ``results/`` and what the pages show of them."""
    files = {RESULTS / f"{benchmark.name}.jsonl": jsonl(meta, rows)}
    files |= {IMAGES / f"{name}.svg": draw(rows) for name, draw in benchmark.images.items()}
    texts = rendered(benchmark, meta, rows)
    for path, data in files.items():
        write_whole(path, data)
    refresh(texts)


# --- tables ----------------------------------------------------------------------------


def rendered(benchmark: Benchmark, meta: Row, rows: Rows) -> dict[str, str]:
    """The tables of a benchmark by name: Markdown, and how it came about."""
    texts = {
        name: show(rows) if callable(show) else table(show, rows)
        for name, show in benchmark.tables.items()
    }
    return {name: f"{text}\n\n{caption(meta)}\n" for name, text in texts.items()}


def caption(meta: Row) -> str:
    """How a table came about, the last line of it."""
    versions = [f"{name} {v}" for name, v in meta["versions"].items() if name != "qubopuzzle"]
    return (
        f"`{meta['command']}`, {meta['date']}, commit {meta['commit']}, {meta['machine']}, "
        f"Python {meta['python']}, {', '.join(versions)}"
    )


def table(columns: Columns, rows: Rows) -> str:
    """A Markdown table of rows.

    >>> print(table({"id": "{id}", "s": "{seconds:.2f}"}, [{"id": "a", "seconds": 1}]))
    | id | s |
    | --- | ---: |
    | a | 1.00 |
    """
    cells = [
        [c.format_map(row) if isinstance(c, str) else c(row) for c in columns.values()]
        for row in rows
    ]
    return markdown(list(columns), cells)


def timed(call: Callable[..., Any], *arguments: Any, **more: Any) -> tuple[float, Any]:
    """Seconds (wall clock) of a call, and what it returns."""
    start = time.perf_counter()
    found = call(*arguments, **more)
    return time.perf_counter() - start, found


def grouped(rows: Rows, *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by the values of some keys, in order of appearance."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def refusals(rows: Rows) -> str:
    """Below a table: the instances that were refused, and why."""
    named = [f"{row['id']} ({row['refused']})" for row in rows if row["refused"]]
    return f"\n\nRefused: {'; '.join(named) or 'none'}."


def median_s(seconds: Iterable[float | None]) -> float:
    """Their median; a run that failed is None and counts as endless."""
    return median(inf if s is None else s for s in seconds)


def markdown(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table, first column to the left, the others to the right."""
    whole = [columns, ["---", *["---:"] * (len(columns) - 1)], *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in whole)


def refresh(texts: Mapping[str, str]) -> None:
    """Put tables between the pages' ``<!-- result: NAME -->`` and ``<!-- end -->``."""
    marked = re.compile(r"(<!-- result: (\w+) -->\n)(.*?)(<!-- end -->)", re.S)
    for page in PAGES:
        before = page.read_text()
        after = marked.sub(lambda m: m[1] + texts.get(m[2], m[3]) + m[4], before)
        if after != before:
            write_whole(page, after.encode())
