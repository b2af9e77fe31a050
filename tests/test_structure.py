"""The house stays in order: folders of a readable size, unique names, short modules, one direction inside packages."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("cwm_agent", "envs", "planners", "tasks")
MOST_MODULES = 20
MOST_LINES = 400
PATTERNS = {"__init__", "errors", "protocol", "check", "registry"}
"""Base names that stand for the same role in every package."""
EXECUTION = ("sources", "state", "sandbox", "syntax", "decompose", "text", "stepper", "step_cache", "tracer")
"""Folders of `envs/execution`: each imports itself and those before it."""
MOST_LEVELS = 6


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("package", [*PACKAGES, "benchmarks", "tests"])
def test_no_folder_has_more_modules_than_a_reader_can_survey(package: str) -> None:
    """Twenty at most; benchmarks hold one command per module at their top."""
    sizes: dict[Path, int] = defaultdict(int)
    for path in modules(package):
        sizes[path.parent] += 1
    crowded = {str(folder.relative_to(ROOT)): size for folder, size in sizes.items() if size > MOST_MODULES}
    assert not {name: size for name, size in crowded.items() if name != "benchmarks"}


@pytest.mark.parametrize("package", [*PACKAGES, "benchmarks", "tests"])
def test_no_module_is_longer_than_400_lines(package: str) -> None:
    long = [path for path in modules(package) if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES]
    assert not long


MOST_FUNCTION_LINES = 60


@pytest.mark.parametrize("package", [*PACKAGES, "benchmarks"])
def test_no_function_is_longer_than_60_lines(package: str) -> None:
    long = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in modules(package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= MOST_FUNCTION_LINES
    ]
    assert not long


MOST_POSITIONAL = 4
MORE_POSITIONAL = {"BoundedNetwork.connect_tcp": "httpcore2 calls it with the arguments of its own network"}
"""Public functions that take more positional arguments, and why."""


@pytest.mark.parametrize("package", [*PACKAGES, "benchmarks"])
def test_a_public_function_takes_at_most_four_positional_arguments(package: str) -> None:
    """The rest is keyword-only, so that a call says what its fifth argument means."""
    long = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules(package)
        for name, function in public_functions(ast.parse(path.read_text(encoding="utf-8")))
        if positional(function) > MOST_POSITIONAL and name not in MORE_POSITIONAL
    ]
    assert not long


def public_functions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods with public names, and constructors, by their names with that of the class."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from public_functions(node, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and (node.name == "__init__" or not node.name.startswith("_")):
            yield f"{owner}{node.name}", node


def positional(function: ast.FunctionDef) -> int:
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_base_name_occurs_once_in_a_package(package: str) -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in modules(package):
        found[path.stem].append(str(path.relative_to(ROOT)))
    repeated = {name: paths for name, paths in found.items() if len(paths) > 1 and name not in PATTERNS}
    assert not repeated


def test_a_public_class_name_occurs_once_in_the_project() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for package in (*PACKAGES, "benchmarks"):
        for path in modules(package):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(ROOT)))
    assert not {name: paths for name, paths in found.items() if len(paths) > 1}


@pytest.mark.parametrize("folder", EXECUTION)
def test_folders_of_execution_stand_in_one_order(folder: str) -> None:
    allowed = EXECUTION[: EXECUTION.index(folder) + 1]
    back = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(f"envs/execution/{folder}")
        for name in imports(path)
        if name.startswith("envs.execution.") and name.split(".")[2] not in allowed
    ]
    assert not back


def test_execution_has_at_most_six_import_levels() -> None:
    """The level of a folder is one more than that of the highest folder it imports."""
    levels: dict[str, int] = {}
    for folder in EXECUTION:
        below = {
            name.split(".")[2]
            for path in modules(f"envs/execution/{folder}")
            for name in imports(path)
            if name.startswith("envs.execution.")
        } - {folder}
        levels[folder] = 1 + max((levels[name] for name in below), default=0)
    assert max(levels.values()) <= MOST_LEVELS, levels


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_says_what_is_inside_and_what_to_open_first(package: str) -> None:
    for folder in {path.parent for path in modules(package)}:
        source = (folder / "__init__.py").read_text(encoding="utf-8")
        says = ast.get_docstring(ast.parse(source)) or ""
        assert "open" in says.lower() or folder.name == "records", f"{folder}: which module is to be opened first?"


PRIVATE_WORDS = re.compile(
    r"\b(sheets?|startle[sd]?|laying|noting|whoever|somebody|in vain|gone on|endless|dear(er|est)?|tongue)\b", re.I
)
"""Words of an older vocabulary; the field has its own (frame, cache entry, expensive, non-termination)."""
VOCABULARY = ("cwm_agent/training/values/", "docs/log.md")
"""Where any word may stand: random texts for training, and the log of its time."""


def test_private_words_stay_out_of_code_and_pages() -> None:
    paths = [path for package in (*PACKAGES, "benchmarks") for path in modules(package)]
    paths += [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in paths
        if not str(path.relative_to(ROOT)).startswith(VOCABULARY)
        for match in PRIVATE_WORDS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found


PAGES = [path for path in (ROOT / "docs").rglob("*.md") if path.name != "log.md"]
"""Pages that speak of the code as it is; the log keeps the names of its time."""
MADE_PAGES = {"contributing.md", "reporting.md", "changelog.md", "notebook.md"}
"""Pages of the site that `docs/hooks/site.py` makes of other files."""
ELSEWHERE = {
    "setup.py",
    "buggy.py",
    "test_buggy.py",
    "mine.py",
    "tasks.py",
    "json.py",
    "torch.py",
    "node.py",
    "my_module.py",
}
"""Files of users and of other projects that pages name."""


def test_every_page_of_the_docs_stands_in_the_navigation() -> None:
    """A page that nobody can find is not read: add it to `nav` of mkdocs.yml, where a reader would look for it."""
    folder = ROOT / "docs"
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"([\w/]+\.md)$", nav, re.MULTILINE)
    pages = [path.relative_to(folder).as_posix() for path in folder.rglob("*.md")]
    assert len(listed) == len(set(listed))
    assert set(pages) <= set(listed), "mkdocs.yml: nav lacks pages"
    assert set(listed) - set(pages) == MADE_PAGES, "mkdocs.yml: nav names pages that do not exist"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_pages_name_files_and_modules_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = {path.name for package in (*PACKAGES, "benchmarks", "tests", "docs") for path in modules(package)}
    named = {match for match in re.findall(r"`([\w/]+\.py)`", text) if "NAME" not in match}
    assert not {name for name in named if name.rpartition("/")[2] not in names | ELSEWHERE}
    dotted = re.findall(r"\b((?:cwm_agent|envs|planners|benchmarks)(?:\.[a-z_]+)+)\b(?!\.md)", text)
    missing = {name for name in dotted if not name.endswith(".md") and not _resolves(name.split("."))}
    assert not missing


def _resolves(parts: list[str]) -> bool:
    """Whether a dotted name is a module, or something that a module defines."""
    for count in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:count])
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if path.is_dir() or source.exists():
            rest = parts[count:]
            return not rest or bool(re.search(rf"\b{rest[0]}\b", source.read_text(encoding="utf-8")))
    return False
