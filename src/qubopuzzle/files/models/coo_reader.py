"""Coordinate lists: ``i j coefficient`` a line, of bits or spins.

``dimod.serialization.coo.load`` passes over lines that it cannot read, and has no offset.
"""

import re
from dataclasses import dataclass, field

import dimod
import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.files.models.words import real, text_of, whole
from qubopuzzle.programs.dimod_models import from_bqm
from qubopuzzle.programs.program import Program

_VARTYPE = re.compile(r"#\s*vartype\s*=\s*(\w+)")
OFFSET = re.compile(r"[#c]\s*offset\s+(\S+)")
"""How files of coefficients say it in a comment, ours too."""


@dataclass(slots=True)
class Terms:
    """Lines ``i j coefficient``, one after the other."""

    pairs: list[list[int]] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, words: list[str], line: int, low: int = 0, high: int = 2**60) -> None:
        """Add the words of a line; InputError for other words, and numbers beyond these."""
        if len(words) != 3:
            raise InputError(f"line {line}: expected i j coefficient, got {' '.join(words)[:40]}")
        self.pairs.append([whole(word, line, low, high) for word in words[:2]])
        self.values.append(real(words[2], line))

    def model(self, spins: bool = False, offset: float = 0.0) -> dimod.BinaryQuadraticModel:
        """Their sum plus the offset, over the numbers that occur, in order."""
        numbers, place = np.unique(np.array(self.pairs, dtype=np.int64), return_inverse=True)
        row, column = place.reshape(-1, 2).T
        values, n, single = np.array(self.values, dtype=np.float64), len(numbers), row == column
        return dimod.BinaryQuadraticModel.from_numpy_vectors(
            np.bincount(row[single], values[single], minlength=n),
            (row[~single], column[~single], values[~single]),
            offset,
            dimod.SPIN if spins else dimod.BINARY,
            variable_order=numbers.tolist(),
        )


def read(data: bytes) -> Program:
    """Read the minimised sum of all ``coefficient * v_i * v_j``, plus ``# offset``.

    Terms ``i i coefficient`` are linear. Variables are named by their numbers, those that occur,
    in order. After ``# vartype=SPIN`` they are spins, which become bits: 1 for +1, 0 for -1.

    Raises:
        InputError: naming the line that is none of this format.
    """
    terms, offset, spins = Terms(), 0.0, False
    for number, line in enumerate(text_of(data).split("\n"), start=1):
        words = line.split()
        if words[:1] and words[0].startswith("#"):
            if kind := _VARTYPE.match(line.strip()):
                if kind[1] not in ("BINARY", "SPIN"):
                    raise InputError(f"line {number}: {kind[1][:20]} is neither BINARY nor SPIN")
                spins = kind[1] == "SPIN"
            if told := OFFSET.match(line.strip()):
                offset = real(told[1], number)
        elif words:
            terms.add(words, number)
    return from_bqm(terms.model(spins, offset))
