"""Step through an imagined run in a terminal: `python -m cwm_agent.debug FILE.py --call "f(3)"`.

The oracle imagines every step; `real` executes the program and shows both runs. `help` lists the commands; `-c` gives
commands as an option. The same in Python:

    from cwm_agent.debugger.debugger_session import opened
    with opened("FILE.py", "f(3)", oracle="exact") as debugger:
        print(*debugger.do("next"), *debugger.do("print x"))
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from cwm_agent import defaults
from cwm_agent.commands.command_line import CommandParser, exit_status
from tasks.errors import TaskError
from tasks.output.terminal_text import print_line, print_styled, print_text
from tasks.scripted_world import NO_WORLD, ScriptedWorld, world_from

if TYPE_CHECKING:
    from cwm_agent.debugger.debugger_commands import Debugger

PROGRAM = "python -m cwm_agent.debug"


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    made = CommandParser(__doc__, PROGRAM, program, examples_last=True)
    made.add_argument("file", metavar="FILE.py", help="the program")
    made.add_argument("--call", required=True, metavar='"f(3)"', help="the call to imagine")
    made.add_argument("--oracle", default=defaults.ORACLE, help="as in verify (default: %(default)s)")
    made.add_argument("--base-url", metavar="URL", help="address of the OpenAI-compatible server of openai:MODEL")
    made.add_argument(
        "--view", default=defaults.VIEW, choices=("local", "program", "history"), help="the text that the model sees"
    )
    made.add_argument(
        "--guide",
        help=f"free, cfg, grounded or forced (default {defaults.GUIDE}; in the history view {defaults.HISTORY_GUIDE})",
    )
    made.add_argument(
        "--level",
        default=defaults.LEVEL,
        choices=("plain", "operations", "characters"),
        help="history view: the program as written (default), or decomposed",
    )
    made.add_argument(
        "--world",
        type=world_of_text,
        default=NO_WORLD,
        metavar="JSON",
        help="""what random, input, clocks and files give, as in '{"seed": 3, "inputs": ["Ada"]}'""",
    )
    made.add_argument("-c", dest="commands", metavar="COMMANDS", help='commands, as in "next; print x"; then end')
    return made


def world_of_text(text: str) -> ScriptedWorld:
    """The world of an option: a JSON object, as task files have it."""
    try:
        return world_from(json.loads(text))
    except (ValueError, RecursionError, TaskError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    options = parser(program).parse_args(arguments)
    return exit_status("debug", lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    from cwm_agent.debugger.debugger_session import opened
    from cwm_agent.oracles.history_registry import with_url

    oracle = with_url(options.oracle, options.base_url)
    coloured = sys.stdout.isatty() and options.commands is None
    with opened(
        options.file,
        options.call,
        oracle=oracle,
        view=options.view,
        guide=options.guide,
        level=options.level,
        world=options.world,
        coloured=coloured,
    ) as debugger:
        interactive = options.commands is None and sys.stdin.isatty()
        if interactive:
            print_line(f"{options.call} as {oracle} imagines it. `help` lists the commands, an empty line repeats one.")
        return answer_commands(debugger, typed(options.commands), interactive)


def typed(given: str | None) -> Iterator[str]:
    """Commands from the option, the terminal or a pipe; on a terminal an empty line repeats the last command."""
    if given is not None:
        yield from given.split(";")
        return
    terminal = sys.stdin.isatty()
    if terminal:
        with suppress(ImportError):  # arrow keys and a history of lines, where Python has readline
            import readline  # noqa: F401
    last = ""
    while True:
        try:
            line = input("(cwm) " if terminal else "")
        except EOFError:
            return
        except KeyboardInterrupt:
            if not terminal:
                raise
            print_line("")
            continue
        last = line if line.strip() or not terminal else last
        yield last


def answer_commands(debugger: "Debugger", commands: Iterator[str], interactive: bool = False) -> int:
    """Answer commands until `quit` or the end of the commands; returns the exit status.

    An interactive debugger continues after Ctrl-C and after a failure of the oracle; others raise it.
    """
    from cwm_agent import errors

    print_styled(debugger.where())
    for command in commands:
        try:
            for line in debugger.do(command):
                print_styled(line)
        except KeyboardInterrupt:
            if not interactive:
                raise
            print_text("\ninterrupted")
            print_styled(debugger.where())
        except errors.USER_ERRORS as error:
            if not interactive:
                raise
            print_line(str(error))
            print_styled(debugger.where())
        if debugger.done:
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
