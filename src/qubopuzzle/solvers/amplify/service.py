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

from qubopuzzle.errors import (
    AuthenticationError,
    InputError,
    ProtocolError,
    QubopuzzleError,
    QuotaError,
    ServiceUnavailable,
    TooLarge,
)
from qubopuzzle.solvers.amplify.credentials import Token, quoted
from qubopuzzle.solvers.amplify.relay import ANSWER_LIMIT, Message

_PAUSE_S, _BUSY_S = 0.5, 10.0
_CONNECTIONS = 3
"""So often a connection may fail or break off."""
_AWAY = (502, 503, 504)
_NOT_PASSED_ON = ("host", "connection", "content-length", "transfer-encoding")
_STATUS: Mapping[int, tuple[type[QubopuzzleError], str]] = {
    401: (AuthenticationError, "refuses the token"),
    402: (QuotaError, "wants payment, the plan is used up"),
    403: (AuthenticationError, "does not let this token in"),
    404: (ServiceUnavailable, "is not at this url"),
    413: (TooLarge, "takes no request of this size; try a smaller form of the puzzle"),
    429: (QuotaError, "takes no more requests for now; wait, or give --option patience=90"),
}


class _Failure(NamedTuple):
    """What a try failed of, and seconds until another one makes sense."""

    error: QubopuzzleError
    wait: float = inf


