"""Oracles by name, as every command line takes them.

embedded                                     the model that comes with the package
embedded:DIR                                 your own weights from `python -m cwm_agent.train`
exact                                        Python itself, in the sandbox
none                                         no imagination
noisy:iid:action=0.01,state=0.02[,seed=1]    exact, made wrong at known rates
noisy:systematic:state=0.05                  the same question errs the same way
package.module:callable                      your own: called without arguments, returns an oracle
hf:..., openai:...                           models that continue histories: `history_registry.py`
"""

from collections.abc import Callable
from typing import cast

from cwm_agent.oracles.backends.exact import ExactOracle
from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.protocol import VIEWS, Oracle, UnknownOracle, View
from cwm_agent.oracles.service.served_oracle import served
from cwm_agent.oracles.wrappers.noise import BadRates, Kind, NoisyOracle, Rates
from cwm_agent.plugins import PluginError, make_plugin
from envs.execution.tracer.reality import Reality
from tasks.errors import did_you_mean

NAMES = ("embedded", "exact", "none", "noisy:iid", "noisy:systematic")
HISTORY_ONLY = ("hf", "openai")
"""Models in Meta's trace format: they continue histories and know no other view."""


def oracle_named(text: str, reality: Callable[[], Reality]) -> Oracle:
    """Return the oracle of that name, or the replicas that hold it; `reality` is opened only to run programs."""
    if (shared := served(text)) is not None:
        return shared
    head, _, rest = text.partition(":")
    if head == "exact" and not rest:
        return ExactOracle(reality())
    if head == "none" and not rest:
        return NoOracle()
    if head == "noisy":
        kind, rates, seed = noise(text, rest)
        return NoisyOracle(ExactOracle(reality()), rates, kind, seed)
    if head == "embedded":
        from cwm_agent.oracles.backends.embedded import EmbeddedOracle  # brings torch along

        return EmbeddedOracle.load(rest or None)
    if head in HISTORY_ONLY:
        raise UnknownOracle(f"{text!r} continues histories and answers in no other view. Ask it with --view history.")
    if rest and head not in {name.partition(":")[0] for name in NAMES}:
        return cast(Oracle, own(text))
    raise unknown(text)


def views_of(text: str) -> tuple[View, ...]:
    """Return the views in which an oracle of that name answers."""
    return ("history",) if text.partition(":")[0] in HISTORY_ONLY else VIEWS


def unknown(text: str) -> UnknownOracle:
    """Return the error for a name that no oracle has."""
    return UnknownOracle(f"No oracle named {text!r}. {_hint(text)}")


def _hint(text: str) -> str:
    choices = f"Choose one of: {', '.join(NAMES)}, or module:callable for your own."
    return did_you_mean(text, NAMES, otherwise=choices)


def noise(text: str, rest: str) -> tuple[Kind, Rates, int]:
    """Return the kind of noise, its rates and its seed, from a name that begins with `noisy:`."""
    kind, _, settings = rest.partition(":")
    if kind not in ("iid", "systematic"):
        raise UnknownOracle(f"No oracle named {text!r}. Write noisy:iid or noisy:systematic, then :action=A,state=S.")
    given: dict[str, float] = {}
    for part in filter(None, settings.split(",")):
        key, _, value = part.partition("=")
        if key not in ("action", "state", "seed"):
            raise UnknownOracle(f"{key!r} in {text!r} is no setting of a noisy oracle. Use action, state and seed.")
        try:
            given[key] = int(value) if key == "seed" else float(value)
        except ValueError:
            wanted = "whole number" if key == "seed" else "number"
            raise UnknownOracle(f"{key}={value!r} in {text!r} is no {wanted}.") from None
    try:
        rates = Rates(given.get("action", 0.0), given.get("state", 0.0))
    except BadRates as error:
        raise UnknownOracle(f"{text!r}: {error}") from None
    return cast(Kind, kind), rates, int(given.get("seed", 0))


def own(text: str) -> object:
    """Return the object that the user's callable returns."""
    try:
        return make_plugin(text, "oracle")
    except PluginError as error:
        raise UnknownOracle(f"{error} {_hint(text)}") from error
