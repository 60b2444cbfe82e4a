"""Models on the graph of a quantum annealer: which qubits stand for which variable."""

from qubopuzzle.embedding.hardware import Hardware as Hardware
from qubopuzzle.embedding.search import Embedding as Embedding
from qubopuzzle.embedding.search import Search as Search
from qubopuzzle.embedding.search import clique_embedding as clique_embedding
from qubopuzzle.embedding.search import find_embedding as find_embedding
from qubopuzzle.embedding.search import graph_of as graph_of
from qubopuzzle.embedding.search import least_qubits as least_qubits
