"""Decoding on the device: the same completions as with drafts; the kernels run in Triton's interpreter, on a CPU."""

import os
import subprocess
import sys
from pathlib import Path


def test_decoding_by_kernels_equals_decoding_by_drafts() -> None:
    """In a process of its own, since Triton chooses its interpreter when it is imported first."""
    checks = Path(__file__).parent / "interpreted_decoder.py"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(checks)]
    found = subprocess.run(command, env=os.environ | {"TRITON_INTERPRET": "1"}, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
