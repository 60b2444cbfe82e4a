"""Connections that are not waited for forever, which Uvicorn leaves to a proxy before it."""

from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10
"""Seconds that the head of a request may take to arrive."""
READ_S = 30
"""Seconds that an answer may wait for its reader."""


class Impatient(H11Protocol):
    """Hangs up where no request comes, or only its beginning, and where no answer is read."""

    _unread: Any = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._wait(self.cycle)

    def _wait(self, before: Any) -> None:
        self._late = self.loop.call_later(HEAD_S, self._look, before)

    def _look(self, before: Any) -> None:
        """Hang up if the last request is answered, and no other has come since the last look."""
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.cycle is before:
            self.transport.close()
        elif not self.transport.is_closing():
            self._wait(self.cycle)

    def pause_writing(self) -> None:
        """Wait for a reader, but not forever."""
        super().pause_writing()
        self._unread = self.loop.call_later(READ_S, self.transport.abort)

    def resume_writing(self) -> None:
        """There is one."""
        self._stop_waiting()
        super().resume_writing()

    def _stop_waiting(self) -> None:
        if self._unread is not None:
            self._unread.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._late.cancel()
        self._stop_waiting()
        super().connection_lost(exc)
