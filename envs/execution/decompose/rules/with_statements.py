"""`with` written out as `try`, where the manager's class is the program's own and can be read: its methods are steps.

A file of the builtin `open` is closed in a `finally`. In a program that has no managers but those of its own classes,
the `with` asks for the class first and stays as it is for anything else, which raises.

Any other manager keeps its `with` line, which is reported: what it does on entering and leaving is not in the text.
"""

import ast

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.assignment_targets import store
from envs.execution.decompose.rules.expressions import atom
from envs.execution.decompose.rules.simple_statements import statement, suite
from envs.execution.syntax.block_exits import leaves_block


@statement(ast.With)
def _with(body: FunctionBody, node: ast.With) -> None:
    _items(body, list(node.items), node)


def _items(body: FunctionBody, items: list[ast.withitem], node: ast.With) -> None:
    if not items:
        suite(body, node.body)
        return
    item = items[0]
    manager = text(atom(body, item.context_expr))
    before = body.bound
    if _is_open(body, item.context_expr):
        _written_out(body, manager, items, node)
    elif _opens_file(body, item.context_expr):
        _closed_at_the_end(body, manager, items, node)
    elif _has_only_own_managers(body):
        _checked(body, manager)
        _written_out(body, manager, items, node)
    else:
        _as_it_is(body, manager, items, node)
    body.bound = before  # a manager may swallow an exception raised on any line inside


def _is_open(body: FunctionBody, manager: ast.expr) -> bool:
    """Whether the manager is surely an object of a class of the program that manages openly."""
    if isinstance(manager, ast.Name):
        made = body.made.get(manager.id, ()) if manager.id not in body.renames else ()
        return bool(made) and all(_is_open(body, each) for each in made)
    program, known_classes = body.program, body.program.classes_known
    readable = program.builtin("type") and program.builtin("BaseException")
    match manager:
        case ast.Call(func=ast.Attribute(attr=name)):
            return readable and name in known_classes.makers
        case ast.Attribute(attr=name):
            return readable and name in known_classes.holders
        case ast.Call(func=ast.Name(id=name)):
            known = name in known_classes.managers | known_classes.makers and name in program.settled
        case _:
            return False
    shadowed = name in body.scope.own or name in body.scope.free or name in body.renames
    return known and not shadowed and readable


def _has_only_own_managers(body: FunctionBody) -> bool:
    """Whether no object but those of the program's readable classes can manage a `with`."""
    program = body.program
    managers = program.classes_known.managers
    scope = body.scope
    readable = all(map(program.builtin, ("type", "BaseException", "isinstance")))
    hidden = managers & (scope.own | scope.free | body.renames.keys())
    return (
        bool(managers)
        and readable
        and managers <= program.settled
        and not hidden
        and program.classes_known.managed_alone
    )


def _checked(body: FunctionBody, manager: str) -> None:
    """Write what Python does with an object that is no manager: it raises before it enters."""
    managers = sorted(body.program.classes_known.managers)
    known = body.temporary()
    classes = managers[0] if len(managers) == 1 else f"({', '.join(managers)})"
    body.writer.write(f"{known} = isinstance({manager}, {classes})")
    with body.writer.block(f"if not {known}:"), body.writer.block(f"with {manager}:"):
        body.writer.write("pass")


def _opens_file(body: FunctionBody, manager: ast.expr) -> bool:
    """Whether the manager is a file that the builtin `open` gives."""
    if not (isinstance(manager, ast.Call) and isinstance(manager.func, ast.Name) and manager.func.id == "open"):
        return False
    shadowed = "open" in body.scope.own or "open" in body.scope.free or "open" in body.renames
    return not shadowed and body.program.builtin("open")


def _closed_at_the_end(body: FunctionBody, manager: str, items: list[ast.withitem], node: ast.With) -> None:
    """A file swallows no exception: it is closed, however its block is left."""
    target = items[0].optional_vars
    if target is not None:
        store(body, target, ast.Name(manager, ast.Load()))
    with body.writer.block("try:"):
        _items(body, items[1:], node)
    with body.writer.block("finally:"):
        body.writer.write(f"{manager}.close()")


def _as_it_is(body: FunctionBody, manager: str, items: list[ast.withitem], node: ast.With) -> None:
    target = items[0].optional_vars
    name = None if target is None else target.id if isinstance(target, ast.Name) else body.temporary()
    reason = "a context manager that is not the program's own"
    with body.writer.block(f"with {manager} as {name}:" if name else f"with {manager}:", reason):
        _bind(body, target, name)
        _items(body, items[1:], node)


def _bind(body: FunctionBody, target: ast.expr | None, name: str | None) -> None:
    if isinstance(target, ast.Name):
        body.bind([target.id])
    elif target is not None and name is not None:
        store(body, target, ast.Name(name, ast.Load()))


def _written_out(body: FunctionBody, manager: str, items: list[ast.withitem], node: ast.With) -> None:
    target = items[0].optional_vars
    name = None if target is None else target.id if isinstance(target, ast.Name) else body.temporary()
    body.writer.write(f"{name} = {manager}.__enter__()" if name else f"{manager}.__enter__()")
    if not leaves_block(node.body):
        with body.writer.block("try:"):
            _bind(body, target, name)
            _items(body, items[1:], node)
        _on_exception(body, manager, node)
        with body.writer.block("else:"):
            body.writer.write(f"{manager}.__exit__(None, None, None)")
        return
    unharmed = body.temporary()  # a `return` or `break` leaves by `finally`, as the end of the block does
    body.writer.write(f"{unharmed} = True")
    with body.writer.block("try:"):
        with body.writer.block("try:"):
            _bind(body, target, name)
            _items(body, items[1:], node)
        _on_exception(body, manager, node, unharmed)
    with body.writer.block("finally:"), body.writer.block(f"if {unharmed}:"):
        body.writer.write(f"{manager}.__exit__(None, None, None)")


def _on_exception(body: FunctionBody, manager: str, node: ast.With, unharmed: str | None = None) -> None:
    body.writer.origin = node.lineno
    error, kind, swallowed = body.names.fresh("e"), body.temporary(), body.temporary()
    with body.writer.block(f"except BaseException as {error}:"):
        if unharmed:
            body.writer.write(f"{unharmed} = False")
        body.writer.write(f"{kind} = type({error})")
        body.writer.write(f"{swallowed} = {manager}.__exit__({kind}, {error}, None)")  # it looks at no traceback
        with body.writer.block(f"if not {swallowed}:"):
            body.writer.write(f"raise {error}")
