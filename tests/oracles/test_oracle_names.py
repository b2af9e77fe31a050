"""Oracles by name: what each name stands for, and what a wrong one is told."""

from typing import NoReturn, cast

import pytest
from local_worlds import LocalReality

from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.protocol import UnknownOracle
from cwm_agent.oracles.registry import oracle_named
from envs.execution.tracer.reality import Reality


def reality() -> Reality:
    return cast(Reality, LocalReality())


def no_reality() -> NoReturn:
    raise AssertionError("a sandbox was opened for an oracle that runs nothing")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("exact", "exact"),
        ("none", "none"),
        ("noisy:iid", "noisy:iid:action=0,state=0,seed=0(exact)"),
        ("noisy:iid:action=0.01,state=0.02", "noisy:iid:action=0.01,state=0.02,seed=0(exact)"),
        ("noisy:systematic:state=1e-3,seed=7", "noisy:systematic:action=0,state=0.001,seed=7(exact)"),
        ("cwm_agent.oracles.backends.no_oracle:NoOracle", "none"),
    ],
)
def test_a_name_stands_for_its_oracle(text: str, name: str) -> None:
    assert oracle_named(text, reality).name == name


@pytest.mark.parametrize("text", ["none", "cwm_agent.oracles.backends.no_oracle:NoOracle"])
def test_no_sandbox_is_opened_for_an_oracle_that_runs_nothing(text: str) -> None:
    assert isinstance(oracle_named(text, no_reality), NoOracle)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exat", "Did you mean 'exact'?"),
        ("embeded", "Did you mean 'embedded'?"),
        ("nonr", "Did you mean 'none'?"),
        ("noisy:idd", "Write noisy:iid or noisy:systematic"),
        ("noisy", "Write noisy:iid or noisy:systematic"),
        ("gpt", "Choose one of: embedded, exact, none"),
        ("", "Choose one of"),
        ("exact:3", "Did you mean 'exact'?"),
        ("none:x", "No oracle named 'none:x'"),
        ("noisy:iid:noise=0.1", "'noise' in 'noisy:iid:noise=0.1' is no setting"),
        ("noisy:iid:state=often", "state='often'"),
        ("noisy:iid:state", "state=''"),
        ("noisy:iid:state=1.5", "from 0 to 1"),
        ("noisy:iid:state=nan", "from 0 to 1"),
        ("noisy:iid:seed=1.5", "is no whole number"),
        ("noisy:iid:seed=inf", "is no whole number"),
        ("no_such_module:thing", "cannot be loaded"),
        ("cwm_agent.oracles.backends.no_oracle:Nobody", "cannot be loaded"),
        ("math:pi", "cannot be called"),
        (":x", "cannot be loaded"),
        (".x:y", "cannot be loaded"),
        ("x:", "No oracle named 'x:'"),
    ],
)
def test_a_wrong_name_is_told_what_to_write(text: str, message: str) -> None:
    with pytest.raises(UnknownOracle) as refused:
        oracle_named(text, reality)
    assert message in str(refused.value)
