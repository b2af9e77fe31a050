"""The table of attacks, each made for real under every isolation that this machine has."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

import pytest
from attack_case import Attack
from attack_table import ATTACKS
from sandbox_cases import ADD

from envs.execution.sandbox.sandbox import Check, Sandbox, SandboxLimits, Verdict, available_isolations

LIMITS = SandboxLimits(cpu_s=0.15, wall_s=1.0, load_s=0.15, memory_bytes=256 << 20)
REFUSED = re.compile(r"\(-1, '(EPERM|EACCES|ENOSYS)'\)$")


@pytest.fixture(scope="module", params=available_isolations())
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(isolation=request.param, limits=LIMITS) as opened:
        yield opened


def _is_raised(verdict: Verdict, *kinds: type[BaseException]) -> bool:
    found = getattr(builtins, verdict.value.partition(":")[0], None)
    is_type = isinstance(found, type) and issubclass(found, kinds)
    return verdict.outcome == "raised" and (is_type or verdict.value.startswith(("gaierror", "error")))


def _meets(attack: Attack, verdict: Verdict) -> bool:
    match attack.wall:
        case "kernel":
            return _is_raised(verdict, OSError) or REFUSED.match(verdict.value) is not None
        case "absent":
            return _is_raised(verdict, OSError, ImportError) or verdict.value == "[]"
        case "limit":
            stopped = verdict.outcome in ("cpu", "wall", "output", "crashed")
            return stopped or _is_raised(verdict, MemoryError, OSError, RecursionError, SyntaxError)
        case "own":
            return verdict.outcome in ("crashed", "raised", "returned")
        case "judge":
            return verdict.outcome in ("returned", "raised", "crashed")


def test_the_table_has_80_attacks_and_each_has_its_own_name() -> None:
    names = [attack.name for attack in ATTACKS]
    assert len(set(names)) == len(names) >= 80
    assert len({attack.kind for attack in ATTACKS}) >= 10


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_meets_its_wall(sandbox: Sandbox, attack: Attack) -> None:
    """It fails for the reason in the table, and an honest program is served after it."""
    source = "def f():\n" + "".join(f"    {line}\n" for line in attack.body.splitlines())
    check = Check("f()", "42", "close" if attack.close else "equal")
    (verdict,) = sandbox.run_tests(source, [check], entry="f")
    (after,) = sandbox.run_tests(ADD, [Check("add(40, 2)", "42")], entry="add")
    assert after.passed, after
    assert not verdict.passed
    assert "ESCAPED" not in verdict.value, verdict
    assert _meets(attack, verdict), verdict
