"""Gymnasium environments: a thin layer over the pure cores of `envs.domains`.

`import envs` registers them if Gymnasium is installed; no other package of the project imports them. Knows no planner
and no oracle. Open `permutation_env.py` first: it is the shortest environment.
"""
