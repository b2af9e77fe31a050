"""Meta's spelling of histories, both ways; no answer, however hostile, is an exception or a hang."""

import json

import pytest
from history_worlds import ODD_TEXTS, TWINS, random_histories, recorded, small

from cwm_agent.oracles.formats import meta_tokens
from cwm_agent.oracles.history_protocol import ENDED, HistoryQuery, Malformed
from cwm_agent.views.history.frame_format import Mark
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.state.value_grammar import Unsupported


def test_the_prompt_is_spelt_as_the_published_guide_says() -> None:
    program, found = recorded("def f(x):\n    return x\n", "'a'")
    assert meta_tokens.prompt_text(HistoryQuery(program, found.frames[:2])) == (
        "<|begin_of_text|><|trace_context_start|>def f(x):  # << START_OF_TRACE\n    return x\n<|frame_sep|>"
        '<|call_sep|>{"x": "\'a\'"}<|action_sep|>def f(x):\n<|frame_sep|>'
        '<|line_sep|>{"x": ".."}<|action_sep|>    return x\n<|frame_sep|>'
    )


def test_special_ids_stand_in_the_order_of_the_published_table() -> None:
    order = ["frame", "action", "return", "call", "line", "exception", "arg", "start"]
    assert [mark.value for mark in sorted(meta_tokens.SPECIAL_IDS, key=meta_tokens.SPECIAL_IDS.__getitem__)][
        1:
    ] == order
    assert meta_tokens.SPECIAL_IDS[Mark.FRAME] == 128100
    assert meta_tokens.SPECIAL_IDS[Mark.START] == 128107


def _next_text(query: HistoryQuery, frame: HistoryFrame) -> str:
    """What a model would write that says this frame."""
    whole = meta_tokens.prompt_text(HistoryQuery(query.program, (*query.frames, frame)))
    return whole.removeprefix(meta_tokens.prompt_text(query))


def test_every_frame_of_random_histories_is_read_back_from_text_and_from_ids() -> None:
    for program, found in random_histories(30, seed=11):
        for index in range(1, min(len(found.frames), 12)):
            query, frame = HistoryQuery(program, found.frames[:index]), found.frames[index]
            text = _next_text(query, frame)
            said = meta_tokens.read_text(query, text)
            assert isinstance(said, HistoryFrame), said
            assert (said.event, said.action, said.locals, said.arg, said.depth) == (
                frame.event, frame.action, frame.locals, frame.arg, frame.depth,
            )  # fmt: skip
            assert meta_tokens.read_text(query, text.removesuffix("<|frame_sep|>")) == said
            ids = meta_tokens.prompt_ids(
                HistoryQuery(program, (*query.frames, frame)), lambda part: list(part.encode())
            )
            start = len(meta_tokens.prompt_ids(query, lambda part: list(part.encode())))
            assert meta_tokens.read_ids(query, ids[start:], lambda part: bytes(part).decode()) == said


def test_as_ids_a_program_may_spell_special_tokens_and_as_text_it_is_refused() -> None:
    program, found = recorded(ODD_TEXTS, "'x'")
    query, frame = HistoryQuery(program, found.frames[:1]), found.frames[1]
    with pytest.raises(Unsupported, match="special token"):
        meta_tokens.prompt_text(query)
    ids = meta_tokens.prompt_ids(HistoryQuery(program, found.frames[:2]), lambda part: list(part.encode()))
    start = len(meta_tokens.prompt_ids(query, lambda part: list(part.encode())))
    assert meta_tokens.read_ids(query, ids[start:], lambda part: bytes(part).decode()) == frame


def test_the_parts_a_guide_gives_make_up_the_frame() -> None:
    program, found = recorded(TWINS, "2")
    query, frame = HistoryQuery(program, found.frames[:1]), found.frames[1]
    text = meta_tokens.opening("line") + json.dumps({"x": ".."}) + meta_tokens.closing("line", frame.action)
    assert meta_tokens.read_text(query, text) == frame


_HOSTILE = {
    "empty": "",
    "blank": " \n\t ",
    "another language": "Bien sûr ! Voici la trace du programme : x vaut 2 ?",
    "an essay": "The next line is `return y` because x > 1.",
    "wrong JSON": '<|line_sep|>{"x": 2}<|action_sep|>    return y<|frame_sep|>',
    "half a JSON": '<|line_sep|>{"x": "2"<|action_sep|>    return y<|frame_sep|>',
    "a special token inside a string": '<|line_sep|>{"x": "a<|frame_sep|>b"}<|action_sep|>    return y<|frame_sep|>',
    "only marks": "<|line_sep|><|action_sep|><|frame_sep|>",
    "marks without end": "<|line_sep|>" * 100_000,
    "the prompt again": "<|trace_context_start|>def f(x):<|frame_sep|>",
    "the end too early": "<|frame_sep|>",
    "surrogates": '<|line_sep|>{"x": "\ud800"<|action_sep|>\udfff<|frame_sep|>',
    "10 MB of one letter": "a" * 10_000_000,
    "10 MB of locals": '<|line_sep|>{"x": "' + "a" * 10_000_000 + '"}<|action_sep|>    return y<|frame_sep|>',
    "10 MB of brackets": "<|line_sep|>" + "[" * 10_000_000,
}


@pytest.mark.parametrize("text", _HOSTILE.values(), ids=_HOSTILE)
def test_a_hostile_answer_is_malformed_with_a_reason(text: str) -> None:
    program, found = recorded(TWINS, "2")
    said = meta_tokens.read_text(HistoryQuery(program, found.frames[:1]), text)
    assert isinstance(said, Malformed), said
    assert said.reason
    assert len(said.text) <= 2000


def test_the_end_is_read() -> None:
    program, found = small("uncaught")
    assert meta_tokens.read_text(HistoryQuery(program, found.frames), "<|end_of_text|>") == ENDED


def test_a_query_without_a_call_or_without_a_choice_is_refused() -> None:
    program, found = recorded(TWINS, "2")
    with pytest.raises(ValueError, match="call"):
        HistoryQuery(program, ())
    with pytest.raises(ValueError, match="allowed"):
        HistoryQuery(program, found.frames[:1], frozenset())
