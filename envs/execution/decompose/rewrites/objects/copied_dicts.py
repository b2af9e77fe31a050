"""The dict of an object's fields that a function of the library only reads, written as a copy of it.

    json.dumps(self.__dict__)       ->      json.dumps(dict(self.__dict__))

Such a function keeps nothing of the dict, so a copy does as well; rules know a line that copies the dict of an object.
Knows only syntax.
"""

import ast

from envs.execution.decompose.rewrites.library_names import library_functions, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.program_structure import nodes_of

_READERS = ("json.dumps", "copy.deepcopy", "copy.copy", "pprint.pformat")


@rewriting({"vars", "__dict__"}, {"json", "copy", "pprint"}, in_place=True)
def with_copied_dicts(tree: ast.Module) -> ast.Module:
    """The program with such arguments copied; changes its calls."""
    readers = {text for text, known in library_functions(tree, _READERS).items() if known in _READERS}
    if not readers or {"vars", "dict"} & rebound_builtins(tree):
        return tree
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and node.args and _is_dict(node.args[0]) and ast.unparse(node.func) in readers:
            copied = ast.Call(ast.Name("dict", ast.Load()), [node.args[0]], [])
            node.args[0] = ast.copy_location(copied, node.args[0])
    return ast.fix_missing_locations(tree)


def _is_dict(node: ast.expr) -> bool:
    """Whether an expression asks a name for the dict of its fields."""
    match node:
        case ast.Attribute(value=ast.Name(), attr="__dict__"):
            return True
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name() | ast.Call() | ast.Attribute()], keywords=[]):
            return True
    return False
