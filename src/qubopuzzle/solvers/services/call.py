"""One call of a service's client, in a process of its own, through a relay, under a hard deadline.

Amplify's SDK (1.7.3) verifies no certificates, knows no deadline and repeats what it is sent.
D-Wave's client (0.14.8) takes the token along to wherever a redirect leads, and an answer on
another problem for its own; where bytes drip or polls stay silent it waits on, and bounds nothing
that it reads. So a client speaks to a server on this machine, with a token that is good for this
call alone; who answers there, such as ``service.Service``, speaks to the world.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle import errors
from qubopuzzle.base.processes import Crashed, Worker
from qubopuzzle.solvers.services.credentials import Token, quoted
from qubopuzzle.solvers.services.relay import Relay, Respond

_LOOK_S = 0.03
_Q = TypeVar("_Q")
_A = TypeVar("_A")


@dataclass(frozen=True, slots=True)
class Terms:
    """Whom a call asks, and how long that may take.

    ``where`` names the service in messages; ``seconds``: its time limit, if any; ``deadline``: when
    the answer must be there, in seconds from the client's first message; ``starting_s``: seconds
    until that.
    """

    where: str
    seconds: float | None
    deadline: float
    starting_s: float = 60.0

    def late(self, *, sent: bool) -> errors.DeadlineExceeded:
        """The error for no answer in time."""
        limit = f", {self.seconds:g} s of them its time limit" if self.seconds else ""
        hint = "--option patience=SECONDS waits longer for queue and network"
        what = f"gave no answer in {self.deadline:.3g} s{limit}; {hint}"
        built = f"got no model in {self.starting_s:.3g} s; it is too large"
        return errors.DeadlineExceeded(f"{self.where} {what if sent else built}")


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """What a service sent back.

    ``samples``: 0/1 of shape (samples, variables); ``occurrences``: how often each was read;
    ``seconds``: of the call by part, and ``settings``, what is said of it, for the result.
    """

    samples: NDArray[np.int8]
    occurrences: Sequence[int]
    reads: int = 1
    seconds: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def call_client(
    ask: Callable[[_Q, str, str], _A],
    question: _Q,
    terms: Terms,
    respond: Respond,
    tick: Callable[[], None] = lambda: None,
    token: Token | None = None,
) -> _A:
    """What ``ask(question, url, token)`` returns in a process of its own; ``respond`` answers it.

    ``url`` and ``token`` there are a relay's. ``tick`` is called while waiting; ``token`` here, the
    real one, is kept out of the process.

    Raises:
        QubopuzzleError: what ``respond`` and ``ask`` raise of ours.
        ProtocolError: if ``ask`` fails otherwise after something posted was answered.
        DeadlineExceeded: if the answer is not there in time; the process is ended.
        SolverFailed: if the process dies, or ``ask`` fails before that.
        KeyboardInterrupt: on Ctrl-C; the process is ended.
    """
    started, hidden = time.monotonic(), _secret_variables(token)
    with Relay(respond, terms.deadline) as relay, Worker(environment=hidden) as worker:
        coming = worker.submit(ask, question, relay.url, relay.token)
        endings: list[Future[Any]] = [coming, relay.failed]
        while not wait(endings, _LOOK_S, FIRST_COMPLETED).done:
            tick()
            if time.monotonic() > (relay.ends or started + terms.starting_s):
                raise terms.late(sent=relay.ends > 0)
    if relay.failed.done():
        relay.failed.result()
    if 0 < relay.ends < time.monotonic() and coming.exception() is not None:
        raise terms.late(sent=True)  # what the client says of it, too
    try:
        return coming.result()
    except Crashed as crash:
        kind, how = errors.SolverFailed, f"its process {crash.what}"
        if relay.answered:
            kind, how = errors.ProtocolError, "the answer cannot be read"
        raise kind(f"{terms.where}: {how}{quoted(crash.last_line, ': ')}") from None


def _secret_variables(token: Token | None) -> dict[str, None]:
    """Variables of the environment that hold tokens, of any service, or a proxy's password.

    With them goes what would set up D-Wave's client otherwise than we do.
    """
    return {
        name: None
        for name, value in os.environ.items()
        if name.lower().endswith(("_token", "_proxy"))
        or name.startswith("DWAVE_")
        or (token is not None and token.mask(value) != value)
    }
