"""Requests and answers as JSON; what both ends of a process need, and nothing more."""

import json
from typing import Any

from qubopuzzle.errors import InputError


def packed(value: Any) -> bytes:
    """JSON in ASCII, whatever signs its texts hold."""
    return json.dumps(value, separators=(",", ":")).encode()


def unpacked(data: bytes) -> dict[str, Any]:
    """An object of JSON, without what is empty in it.

    Raises:
        InputError: for anything else.
    """
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError("the request is no JSON") from None
    if not isinstance(given, dict):
        raise InputError("the request is no JSON object")
    return {name: value for name, value in given.items() if value not in (None, "")}
