"""Options of every solver that asks a service."""

from qubopuzzle.solvers.base import Option

SERVICE_OPTIONS = (
    Option("token_file", str, None, "file that holds the token"),
    Option("url", str, None, "address of the service"),
    Option("proxy", str, None, "address of a proxy; without, HTTPS_PROXY's"),
    Option("ca", str, None, "file of certificates (PEM) to trust besides the usual ones"),
    Option("record", str, None, "file for the answer"),
    Option("replay", str, None, "file with such an answer, to decode and judge again"),
    Option("dry_run", str, None, "file for what would be asked; nothing is sent"),
)
