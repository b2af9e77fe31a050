"""Streams and sessions: answers as they come, limits for each request, an end that says why."""

from __future__ import annotations

import gc
import os
from typing import Any

import pytest
from sandbox_cases import ADD, RUN, run_payload

from envs.execution.decompose.program import plain
from envs.execution.sandbox.sandbox import Check, NoSuchFunction, Sandbox, SandboxLimits, Session
from envs.execution.state.effects import Question
from envs.execution.text.json_records import program_record, question_record

ANSWER = "envs.execution.tracer.reality:answer_in_sandbox"
KNOWN = """def f(n):
    x = 6 // n
    x = ['y' * 96] * n
    x = g(n)
def g(n):
    while n: pass
"""
DIVIDE, REPEAT, LOOP = 2, 3, 4
"""Lines of `f`."""
RECORD = program_record(plain(KNOWN, "f"))
"""What a session is opened with."""


def asked(session: Session, line: int, n: int) -> Any:
    """What the session answers about one line of `f`; None where the fork ended."""
    question = Question(KNOWN.splitlines()[line - 1].strip(), line, "f", (("n", str(n)),), heap=())
    answers = session.request([[question_record(question), 0]])
    return answers if answers is None else answers[0][1]


def test_a_stream_passes_on_each_result_as_it_comes(sandbox: Sandbox) -> None:
    """Loading first, then one item a call."""
    source = "def f(x):\n    if x:\n        return 1\n    return 2\n"
    stream = sandbox.stream(RUN, run_payload(source, "f(1)", "f(0)", "f()"))
    found = list(stream)
    assert [item.get("returned") for item in found] == [None, 1, 2, None]
    assert found[3]["raised"] == "TypeError"
    assert stream.end is not None
    assert (stream.end.status, stream.end.printed) == ("done", "")


def test_a_stream_says_how_it_ended_and_what_was_printed(one: Sandbox) -> None:
    """A loop ends it at its limit, with what came before."""
    source = "def f(x):\n    print('hello', x, flush=True)\n    while x: pass\n"
    stream = one.stream(RUN, run_payload(source, "f(0)", "f(1)", "f(2)"))
    assert len(list(stream)) == 2
    assert stream.end is not None
    assert (stream.end.status, stream.end.printed) == ("cpu", "hello 0\nhello 1\n")
    assert stream.end.cpu_s >= 0.3


def test_a_stream_stopped_early_frees_its_worker(one: Sandbox) -> None:
    """Leaving the loop is enough."""
    with one.stream(RUN, run_payload("def f():\n    while True: pass\n", "f()")) as stream:
        assert next(iter(stream))["returned"] is None
    assert stream.end is not None
    assert stream.end.status == "stopped"
    assert one.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")[0].passed


def test_a_failing_function_is_an_end_and_a_missing_one_an_error(one: Sandbox) -> None:
    """The difference between what can happen in a fork and what is wrong with the call."""
    stream = one.stream("envs.execution.sandbox.call_runner:judge", [{"wrong": 1}])
    assert list(stream) == []
    assert stream.end is not None
    assert (stream.end.status, stream.end.message) == ("failed", "KeyError: 'values'")
    for name in ("envs.execution.sandbox.call_runner:nothing", "envs.nothing:f", "os:system", "subprocess:run", "x"):
        with pytest.raises(NoSuchFunction, match="no function of the sandbox"):
            one.stream(name, {})


def test_a_session_answers_many_requests_in_one_process(sandbox: Sandbox) -> None:
    """The program stays known between requests."""
    with sandbox.session(ANSWER, RECORD) as session:
        assert [asked(session, DIVIDE, n)[0] for n in range(1, 50)] == [[["x", str(6 // n)]] for n in range(1, 50)]
        assert asked(session, DIVIDE, 0)[3].startswith("ZeroDivisionError(")
        lived = session.end is None
        ended = session.close()
    assert lived
    assert ended is not None
    assert ended.status == "stopped"


def test_the_output_limit_of_a_session_holds_for_each_request(one: Sandbox) -> None:
    """Many answers may add up to more than the limit; one may not."""
    limits = SandboxLimits(cpu_s=0.5, output_bytes=150_000)
    with one.session(ANSWER, RECORD, limits=limits) as session:
        assert all(len(str(asked(session, REPEAT, 1000))) > 100_000 for _ in range(5))
        assert asked(session, REPEAT, 2000) is None
        assert session.end is not None
        assert session.end.status == "output"


def test_a_session_whose_fork_ends_says_so(one: Sandbox) -> None:
    """The answer is None, and the end tells the reason; asking again stays None."""
    with one.session(ANSWER, RECORD) as session:
        assert asked(session, DIVIDE, 6)[0] == [["x", "1"]]
        assert asked(session, LOOP, 1) is None
        assert session.end is not None
        assert session.end.status == "cpu"
        assert asked(session, DIVIDE, 6) is None


def test_sessions_that_are_dropped_leave_no_descriptor_open(one: Sandbox) -> None:
    """Without `close`, as where an oracle is forgotten together with its processes."""

    def opened() -> int:
        gc.collect()
        return len(os.listdir("/proc/self/fd"))

    group = one.sessions(ANSWER)
    for _ in range(4):
        assert asked(group.open(RECORD), DIVIDE, 6)[0] == [["x", "1"]]
    before = opened()
    for _ in range(16):
        assert asked(group.open(RECORD), DIVIDE, 6)[0] == [["x", "1"]]
    assert opened() <= before
    group.close()


def test_jobs_may_nest(one: Sandbox) -> None:
    """A job inside another's loop gets a worker of its own instead of waiting for ever."""
    with one.session(ANSWER, RECORD) as session:
        assert one.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")[0].passed
        assert asked(session, DIVIDE, 3)[0] == [["x", "2"]]
