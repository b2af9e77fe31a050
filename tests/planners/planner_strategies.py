"""Hypothesis strategies for planners: worlds, options of MCTS, and limits small enough to be quick."""

from __future__ import annotations

from hypothesis import strategies as st
from toy_worlds import Random3

from planners import MCTS, Gumbel, Widening

trees = st.builds(
    Random3,
    seed=st.integers(0, 10_000),
    width=st.integers(1, 4),
    values=st.booleans(),
    priors=st.booleans(),
    refusals=st.booleans(),
)
configs = st.builds(
    MCTS,
    simulations=st.integers(1, 80),
    leaves=st.integers(1, 6),
    exploration=st.sampled_from([0.0, 0.5, 2.0]),
    backup=st.sampled_from(["max", "mean"]),
    normalise=st.booleans(),
    discount=st.sampled_from([1.0, 0.9]),
    gumbel=st.sampled_from([None, None, Gumbel(considered=2)]),
    widening=st.sampled_from([None, None, Widening(1.0, 0.5)]),
)
depths = st.integers(1, 6)
