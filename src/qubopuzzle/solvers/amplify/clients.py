"""The clients of the Amplify SDK: what each needs, what its plan holds, what is set in one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from math import inf
from operator import le
from typing import Any, NamedTuple

from qubopuzzle.errors import InputError, PlanExceeded, SolverUnavailable, did_you_mean
from qubopuzzle.solvers.base import ANSWER_FILES, installed_version
from qubopuzzle.solvers.services.credentials import Token, checked_token


@dataclass(frozen=True, slots=True)
class Client:
    """A client class of the SDK, ``amplify.KIND``, for the service ``title``.

    ``time_limit``: the parameter for it, if there is one. ``url``: where it goes by itself.
    ``needs``: what it takes besides a token. ``variable``: one of the environment that may hold
    the token, besides KIND_TOKEN. ``package``: a distribution that the SDK needs for it.
    """

    kind: str
    title: str
    time_limit: str = ""
    url: str = ""
    needs: str = ""
    variable: str = ""
    package: str = ""

    def check(self, options: Mapping[str, Any], parameters: Iterable[str]) -> None:
        """InputError or SolverUnavailable for what is not this client's, or not there."""
        name = options["client"]
        for option in () if self.is_ae else ANSWER_FILES:
            if options[option] is not None:
                raise InputError(f"option {option} is for Amplify AE (client ae)")
        if self.needs_library and not options["library"]:
            raise InputError(f"client {name} needs --option library=PATH of Gurobi's library")
        if self.needs_library and options["url"]:
            raise InputError(f"client {name} runs on this machine and takes no url")
        if not (self.needs_library or options["url"] or self.url):
            raise InputError(f"client {name} needs --option url= of the service")
        if self.package and not installed_version(self.package):
            raise SolverUnavailable(f"client {name} cannot run here: pip install {self.package}")
        for parameter in parameters:  # a dot leads further into one
            import amplify

            known = parameter_names(getattr(amplify, self.kind).Parameters)
            if parameter == self.time_limit:
                raise InputError(f"parameter {parameter}: give it as --option seconds=")
            if parameter.partition(".")[0] not in known:
                hint = did_you_mean(parameter, [*known, *options], f"it has: {', '.join(known)}")
                raise InputError(f"{self.kind} has no parameter {parameter!r}; {hint}")

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


_AE, _HITACHI = "https://optigan.fixstars.com", "https://annealing-cloud.com/api/v2"
_AT_URL, _EMBEDDED = "and --option url=", "dwave-system, and a model small enough to embed"
_LIBRARY = "its licence, and --option library=PATH of its shared library"
_leap = partial(
    Client,
    url="https://cloud.dwavesys.com/sapi",
    needs="and dwave-system",
    variable="DWAVE_API_TOKEN",
    package="dwave-system",
)
_fujitsu = partial(Client, time_limit="time_limit_sec", needs=_AT_URL)
CLIENTS: Mapping[str, Client] = {
    "ae": Client("AmplifyAEClient", "Amplify AE", "time_limit_ms", _AE, variable="AMPLIFY_TOKEN"),
    "dwave": _leap("DWaveSamplerClient", "D-Wave's quantum annealer", needs=_EMBEDDED),
    "leap": _leap("LeapHybridSamplerClient", "D-Wave's hybrid solver for QUBOs", "time_limit"),
    "leap-cqm": _leap("LeapHybridCQMSamplerClient", "D-Wave's hybrid for CQMs", "time_limit"),
    "da4": _fujitsu("FujitsuDA4Client", "Fujitsu Digital Annealer 4"),
    "da3c": _fujitsu("FujitsuDA3cClient", "Fujitsu Digital Annealer 3c"),
    "sqbm": Client("ToshibaSQBM2Client", "Toshiba SQBM+", "timeout", needs=_AT_URL),
    "hitachi": Client("HitachiClient", "Hitachi's CMOS annealing machine", url=_HITACHI),
    "gurobi": Client("GurobiClient", "Gurobi on this machine", "time_limit", needs=_LIBRARY),
}


class ServicePlan(NamedTuple):
    """Fully connected variables, seconds of a solve and GPUs that Amplify AE gives; inf: no limit.

    From https://amplify.fixstars.com/en/docs/amplify/v1/amplify_ae.html, "Features".
    """

    variables: float
    seconds: float
    gpus: float

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


def check_plan(name: str, needed: ServicePlan) -> None:
    """PlanExceeded for too many variables, InputError for what else the plan does not hold."""
    plan, fitting = PLANS[name], [n for n, p in PLANS.items() if all(map(le, needed, p))]
    if name in fitting:
        return
    remedy = f"--option plan={fitting[0]} if that is yours, or --force"
    what = f"the {name} plan of Amplify AE holds {plan}, not {needed}; {remedy}"
    if needed.variables > plan.variables:
        raise PlanExceeded(what, int(plan.variables))
    raise InputError(what)


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What is set in a client of the SDK: options of ours, parameters, the time limit."""

    options: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    token: Token | None = None
    proxy: str = field(repr=False, default="")


def settings_of(client: Any) -> ClientSettings | None:
    """Of a client of the SDK, else None; AuthenticationError for a token that no header takes."""
    kind = type(client)
    name = next((name for name, known in CLIENTS.items() if known.kind == kind.__name__), None)
    if kind.__module__.partition(".")[0] != "amplify" or name is None:
        return None
    known, options = CLIENTS[name], {"client": name}
    if getattr(client, "url", "") and client.url != known.url:
        options["url"] = client.url
    if known.is_ae:
        options["mode"] = "constraint" if client.solver.name == "Constraint" else "qubo"
    if known.needs_library:
        options["library"] = str(client.library_path)
    parameters = _set_parameters(client.parameters)
    limit = parameters.pop(known.time_limit, None)
    seconds = limit.total_seconds() if isinstance(limit, timedelta) else limit
    secret = getattr(client, "token", "")
    token = checked_token(secret, f"the {kind.__name__}") if secret.strip() else None
    return ClientSettings(options, parameters, seconds, token, getattr(client, "proxy", None) or "")


def _set_parameters(parameters: Any) -> dict[str, Any]:
    """Parameters that are set, those of a group under ``group.name``."""
    result: dict[str, Any] = {}
    for name in parameter_names(type(parameters)):
        value = getattr(parameters, name)
        if type(value).__module__.startswith("amplify") and not hasattr(value, "name"):
            result |= {f"{name}.{k}": v for k, v in _set_parameters(value).items()}
        elif value is not None:
            result[name] = value
    return result


def parameter_names(kind: type) -> list[str]:
    """Names of what can be set on a client's ``parameters``."""
    return [n for n in dir(kind) if n[0] != "_" and not isinstance(getattr(kind, n), type)]
