"""Nothing points back: `tasks <- envs <- cwm_agent -> planners`, and inside cwm_agent one order of packages."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("tasks", "envs", "planners", "cwm_agent", "benchmarks")
MAY_IMPORT = {
    "tasks": {"tasks"},
    "planners": {"planners"},
    "envs": {"envs", "tasks"},
    "cwm_agent": {"cwm_agent", "envs", "tasks", "planners"},
}
ORDER = [
    "jobs",
    "records",
    "views",
    "engine",
    "policy",
    "training",
    "oracles",
    "imagination",
    "verification",
    "debugger",
    "agent",
    "synthesis",
    "rollouts",
    "reports",
    "studies",
    "commands",
]
"""Packages of cwm_agent: each imports itself and those before it. Commands, the modules beside them, import all."""
MEETING_PACKAGES = ("agent", "synthesis", "rollouts", "studies")
"""Packages that may import planners, besides commands and `errors.py`, which lists the errors of planners."""
SHARED = {"cwm_agent/errors.py"}
"""A module beside the commands that is none: of the packages only `commands` imports it, which stands above all."""
BELOW = {"defaults", "plugins"}
"""Modules beside the commands that every package may import; they import nothing of the project."""
VERSION = "__version__"
"""Stands in `cwm_agent/__init__.py`, which imports no package."""


def files(package: str) -> list[Path]:
    return sorted(path for path in (ROOT / package).rglob("*.py"))


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Every module a file imports, wherever the import stands, as (line, dotted name)."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively; write the whole name"
            assert node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def is_command(name: str) -> bool:
    return name.count("/") == 1 and name not in SHARED


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_only_what_lies_before_them(package: str) -> None:
    back = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in files(package)
        for line, name in imported(path)
        if name.partition(".")[0] in OURS and name.partition(".")[0] not in MAY_IMPORT[package]
    ]
    assert not back, "\n".join(back)


def test_no_file_of_the_packages_imports_tests_or_benchmarks() -> None:
    """Hypothesis is a test tool too; one module draws inputs with it, where the extra `symbolic` is installed."""
    packages = [path for package in MAY_IMPORT for path in files(package)]
    names = [
        (path.relative_to(ROOT).as_posix(), name.partition(".")[0]) for path in packages for _, name in imported(path)
    ]
    found = [pair for pair in names if pair[1] in ("tests", "benchmarks", "pytest", "hypothesis")]
    assert {*found} == {("envs/domains/inputs/typed_inputs.py", "hypothesis")}


def test_the_packages_of_cwm_agent_stand_in_one_order() -> None:
    back = []
    for path in files("cwm_agent"):
        parts = path.relative_to(ROOT).parts
        if len(parts) < 3:
            continue
        assert parts[1] in ORDER, f"{parts[1]} has no place in the order of cwm_agent's packages"
        allowed = [*ORDER[: ORDER.index(parts[1]) + 1], *(["errors"] if parts[1] == "commands" else [])]
        for line, name in imported(path):
            words = name.split(".")
            if words[0] == "cwm_agent" and words[1] not in {*allowed, *BELOW, VERSION}:
                back.append(f"{'/'.join(parts)}:{line} imports {name}")
    assert not back, "\n".join(back)


@pytest.mark.parametrize("name", sorted(BELOW))
def test_modules_below_all_packages_import_nothing_of_the_project(name: str) -> None:
    assert not [each for _, each in imported(ROOT / f"cwm_agent/{name}.py") if each.partition(".")[0] in OURS]


def test_training_imports_views_and_the_network_but_no_oracle() -> None:
    allowed = (
        "cwm_agent.views",
        "cwm_agent.engine",
        "cwm_agent.policy",
        "cwm_agent.training",
        "cwm_agent.jobs",
        "cwm_agent.plugins",
        "cwm_agent.defaults",
    )
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in files("cwm_agent/training")
        for line, name in imported(path)
        if name.startswith("cwm_agent.") and not name.startswith(allowed)
    ]
    assert not wrong, "\n".join(wrong)


def test_planners_meet_the_rest_in_few_packages() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in files("cwm_agent")
        for _, name in imported(path)
        if name.partition(".")[0] == "planners"
    }
    allowed = {*MEETING_PACKAGES, "errors.py"}
    assert not {name for name in found if name.split("/")[1] not in allowed and not is_command(name)}


def test_planners_need_the_standard_library_and_networkx_only() -> None:
    import sys

    known = {*sys.stdlib_module_names, "planners", "networkx", "__future__"}
    assert {name.partition(".")[0] for path in files("planners") for _, name in imported(path)} <= known
