"""``qubopuzzle serve``."""

import socket
from argparse import Namespace
from contextlib import suppress
from pathlib import Path

from qubopuzzle.base.checks import positive, whole
from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, say
from qubopuzzle.errors import InputError, SolverUnavailable

_USUAL_PORT = 80
"""Of HTTP: browsers leave it out."""
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - what users name, behind a token
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def add_arguments(parser: Parser) -> None:
    """Where, and how much at once."""
    add = parser.option
    add("--port N", "where it listens (default 8000; 0: any free one)", default=8000)
    add("--host NAME", "an address of this machine, for other machines (default 127.0.0.1)")
    add("--name NAME", "how others call it, as behind a proxy; with a port unless it is the usual")
    add("--runs N", "solvers at work at once (default 4)", default=4)
    add("--time-limit SECONDS", "most that a run may take (default 60)", default=60.0)
    add(
        "--static DIR",
        "write the page as files that need no server: examples, hints, recorded runs",
    )


def run(args: Namespace) -> int:
    """Serve the page until Ctrl-C, or write it as files."""
    limit = positive("--time-limit", args.time_limit, "seconds")
    if args.static is not None:
        if args.host is not None or args.name is not None:
            raise InputError(
                "--static writes files and listens nowhere; leave out --host and --name"
            )
        return _write(Path(args.static), limit)
    try:
        import uvicorn

        from qubopuzzle.web.connections import Impatient
        from qubopuzzle.web.server import application
    except ModuleNotFoundError as error:
        missing = f"serve needs {error.name}: pip install 'qubopuzzle[web]'"
        raise SolverUnavailable(missing) from None
    from secrets import token_urlsafe

    host = args.host or "127.0.0.1"
    port = whole("--port", args.port, 0, 65_535)
    runs = whole("--runs", args.runs, 1, 1_000)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]
        raise InputError(f"cannot listen on {host}:{port}: {why}") from None
    with listening:
        port = listening.getsockname()[1]
        names = _LOOPBACK if host in _LOOPBACK else (host, *_names(host))
        is_open = host not in _LOOPBACK or args.name is not None
        token = token_urlsafe(24) if is_open else ""
        hosts = {f"{_bracketed(name)}:{port}" for name in names}
        hosts |= set(map(_bracketed, names)) if port == _USUAL_PORT else set()
        hosts |= {args.name} if args.name is not None else set()
        app = application(
            hosts=frozenset(map(str.lower, hosts)), token=token, runs=runs, time_limit=limit
        )
        shown = names[1] if host in _EVERYWHERE else host
        say(f"http://{_bracketed(shown)}:{port}/{token and f'{token}/'}", "Ctrl-C ends it")
        config = uvicorn.Config(
            app,
            log_level="error",  # what strangers send wrongly is their affair
            access_log=False,  # addresses hold the token
            http=Impatient,
            server_header=False,
            lifespan="on",
            ws="none",
            limit_concurrency=256,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=1,
        )
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run([listening])
    return SOLVED


def _write(folder: Path, limit: float) -> int:
    """The page as files: what is done is told, as it takes minutes."""
    from qubopuzzle.web.static import build

    for name in build(folder, time_limit=limit):
        say(name, error=True)
    say(f"{folder / 'index.html'} opens in a browser, from a disk or any host of files")
    return SOLVED


def _names(host: str) -> tuple[str, ...]:
    """Other names of this machine, where it listens on all of them."""
    if host not in _EVERYWHERE:
        return ()
    addresses = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing; says which address is used to go out
        addresses.append(probe.getsockname()[0])
    hostname = socket.gethostname()
    with suppress(OSError):
        addresses += [str(info[4][0]) for info in socket.getaddrinfo(hostname, None)]
    return tuple(dict.fromkeys([*addresses, hostname, *_LOOPBACK]))


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name
