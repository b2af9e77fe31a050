"""Streams and sessions: answers as they come, limits for each request, an end that says why."""

from __future__ import annotations

import pytest
from sandbox_cases import ADD

from envs.execution.sandbox.sandbox import Check, NoSuchFunction, Sandbox, SandboxLimits


def test_coverage_streams_the_lines_of_each_call(sandbox: Sandbox) -> None:
    """Loading first, then one item a call."""
    source = "def f(x):\n    if x:\n        return 1\n    return 2\n"
    stream = sandbox.stream(
        "envs.execution.sandbox.coverage:lines", {"source": source, "calls": ["f(1)", "f(0)", "f()"]}
    )
    found = list(stream)
    assert [item["lines"] for item in found] == [[1], [2, 3], [2, 4], []]
    assert [item.get("returned") for item in found] == [None, 1, 2, None]
    assert found[3]["raised"] == "TypeError"
    assert stream.end is not None
    assert (stream.end.status, stream.end.printed) == ("done", "")


def test_a_stream_says_how_it_ended_and_what_was_printed(one: Sandbox) -> None:
    """A loop ends it at its limit, with what came before."""
    source = "def f(x):\n    print('hello', x, flush=True)\n    while x: pass\n"
    stream = one.stream("envs.execution.sandbox.coverage:lines", {"source": source, "calls": ["f(0)", "f(1)", "f(2)"]})
    assert len(list(stream)) == 2
    assert stream.end is not None
    assert (stream.end.status, stream.end.printed) == ("cpu", "hello 0\nhello 1\n")
    assert stream.end.cpu_s >= 0.3


def test_a_stream_stopped_early_frees_its_worker(one: Sandbox) -> None:
    """Leaving the loop is enough."""
    source = "def f():\n    while True: pass\n"
    with one.stream("envs.execution.sandbox.coverage:lines", {"source": source, "calls": ["f()"]}) as stream:
        assert next(iter(stream))["lines"] == [1]
    assert stream.end is not None
    assert stream.end.status == "stopped"
    assert one.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")[0].passed


def test_a_failing_function_is_an_end_and_a_missing_one_an_error(one: Sandbox) -> None:
    """The difference between what can happen in a fork and what is wrong with the call."""
    stream = one.stream("envs.execution.sandbox.call_runner:judge", [{"wrong": 1}])
    assert list(stream) == []
    assert stream.end is not None
    assert (stream.end.status, stream.end.message) == ("failed", "KeyError: 'values'")
    for name in ("envs.execution.sandbox.coverage:nothing", "envs.nothing:f", "os:system", "subprocess:run", "x"):
        with pytest.raises(NoSuchFunction, match="no function of the sandbox"):
            one.stream(name, {})


def test_a_session_answers_many_requests_in_one_process(sandbox: Sandbox) -> None:
    """State stays between requests, and limits hold for each."""
    with sandbox.session(
        "envs.execution.sandbox.call_runner:converse",
        {"source": "n = 0\ndef f():\n    global n\n    n += 1\n    return n\n"},
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
    limits = SandboxLimits(cpu_s=0.5, output_bytes=150_000)
    with one.session("envs.execution.sandbox.call_runner:converse", {"source": ""}, limits=limits) as session:
        assert all(len(session.request("'x' * 100000")["returned"]) == 100_000 for _ in range(5))
        assert session.request("'x' * 200000") is None
        assert session.end is not None
        assert session.end.status == "output"


def test_a_session_whose_fork_ends_says_so(one: Sandbox) -> None:
    """The answer is None, and the end tells the reason; asking again stays None."""
    with one.session(
        "envs.execution.sandbox.call_runner:converse", {"source": "def f():\n    while True: pass\n"}
    ) as session:
        assert session.request("1")["returned"] == 1
        assert session.request("f()") is None
        assert session.end is not None
        assert session.end.status == "cpu"
        assert session.request("1") is None


def test_jobs_may_nest(one: Sandbox) -> None:
    """A job inside another's loop gets a worker of its own instead of waiting for ever."""
    with one.session("envs.execution.sandbox.call_runner:converse", {"source": ADD}) as session:
        assert one.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")[0].passed
        assert session.request("add(1, 1)")["returned"] == 2
