"""A library of an extra that is not installed is one sentence with the command that installs it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("module", "library", "code"),
    [
        ("verifiers", "verifiers", "import cwm_agent.rollouts.exchange.verifiers_taskset"),
        ("openenv", "OpenEnv", "import cwm_agent.rollouts.exchange.openenv_server"),
        (
            "minari",
            "Minari",
            "from cwm_agent.rollouts.exchange.minari_export import to_minari; to_minari('r.jsonl', 'a-v0')",
        ),
    ],
)
def test_a_missing_library_is_named_with_its_extra(module, library, code):
    script = f"import sys; sys.modules[{module!r}] = None\nfrom cwm_agent.plugins import PluginError\ntry:\n    {code}\nexcept PluginError as error:\n    print(error)"
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == f"{library} is not installed; pip install 'cwm-agent[learners]'."
