"""A service over HTTPS: certificates, proxies, bounds, tries, and what its failures mean."""

import json
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from http import HTTPStatus
from math import inf
from threading import Event
from typing import Any, NamedTuple

import httpx

from qubopuzzle import errors
from qubopuzzle.solvers.services.credentials import Token, quoted
from qubopuzzle.solvers.services.relay import JSON, HttpResponse, Message
from qubopuzzle.solvers.services.solver import ANSWER_LIMIT

_PAUSE_S, _BUSY_S = 0.5, 10.0
_CONNECTIONS = 3
"""So often a connection may fail or break off."""
_NOT_PASSED_ON = ("host", "connection", "content-length", "transfer-encoding")
_MEANING: Mapping[int, tuple[type[errors.QubopuzzleError], str]] = {
    3: (errors.ServiceUnavailable, "redirects, which is not followed; is the url right?"),
    4: (errors.ProtocolError, "does not take the request"),
    401: (errors.AuthenticationError, "refuses the token"),
    402: (errors.QuotaError, "wants payment, the plan is used up"),
    403: (errors.AuthenticationError, "does not let this token in"),
    404: (errors.ServiceUnavailable, "is not at this url"),
    413: (errors.TooLarge, "takes no request of this size; try a smaller form of the puzzle"),
    429: (errors.QuotaError, "takes no more requests for now; wait, or give --option patience=90"),
    **dict.fromkeys((502, 503, 504), (errors.ServiceUnavailable, "is away")),
}
"""What a status means that is no success, or its first digit."""


class _Failure(NamedTuple):
    """What a try failed of, and seconds until another one makes sense."""

    error: errors.QubopuzzleError
    wait: float = inf
    taken: bool = False
    """Whether the service may have taken the request all the same."""


