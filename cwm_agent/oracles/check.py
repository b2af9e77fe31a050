"""A conformance check for oracles: `check_oracle(oracle)` raises BrokenOracle with the first rule that is broken.

It checks the protocol and each declared capability (`protocol.py`), not how good the answers are. Its queries come
from a few small programs, by rule: no program is run. Each error names the oracle's class, the method and what was
expected.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from cwm_agent.oracles.answer_stream import stream_of
from cwm_agent.oracles.protocol import (
    Answer,
    AnswerStream,
    CachesAnswers,
    CachesSteps,
    DeclaresDeterminism,
    Forgets,
    Malformed,
    MarkovView,
    Oracle,
    OracleError,
    Prediction,
    Query,
    SetsWidth,
    Unanswerable,
    is_deterministic,
)
from envs.execution.decompose.program import decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame
from envs.execution.step_cache.step_cache import StepCache
from envs.execution.stepper.first_frame import first_frame
from envs.execution.stepper.stepper import Stepper

T = TypeVar("T")
_PROGRAMS = (
    ("def f(xs):\n    y = xs.pop()\n    return y\n", "[4, 5]"),
    ("def f(a, b):\n    c = a * b + 1\n    return c\n", "6, 7"),
    ("def f(s):\n    t = s.upper()\n    return t\n", "'ab'"),
    ("def f(d, k):\n    v = d[k]\n    return v\n", "{'a': 1}, 'b'"),
)


class BrokenOracle(OracleError):
    """An oracle that breaks a rule of `protocol.py`; the message says which one and how to repair it."""


def check_oracle(oracle: Oracle, *, deterministic: bool | None = None) -> None:
    """Raise BrokenOracle with the first rule that the oracle breaks.

    With `deterministic=False` it may answer the same query differently each time; None takes what it declares.
    """
    _check_members(oracle)
    queries = list(_queries("local")) + list(_queries("program"))
    if _asked(oracle, [], "an empty batch"):
        raise _broken(oracle, "imagine", "answered an empty batch with predictions", "an empty list")
    predictions = _checked(oracle, queries, "a plain batch")
    same = is_deterministic(oracle) if deterministic is None else deterministic
    if same:
        again = _checked(oracle, queries, "the same batch again")
        _check_same(oracle, "imagine", predictions, again, how="asked the same again")
        turned = _checked(oracle, queries[::-1], "the batch reversed")
        _check_same(oracle, "imagine", predictions[::-1], turned, how="asked in another order")
        single = [_checked(oracle, [query], "one query alone")[0] for query in queries]
        _check_same(oracle, "imagine", predictions, single, how="asked one by one")
    _check_capabilities(oracle, queries, predictions, same)
    for what, query in _odd_queries():
        _checked(oracle, [query], what)


def _broken(oracle: Oracle, member: str, fault: str, expected: str) -> BrokenOracle:
    """The error for one member of an oracle: where, what it did, what was expected."""
    return BrokenOracle(f"{type(oracle).__name__}.{member} {fault}. Expected: {expected}.")


def _check_members(oracle: Oracle) -> None:
    """Check the names and kinds of all members, required and declared, before any of them is used."""
    if not hasattr(oracle, "name") or not isinstance(oracle.name, str) or not oracle.name:
        held = repr(oracle.name) if hasattr(oracle, "name") else "missing"
        raise _broken(oracle, "name", f"is {held}", "a property that gives a string for reports, not an empty one")
    if not hasattr(oracle, "imagine") or not callable(oracle.imagine):
        raise _broken(oracle, "imagine", "is no method", "imagine(queries) -> list[Prediction]")
    if isinstance(oracle, DeclaresDeterminism) and not isinstance(oracle.deterministic, bool):
        raise _broken(oracle, "deterministic", f"is {oracle.deterministic!r}", "True or False")
    if isinstance(oracle, CachesSteps) and not isinstance(oracle.step_cache, StepCache | None):
        raise _broken(oracle, "step_cache", f"is {type(oracle.step_cache).__name__}", "a StepCache or None")
    if isinstance(oracle, SetsWidth) and not (isinstance(oracle.search_width, int) and oracle.search_width > 0):
        raise _broken(oracle, "search_width", f"is {oracle.search_width!r}", "a number of rollouts, at least 1")


def _check_capabilities(
    oracle: Oracle, queries: Sequence[Query], predictions: Sequence[Prediction], same: bool
) -> None:
    """Use each declared capability; if the oracle is deterministic, compare its answers with those of `imagine`."""
    streamed = _streamed(oracle, queries)
    if same:
        _check_same(oracle, "stream", predictions, streamed, how="asked while others were under way")
    if isinstance(oracle, CachesAnswers):
        _check_cached(oracle, oracle, queries, predictions)
    if isinstance(oracle, CachesSteps) and oracle.step_cache is not None and not is_deterministic(oracle):
        raise _broken(oracle, "step_cache", "caches answers of an oracle that is not deterministic", "None")
    if isinstance(oracle, Forgets):
        _called(oracle, "forget", oracle.forget, "a method without arguments")
        after = _checked(oracle, queries, "a plain batch after `forget`")
        if same:
            _check_same(oracle, "forget", predictions, after, how="asked after `forget`")


def _check_cached(
    oracle: Oracle, cache: CachesAnswers, queries: Sequence[Query], predictions: Sequence[Prediction]
) -> None:
    wanted = "cached(queries) -> a list with one Prediction for each query, or None"
    for query, prediction in zip(queries, predictions, strict=True):
        found = _called(oracle, "cached", lambda query=query: cache.cached([query]), wanted)  # type: ignore[misc]
        if found is None:
            continue
        if not is_deterministic(oracle):
            raise _broken(oracle, "cached", "caches answers of an oracle that is not deterministic", "None")
        if not isinstance(found, list) or len(found) != 1:
            raise _broken(oracle, "cached", f"gave {found!r} for one query", wanted)
        _check_prediction(oracle, "cached", found[0], "a query that was asked before")
        _check_same(oracle, "cached", [prediction], found, how="asked by the cache")


def _called(oracle: Oracle, member: str, call: Callable[[], T], expected: str) -> T:
    """Return the result of a call; raise BrokenOracle if the call raises anything but an OracleError."""
    try:
        return call()
    except OracleError:
        raise  # a backend's failure, raised as it should be
    except Exception as error:
        raise _broken(oracle, member, f"raised {error!r}", expected) from error


def _asked(oracle: Oracle, queries: Sequence[Query], what: str) -> Sequence[Prediction]:
    wanted = f"for {what}, Malformed where there is no answer, and an OracleError where the backend failed"
    found: object = _called(oracle, "imagine", lambda: oracle.imagine(queries), wanted)
    if not isinstance(found, list):
        raise _broken(oracle, "imagine", f"gave {type(found).__name__} for {what}", "a list of predictions")
    return found


def _checked(oracle: Oracle, queries: Sequence[Query], what: str) -> list[Prediction]:
    found = _asked(oracle, queries, what)
    if len(found) != len(queries):
        fault = f"gave {len(found)} predictions for {len(queries)} queries ({what})"
        raise _broken(oracle, "imagine", fault, "one for each query, in their order")
    for prediction in found:
        _check_prediction(oracle, "imagine", prediction, what)
    return list(found)


def _streamed(oracle: Oracle, queries: Sequence[Query]) -> list[Prediction]:
    """Return the predictions of the oracle's stream: half of the queries at once, the others one by one."""
    wanted = "stream() -> an AnswerStream with __len__, ask(key, query) and advance()"
    stream = _called(oracle, "stream", lambda: stream_of(oracle), wanted)
    if not isinstance(stream, AnswerStream):
        raise _broken(oracle, "stream", f"gave {type(stream).__name__}", wanted)
    found, waiting = dict[int, Prediction](), list(enumerate(queries))
    for number, query in waiting[::2]:
        stream.ask(number, query)
    later = waiting[1::2]
    while len(stream) or later:
        ready = _called(oracle, "stream().advance", stream.advance, "a list of (key, Prediction) pairs")
        if found.keys() & dict(ready).keys() or (not ready and len(stream)):
            raise _broken(oracle, "stream().advance", "gave no prediction, or one twice", "each key's prediction once")
        found.update(ready)
        for number, query in later[:1]:
            stream.ask(number, query)
        del later[:1]
    if len(found) < len(queries):
        raise _broken(oracle, "stream", f"lost {len(queries) - len(found)} queries", "a prediction for each query")
    for prediction in found.values():
        _check_prediction(oracle, "stream().advance", prediction, "a plain query")
    return [found[number] for number in range(len(queries))]


