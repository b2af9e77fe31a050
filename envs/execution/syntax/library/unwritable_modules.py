"""Modules whose objects no frame can hold: threads, sockets, processes, memory of C, and packages of others.

A line that uses such a module is unsupported by its name, before a model is asked about it. Pure syntax, nothing is
imported.
"""

import ast
import sys

from envs.execution.syntax.program_structure import steps_below

_UNWRITABLE = frozenset(
    "_thread array asyncio concurrent contextvars ctypes curses ftplib gc hashlib http mmap multiprocessing queue "
    "sched select selectors signal smtplib socket socketserver sqlite3 ssl subprocess threading tkinter tracemalloc "
    "turtle urllib weakref".split()
)


def unwritable_imports(tree: ast.AST) -> dict[str, str]:
    """The names that a program imports from such modules, with the module of each."""
    found: dict[str, str] = {}
    for node in steps_below(tree):
        match node:
            case ast.Import(names=aliases):
                parts = [(alias.asname or alias.name.partition(".")[0], alias.name) for alias in aliases]
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                parts = [(alias.asname or alias.name, module) for alias in aliases]
            case _:
                continue
        found |= {name: module.partition(".")[0] for name, module in parts if _is_unwritable(module)}
    return found


_WRITABLE = frozenset({"urllib.parse"})
"""Parts of such modules that compute texts alone."""


def _is_unwritable(module: str) -> bool:
    top = module.partition(".")[0]
    return module not in _WRITABLE and (top in _UNWRITABLE or top not in sys.stdlib_module_names)
