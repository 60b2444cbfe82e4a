"""Put the published results into the pages anew; nothing is run.

For a table whose look has changed. ``python benchmarks/render.py``
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from qubopuzzle.files.writing import write_whole
from record import IMAGES, Benchmark, published, refresh, rendered


def benchmarks() -> Iterator[Benchmark]:
    """Those of all scripts."""
    for script in sorted(Path(__file__).parent.glob("*.py")):
        yield from getattr(import_module(script.stem), "BENCHMARKS", ())


def tables() -> dict[str, str]:
    """The Markdown of every published table, by name."""
    return {
        name: text
        for benchmark in benchmarks()
        for name, text in rendered(benchmark, *published(benchmark.name)).items()
    }


def main() -> None:
    refresh(tables())
    for benchmark in benchmarks():
        for name, draw in benchmark.images.items():
            write_whole(IMAGES / f"{name}.svg", draw(published(benchmark.name)[1]))


if __name__ == "__main__":
    main()
