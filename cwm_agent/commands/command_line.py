"""The commands of `cwm-agent` by name; each is a module of its own, imported only when it runs."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from cwm_agent import __version__
from tasks.output.terminal_text import print_line, print_text

COMMANDS = {
    "solve": "repair programs, or plan permutations",
    "verify": "compare imagined with real execution, step by step",
    "rollout": "collect episodes of an environment, real or imagined, in a file",
    "learn": "learn which edits to try, and a value, from your own episodes",
    "study": "measure what an oracle can do: tables and figures",
    "train": "train the embedded model on generated examples",
    "synthesise": "make a game's Python from trajectories of it, and plan in it",
    "report": "show a run, a study or rollouts as one HTML file",
    "debug": "step through an imagined run in a terminal",
}
_HELP = """usage: {program} COMMAND ...

Plan inside a Code World Model: search imagined executions, act for real, verify step by step.

{commands}

example: repair a file of yours that has doctests, or a test_buggy.py beside it

  {program} solve buggy.py --write

`{program} COMMAND --help` explains a command; `{program} --version` prints the version.
"""


def run(arguments: Sequence[str], program: str = "cwm-agent") -> int:
    """Run one command with its arguments; the exit status, 2 where there is no such command."""

    if not arguments or arguments[0] in ("-h", "--help"):
        print_text(overview(program), end="", error=not arguments)
        return 0 if arguments else 2
    name, *rest = arguments
    if name == "--version":
        print_line(f"cwm-agent {__version__}")
        return 0
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Choose one of: {', '.join(COMMANDS)}."
        print_line(f"{program}: there is no command {name!r}. {hint}", error=True)
        return 2
    status: int = import_module(f"cwm_agent.{name}").main(rest, f"{program} {name}")
    return status


class CommandParser(argparse.ArgumentParser):
    """Options of a command; its errors repeat what was typed, so they are printed as `terminal_text` does.

    The help is the command's docstring with the name that the command was called by in place of the `usual` one. With
    `examples_last` all but the first paragraph stands behind the options.
    """

    def __init__(
        self, docstring: str | None, usual: str, program: str, *, examples_last: bool = False, raw_options: bool = False
    ) -> None:
        text = (docstring or "").replace(usual, program)
        description, _, rest = text.partition("\n\n") if examples_last else (text, "", None)
        shape = argparse.RawTextHelpFormatter if raw_options else argparse.RawDescriptionHelpFormatter
        super().__init__(program, description=description, epilog=rest, formatter_class=shape)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if message:
            print_line(message.removesuffix("\n"), error=True)
        sys.exit(status)


def overview(program: str) -> str:
    """One line for each command, and one example."""
    lines = [f"  {name:<11} {what}" for name, what in COMMANDS.items()]
    return _HELP.format(program=program, commands="\n".join(lines))


def exit_status(name: str, work: Callable[[], int], stopped: str = "") -> int:
    """Do a command's work; an error of the user's is one line and status 2, an interrupt `stopped` and status 130."""
    try:
        return work()
    except KeyboardInterrupt:
        if stopped:
            print_text(stopped, error=True)
        return 130
    except Exception as error:
        if not isinstance(error, user_errors()):
            raise
        print_line(f"{name}: {error}", error=True)
        return 2


def user_errors() -> tuple[type[Exception], ...]:
    """The errors that the user can repair; all packages are imported for them, so call it only where one occurred."""
    from cwm_agent.errors import USER_ERRORS

    return USER_ERRORS


def defaults_of(options: type) -> dict[str, Any]:
    """The defaults of a dataclass by field: a command line takes them from there."""
    return {field.name: field.default for field in fields(options) if field.default is not MISSING}
