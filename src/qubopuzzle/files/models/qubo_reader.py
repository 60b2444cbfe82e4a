"""qbsolv's files: ``p qubo 0 maxNodes nNodes nCouplers``, then as many lines as that says.

Format: "qbsolv Input File Format" in its documentation. Comments begin with ``c``.
"""

from qubopuzzle.errors import InputError
from qubopuzzle.files.models.coo_reader import OFFSET, Terms
from qubopuzzle.files.models.words import real, text_of, whole
from qubopuzzle.programs.dimod_models import from_bqm
from qubopuzzle.programs.program import Program

_HEAD = "p qubo 0 maxNodes nNodes nCouplers"
_TOPOLOGIES = ("0", "unconstrained")


def read(data: bytes) -> Program:
    """Read the minimised sum of all ``weight * b_i * b_j``, plus ``c offset``, as we write it.

    Variables are named by the numbers of the nodes.

    Raises:
        InputError: naming the line that is none of this format, a node or a coupler that comes
            twice, and for other numbers of lines than the first one says.
    """
    terms, offset, due = Terms(), 0.0, [0, 0]
    most, seen, number = -1, set[tuple[int, ...]](), 0
    for number, line in enumerate(text_of(data).split("\n"), start=1):
        words = line.split()
        if words[:1] and words[0].startswith("c"):
            if told := OFFSET.match(line.strip()):
                offset = real(told[1], number)
        elif words and most < 0:
            if words[:2] != ["p", "qubo"] or len(words) != 6 or words[2] not in _TOPOLOGIES:
                raise InputError(f"line {number}: expected {_HEAD}, got {line.strip()[:40]}")
            most, *due = (whole(word, number, 0, 2**60) for word in words[3:])
        elif words:
            terms.add(words, number, 0, most - 1)
            pair = tuple(sorted(terms.pairs[-1]))
            if pair in seen:
                what = f"{words[0]} {words[1]} comes for the second time"
                raise InputError(f"line {number}: {what}")
            seen.add(pair)
            due[pair[0] < pair[1]] -= 1
    if most < 0 or due != [0, 0]:
        counts = "nothing" if most < 0 else f"{due[0]} more nodes and {due[1]} more couplers"
        what = f"expected {_HEAD}" if most < 0 else "the numbers of lines are not those of line p"
        raise InputError(f"line {number}: {what}: {counts} due")
    return from_bqm(terms.model(offset=offset))
