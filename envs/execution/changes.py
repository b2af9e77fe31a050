"""Which objects a line that ran may have changed, by what its names hold; knows no page text and runs nothing."""

import types
from collections import defaultdict
from collections.abc import Mapping, Sequence

from envs.execution.activations import Live
from envs.execution.amending import differing
from envs.execution.rendering import Renderer
from envs.execution.writers import CONTENTS, MOVED, SCALARS, VALUES, Waiting

Changed = Sequence[object] | None
"""Objects that a line may have changed; None: any object."""
_PLAIN = frozenset({*CONTENTS, *VALUES}) - {map, filter, types.CellType, defaultdict, types.ModuleType, Waiting}
"""Kinds of objects whose use runs no function."""
_UNBOUND = object()


def changed_by(ran: Live, wild: bool, shared: Mapping[str, object], page: Renderer) -> Changed:
    """Objects of the page that the line which the function just ran may have changed.

    `wild`: a function may have run that the line does not name. `shared` are the module variables on the page.
    """
    watch, held = ran.scene.watch, ran.held
    called, ran.called = ran.called, False
    if wild or watch.touches is None:
        return None
    if called:  # what the function did stands on its own pages
        return ()
    if watch.moves is not None and type(held.get(watch.moves)) in MOVED:
        return (held[watch.moves],)
    used = []
    for name in watch.touches:
        value = held.get(name, _UNBOUND)
        kind = type(value)
        if kind in SCALARS:
            continue
        if kind is types.BuiltinMethodType:  # it changes at most what it belongs to and what it is given
            value = value.__self__  # type: ignore[attr-defined]
            kind = type(value)
            if kind in SCALARS:
                continue
        if kind not in _PLAIN:
            return None
        used.append(value)
    for name in watch.reaches:
        value = shared.get(name, _UNBOUND)
        if type(value) in _PLAIN:
            used.append(value)
        elif type(value) not in SCALARS:
            return None
    if not used or not page.moving:
        return () if watch.gentle else used
    return differing(page, used, watch.gentle)
