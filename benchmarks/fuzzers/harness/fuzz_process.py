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
from pathlib import Path

from benchmarks.fuzzers.harness.corpus import Corpus
from benchmarks.fuzzers.harness.fuzz_session import FuzzSession
from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer, written

MEMORY_BYTES = 4 << 30
"""Address space that a session may take beyond what its parent holds."""
HANGS_AFTER_S = 60.0
"""CPU seconds of one input after which it counts as a hang; the work meter stops Python code long before."""
_HEAD = struct.Struct("QQ")
_SHARED = 4 << 20
_FORK = multiprocessing.get_context("fork")


class FuzzProcess:
    """One session under way."""

    def __init__(self, fuzzer: Fuzzer, corpus: Corpus, seconds: float, number: int) -> None:
        self.fuzzer, self._corpus = fuzzer, corpus
        self._shared = mmap.mmap(-1, _SHARED)
        self._seen, self._since = 0, 0.0
        self._process = _FORK.Process(target=self._work, args=(seconds, number), daemon=True)
        self._process.start()

    def _work(self, seconds: float, number: int) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        limit = MEMORY_BYTES + _address_space()
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
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
        spent = self._cpu_s()
        if self.examined != self._seen:
            self._seen, self._since = self.examined, spent
        hangs = spent - self._since >= HANGS_AFTER_S
        if self._process.is_alive() and not hangs:
            return False
        self.stop()
        if hangs or self._process.exitcode != 0:
            self._keep("hang" if hangs else f"died with {self._process.exitcode}")
        return True

    def _cpu_s(self) -> float:
        """CPU seconds of the process, so that a busy machine makes no hangs; 0 once it is gone."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

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


def _address_space() -> int:
    """Bytes of address space of this process."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
