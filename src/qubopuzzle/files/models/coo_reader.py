"""Coordinate lists: ``i j coefficient`` a line, of bits.

``dimod.serialization.coo.load`` passes over lines that it cannot read, and has no offset.
"""

import re

import numpy as np
from scipy.sparse import csr_array

from qubopuzzle.errors import InputError
from qubopuzzle.files.models.words import real, text_of, whole
from qubopuzzle.programs.program import Program

_VARTYPE = re.compile(r"#\s*vartype\s*=\s*(\w+)")
_OFFSET = re.compile(r"#\s*offset\s+(\S+)")


def read(data: bytes) -> Program:
    """Read the minimised sum of all ``coefficient * v_i * v_j``, plus ``# offset``.

    Variables are named by their numbers, those that occur, in order.

    Raises:
        InputError: naming the line that is none of this format, and for ``# vartype=SPIN``.
    """
    pairs, values, offset = [], [], 0.0
    for number, line in enumerate(text_of(data).split("\n"), start=1):
        words = line.split()
        if words[:1] and words[0].startswith("#"):
            if (kind := _VARTYPE.match(line.strip())) and kind[1] != "BINARY":
                raise InputError(f"line {number}: {kind[1][:20]}: only BINARY variables are taken")
            if told := _OFFSET.match(line.strip()):
                offset = real(told[1], number)
        elif words:
            if len(words) != 3:
                raise InputError(
                    f"line {number}: expected i j coefficient, got {line.strip()[:40]}"
                )
            pairs.append([whole(word, number, 0, 2**60) for word in words[:2]])
            values.append(real(words[2], number))
    numbers, place = np.unique(np.array(pairs, dtype=np.int64), return_inverse=True)
    row, column = place.reshape(-1, 2).T
    n = len(numbers)
    return Program.of(
        csr_array((0, n)),
        quadratic=csr_array((values, (row, column)), shape=(n, n)),
        offset=offset,
        variables=[str(i) for i in numbers.tolist()],
    )
