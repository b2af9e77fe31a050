"""Pointless code: what counts as such, and that only what a patch adds is counted."""

import pytest

from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.repair.selection.naturalness import POINTLESS, features_of
from cwm_agent.agent.repair.selection.pointless_code import adds_pointless_code
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from envs.editing.edit import Edit, apply_patch
from tasks import CallTest, RepairTask

PLAIN = "def f(a, b):\n    return a\n"


def body(text: str) -> str:
    """A function of two values with this body."""
    return "def f(a, b):\n" + "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "text",
    [
        *("return a / 1", "return a ** 1", "return 1 * a", "return a + 0", "a -= 0"),
        *("return a - a", "return a[0] // a[0]", "return a | a", "return a == a", "return a < a"),
        *("return a and True", "return a or False", "return False or a", "return True and b", "return a and a"),
        *("return a < b and a > b", "return a < b and b < a", "return a != b and a < b"),
        *("a = a", "return a if b else a", "return a\nb = 1", "for x in a:\n    break\n    b = x"),
        "if a > b:\n    a = 1\nelif a > b:\n    a = 2",
        "if a > b:\n    a = 1\nelif b < a:\n    a = 2",
        "if a:\n    b = 1\nelse:\n    b = 1",
    ],
)
def test_code_that_no_author_writes_is_found(text: str) -> None:
    assert adds_pointless_code(PLAIN, body(text))


@pytest.mark.parametrize(
    "text",
    [
        *("return a / 2", "return 1 - a", "return 0 + a", "return a + 1", "return a * 0", "return 1 / a", "a -= 1"),
        *("return a() - a()", "return next(a) == next(a)", "return a != a", "return a + a", "return a * a"),
        *("return a // 1", "return a % 1 == 0", "return\nyield a"),
        *("return a and b", "return a or True", "return a or None", "return a or 0", "return a + 0.0", "a = b"),
        *("return a < b and a < 3", "return a < b or a == b", "return a < 3 and a > 1", "return a() < b and a() > b"),
        *("return a[0] - a[1]", "return a if b else b", "b = 1\nreturn a", "a[0] = a[1]"),
        "if a > b:\n    a = 1\nelif a < b:\n    a = 2",
        "if a:\n    b = 1\nif a:\n    b = 1",
        "if a():\n    b = 1\nelif a():\n    b = 2",
    ],
)
def test_code_with_a_meaning_is_not(text: str) -> None:
    assert not adds_pointless_code(PLAIN, body(text))


def test_a_long_chain_of_conditions_is_compared() -> None:
    chain = "if a == 0:\n    b = 0\n" + "".join(f"elif a == {number}:\n    b = {number}\n" for number in range(1, 300))
    assert not adds_pointless_code(PLAIN, body(chain + "return b"))


def test_only_what_the_patch_adds_counts() -> None:
    before = body("return a + 0")
    assert not adds_pointless_code(before, body("return b + 0"))
    assert adds_pointless_code(before, body("return b + 0 - 0"))
    assert not adds_pointless_code(before, "def f(:\n"), "no program, so nothing is known of it"


def test_a_patch_with_pointless_code_is_less_natural() -> None:
    source = body("return a - 1")
    there = source.splitlines()[1].index("-")
    odd, sensible = (features_of(source, [Edit(2, there, "-", sign, "arithmetic")], (), None) for sign in "/+")
    assert odd.pointless
    assert not sensible.pointless
    assert sensible.score - odd.score == pytest.approx(POINTLESS)


def test_the_agent_runs_a_sensible_program_before_those_that_pass_by_accident() -> None:
    """`t *= 1` passes too, and its edit is the likelier one."""
    source = body("t = a\nt += 1\nreturn t + b")
    tests = tuple(CallTest(f"{a}, {b}", str(a + b)) for a, b in ((5, 3), (7, 2), (-2, 9), (4, 4)))
    settings = Settings(oracle="exact", ceiling=True, policy="none")
    episode = Workplace(settings).solve(RepairKind(), RepairTask("same", source, "f", tests))
    assert episode.solved
    runs = [apply_patch(source, [Edit.read(each) for each in run.patch]) for run in episode.runs]
    assert not adds_pointless_code(source, runs[0])
