"""Runs one fuzzer for some seconds in this process: old inputs first, then new ones and changes to old ones."""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

from benchmarks.fuzzers.harness.corpus import Corpus, Finding
from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer, examine, signature
from benchmarks.fuzzers.harness.mutations import changed_leaf
from benchmarks.fuzzers.harness.work_meter import WorkExceeded

EXAMPLES_A_ROUND = 400
SHRINKING_S = 30.0
"""Seconds after the end of a session in which a failure is still made smaller."""


class _Broken(Exception):
    """Tells Hypothesis that an input fails; the cause is what the reader raised."""


@dataclass(slots=True)
class FuzzSession:
    """What one session knows: where to keep inputs, what failed before, what was reached."""

    fuzzer: Fuzzer
    corpus: Corpus
    note: Callable[[Data], None] = lambda data: None
    """Told each input before it is examined, so that another process knows it if this one dies."""
    examined: int = 0
    findings: list[Finding] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)
    _reached: set[object] = field(default_factory=set)

    def run(self, seconds: float, number: int) -> None:
        """Fuzz until the time is over; `number` seeds this session's choices."""
        ends = time.monotonic() + seconds
        name = self.fuzzer.name
        self._known |= {finding.signature for finding in self.corpus.findings(name)}
        seeds = self.corpus.seeds(name)
        for data in seeds:
            self._failure(data, keep=False)
        while time.monotonic() < ends:
            self._round(seeds, ends, number)
            number += 1_000_003

    def _round(self, seeds: list[Data], ends: float, number: int) -> None:
        inputs = self.fuzzer.inputs()
        if seeds and self.fuzzer.changes:
            inputs |= changed_leaf(st.sampled_from(seeds))
        smallest: list[tuple[Data, BaseException]] = []

        @seed(number)
        @settings(
            max_examples=EXAMPLES_A_ROUND,
            database=DirectoryBasedExampleDatabase(self.corpus.database),
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.reuse, Phase.generate, Phase.shrink),
            report_multiple_bugs=False,
            print_blob=False,
        )
        @given(inputs)
        def attempt(data: Data) -> None:
            now = time.monotonic()
            if now > ends + SHRINKING_S or (now > ends and not smallest):
                return
            error = self._failure(data)
            if error is not None and (not smallest or signature(error) == signature(smallest[0][1])):
                smallest[:] = [(data, error)]
                raise _Broken from error

        try:
            attempt()
        except Exception:  # _Broken, or Hypothesis about an input that fails only sometimes
            if not smallest:
                raise
        if smallest:
            self._found(*smallest[0])

    def _failure(self, data: Data, *, keep: bool = True) -> BaseException | None:
        """What an input raises, unless it is known; inputs that reach something new join the corpus."""
        self.note(data)
        self.examined += 1
        try:
            found = examine(self.fuzzer, data)
        except (Exception, WorkExceeded) as error:
            return error if signature(error) not in self._known else None
        new = {found.word, *found.sites} - self._reached
        self._reached |= new
        if new and keep:
            self.corpus.add_seed(self.fuzzer.name, data)
        return None

    def _found(self, data: Data, error: BaseException) -> None:
        kind = signature(error)
        self._known.add(kind)
        report = "".join(traceback.format_exception(error, limit=-12))
        self.findings.append(self.corpus.add_finding(self.fuzzer.name, data, kind, report))
