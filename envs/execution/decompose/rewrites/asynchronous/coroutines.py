"""Coroutines as plain functions, where nothing can tell the difference: each is awaited where it is called.

    async def outer(x):               def outer(x):
        a = await inner(x)                a = inner(x)
    asyncio.run(outer(3))             outer(3)
    await asyncio.sleep(0.1)          None
    await asyncio.gather(f(1), g(2))  [f(1), g(2)]

In a program that awaits nothing but its own coroutines they run one after the other (`unpausing_coroutines.py`). Others
that are gathered or made tasks must compute their value from their arguments alone, and end in order or never raise:
then it cannot be seen in which order they run (`started_coroutines.py`). A program that awaits anything else, or looks
at the clock, stays as it is.
"""

import ast
from collections.abc import Sequence

from envs.execution.decompose.rewrites.asynchronous.pure_coroutines import is_pure
from envs.execution.decompose.rewrites.asynchronous.started_coroutines import Starts
from envs.execution.decompose.rewrites.asynchronous.unpausing_coroutines import never_pause
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import binds
from envs.execution.syntax.program_structure import nodes_of, steps_below

_LOOKS = frozenset({"inspect", "iscoroutine", "iscoroutinefunction", "types", "coroutine", "time"})
_KNOWN = frozenset({"run", "sleep", "gather", "create_task"})
"""What is done without of `asyncio`."""
_OF_TASKS = frozenset("result done cancel cancelled exception add_done_callback get_name set_name get_coro".split())
"""What only a task can be asked for."""


@rewriting({ast.AsyncFunctionDef})
def without_coroutines(tree: ast.Module) -> ast.Module:
    """The program with its coroutines as functions; the same tree where there are none or they must stay."""
    names = {node.name for node in steps_below(tree) if isinstance(node, ast.AsyncFunctionDef)}
    if not names or not _is_direct(nodes_of(tree), names):
        return tree
    plain = _Plain(names)
    body = [plain.visit(statement) for statement in tree.body]
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


