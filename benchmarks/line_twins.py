"""Twins over bytes and over byte pairs, trained on lines of code and measured by type, operation and composition.

    python -m benchmarks.line_twins --seconds 240 --workers 12 --cruxeval cruxeval_dev.jsonl --out twins-lines.json
    python -m benchmarks.line_twins --table twins-lines.json

Both arms have equally many parameters and seconds, and see the same lines of our own generators in the same order.
Measured on held-out lines, on held-out generated programs and on the programs of `--cruxeval`, which nobody trains on:
an answer is right if every token is the network's first choice, given the right ones before it. A program is right if
all its questions are, each asked with the real state. The file has one sign for each question and is written after each
arm; a run that was stopped goes on from it. Needs torch and numpy, for `pairs` tokenizers, for `--table` scipy.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.twin_parts.line_rows import MOST_SEED, LineWork, codec_of, drawn_batches, row_of
from benchmarks.twin_parts.question_sets import (
    MeasuredQuestions,
    generated_questions,
    line_questions,
    program_questions,
)
from benchmarks.twin_parts.token_codecs import PAIRS, ByteCodec
from cwm_agent.jobs.errors import JobError
from cwm_agent.training.data_feed import FeedError
from tasks import TaskError, TraceTask, load
from tasks.output.atomic_file import write_file

if TYPE_CHECKING:
    from benchmarks.twin_parts.network_training import TrainedTwin
    from benchmarks.twin_parts.sequence_networks import TwinShape

# Workers import this module again: torch is loaded where it is used.

ARMS = ("bytes", "pairs")
BYTES = ByteCodec().size
LONGEST = 1024
"""Tokens of a row; in training also its bytes."""
FREE = ("arms", "out", "table", "workers")
"""Options that may differ where a run goes on."""


class BadResult(ValueError):
    """A file of results that cannot be used; the message says what to do."""


def parser() -> argparse.ArgumentParser:
    """The options of this command."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("--arms", default=",".join(ARMS), help="which, by name (default: %(default)s)")
    add("--seconds", type=float, default=240.0, help="of training for each arm (default: %(default)g)")
    add("--layers", type=int, default=8, help="(default: %(default)s)")
    add("--width", type=int, default=512, help="(default: %(default)s)")
    add("--batch", type=int, default=32_768, help="bytes of a step, padding included (default: %(default)s)")
    add("--lr", type=float, default=1e-3, help="highest learning rate of AdamW (default: %(default)g)")
    add("--workers", type=int, default=0, help="processes that draw lines; 0 for this process (default: %(default)s)")
    add("--texts", type=int, default=20_000, help="lines that byte pairs are learnt from (default: %(default)s)")
    add("--pairs", type=int, default=PAIRS, help="tokens of the vocabulary of byte pairs (default: %(default)s)")
    add("--lines", type=int, default=2000, help="held-out lines of each source (default: %(default)s)")
    add("--programs", type=int, default=200, help="held-out generated programs (default: %(default)s)")
    add("--cruxeval", type=Path, metavar="FILE", help="JSONL with code, input, output and id; for measuring only")
    add("--limit", type=int, help="first programs of the --cruxeval file to use (default: all)")
    add("--seed", type=int, default=0, help=f"0 to {MOST_SEED} (default: %(default)s)")
    add("--out", type=Path, metavar="FILE", help="where counts and answers go, as JSON")
    add("--table", type=Path, metavar="FILE", help="train nothing: print the tables of such a file")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and measure every arm, or print tables."""
    made = parser()
    options = made.parse_args(arguments)
    try:
        if options.table is not None:
            from benchmarks.twin_parts.line_tables import page

            print(page(read_result(options.table)))
            return 0
        if wrong := refusal(options):
            made.error(wrong)
        measure_arms(options)
    except (BadResult, TaskError, FeedError, JobError) as error:
        made.error(str(error))
    except KeyboardInterrupt:
        print(f"Stopped; {options.out} has the arms that were finished, and the same command goes on.", file=sys.stderr)
        return 130
    return 0


def refusal(options: argparse.Namespace) -> str:
    """What is wrong with the options; empty if nothing is."""
    unknown = [name for name in options.arms.split(",") if name not in ARMS]
    if unknown:
        return f"--arms: no arm named {unknown[0]!r}; choose among {', '.join(ARMS)}"
    if "pairs" in options.arms and find_spec("tokenizers") is None:
        return "--arms: `pairs` needs the package tokenizers; `pip install tokenizers`, or give --arms bytes"
    if options.out is None:
        return "give --out FILE for the result, or --table FILE to print the tables of one"
    if options.seconds <= 0:
        return f"--seconds: {options.seconds:g} is no time to train in; give a number above 0"
    if not 0 <= options.seed <= MOST_SEED:
        return f"--seed: give a number from 0 to {MOST_SEED}; larger ones draw lines that are held out"
    if options.batch < LONGEST:
        return f"--batch: {options.batch} bytes do not hold the longest line; give {LONGEST} or more"
    if options.pairs < BYTES:
        return f"--pairs: {options.pairs} tokens do not hold every byte; give {BYTES} or more"
    if options.width < 32 or options.width % 32:
        return f"--width: {options.width} is no multiple of 32, the width of a head"
    return ""


def measure_arms(options: argparse.Namespace) -> None:
    """Train and measure the arms that the file lacks; write after each."""
    settings = {name: str(value) for name, value in vars(options).items() if name not in FREE}
    for name in options.arms.split(","):
        shape_of(BYTES if name == "bytes" else options.pairs, options)  # before any of them is trained
    found = known(options.out, settings)
    sets = question_sets(options)
    records = json.loads(json.dumps({each.set.name: each.set.record() for each in sets}))
    if found["arms"] and found["sets"] != records:
        raise BadResult(f"{options.out} has answers to other questions; give another --out, or remove the file.")
    found["sets"] = records
    for name in options.arms.split(","):
        if name in found["arms"]:
            say(f"{name}: {options.out} has it already")
            continue
        found["arms"][name] = measured_arm(name, sets, options)
        write_file(options.out, json.dumps(found) + "\n")
        say(
            f"{name}: "
            + ", ".join(f"{set_name} {counted(each)}" for set_name, each in found["arms"][name]["rights"].items())
        )


def counted(rights: str) -> str:
    """How many of a string of signs are right."""
    return f"{rights.count('1')} of {len(rights)}"


def question_sets(options: argparse.Namespace) -> list[MeasuredQuestions]:
    """What both arms are measured on."""
    sets = [line_questions(options.lines), generated_questions(options.programs)]
    if options.cruxeval is not None:
        tasks = [task for task in load(str(options.cruxeval)).tasks if isinstance(task, TraceTask)]
        sets.append(program_questions("cruxeval", tasks[: options.limit]))
    say(
        "; ".join(
            f"{each.set.name}: {len(each.examples)} questions, {len(each.set.programs)} programs" for each in sets
        )
    )
    return sets


def measured_arm(name: str, sets: Sequence[MeasuredQuestions], options: argparse.Namespace) -> dict[str, Any]:
    """Train one arm, and say what it is, what it saw and what it answers right."""
    from benchmarks.twin_parts.network_training import TrainingPace, right_answers, trained_twin

    began = time.monotonic()
    codec = codec_of(name, seed=options.seed, texts=options.texts, size=options.pairs)
    shape = shape_of(codec.size, options)
    say(f"{name}: {codec.size} tokens, ready after {time.monotonic() - began:.0f} s; trains for {options.seconds:g} s")
    work = LineWork(codec, options.seed, options.batch, LONGEST)
    with closing(drawn_batches(work, options.workers)) as batches:
        twin = trained_twin(shape, batches, TrainingPace(options.seconds, options.lr, options.seed))
    rights, tokens, size = {}, 0, 0
    for each in sets:
        rows = [row_of(example, codec) for example in each.examples]
        rights[each.set.name] = "".join(str(int(right)) for right in right_answers(twin.network, rows))
        tokens += sum(len(row.ids) - 2 for row in rows)
        size += sum(fact.size for fact in each.set.facts)
    return {**training_record(twin), "bytes_per_token": size / max(1, tokens), "rights": rights}


def shape_of(vocabulary: int, options: argparse.Namespace) -> "TwinShape":
    """The network of an arm, with as many parameters as the one over bytes; BadResult if there is none."""
    from benchmarks.twin_parts.sequence_networks import BadTwin, TwinShape, count, matched

    base = TwinShape("attention", BYTES, options.layers, options.width, 8 * options.width // 3, LONGEST)
    try:
        return matched(TwinShape("attention", vocabulary, options.layers, options.width, longest=LONGEST), count(base))
    except BadTwin as error:
        raise BadResult(str(error)) from error


def training_record(twin: "TrainedTwin") -> dict[str, Any]:
    """What an arm is and saw."""
    parameters = sum(each.numel() for each in twin.network.parameters())
    return {
        "parameters": parameters,
        "tokens": twin.tokens,
        "rows": twin.rows,
        "steps": twin.steps,
        "waited": round(twin.waited, 1),
    }


def known(path: Path, settings: dict[str, str]) -> dict[str, Any]:
    """The result so far; BadResult if the file has one of other settings."""
    if not path.exists():
        return {"options": settings, "sets": {}, "arms": {}}
    found = read_result(path)
    other = [name for name, value in settings.items() if found["options"].get(name) != value]
    if other:
        raise BadResult(f"{path} has a result with another --{other[0]}; give another --out, or remove the file.")
    return found


def read_result(path: Path) -> dict[str, Any]:
    """The result in a file."""
    try:
        found = json.loads(path.read_text())
        if not all(isinstance(found[part], dict) for part in ("options", "sets", "arms")):
            raise ValueError("a part of it is no object")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadResult(f"{path} cannot be read as a result of `python -m benchmarks.line_twins`: {error!r}") from error
    return dict(found)


def say(text: str) -> None:
    """Print progress beside the result."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
