"""Episodes of Gymnasium environments, real or imagined, collected as rows that learners read.

`imagined_env.py` puts an oracle in the place of reality, `rollout_policies.py` chooses actions, `collection.py` runs
the episodes, `rollout_rows.py` stores them, `learner_data.py`, `trl_rows.py` and `minari_export.py` give them to
trainers. `text_episode.py` plays an episode in texts, for `openenv_server.py`; `verifiers_taskset.py` and that one need
an extra. `gym_model.py` makes a planner's model of any environment. Knows no study and no learner. Open
`collection.py` first.
"""
