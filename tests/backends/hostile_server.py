"""A server on loopback that answers a request with any bytes at all, for as long as the client listens."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import repeat

Script = Callable[[bytes], Iterator[bytes]]
"""From the request to the pieces of the response; an endless one ends when the client hangs up or the test is over."""
PIECE_APART = 0.002
"""Seconds between pieces of a dripping response."""


@dataclass
class Hostile:
    """What the server sends, and the requests it has received."""

    script: Script
    drips: bool = False
    """Whether a pause follows each piece."""
    requests: list[bytes] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def answer(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(20.0)
            try:
                self.requests.append(_request(connection))
                for piece in self.script(self.requests[-1]):
                    connection.sendall(piece)
                    if self.over.wait(PIECE_APART if self.drips else 0.0):
                        return
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 16) and not self.over.is_set():
                    pass  # until the client hangs up, so that it reads all before a reset
            except OSError:
                pass  # the client has heard enough


def _request(connection: socket.socket) -> bytes:
    """One request with its body; an empty one where the client hangs up before."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(1 << 16)
        if not part:
            return data
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    while len(body) < length:
        part = connection.recv(1 << 16)
        if not part:
            break
        body += part
    return head + b"\r\n\r\n" + body


@contextmanager
def attacked(hostile: Hostile) -> Iterator[str]:
    """The address of a hostile server, as long as the block runs."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threads: list[threading.Thread] = []

    def accept() -> None:
        while not hostile.over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=hostile.answer, args=(connection,), daemon=True))
            threads[-1].start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        hostile.over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()
        for thread in threads:
            thread.join(20.0)
            assert not thread.is_alive()


def sends(*pieces: bytes) -> Script:
    """A response of these pieces."""
    return lambda request: iter(pieces)


def endless(head: bytes, piece: bytes) -> Script:
    """A response that repeats a piece for ever."""

    def response(request: bytes) -> Iterator[bytes]:
        yield head
        yield from repeat(piece)

    return response


def whole_response(body: bytes, status: str = "200 OK", headers: bytes = b"") -> bytes:
    """A proper response around any body."""
    return b"HTTP/1.1 %b\r\n%bContent-Length: %d\r\n\r\n%b" % (status.encode(), headers, len(body), body)
