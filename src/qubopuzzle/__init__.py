"""Logic puzzles and 0-1 models as QUBO penalty models: annealed, decoded, judged.

>>> import qubopuzzle
>>> puzzle = qubopuzzle.Nonogram(rows=[[2], [1]], cols=[[2], [1]])
>>> qubopuzzle.solve(puzzle, seed=1).verdict
'valid'

Public names stand in ``__init__.pyi``, once, and are imported when first used, so that
``import qubopuzzle`` costs nothing.
"""

_attached: tuple = ()


def _public() -> tuple:
    global _attached
    if not _attached:
        import lazy_loader

        _attached = lazy_loader.attach_stub(__name__, __file__)
    return _attached


_RENAMED = {"Export": "Form", "Recipe": "Settings"}
"""Public names of the version before, and what they are now; they go with the next one."""


def __getattr__(name: str) -> object:
    if name in _RENAMED:
        import warnings

        new = _RENAMED[name]
        said = f"qubopuzzle.{name} is now qubopuzzle.{new}; the old name goes with the next version"
        warnings.warn(said, FutureWarning, stacklevel=2)
        name = new
    if name == "__version__":
        from importlib.metadata import version

        return version("qubopuzzle")
    found, _, names = _public()
    return names if name == "__all__" else found(name)


def __dir__() -> list[str]:
    names: list[str] = _public()[1]()
    return names
