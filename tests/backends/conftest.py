"""Puts the folders of shared histories and of the tiny CWM's recipe on the path."""

import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "history"), str(TESTS / "data" / "swap_cwm")]
