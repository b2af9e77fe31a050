"""Whether a program puts sets together, or takes items out: their table then has other room than the items need.

Python goes through a set in the order of its table, which depends on that room. Asks about syntax alone.
"""

import ast
from collections.abc import Sequence

from envs.execution.syntax.program_structure import nodes_of

_JOINING = frozenset("union discard difference_update intersection_update symmetric_difference_update".split())


def joins_sets(nodes: Sequence[ast.AST]) -> bool:
    """Whether some line may do so; `update`, `pop` and `remove` are asked of lists and dicts too, and do not count."""
    hints = {part for node in nodes for hint in _annotations(node) for part in nodes_of(hint)}
    for node in nodes:
        match node:
            case ast.Attribute(attr=name) if name in _JOINING:
                return True
            case ast.BinOp(op=ast.BitOr()) | ast.AugAssign(op=ast.BitOr()) if node not in hints:
                return True
    return False


def _annotations(node: ast.AST) -> list[ast.expr]:
    """What a node says of types, where `|` joins no sets."""
    match node:
        case ast.arg(annotation=ast.expr() as hint) | ast.AnnAssign(annotation=hint):
            return [hint]
        case ast.FunctionDef(returns=ast.expr() as hint):
            return [hint]
    return []
