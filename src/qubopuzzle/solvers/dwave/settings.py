"""What a user has set up for D-Wave's client: a token and where it goes."""

import json
import logging
import re
from collections.abc import Mapping
from typing import Any

from qubopuzzle.errors import InputError
from qubopuzzle.solvers.services.credentials import Token, check_address, checked_token, find_token

VARIABLE = "DWAVE_API_TOKEN"
_SOURCE = "dwave.conf"


def profile() -> Mapping[str, str]:
    """The user's profile: D-Wave's variables of the environment, over what dwave.conf says.

    Raises:
        InputError: for a file or a profile that D-Wave's client does not read, which is not quoted.
    """
    from dwave.cloud.config import load_config

    before, wrong = logging.root.manager.disable, ""
    logging.disable()  # the client logs all that it reads
    try:
        config = load_config()
    except Exception as error:  # its words may be lines of the file, so that nothing of it is kept
        wrong = type(error).__name__
    finally:
        logging.disable(before)
    if wrong:
        what = f"D-Wave's client cannot read its configuration ({wrong})"
        raise InputError(f"{what}; see `dwave config ls`, and DWAVE_PROFILE")
    return {name: value for name, value in config.items() if isinstance(value, str)}


def token_of(options: Mapping[str, Any]) -> Token:
    """The token of ``token_file``, of the environment, or of the profile, in this order.

    Raises:
        AuthenticationError: if there is none.
        InputError: see ``profile``.
    """

    def of_profile() -> Token | None:
        secret = profile().get("token", "")
        return checked_token(secret, _SOURCE) if secret.strip() else None

    return find_token("D-Wave", (VARIABLE,), options["token_file"], "docs/quantum.md", of_profile)


def token_in(sampler: Any) -> Token | None:
    """The token of the client in a sampler that a user has set up, to mask it."""
    secret = getattr(getattr(getattr(sampler, "client", None), "config", None), "token", None)
    return Token(secret, "the sampler's client") if isinstance(secret, str) and secret else None


def address_of(options: Mapping[str, Any]) -> str:
    """Where the service is: option ``url``, the profile's endpoint or region, or D-Wave's own."""
    from dwave.cloud.config.constants import DEFAULT_SOLVER_API_ENDPOINT

    if options["url"]:
        return str(options["url"])
    config = profile()
    if "endpoint" in config:
        return check_address(f"endpoint of {_SOURCE}", config["endpoint"])
    region = config.get("region")
    if region is None:
        return str(DEFAULT_SOLVER_API_ENDPOINT)
    if not re.fullmatch(r"[a-z0-9-]{1,40}", region):
        raise InputError(f"region of {_SOURCE}: expected one such as eu-central-1")
    return f"https://{region}.cloud.dwavesys.com/sapi/v2"


def features(text: str) -> Any:
    """A QPU's name, or its features as D-Wave's client takes them, from JSON."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, dict) else text
