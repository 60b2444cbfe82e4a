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


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("qubopuzzle")
    attribute, _, names = _public()
    if name == "__all__":
        return names
    if name not in names:
        from qubopuzzle.base.renamed import PUBLIC, public, warn

        if name in PUBLIC:
            warn(f"qubopuzzle.{name}", f"qubopuzzle.{PUBLIC[name]}")
            return public(PUBLIC[name])
        hint = ""
        if not name.startswith("_"):  # tools ask for such names, and for many of them
            from qubopuzzle.errors import did_you_mean

            hint = f"; {did_you_mean(name, names, 'see dir(qubopuzzle)')}"
        # With its name, as Python would guess one, too, when it shows the error.
        raise AttributeError(f"module 'qubopuzzle' has no attribute {name!r}{hint}", name=name)
    return attribute(name)


def __dir__() -> list[str]:
    names: list[str] = _public()[1]()
    return names
