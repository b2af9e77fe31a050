"""Execution of Python programs as data: real runs, single steps over text, and the sandbox that runs untrusted code.

    state/       frames, effects, value grammar          text/        live objects to text and back
    syntax/      facts about syntax                       stepper/     one step over text, without running the program
    decompose/   one operation a line                     step_cache/  the fast path of stepper/
    tracer/      real runs, by sys.settrace               sandbox/     isolation and verdicts
    sources/     random numbers, input, clock and files, each with a position

Knows no task, no oracle and no planner. Open `state/frames.py` first.
"""
