"""Arguments: those of several commands are described here once; wrong ones are one line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from qubopuzzle.cli.terminal import EXIT_STATUS
from qubopuzzle.errors import InputError, did_you_mean

SOURCE = "a file in any format (told by content), - for standard input, or the text itself"


def assignment(text: str) -> tuple[str, str]:
    """Read NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value


def weight(text: str) -> tuple[str, float]:
    """Read FAMILY=W; whole weights stay whole, so that the QUBO's coefficients are exact."""
    family, value = assignment(text)
    try:
        number = float(value)
    except ValueError:
        message = f"weight of {family} must be a number, got {value!r}"
        raise argparse.ArgumentTypeError(message) from None
    return family, int(number) if number.is_integer() else number


def output(text: str) -> str | None:
    """Where a text is written; ``-`` is standard output, as if no file were named."""
    return None if text == "-" else text


def file(text: str) -> str:
    """The name of a file where ``-`` cannot be standard output, which has other things."""
    if text == "-":
        raise argparse.ArgumentTypeError("expected the name of a file; standard output is taken")
    return text


_REPEATED = {"action": "append", "default": [], "metavar": "NAME=VALUE", "type": assignment}
_SHARED: Mapping[str, Mapping[str, Any]] = {
    "--encoding": {"metavar": "E", "help": "one-hot or domain-wall"},
    "--format": {"metavar": "F", "help": "of the input, see `qubopuzzle formats`"},
    "--formulation": {"metavar": "F", "help": "see `qubopuzzle puzzles`"},
    "--json": {"action": "store_true", "help": "one JSON object a line and instance"},
    "--option": {**_REPEATED, "help": "an option of the solver; repeatable"},
    "-o/--output": {
        "metavar": "FILE",
        "type": output,
        "help": "not to standard output; {id} in the name for one each",
    },
    "--plot": {
        "metavar": "FILE",
        "type": file,
        "help": "draw to .svg, .png, .pdf; {id} in the name for several",
    },
    "--presolve": {
        "default": "none",
        "metavar": "HOW",
        "help": "none (default) or propagate",
    },
    "--puzzle": {"metavar": "P", "help": "read only this kind, such as nonogram"},
    "--seed": {"type": int, "metavar": "N", "help": "for everything random"},
    "--time-limit": {"type": float, "metavar": "SECONDS"},
    "--to": {"metavar": "F", "help": "the format, see `qubopuzzle formats`"},
    "--weight": {
        **_REPEATED,
        "type": weight,
        "metavar": "FAMILY=W",
        "help": "penalty weight of a family of rules (default 1 each); repeatable",
    },
}


class Parser(argparse.ArgumentParser):
    """The arguments of one command."""

    def __init__(self, name: str, about: str) -> None:
        super().__init__(
            prog=f"qubopuzzle {name}",
            description=about,
            epilog=EXIT_STATUS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,  # --token must not be taken for --token-file
        )

    def sources(self, nargs: int | str = 1, what: str = SOURCE) -> None:
        """The puzzles to read: one source, or as many as argparse's ``nargs`` says."""
        name = "PUZZLE" if nargs == 1 else "SOURCE"
        self.add_argument("sources", nargs=nargs, metavar=name, help=what)
        self.shared("--puzzle", "--format")

    def shared(self, *flags: str, **changed: Any) -> None:
        """Options that several commands have; ``changed`` is what is different here."""
        for flag in flags:
            self.add_argument(*flag.split("/"), **{**_SHARED[flag], **changed})

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Read the arguments; the value of an option that does not exist is not quoted."""
        args, unknown = self.parse_known_intermixed_args(words)
        options = [word.partition("=")[0] for word in unknown if word.startswith("-")]
        if options:
            known = self._option_string_actions
            hint = did_you_mean(options[0], known, f"see `{self.prog} --help`")
            raise InputError(f"{self.prog} has no option {options[0]}; {hint}")
        if unknown:
            self.error(f"unexpected argument {unknown[0]!r}")
        return args

    def error(self, message: str) -> NoReturn:
        """Say in one line what is wrong."""
        raise InputError(f"{message}; see `{self.prog} --help`")
