"""Edits that a language model proposes: the prompt has program, failing tests and an imagined run; answers are parsed.

A proposed edit is treated like any other: it is imagined, ranked and run in the sandbox, and only a real run shows
that it is a repair. An answer that is not a program with the entry function gives no edit. Knows no backend.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cwm_agent.agent.repair.beliefs import TestImaginer
from cwm_agent.agent.repair.proposals.run_summary import summary_of
from cwm_agent.oracles.writer_protocol import TextWriter
from envs.domains.evaluation import Evaluation
from envs.editing.class_priors import PROPOSED
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint
from tasks import RepairTask
from tasks.reading.program_text import source_lines
from tasks.task import shown_test

ANSWERS = 8
"""Answers requested for each task."""
FAILURES = 3
"""Failing tests in the prompt."""
LONGEST_ANSWER = 200_000
"""Characters; longer answers are ignored."""
_FENCE = re.compile(r"^```[^\n`]*\n(.*?)(?:^```|\Z)", re.MULTILINE | re.DOTALL)
_PROMPT = """\
The Python program below has a bug: `{entry}` fails the tests that follow. Repair it with a change as small as can be.
Answer with the whole corrected program in one block of code and nothing else.

The program:

```python
{source}
```

{failures}

The corrected program:

"""


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that the buggy program fails."""

    wanted: str
    """The test as text: the call and its expected result."""
    got: str
    """The result of the real run."""
    run: str = ""
    """A summary of the imagined run; empty where it was not imagined."""

    def __str__(self) -> str:
        imagined = f"Its run, as far as is known:\n\n{self.run}\n" if self.run else ""
        return f"Failing test: {self.wanted}\nIt gave {self.got[:500]}.\n{imagined}"


class Proposer:
    """Asks a language model for repairs."""

    def __init__(self, writer: TextWriter, *, answers: int = ANSWERS, seed: int = 0) -> None:
        self._writer, self._answers, self._seed = writer, answers, seed
        self.tokens = 0
        """Tokens spent on the last task."""

    def edits(self, source: str, entry: str, failures: Sequence[Failure]) -> tuple[Edit, ...]:
        """The different edits in the answers, in the order of the answers; none where nothing fails."""
        self.tokens = 0
        if not failures:
            return ()
        prompt = prompt_of(source, entry, failures)
        answers = self._writer.write(prompt, self._answers, self._seed)
        self.tokens = sum(answer.tokens for answer in answers)
        found: dict[bytes, Edit] = {}
        known = fingerprint(source)
        for answer in answers:
            for edit in edits_in(answer.text, source, entry):
                edited = fingerprint(edit.apply(source))
                if edited is not None and edited != known:
                    found.setdefault(edited, edit)
        return tuple(found.values())


def failures_of(
    task: RepairTask, original: Evaluation, order: Sequence[int], imaginer: TestImaginer | None
) -> tuple[Failure, ...]:
    """The first tests in `order` that the buggy program fails, the first of them with its imagined run."""
    failing = [at for at in order if original.marks[at] is not True][:FAILURES]
    found = []
    for place, at in enumerate(failing):
        test = task.tests[at]
        wanted = shown_test(test, task.entry)
        run = imaginer.run(task.source, task.entry, test) if imaginer is not None and place == 0 else None
        got = original.values[at] if at < len(original.values) else "another result"
        found.append(Failure(wanted, got, "" if run is None else summary_of(task.source, *run)))
    return tuple(found)


def prompt_of(source: str, entry: str, failures: Sequence[Failure]) -> str:
    """The prompt for the language model."""
    shown = "\n".join(map(str, failures))
    return _PROMPT.format(entry=entry, source=source.rstrip("\n"), failures=shown.rstrip("\n"))


def edits_in(answer: str, source: str, entry: str) -> Iterator[Edit]:
    """The edits in an answer: one for each program in it that differs from the source."""
    if len(answer) > LONGEST_ANSWER:
        return
    for text in [block[1] for block in _FENCE.finditer(answer)] or [answer]:
        program = _whole(text, source, entry)
        edit = None if program is None else rewriting(source, program)
        if edit is not None:
            yield edit


def rewriting(source: str, program: str) -> Edit | None:
    """The edit that replaces the smallest range of lines to make one program of another; None where they are equal."""
    before, after = source_lines(source), source_lines(program)
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    return Edit(first + 1, 0, "".join(old), "".join(new), operator=PROPOSED) if old != new else None


def _whole(text: str, source: str, entry: str) -> str | None:
    """The whole program for a text: the text itself, or the source with the functions that the text redefines."""
    text = text.strip("\n") + "\n"
    new, old = _parsed(text), _parsed(source)
    if new is None or old is None:
        return None
    theirs, ours = _functions(new), _functions(old)
    if entry not in theirs:
        return None
    if ours.keys() <= theirs.keys() and len(new.body) >= len(old.body):
        return text
    lines, written = source_lines(source), source_lines(text)
    for name, node in sorted(ours.items(), key=lambda item: -item[1].lineno):
        if name in theirs:
            lines[_first(node) - 1 : node.end_lineno] = written[_first(theirs[name]) - 1 : theirs[name].end_lineno]
    return "".join(lines)


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _functions(module: ast.Module) -> dict[str, ast.FunctionDef]:
    """Functions at the top level, the last of each name."""
    return {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}


def _first(node: ast.FunctionDef) -> int:
    """The line on which a definition begins, its decorators included."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])