class Service(AbstractContextManager["Service"]):
    """Passes messages of a ``Relay`` on to a service and returns its answers.

    Args:
        where: the service's name, for messages of errors.
        url: where to; a message's path is put behind it.
        token: takes the place of the relay's in the header that holds it.
        proxy: what to go through; without, the environment says it (HTTPS_PROXY, NO_PROXY).
        ca: file of certificates that are trusted besides the usual ones.

    Attributes:
        answer: the last answer to something posted, as it came.

    Raises:
        InputError: for a proxy or a file of certificates that cannot be used.
    """

    def __init__(self, where: str, url: str, token: Token, proxy: str = "", ca: str = "") -> None:
        self.answer: bytes | None = None
        self._where, self._url, self._token = where, url, token
        self._closed, self._breaks = Event(), 0
        self._peer: dict[str, Any] = {}
        self._stream: Any = None
        near = {} if proxy else dict.fromkeys(("all://localhost", "all://127.0.0.1"))
        trusted = certificates(ca)
        try:
            self._client = httpx.Client(verify=trusted, proxy=proxy or None, mounts=near)
        except (httpx.InvalidURL, ValueError, ImportError):  # whose words may hold a password
            what = "the proxy's address is no url that works here; see HTTPS_PROXY"
            raise InputError(f"{what} in the environment") from None

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        with suppress(OSError, AttributeError):  # ends what still waits for an answer
            self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        self._client.close()

    def __call__(self, message: Message) -> tuple[int, bytes]:
        """Status and body; a service that is away for a moment is asked again.

        Raises:
            AuthenticationError, QuotaError, TooLarge: as its status says.
            ServiceUnavailable: if it cannot be reached, is elsewhere, or fails by itself.
            ProtocolError: for an answer that is none, or a request that it does not take.
            TimeoutError: if there is no answer in time.
        """
        pause = _PAUSE_S
        while True:
            found = self._try(message)
            if not isinstance(found, _Failure):
                return found
            wait = max(pause, found.wait)
            if time.monotonic() + wait > message.ends or self._closed.wait(wait):
                raise found.error
            pause *= 2

    def _try(self, message: Message) -> tuple[int, bytes] | _Failure:
        try:
            response, body = self._exchange(message)
        except httpx.TimeoutException:
            raise TimeoutError from None
        except (httpx.HTTPError, UnicodeError) as error:  # of a host's name
            return self._broken(error)
        status = response.status_code
        if not 200 <= status < 300:
            return self._refused(response, body)
        if message.method == "POST":
            self.answer = body
        return status, body

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
            message.method,
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
                    raise ProtocolError(f"{self._where}: the answer is larger than {limit}")
                if time.monotonic() > message.ends:
                    raise TimeoutError
        # Nobody behind this line has the token, not even from an echo of it.
        return response, self._token.mask(body.decode("latin-1")).encode("latin-1")

    def _notice(self, _event: str, about: Mapping[str, Any]) -> None:
        """Called by httpx as it connects: whom to, and the connection."""
        self._peer |= {name: about[name] for name in ("host", "port") if name in about}
        if about.get("server_hostname"):
            self._peer["host"] = about["server_hostname"]
        if hasattr(about.get("return_value"), "get_extra_info"):
            self._stream = about["return_value"]

    def _broken(self, error: Exception) -> _Failure:
        """What a connection fails of."""
        self._breaks += 1
        cause: BaseException = error
        while inner := cause.__cause__ or cause.__context__:
            cause = inner
        host, port = self._peer.get("host"), self._peer.get("port")
        why, again = f"{host}, port {port}: {getattr(cause, 'strerror', None) or cause}", True
        if isinstance(cause, ssl.SSLCertVerificationError):
            again = False
            why = (
                f"the certificate of {host} is not valid (TLS): {cause.verify_message}; "
                "--option ca=FILE, or SSL_CERT_FILE, trusts a private authority"
            )
        elif isinstance(cause, ssl.SSLError):
            why, again = f"{host} does not speak TLS there: {cause.reason}", False
        elif isinstance(cause, socket.gaierror | UnicodeError):
            why = f"no address is known for {host} (DNS); is the url right, and the network there?"
        elif isinstance(error, httpx.ProxyError):
            why, again = f"the proxy refuses{quoted(self._token.mask(str(error)), ': ')}", False
        elif isinstance(error, httpx.DecodingError):
            return _Failure(ProtocolError(f"{self._where}: the answer cannot be unpacked"))
        elif not isinstance(error, httpx.ConnectError):
            why = "the connection broke off before the answer was whole"
        kept_on = again and self._breaks < _CONNECTIONS
        unreachable = ServiceUnavailable(f"{self._where} cannot be reached: {why}")
        return _Failure(unreachable, 0.0 if kept_on else inf)

    def _refused(self, response: httpx.Response, body: bytes) -> _Failure:
        """What a status means that is no success."""
        status, where = response.status_code, self._where
        name = HTTPStatus(status).phrase if status in set(HTTPStatus) else "unknown status"
        said = f"({status} {name}){quoted(_message(body), ': ')}"
        after = response.headers.get("Retry-After", "")
        asked = float(after) if after.isdecimal() else 0.0
        if status in _STATUS:
            kind, what = _STATUS[status]
            source = f"; check what is in {self._token.source}"
            hint = source if kind is AuthenticationError else ""
            wait = (asked or _BUSY_S) if status == 429 else inf
            return _Failure(kind(f"{where} {what} {said}{hint}"), wait)
        if status in _AWAY:
            return _Failure(ServiceUnavailable(f"{where} is away {said}"), asked)
        if 300 <= status < 400:
            to = quoted(self._token.mask(response.headers.get("Location", "")), " to ")
            what = f"redirects{to} {said}, which is not followed; is the url right?"
            return _Failure(ServiceUnavailable(f"{where} {what}"))
        if status < 500:
            return _Failure(ProtocolError(f"{where} does not take the request {said}"))
        return _Failure(ServiceUnavailable(f"{where} fails {said}"))


def certificates(file: str = "") -> ssl.SSLContext:
    """What TLS trusts: SSL_CERT_FILE or certifi's authorities, and those of a file.

    Raises:
        InputError: for files without certificates.
    """
    source = "SSL_CERT_FILE or SSL_CERT_DIR"
    try:
        context = httpx.create_ssl_context()
        if file:
            source = f"option ca: {file}"
            context.load_verify_locations(file)
    except OSError as error:  # ssl.SSLError is one
        raise InputError(f"{source}: no certificates (PEM): {error.strerror or error}") from None
    return context


def _message(body: bytes) -> str:
    """What an answer says in words, if it is JSON as one would expect."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    words = [said.get(key) for key in ("message", "error", "detail")] if type(said) is dict else []
    return next((text for text in words if isinstance(text, str)), "")
