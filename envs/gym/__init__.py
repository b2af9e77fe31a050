"""The Gymnasium environments: a thin layer over the pure cores, for whatever speaks Gymnasium.

`import envs` registers them where Gymnasium is installed; nothing else of the project imports this package.
"""
