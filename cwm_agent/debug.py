"""Step through an imagined run in a terminal: `python -m cwm_agent.debug FILE.py --call "f(3)"`.

Nothing runs but imagination until `real` shows the real run beside it. `help` lists the commands; `-c` gives them
beforehand. The same in Python:

    from cwm_agent.debugging.opening import opened
    with opened("FILE.py", "f(3)", oracle="exact") as debugger:
        print(*debugger.do("next"), *debugger.do("print x"))
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cwm_agent.debugging.commands import Debugger


def parser() -> argparse.ArgumentParser:
    description, _, rest = (__doc__ or "").partition("\n\n")
    made = argparse.ArgumentParser(
        "python -m cwm_agent.debug",
        description=description,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("file", metavar="FILE.py", help="the program")
    made.add_argument("--call", required=True, metavar='"f(3)"', help="what to imagine; arguments are literals")
    made.add_argument("--oracle", default="embedded", help="as in verify (default: %(default)s)")
    made.add_argument("--base-url", metavar="URL", help="of the OpenAI-compatible server that serves openai:MODEL")
    made.add_argument(
        "--view", default="local", choices=("local", "program", "history"), help="what the model is shown"
    )
    made.add_argument("--guide", help="free, cfg, grounded or forced (default grounded; in the history view free)")
    made.add_argument(
        "--level",
        default="plain",
        choices=("plain", "operations", "characters"),
        help="history view: the program as written (default), or decomposed",
    )
    made.add_argument("-c", dest="commands", metavar="COMMANDS", help='commands, as in "next; print x"; then end')
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    from cwm_agent import errors
    from cwm_agent.debugging.opening import opened
    from cwm_agent.oracles.history_names import with_url

    try:
        oracle = with_url(options.oracle, options.base_url)
        coloured = sys.stdout.isatty() and options.commands is None
        with opened(
            options.file,
            options.call,
            oracle=oracle,
            view=options.view,
            guide=options.guide,
            level=options.level,
            coloured=coloured,
        ) as debugger:
            return talk(debugger, typed(options.commands))
    except errors.USER_ERRORS as error:
        print(f"debug: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def typed(given: str | None) -> Iterator[str]:
    """Commands as they were given, typed or piped."""
    if given is not None:
        yield from given.split(";")
        return
    while True:
        try:
            yield input("(cwm) " if sys.stdin.isatty() else "")
        except EOFError:
            return


def talk(debugger: "Debugger", commands: Iterator[str]) -> int:
    """Answer commands until one of them quits or none is left."""
    print(debugger.where())
    for command in commands:
        for line in debugger.do(command):
            print(line)
        if debugger.done:
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
