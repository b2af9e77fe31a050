"""Where a command's modules come from: the working folder must not provide them.

`python -m` puts the working folder first on the import path, so that a `tasks.py` or `json.py` that lies there would be
imported in place of ours or the standard library's, and would run outside the sandbox. A command therefore calls
`leave_working_folder` before it imports anything else; this module imports only what Python has loaded by then. A
program that imports this project as a library keeps its import path. Plug-ins come from there, last: `plugins.py`.
"""

import os
import sys

PACKAGES = ("cwm_agent", "envs", "planners", "tasks")
"""The project's top-level packages; they lie side by side."""
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The folder they lie in: a checkout, or the folder of installed packages."""
_STANDARD_LIBRARY = os.path.dirname(os.path.realpath(os.__file__))


def is_own_command() -> bool:
    """Whether Python is about to run a module of this project by `python -m`."""
    if sys.argv[:1] != ["-m"]:  # Python's own mark, which stands there only until the module has been found
        return False
    module = sys.orig_argv[len(sys.orig_argv) - len(sys.argv)].removeprefix("-m")
    return module.partition(".")[0] == "cwm_agent"


def leave_working_folder() -> None:
    """Take the working folder off the import path, here and in processes started later.

    Where it is a folder that Python or this project needs, it goes to a later place. Exits with status 2 where one of
    the project's names belongs to another package then.
    """
    here = _real(os.curdir)
    sys.path[:] = [entry for entry in sys.path if entry and _real(entry) != here]
    if _is_needed(here):
        sys.path.append(here)
    if _real(ROOT) not in map(_real, sys.path):
        sys.path.insert(_place_of_root(), ROOT)
    _protect_children(here)
    _refuse_others()


def _real(path: str) -> str:
    """The path without links; as it is where the working folder was deleted and the path depends on it."""
    try:
        return os.path.realpath(path)
    except OSError:
        return path


def _is_needed(folder: str) -> bool:
    """Whether Python finds its own modules or installed ones in this folder."""
    own = folder in (_STANDARD_LIBRARY, os.path.join(_STANDARD_LIBRARY, "lib-dynload"))
    return own or os.path.basename(folder) in ("site-packages", "dist-packages")


def _place_of_root() -> int:
    """The last place on the path at which our packages are found before others of the same names."""
    for place, entry in enumerate(sys.path):
        names = [os.path.join(entry, name) for name in PACKAGES]
        if any(os.path.isdir(name) or os.path.isfile(f"{name}.py") for name in names):
            return place
    return len(sys.path)


def _protect_children(here: str) -> None:
    """Processes that this one starts begin without the working folder; multiprocessing gives them our import path."""
    os.environ["PYTHONSAFEPATH"] = "1"
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = [entry for entry in entries if entry and _real(entry) != here]
    if kept:
        os.environ["PYTHONPATH"] = os.pathsep.join(kept)
    else:
        os.environ.pop("PYTHONPATH", None)


def _refuse_others() -> None:
    """Exit with status 2 where an import would find another package of one of our names."""
    from importlib.util import find_spec  # only now: the working folder is off the path

    for name in PACKAGES:
        spec = find_spec(name)
        places = [] if spec is None else list(spec.submodule_search_locations or [spec.origin or ""])
        if _real(os.path.join(ROOT, name)) not in map(_real, places):
            found = places[0] if places else "nothing"
            print(
                f"cwm-agent: `import {name}` finds {_shown(found)} in place of {_shown(os.path.join(ROOT, name))}; "
                "install cwm-agent into a virtual environment of its own.",
                file=sys.stderr,
            )
            raise SystemExit(2)


def _shown(path: str) -> str:
    """The path without control characters; `tasks.output.terminal_text` cannot be imported here."""
    return ascii(path)[1:-1]
