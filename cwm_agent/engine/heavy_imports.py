"""Imports torch, or most of this project, faster: without garbage collections in between; imports neither itself.

The import creates hundreds of thousands of objects that stay. Every collection on the way looks at all of them and
finds nothing, which takes a twelfth of the import.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Suspend the garbage collector inside the block."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
