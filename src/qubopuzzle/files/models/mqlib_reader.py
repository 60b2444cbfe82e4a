"""MQLib's files of QUBOs: ``n m``, then m lines ``i j coefficient``, counted from 1.

``x' Q x`` is maximised for a symmetric matrix Q of which one triangle is in the file (Dunning,
Gupta and Silberholz, INFORMS Journal on Computing 30, 608, 2018). Comments begin with ``#``.
"""

from dataclasses import replace

from qubopuzzle.errors import InputError
from qubopuzzle.files.models.coo_reader import OFFSET, Terms
from qubopuzzle.files.models.words import real, text_of, whole
from qubopuzzle.programs.dimod_models import from_bqm
from qubopuzzle.programs.program import Program


def read(data: bytes) -> Program:
    """Read what is maximised, less ``# offset``, as we write it; so couplings count twice.

    Variables are named by their numbers, 1 to n.

    Raises:
        InputError: naming the line that is none of this format, and for another number of lines
            than the first one says.
    """
    terms, offset, n, due, number = Terms(), 0.0, -1, 0, 0
    for number, line in enumerate(text_of(data).split("\n"), start=1):
        words = line.split()
        if words[:1] and words[0].startswith("#"):
            if told := OFFSET.match(line.strip()):
                offset = real(told[1], number)
        elif words and n < 0:
            if len(words) != 2:
                raise InputError(f"line {number}: expected n m, got {line.strip()[:40]}")
            n, due = whole(words[0], number, 1, 10**6), whole(words[1], number, 0, 2**60)
        elif words:
            terms.add(words, number, 1, n)
            i, j = terms.pairs[-1]
            terms.values[-1] *= 1 if i == j else 2
            due -= 1
    if n < 0 or due:
        why = "expected n m" if n < 0 else f"{abs(due)} lines too {'few' if due > 0 else 'many'}"
        raise InputError(f"line {number}: {why}")
    for i in range(1, n + 1):  # those that are in no line are variables, too
        terms.pairs.append([i, i])
        terms.values.append(0.0)
    return replace(from_bqm(terms.model(offset=-offset)), maximize=True)
