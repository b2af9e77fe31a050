"""`--help` of every command answers at once: it exits with 0 and imports nothing heavy."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = ("torch", "transformers", "gymnasium")
COMMANDS = sorted(
    path.stem
    for path in (ROOT / "cwm_agent").glob("*.py")
    if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
)
SCRIPT = """
import runpy, sys
sys.argv = ["{name}", "--help"]
try:
    runpy.run_module("cwm_agent.{name}", run_name="__main__")
except SystemExit as end:
    code = end.code
print("heavy:", [name for name in {heavy} if name in sys.modules])
sys.exit(code)
"""


def test_there_are_commands() -> None:
    assert {"verify", "train"} <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_exits_with_0_and_imports_nothing_heavy(name: str) -> None:
    script = SCRIPT.format(name=name, heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout
    assert done.stdout.rstrip().endswith("heavy: []")
