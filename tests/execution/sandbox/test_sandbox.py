"""What the sandbox refuses: no isolation, limits that limit nothing, tests that are no literals."""

from __future__ import annotations

import shutil

import pytest

from envs.execution.sandbox.isolation import worker_pool as module
from envs.execution.sandbox.isolation.limits import MIB
from envs.execution.sandbox.sandbox import BadTest, Check, NoIsolation, Sandbox, SandboxLimits, available_isolations


def test_without_any_isolation_it_refuses_and_names_the_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """One message: why each is missing, how to get one, and the flag that runs without."""
    monkeypatch.setattr(module, "why_not", lambda name: f"{name} is not here")
    with pytest.raises(NoIsolation) as refusal:
        Sandbox()
    for part in (
        "bubblewrap is not here",
        "landlock is not here",
        "apt install bubblewrap",
        "5.13",
        'isolation="none"',
    ):
        assert part in str(refusal.value)
    with Sandbox(isolation="none") as sandbox:
        assert sandbox.description.startswith("NO ISOLATION")


def test_a_missing_bubblewrap_leaves_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox says which isolation is in force."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    module.why_not.cache_clear()
    try:
        assert "not on the PATH" in (module.why_not("bubblewrap") or "")
        if "landlock" in available_isolations():
            with Sandbox() as sandbox:
                assert (sandbox.isolation, sandbox.description[:8]) == ("landlock", "landlock")
    finally:
        module.why_not.cache_clear()


@pytest.mark.parametrize("wrong", [
    {"cpu_s": 0}, {"cpu_s": float("inf")}, {"wall_s": -1}, {"steps": 0}, {"memory_bytes": MIB}, {"output_bytes": 0},
    {"load_s": 0},
])  # fmt: skip
def test_a_limit_that_limits_nothing_is_refused(wrong: dict[str, float]) -> None:
    """At the door, with the value."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SandboxLimits(**wrong)  # type: ignore[arg-type]


def test_loading_has_a_limit_of_its_own(one: Sandbox) -> None:
    """Slow imports do not count against a tight limit for calls; a call that slow does."""
    busy = "def busy(n):\n    for _ in range(n): pass\n    return n\n"
    limits = SandboxLimits(cpu_s=0.01, load_s=5.0)
    tests = [Check("1", "1"), Check("busy(10 ** 8)", "0")]
    loaded, slow = one.run_tests(f"{busy}busy(10 ** 6)\n", tests, entry="busy", limits=limits)
    assert (loaded.passed, slow.outcome) == (True, "cpu")


def test_limits_follow_what_passing_tests_need() -> None:
    """Twenty times the need, and never less than the floor."""
    assert SandboxLimits().scaled_to(0.001).cpu_s == 0.05
    assert SandboxLimits().scaled_to(0.1).cpu_s == pytest.approx(2.0)
    assert SandboxLimits(wall_s=5).scaled_to(1.0).wall_s == pytest.approx(100.0)


@pytest.mark.parametrize("expected", ["f(1)", "1 +", "object()", repr("x" * 10**6)])
def test_an_expected_value_that_is_no_small_literal_is_refused(expected: str) -> None:
    """Such a test could never pass."""
    with pytest.raises(BadTest):
        Check("f()", expected)


def test_an_unknown_isolation_is_refused() -> None:
    """With the names that exist."""
    with pytest.raises(NoIsolation, match="bubblewrap, landlock, none"):
        Sandbox(isolation="docker")  # type: ignore[arg-type]
