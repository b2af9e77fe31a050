"""Reads CRUXEval rows (code, input, output, id) as trace tasks. All its functions are named `f`."""

from tasks.rows import Row, program_of, text_of
from tasks.task import TraceTask

FIELDS = frozenset({"code", "input", "output", "id"})
ENTRY = "f"


def read_cruxeval(row: Row) -> TraceTask:
    """The trace task of one row."""
    return TraceTask(
        id=f"cruxeval/{text_of(row, 'id')}",
        source=program_of(row, "code"),
        entry=ENTRY,
        arguments=text_of(row, "input"),
        expected=text_of(row, "output"),
        origin="CRUXEval, facebookresearch/cruxeval",
        licence="MIT",
    )
