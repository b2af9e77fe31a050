"""Edits that a language model proposes: a prompt with program, failing tests and imagined run; answers read as edits.

A proposal is an edit like any other: it is imagined, ranked and run in the sandbox, and only a real run makes it a
repair. Answers are read and never trusted: what is no program with the entry in it gives no edit. Knows no backend.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cwm_agent.agent.repair.beliefs import TestImaginer
from cwm_agent.agent.repair.run_summary import told
from cwm_agent.oracles.writer_protocol import TextWriter
from envs.domains.evaluation import Evaluation
from envs.editing.class_priors import PROPOSED
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint
from tasks import CallTest, RepairTask

ANSWERS = 8
"""Asked for each task."""
FAILURES = 3
"""Failing tests shown."""
LONGEST_ANSWER = 200_000
"""Characters; longer answers are not read."""
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
    """The test in words: the call and what it should give."""
    got: str
    """What the real run gave."""
    run: str = ""
    """How that was imagined to come about; nothing where it was not."""

    def __str__(self) -> str:
        imagined = f"Its run, as far as is known:\n\n{self.run}\n" if self.run else ""
        return f"Failing test: {self.wanted}\nIt gave {self.got[:500]}.\n{imagined}"


class Proposer:
    """Asks a language model for repairs."""

    def __init__(self, writer: TextWriter, *, answers: int = ANSWERS, seed: int = 0) -> None:
        self._writer, self._answers, self._seed = writer, answers, seed
        self.tokens = 0
        """Spent on the last task."""

    def edits(self, source: str, entry: str, failures: Sequence[Failure]) -> tuple[Edit, ...]:
        """The different edits that the answers say, in the order in which they came; none where nothing fails."""
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
                mark = fingerprint(edit.apply(source))
                if mark is not None and mark != known:
                    found.setdefault(mark, edit)
        return tuple(found.values())


def failures_of(
    task: RepairTask, original: Evaluation, order: Sequence[int], dreamer: TestImaginer | None
) -> tuple[Failure, ...]:
    """The first tests in an order that the buggy program fails, the first of them with its imagined run."""
    failing = [at for at in order if original.marks[at] is not True][:FAILURES]
    found = []
    for place, at in enumerate(failing):
        test = task.tests[at]
        wanted = f"{task.entry}({test.arguments}) == {test.expected}" if isinstance(test, CallTest) else test.code
        run = dreamer.run(task.source, task.entry, test) if dreamer is not None and place == 0 else None
        got = original.values[at] if at < len(original.values) else "another result"
        found.append(Failure(wanted, got, "" if run is None else told(task.source, *run)))
    return tuple(found)


def prompt_of(source: str, entry: str, failures: Sequence[Failure]) -> str:
    """What the language model is asked."""
    shown = "\n".join(map(str, failures))
    return _PROMPT.format(entry=entry, source=source.rstrip("\n"), failures=shown.rstrip("\n"))


def edits_in(answer: str, source: str, entry: str) -> Iterator[Edit]:
    """The edits that an answer says: one for each program in it that differs; nothing for anything else."""
    if len(answer) > LONGEST_ANSWER:
        return
    for text in [block[1] for block in _FENCE.finditer(answer)] or [answer]:
        program = _whole(text, source, entry)
        edit = None if program is None else rewriting(source, program)
        if edit is not None:
            yield edit


def rewriting(source: str, program: str) -> Edit | None:
    """The smallest run of lines whose replacement turns one program into another; None where they are equal."""
    before, after = source.splitlines(keepends=True), program.splitlines(keepends=True)
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    return Edit(first + 1, 0, "".join(old), "".join(new), PROPOSED) if old != new else None


def _whole(text: str, source: str, entry: str) -> str | None:
    """The whole program that a text means: itself, or ours with the functions in it that the text defines anew."""
    text = text.strip("\n") + "\n"
    new, old = _parsed(text), _parsed(source)
    if new is None or old is None:
        return None
    theirs, ours = _functions(new), _functions(old)
    if entry not in theirs:
        return None
    if ours.keys() <= theirs.keys() and len(new.body) >= len(old.body):
        return text
    lines, written = source.splitlines(keepends=True), text.splitlines(keepends=True)
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
    """Functions at the top, the last of each name."""
    return {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}


def _first(node: ast.FunctionDef) -> int:
    """The line on which a definition begins, its decorators included."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])