class Service(AbstractContextManager["Service"]):
    """Passes messages of a ``Relay`` on to the service at ``url`` and returns its answers.

    ``where`` names it in messages. ``token`` takes the place of the relay's in the header that
    holds it. Without a ``proxy`` the environment says it (HTTPS_PROXY, NO_PROXY); for ``ca``, and
    InputErrors, see ``certificates``. With ``once`` nothing is posted again that the service may
    have taken: it would be charged twice. ``answer`` is the last one to something posted, as it
    came.
    """

    def __init__(
        self,
        where: str,
        url: str,
        token: Token,
        proxy: str = "",
        ca: str = "",
        *,
        once: bool = False,
    ) -> None:
        self.answer: bytes | None = None
        self._where, self._url, self._token, self._once = where, url.rstrip("/"), token, once
        self._closed, self._breaks = Event(), 0
        self._streams: list[Any] = []
        near = {} if proxy else dict.fromkeys(("all://localhost", "all://127.0.0.1"))
        trusted = certificates(ca)
        try:
            self._client = httpx.Client(verify=trusted, proxy=proxy or None, mounts=near)
        except (httpx.InvalidURL, ValueError, ImportError):  # whose words may hold a password
            what = "the proxy's address is no url that works here; see HTTPS_PROXY"
            raise errors.InputError(f"{what} in the environment") from None

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        for stream in self._streams:
            with suppress(OSError, AttributeError):  # ends what still waits for an answer
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        self._client.close()

    def __call__(self, message: Message) -> HttpResponse:
        """The service's answer, token masked; a service that is away for a moment is asked again.

        Raises:
            QubopuzzleError: what its status or the connection means, see ``_MEANING``.
            TimeoutError: if there is no answer in time.
        """
        pause = _PAUSE_S
        while True:
            response = self._try(message)
            if not isinstance(response, _Failure):
                return response
            again = not (response.taken and self._once and message.command == "POST")
            wait = max(pause, response.wait) if again else inf
            if time.monotonic() + wait > message.ends or self._closed.wait(wait):
                raise response.error
            pause *= 2

    def _try(self, message: Message) -> HttpResponse | _Failure:
        try:
            response, body = self._exchange(message)
        except httpx.TimeoutException:
            raise TimeoutError from None
        except (httpx.HTTPError, UnicodeError) as error:  # of a host that no name can have
            return self._broken(error)
        status = response.status_code
        if not 200 <= status < 300:
            return self._refused(response, body)
        if message.command == "POST":
            self.answer = body
        return HttpResponse(status, body, response.headers.get("Content-Type", JSON))

    def _exchange(self, message: Message) -> tuple[httpx.Response, bytes]:
        """Send it once; the only place where the token leaves this process."""
        left = message.ends - time.monotonic()
        if left <= 0 or self._closed.is_set():
            raise TimeoutError
        headers = {
            name: value.replace(message.token, self._token.reveal())
            for name, value in message.headers.items()
            if name.lower() not in _NOT_PASSED_ON
        }
        body = bytearray()
        with self._client.stream(
            message.command,
            self._url + message.path,
            headers=headers,
            content=message.body,
            timeout=left,
            extensions={"trace": self._notice},
        ) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > ANSWER_LIMIT:
                    limit = f"{ANSWER_LIMIT // 2**20} MiB"
                    raise errors.ProtocolError(f"{self._where}: the answer is larger than {limit}")
                if time.monotonic() > message.ends:
                    raise TimeoutError
        # Nobody behind this line has the token, not even from an echo of it.
        return response, self._token.mask(body.decode("latin-1")).encode("latin-1")

    def _notice(self, _event: str, about: Mapping[str, Any]) -> None:
        """Called by httpx as it connects."""
        if hasattr(about.get("return_value"), "get_extra_info"):
            self._streams.append(about["return_value"])

    def _broken(self, error: Exception) -> _Failure:
        """What a connection fails of."""
        self._breaks += 1
        wait = 0.0 if self._breaks < _CONNECTIONS else inf
        connected = not isinstance(error, httpx.ConnectError | UnicodeError)
        why = ("broke off" if connected else "cannot be reached") + self._quote(str(error))
        if "CERTIFICATE_VERIFY_FAILED" in why:
            why += "; --option ca=FILE, or SSL_CERT_FILE, trusts a private authority"
            wait = inf
        return _Failure(errors.ServiceUnavailable(f"{self._where} {why}"), wait, taken=connected)

    def _refused(self, response: httpx.Response, body: bytes) -> _Failure:
        """What a status means that is no success."""
        status, headers = response.status_code, response.headers
        unknown = errors.ServiceUnavailable, "fails"
        kind, what = _MEANING.get(status) or _MEANING.get(status // 100) or unknown
        name = HTTPStatus(status).phrase if status in set(HTTPStatus) else "unknown status"
        quote = self._quote(headers.get("Location", "") or _message(body))
        hint = (
            f"; check what is in {self._token.source}" if kind is errors.AuthenticationError else ""
        )
        error = kind(f"{self._where} {what} ({status} {name}){quote}{hint}")
        after = headers.get("Retry-After", "")
        wait = float(after) if after.isdecimal() else _BUSY_S if status == 429 else 0.0
        wait = wait if status in (429, 502, 503, 504) else inf
        return _Failure(error, wait, taken=status in (502, 504))

    def _quote(self, text: str) -> str:
        return quoted(self._token.mask(text), ": ")


def certificates(file: str = "") -> ssl.SSLContext:
    """Those that TLS trusts: certifi's or SSL_CERT_FILE's, and a file's; InputError for no PEM."""
    source = "SSL_CERT_FILE or SSL_CERT_DIR"
    try:
        context = httpx.create_ssl_context()
        if file:
            source = f"option ca: {file}"
            context.load_verify_locations(file)
    except OSError as error:  # ssl.SSLError is one
        raise errors.InputError(
            f"{source}: no certificates (PEM): {error.strerror or error}"
        ) from None
    return context


def _message(body: bytes) -> str:
    """What an answer says in words, if it is JSON as one would expect."""
    with suppress(ValueError, RecursionError, AttributeError):
        words = map(json.loads(body).get, ("message", "error", "detail", "error_msg"))
        return next((text for text in words if isinstance(text, str)), "")
    return ""
