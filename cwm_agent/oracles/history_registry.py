"""History oracles by name, as `verify --view history` takes them.

embedded             the small history model that comes with the package
embedded:DIR         your own weights from `python -m cwm_agent.train --view history`
exact                the real run, replayed
none                 no imagination
noisy:iid:action=0.01,state=0.02[,seed=1]    the real run with errors at known rates; noisy:systematic likewise
hf:FOLDER_OR_NAME[:device=cuda,dtype=bfloat16,load=4bit,...]    a model of transformers (`model_loading.py`)
openai:MODEL@URL[?timeout=60&tokens=N&...]   a model behind an OpenAI-compatible server (`server_history.py`)
package.module:callable                      your own: called without arguments, returns a history oracle
"""

from collections.abc import Sequence
from typing import cast

from cwm_agent.oracles.backends.replay import NoisyReplay, RealHistoryOf, ReplayOracle
from cwm_agent.oracles.history_protocol import HistoryOracle, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.protocol import UnknownOracle
from cwm_agent.oracles.registry import NAMES, noise, own, unknown


class NoHistory:
    """Answers nothing, at no cost."""

    name = "none"

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return [HistoryPrediction(Malformed("", "no oracle")) for _ in queries]


def history_oracle_named(text: str, tell: RealHistoryOf) -> HistoryOracle:
    """Return the history oracle of that name; `tell` gives real runs to the oracles that replay them."""
    head, _, rest = text.partition(":")
    if head == "exact" and not rest:
        return ReplayOracle(tell)
    if head == "none" and not rest:
        return NoHistory()
    if head == "noisy":
        kind, rates, seed = noise(text, rest)
        return NoisyReplay(ReplayOracle(tell), rates, kind, seed)
    if head == "embedded":
        from cwm_agent.oracles.backends.embedded_history import EmbeddedHistory  # brings torch along

        return EmbeddedHistory.load(rest or None)
    if head == "hf":
        from cwm_agent.oracles.backends.transformers.cwm_history import (
            hf_history,  # brings torch and transformers along
        )

        return hf_history(rest)
    if head == "openai":
        from cwm_agent.oracles.backends.openai.few_shot_server_history import openai_history

        return openai_history(rest)
    if rest and head not in {name.partition(":")[0] for name in NAMES}:
        return cast(HistoryOracle, own(text))
    raise unknown(text)


def with_url(oracle: str, url: str | None) -> str:
    """Return the oracle's name with the address of --base-url; raise UnknownOracle if that oracle takes no address."""
    if url is None:
        return oracle
    head, _, tail = oracle.partition("?")
    if not head.startswith("openai:") or "@" in head:
        raise UnknownOracle(f"--base-url is for openai:MODEL, and the oracle is {oracle!r}. Leave one of them out.")
    return f"{head}@{url}?{tail}" if tail else f"{head}@{url}"