def _is_direct(nodes: list[ast.AST], names: set[str]) -> bool:
    """Whether every coroutine is awaited, or run, by the expression that calls it, and nothing else is awaited."""
    inside = [each for node in nodes if isinstance(node, ast.AsyncFunctionDef) for each in nodes_of(node)]
    if any(isinstance(node, ast.AsyncFor | ast.AsyncWith) for node in nodes):
        return False
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in inside):
        return False
    if any(isinstance(node, ast.comprehension) and node.is_async for node in nodes):
        return False
    mentioned = {node.id for node in nodes if isinstance(node, ast.Name)}
    bound = [node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    if mentioned & _LOOKS or any(bound.count(name) > 1 for name in names):
        return False
    asked = [_loop_call(node) for node in nodes]
    loops = [node for node in nodes if isinstance(node, ast.Name) and node.id == "asyncio"]
    if len(loops) != sum(call is not None for call in asked):
        return False
    if any(_is_run(node) for node in inside):
        return False
    rebound = {name for node in nodes for name in binds(node)}
    if "gather" in asked and "list" in rebound:
        return False
    pure = {node.name for node in nodes if isinstance(node, ast.AsyncFunctionDef) and is_pure(node, rebound)}
    kept, started = _kept(nodes, names)
    asks_tasks = any(isinstance(node, ast.Attribute) and node.attr in _OF_TASKS for node in nodes)
    calls = {id(node): call for node, call in zip(nodes, asked, strict=True) if call}
    if not kept and never_pause(nodes, calls, names):
        return all(_is_awaited(node, names, set()) for node in nodes)
    if kept or not started <= pure or (started and asks_tasks):
        return False
    starts = Starts(nodes, calls)
    return starts.are_unseen(started) and all(_is_awaited(node, names, starts.tasks) for node in nodes)


def _is_awaited(node: ast.AST, names: set[str], tasks: set[str]) -> bool:
    """Whether what a node awaits, if anything, is a coroutine of the program, a pause, or several coroutines."""
    if not isinstance(node, ast.Await):
        return True
    call = _loop_call(node.value)
    kept = isinstance(node.value, ast.Name) and node.value.id in tasks
    return kept or call in ("sleep", "gather", "create_task") or _coroutine(node, names) is not None


def _kept(nodes: Sequence[ast.AST], names: set[str]) -> tuple[set[str], set[str]]:
    """Coroutines that are mentioned other than where they are awaited, run or started, and those that are started."""
    taken: set[ast.AST] = set()
    for node in nodes:
        call = _coroutine(node, names)
        if call is not None:
            taken |= {call, call.func}
    named = [node for node in nodes if isinstance(node, ast.Name | ast.Attribute) and _name(node) in names]
    starts = [node for node in nodes if _loop_call(node) in ("gather", "create_task")]
    within = {part for node in starts for part in nodes_of(node)}
    left = [node for node in named if node not in taken]
    return {_name(node) for node in left if node not in within}, {_name(node) for node in left if node in within}


def _loop_call(node: ast.AST) -> str | None:
    """The function of `asyncio` that a node calls as can be done without; None for any other node."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="asyncio"), attr=attr), args=given, keywords=[]):
            single = len(given) == 1 and not isinstance(given[0], ast.Starred)
            fits = _is_pause(given) if attr == "sleep" else attr == "gather" or single
            return attr if attr in _KNOWN and fits and (attr != "run" or _is_run(node)) else None
    return None


def _is_pause(given: Sequence[ast.expr]) -> bool:
    return len(given) == 1 and all(
        isinstance(each, ast.Constant | ast.Name | ast.BinOp | ast.operator | ast.expr_context)
        for each in nodes_of(given[0])
    )


def _name(node: ast.AST) -> str:
    """The last name of what may be a coroutine: nothing that `asyncio` has, whatever methods are called."""
    match node:
        case ast.Attribute(value=ast.Name(id="asyncio")):
            return ""
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_run(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="asyncio"), attr="run"), args=[ast.Call()], keywords=[]):
            return True
    return False


def _coroutine(node: ast.AST, names: set[str]) -> ast.Call | None:
    """The call of a coroutine that an `await` or an `asyncio.run` takes at once."""
    inner = node.value if isinstance(node, ast.Await) else node.args[0] if _is_run(node) else None  # type: ignore[attr-defined]
    return inner if isinstance(inner, ast.Call) and _name(inner.func) in names else None


class _Plain(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        made = ast.FunctionDef(
            name=node.name,
            args=node.args,
            body=node.body,
            decorator_list=node.decorator_list,
            returns=node.returns,
            type_comment=None,
            **({"type_params": node.type_params} if hasattr(node, "type_params") else {}),
        )
        return ast.copy_location(made, node)

    def visit_Await(self, node: ast.Await) -> ast.expr:
        self.generic_visit(node)
        return node.value

    def visit_Call(self, node: ast.Call) -> ast.expr:
        call = _loop_call(node)
        self.generic_visit(node)
        if call is None:
            return node
        if call == "gather":
            match node.args:
                case [
                    ast.Starred(
                        value=ast.GeneratorExp(elt=item, generators=turns) | ast.ListComp(elt=item, generators=turns)
                    )
                ]:
                    turns[0].iter = _all_at_once(turns[0].iter)
                    return ast.copy_location(ast.ListComp(item, turns), node)
            return ast.copy_location(ast.List(node.args, ast.Load()), node)
        return _paused(node) if call == "sleep" else node.args[0]


def _all_at_once(node: ast.expr) -> ast.expr:
    """What gathered coroutines are made for, taken before the first one runs: it could change that."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        return node
    return ast.copy_location(ast.Call(ast.Name("list", ast.Load()), [node], []), node)


def _paused(node: ast.Call) -> ast.expr:
    """What is left of a pause: that its length is compared with 0, as `sleep` does, where it may be no number."""
    none: ast.expr = ast.Constant(None)
    match node.args[0]:
        case ast.Constant(value=int() | float()):
            return ast.copy_location(none, node)
    asked = ast.Compare(node.args[0], [ast.LtE()], [ast.Constant(0)])
    return ast.fix_missing_locations(ast.copy_location(ast.IfExp(asked, none, ast.Constant(None)), node))
