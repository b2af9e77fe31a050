"""Learns from one's own episodes which edits to try (a prior) and which candidates lead to a repair (a value).

`online_learner.py` adapts the embedded model itself between the tasks of a run, to the true steps of `true_steps.py`.

`episode_examples.py` makes training rows of episodes, `linear_fit.py` fits linear models to them, `learnt_model.py`
holds both as one file that `solve --policy` and `--value` take. The features stand on those of the edit policy and of
imagined candidates. Knows no planner. Open `learnt_model.py` first.
"""
