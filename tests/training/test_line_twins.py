"""Claims about `benchmarks.line_twins`: facts, order of rows, counting, tables; nothing is trained here."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks import line_twins
from benchmarks.line_twins import main, parser, read_result, refusal, shape_of
from benchmarks.training_round import TracedProgram
from benchmarks.twin_parts import line_rows
from benchmarks.twin_parts.line_facts import LineFact, fact_of
from benchmarks.twin_parts.line_rows import LineWork, codec_of, drawn_batches, examples_of, grouped, row_of, size_of
from benchmarks.twin_parts.line_tables import page, program_table
from benchmarks.twin_parts.network_training import right_answers
from benchmarks.twin_parts.question_sets import AskedProgram, QuestionSet, asked_questions, program_questions
from benchmarks.twin_parts.sequence_networks import TwinNetwork, TwinShape, count
from benchmarks.twin_parts.token_codecs import ByteCodec, TokenCodec
from benchmarks.twin_parts.token_rows import END, TokenRow
from cwm_agent.jobs.protocol import Finished, LostItem
from cwm_agent.training.data_feed import FeedError
from cwm_agent.training.example import Example
from tasks import TraceTask


@pytest.fixture(scope="module")
def pairs() -> TokenCodec:
    return codec_of("pairs", seed=1, texts=150, size=400)


def example(query: str, answer: str = "v0=1") -> Example:
    return Example(b"", query.encode(), answer.encode(), "kind")


# -- facts


@pytest.mark.parametrize(
    ("query", "answer", "kind", "operation", "string"),
    [
        ("v0 = v1.replace(v2, 'a')\nv1='tram'\nv2='r'", "v0='taam'", "str", "str.replace", True),
        ("v0 = v1 + v2\nv1=34800\nv2=35160", "~0+0=0 0+6=6\nv0=69960", "int", "+ int", False),
        ("v0 = v1 + 1\nv1=3", "v0=4", "int", "+ int", False),
        ("v0 = 5 * 'z'", "v0='zzzzz'", "str", "* int", True),
        ("v0 += 'day'\nv0='nwv'", "v0=..+'day'", "str", "+= str", True),
        ("v0 = v1 + v0\nv0='b'\nv1='a'", "v0='a'+..", "str", "+ str", True),
        ("v0 = v1 in v2\nv1='r'\nv2='vr'", "v0=True", "bool", "compare in str", True),
        ("v0 = v1 in v2\nv1='r'\nv2=#1['r']", "v0=True", "bool", "compare in list", False),
        ("v0 = v1 / 2\nv1=1", "~. 10:5\nv0=0.5", "float", "/ int", False),
        ("v0.append(v1)\nv0=#1['b']\nv1='o'", "#1=..+['o']", "list", "list.append", False),
        ("v0[v1] = v2\nv0=#1{2: 1}\nv1=3\nv2=2", "#1[3]=2", "dict", "store dict", False),
        ("del v0[v1]\nv0=#1{1: 3}\nv1=1", "del #1[1]", "dict", "delete", False),
        ("v0.add(v1)\nv0=#1{'a: b'}\nv1='o'", "#1=..|{'o'}", "other", "set.add", False),
        ("v0 = v1[0]\nv1=#1[#2[3], #3{}]", "v0=#2", "list", "item list", False),
        ("v0 = v1.insert\nv1=#1[0]", "v0=#1.insert", "other", "attribute", False),
        ("v0 = v1.rindex\nv1='hi'", "v0='hi'.rindex", "other", "attribute", False),
        ("for v0 in v1\nv1=iter('w', ...)", "v0='w'", "str", "for", False),
        ("v0 = f'{v1}!'\nv1=7", "v0='7!'", "str", "joinedstr", True),
        ("v0 = hex(v1)\nv1=7", "v0='0x7'", "str", "hex", True),
        ("v0 = ord(v1)\nv1='a'", "v0=97", "int", "ord", True),
        ("v0 = re.sub('a', 'b', v1)\nv1='ab'", "v0='bb'", "str", "re.sub", True),
        ("v0 = math.floor(v1)\nv1=2.5", "v0=2", "int", "math.floor", False),
        ("v0 = len(v1)\nv1='GENERAL NA\t10\tGOOR'", "v0=14", "int", "len str", True),
        ("v0, v1 = v2\nv2=('A', 1)", "v0='A'\nv1=1", "str", "unpack", False),
        ("v0 = v1.index('q')\nv1='taco'", "!ValueError('substring not found')", "other", "str.index", True),
        ("v0[v1] = v2\nv0=#1{1: 1}\nv1=1\nv2=1", "", "other", "store dict", False),
    ],
)  # fmt: skip
def test_the_text_of_a_question_tells_type_operation_and_whether_it_works_on_a_string(
    query: str, answer: str, kind: str, operation: str, string: bool
) -> None:
    size = len(query) + len(answer)
    assert fact_of(example(query, answer)) == LineFact(kind, operation, string, size)


def test_every_line_that_training_draws_has_facts() -> None:
    found = [fact_of(each) for each in examples_of(2, 0, 300)]
    assert {each.type for each in found} == {"str", "int", "float", "bool", "list", "dict", "other"}
    assert 30 < sum(each.string for each in found) < 200


# -- rows


def test_a_chunk_is_the_same_for_its_number_and_chunks_differ() -> None:
    first, again, other = (list(examples_of(3, number, 20)) for number in (0, 0, 1))
    assert first == again
    assert not {each.query for each in first} >= {each.query for each in other}


def test_a_row_is_the_question_and_the_answer_again(pairs: TokenCodec) -> None:
    for codec in (ByteCodec(), pairs):
        for each in examples_of(4, 0, 20):
            row = row_of(each, codec)
            assert codec.text(row.ids[: row.answer - 1]).encode() == each.query
            assert codec.text(row.ids[row.answer :]).encode() == each.answer
            assert (row.ids[row.answer - 1], row.ids[-1]) == (END, END)
            assert len(row.ids) <= size_of(each)


def test_batches_of_all_twins_hold_the_same_rows_in_the_same_order(pairs: TokenCodec) -> None:
    texts = []
    for codec in (ByteCodec(), pairs):
        batches = LineWork(codec, 5, 2048, 200, chunk=60).batches(2)
        assert all(batch.ids.shape[1] <= 200 for batch in batches)
        texts.append([[codec.text(row.tolist()) for row in batch.ids] for batch in batches])
    assert texts[0] == texts[1]


def test_a_batch_is_as_large_as_its_bytes_allow_and_never_empty() -> None:
    drawn = [example("v" * size, "") for size in (90, 8, 8, 8, 30, 200)]
    assert [[len(each.query) for each in group] for group in grouped(drawn, 100)] == [[8, 8, 8], [30], [90], [200]]


def chunks(order: list[Any]) -> Any:
    """A pool whose workers end in the given order."""

    def run(work: LineWork, batches: Iterator[list[int]], placement: object) -> Iterator[Any]:
        numbers = [number for (number,) in islice(batches, len(order))]
        assert numbers == list(range(len(order)))
        yield from (Finished(n, work.batches(n)) if isinstance(n, int) else LostItem(0, n) for n in order)

    return run


def test_rows_come_in_the_order_of_their_chunks_whichever_worker_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    work = LineWork(ByteCodec(), 6, 2048, 1024, chunk=12)
    wanted = [batch.ids.tolist() for number in range(3) for batch in work.batches(number)]
    monkeypatch.setattr(line_rows, "run_jobs", chunks([2, 0, 1]))
    assert [batch.ids.tolist() for batch in drawn_batches(work, 3)] == wanted
    monkeypatch.setattr(line_rows, "run_jobs", chunks([0, "killed."]))
    with pytest.raises(FeedError, match=r"killed\. Lower --workers"):
        list(drawn_batches(work, 3))


def test_without_workers_this_process_draws_the_rows() -> None:
    work = LineWork(ByteCodec(), 6, 2048, 1024, chunk=12)
    batches = drawn_batches(work, 0)
    assert next(batches).ids.tolist() == work.batches(0)[0].ids.tolist()
    batches.close()


def test_workers_start_without_torch() -> None:
    code = "import sys, benchmarks.line_twins; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- counting


class GivenChoices(TwinNetwork):
    """A network whose first choices are given by the tokens before them."""

    def __init__(self, choices: dict[tuple[int, ...], int]) -> None:
        super().__init__(TwinShape("attention", 8, layers=1, width=32, hidden=1, longest=6))
        self.choices = choices

    def forward(self, ids: Tensor) -> Tensor:
        rows = ids.tolist()
        said = [[self.choices.get(tuple(row[: at + 1]), END) for at in range(len(row))] for row in rows]
        return functional.one_hot(torch.tensor(said), 8).float()


def test_an_answer_is_right_if_each_token_and_its_end_are_the_first_choice() -> None:
    network = GivenChoices({(2, END): 5, (2, END, 5): 6, (3, END): 5, (3, END, 5): 7, (4, END): 5, (4, END, 5): 5})
    rows = [
        TokenRow((2, END, 5, 6, END), 2, 2),
        TokenRow((3, END, 5, 6, END), 2, 2),  # another second token
        TokenRow((4, END, 5, END), 2, 2),  # no end
        TokenRow((5, 6, END, END), 3, 3),  # nothing to say; the question is not judged
        TokenRow((2, 2, 2, 2, 2, END, END), 6, 6),  # longer than the network reads
    ]
    assert right_answers(network, rows) == [True, False, False, True, False]


def test_a_question_that_comes_twice_is_one_question_of_two_steps() -> None:
    runs = [TracedProgram("a", (example("v0 = 1"), example("v0 = 2"), example("v0 = 1")), 0)]
    runs.append(TracedProgram("b", (example("v0 = 2"),), 1))
    found = asked_questions("set", runs, untraced=3)
    assert [each.query for each in found.examples] == [b"v0 = 1", b"v0 = 2"]
    assert found.set.programs == (AskedProgram("a", (0, 1, 0)), AskedProgram("b", (1,), 1))
    assert QuestionSet.read("set", json.loads(json.dumps(found.set.record()))) == found.set


def test_the_questions_of_a_program_are_those_of_its_real_run() -> None:
    source = "def f(x):\n    y = x.upper()\n    return y + '!'\n"
    tasks = [TraceTask("row/1", source, "f", "'ab'"), TraceTask("row/2", source, "f", "1")]
    found = program_questions("set", tasks)
    assert [(each.operation, each.string) for each in found.set.facts] == [("str.upper", True), ("+ str", True)]
    assert [each.answer for each in found.examples] == [b"v0='AB'", b"v0='AB!'"]
    assert found.set.untraced == 1


# -- tables


def result(rights: dict[str, str], facts: list[LineFact], programs: tuple[AskedProgram, ...] = ()) -> dict[str, Any]:
    saw = {"parameters": 1_000_000, "tokens": 5_000_000, "rows": 70_000, "steps": 900, "waited": 2.0}
    arms = {name: {**saw, "bytes_per_token": 1.5, "rights": {"set": each}} for name, each in rights.items()}
    sets = {"set": QuestionSet("set", tuple(facts), programs, untraced=2).record()}
    return json.loads(json.dumps({"options": {}, "sets": sets, "arms": arms}))  # type: ignore[no-any-return]


STRING, WHOLE = LineFact("str", "str.upper", True, 20), LineFact("int", "+ int", False, 40)


def test_tables_have_shares_with_intervals_and_paired_tests() -> None:
    """Of 20 string questions 16 and 10 are right, of 19 others all: six questions differ, all in one direction."""
    bytes_, pairs_ = "1" * 16 + "0" * 4 + "1" * 19, "1" * 10 + "0" * 10 + "1" * 19
    said = page(result({"bytes": bytes_, "pairs": pairs_}, [STRING] * 20 + [WHOLE] * 19))
    assert "| str | 20 | 0.800 (0.563 to 0.943) | 0.500 (0.272 to 0.728) | -0.300 (0.031) |" in said
    assert "| string | 20 | 0.800 (" in said
    assert "| str.upper | 20 | 0.800 (" in said
    assert "| all others | 19 \\* | 1.000 (" in said
    assert "| up to 32 | 20 | 0.800 (" in said
    assert "| up to 64 | 19 \\* | 1.000 (" in said
    assert "| pairs | 1,000,000 | 5.0 M | 70,000 | 900 | 2 s | 1.50 |" in said
    assert "2 programs of `set` have no run that returns" in said


def test_programs_are_counted_by_their_operations_and_are_right_if_all_questions_are() -> None:
    programs = (
        AskedProgram("a", (0, 2)),
        AskedProgram("b", (1, 2)),
        AskedProgram("c", (2,) * 7),
        AskedProgram("d", (0,), 1),
    )
    questions = QuestionSet("set", (STRING, STRING, WHOLE), programs)
    said = program_table(questions, {"bytes": [True, False, True]})
    assert "| string | 0 | 1 \\* | 1.000 (0.025 to 1.000) | - |" in said
    assert "| string | 1 | 3 \\* | 0.333 (0.008 to 0.906) | 0.667 (0.094 to 0.992) |" in said
    assert "| other | 0 | 1 \\* | 0.000 (0.000 to 0.975) | - |" in said
    assert "| other | 1 | 2 \\* | 0.500 (0.013 to 0.987) | 1.000 (0.158 to 1.000) |" in said
    assert "| other | 5 or more | 1 \\* | 1.000 (0.025 to 1.000) |" in said


@pytest.mark.parametrize(
    ("rights", "sentence"),
    [
        ({}, "No twin was measured."),
        ({"bytes": "00"}, "`bytes` answers no question of `set` right"),
        ({"pairs": "11"}, "`pairs` answers every question of `set` right."),
    ],
)
def test_twins_that_are_never_or_always_right_have_tables_that_say_so(rights: dict[str, str], sentence: str) -> None:
    assert sentence in page(result(rights, [STRING, WHOLE]))


# -- the command


def arm(name: str, *_: object) -> dict[str, Any]:
    return {**result({name: ""}, [])["arms"][name], "rights": {"lines": "10"}}


def command(out: Path, *more: str) -> list[str]:
    return ["--lines", "1", "--programs", "0", "--pairs", "400", "--out", str(out), *more]


@pytest.fixture
def two_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [TracedProgram("a", (example("v0 = 1"), example("v0 = 2")), 0)]
    monkeypatch.setattr(line_twins, "question_sets", lambda options: [asked_questions("lines", runs)])


@pytest.mark.usefixtures("two_questions")
def test_a_stopped_run_keeps_its_finished_arm_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"

    def stopped(name: str, *_: object) -> dict[str, Any]:
        if name == "pairs":
            raise KeyboardInterrupt
        return arm(name)

    monkeypatch.setattr(line_twins, "measured_arm", stopped)
    assert main(command(out)) == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert list(read_result(out)["arms"]) == ["bytes"]

    monkeypatch.setattr(line_twins, "measured_arm", arm)
    assert main(command(out, "--workers", "3")) == 0
    assert "bytes: " in (said := capsys.readouterr().err)
    assert "has it already" in said
    assert list(read_result(out)["arms"]) == ["bytes", "pairs"]
    assert main(["--table", str(out)]) == 0
    assert "| all | 2 \\* | 0.500 (0.013 to 0.987) | 0.500 (0.013 to 0.987) | +0.000 (1) |" in capsys.readouterr().out


@pytest.mark.usefixtures("two_questions")
def test_results_of_other_settings_or_questions_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    monkeypatch.setattr(line_twins, "measured_arm", arm)
    assert main(command(out, "--arms", "bytes")) == 0
    with pytest.raises(SystemExit):
        main(command(out, "--seconds", "9"))
    assert "another --seconds" in capsys.readouterr().err
    monkeypatch.setattr(line_twins, "question_sets", lambda options: [asked_questions("lines", [])])
    with pytest.raises(SystemExit):
        main(command(out))
    assert "answers to other questions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--arms words --out x", "no arm named 'words'"),
        ("", "give --out FILE"),
        ("--out x --seconds 0", "no time to train in"),
        ("--out x --seed 128", "from 0 to 127"),
        ("--out x --batch 100", "do not hold the longest line"),
        ("--out x --pairs 100", "do not hold every byte"),
        ("--out x --width 100", "no multiple of 32"),
        ("--out x --layers 1 --width 32", "raise --layers"),
        ("--table missing.json", "cannot be read as a result"),
    ],
)
def test_options_that_cannot_work_are_refused_before_anything_is_trained(
    arguments: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments.split())
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_arms_have_equally_many_parameters() -> None:
    options = parser().parse_args(["--out", "x"])
    one, other = (count(shape_of(size, options)) for size in (258, options.pairs))
    assert abs(one - other) / one < 0.01


def test_the_commands_of_the_log_are_accepted() -> None:
    commands = re.findall(r"^python -m benchmarks.line_twins (.*?)(?: +#.*)?$", Path("docs/log.md").read_text(), re.M)
    assert len(commands) == 2
    assert not refusal(parser().parse_args(commands[0].split()))
    assert parser().parse_args(commands[1].split()).table
