"""Tokens and addresses: where they come from, and how tokens stay out of everything else."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from qubopuzzle.errors import AuthenticationError, InputError, printable

_LONGEST = 10_000
_QUOTED = 150


class Token:
    """A secret and the place that it comes from; only ``reveal`` shows it."""

    __slots__ = ("_secret", "source")

    def __init__(self, secret: str, source: str) -> None:
        self._secret = secret
        self.source = source

    def reveal(self) -> str:
        """The secret itself."""
        return self._secret

    def mask(self, text: str) -> str:
        """The text without the secret: plain, percent-encoded or with slashes escaped (JSON)."""
        secret = self._secret
        for form in (secret, quote(secret, safe=""), secret.replace("/", "\\/")):
            text = text.replace(form, "[token]")
        return text

    def __repr__(self) -> str:
        return f"<Token from {self.source}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a token is not pickled")


def quoted(text: str, before: str = "") -> str:
    """Words of the other side for a message: one line, cut; nothing if there are none."""
    line = " ".join(text.split())[:_QUOTED]
    return before + printable(line) if line else ""


def find_token(
    what: str,
    variables: Sequence[str],
    file: str | None,
    page: str,
    elsewhere: Callable[[], Token | None] = lambda: None,
) -> Token:
    """The token for a service in ``file``, else in the first of the variables that has one.

    Else it is that of ``elsewhere``; ``page`` of the documentation says how to get one.

    Raises:
        AuthenticationError: if there is none, or one that no header can carry; the message
            says how to set it and never quotes it.
    """
    if file is not None:
        try:
            with Path(file).open(errors="replace") as stream:
                return checked_token(stream.read(_LONGEST), str(file))
        except OSError as error:  # without the name: it may be the token itself
            why = error.strerror or "it cannot be read"
        raise AuthenticationError(f"the file that --token-file names: {why}")
    values = {name: os.environ[name] for name in variables if name in os.environ}
    for name, text in values.items():
        if text.strip():
            return checked_token(text, name)
    token = elsewhere()
    if token is not None:
        return token
    why = f"{next(iter(values))} is empty" if values else "there is none"
    raise AuthenticationError(
        f"{what} needs a token and {why}: set {variables[0]} in the environment, "
        f"or use --token-file FILE ({page} says how to get one)"
    )


def checked_token(text: str, source: str) -> Token:
    """A token without the white space around it; AuthenticationError if it is none."""
    secret = text.strip()
    if not secret:
        raise AuthenticationError(f"the token file {source} is empty; put the token into it")
    if len(text) == _LONGEST or not re.fullmatch(r"[!-~]{8,}", secret):
        expected = "one word of 8 or more plain letters, digits and signs"
        raise AuthenticationError(f"what {source} holds is no token: expected {expected}")
    return Token(secret, source)


def check_address(name: str, address: str) -> str:
    """A url to send something to; InputError for others, which does not quote any with an @."""
    if "@" in address:
        raise InputError(
            f"option {name}: user and password do not belong into options; those of a proxy "
            "can be in HTTPS_PROXY in the environment"
        )
    match = re.fullmatch(r"https?://[\w.-]+(:\d+)?(/[^?#\s]*)?", address, re.ASCII | re.IGNORECASE)
    if match and 0 < int((match[1] or ":1")[1:]) < 2**16:
        return address.rstrip("/")
    raise InputError(f"option {name}: expected http(s)://HOST[:PORT][/PATH], got {address!r:.60}")
