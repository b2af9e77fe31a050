"""What the sandbox raises, when it and not the program has failed.

    SandboxError
    ├── NoIsolation       nothing here can contain a program, or not the way that was asked for
    ├── WorkerLost        two workers died on the same job, or one after part of the answer was read
    ├── NoSuchFunction    the name given to `stream` or `session` is no function of this package
    └── UnknownPackage    a package that programs may import is not installed

A program that fails, loops, crashes or attacks is no error: it is a verdict, or the `End` of a stream.
"""

from __future__ import annotations


class SandboxError(RuntimeError):
    """The sandbox itself could not do its work."""


class NoIsolation(SandboxError):
    """Nothing here can contain a program."""


class WorkerLost(SandboxError):
    """Two workers died on the same job."""


class NoSuchFunction(SandboxError):
    """The name given to `stream` or `session` is no function of this package."""


class UnknownPackage(SandboxError):
    """A package that programs may import is not installed."""
