"""The local view: exact texts both ways, round trips, and hostile answers, which are malformed and nothing worse."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_worlds import exact, queries_of, small, traced
from markov_programs import PROGRAMS

from cwm_agent.oracles.protocol import Answer
from cwm_agent.views.local import change_text, local_view
from cwm_agent.views.local.effect_text import MalformedAnswer, ShownQuestion
from envs.execution.state.effects import Effect, Question
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.stepper import Stepper

TEXTS: list[tuple[str, str, int, str, str]] = [
    # source, arguments, which of its questions, question, answer
    ("def f(xs):\n    y = xs.pop()\n    return y", "[4, 5]", 0, "v0 = v1.pop()\nv1=#1[4, 5]", "v0=5\ndel #1[-1]"),
    ("def f(a, b):\n    return a * b", "6, 7", 0, "v0 = v1 * v2\nv1=6\nv2=7", "v0=42"),
    ("def f(xs):\n    return xs[5]", "[1]", 0, "v0 = v1[5]\nv1=#1[1]", "!IndexError('list index out of range')"),
    ("def f(g):\n    r = g[0]\n    return r", "[[1], [2]]", 0, "v0 = v1[0]\nv1=#1[#2, #3]", "v0=#2"),
    ("def f(g):\n    g[0].append(9)\n    return g", "[[1], [2]]", 1, "v0.append(9)\nv0=#1[1]", "#1=..+[9]"),
    ("def f(xs):\n    for x in xs:\n        pass", "[6, 7]", 0, "v0 = iter(v1)\nv1=#1[6, 7]", "v0=iter(#1, 0)"),
    ("def f(xs):\n    for x in xs:\n        pass", "[6, 7]", 2, "for v0 in v1\nv1=iter([7])", "v0=7"),
    ("def f(d):\n    for p in d.items():\n        pass", "{'a': 1}", 2, "for v0 in v1\nv1=iter(items({'a': 1}))", "v0=('a', 1)"),
    ("def f(s):\n    for p in enumerate(s):\n        pass", "'ab'", 0, "v0 = enumerate(v1)\nv1='ab'",
     "v0=enumerate(iter('ab', 0), 0)"),
    ("def f(xs):\n    for x in xs:\n        pass", "[[6], [7]]", 1, "for v0 in v1\nv1=iter([#1, ...])", "v0=#1"),
    ("def f(xs):\n    return [xs, xs]", "[1]", 0, "v0 = [v1, v1]\nv1=#1[1]", "v0=[#1, #1]"),
    ("def f(n):\n    xs = [[0], [0]]\n    return xs", "1", 0, "v0 = [[0], [0]]", "v0=[[0], [0]]"),
    ("def f(x, n):\n    y = x * n\n    return y", "[[0]], 2", 0, "v0 = v1 * v2\nv1=#1[#2[0]]\nv2=2", "v0=[#2, #2]"),
    ("def f(s):\n    up = s.upper\n    return up()", "'ab'", 1, "v0 = v1.upper()\nv1='ab'", "v0='AB'"),
    ("def f(xs):\n    add = xs.append\n    add(3)\n    return xs", "[]", 1, "v0.append(3)\nv0=#1[]", "#1=[3]"),
    ("def f(xs):\n    del xs[0]\n    return xs", "[1, 2]", 0, "del v0[0]\nv0=#1[1, 2]", "del #1[0]"),
    ("def f(x):\n    import math\n    return math.floor(x)", "1.5", 0, "import math", "math=math"),
    ("def f(d):\n    return len(d.values())", "{'a': [1], 'b': [2]}", 1,
     "v0 = len(v1)\nv1=values(#1{'a': #2, 'b': #3})", "v0=2"),
    ("def f(x):\n    del x\n    return 1", "5", 0, "del v0\nv0=5", "del v0"),
    ("def f(a, b):\n    a, b = b, a\n    return a", "1, 2", 0, "v0, v1 = (v1, v0)\nv0=1\nv1=2", "v0=2\nv1=1"),
    ("def f(s):\n    return s + \"it's #1\"", "'x'", 0, "v0 = v1 + \"it's #1\"\nv1='x'", "v0=\"xit's #1\""),
    ("def f(it):\n    it = iter(it)\n    return next(it)", "[2, 1]", 1, "v0 = next(v1)\nv1=#1iter(#2[2, 1], 0)",
     "v0=2\n#1=iter(#2, 1)"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "arguments", "which", "question", "answer"), TEXTS)
def test_the_texts_of_a_question_and_its_answer(
    source: str, arguments: str, which: int, question: str, answer: str
) -> None:
    query = queries_of(*traced(source, arguments))[which]
    assert query.question is not None
    asked = local_view.ask(query.question)
    said = exact().imagine([query])[0].said
    assert isinstance(said, Answer)
    assert (asked.text, local_view.answer(asked, said.effect)) == (question, answer)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_answer_read_and_written_again_is_the_same_and_leads_to_the_same_frame(name: str) -> None:
    program, real = small(name)
    stepper = Stepper(program)
    queries = queries_of(program, real)
    for query, prediction in zip(queries, exact().imagine(queries), strict=True):
        assert query.question is not None
        assert isinstance(prediction.said, Answer)
        try:
            asked = local_view.ask(query.question)
        except Unsupported:
            continue
        text = local_view.answer(asked, prediction.said.effect)
        effect = local_view.effect(asked, text)
        assert local_view.answer(asked, effect) == text
        assert stepper.tell(query.frame, effect) == stepper.tell(query.frame, prediction.said.effect)


def test_two_lines_that_do_the_same_to_the_same_values_look_the_same() -> None:
    one = queries_of(*traced("def f(xs):\n    y = xs.pop()\n    return y", "[4, 5]"))[0]
    other = queries_of(*traced("def f(stack, n):\n    m = [n]\n    top = stack.pop()\n    return top", "[4, 5], 1"))[1]
    assert one.question is not None
    assert other.question is not None
    assert local_view.ask(one.question).text == local_view.ask(other.question).text


@pytest.mark.parametrize(
    ("source", "arguments"),
    [
        ("def h(x):\n    return -x\ndef f(xs):\n    m = map(h, xs)\n    n = m\n    return next(n)", "[1, 2]"),
        ("def f(xs):\n    k = lambda x: -x\n    m = filter(k, xs)\n    return next(m)", "[1, 2]"),
        ("N = 1\ndef h(x):\n    return x + N\ndef f(xs):\n    m = map(h, xs)\n    n = m\n    return next(n)", "[1]"),
        (
            "class B:\n    def __hash__(self):\n        return 1\ndef f(n):\n    b = B()\n    return len({b, b})",
            "1",
        ),
    ],
)
def test_a_line_that_runs_functions_of_the_program_is_unsupported(source: str, arguments: str) -> None:
    """What such a line does is not on its page: the same text in another program would mean something else."""
    questions = [query.question for query in queries_of(*traced(source, arguments))]

    def refused(question: Question) -> bool:
        try:
            local_view.ask(question)
        except Unsupported:
            return True
        return False

    assert any(refused(question) for question in questions if question)


def test_an_object_of_a_plain_class_is_shown_with_its_fields() -> None:
    source = "class B:\n    def __init__(self, n):\n        self.n = n\ndef f(n):\n    b = B(n)\n    return [b]"
    question = queries_of(*traced(source, "4"))[-1].question
    assert question is not None
    assert local_view.ask(question).text == "v0 = [v1]\nv1=#1B(n=4)"


def test_a_value_that_is_not_on_the_page_is_unsupported() -> None:
    with pytest.raises(Unsupported):
        local_view.ask(Question("x = y + 1", 1, "f", (("y", "?generator"),), heap=()))


ASKED = ShownQuestion("v0 = v1.pop()\nv1=#1[#2[4], 5]", (("v0", "y"), ("v1", "xs")), (7, 8))

READ: list[tuple[str, Effect]] = [
    ("", Effect()),
    ("v0=5", Effect((("y", "5"),))),
    ("#1=[4]", Effect((), (), ((7, "[4]"),))),
    ("v0=#2\n#1=[]", Effect((("y", "#8"),), (), ((7, "[]"),))),
    ("del v1", Effect((), ("xs",))),
    ("!IndexError('pop from empty list')", Effect(raised="IndexError('pop from empty list')")),
    ("v0='#9 ['", Effect((("y", "'#9 ['"),))),
    ("v0=[1, [2]]", Effect((("y", "[1, [2]]"),))),
    ("v0=[#3[1], #3]", Effect((("y", "[#1000003, #1000003]"),), (), ((1000003, "[1]"),))),
]


@pytest.mark.parametrize(("said", "effect"), READ)
def test_an_answer_says_its_effect(said: str, effect: Effect) -> None:
    assert local_view.effect(ASKED, said) == effect


HOSTILE = {
    "an unclosed list": "v0=[1, 2",
    "an unclosed call": "v0=range(0",
    "a bracket too many": "v0=1]",
    "brackets that cross": "v0=[(1])",
    "an unclosed string": "v0='abc",
    "a name the line does not hold": "v7=1",
    "a real name": "y=1",
    "a label that stands for nothing": "v0=#9",
    "a label in a list that stands for nothing": "v0=[#1, #44]",
    "label zero": "#0=[1]",
    "a label in front of nothing": "v0=#3abc",
    "an empty value": "v0=",
    "an empty exception": "!",
    "garbage": "\x00\xff}{ lorem ipsum",
    "an empty row": "v0=1\n\nv1=2",
    "a sentence": "The answer is 5.",
    "deleting a label": "del #1",
    "deleting what is not there": "del v9",
    "huge and unclosed": "v0=" + "[" * 200_000,
    "huge label": "v0=#" + "9" * 10_000,
    "huge label of an object": "#" + "9" * 10_000 + "=[1]",
    "thousands of objects in each other": "v0=" + "".join(f"#{n}[" for n in range(3, 2_000)) + "]" * 1_997,
    "only newlines": "\n" * 50,
    "surrogates": "\ud800",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_answer_is_malformed_and_never_another_exception(kind: str) -> None:
    with pytest.raises(MalformedAnswer):
        local_view.effect(ASKED, HOSTILE[kind])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["v0=", "v1=", "#1", "#2", "#3", "[", "]", "{", "}", "(", ")", "'", '"', "\\", "\n", "!",
                                 "del ", "1", ", ", ": ", "x", "iter(", ".", "?", "é"]), max_size=25).map("".join))  # fmt: skip
def test_random_answers_are_read_or_malformed(said: str) -> None:
    try:
        effect = local_view.effect(ASKED, said)
    except MalformedAnswer:
        return
    assert {name for name, _ in effect.bound} <= {"y", "xs"}


def test_a_set_grows_and_shrinks_by_the_items_that_changed() -> None:
    assert change_text.changed("{1, 2}", "=..|{2, 3}") == "{1, 2, 3}"
    assert change_text.changed("{1, 2}", "=..-{1, 2}") == "set()"


def test_a_loop_over_a_map_shows_the_item_that_the_function_reads() -> None:
    """Two steps with the same text must have the same answer: the label of the item alone does not tell its length."""
    source = "def f(rows):\n    out = []\n    for size in map(len, rows):\n        out.append(size)\n    return out"
    questions = [query.question for query in queries_of(*traced(source, "[[1, 2], [3, 4, 5]]"))]
    shown = [local_view.ask(each).text for each in questions if each is not None and each.statement.startswith("for ")]
    assert [text.partition("\n")[2] for text in shown] == [
        "v1=map(len, iter([#1[1, 2], ...]))",
        "v1=map(len, iter([#1[3, 4, 5]]))",
    ]
