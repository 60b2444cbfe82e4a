"""Names of the version before: they work until the next one, with a warning that says the new."""

import warnings
from importlib import import_module
from typing import Any

PUBLIC = {"Export": "Form", "Judged": "Answer", "Recipe": "Settings"} | {
    name: f"{module}.{name}"
    for module, names in {
        "errors": (
            "AuthenticationError DeadlineExceeded ExecutorFailed ModelError PlanExceeded "
            "ProtocolError PuzzleError QuotaError ServiceUnavailable "
            "SolverFailed SolverUnavailable TooLarge Unsatisfiable"
        ),
        "compile": "Compiled Qubo compile_qubo",
        "model": "probe propagate violation",
        "embedding": "Hardware",
        "programs": "program_of",
        "solving.embed": "EmbeddedForm",
        "reasons.hints": "Hint",
        "solving.landscape": "Landscape",
        "bench.comparison": "Comparison",
        "solving.form": "decode_file",
        "files.puzzles": "solved_address write_text",
    }.items()
    for name in names.split()
}
"""Names of the package, and what they are now, relative to it."""
ATTRIBUTES = {
    "Answer": {"answer": "grid"},
    "Result": {"answer": "grid", "found": "answers", "judged": "best"},
    "Trace": {"answers": "grids"},
}
"""The same for attributes, by class."""


class Renamed:
    """A class some of whose attributes had other names."""

    def __getattr__(self, name: str) -> Any:
        kind = type(self).__name__
        new = ATTRIBUTES.get(kind, {}).get(name)
        if new is None:
            raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name)
        warn(f"{kind}.{name}", f"{kind}.{new}")
        return getattr(self, new)


def warn(old: str, new: str) -> None:
    """Say what a name is now, at the place that used it: the caller's caller."""
    message = f"{old} is now {new}; the old name goes with the next version"
    warnings.warn(message, FutureWarning, stacklevel=3)


def public(path: str) -> Any:
    """What a name of ``PUBLIC``'s second column is."""
    module, _, name = f"qubopuzzle.{path}".rpartition(".")
    return getattr(import_module(module), name)
