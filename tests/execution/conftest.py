"""Sandboxes for the tests of this folder, opened once a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sandbox_cases import QUICK

from envs.execution.sandbox.sandbox import Sandbox, available_isolations


@pytest.fixture(scope="module", params=[*available_isolations(), "none"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox under each isolation there is, and under none."""
    with Sandbox(isolation=request.param, limits=QUICK) as opened:
        yield opened


@pytest.fixture(scope="module")
def one() -> Iterator[Sandbox]:
    """A sandbox under the preferred isolation, for claims that do not depend on it."""
    with Sandbox(limits=QUICK) as opened:
        yield opened
