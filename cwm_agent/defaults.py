"""Defaults that commands and library functions share, each written once; imports nothing, so that `--help` is fast.

Where a frozen dataclass holds the options of a command, the defaults stand there, and `command_line.defaults_of` reads
them.
"""

from typing import Final

PLANNER: Final = "mcts"
"""Monte-Carlo tree search."""
POLICY: Final = "embedded"
"""The edit policy that comes with the package."""
ORACLE: Final = "embedded"
"""The model that comes with the package."""
VIEW: Final = "local"
"""What the model is shown: one statement and its values."""
LEVEL: Final = "plain"
"""History view: the program as written, not decomposed."""
GUIDE: Final = "grounded"
"""What decides the next line, in the local and the program view."""
HISTORY_GUIDE: Final = "free"
"""The same in the history view."""
PATIENCE: Final = 768
"""Candidates imagined before the first real run of a repair while none is likely to pass."""
LATER_PATIENCE: Final = 8
"""Before each later real run a repair imagines this part of the patience."""
MOST_PATIENCE: Final = 1.5
"""After this many patiences a repair imagines nothing more; docs/repair.md says what that costs."""
HOPEFUL_PATIENCE: Final = 2.5
"""The same where a candidate that was run for real by then fixed half of the tests that failed."""
ROLLOUT_STEPS: Final = 2_000
"""Steps of the longest rollout."""
MUTANT_STEPS: Final = 300
"""Steps of the longest rollout of a mutant."""
