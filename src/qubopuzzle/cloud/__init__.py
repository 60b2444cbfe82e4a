"""Amplify AE and its kin: one request in a process of its own, with a token that never leaks."""

from qubopuzzle.cloud.address import Proxy, check_address, proxy_of
from qubopuzzle.cloud.call import Answer, Request, call, dry_run, replay
from qubopuzzle.cloud.clients import CLIENTS, Client
from qubopuzzle.cloud.given import Given, settings_of
from qubopuzzle.cloud.plans import PLANS, Plan
from qubopuzzle.cloud.token import Token, find_token

__all__ = [
    "CLIENTS",
    "PLANS",
    "Answer",
    "Client",
    "Given",
    "Plan",
    "Proxy",
    "Request",
    "Token",
    "call",
    "check_address",
    "dry_run",
    "find_token",
    "proxy_of",
    "replay",
    "settings_of",
]
