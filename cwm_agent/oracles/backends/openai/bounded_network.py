"""Network connections with one deadline and one byte limit for a whole exchange, beneath the HTTP client httpcore2.

The client itself has a timeout for each read and a limit for each block of headers, so a server could send one byte at
a time, or interim responses (100) without end. Here every read and write gets the time that is left of the exchange,
and every byte that arrives counts, whatever HTTP makes of it: first those before the body, then those of the body. The
operating system looks up the name of a host, within its own time limit.
"""

import socket
import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore2

_PIECE = 1 << 14
"""Bytes written at once; the time left is computed anew for each piece."""


class DeadlinePassed(httpcore2.TimeoutException):
    """The time of the exchange is over."""


class TooManyBytes(httpcore2.NetworkError):
    """The server sent more bytes than the exchange allows."""


class ExchangeLimits:
    """The time and the bytes that are left of one exchange."""

    def __init__(self, seconds: float, received: int) -> None:
        """Allow this time for all, and these bytes until `allow` allows more."""
        self._ends = time.monotonic() + seconds
        self._received = received

    def seconds(self) -> float:
        """Return the seconds left; DeadlinePassed if there are none."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise DeadlinePassed
        return left

    def allow(self, received: int) -> None:
        """Allow the server to send this many bytes more."""
        self._received += received

    def count(self, received: int) -> None:
        """Count bytes that arrived; TooManyBytes if they are more than allowed."""
        self._received -= received
        if self._received < 0:
            raise TooManyBytes


class BoundedNetwork(httpcore2.NetworkBackend):
    """Opens connections that share the limits of one exchange."""

    def __init__(self, limits: ExchangeLimits) -> None:
        self._limits = limits
        self._network = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to the first address of the host that answers."""
        failure: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in _addresses(host, port):
            try:
                stream = self._network.connect_tcp(
                    address, port, self._limits.seconds(), local_address, socket_options=socket_options
                )
                return BoundedStream(stream, self._limits)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure


class BoundedStream(httpcore2.NetworkStream):
    """A connection whose reads and writes share the limits of one exchange."""

    def __init__(self, stream: httpcore2.NetworkStream, limits: ExchangeLimits) -> None:
        self._stream = stream
        self._limits = limits

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, self._limits.seconds())
        self._limits.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], self._limits.seconds())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, self._limits.seconds())
        return BoundedStream(stream, self._limits)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _addresses(host: str, port: int) -> list[str]:
    """Return the addresses of a host, best first."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore2.ConnectError(error) from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))
