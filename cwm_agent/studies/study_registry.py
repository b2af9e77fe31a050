"""Studies by name, in the order of `all`."""

from typing import Any

from cwm_agent.studies.errors import UnknownStudy
from cwm_agent.studies.experiments.decomposition_effect import DECOMPOSITION
from cwm_agent.studies.experiments.dose_response import DOSES
from cwm_agent.studies.experiments.game_models import GAME_MODELS
from cwm_agent.studies.experiments.planning_depth import PLANNING_DEPTH
from cwm_agent.studies.experiments.real_looks import LOOKS
from cwm_agent.studies.experiments.repair_cost import REPAIR_COST
from cwm_agent.studies.experiments.state_tracking import TRACKING
from cwm_agent.studies.experiments.string_failures import STRINGS
from cwm_agent.studies.experiments.token_budgets import BUDGETS
from cwm_agent.studies.study_protocol import Study
from tasks.errors import did_you_mean

STUDIES: tuple[Study[Any], ...] = (
    *(BUDGETS, DOSES, TRACKING, STRINGS, DECOMPOSITION, PLANNING_DEPTH, REPAIR_COST),
    GAME_MODELS,
    LOOKS,
)


def studies_named(name: str) -> tuple[Study[Any], ...]:
    """The study with a name; `all` gives all of them."""
    if name == "all":
        return STUDIES
    known = [study.name for study in STUDIES]
    if name in known:
        return (STUDIES[known.index(name)],)
    hint = did_you_mean(name, known, otherwise=f"Choose one of: {', '.join(known)}, all.")
    raise UnknownStudy(f"No study named {name!r}. {hint}")
