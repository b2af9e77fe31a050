"""The agent: one plan-act-verify-learn loop over any domain, its runner and records, and two domains.

    loop               the loop: a planner's search, imagined by a domain, corrected by real runs
    domain             the protocols of a domain and of a kind of domains; `check` tests one of your own
    workplace          what one process solves with: sandbox, oracle, policy, opened when first used
    runner             a whole set of tasks, resumable
    episodes/          the record of one solve: one row per task
    settings, budget   how to solve, what a solve may spend and what it spent (each domain charges it)
    repair/            edits of buggy programs
    permutation/       plans of commands
    learning/          learns from episodes, and between the tasks of a run

Knows no command line and no study. Open `loop.py` first, then `domain.py`.
"""
