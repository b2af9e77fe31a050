"""Puts the folder of small programs on the path, so that tests of every folder share them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "execution" / "programs"))
