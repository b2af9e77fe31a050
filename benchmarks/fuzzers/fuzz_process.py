"""Runs a session in a process of its own, under a memory limit, and finds what hangs or kills it.

The process writes each input to shared memory before it examines it. If it dies or makes no progress, that input is the
finding.
"""

import json
import mmap
import multiprocessing
import os
import resource
import signal
import struct
import time

from benchmarks.fuzzers.corpus import Corpus
from benchmarks.fuzzers.fuzz_session import FuzzSession
from benchmarks.fuzzers.fuzzer import Data, Fuzzer, written

MEMORY_BYTES = 4 << 30
HANGS_AFTER_S = 120.0
"""Seconds of one input after which it counts as a hang; the work meter stops Python code long before."""
_HEAD = struct.Struct("QQ")
_SHARED = 4 << 20
_FORK = multiprocessing.get_context("fork")


class FuzzProcess:
    """One session under way."""

    def __init__(self, fuzzer: Fuzzer, corpus: Corpus, seconds: float, number: int) -> None:
        self.fuzzer, self._corpus = fuzzer, corpus
        self._shared = mmap.mmap(-1, _SHARED)
        self._seen, self._since = 0, time.monotonic()
        self._process = _FORK.Process(target=self._work, args=(seconds, number), daemon=True)
        self._process.start()

    def _work(self, seconds: float, number: int) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        session = FuzzSession(self.fuzzer, self._corpus, self._note)
        session.run(seconds, number)
        os._exit(0)

    def _note(self, data: Data) -> None:
        text = written(data).encode()[: _SHARED - _HEAD.size]
        count, _ = _HEAD.unpack_from(self._shared)
        self._shared[_HEAD.size : _HEAD.size + len(text)] = text
        _HEAD.pack_into(self._shared, 0, count + 1, len(text))

    @property
    def examined(self) -> int:
        """Inputs so far."""
        count: int = _HEAD.unpack_from(self._shared)[0]
        return count

    def is_over(self) -> bool:
        """Whether the session has ended; one that hangs is killed, and its input kept."""
        if self.examined != self._seen:
            self._seen, self._since = self.examined, time.monotonic()
        if self._process.is_alive():
            if time.monotonic() - self._since < HANGS_AFTER_S:
                return False
            self._process.kill()
            self._keep("hang")
        self._process.join()
        if self._process.exitcode not in (0, -signal.SIGKILL):
            self._keep(f"died with {self._process.exitcode}")
        return True

    def stop(self) -> None:
        """End the session now; what it kept is on the disk."""
        self._process.kill()
        self._process.join()

    def _keep(self, kind: str) -> None:
        _, size = _HEAD.unpack_from(self._shared)
        try:
            data = json.loads(self._shared[_HEAD.size : _HEAD.size + size])
        except ValueError:
            data = "an input of more than 4 MiB"
        self._corpus.add_finding(self.fuzzer.name, data, kind, "")
