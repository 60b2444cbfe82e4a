"""The constraint model: a puzzle as choices and constraints, before any target.

``ModelBuilder`` makes a frozen ``Model``; ``violation`` is what it means;
``propagate`` makes it smaller without changing its solutions.
"""

from qubopuzzle.model.builder import ModelBuilder as ModelBuilder
from qubopuzzle.model.builder import Rows as Rows
from qubopuzzle.model.cuts import Cut as Cut
from qubopuzzle.model.cuts import cuts as cuts
from qubopuzzle.model.cuts import with_cuts as with_cuts
from qubopuzzle.model.data import UNBOUNDED as UNBOUNDED
from qubopuzzle.model.data import Acyclic as Acyclic
from qubopuzzle.model.data import Choice as Choice
from qubopuzzle.model.data import Connected as Connected
from qubopuzzle.model.data import Field as Field
from qubopuzzle.model.data import IntArray as IntArray
from qubopuzzle.model.data import IntMatrix as IntMatrix
from qubopuzzle.model.data import Linear as Linear
from qubopuzzle.model.data import Model as Model
from qubopuzzle.model.data import Objective as Objective
from qubopuzzle.model.data import Precedence as Precedence
from qubopuzzle.model.data import View as View
from qubopuzzle.model.expressions import FALSE as FALSE
from qubopuzzle.model.expressions import TRUE as TRUE
from qubopuzzle.model.expressions import ChoiceHandle as ChoiceHandle
from qubopuzzle.model.expressions import Expression as Expression
from qubopuzzle.model.expressions import Literal as Literal
from qubopuzzle.model.expressions import Relation as Relation
from qubopuzzle.model.propagation import Propagation as Propagation
from qubopuzzle.model.propagation import probe as probe
from qubopuzzle.model.propagation import propagate as propagate
from qubopuzzle.model.semantics import BrokenConstraint as BrokenConstraint
from qubopuzzle.model.semantics import Violation as Violation
from qubopuzzle.model.semantics import broken as broken
from qubopuzzle.model.semantics import disagreement as disagreement
from qubopuzzle.model.semantics import violation as violation
from qubopuzzle.model.semantics import violations as violations
