"""A folder of inputs that grows: those that reached something new, and those that broke a reader.

    FOLDER/NAME/seeds/HASH.json        an input that reached a new call site or outcome; the next run begins with it
    FOLDER/NAME/findings/HASH.json     the smallest input of a failure, with HASH.txt beside it: signature and traceback
    FOLDER/hypothesis/                 Hypothesis' own database

Each file is written whole (under another name, then renamed), so a run that is stopped loses nothing.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fuzzers.harness.fuzzer import Data, written

MOST_SEEDS = 1_000
"""Seeds of one fuzzer; a corpus that holds more is cut to the smallest ones when it is read."""
LONGEST_SEED = 20_000
"""Characters of a seed's file; longer inputs are not kept."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that broke a reader."""

    fuzzer: str
    signature: str
    path: Path


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files of one folder."""

    folder: Path

    @property
    def database(self) -> Path:
        return self.folder / "hypothesis"

    def seeds(self, name: str) -> list[Data]:
        """The inputs to begin with, smallest first."""
        found = sorted((len(text), text) for text in _texts(self.folder / name / "seeds"))
        return [json.loads(text) for _, text in found[:MOST_SEEDS]]

    def add_seed(self, name: str, data: Data) -> None:
        """Keep an input, unless it is long."""
        text = written(data)
        if len(text) <= LONGEST_SEED:
            _write(self.folder / name / "seeds" / f"{_hash(text)}.json", text)

    def add_finding(self, name: str, data: Data, signature: str, report: str) -> Finding:
        """Keep a failure; a second input with the same signature replaces nothing."""
        text = written(data)
        path = self.folder / name / "findings" / f"{_hash(signature)}.json"
        if not path.exists():
            _write(path.with_suffix(".txt"), f"{signature}\n\n{report}\n")
            _write(path, text)
        return Finding(name, signature, path)

    def findings(self, name: str) -> list[Finding]:
        """The failures so far."""
        paths = sorted((self.folder / name / "findings").glob("*.json"))
        return [Finding(name, _signature(path), path) for path in paths]


def _texts(folder: Path) -> Iterator[str]:
    for path in folder.glob("*.json"):
        yield path.read_text(encoding="utf-8")


def _signature(path: Path) -> str:
    report = path.with_suffix(".txt")
    return report.read_text(encoding="utf-8").partition("\n")[0] if report.exists() else path.stem


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
