"""Requests and answers: the page's files, calls in processes, and runs as streams.

Nothing is kept between requests, and they are read in those processes: here they are bytes. A run
lasts as long as the request that asked for it: whoever closes the page ends it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from importlib.resources import files
from secrets import compare_digest
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.web import requests
from qubopuzzle.web.messages import packed
from qubopuzzle.web.pool import Busy, Pool, Turns

LARGE, SMALL = 8 << 20, 1 << 20
"""Bytes of a request that brings a photo or a recorded run, and of the others."""
BODY_S = 30
"""Seconds that a request may take to arrive."""
CALL_S = 30
"""Seconds for reading, making, checking and the like."""
AT_ONCE = 32
"""Requests with a body that are in hand at once; others are told to come again."""
_CALLS = 2
"""Processes for what is no run."""
_LATE_S = 60
"""Seconds for building a model and for telling of a run, beside its time limit."""
_QUEUED = 200
"""Frames that wait for a slow reader before further live ones are left out."""
_TYPES = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
}
_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
_HANG_UP = {"connection": "close"}
"""So that what is left of a request is not waited for."""


def application(*, hosts: frozenset[str], token: str, runs: int, time_limit: float) -> ASGIApp:
    """The server as an ASGI application.

    Args:
        hosts: names, with ports, that requests may be addressed to.
        token: what every path begins with; empty for none.
        runs: how many may run at once.
        time_limit: seconds of a run at most.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.runs, app.state.calls = Turns(runs, wait_s=5), Turns(_CALLS, wait_s=20)
        with closing(Pool(requests.warm)) as app.state.pool:
            yield

    routes = [
        Route("/", _page),
        Route("/{name:str}", _page),
        Route("/api/run", _run, methods=["POST"]),
        Route("/api/{name:str}", _call, methods=["POST"]),
    ]
    app = Starlette(
        routes=[Mount(f"/{token}", routes=routes)] if token else routes,
        lifespan=lifespan,
        exception_handlers={
            HTTPException: _plain,
            QubopuzzleError: _refused,
            ClientDisconnect: _gone,
        },
    )
    app.state.pages, app.state.time_limit, app.state.in_hand = {}, time_limit, 0
    return _Guard(app, hosts, token)


