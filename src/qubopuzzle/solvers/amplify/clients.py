"""The clients of the Amplify SDK: what each needs, and how a request's settings reach it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qubopuzzle.errors import InputError


@dataclass(frozen=True, slots=True)
class Client:
    """A client class of the SDK.

    Attributes:
        kind: its name in ``amplify``.
        title: the service's name.
        needs: what it takes to use it.
        tokens: environment variables that may hold the token, in order; none needs none.
        time_limit: the parameter for the time limit, if it has one.
        package: a distribution that the SDK needs for it.
        url: where it goes by itself; nothing if it must be told.
        whole_seconds: whether the service counts time in whole seconds.
    """

    kind: str
    title: str
    needs: str
    tokens: tuple[str, ...] = ()
    time_limit: str = ""
    package: str = ""
    url: str = ""
    whole_seconds: bool = False

    def __str__(self) -> str:
        """What it is and needs, for people."""
        return f"{self.title}; needs {self.needs}"

    @property
    def is_ae(self) -> bool:
        """Whether it speaks to Amplify AE, whose modes, plans and answers are its own."""
        return self.kind == "AmplifyAEClient"

    @property
    def needs_library(self) -> bool:
        """Whether it loads a library on this machine, and has no url."""
        return self.kind == "GurobiClient"

    def make(self, library: str | None = None) -> Any:
        """A client of the SDK without token or settings."""
        import amplify

        kind = getattr(amplify, self.kind)
        return kind(library) if self.needs_library else kind()

    def check_parameters(self, parameters: Mapping[str, Any]) -> None:
        """InputError for a name that the client's ``parameters`` does not have."""
        import amplify

        known = parameter_names(getattr(amplify, self.kind).Parameters)
        for name in parameters:
            if name.partition(".")[0] not in known:
                names = ", ".join(known)
                raise InputError(f"{self.kind} has no parameter {name!r}; it has: {names}")


def set_parameters(client: Any, parameters: Mapping[str, Any]) -> None:
    """Set ``client.parameters``; a dot in a name leads further in.

    Raises:
        InputError: for a value that the client does not take.
    """
    for name, value in parameters.items():
        *path, last = name.split(".")
        place = client.parameters
        try:
            for part in path:
                place = getattr(place, part)
            setattr(place, last, value)
        except (AttributeError, TypeError, ValueError):
            raise InputError(
                f"parameter {name} of {type(client).__name__}: not {value!r}"
            ) from None


def parameter_names(parameters: Any) -> list[str]:
    """Names of what can be set on a client's ``parameters``."""
    return [
        n for n in dir(parameters) if n[0] != "_" and not isinstance(getattr(parameters, n), type)
    ]


_LEAP, _LEAP_URL = "DWAVE_API_TOKEN", "https://cloud.dwavesys.com/sapi"
CLIENTS: Mapping[str, Client] = {
    "ae": Client(
        "AmplifyAEClient",
        "Amplify AE",
        "a token in AMPLIFY_TOKEN",
        ("AMPLIFY_TOKEN", "AMPLIFYAECLIENT_TOKEN"),
        "time_limit_ms",
        url="https://optigan.fixstars.com",
    ),
    "dwave": Client(
        "DWaveSamplerClient",
        "D-Wave's quantum annealer",
        f"a token in {_LEAP}, dwave-system, and a model small enough to embed",
        (_LEAP, "DWAVESAMPLERCLIENT_TOKEN"),
        package="dwave-system",
        url=_LEAP_URL,
    ),
    "leap": Client(
        "LeapHybridSamplerClient",
        "D-Wave's hybrid solver for QUBOs",
        f"a token in {_LEAP}, and dwave-system",
        (_LEAP, "LEAPHYBRIDSAMPLERCLIENT_TOKEN"),
        "time_limit",
        package="dwave-system",
        url=_LEAP_URL,
    ),
    "leap-cqm": Client(
        "LeapHybridCQMSamplerClient",
        "D-Wave's hybrid solver for constrained models",
        f"a token in {_LEAP}, and dwave-system",
        (_LEAP, "LEAPHYBRIDCQMSAMPLERCLIENT_TOKEN"),
        "time_limit",
        package="dwave-system",
        url=_LEAP_URL,
    ),
    "da4": Client(
        "FujitsuDA4Client",
        "Fujitsu Digital Annealer 4",
        "a token in FUJITSUDA4CLIENT_TOKEN, and --option url=",
        ("FUJITSUDA4CLIENT_TOKEN",),
        "time_limit_sec",
        whole_seconds=True,
    ),
    "da3c": Client(
        "FujitsuDA3cClient",
        "Fujitsu Digital Annealer 3c",
        "a token in FUJITSUDA3CCLIENT_TOKEN, and --option url=",
        ("FUJITSUDA3CCLIENT_TOKEN",),
        "time_limit_sec",
        whole_seconds=True,
    ),
    "sqbm": Client(
        "ToshibaSQBM2Client",
        "Toshiba SQBM+",
        "a token in TOSHIBASQBM2CLIENT_TOKEN, and --option url=",
        ("TOSHIBASQBM2CLIENT_TOKEN",),
        "timeout",
    ),
    "hitachi": Client(
        "HitachiClient",
        "Hitachi's CMOS annealing machine",
        "a token in HITACHICLIENT_TOKEN",
        ("HITACHICLIENT_TOKEN",),
        url="https://annealing-cloud.com/api/v2",
    ),
    "gurobi": Client(
        "GurobiClient",
        "Gurobi on this machine",
        "its licence, and --option library=PATH of its shared library",
        time_limit="time_limit",
    ),
}
