"""Rollouts: an oracle answers what each line does, rules and a guide decide which line follows.

`rollout_loop.py` (open it first) rolls out many calls together; `history_rollouts.py` does it for models that continue
histories; `view_adapters.py` has both behind one protocol, for callers that work in any view. Knows nothing of search.
"""
