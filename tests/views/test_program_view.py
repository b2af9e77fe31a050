"""The program view: exact texts both ways, round trips, and hostile answers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_worlds import exact, queries_of, small, traced
from markov_programs import PROGRAMS

from cwm_agent.oracles.protocol import Answer
from cwm_agent.views.local.effect_text import MalformedAnswer, ShownQuestion
from cwm_agent.views.program import program_view as view
from envs.execution.state.effects import Effect
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.stepper import Stepper

TEXTS: list[tuple[str, str, int, str, str]] = [
    # source, arguments, which of its questions, question, answer
    ("def f(xs):\n    y = xs.pop()\n    return y", "[4, 5]", 0, "f 2 y = xs.pop()\nxs=#1[4, 5]", "3\ny=5\ndel #1[-1]"),
    ("def f(a, b):\n    return a * b", "6, 7", 0, "f 2 _1 = a * b\na=6\nb=7", "3\n_1=42"),
    ("def f(xs):\n    return xs[5]", "[1]", 0, "f 2 _1 = xs[5]\nxs=#1[1]", "!IndexError('list index out of range')"),
    ("def f(g):\n    g[0].append(9)\n    return g", "[[1], [2]]", 0, "f 2 _1 = g[0]\ng=#1[#2[1], #3[2]]", "3\n_1=#2"),
    ("def f(g):\n    g[0].append(9)\n    return g", "[[1], [2]]", 1, "f 3 _1.append(9)\n_1=#1[1]\ng=#2[#1, #3[2]]", "4\n#1=..+[9]"),
    ("def f(xs):\n    for x in xs:\n        pass\n    return x", "[6, 7]", 0, "f 2 _1 = iter(xs)\nxs=#1[6, 7]", "3\n_1=iter(#1, 0)"),
    ("def f(xs):\n    for x in xs:\n        pass\n    return x", "[6, 7]", 2, "f 3 for x in _1:\nx=6\n_1=iter([7])\nxs=#1[6, 7]", "4\nx=7"),
    ("def f(d):\n    ks = d.keys()\n    return ks", "{'a': 1}", 0, "f 2 ks = d.keys()\nd=#1{'a': 1}", "3\nks=keys(#1)"),
    ("N = 3\ndef f(a):\n    b = a + N\n    return b", "1", 0, "f 3 b = a + N\na=1\nN=3", "4\nb=4"),
    ("def f(a):\n    b = [a]\n    c = [b, b]\n    return c", "1", 1, "f 3 c = [b, b]\nb=#1[1]\na=1", "4\nc=[#1, #1]"),
    ("class B:\n    pass\ndef f():\n    b = B()\n    c = [b]\n    return c", "", 0, "f 5 c = [b]\nb=#1B()", "6\nc=[#1]"),
    ("def f(x):\n    del x\n    return 1", "5", 0, "f 2 del x\nx=5", "3\ndel x"),
    ("def f(s):\n    t = s + '\\n'\n    return t", "'a'", 0, "f 2 t = s + '\\n'\ns='a'", "3\nt='a\\n'"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "arguments", "which", "question", "answer"), TEXTS)
def test_the_texts_of_a_question_and_its_answer(
    source: str, arguments: str, which: int, question: str, answer: str
) -> None:
    program, real = traced(source, arguments)
    query = queries_of(program, real, "program")[which]
    asked = view.ask(program, query.frame)
    said = exact().imagine([query])[0].said
    assert isinstance(said, Answer)
    assert (asked.text, view.answer(asked, view.ProgramAnswer(said.line, said.effect))) == (question, answer)


def test_the_context_is_the_program_with_line_numbers() -> None:
    program, _ = traced("def f(a):\n    return a + 1", "1")
    assert view.context(program) == "1 def f(a):\n2     _1 = a + 1\n3     return _1"


def test_the_context_names_where_a_line_may_jump() -> None:
    """The end of a loop, the other way of a condition, the way back; not the line below, not an exception's way."""
    program, _ = traced("def f(xs):\n    for x in xs:\n        if x > 2:\n            break\n    return x", "[1]")
    assert view.context(program).splitlines()[2:] == [
        "3     for x in _1: ->7",
        "4         _2 = x > 2",
        "5         if _2: ->3",
        "6             break",
        "7     return x",
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_line_that_follows_is_the_one_below_or_named_as_a_jump(name: str) -> None:
    program, real = small(name)
    notes = view.context(program).splitlines()
    for query, prediction in zip(
        *(lambda q: (q, exact().imagine(q)))(queries_of(program, real, "program")), strict=True
    ):
        said = prediction.said
        if isinstance(said, Answer) and said.line is not None:
            _, _, far = notes[query.frame.line - 1].rpartition(" ->")
            between = range(query.frame.line + 1, said.line)
            silent = all(
                notes[line - 1].split()[1] in ("try:", "while", "else:", "finally:", "def") for line in between
            )
            assert str(said.line) in far.split(",") or (said.line > query.frame.line and silent)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_answer_read_and_written_again_is_the_same_and_leads_to_the_same_frame(name: str) -> None:
    program, real = small(name)
    stepper = Stepper(program)
    queries = queries_of(program, real, "program")
    for query, prediction in zip(queries, exact().imagine(queries), strict=True):
        assert isinstance(prediction.said, Answer)
        if prediction.said.line is None and prediction.said.effect.raised is None:
            continue  # the function ends here, which takes no answer
        try:
            asked = view.ask(program, query.frame)
        except Unsupported:
            continue
        text = view.answer(asked, view.ProgramAnswer(prediction.said.line, prediction.said.effect))
        said = view.read_answer(asked, text)
        assert view.answer(asked, said) == text
        assert said.line == prediction.said.line
        assert stepper.tell(query.frame, said.effect) == stepper.tell(query.frame, prediction.said.effect)


ASKED = ShownQuestion("f 2\nxs=#1[#2[4], 5]", (("xs", "xs"),), (7, 8))

READ: list[tuple[str, view.ProgramAnswer]] = [
    ("3", view.ProgramAnswer(3, Effect())),
    ("3\ny=5", view.ProgramAnswer(3, Effect((("y", "5"),)))),
    ("12\nnew=#2\n#1=[]", view.ProgramAnswer(12, Effect((("new", "#8"),), (), ((7, "[]"),)))),
    ("!ValueError()", view.ProgramAnswer(None, Effect(raised="ValueError()"))),
    ("#1=[]\n!ValueError()", view.ProgramAnswer(None, Effect((), (), ((7, "[]"),), "ValueError()"))),
]


@pytest.mark.parametrize(("text", "said"), READ)
def test_an_answer_says_a_line_and_an_effect(text: str, said: view.ProgramAnswer) -> None:
    assert view.read_answer(ASKED, text) == said


HOSTILE = {
    "nothing": "",
    "an effect without a line": "y=5",
    "a line that is no number": "three",
    "a negative line": "-3",
    "a line with a blank": "3 ",
    "a line and garbage behind it": "3;y=5",
    "a line in other digits": "٣",
    "a line of ten thousand digits": "9" * 10_000,
    "an unclosed list": "3\ny=[1",
    "an unclosed string": "3\ny='a",
    "a bracket too many": "3\ny=1)",
    "a label that stands for nothing": "3\ny=#5",
    "an empty value": "3\ny=",
    "a name that is none": "3\n1y=5",
    "an empty row": "3\n\ny=5",
    "a second line number": "3\n4",
    "garbage": "\x00\xff",
    "huge": "3\ny=" + "(" * 100_000,
    "thousands of objects in each other": "3\ny=" + "".join(f"#{n}[" for n in range(3, 2_000)) + "]" * 1_997,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_answer_is_malformed_and_never_another_exception(kind: str) -> None:
    with pytest.raises(MalformedAnswer):
        view.read_answer(ASKED, HOSTILE[kind])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["3", "\n", "y=", "xs=", "#1", "#3", "[", "]", "{", "}", "(", ")", "'", "\\", "!", "del ",
                                 ", ", ": ", "x", "."]), max_size=25).map("".join))  # fmt: skip
def test_random_answers_are_read_or_malformed(text: str) -> None:
    try:
        said = view.read_answer(ASKED, text)
    except MalformedAnswer:
        return
    assert said.line is not None or said.effect.raised is not None
