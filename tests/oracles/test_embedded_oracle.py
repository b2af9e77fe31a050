"""The embedded oracle on programs it was never trained for: every rollout ends with its reason, and none raises."""

import os
import subprocess
import sys

import pytest
import torch

from cwm_agent.engine.engine import Engine
from cwm_agent.engine.network import Network
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.engine.weights import TrainedModel
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.backends.embedded import LONGEST_QUESTION, EmbeddedOracle
from cwm_agent.oracles.protocol import BackendFailed, MarkovView
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.execution.decompose.program import decomposed
from envs.execution.state.frames import Frame
from envs.execution.stepper.first_frame import first_frame

ODD = {
    "class": ("class A:\n    def __init__(self, x):\n        self.x = x\ndef f(n):\n    return A(n).x\n", "3"),
    "own hash": (
        "class A:\n    def __init__(self, x):\n        self.x = x\n    def __hash__(self):\n"
        "        return self.x\ndef f(n):\n    return len({A(n), A(1)})\n",
        "3",
    ),
    "import": ("import math, re\ndef f(n):\n    return math.sqrt(n), re.sub('a+', 'b', 'caab')\n", "2"),
    "counter": ("from collections import Counter\ndef f(s):\n    return Counter(s).most_common(1)\n", "'caab'"),
    "floats": ("def f(x):\n    y = x / 3\n    return y ** 0.5, y * 1e300 * 1e10, float('nan'), -y // 0.1\n", "2.7"),
    "huge integer": ("def f(n):\n    x = 7 ** n\n    return x * x % 1000003\n", "2000"),
    "huge list": ("def f(xs):\n    ys = [x * x for x in xs]\n    return sum(ys)\n", str(list(range(500)))),
    "long string": ("def f(s):\n    t = s + s\n    return t[::-1]\n", repr("hello " * 200)),
    "other letters": ("def f(s):\n    return s + '\\U0001F600\\x00\\ud800'\n", "'\\u4f60\\n\\ud800'"),
    "generator": ("def g(n):\n    yield n\ndef f(n):\n    return list(g(n))\n", "4"),
    "no end": ("def f(n):\n    return f(n + 1)\n", "0"),
    "with": ("def f(n):\n    with memoryview(b'x') as h:\n        return h.nbytes\n", "0"),
    "throw": (
        "def g():\n    yield 1\ndef f(n):\n    it = g()\n    next(it)\n    t = it.throw\n    t(ValueError)\n",
        "0",
    ),
    "eval": ("def f(n):\n    return eval('n + 1'), input()\n", "2"),
    "complex": ("def f(n):\n    return (1 + 2j) * n\n", "2"),
}


def rolled_out(oracle: EmbeddedOracle, name: str, view: MarkovView, guide: str) -> Rollout:
    source, arguments = ODD[name]
    program = decomposed(source, "f")
    frame = first_frame(program, arguments)
    assert isinstance(frame, Frame)
    settings = RolloutSettings(view=view, guide=parse_guide(guide), steps=20)
    return imagine([RolloutStart(program, frame)], CachedOracle(oracle), settings)[0]


@pytest.fixture(scope="module")
def babbling() -> EmbeddedOracle:
    """A random network: what it says is noise."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    network = Network(shape_of_size("tiny"))
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return EmbeddedOracle(Engine(TrainedModel(network, BYTES, {}, "noise")))


@pytest.fixture(scope="module")
def trained() -> EmbeddedOracle:
    return EmbeddedOracle.load()


@pytest.mark.parametrize(("view", "guide"), [("local", "grounded"), ("program", "cfg")])
@pytest.mark.parametrize("name", ODD)
def test_noise_ends_a_rollout_and_never_raises(
    babbling: EmbeddedOracle, name: str, view: MarkovView, guide: str
) -> None:
    rollout = rolled_out(babbling, name, view, guide)
    assert rollout.end == "outcome" or rollout.reason


@pytest.mark.parametrize(
    ("name", "end", "reason"),
    [
        pytest.param("own hash", "unsupported", "calls back into the program", id="a method that a builtin calls"),
        pytest.param("throw", "unsupported", "thrown into a generator", id="an exception that comes from outside"),
        pytest.param("huge list", "unsupported", "characters", id="a question too long to ask"),
        pytest.param("no end", "truncated", "steps", id="recursion without end"),
    ],
)
def test_what_cannot_be_imagined_says_why(trained: EmbeddedOracle, name: str, end: str, reason: str) -> None:
    rollout = rolled_out(trained, name, "local", "grounded")
    assert (rollout.end, reason in rollout.reason) == (end, True), rollout.reason


def test_long_questions_are_not_asked(trained: EmbeddedOracle) -> None:
    """What is longer than anything in training ends as unsupported, with its length."""
    rollout = rolled_out(trained, "long string", "local", "grounded")
    assert rollout.end == "unsupported"
    assert int("".join(filter(str.isdigit, rollout.reason))) > LONGEST_QUESTION


def test_missing_weights_are_the_backends_failure_and_say_how_to_get_them(tmp_path: object) -> None:
    with pytest.raises(BackendFailed, match="no model in") as caught:
        EmbeddedOracle.load(str(tmp_path))
    assert "cwm_agent.train" in str(caught.value)
    assert "pip install" in str(caught.value)


def test_threads_are_told_how_to_wait_before_torch_is_loaded() -> None:
    """Loading the oracle in a fresh process leaves nobody spinning on a core that others want."""
    program = (
        "import os, sys\nfrom cwm_agent.oracles.backends.embedded import EmbeddedOracle\n"
        "assert 'torch' not in sys.modules\nEmbeddedOracle.load()\nprint(os.environ['OMP_WAIT_POLICY'])\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "PASSIVE", done.stderr[-1000:]
