"""What the environments check alike: render modes and the options of a reset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from envs.errors import BadEnvOption


def check_render_mode(mode: str | None, metadata: Mapping[str, Any]) -> str | None:
    """The mode; BadEnvOption for one that the environment does not have."""
    known = metadata["render_modes"]
    if mode is not None and mode not in known:
        raise BadEnvOption(f"No render mode {mode!r}. Choose one of: {', '.join(known)}, or None.")
    return mode


def check_reset_options(options: Mapping[str, Any] | None, known: Sequence[str]) -> dict[str, Any]:
    """The options as given; BadEnvOption for one that would be ignored."""
    given = dict(options or {})
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Choose of: {', '.join(known)}."
            raise BadEnvOption(f"reset() has no option {name!r}. {hint}")
    return given
