"""Attacks as data: what a hostile program tries, by kind, and the wall that it must meet.

The walls:

    kernel     the system refuses: an OSError, or -1 with EPERM, EACCES or ENOSYS
    absent     there is nothing to take: no such file or module, or an empty answer
    limit      a limit stops it: CPU, wall time, output, memory, descriptors
    own        the program hurts its own process and nothing else
    judge      the program answers, and the judge outside finds the answer wrong

Programs never return 42, which is the right answer.
"""

from answer_attacks import BOMBS, COSTLY, FORGERIES, HOOKS
from kernel_attacks import DESCRIPTORS, KERNEL_OBJECTS, MACHINE_CODE, PROCESSES, SIGNALS, SOCKETS

ATTACKS = (
    PROCESSES + DESCRIPTORS + KERNEL_OBJECTS + SOCKETS + SIGNALS + MACHINE_CODE + BOMBS + HOOKS + FORGERIES + COSTLY
)
