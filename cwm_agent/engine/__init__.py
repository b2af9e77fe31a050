"""The embedded Code World Model: bytes in, bytes out; knows no program, no frame and no view.

`encoding` turns bytes into ids, `network` is the model, `weights` keeps it on disk, `engine` asks it fast,
and `training` makes it. What the bytes mean is the business of the views that call it. Importing this package
imports no torch: `cwm_agent.engine.engine` does when it is used. It does say how torch's threads shall wait, which
can only be said before torch is there.
"""

from cwm_agent.engine.threads import wait_asleep

wait_asleep()
