"""How the sets of a program may have come to what they hold: the order of their items can depend on that.

Python goes through a set in the order of its table. How much room the table has, and where an item stands in it,
depends on items that are gone, and on whether items came one by one or all at once. A frame shows none of this. Asks
about syntax alone.
"""

import ast
from collections.abc import Sequence

from envs.execution.syntax.held_kinds import UNKNOWN, Kinds, held_kinds, kinds_of
from envs.execution.syntax.program_structure import nodes_of
from envs.execution.text.set_fillings import CHANGED, EMPTIED, JOINED, SHUFFLED, SetFilling

_JOINING = frozenset({"union", "intersection"})
_LOSING = frozenset("discard difference_update intersection_update symmetric_difference_update".split())
_LEAVING_OUT = frozenset({"difference", "symmetric_difference"})
_GAINING = frozenset({"add", "update", "symmetric_difference", "symmetric_difference_update"})
_COPIES = frozenset({"copy", "deepcopy"})
_AT_ONCE = 5
"""Constants of a display from which on Python gives the table other room than for single items."""


def set_fillings(nodes: Sequence[ast.AST]) -> tuple[SetFilling, ...]:
    """The ways, beside the order of items and its reverse, in which sets of the program may have been filled."""
    kinds = held_kinds(nodes)
    losing = _loses_items(nodes, kinds)
    less = losing or _leaves_out(nodes, kinds)
    found = SHUFFLED
    if less or _joins_sets(nodes, kinds):
        found += JOINED
    if less:
        found += EMPTIED
    if losing and _gains_items(nodes, kinds):
        found += CHANGED
    return found


def _joins_sets(nodes: Sequence[ast.AST], kinds: Kinds) -> bool:
    """Whether some set may be made, or grow, by many items at once."""
    hints = {part for node in nodes for hint in _annotations(node) for part in nodes_of(hint)}
    for node in nodes:
        match node:
            case ast.Attribute(attr=name) if name in _JOINING:
                return True
            case ast.Attribute(value=held, attr="copy" | "update") if _may_be_set(held, kinds):
                return True
            case ast.Call(func=ast.Name(id=name), args=[held]) if name in _COPIES and _may_be_set(held, kinds):
                return True
            case ast.Call(func=ast.Name(id="set" | "frozenset"), args=[held]) if _may_be_hashed(held, kinds):
                return True
            case ast.Set(elts=parts) if len(parts) >= _AT_ONCE or any(isinstance(each, ast.Starred) for each in parts):
                return True
            case ast.BinOp(op=ast.BitOr() | ast.BitAnd()) | ast.AugAssign(op=ast.BitOr()) if node not in hints:
                return True
    return False


def _loses_items(nodes: Sequence[ast.AST], kinds: Kinds) -> bool:
    """Whether some set may lose items that it held."""
    if not any(_makes_set(node) for node in nodes):
        return False
    arguments = {id(node.func): len(node.args) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        match node:
            case ast.Attribute(attr=name) if name in _LOSING:
                return True
            case ast.Attribute(value=held, attr="remove" | "pop") if _may_be_set(held, kinds):
                if node.attr == "remove" or not arguments.get(id(node), 0):
                    return True
            case ast.AugAssign(target=one, op=ast.Sub() | ast.BitAnd() | ast.BitXor(), value=other):
                if _is_set(one, kinds) or _is_set(other, kinds):
                    return True
    return False


def _leaves_out(nodes: Sequence[ast.AST], kinds: Kinds) -> bool:
    """Whether some new set is another one without some items: it may have the room of that one."""
    for node in nodes:
        match node:
            case ast.Attribute(attr=name) if name in _LEAVING_OUT:
                return True
            case ast.BinOp(left=one, op=ast.Sub() | ast.BitXor(), right=other):
                if _is_set(one, kinds) or _is_set(other, kinds):
                    return True
    return False


def _gains_items(nodes: Sequence[ast.AST], kinds: Kinds) -> bool:
    """Whether some set may get items after it was made."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr in _GAINING and _may_be_set(node.value, kinds))
        or (isinstance(node, ast.AugAssign | ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitXor))
        for node in nodes
    )


def _makes_set(node: ast.AST) -> bool:
    match node:
        case ast.Set() | ast.SetComp() | ast.Name(id="set"):
            return True
    return False


def _is_set(node: ast.expr, kinds: Kinds) -> bool:
    """Whether the text shows that a value is a set, at least sometimes."""
    return "set" in kinds_of(node, kinds)


def _may_be_set(node: ast.expr, kinds: Kinds) -> bool:
    """Whether nothing shows that a value is of another kind."""
    return not kinds_of(node, kinds).isdisjoint({"set", UNKNOWN})


def _may_be_hashed(node: ast.expr, kinds: Kinds) -> bool:
    """Whether a value may be a set or a dict, whose items another set takes all at once."""
    return not kinds_of(node, kinds).isdisjoint({"set", "dict", UNKNOWN})


def _annotations(node: ast.AST) -> list[ast.expr]:
    """What a node says of types, where `|` joins no sets."""
    match node:
        case ast.arg(annotation=ast.expr() as hint) | ast.AnnAssign(annotation=hint):
            return [hint]
        case ast.FunctionDef(returns=ast.expr() as hint):
            return [hint]
    return []
