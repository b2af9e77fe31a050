"""Fuzzes every reader of hostile text, with a corpus that grows; see benchmarks/fuzzers.

    python -m benchmarks.fuzz --minutes 30 --jobs 2 --corpus fuzz-corpus
    python -m benchmarks.fuzz --minutes 5 --only local-answers --corpus fuzz-corpus
    python -m benchmarks.fuzz --list

The fuzzers take turns, each for --turn seconds in a process of its own. Ctrl-C ends the run and loses nothing. At the
end a table shows the findings; exit status 1 means that there are some. Each is a file: copy it to
tests/fuzz_findings/FUZZER, where the tests run it, and fix the reader. A finding that is deleted from the corpus is
looked for again.
"""

import argparse
import itertools
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.fuzzers.harness.corpus import Corpus, Finding
from benchmarks.fuzzers.harness.fuzz_process import FuzzProcess
from benchmarks.fuzzers.harness.fuzzer import Fuzzer
from benchmarks.fuzzers.table import FUZZERS


def main(argv: list[str] | None = None) -> None:
    """Parse, fuzz, and print the table."""
    options = _options(argv)
    if options.list:
        print("\n".join(f"{fuzzer.name:16} {fuzzer.claim}" for fuzzer in FUZZERS.values()))
        return
    chosen = [FUZZERS[name] for name in options.only or FUZZERS]
    corpus = Corpus(options.corpus)
    before = {finding.path for fuzzer in chosen for finding in corpus.findings(fuzzer.name)}
    examined = fuzzed(chosen, corpus, 60.0 * options.minutes, options.turn, jobs=options.jobs, seed=options.seed)
    found = [finding for fuzzer in chosen for finding in corpus.findings(fuzzer.name)]
    show(chosen, corpus, examined, found, before=before)
    sys.exit(1 if found else 0)


def _options(argv: list[str] | None) -> argparse.Namespace:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0, metavar="N", help="default: %(default)s")
    parser.add_argument("--only", action="append", choices=FUZZERS, metavar="NAME", help="this fuzzer; may be repeated")
    parser.add_argument(
        "--corpus", type=Path, default=Path("fuzz-corpus"), metavar="FOLDER", help="default: %(default)s"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes at once (default: %(default)s)")
    parser.add_argument(
        "--turn", type=float, default=20.0, metavar="S", help="seconds of a turn (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, help="of the first turn (default: another one each time)")
    parser.add_argument("--list", action="store_true", help="show the fuzzers and what each of them claims")
    return parser.parse_args(argv)


def fuzzed(
    chosen: list[Fuzzer], corpus: Corpus, seconds: float, turn: float, *, jobs: int, seed: int | None
) -> Counter[str]:
    """Let the fuzzers take turns until the time is over or Ctrl-C; the number of inputs by fuzzer."""
    for fuzzer in chosen:
        fuzzer.inputs()  # real runs of small programs, made once for all turns
    rng, ends = Random(seed), time.monotonic() + seconds
    examined: Counter[str] = Counter()
    waiting: Iterator[Fuzzer] = itertools.cycle(chosen)
    running: list[FuzzProcess] = []
    try:
        while running or time.monotonic() < ends:
            while len(running) < jobs and (left := ends - time.monotonic()) > 0:
                running.append(FuzzProcess(next(waiting), corpus, min(turn, left), rng.randrange(2**32)))
            time.sleep(0.2)
            for process in [each for each in running if each.is_over()]:
                running.remove(process)
                name = process.fuzzer.name
                examined[name] += process.examined
                print(
                    f"{max(0.0, ends - time.monotonic()):6.0f} s left  {name:16} {process.examined:7} inputs, "
                    f"{len(corpus.findings(name))} findings",
                    flush=True,
                )
    except KeyboardInterrupt:
        print("stopped; the corpus is complete", flush=True)
    finally:
        for process in running:
            process.stop()
            examined[process.fuzzer.name] += process.examined
    return examined


def show(
    chosen: list[Fuzzer], corpus: Corpus, examined: Counter[str], found: list[Finding], *, before: set[Path]
) -> None:
    """Print inputs and seeds of each fuzzer, then the findings."""
    print(f"\n{'fuzzer':16} {'inputs':>9} {'seeds':>6} {'findings':>8}")
    counts = Counter(finding.fuzzer for finding in found)
    for fuzzer in chosen:
        name = fuzzer.name
        print(f"{name:16} {examined[name]:9} {len(corpus.seeds(name)):6} {counts[name]:8}")
    print(f"{'all':16} {sum(examined.values()):9}")
    for finding in found:
        age = "known" if finding.path in before else "NEW"
        print(f"{age:5}  {finding.fuzzer}: {finding.signature}\n       {finding.path}")
    print("no findings" if not found else f"{len(found)} findings")


if __name__ == "__main__":
    main()
