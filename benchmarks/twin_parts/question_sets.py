"""Sets of questions that twins are measured on, with the facts that tables count by. Runs programs in this process.

    lines         held-out generated lines, from seeds that training never draws
    programs      all local questions of held-out generated programs
    cruxeval      the same of the programs of a file, which nothing here trains on

A question that a program asks twice is one question; the program lists it twice. Results hold facts and no text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

from benchmarks.training_round import TracedProgram, traced
from benchmarks.twin_parts.line_facts import LineFact, fact_of
from benchmarks.twin_parts.line_rows import SHARES
from cwm_agent.training.example import Example, held_out, resolve
from cwm_agent.training.steps.program_examples import held_out_tasks
from tasks import TraceTask

STEPS = 2000
"""Steps after which a program counts as not traced."""


@dataclass(frozen=True, slots=True)
class AskedProgram:
    """The questions of one run, in its order."""

    id: str
    asked: tuple[int, ...]
    """Numbers of the questions in their set."""
    unasked: int = 0
    """Steps that have no text in the local view; such a program counts as wrong."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Facts about different questions, and the programs that ask them."""

    name: str
    facts: tuple[LineFact, ...]
    programs: tuple[AskedProgram, ...] = ()
    untraced: int = 0
    """Programs whose run does not return within the limit; they are left out."""

    def record(self) -> dict[str, Any]:
        """The set as JSON holds it."""
        programs = [asdict(each) for each in self.programs]
        return {"facts": [astuple(each) for each in self.facts], "programs": programs, "untraced": self.untraced}

    @classmethod
    def read(cls, name: str, record: dict[str, Any]) -> "QuestionSet":
        """The set of a record."""
        facts = tuple(LineFact(*each) for each in record["facts"])
        programs = tuple(AskedProgram(each["id"], tuple(each["asked"]), each["unasked"]) for each in record["programs"])
        return cls(name, facts, programs, record["untraced"])


@dataclass(frozen=True, slots=True)
class MeasuredQuestions:
    """A set with the texts of its questions."""

    set: QuestionSet
    examples: tuple[Example, ...]
    """In the order of the facts."""


def line_questions(count: int) -> MeasuredQuestions:
    """So many held-out lines of each source, each question once."""
    drawn = [example for share in SHARES for example in held_out(resolve(share.target), count)]
    examples = tuple({example.query: example for example in drawn}.values())
    return MeasuredQuestions(QuestionSet("lines", tuple(map(fact_of, examples))), examples)


def generated_questions(count: int) -> MeasuredQuestions:
    """The questions of so many held-out generated programs."""
    rows = held_out_tasks(count) if count else []
    return program_questions(
        "programs", [TraceTask(each["id"], each["code"], each["entry"], each["input"]) for each in rows]
    )


def program_questions(name: str, tasks: Sequence[TraceTask]) -> MeasuredQuestions:
    """The questions of the runs of tasks."""
    runs = [traced(task, STEPS) for task in tasks]
    return asked_questions(name, [run for run in runs if run is not None], untraced=runs.count(None))


def asked_questions(name: str, runs: Iterable[TracedProgram], untraced: int = 0) -> MeasuredQuestions:
    """The different questions of runs, numbered as they first come."""
    numbers: dict[bytes, int] = {}
    examples: list[Example] = []
    programs: list[AskedProgram] = []
    for run in runs:
        for example in run.examples:
            if numbers.setdefault(example.query, len(examples)) == len(examples):
                examples.append(example)
        programs.append(AskedProgram(run.id, tuple(numbers[each.query] for each in run.examples), run.unasked))
    facts = tuple(map(fact_of, examples))
    return MeasuredQuestions(QuestionSet(name, facts, tuple(programs), untraced), tuple(examples))
