"""The clients of the Amplify SDK: what each needs, what its plan holds, what is set in one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from math import inf
from operator import le
from typing import Any, NamedTuple, Self

from qubopuzzle.solvers.amplify.credentials import Token, checked_token


@dataclass(frozen=True, slots=True)
class Client:
    """A client class of the SDK.

    Attributes:
        kind: its name in ``amplify``.
        title: the service's name.
        time_limit: the parameter for the time limit, if it has one.
        needs: what it takes to use it, besides a token.
        variable: an environment variable that may hold the token, besides ``KIND_TOKEN``.
        package: a distribution that the SDK needs for it.
        url: where it goes by itself; nothing if it must be told.
    """

    kind: str
    title: str
    time_limit: str = ""
    needs: str = ""
    variable: str = ""
    package: str = ""
    url: str = ""

    def __str__(self) -> str:
        """What it is and needs, for people."""
        token = [f"a token in {name}" for name in self.tokens[:1]]
        return f"{self.title}; needs {', '.join(filter(None, [*token, self.needs]))}"

    @property
    def tokens(self) -> tuple[str, ...]:
        """Environment variables that may hold the token, in order; none if it needs none."""
        names = (self.variable, f"{self.kind.upper()}_TOKEN")
        return () if self.needs_library else tuple(filter(None, names))

    @property
    def is_ae(self) -> bool:
        """Whether it speaks to Amplify AE, whose modes, plans and answers are its own."""
        return self.kind == "AmplifyAEClient"

    @property
    def needs_library(self) -> bool:
        """Whether it loads a library on this machine, and has neither url nor token."""
        return self.kind == "GurobiClient"


_at_url = partial(Client, needs="and --option url=")
_leap = partial(
    Client,
    needs="and dwave-system",
    variable="DWAVE_API_TOKEN",
    package="dwave-system",
    url="https://cloud.dwavesys.com/sapi",
)
CLIENTS: Mapping[str, Client] = {
    "ae": Client(
        "AmplifyAEClient",
        "Amplify AE",
        "time_limit_ms",
        variable="AMPLIFY_TOKEN",
        url="https://optigan.fixstars.com",
    ),
    "dwave": _leap(
        "DWaveSamplerClient",
        "D-Wave's quantum annealer",
        needs="dwave-system, and a model small enough to embed",
    ),
    "leap": _leap("LeapHybridSamplerClient", "D-Wave's hybrid solver for QUBOs", "time_limit"),
    "leap-cqm": _leap(
        "LeapHybridCQMSamplerClient", "D-Wave's hybrid solver for constrained models", "time_limit"
    ),
    "da4": _at_url("FujitsuDA4Client", "Fujitsu Digital Annealer 4", "time_limit_sec"),
    "da3c": _at_url("FujitsuDA3cClient", "Fujitsu Digital Annealer 3c", "time_limit_sec"),
    "sqbm": _at_url("ToshibaSQBM2Client", "Toshiba SQBM+", "timeout"),
    "hitachi": Client(
        "HitachiClient",
        "Hitachi's CMOS annealing machine",
        url="https://annealing-cloud.com/api/v2",
    ),
    "gurobi": Client(
        "GurobiClient",
        "Gurobi on this machine",
        "time_limit",
        needs="its licence, and --option library=PATH of its shared library",
    ),
}


class ServicePlan(NamedTuple):
    """A plan of Amplify AE; inf is no limit.

    ``variables`` are fully connected ones, ``seconds`` those of a solve. From
    https://amplify.fixstars.com/en/docs/amplify/v1/amplify_ae.html, "Features of Amplify AE".
    """

    variables: float
    seconds: float
    gpus: float

    def holds(self, needed: Self) -> bool:
        """Whether it has all of that."""
        return all(map(le, needed, self))

    def __str__(self) -> str:
        """What it holds, for people."""
        if self.variables == inf:
            return "no limits"
        solving = f", {self.seconds:g} s" if self.seconds < inf else ""
        return f"{self.variables:,.0f} variables{solving}, {self.gpus:g} GPU(s)"


PLANS: Mapping[str, ServicePlan] = {
    "free": ServicePlan(8_192, 10, 1),
    "standard": ServicePlan(65_536, inf, 8),
    "premium": ServicePlan(131_072, inf, 8),
    "enterprise": ServicePlan(inf, inf, inf),
}


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What is set in a client of the SDK, for a process that makes its like.

    ``options`` are those of solver amplify, ``seconds`` the time limit, if there is one, and
    ``parameters`` the others that are set.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    token: Token | None = None
    proxy: str = field(repr=False, default="")
    seconds: float | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


def settings_of(client: Any) -> ClientSettings | None:
    """The settings of a client of the SDK; None if it is something else.

    Raises:
        AuthenticationError: for a token that no header can carry.
    """
    kind = type(client)
    name = next((name for name, known in CLIENTS.items() if known.kind == kind.__name__), None)
    if kind.__module__.partition(".")[0] != "amplify" or name is None:
        return None
    known = CLIENTS[name]
    options = {"client": name}
    if getattr(client, "url", "") and client.url != known.url:
        options["url"] = client.url
    if known.is_ae:
        options["mode"] = "constraint" if client.solver.name == "Constraint" else "qubo"
    if known.needs_library:
        options["library"] = str(client.library_path)
    token = getattr(client, "token", "")
    parameters = _set_parameters(client.parameters)
    limit = parameters.pop(known.time_limit, None)
    return ClientSettings(
        options,
        checked_token(token, f"the {kind.__name__}") if token.strip() else None,
        getattr(client, "proxy", None) or "",
        limit.total_seconds() if isinstance(limit, timedelta) else limit,
        parameters,
    )


def _set_parameters(parameters: Any) -> dict[str, Any]:
    """Parameters that are set, those of a group under ``group.name``."""
    found: dict[str, Any] = {}
    for name in parameter_names(type(parameters)):
        value = getattr(parameters, name)
        if type(value).__module__.startswith("amplify") and not hasattr(value, "name"):
            found |= {f"{name}.{k}": v for k, v in _set_parameters(value).items()}
        elif value is not None:
            found[name] = value
    return found


def parameter_names(parameters: Any) -> list[str]:
    """Names of what can be set on a client's ``parameters``."""
    return [
        n for n in dir(parameters) if n[0] != "_" and not isinstance(getattr(parameters, n), type)
    ]
