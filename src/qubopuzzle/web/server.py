"""Requests and answers: the page's files, calls of ``work`` in processes, and runs as streams.

Nothing is kept between requests. A run lasts as long as the request that asked for it: whoever
closes the page ends it.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from secrets import compare_digest
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qubopuzzle.checks import positive
from qubopuzzle.errors import InputError, QubopuzzleError
from qubopuzzle.web import work
from qubopuzzle.web.pool import Busy, Pool
from qubopuzzle.web.replay import replay_page

BODY_LIMIT = 8 << 20
"""Bytes of a request: a photo fits."""
BODY_S = 30
"""Seconds that a request may take to arrive."""
CALL_S = 30
"""Seconds for reading, making, checking and the like."""
_CALLS = 2
"""Processes for these."""
_LATE_S = 60
"""Seconds for building a model and for telling of a run, beside its time limit."""
_QUEUED = 200
"""Frames that wait for a slow reader before further live ones are left out."""
_TYPES = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
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
_RUN = {"solver", "formulation", "encoding", "presolve", "weights", "seed", "time_limit", "options"}
"""What a request may say of a run: arguments of ``solve``."""


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
        app.state.runs = Pool(runs, wait_s=5, warm=work.warm)
        app.state.calls = Pool(_CALLS, wait_s=20, warm=work.warm)
        for pool in (app.state.runs, app.state.calls):
            pool.prepare()
        try:
            yield
        finally:
            for pool in (app.state.runs, app.state.calls):
                pool.close()

    def called(function: Callable[..., Any], *names: str) -> Route:
        return Route(f"/api/{function.__name__}", _called(function, names), methods=["POST"])

    pages: dict[str, Any] = {}
    routes = [
        Route("/", _page),
        Route("/{name:str}", _page),
        called(work.about),
        called(work.read, "text", "image"),
        called(work.new, "puzzle", "size", "difficulty", "seed"),
        called(work.check, "puzzle", "marks", "bits"),
        called(work.next_hint, "puzzle", "marks", "bits"),
        called(work.model, "puzzle", "formulation", "encoding"),
        called(work.coefficient, "puzzle", "i", "j", "formulation", "encoding"),
        called(work.written, "puzzle", "to", "formulation", "encoding"),
        Route("/api/run", _run, methods=["POST"]),
        Route("/api/replay", _replay, methods=["POST"]),
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
    app.state.pages, app.state.time_limit = pages, time_limit
    return _Guard(app, hosts, token)


class _Guard:
    """Answers only requests to this server, from its own page, with its token; sets headers."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], token: str) -> None:
        self._app, self._hosts, self._token = app, hosts, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in _HEADERS}
                kept = [(name, value) for name, value in message["headers"] if name not in own]
                message = {**message, "headers": [*kept, *_HEADERS]}
            await send(message)

        refused = self._refusal(scope)
        answer = self._app if refused is None else PlainTextResponse(refused, 403)
        await answer(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> str | None:
        """Why a request gets no answer."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get(b"host", "").lower() not in self._hosts:
            return "this address is not served here"
        if self._token:
            first = scope["path"].lstrip("/").partition("/")[0]
            if not compare_digest(first.encode(), self._token.encode()):
                return "the address needs the token that `qubopuzzle serve` printed"
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc.lower() not in self._hosts:
            return "requests of other pages are not answered"
        if headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "requests of other pages are not answered"
        return None


async def _page(request: Request) -> Response:
    """A file of the page; nothing else on this machine has a name here."""
    name = request.path_params.get("name", "index.html")
    pages = request.app.state.pages
    if not pages:
        pages |= {
            e.name: e.read_bytes() for e in files("qubopuzzle.web").joinpath("page").iterdir()
        }
    if name not in pages:
        raise HTTPException(404, "there is no such page")
    return Response(pages[name], media_type=_TYPES[name.rpartition(".")[2]])


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object of a request; errors for one too large, too slow, or no JSON."""
    data = await _bytes(request)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError("the request is no JSON") from None
    if not isinstance(found, dict):
        raise InputError("the request is no JSON object")
    return found


async def _bytes(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415, "expected application/json")
    parts, size = [], 0
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                size += len(part)
                if size > BODY_LIMIT:
                    raise HTTPException(413, f"over {BODY_LIMIT >> 20} MiB", _HANG_UP)
                parts.append(part)
    except TimeoutError:
        raise HTTPException(408, "the request took too long", _HANG_UP) from None
    return b"".join(parts)


def _called(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    async def answer(request: Request) -> Response:
        given = _only(await _body(request), set(names))
        call = asyncio.ensure_future(
            request.app.state.calls.call(work.called, function, given, deadline=CALL_S)
        )
        return JSONResponse(await _while_connected(request, call))

    return answer


async def _while_connected(request: Request, call: "asyncio.Future[Any]") -> Any:
    """The answer of a call, which ends with the request."""

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


def _only(given: dict[str, Any], names: set[str]) -> dict[str, Any]:
    strangers = given.keys() - names
    if strangers:
        raise InputError(f"{min(strangers)[:40]}: not known here; {', '.join(sorted(names))} are")
    return {name: value for name, value in given.items() if value is not None}


async def _run(request: Request) -> Response:
    """A run, as server-sent events: frames, the result, frames that were kept, ``end``."""
    given = _only(await _body(request), {"puzzle", *_RUN})
    puzzle = given.pop("puzzle", None)
    most = request.app.state.time_limit
    limit = min(positive("time_limit", given.get("time_limit", most), "seconds"), most)
    given = {name: value for name, value in given.items() if value not in ("", {})}
    if str(given.get("solver", "")).startswith("dimod:"):
        raise InputError("samplers of other packages are not run here")
    settings = {**given, "time_limit": limit}
    return StreamingResponse(
        _events(request.app.state.runs, puzzle, settings, limit), media_type="text/event-stream"
    )


async def _events(
    pool: Pool, puzzle: Any, settings: dict[str, Any], limit: float
) -> AsyncIterator[str]:
    queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def put(event: dict[str, Any]) -> None:
        if event["event"] != "frame" or "looks" in event or queue.qsize() < _QUEUED:
            queue.put_nowait(event)

    def hear(event: dict[str, Any]) -> None:
        loop.call_soon_threadsafe(put, event)

    async def go() -> None:
        given = {"puzzle": puzzle, "settings": settings}
        try:
            last = await pool.call(
                work.called, work.run, given, deadline=limit + _LATE_S, hear=hear
            )
        except QubopuzzleError as error:
            last = {"event": "error", "message": str(error)}
        # After what was heard before it.
        loop.call_soon(put, last)

    task = asyncio.create_task(go())
    try:
        while True:
            event = await queue.get()
            name = event.pop("event")
            yield f"event: {name}\ndata: {json.dumps(event, separators=(',', ':'))}\n\n"
            if name in ("end", "error"):
                return
    finally:
        task.cancel()


async def _replay(request: Request) -> Response:
    """A recorded run as one HTML file."""
    data = await _bytes(request)
    return Response(await asyncio.to_thread(replay_page, data), media_type="text/html")


async def _plain(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


async def _refused(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 503 if isinstance(error, Busy) else 400)


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=499)