class _Guard:
    """Answers only requests to this server, from its own page, with its token; sets headers."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], token: str) -> None:
        self._app, self._hosts, self._token = app, hosts, token
        self._origins = {f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                names = {name for name, _ in _HEADERS}
                kept = [(name, value) for name, value in message["headers"] if name not in names]
                message = {**message, "headers": [*kept, *_HEADERS]}
            await send(message)

        refused = self._refusal(scope)
        answer = self._app if refused is None else PlainTextResponse(refused, 403)
        try:
            await answer(scope, receive, guarded)
        except Exception as error:
            if not begun:  # else Uvicorn hangs up, and says so
                await _error_response(_line(error), 500)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> str | None:
        """Why a request gets no answer."""
        headers = {name: value.decode("latin-1").lower() for name, value in scope["headers"]}
        if headers.get(b"host", "") not in self._hosts:
            return "this address is not served here"
        if self._token:
            first = scope["path"].lstrip("/").partition("/")[0]
            if not compare_digest(first.encode("utf-8", "replace"), self._token.encode()):
                return "the address needs the token that `qubopuzzle serve` printed"
        if headers.get(b"origin") not in (None, *self._origins):
            return "requests of other pages are not answered"
        if headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "requests of other pages are not answered"
        return None


async def _page(request: Request) -> Response:
    """A file of the page; nothing else on this machine has a name here."""
    name = request.path_params.get("name", "index.html")
    pages = request.app.state.pages
    if not pages:
        folder = files("qubopuzzle.web").joinpath("page")
        pages |= {file.name: file.read_bytes() for file in folder.iterdir()}
    if name not in pages:
        raise HTTPException(404, "there is no such page")
    return Response(pages[name], media_type=_TYPES[name.rpartition(".")[2]])


async def _call(request: Request) -> Response:
    """One of ``requests.CALLS``; ``replay`` is a recorded run as one HTML file."""
    name = request.path_params["name"]
    is_replay = name == "replay"
    if not (is_replay or name in requests.CALLS):
        raise HTTPException(404, "there is no such page")
    function = requests.replay if is_replay else partial(requests.answer, name)
    with _in_hand(request):
        data = await _bytes(request, LARGE if is_replay or name == "read" else SMALL)
        body = await _while_connected(request, function, data)
    return Response(body, media_type=_TYPES["html"] if is_replay else "application/json")


async def _run(request: Request) -> Response:
    """A run, as server-sent events: frames, the result, frames that were kept, ``end``."""
    with _in_hand(request):
        data = await _bytes(request, SMALL)
    return StreamingResponse(_events(request.app.state, data), media_type="text/event-stream")


@contextmanager
def _in_hand(request: Request) -> Iterator[None]:
    """Count a request whose body is in memory; Busy if there are too many."""
    state = request.app.state
    if state.in_hand >= AT_ONCE:
        raise Busy("there are too many requests; try again later")
    state.in_hand += 1
    try:
        yield
    finally:
        state.in_hand -= 1


async def _bytes(request: Request, limit: int) -> bytes:
    """The body of a request, which another page cannot send; errors for one too large or slow."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415, "expected application/json")
    parts, size = [], 0
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                size += len(part)
                if size > limit:
                    raise HTTPException(413, f"over {limit >> 20} MiB", _HANG_UP)
                parts.append(part)
    except TimeoutError:
        raise HTTPException(408, "the request took too long", _HANG_UP) from None
    return b"".join(parts)


async def _while_connected(request: Request, function: Callable[..., Any], data: bytes) -> Any:
    """The answer of a call in a process, which ends with the request."""
    state = request.app.state
    call = asyncio.ensure_future(state.pool.call(state.calls, function, data, deadline=CALL_S))

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    leaving = asyncio.ensure_future(gone())
    try:
        await asyncio.wait({call, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not call.done():
            raise ClientDisconnect
        return call.result()
    finally:
        leaving.cancel()
        call.cancel()


async def _events(state: State, data: bytes) -> AsyncIterator[bytes]:
    """The events of a run, as server-sent events."""
    limit = state.time_limit
    queue: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def put(name: str, payload: bytes) -> None:
        # A frame that brings looks is needed by those after it.
        if name != "frame" or queue.qsize() < _QUEUED or b'"looks":' in payload:
            queue.put_nowait((name, payload))

    def hear(event: tuple[str, bytes]) -> None:
        loop.call_soon_threadsafe(put, *event)

    async def go() -> None:
        last = "end", b"{}"
        try:
            turns, deadline = state.runs, limit + _LATE_S
            await state.pool.call(turns, requests.run, data, limit, deadline=deadline, hear=hear)
        except Exception as error:  # the stream ends in a line, whatever it was
            last = "error", packed({"message": _line(error)})
        loop.call_soon(put, *last)  # after the events before it

    task = asyncio.create_task(go())
    try:
        while True:
            name, payload = await queue.get()
            yield b"event: " + name.encode() + b"\ndata: " + payload + b"\n\n"
            if name in ("end", "error"):
                return
    finally:
        task.cancel()


async def _plain(_: Request, error: Any) -> Response:
    """Starlette's own refusals, ``HTTPException``."""
    return _error_response(error.detail, error.status_code, error.headers)


async def _refused(_: Request, error: Exception) -> Response:
    return _error_response(str(error), 503 if isinstance(error, Busy) else 400)


def _error_response(line: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return Response(packed({"error": line}), status, headers, "application/json")


def _line(error: Exception) -> str:
    if isinstance(error, QubopuzzleError):
        return str(error)
    return f"an error of this program, please report it: {type(error).__name__}"


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=499)
