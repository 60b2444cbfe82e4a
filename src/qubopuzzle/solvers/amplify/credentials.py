"""Tokens and addresses: where they come from, and how secrets stay out of everything else."""

import html
import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from qubopuzzle.errors import AuthenticationError, InputError

_STRETCH = 8
"""Letters in a row that a text may not share with a secret."""
_SHARED = 5
"""The same for what is quoted in messages, white space and signs left out."""
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
        try:
            with Path(file).open(errors="replace") as stream:
                return checked_token(stream.read(_LONGEST), str(file))
        except OSError as error:
            # Not the name: it may be the token itself, given in place of a file.
            raise AuthenticationError(
                f"the file that --token-file names: {error.strerror or 'it cannot be read'}"
            ) from None
    for name in variables:
        if os.environ.get(name, "").strip():
            return checked_token(os.environ[name], name)
    empty = [name for name in variables if name in os.environ]
    why = f"{empty[0]} is empty" if empty else "there is none"
    raise AuthenticationError(
        f"{what} needs a token and {why}: set {variables[0]} in the environment, "
        "or use --token-file FILE (docs/amplify.md says how to get one)"
    )


def checked_token(text: str, source: str) -> Token:
    """A token without the white space around it; AuthenticationError if it is none."""
    secret = text.strip()
    if not secret:
        raise AuthenticationError(f"the token file {source} is empty; put the token into it")
    if len(text) == _LONGEST or not re.fullmatch(r"[!-~]{8,}", secret):
        raise AuthenticationError(
            f"what {source} holds is no token: expected one word of 8 or more plain letters, "
            "digits and signs"
        )
    return Token(secret, source)


def redact(text: str, *secrets: str) -> str:
    """Mask every stretch of 8 characters or more that also stands in a secret.

    As it is, in another case, backwards, percent-encoded, escaped as in JSON or HTML, in
    hexadecimal or in base64, wherever it begins: a server may echo a token in any of these,
    whole or in part. Secrets of less than 4 letters are left alone.
    """
    known = [secret for secret in secrets if len(secret) >= 4]
    n = min([_STRETCH, *map(len, known)])
    pieces = {
        form[i : i + n]
        for secret in known
        for form in _forms(secret.casefold(), secret)
        for i in range(len(form) - n + 1)
    }
    folded = "".join(c.casefold() if len(c.casefold()) == 1 else c for c in text)
    hidden = bytearray(len(text))
    for i in range(len(text) - n + 1 if pieces else 0):
        if folded[i : i + n] in pieces:
            hidden[i : i + n] = b"\1" * n
    runs = groupby(zip(hidden, text, strict=True), key=itemgetter(0))
    return "".join("[token]" if masked else "".join(c for _, c in run) for masked, run in runs)


def quotable(text: str, *secrets: str) -> str:
    """A text of a server as it can stand in a message; nothing if there is any doubt.

    Plain words only, none of more than 20 letters, and no 5 letters in a row of a secret
    in them, read forwards or backwards, with or without what stands between.
    """
    line = " ".join(text.split())[:_QUOTED]
    if not re.fullmatch(r"[\w ,.;:'()/+-]*", line, re.ASCII) or re.search(r"[^ ]{21}", line):
        return ""
    bare = _letters(line)
    for secret in secrets:
        for own in (_letters(secret), _letters(secret)[::-1]):
            if any(own[i : i + _SHARED] in bare for i in range(max(1, len(own) - _SHARED + 1))):
                return ""
    return line


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def _forms(folded: str, secret: str) -> Iterator[str]:
    yield from (folded, folded[::-1], quote(secret, safe="").casefold())
    yield from (json.dumps(folded)[1:-1], html.escape(folded))
    raw = secret.encode()
    for form in ("{:02x}", "%{:02x}", "\\u00{:02x}", "&#{};", "&#x{:02x};"):
        yield "".join(map(form.format, raw))
    for shift in range(3):  # base64 reads three bytes at a time
        coded = b64encode(b" " * shift + raw).decode()
        yield coded[4 if shift else 0 :].rstrip("=")[:-1].casefold()


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
    found = re.fullmatch(r"(https?)(://(?!.*[?#[])[!-~]+)", address, re.IGNORECASE)
    if found is None or not _host(address):
        raise InputError(
            f"option {name}: expected http(s)://HOST[:PORT][/PATH], got {address!r:.60}"
        )
    return f"{found[1].lower()}{found[2]}".rstrip("/")


def proxy_of(url: str, own: str = "") -> str:
    """The proxy for a url: ``own``, else the environment's, which the SDK does not read.

    Raises:
        InputError: for one that is no url; it is not quoted.
    """
    if not own and (_host(url) in ("localhost", "127.0.0.1") or proxy_bypass(_host(url))):
        return ""
    address = own or getproxies().get(urlsplit(url).scheme, "")
    if not address:
        return ""
    address = address if "//" in address else f"http://{address}"
    if not _host(address):
        raise InputError("the proxy's address is no url; see HTTPS_PROXY in the environment")
    return address


def secrets_in(address: str) -> tuple[str, ...]:
    """User and password of an address, as they are and decoded, together and apart."""
    user, at, _ = urlsplit(address).netloc.rpartition("@")
    words = [user, *user.split(":", 1)] if at else []
    return tuple(dict.fromkeys([*words, *map(unquote, words)]))


def _host(address: str) -> str:
    """The host of a url, empty if it is none; the SDK crashes on ports out of range."""
    try:
        parts = urlsplit(address)
        return "" if parts.port == 0 else parts.hostname or ""
    except ValueError:
        return ""
