"""Where the library computes passes, torch is not needed: these processes cannot import it."""

import os
import subprocess
import sys

import pytest

from cwm_agent.engine.native.native_pass import native_library

pytestmark = pytest.mark.skipif(native_library() is None, reason="the library was not built, or not for this processor")

ENGINE = """
from cwm_agent.engine import weights
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine

engine = Engine(weights.shipped(), device="auto")
assert engine.forward_pass.is_native
prompts = [Prompt(b"v0 = v1 + v2\\nv1=3\\nv2=4"), Prompt(b"v0 = v1 + v2\\nv1=3\\nv2=5", context=b"v0 = v1 + v2")]
print(*(each.text.decode() for each in engine.complete(prompts)))
good, bad = engine.score(prompts[:1] * 2, [b"v0=7", b"v0=8"])
assert good.first_choice and good.logprob > bad.logprob
"""
POLICY = """
from cwm_agent.policy.edit_policy import EditPolicy
from envs.editing.edit import Edit

source = "def add(a, b):\\n    return a - b\\n"
policy = EditPolicy.shipped()
assert len(policy.logprobs(source, [Edit(2, 13, "-", "+", "operator")])) == 1
print(len(policy.proposals(source, 4)) > 0)
"""
ORACLE = """
from cwm_agent.oracles.backends.embedded import EmbeddedOracle

print(EmbeddedOracle.load().name.partition(":")[0])
"""
REFUSED = """
from cwm_agent.engine import weights
from cwm_agent.engine.engine import Engine

try:
    Engine(weights.shipped(), precision="fp32")
except ImportError as error:
    print(error.name)
"""


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        pytest.param(ENGINE, "v0=7 v0=8", id="engine"),
        pytest.param(POLICY, "True", id="policy"),
        pytest.param(ORACLE, "embedded", id="oracle"),
        pytest.param(REFUSED, "torch", id="other precisions need it"),
    ],
)
def test_a_process_without_torch_answers(script: str, printed: str) -> None:
    forbidden = "import sys\nsys.modules['torch'] = None\n"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, "-c", forbidden + script], capture_output=True, text=True, env=environment, check=False
    )
    assert found.stdout.strip() == printed, found.stderr
