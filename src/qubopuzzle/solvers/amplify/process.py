"""The process of one request, started by ``call.py``.

The SDK holds the interpreter's lock while it waits for a service, and its clients know no
deadline; a process can be ended at any time. The job is arrays and settings made by ``call.py``.
The process says ``calling`` when the model is built; in answers and errors every trace of the
token is masked.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from datetime import timedelta
from math import ceil
from typing import Any

from qubopuzzle.errors import ModelError, ProtocolError, QubopuzzleError
from qubopuzzle.processes import say
from qubopuzzle.solvers.amplify.clients import CLIENTS, Client, set_parameters
from qubopuzzle.solvers.amplify.faults import fault_of, is_passing
from qubopuzzle.solvers.amplify.token import quotable, redact

_FIRST_PAUSE_S = 0.5
_MOST = 20
_HIDDEN = "(a text that is not shown)"


def ask(job: Mapping[str, Any]) -> dict[str, Any]:
    """Samples, shape (samples, variables), with the SDK's seconds and what the service says.

    Raises:
        QubopuzzleError: whatever goes wrong; see ``faults``.
    """
    try:
        return _solve(job)
    except Exception as error:
        known = error if isinstance(error, QubopuzzleError) else fault_of(error, job)
        raise type(known)(redact(str(known), *job["secrets"])) from None


def _solve(job: Mapping[str, Any]) -> dict[str, Any]:
    import amplify

    client = _client(job)
    with warnings.catch_warnings():
        # A constraint that cannot hold is dropped by the SDK, with no more than a warning.
        warnings.filterwarnings("error", message="infeasible constraint")
        try:
            model, variables = job["program"].build()
        except Warning as warning:
            raise ModelError(f"the SDK would drop a constraint: {warning}") from None
    say("calling")
    how = {"dry_run": job["dry_run"], "filter_solution": False, "sort_solution": False}
    result = _answered(lambda: amplify.solve(model, client, **how), job["deadline_s"])
    if job["dry_run"]:
        return {}
    return {
        "samples": _samples(result, variables, CLIENTS[job["client"]]),
        **_timings(result),
        "service": _said(result.client_result, job["secrets"]),
    }


def _client(job: Mapping[str, Any]) -> Any:
    kind = CLIENTS[job["client"]]
    kind.check_parameters(job["parameters"])
    client = kind.make(job["library"])
    for name in ("token", "url", "proxy"):
        if job[name]:
            setattr(client, name, job[name])
    if kind.is_ae:
        client.solver = "Constraint" if job["mode"] == "constraint" else "Qubo"
    if kind.time_limit and job["seconds"]:
        seconds = max(1, ceil(job["seconds"])) if kind.whole_seconds else job["seconds"]
        setattr(client.parameters, kind.time_limit, timedelta(seconds=seconds))
    set_parameters(client, job["parameters"])
    if job["request_file"]:
        client.write_request_data = job["request_file"]
    if job["answer_file"]:
        client.write_response_data = job["answer_file"]
    return client


def _answered(solve: Any, deadline_s: float) -> Any:
    """The answer; a service that is away for a moment is asked again while there is time."""
    ends = time.monotonic() + deadline_s
    pause = _FIRST_PAUSE_S
    while True:
        try:
            return solve()
        except RuntimeError as error:
            if not is_passing(error) or time.monotonic() + pause > ends:
                raise
        time.sleep(pause)
        pause *= 2


def _samples(result: Any, variables: Any, kind: Client) -> list[Any]:
    """Each solution as an array of 0 and 1, in the order of our variables."""
    import numpy as np

    if kind.is_ae and result.client_result is not None:
        # The SDK fills what is missing with 0, without a word.
        expected = result.intermediate.num_variables
        for solution in result.client_result.solutions:
            if len(solution.values) != expected:
                raise ProtocolError(
                    f"the answer has {len(solution.values)} values, the request {expected}"
                )
    samples = []
    for solution in result:
        values = np.asarray(variables.evaluate(solution.values))
        if not np.isin(values, (0, 1)).all():
            raise ProtocolError("the answer has values that are not binary")
        samples.append(values.astype(np.int8))
    return samples


def _timings(result: Any) -> dict[str, Any]:
    """Seconds by the SDK's clock and by the service's own."""
    queue = getattr(result.client_result, "queue_time_ms", None)
    return {
        "response_s": result.response_time.total_seconds(),
        "execution_s": result.execution_time.total_seconds(),
        "queue_s": 0.0 if queue is None else queue.total_seconds(),
    }


def _said(answer: Any, secrets: Sequence[str]) -> dict[str, Any]:
    """What else the service says of itself; texts may echo the token."""
    said = {
        name: getattr(answer, name, None) for name in ("num_gpus", "num_samplings", "num_flips")
    }
    version = getattr(answer, "version", None)
    if isinstance(version, str):
        said["version"] = quotable(version, *secrets)
    warned = getattr(answer, "warnings", None) or []
    said["warnings"] = [quotable(str(text), *secrets) or _HIDDEN for text in warned[:_MOST]]
    return {name: value for name, value in said.items() if value}
