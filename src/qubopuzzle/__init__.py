"""Logic puzzles and 0-1 models as QUBO penalty models: annealed, decoded, judged.

>>> import qubopuzzle
>>> puzzle = qubopuzzle.Nonogram(rows=[[2], [1]], cols=[[2], [1]])
>>> qubopuzzle.solve(puzzle, seed=1).verdict
'valid'

Public names stand in ``__init__.pyi``, once, and are imported when first used, so that
``import qubopuzzle`` costs nothing.
"""

from typing import Any

import lazy_loader

_found, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("qubopuzzle")
    return _found(name)
