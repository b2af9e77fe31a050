"""What the sandbox promises of honest programs: right verdicts, streams, sessions, limits, live workers."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from envs.execution.containment import pool as module
from envs.execution.containment.limits import MIB
from envs.execution.sandbox import (
    Assertion,
    BadTest,
    Check,
    Limits,
    NoIsolation,
    NoSuchFunction,
    Sandbox,
    SandboxError,
    Test,
    WorkerLost,
    available_isolations,
)

QUICK = Limits(cpu_s=0.3, wall_s=5.0, load_s=0.3)
ADD = "def add(a, b):\n    return a + b\n"


@pytest.fixture(scope="module", params=[*available_isolations(), "none"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(isolation=request.param, limits=QUICK) as opened:
        yield opened


@pytest.fixture(scope="module")
def one() -> Iterator[Sandbox]:
    """A sandbox under the preferred isolation, for claims that do not depend on it."""
    with Sandbox(limits=QUICK) as opened:
        yield opened


VERDICTS: dict[str, tuple[str, Test, bool, str]] = {
    "equal": ("return 3", Check("f()", "3"), True, "3"),
    "different": ("return 4", Check("f()", "3"), False, "4"),
    "true-is-one": ("return True", Check("f()", "1"), True, "True"),
    "float-is-int": ("return 2.0", Check("f()", "2"), True, "2.0"),
    "big-int": ("return 3 ** 9000", Check("f()", hex(3**9000)), True, hex(3**9000)),
    "tuple-is-no-list": ("return (1, 2)", Check("f()", "[1, 2]"), False, "(1, 2)"),
    "one-tuple": ("return (1,)", Check("f()", "(1,)"), True, "(1,)"),
    "dict-in-any-order": ("return {'b': 1, 'a': 2}", Check("f()", "{'a': 2, 'b': 1}"), True, "{'b': 1, 'a': 2}"),
    "set-sorted": ("return {10, 9, 2}", Check("f()", "{2, 9, 10}"), True, "{2, 9, 10}"),
    "empty-set": ("return set()", Check("f()", "set()"), True, "set()"),
    "frozen-set": ("return frozenset({1})", Check("f()", "{1}"), True, "frozenset({1})"),
    "counter": ("from collections import Counter\nreturn Counter('aab')", Check("f()", "{'a': 2, 'b': 1}"), True, ""),
    "named-tuple": (
        "from collections import namedtuple\nreturn namedtuple('P', 'x y')(1, 2)", Check("f()", "(1, 2)"), True, "",
    ),
    "infinity": ("return float('inf')", Check("f()", "float('inf')"), True, "inf"),
    "bytes": ("return b'\\xff\\n'", Check("f()", r"b'\xff\n'"), True, r"b'\xff\n'"),
    "quotes-and-newlines": ("return 'a\\n\"\\'\\u2603'", Check("f()", repr("a\n\"'☃")), True, repr("a\n\"'☃")),
    "nested": ("return {(1, 2): [{'x': None}]}", Check("f()", "{(1, 2): [{'x': None}]}"), True, ""),
    "complex": ("return 1+2j", Check("f()", "1+2j"), True, "(1+2j)"),
    "close": ("return [0.1 + 0.2]", Check("f()", "[0.3]", "close"), True, ""),
    "not-close": ("return [0.31]", Check("f()", "[0.3]", "close"), False, "[0.31]"),
    "raises": ("return [][0]", Check("f()", "IndexError", "raises"), True, "IndexError: list index out of range"),
    "raises-other": ("return {}[0]", Check("f()", "IndexError", "raises"), False, "KeyError: 0"),
    "raises-nothing": ("return 1", Check("f()", "IndexError", "raises"), False, "1"),
    "opaque": ("return object()", Check("f()", "1"), False, "<object>"),
    "assertion": ("return 3", Assertion("assert f() == 3"), True, "3"),
    "assertion-false": ("return 4", Assertion("assert f() == 3, 'no'"), False, "4"),
    "assertion-on-iterator": ("return iter([1, 2])", Assertion("assert list(f()) == [1, 2]"), True, "[1, 2]"),
    "assertion-with-math": ("return 3.1415926", Assertion("assert math.isclose(f(), math.pi, rel_tol=1e-6)"), True, ""),
    "assertion-two-calls": ("return 3", Assertion("assert f() == f()"), True, "3, 3"),
    "assertion-raises": ("return 1 / 0", Assertion("assert f() == 3"), False, "ZeroDivisionError: division by zero"),
    "statements": ("return 3", Assertion("x = f()\nassert x == 3"), True, ""),
    "statements-false": ("return 3", Assertion("x = f()\nassert x == 4"), False, "AssertionError"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "test", "passed", "value"), VERDICTS.values(), ids=VERDICTS.keys())
def test_a_verdict_agrees_with_python(one: Sandbox, body: str, test: Test, passed: bool, value: str) -> None:
    """The comparison outside says what `==` would have said inside."""
    source = "import math\ndef f():\n" + "".join(f"    {line}\n" for line in body.splitlines())
    (verdict,) = one.run_tests(source, [test], entry="f")
    assert verdict.passed == passed, verdict
    assert value in ("", verdict.value)


def test_results_come_in_order_and_say_where_they_were_judged(sandbox: Sandbox) -> None:
    """Every isolation, none included, gives the same verdicts."""
    tests: list[Test] = [
        Check("add(1, 2)", "3"),
        Check("add(1, 2)", "4"),
        Assertion("assert add(1, 1) == 2"),
        Assertion("add(1, 1)\n"),
    ]
    verdicts = sandbox.run_tests(ADD, tests, entry="add")
    assert [verdict.passed for verdict in verdicts] == [True, False, True, True]
    assert [verdict.judged for verdict in verdicts] == ["outside", "outside", "outside", "inside"]
    assert all(verdict.cpu_s >= 0 for verdict in verdicts)


def test_early_stop_leaves_the_rest_unrun(one: Sandbox) -> None:
    """The first failure ends it."""
    tests = [Check("add(1, 2)", "3"), Check("add(1, 2)", "4"), Check("add(2, 2)", "4")]
    verdicts = one.run_tests(ADD, tests, entry="add", stop_early=True)
    assert [verdict.outcome for verdict in verdicts] == ["returned", "returned", "not run"]


def test_a_test_that_kills_the_process_does_not_cost_the_others(one: Sandbox) -> None:
    """Tests after a loop, a crash or too many steps run in a fresh process."""
    source = "import os\ndef f(x):\n    while x == 1: pass\n    if x == 2: os._exit(3)\n    return x\n"
    tests = [Check(f"f({x})", str(x)) for x in range(5)]
    verdicts = one.run_tests(source, tests, entry="f", limits=Limits(cpu_s=0.2, steps=1000))
    assert [verdict.outcome for verdict in verdicts] == ["returned", "steps", "crashed", "returned", "returned"]
    assert [verdict.passed for verdict in verdicts] == [True, False, False, True, True]


def test_the_step_limit_counts_lines_of_the_program(one: Sandbox) -> None:
    """Ten lines may run, eleven may not: the same on every machine."""
    source = "def f(n):\n    for _ in range(n):\n        pass\n    return n\n"
    limits = Limits(cpu_s=0.3, steps=10)
    counted = [one.run_tests(source, [Check(f"f({n})", str(n))], entry="f", limits=limits)[0] for n in (4, 5)]
    assert [verdict.outcome for verdict in counted] == ["returned", "steps"]


@pytest.mark.parametrize(("source", "outcome"), [
    pytest.param("def f(:", "raised", id="syntax-error"),
    pytest.param("import nothing_like_this", "raised", id="import-error"),
    pytest.param("while True: pass", "cpu", id="loops"),
    pytest.param("import os; os._exit(0)", "crashed", id="leaves"),
    pytest.param("", "raised", id="empty"),
])  # fmt: skip
def test_a_program_that_does_not_load_fails_every_test(one: Sandbox, source: str, outcome: str) -> None:
    """And says why."""
    verdicts = one.run_tests(source, [Check("f(1)", "1"), Check("f(2)", "2")], entry="f")
    assert [(verdict.passed, verdict.outcome) for verdict in verdicts] == [(False, outcome)] * 2


def test_what_a_program_prints_and_draws_is_the_same_every_time(one: Sandbox) -> None:
    """The hash seed and the random generator start alike in every process."""
    source = "import random\ndef f():\n    return random.random(), hash('a'), list({'x', 'y', 'z'})\n"
    values = {one.run_tests(source, [Check("f()", "0")], entry="f")[0].value for _ in range(3)}
    assert len(values) == 1


def test_libraries_of_the_standard_library_work(sandbox: Sandbox) -> None:
    """Contained is not crippled: asyncio, decimal, dataclasses, regular expressions, sqlite in memory."""
    source = """
