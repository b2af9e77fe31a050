"""Real executions per repair of each history model of a ladder, beside those without imagination.

    python -m benchmarks.ladder_repairs runs/ladder-6 runs/ladder-6/checkpoint-0.5 --json OUT.json

A problem is a swap program of which one command was replaced by another. Its candidates are all programs with one
command replaced, and three calls with known results are its tests. Candidates are run for real in the order of how many
tests they are believed to pass, the first test first: a candidate that is believed to fail one is not imagined on the
others. The buggy program's own run counts as one execution. Without imagination the order is random. Every model has
the same problems and the same random order of equals; `--oracle` takes further history oracles by name, such as exact.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import fmean, median_low

from cwm_agent import errors
from cwm_agent.agent.repair.history_beliefs import HistoryImaginer
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.studies.experiments.swap_programs import FORMS, Form
from cwm_agent.studies.workbench import Workbench
from envs.domains.permutation_core import ENTRY, PermutationCore, Plan
from envs.domains.task_tests import passed, sandbox_test
from envs.execution.sandbox.sandbox import Sandbox
from tasks.output.atomic_file import write_file
from tasks.task import CallTest

ITEMS, TESTS = 5, 3
MODEL = "embedded"
LONGEST_FRAME = 200
"""Most bytes of an imagined frame; real ones of these programs have fewer than 100."""


@dataclass(frozen=True, slots=True)
class SwapRepair:
    """Candidates for one faulty program, in random order, and its tests."""

    candidates: tuple[str, ...]
    tests: tuple[CallTest, ...]


@dataclass(frozen=True, slots=True)
class RepairCount:
    """One problem under one oracle."""

    executions: int
    """Real ones until a program passes, the buggy one's included."""
    random: float
    """The same in random order, on average."""
    believed: int
    """Candidates that are believed to pass every test."""


def problem(form: Form, swaps: int, seed: str) -> SwapRepair:
    """A faulty program that fails one of its tests."""
    rng = Random(seed)
    while True:
        core = PermutationCore.drawn(rng, items=ITEMS, style=form)
        right = rng.choices(core.commands, k=swaps)
        faulty = rng.choice(_neighbours(core, right))
        starts = [core, *(PermutationCore.drawn(rng, items=ITEMS, style=form) for _ in range(TESTS - 1))]
        if any(each.run(right) != each.run(faulty) for each in starts):
            break
    tests = [CallTest(each.program(right).arguments, repr(each.run(right))) for each in starts]
    candidates = [core.program(plan).source for plan in _neighbours(core, faulty)]
    rng.shuffle(candidates)
    return SwapRepair(tuple(candidates), tuple(tests))


def _neighbours(core: PermutationCore, plan: Plan) -> list[Plan]:
    """All plans with one command replaced by another one."""
    return [
        [*plan[:at], other, *plan[at + 1 :]] for at in range(len(plan)) for other in core.commands if other != plan[at]
    ]


def believed_passes(works: Sequence[SwapRepair], imaginer: HistoryImaginer) -> list[list[int]]:
    """How many tests each candidate of each problem is believed to pass; all problems are imagined side by side."""
    found = [[0] * len(work.candidates) for work in works]
    left = [(number, at) for number, work in enumerate(works) for at in range(len(work.candidates))]
    for test in range(TESTS):
        asked = [(works[number].candidates[at], ENTRY, works[number].tests[test]) for number, at in left]
        left = [each for each, belief in zip(left, imaginer.beliefs(asked), strict=True) if belief.passes]
        for number, at in left:
            found[number][at] += 1
    return found


def counted(work: SwapRepair, believed: Sequence[int], sandbox: Sandbox) -> RepairCount:
    """How many of the candidates would be run until one passes, those first that are believed to pass most tests."""
    passing = [_passes(source, work.tests, sandbox) for source in work.candidates]
    order = sorted(range(len(passing)), key=lambda at: -believed[at])
    first = next(place for place, at in enumerate(order, 1) if passing[at])
    return RepairCount(1 + first, 1 + (len(passing) + 1) / (sum(passing) + 1), believed.count(TESTS))


