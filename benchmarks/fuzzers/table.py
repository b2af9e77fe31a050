"""All fuzzers, by name."""

from benchmarks.fuzzers import (
    edit_texts,
    episode_files,
    history_answers,
    plain_values,
    sandbox_messages,
    server_replies,
    step_answers,
    task_files,
    wire_values,
)
from benchmarks.fuzzers.harness.fuzzer import Fuzzer

_MODULES = (
    wire_values, sandbox_messages, plain_values, task_files, episode_files,
    step_answers, history_answers, server_replies, edit_texts,
)  # fmt: skip
FUZZERS: dict[str, Fuzzer] = {fuzzer.name: fuzzer for module in _MODULES for fuzzer in module.FUZZERS}
