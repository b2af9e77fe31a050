"""Readers of hostile text keep their promises: a few inputs of every fuzzer here, long runs by `benchmarks.fuzz`."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks import fuzz
from benchmarks.fuzzers.harness.corpus import Corpus
from benchmarks.fuzzers.harness.fuzz_process import FuzzProcess
from benchmarks.fuzzers.harness.fuzz_session import FuzzSession
from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer, examine, signature
from benchmarks.fuzzers.harness.work_meter import WorkExceeded
from benchmarks.fuzzers.table import FUZZERS

ROOT = Path(__file__).parent.parent
FINDINGS = ROOT / "tests" / "fuzz_findings"
"""Inputs that once broke a reader: FINDINGS/FUZZER/NAME.json."""
SAVED = sorted(FINDINGS.rglob("*.json"))


@pytest.mark.parametrize("name", FUZZERS)
def test_a_reader_keeps_its_promise(name: str) -> None:
    """Only declared errors or a value, bounded work, and a round trip where there is one."""
    fuzzer = FUZZERS[name]

    @settings(max_examples=15, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(fuzzer.inputs())
    def check(data: Data) -> None:
        examine(fuzzer, data)

    check()


@pytest.mark.parametrize("path", SAVED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_was_found_once_stays_fixed(path: Path) -> None:
    examine(FUZZERS[path.parent.name], json.loads(path.read_text(encoding="utf-8")))


def _fragile(data: Data) -> str:
    """A reader that breaks on `!!`, and makes ten thousand calls for each `x`."""
    for _ in range(data.count("x") * 10_000):
        len(data)
    if "!!" in data:
        raise ZeroDivisionError
    return "read"


FRAGILE = Fuzzer("fragile", "none", lambda: st.lists(st.sampled_from(["!", "a", "b"])).map("".join), _fragile)


def test_a_session_finds_a_fault_makes_it_small_and_keeps_it(tmp_path: Path) -> None:
    """A second session knows the fault, and begins with the inputs of the first."""
    session = FuzzSession(FRAGILE, Corpus(tmp_path))
    while not session.findings:
        session.run(0.2, number=session.examined)
    assert [json.loads(finding.path.read_text()) for finding in session.findings] == ["!!"]
    assert Corpus(tmp_path).seeds("fragile")
    again = FuzzSession(FRAGILE, Corpus(tmp_path))
    again.run(0.1, number=7)
    assert not again.findings


def test_an_input_that_kills_the_process_is_kept(tmp_path: Path) -> None:
    deadly = Fuzzer("deadly", "none", lambda: st.just("boom"), lambda data: os.kill(os.getpid(), signal.SIGKILL) or "")
    process = FuzzProcess(deadly, Corpus(tmp_path), seconds=60.0, number=0)
    while not process.is_over():
        pass
    (finding,) = Corpus(tmp_path).findings("deadly")
    assert finding.signature == f"died with {-signal.SIGKILL}"
    assert json.loads(finding.path.read_text()) == "boom"


def test_work_is_counted_in_calls() -> None:
    with pytest.raises(WorkExceeded):
        examine(FRAGILE, "x" * 30)
    assert examine(FRAGILE, "xx").word == "read"


def test_a_signature_names_the_type_and_the_place() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        examine(FRAGILE, "!!")
    assert signature(caught.value).startswith("ZeroDivisionError at tests/test_fuzz.py:")


def test_the_command_fuzzes_and_shows_a_table(tmp_path: Path) -> None:
    """A short run over one fuzzer; its memory limit counts from a small process."""
    words = ["--minutes", "0.01", "--only", "edit-notation", "--corpus", str(tmp_path), "--jobs", "1", "--seed", "1"]
    command = [sys.executable, "-m", "benchmarks.fuzz", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no findings" in done.stdout
    assert Corpus(tmp_path).seeds("edit-notation")


def test_the_command_lists_the_fuzzers(capsys: pytest.CaptureFixture[str]) -> None:
    fuzz.main(["--list"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(FUZZERS)
