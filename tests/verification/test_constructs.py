"""docs/constructs.md is true: every line of its examples is decided by whom it says."""

import re
import warnings
from collections import defaultdict
from decimal import localcontext
from pathlib import Path

import pytest

from cwm_agent.views.local import local_view
from envs.execution.decompose.program import decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.tracer import trace

PAGE = (Path(__file__).parents[2] / "docs" / "constructs.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)\n```", PAGE, re.DOTALL)
_WORDS = re.compile(r"  # ([a-z, ]+)(?:: .*)?$")


def by_whom(stepper: Stepper, frame: Frame) -> str:
    """Who decides the step from a real frame."""
    try:
        step = stepper.ask(frame)
        if isinstance(step, Question):
            local_view.ask(step)
            return "model"
    except Unsupported:
        return "unsupported"
    return "rule"


def decided(source: str, call: str) -> dict[int, set[str]]:
    """For each line of a program who has a part in it, in the real run of a call."""
    entry, _, rest = call.partition("(")
    program = decomposed(source, entry)
    found: dict[int, set[str]] = defaultdict(set)
    with warnings.catch_warnings(), localcontext():
        warnings.simplefilter("ignore")  # a coroutine that nobody awaits is one of the examples
        frames = trace(program, rest.removesuffix(")")).frames
    stepper = Stepper(program)
    for frame in frames:
        if frame.event in ("line", "call"):
            found[program.origin[frame.line - 1]].add(by_whom(stepper, frame))
    return found


def test_the_page_has_examples_of_all_three_ways() -> None:
    assert len(EXAMPLES) >= 15
    words = {word for line in PAGE.split("\n") if (match := _WORDS.search(line)) for word in match[1].split(", ")}
    assert words == {"model", "rule", "unsupported"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.partition("\n")[0])
def test_every_line_of_an_example_is_decided_by_whom_the_page_says(example: str) -> None:
    *lines, call = example.split("\n")
    found = decided("\n".join(lines) + "\n", call)
    for number, line in enumerate(lines, start=1):
        match = _WORDS.search(line)
        said = set(match[1].split(", ")) if match else set()
        assert said == found.get(number, set()), f"the page says {sorted(said)} of line {number}: {line}"
