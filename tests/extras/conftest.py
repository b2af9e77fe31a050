"""Tests that need an extra of the package; those of an extra that is not installed are not collected."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "data" / "swap_cwm"))

os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # Ray listens on loopback only
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  # as Ray spells it

NEEDED = {
    "test_greedy_decoder.py": ("triton",),  # the extra `accelerator`
    "test_report_browser.py": ("playwright", "axe_playwright_python"),  # the extra `browser`, and a chromium on PATH
    "test_docs_site.py": ("mkdocs", "material", "mkdocstrings"),  # the extra `docs`
    "test_notebook.py": ("nbclient", "ipykernel"),  # the extra `docs`
    "test_transformers_serve.py": ("openai", "fastapi", "uvicorn"),  # the extra `serving`
    "test_rl_libraries.py": ("sb3_contrib", "stable_baselines3"),  # the extra `rl`
    "test_learner_libraries.py": ("minari", "trl", "datasets", "verifiers", "openenv"),  # the extra `learners`
    "test_rllib.py": ("ray",),  # the extra `ray`
    "test_ray_cluster.py": ("ray",),
    "test_cluster_files.py": ("jsonschema", "yaml"),  # which ray brings
    "test_symbolic_inputs.py": ("crosshair", "hypothesis"),  # the extra `symbolic`
    "test_open_spiel.py": ("pyspiel", "open_spiel"),  # the extra `games`
}
"""Modules that a test file needs beyond the package's own dependencies."""

collect_ignore = [name for name, modules in NEEDED.items() if not all(map(find_spec, modules))]
