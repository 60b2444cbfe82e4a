"""The process that runs the SDK for one call: it builds the model and reads the answer.

The SDK holds the interpreter's lock while it waits for an answer; a process can be ended at any
time. It speaks to a relay (``relay.py``) and has no token. Version 1.7.3 was read.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import reduce
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.amplify import AmplifyProgram
from qubopuzzle.errors import InputError, ModelError, ProtocolError
from qubopuzzle.solvers.amplify.clients import Client, parameter_names

_MOST = 20
_TOLD = ("version", "num_gpus", "num_samplings", "num_flips", "warnings")


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What is asked, of whom, and how long to wait.

    Attributes:
        client: whom it is for.
        program: the model.
        seconds: the service's time limit; None leaves it to the service.
        deadline: seconds until the answer must be there, once the model is sent.
        where: whom it goes to, for messages.
        library: of a client that loads one.
        parameters: of the client, by its own names.
    """

    client: Client
    program: AmplifyProgram
    seconds: float | None
    deadline: float
    where: str
    library: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class ServiceReply:
    """What a service sent back.

    Attributes:
        samples: 0/1, shape (samples, variables).
        seconds: by part: ``queue`` and ``execution`` by the service's own clock, ``network``
            the rest of the time from the request to the answer, and ``process``, the rest of
            the whole call: starting the process, building and serialising the model.
        service: what else the service says of itself, such as its version and GPUs.
    """

    samples: NDArray[np.int8]
    seconds: Mapping[str, float]
    service: Mapping[str, Any]


def ask(request: Request, url: str, token: str) -> ServiceReply:
    """The answer of the relay at a url, by the SDK.

    Raises:
        InputError: for parameters that the client does not have.
        ModelError: for a constraint that cannot hold; the SDK drops it, with a mere warning.
        ProtocolError: for samples of other variables than the model's, or not of 0 and 1.
        RuntimeError: what the SDK raises.
    """
    import amplify

    client = _client(request, url, token)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="infeasible constraint")
        try:
            model, variables = request.program.build()
        except Warning as warning:
            raise ModelError(f"the SDK would drop a constraint: {warning}") from None
    result = amplify.solve(model, client, filter_solution=False, sort_solution=False)
    told = {name: getattr(result.client_result, name, None) for name in _TOLD}
    told["warnings"] = [str(text) for text in (told["warnings"] or [])[:_MOST]]
    said = {name: value for name, value in told.items() if value}
    return ServiceReply(_samples(result, variables, request), _seconds(result), said)


def _client(request: Request, url: str, token: str) -> Any:
    """A client of the SDK with all settings of a request; InputError for wrong parameters."""
    import amplify

    kind = request.client
    made = getattr(amplify, kind.kind)
    if kind.needs_library:
        client = made(request.library)
    else:
        client = made()
        client.url, client.token = url, token
    if kind.is_ae:
        client.solver = "Constraint" if request.program.mode == "constraint" else "Qubo"
    if request.seconds is not None:
        whole = kind.time_limit == "time_limit_sec"
        seconds = max(1, ceil(request.seconds)) if whole else request.seconds
        setattr(client.parameters, kind.time_limit, timedelta(seconds=seconds))
    _set_parameters(client, request.parameters)
    return client


def _set_parameters(client: Any, parameters: Mapping[str, Any]) -> None:
    """Set ``client.parameters``; a dot in a name leads further in."""
    kind, known = type(client), parameter_names(type(client).Parameters)
    for name, value in parameters.items():
        *path, last = name.split(".")
        if name.partition(".")[0] not in known:
            names = ", ".join(known)
            raise InputError(f"{kind.__name__} has no parameter {name!r}; it has: {names}")
        try:
            setattr(reduce(getattr, path, client.parameters), last, value)
        except (AttributeError, TypeError, ValueError):
            raise InputError(f"parameter {name} of {kind.__name__}: not {value!r}") from None


def _samples(result: Any, variables: Any, request: Request) -> NDArray[np.int8]:
    """Each solution as a row of 0 and 1, in the order of our variables."""
    if request.client.is_ae and result.client_result is not None:
        # The SDK fills what is missing with 0, without a word.
        expected = result.intermediate.num_variables
        for solution in result.client_result.solutions:
            if len(solution.values) != expected:
                raise ProtocolError(
                    f"{request.where}: the answer has {len(solution.values)} values, "
                    f"the request {expected}"
                )
    n = request.program.n_variables
    rows = [np.asarray(variables.evaluate(solution.values)) for solution in result]
    if any(len(row) != n for row in rows):
        raise ProtocolError(f"{request.where} answered for other variables than the model's")
    if not np.isin(rows, (0, 1)).all():
        raise ProtocolError(f"{request.where}: the answer has values that are not 0 or 1")
    return np.array(rows, dtype=np.int8).reshape(-1, n)


def _seconds(result: Any) -> dict[str, float]:
    """All parts of ``ServiceReply.seconds`` but the process."""
    queue = getattr(result.client_result, "queue_time_ms", None)
    times = {"queue": queue or timedelta(), "execution": result.execution_time}
    parts = {name: max(0.0, spent.total_seconds()) for name, spent in times.items()}
    whole = result.response_time.total_seconds()
    return {**parts, "network": max(0.0, whole - sum(parts.values()))}
