"""Logic puzzles as QUBO penalty models: annealed, decoded, judged by the rules.

>>> import qubopuzzle
>>> puzzle = qubopuzzle.Nonogram(rows=[[2], [1]], cols=[[2], [1]])
>>> qubopuzzle.solve(puzzle, seed=1).verdict
'valid'

Public names are imported when first used, so that ``import qubopuzzle`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qubopuzzle.bench.comparison import Comparison, compare
    from qubopuzzle.compile import Qubo, compile_qubo
    from qubopuzzle.errors import (
        AuthenticationError,
        DeadlineExceeded,
        InputError,
        ModelError,
        PlanExceeded,
        ProtocolError,
        PuzzleError,
        QubopuzzleError,
        QuotaError,
        ServiceUnavailable,
        SolverFailed,
        SolverUnavailable,
        TooLarge,
        Unsatisfiable,
    )
    from qubopuzzle.files.puzzles import load, solved_address, write_text
    from qubopuzzle.generation.generate import generate
    from qubopuzzle.model import Model, ModelBuilder, propagate, violation
    from qubopuzzle.puzzles import Puzzle, Violation
    from qubopuzzle.puzzles.easyasabc import EasyAsABC
    from qubopuzzle.puzzles.heyawake import Heyawake
    from qubopuzzle.puzzles.hitori import Hitori
    from qubopuzzle.puzzles.kurodoko import Kurodoko
    from qubopuzzle.puzzles.nonogram import Nonogram
    from qubopuzzle.puzzles.numberlink import Numberlink
    from qubopuzzle.puzzles.sudoku import Sudoku
    from qubopuzzle.solving.exchange import decode, judge, to_amplify, to_bqm, to_cnf, to_mip
    from qubopuzzle.solving.export import Recipe, decode_file, export
    from qubopuzzle.solving.result import Result
    from qubopuzzle.solving.solve import all_solvers, solve
    from qubopuzzle.tempering import OneHotTemperingSampler
    from qubopuzzle.tempering.amplify_client import amplify_client

_HOMES = {
    "qubopuzzle.bench.comparison": ("Comparison", "compare"),
    "qubopuzzle.compile": ("Qubo", "compile_qubo"),
    "qubopuzzle.errors": (
        "AuthenticationError",
        "DeadlineExceeded",
        "InputError",
        "ModelError",
        "PlanExceeded",
        "ProtocolError",
        "PuzzleError",
        "QubopuzzleError",
        "QuotaError",
        "ServiceUnavailable",
        "SolverFailed",
        "SolverUnavailable",
        "TooLarge",
        "Unsatisfiable",
    ),
    "qubopuzzle.solving.export": ("Recipe", "decode_file", "export"),
    "qubopuzzle.files.puzzles": ("load", "solved_address", "write_text"),
    "qubopuzzle.generation.generate": ("generate",),
    "qubopuzzle.model": ("Model", "ModelBuilder", "propagate", "violation"),
    "qubopuzzle.solving.exchange": ("decode", "judge", "to_amplify", "to_bqm", "to_cnf", "to_mip"),
    "qubopuzzle.solving.solve": ("all_solvers", "solve"),
    "qubopuzzle.puzzles": ("Puzzle", "Violation"),
    "qubopuzzle.puzzles.easyasabc": ("EasyAsABC",),
    "qubopuzzle.puzzles.heyawake": ("Heyawake",),
    "qubopuzzle.puzzles.hitori": ("Hitori",),
    "qubopuzzle.puzzles.kurodoko": ("Kurodoko",),
    "qubopuzzle.puzzles.nonogram": ("Nonogram",),
    "qubopuzzle.puzzles.numberlink": ("Numberlink",),
    "qubopuzzle.puzzles.sudoku": ("Sudoku",),
    "qubopuzzle.solving.result": ("Result",),
    "qubopuzzle.tempering": ("OneHotTemperingSampler",),
    "qubopuzzle.tempering.amplify_client": ("amplify_client",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AuthenticationError",
    "Comparison",
    "DeadlineExceeded",
    "EasyAsABC",
    "Heyawake",
    "Hitori",
    "InputError",
    "Kurodoko",
    "Model",
    "ModelBuilder",
    "ModelError",
    "Nonogram",
    "Numberlink",
    "OneHotTemperingSampler",
    "PlanExceeded",
    "ProtocolError",
    "Puzzle",
    "PuzzleError",
    "Qubo",
    "QubopuzzleError",
    "QuotaError",
    "Recipe",
    "Result",
    "ServiceUnavailable",
    "SolverFailed",
    "SolverUnavailable",
    "Sudoku",
    "TooLarge",
    "Unsatisfiable",
    "Violation",
    "all_solvers",
    "amplify_client",
    "compare",
    "compile_qubo",
    "decode",
    "decode_file",
    "export",
    "generate",
    "judge",
    "load",
    "propagate",
    "solve",
    "solved_address",
    "to_amplify",
    "to_bqm",
    "to_cnf",
    "to_mip",
    "violation",
    "write_text",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("qubopuzzle")
    if name not in _HOME:
        raise AttributeError(f"module 'qubopuzzle' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
