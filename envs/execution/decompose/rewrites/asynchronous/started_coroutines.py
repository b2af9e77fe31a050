"""Coroutines that `gather` and `create_task` start: whether it can be seen that they run earlier or later.

Gathered ones are awaited where they are gathered, with arguments that are there already, and end in order or cannot
raise. Tasks are given numbers and texts alone, cannot raise, and are asked for nothing but their value. Knows only
syntax.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from envs.execution.decompose.rewrites.asynchronous.pure_coroutines import cannot_raise, parameters_of, run_in_order
from envs.execution.syntax.bindings import binds


class Starts:
    """Where a program starts coroutines; `calls` are its calls of `asyncio` by their nodes' id."""

    def __init__(self, nodes: Sequence[ast.AST], calls: Mapping[int, str]) -> None:
        self._nodes, self._calls = nodes, calls
        self._times = Counter(name for node in nodes for name in binds(node))
        self.tasks: set[str] = set()
        """Names that hold nothing but tasks."""
        self._lists: set[str] = set()
        self._kept: set[int] = set()
        """Calls of `create_task` whose result goes into such names, or is awaited at once."""
        self._find_tasks()

    def are_unseen(self, started: set[str]) -> bool:
        """Whether running these coroutines where they are started gives the same."""
        if not started and not any(call in ("gather", "create_task") for call in self._calls.values()):
            return True
        awaited = {id(node.value) for node in self._nodes if isinstance(node, ast.Await)}
        in_tasks: set[str] = set()
        for node in self._nodes:
            call = self._calls.get(id(node))
            if call not in ("gather", "create_task") or not isinstance(node, ast.Call):
                continue
            made = [self._made(each, started) for each in node.args]
            if "" in made or id(node) not in (awaited if call == "gather" else awaited | self._kept):
                return False
            in_tasks |= set(made) if call == "create_task" else set()
        found = [node for node in self._nodes if isinstance(node, ast.AsyncFunctionDef) and node.name in started]
        sure = {node.name for node in found if self._is_sure(node)}
        gathered = [node for node in found if node.name not in in_tasks]
        ordered = run_in_order(gathered) or {node.name for node in gathered} <= sure
        return in_tasks <= sure and ordered and self._only_awaits(awaited)

    def _made(self, node: ast.expr, started: set[str]) -> str:
        """The coroutine that an argument calls, with arguments that are there already; empty for anything else."""
        match node:
            case ast.Starred(value=ast.GeneratorExp(elt=item, generators=[_]) | ast.ListComp(elt=item, generators=[_])):
                return self._made(item, started)
            case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in started:
                return name if all(isinstance(each, ast.Name | ast.Constant) for each in given) else ""
        return ""

    def _is_sure(self, node: ast.AsyncFunctionDef) -> bool:
        """Whether a coroutine is given numbers and texts alone, in full, and cannot raise."""
        names = [each.arg for each in node.args.args]
        if set(names) != parameters_of(node) or node.args.vararg or node.args.kwarg or node.args.defaults:
            return False
        numbers = set(names)
        for each in self._nodes:
            if not (isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == node.name):
                continue
            if each.keywords or len(each.args) != len(names):
                return False
            kinds = [self._kind(given) for given in each.args]
            if None in kinds:
                return False
            numbers -= {name for name, kind in zip(names, kinds, strict=True) if kind == "text"}
        return cannot_raise(node, numbers)

    def _kind(self, node: ast.expr) -> str | None:
        match node:
            case ast.Constant(value=value) if type(value) in (int, float):
                return "number"
            case ast.Constant(value=str()):
                return "text"
            case ast.Name(id=name) if name in set(self._ranging()):
                return "number"
        return None

    def _ranging(self) -> Iterator[str]:
        """Names that only loops over a `range` bind."""
        loops = [node for node in self._nodes if isinstance(node, ast.For | ast.comprehension)]
        turns: Counter[str] = Counter()
        for loop in loops:
            match loop.target, loop.iter:
                case ast.Name(id=name), ast.Call(func=ast.Name(id="range")):
                    turns[name] += 1
        yield from (name for name, count in turns.items() if count == self._times[name] and not self._times["range"])

    def _find_tasks(self) -> None:
        single, many, turns = Counter[str](), Counter[str](), Counter[str]()
        for node in self._nodes:
            match node:
                case ast.Await(value=ast.Call() as call) if self._is_task(call):
                    self._kept.add(id(call))
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if self._is_task(call):
                    single[name] += 1
                    self._kept.add(id(call))
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.ListComp(elt=call)) if self._is_task(call):
                    many[name] += 1
                    self._kept.add(id(call))
        self._lists = {name for name, count in many.items() if count == self._times[name]}
        for node in self._nodes:
            match node:
                case ast.For(target=ast.Name(id=name), iter=ast.Name(id=given)) if given in self._lists:
                    turns[name] += 1
                case ast.comprehension(target=ast.Name(id=name), iter=ast.Name(id=given)) if given in self._lists:
                    turns[name] += 1
        self.tasks = {name for name, count in (single + turns).items() if count == self._times[name]}
        lost = (set(single) | set(turns)) - self.tasks or set(many) - self._lists
        if lost:
            self._kept.clear()

    def _is_task(self, node: ast.AST) -> bool:
        return self._calls.get(id(node)) == "create_task"

    def _only_awaits(self, awaited: set[int]) -> bool:
        """Whether tasks are only awaited, and their lists only gone through."""
        through = {id(node.iter) for node in self._nodes if isinstance(node, ast.For | ast.comprehension)}
        loads = [node for node in self._nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
        return all(
            (node.id not in self.tasks or id(node) in awaited) and (node.id not in self._lists or id(node) in through)
            for node in loads
        )
