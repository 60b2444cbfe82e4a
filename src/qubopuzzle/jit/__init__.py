"""Compiled code, as all kernels use it; numba is imported when a kernel is first compiled.

What ``packing`` packs for kernels takes numba; import it where they run.
"""

from qubopuzzle.jit.functions import as_lists as as_lists
from qubopuzzle.jit.functions import called as called
from qubopuzzle.jit.functions import inlined as inlined
from qubopuzzle.jit.functions import pointers as pointers
from qubopuzzle.jit.functions import version_of as version_of
from qubopuzzle.jit.kernels import Kernel as Kernel
from qubopuzzle.jit.kernels import compiling as compiling
from qubopuzzle.jit.kernels import kernel as kernel
