"""Compiled code: numba's compiler, as all kernels use it."""

from qubopuzzle.jit.functions import called as called
from qubopuzzle.jit.functions import compiling as compiling
from qubopuzzle.jit.functions import inlined as inlined
from qubopuzzle.jit.functions import kernel as kernel
from qubopuzzle.jit.functions import version_of as version_of
from qubopuzzle.jit.packing import addresses as addresses
from qubopuzzle.jit.packing import pointers as pointers