def _check_prediction(oracle: Oracle, member: str, prediction: object, what: str) -> None:
    if not isinstance(prediction, Prediction) or not isinstance(prediction.said, Answer | Malformed | Unanswerable):
        wanted = "a Prediction of an Answer, Malformed or Unanswerable"
        raise _broken(oracle, member, f"gave {prediction!r} for {what}", wanted)
    if prediction.tokens < 0:
        raise _broken(oracle, member, f"counts {prediction.tokens} tokens for {what}", "0 or more tokens")
    if prediction.logprob is not None and not prediction.logprob <= 1e-9:
        fault = f"gave the log-probability {prediction.logprob} for {what}"
        raise _broken(oracle, member, fault, "a natural logarithm, at most 0")


def _check_same(
    oracle: Oracle, member: str, first: Sequence[Prediction], second: Sequence[Prediction], how: str
) -> None:
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        if one.said != other.said:
            fault = f"answered query {index} with {one.said!r}, and {how} with {other.said!r}"
            wanted = "answers that follow from the query alone, in the order of the queries, or `deterministic = False`"
            raise _broken(oracle, member, fault, wanted)


def _queries(view: MarkovView) -> Iterator[Query]:
    """Yield the first question of each small program."""
    for source, arguments in _PROGRAMS:
        program = decomposed(source, "f")
        stepper = Stepper(program)
        frame = first_frame(program, arguments)
        step: object = frame
        while isinstance(step, Frame):
            frame, step = step, stepper.ask(step)
        assert isinstance(frame, Frame)
        assert isinstance(step, Question)
        yield Query(program, frame, step, view)


