"""Servers on 127.0.0.1 that pass bytes on and keep what they were sent.

``tls_front`` puts TLS before a service, with any certificate; ``connect_proxy`` is a proxy for
HTTPS. What each has read, behind its own TLS, is in ``log``.
"""

import re
import socket
import ssl
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

import trustme


def certificate(kind):
    """A server's context by name, and the PEM of its authority."""
    authority = trustme.CA()
    long_ago = {"not_before": datetime(2020, 1, 1, tzinfo=UTC)}
    if kind == "self-signed":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with authority.private_key_pem.tempfile() as key, authority.cert_pem.tempfile() as own:
            context.load_cert_chain(own, key)
        return context, trustme.CA().cert_pem.bytes()
    leaf = {
        "expired": lambda: authority.issue_cert(
            "localhost", "127.0.0.1", not_after=datetime(2021, 1, 1, tzinfo=UTC), **long_ago
        ),
        "other name": lambda: authority.issue_cert("elsewhere.example"),
        "private": lambda: authority.issue_cert("localhost", "127.0.0.1"),
    }[kind]()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    leaf.configure_cert(context)
    return context, authority.cert_pem.bytes()


@contextmanager
def tls_front(context, port):
    """TLS before a port of this machine; yields the server, its ``port`` and ``log``."""

    def accept(server, connection):
        with context.wrap_socket(connection, server_side=True) as plain:
            _pass_on(server, plain, ("127.0.0.1", port))

    with _serving(accept) as server:
        yield server


@contextmanager
def connect_proxy():
    """A proxy that takes CONNECT only; yields the server, its ``port``, ``log`` and ``asked``."""

    def accept(server, connection):
        head = b""
        while b"\r\n\r\n" not in head and (data := connection.recv(4096)):
            head += data
        server.log.append(head)
        host, number = re.match(rb"CONNECT ([^ ]+):(\d+) HTTP", head).groups()
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        _pass_on(server, connection, (host.decode(), int(number)))

    with _serving(accept) as server:
        yield server


@contextmanager
def _serving(accept):
    class Handler(BaseRequestHandler):
        def handle(self):
            with suppress(OSError):  # whoever asked has gone away, or does not trust us
                accept(self.server, self.request)

    class Server(ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        server.log, server.port = [], server.server_address[1]
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def _pass_on(server, connection, target):
    with socket.create_connection(target) as other:

        def back():
            with suppress(OSError):
                while data := other.recv(2**16):
                    connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)

        thread = Thread(target=back, daemon=True)
        thread.start()
        while data := connection.recv(2**16):
            server.log.append(data)
            other.sendall(data)
        with suppress(OSError):
            other.shutdown(socket.SHUT_WR)
        thread.join(5)