import asyncio, dataclasses, decimal, json, random, re, sqlite3, statistics, hashlib
async def later(x):
    await asyncio.sleep(0)
    return x
def f():
    base = sqlite3.connect(":memory:").execute("select 40 + 2").fetchone()[0]
    digest = hashlib.sha256(b"").hexdigest()[:4]
    return asyncio.run(later(base)), str(decimal.Decimal("0.1") * 3), json.dumps([1]), digest
"""
    limits = Limits(cpu_s=3)
    (verdict,) = sandbox.run_tests(source, [Check("f()", "(42, '0.3', '[1]', 'e3b0')")], entry="f", limits=limits)
    assert verdict.passed, verdict


def test_coverage_streams_the_lines_of_each_call(sandbox: Sandbox) -> None:
    """Loading first, then one item a call."""
    source = "def f(x):\n    if x:\n        return 1\n    return 2\n"
    stream = sandbox.stream("envs.execution.coverage:lines", {"source": source, "calls": ["f(1)", "f(0)", "f()"]})
    found = list(stream)
    assert [item["lines"] for item in found] == [[1], [2, 3], [2, 4], []]
    assert [item.get("returned") for item in found] == [None, 1, 2, None]
    assert found[3]["raised"] == "TypeError"
    assert stream.end is not None
    assert (stream.end.status, stream.end.printed) == ("done", "")


def test_a_stream_says_how_it_ended_and_what_was_printed(one: Sandbox) -> None:
    """A loop ends it at its limit, with what came before."""
    source = "def f(x):\n    print('hello', x, flush=True)\n    while x: pass\n"
    stream = one.stream("envs.execution.coverage:lines", {"source": source, "calls": ["f(0)", "f(1)", "f(2)"]})
    assert len(list(stream)) == 2
    assert stream.end is not None
    assert (stream.end.status, stream.end.printed) == ("cpu", "hello 0\nhello 1\n")
    assert stream.end.cpu_s >= 0.3


def test_a_stream_stopped_early_frees_its_worker(one: Sandbox) -> None:
    """Leaving the loop is enough."""
    source = "def f():\n    while True: pass\n"
    with one.stream("envs.execution.coverage:lines", {"source": source, "calls": ["f()"]}) as stream:
        assert next(iter(stream))["lines"] == [1]
    assert stream.end is not None
    assert stream.end.status == "stopped"
    assert one.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")[0].passed


def test_a_failing_function_is_an_end_and_a_missing_one_an_error(one: Sandbox) -> None:
    """The difference between what can happen in a fork and what is wrong with the call."""
    stream = one.stream("envs.execution.calls:judge", [{"wrong": 1}])
    assert list(stream) == []
    assert stream.end is not None
    assert (stream.end.status, stream.end.message) == ("failed", "KeyError: 'values'")
    for name in ("envs.execution.coverage:nothing", "envs.nothing:f", "os:system", "subprocess:run", "x"):
        with pytest.raises(NoSuchFunction, match="no function of the sandbox"):
            one.stream(name, {})


def test_a_session_answers_many_requests_in_one_process(sandbox: Sandbox) -> None:
    """State stays between requests, and limits hold for each."""
    with sandbox.session(
        "envs.execution.calls:converse", {"source": "n = 0\ndef f():\n    global n\n    n += 1\n    return n\n"}
    ) as s:
        assert [s.request("f()")["returned"] for _ in range(50)] == list(range(1, 51))
        assert s.request("1 / 0")["raised"] == "ZeroDivisionError"
        assert s.request("'x' * 200000")["returned"] == "x" * 200000
        assert s.request("'" + "y" * 300_000 + "'")["returned"][0] == "o"
        lived = s.end is None
        ended = s.close()
    assert lived
    assert ended is not None
    assert ended.status == "stopped"


def test_the_output_limit_of_a_session_holds_for_each_request(one: Sandbox) -> None:
    """Many answers may add up to more than the limit; one may not."""
    limits = Limits(cpu_s=0.5, output_bytes=150_000)
    with one.session("envs.execution.calls:converse", {"source": ""}, limits=limits) as session:
        assert all(len(session.request("'x' * 100000")["returned"]) == 100_000 for _ in range(5))
        assert session.request("'x' * 200000") is None
        assert session.end is not None
        assert session.end.status == "output"


def test_a_session_whose_fork_ends_says_so(one: Sandbox) -> None:
    """The answer is None, and the end tells the reason; asking again stays None."""
    with one.session("envs.execution.calls:converse", {"source": "def f():\n    while True: pass\n"}) as session:
        assert session.request("1")["returned"] == 1
        assert session.request("f()") is None
        assert session.end is not None
        assert session.end.status == "cpu"
        assert session.request("1") is None


def test_jobs_may_nest(one: Sandbox) -> None:
    """A job inside another's loop gets a worker of its own instead of waiting for ever."""
    with one.session("envs.execution.calls:converse", {"source": ADD}) as session:
        assert one.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")[0].passed
        assert session.request("add(1, 1)")["returned"] == 2


