"""`zip(xs, ys, strict=True)` written as a generator of the program: what it raises at an end becomes a step.

    zip(xs, ys, strict=True)    ->      _zip_strict_2(iter(xs), iter(ys))

It asks the iterators in the order in which `zip` does, and raises with its words. Knows only syntax.
"""

import ast

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.classes.own_iterators import begins_anew
from envs.execution.syntax.program_structure import nodes_of

_MOST = 4


@rewriting({"strict"})
def with_strict_zips(tree: ast.Module) -> ast.Module:
    """The program with such calls replaced; the same tree where it has none."""
    nodes = nodes_of(tree)
    if not any(isinstance(node, ast.Call) and _is_strict(node) for node in nodes):
        return tree
    if hides_names(tree) or {"zip", "iter", "ValueError"} & rebound_builtins(tree) or begins_anew(nodes):
        return tree
    rewriting = _Zips(fresh_name("_zip_strict", occurring_names(tree)))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    made = [part for count, line in rewriting.lines.items() for part in placed(rewriting.source(count), line)]
    return in_front(tree, made) if made else tree


def _is_strict(node: ast.Call) -> bool:
    """Whether it is such a call of two to four iterables."""
    match node:
        case ast.Call(func=ast.Name(id="zip"), args=args, keywords=[ast.keyword("strict", ast.Constant(value=True))]):
            return 2 <= len(args) <= _MOST and not any(isinstance(each, ast.Starred) for each in args)
    return False


class _Zips(ast.NodeTransformer):
    """Replaces the calls."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.lines: dict[int, int] = {}
        """By how many iterables are gone through: the first line that does."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if not _is_strict(node):
            return node
        self.lines.setdefault(len(node.args), node.lineno)
        turns: list[ast.expr] = [ast.Call(ast.Name("iter", ast.Load()), [each], []) for each in node.args]
        made = ast.Call(ast.Name(f"{self._name}_{len(node.args)}", ast.Load()), turns, [])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def source(self, count: int) -> list[ast.stmt]:
        """The generator that goes through so many iterators."""
        numbers = range(1, count + 1)
        lines = [f"def {self._name}_{count}({', '.join(f'turns_{n}' for n in numbers)}):", "    for item_1 in turns_1:"]
        for n in numbers[1:]:
            lines += [f"        for item_{n} in turns_{n}:", "            break", "        else:"]
            lines.append(f"            raise ValueError({_message(n, 'shorter')!r})")
        lines.append(f"        yield ({', '.join(f'item_{n}' for n in numbers)})")
        for n in numbers[1:]:
            lines += [f"    for item_{n} in turns_{n}:", f"        raise ValueError({_message(n, 'longer')!r})"]
        return ast.parse("\n".join(lines)).body


def _message(number: int, kind: str) -> str:
    before = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
    return f"zip() argument {number} is {kind} than {before}"
