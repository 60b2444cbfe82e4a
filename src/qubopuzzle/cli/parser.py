"""Arguments: those of several commands are described here once; wrong ones are one line."""

import argparse
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NoReturn

from qubopuzzle.cli.terminal import EXIT_STATUS
from qubopuzzle.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from qubopuzzle.solving.settings import Settings

SOURCE = (
    "a file in any format (detected), - for standard input, the text itself, or SET:NAME "
    "(`qubopuzzle fetch`)"
)

REPORT = "write what came of it: .html, .md, .tex or .csv; repeatable"
EXPERIMENTS = ("--minto DIR", "--stochastic-benchmark DIR")
SUBMISSION = ("--qoblib DIR", "--submitter NAME", "--affiliation NAME", "--reference TEXT")


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value


def _weight(text: str) -> tuple[str, float]:
    """Whole weights stay whole, so that the QUBO's coefficients are exact."""
    family, value = _assignment(text)
    try:
        number = float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{family} must be a number, got {value!r}") from None
    return family, int(number) if number.is_integer() else number


def _named_weight(text: str) -> tuple[str, float]:
    """The same of a name that may have ``=`` in it."""
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=W, got {text!r}")
    return name, _weight(f"W={value}")[1]


def _weights(text: str) -> tuple[str, list[float]]:
    """Several weights of one family."""
    family, values = _assignment(text)
    return family, [_weight(f"{family}={value}")[1] for value in values.split(",")]


def _several(text: str) -> list[str]:
    """Names between commas; settings of a name go on behind one, as in ``blocks:rows=2,cols=3``.

    >>> _several("blocks:rows=2,cols=3,lines")
    ['blocks:rows=2,cols=3', 'lines']
    """
    names: list[str] = []
    for part in text.split(","):
        if names and "=" in part and ":" not in part:
            names[-1] += f",{part}"
        else:
            names.append(part.strip())
    return names


def puzzle(text: str) -> str:
    """The name of a kind of puzzle, also for another name of it."""
    from qubopuzzle.puzzles import puzzle_name

    try:
        return puzzle_name(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _file(text: str) -> str:
    """A file where ``-`` cannot stand for standard input or output, which are for other things."""
    if text == "-":
        raise argparse.ArgumentTypeError("expected the name of a file, got -")
    return text


def output(text: str) -> str | None:
    """Where a text is written; ``-`` is standard output, as if no file were named."""
    return None if text == "-" else text


_REPEATED = {"action": "append", "default": [], "type": _assignment}
_KINDS: Mapping[str, Mapping[str, Any]] = {
    "": {"action": "store_true"},
    "N": {"type": int},
    "SECONDS": {"type": float},
    "GIB": {"type": float},
    "FRACTION": {"type": float},
    "FILE": {"type": _file},
    "P": {"type": puzzle},
    "FOLDER": {"type": _file},
    "DIR": {"type": _file},
    "NAME=VALUE": _REPEATED,
    "SOLVER:NAME=VALUE": _REPEATED,
    "NAME=VALUE|FILE": {"action": "append", "default": []},
    "FAMILY=W,W,...": {**_REPEATED, "type": _weights},
    **{value: {"type": _several} for value in ("S,S,...", "F,F,...", "E,E,...", "HOW,HOW,...")},
    "FAMILY=W": {**_REPEATED, "type": _weight},
    "NAME=W": {**_REPEATED, "type": _named_weight},
}
"""Arguments of ``add_argument`` for an option, by its metavar."""
_SHARED = {
    "--best-known NAME=VALUE|FILE": "an instance's best objective (repeatable), or a file of them",
    "--encoding E": "one-hot or domain-wall",
    "--executor E": "where the work is done: dask:local, or dask:tcp://HOST:PORT of a scheduler",
    "--format F": "of the input, see `qubopuzzle formats`",
    "--formulation F": "see `qubopuzzle puzzles`",
    "--jobs N": "processes at work (default 1; of dask:local, cores)",
    "--json": "one JSON object a line and instance",
    "--plot FILE": "draw to .svg, .png, .pdf; {id} in the name for several",
    "--presolve HOW": "none, propagate, probe (slower, finds more), or interleave: in turns "
    "with annealing, as the annealer does",
    "--minto DIR": "write the runs as an experiment of MINTO",
    "--stochastic-benchmark DIR": "write them as raw data of stochastic-benchmark",
    "--qoblib DIR": "write a submission to QOBLIB: of one solver, on instances of one class",
    "--submitter NAME": "its authors, with commas between them",
    "--affiliation NAME": "theirs, in the same order",
    "--reference TEXT": "a paper or repository that says more",
    "--puzzle P": "read only this kind, such as nonogram",
    "--weight FAMILY=W": "penalty weight of a family of rules (default 1 each); repeatable",
}
"""What options that several commands have are for."""


def settings_of(args: argparse.Namespace, **more: Any) -> "Settings":
    """The ``Settings`` of a command's options, with ``more`` of its fields."""
    from qubopuzzle.solving.settings import Settings

    names = ("formulation", "encoding", "presolve")
    given = {name: getattr(args, name) for name in names} | {"weights": dict(args.weight)} | more
    return Settings.of(None, {name: value for name, value in given.items() if value is not None})


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
        self.shared("--puzzle P", "--format F")

    def shared(self, *usages: str) -> None:
        """Options that several commands have."""
        for usage in usages:
            self.option(usage, _SHARED[usage])

    def output(self, text: str = "not to standard output; {id} in the name for one each") -> None:
        """``-o``, where ``-`` is standard output."""
        self.option("-o --output FILE", text, type=output)

    def option(self, usage: str, help: str, group: Any = None, **more: Any) -> None:  # noqa: A002
        """Add an option.

        Args:
            usage: as in the help, such as ``--reads N``; what stands for the value says its type.
            help: what it is for.
            group: argparse's, that it belongs to.
            more: for argparse's ``add_argument``.
        """
        flags = [word for word in usage.split() if word.startswith("-")]
        value = " ".join(word for word in usage.split() if word not in flags)
        named = {"metavar": value} if value else {}
        settings = {"help": help, **named, **_KINDS.get(value, {}), **more}
        (group or self).add_argument(*flags, **settings)

    def actions(self) -> list[argparse.Action]:
        """Argparse's record of each argument and option."""
        return self._actions

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Read the arguments; the value of an option that does not exist is not quoted."""
        known = self._option_string_actions
        for word in takewhile(lambda word: word != "--", words):
            option = word.partition("=")[0]
            if option.startswith("--") and option not in known:
                hint = did_you_mean(option, known, f"see `{self.prog} --help`")
                raise InputError(f"{self.prog} has no option {option}; {hint}")
        # Sources may stand among the options, but argparse then knows no ``--``.
        read = self.parse_known_args if "--" in words else self.parse_known_intermixed_args
        args, unknown = read(words)
        for word in unknown:
            self.error(f"unexpected argument {word[:2] if word.startswith('-') else word!r}")
        return args

    def error(self, message: str) -> NoReturn:
        """Say in one line what is wrong."""
        raise InputError(f"{message.removeprefix('argument ')}; see `{self.prog} --help`")
