"""Examples of the policy: programs with one to three injected bugs, and for each bug the edit that undoes it.

    export CWM_AGENT_CORPUS=functions.jsonl
    python -m cwm_agent.train --size 8 --source edits=cwm_agent.training.policy.policy_examples:repairs --out policy

`python -m cwm_agent.training.policy.corpus` writes the corpus; each row is one function and its weight.
"""

import ast
import json
import lzma
import os
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random
from zlib import crc32

from cwm_agent.policy.edit_notation import edit_text, numbered_lines
from cwm_agent.training.example import HELD_OUT_SEED, Example, SourceError
from cwm_agent.training.policy.bug_injection import bugs_of
from cwm_agent.training.policy.bug_text import Bug, Lines

CORPUS = "CWM_AGENT_CORPUS"
HELD_OUT = 50
"""One of so many functions is held out for evaluation."""
NUMBERS = (1, 1, 1, 1, 2, 2, 3)
"""Numbers of bugs in a program."""
PLAIN = 2.0
"""Exponent of a function's weight; a higher one draws plain functions more often."""
WEIGHTS = {
    "variable": 3.0, "comparison": 3.0, "number": 2.0, "forgotten": 5.0, "forgotten-condition": 2.0,
    "forgotten-branch": 2.0,
    "arithmetic": 2.0, "one-off": 2.5, "condition-drop": 2.0, "operand-drop": 2.0, "unwrapped": 1.5, "slice": 1.5,
    "attribute": 0.7, "text": 0.7, "target": 0.5, "twice": 0.3, "order": 0.7, "loop-word": 0.5,
    "forgotten-several": 1.5, "condition-add": 0.7, "statement-add": 0.7,
    # kinds that are possible in most functions
    "forgotten-return": 0.3, "forgotten-update": 1.5, "variable-swap": 0.8, "variable-together": 0.7, "constant": 0.7,
    "moved-inside": 0.6, "moved-before": 0.7, "moved-far": 0.5, "owner": 0.3, "link": 0.2, "own-value": 0.4,
    "owner-drop": 0.4, "call-drop": 0.2, "slice-add": 0.4, "limit-add": 0.3, "sign-add": 0.4, "method-add": 0.2,
    "branch-add": 0.4, "collection": 0.5, "slice-for-item": 0.5, "index-for-item": 0.6, "return-word": 0.3,
    "argument-add": 0.5, "none-test": 0.7, "elif-word": 0.6, "callee": 0.5, "keyword-swap": 0.3, "other-item": 0.3,
    "length": 0.5, "filter-add": 0.5, "setdefault": 0.7, "yield-word": 0.5, "range-order": 0.7,
    # kinds that are possible in few
    "limit-drop": 4.0, "brackets": 2.5, "slice-drop": 1.5, "slice-end": 2.0, "sort-key": 6.0, "rows": 6.0,
    "accumulate": 8.0, "toggle": 6.0, "mutable-default": 5.0, "grouping": 4.0, "reset": 3.0, "rounding": 6.0,
    "get": 1.5, "copy-drop": 1.5, "operand-move": 0.8, "choice-or-sum": 0.8, "item-for-slice": 1.2,
}  # fmt: skip
"""Weights of bug classes; all others have weight one."""
MAY_DO_NOTHING = frozenset(("brackets", "grouping", "slice", "text"))
"""Kinds whose change is sometimes one of the text alone, such as brackets that nobody needs."""


def repairs(seed: int) -> Iterator[Example]:
    """An infinite stream of programs with bugs and the edits that undo them."""
    rng = Random(seed)
    functions, weights = _functions(seed >= HELD_OUT_SEED)
    while True:
        [source] = rng.choices(functions, cum_weights=weights)
        yield from examples_of(source, rng)


def examples_of(source: str, rng: Random) -> Iterator[Example]:
    """Inject bugs into a program; an example for each bug, none if no bug is possible."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # from the text of the functions
        yield from _examples_of(source, rng)


def _examples_of(source: str, rng: Random) -> Iterator[Example]:
    try:
        found = bugs_of(source, rng, further=True)
    except (SyntaxError, RecursionError):
        return
    chosen = _chosen(source, found, rng)
    buggy = with_bugs(source, chosen)
    if not chosen or not _parses(buggy):
        return
    context = numbered_lines(buggy).encode()
    for bug in chosen:
        mended = with_bugs(source, [each for each in chosen if each is not bug])
        edit = edit_text(buggy, mended)
        if edit is not None and not (bug.kind in MAY_DO_NOTHING and _is_same_code(buggy, mended)):
            yield Example(context, b"", edit.encode(), bug.kind)


def _chosen(source: str, found: dict[str, list[Bug]], rng: Random) -> list[Bug]:
    """Bugs in different lines, class drawn first."""
    lines, kinds = Lines(source), sorted(found)
    taken: set[int] = set()
    chosen: list[Bug] = []
    for _ in range(rng.choice(NUMBERS) if kinds else 0):
        [kind] = rng.choices(kinds, [WEIGHTS.get(kind, 1.0) for kind in kinds])
        bug = rng.choice(found[kind])
        own = set(range(lines.line_of(bug.start) - 1, lines.line_of(bug.end) + 2))
        if not own & taken:
            taken |= own
            chosen.append(bug)
    return chosen


def with_bugs(source: str, bugs: Sequence[Bug]) -> str:
    """The program with these bugs."""
    for bug in sorted(bugs, key=lambda each: -each.start):
        source = source[: bug.start] + bug.text + source[bug.end :]
    return source


def _is_same_code(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError):
        return False


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


@cache
def _functions(held_out: bool) -> tuple[list[str], list[float]]:
    """The training or held-out functions of the corpus, with cumulative weights."""
    path = os.environ.get(CORPUS)
    if not path or not Path(path).exists():
        raise SourceError(
            f"{CORPUS} is {path!r}, which is no file. Set it to a corpus of functions; "
            "`python -m cwm_agent.training.policy.corpus FOLDER --out FILE` writes one."
        )
    with (lzma.open if path.endswith(".xz") else open)(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    kept = [row for row in rows if (crc32(row["source"].encode()) % HELD_OUT == 0) == held_out]
    if not kept:
        raise SourceError(f"{path} holds no {'held-out' if held_out else 'training'} function; collect more packages.")
    return [row["source"] for row in kept], list(accumulate(row["weight"] ** PLAIN for row in kept))