def test_a_dead_worker_is_replaced_and_its_job_run_again(sandbox: Sandbox) -> None:
    """Killed between two jobs, the worker's next job is served by another."""
    test = [Check("add(1, 2)", "3")]
    assert sandbox.run_tests(ADD, test, entry="add")[0].passed
    before = sandbox.pool.idle[0].pid
    os.killpg(before, signal.SIGKILL)
    assert sandbox.run_tests(ADD, test, entry="add")[0].passed
    assert sandbox.pool.idle[0].pid != before


def test_a_worker_that_dies_in_the_middle_is_replaced_before_the_first_answer(one: Sandbox) -> None:
    """The job starts over; when part of its answer was read it is lost instead, and says so."""
    stream = one.stream("envs.execution.coverage:lines", {"source": "def f():\n    return 1\n", "calls": ["f()"]})
    os.killpg(stream._running._connection.pid, signal.SIGKILL)  # type: ignore[union-attr]
    assert [item["lines"] for item in stream] == [[1], [2]]
    slow = "def f():\n    while True: pass\n"
    stream = one.stream("envs.execution.coverage:lines", {"source": slow, "calls": ["f()"]}, limits=Limits())
    lines = iter(stream)
    next(lines)
    os.killpg(stream._running._connection.pid, signal.SIGKILL)  # type: ignore[union-attr]
    with pytest.raises(WorkerLost, match="not run again"):
        next(lines)


