"""Plug-ins of the user, named `module:callable`: oracles, planners, domains, policies, edit writers, example sources.

The module is looked up as every module is, and in the working folder last: a `tasks.py` or `torch.py` that happens
to lie there never takes the place of this project's or a library's module. Knows no oracle, planner or domain.
"""

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


class PluginError(ValueError):
    """A plug-in that cannot be loaded by the name that was given."""


def missing_extra(library: str, extra: str) -> PluginError:
    """The error for a library that an extra of this package brings."""
    return PluginError(f"{library} is not installed; pip install 'cwm-agent[{extra}]'.")


def load_callable(name: str, what: str) -> Callable[..., Any]:
    """The callable that `module:callable` names; `what` says its role in messages, such as "oracle".

    PluginError says what was expected and what was found: a name of another form, a module that does not exist or
    breaks, a missing attribute, or an attribute that is not callable.
    """
    module_name, colon, attribute = name.partition(":")
    if not colon or not _is_dotted_name(module_name) or not attribute.isidentifier():
        raise PluginError(f"The {what} {name!r} cannot be loaded: write module:callable, such as my_module:make.")
    module = _imported(module_name, f"The {what} {name!r}")
    try:
        found = getattr(module, attribute)
    except AttributeError:
        raise PluginError(_missing(module, attribute, f"The {what} {name!r}")) from None
    if not callable(found):
        raise PluginError(
            f"The {what} {name!r} is a {type(found).__name__}, which cannot be called; name a function or a class."
        )
    loaded: Callable[..., Any] = found
    return loaded


def make_plugin(name: str, what: str) -> object:
    """The object that `module:callable` returns when it is called without arguments; PluginError where that raises."""
    make = load_callable(name, what)
    try:
        made: object = make()
    except Exception as error:
        raise PluginError(
            f"The {what} {name!r} cannot be made: calling it without arguments raised {type(error).__name__}: {error}."
        ) from error
    return made


def _is_dotted_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _imported(name: str, subject: str) -> ModuleType:
    """The module of that name; PluginError where it is missing or raises."""
    with working_folder_last() as folder:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            absent = str(error.name)
            what = (
                "there is no module" if f"{name}.".startswith(f"{absent}.") else "its module imports a missing module,"
            )
            place = f"neither installed nor in {folder}.{_unused(name)}"
            raise PluginError(f"{subject} cannot be loaded: {what} {absent!r}, {place}") from error
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            failure = f"{type(error).__name__}: {error} ({where.filename}, line {where.lineno})"
            raise PluginError(f"{subject} cannot be loaded: its module raised {failure}.") from error


def _missing(module: ModuleType, attribute: str, subject: str) -> str:
    """The message for a module without the attribute."""
    place = getattr(module, "__file__", None) or "built into Python"
    what = f"module {module.__name__!r} ({place}) has no {attribute!r}"
    return f"{subject} cannot be loaded: {what}.{_unused(module.__name__)}"


def _unused(name: str) -> str:
    """A sentence about a file of the working folder that has the name of another module; nothing where none has."""
    head = name.partition(".")[0]
    used = os.path.abspath(getattr(sys.modules.get(head), "__file__", None) or "")
    for own in (os.path.abspath(f"{head}.py"), os.path.abspath(os.path.join(head, "__init__.py"))):
        if head in sys.modules and os.path.isfile(own) and own != used:
            return f" {own} is not used, since an installed module has its name; rename it."
    return ""


@contextmanager
def working_folder_last() -> Iterator[str]:
    """The working folder at the end of the import path, until the block ends."""
    folder = os.getcwd()
    sys.path.append(folder)
    importlib.invalidate_caches()  # a plug-in may have been written a moment ago
    try:
        yield folder
    finally:
        for place in range(len(sys.path) - 1, -1, -1):  # the plug-in itself may have changed the path
            if sys.path[place] == folder:
                del sys.path[place]
                break
