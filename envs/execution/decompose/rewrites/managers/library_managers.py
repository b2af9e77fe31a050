"""Managers of `contextlib` that call methods of others, written as classes of the program: their lines become steps.

    with closing(reader) as source: ...         a class with the two methods that `contextlib` writes
    with nullcontext(items) as source: ...
    with ExitStack() as stack: ...              a class that keeps what was entered, and leaves it in reverse order

Counts only where the program calls such a class and asks an `ExitStack` for nothing but `enter_context`, `callback` and
`close`. Knows only syntax.
"""

import ast
from collections.abc import Mapping, Sequence

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, library_functions, occurring_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.program_structure import nodes_of

_CLOSING = """
class NAME:
    def __init__(self, thing):
        self.thing = thing
    def __enter__(self):
        return self.thing
    def __exit__(self, *exc_info):
        self.thing.close()
"""
_NULLCONTEXT = """
class NAME:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result
    def __enter__(self):
        return self.enter_result
    def __exit__(self, *excinfo):
        pass
"""
_EXIT_STACK = """
class NAME:
    def __init__(self):
        self.entered = []
    def __enter__(self):
        return self
    def enter_context(self, cm):
        if not hasattr(cm, "__enter__") or not hasattr(cm, "__exit__"):
            kind = str(type(cm))[8:-2]
            name = kind if "." in kind else "builtins." + kind
            raise TypeError(f"'{name}' object does not support the context manager protocol")
        result = cm.__enter__()
        self.entered.append((cm, None, (), {}))
        return result
    def callback(self, callback, *args, **kwds):
        self.entered.append((None, callback, args, kwds))
        return callback
    def close(self):
        self.__exit__(None, None, None)
    def __exit__(self, kind, error, trace):
        received = error is not None
        suppressed = False
        pending = False
        while self.entered:
            cm, callback, args, kwds = self.entered.pop()
            try:
                if cm is None:
                    callback(*args, **kwds)
                elif cm.__exit__(kind, error, None):
                    suppressed = True
                    pending = False
                    kind = None
                    error = None
            except BaseException as raised:
                pending = True
                kind = type(raised)
                error = raised
        if pending:
            raise error
        return received and suppressed
"""
_SOURCES: Mapping[str, str] = {
    "contextlib.closing": _CLOSING,
    "contextlib.nullcontext": _NULLCONTEXT,
    "contextlib.ExitStack": _EXIT_STACK,
}
_STACK = "contextlib.ExitStack"
_UNKNOWN = frozenset({"push", "pop_all", "enter_async_context", "__exit__", "__enter__"})
"""What else may be asked of an `ExitStack`, or of the managers that it holds."""


@rewriting({"contextlib"})
def with_own_managers(tree: ast.Module) -> ast.Module:
    """The program with such classes in front of it; the same tree where it uses none."""
    library = library_functions(tree, _SOURCES)
    if not library or hides_names(tree):
        return tree
    nodes = nodes_of(tree)
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) in library]
    texts = {text: name for text, name in library.items() if _only_called(text, nodes, calls)}
    if _STACK in texts.values() and not _is_plain_stack(nodes, calls, texts):
        texts = {text: name for text, name in texts.items() if name != _STACK}
    taken, made, used = occurring_names(tree), list[ast.stmt](), dict[str, str]()
    for call in calls:
        name = texts.get(ast.unparse(call.func))
        if name is None:
            continue
        if name not in used:
            used[name] = fresh_name(f"_{name.partition('.')[2]}", taken)
            made += placed(ast.parse(_SOURCES[name].replace("NAME", used[name])).body, call.lineno)
        call.func = ast.copy_location(ast.Name(used[name], ast.Load()), call.func)
    return in_front(tree, made) if made else tree


def _only_called(text: str, nodes: Sequence[ast.AST], calls: Sequence[ast.Call]) -> bool:
    """Whether the program does nothing with a class but call it, without stars."""
    mine = [call for call in calls if ast.unparse(call.func) == text]
    used = [node for node in nodes if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == text]
    starred = any(isinstance(each, ast.Starred) for call in mine for each in call.args)
    most = 0 if text.endswith("ExitStack") else 1
    return len(used) == len(mine) and not starred and all(len(call.args) <= most for call in mine)


def _sees_trace(node: ast.FunctionDef) -> bool:
    """Whether the method of a manager may look at the traceback, which the class does not hand on."""
    given = node.args
    where = given.vararg.arg if given.vararg else given.args[3].arg if len(given.args) == 4 else ""
    return not where or any(isinstance(each, ast.Name) and each.id == where for each in nodes_of(node))


def _is_plain_stack(nodes: Sequence[ast.AST], calls: Sequence[ast.Call], texts: Mapping[str, str]) -> bool:
    """Whether stacks are made without arguments, and no line asks for more than is written here."""
    made = [call for call in calls if texts.get(ast.unparse(call.func)) == _STACK]
    if any(isinstance(node, ast.FunctionDef) and node.name == "__exit__" and _sees_trace(node) for node in nodes):
        return False
    asked = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return not any(call.args or call.keywords for call in made) and not asked & _UNKNOWN
