"""Rollouts in the formats of other libraries, and episodes as texts for their trainers and servers.

`learner_data.py`, `trl_rows.py` and `minari_export.py` give stored rollouts to trainers; `text_episode.py` plays an
episode in texts, for `openenv_server.py` and `verifiers_taskset.py`, which need an extra. Collects nothing itself. Open
`learner_data.py` first.
"""
