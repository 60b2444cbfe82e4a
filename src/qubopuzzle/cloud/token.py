"""Tokens: where they come from, and how they stay out of everything else."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from qubopuzzle.errors import AuthenticationError

_STRETCH = 8
"""Letters in a row that a text may share with a token."""
_LONGEST = 10_000


class Token:
    """A secret and the place that it comes from; only ``reveal`` shows it."""

    __slots__ = ("_secret", "source")

    def __init__(self, secret: str, source: str) -> None:
        self._secret = secret
        self.source = source

    def reveal(self) -> str:
        """The secret itself."""
        return self._secret

    def __repr__(self) -> str:
        return f"<Token from {self.source}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a token is not pickled")


def find_token(what: str, variables: Sequence[str], file: str | None) -> Token:
    """The token in ``file``, else in the first of the environment variables that has one.

    Args:
        what: the service, for messages.

    Raises:
        AuthenticationError: if there is none, or one that no header can carry; the message
            says how to set it and never quotes it.
    """
    if file is not None:
        return checked_token(_read(file), str(file))
    for name in variables:
        if os.environ.get(name, "").strip():
            return checked_token(os.environ[name], name)
    empty = [name for name in variables if name in os.environ]
    why = f"{empty[0]} is empty" if empty else "there is none"
    raise AuthenticationError(
        f"{what} needs a token and {why}: set {variables[0]} in the environment, "
        "or use --token-file FILE (docs/amplify.md says how to get one)"
    )


def redact(text: str, *secrets: str) -> str:
    """Mask every stretch of 8 letters or more that also stands in a secret.

    As it is, backwards, percent-encoded or in base64, wherever it begins: a server may echo
    the token in any of these, whole or in part.
    """
    hidden = bytearray(len(text))
    for secret in filter(None, secrets):
        n = min(_STRETCH, len(secret))
        pieces = {form[i : i + n] for form in _forms(secret) for i in range(len(form) - n + 1)}
        for piece in pieces:
            start = text.find(piece)
            while start >= 0:
                hidden[start : start + n] = b"\1" * n
                start = text.find(piece, start + 1)
    if not any(hidden):
        return text
    marked = "".join("\0" if h else c for c, h in zip(text, hidden, strict=True))
    return re.sub("\0+", "[token]", marked)


def _forms(secret: str) -> Iterator[str]:
    raw = secret.encode()
    yield from (secret, secret[::-1], quote(secret, safe=""))
    for shift in range(3):  # base64 reads three bytes at a time
        yield b64encode(b" " * shift + raw).decode()[4 if shift else 0 :].rstrip("=")[:-1]


def _read(file: str) -> str:
    try:
        with Path(file).open(errors="replace") as stream:
            return stream.read(_LONGEST)
    except OSError as error:
        raise AuthenticationError(f"token file {file}: {error.strerror or error}") from None


def checked_token(text: str, source: str) -> Token:
    """A token without the white space around it; AuthenticationError if it is none."""
    secret = text.strip()
    if not secret:
        raise AuthenticationError(f"the token file {source} is empty; put the token into it")
    if len(text) == _LONGEST or not re.fullmatch(r"[!-~]+", secret):
        raise AuthenticationError(
            f"what {source} holds is no token: expected one word of plain letters, digits and signs"
        )
    return Token(secret, source)
