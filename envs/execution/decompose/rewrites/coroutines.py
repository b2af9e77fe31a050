"""Coroutines as plain functions, where nothing can tell the difference: each is awaited where it is called.

    async def outer(x):               def outer(x):
        a = await inner(x)                a = inner(x)
    asyncio.run(outer(3))             outer(3)

A program that keeps a coroutine, gathers several, makes tasks or awaits anything else stays as it is.
"""

import ast

from envs.execution.syntax.program_structure import nodes_of, steps_below

_LOOKS = frozenset({"inspect", "iscoroutine", "iscoroutinefunction", "types", "coroutine"})


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
    taken: set[ast.AST] = set()
    for node in nodes:
        call = _coroutine(node, names)
        if isinstance(node, ast.Await) and call is None:
            return False
        if call is not None:
            taken |= {call, call.func}
    named = [node for node in nodes if isinstance(node, ast.Name | ast.Attribute) and _name(node) in names]
    runs = [node for node in nodes if _is_run(node)]
    loops = [node for node in nodes if isinstance(node, ast.Name) and node.id == "asyncio"]
    return all(node in taken for node in named) and len(loops) == len(runs)


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


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
        taken = _is_run(node) and _coroutine(node, self._names) is not None
        self.generic_visit(node)
        return node.args[0] if taken else node
