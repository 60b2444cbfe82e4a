"""Addresses of services and proxies: what the SDK can take, and passwords kept out of sight."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from qubopuzzle.errors import InputError

_LOCAL = ("localhost", "127.0.0.1")


@dataclass(frozen=True, slots=True, repr=False)
class Proxy:
    """Where to go through, and what of it must not be shown."""

    address: str = ""
    secrets: tuple[str, ...] = ()


def check_address(name: str, address: str) -> str:
    """A url that the SDK can take, without user and password in it.

    Raises:
        InputError: for anything else; an address with an @ is never quoted.
    """
    if "@" in address:
        raise InputError(
            f"option {name}: user and password do not belong into options; those of a proxy "
            "can be in HTTPS_PROXY in the environment"
        )
    parts = _split(address)
    if (
        parts is None
        or parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.query
        or parts.fragment
        or not re.fullmatch(r"[!-~]+", address)
        or "[" in address
    ):
        raise InputError(
            f"option {name}: expected http(s)://HOST[:PORT][/PATH], got {address!r:.60}"
        )
    return f"{parts.scheme}{address[len(parts.scheme) :]}".rstrip("/")


def proxy_of(url: str, own: str = "") -> Proxy:
    """The proxy for a url: ``own``, else the environment's, which the SDK does not read.

    Raises:
        InputError: for one that is no url; it is not quoted.
    """
    parts = _split(url)
    host = (parts.hostname if parts else None) or ""
    if not own and (host in _LOCAL or proxy_bypass(host)):
        return Proxy()
    address = own or getproxies().get(parts.scheme if parts else "", "")
    if not address:
        return Proxy()
    address = address if "//" in address else f"http://{address}"
    parts = _split(address)
    if parts is None or not parts.hostname:
        raise InputError("the proxy's address is no url; see HTTPS_PROXY in the environment")
    user, at, _ = parts.netloc.rpartition("@")
    if not at:
        return Proxy(address)
    words = [user, *user.split(":", 1)]
    return Proxy(address, tuple(dict.fromkeys([*words, *map(unquote, words)])))


def _split(address: str) -> SplitResult | None:
    """The parts of a url, None if it has none; the SDK crashes on ports out of range."""
    try:
        parts = urlsplit(address)
        return None if parts.port == 0 else parts
    except ValueError:
        return None
