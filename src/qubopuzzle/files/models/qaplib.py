"""QAPLIB (Burkard, Karisch, Rendl 1997): quadratic assignment problems.

Format: qaplib.mgi.polymtl.ca: the size n, then two matrices A and B of n x n numbers.
"""

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from qubopuzzle.errors import TooLarge
from qubopuzzle.files.models.words import Numbers, text_of
from qubopuzzle.programs.program import Program

MOST_PRODUCTS = 20_000_000
"""Products of the objective at most: some 600 MB."""


def read_qaplib(data: bytes) -> Program:
    """Facilities to places, one each, at the least sum of all ``a_ij * b_p(i)p(j)``.

    The bit ``i:k`` says that place k is p(i); rows ``facility`` and ``place`` say exactly one.

    Raises:
        InputError: naming the line of what is no number, and for a file that breaks off.
        TooLarge: for more than ``MOST_PRODUCTS`` numbers of A times numbers of B other than 0.
    """
    numbers = Numbers(text_of(data))
    n = numbers.count("n", high=1000)
    a, b = numbers.array("matrix A", n, n), numbers.array("matrix B", n, n)
    numbers.end()
    size = np.count_nonzero(a) * np.count_nonzero(b)
    if size > MOST_PRODUCTS:
        raise TooLarge(f"{size:,} products in the objective, more than {MOST_PRODUCTS:,}")
    with np.errstate(over="ignore"):  # Program.of refuses what is no number
        products = csr_array(kron(csr_array(a), csr_array(b)))
    single = products.diagonal()  # a_ii b_kk: the square of a bit is the bit
    products.setdiag(0)
    same = eye_array(n)
    rows = [kron(same, np.ones((1, n))), hstack([same] * n)]
    names = range(1, n + 1)
    return Program.of(
        csr_array(vstack(rows)),
        1,
        1,
        cost=single,
        quadratic=products,
        variables=[f"{i}:{k}" for i in names for k in names],
        rows=[f"{what}{i}" for what in ("facility", "place") for i in names],
    )
