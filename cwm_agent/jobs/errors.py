"""What the pool raises, each as one sentence with what to do next.

JobError
├── ClusterError       no cluster at the address, or the cluster cannot take the run
├── VersionMismatch    a node has another version of Python or of this package
├── StoreFull          the object store of a node has no room
├── WorkersLost        workers die before they can take a job
├── NodesRefused       no node of the cluster can isolate programs
└── MissingOnNode      a worker cannot load a plug-in that the driver names
"""


class JobError(RuntimeError):
    """Jobs cannot be run; the caller keeps the finished ones."""


class ClusterError(JobError):
    """There is no cluster at the address, or it cannot take the run."""


class VersionMismatch(JobError):
    """A node has another version of Python or of this package."""


class StoreFull(JobError):
    """The object store of a node has no room for a result."""


class WorkersLost(JobError):
    """Workers die before they can take a job."""


class NodesRefused(JobError):
    """No node of the cluster can isolate programs."""


class MissingOnNode(JobError):
    """A worker cannot load a plug-in that the driver names."""
