"""Infinite rows from sources and workers."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from cwm_agent.jobs.placement import Placement
from cwm_agent.training.data_feed import RUN_SEEDS, Feed, FeedError, draw_rows
from cwm_agent.training.example import (
    HELD_OUT_SEED,
    MAX_FAILURES,
    Example,
    Share,
    SourceError,
    held_out,
    infinite_examples,
    parse_share,
    resolve,
)
from cwm_agent.training.packing import Field
from cwm_agent.training.recipe import DataMix

COPIES = "cwm_agent.training.steps.copy_task:copies"
ADDITIONS = "cwm_agent.training.steps.copy_task:additions"


def test_the_same_seed_gives_the_same_rows_and_others_give_others() -> None:
    """Runs and workers are reproducible and differ."""

    def first(seed: int, worker: int) -> bytes:
        return next(draw_rows(DataMix((Share("c", COPIES),), 128, seed), worker)).tobytes()

    assert first(0, 0) == first(0, 0)
    assert len({first(0, 0), first(0, 1), first(1, 0)}) == 3


def test_training_never_draws_a_held_out_seed() -> None:
    """The first hundred run seeds stay below the held-out ones."""
    assert 100 * RUN_SEEDS < HELD_OUT_SEED


def test_weights_set_the_share_of_rows() -> None:
    """A source with three quarters of the weight gives about three quarters of the rows."""
    data_mix = DataMix((Share("c", COPIES, 3.0), Share("a", ADDITIONS, 1.0)), 64)
    rows = list(islice(draw_rows(data_mix, 0), 400))
    with_context = sum(bool((row[Field.SEGMENT] != row[Field.CONTEXT]).any()) for row in rows)
    assert 60 < with_context < 140


def test_workers_deliver_batches_of_the_same_kind() -> None:
    """A batch from another process has the fields and shape of a local one."""
    data_mix = DataMix((Share("c", COPIES),), 64)
    with Feed(data_mix, batch=3, placement=Placement(1, apart=True)) as feed:
        batch = feed.next()
    local = Feed(data_mix, batch=3, placement=Placement(0, apart=True)).next()
    assert batch.shape == local.shape == (6, 3, 64)
    assert np.array_equal(batch, local)


def test_a_failing_source_stops_training_with_its_message() -> None:
    """An exception in a worker is raised by the feed."""
    with (
        Feed(DataMix((Share("bad", "json:loads"),), 64), batch=1, placement=Placement(1, apart=True)) as feed,
        pytest.raises(FeedError, match="JSON"),
    ):
        feed.next()


def test_a_source_that_ends_is_started_again_with_the_next_seed() -> None:
    """Finite sources can be used for training too."""

    def source(seed: int) -> Iterator[Example]:
        yield Example(b"", b"%d" % seed, b"", "k")

    assert [example.query for example in islice(infinite_examples(source, 7), 3)] == [b"7", b"8", b"9"]
    assert len(held_out(source, 5)) == 5


def test_a_source_that_raises_is_started_again_until_it_has_failed_too_often() -> None:
    """One failure in millions of examples does not end a run; repeated failures do."""

    def source(seed: int) -> Iterator[Example]:
        yield Example(b"", b"%d" % seed, b"", "k")
        raise KeyError(seed)

    assert [example.query for example in islice(infinite_examples(source, 7), 3)] == [b"7", b"8", b"9"]
    with pytest.raises(KeyError, match=str(7 + MAX_FAILURES)):
        list(infinite_examples(source, 7))


def test_a_source_without_examples_is_refused() -> None:
    """An empty source does not hang the feed."""
    with pytest.raises(SourceError, match="gave no example"):
        next(infinite_examples(lambda _: iter(()), 0))


def test_a_source_of_examples_that_never_fit_is_refused() -> None:
    """Rows that are too short for all examples give an error and do not wait forever."""
    with pytest.raises(SourceError, match="longer than"):
        next(draw_rows(DataMix((Share("c", COPIES),), 8), 0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a=m:f", Share("a", "m:f", 1.0)), ("a=m.n:f:0.25", Share("a", "m.n:f", 0.25))],
)
def test_shares_are_read_from_the_command_line(text: str, expected: Share) -> None:
    """NAME=module:function with an optional weight."""
    assert parse_share(text) == expected


@pytest.mark.parametrize("text", ["m:f", "a=m", "a=m:f:x", "a=m:f:0", "=m:f", "a=m:f:1:2"])
def test_malformed_shares_are_refused(text: str) -> None:
    """The error repeats what was given."""
    with pytest.raises(SourceError):
        parse_share(text)


@pytest.mark.parametrize("target", ["json", "no_such_module:f", "json:no_such_function", "json:__doc__"])
def test_sources_that_cannot_be_imported_are_refused(target: str) -> None:
    """The error names the source."""
    with pytest.raises(SourceError, match=target.partition(":")[0]):
        resolve(target)