def _odd_queries() -> Iterator[tuple[str, Query]]:
    """Yield queries that few oracles can answer: an oracle must return Malformed or Unanswerable, not raise."""
    plain, other = list(_queries("local"))[:2]
    assert plain.question is not None
    yield "a question without its line's effect", replace(plain, question=None)
    yield "in the program view without a question", replace(plain, view="program", question=None)
    yield "with no line allowed", replace(plain, view="program", lines=frozenset())
    yield "with a line that is not there", replace(plain, view="program", lines=frozenset({999}))
    yield "about a value that cannot be written down", _about(plain, "?generator")
    yield "about a value of 20,000 characters", _about(plain, repr("x" * 20_000))
    yield "about text that is no value", _about(plain, "][")
    yield "about an object that is not there", _about(plain, "#99")
    yield "about a frame of another program", replace(plain, frame=other.frame)


def _about(query: Query, text: str) -> Query:
    assert query.question is not None
    question = replace(query.question, reads=tuple((name, text) for name, _ in query.question.reads), heap=())
    top = query.frame.stack[-1]
    rows = tuple((name, text) for name, _ in top.locals)
    frame = replace(query.frame, stack=(*query.frame.stack[:-1], replace(top, locals=rows)), heap=())
    return replace(query, frame=frame, question=question)