def _passes(source: str, tests: Sequence[CallTest], sandbox: Sandbox) -> bool:
    verdicts = sandbox.run_tests(source, [sandbox_test(test, ENTRY) for test in tests], entry=ENTRY)
    return all(map(passed, tests, verdicts))


def measured(oracle: str, options: argparse.Namespace) -> dict[str, list[RepairCount]]:
    """The counts of an oracle by form of the programs."""
    found: dict[str, list[RepairCount]] = {}
    with Workbench(oracle, options.seed) as bench:
        imaginer = HistoryImaginer(_opened(oracle, bench), steps=6 * options.swaps + 6)
        for form in options.forms:
            works = [problem(form, options.swaps, f"{options.seed} {form} {at}") for at in range(options.problems)]
            beliefs = believed_passes(works, imaginer)
            found[form] = [counted(work, each, bench.sandbox) for work, each in zip(works, beliefs, strict=True)]
            print(*cells(oracle, form, found[form]), flush=True)
    return found


def _opened(oracle: str, bench: Workbench) -> HistoryOracle:
    """The oracle by name; a model's frames are cut off early, since one that never ends holds up all others."""
    head, _, folder = oracle.partition(":")
    if head != MODEL:
        named: HistoryOracle = bench.under_study("history")
        return named
    from cwm_agent.oracles.backends.embedded_history import EmbeddedHistory  # brings torch along

    return EmbeddedHistory.load(folder or None, longest_frame=LONGEST_FRAME)


def table(found: Mapping[str, Mapping[str, Sequence[RepairCount]]]) -> str:
    """One line for each oracle and form of the programs."""
    head = ("oracle", "programs", "by the first run", "executions, median", "mean", "in random order", "sooner")
    return markdown(
        head, [cells(oracle, form, rows) for oracle, forms in found.items() for form, rows in forms.items()]
    )


def cells(oracle: str, form: str, counts: Sequence[RepairCount]) -> tuple[object, ...]:
    """One row of the table: medians and means, and how many problems the first candidate repairs."""
    executions = [each.executions for each in counts]
    first = sum(each == 2 for each in executions)
    sooner = sum(each.executions < each.random for each in counts)
    mean, by_chance = fmean(executions), fmean(each.random for each in counts)
    shown = f"{first} of {len(counts)}", median_low(executions), f"{mean:.1f}", f"{by_chance:.1f}", sooner
    return oracle, form, *shown


def parser() -> argparse.ArgumentParser:
    """The options of this command."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("models", nargs="*", type=Path, help="folders with weights of history models")
    add("--oracle", action="append", default=[], help="a further history oracle by name; may be given several times")
    add("--forms", type=_forms, default=FORMS, help=f"of the programs (default: {','.join(FORMS)})")
    add("--swaps", type=int, default=4, help="commands of a program (default: %(default)s)")
    add("--problems", type=int, default=20, help="of each form (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--json", type=Path, metavar="OUT", help="write all counts to a file")
    return made


def _forms(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in FORMS]:
        raise argparse.ArgumentTypeError(f"no form {unknown[0]!r}; choose among {', '.join(FORMS)}")
    return names


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each oracle, and print the table."""
    made = parser()
    options = made.parse_args(arguments)
    if options.swaps < 1 or options.problems < 1:
        made.error("--swaps and --problems: give 1 or more.")
    oracles = [*(f"{MODEL}:{path}" for path in options.models), *options.oracle]
    if not oracles:
        made.error("nothing to measure: name folders with weights, or --oracle NAME.")
    found: dict[str, dict[str, list[RepairCount]]] = {}
    for oracle in oracles:
        try:
            found[oracle] = measured(oracle, options)
        except errors.USER_ERRORS as error:
            made.error(str(error))
        if options.json:
            write_file(options.json, json.dumps(found, default=asdict, indent=1) + "\n")
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
