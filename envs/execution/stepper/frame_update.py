"""Updates the previous frame in place of building a new one, where a step makes or drops no object.

In general labels are found by walking all that is reached (`canonical_labels.py`). Where a step changes only values
that refer to no object, or to objects that stay, that walk would give the previous labels. Most steps are such: the
update makes stepping 1.7 times as fast. `tests/execution/test_stepper.py` holds both equal. Knows no rule of execution.
"""

from envs.execution.state.frames import Activation, Bindings, Event, Frame, HeapText
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.text.canonical_labels import known_objects


def updated_frame(before: Frame, builder: FrameBuilder, event: Event) -> Frame | None:
    """The builder's frame, in the same activation as before; None where labels must be found by walking."""
    if len(builder.stack) + 1 != len(before.stack) or tuple(builder.globals.items()) != before.globals:
        return None
    heap = _heap(before.heap, builder)
    rows = None if heap is None else _rows(before.locals, builder)
    if heap is None or rows is None:
        return None
    here = Activation(before.function, builder.line, rows)
    return Frame(event, (*before.stack[:-1], here), heap, before.globals)


def _heap(before: HeapText, builder: FrameBuilder) -> HeapText | None:
    """The heap with other contents that refer to the same objects."""
    now = builder.heap
    if len(now) != len(before):
        return None
    same = True
    for label, content in before:
        new = now.get(label)
        if new is not content:
            known = None if new is None else known_objects(new, 1)
            if known is None or known != known_objects(content, 1):
                return None
            same = False
    return before if same else tuple([(label, now[label]) for label, _ in before])


def _rows(before: Bindings, builder: FrameBuilder) -> Bindings | None:
    """The variables, if none that refers to something changed and none refers to something new."""
    now = builder.rows()
    left = len(now)
    for name, text in before:
        new = now.get(name)
        if new is not None:
            left -= 1
        if new is not text and ("#" in text or (new is not None and not _is_settled(new, builder))):
            return None
    if left:
        old = dict(before)
        if not all(name in old or _is_settled(text, builder) for name, text in now.items()):
            return None
    return tuple(sorted(now.items()))


def _is_settled(text: str, builder: FrameBuilder) -> bool:
    known = known_objects(text, 0)
    return known is not None and builder.before.issuperset(known)
