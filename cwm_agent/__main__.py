"""The console command `cwm-agent`, and `python -m cwm_agent`."""

import sys

from cwm_agent import import_path


def main() -> int:
    """Run the command that the process was started with; the exit status."""
    import_path.leave_working_folder()
    from cwm_agent.commands.command_line import run

    by_module = sys.argv[0] == __file__
    return run(sys.argv[1:], "python -m cwm_agent" if by_module else "cwm-agent")


if __name__ == "__main__":
    sys.exit(main())
