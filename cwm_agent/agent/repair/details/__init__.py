"""What the episode of a repair holds for the report beside its figures; changes nothing of the solve.

`rollout_replay.py` gives the frames that were imagined. Open `repair_details.py` first: it has the fields.
"""
