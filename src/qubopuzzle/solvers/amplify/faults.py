"""From what the SDK says when a request fails to an error with a type and one clear line.

The SDK raises RuntimeError with texts such as ``401: Unauthorized`` and the server's body,
``maximum retries exceeded: Connection failed`` or ``Failed to parse JSON response: ...``, and
prints a line when it waits before a retry. Version 1.7.3 was read.
"""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from qubopuzzle.errors import (
    AuthenticationError,
    ProtocolError,
    QubopuzzleError,
    QuotaError,
    ServiceUnavailable,
    SolverFailed,
    TooLarge,
)
from qubopuzzle.solvers.amplify.clients import CLIENTS
from qubopuzzle.solvers.amplify.token import quotable

_PASSING = (502, 503, 504)
_DIAGNOSIS_S = 2.0
_TOO_MANY = "takes no more requests for now (429); wait, or give --option patience=90 for retries"
_STATUS: Mapping[int, tuple[type[QubopuzzleError], str]] = {
    401: (AuthenticationError, "refuses the token (401 Unauthorized)"),
    402: (QuotaError, "wants payment (402); the plan is used up"),
    403: (AuthenticationError, "does not let this token in (403 Forbidden)"),
    404: (ServiceUnavailable, "is not at this url (404 Not Found)"),
    413: (TooLarge, "takes no request of this size (413); try a smaller form of the puzzle"),
    429: (QuotaError, _TOO_MANY),
}


def fault_of(error: Exception, job: Mapping[str, Any]) -> QubopuzzleError:
    """The typed error for what the SDK raised.

    Of the server's own words only what ``quotable`` lets pass.
    """
    text = str(error).strip()
    where = job["where"]
    status = _status(text)
    if status is None and "Authentication" in type(error).__name__:  # D-Wave's own error
        status = 401
    if status is not None:
        return _by_status(status, text, job)
    if "onnection failed" in text:
        return ServiceUnavailable(f"{where} cannot be reached: {_diagnosis(job)}")
    if "Response error" in text:
        return ServiceUnavailable(f"{where} broke the connection off before the answer was whole")
    if "Failed to parse JSON" in text or isinstance(error, UnicodeError | OverflowError):
        return ProtocolError(f"{where}: the answer cannot be read{_hint(job)}")
    if "values array" in text:
        return ProtocolError(f"{where}: the answer has more values than the request variables")
    words = quotable(text, *job["secrets"])
    return SolverFailed(f"{where}: {type(error).__name__}{f': {words}' if words else ''}")


def _hint(job: Mapping[str, Any]) -> str:
    return "; --record FILE keeps it" if job["secrets"] and not job["answer_file"] else ""


def _by_status(status: int, text: str, job: Mapping[str, Any]) -> QubopuzzleError:
    where = job["where"]
    if status in _STATUS:
        kind, what = _STATUS[status]
        source = f"; check what is in {job['token_source']}" if kind is AuthenticationError else ""
        return kind(f"{where} {what}{source}")
    name = HTTPStatus(status).phrase if status in set(HTTPStatus) else "unknown status"
    words = quotable(_message(text), *job["secrets"])
    said = f"({status} {name}){f': {words}' if words else ''}"
    if status < 500:
        return ProtocolError(f"{where} does not take the request {said}")
    return ServiceUnavailable(f"{where} fails {said}")


def _message(text: str) -> str:
    """What the server's body says in words, if it is JSON as one would expect."""
    start = text.find("{")
    try:
        body = json.loads(text[start:]) if start >= 0 else {}
    except (ValueError, RecursionError):
        return ""
    found = [body[key] for key in ("message", "error", "detail") if isinstance(body.get(key), str)]
    return found[0] if found else ""


def is_passing(error: Exception) -> bool:
    """Whether the service says that it is away for a moment only."""
    return _status(str(error)) in _PASSING


def waiting_of(line: str) -> tuple[str, float] | None:
    """What a line that the SDK prints says that it waits for, and the seconds to its next try."""
    found = re.search(r"WARNING\] (.*?)[,:] retrying after sleep (?:for )?(\d+)", line)
    return (found[1], float(found[2])) if found else None


def waited_in_vain(what: str, where: str) -> QubopuzzleError:
    """The error for a retry that no time is left for."""
    if "Too Many Requests" in what:
        return QuotaError(f"{where} {_TOO_MANY}")
    return ServiceUnavailable(f"{where}: {what[:1].lower()}{what[1:]}, at every try")


def _status(text: str) -> int | None:
    found = re.search(r"(?:^|(?:exceeded|failed): )([45]\d\d):", text)
    return int(found[1]) if found else None


def _diagnosis(job: Mapping[str, Any]) -> str:
    """Why a connection fails; the SDK does not say. Nothing is sent."""
    address = job["proxy"] or job["url"] or CLIENTS[job["client"]].url
    parts = urlsplit(address if "//" in address else f"https://{address}")
    name = f"the proxy {parts.hostname}" if job["proxy"] else str(parts.hostname)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if not parts.hostname:
            return "its url names no host"
        with socket.create_connection((parts.hostname, port), timeout=_DIAGNOSIS_S) as plain:
            if parts.scheme != "https":
                return "the connection broke off"
            with ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname):
                return "the connection broke off"
    except ValueError:
        return "its url has a port that is none"
    except socket.gaierror:
        return f"no address is known for {name} (DNS); is the url right, and the network there?"
    except ssl.SSLCertVerificationError as error:
        return f"the certificate of {name} is not valid (TLS): {error.verify_message}"
    except ssl.SSLError as error:
        return f"{name} does not speak TLS there: {error.reason}"
    except TimeoutError:
        return f"{name}, port {port}, does not answer"
    except OSError as error:
        return f"{name}, port {port}: {error.strerror or error}"
