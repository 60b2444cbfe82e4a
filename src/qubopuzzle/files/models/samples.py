"""Assignments as other tools write them: JSON, DIMACS ``v`` lines, or bare numbers."""

import json
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from qubopuzzle.base.checks import NEARLY_WHOLE, brief
from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    import dimod

Sample: TypeAlias = dict[str, int] | list[int]
"""Values by name or number of the variable, or in order."""


def read_sample(text: str) -> Sample:
    """Read an assignment; its format is detected from the content.

    A JSON object (values by label or number, or a dimod sample set: its best sample), a JSON
    list, a SAT solver's answer, a row of 0 and 1, or numbers with white space between them.

    Raises:
        InputError: one line that says what cannot be used.
    """
    if text.lstrip()[:1] in ("{", "["):
        return _from_json(text)
    lines = text.split("\n")
    first = lines[0].split()
    if first[:1] in (["SAT"], ["UNSAT"]) or any(line.startswith(("v ", "s ")) for line in lines):
        return _from_dimacs(lines)
    words = text.split()
    if all(not word.strip("01") for word in words):
        return [int(digit) for word in words for digit in word]
    return [_whole(word, f"value {i}") for i, word in enumerate(words, start=1)]


def _from_json(text: str) -> Sample:
    try:
        data = json.loads(text)
    except RecursionError:
        raise InputError("JSON nested too deeply") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise InputError(f"{where}: not JSON ({error.msg})") from None
    except ValueError:  # a number of more digits than Python converts
        raise InputError("a number in the JSON is too long") from None
    if isinstance(data, list):
        return [_whole(value, f"value {i}") for i, value in enumerate(data, start=1)]
    if data.get("type") == "SampleSet":
        data = _best(data)
    return {str(key): _whole(value, repr(str(key)[:60])) for key, value in data.items()}


def best_sample(sample_set: "dimod.SampleSet") -> dict[Hashable, Any]:
    """Of a dimod sample set, by variable: of the feasible samples, or all, the least in energy.

    Spins become 0 and 1.

    Raises:
        InputError: for a set without samples.
    """
    import dimod

    from qubopuzzle.programs.dimod_models import ranked

    if sample_set.vartype is dimod.SPIN:
        sample_set = sample_set.change_vartype(dimod.BINARY, inplace=False)  # type: ignore[no-untyped-call]
    first = ranked(sample_set).record.sample[:1]
    if not len(first):
        raise InputError("the sample set is empty")
    return dict(zip(sample_set.variables, first[0].tolist(), strict=True))


def _best(data: Mapping[str, Any]) -> Mapping[Any, Any]:
    """The same of dimod's serializable form."""
    import dimod

    try:
        samples = dimod.SampleSet.from_serializable(data)  # type: ignore[no-untyped-call]
        return best_sample(samples)
    except Exception as error:  # whatever it is that a broken one makes dimod raise
        message = " ".join(str(error).split())[:80]
        kind = type(error).__name__
        raise InputError(f"no sample set that dimod reads ({kind}: {message})") from None


def _from_dimacs(lines: list[str]) -> Sample:
    """``v`` lines with literals, or MiniSat's ``SAT`` and a line of them."""
    values: dict[str, int] = {}
    for place, line in enumerate(lines, start=1):
        words = line.split()
        if words[:1] == ["UNSAT"] or words[:2] == ["s", "UNSATISFIABLE"]:
            raise InputError(f"line {place}: it says that there is no solution")
        if not words or words[0] in ("c", "s", "o", "SAT"):  # o: an objective on the way
            continue
        for word in words[1:] if words[0] == "v" else words:
            digits = word.removeprefix("-").removeprefix("x")  # x3 of an OPB file
            if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
                raise InputError(f"line {place}: expected a literal, got {word[:40]!r}")
            if int(digits):
                values[str(int(digits))] = 0 if word.startswith("-") else 1
    return values


def _whole(value: Any, place: str) -> int:
    """A value that is a whole number, or nearly so."""
    try:
        number = float(value)
        nearest = round(number)
        if abs(number - nearest) > NEARLY_WHOLE:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{place}: expected 0 or 1, got {brief(value)}") from None
    return nearest