def test_workers_are_retired_after_so_many_jobs() -> None:
    """Nothing that a worker accumulates lasts."""
    with Sandbox(limits=QUICK, jobs_per_worker=2) as sandbox:
        pids = []
        for _ in range(4):
            sandbox.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")
            pids += [worker.pid for worker in sandbox.pool.idle]
    assert len(pids) == 2
    assert len(set(pids)) == 2


def test_many_workers_give_the_same_verdicts_as_one() -> None:
    """Threads share a sandbox; the order of the sources is kept."""
    sources = [f"def add(a, b):\n    return a + b + {n % 3}\n" for n in range(24)]
    tests = [Check("add(1, 2)", "3"), Check("add(2, 2)", "4")]
    with Sandbox(limits=QUICK, workers=3) as sandbox:
        found = [[verdict.passed for verdict in row] for row in sandbox.map_tests(sources, tests, entry="add")]
        assert len(sandbox.pool._live) <= 3
    assert found == [[n % 3 == 0] * 2 for n in range(24)]


def test_descriptors_and_processes_stay_level() -> None:
    """A hundred evaluations, some looping, crashing or refused, leave nothing open."""
    bodies = ["return 1", "import os\n    os._exit(1)", "raise ValueError", "return 'x' * 10 ** 6"]
    with Sandbox(limits=QUICK) as sandbox:
        counts = []
        for n in range(100):
            sandbox.run_tests(f"def f():\n    {bodies[n % 4]}\n", [Check("f()", "1")], entry="f", stop_early=True)
            counts.append(len(os.listdir("/proc/self/fd")))
    assert max(counts[50:]) <= max(counts[:50])  # it goes up and down with the forks made ahead


