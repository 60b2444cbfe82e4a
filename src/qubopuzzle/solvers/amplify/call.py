"""The SDK of Amplify: what it is asked in its process, and what its answers must be.

The SDK (1.7.3) does not verify certificates, knows no deadline and repeats what it is sent in its
messages; see ``services.call``.
"""

import gzip
import json
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import reduce
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle import errors
from qubopuzzle.compile.amplify import AmplifyModel
from qubopuzzle.solvers.amplify.clients import Client
from qubopuzzle.solvers.services.call import Reply, Terms, call_client
from qubopuzzle.solvers.services.credentials import Token
from qubopuzzle.solvers.services.relay import HttpResponse, Message, Respond

_SENDING_S = 4e-6
"""Seconds a term to write and send it; 5 to 10 million terms take the SDK several seconds."""
_BUILDING_S = 2e-5
"""Seconds a term until the SDK begins to send, at most."""
_CLIENT_FIELDS = ("version", "num_gpus", "num_samplings", "num_flips", "warnings")


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What is asked of a client, and on which terms."""

    client: Client
    model: AmplifyModel
    terms: Terms
    library: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


def terms_of(
    client: Client, model: AmplifyModel, seconds: float, patience: float, url: str
) -> Terms:
    """The terms for a model: the SDK takes seconds to build and to send a large one."""
    deadline = seconds + patience + _SENDING_S * model.n_terms
    # Gurobi's client sends nothing at all.
    library_s = deadline if client.needs_library else 0.0
    return Terms(
        where=client.title + (f" at {url}" if url else ""),
        seconds=seconds if client.time_limit else None,
        deadline=deadline,
        starting_s=60 + _BUILDING_S * model.n_terms + library_s,
    )


def call(
    request: Request,
    respond: Respond,
    tick: Callable[[], None] = lambda: None,
    token: Token | None = None,
) -> Reply:
    """Have the SDK send a request to ``respond``, such as a ``Service``, and read the answer.

    The reply's seconds: ``queue`` and ``execution`` by the service's own clock, ``network`` the
    rest of the time from the request to the answer, and ``process``, the rest of the whole call:
    starting the process, building and serialising the model.

    Arguments and errors as ``call_client``; ProtocolError, too, for an answer that is none.
    """
    began = time.perf_counter()

    def checked(message: Message) -> HttpResponse:
        answer = respond(message)
        if request.client.is_ae and message.command == "POST":
            _check_answer(answer.body, request.terms.where)
        return answer

    reply = call_client(_ask, request, request.terms, checked, tick, token)
    spent = time.perf_counter() - began - sum(reply.seconds.values())
    return replace(reply, seconds={**reply.seconds, "process": max(0.0, spent)})


def rehearse(request: Request, answer: bytes = b'{"solutions": []}') -> tuple[Reply, bytes]:
    """A call with a stored answer in the service's place; nothing leaves this machine.

    Returns the reply and the body of the request, byte for byte; ProtocolError as ``call``.
    """
    sent: list[bytes] = []

    def respond(message: Message) -> HttpResponse:
        if message.command != "POST":
            return HttpResponse(200, b'{"version": "1.0.0"}')
        packed = message.headers.get("Content-Encoding") == "gzip"
        sent.append(gzip.decompress(message.body) if packed else message.body)
        return HttpResponse(200, answer)

    terms = request.terms
    terms = replace(terms, where="the stored answer", deadline=terms.starting_s)
    reply = call(replace(request, terms=terms), respond)
    return reply, sent[-1]


def _check_answer(body: bytes, where: str) -> None:
    """That it is JSON with solutions of 0 and 1; the SDK takes 0.5 and true for numbers, too."""
    try:
        answer = json.loads(body)
        rows = [solution["values"] for solution in answer["solutions"]]
        kinds = {kind for row in rows for kind in set(map(type, row))}
        values = {value for row in rows for value in set(row)}
    except (ValueError, TypeError, KeyError, RecursionError):
        what = f"{where}: the answer cannot be read"
        raise errors.ProtocolError(f"{what}; --record FILE keeps it") from None
    if not (kinds <= {int, float} and values <= {0, 1}):
        raise errors.ProtocolError(f"{where}: the answer has values that are not 0 or 1")


# The process of the SDK, which can be ended while the SDK waits and holds the interpreter.


def _ask(request: Request, url: str, token: str) -> Reply:
    """The answer of the relay at ``url``; InputError, ProtocolError, and what the SDK raises."""
    import amplify

    client = _client(request, url, token)
    # A constraint that cannot hold is dropped by the SDK, with a mere warning.
    warnings.filterwarnings("error", message="infeasible constraint")
    result = amplify.solve(request.model.model, client, filter_solution=False, sort_solution=False)
    values = {name: getattr(result.client_result, name, None) for name in _CLIENT_FIELDS}
    values["warnings"] = [str(text) for text in (values["warnings"] or [])[:20]]
    settings = {name: value for name, value in values.items() if value}
    samples = _samples(result, request)
    return Reply(samples, [1] * len(samples), 1, _seconds(result), settings)


def _client(request: Request, url: str, token: str) -> Any:
    """A client of the SDK with all settings of a request."""
    import amplify

    kind = request.client
    made = getattr(amplify, kind.kind)
    client = made(request.library) if kind.needs_library else made()
    if not kind.needs_library:
        client.url, client.token = url, token
    if kind.is_ae:
        client.solver = "Constraint" if request.model.mode == "constraint" else "Qubo"
    if request.terms.seconds is not None:
        whole = kind.time_limit == "time_limit_sec"
        seconds = max(1, ceil(request.terms.seconds)) if whole else request.terms.seconds
        setattr(client.parameters, kind.time_limit, timedelta(seconds=seconds))
    for name, value in request.parameters.items():
        *path, last = name.split(".")
        try:
            setattr(reduce(getattr, path, client.parameters), last, value)
        except (AttributeError, TypeError, ValueError):
            raise errors.InputError(f"parameter {name} of {kind.kind}: not {value!r}") from None
    return client


def _samples(result: Any, request: Request) -> NDArray[np.int8]:
    """Each solution as a row of 0 and 1, in the order of our variables."""
    if request.client.is_ae and result.client_result is not None:
        # The SDK fills what is missing with 0, without a word.
        expected = result.intermediate.num_variables
        lengths = {len(solution.values) for solution in result.client_result.solutions}
        for length in lengths - {expected}:
            what = f"the answer has {length} values, the request {expected}"
            raise errors.ProtocolError(f"{request.terms.where}: {what}")
    variables = request.model.variables
    rows = [np.asarray(variables.evaluate(solution.values)) for solution in result]
    if not np.isin(rows, (0, 1)).all():
        raise errors.ProtocolError(
            f"{request.terms.where}: the answer has values that are not 0 or 1"
        )
    return np.array(rows, dtype=np.int8).reshape(-1, request.model.n_bits)


def _seconds(result: Any) -> dict[str, float]:
    """All parts but the process."""
    queue = getattr(result.client_result, "queue_time_ms", None)
    times = {"queue": queue or timedelta(), "execution": result.execution_time}
    parts = {name: max(0.0, spent.total_seconds()) for name, spent in times.items()}
    whole = result.response_time.total_seconds()
    return {**parts, "network": max(0.0, whole - sum(parts.values()))}
