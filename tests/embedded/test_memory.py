"""The memory of a batch, the products it is filled by, and how threads wait."""

from itertools import accumulate

import pytest
import torch
from rough_networks import rough_network

from cwm_agent.engine import matrix_products
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.matrix_products import gated, product
from cwm_agent.engine.threads import wait_asleep

TEXTS = ([5, 6, 7, 8, 9, 10], [9, 8, 7, 6, 5, 4], [1, 2, 3, 1, 2, 3])


@pytest.fixture
def reader() -> ForwardPass:
    return ForwardPass(rough_network(), dtype=torch.float32, device=torch.device("cpu"))


def whole(reader: ForwardPass, text: list[int]) -> torch.Tensor:
    """The stream at the last token of a text that is read alone and at once."""
    return reader.read([text], reader.memory(1, len(text)), slice(0, 1)).stream[-1]


def test_what_does_not_count_was_never_read(reader: ForwardPass) -> None:
    """Rows that read wrong tokens and take them back go on as if they had not, each at its own length."""
    memory, rows = reader.memory(3, 2), slice(0, 3)
    counts = [1, 3, 2]
    with torch.inference_mode():
        tried = [[*text[:count], *[77] * (4 - count)] for text, count in zip(TEXTS, counts, strict=True)]
        memory.accept(rows, counts, reader.read(tried, memory, rows))
        assert memory.lengths == counts
        rest = [text[count:] for text, count in zip(TEXTS, counts, strict=True)]
        stream = reader.read(rest, memory, rows).stream
        for end, text in zip(accumulate(map(len, rest)), TEXTS, strict=True):
            torch.testing.assert_close(stream[end - 1], whole(reader, text), atol=1e-4, rtol=1e-4)


def test_rows_that_move_leave_or_join_stay_what_they_are(reader: ForwardPass) -> None:
    memory, rows = reader.memory(2, 5), slice(0, 2)
    with torch.inference_mode():
        memory.accept(rows, [5, 5], reader.read([text[:5] for text in TEXTS[:2]], memory, rows))
        other = reader.memory(1, 9)
        other.accept(slice(0, 1), [5], reader.read([TEXTS[2][:5]], other, slice(0, 1)))
        memory.add(other)
        memory.move([(2, 0)])
        memory.drop(2)
        memory.keep([1, 0])
        assert len(memory) == 2
        stream = reader.read([TEXTS[1][5:], TEXTS[2][5:]], memory, rows).stream
        for row, text in enumerate(TEXTS[1:]):
            torch.testing.assert_close(stream[row], whole(reader, text), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("packed", [True, False])
def test_products_are_those_of_the_matrix(monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    """Laid out by torch or not, with any number of rows; where torch cannot lay out, the plain product is used."""
    if not packed:
        monkeypatch.setattr(
            matrix_products, "_multiplied", lambda *_: (_ for _ in ()).throw(RuntimeError("no such operator"))
        )
    torch.manual_seed(0)
    gate, up = torch.randn(2, 48, 32, dtype=torch.bfloat16)
    for count in (1, 7):
        values = torch.randn(count, 2, 32, dtype=torch.bfloat16)
        exact = values.float() @ up.float().T
        torch.testing.assert_close(product(up)(values).float(), exact, atol=0.1, rtol=0.02)
        wanted = torch.nn.functional.silu(values.float() @ gate.float().T) * exact
        torch.testing.assert_close(gated(gate, up)(values).float(), wanted, atol=0.5, rtol=0.05)


def test_threads_are_told_to_sleep_unless_the_user_or_torch_has_decided() -> None:
    mine: dict[str, str] = {}
    assert wait_asleep(mine, loaded=False)
    assert mine == {"OMP_WAIT_POLICY": "PASSIVE"}
    yours = {"OMP_WAIT_POLICY": "ACTIVE"}
    wait_asleep(yours, loaded=False)
    assert yours == {"OMP_WAIT_POLICY": "ACTIVE"}
    late: dict[str, str] = {}
    assert not wait_asleep(late, loaded=True)
    assert late == {}