def test_a_closed_or_borrowed_sandbox_refuses() -> None:
    """Both would otherwise hang or talk to another's worker."""
    sandbox = Sandbox(limits=QUICK)
    sandbox.pool._owner += 1
    with pytest.raises(SandboxError, match="another process"):
        sandbox.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")
    sandbox.pool._owner -= 1
    sandbox.close()
    with pytest.raises(SandboxError, match="closed"):
        sandbox.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")


def test_closing_from_another_thread_while_jobs_run_ends_the_workers() -> None:
    """No worker outlives its sandbox."""
    with Sandbox(limits=Limits(cpu_s=20)) as sandbox, ThreadPoolExecutor(1) as pool:
        started = threading.Event()

        def loop() -> None:
            stream = sandbox.stream("envs.execution.coverage:lines", {"source": "while True: pass", "calls": []})
            started.set()
            list(stream)

        running = pool.submit(loop)
        started.wait(10)
        sandbox.close()
        with pytest.raises(SandboxError):
            running.result(timeout=20)


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
        Limits(**wrong)  # type: ignore[arg-type]


def test_loading_has_a_limit_of_its_own(one: Sandbox) -> None:
    """Slow imports do not count against a tight limit for calls; a call that slow does."""
    busy = "def busy(n):\n    for _ in range(n): pass\n    return n\n"
    limits = Limits(cpu_s=0.01, load_s=5.0)
    tests = [Check("1", "1"), Check("busy(10 ** 8)", "0")]
    loaded, slow = one.run_tests(f"{busy}busy(10 ** 6)\n", tests, entry="busy", limits=limits)
    assert (loaded.passed, slow.outcome) == (True, "cpu")


def test_limits_follow_what_passing_tests_need() -> None:
    """Twenty times the need, and never less than the floor."""
    assert Limits().scaled_to(0.001).cpu_s == 0.05
    assert Limits().scaled_to(0.1).cpu_s == pytest.approx(2.0)
    assert Limits(wall_s=5).scaled_to(1.0).wall_s == pytest.approx(100.0)


@pytest.mark.parametrize("expected", ["f(1)", "1 +", "object()", repr("x" * 10**6)])
def test_an_expected_value_that_is_no_small_literal_is_refused(expected: str) -> None:
    """Such a test could never pass."""
    with pytest.raises(BadTest):
        Check("f()", expected)


def test_an_unknown_isolation_is_refused() -> None:
    """With the names that exist."""
    with pytest.raises(NoIsolation, match="bubblewrap, landlock, none"):
        Sandbox(isolation="docker")  # type: ignore[arg-type]
