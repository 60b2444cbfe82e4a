"""A client of the SDK that a user has set up: what is in it, for a process that makes its like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from qubopuzzle.solvers.amplify.clients import CLIENTS, parameter_names
from qubopuzzle.solvers.amplify.token import Token, checked_token

_MODES = {"Constraint": "constraint", "Qubo": "qubo", "Pubo": "qubo"}


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """The settings of a client: ``options`` of solver amplify, and what is no option.

    ``seconds`` is its time limit, if it has one; ``parameters`` are the others that are set.
    """

    options: Mapping[str, str]
    token: Token | None
    proxy: str = field(repr=False)
    seconds: float | None
    parameters: Mapping[str, Any]


def settings_of(client: Any) -> ClientSettings | None:
    """The settings of a client of the SDK; None if it is something else.

    Raises:
        AuthenticationError: for a token that no header can carry.
    """
    kind = type(client)
    names = [name for name, known in CLIENTS.items() if known.kind == kind.__name__]
    if kind.__module__.partition(".")[0] != "amplify" or not names:
        return None
    name = names[0]
    known = CLIENTS[name]
    options = {"client": name}
    if getattr(client, "url", "") and client.url != known.url:
        options["url"] = client.url
    if known.is_ae:
        options["mode"] = _MODES[client.solver.name]
    if known.needs_library:
        options["library"] = str(client.library_path)
    token = getattr(client, "token", "")
    limit = getattr(client.parameters, known.time_limit, None) if known.time_limit else None
    return ClientSettings(
        options,
        checked_token(token, f"the {kind.__name__}") if token.strip() else None,
        getattr(client, "proxy", None) or "",
        limit.total_seconds() if isinstance(limit, timedelta) else limit,
        _set_parameters(client.parameters, leaving_out=known.time_limit),
    )


def _set_parameters(parameters: Any, leaving_out: str) -> dict[str, Any]:
    """Parameters that are set, those of a group under ``group.name``."""
    found: dict[str, Any] = {}
    for name in parameter_names(type(parameters)):
        value = getattr(parameters, name)
        if name == leaving_out or value is None:
            continue
        if type(value).__module__.startswith("amplify") and not hasattr(value, "name"):
            found |= {f"{name}.{k}": v for k, v in _set_parameters(value, "").items()}
        else:
            found[name] = value
    return found
