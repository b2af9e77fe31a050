"""How to solve: one frozen value that is saved with every episode."""

from dataclasses import asdict, dataclass, field
from typing import Literal, get_args

from cwm_agent import defaults
from cwm_agent.agent.budget import Budget
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.oracles.protocol import View
from envs.domains.inputs.typed_inputs import require
from envs.execution.sandbox.isolation.packages import located
from tasks.errors import did_you_mean


class UnknownSource(ValueError):
    """A name that stands for no source of candidates."""


CandidateSource = Literal["unlikely", "combination", "extension"]
"""Where candidates come from beside the planner's search over likely edits; the policy's own edits come with the
unlikely ones."""
CANDIDATE_SOURCES: tuple[CandidateSource, ...] = get_args(CandidateSource)


@dataclass(frozen=True, slots=True)
class Settings:
    """The planner, the oracle and the budget of a run; every default stands here and nowhere else."""

    planner: str = defaults.PLANNER
    oracle: str = defaults.ORACLE
    view: View = defaults.VIEW
    """What the oracle is shown."""
    guide: Guide = GROUNDED
    """What decides the next line: rules, or the oracle."""
    budget: Budget = field(default_factory=Budget)
    seed: int = 0
    batch: int = 0
    """Tests imagined at the same time, half the oldest and half the cheapest so far; 0 for as many as suit the oracle
    (`SetsWidth`)."""
    patience: int = defaults.PATIENCE
    """Effort before the first real run while no candidate is believed to pass; an eighth of it between later runs."""
    ceiling: bool = False
    """Programs that the oracle runs for real are counted and not charged: for the ceiling of an experiment."""
    share: bool = False
    """The oracle's answers are cached across tasks."""
    policy: str = defaults.POLICY
    """The model that ranks edits before they are imagined, in every row of an experiment alike; or `none`."""
    value: str = ""
    """A folder with a value learnt from episodes, in place of the expected share of tests; empty for none."""
    choice: Literal["", "information"] = ""
    """Which candidate runs: the one with the best odds, or `information` for the one whose run gains most."""
    learn: Literal["", "online", "judge"] = ""
    """`online` adapts the embedded model between tasks; `judge` only logs which of its steps were wrong."""
    proposer: str = ""
    """A language model that proposes edits beside the rules; empty for none."""
    drafts: str = ""
    """A file of programs to begin with, and a digest of its content; empty for none."""
    packages: tuple[str, ...] = ()
    """Installed packages that programs may import in the sandbox, beside the standard library."""
    inputs: Literal["", "typed", "symbolic"] = ""
    """On what patches that pass are compared beside variations of the tests' inputs: inputs of the same types
    (Hypothesis), or these and inputs that symbolic execution finds (CrossHair); empty for the variations alone."""
    without: tuple[CandidateSource, ...] = ()
    """Sources of candidates that are switched off, for ablations; all of them leave the likely edits alone."""
    domain: str = ""
    """The domain that was named, as `module:callable` or by its name; empty where the tasks decide."""

    def __post_init__(self) -> None:
        located(self.packages)  # refuses one that is not installed
        if self.inputs:
            require("hypothesis")
        if self.inputs == "symbolic":
            require("crosshair")
        if unknown := sorted(set(self.without) - set(CANDIDATE_SOURCES)):
            raise UnknownSource(
                f"There is no source of candidates {unknown[0]!r} to leave out. "
                f"{did_you_mean(unknown[0], CANDIDATE_SOURCES)}"
            )

    @property
    def imagines(self) -> bool:
        """Whether anything is imagined at all."""
        return self.oracle != "none" and not self.planner.startswith("baseline")

    @property
    def lists(self) -> bool:
        """Whether candidates of all sources are listed without being imagined: the control of every experiment."""
        planned = not self.imagines and not self.planner.startswith("baseline")
        return planned and set(self.without) != set(CANDIDATE_SOURCES)

    @property
    def runs_programs(self) -> bool:
        """Whether the oracle runs programs for real."""
        return self.oracle.partition(":")[0] in ("exact", "noisy")

    @property
    def charges_oracle(self) -> bool:
        """Whether programs that the oracle runs for real are charged as real executions."""
        return self.runs_programs and not self.ceiling

    def described(self) -> dict[str, object]:
        """The settings as JSON data; what was not named leaves no trace, so that old runs can be continued."""
        rows = {**asdict(self), "guide": self.guide.name}
        for name in ("domain", "drafts", "packages", "value", "choice", "inputs", "learn", "without"):
            if not rows[name]:
                del rows[name]
        return rows
