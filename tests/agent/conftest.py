"""Puts the folders of the tiny CWM and of the servers that stand in for real ones on the path."""

import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "data" / "swap_cwm"), str(TESTS / "backends")]
