"""Episodes of Gymnasium environments, real or imagined, collected as rows that learners read.

`imagined_env.py` puts an oracle in the place of reality, `rollout_policies.py` chooses actions, `collection.py` runs
the episodes, `rollout_rows.py` stores them, `exchange/` gives them to other libraries. `gym_model.py` makes a planner's
model of any environment. Knows no study and no learner. Open `collection.py` first.
"""
