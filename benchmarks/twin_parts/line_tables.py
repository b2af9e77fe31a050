"""Tables of `benchmarks.line_twins` in Markdown: shares of right answers with exact intervals, and paired tests.

Each different question counts once. p is the exact test of McNemar on the same questions or programs, not corrected
for the number of rows. An asterisk marks a row of fewer than 20.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.twin_parts.line_facts import TYPES, LineFact
from benchmarks.twin_parts.question_sets import AskedProgram, QuestionSet
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.verification.statistics.exact_intervals import FEWEST, binomial_interval, marked, paired_test

MOST = 5
"""Operations of a run from which on programs are counted together."""
SIZES = (32, 64, 128, 256)
"""Upper ends, in bytes, of the rows of the table by length."""
REST = "all others"
Rights = Mapping[str, Sequence[bool]]
"""Of each arm whether each thing is right."""


def page(found: Mapping[str, Any]) -> str:
    """All tables of a result."""
    arms = found["arms"]
    parts = [("Training", training_table(arms))] if arms else []
    for name, record in found["sets"].items():
        questions = QuestionSet.read(name, record)
        rights = {arm: [sign == "1" for sign in each["rights"][name]] for arm, each in arms.items()}
        parts += set_tables(questions, rights) if arms and questions.facts else []
    said = "".join(f"{sentence}\n\n" for sentence in remarks(found))
    return said + "\n".join(f"### {title}\n\n{table}" for title, table in parts)


def remarks(found: Mapping[str, Any]) -> Iterator[str]:
    """Sentences about what tables hide."""
    if not found["arms"]:
        yield "No twin was measured."
    for arm, each in found["arms"].items():
        for name, rights in each["rights"].items():
            if rights and "1" not in rights:
                yield f"`{arm}` answers no question of `{name}` right: nothing can be said about types or operations."
            elif rights and "0" not in rights:
                yield f"`{arm}` answers every question of `{name}` right."
    for name, record in found["sets"].items():
        if record["untraced"]:
            yield f"{record['untraced']} programs of `{name}` have no run that returns; they are left out."


def training_table(arms: Mapping[str, Any]) -> str:
    """What each twin is and saw."""
    rows = [
        (name, f"{arm['parameters']:,}", f"{arm['tokens'] / 1e6:.1f} M", f"{arm['rows']:,}", f"{arm['steps']:,}",
         f"{arm['waited']:.0f} s", f"{arm['bytes_per_token']:.2f}")
        for name, arm in arms.items()
    ]  # fmt: skip
    head = ("twin", "parameters", "tokens of training", "rows", "steps", "waited for rows", "bytes of a token")
    return markdown(head, rows)


def set_tables(questions: QuestionSet, rights: Rights) -> list[tuple[str, str]]:
    """The tables of one set, with their titles."""
    name = questions.name
    made = [
        (f"`{name}`, questions right by type of the answer", fact_table(questions, rights, _type, ("all", *TYPES))),
        (f"`{name}`, by what the operation works on", fact_table(questions, rights, _subject)),
        (f"`{name}`, by operation", fact_table(questions, rights, _frequent(questions))),
        (
            f"`{name}`, by bytes of question and answer",
            fact_table(questions, rights, _size, tuple(map(_upto, (*SIZES, 0)))),
        ),
    ]
    return [*made, (f"`{name}`, programs right", program_table(questions, rights))] if questions.programs else made


def fact_table(
    questions: QuestionSet, rights: Rights, name_of: Callable[[LineFact], str], names: Sequence[str] = ()
) -> str:
    """Questions right by what a fact is called; `names` gives the order of rows, else the most frequent come first."""
    members: dict[str, list[int]] = {"all": list(range(len(questions.facts)))}
    for number, fact in enumerate(questions.facts):
        members.setdefault(name_of(fact), []).append(number)
    by_count = sorted(members, key=lambda each: (each == REST, -len(members[each]), each))
    order = [name for name in names or by_count if name in members]
    return markdown(("", "questions", *_head(rights)), [_row(name, members[name], rights) for name in order])


def program_table(questions: QuestionSet, rights: Rights) -> str:
    """Programs right by their number of string operations, and by their number of other operations as the control."""
    rows: list[tuple[object, ...]] = []
    for counted, string in (("string", True), ("other", False)):
        chosen = {program: _operations(questions, program, string) for program in questions.programs}
        for number in range(MOST + 1):
            programs = [each for each, asked in chosen.items() if min(MOST, len(asked)) == number]
            if programs:
                whole = {arm: [_whole(program, right) for program in programs] for arm, right in rights.items()}
                part = {
                    arm: [all(right[each] for each in chosen[program]) for program in programs]
                    for arm, right in rights.items()
                }
                shown = f"{number} or more" if number == MOST else str(number)
                of_part = _cells(part) if number else [None] * len(_head(rights))  # no operation is never wrong
                rows.append((counted, shown, marked(str(len(programs)), len(programs)), *_cells(whole), *of_part))
    parts = tuple(f"{title}, these operations only" for title in _head(rights))
    return markdown(("operations", "in the run", "programs", *_head(rights), *parts), rows)


def _operations(questions: QuestionSet, program: AskedProgram, string: bool) -> list[int]:
    return [number for number in program.asked if questions.facts[number].string == string]


def _whole(program: AskedProgram, right: Sequence[bool]) -> bool:
    return not program.unasked and all(right[number] for number in program.asked)


def _row(name: str, members: Sequence[int], rights: Rights) -> tuple[object, ...]:
    chosen = {arm: [right[number] for number in members] for arm, right in rights.items()}
    return (name, marked(str(len(members)), len(members)), *_cells(chosen))


def _head(rights: Rights) -> tuple[str, ...]:
    first, *others = rights
    return (*rights, *(f"{other} less {first} (p)" for other in others))


def _cells(rights: Rights) -> Iterator[str]:
    """The share of each arm with its interval, then each arm but the first beside the first."""
    for right in rights.values():
        interval = binomial_interval(sum(right), len(right))
        yield f"{sum(right) / len(right):.3f} ({interval.low:.3f} to {interval.high:.3f})"
    first, *others = rights.values()
    for other in others:
        gap = (sum(other) - sum(first)) / len(first)
        yield f"{gap:+.3f} ({paired_test(list(map(float, other)), list(map(float, first))):.2g})"


def _type(fact: LineFact) -> str:
    return fact.type


def _subject(fact: LineFact) -> str:
    return "string" if fact.string else "no string"


def _upto(size: int) -> str:
    return f"up to {size}" if size else f"above {SIZES[-1]}"


def _size(fact: LineFact) -> str:
    return _upto(next((size for size in SIZES if fact.size <= size), 0))


def _frequent(questions: QuestionSet) -> Callable[[LineFact], str]:
    """Operations by name; those of fewer than 20 questions are counted together."""
    counts: dict[str, int] = {}
    for fact in questions.facts:
        counts[fact.operation] = counts.get(fact.operation, 0) + 1
    return lambda fact: fact.operation if counts[fact.operation] >= FEWEST else REST
