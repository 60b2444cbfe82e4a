"""The constraint model: a puzzle as choices and constraints, before any target.

``ModelBuilder`` makes a frozen ``Model``; ``violation`` is what it means;
``propagate`` makes it smaller without changing its solutions.
"""

from qubopuzzle.model.as_problem import ModelProblem
from qubopuzzle.model.builder import ModelBuilder, Rows
from qubopuzzle.model.cuts import Cut, cuts, with_cuts
from qubopuzzle.model.data import (
    UNBOUNDED,
    Acyclic,
    Choice,
    Connected,
    Field,
    IntArray,
    IntMatrix,
    Linear,
    Model,
    Precedence,
    Reading,
)
from qubopuzzle.model.expressions import (
    FALSE,
    TRUE,
    ChoiceHandle,
    Expression,
    Literal,
    Relation,
)
from qubopuzzle.model.problem import Problem, Violation, disagreement
from qubopuzzle.model.propagation import Propagation, propagate
from qubopuzzle.model.semantics import BrokenConstraint, broken, violation, violations

__all__ = [
    "FALSE",
    "TRUE",
    "UNBOUNDED",
    "Acyclic",
    "BrokenConstraint",
    "Choice",
    "ChoiceHandle",
    "Connected",
    "Cut",
    "Expression",
    "Field",
    "IntArray",
    "IntMatrix",
    "Linear",
    "Literal",
    "Model",
    "ModelBuilder",
    "ModelProblem",
    "Precedence",
    "Problem",
    "Propagation",
    "Reading",
    "Relation",
    "Rows",
    "Violation",
    "broken",
    "cuts",
    "disagreement",
    "propagate",
    "violation",
    "violations",
    "with_cuts",
]
