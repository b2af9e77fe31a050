"""The real world: Python run for real one step at a time, and the Gymnasium environments over it.

Importing this package registers the environments where Gymnasium is installed; without it everything else still
works.
"""

from envs.registration import register

register()
