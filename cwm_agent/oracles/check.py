"""Does an oracle keep its promises? A check for one's own: `check_oracle(oracle)` raises with what is wrong.

Says nothing of how good the answers are. Its queries come from a few small programs, by rule: nothing is run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cwm_agent.oracles.answer_stream import stream_of
from cwm_agent.oracles.protocol import (
    Answer,
    Malformed,
    Oracle,
    OracleError,
    Prediction,
    Query,
    Unanswerable,
    View,
    is_deterministic,
)
from envs.execution.decompose.program import decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame
from envs.execution.stepper.first_frame import first_frame
from envs.execution.stepper.stepper import Stepper

_PROGRAMS = (
    ("def f(xs):\n    y = xs.pop()\n    return y\n", "[4, 5]"),
    ("def f(a, b):\n    c = a * b + 1\n    return c\n", "6, 7"),
    ("def f(s):\n    t = s.upper()\n    return t\n", "'ab'"),
    ("def f(d, k):\n    v = d[k]\n    return v\n", "{'a': 1}, 'b'"),
)


class BrokenOracle(OracleError):
    """An oracle that does not do what `protocol.py` asks of it; the message says what and how to mend it."""


def check_oracle(oracle: Oracle, *, deterministic: bool | None = None) -> None:
    """Raise BrokenPromise with the first promise the oracle does not keep.

    With `deterministic=False` it may answer the same query differently each time; None asks the oracle itself.
    """
    _check_name(oracle)
    if len(_asked(oracle, [], "an empty batch")) != 0:
        raise BrokenOracle("An empty batch was answered with predictions. Give one prediction for each query: none.")
    queries = list(_queries("local")) + list(_queries("program"))
    told = _checked(oracle, queries, "a plain batch")
    if is_deterministic(oracle) if deterministic is None else deterministic:
        _check_same(told, _checked(oracle, queries, "the same batch again"), "asked the same again")
        _check_same(told[::-1], _checked(oracle, queries[::-1], "the batch reversed"), "asked in another order")
        single = [_checked(oracle, [query], "one query alone")[0] for query in queries]
        _check_same(told, single, "asked one by one")
        _check_same(told, _flowed(oracle, queries), "asked while others were under way")
    for what, query in _odd_queries():
        _checked(oracle, [query], what)


def _check_name(oracle: Oracle) -> None:
    name = getattr(oracle, "name", None)
    if not isinstance(name, str) or not name:
        raise BrokenOracle(
            f"The oracle's name is {name!r}. Give it a property `name`: a string that stands in reports."
        )


def _asked(oracle: Oracle, queries: Sequence[Query], what: str) -> Sequence[Prediction]:
    try:
        found = oracle.imagine(queries)
    except OracleError:
        raise  # a backend's failure, said as it should be
    except Exception as error:
        raise BrokenOracle(
            f"{oracle.name} raised {error!r} when asked {what}. Say Malformed where there is no answer, and raise an "
            "OracleError where the backend failed."
        ) from error
    if not isinstance(found, list):
        raise BrokenOracle(f"{oracle.name} gave {type(found).__name__} for {what}. Give a list of predictions.")
    return found


def _checked(oracle: Oracle, queries: Sequence[Query], what: str) -> list[Prediction]:
    found = _asked(oracle, queries, what)
    if len(found) != len(queries):
        raise BrokenOracle(
            f"{oracle.name} gave {len(found)} predictions for {len(queries)} queries ({what}). Give one for each, in "
            "their order."
        )
    for prediction in found:
        _check_prediction(oracle, prediction, what)
    return list(found)


def _flowed(oracle: Oracle, queries: Sequence[Query]) -> list[Prediction]:
    """The queries by the oracle's flow: half of them at once, the others one by one as answers come."""
    flow, found, waiting = stream_of(oracle), dict[int, Prediction](), list(enumerate(queries))
    for number, query in waiting[::2]:
        flow.ask(number, query)
    later = waiting[1::2]
    while len(flow) or later:
        ready = flow.advance()
        if found.keys() & dict(ready).keys() or (not ready and len(flow)):
            raise BrokenOracle(f"The flow of {oracle.name} gave no prediction, or one twice. Give each key's once.")
        found.update(ready)
        for number, query in later[:1]:
            flow.ask(number, query)
        del later[:1]
    if len(found) < len(queries):
        raise BrokenOracle(f"The flow of {oracle.name} lost {len(queries) - len(found)} queries. Answer each.")
    return [found[number] for number in range(len(queries))]


def _check_prediction(oracle: Oracle, prediction: object, what: str) -> None:
    if not isinstance(prediction, Prediction) or not isinstance(prediction.said, Answer | Malformed | Unanswerable):
        raise BrokenOracle(
            f"{oracle.name} gave {prediction!r} for {what}. Give a Prediction of an Answer, Malformed or Unanswerable."
        )
    if prediction.tokens < 0:
        raise BrokenOracle(f"{oracle.name} counts {prediction.tokens} tokens for {what}. Give 0 or more.")
    if prediction.logprob is not None and not prediction.logprob <= 1e-9:
        raise BrokenOracle(f"{oracle.name} gave the log-probability {prediction.logprob} for {what}. It is at most 0.")


def _check_same(first: Sequence[Prediction], second: Sequence[Prediction], how: str) -> None:
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        if one.said != other.said:
            raise BrokenOracle(
                f"Query {index} was answered with {one.said!r}, and {how} with {other.said!r}. Keep the order of the "
                "queries, and answer by the query alone; or give the oracle `deterministic = False`."
            )


def _queries(view: View) -> Iterator[Query]:
    """The first question of each small program."""
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
    """Queries that few oracles can answer: they must say so, not break."""
    plain, other = list(_queries("local"))[:2]
    assert plain.question is not None
    yield "a question without its line's effect", replace(plain, question=None)
    yield "in the history view", replace(plain, view="history", history=(plain.frame,))
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
