"""What the kernel refuses a contained process: files by Landlock, system calls by seccomp, powers that it gave up.

Open `seccomp.py` first. Knows no worker and no program.
"""
