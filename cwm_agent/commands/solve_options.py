"""The options of `solve`: the parser, and the tasks, settings and folder that they name."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwm_agent import defaults
from cwm_agent.agent.budget import Budget
from cwm_agent.commands.usage import UsageError
from cwm_agent.oracles.service.placement_options import add_cluster_options
from tasks.output.terminal_text import print_line

if TYPE_CHECKING:
    from cwm_agent.agent.domain import DomainKind
    from cwm_agent.agent.settings import Settings
    from tasks import PermutationTask, RepairTask

VIEWS = ("local", "program", "history")
_BUDGET = Budget()
"""The defaults."""


def add_options(add: Callable[..., object]) -> None:
    """Declare all options."""
    add("path", help="a task folder or name, a JSONL, HumanEvalPack, a QuixBugs checkout, or a .py file")
    _add_models(add)
    _add_budget(add)
    _add_tasks(add)
    add("--seed", type=int, default=0, help="of search and noise (default: %(default)s)")
    add("--jobs", type=int, metavar="N", help="processes (default: one a core, at most one a task; with hf: one)")
    add_cluster_options(add)
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of the episodes; a run in it is continued (default: runs/NAME-SEED)",
    )
    add("--resume", type=Path, metavar="DIR", help="continue the run in this folder")
    add("--write", action="store_true",
        help="write the patch of a solved .py file into it, if unchanged, and run its tests once more")  # fmt: skip
    add("--diff", action="store_true",
        help="print only the patch of a .py file, as `git apply` takes it; all else goes to stderr")  # fmt: skip
    add("--json", action="store_true",
        help="print only the result, as one JSON object; all else goes to stderr")  # fmt: skip
    add("--ask", action="store_true",
        help="where a patch is ambiguous, ask which result is right; the answer becomes a test")  # fmt: skip
    add("--report", action="store_true", help="write report.html, a page to look at, beside the episodes")
    add("--watch", action="store_true", help="show each worker; serve the report on this machine meanwhile")
    add("--list", action="store_true", help="list the tasks and stop")


def _add_models(add: Callable[..., object]) -> None:
    """What plans, what imagines, what ranks and proposes."""
    add("--planner", default=defaults.PLANNER, metavar="NAME",
        help="mcts, beam, best-first, random, or module:callable of your own; baseline[:random|prior|climb] imagines "
        "nothing (default: %(default)s)")  # fmt: skip
    add("--oracle", default=defaults.ORACLE, metavar="NAME",
        help="embedded, none, exact, noisy:..; the last two run programs, which is charged; "
        "history view: hf:FOLDER, openai:MODEL too (default: %(default)s)")  # fmt: skip
    add("--domain", metavar="NAME", help="repair, permutation, or module:callable of your own (default: by the tasks)")
    add("--base-url", metavar="URL", help="address of the OpenAI-compatible server of openai:MODEL")
    add("--view", default=defaults.VIEW, choices=VIEWS, help="the text that the model sees (default: %(default)s)")
    add(
        "--guide",
        help=f"free, cfg or grounded (default: {defaults.GUIDE}; in the history view {defaults.HISTORY_GUIDE})",
    )
    add(
        "--edits", default="rules", choices=("rules", "model"), help="edits by rules, or a language model's beside them"
    )
    add(
        "--edits-model", metavar="MODEL", help="the model that proposes edits: hf:FOLDER, openai:MODEL, module:callable"
    )
    add("--drafts", type=Path, metavar="FILE",
        help="JSONL with programs to begin with, from any language model: {\"draft\": TEXT} on each line")  # fmt: skip
    add("--policy", default=defaults.POLICY, metavar="NAME",
        help="the model that ranks edits before they are imagined: embedded, none, a folder of weights or of `learn` "
        "(default: %(default)s)")  # fmt: skip
    add("--value", default="", metavar="MODEL",
        help="a folder of `learn`: its value guides the planner in place of the expected share of tests")  # fmt: skip
    add("--choose", default="odds", choices=("odds", "information"),
        help="the candidate that runs: the likeliest, or that whose run gains most (default: odds)")  # fmt: skip
    add("--learn", choices=("online",),
        help="adapt the embedded model between tasks to the steps that it got wrong, in one process")  # fmt: skip
    add("--without", action="append", default=[], metavar="SOURCE",
        help="leave a source of candidates out: unlikely, combination or extension; repeat for more")  # fmt: skip
    add("--share", action="store_true", help="cache the oracle's answers across tasks (repair and permutation)")


def _add_budget(add: Callable[..., object]) -> None:
    """What one task may spend."""
    add("--budget-executions", type=int, metavar="N",
        help=f"real executions per task (default: {_BUDGET.executions}; of plans 10, or 5000 if charged)")  # fmt: skip
    add("--budget-tokens", type=int, default=_BUDGET.tokens, metavar="N",
        help="tokens of the oracle per task (default: %(default)s)")  # fmt: skip
    add("--budget-seconds", type=float, default=_BUDGET.seconds, metavar="S",
        help="seconds of imagining per task, as a backstop (default: %(default)s)")  # fmt: skip
    add("--budget-steps", type=int, default=_BUDGET.steps, metavar="N",
        help="imagined steps per task (default: %(default)s)")  # fmt: skip
    add("--budget-comparisons", type=int, default=_BUDGET.comparisons, metavar="N",
        help="real executions to compare patches that pass; 0 keeps the first one (default: %(default)s)")  # fmt: skip
    add("--patience", type=int, default=defaults.PATIENCE, metavar="N",
        help="candidates imagined before the first real run while none is likely to pass; divided "
        f"by {defaults.LATER_PATIENCE} before each later one, and {defaults.MOST_PATIENCE} times as many in all "
        f"({defaults.HOPEFUL_PATIENCE} where a real run fixed half of what failed by then), after which the real runs "
        "that are left go to the best candidates known; less saves time and costs real executions (default: "
        "%(default)s)")  # fmt: skip
    add("--inputs", default="varied", choices=("varied", "typed", "symbolic"),
        help="on what patches that pass are compared: the tests' inputs with changes; also inputs of the same types; "
        "also inputs that symbolic execution finds (these two need the extra `symbolic`; default: varied)")  # fmt: skip
    add("--longest-patch", type=int, default=_BUDGET.edits, metavar="N",
        help="most edits of a patch, or actions of a path in a domain of your own (default: %(default)s)")  # fmt: skip
    add("--ceiling", action="store_true", help="count what exact and noisy run, and do not charge it")


def _add_tasks(add: Callable[..., object]) -> None:
    """Which of the tasks at the path."""
    add("--tests", type=Path, metavar="PATH",
        help="test file of a .py file, or folder of them (default: found by their names in its project)")  # fmt: skip
    add("--entry", metavar="NAME", help="function of a .py file to repair (default: the one that its tests call most)")
    add("--visible", default="test", choices=("test", "example"), help="HumanEvalPack: the tests that are visible")
    add("--split", choices=("dev", "test"), help="only tasks of this split")
    add("--task", action="append", default=[], metavar="ID", help="only this task; repeat for more")
    add("--limit", type=int, metavar="N", help="only the first N tasks")
    add("--allow-package", action="append", default=[], metavar="NAME",
        help="let programs import this installed package, read-only; repeat for more")  # fmt: skip


def check_options(options: argparse.Namespace) -> None:
    """Refuse what cannot be meant before anything is read or written."""
    for name in ("limit", "jobs", "patience"):
        given = getattr(options, name)
        if given is not None and given < 1:
            raise UsageError(f"--{name} {given} leaves nothing to do; give 1 or more.")
    for first, second in (("diff", "json"), ("ask", "json"), ("ask", "diff")):
        if getattr(options, first) and getattr(options, second):
            raise UsageError(f"--{first} and --{second} exclude each other; give one of them.")
    if options.ask and Path(options.path).suffix != ".py":
        raise UsageError(f"--ask is for one .py file, and {options.path} is none.")


def chosen_tasks(options: argparse.Namespace) -> "tuple[DomainKind, Sequence[Any]]":
    """The kind of domain and the tasks that the options name."""
    from cwm_agent.agent.domain import checked_tasks
    from cwm_agent.agent.domain_registry import KINDS, domain_named, kind_of

    if options.domain and options.domain not in KINDS:
        kind = domain_named(options.domain)
        found: Sequence[Any] = checked_tasks(kind, options.path)
        if options.split or options.write or options.edits_model or options.policy != defaults.POLICY or options.value:
            raise UsageError(
                "--split, --write, --edits, --policy and --value belong to repairs; a domain of your own has none."
            )
        found = [task for task in found if not options.task or task.id in options.task][: options.limit]
    else:
        found = _known_tasks(options)
        kind = kind_of(found) if found else domain_named(options.domain or "repair")
    if not found:
        raise UsageError(f"No task to solve in {options.path}. `--list` shows what there is.")
    return kind, found


def _known_tasks(options: argparse.Namespace) -> "list[RepairTask] | list[PermutationTask]":
    """Tasks of one of the two kinds that come with the project: repairs, or plans where there are no repairs."""
    from tasks import PermutationTask, RepairTask, load

    chosen = options.task or ()
    loaded = load(options.path, visible=options.visible, tests=options.tests, entry=options.entry, only=chosen)
    for problem in loaded.problems:
        print_line(f"skipped: {problem}", error=True)
    found = [task for task in loaded.tasks if isinstance(task, RepairTask)]
    if options.split:
        found = [task for task in found if task.split == options.split]
    if options.task:
        found = [task for task in found if task.id in options.task]
    if found and options.domain != "permutation":
        return found[: options.limit]
    plans = [task for task in loaded.tasks if isinstance(task, PermutationTask)]
    plans = [task for task in plans if not options.task or task.id in options.task]
    if plans and (options.split or options.write):
        raise UsageError("--split and --write belong to repairs; a plan has neither a split nor a file.")
    return plans[: options.limit] if options.domain != "repair" else []


def chosen_folder(options: argparse.Namespace, settings: "Settings") -> Path:
    """Where episodes go: the folder to go on with, the one that was named, or one of this path and seed.

    Where the last holds a run with other settings, the next free number is added.
    """
    from cwm_agent.agent.runner import other_settings

    if options.resume is None:
        first = Path("runs") / f"{Path(options.path).stem or Path(options.path).resolve().name}-{options.seed}"
        numbered = (Path(f"{first}-{number}") for number in count(2))
        return options.out or next(each for each in chain([first], numbered) if not other_settings(each, settings))
    resumed: Path = options.resume
    if options.out is not None and options.out != resumed:
        raise UsageError(f"--resume {resumed} and --out {options.out} name two folders; give one of them.")
    if not (resumed / "settings.json").exists():
        raise UsageError(f"{resumed} holds no run to go on with. Give the folder of one, or --out for a new one.")
    return resumed


def chosen_models(options: argparse.Namespace) -> tuple[str, str]:
    """The oracle, and the language model that proposes edits or nothing; --base-url serves those that need one."""
    from cwm_agent.oracles.history_registry import with_url

    if (options.edits == "model") != bool(options.edits_model):
        raise UsageError("--edits model and --edits-model MODEL belong together; give both or neither.")
    served = [name for name in (options.oracle, options.edits_model or "") if name.startswith("openai:")]
    if options.base_url and not served:
        with_url(options.oracle, options.base_url)  # says what it is for
    here = {name: with_url(name, options.base_url) if "@" not in name else name for name in served}
    for name in here.values():
        from cwm_agent.oracles.backends.openai.server_history import OpenAiSettings

        OpenAiSettings.parse(name.removeprefix("openai:"))  # refused before anything of it is written down
    return here.get(options.oracle, options.oracle), here.get(options.edits_model, options.edits_model or "")


def _check_plans(options: argparse.Namespace, proposer: str) -> None:
    """Refuse what only a repair has."""
    if proposer or options.drafts:
        raise UsageError("--edits model and --drafts belong to repairs; a plan has no program to edit.")
    if options.learn:
        raise UsageError("--learn is for repairs; the real runs of a plan are not recorded step by step.")
    if options.policy != defaults.POLICY or options.value:
        raise UsageError("--policy and --value belong to repairs; a plan has no edits to rank.")
    if options.patience != defaults.PATIENCE:
        raise UsageError("--patience belongs to repairs; a plan is run as soon as it is found.")
    if options.without:
        raise UsageError("--without belongs to repairs; a plan has no sources of candidates.")


def chosen_settings(options: argparse.Namespace, kind: "DomainKind") -> "Settings":
    """The settings that the options name; what cannot be meant is refused."""
    from cwm_agent.agent.draft_programs import named_drafts
    from cwm_agent.agent.learning.online_learner import check_learning
    from cwm_agent.agent.permutation.permutation_domain import plan_executions
    from cwm_agent.agent.planner_registry import planner_named
    from cwm_agent.agent.settings import Settings
    from cwm_agent.imagination.guides import parse_guide
    from cwm_agent.imagination.view_adapters import adapter_of

    planner_named(options.planner)
    oracle, proposer = chosen_models(options)
    guide = parse_guide(options.guide or adapter_of(options.view).default_guide)
    if guide.needs_reality:
        raise UsageError(f"The guide {guide.name} looks at the real run, which a solve must pay for; verify takes it.")
    plans = kind.name == "permutation"
    if plans:
        _check_plans(options, proposer)
    files = [Path(options.policy) / name for name in ("model.json", "learnt.json")]
    if options.policy not in ("embedded", "none") and not any(path.is_file() for path in files):
        raise UsageError(
            f"There is no policy {options.policy!r}. Give embedded, none, or a folder of weights (docs/policy.md)."
        )
    settings = Settings(
        options.planner,
        oracle,
        options.view,
        guide,
        seed=options.seed,
        patience=options.patience,
        ceiling=options.ceiling,
        share=options.share,
        policy=options.policy,
        value=options.value,
        choice="" if options.choose == "odds" else options.choose,
        learn=options.learn or "",
        proposer=proposer,
        packages=tuple(options.allow_package),
        inputs="" if options.inputs == "varied" else options.inputs,
        without=tuple(dict.fromkeys(options.without)),
        drafts=named_drafts(options.drafts) if options.drafts else "",
        domain=options.domain if options.domain and ":" in options.domain else "",
    )
    several = "--cluster" if options.cluster else f"--jobs {options.jobs}" if (options.jobs or 1) > 1 else ""
    check_learning(settings, several)
    usual = plan_executions(settings) if plans else _BUDGET.executions
    budget = Budget(
        usual if options.budget_executions is None else options.budget_executions,
        tokens=options.budget_tokens,
        steps=options.budget_steps,
        seconds=options.budget_seconds,
        edits=options.longest_patch,
        comparisons=options.budget_comparisons,
    )
    return replace(settings, budget=budget)
